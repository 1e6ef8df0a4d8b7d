// The chain's dual problem against enumeration of all labellings, the full dual over them, the
// likelihood's L-BFGS, and with kernels against the features that the kernels stand for.
#include "train/dual/chain_dual.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "croft/core/error.h"
#include "croft/optimize/lbfgs.h"
#include "optimize/dual/dual_methods.h"
#include "optimize/enumerated_dual.h"
#include "support/naive_features.h"
#include "train/dual/kernel_dual.h"
#include "train/functions/chain_batch_function.h"

namespace croft::chain_dual_test {
namespace {

using testing_functions::EnumeratedDual;
using testing_functions::EnumeratedExample;
using testing_support::DataShape;
using testing_support::random_model;
using testing_support::RandomModel;

constexpr double kL2 = 0.8;

std::vector<double> random_numbers(std::size_t count, Random& random) {
  std::vector<double> numbers(count);
  for (double& x : numbers) x = random.normal();
  return numbers;
}

// Labellings of a sequence by number.
struct Labellings {
  std::size_t length, labels, count = 1;
  Labellings(std::size_t length_, std::size_t labels_) : length(length_), labels(labels_) {
    for (std::size_t t = 0; t < length; ++t) count *= labels;
  }
  std::vector<Label> operator[](std::size_t number) const {
    std::vector<Label> y(length);
    for (Label& j : y) {
      j = static_cast<Label>(number % labels);
      number /= labels;
    }
    return y;
  }
};

// The parts of a labelling, by a problem whose gold labels it is.
std::vector<double> parts_of(const RandomModel& model, std::size_t n, const std::vector<Label>& y,
                             const ChainDualOptions& options) {
  ChainData data = model.data;
  std::copy(y.begin(), y.end(),
            data.label.begin() + static_cast<std::ptrdiff_t>(data.sequence_begin[n]));
  ChainDualProblem problem(data, model.layout, options);
  std::vector<double> parts(problem.parts(n));
  problem.gold(n, parts);
  return parts;
}

bool allowed(const ChainLayout& layout, const std::vector<Label>& y) {
  return !layout.constraint || !check(*layout.constraint, y);
}

// A model whose gold labels all obey a constraint that forbids two edges, a start and an end.
RandomModel constrained_model(const DataShape& shape, Random& random) {
  RandomModel model = random_model(shape, {}, 1, random);
  auto constraint = std::make_shared<ChainConstraint>(shape.labels);
  constraint->set_edge(0, 1, false);
  constraint->set_edge(2, 2, false);
  constraint->start[1] = false;
  constraint->end[0] = false;
  model.layout.constraint = constraint;
  for (std::size_t n = 0; n < model.data.sequences(); ++n) {
    Labellings all(model.data.gold(n).length(), shape.labels);
    std::vector<Label> y;
    do {
      y = all[random.below(all.count)];
    } while (!allowed(model.layout, y));
    std::copy(y.begin(), y.end(),
              model.data.label.begin() + static_cast<std::ptrdiff_t>(model.data.sequence_begin[n]));
  }
  return model;
}

struct Case {
  std::string name;
  RandomModel model;
  ChainParts parts;
};

std::vector<Case> cases(Random& random) {
  const DataShape plain{.sequences = 6, .max_length = 4, .edge = 0};
  const DataShape edges{.sequences = 6, .max_length = 4, .edge = 0.5};
  const DataShape only_edges{.sequences = 6, .max_length = 4, .edge = 1};
  const LayoutOptions two_rows{.features = FeatureSet::all, .min_count = 1, .tied_rows = 2};
  std::vector<Case> list;
  for (const ChainParts parts : {ChainParts::tied, ChainParts::by_position}) {
    const std::string how = parts == ChainParts::tied ? "tied " : "by position ";
    list.push_back({how + "plain", random_model(plain, {}, 1, random), parts});
    list.push_back({how + "edges", random_model(edges, {}, 1, random), parts});
    list.push_back({how + "only edges", random_model(only_edges, two_rows, 1, random), parts});
    list.push_back({how + "constrained", constrained_model(edges, random), parts});
  }
  return list;
}

TEST(ChainDualProblem, OraclesAgreeWithEnumeration) {
  Random random(1);
  for (const Case& each : cases(random)) {
    SCOPED_TRACE(each.name);
    const ChainDualOptions options{.l2 = kL2, .parts = each.parts, .loss = DualLoss::log_loss};
    ChainDualProblem problem(each.model.data, each.model.layout, options);
    for (std::size_t n = 0; n < problem.samples(); ++n) {
      const std::vector<double> theta = random_numbers(problem.parts(n), random);
      const Labellings all(problem.length(n), problem.labels());
      double z = 0, best = -1e300;
      std::vector<double> mean(theta.size()), best_parts;
      for (std::size_t k = 0; k < all.count; ++k) {
        if (!allowed(each.model.layout, all[k])) continue;
        const std::vector<double> parts = parts_of(each.model, n, all[k], options);
        const double score = dot(theta, parts);
        z += std::exp(score);
        axpy(std::exp(score), parts, mean);
        if (score > best) best_parts = parts;
        best = std::max(best, score);
      }
      std::vector<double> mu(theta.size());
      EXPECT_NEAR(problem.sum_oracle(n, theta, mu), std::log(z), 1e-10);
      for (std::size_t k = 0; k < mu.size(); ++k) EXPECT_NEAR(mu[k], mean[k] / z, 1e-10);
      EXPECT_NEAR(problem.max_oracle(n, theta, mu), best, 1e-10);
      EXPECT_EQ(mu, best_parts);
    }
  }
}

TEST(ChainDualProblem, MovesByTheTransposeOfItsScores) {
  Random random(2);
  for (const Case& each : cases(random)) {
    SCOPED_TRACE(each.name);
    ChainDualProblem problem(each.model.data, each.model.layout,
                             {.l2 = kL2, .parts = each.parts, .loss = DualLoss::log_loss});
    std::vector<double> w(problem.weights().size());
    for (std::size_t n = 0; n < problem.samples(); ++n) {  // to some point
      problem.aim(n, random_numbers(problem.parts(n), random));
      problem.move(random.normal());
    }
    for (std::size_t n = 0; n < problem.samples(); ++n) {
      const std::vector<double> delta = random_numbers(problem.parts(n), random);
      std::vector<double> theta(delta.size()), moved(delta.size());
      problem.scores(n, theta);
      std::ranges::copy(problem.weights(), w.begin());
      const double norm = problem.aim(n, delta);
      problem.move(0.5);
      std::vector<double> v(problem.weights().begin(), problem.weights().end());
      for (std::size_t k = 0; k < v.size(); ++k) v[k] = (v[k] - w[k]) / 0.5;
      EXPECT_NEAR(norm, dot(v, v), 1e-9 * norm);
      EXPECT_NEAR(dot(theta, delta), dot(w, v), 1e-9 * (1 + std::abs(dot(w, v))));
      problem.scores(n, moved);
      EXPECT_NEAR(dot(moved, delta) - dot(theta, delta), 0.5 * norm, 1e-9 * norm);
      EXPECT_NEAR(problem.squared_norm(), dot(problem.weights(), problem.weights()), 1e-9);
    }
  }
}

TEST(ChainDualProblem, EntropyIsThatOfTheDistribution) {
  Random random(3);
  for (const Case& each : cases(random)) {
    if (each.parts == ChainParts::tied) continue;
    SCOPED_TRACE(each.name);
    ChainDualProblem problem(each.model.data, each.model.layout,
                             {.l2 = kL2, .parts = each.parts, .loss = DualLoss::log_loss});
    for (std::size_t n = 0; n < problem.samples(); ++n) {
      const std::vector<double> a = random_numbers(problem.parts(n), random);
      const std::vector<double> b = random_numbers(problem.parts(n), random);
      std::vector<double> mu(a.size()), delta(a.size());
      const double log_z = problem.sum_oracle(n, a, mu);
      problem.sum_oracle(n, b, delta);
      axpy(-1, mu, delta);
      EXPECT_NEAR(problem.entropy(n, mu, delta, 0).value, log_z - dot(a, mu), 1e-9);
      const double g = 0.4, h = 1e-5;
      const EntropyPoint at = problem.entropy(n, mu, delta, g);
      const EntropyPoint after = problem.entropy(n, mu, delta, g + h);
      const EntropyPoint before = problem.entropy(n, mu, delta, g - h);
      EXPECT_NEAR(at.slope, (after.value - before.value) / (2 * h), 1e-6);
      EXPECT_NEAR(at.curvature, (after.slope - before.slope) / (2 * h), 1e-5);
    }
  }
}

// Every labelling a part, with the features that the chain gives it.
std::vector<EnumeratedExample> enumerate(const RandomModel& model, const LabelCost& cost) {
  const ChainDualOptions options{
      .l2 = kL2, .parts = ChainParts::by_position, .loss = DualLoss::log_loss};
  ChainDualProblem problem(model.data, model.layout, options);
  std::vector<EnumeratedExample> examples(problem.samples());
  for (std::size_t n = 0; n < problem.samples(); ++n) {
    EnumeratedExample& example = examples[n];
    example.weight = problem.weight(n);
    const Labellings all(problem.length(n), problem.labels());
    const std::span<const Label> gold = model.data.gold(n).known;
    for (std::size_t k = 0; k < all.count; ++k) {
      const std::vector<Label> y = all[k];
      if (!allowed(model.layout, y)) continue;
      if (std::ranges::equal(y, gold)) example.gold = example.cost.size();
      problem.reset();
      problem.aim(n, parts_of(model, n, y, options));
      problem.move(1);
      example.features.emplace_back(problem.weights().begin(), problem.weights().end());
      double sum = 0;
      for (std::size_t t = 0; t < y.size(); ++t) sum += cost(gold[t], y[t]);
      example.cost.push_back(sum);
    }
  }
  return examples;
}

LabelCost uneven_cost(std::size_t labels) {
  Matrix<double> table(labels, labels, 0.0);
  for (std::size_t i = 0; i < labels; ++i) {
    for (std::size_t j = 0; j < labels; ++j) {
      if (i != j) table(i, j) = 0.5 + 0.25 * static_cast<double>(i + 2 * j);
    }
  }
  return label_cost(table);
}

const StoppingRule kExact{.max_iterations = 20000, .gradient_tolerance = 0, .gap_tolerance = 1e-6};

TEST(ChainDualProblem, ReducedDualHasTheOptimumOfTheFullDual) {
  Random random(4);
  for (const Case& each : cases(random)) {
    SCOPED_TRACE(each.name);
    const LabelCost cost = uneven_cost(each.model.layout.labels);
    EnumeratedDual full(enumerate(each.model, cost), DualLoss::hinge, kL2);
    const OptimizeResult expected = smo(full, {.stop = kExact});
    ASSERT_EQ(expected.reason, StopReason::converged_gap) << expected.message;
    ChainDualProblem reduced(each.model.data, each.model.layout,
                             {.l2 = kL2, .parts = each.parts, .cost = &cost});
    if (each.parts == ChainParts::by_position) {
      const OptimizeResult by_smo = smo(reduced, {.stop = kExact});
      EXPECT_EQ(by_smo.reason, StopReason::converged_gap) << by_smo.message;
      EXPECT_NEAR(by_smo.objective, expected.objective, 2e-6 * expected.objective);
      // Strongly convex: near the minimum the weights are near each other too.
      for (std::size_t k = 0; k < full.weights().size(); ++k) {
        EXPECT_NEAR(reduced.weights()[k], full.weights()[k], 2e-2);
      }
    }
    StoppingRule stop = kExact;
    stop.gap_tolerance = 1e-3;
    const OptimizeResult by_fw = frank_wolfe(reduced, {.stop = stop});
    EXPECT_EQ(by_fw.reason, StopReason::converged_gap) << by_fw.message;
    EXPECT_NEAR(by_fw.objective, expected.objective, 1.1e-3 * expected.objective);
    const OptimizeResult by_eg = exponentiated_gradient(reduced, {.stop = stop});
    EXPECT_EQ(by_eg.reason, StopReason::converged_gap) << by_eg.message;
    EXPECT_NEAR(by_eg.objective, expected.objective, 1.1e-3 * expected.objective);
  }
}

TEST(ChainDualProblem, LogLossHasTheOptimumOfTheLikelihood) {
  Random random(5);
  for (const Case& each : cases(random)) {
    SCOPED_TRACE(each.name);
    ThreadPool pool;
    ChainBatchFunction<double> f(each.model.data, each.model.layout, pool);
    std::vector<double> w(f.dimension());
    LbfgsOptions exact;
    exact.stop.tolerance = 0;
    exact.stop.gradient_tolerance = 1e-9;
    const double least = lbfgs(f, {.l2 = kL2}, w, exact, pool).objective;
    ChainDualProblem problem(each.model.data, each.model.layout,
                             {.l2 = kL2, .parts = each.parts, .loss = DualLoss::log_loss});
    const auto check = [&](const OptimizeResult& result) {
      EXPECT_EQ(result.reason, StopReason::converged_gap) << result.message;
      EXPECT_NEAR(result.objective, least, 1.1e-6 * least);
      for (std::size_t k = 0; k < w.size(); ++k) EXPECT_NEAR(problem.weights()[k], w[k], 1e-2);
    };
    if (problem.exact_parts()) check(sdca(problem, {.stop = kExact}));
    check(exponentiated_gradient(problem, {.stop = kExact}));
  }
}

TEST(ChainDualProblem, RefusesWhatItCannotDo) {
  Random random(6);
  RandomModel model = random_model({.sequences = 3}, {}, 1, random);
  const LabelCost cost = hamming_cost(model.layout.labels, 1);
  const auto make = [&](const ChainDualOptions& options) {
    ChainDualProblem(model.data, model.layout, options);
  };
  EXPECT_NO_THROW(make({.cost = &cost}));
  EXPECT_THROW(make({.l2 = 0, .cost = &cost}), UsageError);
  EXPECT_THROW(make({.loss = DualLoss::hinge}), UsageError);
  model.data.label[0] = kAnyLabel;
  EXPECT_THROW(make({.cost = &cost}), UsageError);
}

// A problem that looks as every DualProblem does, by scores and sum oracle.
class PlainLook final : public DualProblem {
 public:
  explicit PlainLook(ChainDualProblem& problem) : problem_(problem) {}
  using DualProblem::aim;
  using DualProblem::entropy;
  DualLoss loss() const override { return problem_.loss(); }
  double l2() const override { return problem_.l2(); }
  std::size_t samples() const override { return problem_.samples(); }
  std::size_t parts(std::size_t n) const override { return problem_.parts(n); }
  double weight(std::size_t n) const override { return problem_.weight(n); }
  bool exact_parts() const override { return problem_.exact_parts(); }
  void gold(std::size_t n, std::span<double> mu) override { problem_.gold(n, mu); }
  void scores(std::size_t n, std::span<double> theta) override { problem_.scores(n, theta); }
  void reset() override { problem_.reset(); }
  double aim(std::size_t n, std::span<const double> delta) override {
    return problem_.aim(n, delta);
  }
  void move(double scale) override { problem_.move(scale); }
  double squared_norm() override { return problem_.squared_norm(); }
  std::span<const double> weights() const override { return problem_.weights(); }
  double sum_oracle(std::size_t n, std::span<const double> theta, std::span<double> mu) override {
    return problem_.sum_oracle(n, theta, mu);
  }
  double max_oracle(std::size_t n, std::span<const double> theta, std::span<double> mu) override {
    return problem_.max_oracle(n, theta, mu);
  }
  EntropyPoint entropy(std::size_t n, std::span<const double> mu, std::span<const double> delta,
                       double g) override {
    return problem_.entropy(n, mu, delta, g);
  }
  void archive(StateArchive& state) override { problem_.archive(state); }

