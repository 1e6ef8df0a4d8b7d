// The scores of a maximum-entropy Markov model from those of a chain: each transition normalised by
// itself.
//
//   log p(y_t = j | y_{t-1} = i, x) = state[t][j] + edge(t; i, j) - z_t(i)                  (MM.2)
//   z_t(i) = log sum_j exp( state[t][j] + edge(t; i, j) ),   z_0 = log sum_j exp state[0][j]
//
// As z_t depends on the label before alone, it can be taken off that label's state: the result is a
// chain with the same transitions whose log Z is 0, and all that is asked of chains can be asked of
// it. docs/math/single.md section 4.
#pragma once
#include "croft/structure/chain.h"

namespace croft {

// In place.  A label that nothing may follow gets -inf.  Cost O(T L^2) exponentials.
template <class Real>
void normalise_locally(ChainScores<Real>& scores);

}  // namespace croft
