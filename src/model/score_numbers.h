// Whether scores are numbers that inference takes: so far from the largest number that those of a
// path never add up to infinity, and -inf for what is impossible.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>

#include "croft/core/matrix.h"
#include "croft/structure/transitions.h"

namespace croft {

template <class Real>
inline constexpr Real kLargestScore = std::is_same_v<Real, float> ? Real(1e30) : Real(1e300);

template <class Real>
constexpr Real least_score(bool may_forbid) {
  return may_forbid ? -std::numeric_limits<Real>::infinity() : -kLargestScore<Real>;
}

// All of them are `least`, or between the largest score and the same below 0.
template <class Real>
bool are_scores(std::span<const Real> scores, Real least) {
  constexpr std::size_t kAtOnce = 8;  // without a branch, and in vectors
  const auto is_bad = [&](Real x) {
    return static_cast<unsigned>(x != least) &
           static_cast<unsigned>(!(std::abs(x) <= kLargestScore<Real>));
  };
  std::array<unsigned, kAtOnce> bad{};
  std::size_t k = 0;
  for (; k + kAtOnce <= scores.size(); k += kAtOnce) {
    for (std::size_t j = 0; j < kAtOnce; ++j) bad[j] |= is_bad(scores[k + j]);
  }
  for (; k < scores.size(); ++k) bad[0] |= is_bad(scores[k]);
  return std::ranges::all_of(bad, [](unsigned each) { return each == 0; });
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
