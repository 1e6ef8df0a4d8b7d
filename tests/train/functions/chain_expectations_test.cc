// The counts of a chain's features against enumeration of all labellings, and iterative scaling on
// them against L-BFGS.
#include "train/functions/chain_expectations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "croft/core/error.h"
#include "croft/optimize/lbfgs.h"
#include "optimize/memory_checkpoint.h"
#include "support/all_sequences.h"
#include "support/naive_objective.h"

namespace croft::chain_expectations_test {
namespace {

using namespace testing_support;
using Vector = std::vector<double>;

// Values >= 0, many of them not whole.
RandomModel random_positive_model(std::uint64_t seed, FeatureSet features, Random& random) {
  RandomModel model;
  DataShape shape{.sequences = 14, .max_length = 5, .edge = seed % 3 == 0 ? 0 : 0.5};
  model.plain = random_plain_data(shape, random);
  for (PlainSequence& sequence : model.plain) {
    for (auto* lists : {&sequence.node, &sequence.edge}) {
      for (auto& list : *lists) {
        for (Occurrence& each : list) each.value = std::abs(each.value);
      }
    }
  }
  const LayoutOptions options{.features = features};
  model.data = to_chain_data(model.plain);
  model.layout = make_chain_layout(model.data, shape.labels, shape.node_attributes,
                                   shape.edge_attributes, options, model.renumbering);
  model.w.resize(model.layout.dimension());
  for (double& x : model.w) x = random.normal();
  return model;
}

// By enumeration: of every sequence its largest total, and its expected counts.
struct NaiveCounts {
  Vector total;                  // [sequences]
  std::vector<Vector> expected;  // [sequences][dimension]
  Vector empirical;              // [dimension]
};
NaiveCounts naive_counts(const RandomModel& model) {
  const NaiveWeights weights(model.layout, model.renumbering, nullptr);
  NaiveCounts counts;
  counts.empirical.resize(model.w.size());
  for (const PlainSequence& x : model.plain) {
    const auto add = [&](const std::vector<Label>& y, double factor, Vector& out) {
      for_each_fired(x, y, model.layout.tied.rows(), [&](const Feature& feature, double v) {
        if (const auto k = weights.place(feature)) out[*k] += factor * v;
      });
    };
    double largest = 0, z = 0;
    Vector sum(model.w.size());
    for_each_sequence(model.layout.labels, x.label.size(), [&](const std::vector<Label>& y) {
      Vector fired(model.w.size());
      add(y, 1, fired);
      double total = 0, score = 0;
      for (std::size_t k = 0; k < fired.size(); ++k) {
        total += fired[k];
        score += model.w[k] * fired[k];
      }
      largest = std::max(largest, total);
      z += std::exp(score);
      add(y, std::exp(score), sum);
    });
    for (double& s : sum) s *= x.weight / z;
    counts.total.push_back(largest);
    counts.expected.push_back(sum);
    add(x.label, x.weight, counts.empirical);
  }
  return counts;
}

TEST(ChainExpectations, AreThoseOfEnumeration) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    const RandomModel model =
        random_positive_model(seed, seed % 2 == 0 ? FeatureSet::all : FeatureSet::observed, random);
    const NaiveCounts naive = naive_counts(model);
    const std::size_t n = model.w.size();
    ThreadPool pool(2);
    for (const std::size_t groups : {1, 3, 100}) {
      ChainExpectations f(model.data, model.layout, pool, groups);
      Vector gradient(n);
      f.evaluate(model.w, gradient);
      const ExpectedCounts& counts = f.expected();
      // Every sequence belongs to the group of the smallest total that is not below its own.
      std::map<double, Vector> expected;
      for (const double total : counts.total) expected[total].resize(n);
      EXPECT_LE(expected.size(), groups);
      for (std::size_t s = 0; s < model.plain.size(); ++s) {
        const auto at = expected.lower_bound(naive.total[s] - 1e-12);
        ASSERT_NE(at, expected.end());
        if (groups == 100 && naive.total[s] > 0) {
          EXPECT_NEAR(at->first, naive.total[s], 1e-12);
        }
        for (std::size_t k = 0; k < n; ++k) at->second[k] += naive.expected[s][k];
      }
      ASSERT_EQ(counts.begin.size(), n + 1);
      for (std::size_t k = 0; k < n; ++k) {
        EXPECT_NEAR(f.empirical()[k], naive.empirical[k], 1e-13 * (1 + naive.empirical[k]));
        double sum = 0;
        std::map<double, double> of_total;
        for (std::uint64_t e = counts.begin[k]; e < counts.begin[k + 1]; ++e) {
          of_total[counts.total[counts.group[e]]] = counts.expected[e];
          sum += counts.expected[e];
        }
        for (const auto& [total, all] : expected) EXPECT_NEAR(of_total[total], all[k], 1e-12);
        EXPECT_NEAR(gradient[k], sum - naive.empirical[k], 1e-12);
      }
    }
  }
}

