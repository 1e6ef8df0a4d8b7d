// The most probable labellings of a chain whose states each stand for a label.
//
//   S(y) = log sum over the paths s that stand for y of exp score(s)                       (HC.2)
//
// The best path of states is not the best labelling: that one has no recursion, and finding it is
// NP-hard (Lyngso & Pedersen 2002).  Best-first search over beginnings of labellings, by a bound
// that lets every state choose the labels that come after it for itself (HC.6); where each label
// has one state, the bound is exact and the search goes straight to its end.
// docs/math/hidden_chain.md section 4.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "croft/inference/chain_k_best.h"
#include "croft/structure/chain.h"

namespace croft {

// S(y); -inf where no path is allowed.  Requires y.size() == T.  Cost O(T k^2) for k states a
// label.
//   label_of : [states] of the chain
double labelling_score(const ChainScores<double>& chain, std::span<const Label> label_of,
                       std::span<const Label> y);

// Whether a gap is more than the rounding of sums that come to this score: below, it is none.
inline bool exceeds_rounding(double gap, double score) {
  return gap > 1e-9 * std::max(1.0, std::abs(score));
}

struct LabelSearchResult {
  std::vector<ScoredLabelling> best;  // by non-increasing S
  bool exact = true;  // they are the best ones; all that there are, where fewer than asked for
  // Of an end by the limit: a labelling that is not among them has at most this much more score
  // than the last of them (nats).
  double gap = 0;
  std::size_t drawn = 0;  // beginnings that were extended
};

// The k labellings of largest S; among equals the one that is found first, which depends on the
// scores alone.
//   limit : beginnings to extend; when they are used up the result is what was found so far, filled
//           up with labellings of the best paths
// Time O(T S^2) for the bounds and O(S k) a beginning, S states; memory O(T S + k) a beginning.
LabelSearchResult best_labellings(const ChainScores<double>& chain, std::span<const Label> label_of,
                                  std::size_t k, std::size_t limit);

}  // namespace croft
