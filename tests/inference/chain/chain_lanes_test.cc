// Sums over several chains at once, and over sparse transitions, against the log domain.
#include <gtest/gtest.h>

#include <cmath>

#include "croft/core/random.h"
#include "croft/inference/chain_log_domain.h"
#include "croft/inference/chain_sum.h"

namespace croft::chain_lanes_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Shape {
  std::size_t labels;
  bool sparse;
  Background background;
  double density, scale, forbidden, masked;
};

template <class Real>
TransitionScores<Real> random_transitions(const Shape& shape, Random& random) {
  TransitionScores<Real> result;
  const auto score = [&] {
    return random.uniform() < shape.forbidden ? -std::numeric_limits<Real>::infinity()
                                              : static_cast<Real>(shape.scale * random.normal());
  };
  if (!shape.sparse) {
    Matrix<Real> log(shape.labels, shape.labels);
    for (std::size_t i = 0; i < shape.labels; ++i) {
      for (Real& value : log[i]) value = score();
    }
    result.assign(std::move(log));
    return result;
  }
  std::vector<Edge> edges;
  std::vector<Real> log;
  for (Label i = 0; i < shape.labels; ++i) {
    for (Label j = 0; j < shape.labels; ++j) {
      if (random.uniform() >= shape.density) continue;
      edges.push_back({i, j});
      log.push_back(score());
    }
  }
  result.assign(shape.labels, shape.background, edges, std::span<const Real>(log));
  return result;
}

template <class Real>
ChainScores<Real> random_scores(const TransitionScores<Real>& transitions, std::size_t length,
                                const Shape& shape, Random& random) {
  ChainScores<Real> scores;
  scores.reset(length, transitions);
  for (std::size_t t = 0; t < length; ++t) {
    for (Real& value : scores.state[t]) {
      value = random.uniform() < shape.masked ? ChainScores<Real>::kForbidden
                                              : static_cast<Real>(shape.scale * random.normal());
    }
  }
  return scores;
}

template <class Real>
struct Tables {
  Matrix<Real> state;
  std::vector<double> transition;
  explicit Tables(const ChainScores<Real>& scores)
      : state(scores.length(), scores.labels()), transition(scores.transitions->cells(), 0.0) {}
  ChainGradient<Real> view() { return {state.row(0), nullptr, transition.data()}; }
};

template <class Real>
double reference(const ChainScores<Real>& scores, double scale, Tables<Real>& tables) {
  LogDomainWorkspace work;
  return log_domain_marginals(scores, scale, work, tables.view());
}

template <class Real>
void expect_near(const ChainScores<Real>& scores, const Tables<Real>& got,
                 const Tables<Real>& expected, double tolerance) {
  for (std::size_t t = 0; t < scores.length(); ++t) {
    for (Label j = 0; j < scores.labels(); ++j) {
      ASSERT_NEAR(got.state(t, j), expected.state(t, j), tolerance) << t << ' ' << j;
    }
    for (std::size_t c = scores.labels(); c < got.state.stride(); ++c) {
      ASSERT_EQ(got.state.row(t)[c], 0);
    }
  }
}

template <class Real>
void expect_cells_near(const std::vector<double>& got, const std::vector<double>& expected,
                       double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t c = 0; c < got.size(); ++c) ASSERT_NEAR(got[c], expected[c], tolerance) << c;
}

template <class Real>
constexpr double kTolerance = std::is_same_v<Real, float> ? 3e-5 : 1e-10;

std::vector<Shape> all_shapes() {
  std::vector<Shape> shapes;
  for (const std::size_t labels : {1, 2, 5, 8, 19, 41}) {
    for (const double scale : {1.0, 6.0, 60.0}) {
      for (const double masked : {0.0, 0.3}) {
        for (const double forbidden : {0.0, 0.3}) {
          shapes.push_back({labels, false, Background::zero, 1, scale, forbidden, masked});
          for (const Background background : {Background::zero, Background::forbidden}) {
            for (const double density : {0.0, 0.1, 0.6, 1.0}) {
              shapes.push_back({labels, true, background, density, scale, forbidden, masked});
            }
          }
        }
      }
    }
  }
  return shapes;
}

// Chains of unequal lengths, empty and impossible ones among them, each with a scale of its own.
template <class Real>
void check_batches() {
  Random random(7);
  BatchWorkspace<Real> work;
  for (const Shape& shape : all_shapes()) {
    const auto transitions = random_transitions<Real>(shape, random);
    const std::size_t count = 1 + random.below(2 * kChainLanes);
    std::vector<ChainScores<Real>> scores;
    std::vector<double> scale;
    for (std::size_t k = 0; k < count; ++k) {
      scores.push_back(random_scores(transitions, random.below(9), shape, random));
      scale.push_back(1 + random.uniform());
    }
    std::vector<Tables<Real>> got, expected;
    std::vector<double> cells(transitions.cells()), expected_cells(transitions.cells());
    std::vector<ChainGradient<Real>> out;
    for (const auto& s : scores) got.emplace_back(s);
    for (auto& tables : got) out.push_back({tables.state.row(0), nullptr, cells.data()});
    std::vector<CompensatedSum> log_z(count);
    marginals<Real>(scores, scale, work, out, log_z);
    for (std::size_t k = 0; k < count; ++k) {
      Tables<Real> tables(scores[k]);
      const double truth = reference(scores[k], scale[k], tables);
      for (std::size_t c = 0; c < cells.size(); ++c) expected_cells[c] += tables.transition[c];
      if (truth == -kInf) {
        ASSERT_EQ(log_z[k].value(), truth);
        continue;
      }
      ASSERT_NEAR(log_z[k].value(), truth, kTolerance<Real> * (1 + std::abs(truth)));
      expect_near(scores[k], got[k], tables, 2 * kTolerance<Real>);
    }
    expect_cells_near<Real>(cells, expected_cells, 50 * kTolerance<Real>);
  }
}

