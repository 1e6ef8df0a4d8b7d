// Training by an active set against OWL-QN on all candidates, and against the optimality conditions
// of every candidate, by a gradient that is computed for all of them.
#include "train/functions/active_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "app/label/tagger.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/objective/likelihood.h"
#include "croft/optimize/regulariser.h"
#include "support/random_data.h"
#include "train/kinds/chain_training.h"

namespace croft::active_set_test {
namespace {

using testing_support::DataShape;
using testing_support::random_plain_data;
using testing_support::to_chain_data;
using testing_support::to_text;

struct Candidates {
  ChainData data;
  ChainLayout layout;
};

Candidates random_candidates(const DataShape& shape, FeatureSet features, std::size_t tied_rows,
                             std::uint64_t seed) {
  Random random(seed);
  Candidates all{to_chain_data(random_plain_data(shape, random)), {}};
  Renumbering renumbering;
  all.layout =
      make_chain_layout(all.data, shape.labels, shape.node_attributes, shape.edge_attributes,
                        {.features = features, .tied_rows = tied_rows}, renumbering);
  return all;
}

DataShape medium(std::size_t labels, double edge, bool values) {
  return {.sequences = 60,
          .max_length = 6,
          .labels = labels,
          .node_attributes = 40,
          .edge_attributes = 4,
          .edge = edge,
          .values = values};
}

ChainFunctionMaker likelihood(ThreadPool& pool) {
  return [&pool](const ChainData& data, const ChainLayout& layout) {
    return std::make_unique<ChainBatchFunction<double>>(data, layout, pool);
  };
}

LbfgsOptions tight() {
  LbfgsOptions options;
  options.stop = {.max_iterations = 3000, .tolerance = 0, .gradient_tolerance = 1e-6};
  return options;
}

struct Training {
  Regulariser regulariser{.l1 = 0.7, .l2 = 0};
  LbfgsOptions options = tight();
  ActiveSetOptions set_options{.violation_tolerance = 1e-4};
  std::vector<FeatureWeight> start{};
  std::size_t threads = 1;
  ActiveSetCallback callback{};

