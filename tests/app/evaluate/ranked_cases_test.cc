// Area under the ROC curve and average precision against their definitions.
#include "app/evaluate/ranked_cases.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace croft::ranked_cases_test {
namespace {

using Cases = std::vector<std::pair<double, bool>>;

// Over all pairs of a case with the label and one without it.
std::optional<double> auc_by_pairs(const Cases& cases) {
  double right = 0, pairs = 0;
  for (const auto& [p, has] : cases) {
    for (const auto& [q, other_has] : cases) {
      if (!has || other_has) continue;
      pairs += 1;
      right += p > q ? 1 : p == q ? 0.5 : 0;
    }
  }
  if (pairs == 0) return std::nullopt;
  return right / pairs;
}

// The area under precision by recall: one step for each probability that occurs, down from 1.
std::optional<double> area_by_steps(const Cases& cases) {
  std::set<double> cuts;
  double positives = 0;
  for (const auto& [p, has] : cases) {
    cuts.insert(p);
    positives += has;
  }
  if (positives == 0) return std::nullopt;
  double area = 0, recall_before = 0;
  for (auto cut = cuts.rbegin(); cut != cuts.rend(); ++cut) {
    double found = 0, chosen = 0;
    for (const auto& [p, has] : cases) {
      if (p < *cut) continue;
      chosen += 1;
      found += has;
    }
    area += (found / positives - recall_before) * (found / chosen);
    recall_before = found / positives;
  }
  return area;
}

void expect_same(const std::optional<double>& is, const std::optional<double>& should) {
  RC_ASSERT(is.has_value() == should.has_value());
  if (is) RC_ASSERT(std::abs(*is - *should) < 1e-12);
}

RC_GTEST_PROP(RankedCases, AreasAreThoseOfTheirDefinitionsWithTies,
              (const std::vector<std::pair<std::uint8_t, bool>>& drawn)) {
  Cases cases;
  for (const auto& [p, has] : drawn) cases.emplace_back(p % 8 / 8.0, has);
  const RankedCases out = rank_cases(cases);
  expect_same(out.auc, auc_by_pairs(cases));
  expect_same(out.average_precision, area_by_steps(cases));
  RC_ASSERT(out.positives + out.negatives == cases.size());
}

TEST(RankedCases, APerfectOrderHasBothAreasAtOneAndItsReverseAnAucOfZero) {
  const RankedCases best = rank_cases({{0.9, true}, {0.8, true}, {0.2, false}});
  EXPECT_EQ(best.auc, 1);
  EXPECT_EQ(best.average_precision, 1);
  EXPECT_EQ(rank_cases({{0.1, true}, {0.8, false}, {0.2, false}}).auc, 0);
}

TEST(RankedCases, CasesOfOneSortHaveNoAuc) {
  EXPECT_FALSE(rank_cases({}).auc);
  EXPECT_FALSE(rank_cases({{0.5, true}}).auc);
  EXPECT_EQ(rank_cases({{0.5, true}}).average_precision, 1);
  EXPECT_FALSE(rank_cases({{0.5, false}}).average_precision);
}

}  // namespace
}  // namespace croft::ranked_cases_test
