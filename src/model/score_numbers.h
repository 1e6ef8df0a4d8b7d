// Whether scores are numbers that inference takes: finite, and -inf for what is impossible.
#pragma once
#include <limits>
#include <span>

#include "croft/core/matrix.h"
#include "croft/structure/transitions.h"

namespace croft {

template <class Real>
constexpr Real least_score(bool may_forbid) {
  return may_forbid ? -std::numeric_limits<Real>::infinity() : std::numeric_limits<Real>::lowest();
}

// All of them are `least` or more, and finite unless they are `least`.
template <class Real>
bool are_scores(std::span<const Real> scores, Real least) {
  unsigned bad = 0;  // without a branch: a number costs a fraction of a nanosecond
  for (const Real x : scores) {
    bad |= static_cast<unsigned>(!(x >= least)) |
           static_cast<unsigned>(!(x <= std::numeric_limits<Real>::max()));
  }
  return bad == 0;
}
template <class Real>
bool are_scores(const Matrix<Real>& scores, Real least) {
  for (std::size_t r = 0; r < scores.rows(); ++r) {
    if (!are_scores<Real>(scores[r], least)) return false;
  }
  return true;
}

template <class Real>
bool are_scores(const TransitionScores<Real>& scores, Real least) {
  return scores.sparse() ? are_scores<Real>(std::span(scores.leaving().log), least)
                         : are_scores(scores.log(), least);
}

}  // namespace croft
