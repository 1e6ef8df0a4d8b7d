// Grounding by joins against the definition: every grounding of every rule, evaluated in every
// world.
#include "sql/logic/grounder.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "croft/core/random.h"
#include "logic/network_parser.h"
#include "sql/logic/lazy_grounder.h"
#include "sql/logic/logic_views.h"
#include "support/message_of.h"

namespace croft {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

struct Case {
  LogicNetwork network;
  LogicEvidence evidence;
  std::vector<bool> open;

  Case(const std::string& rules, const std::string& facts, std::vector<bool> open_ = {})
      : network(parse_network(read_logic_tokens(LineReader(rules, "t.mln")))),
        evidence(network),
        open(std::move(open_)) {
    if (open.empty()) open.assign(network.predicates.size(), true);
    add_evidence(network, read_fact_tokens(LineReader(facts, "t.db")), evidence);
  }
  AtomSpace space() const { return AtomSpace(network, evidence, open); }
};

// The definition of truth, by names of constants, without anything of the grounder's.
class World {
 public:
  World(const Case& in, const AtomSpace& space, const std::map<std::uint64_t, bool>& atoms)
      : in_(in), space_(space), atoms_(atoms) {}

  double score() const {
    double score = 0;
    for (const LogicRule& rule : in_.network.rules) {
      std::vector<std::string> values(rule.variables.size());
      score += of_rule(rule, 0, values);
    }
    return score;
  }

 private:
  const NameTable& type(const LogicRule& rule, std::size_t v) const {
    return in_.evidence.types[rule.variables[v].type];
  }

  double of_rule(const LogicRule& rule, std::size_t v, std::vector<std::string>& values) const {
    if (v == values.size()) {
      bool defined = true;
      const bool truth = holds(rule, rule.formula, values, defined);
      if (!defined) return 0;
      if (rule.hard) return truth ? 0 : kNever;
      return truth ? rule.weight : 0;
    }
    if (rule.variables[v].quantified) return of_rule(rule, v + 1, values);
    double sum = 0;
    for (std::uint32_t c = 0; c < type(rule, v).size(); ++c) {
      values[v] = type(rule, v)[c];
      sum += of_rule(rule, v + 1, values);
    }
    return sum;
  }

  std::optional<std::string> value(const Term& term, const std::vector<std::string>& values) const {
    if (term.kind == TermKind::variable) return values[term.number];
    if (term.kind == TermKind::constant) return in_.network.constants[term.number];
    std::vector<std::string> arguments;
    for (const Term& each : term.arguments) {
      const auto one = value(each, values);
      if (!one) return {};
      arguments.push_back(*one);
    }
    if (term.kind == TermKind::arithmetic) {
      return std::to_string(std::stol(arguments[0]) + std::stol(arguments[1]));  // the tests' +
    }
    const LogicFunction& function = in_.network.functions[term.number];
    std::vector<std::uint32_t> numbers;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      numbers.push_back(in_.evidence.types[function.types[i]].find(arguments[i]));
    }
    const std::uint32_t result = space_.value(term.number, numbers);
    if (result == kNoNumber) return {};
    return in_.evidence.types[function.result][result];
  }

  bool atom(const Formula& formula, const std::vector<std::string>& values, bool& defined) const {
    std::vector<std::uint32_t> constants;
    for (std::size_t i = 0; i < formula.terms.size(); ++i) {
      const auto name = value(formula.terms[i], values);
      const NameTable& type = in_.evidence.types[in_.network.predicates[formula.number].types[i]];
      const std::uint32_t constant = name ? type.find(*name) : kNoNumber;
      if (constant == kNoNumber) {
        defined = false;
        return false;
      }
      constants.push_back(constant);
    }
    const std::uint64_t key = space_.key(formula.number, constants);
    const auto unknown = atoms_.find(key);
    if (unknown != atoms_.end()) return unknown->second;
    return space_.truth(formula.number, key) == Truth::yes;
  }