  ActiveSetResult operator()(const Candidates& all) const {
    ThreadPool pool(threads);
    return train_active_set(all.data, all.layout, likelihood(pool), start, regulariser, options,
                            set_options, pool, callback);
  }
};

// The weights of all candidates.
std::vector<double> all_weights(const Candidates& all, const ActiveSetResult& result) {
  std::vector<double> w(all.layout.dimension());
  for (std::size_t k = 0; k < result.weights.size(); ++k) {
    w[result.set.selection.origin[k]] = result.weights[k];
  }
  return w;
}

// F, and the gradient of its smooth part, by all candidates.
double evaluate_all(const Candidates& all, std::span<const double> w,
                    const Regulariser& regulariser, std::vector<double>& gradient) {
  ThreadPool pool(1);
  gradient.resize(w.size());
  double value = likelihood(pool)(all.data, all.layout)->evaluate(w, gradient);
  add_l2_gradient(regulariser, w, gradient);
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (regulariser.is_free(i)) continue;
    value += regulariser.l1 * std::abs(w[i]) + 0.5 * regulariser.l2 * w[i] * w[i];
  }
  return value;
}

double minimum_over_all(const Candidates& all, const Regulariser& regulariser) {
  ThreadPool pool(1);
  std::vector<double> w(all.layout.dimension());
  const auto f = likelihood(pool)(all.data, all.layout);
  return owlqn(*f, regulariser, w, tight(), pool).objective;
}

void expect_optimal(const Candidates& all, std::span<const double> w,
                    const Regulariser& regulariser, double expected) {
  std::vector<double> gradient;
  const double value = evaluate_all(all, w, regulariser, gradient);
  EXPECT_NEAR(value, expected, 1e-6 * expected);
  for (std::size_t i = 0; i < w.size(); ++i) {
    const double sign = w[i] > 0 ? 1 : -1;
    if (regulariser.is_free(i)) {
      ASSERT_NEAR(gradient[i], 0, 1e-4) << "feature " << i;
    } else if (w[i] != 0) {
      ASSERT_NEAR(gradient[i], -sign * regulariser.l1, 1e-4) << "feature " << i;
    } else {
      ASSERT_LE(std::abs(gradient[i]), regulariser.l1 + 2e-4) << "feature " << i;
    }
  }
}

TEST(Screening, ListsTheViolatorsWithTheLargestExcess) {
  const Candidates all = random_candidates(medium(9, 0.4, true), FeatureSet::all, 2, 99);
  std::vector<std::uint64_t> features;  // some of each kind
  for (std::uint64_t f = 0; f < all.layout.dimension(); f += 5) features.push_back(f);
  const FeatureSubset subset = make_subset(all.data, all.layout, features);
  std::vector<double> w(all.layout.dimension()), part, gradient;
  Random random(1);
  for (const std::uint64_t f : subset.selection.origin) {
    part.push_back(w[f] = random.normal());
  }
  evaluate_all(all, w, {}, gradient);

  ThreadPool pool(2);
  const ChainFunctionMaker make = likelihood(pool);
  const Screening screening(all.data, all.layout, make, pool, {.l1 = 0.7, .tolerance = 0.1});
  std::vector<bool> inside(w.size());
  for (const std::uint64_t f : subset.selection.origin) inside[f] = true;
  std::vector<Violator> expected;
  for (std::uint64_t f = 0; f < all.layout.node.begin.back(); ++f) {
    const double excess = std::abs(gradient[f]) - 0.7;
    if (!inside[f] && excess > 0.07) expected.push_back({f, excess});
  }
  ASSERT_GT(expected.size(), 50u);
  const auto excess_of = [](const Violator& v) { return -v.excess; };
  for (const std::size_t most : {std::size_t{0}, std::size_t{7}, expected.size()}) {
    const ScreeningResult found = screening(subset, part, most);
    EXPECT_EQ(found.violating, expected.size());
    std::vector<Violator> largest = expected;
    std::ranges::sort(largest, {}, excess_of);
    EXPECT_NEAR(found.largest, largest[0].excess, 1e-5);
    largest.resize(most);
    std::ranges::sort(largest, {}, &Violator::feature);
    ASSERT_EQ(found.violators.size(), most);
    for (std::size_t k = 0; k < most; ++k) {
      EXPECT_EQ(found.violators[k].feature, largest[k].feature);
      EXPECT_NEAR(found.violators[k].excess, largest[k].excess, 1e-5);
    }
    ASSERT_EQ(found.gradient.size(), part.size());
    for (std::size_t k = 0; k < part.size(); ++k) {
      EXPECT_NEAR(found.gradient[k], gradient[subset.selection.origin[k]], 1e-9);
    }
  }
}

TEST(ActiveSet, ReachesTheMinimumOverAllCandidates) {
  std::uint64_t seed = 1;
  for (const std::size_t labels : {1, 2, 9}) {
    for (const double edge : {0.0, 0.4}) {
      for (const bool values : {false, true}) {
        for (const FeatureSet features : {FeatureSet::observed, FeatureSet::all}) {
          for (const std::size_t tied_rows : {0, 1, 2}) {
            SCOPED_TRACE(seed);
            const Candidates all =
                random_candidates(medium(labels, edge, values), features, tied_rows, seed++);
            const Training run{.regulariser = {.l1 = 0.7, .l2 = seed % 2 == 0 ? 0.0 : 0.3}};
            const ActiveSetResult result = run(all);
            const std::vector<double> w = all_weights(all, result);
            expect_optimal(all, w, run.regulariser, minimum_over_all(all, run.regulariser));
            // Converged, or as low as rounding allows.
            EXPECT_NE(result.optimization.reason, StopReason::max_iterations);
            ASSERT_TRUE(result.largest_violation.has_value());
            EXPECT_LE(*result.largest_violation, 1e-4);
          }
        }
      }
    }
  }
}

// An attribute without a penalty is in every set, whatever else comes and goes before it.
TEST(ActiveSet, ReachesTheMinimumWhereAnAttributeIsFree) {
  for (const std::uint64_t seed : {70, 71, 72, 73}) {
    SCOPED_TRACE(seed);
    const Candidates all = random_candidates(medium(6, seed % 2 == 0 ? 0.4 : 0.0, true),
                                             FeatureSet::all, seed % 3, seed);
    const RowLayout& node = all.layout.node;
    const std::size_t row = seed % node.rows();
    Training run{
        .regulariser = {.l1 = 2,
                        .l2 = seed % 2 == 0 ? 0.0 : 0.3,
                        .free = {node.begin[row], static_cast<std::uint32_t>(node.length(row))}}};
    run.options.stop.gradient_tolerance = 1e-8;  // relative to |w|, in which free weights are large
    const ActiveSetResult result = run(all);
    const std::vector<double> w = all_weights(all, result);
    EXPECT_LT(result.weights.size(), all.layout.dimension());
    expect_optimal(all, w, run.regulariser, minimum_over_all(all, run.regulariser));
  }
}

TEST(ActiveSet, LeavesMostFeaturesOutWhenMostWeightsAreZero) {
  const Candidates all = random_candidates(medium(9, 0, true), FeatureSet::all, 1, 101);
  const ActiveSetResult result = Training{.regulariser = {.l1 = 3, .l2 = 0}}(all);
  EXPECT_GT(result.weights.size(), 0u);
  EXPECT_LT(result.weights.size(), all.layout.dimension() / 2);
}

TEST(ActiveSet, ReportsTheLargestViolationOfTheFeaturesOutside) {
  const Candidates all = random_candidates(medium(9, 0.4, true), FeatureSet::all, 1, 102);
  Training run;
  run.options.stop.max_iterations = 4;
  const ActiveSetResult result = run(all);
  EXPECT_EQ(result.optimization.reason, StopReason::max_iterations);
  EXPECT_EQ(result.optimization.iterations, 4u);
  std::vector<double> gradient;
  evaluate_all(all, all_weights(all, result), {}, gradient);
  std::vector<bool> inside(gradient.size());
  for (const std::uint64_t feature : result.set.selection.origin) inside[feature] = true;
  double largest = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    if (!inside[i]) largest = std::max(largest, std::abs(gradient[i]) - run.regulariser.l1);
  }
  EXPECT_GT(largest, 0.01);
  EXPECT_NEAR(result.largest_violation.value(), largest, 1e-5);
}

