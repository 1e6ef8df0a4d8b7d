#include "croft/objective/likelihood.h"

#include <cmath>
#include <limits>

#include "structure/copy_scores.h"

namespace croft {
namespace {

// loss -= score(y), term by term: large scores cancel.  out -= weight 1[y].
template <class Real>
void subtract_labelling(const ChainScores<Real>& scores, std::span<const Label> y, double weight,
                        const ChainGradient<Real>& out, CompensatedSum& loss) {
  const std::size_t stride = scores.state.stride(), labels = scores.labels();
  const Real one = static_cast<Real>(weight);
  for (std::size_t t = 0; t < y.size(); ++t) {
    const Label j = y[t];
    loss.add(-double{scores.state(t, j)});
    out.state[t * stride + j] -= one;
    if (t == 0) continue;
    const Label i = y[t - 1];
    loss.add(-scores.edge(t, i, j));
    if (out.transition != nullptr) {
      const std::uint32_t cell = scores.transitions->cell(i, j);
      if (cell != TransitionScores<Real>::kNoCell) out.transition[cell] -= weight;
    }
    if (scores.has_overlay(t) && out.overlay != nullptr) {
      out.overlay[(scores.overlay_of[t] * labels + i) * stride + j] -= one;
    }
  }
}

// Forbids the labels that the gold excludes.
template <class Real>
void restrict_to(const Gold& gold, ChainScores<Real>& scores) {
  for (std::size_t t = 0; t < gold.length(); ++t) {
    if (gold.is_any(t)) continue;
    const std::span<const Label> allowed = gold.labels(t);
    auto next = allowed.begin();
    for (Label j = 0; j < scores.labels(); ++j) {
      if (next != allowed.end() && *next == j) {
        ++next;
      } else {
        scores.state(t, j) = ChainScores<Real>::kForbidden;
      }
    }
  }
}

// sum -= other, with the digits of both.
void subtract(const CompensatedSum& other, CompensatedSum& sum) {
  const double leading = other.value();
  sum.add(-leading);
  if (!std::isfinite(leading)) return;
  CompensatedSum rest = other;
  rest.add(-leading);
  sum.add(-rest.value());
}

}  // namespace

template <class Real>
void ChainLikelihood<Real>::operator()(std::span<const ChainScores<Real>> scores,
                                       std::span<const Gold> gold, std::span<const double> weight,
                                       std::span<const ChainGradient<Real>> out,
                                       std::span<double> value) {
  loss_.resize(scores.size());
  marginals<Real>(scores, weight, work_, out, loss_);
  restricted_.chain.clear();
  for (std::size_t k = 0; k < scores.size(); ++k) {
    if (gold[k].is_complete()) {
      subtract_labelling(scores[k], gold[k].known, weight[k], out[k], loss_[k]);
    } else {
      restricted_.chain.push_back(k);
    }
  }
  if (!restricted_.chain.empty()) subtract_restricted(scores, gold, weight, out);
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const double loss = loss_[k].value();
    value[k] = std::isnan(loss) ? std::numeric_limits<double>::infinity() : weight[k] * loss;
  }
}

// loss -= log Z restricted; out -= weight mu restricted.
template <class Real>
void ChainLikelihood<Real>::subtract_restricted(std::span<const ChainScores<Real>> scores,
                                                std::span<const Gold> gold,
                                                std::span<const double> weight,
                                                std::span<const ChainGradient<Real>> out) {
  Restricted& r = restricted_;
  const std::size_t count = r.chain.size();
  r.log_z.resize(count);
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t k = r.chain[n];
    restrict_chain(n, scores[k], gold[k], -weight[k], out[k]);
  }
  marginals<Real>(std::span(r.scores).first(count), std::span(r.scale).first(count), work_,
                  std::span(r.out).first(count), r.log_z);
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t k = r.chain[n];
    subtract(r.log_z[n], loss_[k]);
    if (!std::isfinite(r.log_z[n].value())) continue;  // nothing fits: no derivatives
    add_to(r.state[n], out[k].state);
    if (out[k].overlay != nullptr) add_to(r.overlay[n], out[k].overlay);
  }
}

template <class Real>
void ChainLikelihood<Real>::restrict_chain(std::size_t n, const ChainScores<Real>& scores,
                                           const Gold& gold, double scale,
                                           const ChainGradient<Real>& out) {
  Restricted& r = restricted_;
  if (r.scores.size() <= n) {
    r.scores.resize(n + 1);
    r.state.resize(n + 1);
    r.overlay.resize(n + 1);
    r.scale.resize(n + 1);
    r.out.resize(n + 1);
  }
  copy_tables(scores, r.scores[n]);
  r.scores[n].transitions = scores.transitions;
  restrict_to(gold, r.scores[n]);
  r.state[n].reshape(scores.length(), scores.labels());
  r.overlay[n].reshape(scores.overlay.rows(), scores.labels());
  r.scale[n] = scale;
  // The tied derivatives need no table of their own.
  r.out[n] = {r.state[n].row(0), out.overlay == nullptr ? nullptr : r.overlay[n].row(0),
              out.transition};
}

template <class Real>
void ChainLikelihood<Real>::curvature(const ChainScores<Real>& scores,
                                      const ChainScores<Real>& tangent, const Gold& gold,
                                      double weight, const ChainGradient<Real>& out) {
  marginals_tangent(scores, tangent, weight, tangent_, out);
  if (gold.is_complete()) return;
  Restricted& r = restricted_;
  restrict_chain(0, scores, gold, -weight, out);
  marginals_tangent(r.scores[0], tangent, -weight, tangent_, r.out[0]);
  add_to(r.state[0], out.state);
  if (out.overlay != nullptr) add_to(r.overlay[0], out.overlay);
}

template class ChainLikelihood<float>;
template class ChainLikelihood<double>;

}  // namespace croft
