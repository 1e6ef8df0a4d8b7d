#include "croft/structure/chain.h"

#include <algorithm>

#include "croft/core/compensated_sum.h"

namespace croft {
template <class Real>
void ChainScores<Real>::reset(std::size_t length, const TransitionScores<Real>& tied) {
  transitions = &tied;
  state.reshape(length, tied.labels());
  for (std::size_t t = 0; t < length; ++t) {
    std::fill(state.row(t), state.row(t) + labels(), Real{0});
    std::fill(state.row(t) + labels(), state.row(t) + state.stride(), kForbidden);
  }
  overlay_of.clear();
  overlay.reshape(0, tied.labels());
}

template <class Real>
Real* ChainScores<Real>::add_overlay(std::size_t t) {
  const std::size_t count = overlay.rows() / labels();
  overlay_of.resize(length(), kNoOverlay);
  overlay_of[t] = static_cast<std::uint32_t>(count);
  overlay.reshape((count + 1) * labels(), labels());
  Real* rows = overlay.row(count * labels());
  std::fill(rows, rows + labels() * overlay.stride(), Real{0});
  return rows;
}

template <class Real>
double score(const ChainScores<Real>& scores, std::span<const Label> y) {
  CompensatedSum sum;
  for (std::size_t t = 0; t < y.size(); ++t) {
    sum.add(scores.state(t, y[t]));
    if (t > 0) sum.add(scores.edge(t, y[t - 1], y[t]));
  }
  return sum.value();
}

template struct ChainScores<float>;
template struct ChainScores<double>;
template double score(const ChainScores<float>&, std::span<const Label>);
template double score(const ChainScores<double>&, std::span<const Label>);

}  // namespace croft
