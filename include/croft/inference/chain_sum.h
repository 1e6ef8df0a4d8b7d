// Exact sums over all labellings of a chain: log Z and its derivatives, the marginals.
//
// Reads like docs/math/chain.md sections 2 and 3; equation numbers (C.n) point there.
// See also Rabiner (1989) section III; Sutton & McCallum (2012) section 4.1.
//
// Fast path: the recursions in the linear domain, scaled at every position by the largest score and
// by the sum of alpha, in SIMD.  It is taken only where a bound on the spread of the edge scores,
// or a check of the running values, proves that no path that matters has underflowed (section 3):
// first in Real, then in double; any other sequence takes the log domain (chain_log_domain.h).
#pragma once
#include <memory>
#include <span>

#include "croft/core/compensated_sum.h"
#include "croft/inference/chain_log_domain.h"
#include "croft/structure/chain.h"

namespace croft {

enum class ChainPath { scaled, scaled_double, log_domain };

// Scratch reused across sequences; grows, never shrinks.  One per thread.
template <class Real>
struct ForwardBackwardWorkspace {
  Matrix<Real> emission;  // [T][L] exp(state[t][j] - max_j state[t][j])
  Matrix<Real> alpha;     // [T][L] prefix sums, each row scaled to a sum near 1
  Matrix<Real> suffix;    // [T][L] p(y_{t-1}=i, y_t=j|x) = alpha[t-1][i] factor(t;i,j) suffix[t][j]
  Matrix<Real>
      edge_factor;   // [overlays L][L] exp(edge(t;i,j) - its largest), where t has an overlay
  Matrix<Real> row;  // [3][L] scratch
  AlignedVector<Real> pairs;  // [edges] scratch, for sparse transitions
  bool checked = false;       // values are checked as they come (C.13), not by a bound alone (C.12)
  CompensatedSum log_z;       // with the digits that a double would lose
  ChainPath path = ChainPath::scaled;  // the one that computed what is here

  struct Fallback;  // for the other paths; made when first needed
  std::shared_ptr<Fallback> fallback;
};

// log Z by the forward recursion (C.3).
//   scores : T >= 0 positions, L >= 1 labels, natural logarithms.  -inf forbids a label or edge;
//            NaN and +inf are bugs of the caller.
//   returns: log Z in nats; 0 when T == 0; -inf when no labelling is allowed.
// Time O(T L^2), memory O(T L), no allocation once warm.
template <class Real>
double log_partition(const ChainScores<Real>& scores, ForwardBackwardWorkspace<Real>& work);

// d log Z / d scores, entry by entry, times `scale`; returns log Z.
//   out.state[t][j]      = scale p(y_t = j | x)                    overwritten, padding 0
//   out.overlay[k][i][j] = scale p(y_{t-1} = i, y_t = j | x)       overwritten, t with overlay k
//   out.transition[i][j] += scale (expected number of edges i -> j)
// Returns -inf, and leaves `out` untouched, when no labelling is allowed.
template <class Real>
double marginals(const ChainScores<Real>& scores, double scale,
                 ForwardBackwardWorkspace<Real>& work, const ChainGradient<Real>& out);

// Several chains at once.
inline constexpr std::size_t kChainLanes = 16;

template <class Real>
struct BatchWorkspace {
  AlignedVector<Real> emission, alpha, suffix, scratch, pairs;
  ForwardBackwardWorkspace<Real> single;
  std::size_t slow = 0;  // counts on: chains that took another path than the scaled one in Real
};

// marginals() of each of scores.size() chains, which share one table of transitions: scale, out and
// log_z are parallel to scores.  All may add to the same out[k].transition.  log_z[k] is log Z with
// the digits that a double would lose.  Chains of about equal length, kChainLanes at a time, are
// fastest.  The results of a chain may depend, in their last digits, on which others it is with.
template <class Real>
void marginals(std::span<const ChainScores<Real>> scores, std::span<const double> scale,
               BatchWorkspace<Real>& work, std::span<const ChainGradient<Real>> out,
               std::span<CompensatedSum> log_z);

// Threads: no hidden state; share `scores`, never `work`.
// Related: chain_viterbi.h (max for sum), brute_force.h (the oracle).
}  // namespace croft
