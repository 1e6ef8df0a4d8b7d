// The best segmentation against brute force.
#include "croft/inference/segment_viterbi.h"

#include <gtest/gtest.h>

#include "support/random_segments.h"
#include "support/segment_brute_force.h"

namespace croft::segment_viterbi_test {
namespace {

using testing_support::brute_force;
using testing_support::random_segments;

template <class Real>
void check(bool ties) {
  Random random(11);
  SegmentBest best;
  std::vector<Segment> segments;
  for (std::size_t length = 0; length <= 7; ++length) {
    for (std::size_t labels = 1; labels <= 3; ++labels) {
      for (const double forbidden : {0.0, 0.3, 0.6}) {
        for (const double overlay : {0.0, 0.5}) {
          for (int repeat = 0; repeat < 5; ++repeat) {
            const auto made =
                random_segments<Real>({length, labels, 4, 2, forbidden, overlay, ties}, random);
            const auto truth = brute_force(testing_support::convert_segments<double>(made).scores);
            const double found = viterbi(made.scores, best, segments);
            if (std::isinf(truth.best_score)) {
              ASSERT_EQ(found, truth.best_score);
              continue;
            }
            ASSERT_NEAR(found, truth.best_score, 1e-9);
            ASSERT_EQ(score<Real>(made.scores, segments), found);
            if (!ties) {
              ASSERT_EQ(segments, truth.best);
            }
          }
        }
      }
    }
  }
}

TEST(SegmentViterbi, MatchesBruteForce) {
  check<float>(false);
  check<double>(false);
}
TEST(SegmentViterbi, ReachesTheBestScoreWhereThereAreTies) {
  check<float>(true);
  check<double>(true);
}

TEST(SegmentViterbi, TiesGoToTheSmallerLabelAndTheShorterSegmentFromTheEnd) {
  const TransitionScores<float> free(2);
  const std::vector<std::uint32_t> longest{2, 3};
  const SegmentShape shape(longest);
  SegmentScores<float> scores;
  scores.reset(shape, 3, free);
  SegmentBest best;
  std::vector<Segment> segments;
  EXPECT_EQ(viterbi(scores, best, segments), 0);
  EXPECT_EQ(segments, (std::vector<Segment>{{0, 1, 0}, {1, 2, 0}, {2, 3, 0}}));
}

// In long sequences, and with large scores, what decides keeps its digits.
TEST(SegmentViterbi, KeepsDigitsOverAMillionPositions) {
  const std::size_t length = 1000000;
  const TransitionScores<float> free(2);
  const std::vector<std::uint32_t> longest{2, 1};
  const SegmentShape shape(longest);
  SegmentScores<float> scores;
  scores.reset(shape, length, free);
  Random random(12);
  std::vector<bool> two(length / 2);
  for (std::size_t t = 0; t < length; t += 2) {  // pairs of positions: one segment, or two
    two[t / 2] = random.below(2) == 0;
    for (std::size_t s = t; s < t + 2; ++s) scores.segment(s, 0) = scores.segment(s, 2) = 100000;
    scores.segment(t, 1) = two[t / 2] ? 199999.98f : 200000.02f;
    if (t > 0) scores.segment(t - 1, 1) = SegmentScores<float>::kForbidden;
  }
  SegmentBest best;
  std::vector<Segment> segments;
  viterbi(scores, best, segments);
  std::size_t k = 0;
  for (std::size_t t = 0; t < length; t += 2) {
    ASSERT_EQ(segments[k].begin, t);
    ASSERT_EQ(segments[k].end, two[t / 2] ? t + 1 : t + 2);
    k += two[t / 2] ? 2 : 1;
  }
}

}  // namespace
}  // namespace croft::segment_viterbi_test
