// Viterbi with sparse transitions against the same recursion on the dense table they stand for.
#include <gtest/gtest.h>

#include "croft/inference/chain_viterbi.h"
#include "support/random_chain.h"

namespace croft::chain_viterbi_sparse_test {
namespace {

using testing_support::ChainShape;
using testing_support::densify;
using testing_support::random_sparse_chain;
using testing_support::RandomChain;

template <class Real>
void expect_equals_dense(const RandomChain<Real>& chain) {
  const std::size_t length = chain.scores.length();
  ViterbiWorkspace<Real> work, dense_work;
  std::vector<Label> y(length), dense_y(length);
  const RandomChain<Real> dense = densify(chain);
  const double best = viterbi<Real>(chain.scores, work, y);
  ASSERT_EQ(best, viterbi<Real>(dense.scores, dense_work, dense_y));
  if (std::isinf(best)) return;
  ASSERT_EQ(y, dense_y);
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t j = 0; j < work.best.stride(); ++j) {
      ASSERT_EQ(work.best.row(t)[j], dense_work.best.row(t)[j]) << "t " << t << " j " << j;
    }
  }
}

template <class Real>
void check_all_shapes(std::uint64_t seed) {
  Random random(seed);
  for (const Background background : {Background::zero, Background::forbidden}) {
    for (const double density : {0.0, 0.02, 0.3, 0.8, 1.0}) {
      for (const std::size_t labels : {1, 2, 3, 5, 8, 13, 31, 60}) {
        for (int repeat = 0; repeat < 12; ++repeat) {
          const bool ties = repeat % 2 == 1;
          const double scale = repeat % 3 == 0 ? 20 : repeat % 3 == 1 ? 2 : 0.3;
          const ChainShape shape{random.below(9), labels, scale, repeat / 4 * 0.25, 0, ties};
          SCOPED_TRACE(testing::Message()
                       << "T " << shape.length << " L " << labels << " density " << density
                       << " scale " << scale << " forbidden " << shape.forbidden);
          expect_equals_dense(random_sparse_chain<Real>(shape, background, density, random));
        }
      }
    }
  }
}

TEST(ChainViterbiSparse, FloatEqualsTheDenseRecursionToTheLastBit) { check_all_shapes<float>(1); }
TEST(ChainViterbiSparse, DoubleEqualsTheDenseRecursionToTheLastBit) { check_all_shapes<double>(2); }

TEST(ChainViterbiSparse, ListedEdgesMayAllBeWorseThanTheBackground) {
  Random random(3);
  for (int repeat = 0; repeat < 100; ++repeat) {
    auto chain = random_sparse_chain<float>({6, 20, 1, 0, 0, repeat % 2 == 0}, Background::zero,
                                            0.05 * static_cast<double>(random.below(20)), random);
    std::vector<Edge> edges;
    std::vector<float> log;
    const auto& leaving = chain.transitions->leaving();
    for (Label i = 0; i < 20; ++i) {
      for (std::uint32_t k = leaving.begin[i]; k < leaving.begin[i + 1]; ++k) {
        edges.push_back({i, leaving.other[k]});
        log.push_back(-std::abs(leaving.log[k]) - 3);
      }
    }
    chain.transitions->assign(20, Background::zero, edges, std::span<const float>(log));
    expect_equals_dense(chain);
  }
}

TEST(ChainViterbiSparse, EveryTargetMayForbidTheLabelThatLeads) {
  // Label 0 leads everywhere and all its edges are listed as forbidden: the runners-up must be
  // found.
  Random random(4);
  for (int repeat = 0; repeat < 50; ++repeat) {
    const Label labels = 2 + static_cast<Label>(random.below(30));
    const Label leaders = 1 + static_cast<Label>(random.below(labels - 1));
    std::vector<Edge> edges;
    for (Label i = 0; i < leaders; ++i) {
      for (Label j = 0; j < labels; ++j) edges.push_back({i, j});
    }
    const std::vector<double> log(edges.size(), -std::numeric_limits<double>::infinity());
    RandomChain<double> chain;
    chain.transitions = std::make_unique<TransitionScores<double>>();
    chain.transitions->assign(labels, Background::zero, edges, std::span<const double>(log));
    chain.scores.reset(5, *chain.transitions);
    for (std::size_t t = 0; t < 5; ++t) {
      for (Label j = 0; j < labels; ++j) {
        chain.scores.state(t, j) = random.normal() + (j < leaders ? 10.0 : 0.0);
      }
    }
    expect_equals_dense(chain);
  }
}

TEST(ChainViterbiSparse, AMillionPositions) {
  Random random(5);
  expect_equals_dense(
      random_sparse_chain<float>({1000000, 3, 2, 0.1, 0, false}, Background::zero, 0.5, random));
}

}  // namespace
}  // namespace croft::chain_viterbi_sparse_test