bool same_bits(const ActiveSetResult& a, const ActiveSetResult& b) {
  return a.set.selection.origin == b.set.selection.origin && a.weights.size() == b.weights.size() &&
         std::memcmp(a.weights.data(), b.weights.data(), a.weights.size() * sizeof(double)) == 0 &&
         a.largest_violation == b.largest_violation;
}

TEST(ActiveSet, HasTheSameBitsForAnyNumberOfThreads) {
  DataShape shape = medium(9, 0.4, true);
  shape.sequences = 2000;
  shape.node_attributes = 500;
  const Candidates all = random_candidates(shape, FeatureSet::all, 1, 103);
  Training one, three;
  one.options.stop = three.options.stop = {.max_iterations = 60};
  three.threads = 3;
  EXPECT_TRUE(same_bits(one(all), three(all)));
}

TEST(ActiveSet, ScreeningAFewLabelsAtATimeFindsTheSame) {
  const Candidates all = random_candidates(medium(20, 0, true), FeatureSet::all, 1, 104);
  Training whole, slices;
  slices.set_options.screening_bytes = 1;  // 8 labels at a time
  const ActiveSetResult a = whole(all), b = slices(all);
  EXPECT_TRUE(same_bits(a, b));
  // Each screening, of which there is one more than rounds, takes 3 evaluations in place of 1.
  EXPECT_EQ(b.optimization.evaluations, a.optimization.evaluations + 2 * (a.set.round + 1));
}

