#include "objective/softmax_margin.h"

namespace croft {

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

template class SoftmaxMargin<float>;
template class SoftmaxMargin<double>;

}  // namespace croft
