// The meaning of files of Alchemy, Tuffy and pracmln: probabilities against an enumeration of all
// worlds by formulas that are written here by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "logic/network_parser.h"
#include "logic/network_writer.h"
#include "sql/logic/logic_learning.h"
#include "sql/logic/logic_question.h"
#include "support/message_of.h"

namespace croft::dialects {
namespace {

LogicNetwork network_of(const std::string& text, LogicDialect dialect = LogicDialect::any) {
  return parse_network(read_logic_tokens(LineReader(std::string_view(text), "t.mln")), dialect);
}

LogicEvidence evidence_of(const LogicNetwork& network, const std::string& text) {
  LogicEvidence evidence(network);
  add_evidence(network, read_fact_tokens(LineReader(std::string_view(text), "t.db")), evidence);
  return evidence;
}

struct Answered {
  std::map<std::string, double> probability;
  double log_partition = 0;
};

Answered ask(const LogicNetwork& network, const std::string& facts, const std::string& query,
             WeightReading reading = WeightReading::formula,
             Grounding grounding = Grounding::full) {
  const LogicEvidence evidence = evidence_of(network, facts);
  const auto patterns =
      parse_atom_patterns(network, read_fact_tokens(LineReader(std::string_view(query), "query")));
  const AtomSpace space(network, evidence, open_predicates(network, evidence, patterns));
  const GroundNetwork ground(space, patterns, {.reading = reading}, grounding,
                             GraphTask::marginals);
  InferRequest request;
  request.task = GraphTask::marginals;
  const LogicAnswer answer = ground.answer(request);
  Answered out;
  for (const AtomAnswer& each : answer.atoms) out.probability[each.atom] = each.probability;
  if (answer.log_partition) out.log_partition = *answer.log_partition;
  return out;
}

using World = std::map<std::string, bool>;

// All worlds of the atoms, with the score of each.
Answered enumerated(const std::vector<std::string>& atoms,
                    const std::function<double(World&)>& score) {
  Answered out;
  double total = 0;
  for (std::uint32_t bits = 0; bits < (1u << atoms.size()); ++bits) {
    World world;
    for (std::size_t a = 0; a < atoms.size(); ++a) world[atoms[a]] = (bits >> a & 1) != 0;
    const double weight = std::exp(score(world));
    total += weight;
    for (const std::string& each : atoms) out.probability[each] += world[each] ? weight : 0;
  }
  for (auto& [atom, sum] : out.probability) sum /= total;
  out.log_partition = std::log(total);
  return out;
}

void expect_same(const Answered& found, const Answered& exact) {
  for (const auto& [atom, probability] : exact.probability) {
    ASSERT_TRUE(found.probability.contains(atom)) << atom;
    EXPECT_NEAR(found.probability.at(atom), probability, 1e-9) << atom;
  }
  EXPECT_NEAR(found.log_partition, exact.log_partition, 1e-9);
}

const std::vector<std::string> kPairs{"P(A)", "P(B)", "Q(A)", "Q(B)"};
constexpr const char* kTypes = "t = {A, B}\nP(t)\nQ(t)\n";

TEST(Dialects, TuffysCommaIsAnd) {
  const auto found = ask(network_of(std::string(kTypes) + "R(t, t)\n1.5 P(x), R(x, y) => Q(y)\n"),
                         "R(A, B)\nR(B, B)\n", "P, Q");
  expect_same(found, enumerated(kPairs, [](World& w) {
                double sum = 2 * 1.5;  // R(A, A) and R(B, A) are false
                if (!w["P(A)"] || w["Q(B)"]) sum += 1.5;
                if (!w["P(B)"] || w["Q(B)"]) sum += 1.5;
                return sum;
              }));
}

TEST(Dialects, ConditionsInSquareBracketsAreThoseOfTuffy) {
  const std::string with = "1.2 P(x), Q(y), [x != y AND NOT (x = B || y <> B)] => P(y)\n";
  const auto exact = enumerated(kPairs, [](World& w) {
    // All of the four groundings but x = A, y = B are true at once.
    return 3 * 1.2 + (!w["P(A)"] || !w["Q(B)"] || w["P(B)"] ? 1.2 : 0);
  });
  expect_same(ask(network_of(kTypes + with), "", "P, Q"), exact);
  const std::string head = "1.2 !P(x) v !Q(y) v P(y) v [x = y OR x = B OR !(y = B)]\n";
  expect_same(ask(network_of(kTypes + head), "", "P, Q"), exact);
}

TEST(Dialects, WeightedEvidenceIsARuleOfItsLogOdds) {
  const LogicNetwork network = network_of(
      "t = {A, B}\nP(t)\nQ(t)\n*C(t)\n1.5 P(x) => Q(x)\n"
      "2 C(x) => Q(x)\n");
  const std::string facts = "0.9 P(A)\n0.2 !Q(A)\n0.3 C(B)\n1 C(A)\n0 P(B)\n";
  const auto exact = enumerated({"P(A)", "Q(A)", "Q(B)", "C(B)"}, [](World& w) {
    double sum = 1.5;  // P(B) is false
    if (!w["P(A)"] || w["Q(A)"]) sum += 1.5;
    if (w["Q(A)"]) sum += 2;
    if (!w["C(B)"] || w["Q(B)"]) sum += 2;
    if (w["P(A)"]) sum += std::log(0.9 / 0.1);
    if (w["Q(A)"]) sum += std::log(0.8 / 0.2);
    if (w["C(B)"]) sum += std::log(0.3 / 0.7);
    return sum;
  });
  expect_same(ask(network, facts, "P, Q, C"), exact);
  // The atom alone has the probability that is said, and a closed predicate keeps its others false.
  const auto alone = ask(network_of("t = {A, B}\n*C(t)\nP(t)\n0 P(x)\n"), "0.3 C(B)\n", "P, C(B)");
  EXPECT_NEAR(alone.probability.at("C(B)"), 0.3, 1e-12);
}

TEST(Dialects, WeightedEvidenceIsTheSameWhereGroundingIsLazy) {
  const LogicNetwork network =
      network_of("t = {A, B}\nP(t)\nQ(t)\n1.5 P(x) => Q(x)\n1 !P(x)\n1 !Q(x)\n");
  const std::string facts = "0.9 P(A)\n0.4 Q(B)\n";
  const auto exact = ask(network, facts, "P, Q");
  const auto drawn = ask(network, facts, "P, Q", WeightReading::formula, Grounding::lazy);
  for (const auto& [atom, probability] : exact.probability) {
    EXPECT_NEAR(drawn.probability.at(atom), probability, 0.1) << atom;
  }
}

TEST(Dialects, ASecondDeclarationOfAlchemyMarksArguments) {
  const LogicNetwork network = network_of(
      "t = {1, 2}\nstate = {X, Y, Z}\nState(state, t)\nState(s!, t)\n1.5 State(X, t)\n"
      "-0.5 State(Y, t)\n");
  EXPECT_EQ(network.predicates[0].marks[0], ArgumentMark::exactly_one);
  EXPECT_EQ(network.predicates[0].marks[1], ArgumentMark::none);
  EXPECT_EQ(network.rules.size(), 2u);
  const auto found = ask(network, "", "State");
  const double sum = std::exp(1.5) + std::exp(-0.5) + 1;
  EXPECT_NEAR(found.probability.at("State(X,1)"), std::exp(1.5) / sum, 1e-12);
  EXPECT_NEAR(found.probability.at("State(Z,2)"), 1 / sum, 1e-12);
  EXPECT_NEAR(found.log_partition, 2 * std::log(sum), 1e-12);
}

TEST(Dialects, FormulasInSquareBracketsCountAsWrittenInEitherReading) {
  const std::string rules = "t = {A}\nP(t)\nQ(t)\n2 [P(x) <=> Q(x)]\n";
  for (const WeightReading reading : {WeightReading::formula, WeightReading::clausal}) {
    EXPECT_NEAR(ask(network_of(rules), "", "P, Q", reading).log_partition,
                std::log(2 * std::exp(2) + 2), 1e-12);
  }
}

TEST(Dialects, WeightsAreArithmetic) {
  const LogicNetwork network = network_of(
      "t = {A}\nP(t)\nQ(t)\nlog(0.9/0.1) P(x)\n-log(4)/2 Q(x)\nlogx(0) P(x) ^ Q(x)\n"
      "2*(1.5-1) P(x) => Q(x)\nexp(0)+sqrt(4)*log10(100) Q(x)\n(P(x) v Q(x)) ::log2(8)\n"
      "2*P(A)\n1e-3 Q(x)\n");
  const std::vector<double> expected{std::log(9.), -std::log(2.), -100, 1, 5, 3, 2, 2, 1e-3};
  ASSERT_EQ(network.rules.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(network.rules[i].weight, expected[i], 1e-12) << i;
  }
  EXPECT_NEAR(ask(network_of("t = {A}\nP(t)\nlog(0.9/0.1) P(x)\n"), "", "P").probability.at("P(A)"),
              0.9, 1e-12);
}

TEST(Dialects, PracmlnsVariablesHaveQuestionMarksAndOtherNamesAreConstants) {
  const LogicNetwork network = network_of(
      "p(t)\nq(t)\n1.5 p(?x) ^ q(?y) ^ ?x =/= ?y\n1 p(anna)\n0.8 EXIST ?y (p(?y)) => q(?X)\n");
  EXPECT_TRUE(network.question_marks);
  const auto exact = enumerated({"p(anna)", "p(bob)", "q(anna)", "q(bob)"}, [](World& w) {
    double sum = w["p(anna)"] ? 1 : 0;
    if (w["p(anna)"] && w["q(bob)"]) sum += 1.5;
    if (w["p(bob)"] && w["q(anna)"]) sum += 1.5;
    // The quantifier reaches over its brackets alone.
    const bool some = w["p(anna)"] || w["p(bob)"];
    for (const char* atom : {"q(anna)", "q(bob)"}) {
      if (!some || w[atom]) sum += 0.8;
    }
    return sum;
  });
  expect_same(ask(network, "t = {bob}\n", "p, q"), exact);
  // The network that is written reads back the same.
  expect_same(ask(network_of(write_network(network)), "t = {\"bob\"}\n", "p, q"), exact);
  const auto asked = ask(network, "!q(bob)\nt = {bob}\n", "p(anna), p(?x), q(anna)");
  EXPECT_EQ(asked.probability.size(), 3u);
}

// The constants rise, as in pracmln's program; its manual counts (A, A), too.
TEST(Dialects, UniqueLeavesOutWhatDiffersInOrderAndEqualConstants) {
  const std::string rules = "t = {A, B, C}\nP(t)\nQ(t)\n#unique{+?x, +?y}\n1.5 P(+?x) ^ Q(+?y)\n";
  const LogicNetwork network = network_of(rules);
  ASSERT_EQ(network.warnings.size(), 1u);
  EXPECT_NE(network.warnings[0].find("t.mln:4:1: #unique leaves out equal constants"),
            std::string::npos);
  const std::vector<std::string> atoms{"P(A)", "P(B)", "P(C)", "Q(A)", "Q(B)", "Q(C)"};
  const auto exact = enumerated(atoms, [](World& w) {
    double sum = 0;
    for (const auto& [x, y] : {std::pair{"A", "B"}, {"A", "C"}, {"B", "C"}}) {
      if (w[std::string("P(") + x + ")"] && w[std::string("Q(") + y + ")"]) sum += 1.5;
    }
    return sum;
  });
  for (const WeightReading reading : {WeightReading::formula, WeightReading::clausal}) {
    expect_same(ask(network, "", "P, Q", reading), exact);
  }
  expect_same(ask(network_of(write_network(network)), "", "P, Q"), exact);
  // A formula that is ground one by one, as EXIST below "and" is in no clause.
  const std::string one_by_one =
      "t = {A, B, C}\nP(t)\nQ(t)\n#unique{+?x, +?y}\n"
      "1.5 P(+?x) ^ Q(+?y) ^ !(EXIST ?z (P(?z) ^ !P(?z)))\n";
  expect_same(ask(network_of(one_by_one), "", "P, Q"), exact);
  // Learning has a weight, and writes a rule, for each that is left.
  const LearnedNetwork learned =
      learn_weights(network, std::vector{evidence_of(network, "P(A)\nQ(A)\n")},
                    std::vector<bool>{true, true}, {.l2 = 1});
  EXPECT_EQ(learned.weights.size(), 3u);
  EXPECT_EQ(learned.network.rules.size(), 3u);
}

TEST(Dialects, FixedWeightsStayWhereOthersAreLearnt) {
  const LogicNetwork network =
      network_of("t = {A, B, C, D}\nP(t)\nQ(t)\n#fixweight\n0.7 P(x)\n0 Q(x)\n@-0.4 P(x) ^ Q(x)\n");
  const std::vector facts{evidence_of(network, "P(A)\nP(B)\nQ(A)\nQ(B)\nQ(C)\n")};
  const std::vector<bool> open{true, true};
  using enum LogicObjective;
  for (const LogicObjective objective : {pseudo_likelihood, likelihood, diagonal_newton,
                                         contrastive_divergence, perceptron, max_margin}) {
    const LearnedNetwork learned =
        learn_weights(network, facts, open, {.objective = objective, .l2 = 0.01});
    ASSERT_EQ(learned.weights.size(), 3u);
    EXPECT_EQ(learned.weights[0], 0.7);
    EXPECT_NE(learned.weights[1], 0);
    EXPECT_EQ(learned.weights[2], -0.4);
    EXPECT_NE(write_network(learned.network).find("#fixweight\n0.7  P(x)\n"), std::string::npos);
  }
  // Q(x) has its exact optimum given the others: the mean of Q is 3/4.
  const LearnedNetwork learned = learn_weights(network, facts, open, {.objective = likelihood});
  const double w = learned.weights[1], p = std::exp(0.7);
  const double with = std::exp(w) * (1 + p * std::exp(-0.4)), without = 1 + p;
  EXPECT_NEAR(with / (with + without), 0.75, 1e-6);
}

TEST(Dialects, DatabasesAddConstantsToTypes) {
  const LogicNetwork network = network_of("P(t)\nN(n)\n1 P(x)\n0.5 N(k)\n");
  const auto found = ask(network, "t = {A, bob, \"c d\"}\nn = {1, ..., 3}\n", "P, N");
  EXPECT_EQ(found.probability.size(), 6u);
  EXPECT_NEAR(found.probability.at("P(bob)"), 1 / (1 + std::exp(-1)), 1e-12);
  EXPECT_NEAR(found.log_partition, 3 * std::log(1 + std::exp(1)) + 3 * std::log(1 + std::exp(0.5)),
              1e-12);
}

TEST(Dialects, LomrfCountsDownAsWell) {
  const auto found = ask(network_of("t = {1, ..., 3}\nP(t)\n2 P(x) => P(x--)\n"), "", "P");
  expect_same(found, enumerated({"P(1)", "P(2)", "P(3)"}, [](World& w) {
                return (!w["P(2)"] || w["P(1)"] ? 2. : 0) + (!w["P(3)"] || w["P(2)"] ? 2. : 0);
              }));
}

TEST(Dialects, TuffyNamesArguments) {
  const LogicNetwork network = network_of("*F(person one, person other)\nS(person who!?)\n");
  EXPECT_EQ(network.predicates[0].types, (std::vector<std::uint32_t>{0, 0}));
  EXPECT_EQ(network.predicates[1].marks[0], ArgumentMark::at_most_one);
}

TEST(Dialects, WhatIsNotReadIsNamed) {
  const auto fault = [](const std::string& text, LogicDialect dialect = LogicDialect::any) {
    return message_of<InputError>([&] { network_of(kTypes + text, dialect); });
  };
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"1 P(x) v Q(x), P(x)\n", "a comma beside \"or\""},
           {"H(x) :- P(x), Q(x).\n", "a rule that defines its head (Tuffy's :- with commas)"},
           {"P(x) := Q(x).\n", "a rule that limits which atoms there are (Tuffy's :=)"},
           {"w1 : P(x)\n", "a weight that has a name (w : formula)"},
           {"1 P(x) : 2\n", "a utility of a formula (: U)"},
           {"1 P(x) * 2\n", "a numeric factor of a formula (hybrid networks)"},
           {"[Label] \"r\" 1 P(x)\n", "a tag of a rule (Tuffy's [Label] and [priorProb])"},
           {"P(P(x)) = 0.75\n",
            "a formula with a probability that it is to have (pracmln's P(f) ="},
           {"R(P(A) v Q(A)) = 0.8\n", "a formula with a probability that it is to have"},
           {"1 P|Q(x)\n", "a group of predicates (A|B(x)) is not read"},
           {"#fuzzy\n", "a line with # that is no #include, #fixweight or #unique"},
           {"#fixweight\nP(x).\n", "a weight is expected"},
           {"1 P(x)\n#fixweight\n", "no rule follows this line"},
           {"#unique{+x, +y}\n1 P(+x) ^ Q(y)\n", "the next rule has no such variable with +"},
           {"P(x!)\nP(x!?)\n", "an earlier declaration marks other arguments of this predicate"},
           {"log(1 P(x)\n", "t.mln:4:7: ) is expected here"},
       }) {
    EXPECT_NE(fault(text).find(message), std::string::npos) << text << fault(text);
  }
  for (const char* text :
       {"1 P(?x)\n", "1 P(x) v x =/= A\n", "log(2) P(x)\n", "#fixweight\n1 P(x)\n"}) {
    EXPECT_NE(fault(text, LogicDialect::alchemy).find("a sign of the dialect pracmln"),
              std::string::npos)
        << text;
  }
  EXPECT_NE(
      fault("1 P(x), Q(x) => P(x)\n", LogicDialect::lomrf).find("a sign of the dialect tuffy"),
      std::string::npos);
}

