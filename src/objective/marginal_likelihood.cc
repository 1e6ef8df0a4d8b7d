#include "objective/marginal_likelihood.h"

namespace croft {

template <class Real>
void MarginalLikelihood<Real>::operator()(std::span<const ChainScores<Real>> scores,
                                          std::span<const Gold> gold,
                                          std::span<const double> weight,
                                          std::span<const ChainGradient<Real>> out,
                                          std::span<double> value) {
  for (std::size_t k = 0; k < scores.size(); ++k) {
    value[k] = -weight[k] * log_marginals(scores[k], gold[k], -weight[k], work_, out[k]);
    slow_ += work_.path == ChainPath::log_domain;
  }
}

template class MarginalLikelihood<float>;
template class MarginalLikelihood<double>;

}  // namespace croft
