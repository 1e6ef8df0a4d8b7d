#include "objective/piecewise.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "objective/edge_rows.h"
#include "objective/softmax_row.h"

namespace croft {
namespace {

// sum_{i,j} exp(edge(i, j) - shift)
template <class Real>
double sum_of_factors(const TransitionScores<Real>& tied) {
  const std::size_t labels = tied.labels();
  double sum = 0;
  if (!tied.sparse()) {
    for (std::size_t i = 0; i < labels; ++i) {
      for (const Real factor : tied.factors()[i]) sum += double{factor};
    }
    return sum;
  }
  for (const Real factor : tied.leaving().factor) sum += double{factor};
  const double others = static_cast<double>(labels) * static_cast<double>(labels) -
                        static_cast<double>(tied.leaving().size());
  return sum + others * double{tied.background_factor()};
}

}  // namespace

template <class Real>
void Piecewise<Real>::operator()(std::span<const ChainScores<Real>> scores,
                                 std::span<const Gold> gold, std::span<const double> weight,
                                 std::span<const ChainGradient<Real>> out,
                                 std::span<double> value) {
  if (scores.empty()) return;
  const TransitionScores<Real>& tied = *scores.front().transitions;
  tied_sum_ = sum_of_factors(tied);
  tied_ = tied.shift() + std::log(tied_sum_);
  double count = 0;  // of the pieces that out[k].transition is still to get
  for (std::size_t k = 0; k < scores.size(); ++k) {
    value[k] = one_chain(scores[k], gold[k].known, weight[k], out[k]);
    for (std::size_t t = 1; t < scores[k].length(); ++t) {
      if (!scores[k].has_overlay(t)) count += weight[k];
    }
    if (k + 1 < scores.size() && out[k + 1].transition == out[k].transition) continue;
    add_tied_pieces(tied, count, out[k].transition);
    count = 0;
  }
}

template <class Real>
double Piecewise<Real>::one_chain(const ChainScores<Real>& scores, std::span<const Label> y,
                                  double weight, const ChainGradient<Real>& out) {
  const std::size_t stride = scores.state.stride();
  clear(scores, out);
  SoftmaxLoss loss;
  for (std::size_t t = 0; t < y.size(); ++t) {
    Real* d = out.state + t * stride;
    softmax_row({scores.state.row(t)}, y[t], stride, static_cast<Real>(weight), d, loss);
    d[y[t]] -= static_cast<Real>(weight);
    if (t == 0) continue;
    if (scores.has_overlay(t)) {
      loss.add(overlay_piece(scores, t, y[t - 1], y[t], weight, out));
      continue;
    }
    const double own = scores.edge(t, y[t - 1], y[t]);
    if (std::isinf(own)) return std::numeric_limits<double>::infinity();
    loss.add(tied_ - own);
    if (out.transition == nullptr) continue;
    const std::uint32_t cell = scores.transitions->cell(y[t - 1], y[t]);
    if (cell != TransitionScores<Real>::kNoCell) out.transition[cell] -= weight;
  }
  return weight * loss.value();
}

// lse of the table at t less its entry (i, j), and the derivatives of that.
template <class Real>
double Piecewise<Real>::overlay_piece(const ChainScores<Real>& scores, std::size_t t, Label i,
                                      Label j, double weight, const ChainGradient<Real>& out) {
  const std::size_t labels = scores.labels(), stride = scores.state.stride();
  const double own = scores.edge(t, i, j);
  if (std::isinf(own)) return std::numeric_limits<double>::infinity();
  piece_.reshape(labels, labels);
  double high = own, sum = 0;
  for (Label a = 0; a < labels; ++a) {
    for (Label b = 0; b < labels; ++b) {
      piece_(a, b) = scores.edge(t, a, b);
      high = std::max(high, piece_(a, b));
    }
  }
  for (Label a = 0; a < labels; ++a) {
    for (double& value : piece_[a]) sum += value = std::exp(value - high);
  }
  for (Label a = 0; a < labels; ++a) {
    for (Label b = 0; b < labels; ++b) {
      const double d = weight * (piece_(a, b) / sum - (a == i && b == j));
      if (out.transition != nullptr) out.transition[a * stride + b] += d;
      if (out.overlay == nullptr) continue;
      out.overlay[(scores.overlay_of[t] * labels + a) * stride + b] = static_cast<Real>(d);
    }
  }
  return high - own + std::log(sum);
}

template <class Real>
void Piecewise<Real>::add_tied_pieces(const TransitionScores<Real>& tied, double count,
                                      double* transition) const {
  if (transition == nullptr || count == 0 || tied_sum_ == 0) return;
  const double scale = count / tied_sum_;
  if (tied.sparse()) {
    const EdgeLists<Real>& lists = tied.leaving();
    for (std::size_t k = 0; k < lists.size(); ++k) {
      transition[lists.cell[k]] += scale * double{lists.factor[k]};
    }
    return;
  }
  for (std::size_t i = 0; i < tied.labels(); ++i) {
    const auto row = tied.factors()[i];
    for (std::size_t j = 0; j < row.size(); ++j) {
      transition[i * tied.factors().stride() + j] += scale * double{row[j]};
    }
  }
}

template class Piecewise<float>;
template class Piecewise<double>;

}  // namespace croft