  bool holds(const LogicRule& rule, const Formula& formula, std::vector<std::string>& values,
             bool& defined) const {
    const auto part = [&](std::size_t i) { return holds(rule, formula.parts[i], values, defined); };
    switch (formula.kind) {
      case FormulaKind::atom:
        return atom(formula, values, defined);
      case FormulaKind::negation:
        return !part(0);
      case FormulaKind::equivalence: {
        const bool a = part(0), b = part(1);
        return a == b;
      }
      case FormulaKind::all:
      case FormulaKind::any: {
        std::size_t count = 0;
        for (std::size_t i = 0; i < formula.parts.size(); ++i) count += part(i) ? 1 : 0;
        return formula.kind == FormulaKind::all ? count == formula.parts.size() : count > 0;
      }
      case FormulaKind::exists:
      case FormulaKind::forall:
        return quantified(rule, formula, 0, values, defined);
      default:
        break;
    }
    const auto a = value(formula.terms[0], values), b = value(formula.terms[1], values);
    if (!a || !b) {
      defined = false;
      return false;
    }
    if (formula.kind == FormulaKind::equal) return *a == *b;
    return formula.kind == FormulaKind::less ? std::stol(*a) < std::stol(*b)
                                             : std::stol(*a) <= std::stol(*b);
  }

  bool quantified(const LogicRule& rule, const Formula& formula, std::size_t k,
                  std::vector<std::string>& values, bool& defined) const {
    if (k == formula.variables.size()) return holds(rule, formula.parts[0], values, defined);
    const std::uint32_t v = formula.variables[k];
    const bool all = formula.kind == FormulaKind::forall;
    bool result = all;
    for (std::uint32_t c = 0; c < type(rule, v).size(); ++c) {
      values[v] = type(rule, v)[c];
      const bool one = quantified(rule, formula, k + 1, values, defined);
      result = all ? result && one : result || one;
    }
    return result;
  }

  const Case& in_;
  const AtomSpace& space_;
  const std::map<std::uint64_t, bool>& atoms_;
};

// The score of the world.  Helper atoms are what the hard clauses force them to be.
double score_of(const ClauseStore& store, const std::map<std::uint64_t, bool>& atoms) {
  constexpr std::uint8_t kUnset = 2;
  std::vector<std::uint8_t> values(store.atoms(), kUnset);
  for (std::uint32_t a = 0; a < store.atoms(); ++a) {
    if (store.key(a) != KeyMap::kFree) values[a] = atoms.at(store.key(a));
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < store.clauses(); ++i) {
      if (!store.is_hard(i)) continue;
      std::uint32_t unset = 0;
      std::size_t count = 0;
      bool holds = false;
      for (const std::uint32_t literal : store.literals(i)) {
        if (values[literal / 2] == kUnset) {
          unset = literal;
          ++count;
        } else {
          holds = holds || (values[literal / 2] != (literal & 1));
        }
      }
      if (holds || count != 1) continue;
      values[unset / 2] = (unset & 1) ^ 1;
      changed = true;
    }
  }
  RC_ASSERT(std::count(values.begin(), values.end(), kUnset) == 0);
  return store.score(values);
}

// The scores of worlds, or that the grounder says why none is allowed.
void compare(const Case& in) {
  const AtomSpace space = in.space();
  std::vector<std::uint64_t> unknown;
  for (std::uint32_t p = 0; p < in.network.predicates.size(); ++p) {
    for (std::uint64_t i = 0; i < space.atoms(p); ++i) {
      if (space.truth(p, space.first(p) + i) == Truth::unknown)
        unknown.push_back(space.first(p) + i);
    }
  }
  std::optional<ClauseStore> store;
  std::string fault;
  try {
    store = ground(space);
  } catch (const Error& error) {
    fault = error.what();
    RC_ASSERT(fault.find("the evidence contradicts this hard rule") != std::string::npos);
  }
  RC_PRE(unknown.size() <= 12);
  Random random(5);
  const std::uint64_t worlds = std::uint64_t{1} << unknown.size();
  for (std::uint64_t trial = 0; trial < std::min<std::uint64_t>(worlds, 64); ++trial) {
    const std::uint64_t world = worlds <= 64 ? trial : random.below(worlds);
    std::map<std::uint64_t, bool> atoms;
    for (std::size_t i = 0; i < unknown.size(); ++i) atoms[unknown[i]] = world >> i & 1;
    const double expected = World(in, space, atoms).score();
    if (!store) {
      RC_ASSERT(expected == kNever);
      continue;
    }
    const double score = score_of(*store, atoms);
    if (expected == kNever || score == kNever) {
      RC_ASSERT(score == expected);
    } else {
      RC_ASSERT(std::abs(score - expected) < 1e-9);
    }
  }
}