TEST(ActiveSet, FromTheMinimumItStaysThere) {
  const Candidates all = random_candidates(medium(9, 0.4, true), FeatureSet::all, 1, 105);
  const ActiveSetResult first = Training()(all);
  Training again;
  const std::vector<double> w = all_weights(all, first);
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (w[i] != 0) again.start.push_back({i, w[i]});
  }
  const ActiveSetResult second = again(all);
  EXPECT_LE(second.optimization.iterations, 3u);
  EXPECT_NEAR(second.optimization.objective, first.optimization.objective, 1e-9);
}

TEST(ActiveSet, AWrongStartDoesNotShowInTheEnd) {
  const Candidates all = random_candidates(medium(5, 0.4, true), FeatureSet::all, 1, 106);
  Training run;
  Random random(1);
  for (std::uint64_t i = 0; i < all.layout.dimension(); i += 3) {
    run.start.push_back({i, random.normal()});
  }
  expect_optimal(all, all_weights(all, run(all)), run.regulariser,
                 minimum_over_all(all, run.regulariser));
}

TEST(ActiveSet, IterationsAreNumberedThroughAndNeverRaiseTheObjective) {
  const Candidates all = random_candidates(medium(9, 0, false), FeatureSet::all, 1, 107);
  Training run;
  std::size_t expected = 0, rounds = 0, evaluations = 0;
  double objective = 1e300;
  run.callback = [&](const ActiveSet& set, const Iteration& now) {
    EXPECT_EQ(now.number, expected++);
    EXPECT_GT(now.evaluations, evaluations);
    EXPECT_LE(now.objective, objective * (1 + 1e-12));
    EXPECT_EQ(now.w.size(), set.selection.layout.dimension());
    evaluations = now.evaluations;
    objective = now.objective;
    rounds = set.round;
    return true;
  };
  const ActiveSetResult result = run(all);
  EXPECT_EQ(result.optimization.iterations + 1, expected);
  EXPECT_EQ(result.set.round, rounds);
  EXPECT_GT(rounds, 1u);
  EXPECT_GT(result.optimization.evaluations, evaluations);  // the last screening
}

TEST(ActiveSet, ACallbackThatReturnsFalseStopsIt) {
  const Candidates all = random_candidates(medium(9, 0, true), FeatureSet::all, 1, 108);
  Training run;
  std::vector<double> seen;
  run.callback = [&](const ActiveSet&, const Iteration& now) {
    seen.assign(now.w.begin(), now.w.end());
    return now.number < 30;
  };
  const ActiveSetResult result = run(all);
  EXPECT_EQ(result.optimization.reason, StopReason::stopped);
  EXPECT_EQ(result.optimization.iterations, 30u);
  EXPECT_FALSE(result.largest_violation.has_value());
  EXPECT_EQ(result.weights, seen);
}

// In the middle of a round, and at the end of the first one: the next begins after the request.
TEST(ActiveSet, AnInterruptionKeepsTheLastIteration) {
  const Candidates all = random_candidates(medium(9, 0, true), FeatureSet::all, 1, 108);
  const auto not_zero = [](std::vector<double> w) {  // the next round has other features at 0
    std::erase(w, 0.0);
    std::ranges::sort(w);
    return w;
  };
  for (const std::size_t last : {10u, 25u, 30u}) {
    Training run;
    Iteration seen;
    std::vector<double> w;
    run.callback = [&](const ActiveSet&, const Iteration& now) {
      seen = now;
      w.assign(now.w.begin(), now.w.end());
      if (now.number == last) interruption = true;
      return true;
    };
    const ActiveSetResult result = run(all);
    interruption = false;
    EXPECT_EQ(seen.number, last);
    EXPECT_EQ(result.optimization.reason, StopReason::stopped);
    EXPECT_EQ(result.optimization.message,
              "stopped on request after " + std::to_string(last) + " iterations");
    EXPECT_EQ(result.optimization.iterations, last);
    EXPECT_EQ(result.optimization.objective, seen.objective);
    EXPECT_EQ(not_zero(result.weights), not_zero(w));
  }
}

