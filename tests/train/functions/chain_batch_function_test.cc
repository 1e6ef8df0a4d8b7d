// The training objective of a chain against an objective computed by enumeration, central
// differences, and itself: with other numbers of threads, cut into single sequences, with doubled
// sequences.
#include "train/functions/chain_batch_function.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "croft/optimize/regulariser.h"
#include "objective/chain_objectives.h"
#include "objective/graph/local_terms.h"
#include "support/chain_graph.h"
#include "support/naive_features.h"
#include "support/thread_ranks.h"
#include "train/chain_methods.h"

namespace croft::chain_batch_function_test {
namespace {

using testing_support::DataShape;
using testing_support::Feature;
using testing_support::FeatureWeights;
using testing_support::one_sequence;
using testing_support::PlainSequence;
using testing_support::random_model;
using testing_support::RandomModel;

template <class Real>
using Likelihood = ChainBatchFunction<Real>;

struct Evaluation {
  double value = 0;
  std::vector<double> gradient;
};

// The gradient starts as NaN: what is not overwritten shows.
Evaluation evaluate(BatchFunction& function, std::span<const double> w) {
  Evaluation result;
  result.gradient.assign(function.dimension(), std::numeric_limits<double>::quiet_NaN());
  result.value = function.evaluate(w, result.gradient);
  return result;
}

template <class Real>
Evaluation evaluate(const ChainData& data, const ChainLayout& layout, std::span<const double> w,
                    std::size_t threads = 1) {
  ThreadPool pool(threads);
  Likelihood<Real> function(data, layout, pool);
  return evaluate(function, w);
}

template <class Real>
Evaluation evaluate(const RandomModel& model, std::size_t threads = 1) {
  return evaluate<Real>(model.data, model.layout, model.w, threads);
}

void expect_same_bits(const Evaluation& a, const Evaluation& b) {
  EXPECT_EQ(std::memcmp(&a.value, &b.value, sizeof(double)), 0) << a.value << " " << b.value;
  ASSERT_EQ(a.gradient.size(), b.gradient.size());
  EXPECT_EQ(std::memcmp(a.gradient.data(), b.gradient.data(), a.gradient.size() * sizeof(double)),
            0);
}

// Within tolerance (1 + |value|), and tolerance (1 + the largest derivative).
void expect_near(const Evaluation& a, const Evaluation& b, double tolerance) {
  EXPECT_NEAR(a.value, b.value, tolerance * (1 + std::abs(b.value)));
  ASSERT_EQ(a.gradient.size(), b.gradient.size());
  double largest = 0;
  for (const double g : b.gradient) largest = std::max(largest, std::abs(g));
  for (std::size_t k = 0; k < b.gradient.size(); ++k) {
    ASSERT_NEAR(a.gradient[k], b.gradient[k], tolerance * (1 + largest)) << "weight " << k;
  }
}

// All labellings of `length` positions, in lexicographic order.
std::vector<std::vector<Label>> all_labellings(std::size_t length, std::size_t labels) {
  std::vector<std::vector<Label>> list{{}};
  for (std::size_t t = 0; t < length; ++t) {
    std::vector<std::vector<Label>> longer;
    for (const auto& y : list) {
      for (Label j = 0; j < labels; ++j) {
        longer.push_back(y);
        longer.back().push_back(j);
      }
    }
    list = std::move(longer);
  }
  return list;
}

// sum of weight (log sum_y exp(score(y) + cost(y)) - log sum_{y fits} exp score(y)), and its
// derivative by each feature.
struct NaiveObjective {
  using Cost = std::function<double(const Gold& gold, const std::vector<Label>& y)>;
  Cost cost = [](const auto&, const auto&) { return 0.0; };
  long double value = 0;
  std::map<Feature, double> gradient;

