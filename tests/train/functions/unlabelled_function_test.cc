// Terms of data without labels against enumeration of all labellings, and their gradients against
// central differences.
#include "train/functions/unlabelled_function.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "objective/log_partition.h"
#include "support/all_sequences.h"
#include "support/naive_objective.h"
#include "train/functions/chain_batch_function.h"

namespace croft::unlabelled_function_test {
namespace {

using namespace testing_support;
using Vector = std::vector<double>;

constexpr std::size_t kLabels = 3;

// No labels count here; the same data is the labelled part, too.
RandomModel random_chains(std::uint64_t seed, std::size_t longest = 4) {
  Random random(seed);
  const DataShape shape{.sequences = 6, .max_length = longest, .labels = kLabels, .values = false};
  return random_model(shape, {.features = FeatureSet::all}, 0.7, random);
}

std::vector<std::uint32_t> attributes_of(const RandomModel& model) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t a = 0; a < model.renumbering.node.size() && out.size() < 3; ++a) {
    if (model.renumbering.node[a] != kUnknown) out.push_back(a);
  }
  return out;
}
std::uint64_t weights_of(const RandomModel& model, std::uint32_t attribute) {
  return model.layout.node.begin[model.renumbering.node[attribute]];
}

// By enumeration, with weights w: visit(sequence, y, p).
void for_each_labelling(
    const RandomModel& model, const Vector& w,
    const std::function<void(const PlainSequence&, const std::vector<Label>&, double p)>& visit) {
  const NaiveWeights weights(model.layout, model.renumbering, nullptr);
  for (const PlainSequence& x : model.plain) {
    std::vector<std::pair<std::vector<Label>, double>> all;
    double z = 0;
    for_each_sequence(kLabels, x.label.size(), [&](const std::vector<Label>& y) {
      double score = 0;
      for_each_fired(x, y, model.layout.tied.rows(), [&](const Feature& feature, double v) {
        if (const auto k = weights.place(feature)) score += v * w[*k];
      });
      all.emplace_back(y, std::exp(score));
      z += all.back().second;
    });
    for (const auto& [y, factor] : all) visit(x, y, factor / z);
  }
}

// [labels] how often each is expected where the attribute is.
Vector expected(const RandomModel& model, const Vector& w, std::uint32_t attribute) {
  Vector out(kLabels);
  for_each_labelling(model, w, [&](const auto& x, const auto& y, double p) {
    for_each_fired(x, y, 0, [&](const Feature& f, double v) {
      if (f.kind == FeatureKind::node && f.attribute == attribute) out[f.to] += x.weight * p * v;
    });
  });
  return out;
}
double sum_of(const Vector& v) {
  double sum = 0;
  for (const double each : v) sum += each;
  return sum;
}

class Terms {
 public:
  Terms(const RandomModel& model, UnlabelledTerms terms)
      : terms_(std::move(terms)),
        pool_(2),
        labelled_(model.data, model.layout, pool_),
        log_partition_(model.data, model.layout, pool_,
                       [] { return std::make_unique<ChainLogPartition<double>>(); }),
        all_(labelled_, log_partition_, terms_) {}
  // Of the terms alone.
  double operator()(const Vector& w) {
    Vector ignored(w.size());
    const double whole = all_.evaluate(w, ignored);
    return whole - labelled_.evaluate(w, ignored);
  }
  Vector gradient(const Vector& w) {
    Vector whole(w.size()), part(w.size());
    all_.evaluate(w, whole);
    labelled_.evaluate(w, part);
    for (std::size_t k = 0; k < w.size(); ++k) whole[k] -= part[k];
    return whole;
  }
  std::string warning() const { return all_.warning(); }

 private:
  UnlabelledTerms terms_;
  ThreadPool pool_;
  ChainBatchFunction<double> labelled_, log_partition_;
  UnlabelledFunction all_;
};

void expect_gradient_by_differences(const RandomModel& model, const UnlabelledTerms& of,
                                    double tolerance) {
  Terms terms(model, of);
  const Vector gradient = terms.gradient(model.w);
  Vector w = model.w;
  for (std::size_t k = 0; k < w.size(); ++k) {
    constexpr double kStep = 1e-5;
    w[k] = model.w[k] + kStep;
    const double above = terms(w);
    w[k] = model.w[k] - kStep;
    const double below = terms(w);
    w[k] = model.w[k];
    ASSERT_NEAR(gradient[k], (above - below) / (2 * kStep), tolerance) << "weight " << k;
  }
}

TEST(UnlabelledFunction, EntropyIsThatOfAllLabellings) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const RandomModel model = random_chains(seed);
    double entropy = 0;
    for_each_labelling(model, model.w, [&](const auto& x, const auto&, double p) {
      entropy -= x.weight * p * std::log(p);
    });
    Terms terms(model, {.entropy = 0.5});
    EXPECT_NEAR(terms(model.w), 0.5 * entropy, 1e-9 * entropy);
    expect_gradient_by_differences(model, {.entropy = 0.5}, 1e-6);
  }
}

UnlabelledTerms random_targets(const RandomModel& model, Random& random) {
  UnlabelledTerms terms{.targets = 2};
  for (const std::uint32_t a : attributes_of(model)) {
    Vector share(kLabels);
    for (double& each : share) each = random.uniform();
    if (a == 1) share[0] = 0;  // what should never be there
    const double sum = sum_of(share);
    for (double& each : share) each /= sum;
    terms.target.push_back({weights_of(model, a), share});
  }
  return terms;
}