TEST(ChainExpectations, ValueAndGradientAreThoseOfTheLikelihood) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Random random(seed);
    const RandomModel model = random_positive_model(seed, FeatureSet::observed, random);
    ThreadPool pool(1);
    ChainExpectations f(model.data, model.layout, pool, 4);
    ChainBatchFunction<double> likelihood(model.data, model.layout, pool);
    Vector a(model.w.size()), b(model.w.size());
    EXPECT_NEAR(f.evaluate(model.w, a), likelihood.evaluate(model.w, b), 1e-11);
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-11);
  }
}

TEST(ChainExpectations, HistoriesCountTheirGramsToo) {
  Random random(3);
  RandomModel model = random_positive_model(3, FeatureSet::all, random);
  model.layout.histories = choose_histories(model.data, model.layout.labels,
                                            {.order = 2, .histories = HistorySet::seen});
  ThreadPool pool(1);
  ChainExpectations f(model.data, model.layout, pool, 4);
  ChainBatchFunction<double> likelihood(model.data, model.layout, pool);
  Vector w(model.layout.dimension()), a(w.size()), b(w.size());
  for (double& x : w) x = 0.5 * random.normal();
  EXPECT_NEAR(f.evaluate(w, a), likelihood.evaluate(w, b), 1e-11);
  double grams = 0;
  for (std::size_t k = 0; k < w.size(); ++k) {
    EXPECT_NEAR(a[k], b[k], 1e-11);
    if (k >= model.layout.first_gram()) grams += f.empirical()[k];
  }
  EXPECT_GT(grams, 0);
}

using Scaling = decltype(&improved_iterative_scaling);
constexpr Scaling kBoth[] = {&generalised_iterative_scaling, &improved_iterative_scaling};

TEST(ChainExpectations, IterativeScalingFindsTheOptimumOfLbfgsAndNeverRaisesTheObjective) {
  Random random(4);
  const RandomModel model = random_positive_model(4, FeatureSet::all, random);
  ThreadPool pool(1);
  const Regulariser l2{.l2 = 2};
  ChainBatchFunction<double> likelihood(model.data, model.layout, pool);
  Vector expected(model.w.size());
  LbfgsOptions options;
  options.stop = {.max_iterations = 10000, .tolerance = 0, .gradient_tolerance = 1e-10};
  ASSERT_TRUE(lbfgs(likelihood, l2, expected, options, pool).converged());
  for (const Scaling method : kBoth) {
    ChainExpectations f(model.data, model.layout, pool, method == kBoth[0] ? 1 : 50);
    Vector w(model.w.size());
    double last = std::numeric_limits<double>::infinity();
    const OptimizeResult result = method(
        f, l2, w, {.stop = {.max_iterations = 50000, .tolerance = 0, .gradient_tolerance = 1e-9}},
        pool,
        [&](const Iteration& now) {
          EXPECT_LE(now.objective, last * (1 + 1e-12));
          last = now.objective;
          return true;
        },
        nullptr);
    EXPECT_EQ(result.reason, StopReason::converged_gradient) << result.message;
    for (std::size_t k = 0; k < w.size(); ++k) EXPECT_NEAR(w[k], expected[k], 1e-8);
  }
}

TEST(ChainExpectations, AResumedRunGoesOnToTheSameBits) {
  for (const Scaling method : kBoth) {
    Random random(5);
    const RandomModel model = random_positive_model(5, FeatureSet::all, random);
    const auto resumed = expect_resumed_runs_to_agree(
        Vector(model.w.size(), 0.1), [&](Vector& w, Checkpointer* checkpoints) {
          ThreadPool pool(2);
          ChainExpectations f(model.data, model.layout, pool, 3);
          const StoppingRule stop{.max_iterations = 6, .tolerance = 0, .gradient_tolerance = 0};
          return method(f, {.l2 = 1}, w, {.stop = stop}, pool, {}, checkpoints);
        });
    EXPECT_EQ(resumed, 5u);
  }
}

TEST(ChainExpectations, FeaturesThatWereNeverSeenNeedAPrior) {
  Random random(6);
  const RandomModel model = random_positive_model(6, FeatureSet::all, random);
  ThreadPool pool(1);
  ChainExpectations f(model.data, model.layout, pool, 1);
  Vector w(model.w.size());
  EXPECT_THROW(improved_iterative_scaling(f, {}, w, {}, pool), UsageError);
}

TEST(ChainExpectations, BadDataIsNamed) {
  Random random(7);
  const RandomModel model = random_positive_model(7, FeatureSet::all, random);
  ThreadPool pool(1);
  const auto message = [&](const ChainData& data, std::size_t groups = 1) -> std::string {
    try {
      ChainExpectations(data, model.layout, pool, groups);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  ChainData negative = model.data;
  negative.node.value.back() = -0.5;
  std::size_t last = negative.sequences();
  while (negative.node.begin[negative.sequence_begin[last - 1]] == negative.node.id.size()) --last;
  EXPECT_EQ(message(negative), "an attribute of sequence " + std::to_string(last) +
                                   " has the value -0.5; iterative scaling needs values >= 0");
  ChainData partial = model.data;
  partial.label[0] = kAnyLabel;
  EXPECT_EQ(message(partial), "iterative scaling needs data in which every label is fully known");
  EXPECT_EQ(message(model.data, 0), "groups is 0; it must be from 1 to 65536");
  EXPECT_EQ(message(model.data), "");
}

}  // namespace
}  // namespace croft::chain_expectations_test
