#include "logic/clausal_form.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "croft/core/interrupt.h"
#include "croft/core/random.h"
#include "logic/rule_form.h"
#include "logic_texts.h"

namespace croft {
namespace {

using Kind = Junction::Kind;
constexpr std::uint32_t kNumbers = 5;

bool holds(std::uint32_t literal, std::uint32_t world) {
  return ((world >> (literal / 2)) & 1) != (literal & 1);
}

bool holds(const Junction& junction, std::uint32_t world) {
  if (junction.kind == Junction::Kind::literal) return holds(junction.literal, world);
  if (junction.kind == Junction::Kind::same) {
    return holds(junction.parts[0], world) == holds(junction.parts[1], world);
  }
  const bool all = junction.kind == Junction::Kind::all;
  for (const Junction& part : junction.parts) {
    if (holds(part, world) != all) return !all;
  }
  return all;
}

bool holds(const LiteralClause& clause, std::uint32_t world) {
  for (const std::uint32_t literal : clause) {
    if (holds(literal, world)) return true;
  }
  return false;
}

Junction random_junction(Random& random, int depth) {
  if (depth == 0 || random.below(4) == 0) {
    return Junction::of(static_cast<std::uint32_t>(random.below(2 * kNumbers)));
  }
  if (random.below(5) == 0) {
    Junction first = random_junction(random, depth - 1);
    return equivalence_of(std::move(first), random_junction(random, depth - 1));
  }
  std::vector<Junction> parts(1 + random.below(3));
  for (Junction& each : parts) each = random_junction(random, depth - 1);
  // Now and then one that is always true, or never.
  if (random.below(8) == 0) parts.push_back({.kind = random.below(2) == 0 ? Kind::all : Kind::any});
  return joined(random.below(2) == 0 ? Kind::all : Kind::any, std::move(parts));
}

RC_GTEST_PROP(ClausalForm, HoldsWhereTheFormulaHolds, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Junction formula = random_junction(random, 3);
  const auto clauses = clauses_of(formula, 1000);
  RC_ASSERT(clauses.has_value());
  for (std::uint32_t world = 0; world < (1u << kNumbers); ++world) {
    bool all = true;
    for (const LiteralClause& each : *clauses) all = all && holds(each, world);
    RC_ASSERT(all == holds(formula, world));
    RC_ASSERT(holds(negation_of(formula), world) == !holds(formula, world));
  }
}

RC_GTEST_PROP(ClausalForm, DisjointClausesFailOneAtATime, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Junction formula = random_junction(random, 3);
  const auto disjoint = disjoint_clauses(clauses_of(formula, 1000).value(), 10'000);
  RC_ASSERT(disjoint.has_value());
  for (std::uint32_t world = 0; world < (1u << kNumbers); ++world) {
    int fails = 0;
    for (const LiteralClause& each : *disjoint) fails += holds(each, world) ? 0 : 1;
    RC_ASSERT(fails == (holds(formula, world) ? 0 : 1));
  }
}

RC_GTEST_PROP(ClausalForm, EveryWeightedFormCountsTheFormula, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Junction formula = random_junction(random, 3);
  const auto forms = weighted_forms(formula, WeightReading::formula, 10'000);
  RC_ASSERT(forms.size() == 2u);
  for (const WeightedForm& form : forms) {
    for (std::uint32_t world = 0; world < (1u << kNumbers); ++world) {
      double value = form.base;
      for (const LiteralClause& each : form.clauses) {
        if (!holds(each, world)) value -= form.factor;
      }
      RC_ASSERT(value == (holds(formula, world) ? 1 : 0));
    }
  }
}

TEST(ClausalForm, ClausalReadingSharesAWeightAndKeepsAConjunction) {
  const Junction a = Junction::of(0), b = Junction::of(2);
  const Junction both = joined(Kind::all, {a, b}), same = equivalence_of(a, b);
  const auto kept = weighted_forms(both, WeightReading::clausal, 10);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].factor, -1);
  EXPECT_EQ(kept[0].clauses, (std::vector<LiteralClause>{{1, 3}}));
  const auto shared = weighted_forms(same, WeightReading::clausal, 10);
  ASSERT_EQ(shared.size(), 1u);
  EXPECT_EQ(shared[0].factor, 0.5);
  EXPECT_EQ(shared[0].clauses.size(), 2u);
  // The two clauses of an equivalence are never both false: the formula's weight is each one's.
  EXPECT_EQ(weighted_forms(same, WeightReading::formula, 10)[0].factor, 1);
  EXPECT_EQ(weighted_forms(same, WeightReading::formula, 10)[0].clauses.size(), 2u);
}

TEST(ClausalForm, TooManyClausesAreNoForm) {
  std::vector<Junction> parts;
  for (std::uint32_t i = 0; i < 12; ++i) {
    parts.push_back(joined(Kind::all, {Junction::of(4 * i), Junction::of(4 * i + 2)}));
  }
  const Junction any = joined(Kind::any, parts);
  EXPECT_FALSE(clauses_of(any, 64).has_value());
  EXPECT_EQ(clauses_of(any, 5000).value().size(), 4096u);
}

// x_0 <=> (x_1 <=> …): true where an even number of them is false.
Junction chain_of_equivalences(std::uint32_t atoms) {
  Junction chain = Junction::of(0);
  for (std::uint32_t i = 1; i < atoms; ++i) chain = equivalence_of(Junction::of(2 * i), chain);
  return chain;
}

TEST(ClausalForm, NestedEquivalencesAreNotMultipliedOut) {
  EXPECT_EQ(clauses_of(chain_of_equivalences(7), 64).value().size(), 64u);
  EXPECT_EQ(clauses_of(chain_of_equivalences(12), 2048).value().size(), 2048u);
  // Copies of the parts would be 2^400 literals.
  EXPECT_FALSE(clauses_of(chain_of_equivalences(400), 64).has_value());
  EXPECT_TRUE(weighted_forms(chain_of_equivalences(400), WeightReading::formula, 64).empty());
}

TEST(ClausalForm, AnInterruptionEndsIt) {
  interruption = true;
  EXPECT_THROW(clauses_of(chain_of_equivalences(12), 4096), Interrupted);
  interruption = false;
}

TEST(ClausalForm, ExistenceOfADisjunctionIsALiteralWithItsOwnVariables) {
  const LogicNetwork network =
      network_of("P(t)\nR(t,t)\nEXIST y P(x) v R(x,y) v !R(y,x)\nEXIST y R(x,y) ^ P(y)\n");
  const auto form = rule_form(network.rules[0]);
  ASSERT_TRUE(form.has_value());
  ASSERT_EQ(form->formula.parts.size(), 3u);
  const RuleLiteral& last = form->literals[form->formula.parts[2].literal / 2];
  EXPECT_EQ(last.over.size(), 1u);
  EXPECT_TRUE(last.negated_within);
  EXPECT_TRUE(form->literals[form->formula.parts[0].literal / 2].over.empty());
  EXPECT_FALSE(rule_form(network.rules[1]).has_value());
}

}  // namespace
}  // namespace croft
