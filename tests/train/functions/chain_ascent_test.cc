// Dual ascent against the likelihood's L-BFGS, and its rows of weights against the features'
// definition.
#include "train/dual/chain_ascent.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "core/vector_math.h"
#include "croft/core/error.h"
#include "croft/optimize/lbfgs.h"
#include "model/history_layout.h"
#include "optimize/memory_checkpoint.h"
#include "support/naive_features.h"
#include "train/dual/ascent_rows.h"
#include "train/dual/chain_dual.h"
#include "train/dual/thread_choice.h"

namespace croft::chain_ascent_test {
namespace {

using testing_support::DataShape;
using testing_support::random_model;
using testing_support::RandomModel;

constexpr double kL2 = 0.8;
const DataShape kShape{.sequences = 40, .max_length = 6, .edge = 0};

OptimizeResult least(const RandomModel& model, std::vector<double>& w, double l1 = 0) {
  ThreadPool pool;
  ChainBatchFunction<double> f(model.data, model.layout, pool);
  w.assign(f.dimension(), 0.0);
  LbfgsOptions exact;
  exact.stop.tolerance = 0;
  exact.stop.gradient_tolerance = 1e-9;
  exact.stop.max_iterations = 5000;
  if (l1 > 0) return owlqn(f, {.l1 = l1, .l2 = kL2}, w, exact, pool);
  return lbfgs(f, {.l2 = kL2}, w, exact, pool);
}

template <class Real>
OptimizeResult ascend(const RandomModel& model, double gap, std::vector<double>& w,
                      std::size_t threads = 1, const IterationCallback& callback = {},
                      Checkpointer* checkpoints = nullptr, double l1 = 0) {
  ThreadPool pool(threads);
  ChainBatchFunction<Real> f(model.data, model.layout, pool);
  w.resize(f.dimension());
  return chain_ascent<Real>(
      model.data, model.layout, f,
      {.l1 = l1,
       .l2 = kL2,
       .seed = 3,
       .stop = {.max_iterations = 500, .gradient_tolerance = 0, .gap_tolerance = gap}},
      w, pool, callback, checkpoints);
}

std::vector<RandomModel> models() {
  Random random(1);
  std::vector<RandomModel> list;
  for (const FeatureSet features : {FeatureSet::observed, FeatureSet::all}) {
    for (const std::size_t tied_rows : {0u, 1u, 2u}) {
      list.push_back(random_model(
          kShape, {.features = features, .min_count = 1, .tied_rows = tied_rows}, 1, random));
    }
  }
  for (const std::size_t order : {2u, 3u}) {
    for (const std::size_t tied_rows : {0u, 2u}) {
      RandomModel model = random_model(kShape, {.tied_rows = tied_rows}, 1, random);
      model.layout.histories = choose_histories(model.data, kShape.labels, {.order = order});
      EXPECT_GT(model.layout.grams(), 0u);
      list.push_back(std::move(model));
    }
  }
  DataShape few = kShape;
  few.sequences = 2;
  list.push_back(random_model(few, {}, 1, random));
  return list;
}

TEST(ChainAscent, ReachesTheMinimumOfTheLikelihood) {
  for (const RandomModel& model : models()) {
    std::vector<double> expected, w;
    const double minimum = least(model, expected).objective;
    const OptimizeResult result = ascend<double>(model, 1e-9, w);
    EXPECT_EQ(result.reason, StopReason::converged_gap) << result.message;
    EXPECT_NEAR(result.objective, minimum, 1e-8 * minimum);
    // Strongly convex: (l2/2) |w - w*|^2 <= F - F*.
    const double bound = std::sqrt(2 * 1.1e-9 * minimum / kL2);
    for (std::size_t k = 0; k < w.size(); ++k) EXPECT_NEAR(w[k], expected[k], bound + 1e-6);
  }
}

TEST(ChainAscent, WithL1HasTheMinimumAndTheZerosOfOwlqn) {
  for (const RandomModel& model : models()) {
    for (const double l1 : {0.7, 3.0}) {
      std::vector<double> expected, w, single;
      const double minimum = least(model, expected, l1).objective;
      double lower = -1e300;
      const auto watch = [&](const Iteration& now) {
        const double dual = now.objective - *now.gap * std::max(1.0, now.objective);
        EXPECT_LE(dual, minimum * (1 + 1e-9));
        EXPECT_GE(dual, lower - 1e-9 * minimum);
        lower = dual;
        return true;
      };
      const OptimizeResult result = ascend<double>(model, 1e-9, w, 1, watch, nullptr, l1);
      EXPECT_EQ(result.reason, StopReason::converged_gap) << result.message;
      EXPECT_NEAR(result.objective, minimum, 1e-8 * minimum);
      const double bound = std::sqrt(2 * 1e-8 * minimum / kL2) + 1e-6;
      std::size_t zeros = 0;
      for (std::size_t k = 0; k < w.size(); ++k) {
        EXPECT_NEAR(w[k], expected[k], bound);
        zeros += w[k] == 0;
      }
      EXPECT_GT(zeros, w.size() / 20);
      // As many threads as may be leave the same bits; single precision its six digits.
      std::vector<double> again;
      ascend<double>(model, 1e-9, again, 3, {}, nullptr, l1);
      EXPECT_EQ(w, again);
      EXPECT_NEAR(ascend<float>(model, 2e-6, single, 1, {}, nullptr, l1).objective, minimum,
                  3e-6 * minimum);
    }
  }
}

TEST(ChainAscent, BoundsTheMinimumFromBelowAllAlong) {
  for (const RandomModel& model : models()) {
    std::vector<double> w;
    const double minimum = least(model, w).objective;
    double lower = -1e300;
    ascend<double>(model, 1e-8, w, 1, [&](const Iteration& now) {
      const double dual = now.objective - *now.gap * std::max(1.0, now.objective);
      EXPECT_LE(dual, minimum * (1 + 1e-12));
      EXPECT_GE(dual, lower - 1e-9 * minimum);  // no step lowers it
      lower = dual;
      return true;
    });
  }
}

TEST(ChainAscent, InSinglePrecisionReachesItsSixDigits) {
  for (const RandomModel& model : models()) {
    std::vector<double> w;
    const double minimum = least(model, w).objective;
    const OptimizeResult result = ascend<float>(model, 2e-6, w);
    EXPECT_EQ(result.reason, StopReason::converged_gap) << result.message;
    EXPECT_NEAR(result.objective, minimum, 3e-6 * minimum);
  }
}

TEST(ChainAscent, ObeysAConstraint) {
  Random random(2);
  RandomModel model = random_model(kShape, {}, 1, random);
  auto constraint = std::make_shared<ChainConstraint>(kShape.labels);
  constraint->set_edge(0, 1, false);
  constraint->start[1] = false;
  for (std::size_t n = 0; n < model.data.sequences(); ++n) {
    for (std::uint64_t p = model.data.sequence_begin[n]; p < model.data.sequence_begin[n + 1];
         ++p) {
      if (model.data.label[p] == 1) model.data.label[p] = 2;
    }
  }
  model.layout.constraint = constraint;
  std::vector<double> w;
  const double minimum = least(model, w).objective;
  EXPECT_NEAR(ascend<double>(model, 1e-8, w).objective, minimum, 1e-7 * minimum);
}

TEST(ChainAscent, DoesNotDependOnTheNumberOfThreads) {
  for (const RandomModel& model : models()) {
    std::vector<double> one, other;
    ascend<float>(model, 1e-2, one);
    for (const std::size_t threads : {2u, 3u}) {
      ascend<float>(model, 1e-2, other, threads);
      EXPECT_EQ(one, other);
    }
  }
}

// Of 100 runs, how many had all threads where a run with them takes so long.
std::size_t runs_with_all(std::chrono::milliseconds one, std::chrono::milliseconds all) {
  ThreadChoice choice(4);
  std::size_t count = 0;
  for (int run = 0; run < 100; ++run) {
    choice.time([&](std::size_t threads) -> std::size_t {
      EXPECT_TRUE(threads == 1 || threads == 4);
      count += threads == 4;
      std::this_thread::sleep_for(threads == 1 ? one : all);
      return 1;
    });
  }
  return count;
}

TEST(ThreadChoice, TakesWhatIsQuickerAndTriesTheOtherNowAndThen) {
  using std::chrono::milliseconds;
  EXPECT_LT(runs_with_all(milliseconds(0), milliseconds(5)), 15u);
  EXPECT_GT(runs_with_all(milliseconds(5), milliseconds(0)), 85u);
  EXPECT_EQ(ThreadChoice(1).threads(), 1u);
}

TEST(ChainAscent, GoesOnFromACheckpointAsIfNothingHadHappened) {
  Random random(4);
  const RandomModel model = random_model(kShape, {}, 1, random);
  const std::vector<double> start(model.layout.dimension());
  EXPECT_GT(expect_resumed_runs_to_agree(start,
                                         [&](std::vector<double>& w, Checkpointer* checkpoints) {
                                           return ascend<float>(model, 1e-4, w, 2, {}, checkpoints);
                                         }),
            1u);
}

TEST(ChainAscent, RefusesWhatItCannotDo) {
  Random random(5);
  RandomModel model = random_model({.sequences = 3, .edge = 1}, {}, 1, random);
  std::vector<double> w;
  EXPECT_THROW(ascend<double>(model, 1e-4, w), UsageError);  // attributes of edges
  model = random_model({.sequences = 3, .edge = 0}, {}, 1, random);
  model.data.label[0] = kAnyLabel;
  EXPECT_THROW(ascend<double>(model, 1e-4, w), UsageError);
  EXPECT_THROW(ChainAscentOptions{.l1 = -1}.validate(), UsageError);
  EXPECT_THROW(ChainAscentOptions{.l2 = 0}.validate(), UsageError);
  EXPECT_THROW(ChainAscentOptions{.by_gap = 1}.validate(), UsageError);
  EXPECT_THROW(ChainAscentOptions{.passes = 0}.validate(), UsageError);
}

// To some point, then a step; against the problem that sums attribute by attribute.
TEST(AscentRows, ScoreAndMoveAreAMatrixAndItsTranspose) {
  Random random(6);
  for (const RandomModel& model : models()) {
    if (model.layout.histories) continue;  // the plain problem has none
    AscentRows<double> rows(model.data, model.layout);
    ChainDualProblem plain(model.data, model.layout, {.l2 = kL2, .loss = DualLoss::log_loss});
    const std::size_t labels = model.layout.labels;
    for (int round = 0; round < 3; ++round) {
      for (std::size_t n = 0; n < model.data.sequences(); ++n) {
        const std::size_t steps = plain.length(n);
        Matrix<double> change(steps, labels, 0.0), theta(steps, labels);
        std::vector<double> parts(plain.parts(n)), scores(plain.parts(n));
        for (std::size_t t = 0; t < steps; ++t) {
          for (std::size_t j = 0; j < labels; ++j) {
            change(t, j) = parts[t * labels + j] = random.normal();
          }
        }
        rows.score(n, theta.row(0));
        plain.scores(n, scores);
        for (std::size_t t = 0; t < steps; ++t) {
          for (std::size_t j = 0; j < labels; ++j) {
            EXPECT_NEAR(theta(t, j), scores[t * labels + j], 1e-9);
          }
        }
        const double before = plain.squared_norm();
        plain.aim(n, parts);
        plain.move(1);
        double grown = 0;
        for (std::size_t share = 0; share < AscentRows<double>::kShares; ++share) {
          grown += rows.move(n, change.row(0), share);
        }
        EXPECT_NEAR(grown, plain.squared_norm() - before, 1e-8 * (1 + plain.squared_norm()));
      }
    }
    std::vector<double> w(model.layout.dimension());
    rows.to_weights(w);
    for (std::size_t k = 0; k < w.size(); ++k) EXPECT_NEAR(w[k], plain.weights()[k], 1e-9);
  }
}

}  // namespace
}  // namespace croft::chain_ascent_test
