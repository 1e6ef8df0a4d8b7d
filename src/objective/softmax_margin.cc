#include "croft/objective/softmax_margin.h"

#include "objective/copy_scores.h"

namespace croft {

// The labels that fit cost nothing, so the restricted sum of the likelihood is that of theta.
template <class Real>
void SoftmaxMargin<Real>::operator()(std::span<const ChainScores<Real>> scores,
                                     std::span<const Gold> gold, std::span<const double> weight,
                                     std::span<const ChainGradient<Real>> out,
                                     std::span<double> value) {
  if (augmented_.size() < scores.size()) augmented_.resize(scores.size());
  row_.resize(cost_->labels());
  for (std::size_t k = 0; k < scores.size(); ++k) {
    copy_scores(scores[k], augmented_[k]);
    for (std::size_t t = 0; t < scores[k].length(); ++t) {
      position_cost(*cost_, gold[k], t, row_);
      for (std::size_t j = 0; j < row_.size(); ++j) {
        augmented_[k].state(t, j) += static_cast<Real>(row_[j]);
      }
    }
  }
  likelihood_(std::span(augmented_).first(scores.size()), gold, weight, out, value);
}

template <class Real>
double SoftmaxMargin<Real>::operator()(const ChainScores<Real>& scores, const Gold& gold,
                                       double weight, const ChainGradient<Real>& out) {
  double value = 0;
  (*this)(std::span(&scores, 1), std::span(&gold, 1), std::span(&weight, 1), std::span(&out, 1),
          std::span(&value, 1));
  return value;
}

template class SoftmaxMargin<float>;
template class SoftmaxMargin<double>;

}  // namespace croft