  void add(const PlainSequence& x, const Gold& gold, std::size_t labels, std::size_t tied_rows,
           const FeatureWeights& weights) {
    const auto score = [&](const std::vector<Label>& y) {
      long double sum = 0;
      for_each_fired(x, y, tied_rows, [&](const Feature& feature, double v) {
        const auto found = weights.find(feature);
        if (found != weights.end()) sum += static_cast<long double>(v) * found->second;
      });
      return sum;
    };
    const auto fits = [&](const std::vector<Label>& y) {
      for (std::size_t t = 0; t < y.size(); ++t) {
        if (!gold.allows(t, y[t])) return false;
      }
      return true;
    };
    const auto add_gradient = [&](const std::vector<Label>& y, long double factor) {
      for_each_fired(x, y, tied_rows, [&](const Feature& feature, double v) {
        gradient[feature] += static_cast<double>(x.weight * factor * v);
      });
    };
    const auto labellings = all_labellings(x.label.size(), labels);
    long double z = 0, z_fitting = 0;  // scores of a few units: nothing overflows
    for (const auto& y : labellings) {
      z += std::exp(score(y) + cost(gold, y));
      if (fits(y)) z_fitting += std::exp(score(y));
    }
    for (const auto& y : labellings) {
      add_gradient(y, std::exp(score(y) + cost(gold, y)) / z);
      if (fits(y)) add_gradient(y, -std::exp(score(y)) / z_fitting);
    }
    value += x.weight * (std::log(z) - std::log(z_fitting));
  }
};

Evaluation naive_evaluation(const RandomModel& model, NaiveObjective naive = {}) {
  for (std::size_t n = 0; n < model.plain.size(); ++n) {
    naive.add(model.plain[n], model.data.gold(n), model.layout.labels, model.layout.tied.rows(),
              model.weights);
  }
  Evaluation result{static_cast<double>(naive.value), std::vector<double>(model.w.size())};
  for (const auto& [feature, position] : model.position) {
    result.gradient.at(position) = naive.gradient[feature];
  }
  return result;
}

std::vector<LayoutOptions> all_options() {
  return {{FeatureSet::observed, 1, 1},
          {FeatureSet::observed, 2, 2},
          {FeatureSet::all, 1, 1},
          {FeatureSet::all, 2, 0}};
}

// body(model) for small random models of every kind.
template <class Body>
void for_small_models(const Body& body) {
  Random random(1);
  for (const std::size_t labels : {1, 2, 3, 5}) {
    for (const double edge : {0.0, 0.6}) {
      for (const bool real : {false, true}) {
        for (const LayoutOptions& options : all_options()) {
          SCOPED_TRACE(testing::Message()
                       << "labels " << labels << " edge " << edge << " values and weights " << real
                       << " all " << (options.features == FeatureSet::all) << " min_count "
                       << options.min_count);
          const DataShape shape{.labels = labels, .edge = edge, .values = real, .weights = real};
          body(random_model(shape, options, 0.7, random));
        }
      }
    }
  }
}

// Of the model's labels one position in three becomes any, and one in three a set with another
// label.
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

TEST(ChainBatchFunction, PartialLabelsAreThoseOfTheDefinition) {
  Random random(11);
  for_small_models([&](const RandomModel& complete) {
    const RandomModel model = with_partial_labels(complete, random);
    const Evaluation naive = naive_evaluation(model);
    expect_near(evaluate<double>(model), naive, 1e-12);
    expect_near(evaluate<float>(model), naive, 3e-6);
  });
}

template <class Real>
Evaluation evaluate_margin(const RandomModel& model, const LabelCost& cost,
                           std::size_t threads = 1) {
  ThreadPool pool(threads);
  ChainBatchFunction<Real> function(model.data, model.layout, pool,
                                    [&] { return std::make_unique<SoftmaxMargin<Real>>(cost); });
  return evaluate(function, model.w);
}

// Delta(g, j) = 1 + (g + 2 j) mod 3 for j != g.
LabelCost some_cost(std::size_t labels) {
  Matrix<double> table(labels, labels, 0.0);
  for (Label g = 0; g < labels; ++g) {
    for (Label j = 0; j < labels; ++j) table(g, j) = g == j ? 0 : 1 + (g + 2 * j) % 3;
  }
  return label_cost(std::move(table));
}

TEST(ChainBatchFunction, SoftmaxMarginIsThatOfTheDefinition) {
  Random random(12);
  for_small_models([&](const RandomModel& complete) {
    for (const bool partial : {false, true}) {
      const RandomModel model = partial ? with_partial_labels(complete, random) : complete;
      const LabelCost cost = some_cost(model.layout.labels);
      NaiveObjective naive;
      naive.cost = [&](const Gold& gold, const std::vector<Label>& y) {
        std::vector<double> row(model.layout.labels);
        double sum = 0;
        for (std::size_t t = 0; t < y.size(); ++t) {
          position_cost(cost, gold, t, row);
          sum += row[y[t]];
        }
        return sum;
      };
      expect_near(evaluate_margin<double>(model, cost), naive_evaluation(model, naive), 1e-12);
      expect_near(evaluate_margin<float>(model, cost), naive_evaluation(model, naive), 3e-6);
    }
  });
}

TEST(ChainBatchFunction, ValueAndGradientAreThoseOfTheDefinition) {
  for_small_models([](const RandomModel& model) {
    const Evaluation naive = naive_evaluation(model);
    expect_near(evaluate<double>(model), naive, 1e-12);
    expect_near(evaluate<float>(model), naive, 3e-6);
  });
}

// The smooth and the whole objective  F(w) = f(w) + l1 |w|_1 + (l2/2) |w|_2^2.
struct FullObjective {
  BatchFunction& function;
  Regulariser regulariser;

