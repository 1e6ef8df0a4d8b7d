// Objectives that normalise pieces of a chain, or look at one label at a time.
#include <algorithm>
#include <cmath>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "objective/chain_objectives.h"
#include "objective/edge_rows.h"
#include "objective/softmax_row.h"

namespace croft {

template <class Real>
double LocalLikelihood<Real>::one_chain(const ChainScores<Real>& scores, const Gold& gold,
                                        double weight, const ChainGradient<Real>& out) {
  const std::span<const Label> y = gold.known;
  const Real scale = static_cast<Real>(weight);
  const std::size_t stride = scores.state.stride();
  row_.reshape(1, scores.labels());
  clear(scores, out);
  SoftmaxLoss loss;
  for (std::size_t t = 0; t < y.size(); ++t) {
    ScoreRows<Real> rows{scores.state.row(t)};
    if (t > 0) {
      edges_from(scores, t, y[t - 1], row_.row(0));
      rows.before = row_.row(0);
    }
    Real* d = out.state + t * stride;
    if (!softmax_row(rows, y[t], stride, scale, d, loss)) break;
    d[y[t]] -= scale;
    if (t > 0) add_edges_from(scores, t, y[t - 1], d, out);
  }
  return weight * loss.value();
}

template <class Real>
double PseudoLikelihood<Real>::one_chain(const ChainScores<Real>& scores, const Gold& gold,
                                         double weight, const ChainGradient<Real>& out) {
  const std::span<const Label> y = gold.known;
  const Real scale = static_cast<Real>(weight);
  const std::size_t stride = scores.state.stride();
  rows_.reshape(2, scores.labels());
  clear(scores, out);
  SoftmaxLoss loss;
  for (std::size_t t = 0; t < y.size(); ++t) {
    ScoreRows<Real> rows{scores.state.row(t)};
    if (t > 0) rows.before = row_from(scores, t, y[t - 1]);
    if (t + 1 < y.size()) rows.after = row_to(scores, t + 1, y[t + 1]);
    Real* d = out.state + t * stride;
    if (!softmax_row(rows, y[t], stride, scale, d, loss)) break;
    d[y[t]] -= scale;
    if (t > 0) add_edges_from(scores, t, y[t - 1], d, out);
    if (t + 1 < y.size()) add_edges_to(scores, t + 1, y[t + 1], d, out);
  }
  return weight * loss.value();
}

template <class Real>
void PseudoLikelihood<Real>::begin(std::span<const ChainScores<Real>> scores) {
  if (scores.empty() || scores.front().transitions->sparse()) return;
  const TransitionScores<Real>& tied = *scores.front().transitions;
  columns_.assign(tied.labels(), tied.labels(), Real{0});
  for (std::size_t i = 0; i < tied.labels(); ++i) {
    for (std::size_t j = 0; j < tied.labels(); ++j) columns_(j, i) = tied.log()(i, j);
  }
}

template <class Real>
const Real* PseudoLikelihood<Real>::row_from(const ChainScores<Real>& scores, std::size_t t,
                                             Label i) {
  const TransitionScores<Real>& tied = *scores.transitions;
  if (!tied.sparse() && !scores.has_overlay(t)) return tied.log().row(i);
  edges_from(scores, t, i, rows_.row(0));
  return rows_.row(0);
}

template <class Real>
const Real* PseudoLikelihood<Real>::row_to(const ChainScores<Real>& scores, std::size_t t,
                                           Label j) {
  if (!scores.transitions->sparse() && !scores.has_overlay(t)) return columns_.row(j);
  edges_to(scores, t, j, rows_.row(1));
  return rows_.row(1);
}

template <class Real>
double MarginalLikelihood<Real>::one_chain(const ChainScores<Real>& scores, const Gold& gold,
                                           double weight, const ChainGradient<Real>& out) {
  const double value = -weight * log_marginals(scores, gold, -weight, work_, out);
  slow_ += work_.path == ChainPath::log_domain;
  return value;
}

template <class Real>
CompositeLikelihood<Real>::CompositeLikelihood(std::size_t block, BlockCount count)
    : block_(block),
      count_(count),
      scores_(kChainLanes),
      state_(kChainLanes),
      overlay_(kChainLanes),
      gold_(kChainLanes),
      weight_(kChainLanes),
      value_(kChainLanes),
      out_(kChainLanes) {
  if (block == 0) throw UsageError("a block of 0 labels; a composite likelihood needs 1 or more");
}

template <class Real>
double CompositeLikelihood<Real>::one_chain(const ChainScores<Real>& scores, const Gold& gold,
                                            double weight, const ChainGradient<Real>& out) {
  if (scores.length() <= block_) return likelihood_(scores, gold, weight, out);  // no neighbours
  const std::span<const Label> y = gold.known;
  const std::size_t blocks = y.size() - block_ + 1;
  const double each = count_ == BlockCount::blocks ? weight
                                                   : weight * static_cast<double>(y.size()) /
                                                         static_cast<double>(block_ * blocks);
  row_.reshape(1, scores.labels());
  clear(scores, out);
  CompensatedSum loss;
  for (std::size_t first = 0; first < blocks; first += kChainLanes) {
    const std::size_t count = std::min(kChainLanes, blocks - first);
    for (std::size_t k = 0; k < count; ++k) cut(scores, y, first + k, k, each, out.transition);
    likelihood_(std::span(scores_).first(count), std::span(gold_).first(count),
                std::span(weight_).first(count), std::span(out_).first(count), value_);
    for (std::size_t k = 0; k < count; ++k) {
      loss.add(value_[k]);
      if (std::isinf(value_[k])) return value_[k];
      paste(scores, y, first + k, k, out);
    }
  }
  return loss.value();
}

template <class Real>
void CompositeLikelihood<Real>::cut(const ChainScores<Real>& scores, std::span<const Label> y,
                                    std::size_t first, std::size_t lane, double weight,
                                    double* transition) {
  const std::size_t stride = scores.state.stride(), labels = scores.labels();
  const std::size_t end = first + block_;
  ChainScores<Real>& block = scores_[lane];
  block.reset(block_, *scores.transitions);
  std::copy_n(scores.state.row(first), block_ * stride, block.state.row(0));
  for (std::size_t t = first + 1; t < end; ++t) {
    if (!scores.has_overlay(t)) continue;
    std::copy_n(scores.overlay_row(t, 0), labels * stride, block.add_overlay(t - first));
  }
  const auto add_row = [&](std::size_t t) {
    Real* state = block.state.row(t);
    for (std::size_t j = 0; j < labels; ++j) state[j] += row_(0, j);
  };
  if (first > 0) {
    edges_from(scores, first, y[first - 1], row_.row(0));
    add_row(0);
  }
  if (end < y.size()) {
    edges_to(scores, end, y[end], row_.row(0));
    add_row(block_ - 1);
  }
  state_[lane].reshape(block_, labels);
  overlay_[lane].reshape(block.overlay.rows(), labels);
  gold_[lane] = Gold(y.subspan(first, block_));
  weight_[lane] = weight;
  out_[lane] = {state_[lane].row(0), overlay_[lane].row(0), transition};
}

template <class Real>
void CompositeLikelihood<Real>::paste(const ChainScores<Real>& scores, std::span<const Label> y,
                                      std::size_t first, std::size_t lane,
                                      const ChainGradient<Real>& out) {
  const std::size_t stride = scores.state.stride(), labels = scores.labels();
  const std::size_t end = first + block_;
  const auto add = [](const Real* from, std::size_t count, Real* to) {
    for (std::size_t k = 0; k < count; ++k) to[k] += from[k];
  };
  add(state_[lane].row(0), block_ * stride, out.state + first * stride);
  for (std::size_t t = first + 1; t < end && out.overlay != nullptr; ++t) {
    if (!scores.has_overlay(t)) continue;
    add(overlay_[lane].row(scores_[lane].overlay_of[t - first] * labels), labels * stride,
        out.overlay + scores.overlay_of[t] * labels * stride);
  }
  if (first > 0) add_edges_from(scores, first, y[first - 1], state_[lane].row(0), out);
  if (end < y.size()) add_edges_to(scores, end, y[end], state_[lane].row(block_ - 1), out);
}

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
    if (std::isinf(own)) return kInf;
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
  if (std::isinf(own)) return kInf;
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

template class LocalLikelihood<float>;
template class LocalLikelihood<double>;
template class PseudoLikelihood<float>;
template class PseudoLikelihood<double>;
template class MarginalLikelihood<float>;
template class MarginalLikelihood<double>;
template class CompositeLikelihood<float>;
template class CompositeLikelihood<double>;
template class Piecewise<float>;
template class Piecewise<double>;

}  // namespace croft