TEST(Dialects, WeightsThatHaveNoValueOrAreWrittenOtherwiseAreNamed) {
  const auto fault = [](const std::string& text) {
    return message_of<InputError>([&] { network_of(kTypes + text); });
  };
  const std::string functions = "they have log, logx, log2, log10, exp, sqrt";
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"log(0.9 / 0.1) P(A)\n",
            "t.mln:4:1: the arithmetic of a weight has a blank: \"log(0.9 / 0.1)\"; write it "
            "without: "
            "log(0.9/0.1)"},
           {"P(A)\n0.9 / 0.1 P(A)\n", "t.mln:5:1: the arithmetic of a weight has a blank"},
           {"2 - 1 !P(A)\n", "t.mln:4:1: the arithmetic of a weight has a blank"},
           {"log (2) P(A)\n", "t.mln:4:1: the arithmetic of a weight has a blank"},
           {"P(A) :: log(2 / 3)\n", "t.mln:4:9: the arithmetic of a weight has a blank"},
           {"lug(2) P(A)\n", "t.mln:4:1: weights have no function of this name: \"lug\"; " +
                                 functions + " (did you mean \"log\"?)"},
           {"2*sin(1) (P(A) v Q(A))\n",
            "t.mln:4:3: weights have no function of this name: \"sin\""},
           {"log(8,2) P(A)\n", "t.mln:4:6: a function of weights takes one number"},
           {"log(p) P(A)\n", "t.mln:4:5: a number is expected in this weight: \"p\""},
           {"log(-1) P(A)\n",
            "t.mln:4:1: a weight is a number from -1e9 to 1e9, and this has no "
            "value: \"log(-1)\"; log and sqrt are of numbers above 0"},
           {"1/0 P(A)\n",
            "t.mln:4:1: a weight is a number from -1e9 to 1e9, and this is infinite: "
            "\"1/0\"; end a hard rule with a full stop"},
           {"log(0) P(x)\n",
            "t.mln:4:1: a weight is a number from -1e9 to 1e9, and this is infinite"},
           {"2e9 P(x)\n", "t.mln:4:1: a weight is a number from -1e9 to 1e9: \"2e9\""},
       }) {
    EXPECT_NE(fault(text).find(message), std::string::npos) << text << fault(text);
  }
}

TEST(Dialects, WhatOnlyLooksLikeTheArithmeticOfAWeightIsAFormula) {
  const std::string types = "n = {1, 2, 3}\nt = {A, B}\nN(n)\nP(t)\nn f(t)\n";
  for (const char* rule : {"1 + 1 = x => N(x)\n", "1 f(x) = 1 => P(x)\n", "1 -2 + x = 1 v N(x)\n",
                           "1 (N(1) v N(2))\n", "2.5 N(2)\n", "- 1 N(1)\n", "f(x) = 2 v P(x).\n",
                           "(N(1)) v N(2)\n", "lessThan(1, 2) v N(1)\n", "1 N(x) ^ x + 1 = 2\n",
                           "log(2) [N(1) <=> N(2)]\n", "log(2) *N(1)\n", "N(1) :: log(2)/2\n"}) {
    EXPECT_EQ(message_of<InputError>([&] { network_of(types + rule); }), "no error") << rule;
  }
}

}  // namespace
}  // namespace croft::dialects
