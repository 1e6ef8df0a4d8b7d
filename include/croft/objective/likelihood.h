// The conditional likelihood of a chain:  L(theta, y) = weight (log Z(theta) - theta(y)).
//
//   dL/dtheta = weight (mu - 1[y])                                                        (C.9)
#pragma once
#include <span>

#include "croft/inference/chain_sum.h"

namespace croft {

// An objective: (scores, gold) -> value and dL/dtheta.  One object a thread: it owns the scratch.
template <class Real>
class ChainLikelihood {
 public:
  // Requires weight > 0.  Returns L in nats, >= 0 up to rounding, and writes dL/dtheta to `out` (state and overlay overwritten, transition
  // added to).  +inf, with `out` unspecified, when the scores forbid the gold labelling.
  // Cost: one forward-backward.
  double operator()(const ChainScores<Real>& scores, std::span<const Label> gold, double weight,
                    const ChainGradient<Real>& out);

 private:
  ForwardBackwardWorkspace<Real> work_;
};

}  // namespace croft
