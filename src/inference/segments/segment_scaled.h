// The linear-domain recursions behind segment_sum.h.  Internal.
#pragma once
#include "croft/inference/segment_sum.h"
#include "inference/chain/chain_scaled.h"  // ScaledOutcome

namespace croft {

// Fills work.best, end, begin, weight, overlay_share, exponent and log_z.
ScaledOutcome scaled_forward(const SegmentScores<float>&, SegmentWorkspace<float>&);
ScaledOutcome scaled_forward(const SegmentScores<double>&, SegmentWorkspace<double>&);

// After scaled_forward was done with T >= 1: fills work.share, suffix, out.segment, out.overlay;
// adds to out.transition.  Cannot fail: the checks of the forward pass cover it.
void scaled_backward(const SegmentScores<float>&, double scale, SegmentWorkspace<float>&,
                     const SegmentGradient<float>&);
void scaled_backward(const SegmentScores<double>&, double scale, SegmentWorkspace<double>&,
                     const SegmentGradient<double>&);

}  // namespace croft
