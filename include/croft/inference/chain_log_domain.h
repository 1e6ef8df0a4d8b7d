// Exact sums over the labellings of a chain, in the log domain: the reference.
//
// Reads like docs/math/chain.md section 2, in double, normalised at every position.  Slow (a log
// and L exponentials for each entry) and safe for every finite score: the path that the fast
// kernels of chain_sum.h are tested against, and fall back on where underflow cannot be ruled out.
#pragma once
#include "croft/core/compensated_sum.h"
#include "croft/structure/chain.h"

namespace croft {

struct LogDomainWorkspace {
  Matrix<double>
      alpha;            // [T][L] log-sum of the scores of all prefixes ending in j at t, normalised
  Matrix<double> beta;  // [T][L] the same for suffixes that follow j at t
  CompensatedSum log_z;  // sum of the normalisers
};

// log Z by the forward recursion (C.3): 0 when T = 0, -inf when no labelling is allowed.
template <class Real>
double log_domain_partition(const ChainScores<Real>& scores, LogDomainWorkspace& work);

// log Z, and its derivatives by (C.4) to (C.6) times `scale`, as marginals() of chain_sum.h: state
// and overlay are overwritten, transition is added to.  When no labelling is allowed returns -inf
// and leaves `out` as it is.
template <class Real>
double log_domain_marginals(const ChainScores<Real>& scores, double scale, LogDomainWorkspace& work,
                            const ChainGradient<Real>& out);

}  // namespace croft
