#include "objective/local_likelihood.h"

#include "objective/edge_rows.h"
#include "objective/softmax_row.h"

namespace croft {

template <class Real>
void LocalLikelihood<Real>::operator()(std::span<const ChainScores<Real>> scores,
                                       std::span<const Gold> gold, std::span<const double> weight,
                                       std::span<const ChainGradient<Real>> out,
                                       std::span<double> value) {
  for (std::size_t k = 0; k < scores.size(); ++k) {
    value[k] =
        weight[k] * one_chain(scores[k], gold[k].known, static_cast<Real>(weight[k]), out[k]);
  }
}

template <class Real>
double LocalLikelihood<Real>::one_chain(const ChainScores<Real>& scores, std::span<const Label> y,
                                        Real weight, const ChainGradient<Real>& out) {
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
    if (!softmax_row(rows, y[t], stride, weight, d, loss)) break;
    d[y[t]] -= weight;
    if (t > 0) add_edges_from(scores, t, y[t - 1], d, out);
  }
  return loss.value();
}

template class LocalLikelihood<float>;
template class LocalLikelihood<double>;

}  // namespace croft
