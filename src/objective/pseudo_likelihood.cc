#include "objective/pseudo_likelihood.h"

#include "objective/edge_rows.h"
#include "objective/softmax_row.h"

namespace croft {

template <class Real>
void PseudoLikelihood<Real>::operator()(std::span<const ChainScores<Real>> scores,
                                        std::span<const Gold> gold, std::span<const double> weight,
                                        std::span<const ChainGradient<Real>> out,
                                        std::span<double> value) {
  if (!scores.empty()) transpose(*scores.front().transitions);
  for (std::size_t k = 0; k < scores.size(); ++k) {
    value[k] =
        weight[k] * one_chain(scores[k], gold[k].known, static_cast<Real>(weight[k]), out[k]);
  }
}

template <class Real>
double PseudoLikelihood<Real>::one_chain(const ChainScores<Real>& scores, std::span<const Label> y,
                                         Real weight, const ChainGradient<Real>& out) {
  const std::size_t stride = scores.state.stride();
  rows_.reshape(2, scores.labels());
  clear(scores, out);
  SoftmaxLoss loss;
  for (std::size_t t = 0; t < y.size(); ++t) {
    ScoreRows<Real> rows{scores.state.row(t)};
    if (t > 0) rows.before = row_from(scores, t, y[t - 1]);
    if (t + 1 < y.size()) rows.after = row_to(scores, t + 1, y[t + 1]);
    Real* d = out.state + t * stride;
    if (!softmax_row(rows, y[t], stride, weight, d, loss)) break;
    d[y[t]] -= weight;
    if (t > 0) add_edges_from(scores, t, y[t - 1], d, out);
    if (t + 1 < y.size()) add_edges_to(scores, t + 1, y[t + 1], d, out);
  }
  return loss.value();
}

template <class Real>
void PseudoLikelihood<Real>::transpose(const TransitionScores<Real>& tied) {
  if (tied.sparse()) return;
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

template class PseudoLikelihood<float>;
template class PseudoLikelihood<double>;

}  // namespace croft
