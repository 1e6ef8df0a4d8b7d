#include "croft/structure/chain.h"

#include <algorithm>
#include <cmath>

#include "croft/core/compensated_sum.h"

namespace croft {
namespace {

// Rows gain padding equal to `fill`, whatever the caller left there.
template <class Real>
void set_padding(Matrix<Real>& m, Real fill) {
  for (std::size_t r = 0; r < m.rows(); ++r) {
    std::fill(m.row(r) + m.columns(), m.row(r) + m.stride(), fill);
  }
}

}  // namespace

template <class Real>
void TransitionScores<Real>::assign(Matrix<Real> log_scores) {
  log_ = std::move(log_scores);
  set_padding(log_, ChainScores<Real>::kForbidden);
  const std::size_t labels = log_.rows();
  double low = std::numeric_limits<double>::infinity(), high = -low;
  any_forbidden_ = false;
  for (std::size_t i = 0; i < labels; ++i) {
    for (const Real value : log_[i]) {
      if (value == ChainScores<Real>::kForbidden) {
        any_forbidden_ = true;
      } else {
        low = std::min(low, double{value});
        high = std::max(high, double{value});
      }
    }
  }
  shift_ = std::isfinite(high) ? high : 0;
  spread_ = std::isfinite(high) ? high - low : 0;
  for (auto* m : {&factors_, &factors_transposed_, &allowed_, &allowed_transposed_}) {
    m->assign(labels, labels, Real{0});
  }
  for (std::size_t i = 0; i < labels; ++i) {
    for (std::size_t j = 0; j < labels; ++j) {
      const Real value = log_(i, j);
      factors_(i, j) = factors_transposed_(j, i) =
          static_cast<Real>(std::exp(double{value} - shift_));
      allowed_(i, j) = allowed_transposed_(j, i) = value == ChainScores<Real>::kForbidden ? 0 : 1;
    }
  }
}

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

template class TransitionScores<float>;
template class TransitionScores<double>;
template struct ChainScores<float>;
template struct ChainScores<double>;
template double score(const ChainScores<float>&, std::span<const Label>);
template double score(const ChainScores<double>&, std::span<const Label>);

}  // namespace croft