class RandomRules {
 public:
  explicit RandomRules(std::uint64_t seed) : random_(seed) {}

  std::string network() {
    std::string out = "a = {A, B}\nn = {1, 2, 3}\nP(a)\nQ(a, n)\nR(n, n)\nS(n)\na f(n)\nn g(a)\n";
    const auto rules = 1 + random_.below(3);
    for (std::uint64_t i = 0; i < rules; ++i) {
      const bool hard = random_.below(5) == 0;
      if (!hard) out += std::to_string(static_cast<int>(random_.below(9)) - 4) + ".5 ";
      out += "(" + formula(2) + ")" + (hard ? ".\n" : "\n");
    }
    return out;
  }

  std::string facts() {
    std::string out = "A = f(1)\nB = f(2)\n2 = g(A)\n";
    for (const char* const atom :
         {"P(A)", "P(B)", "Q(A,1)", "Q(A,2)", "Q(B,1)", "Q(B,3)", "R(1,1)", "R(1,2)", "R(2,3)",
          "R(3,1)", "R(3,3)", "R(2,1)", "S(1)", "S(3)"}) {
      const auto kind = random_.below(4);
      if (kind < 3) out += std::string(kind == 0 ? "!" : kind == 1 ? "?" : "") + atom + "\n";
    }
    return out;
  }

  std::vector<bool> open() {
    std::vector<bool> out(4);
    for (std::size_t i = 0; i < 4; ++i) out[i] = random_.below(2) == 0;
    out[2] = random_.below(4) == 0;
    return out;
  }

 private:
  std::string one_of(std::initializer_list<const char*> list) {
    return list.begin()[random_.below(list.size())];
  }
  std::string a_term() {
    return one_of(computes_ ? std::initializer_list<const char*>{"x", "y", "A", "B", "f(u)"}
                            : std::initializer_list<const char*>{"x", "y", "A", "x"});
  }
  std::string n_term() {
    return one_of(computes_ ? std::initializer_list<const char*>{"u", "w", "1", "3", "g(x)",
                                                                 "u + 1", "succ(w)"}
                            : std::initializer_list<const char*>{"u", "w", "2", "u"});
  }
  std::string literal() {
    switch (random_.below(7)) {
      case 0:
        return "P(" + a_term() + ")";
      case 1:
      case 2:
        return "Q(" + a_term() + ", " + n_term() + ")";
      case 3:
        return "R(" + n_term() + ", " + n_term() + ")";
      case 4:
        return "S(" + n_term() + ")";
      case 5:
        return "(P(" + a_term() + ") v x = " + one_of({"y", "A"}) + " v P(y) v P(x))";
      default:
        return "(S(u) v S(w) v u " + one_of({"<", "<=", "!=", ">"}) + " w)";
    }
  }
  std::string formula(int depth) {
    if (depth == 0) return (random_.below(2) == 0 ? "!" : "") + literal();
    switch (random_.below(6)) {
      case 0:
        return "(" + formula(depth - 1) + one_of({" ^ ", " v ", " => ", " <=> "}) +
               formula(depth - 1) + ")";
      case 1:
      case 2: {
        // Nothing that may have no value stands below a quantifier.
        const bool before = std::exchange(computes_, false);
        const std::string inner = formula(depth - 1);
        computes_ = before;
        // Each of the variables gets its type from an atom.
        const std::string typed =
            " v (" + one_of({"Q(x, u)", "Q(y, w)", "Q(x, w)"}) + " ^ Q(y, u) ^ S(w))";
        return std::string(random_.below(3) == 0 ? "!" : "") + "(" +
               one_of({"EXIST x ", "EXIST u ", "FORALL u ", "EXIST x,u ", "FORALL w "}) + inner +
               (random_.below(2) == 0 ? typed : " v Q(x, u)") + ")";
      }
      default:
        return "(" + formula(depth - 1) + one_of({" v ", " ^ ", " => "}) + formula(depth - 1) + ")";
    }
  }

