// The scaled linear-domain recursions behind chain_sum.h.  Internal.
#pragma once
#include "croft/inference/chain_sum.h"

namespace croft {

enum class ScaledOutcome {
  done,
  impossible,  // no labelling is allowed: log Z = -inf
  unsafe       // underflow could not be ruled out: nothing computed is to be used
};

// Fills work.emission, alpha, edge_factor and log_z.
ScaledOutcome scaled_forward(const ChainScores<float>&, ForwardBackwardWorkspace<float>&);
ScaledOutcome scaled_forward(const ChainScores<double>&, ForwardBackwardWorkspace<double>&);

// After scaled_forward: fills work.suffix, out.state, out.overlay; adds to out.transition.
// `unsafe` is found before out.overlay and out.transition are touched; out.state is overwritten.
ScaledOutcome scaled_backward(const ChainScores<float>&, double scale,
                              ForwardBackwardWorkspace<float>&, const ChainGradient<float>&);
ScaledOutcome scaled_backward(const ChainScores<double>&, double scale,
                              ForwardBackwardWorkspace<double>&, const ChainGradient<double>&);

}  // namespace croft
