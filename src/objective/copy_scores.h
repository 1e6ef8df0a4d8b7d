// Scores that an objective changes before it sums over them.
#pragma once
#include <algorithm>

#include "croft/structure/chain.h"

namespace croft {

template <class Real>
void copy_rows(const Matrix<Real>& from, Matrix<Real>& to) {
  to.reshape(from.rows(), from.columns());
  std::copy_n(from.row(0), from.rows() * from.stride(), to.row(0));
}

// to = from, in the storage that `to` has.
template <class Real>
void copy_scores(const ChainScores<Real>& from, ChainScores<Real>& to) {
  to.transitions = from.transitions;
  to.overlay_of = from.overlay_of;
  copy_rows(from.state, to.state);
  copy_rows(from.overlay, to.overlay);
}

}  // namespace croft
