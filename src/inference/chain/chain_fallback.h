// What a ForwardBackwardWorkspace holds for the paths beside the scaled one in Real.  Internal.
//
// Where the result of the last call is, by work.path:
//   scaled        : work.alpha, work.suffix, work.edge_factor
//   scaled_double : the same three of fallback->wide, for fallback->scores      (Real = float only)
//   log_domain    : Real = double: fallback->log_domain
//                   Real = float : fallback->wide.fallback->log_domain, for fallback->scores
#pragma once
#include "croft/inference/chain_sum.h"

namespace croft {

template <class Real>
struct ForwardBackwardWorkspace<Real>::Fallback {
  LogDomainWorkspace log_domain;
  // Double copies, for scores in float.
  TransitionScores<double> transitions;
  ChainScores<double> scores;
  ForwardBackwardWorkspace<double> wide;
  Matrix<double> state, overlay;
};

}  // namespace croft
