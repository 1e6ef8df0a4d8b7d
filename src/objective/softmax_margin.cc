#include "croft/objective/softmax_margin.h"

#include "structure/copy_scores.h"

namespace croft {

// The labels that fit cost nothing, so the restricted sum of the likelihood is that of theta.
template <class Real>
void SoftmaxMargin<Real>::operator()(std::span<const ChainScores<Real>> scores,
                                     std::span<const Gold> gold, std::span<const double> weight,
                                     std::span<const ChainGradient<Real>> out,
                                     std::span<double> value) {
  if (augmented_.size() < scores.size()) augmented_.resize(scores.size());
  for (std::size_t k = 0; k < scores.size(); ++k) {
    copy_tables(scores[k], augmented_[k]);
    augmented_[k].transitions = scores[k].transitions;
    add_cost(gold[k], augmented_[k]);
  }
  likelihood_(std::span(augmented_).first(scores.size()), gold, weight, out, value);
}

template <class Real>
void SoftmaxMargin<Real>::add_cost(const Gold& gold, ChainScores<Real>& scores) {
  row_.resize(cost_->labels());
  for (std::size_t t = 0; t < scores.length(); ++t) {
    Real* state = scores.state.row(t);
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

template class SoftmaxMargin<float>;
template class SoftmaxMargin<double>;

}  // namespace croft