TEST(UnlabelledFunction, ExpectationsAreTheDivergenceFromTheExpectedShares) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Random random(seed);
    const RandomModel model = random_chains(seed);
    const UnlabelledTerms of = random_targets(model, random);
    double value = 0, occurrences = 0;
    std::size_t k = 0;
    for (const std::uint32_t a : attributes_of(model)) {
      const Vector counts = expected(model, model.w, a);
      const double n = sum_of(counts);
      occurrences += n;
      const Vector& share = of.target[k++].share;
      for (std::size_t y = 0; y < kLabels; ++y) {
        if (share[y] > 0) value += n * share[y] * std::log(share[y] * n / counts[y]);
      }
    }
    Terms terms(model, of);
    EXPECT_NEAR(terms(model.w), 2 * value / occurrences, 1e-9);
    expect_gradient_by_differences(model, of, 1e-6);
  }
}

TEST(UnlabelledFunction, ThereIsNothingToPayWhereTheModelExpectsWhatItShould) {
  const RandomModel model = random_chains(7);
  UnlabelledTerms of{.targets = 1, .bounds = 1};
  for (const std::uint32_t a : attributes_of(model)) {
    Vector counts = expected(model, model.w, a);
    const double n = sum_of(counts);
    for (double& each : counts) each /= n;
    of.target.push_back({weights_of(model, a), counts});
    of.bound.push_back({weights_of(model, a), kLabels, 0, true, counts[0] - 1e-3});
    of.bound.push_back({weights_of(model, a), kLabels, 0, false, counts[0] + 1e-3});
  }
  Terms terms(model, of);
  EXPECT_NEAR(terms(model.w), 0, 1e-9);
  for (const double each : terms.gradient(model.w)) EXPECT_NEAR(each, 0, 1e-6);
}

// KL(q || p) for q ~ p exp(-lambda n), n: how often the label is where the attribute is.
double divergence(const RandomModel& model, std::uint32_t a, Label label, double lambda) {
  Vector moved = model.w;
  moved[weights_of(model, a) + label] -= lambda;
  std::vector<double> p, q, weight;
  for_each_labelling(model, model.w, [&](const auto& x, const auto&, double each) {
    p.push_back(each);
    weight.push_back(x.weight);
  });
  for_each_labelling(model, moved,
                     [&](const auto&, const auto&, double each) { q.push_back(each); });
  double sum = 0;
  for (std::size_t k = 0; k < p.size(); ++k) sum += weight[k] * q[k] * std::log(q[k] / p[k]);
  return sum;
}

TEST(UnlabelledFunction, ABoundCostsTheDivergenceFromTheNearestDistributionThatKeepsIt) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const RandomModel model = random_chains(seed, 3);
    const std::uint32_t a = attributes_of(model)[0];
    const Vector now = expected(model, model.w, a);
    const double n = sum_of(now);
    for (const bool at_least : {true, false}) {
      const Label label = 1;
      const double share = at_least ? 0.5 + 0.5 * now[label] / n : 0.5 * now[label] / n;
      double low = -50, high = 50;  // of lambda: the count falls with it
      for (int step = 0; step < 60; ++step) {
        const double lambda = (low + high) / 2;
        Vector moved = model.w;
        moved[weights_of(model, a) + label] -= lambda;
        (expected(model, moved, a)[label] > share * n ? low : high) = lambda;
      }
      UnlabelledTerms of{.bounds = 3};
      of.bound.push_back({weights_of(model, a), kLabels, label, at_least, share});
      Terms terms(model, of);
      EXPECT_NEAR(terms(model.w), 3 * divergence(model, a, label, low), 1e-6) << seed << at_least;
      expect_gradient_by_differences(model, of, 1e-5);
    }
  }
}

TEST(UnlabelledFunction, SeveralBoundsAreKeptAtOnce) {
  const RandomModel model = random_chains(11);
  UnlabelledTerms of{.entropy = 0.2, .targets = 1, .bounds = 1};
  Random random(3);
  of.target = random_targets(model, random).target;
  for (const std::uint32_t a : attributes_of(model)) {
    of.bound.push_back({weights_of(model, a), kLabels, 0, true, 0.5});
    of.bound.push_back({weights_of(model, a), kLabels, 2, false, 0.1});
  }
  expect_gradient_by_differences(model, of, 1e-5);
}

TEST(UnlabelledFunction, ABoundThatCannotBeMetCostsNoMoreThanItsMultiplier) {
  const RandomModel model = random_chains(2);
  UnlabelledTerms of{.bounds = 1};
  of.bound.push_back({weights_of(model, attributes_of(model)[0]), kLabels, 0, true, 1});
  Terms terms(model, of);
  EXPECT_TRUE(std::isfinite(terms(model.w)));
  EXPECT_GT(terms(model.w), 0);
}

TEST(UnlabelledFunction, BoundsThatContradictEachOtherAreWarnedOf) {
  const RandomModel model = random_chains(2);
  const std::uint64_t weights = weights_of(model, attributes_of(model)[0]);
  for (const double share : {0.45, 0.6}) {
    UnlabelledTerms of{.bounds = 1};
    of.bound.push_back({weights, kLabels, 0, true, share});
    of.bound.push_back({weights, kLabels, 2, true, share});
    Terms terms(model, of);
    EXPECT_TRUE(std::isfinite(terms(model.w)));
    EXPECT_EQ(terms.warning().empty(), share < 0.5) << terms.warning();
  }
}

}  // namespace
}  // namespace croft::unlabelled_function_test
