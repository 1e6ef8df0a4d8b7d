// Every SIMD target of this machine gives what the first one gives: inference, scores, the
// gradient.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/simd.h"
#include "croft/inference/chain_sum.h"
#include "croft/inference/chain_viterbi.h"
#include "croft/objective/likelihood.h"
#include "model/linear_scorer.h"
#include "support/naive_features.h"
#include "support/random_chain.h"
#include "train/functions/chain_batch_function.h"

namespace croft::chain_simd_test {
namespace {

using testing_support::ChainShape;
using testing_support::DataShape;
using testing_support::GradientTables;
using testing_support::random_chain;
using testing_support::random_model;
using testing_support::RandomChain;
using testing_support::RandomModel;

template <class Real>
constexpr double kTolerance = std::is_same_v<Real, float> ? 1e-5 : 1e-12;

// Numbers of labels that fill registers of 2, 4, 8 and 16 numbers to various degrees.
constexpr std::size_t kLabels[] = {1, 2, 3, 5, 8, 9, 16, 22, 33, 70};

// What one target makes of all the random inputs, in order.
struct Outputs {
  std::vector<double> numbers;
  std::vector<Label> labels;

  // The width is the same for all targets; padding is left out.
  template <class Real>
  void append(const Matrix<Real>& m) {
    for (std::size_t r = 0; r < m.rows(); ++r) {
      numbers.insert(numbers.end(), m[r].begin(), m[r].end());
    }
  }
};

class EveryTarget : public testing::Test {
 protected:
  void TearDown() override { force_simd_target(simd_targets().front()); }

  // Each number within tolerance (1 + its size) of the first target's; labels equal.
  template <class Compute>
  void expect_agreement(double tolerance, const Compute& compute) {
    force_simd_target(simd_targets().front());
    const Outputs first = compute();
    EXPECT_GT(first.numbers.size(), 100u);
    for (const std::string& target : simd_targets()) {
      SCOPED_TRACE(target);
      force_simd_target(target);
      ASSERT_EQ(simd_target(), target);
      const Outputs other = compute();
      EXPECT_EQ(other.labels, first.labels);
      ASSERT_EQ(other.numbers.size(), first.numbers.size());
      for (std::size_t k = 0; k < first.numbers.size(); ++k) {
        const double expected = first.numbers[k];
        if (other.numbers[k] == expected) continue;  // infinities too
        ASSERT_NEAR(other.numbers[k], expected, tolerance * (1 + std::abs(expected))) << k;
      }
    }
  }
};

// body(chain) for random chains of every shape, the same ones at every call.
template <class Real, class Body>
void for_random_chains(const Body& body) {
  Random random(1);
  for (const std::size_t labels : kLabels) {
    for (const double scale : {2.0, 80.0}) {  // the fast path, and those that step in for it
      for (const double forbidden : {0.0, 0.1}) {
        for (const double overlay : {0.0, 0.4}) {
          body(random_chain<Real>({7, labels, scale, forbidden, overlay, false}, random));
        }
      }
    }
  }
}

template <class Real>
Outputs sums() {
  Outputs out;
  ForwardBackwardWorkspace<Real> work;
  for_random_chains<Real>([&](const RandomChain<Real>& chain) {
    out.numbers.push_back(log_partition(chain.scores, work));
    GradientTables<Real> tables(chain.scores);
    out.numbers.push_back(marginals(chain.scores, 1, work, tables.view()));
    out.append(tables.state);
    out.append(tables.overlay);
    out.append(tables.transition);
  });
  return out;
}

TEST_F(EveryTarget, SumsOverLabellingsAgreeInFloat) {
  expect_agreement(kTolerance<float>, sums<float>);
}
TEST_F(EveryTarget, SumsOverLabellingsAgreeInDouble) {
  expect_agreement(kTolerance<double>, sums<double>);
}

template <class Real>
Outputs best_labellings() {
  Outputs out;
  ViterbiWorkspace<Real> work;
  for (int repeat = 0; repeat < 2; ++repeat) {
    for_random_chains<Real>([&](const RandomChain<Real>& chain) {
      std::vector<Label> y(chain.scores.length(), 0);
      const double best = viterbi<Real>(chain.scores, work, y);
      out.numbers.push_back(best);
      if (!std::isinf(best)) out.labels.insert(out.labels.end(), y.begin(), y.end());
    });
  }
  return out;
}

// Sums of two or three numbers and maxima do not depend on the width of a register: no tolerance.
TEST_F(EveryTarget, BestLabellingsAreEqualInFloat) { expect_agreement(0, best_labellings<float>); }
TEST_F(EveryTarget, BestLabellingsAreEqualInDouble) {
  expect_agreement(0, best_labellings<double>);
}

// body(model) for random models of every width, the same ones at every call.
template <class Body>
void for_random_models(const Body& body) {
  static const std::vector<RandomModel> models = [] {
    std::vector<RandomModel> list;
    Random random(2);
    for (const std::size_t labels : kLabels) {
      for (const bool values : {false, true}) {
        const DataShape shape{
            .max_length = 8, .labels = labels, .node_attributes = 40, .values = values};
        list.push_back(random_model(shape, {FeatureSet::observed, 1, 1}, 1, random));
        list.push_back(random_model({.max_length = 8, .labels = labels, .edge = 0},
                                    {FeatureSet::all, 2, 1}, 1, random));
      }
    }
    return list;
  }();
  for (const RandomModel& model : models) body(model);
}

template <class Real>
Outputs linear_scores() {
  Outputs out;
  ChainScores<Real> scores;
  for_random_models([&](const RandomModel& model) {
    ThreadPool pool(1);
    LinearScorer<Real> scorer(model.layout);
    scorer.set_weights(model.w, pool);
    for (Label i = 0; i < model.layout.labels; ++i) {
      for (Label j = 0; j < model.layout.labels; ++j) {
        out.numbers.push_back(double{scorer.transitions().at(i, j)});
      }
    }
    for (std::size_t n = 0; n < model.data.sequences(); ++n) {
      scorer.score(model.data, n, scores);
      out.append(scores.state);
      out.append(scores.overlay);
    }
  });
  return out;
}

TEST_F(EveryTarget, ScoresAgreeInFloat) {
  expect_agreement(kTolerance<float>, linear_scores<float>);
}
TEST_F(EveryTarget, ScoresAgreeInDouble) {
  expect_agreement(kTolerance<double>, linear_scores<double>);
}

template <class Real>
Outputs batch_gradients() {
  Outputs out;
  for_random_models([&](const RandomModel& model) {
    ThreadPool pool(1);
    ChainBatchFunction<Real> function(model.data, model.layout, pool);
    std::vector<double> gradient(function.dimension());
    out.numbers.push_back(function.evaluate(model.w, gradient));
    out.numbers.insert(out.numbers.end(), gradient.begin(), gradient.end());
  });
  return out;
}

TEST_F(EveryTarget, BatchGradientsAgreeInFloat) {
  expect_agreement(kTolerance<float>, batch_gradients<float>);
}
TEST_F(EveryTarget, BatchGradientsAgreeInDouble) {
  expect_agreement(kTolerance<double>, batch_gradients<double>);
}

TEST_F(EveryTarget, ThereIsMoreThanOneOnX86) {
#if defined(__x86_64__)
  EXPECT_GT(simd_targets().size(), 1u);
#else
  GTEST_SKIP() << "only x86-64 is known to have several";
#endif
}

}  // namespace
}  // namespace croft::chain_simd_test
