// Sums over chains against brute force, and against the derivative of log Z.
#include "croft/inference/chain_sum.h"

#include <gtest/gtest.h>

#include "croft/inference/brute_force.h"
#include "support/random_chain.h"

namespace croft::chain_sum_test {
namespace {

using testing_support::ChainShape;
using testing_support::GradientTables;
using testing_support::random_chain;
using testing_support::RandomChain;

const std::vector<ChainShape>& shapes() {
  static const std::vector<ChainShape> all = [] {
    std::vector<ChainShape> list;
    for (std::size_t length = 0; length <= 6; ++length) {
      for (std::size_t labels = 1; labels <= 5; ++labels) {
        for (const double forbidden : {0.0, 0.15, 0.5}) {
          for (const double overlay : {0.0, 0.5, 1.0}) {
            for (const double scale : {1.0, 20.0}) {
              list.push_back({length, labels, scale, forbidden, overlay, false});
            }
          }
        }
      }
    }
    return list;
  }();
  return all;
}

template <class Real>
struct Tolerance;
template <>
struct Tolerance<float> {
  static constexpr double kAbsolute = 5e-6;
};
template <>
struct Tolerance<double> {
  static constexpr double kAbsolute = 1e-11;
};

template <class Real>
void expect_matches(const ChainScores<Real>& scores, const BruteForceResult& truth, double log_z,
                    const GradientTables<Real>& tables) {
  const double tolerance = Tolerance<Real>::kAbsolute;
  if (std::isinf(truth.log_partition)) {
    EXPECT_EQ(log_z, truth.log_partition);
    return;
  }
  EXPECT_NEAR(log_z, truth.log_partition, tolerance * (1 + std::abs(truth.log_partition)));
  Matrix<double> expected(scores.labels(), scores.labels(), 0.0);
  for (std::size_t t = 0; t < scores.length(); ++t) {
    for (Label j = 0; j < scores.labels(); ++j) {
      EXPECT_NEAR(tables.state(t, j), truth.state(t, j), tolerance);
    }
    if (t == 0) continue;
    for (Label i = 0; i < scores.labels(); ++i) {
      for (Label j = 0; j < scores.labels(); ++j) {
        expected(i, j) += truth.edge[t](i, j);
        if (!scores.has_overlay(t)) continue;
        const double p = tables.overlay(scores.overlay_of[t] * scores.labels() + i, j);
        EXPECT_NEAR(p, truth.edge[t](i, j), tolerance);
      }
    }
  }
  for (Label i = 0; i < scores.labels(); ++i) {
    for (Label j = 0; j < scores.labels(); ++j) {
      EXPECT_NEAR(tables.transition(i, j), expected(i, j), 6 * tolerance);
    }
  }
}

template <class Real>
void check_all_shapes() {
  Random random(1);
  ForwardBackwardWorkspace<Real> work;
  LogDomainWorkspace log_domain;
  std::size_t scaled = 0;
  for (const ChainShape& shape : shapes()) {
    SCOPED_TRACE(testing::Message()
                 << "T " << shape.length << " L " << shape.labels << " scale " << shape.scale
                 << " forbidden " << shape.forbidden << " overlay " << shape.overlay);
    for (int repeat = 0; repeat < 3; ++repeat) {
      const RandomChain<Real> chain = random_chain<Real>(shape, random);
      BruteForceResult truth;
      if constexpr (std::is_same_v<Real, float>) {
        truth = brute_force(testing_support::widen(chain).scores);
      } else {
        truth = brute_force(chain.scores);
      }
      GradientTables<Real> tables(chain.scores), reference(chain.scores);
      expect_matches(chain.scores, truth, marginals(chain.scores, 1, work, tables.view()), tables);
      scaled += work.path == ChainPath::scaled;
      const double log_z = log_partition(chain.scores, work);
      if (std::isinf(truth.log_partition)) {
        EXPECT_EQ(log_z, truth.log_partition);
      } else {
        EXPECT_NEAR(log_z, truth.log_partition,
                    Tolerance<Real>::kAbsolute * (1 + std::abs(truth.log_partition)));
      }
      expect_matches(chain.scores, truth,
                     log_domain_marginals(chain.scores, 1, log_domain, reference.view()),
                     reference);
    }
  }
  EXPECT_GT(scaled, shapes().size());  // the fast path is what is mostly tested here
}

TEST(ChainSum, FloatMatchesBruteForceOnRandomChains) { check_all_shapes<float>(); }
TEST(ChainSum, DoubleMatchesBruteForceOnRandomChains) { check_all_shapes<double>(); }

TEST(ChainSum, MarginalsAreGradientOfLogZ) {
  Random random(2);
  ForwardBackwardWorkspace<double> work;
  RandomChain<double> chain = random_chain<double>({5, 4, 2, 0, 0.5, false}, random);
  ChainScores<double>& scores = chain.scores;
  GradientTables<double> tables(scores);
  marginals(scores, 1, work, tables.view());
  const double h = 1e-5;
  const auto difference = [&](double& entry) {
    const double value = entry;
    entry = value + h;
    const double up = log_partition(scores, work);
    entry = value - h;
    const double down = log_partition(scores, work);
    entry = value;
    return (up - down) / (2 * h);
  };
  for (std::size_t t = 0; t < scores.length(); ++t) {
    for (double& entry : scores.state[t]) {
      EXPECT_NEAR(difference(entry), tables.state(t, &entry - scores.state.row(t)), 1e-9);
    }
  }
  for (std::size_t r = 0; r < scores.overlay.rows(); ++r) {
    for (double& entry : scores.overlay[r]) {
      EXPECT_NEAR(difference(entry), tables.overlay(r, &entry - scores.overlay.row(r)), 1e-9);
    }
  }
  for (Label i = 0; i < 4; ++i) {
    for (Label j = 0; j < 4; ++j) {
      const auto at = [&](double move) {
        Matrix<double> log = chain.transitions->log();
        log(i, j) += move;
        TransitionScores<double> moved;
        moved.assign(std::move(log));
        scores.transitions = &moved;
        const double value = log_partition(scores, work);
        scores.transitions = chain.transitions.get();
        return value;
      };
      EXPECT_NEAR((at(h) - at(-h)) / (2 * h), tables.transition(i, j), 1e-9);
    }
  }
}

TEST(ChainSum, OnePositionIsASoftmaxAndAScoreThatDoesNotDependOnTheLabelChangesNothing) {
  const TransitionScores<double> three(3), two(2);
  ForwardBackwardWorkspace<double> work;
  for (const double shift : {0.0, 7.0, -1e5}) {
    ChainScores<double> scores;
    scores.reset(1, three);
    const std::vector<double> given = {5.6, -3.2, 1.5}, softmax = {0.983552, 0.000148, 0.016300};
    for (Label j = 0; j < 3; ++j) scores.state(0, j) = given[j] + shift;
    GradientTables<double> tables(scores);
    marginals(scores, 1, work, tables.view());
    for (Label j = 0; j < 3; ++j) EXPECT_NEAR(tables.state(0, j), softmax[j], 5e-7);

    scores.reset(1, two);
    scores.state(0, 0) = 0.5 + shift;
    scores.state(0, 1) = 1.4 + shift;
    marginals(scores, 1, work, tables.view());
    EXPECT_NEAR(tables.state(0, 0), 0.289050, 5e-7);
    EXPECT_NEAR(tables.state(0, 1), 0.710950, 5e-7);
  }
}

TEST(ChainSum, EmptySequenceHasLogZZero) {
  const TransitionScores<double> tied(3);
  ChainScores<double> scores;
  scores.reset(0, tied);
  ForwardBackwardWorkspace<double> work;
  EXPECT_EQ(log_partition(scores, work), 0);
  GradientTables<double> tables(scores);
  EXPECT_EQ(marginals(scores, 1, work, tables.view()), 0);
}

TEST(ChainSum, ForbiddenEdgeGivesMinusInfinityAndLeavesOutUntouched) {
  Matrix<float> log(2, 2, -std::numeric_limits<float>::infinity());
  TransitionScores<float> tied;
  tied.assign(log);
  ChainScores<float> scores;
  scores.reset(2, tied);
  ForwardBackwardWorkspace<float> work;
  GradientTables<float> tables(scores);
  tables.state(0, 0) = 7;
  EXPECT_EQ(marginals(scores, 1, work, tables.view()), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(tables.state(0, 0), 7);
}

TEST(ChainSum, ScaleMultipliesDerivativesAndNotLogZ) {
  Random random(3);
  const auto chain = random_chain<double>({4, 3, 1, 0, 0.5, false}, random);
  ForwardBackwardWorkspace<double> work;
  GradientTables<double> once(chain.scores), thrice(chain.scores);
  const double log_z = marginals(chain.scores, 1, work, once.view());
  EXPECT_EQ(marginals(chain.scores, 3, work, thrice.view()), log_z);
  EXPECT_NEAR(thrice.state(2, 1), 3 * once.state(2, 1), 1e-14);
  EXPECT_NEAR(thrice.overlay(0, 1), 3 * once.overlay(0, 1), 1e-14);
  EXPECT_NEAR(thrice.transition(0, 1), 3 * once.transition(0, 1), 1e-14);
}

TEST(ChainSum, TreeFactorisationHolds) {  // p(y) = prod_t p(y_{t-1}, y_t) / prod_inner p(y_t)
  Random random(4);
  const auto chain = random_chain<double>({4, 3, 2, 0, 1, false}, random);
  const auto& scores = chain.scores;
  ForwardBackwardWorkspace<double> work;
  GradientTables<double> tables(scores);
  const double log_z = marginals(scores, 1, work, tables.view());
  for_each_labelling(scores, [&](const std::vector<Label>& y, long double s) {
    double p = 1;
    for (std::size_t t = 1; t < y.size(); ++t) {
      p *= tables.overlay(scores.overlay_of[t] * scores.labels() + y[t - 1], y[t]);
      if (t + 1 < y.size()) p /= tables.state(t, y[t]);
    }
    EXPECT_NEAR(p, std::exp(static_cast<double>(s) - log_z), 1e-12);
  });
}

}  // namespace
}  // namespace croft::chain_sum_test
