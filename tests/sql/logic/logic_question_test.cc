#include "sql/logic/logic_question.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "croft/core/interrupt.h"
#include "logic/max_walk_sat.h"
#include "logic/network_parser.h"
#include "logic/random_store.h"
#include "sql/logic/logic_methods.h"
#include "support/message_of.h"

namespace croft {
namespace {

struct Question {
  LogicNetwork network;
  LogicEvidence evidence;
  std::vector<AtomPattern> queries;

  Question(const std::string& rules, const std::string& facts, const std::string& asked)
      : network(parse_network(read_logic_tokens(LineReader(rules, "t.mln")))), evidence(network) {
    add_evidence(network, read_fact_tokens(LineReader(facts, "t.db")), evidence);
    queries = parse_atom_patterns(network, read_fact_tokens(LineReader(asked, "query")));
  }
  LogicAnswer answer(GraphTask task) const {
    InferRequest request;
    request.task = task;
    const AtomSpace space(network, evidence, open_predicates(network, evidence, queries));
    return GroundNetwork(space, queries).answer(request);
  }
};

constexpr const char* kSmokers =
    "person = {Anna, Bob}\nFriends(person, person)\nSmokes(person)\nCancer(person)\n"
    "1.5 Smokes(x) => Cancer(x)\n1.1 Friends(x, y) ^ Smokes(x) => Smokes(y)\n";

TEST(LogicQuestion, ProbabilitiesAreThoseOfWorldsByHand) {
  // Cancer(Bob) alone is unknown beside Smokes(Bob) = true: odds e^1.5.
  const Question question(kSmokers, "Smokes(Bob)\n!Smokes(Anna)\nFriends(Anna, Bob)\n",
                          "Cancer(Bob), Cancer(Anna), Smokes(Bob)");
  const LogicAnswer answer = question.answer(GraphTask::marginals);
  ASSERT_EQ(answer.atoms.size(), 3u);
  EXPECT_EQ(answer.atoms[0].atom, "Cancer(Bob)");
  EXPECT_NEAR(answer.atoms[0].probability, 1 / (1 + std::exp(-1.5)), 1e-12);
  EXPECT_NEAR(answer.atoms[1].probability, 0.5, 1e-12);
  EXPECT_TRUE(answer.atoms[2].known);
  EXPECT_EQ(answer.atoms[2].probability, 1);
}

TEST(LogicQuestion, TheBestWorldHasTheLeastCost) {
  const Question question("t = {A}\nP(t)\nQ(t)\n2 P(x)\n1 !Q(x)\n3 P(x) => Q(x)\n", "", "P\nQ\n");
  const LogicAnswer answer = question.answer(GraphTask::map);
  EXPECT_EQ(answer.atoms[0].probability, 1);
  EXPECT_EQ(answer.atoms[1].probability, 1);
  EXPECT_NEAR(answer.cost.value(), 1, 1e-12);
}

TEST(LogicQuestion, HelperAtomsAreNoAnswers) {
  std::string names = "C0";
  for (int i = 1; i < 8; ++i) names += ", C" + std::to_string(i);
  const Question question("t = {" + names + "}\nP(t)\nQ(t)\n1.5 EXIST x (P(x) ^ Q(x))\n", "",
                          "P, Q");
  const LogicAnswer answer = question.answer(GraphTask::marginals);
  ASSERT_EQ(answer.atoms.size(), 16u);
  EXPECT_GT(answer.ground_atoms, 16u);
  // 3^8 of 4^8 worlds have no pair; each of the others is e^1.5 times as probable.
  const double none = std::pow(3, 8), all = std::pow(4, 8), e = std::exp(1.5);
  EXPECT_NEAR(*answer.log_partition, std::log(none + (all - none) * e), 1e-9);
  const double none_with = std::pow(3, 7), with = std::pow(4, 8) / 2;
  EXPECT_NEAR(answer.atoms[0].probability,
              (none_with + (with - none_with) * e) / (none + (all - none) * e), 1e-9);
}

// log Z of w [P0(x) <=> (P1(x) <=> …)]: half of the worlds keep the formula.
double log_partition_of_equivalences(int atoms, const std::string& end, WeightReading reading) {
  std::string text = "t = {A}\n", formula = end;
  for (int i = 0; i < atoms; ++i) {
    const std::string atom = "P" + std::to_string(i);
    text += atom + "(t)\n";
    formula = i == 0 ? atom + "(x)" : "(" + formula + ") <=> " + atom + "(x)";
  }
  const Question question(text + end + formula + (end.empty() ? "." : "") + "\n", "", "P0");
  const AtomSpace space(question.network, question.evidence,
                        open_predicates(question.network, question.evidence, question.queries));
  InferRequest request;
  return *GroundNetwork(space, question.queries, {.reading = reading})
              .answer(request)
              .log_partition;
}

TEST(LogicQuestion, NestedEquivalencesTakeAFewClauses) {
  const double log2 = std::log(2.), e = std::exp(1.5);
  EXPECT_NEAR(log_partition_of_equivalences(12, "1.5 ", WeightReading::formula),
              11 * log2 + std::log1p(e), 1e-9);
  EXPECT_NEAR(log_partition_of_equivalences(40, "1.5 ", WeightReading::formula),
              39 * log2 + std::log1p(e), 1e-9);
  EXPECT_NEAR(log_partition_of_equivalences(40, "", WeightReading::formula), 39 * log2, 1e-9);
  EXPECT_EQ(message_of<Error>([] {
              log_partition_of_equivalences(14, "1.5 ", WeightReading::clausal);
            }).substr(0, 71),
            "t.mln:16:1: the clausal form of this rule has more than 4096 clauses, o");
}

TEST(LogicQuestion, GroundingEndsWhenItIsTold) {
  const Question question("t = {1, ..., 100}\nP(t)\nP(x) v P(y) v P(z) v P(u) v P(v).\n", "", "P");
  const AtomSpace space(question.network, question.evidence,
                        open_predicates(question.network, question.evidence, question.queries));
  EXPECT_EQ(message_of<Error>([&] { ground(space, {.seconds = 0.05}); }).substr(0, 41),
            "grounding took longer than --time allows:");
  interruption = true;
  EXPECT_THROW(ground(space, {}), Interrupted);
  interruption = false;
}

TEST(LogicQuestion, PredicatesWithoutConstantsAreWarnedOfOnce) {
  const Question question("t = {A}\nP(t)\nQ(u)\nR(t, u)\n1 P(x) => R(x, y)\n2 Q(y)\n", "", "P");
  const LogicAnswer answer = question.answer(GraphTask::marginals);
  ASSERT_EQ(answer.result.warnings.size(), 1u);
  EXPECT_EQ(answer.result.warnings[0].text(),
            "the type u has no constants, so that these predicates have no ground atoms, and rules "
            "about them no groundings: Q, R; give evidence with constants, or declare u = {A, …}");
}

TEST(LogicQuestion, AtomsThatAreAskedForAreCountedFirst) {
  const Question question("t = {1, ..., 100}\nP(t, t, t, t, t)\n", "", "P");
  EXPECT_EQ(message_of<Error>([&] { question.answer(GraphTask::marginals); }),
            "the atoms of P that are asked for are too many to list, 10000000000 in all; ask for "
            "fewer with --query, or close the predicate with --closed");
}

TEST(LogicQuestion, EvidenceDecidesWhichPredicatesAreOpen) {
  const Question question(kSmokers, "Friends(Anna, Bob)\n", "Cancer");
  EXPECT_EQ(open_predicates(question.network, question.evidence, question.queries),
            (std::vector<bool>{false, true, true}));
  EXPECT_EQ(open_predicates(question.network, question.evidence, question.queries, {"Friends"},
                            {"Smokes"}),
            (std::vector<bool>{true, false, true}));
  EXPECT_EQ(message_of<UsageError>([&] {
              open_predicates(question.network, question.evidence, question.queries, {},
                              {"Cancer"});
            }),
            "the predicate Cancer is asked for, and so cannot be closed");
}

TEST(LogicQuestion, AWorldThatIsProvedIsTheBestOfAll) {
  Random random(19);
  int proved = 0;
  for (int round = 0; round < 30; ++round) {
    const ClauseStore store = random_store(random, 9, 30, round % 2 == 0);
    const double least = least_cost(store);
    if (std::isinf(least)) continue;
    InferRequest request;
    request.task = GraphTask::map;
    // A poor walk, of which the proof has to find that it is one.
    const MaxWalkSatResult walk = max_walk_sat(store, {.flips = 3});
    if (walk.broken_hard > 0) continue;
    InferResult result;
    result.assignment.assign(walk.values.begin(), walk.values.end());
    result.kind = ResultKind::estimate;
    prove_world({store, request, [](const GraphProgress&) { return true; }}, graph_of(store),
                result);
    const std::vector<std::uint8_t> world(result.assignment.begin(), result.assignment.end());
    EXPECT_LE(store.cost(world), walk.cost + 1e-9);
    if (result.kind != ResultKind::exact) continue;
    EXPECT_NEAR(store.cost(world), least, 1e-9);
    ++proved;
  }
  EXPECT_GT(proved, 15);
}

TEST(LogicQuestion, RulesThatNoWorldKeepsAreNamed) {
  const Question question("t = {A}\nP(t)\nQ(t)\nQ(x) v P(x).\nP(x).\n!P(x).\n", "", "P");
  EXPECT_EQ(
      message_of<Error>([&] { question.answer(GraphTask::partition); }),
      "no world keeps these hard rules, with the evidence and the marks of arguments; leave one "
      "out, or go on with --soft-hard WEIGHT: t.mln:5:1: P(x).; t.mln:6:1: !P(x).");
  // What no step of propagation finds.
  const Question hidden(
      "t = {A}\nP(t)\nQ(t)\nQ(x) v P(x).\nQ(x) v !P(x).\n!Q(x) v P(x).\n!Q(x) v !P(x).\n", "", "P");
  EXPECT_EQ(message_of<Error>([&] { hidden.answer(GraphTask::partition); }),
            "no world keeps these hard rules, with the evidence and the marks of arguments; leave "
            "one out, or go on with --soft-hard WEIGHT: t.mln:4:1: Q(x) v P(x).; t.mln:5:1: Q(x) v "
            "!P(x).; t.mln:6:1: !Q(x) v P(x).; t.mln:7:1: !Q(x) v !P(x).");
}

}  // namespace
}  // namespace croft
