// Scores against sums over a std::map of features; the transpose by the adjoint identity.
#include "model/linear_scorer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support/naive_features.h"

namespace croft::linear_scorer_test {
namespace {

using testing_support::DataShape;
using testing_support::Feature;
using testing_support::FeatureKind;
using testing_support::FeatureWeights;
using testing_support::Occurrence;
using testing_support::random_model;
using testing_support::RandomModel;

template <class Real>
constexpr double kTolerance = std::is_same_v<Real, float> ? 1e-5 : 1e-12;

struct Case {
  DataShape shape;
  LayoutOptions options;
};

std::vector<Case> all_cases() {
  std::vector<Case> list;
  for (const std::size_t labels : {1, 2, 3, 5, 8, 22, 33, 70}) {
    for (const bool values : {false, true}) {
      for (const double edge : {0.0, 0.6}) {
        DataShape shape{.max_length = 6, .labels = labels, .node_attributes = 40};
        shape.sequences = labels > 30 ? 10 : 30;  // labels^2 numbers at an edge take their time
        shape.values = values;
        shape.edge = edge;
        list.push_back({shape, {FeatureSet::observed, 1, 1}});
        list.push_back({shape, {FeatureSet::observed, 2, 2}});
        list.push_back({shape, {FeatureSet::all, 1, 1}});
        list.push_back({shape, {FeatureSet::all, 3, 0}});
      }
    }
  }
  return list;
}

// body(case, random model) for every case.
template <class Body>
void for_all_cases(const Body& body) {
  Random random(1);
  for (const Case& each : all_cases()) {
    SCOPED_TRACE(testing::Message()
                 << "labels " << each.shape.labels << " values " << each.shape.values << " edge "
                 << each.shape.edge << " all " << (each.options.features == FeatureSet::all)
                 << " min_count " << each.options.min_count);
    body(random_model(each.shape, each.options, 1.0, random), random);
  }
}

// sum and sum of magnitudes of v w over the features that a list fires.
struct NaiveSum {
  double sum = 0, magnitude = 0;
  void add(const FeatureWeights& weights, const Feature& feature, double value) {
    const auto found = weights.find(feature);
    if (found == weights.end()) return;
    sum += value * found->second;
    magnitude += std::abs(value * found->second);
  }
};

template <class Real>
void expect_naive_scores(const RandomModel& model) {
  const auto labels = static_cast<Label>(model.layout.labels);
  ThreadPool pool(2);
  LinearScorer<Real> scorer(model.layout);
  scorer.set_weights(std::vector<double>(model.w.size(), 7.0), pool);  // must leave no trace
  scorer.set_weights(model.w, pool);
  ChainScores<Real> scores;
  for (std::size_t n = 0; n < model.plain.size(); ++n) {
    const auto& x = model.plain[n];
    scorer.score(model.data, n, scores);
    ASSERT_EQ(scores.length(), x.label.size());
    ASSERT_EQ(scores.labels(), labels);
    ASSERT_EQ(scores.transitions, &scorer.transitions());
    for (std::size_t t = 0; t < scores.length(); ++t) {
      for (Label j = 0; j < labels; ++j) {
        NaiveSum naive;
        for (const Occurrence& each : x.node[t]) {
          naive.add(model.weights, {FeatureKind::node, each.attribute, 0, j}, each.value);
        }
        ASSERT_NEAR(scores.state(t, j), naive.sum, kTolerance<Real> * (1 + naive.magnitude));
      }
      for (std::size_t c = labels; c < scores.state.stride(); ++c) {
        ASSERT_EQ(scores.state.row(t)[c], ChainScores<Real>::kForbidden);
      }
      if (t == 0) continue;
      for (Label i = 0; i < labels; ++i) {
        for (Label j = 0; j < labels; ++j) {
          NaiveSum naive;
          for (const std::uint32_t row : {0, 1}) {
            naive.add(model.weights, {FeatureKind::tied, row, i, j}, 1.0);
          }
          for (const Occurrence& each : x.edge[t]) {
            naive.add(model.weights, {FeatureKind::edge, each.attribute, i, j}, each.value);
          }
          ASSERT_NEAR(scores.edge(t, i, j), naive.sum, kTolerance<Real> * (1 + naive.magnitude));
        }
      }
    }
  }
}

TEST(LinearScorer, FloatScoresAreSumsOverFeatures) {
  for_all_cases([](const RandomModel& model, Random&) { expect_naive_scores<float>(model); });
}
TEST(LinearScorer, DoubleScoresAreSumsOverFeatures) {
  for_all_cases([](const RandomModel& model, Random&) { expect_naive_scores<double>(model); });
}

TEST(LinearScorer, CasesHaveRowsOfEveryClassAndPositionsWithAndWithoutOverlay) {
  std::size_t rich = 0, poor = 0, single = 0, with = 0, without = 0;
  for_all_cases([&](const RandomModel& model, Random&) {
    const RowClasses& classes = model.layout.node_classes;
    if (!model.layout.node.all_full()) {  // mixed in one layout
      rich += classes.rich;
      poor += classes.poor;
      single += model.layout.node.rows() - classes.rich - classes.poor;
    }
    ThreadPool pool(1);
    LinearScorer<double> scorer(model.layout);
    scorer.set_weights(model.w, pool);
    ChainScores<double> scores;
    for (std::size_t n = 0; n < model.data.sequences(); ++n) {
      scorer.score(model.data, n, scores);
      for (std::size_t t = 1; t < scores.length(); ++t) {
        const std::uint64_t p = model.data.sequence_begin[n] + t;
        const bool attributes =
            model.data.has_edges() && model.data.edge.begin[p] < model.data.edge.begin[p + 1];
        EXPECT_EQ(scores.has_overlay(t), attributes);  // nothing is stored where nothing is said
        ++(attributes ? with : without);
      }
    }
  });
  EXPECT_GT(std::min({rich, poor, single, with, without}), 100u);
}

// More than any sum here.
constexpr double kMostSum = 0x1p10, kMostLongSum = 0x1p17;

template <class Real>
Matrix<Real> random_matrix(std::size_t rows, std::size_t columns, Random& random) {
  Matrix<Real> m(rows, columns, Real{0});
  for (std::size_t r = 0; r < rows; ++r) {
    for (Real& value : m[r]) value = static_cast<Real>(random.normal());
  }
  return m;
}

// <d, A w> over the sequences [first, last), and the sum of its terms' magnitudes.
template <class Real>
NaiveSum inner_product(const RandomModel& model, std::size_t first, std::size_t last,
                       std::span<const std::uint32_t> place_of,
                       std::span<const std::uint32_t> overlay_place_of, const Matrix<Real>& d_state,
                       const Matrix<Real>& d_overlay, const Matrix<double>& d_transition) {
  ThreadPool pool(1);
  LinearScorer<double> scorer(model.layout);
  scorer.set_weights(model.w, pool);
  ChainScores<double> scores;
  NaiveSum result;
  const auto add_row = [&](const auto& d, std::size_t row, std::span<const double> theta) {
    for (std::size_t j = 0; j < theta.size(); ++j) {
      result.sum += d(row, j) * theta[j];
      result.magnitude += std::abs(d(row, j) * theta[j]);
    }
  };
  const std::size_t labels = model.layout.labels;
  const std::uint64_t offset = model.data.sequence_begin[first];
  for (std::size_t n = first; n < last; ++n) {
    scorer.score(model.data, n, scores);
    for (std::size_t t = 0; t < scores.length(); ++t) {
      const std::uint64_t p = model.data.sequence_begin[n] + t - offset;
      add_row(d_state, place_of[p], scores.state[t]);
      for (std::size_t i = 0; scores.has_overlay(t) && i < labels; ++i) {
        add_row(d_overlay, overlay_place_of[p] * labels + i,
                {scores.overlay_row(t, static_cast<Label>(i)), labels});
      }
    }
  }
  for (Label i = 0; i < labels; ++i) {
    std::vector<double> row;
    for (Label j = 0; j < labels; ++j) row.push_back(scorer.transitions().at(i, j));
    add_row(d_transition, i, row);
  }
  return result;
}

template <class Real>
void expect_adjoint(const RandomModel& model, double tolerance, std::size_t threads,
                    Random& random) {
  const ChainLayout& layout = model.layout;
  const std::size_t first = model.data.sequences() / 4, last = model.data.sequences() - 2;
  const std::uint64_t begin = model.data.sequence_begin[first];
  const std::uint64_t end = model.data.sequence_begin[last];
  // Places in any order, and each kind in its own.
  std::vector<std::uint32_t> place_of(end - begin), overlay_place_of;
  std::iota(place_of.begin(), place_of.end(), 0u);
  for (std::size_t k = place_of.size(); k-- > 1;) {
    std::swap(place_of[k], place_of[random.below(k + 1)]);
  }
  overlay_place_of.assign(place_of.rbegin(), place_of.rend());
  const auto d_state = random_matrix<Real>(place_of.size(), layout.labels, random);
  const auto d_overlay =
      random_matrix<Real>(place_of.size() * layout.labels, layout.labels, random);
  const auto d_transition = random_matrix<double>(layout.labels, layout.labels, random);

  ThreadPool pool(threads);
  std::vector<double> gradient(layout.dimension(), 0.0);
  const Postings node = make_postings(model.data.node, begin, end, layout.node.rows(), place_of);
  ExactSum exact(kMostSum);
  exact.begin_block(kMostSum);
  add_node_gradient<Real>(layout, node, d_state.row(0), d_state.stride(), exact, gradient, pool);
  if (model.data.has_edges()) {
    const Postings edge =
        make_postings(model.data.edge, begin, end, layout.edge.rows(), overlay_place_of);
    add_edge_gradient<Real>(layout, edge, d_overlay.row(0), d_overlay.stride(), exact, gradient,
                            pool);
  }
  const TransitionScores<double> dense(layout.labels);
  set_tied_gradient(layout, dense, {d_transition.row(0), dense.cells()}, gradient);
  EXPECT_FALSE(exact.overflown());

  const NaiveSum left = inner_product(model, first, last, place_of, overlay_place_of, d_state,
                                      d_overlay, d_transition);
  const double right = std::inner_product(gradient.begin(), gradient.end(), model.w.begin(), 0.0);
  EXPECT_NEAR(left.sum, right, tolerance * (1 + left.magnitude));
}

TEST(LinearScorer,
     TransposeIsTheAdjointOfTheScoresForAnyNumberOfThreads) {  // <d, A w> = <A^T d, w>
  for_all_cases([](const RandomModel& model, Random& random) {
    expect_adjoint<double>(model, 1e-12, 1, random);
    expect_adjoint<double>(model, 1e-12, 3, random);
    expect_adjoint<float>(model, 1e-6, 2, random);
  });
}

TEST(LinearScorer, TransposeOfALongPostingListKeepsItsDigits) {
  // One attribute at 100,000 positions: partial sums in float alone would lose two more digits.
  const std::size_t positions = 100000, labels = 5;
  DataShape shape{.sequences = 1, .min_length = positions, .max_length = positions};
  shape.labels = labels;
  shape.node_attributes = 3;
  shape.edge = 0;
  shape.values = false;
  Random random(2);
  const RandomModel model = random_model(shape, {FeatureSet::all, 1, 0}, 1.0, random);
  std::vector<std::uint32_t> place_of(positions);
  std::iota(place_of.begin(), place_of.end(), 0u);
  const Postings postings = make_postings(model.data.node, 0, positions, 3, place_of);
  Matrix<float> d(positions, labels, 0.0f);
  for (std::size_t p = 0; p < positions; ++p) {
    for (float& value : d[p]) value = static_cast<float>(random.uniform());
  }
  ThreadPool pool(2);
  std::vector<double> gradient(model.layout.dimension(), 0.0);
  ExactSum exact(kMostLongSum);
  exact.begin_block(kMostLongSum);
  add_node_gradient<float>(model.layout, postings, d.row(0), d.stride(), exact, gradient, pool);
  for (std::size_t e = 0; e < postings.attribute.size(); ++e) {
    ASSERT_GT(postings.begin[e + 1] - postings.begin[e], 10000u);
    for (std::size_t j = 0; j < labels; ++j) {
      double truth = 0;
      for (std::uint64_t k = postings.begin[e]; k < postings.begin[e + 1]; ++k) {
        truth += double{d(postings.place[k], j)};
      }
      EXPECT_NEAR(gradient[model.layout.node.begin[postings.attribute[e]] + j], truth,
                  2e-7 * truth);
    }
  }
}

TEST(LinearScorer, GradientIsAddedToAndTiedRowsAreOverwritten) {
  Random random(3);
  const RandomModel model = random_model({}, {FeatureSet::observed, 1, 2}, 1.0, random);
  const ChainLayout& layout = model.layout;
  const std::size_t positions = model.data.positions();
  std::vector<std::uint32_t> place_of(positions);
  std::iota(place_of.begin(), place_of.end(), 0u);
  const auto d = random_matrix<double>(positions, layout.labels, random);
  const auto d_transition = random_matrix<double>(layout.labels, layout.labels, random);
  const Postings node = make_postings(model.data.node, 0, positions, layout.node.rows(), place_of);
  const TransitionScores<double> dense(layout.labels);
  ThreadPool pool(1);
  std::vector<double> from_zero(layout.dimension(), 0.0), from_five(layout.dimension(), 5.0);
  ExactSum exact(kMostSum);
  exact.begin_block(kMostSum);
  for (auto* gradient : {&from_zero, &from_five}) {
    add_node_gradient<double>(layout, node, d.row(0), d.stride(), exact, *gradient, pool);
    set_tied_gradient(layout, dense, {d_transition.row(0), dense.cells()}, *gradient);
  }
  for (std::size_t k = 0; k < layout.dimension(); ++k) {
    const bool tied = k < layout.tied.begin.back();
    EXPECT_NEAR(from_five[k], from_zero[k] + (tied ? 0 : 5), 1e-12) << k;
  }
}

}  // namespace
}  // namespace croft::linear_scorer_test