TEST(ChainLanes, SeveralChainsAtOnceGiveTheSumsOfEachInFloat) { check_batches<float>(); }
TEST(ChainLanes, SeveralChainsAtOnceGiveTheSumsOfEachInDouble) { check_batches<double>(); }

template <class Real>
void check_alone() {
  Random random(8);
  ForwardBackwardWorkspace<Real> work;
  for (const Shape& shape : all_shapes()) {
    const auto transitions = random_transitions<Real>(shape, random);
    const auto scores = random_scores(transitions, random.below(9), shape, random);
    Tables<Real> got(scores), expected(scores);
    const double truth = reference(scores, 1.5, expected);
    const double log_z = log_partition(scores, work);
    const double again = marginals(scores, 1.5, work, got.view());  // perhaps by another path
    if (truth == -kInf) {
      ASSERT_EQ(log_z, truth);
      continue;
    }
    ASSERT_NEAR(log_z, truth, kTolerance<Real> * (1 + std::abs(truth)));
    ASSERT_NEAR(again, truth, kTolerance<Real> * (1 + std::abs(truth)));
    expect_near(scores, got, expected, 2 * kTolerance<Real>);
    expect_cells_near<Real>(got.transition, expected.transition, 10 * kTolerance<Real>);
  }
}

TEST(ChainLanes, ChainWithSparseTransitionsAloneInFloat) { check_alone<float>(); }
TEST(ChainLanes, ChainWithSparseTransitionsAloneInDouble) { check_alone<double>(); }

// alpha[t-1][i] factor(i, j) suffix[t][j] is the marginal of an edge, whoever computed the tables.
TEST(ChainLanes, TablesOfAChainAloneGiveItsEdgeMarginals) {
  Random random(9);
  const Shape shape{6, true, Background::zero, 0.4, 1, 0.1, 0};
  const auto transitions = random_transitions<double>(shape, random);
  const auto scores = random_scores(transitions, 5, shape, random);
  ForwardBackwardWorkspace<double> work;
  Tables<double> tables(scores);
  marginals(scores, 2, work, tables.view());
  ASSERT_EQ(work.path, ChainPath::scaled);
  for (std::size_t t = 1; t < 5; ++t) {
    for (Label j = 0; j < 6; ++j) {
      double sum = 0;
      for (Label i = 0; i < 6; ++i) {
        sum += work.alpha(t - 1, i) * transitions.factor(i, j) * work.suffix(t, j);
      }
      EXPECT_NEAR(2 * sum, tables.state(t, j), 1e-12);
    }
  }
}

// Nearly all of alpha is on a label from which the edge to another is forbidden, or all but: the
// sum over the others must not be what is left after subtracting nearly everything from everything.
template <class Real>
void check_cancellation(Real score) {
  const std::size_t labels = 30;
  TransitionScores<Real> transitions;
  const std::vector<Edge> edges{{0, 1}, {3, 4}};
  const std::vector<Real> log{score, Real{1}};
  transitions.assign(labels, Background::zero, edges, std::span<const Real>(log));
  std::vector<ChainScores<Real>> scores(kChainLanes);
  for (std::size_t k = 0; k < scores.size(); ++k) {
    scores[k].reset(4, transitions);
    for (std::size_t t = 0; t < 4; ++t) {
      scores[k].state(t, 0) = t % 2 == 0 ? Real{40} : Real{0};
      scores[k].state(t, 1) = t % 2 == 1 ? Real{50} : Real(0.1) * static_cast<Real>(k);
    }
  }
  std::vector<Tables<Real>> got;
  for (const auto& s : scores) got.emplace_back(s);
  std::vector<ChainGradient<Real>> out;
  for (auto& tables : got) out.push_back(tables.view());
  for (auto& o : out) o.transition = got[0].transition.data();
  const std::vector<double> scale(kChainLanes, 1.0);
  std::vector<CompensatedSum> log_z(kChainLanes);
  BatchWorkspace<Real> work;
  marginals<Real>(scores, scale, work, out, log_z);
  ForwardBackwardWorkspace<Real> alone;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    Tables<Real> expected(scores[k]), single(scores[k]);
    const double truth = reference(scores[k], 1, expected);
    EXPECT_NEAR(log_z[k].value(), truth, kTolerance<Real>);
    expect_near(scores[k], got[k], expected, kTolerance<Real>);
    EXPECT_NEAR(marginals(scores[k], 1, alone, single.view()), truth, kTolerance<Real>);
    expect_near(scores[k], single, expected, kTolerance<Real>);
  }
}

TEST(ChainLanes, TheDominantPredecessorMayBeForbidden) {
  check_cancellation<float>(-std::numeric_limits<float>::infinity());
  check_cancellation<double>(-kInf);
}
TEST(ChainLanes, TheDominantPredecessorMayBeNearlyForbidden) {
  for (const double score : {-2.0, -4.0, -6.0, -7.0, -15.0, -25.0}) {
    check_cancellation<float>(static_cast<float>(score));
    check_cancellation<double>(score);
  }
}

}  // namespace
}  // namespace croft::chain_lanes_test
