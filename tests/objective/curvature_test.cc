// Second derivatives of the objectives that have them, against differences of their gradients.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "objective/chain_objectives.h"
#include "objective/enumerated_loss.h"
#include "objective/objective_checks.h"

namespace croft::curvature_test {
namespace {

using namespace testing_support;

template <class Real>
std::vector<double> curvature_along(CurvedChainObjective<Real>& objective,
                                    const RandomChain<Real>& chain,
                                    const RandomChain<Real>& direction, const Gold& gold,
                                    double weight) {
  GradientTables<Real> tables(chain.scores);
  objective.curvature(chain.scores, direction.scores, gold, weight, tables.view());
  return numbers_of(chain, tables);
}

void expect_difference_of_gradients(CurvedChainObjective<double>& objective,
                                    const RandomChain<double>& chain, const Gold& gold,
                                    Random& random) {
  constexpr double kStep = 1e-5;
  const auto direction = random_direction(chain, random);
  const auto here = curvature_along(objective, chain, direction, gold, 1.5);
  const auto up = evaluate(objective, moved(chain, direction, kStep), gold, 1.5);
  const auto down = evaluate(objective, moved(chain, direction, -kStep), gold, 1.5);
  ASSERT_TRUE(std::isfinite(up.value));
  ASSERT_EQ(here.size(), up.gradient.size());
  for (std::size_t k = 0; k < here.size(); ++k) {
    ASSERT_NEAR(here[k], (up.gradient[k] - down.gradient[k]) / (2 * kStep), 2e-7) << k;
  }
}

RC_GTEST_PROP(Curvature, IsTheDifferenceOfGradients, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const std::size_t length = 1 + random.below(12), labels = 1 + random.below(5);
  const auto y = random_labels(length, labels, random);
  const auto chain = any_chain(length, labels, 2, y, random);
  const LabelCost cost = random_cost(labels, random);
  ChainLikelihood<double> likelihood;
  SoftmaxMargin<double> margin(cost);
  expect_difference_of_gradients(likelihood, chain, y, random);
  expect_difference_of_gradients(margin, chain, y, random);
  // Partial gold that the complete one fits.
  RandomGold gold = random_gold(length, labels, random);
  for (std::size_t t = 0; t < length; ++t) {
    if (!gold.view().allows(t, y[t])) gold.known[t] = random.below(2) == 0 ? y[t] : kAnyLabel;
  }
  expect_difference_of_gradients(likelihood, chain, gold.view(), random);
  expect_difference_of_gradients(margin, chain, gold.view(), random);
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(Curvature, DoesNotDependOnCompleteGoldUnlessItCosts) {
  Random random(1);
  const auto chain = random_chain<double>({20, 5, 2, 0, 0.3, false}, random);
  const auto direction = random_direction(chain, random);
  const auto y = random_labels(20, 5, random), z = random_labels(20, 5, random);
  ChainLikelihood<double> likelihood;
  EXPECT_EQ(curvature_along<double>(likelihood, chain, direction, y, 1),
            curvature_along<double>(likelihood, chain, direction, z, 1));
  const LabelCost cost = hamming_cost(5, 2), nothing = hamming_cost(5, 0);
  SoftmaxMargin<double> margin(cost), free(nothing);
  EXPECT_NE(curvature_along<double>(margin, chain, direction, y, 1),
            curvature_along<double>(margin, chain, direction, z, 1));
  EXPECT_EQ(curvature_along<double>(free, chain, direction, y, 1),
            curvature_along<double>(likelihood, chain, direction, z, 1));
}

TEST(Curvature, OfNothingKnownIsNothing) {
  Random random(2);
  const auto chain = random_chain<double>({20, 5, 2, 0, 0.3, false}, random);
  const std::vector<Label> any(20, kAnyLabel);
  ChainLikelihood<double> likelihood;
  for (const double value :
       curvature_along<double>(likelihood, chain, random_direction(chain, random), any, 1)) {
    EXPECT_NEAR(value, 0, 1e-14);
  }
}

TEST(Curvature, FloatIsNearDouble) {
  Random random(3);
  const auto y = random_labels(40, 6, random);
  const auto chain = any_chain(40, 6, 2, y, random);
  const auto direction = random_direction(chain, random);
  const auto same = map_scores(chain, [](double v) { return double{static_cast<float>(v)}; });
  const auto straight =
      map_scores(direction, [](double v) { return double{static_cast<float>(v)}; });
  ChainLikelihood<float> narrow_likelihood;
  ChainLikelihood<double> likelihood;
  const auto a = curvature_along<float>(narrow_likelihood, narrow(chain), narrow(direction), y, 1);
  const auto b = curvature_along<double>(likelihood, same, straight, y, 1);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-6 * (1 + std::abs(b[k])));
}

}  // namespace
}  // namespace croft::curvature_test
