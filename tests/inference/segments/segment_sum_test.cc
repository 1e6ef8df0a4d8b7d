// Sums over segmentations against brute force, the chain, and the derivative of log Z.
#include "croft/inference/segment_sum.h"

#include <gtest/gtest.h>

#include "core/simd.h"
#include "croft/inference/chain_sum.h"
#include "inference/segments/segment_log_domain.h"
#include "support/random_chain.h"
#include "support/random_segments.h"
#include "support/segment_brute_force.h"

namespace croft::segment_sum_test {
namespace {

using testing_support::brute_force;
using testing_support::random_segments;
using testing_support::RandomSegments;
using testing_support::SegmentBruteForce;
using testing_support::SegmentModel;
using testing_support::SegmentTables;

constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<SegmentModel> models() {
  std::vector<SegmentModel> list;
  for (std::size_t length = 0; length <= 8; ++length) {
    for (std::size_t labels = 1; labels <= (length > 6 ? 2 : 4); ++labels) {
      for (const std::uint32_t longest : {1, 3, 9}) {
        for (const double forbidden : {0.0, 0.15, 0.5}) {
          for (const double overlay : {0.0, 0.3, 1.0}) {
            for (const double scale : {0.0, 1.0, 20.0}) {
              list.push_back({length, labels, longest, scale, forbidden, overlay, false});
            }
          }
        }
      }
    }
  }
  return list;
}

template <class Real>
void expect_matches(const SegmentScores<Real>& scores, const SegmentBruteForce& truth, double log_z,
                    const SegmentTables<Real>& tables, double tolerance) {
  if (std::isinf(truth.log_partition)) {
    ASSERT_EQ(log_z, truth.log_partition);
    return;
  }
  ASSERT_NEAR(log_z, truth.log_partition, tolerance * (1 + std::abs(truth.log_partition)));
  for (std::size_t t = 0; t < scores.length(); ++t) {
    for (std::size_t c = 0; c < scores.segment.columns(); ++c) {
      ASSERT_NEAR(tables.segment(t, c), truth.segment(t, c), tolerance) << t << " " << c;
    }
    for (std::size_t c = scores.segment.columns(); c < scores.segment.stride(); ++c) {
      ASSERT_EQ(tables.segment.row(t)[c], 0);
    }
  }
  for (std::size_t k = 0; k < scores.overlay.rows(); ++k) {
    for (Label i = 0; i < scores.labels(); ++i) {
      ASSERT_NEAR(tables.overlay(k, i), truth.overlay(k, i), tolerance) << k << " " << i;
    }
  }
  for (Label i = 0; i < scores.labels(); ++i) {
    for (Label j = 0; j < scores.labels(); ++j) {
      ASSERT_NEAR(tables.transition[i * scores.labels() + j], truth.transition(i, j),
                  6 * tolerance);
    }
  }
}

template <class Real>
void check_all_models(double tolerance) {
  Random random(1);
  SegmentWorkspace<Real> work;
  SegmentLogWorkspace log_domain;
  std::size_t scaled = 0, all = 0;
  for (const SegmentModel& model : models()) {
    SCOPED_TRACE(testing::Message() << "T " << model.length << " L " << model.labels << " D "
                                    << model.longest << " scale " << model.scale << " forbidden "
                                    << model.forbidden << " overlay " << model.overlay);
    const RandomSegments<Real> made = random_segments<Real>(model, random);
    const SegmentBruteForce truth =
        brute_force(testing_support::convert_segments<double>(made).scores);
    SegmentTables<Real> tables(made.scores), reference(made.scores);
    expect_matches(made.scores, truth, marginals(made.scores, 1, work, tables.view()), tables,
                   tolerance);
    scaled += work.path == ChainPath::scaled;
    ++all;
    const double log_z = log_partition(made.scores, work);
    if (std::isinf(truth.log_partition)) {
      ASSERT_EQ(log_z, truth.log_partition);
    } else {
      ASSERT_NEAR(log_z, truth.log_partition, tolerance * (1 + std::abs(truth.log_partition)));
    }
    expect_matches(made.scores, truth,
                   log_domain_marginals(made.scores, 1, log_domain, reference.view()), reference,
                   tolerance);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(scaled, all * 3 / 4);  // the fast path is what is mostly tested here
}

TEST(SegmentSum, FloatMatchesBruteForceOnRandomModels) { check_all_models<float>(5e-6); }
TEST(SegmentSum, DoubleMatchesBruteForceOnRandomModels) { check_all_models<double>(1e-11); }

TEST(SegmentSum, MarginalsAreGradientOfLogZ) {
  Random random(2);
  SegmentWorkspace<double> work;
  const RandomSegments<double> made =
      random_segments<double>({7, 3, 4, 2, 0.1, 0.3, false}, random);
  SegmentTables<double> tables(made.scores);
  ASSERT_TRUE(std::isfinite(marginals(made.scores, 1, work, tables.view())));
  std::vector<double> numbers;
  testing_support::map_scores(made, [&](double v) { return numbers.push_back(v), v; });
  const std::vector<double> gradient = tables.numbers();
  ASSERT_EQ(numbers.size(), gradient.size());
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (std::isinf(numbers[k])) {
      ASSERT_EQ(gradient[k], 0);
      continue;
    }
    const auto value = [&](double step) {
      std::size_t at = 0;
      const auto shifted =
          testing_support::map_scores(made, [&](double v) { return at++ == k ? v + step : v; });
      return log_partition(shifted.scores, work);
    };
    ASSERT_NEAR((value(1e-5) - value(-1e-5)) / 2e-5, gradient[k], 1e-9) << k;
  }
}

TEST(SegmentSum, ScaleMultipliesEveryDerivative) {
  Random random(3);
  SegmentWorkspace<double> work;
  const auto made = random_segments<double>({6, 3, 3, 1, 0, 0.5, false}, random);
  SegmentTables<double> one(made.scores), three(made.scores);
  marginals(made.scores, 1, work, one.view());
  marginals(made.scores, -3, work, three.view());
  const auto a = one.numbers(), b = three.numbers();
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(-3 * a[k], b[k], 1e-14);
}

// A segmentation into segments of length 1 is a labelling of a chain.
template <class Real>
void check_equals_chain(double tolerance) {
  Random random(4);
  SegmentWorkspace<Real> work;
  ForwardBackwardWorkspace<Real> chain_work;
  for (const double scale : {1.0, 10.0}) {
    for (std::size_t length = 1; length <= 40; length += 3) {
      const auto made = random_segments<Real>({length, 5, 1, scale, 0.1, 0, false}, random);
      ChainScores<Real> chain;
      chain.reset(length, *made.transitions);
      for (std::size_t t = 0; t < length; ++t) {
        std::copy_n(made.scores.segment.row(t), 5, chain.state.row(t));
      }
      testing_support::GradientTables<Real> expected(chain);
      SegmentTables<Real> tables(made.scores);
      const double log_z = marginals(chain, 1, chain_work, expected.view());
      const double got = marginals(made.scores, 1, work, tables.view());
      if (std::isinf(log_z)) {
        ASSERT_EQ(got, log_z);
        continue;
      }
      ASSERT_NEAR(got, log_z, tolerance * (1 + std::abs(log_z)));
      for (std::size_t t = 0; t < length; ++t) {
        for (Label j = 0; j < 5; ++j) {
          ASSERT_NEAR(tables.segment(t, j), expected.state(t, j), tolerance);
        }
      }
      for (Label i = 0; i < 5; ++i) {
        for (Label j = 0; j < 5; ++j) {
          ASSERT_NEAR(tables.transition[i * 5 + j], expected.edge(i, j),
                      tolerance * static_cast<double>(length));
        }
      }
    }
  }
}
TEST(SegmentSum, SegmentsOfLengthOneEqualChain) {
  check_equals_chain<float>(5e-6);
  check_equals_chain<double>(1e-11);
}

// p of each position's segments sum to 1, however long the sequence and large the scores.
template <class Real>
void expect_consistent(const SegmentScores<Real>& scores, const SegmentTables<Real>& tables,
                       double tolerance) {
  std::vector<double> covered(scores.length() + 1, 0.0);
  const SegmentShape& shape = *scores.shape;
  for (std::size_t t = 0; t < scores.length(); ++t) {
    for (Label y = 0; y < shape.labels(); ++y) {
      for (std::size_t d = 1; d <= shape.longest(y); ++d) {
        const double p = tables.segment(t, shape.cell(y, d));
        if (p == 0) continue;
        for (std::size_t s = t; s < t + d; ++s) covered[s] += p;
      }
    }
  }
  for (std::size_t t = 0; t < scores.length(); ++t) ASSERT_NEAR(covered[t], 1, tolerance) << t;
}

template <class Real>
void expect_paths_agree(const SegmentScores<Real>& scores, double tolerance, ChainPath path) {
  SegmentWorkspace<Real> work;
  SegmentLogWorkspace log_domain;
  SegmentTables<Real> fast(scores), reference(scores);
  const double log_z = log_domain_marginals(scores, 1, log_domain, reference.view());
  ASSERT_TRUE(std::isfinite(log_z));
  ASSERT_NEAR(marginals(scores, 1, work, fast.view()), log_z, tolerance * (1 + std::abs(log_z)));
  EXPECT_EQ(work.path, path);
  const auto a = fast.numbers(), b = reference.numbers();
  for (std::size_t k = 0; k < a.size(); ++k) {
    ASSERT_NEAR(a[k], b[k], tolerance * (1 + std::abs(b[k]))) << k;
  }
  expect_consistent(scores, fast, tolerance);
}

TEST(SegmentSum, FastPathEqualsLogDomain) {
  Random random(5);
  for (const double scale : {0.0, 1.0, 5.0}) {
    for (const double overlay : {0.0, 0.05}) {
      const auto made = random_segments<double>({300, 5, 30, scale, 0.05, overlay, false}, random);
      expect_paths_agree(made.scores, 1e-10, ChainPath::scaled);
      const auto narrow = testing_support::convert_segments<float>(made);
      expect_paths_agree(narrow.scores, 3e-5, ChainPath::scaled);
    }
  }
}

// Rows of cells that fill registers of every width to various degrees.
template <class Real>
void check_every_target(double tolerance) {
  for (const std::string& target : simd_targets()) {
    SCOPED_TRACE(target);
    force_simd_target(target);
    Random random(9);
    SegmentWorkspace<Real> work;
    SegmentLogWorkspace log_domain;
    for (const std::uint32_t longest : {1, 2, 5, 16, 17, 40}) {
      for (const std::size_t labels : {1, 2, 9, 17}) {
        for (const double forbidden : {0.0, 0.1}) {
          const auto made =
              random_segments<Real>({37, labels, longest, 2, forbidden, 0.02, false}, random);
          SegmentTables<Real> fast(made.scores), reference(made.scores);
          const double log_z = log_domain_marginals(made.scores, 1, log_domain, reference.view());
          if (std::isinf(log_z)) {
            ASSERT_EQ(marginals(made.scores, 1, work, fast.view()), log_z);
            continue;
          }
          ASSERT_NEAR(marginals(made.scores, 1, work, fast.view()), log_z,
                      tolerance * (1 + std::abs(log_z)));
          const auto a = fast.numbers(), b = reference.numbers();
          for (std::size_t k = 0; k < a.size(); ++k) {
            ASSERT_NEAR(a[k], b[k], tolerance * (1 + std::abs(b[k]))) << k;
          }
          SegmentBest best;
          std::vector<Segment> segments;
          ASSERT_LE(viterbi(made.scores, best, segments), log_z + tolerance);
        }
      }
    }
  }
  force_simd_target(simd_targets().front());
}
TEST(SegmentSum, EveryTargetEqualsLogDomain) {
  check_every_target<float>(1e-5);
  check_every_target<double>(1e-11);
}

// Growth of the number of segmentations: 6 times as many with each position.
TEST(SegmentSum, CountsSegmentationsWhereAllScoresAreZero) {
  SegmentWorkspace<float> work;
  const TransitionScores<float> free(5);
  const SegmentShape shape(std::vector<std::uint32_t>(5, 200));
  SegmentScores<float> scores;
  scores.reset(shape, 200, free);
  EXPECT_NEAR(log_partition(scores, work), std::log(5) + 199 * std::log(6), 1e-3);
  EXPECT_EQ(work.path, ChainPath::scaled);
}

TEST(SegmentSum, LongSequencesAndLargeScoresKeepTheirDigits) {
  Random random(6);
  auto made = random_segments<double>({200000, 3, 6, 1, 0, 0, false}, random);
  SegmentWorkspace<double> work;
  SegmentTables<double> tables(made.scores);
  const double log_z = marginals(made.scores, 1, work, tables.view());
  EXPECT_EQ(work.path, ChainPath::scaled);
  expect_consistent(made.scores, tables, 1e-9);
  // A constant for each position of a segment: log Z moves by T times it, nothing else does.
  for (std::size_t t = 0; t < 200000; ++t) {
    for (Label y = 0; y < 3; ++y) {
      for (std::size_t d = 1; d <= made.shape->longest(y); ++d) {
        made.scores.segment(t, made.shape->cell(y, d)) += 65536.0 * static_cast<double>(d);
      }
    }
  }
  SegmentTables<double> moved(made.scores);
  EXPECT_NEAR(marginals(made.scores, 1, work, moved.view()) - 65536.0 * 200000, log_z, 1e-4);
  EXPECT_EQ(work.path, ChainPath::scaled);
  for (std::size_t t = 0; t < 200000; t += 997) {
    for (std::size_t c = 0; c < made.shape->cells(); ++c) {
      ASSERT_NEAR(moved.segment(t, c), tables.segment(t, c), 1e-7);
    }
  }
}

TEST(SegmentSum, ScoresOfAHundredThousandAreOrdinary) {
  Random random(7);
  for (const double forbidden : {0.0, 0.2}) {
    const auto made = random_segments<double>({60, 3, 5, 1e5, forbidden, 0.1, false}, random);
    SegmentWorkspace<double> work;
    SegmentTables<double> tables(made.scores);
    SegmentBest best;
    std::vector<Segment> segments;
    const double top = viterbi(made.scores, best, segments);
    const double log_z = marginals(made.scores, 1, work, tables.view());
    ASSERT_TRUE(std::isfinite(log_z));
    EXPECT_NEAR(log_z, top, 1e-3);  // the best has all the probability
    for (const auto& [begin, end, y] : segments) {
      EXPECT_NEAR(tables.segment(begin, made.shape->cell(y, end - begin)), 1, 1e-6);
    }
    const auto narrow = testing_support::convert_segments<float>(made);
    SegmentWorkspace<float> narrow_work;
    EXPECT_NEAR(log_partition(narrow.scores, narrow_work), log_z, 1e-6 * std::abs(log_z));
  }
}

// Many small segments outweigh the long one at every boundary inside it, and then cannot go on.
TEST(SegmentSum, MassThatDiesIsNotMistakenForAll) {
  const TransitionScores<float> free(2);
  const std::vector<std::uint32_t> longest{200, 1};
  const SegmentShape shape(longest);
  SegmentScores<float> scores;
  scores.reset(shape, 201, free);
  for (std::size_t t = 0; t <= 200; ++t) {  // only one segment ends at 200, the longest of label 0
    for (std::size_t c = 0; c < shape.cells(); ++c) {
      const std::size_t end = t + (c < 200 ? c + 1 : 1);
      const bool whole = t == 0 && end == 200;
      if (end == 200 && !whole) scores.segment(t, c) = SegmentScores<float>::kForbidden;
      if (end == 201 && t < 200) scores.segment(t, c) = SegmentScores<float>::kForbidden;
    }
  }
  SegmentWorkspace<float> work;
  SegmentTables<float> tables(scores);
  EXPECT_NEAR(marginals(scores, 1, work, tables.view()), std::log(2), 1e-6);
  EXPECT_NEAR(tables.segment(0, 199), 1, 1e-6);
  EXPECT_NE(work.path, ChainPath::scaled);
}

// With diagonal-only edges three positions suffice to underflow (docs/math/chain.md section 3.2).
TEST(SegmentSum, ForbiddenEdgesKeepWhatFollowsThemAlive) {
  Matrix<float> log(2, 2, SegmentScores<float>::kForbidden);
  log(0, 0) = log(1, 1) = 0;
  TransitionScores<float> diagonal;
  diagonal.assign(std::move(log));
  const std::vector<std::uint32_t> longest{1, 1};
  const SegmentShape shape(longest);
  SegmentScores<float> scores;
  scores.reset(shape, 3, diagonal);
  scores.segment(0, 1) = scores.segment(1, 1) = -60;
  scores.segment(2, 0) = SegmentScores<float>::kForbidden;
  SegmentWorkspace<float> work;
  EXPECT_NEAR(log_partition(scores, work), -120, 1e-5);
  EXPECT_NE(work.path, ChainPath::scaled);
}

TEST(SegmentSum, NothingAllowedGivesMinusInfinityAndTouchesNothing) {
  Random random(8);
  auto made = random_segments<float>({4, 2, 2, 1, 0, 0, false}, random);
  for (std::size_t c = 0; c < made.shape->cells(); ++c) {
    for (std::size_t t = 0; t < 4; ++t) {
      const std::size_t d = c < made.shape->longest(0) ? c + 1 : c + 1 - made.shape->longest(0);
      if (t <= 2 && 2 < t + d) made.scores.segment(t, c) = SegmentScores<float>::kForbidden;
    }
  }
  SegmentWorkspace<float> work;
  SegmentTables<float> tables(made.scores);
  EXPECT_EQ(marginals(made.scores, 1, work, tables.view()), -kInf);
  EXPECT_EQ(tables.segment(0, 0), 7);
  EXPECT_EQ(tables.transition[0], 0);
}

TEST(SegmentSum, EmptySequenceHasOneSegmentation) {
  const TransitionScores<double> free(2);
  const std::vector<std::uint32_t> longest{2, 2};
  const SegmentShape shape(longest);
  SegmentScores<double> scores;
  scores.reset(shape, 0, free);
  SegmentWorkspace<double> work;
  EXPECT_EQ(log_partition(scores, work), 0);
  SegmentLogWorkspace log_domain;
  EXPECT_EQ(log_domain_partition(scores, log_domain), 0);
}

}  // namespace
}  // namespace croft::segment_sum_test
