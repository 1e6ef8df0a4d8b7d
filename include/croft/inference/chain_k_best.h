// The labellings of a chain from the best one downwards.
//
// Reads like docs/math/chain_queries.md section 3; equation numbers (Q.n) point there.
// Jimenez & Marzal (1999), the recursive enumeration algorithm; Huang & Chiang (2005), algorithm 3.
//
// Order: by non-increasing score; among equal scores the smaller label wins at the last position
// where two labellings differ, as in viterbi().  Equal means equal as computed: rounding can break
// a tie.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "croft/structure/chain.h"

namespace croft {

// Draws one labelling after the other, each allowed one once, as a search over labellings needs it.
// `scores` (and its transitions) must outlive it and not change.
class ChainKBest {
 public:
  // Cost: that of the table of viterbi(); nothing is enumerated yet.
  explicit ChainKBest(const ChainScores<double>& scores);
  ~ChainKBest();
  ChainKBest(ChainKBest&&) noexcept;
  ChainKBest& operator=(ChainKBest&&) noexcept;

  // Writes the next labelling to y (y.size() == T) and returns its score; nullopt, with y
  // unspecified, when all have been drawn.  The first is that of viterbi(), labels and score.  A
  // later score is the first less a sum of differences (Q.3), so that scores never increase; it
  // equals (C.1) up to rounding.
  // T = 0 has one labelling, the empty one; those of score -inf never appear.
  // Time: O(T) to write y, and O(L) for each node (a label at a position) that the draw has to add
  // or to extend: O(T) nodes at most, few where earlier draws have been.  No recursion over t.
  // Memory: 12 bytes T L, and some 100 bytes for each node added or extended.
  std::optional<double> next(std::span<Label> y);

 private:
  struct Search;
  std::unique_ptr<Search> search_;
};

struct ScoredLabelling {
  std::vector<Label> labels;  // [T]
  double score;               // nats; log p(y|x) = score - log Z
};

// The k best labellings in the order above; all of them where there are fewer than k.
std::vector<ScoredLabelling> k_best(const ChainScores<double>& scores, std::size_t k);

// Threads: no hidden state; share `scores`, never a ChainKBest.
// Related: chain_viterbi.h (k = 1), chain_posterior.h (samples instead of the best).
}  // namespace croft
