// What a SegmentWorkspace holds for the paths beside the scaled one in Real.  Internal.
#pragma once
#include "croft/inference/segment_sum.h"
#include "inference/segments/segment_log_domain.h"

namespace croft {

template <class Real>
struct SegmentWorkspace<Real>::Fallback {
  SegmentLogWorkspace log_domain;
  // Double copies, for scores in float.
  TransitionScores<double> transitions;
  SegmentScores<double> scores;
  SegmentWorkspace<double> wide;
  Matrix<double> segment, overlay;
};

}  // namespace croft
