#include "optimize/stochastic/online_methods.h"

#include <gtest/gtest.h>

#include <vector>

#include "croft/core/error.h"
#include "optimize/one_sample.h"
#include "optimize/sample_methods.h"

namespace croft::arow_test {
namespace {

using namespace testing_functions;

ArowOptions passes(std::size_t count) {
  ArowOptions options;
  options.stop.max_iterations = count;
  return options;
}

SparseHinge hinge(std::uint64_t seed, bool noise = true) {
  Random random(seed);
  return SparseHinge(SparseRows(150, 40, 4, random, noise), 1);
}

// g = (1, -2, 2), loss 3 at w = 0, S = 2, gamma = 3:  S g = (2, -4, 4), g'S g = 18, beta = 1/21,
// w = -3/21 (2, -4, 4).  Then 1/S = 1/2 + (1, 4, 4)/3, S = (6/5, 6/11, 6/11), the loss is
// 3 - 3/21 * 18 = 3/7, S g = (6/5, -12/11, 12/11), g'S g = 6/5 + 48/11 = 306/55,
// beta = 1 / (3 + 306/55) = 55/471.
TEST(Arow, TwoUpdatesComputedByHand) {
  OneSample f({{1, -2, 2}}, {3});
  ArowOptions options = passes(1);
  options.variance = 2;
  options.gamma = 3;
  Vector w(3);
  arow(f, {}, w, options);
  const Vector first = {-2.0 / 7, 4.0 / 7, -4.0 / 7};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(w[i], first[i], 1e-15);

  options.stop.max_iterations = 2;
  w.assign(3, 0.0);
  arow(f, {}, w, options);
  const double step = 55.0 / 471 * 3 / 7;
  const Vector spread = {6.0 / 5, -12.0 / 11, 12.0 / 11};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(w[i], first[i] - step * spread[i], 1e-14);
}

TEST(Arow, LearnsSeparableData) {
  SparseHinge f = hinge(1, false);
  Vector w(f.dimension()), gradient(w);
  const double before = f.evaluate(w, gradient);
  arow(f, {}, w, passes(100));
  EXPECT_LT(f.evaluate(w, gradient), 0.3 * before);
}

TEST(Arow, StopsWhereEverythingIsRight) {
  OneSample f({{1, 0, 0}}, {-1});
  Vector w(3);
  const OptimizeResult result = arow(f, {}, w, passes(10));
  EXPECT_EQ(result.reason, StopReason::converged_gradient);
  EXPECT_EQ(w, Vector(3));
}

TEST(Arow, AResumedRunEndsAtTheSameBits) {
  const auto run = [](Vector& w, Checkpointer* checkpoints) {
    SparseHinge f = hinge(2);
    return arow(f, {}, w, passes(5), {}, checkpoints);
  };
  EXPECT_EQ(expect_resumed_runs_to_agree(Vector(hinge(2).dimension()), run), 4u);
}

TEST(Arow, RefusesPenaltiesAndOptionsThatMakeNoSense) {
  SparseHinge f = hinge(3);
  Vector w(f.dimension());
  EXPECT_THROW(arow(f, {.l1 = 0, .l2 = 1}, w, {}), UsageError);
  ArowOptions options;
  options.variance = 0;
  EXPECT_THROW(arow(f, {}, w, options), UsageError);
  options = {};
  options.gamma = -1;
  EXPECT_THROW(arow(f, {}, w, options), UsageError);
}

}  // namespace
}  // namespace croft::arow_test
