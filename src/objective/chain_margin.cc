// Objectives that weigh mistakes by their cost.
#include <algorithm>
#include <cmath>

#include "core/infinity.h"
#include "croft/core/compensated_sum.h"
#include "objective/chain_objectives.h"
#include "objective/edge_rows.h"
#include "structure/copy_scores.h"

namespace croft {

template <class Real>
void CostAugmenter::operator()(const ChainScores<Real>& scores, const Gold& gold,
                               ChainScores<Real>& out) {
  copy_tables(scores, out);
  out.transitions = scores.transitions;
  row_.resize(cost_->labels());
  for (std::size_t t = 0; t < scores.length(); ++t) {
    Real* state = out.state.row(t);
    if (label_of_.empty() && is_one_label(gold.known[t])) {
      const double* row = cost_->table.row(gold.known[t]);
      for (std::size_t j = 0; j < row_.size(); ++j) state[j] += static_cast<Real>(row[j]);
      continue;
    }
    if (label_of_.empty()) {
      position_cost(*cost_, gold, t, row_);
      for (std::size_t j = 0; j < row_.size(); ++j) state[j] += static_cast<Real>(row_[j]);
      continue;
    }
    fitting_.clear();
    for (const Label s : gold.labels(t)) {
      if (fitting_.empty() || fitting_.back() != label_of_[s]) fitting_.push_back(label_of_[s]);
    }
    position_cost(*cost_, fitting_, row_);
    for (std::size_t s = 0; s < label_of_.size(); ++s) {
      state[s] += static_cast<Real>(row_[label_of_[s]]);
    }
  }
}

template void CostAugmenter::operator()(const ChainScores<float>&, const Gold&,
                                        ChainScores<float>&);
template void CostAugmenter::operator()(const ChainScores<double>&, const Gold&,
                                        ChainScores<double>&);

// The labels that fit cost nothing, so the restricted sum of the likelihood is that of theta.
template <class Real>
void SoftmaxMargin<Real>::operator()(std::span<const ChainScores<Real>> scores,
                                     std::span<const Gold> gold, std::span<const double> weight,
                                     std::span<const ChainGradient<Real>> out,
                                     std::span<double> value) {
  if (augmented_.size() < scores.size()) augmented_.resize(scores.size());
  for (std::size_t k = 0; k < scores.size(); ++k) augment_(scores[k], gold[k], augmented_[k]);
  likelihood_(std::span(augmented_).first(scores.size()), gold, weight, out, value);
}

template <class Real>
void SoftmaxMargin<Real>::curvature(const ChainScores<Real>& scores,
                                    const ChainScores<Real>& tangent, const Gold& gold,
                                    double weight, const ChainGradient<Real>& out) {
  if (augmented_.empty()) augmented_.resize(1);
  augment_(scores, gold, augmented_[0]);
  likelihood_.curvature(augmented_[0], tangent, gold, weight, out);
}

namespace {

// out += weight 1[y] where the two labellings differ.
template <class Real>
void add_labelling(const ChainScores<Real>& scores, std::span<const Label> y,
                   std::span<const Label> other, double weight, const ChainGradient<Real>& out) {
  const std::size_t stride = scores.state.stride(), labels = scores.labels();
  for (std::size_t t = 0; t < y.size(); ++t) {
    if (y[t] != other[t]) out.state[t * stride + y[t]] += static_cast<Real>(weight);
    if (t == 0 || (y[t - 1] == other[t - 1] && y[t] == other[t])) continue;
    if (scores.has_overlay(t) && out.overlay != nullptr) {
      out.overlay[(scores.overlay_of[t] * labels + y[t - 1]) * stride + y[t]] +=
          static_cast<Real>(weight);
    }
    if (out.transition == nullptr) continue;
    const std::uint32_t cell = scores.transitions->cell(y[t - 1], y[t]);
    if (cell != TransitionScores<Real>::kNoCell) out.transition[cell] += weight;
  }
}

}  // namespace

template <class Real>
double ChainHinge<Real>::one_chain(const ChainScores<Real>& scores, const Gold& gold, double weight,
                                   const ChainGradient<Real>& out) {
  const std::span<const Label> y = gold.known;
  clear(scores, out);
  best_.resize(y.size());
  if (augment_) (*augment_)(scores, gold, augmented_);
  if (viterbi<Real>(augment_ ? augmented_ : scores, work_, best_) == -kInf) return kInf;
  if (std::ranges::equal(best_, y)) return 0;
  CompensatedSum margin;  // term by term: large scores cancel
  for (std::size_t t = 0; t < y.size(); ++t) {
    if (std::isinf(scores.state(t, y[t]))) return kInf;
    margin.add(double{scores.state(t, best_[t])});
    margin.add(-double{scores.state(t, y[t])});
    if (augment_) margin.add(augment_->of_label(y[t], best_[t]));
    if (t == 0) continue;
    const double own = scores.edge(t, y[t - 1], y[t]);
    if (std::isinf(own)) return kInf;
    margin.add(scores.edge(t, best_[t - 1], best_[t]));
    margin.add(-own);
  }
  const double loss = margin.value();
  // The gold labelling may be better by what rounding hid from the search.  Where both are as good,
  // the perceptron takes the search at its word: from w = 0, where all are, it would never move.
  const bool tie = loss == 0 && !augment_;
  if (!(loss > 0 || tie)) {
    best_.assign(y.begin(), y.end());
    return 0;
  }
  moved_ = true;
  add_labelling(scores, best_, y, weight, out);
  add_labelling<Real>(scores, y, best_, -weight, out);
  return weight * loss;
}

template class SoftmaxMargin<float>;
template class SoftmaxMargin<double>;
template class ChainHinge<float>;
template class ChainHinge<double>;

}  // namespace croft