  Random random_;
  bool computes_ = true;
};

RC_GTEST_PROP(Grounder, ScoresEveryWorldAsTheDefinitionDoes, ()) {
  RandomRules make(*rc::gen::arbitrary<std::uint64_t>());
  const std::string network = make.network(), facts = make.facts();
  const std::vector<bool> open = make.open();
  std::optional<Case> in;
  try {
    in.emplace(network, facts, open);
  } catch (const InputError& error) {
    // A variable that only comparisons have.
    RC_PRE(std::string(error.what()).find("nothing says the type") == std::string::npos);
    RC_FAIL(network + error.what());
  }
  RC_LOG() << network << facts;
  compare(*in);
}

TEST(Grounder, PartsOfLongFormulasBecomeAtomsOfTheirOwn) {
  std::string names;
  for (int i = 0; i < 9; ++i) names += (i == 0 ? "C" : ", C") + std::to_string(i);
  const Case in("t = {" + names + "}\nP(t)\nQ(t)\n1.5 EXIST x (P(x) ^ Q(x))\n", "");
  const AtomSpace space = in.space();
  const ClauseStore store = ground(space);
  EXPECT_GT(store.atoms(), 18u);
  std::map<std::uint64_t, bool> atoms;
  for (std::uint64_t key = 0; key < 18; ++key) atoms[key] = key < 5 || (key >= 9 && key < 11);
  EXPECT_NEAR(score_of(store, atoms), 1.5, 1e-12);
  for (std::uint64_t key = 9; key < 18; ++key) atoms[key] = key >= 14;
  EXPECT_NEAR(score_of(store, atoms), 0, 1e-12);
}

TEST(Grounder, ArgumentsWithAMarkLeaveOneValueOrAtMostOne) {
  const Case in("t = {A, B}\nv3 = {X, Y, Z}\nHas(t, v3!)\nMay(t, v3!?)\n",
                "Has(A, X)\n!May(B, Y)\n");
  const ClauseStore store = ground(in.space());
  EXPECT_EQ(store.blocks(), 3u);
  EXPECT_EQ(store.clauses(), 2u);  // not Y, not Z for A
  std::size_t exactly = 0;
  for (std::size_t i = 0; i < store.blocks(); ++i) exactly += store.block(i).exactly_one ? 1 : 0;
  EXPECT_EQ(exactly, 1u);
}

TEST(Grounder, ContradictionsNameTheRuleAndTheConstants) {
  const Case in("t = {A}\nP(t)\nQ(t)\nP(x) => Q(x).\n", "P(A)\n!Q(A)\n");
  EXPECT_EQ(message_of<Error>([&] { ground(in.space()); }),
            "t.mln:4:1: the evidence contradicts this hard rule where x = A: P(x) => Q(x).");
  const Case two("t = {A}\nv2 = {X, Y}\nHas(t, v2!)\n", "Has(A, X)\nHas(A, Y)\n");
  EXPECT_EQ(message_of<Error>([&] { ground(two.space()); }),
            "the evidence has both Has(A,X) and Has(A,Y), of which the declaration of Has allows "
            "one");
}

