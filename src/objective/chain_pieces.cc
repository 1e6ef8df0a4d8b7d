// Piecewise training on the pieces (y_{t-1}, y_t, x_t): a transition with its observations.
#include <algorithm>
#include <cmath>

#include "core/infinity.h"
#include "objective/chain_objectives.h"
#include "objective/edge_rows.h"
#include "objective/softmax_row.h"

namespace croft {

// enter[j] = lse_i edge(i, j) of the tied table.
template <class Real>
void ObservedPieces<Real>::set_enter(const TransitionScores<Real>& tied) {
  const std::size_t labels = tied.labels();
  sums_.assign(labels, 0);
  if (tied.sparse()) {
    const EdgeLists<Real>& lists = tied.arriving();
    for (std::size_t j = 0; j < labels; ++j) {
      const std::size_t listed = lists.begin[j + 1] - lists.begin[j];
      sums_[j] = static_cast<double>(labels - listed) * double{tied.background_factor()};
      for (auto k = lists.begin[j]; k < lists.begin[j + 1]; ++k) {
        sums_[j] += double{lists.factor[k]};
      }
    }
  } else {
    for (std::size_t i = 0; i < labels; ++i) {
      const auto row = tied.factors()[i];
      for (std::size_t j = 0; j < labels; ++j) sums_[j] += double{row[j]};
    }
  }
  enter_.reshape(1, labels);
  std::fill_n(enter_.row(0), enter_.stride(), Real{0});
  for (std::size_t j = 0; j < labels; ++j) {
    enter_(0, j) = static_cast<Real>(tied.shift() + std::log(sums_[j]));
  }
}

template <class Real>
void ObservedPieces<Real>::operator()(std::span<const ChainScores<Real>> scores,
                                      std::span<const Gold> gold, std::span<const double> weight,
                                      std::span<const ChainGradient<Real>> out,
                                      std::span<double> value) {
  if (scores.empty()) return;
  const TransitionScores<Real>& tied = *scores.front().transitions;
  set_enter(tied);
  share_.assign(tied.labels(), 0);
  for (std::size_t k = 0; k < scores.size(); ++k) {
    value[k] = one_chain(scores[k], gold[k].known, weight[k], out[k]);
    if (k + 1 < scores.size() && out[k + 1].transition == out[k].transition) continue;
    add_tied_pieces(tied, out[k].transition);
    share_.assign(tied.labels(), 0);
  }
}

template <class Real>
double ObservedPieces<Real>::one_chain(const ChainScores<Real>& scores, std::span<const Label> y,
                                       double weight, const ChainGradient<Real>& out) {
  const std::size_t stride = scores.state.stride(), labels = scores.labels();
  clear(scores, out);
  SoftmaxLoss loss;
  for (std::size_t t = 0; t < y.size(); ++t) {
    Real* d = out.state + t * stride;
    if (t > 0 && scores.has_overlay(t)) {
      loss.add(overlay_piece(scores, t, y[t - 1], y[t], weight, out));
      continue;
    }
    ScoreRows<Real> rows{scores.state.row(t)};
    if (t > 0) rows.before = enter_.row(0);
    if (!softmax_row(rows, y[t], stride, static_cast<Real>(weight), d, loss)) return kInf;
    if (t > 0) {
      const double own = scores.edge(t, y[t - 1], y[t]);
      if (std::isinf(own)) return kInf;
      loss.add(double{enter_(0, y[t])} - own);
      for (std::size_t j = 0; j < labels; ++j) share_[j] += double{d[j]};
      const std::uint32_t cell = scores.transitions->cell(y[t - 1], y[t]);
      if (out.transition != nullptr && cell != TransitionScores<Real>::kNoCell) {
        out.transition[cell] -= weight;
      }
    }
    d[y[t]] -= static_cast<Real>(weight);
  }
  return weight * loss.value();
}

// lse of all pairs at t, of edge and state scores, less those of (i, j), and its derivatives.
template <class Real>
double ObservedPieces<Real>::overlay_piece(const ChainScores<Real>& scores, std::size_t t, Label i,
                                           Label j, double weight, const ChainGradient<Real>& out) {
  const std::size_t labels = scores.labels(), stride = scores.state.stride();
  const auto score = [&](Label a, Label b) {
    return double{scores.edge(t, a, b)} + double{scores.state(t, b)};
  };
  const double own = score(i, j);
  if (std::isinf(own)) return kInf;
  piece_.reshape(labels, labels);
  double high = own, sum = 0;
  for (Label a = 0; a < labels; ++a) {
    for (Label b = 0; b < labels; ++b) high = std::max(high, piece_(a, b) = score(a, b));
  }
  for (Label a = 0; a < labels; ++a) {
    for (double& value : piece_[a]) sum += value = std::exp(value - high);
  }
  for (Label a = 0; a < labels; ++a) {
    for (Label b = 0; b < labels; ++b) {
      const double d = weight * (piece_(a, b) / sum - (a == i && b == j));
      out.state[t * stride + b] += static_cast<Real>(d);
      if (out.transition != nullptr) out.transition[a * stride + b] += d;
      if (out.overlay == nullptr) continue;
      out.overlay[(scores.overlay_of[t] * labels + a) * stride + b] = static_cast<Real>(d);
    }
  }
  return high - own + std::log(sum);
}

// p(i, j) = p(j) exp edge(i, j) / sum_i exp edge(i, j): what the pieces gave to j, to its edges.
template <class Real>
void ObservedPieces<Real>::add_tied_pieces(const TransitionScores<Real>& tied,
                                           double* transition) const {
  if (transition == nullptr) return;
  if (tied.sparse()) {
    const EdgeLists<Real>& lists = tied.arriving();
    for (std::size_t j = 0; j < tied.labels(); ++j) {
      if (share_[j] == 0) continue;
      for (auto k = lists.begin[j]; k < lists.begin[j + 1]; ++k) {
        transition[lists.cell[k]] += share_[j] / sums_[j] * double{lists.factor[k]};
      }
    }
    return;
  }
  for (std::size_t i = 0; i < tied.labels(); ++i) {
    const auto row = tied.factors()[i];
    for (std::size_t j = 0; j < tied.labels(); ++j) {
      if (share_[j] == 0) continue;
      transition[i * tied.factors().stride() + j] += share_[j] / sums_[j] * double{row[j]};
    }
  }
}

template class ObservedPieces<float>;
template class ObservedPieces<double>;

}  // namespace croft
