// The oracle: every segmentation of a sequence, one by one.
//
// Exponential in T: for tests, and for users who want to check a result on a small case. Everything
// is summed in long double from the definition, docs/math/segments.md (SM.1) and (SM.2).
#pragma once
#include <functional>
#include <vector>

#include "croft/structure/segments.h"

namespace croft {

// visit(segments, score) for every segmentation with a finite score, in the order of the first
// segment's label, then its length, then of what follows.  Length 0 has one, the empty one.
void for_each_segmentation(
    const SegmentScores<double>& scores,
    const std::function<void(const std::vector<Segment>& segments, long double score)>& visit);

struct SegmentBruteForce {
  double log_partition;       // -inf when no segmentation is allowed
  std::vector<Segment> best;  // the first of the largest score
  double best_score;          // -inf when no segmentation is allowed
  Matrix<double> segment;     // [T][cells] p(that segment | x)
  Matrix<double> overlay;     // [overlays][L] p(that segment after one of the label | x)
  Matrix<double> transition;  // [L][L] expected number of neighbours
};
SegmentBruteForce brute_force(const SegmentScores<double>& scores);

}  // namespace croft
