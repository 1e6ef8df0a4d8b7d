// The second derivative of log Z against covariances by enumeration, differences and identities.
#include "croft/inference/chain_tangent.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "core/simd.h"
#include "croft/inference/brute_force.h"
#include "inference/chain/tangent_recursion.h"
#include "support/random_chain.h"
#include "support/tangents.h"

namespace croft::chain_tangent_test {
namespace {

using testing_support::ChainShape;
using testing_support::densify;
using testing_support::GradientTables;
using testing_support::inner;
using testing_support::random_chain;
using testing_support::random_direction;
using testing_support::random_sparse_chain;
using testing_support::RandomChain;
using testing_support::widen;

template <class Real>
constexpr double kTolerance = std::is_same_v<Real, float> ? 1e-5 : 1e-11;

const RandomChain<double>& in_double(const RandomChain<double>& chain, RandomChain<double>&) {
  return chain;
}
const RandomChain<double>& in_double(const RandomChain<float>& chain, RandomChain<double>& store) {
  store = widen(chain);
  return store;
}

// E[S] and the covariances of S with every state and every edge of every position.
struct Covariances {
  double expected = 0;
  bool possible = false;
  Matrix<double> state;
  std::vector<Matrix<double>> edge;
};

// Adds up d over what y uses; what is -inf in the scores is used by no y.
double total(const ChainScores<double>& d, const std::vector<Label>& y) {
  double sum = 0;
  for (std::size_t t = 0; t < y.size(); ++t) {
    sum += d.state(t, y[t]);
    if (t > 0) sum += d.edge(t, y[t - 1], y[t]);
  }
  return sum;
}

// Both dense.
Covariances enumerate(const ChainScores<double>& scores, const ChainScores<double>& direction) {
  const std::size_t length = scores.length(), labels = scores.labels();
  Covariances result;
  const BruteForceResult mu = brute_force(scores);
  result.possible = std::isfinite(mu.log_partition);
  if (!result.possible) return result;
  for_each_labelling(scores, [&](const std::vector<Label>& y, long double s) {
    result.expected += static_cast<double>(std::exp(s - mu.log_partition)) * total(direction, y);
  });
  result.state.assign(length, labels, 0.0);
  result.edge.assign(length, Matrix<double>(labels, labels, 0.0));
  for_each_labelling(scores, [&](const std::vector<Label>& y, long double s) {
    const double p = static_cast<double>(std::exp(s - mu.log_partition));
    const double share = p * (total(direction, y) - result.expected);
    for (std::size_t t = 0; t < length; ++t) {
      result.state(t, y[t]) += share;
      if (t > 0) result.edge[t](y[t - 1], y[t]) += share;
    }
  });
  return result;
}

template <class Real>
void expect_tangent(const RandomChain<Real>& chain, const RandomChain<Real>& direction,
                    TangentWorkspace& work, double tolerance, std::size_t& impossible) {
  RandomChain<double> a, b;
  const auto theta = densify(in_double(chain, a)), d = densify(in_double(direction, b));
  const Covariances truth = enumerate(theta.scores, d.scores);
  const std::size_t length = theta.scores.length(), labels = theta.scores.labels();
  GradientTables<Real> tables(chain.scores);
  const double expected = marginals_tangent(chain.scores, direction.scores, 2, work, tables.view());
  impossible += !truth.possible;
  if (!truth.possible) {
    EXPECT_EQ(expected, 0);
    for (std::size_t t = 0; t < length; ++t) {
      for (const Real value : tables.state[t]) ASSERT_EQ(value, 0);
    }
    return;
  }
  ASSERT_NEAR(expected, truth.expected, tolerance * (1 + std::abs(truth.expected)));
  Matrix<double> transition(labels, labels, 0.0);
  for (std::size_t t = 0; t < length; ++t) {
    for (Label j = 0; j < labels; ++j) {
      ASSERT_NEAR(tables.state(t, j), 2 * truth.state(t, j), tolerance) << t << ' ' << j;
      for (Label i = 0; t > 0 && i < labels; ++i) {
        transition(i, j) += 2 * truth.edge[t](i, j);
        if (!chain.scores.has_overlay(t)) continue;
        ASSERT_NEAR(tables.overlay(chain.scores.overlay_of[t] * labels + i, j),
                    2 * truth.edge[t](i, j), tolerance);
      }
    }
  }
  for (Label i = 0; i < labels; ++i) {
    for (Label j = 0; j < labels; ++j) {
      if (chain.transitions->cell(i, j) == TransitionScores<Real>::kNoCell) continue;
      ASSERT_NEAR(tables.edge(i, j), transition(i, j), tolerance * 6) << i << ' ' << j;
    }
  }
}

template <class Real>
void check_against_enumeration() {
  Random random(1);
  TangentWorkspace work;
  std::size_t impossible = 0, log_domain = 0;
  for (std::size_t length = 0; length <= 5; ++length) {
    for (std::size_t labels = 1; labels <= 4; ++labels) {
      for (int repeat = 0; repeat < 24; ++repeat) {
        const ChainShape shape{
            length,           labels, repeat % 4 == 3 ? 400.0 : 2.0, repeat % 3 * 0.15,
            repeat % 2 * 0.5, false};
        const auto chain = random_chain<Real>(shape, random);
        const auto direction = random_direction(chain, random);
        const double tolerance = kTolerance<Real> * (repeat % 4 == 3 ? 50 : 5);
        expect_tangent(chain, direction, work, tolerance, impossible);
        log_domain += work.path == ChainPath::log_domain;
      }
    }
  }
  EXPECT_GT(impossible, 20u);
  EXPECT_GT(log_domain, 20u);
}
TEST(ChainTangent, FloatIsTheCovarianceByEnumeration) { check_against_enumeration<float>(); }
TEST(ChainTangent, DoubleIsTheCovarianceByEnumeration) { check_against_enumeration<double>(); }

template <class Real>
void check_sparse() {
  Random random(2);
  TangentWorkspace work;
  std::size_t impossible = 0;
  for (const Background background : {Background::zero, Background::forbidden}) {
    for (int repeat = 0; repeat < 200; ++repeat) {
      const std::size_t labels = 1 + random.below(5);
      const ChainShape shape{1 + random.below(5), labels, repeat % 5 == 4 ? 15.0 : 2.0,
                             repeat % 2 * 0.1,    0,      false};
      const auto chain =
          random_sparse_chain<Real>(shape, background, repeat % 3 * 0.4 + 0.1, random);
      const auto direction = random_direction(chain, random);
      expect_tangent(chain, direction, work, kTolerance<Real> * 20, impossible);
    }
  }
  EXPECT_GT(impossible, 20u);
}
TEST(ChainTangent, SparseTransitionsInFloat) { check_sparse<float>(); }
TEST(ChainTangent, SparseTransitionsInDouble) { check_sparse<double>(); }

// Label 2 has by far the best score at t = 1, but is reached from itself alone: what the background
// brings to it and the listed edges take away is a rounding error, which must not come back e^70
// fold.
TEST(ChainTangent, ForbiddenEdgesOverABackgroundOfZeroLeaveNoRoundingErrors) {
  Random random(8);
  const double never = ChainScores<double>::kForbidden;
  const std::vector<Edge> edges{{0, 1}, {0, 2}, {1, 2}, {2, 0}, {2, 1}};
  const std::vector<double> log{0.3, never, never, never, never};
  for (int repeat = 0; repeat < 10; ++repeat) {
    auto chain = random_chain<double>({6, 3, 1, 0, 0, false}, random);
    chain.transitions->assign(3, Background::zero, edges, std::span<const double>(log));
    for (std::size_t t = 0; t < 6; ++t) chain.scores.state(t, 2) = t == 1 ? 70 : -25;
    const auto direction = random_direction(chain, random);
    TangentWorkspace work;
    std::size_t impossible = 0;
    expect_tangent(chain, direction, work, 1e-13, impossible);
    EXPECT_EQ(work.path, ChainPath::scaled_double);
    EXPECT_EQ(impossible, 0u);
  }
}

// Where enumeration cannot follow: both passes over the same sources.
TEST(ChainTangent, TheScaledPathIsThatOfTheLogDomain) {
  Random random(3);
  for (int repeat = 0; repeat < 8; ++repeat) {
    const ChainShape shape{200, 12, 3, repeat / 4 * 0.2, repeat % 2 * 0.3, false};
    const auto chain = repeat % 4 < 2 ? random_chain<double>(shape, random)
                                      : random_sparse_chain<double>({200, 12, 3, 0.2, 0, false},
                                                                    Background::zero, 0.4, random);
    const auto direction = random_direction(chain, random);
    TangentWorkspace work;
    GradientTables<double> scaled(chain.scores), log_domain(chain.scores);
    const double expected =
        marginals_tangent(chain.scores, direction.scores, 1, work, scaled.view());
    ASSERT_EQ(work.path, ChainPath::scaled_double);
    TangentWorkspace::Tables& tables = *work.tables;
    log_domain_marginals(chain.scores, 1, tables.log_domain, {tables.mu.row(0), nullptr, nullptr});
    EXPECT_NEAR(log_domain_tangent(chain.scores, &tables.edges, tables,
                                   {1, log_domain.overlay.row(0), log_domain.transition.row(0)}),
                expected, 1e-9);
    for (std::size_t t = 0; t < 200; ++t) {
      for (Label j = 0; j < 12; ++j) ASSERT_NEAR(tables.change(t, j), scaled.state(t, j), 1e-11);
    }
    for (std::size_t r = 0; r < chain.scores.overlay.rows(); ++r) {
      for (Label j = 0; j < 12; ++j) {
        ASSERT_NEAR(log_domain.overlay(r, j), scaled.overlay(r, j), 1e-11);
      }
    }
    for (Label i = 0; i < 12; ++i) {
      for (Label j = 0; j < 12; ++j) ASSERT_NEAR(log_domain.edge(i, j), scaled.edge(i, j), 1e-10);
    }
  }
}

// d/de of marginals(theta + e d), by central differences.
template <class Body>
void central_difference(const RandomChain<double>& chain, const RandomChain<double>& direction,
                        const Body& body) {
  constexpr double kStep = 1e-5;
  const auto shifted = [&](double e) {
    auto moved = testing_support::moved(chain, direction, e);
    ForwardBackwardWorkspace<double> work;
    GradientTables<double> tables(moved.scores);
    marginals(moved.scores, 1, work, tables.view());
    tables.transitions = chain.transitions.get();  // which lives on
    return tables;
  };
  const auto up = shifted(kStep), down = shifted(-kStep);
  const auto difference = [&](double a, double b) { return (a - b) / (2 * kStep); };
  body(up, down, difference);
}

TEST(ChainTangent, IsTheCentralDifferenceOfTheMarginalsOfLongChains) {
  Random random(4);
  for (const std::size_t labels : {1, 3, 8, 22, 37}) {
    const auto chain = random_chain<double>({60, labels, 1.5, 0.02, 0.2, false}, random);
    const auto direction = random_direction(chain, random);
    TangentWorkspace work;
    GradientTables<double> tables(chain.scores);
    marginals_tangent(chain.scores, direction.scores, 1, work, tables.view());
    central_difference(chain, direction, [&](const auto& up, const auto& down, const auto& d) {
      for (std::size_t t = 0; t < 60; ++t) {
        for (Label j = 0; j < labels; ++j) {
          ASSERT_NEAR(tables.state(t, j), d(up.state(t, j), down.state(t, j)), 1e-7);
        }
      }
      for (std::size_t r = 0; r < chain.scores.overlay.rows(); ++r) {
        for (Label j = 0; j < labels; ++j) {
          ASSERT_NEAR(tables.overlay(r, j), d(up.overlay(r, j), down.overlay(r, j)), 1e-7);
        }
      }
      for (Label i = 0; i < labels; ++i) {
        for (Label j = 0; j < labels; ++j) {
          ASSERT_NEAR(tables.edge(i, j), d(up.edge(i, j), down.edge(i, j)), 1e-6);
        }
      }
    });
  }
}

RC_GTEST_PROP(ChainTangent, IsSymmetricAndPositiveSemidefinite, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const ChainShape shape{1 + random.below(30), 1 + random.below(9),
                         3 * random.uniform(), 0.05,
                         random.uniform(),     false};
  const bool sparse = random.below(2) == 0;
  const auto chain =
      sparse ? random_sparse_chain<double>({shape.length, shape.labels, shape.scale, 0, 0, false},
                                           Background::zero, 0.5, random)
             : random_chain<double>(shape, random);
  const auto a = random_direction(chain, random), b = random_direction(chain, random);
  GradientTables<double> along_a(chain.scores), along_b(chain.scores);
  TangentWorkspace work;
  marginals_tangent(chain.scores, a.scores, 1, work, along_a.view());
  marginals_tangent(chain.scores, b.scores, 1, work, along_b.view());
  const double size = 1 + std::abs(inner(a, along_a)) + std::abs(inner(b, along_b));
  RC_ASSERT(std::abs(inner(b, along_a) - inner(a, along_b)) < 1e-10 * size);
  RC_ASSERT(inner(a, along_a) > -1e-10 * size);
  // Cauchy-Schwarz
  const double both = inner(a, along_b);
  RC_ASSERT(both * both <= inner(a, along_a) * inner(b, along_b) + 1e-9 * size * size);
}

TEST(ChainTangent, AConstantDirectionChangesNothing) {
  Random random(5);
  const auto chain = random_chain<double>({1000, 7, 2, 0, 0.2, false}, random);
  auto direction = testing_support::copy(chain);
  for (std::size_t t = 0; t < 1000; ++t) std::ranges::fill(direction.scores.state[t], 1e3);
  Matrix<double> tied(7, 7, -5.0);
  direction.transitions->assign(std::move(tied));
  for (std::size_t r = 0; r < chain.scores.overlay.rows(); ++r) {
    std::ranges::fill(direction.scores.overlay[r], 0.0);
  }
  TangentWorkspace work;
  GradientTables<double> tables(chain.scores);
  EXPECT_NEAR(marginals_tangent(chain.scores, direction.scores, 1, work, tables.view()),
              1e6 - 999 * 5, 1e-6);
  for (std::size_t t = 0; t < 1000; ++t) {  // 1e6 would have cancelled
    for (Label j = 0; j < 7; ++j) ASSERT_NEAR(tables.state(t, j), 0, 1e-10);
  }
}

// A step that was too long makes scores of any kind: an answer without a number, and no look into
// tables that were not filled.
TEST(ChainTangent, ScoresThatAreNoNumbersHaveNoMarginals) {
  Random random(8);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<Label> y{1, 0, 1};
  for (const double bad : {kInfinity, -kInfinity, std::nan("")}) {
    for (std::size_t t = 0; t < 3; ++t) {
      for (Label j = 0; j < 2; ++j) {
        auto chain = random_chain<double>({3, 2, 0, 0, 0, false}, random);
        chain.scores.state[t][j] = bad;
        if (bad == -kInfinity) chain.scores.state[t][1 - j] = bad;
        TangentWorkspace work;
        GradientTables<double> tables(chain.scores);
        const double value = log_marginals(chain.scores, y, 1, work, tables.view());
        const bool counts = !std::isnan(bad) || y[t] == j;  // NaN elsewhere is as if forbidden
        EXPECT_TRUE(counts ? !std::isfinite(value) : !(value > 0))
            << bad << " at " << t << ", " << j;
      }
    }
  }
}

// Workspaces are reused: a change of the tied scores in place must be seen.
TEST(ChainTangent, SeesThatTransitionsInFloatHaveChanged) {
  Random random(6);
  auto chain = random_chain<float>({9, 4, 2, 0, 0, false}, random);
  const auto direction = random_direction(chain, random);
  TangentWorkspace work;
  std::size_t impossible = 0;
  expect_tangent(chain, direction, work, 1e-4, impossible);
  Matrix<float> log = chain.transitions->log();
  log(2, 1) += 3;
  chain.transitions->assign(std::move(log));
  expect_tangent(chain, direction, work, 1e-4, impossible);
}

TEST(ChainTangent, EveryTargetAgrees) {
  Random random(7);
  for (const std::size_t labels : {3, 9, 22}) {
    const auto chain = random_chain<double>({40, labels, 2, 0.02, 0.2, false}, random);
    const auto direction = random_direction(chain, random);
    const auto tables_of = [&](const std::string& target) {
      force_simd_target(target);
      TangentWorkspace work;
      GradientTables<double> tables(chain.scores);
      marginals_tangent(chain.scores, direction.scores, 1, work, tables.view());
      return tables;
    };
    const auto first = tables_of(simd_targets().front());
    for (const std::string& target : simd_targets()) {
      SCOPED_TRACE(target);
      const auto other = tables_of(target);
      for (std::size_t t = 0; t < 40; ++t) {
        for (Label j = 0; j < labels; ++j) {
          ASSERT_NEAR(other.state(t, j), first.state(t, j), 1e-12);
        }
      }
      for (Label i = 0; i < labels; ++i) {
        for (Label j = 0; j < labels; ++j) ASSERT_NEAR(other.edge(i, j), first.edge(i, j), 1e-11);
      }
    }
    force_simd_target(simd_targets().front());
  }
}

}  // namespace
}  // namespace croft::chain_tangent_test