TEST(ActiveSet, WithoutIterationsItIsTheStart) {
  const Candidates all = random_candidates(medium(5, 0, true), FeatureSet::all, 1, 109);
  Training run{.start = {{3, 0.5}, {7, -0.25}}};
  run.options.stop.max_iterations = 0;
  const ActiveSetResult result = run(all);
  std::vector<double> expected(all.layout.dimension());
  expected[3] = 0.5;
  expected[7] = -0.25;
  EXPECT_EQ(all_weights(all, result), expected);
  EXPECT_EQ(result.optimization.reason, StopReason::max_iterations);
}

TEST(ActiveSet, AnL1ThatNoDerivativeExceedsTrainsNothing) {
  const Candidates all = random_candidates(medium(5, 0, true), FeatureSet::all, 1, 110);
  const ActiveSetResult result = Training{.regulariser = {.l1 = 1e4, .l2 = 0}}(all);
  EXPECT_EQ(result.weights.size(), 0u);
  EXPECT_EQ(result.optimization.reason, StopReason::converged_gradient);
  EXPECT_EQ(result.largest_violation, 0.0);
}

TEST(ActiveSet, NeedsL1AndAToleranceBetween0And1) {
  const Candidates all = random_candidates(medium(2, 0, true), FeatureSet::all, 1, 111);
  EXPECT_THROW((Training{.regulariser = {.l1 = 0, .l2 = 1}}(all)), UsageError);
  EXPECT_THROW((Training{.set_options = {.violation_tolerance = 0}}(all)), UsageError);
  EXPECT_THROW((Training{.set_options = {.screening_bytes = 0}}(all)), UsageError);
}

// The whole of training: text in, model out.

struct Trained {
  TrainResult result;
  std::vector<std::byte> bytes;
  std::vector<std::vector<std::string>> last_predicted;  // of the hold-out
};

Trained train(TrainOptions options, std::size_t active_set_from, std::size_t threads = 1,
              std::size_t best_iteration = 0, std::shared_ptr<const ChainModel> init = nullptr) {
  ExtractionConfig config;
  config.format = InputFormat::attributes;
  const Extractor extractor(config);
  ChainTraining training(extractor, init);
  Random random(7);
  DataShape shape = medium(5, 0, true);
  for (const auto& x : random_plain_data(shape, random)) training.add(to_text(x));
  shape.sequences = 10;
  for (const auto& x : random_plain_data(shape, random)) training.add_holdout(to_text(x));
  options.active_set_from = active_set_from;
  options.threads = threads;
  Trained trained;
  std::size_t calls = 0;
  const auto scorer = [&](const std::vector<std::vector<std::string_view>>& predicted) {
    const bool best = calls++ == best_iteration;
    if (best || options.early_stop == 0) {
      trained.last_predicted.clear();
      for (const auto& y : predicted) trained.last_predicted.emplace_back(y.begin(), y.end());
    }
    return HoldoutScore{.token_accuracy = best ? 1.0 : 0.5, .chunk_f1 = std::nullopt};
  };
  trained.result = training.run(options, scorer, [](const TrainProgress&) { return true; });
  trained.bytes = training.model(Json::object()).bytes();
  return trained;
}

std::shared_ptr<const ChainModel> model_of(const Trained& trained) {
  return std::make_shared<const ChainModel>(Container::from_bytes(trained.bytes, "memory"));
}