  double value(const std::vector<double>& w) const {
    double absolute = 0, squared = 0;
    for (const double x : w) {
      absolute += std::abs(x);
      squared += x * x;
    }
    return evaluate(function, w).value + penalty(regulariser, absolute, squared);
  }
  std::vector<double> pseudo_gradient(const std::vector<double>& w) const {
    std::vector<double> gradient = evaluate(function, w).gradient, out(w.size());
    add_l2_gradient(regulariser, w, gradient);
    croft::pseudo_gradient(regulariser, 0, w, gradient, out);
    return out;
  }
  // (F(w + b e_k) - F(w + a e_k)) / (b - a)
  double slope(std::vector<double> w, std::size_t k, double a, double b) const {
    const double at = w[k];
    w[k] = at + b;
    const double right = value(w);
    w[k] = at + a;
    return (right - value(w)) / (b - a);
  }
};

TEST(ChainBatchFunction, GradientIsTheDerivativeByEveryWeight) {
  for_small_models([](const RandomModel& model) {
    ThreadPool pool(1);
    Likelihood<double> function(model.data, model.layout, pool);
    const FullObjective f{function, {.l1 = 0, .l2 = 0.8}};
    const std::vector<double> gradient = f.pseudo_gradient(model.w);
    for (std::size_t k = 0; k < model.w.size(); ++k) {
      ASSERT_NEAR(f.slope(model.w, k, -1e-5, 1e-5), gradient[k], 1e-7) << "weight " << k;
    }
  });
}

TEST(ChainBatchFunction, PseudoGradientWithL1IsTheDownhillSlopeAlsoAtZero) {
  Random random(2);
  RandomModel model = random_model({.sequences = 25}, {FeatureSet::observed, 1, 1}, 0.5, random);
  for (std::size_t k = 0; k < model.w.size(); k += 2) model.w[k] = 0;
  ThreadPool pool(1);
  Likelihood<double> function(model.data, model.layout, pool);
  const FullObjective f{function, {.l1 = 0.7, .l2 = 0.3}};
  const std::vector<double> pseudo = f.pseudo_gradient(model.w);
  std::size_t stay = 0, leave = 0;
  for (std::size_t k = 0; k < model.w.size(); ++k) {
    if (model.w[k] != 0) {
      EXPECT_NEAR(f.slope(model.w, k, -1e-5, 1e-5), pseudo[k], 1e-7) << "weight " << k;
      continue;
    }
    // One-sided, of second order: 2 F'(h) - F'(2h) with slopes from 0.
    const double h = 1e-4;
    const double right = 2 * f.slope(model.w, k, 0, h) - f.slope(model.w, k, 0, 2 * h);
    const double left = 2 * f.slope(model.w, k, -h, 0) - f.slope(model.w, k, -2 * h, 0);
    const double downhill = right < 0 ? right : left > 0 ? left : 0;
    EXPECT_NEAR(downhill, pseudo[k], 1e-6) << "weight " << k;
    ++(downhill == 0 ? stay : leave);
  }
  EXPECT_GT(stay, 5u);
  EXPECT_GT(leave, 5u);
}

TEST(ChainBatchFunction, ASequenceOfWeightTwoIsTheSequenceTwice) {
  Random random(3);
  RandomModel once = random_model({.weights = false}, {FeatureSet::observed, 1, 1}, 1, random);
  RandomModel weighted = once, twice = once;
  twice.plain[3].weight = weighted.plain[3].weight = 1;
  twice.plain.push_back(twice.plain[3]);
  weighted.plain[3].weight = 2;
  const auto evaluate_plain = [&](const RandomModel& model) {
    ChainData data = testing_support::to_chain_data(model.plain);
    Renumbering renumbering;
    const DataShape shape;
    const ChainLayout layout =
        make_chain_layout(data, shape.labels, shape.node_attributes, shape.edge_attributes,
                          {FeatureSet::observed, 1, 1}, renumbering);
    EXPECT_EQ(testing_support::feature_positions(layout, renumbering), once.position);
    return evaluate<double>(data, layout, once.w);
  };
  const Evaluation two = evaluate_plain(twice);
  expect_near(evaluate_plain(weighted), two, 1e-13);
  EXPECT_GT(two.value, evaluate_plain(once).value + 1e-3);  // the sequence does count
}

TEST(ChainBatchFunction, SequencesOfLengthOneAreSoftmaxes) {
  Random random(4);
  const RandomModel model = random_model({.sequences = 40, .max_length = 1, .labels = 4},
                                         {FeatureSet::all, 1, 1}, 1, random);
  ASSERT_EQ(model.layout.dimension(), model.layout.node.begin.back());
  ASSERT_EQ(model.layout.tied.begin.back(), 0u);  // no edge has been seen
  const Evaluation naive = naive_evaluation(model);
  expect_near(evaluate<double>(model), naive, 1e-12);
  expect_near(evaluate<float>(model), naive, 3e-6);
}

TEST(ChainBatchFunction, TransitionsThatNoEdgeUsesHaveDerivativeZero) {
  Random random(5);
  const RandomModel model = random_model({.sequences = 20}, {FeatureSet::all, 1, 1}, 1, random);
  std::size_t checked = 0;
  for (std::size_t n = 0; n < model.data.sequences(); ++n) {
    if (model.plain[n].label.size() > 1) continue;
    const Evaluation one = evaluate<double>(one_sequence(model.data, n), model.layout, model.w);
    for (std::uint64_t k = 0; k < model.layout.tied.begin.back(); ++k, ++checked) {
      EXPECT_EQ(one.gradient[k], 0);
    }
  }
  EXPECT_GE(checked, 9u);
}

TEST(ChainBatchFunction, EmptyEdgeListsAreNoEdgeLists) {
  Random random(6);
  RandomModel model = random_model({.edge = 0}, {FeatureSet::observed, 1, 1}, 1, random);
  ASSERT_FALSE(model.data.has_edges());
  const Evaluation without = evaluate<double>(model), float_without = evaluate<float>(model);
  model.data.edge.begin.assign(model.data.positions() + 1, 0);
  ASSERT_TRUE(model.data.has_edges());
  expect_same_bits(evaluate<double>(model), without);
  expect_same_bits(evaluate<float>(model), float_without);
}

TEST(ChainBatchFunction, NoSequencesGiveZero) {
  Random random(7);
  const RandomModel model = random_model({}, {FeatureSet::observed, 1, 1}, 1, random);
  const Evaluation nothing = evaluate<double>(ChainData(), model.layout, model.w);
  EXPECT_EQ(nothing.value, 0);
  for (const double g : nothing.gradient) EXPECT_EQ(g, 0);
}

TEST(ChainBatchFunction, AForbiddenGoldLabellingGivesInfinity) {
  Random random(8);
  RandomModel model = random_model({}, {FeatureSet::observed, 1, 1}, 1, random);
  model.w[0] = -std::numeric_limits<double>::infinity();  // an observed transition
  EXPECT_EQ(evaluate<double>(model).value, std::numeric_limits<double>::infinity());
  EXPECT_EQ(evaluate<float>(model).value, std::numeric_limits<double>::infinity());
}

// Many tasks of positions (512 each) and several tasks of postings (32,768 each).
RandomModel model_of_many_tasks(bool values) {
  Random random(9);
  const DataShape shape{.sequences = 1000,
                        .max_length = 40,
                        .labels = 5,
                        .node_attributes = 2000,
                        .edge_attributes = 30,
                        .edge = 0.2,
                        .values = values,
                        .weights = values};
  RandomModel model = random_model(shape, {FeatureSet::observed, 1, 1}, 0.7, random);
  EXPECT_GT(model.data.positions(), 30 * 512u);
  EXPECT_GT(model.data.node.id.size(), 32768u);
  return model;
}

// dL/dtheta beyond 64 MB, kept in waves of 32 MB.
template <class Real>
RandomModel model_of_many_waves() {
  const std::size_t labels = 60, overlay_bytes = labels * padded(labels) * sizeof(Real);
  const std::size_t overlays = (std::size_t{68} << 20) / overlay_bytes;
  Random random(10);
  const DataShape shape{.sequences = overlays / 10,
                        .min_length = 12,
                        .max_length = 17,
                        .labels = labels,
                        .node_attributes = 100,
                        .edge_attributes = 10,
                        .edge = 1};
  RandomModel model = random_model(shape, {FeatureSet::observed, 1, 1}, 0.5, random);
  std::size_t found = 0;
  for (std::size_t p = 0; p < model.data.positions(); ++p) {
    found += model.data.edge.begin[p] < model.data.edge.begin[p + 1];
  }
  EXPECT_GT(found * overlay_bytes, std::size_t{64} << 20);
  return model;
}

template <class Real>
void expect_same_bits_for_any_threads(const RandomModel& model) {
  const Evaluation one = evaluate<Real>(model, 1);
  EXPECT_TRUE(std::isfinite(one.value));
  for (const std::size_t threads : {2, 3, 7}) {
    SCOPED_TRACE(threads);
    expect_same_bits(evaluate<Real>(model, threads), one);
  }
}

TEST(ChainBatchFunction, TasksGiveTheSameBitsForAnyNumberOfThreads) {
  for (const bool values : {false, true}) {
    const RandomModel model = model_of_many_tasks(values);
    expect_same_bits_for_any_threads<float>(model);
    expect_same_bits_for_any_threads<double>(model);
  }
}
TEST(ChainBatchFunction, PartialLabelsAndCostsGiveTheSameBitsForAnyNumberOfThreads) {
  Random random(13);
  const RandomModel model = with_partial_labels(model_of_many_tasks(false), random);
  expect_same_bits_for_any_threads<float>(model);
  const LabelCost cost = some_cost(model.layout.labels);
  const Evaluation one = evaluate_margin<float>(model, cost);
  for (const std::size_t threads : {2, 3, 7}) {
    expect_same_bits(evaluate_margin<float>(model, cost, threads), one);
  }
}
TEST(ChainBatchFunction, WavesGiveTheSameBitsForAnyNumberOfThreadsInFloat) {
  expect_same_bits_for_any_threads<float>(model_of_many_waves<float>());
}
TEST(ChainBatchFunction, WavesGiveTheSameBitsForAnyNumberOfThreadsInDouble) {
  expect_same_bits_for_any_threads<double>(model_of_many_waves<double>());
}

// Of processes that share out the waves.
template <class Real>
Evaluation evaluate_on_ranks(const RandomModel& model, std::size_t size) {
  const std::vector<std::size_t> cut =
      wave_cuts(model.data.sequence_begin, model.layout.labels, model.data.has_edges());
  Evaluation first;
  for_ranks(size, [&](Ranks& ranks) {
    const auto begin = [&](std::size_t rank) { return cut[(cut.size() - 1) * rank / size]; };
    ChainData share;
    for (std::size_t n = begin(ranks.rank()); n < begin(ranks.rank() + 1); ++n) {
      share.append(model.data, n);
    }
    ThreadPool pool(1 + ranks.rank() % 2, ranks);
    Likelihood<Real> function(share, model.layout, pool);
    Evaluation own = evaluate(function, model.w);
    if (ranks.first()) first = std::move(own);
  });
  return first;
}

// Of processes that all have the whole data: the last one's.
template <class Real>
Evaluation evaluate_with_helpers(const RandomModel& model, std::size_t size,
                                 Matrix<float>& d_state) {
  Evaluation last;
  for_ranks(size, [&](Ranks& ranks) {
    ThreadPool pool(1 + ranks.rank() % 2, no_other_ranks(), ranks);
    Likelihood<Real> function(model.data, model.layout, pool);
    Evaluation own{0, std::vector<double>(model.w.size())};
    Matrix<float> d_own(model.data.positions(), model.layout.labels);
    own.value = function.evaluate(model.w, own.gradient, 0, d_own);
    if (ranks.rank() + 1 < size) return;
    last = std::move(own);
    d_state = d_own;
  });
  return last;
}

template <class Real>
void expect_same_bits_for_any_ranks() {
  const RandomModel model = model_of_many_waves<Real>();
  Matrix<float> d_state(model.data.positions(), model.layout.labels), d_shared = d_state;
  ThreadPool pool;
  Likelihood<Real> function(model.data, model.layout, pool);
  Evaluation one{0, std::vector<double>(model.w.size())};
  one.value = function.evaluate(model.w, one.gradient, 0, d_state);
  for (const std::size_t size : {2, 3, 9}) {
    SCOPED_TRACE(size);
    expect_same_bits(evaluate_on_ranks<Real>(model, size), one);
    expect_same_bits(evaluate_with_helpers<Real>(model, size, d_shared), one);
    for (std::size_t p = 0; p < d_state.rows(); ++p) {
      ASSERT_TRUE(std::ranges::equal(d_state[p], d_shared[p])) << p;
    }
  }
}
TEST(ChainBatchFunction, WavesGiveTheSameBitsForAnyNumberOfProcesses) {
  expect_same_bits_for_any_ranks<float>();
  expect_same_bits_for_any_ranks<double>();
}

TEST(ChainBatchFunction, EvaluatingAgainGivesTheSameBits) {
  const RandomModel model = model_of_many_tasks(true);
  ThreadPool pool(2);
  Likelihood<float> function(model.data, model.layout, pool);
  const Evaluation first = evaluate(function, model.w);
  expect_same_bits(evaluate(function, model.w), first);
  const std::vector<double> zero(model.w.size(), 0.0);
  EXPECT_NE(evaluate(function, zero).value, first.value);
  expect_same_bits(evaluate(function, model.w), first);
}

// The sum over functions of one sequence each.
template <class Real>
Evaluation one_by_one(const RandomModel& model) {
  Evaluation total{0, std::vector<double>(model.w.size())};
  for (std::size_t n = 0; n < model.data.sequences(); ++n) {
    const Evaluation one = evaluate<Real>(one_sequence(model.data, n), model.layout, model.w);
    total.value += one.value;
    for (std::size_t k = 0; k < total.gradient.size(); ++k) total.gradient[k] += one.gradient[k];
  }
  return total;
}

TEST(ChainBatchFunction, TasksAddUpToTheirSequences) {
  const RandomModel model = model_of_many_tasks(true);
  expect_near(evaluate<double>(model, 2), one_by_one<double>(model), 1e-12);
}
TEST(ChainBatchFunction, WavesAddUpToTheirSequences) {
  const RandomModel model = model_of_many_waves<double>();
  expect_near(evaluate<double>(model, 2), one_by_one<double>(model), 1e-12);
}

// Sequences longer than any group takes, among short ones.
TEST(ChainBatchFunction, VeryLongSequencesAddUpWithShortOnes) {
  Random random(14);
  RandomModel model = random_model({.sequences = 60, .max_length = 80, .edge = 0},
                                   {FeatureSet::observed, 1, 1}, 0.7, random);
  Random more(15);
  for (const std::size_t length : {5000, 2001}) {
    model.plain.push_back(testing_support::random_plain_data(
        {.sequences = 1, .min_length = length, .max_length = length, .edge = 0}, more)[0]);
  }
  model.data = testing_support::to_chain_data(model.plain);
  Renumbering renumbering;
  const DataShape shape;
  model.layout = make_chain_layout(model.data, shape.labels, shape.node_attributes,
                                   shape.edge_attributes, {FeatureSet::all, 1, 1}, renumbering);
  model.w.resize(model.layout.dimension());
  for (double& weight : model.w) weight = random.normal();
  expect_near(evaluate<double>(model, 2), one_by_one<double>(model), 1e-12);
  expect_same_bits_for_any_threads<float>(model);
}

TEST(ChainBatchFunction, FloatAgreesWithDouble) {
  for (const bool values : {false, true}) {
    const RandomModel model = model_of_many_tasks(values);
    expect_near(evaluate<float>(model), evaluate<double>(model), 1e-6);
  }
}

TEST(ChainFunction, PerEdgeIsThatOfTheChainsAsGraphs) {
  Random random(21);
  const RandomModel model =
      random_model(DataShape{.max_length = 7, .edge = 0}, {.tied_rows = 1}, 1, random);
  ThreadPool pool(1);
  const ChainProblem problem{.data = model.data,
                             .layout = model.layout,
                             .pool = pool,
                             .objective = Objective::per_edge,
                             .twice = true};
  LinearScorer<double> scorer(model.layout);
  scorer.set_weights(model.w, pool);
  double expected = 0;
  for (std::size_t n = 0; n < model.data.sequences(); ++n) {
    ChainScores<double> scores;
    scorer.score(model.data, n, scores);
    const auto& y = model.plain[n].label;
    const FactorGraph graph = testing_support::graph_of(scores);
    LocalTerms terms(graph, std::vector<State>(y.begin(), y.end()), LocalKind::per_edge);
    std::vector<double> gradient(graph.numbers().size());
    expected += model.data.sequence_weight(n) * terms.evaluate(gradient);
  }
  const auto f = make_chain_function(problem, model.data, model.layout);
  EXPECT_NEAR(evaluate(*f, model.w).value, expected, 1e-10 * expected);
}

}  // namespace
}  // namespace croft::chain_batch_function_test
