// The best labelling under a constraint that no small automaton can say.  Which tool for which
// question:
//
//   chunk and label counts, labels that exclude each other   ChainProduct: exact, at a known cost
//   the same label at given positions (equal words, say)     agreement_search()
//   anything that can be tested on a whole labelling         predicate_search()
//
// Both searches take work up to a limit and say what they reached: `exact`, or a gap.
// docs/math/constraints.md section 5.
#pragma once
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "croft/structure/chain.h"

namespace croft {

struct SearchResult {
  bool found = false;         // a labelling that obeys
  bool exact = false;         // it is the best one; or, with found == false, there is none
  std::vector<Label> labels;  // empty unless found
  double score = -std::numeric_limits<double>::infinity();  // (C.1)
  // No labelling that obeys has a score above score + gap.  0 when exact and found; infinite when
  // nothing was found.
  double gap = std::numeric_limits<double>::infinity();
  std::size_t drawn = 0;  // work done, in the unit of the limit
};

// The first labelling in order of decreasing score that `obeys`: exact when found, a labelling that
// is only good is never returned.  Suits predicates that the best few labellings are likely to
// meet.
//   limit : labellings drawn at most; 0 draws none.  Ties are drawn as ChainKBest draws them.
SearchResult predicate_search(const ChainScores<double>& scores,
                              const std::function<bool(std::span<const Label>)>& obeys,
                              std::size_t limit);

// The best labelling in which the positions of each group carry the same label: Lagrangian bounds,
// then branch and bound on the labels of groups.  Groups that share a position are one group.
// When the limit is reached, the best labelling found, with its gap; a limit of 2 finds one unless
// forbidden edges make even that a search.  "Best" is up to a relative rounding error of 1e-12;
// among equals it is always the same one.
//   groups   : positions < T
//   limit    : Viterbi passes at most; at least 1 is made.  Each costs as viterbi(), plus O(T L).
//   label_of : [states] where labels of the chain stand for others, as the states of a ChainProduct
//              do: what has to agree.  Empty: the labels themselves.
// Memory O(limit (T + groups) + T L).
SearchResult agreement_search(const ChainScores<double>& scores,
                              std::span<const std::vector<std::size_t>> groups, std::size_t limit,
                              std::span<const Label> label_of = {});

}  // namespace croft