TEST(Grounder, PredictionCountsTheRowsOfItsJoins) {
  const Case in("t = {A, B, C}\nP(t)\n*E(t, t)\n1 E(x, y) ^ P(x) => P(y)\n2 P(x) <=> P(y)\n",
                "E(A, B)\nE(B, C)\n", {true, false});
  const GroundPrediction prediction = predict_grounding(in.space());
  ASSERT_EQ(prediction.rules.size(), 2u);
  EXPECT_EQ(prediction.rules[0].groundings, 9);
  EXPECT_EQ(prediction.rules[0].rows, 2);
  EXPECT_EQ(prediction.rules[1].rows, 18);
  EXPECT_EQ(ground(in.space()).clauses(), 6u);  // P(x) v !P(y), the two of rule 1 among them
  EXPECT_NE(message_of<Error>([&] {
              Case big("t = {1, ..., 300}\nP(t)\nR(t, t)\n1 R(x, y) v P(x) v P(y)\n", "");
              ground(big.space(), {.memory = 100'000});
            }).find("take more than --memory allows"),
            std::string::npos);
}

TEST(Grounder, ARuleOfMoreGroundingsThanCanBeGoneThroughIsRefusedAtOnce) {
  const std::string head = "t = {1, ..., 30}\nP(t)\n*R(t)\n1 ";
  const std::string many = "P(a) v P(b) v P(c) v P(d) v P(e) v P(f) v P(g) v P(h)";
  for (const std::string& rule : {many, "!(" + many + " v (P(a) <=> P(b)))"}) {
    const Case in(head + rule + "\n", "R(1)\n");
    EXPECT_TRUE(message_of<Error>([&] { ground(in.space()); })
                    .starts_with("t.mln:4:1: this rule has 8 free variables, and the evidence "
                                 "leaves about 7e+11 groundings of it"));
  }
  // So are what counts the groundings, what shows the rules, and lazy grounding, which has them all
  // active for draws.
  const Case in(head + many + "\n", "R(1)\n");
  const AtomSpace space = in.space();
  const std::string said = message_of<TooManyGroundings>([&] { ground(space); });
  EXPECT_EQ(message_of<TooManyGroundings>([&] { predict_grounding(space); }), said);
  EXPECT_EQ(message_of<TooManyGroundings>([&] { inspect_rules(in.network, in.evidence, {}); }),
            said);
  const std::string implied = "P(a) ^ P(b) ^ P(c) ^ P(d) ^ P(e) ^ P(f) ^ P(g) => P(h)";
  const Case lazy(head + implied + "\n", "R(1)\n");
  const AtomSpace all = lazy.space();
  using For = LazyGrounder::For;
  const GroundOptions options;
  EXPECT_EQ(message_of<TooManyGroundings>([&] { LazyGrounder(all, options, For::draws); }),
            message_of<TooManyGroundings>([&] { ground(all); }));
  // For the best world no atom is active, and nothing is to be ground.
  const LazyGrounder best(all, options, For::best);
  EXPECT_EQ(best.closure().clauses(), 0u);
  const Case negative("t = {1, ..., 30}\nP(t)\n-1 " + many + "\n", "");
  const AtomSpace costly = negative.space();
  EXPECT_EQ(message_of<TooManyGroundings>([&] { LazyGrounder(costly, options, For::best); }),
            message_of<TooManyGroundings>([&] { ground(costly); }));
  // The evidence leaves one grounding of as many.
  const Case few(head + "R(a) ^ R(b) ^ R(c) ^ R(d) ^ R(e) ^ R(f) ^ R(g) ^ R(h) => P(a)\n", "R(1)\n",
                 {true, false});
  EXPECT_EQ(ground(few.space()).clauses(), 1u);
}

TEST(Grounder, WeightsWithPlusAreUnitsOfTheirOwn) {
  const Case in("t = {A, B}\nu = {X, Y, Z}\nP(t)\nW(t, u)\n1 W(x, +w) => P(x)\n3 P(x)\n", "");
  const AtomSpace space = in.space();
  EXPECT_EQ(logic_units(space).first, (std::vector<std::uint32_t>{0, 3, 4}));
  const ClauseStore store = ground(space);
  for (std::size_t i = 0; i < store.clauses(); ++i) {
    store.for_shares(i, [&](std::uint32_t unit, double) {
      if (store.literals(i).size() == 1) return;
      for (const std::uint32_t literal : store.literals(i)) {
        const std::uint64_t key = store.key(literal / 2);
        if (space.predicate_of(key) == 1) {
          EXPECT_EQ(space.constants_of(key)[1], unit);
        }
      }
    });
  }
}

TEST(Grounder, ClausesOfALargeJoinTakeLessThanTwoHundredBytesEach) {
  const Case in("t = {1, ..., 40}\nP(t)\nR(t, t)\n1 R(x, y) ^ R(y, z) => R(x, z)\n0.5 P(x)\n", "");
  const ClauseStore store = ground(in.space());
  EXPECT_EQ(store.clauses(), 40u * 40 * 40 - 40 - 2 * 40 * 39 + 40);
  EXPECT_LE(store.bytes(), 200 * store.clauses());
}

}  // namespace
}  // namespace croft