 private:
  ChainDualProblem& problem_;
};

template <class Real>
void expect_same_look(ChainDualProblem& problem, Random& random, double tolerance) {
  PlainLook plain(problem);
  for (std::size_t n = 0; n < problem.samples(); ++n) {
    const std::size_t parts = problem.parts(n);
    std::vector<double> theta = random_numbers(parts, random), wide(parts);
    problem.sum_oracle(n, theta, wide);  // marginals of something else
    const std::vector<Real> mu(wide.begin(), wide.end());
    std::vector<Real> delta(parts), other(parts);
    const LogLossView found = problem.look(n, mu, std::span(delta));
    const LogLossView truth = plain.look(n, mu, std::span(other));
    ASSERT_NEAR(found.log_partition, truth.log_partition, tolerance * 10);
    ASSERT_NEAR(found.expected, truth.expected, tolerance * 10);
    ASSERT_NEAR(found.slope, truth.slope, tolerance * 10);
    ASSERT_NEAR(found.gold, truth.gold, tolerance * 10);
    for (std::size_t k = 0; k < parts; ++k) ASSERT_NEAR(delta[k], other[k], tolerance);
    ASSERT_NEAR(problem.aim(n, std::span<const Real>(delta)),
                plain.aim(n, std::span<const Real>(other)), tolerance * 100);
    const EntropyPoint h = problem.entropy(n, std::span<const Real>(mu), delta, 0.3);
    const EntropyPoint k = plain.entropy(n, std::span<const Real>(mu), other, 0.3);
    ASSERT_NEAR(h.value, k.value, tolerance * 100);
    ASSERT_NEAR(h.slope, k.slope, tolerance * 100);
    ASSERT_NEAR(h.curvature, k.curvature, tolerance * 100 * (1 + std::abs(k.curvature)));
  }
}

TEST(ChainDual, LooksAtAnExampleInOneGoAsByScoresAndOracle) {
  Random random(31);
  for (int repeat = 0; repeat < 10; ++repeat) {
    const bool constrained = repeat % 2 == 1;
    const DataShape shape{.sequences = 4, .labels = 3, .edge = 0};
    RandomModel model =
        constrained ? constrained_model(shape, random) : random_model(shape, {}, 1, random);
    const ChainDualOptions options{
        .l2 = kL2, .parts = ChainParts::by_position, .loss = DualLoss::log_loss};
    ChainDualProblem problem(model.data, model.layout, options);
    // Somewhere that is not w = 0.
    std::vector<double> delta = random_numbers(problem.parts(0), random);
    problem.aim(0, std::span<const double>(delta));
    problem.move(0.3);
    expect_same_look<double>(problem, random, 1e-12);
    expect_same_look<float>(problem, random, 2e-5);
  }
}

}  // namespace
}  // namespace croft::chain_dual_test
