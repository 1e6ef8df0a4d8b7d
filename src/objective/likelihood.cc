#include "croft/objective/likelihood.h"

#include <cmath>
#include <limits>

namespace croft {

template <class Real>
double ChainLikelihood<Real>::operator()(const ChainScores<Real>& scores,
                                         std::span<const Label> gold, double weight,
                                         const ChainGradient<Real>& out) {
  marginals(scores, weight, work_, out);
  CompensatedSum loss = work_.log_z;  // minus the gold score, term by term: large scores cancel
  const std::size_t stride = scores.state.stride(), labels = scores.labels();
  const Real one = static_cast<Real>(weight);
  for (std::size_t t = 0; t < gold.size(); ++t) {
    const Label j = gold[t];
    loss.add(-double{scores.state(t, j)});
    out.state[t * stride + j] -= one;
    if (t == 0) continue;
    const Label i = gold[t - 1];
    loss.add(-scores.edge(t, i, j));
    if (out.transition != nullptr) {
      const std::uint32_t cell = scores.transitions->cell(i, j);
      if (cell != TransitionScores<Real>::kNoCell) out.transition[cell] -= weight;
    }
    if (scores.has_overlay(t) && out.overlay != nullptr) {
      out.overlay[(scores.overlay_of[t] * labels + i) * stride + j] -= one;
    }
  }
  const double value = loss.value();
  return std::isnan(value) ? std::numeric_limits<double>::infinity() : weight * value;
}

template class ChainLikelihood<float>;
template class ChainLikelihood<double>;

}  // namespace croft
