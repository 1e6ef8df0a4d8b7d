// The oracle: every labelling of a chain, one by one.
//
// O(L^T): for tests, and for users who want to check a result on a small case.  Everything is
// summed in long double from the definition, docs/math/chain.md (C.1) and (C.2); nothing is shared
// with the recursions that it checks.
#pragma once
#include <functional>
#include <vector>

#include "croft/structure/chain.h"

namespace croft {

// visit(y, score(y)) for every labelling with a finite score, in lexicographic order of y.
// A chain of length 0 has one labelling, the empty one, with score 0.
void for_each_labelling(
    const ChainScores<double>& scores,
    const std::function<void(const std::vector<Label>& y, long double score)>& visit);

struct BruteForceResult {
  double log_partition;              // -inf when no labelling is allowed
  std::vector<Label> best;           // the first in lexicographic order among equals
  double best_score;                 // -inf when no labelling is allowed
  Matrix<double> state;              // [T][L] marginals p(y_t = j | x)
  std::vector<Matrix<double>> edge;  // [T] of [L][L]; edge[0] is empty
};
BruteForceResult brute_force(const ChainScores<double>& scores);

}  // namespace croft
