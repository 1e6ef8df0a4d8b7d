// The training objective of chains of order 2 and more: against an enumeration of all labellings
// from the definition (H.1), central differences, and itself.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>

#include "croft/core/error.h"
#include "objective/chain_objectives.h"
#include "support/naive_features.h"
#include "train/functions/chain_batch_function.h"

namespace croft::history_objective_test {
namespace {

using testing_support::DataShape;
using testing_support::Feature;
using testing_support::PlainSequence;
using testing_support::random_model;
using testing_support::RandomModel;

using Labels = std::vector<Label>;

// All labellings of `length` positions.
std::vector<Labels> all_labellings(std::size_t length, std::size_t labels) {
  std::vector<Labels> list{{}};
  for (std::size_t t = 0; t < length; ++t) {
    std::vector<Labels> longer;
    for (const Labels& y : list) {
      for (Label j = 0; j < labels; ++j) {
        longer.push_back(y);
        longer.back().push_back(j);
      }
    }
    list = std::move(longer);
  }
  return list;
}

struct Evaluation {
  double value = 0;
  std::vector<double> gradient;
};

// What a labelling fires beyond the features of order 1: visit(position of the gram's weight in w).
template <class Visit>
void for_each_gram(const ChainLayout& layout, const Labels& y, const Visit& visit) {
  const LabelHistories& h = *layout.histories;
  for (std::size_t g = 0; g < h.grams.size(); ++g) {
    const std::span<const Label> gram = h.grams[g];
    for (std::size_t begin = 0; begin + gram.size() <= y.size(); ++begin) {
      if (std::equal(gram.begin(), gram.end(), y.begin() + static_cast<std::ptrdiff_t>(begin))) {
        visit(layout.first_gram() + g);
      }
    }
  }
}

bool has_path(const LabelHistories& h, const Labels& y) {
  Labels state(y.size());
  return history_path(h, y, state) == y.size();
}

using Cost = std::function<double(const Gold&, const Labels&)>;

// The objective and its derivative by each weight, over the labellings that have a path.
Evaluation by_definition(const RandomModel& model, const Cost& cost) {
  const ChainLayout& layout = model.layout;
  Evaluation result{0, std::vector<double>(layout.dimension())};
  for (std::size_t n = 0; n < model.plain.size(); ++n) {
    const PlainSequence& x = model.plain[n];
    const Gold gold = model.data.gold(n);
    const auto for_each_fired_weight = [&](const Labels& y, const auto& visit) {
      for_each_fired(x, y, layout.tied.rows(), [&](const Feature& feature, double value) {
        const auto found = model.position.find(feature);
        if (found != model.position.end()) visit(found->second, value);
      });
      for_each_gram(layout, y, [&](std::uint64_t at) { visit(at, 1.0); });
    };
    long double z = 0, z_fitting = 0;
    std::vector<std::pair<Labels, std::pair<long double, long double>>> terms;
    for (const Labels& y : all_labellings(x.label.size(), layout.labels)) {
      if (!has_path(*layout.histories, y)) continue;
      long double score = 0;
      for_each_fired_weight(y, [&](std::uint64_t at, double value) {
        score += static_cast<long double>(value) * model.w[at];
      });
      bool fits = true;
      for (std::size_t t = 0; t < y.size(); ++t) fits = fits && gold.allows(t, y[t]);
      const long double all = std::exp(score + cost(gold, y)), fitting = fits ? std::exp(score) : 0;
      z += all;
      z_fitting += fitting;
      terms.push_back({y, {all, fitting}});
    }
    for (const auto& [y, term] : terms) {
      const long double factor = x.weight * (term.first / z - term.second / z_fitting);
      for_each_fired_weight(y, [&](std::uint64_t at, double value) {
        result.gradient[at] += static_cast<double>(factor) * value;
      });
    }
    result.value += static_cast<double>(x.weight * (std::log(z) - std::log(z_fitting)));
  }
  return result;
}

template <class Real, class Objective = ChainLikelihood<Real>>
Evaluation evaluate(
    const RandomModel& model, std::size_t threads = 1,
    const std::function<Objective()>& make = [] { return Objective(); }) {
  ThreadPool pool(threads);
  ChainBatchFunction<Real> function(model.data, model.layout, pool,
                                    [&] { return std::make_unique<Objective>(make()); });
  Evaluation result;
  result.gradient.assign(function.dimension(), std::numeric_limits<double>::quiet_NaN());
  result.value = function.evaluate(model.w, result.gradient);
  return result;
}

void expect_near(const Evaluation& a, const Evaluation& b, double tolerance) {
  EXPECT_NEAR(a.value, b.value, tolerance * (1 + std::abs(b.value)));
  ASSERT_EQ(a.gradient.size(), b.gradient.size());
  double largest = 0;
  for (const double g : b.gradient) largest = std::max(largest, std::abs(g));
  for (std::size_t k = 0; k < b.gradient.size(); ++k) {
    ASSERT_NEAR(a.gradient[k], b.gradient[k], tolerance * (1 + largest)) << "weight " << k;
  }
}

// A random model of order 1, given histories and random weights of grams.
RandomModel lifted_model(const DataShape& shape, const LayoutOptions& options,
                         HistoryOptions histories, Random& random) {
  RandomModel model = random_model(shape, options, 0.7, random);
  histories.features = options.features;
  model.layout.histories = choose_histories(model.data, shape.labels, histories);
  while (model.w.size() < model.layout.dimension()) model.w.push_back(0.7 * random.normal());
  return model;
}

// body(model) for small models of every kind.
template <class Body>
void for_small_models(const Body& body) {
  Random random(1);
  for (const std::size_t order : {2, 3, 4}) {
    for (const HistorySet set : {HistorySet::seen, HistorySet::allowed}) {
      for (const FeatureSet features : {FeatureSet::observed, FeatureSet::all}) {
        for (const double edge : {0.0, 0.6}) {
          for (const std::size_t labels : {1, 2, 3}) {
            SCOPED_TRACE(testing::Message()
                         << "order " << order << " allowed " << (set == HistorySet::allowed)
                         << " all " << (features == FeatureSet::all) << " edge " << edge
                         << " labels " << labels);
            const DataShape shape{.sequences = 8, .max_length = 6, .labels = labels, .edge = edge};
            body(lifted_model(shape, {features, 1, 1}, {.order = order, .histories = set}, random));
          }
        }
      }
    }
  }
}

// Some labels are no longer known, or one of two.  With all histories some labelling always fits.
RandomModel with_partial_labels(RandomModel model, Random& random) {
  LabelSets& sets = model.data.label_sets;
  for (Label& known : model.data.label) {
    const std::uint64_t kind = random.below(3);
    if (kind == 0) known = kAnyLabel;
    if (kind != 1) continue;
    const auto other = static_cast<Label>(random.below(model.layout.labels));
    sets.label.push_back(std::min(known, other));
    if (other != known) sets.label.push_back(std::max(known, other));
    known = static_cast<Label>(kLabelSetBit + sets.size());
    sets.begin.push_back(static_cast<std::uint32_t>(sets.label.size()));
  }
  return model;
}

double no_cost(const Gold&, const Labels&) { return 0; }

TEST(HistoryObjective, ValueAndGradientAreThoseOfTheDefinition) {
  for_small_models([](const RandomModel& model) {
    const Evaluation truth = by_definition(model, no_cost);
    expect_near(evaluate<double>(model), truth, 1e-12);
    expect_near(evaluate<float>(model), truth, 3e-6);
  });
}

TEST(HistoryObjective, PartialLabelsAreThoseOfTheDefinition) {
  Random random(2);
  for_small_models([&](const RandomModel& complete) {
    const RandomModel model = with_partial_labels(complete, random);
    const Evaluation truth = by_definition(model, no_cost);
    expect_near(evaluate<double>(model), truth, 1e-12);
    expect_near(evaluate<float>(model), truth, 3e-6);
  });
}

TEST(HistoryObjective, SoftmaxMarginIsThatOfTheDefinition) {
  Random random(3);
  for_small_models([&](const RandomModel& complete) {
    for (const bool partial : {false, true}) {
      const RandomModel model = partial ? with_partial_labels(complete, random) : complete;
      const LabelCost cost = hamming_cost(model.layout.labels, 1.5);
      const Cost of_labelling = [&](const Gold& gold, const Labels& y) {
        double sum = 0;
        for (std::size_t t = 0; t < y.size(); ++t) sum += gold.allows(t, y[t]) ? 0 : 1.5;
        return sum;
      };
      const auto margin = [&]<class Real>(Real) {
        return evaluate<Real, SoftmaxMargin<Real>>(
            model, 1, [&] { return SoftmaxMargin<Real>(cost, model.layout.histories->label_of); });
      };
      const Evaluation truth = by_definition(model, of_labelling);
      expect_near(margin(double{}), truth, 1e-12);
      expect_near(margin(float{}), truth, 3e-6);
    }
  });
}

TEST(HistoryObjective, GradientIsTheCentralDifference) {
  Random random(4);
  for (const std::size_t order : {2, 3}) {
    RandomModel model =
        lifted_model({.sequences = 12, .min_length = 5, .max_length = 12, .labels = 4},
                     {FeatureSet::observed, 1, 1}, {.order = order}, random);
    const Evaluation at = evaluate<double>(model);
    double largest = 0;
    for (std::size_t k = 0; k < model.w.size(); ++k) {
      constexpr double kStep = 1e-5;
      const double w = model.w[k];
      model.w[k] = w + kStep;
      const double above = evaluate<double>(model).value;
      model.w[k] = w - kStep;
      const double below = evaluate<double>(model).value;
      model.w[k] = w;
      ASSERT_NEAR((above - below) / (2 * kStep), at.gradient[k], 1e-6 * (1 + at.value / 100));
      if (k >= model.layout.first_gram()) largest = std::max(largest, std::abs(at.gradient[k]));
    }
    EXPECT_GT(largest, 0.5);  // grams matter
  }
}

// With all histories and weights of 0 for the grams, the model is the chain of order 1.
TEST(HistoryObjective, WithoutWeightsOfGramsAndWithAllHistoriesItIsThatOfOrder1) {
  Random random(5);
  for (const std::size_t order : {2, 3}) {
    RandomModel model =
        lifted_model({.sequences = 20, .max_length = 15, .labels = 4}, {FeatureSet::observed, 1, 1},
                     {.order = order, .histories = HistorySet::allowed}, random);
    std::fill(model.w.begin() + static_cast<std::ptrdiff_t>(model.layout.first_gram()),
              model.w.end(), 0.0);
    Evaluation lifted = evaluate<double>(model);
    model.layout.histories = nullptr;
    model.w.resize(model.layout.dimension());
    lifted.gradient.resize(model.w.size());
    expect_near(lifted, evaluate<double>(model), 1e-12);
  }
}

TEST(HistoryObjective, TheNumberOfThreadsChangesNoBit) {
  Random random(6);
  for (const double edge : {0.0, 0.3}) {
    const RandomModel model =
        lifted_model({.sequences = 900, .max_length = 40, .labels = 6, .edge = edge},
                     {FeatureSet::observed, 1, 1}, {.order = 2}, random);
    const Evaluation one = evaluate<float>(model, 1), three = evaluate<float>(model, 3);
    EXPECT_EQ(std::memcmp(&one.value, &three.value, sizeof(double)), 0);
    ASSERT_EQ(one.gradient.size(), three.gradient.size());
    EXPECT_EQ(std::memcmp(one.gradient.data(), three.gradient.data(),
                          one.gradient.size() * sizeof(double)),
              0);
  }
}

// What the active set's screening reads is the derivative by the labels' states, not the
// histories'.
TEST(HistoryObjective, DerivativesOfStatesAreThoseOfLabels) {
  Random random(7);
  const RandomModel model = lifted_model({.sequences = 10, .labels = 3, .edge = 0},
                                         {FeatureSet::observed, 1, 1}, {.order = 2}, random);
  ThreadPool pool(1);
  ChainBatchFunction<double> function(model.data, model.layout, pool);
  std::vector<double> gradient(function.dimension());
  Matrix<float> d_state(model.data.positions(), 3);
  function.evaluate(model.w, gradient, 0, d_state);
  std::map<Feature, double> by_feature;
  for (std::size_t p = 0, n = 0, t = 0; p < model.data.positions(); ++p, ++t) {
    if (t == model.plain[n].label.size()) ++n, t = 0;
    for (const auto& each : model.plain[n].node[t]) {
      for (Label j = 0; j < 3; ++j) {
        by_feature[{testing_support::FeatureKind::node, each.attribute, 0, j}] +=
            each.value * double{d_state(p, j)};
      }
    }
  }
  for (const auto& [feature, at] : model.position) {
    if (feature.kind != testing_support::FeatureKind::node) continue;
    EXPECT_NEAR(gradient[at], by_feature[feature], 1e-5);
  }
}

TEST(HistoryObjective, ALabellingWithoutAPathIsAnErrorThatNamesItsLine) {
  Random random(8);
  RandomModel model = lifted_model({.sequences = 3, .min_length = 3, .labels = 3},
                                   {FeatureSet::observed, 1, 1}, {.order = 2}, random);
  LabelRuns one;
  one.add(Labels{0});
  model.layout.histories =
      std::make_shared<const LabelHistories>(make_histories(2, 3, std::move(one), {}));
  model.data.first_line = {17, 21, 25};
  try {
    evaluate<float>(model);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("line 17: the labels of the sequence"), 0u)
        << error.what();
  }
}

}  // namespace
}  // namespace croft::history_objective_test
