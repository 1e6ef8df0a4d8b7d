#include "objective/composite_likelihood.h"

#include <algorithm>
#include <cmath>

#include "croft/core/error.h"
#include "objective/edge_rows.h"

namespace croft {

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
void CompositeLikelihood<Real>::operator()(std::span<const ChainScores<Real>> scores,
                                           std::span<const Gold> gold,
                                           std::span<const double> weight,
                                           std::span<const ChainGradient<Real>> out,
                                           std::span<double> value) {
  for (std::size_t k = 0; k < scores.size(); ++k) {
    value[k] = scores[k].length() <= block_  // one block without neighbours
                   ? likelihood_(scores[k], gold[k], weight[k], out[k])
                   : one_chain(scores[k], gold[k].known, weight[k], out[k]);
  }
}

template <class Real>
double CompositeLikelihood<Real>::one_chain(const ChainScores<Real>& scores,
                                            std::span<const Label> y, double weight,
                                            const ChainGradient<Real>& out) {
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

template class CompositeLikelihood<float>;
template class CompositeLikelihood<double>;

}  // namespace croft