TrainOptions all_features() {
  TrainOptions options;
  options.features = FeatureSet::all;
  options.regulariser = {.l1 = 0.7, .l2 = 0};
  options.precision = Precision::twice;
  options.stop = tight().stop;
  options.settings.history = tight().history;
  options.active_set.violation_tolerance = 1e-4;
  return options;
}

// What the model predicts for the hold-out is what training saw at the iteration that it kept.
void expect_predicts(const Trained& trained) {
  const auto model = model_of(trained);
  Tagger tagger(*model);
  Random random(7);
  DataShape shape = medium(5, 0, true);
  random_plain_data(shape, random);
  shape.sequences = 10;
  const auto holdout = random_plain_data(shape, random);
  ASSERT_EQ(trained.last_predicted.size(), holdout.size());
  for (std::size_t n = 0; n < holdout.size(); ++n) {
    const Tagging& tagging = tagger.tag(to_text(holdout[n]), {});
    std::vector<std::string> predicted;
    for (const Label y : tagging.y) predicted.emplace_back(model->label(y));
    EXPECT_EQ(predicted, trained.last_predicted[n]);
  }
}

TEST(TrainingByAnActiveSet, GivesTheModelOfTrainingAllFeatures) {
  const Trained all = train(all_features(), std::size_t{1} << 40);
  const Trained some = train(all_features(), 0);
  EXPECT_FALSE(all.result.active_set.has_value());
  ASSERT_TRUE(some.result.active_set.has_value());
  EXPECT_NEAR(some.result.optimization.objective, all.result.optimization.objective, 1e-6);
  EXPECT_EQ(some.result.dimension, all.result.dimension);
  EXPECT_EQ(some.result.active, all.result.active);
  EXPECT_LT(some.result.active_set->trained, some.result.dimension);
  EXPECT_LE(some.result.active_set->largest_violation.value(), 1e-4);
  EXPECT_EQ(model_of(some)->node().weights(), model_of(all)->node().weights());
  EXPECT_EQ(model_of(some)->tied().weights(), model_of(all)->tied().weights());
  expect_predicts(all);
  expect_predicts(some);
}

TEST(TrainingByAnActiveSet, WithRunsOfThreeLabelsReachesTheSameMinimum) {
  TrainOptions options = all_features();
  options.order = 2;
  const Trained all = train(options, std::size_t{1} << 40);
  const Trained some = train(options, 0);
  ASSERT_TRUE(some.result.active_set.has_value());
  EXPECT_NEAR(some.result.optimization.objective, all.result.optimization.objective, 1e-5);
  expect_predicts(some);
}

TEST(TrainingByAnActiveSet, MakesTheSameFileForAnyNumberOfThreads) {
  TrainOptions options = all_features();
  options.precision = Precision::single;
  options.stop = {};
  EXPECT_EQ(train(options, 0, 1).bytes, train(options, 0, 3).bytes);
}

TEST(TrainingByAnActiveSet, EarlyStoppingGoesBackToTheSetOfTheBestIteration) {
  TrainOptions options = all_features();
  options.early_stop = 30;  // the next round, at 25, has another set
  const Trained trained = train(options, 0, 1, 20);
  EXPECT_EQ(trained.result.best_iteration, 20u);
  EXPECT_EQ(trained.result.optimization.iterations, 50u);
  EXPECT_EQ(trained.result.active_set->rounds, 2u);
  EXPECT_FALSE(trained.result.active_set->largest_violation.has_value());
  EXPECT_EQ(trained.result.active,
            model_of(trained)->node().weights() + model_of(trained)->tied().weights());
  expect_predicts(trained);
}

TEST(TrainingByAnActiveSet, GoesOnFromAModel) {
  const Trained first = train(all_features(), 0);
  TrainOptions options = all_features();
  options.stop.max_iterations = 0;
  const Trained again = train(options, 0, 1, 0, model_of(first));
  EXPECT_NEAR(again.result.optimization.objective, first.result.optimization.objective, 1e-5);
}

}  // namespace
}  // namespace croft::active_set_test
