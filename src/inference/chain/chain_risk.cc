#include "croft/inference/chain_risk.h"

#include <algorithm>
#include <vector>

namespace croft {
namespace {

template <class Real>
Real zero_if_allowed(Real score) {
  return score == ChainScores<Real>::kForbidden ? score : Real{0};
}

}  // namespace

template <class Real>
void posterior_decode(const Matrix<Real>& mu, std::span<Label> y) {
  for (std::size_t t = 0; t < y.size(); ++t) {
    const auto row = mu[t];
    y[t] = static_cast<Label>(std::max_element(row.begin(), row.end()) - row.begin());
  }
}

template <class Real>
TransitionScores<Real> allowed_edges(const TransitionScores<Real>& scores) {
  const auto labels = static_cast<Label>(scores.labels());
  TransitionScores<Real> allowed;
  if (!scores.sparse()) {
    Matrix<Real> table(labels, labels);
    for (Label i = 0; i < labels; ++i) {
      std::transform(scores.log().row(i), scores.log().row(i) + labels, table.row(i),
                     zero_if_allowed<Real>);
    }
    allowed.assign(std::move(table));
    return allowed;
  }
  const EdgeLists<Real>& lists = scores.leaving();
  std::vector<Edge> edges;
  std::vector<Real> log;
  for (Label i = 0; i < labels; ++i) {
    for (auto k = lists.begin[i]; k < lists.begin[i + 1]; ++k) {
      const Real value = zero_if_allowed(lists.log[k]);
      if (value == scores.background_log()) continue;
      edges.push_back({i, lists.other[k]});
      log.push_back(value);
    }
  }
  allowed.assign(labels, scores.background(), edges, std::span<const Real>(log));
  return allowed;
}

template <class Real>
void risk_scores(const ChainScores<Real>& scores, const Matrix<Real>& mu,
                 const TransitionScores<Real>& allowed, ChainScores<Real>& risk) {
  const std::size_t labels = scores.labels();
  risk.reset(scores.length(), allowed);
  for (std::size_t t = 0; t < scores.length(); ++t) {
    const Real* state = scores.state.row(t);
    for (std::size_t j = 0; j < labels; ++j) {
      risk.state(t, j) = state[j] == ChainScores<Real>::kForbidden ? state[j] : mu(t, j);
    }
    if (!scores.has_overlay(t)) continue;
    Real* rows = risk.add_overlay(t);
    for (std::size_t i = 0; i < labels; ++i) {
      const Real* extra = scores.overlay_row(t, i);
      std::transform(extra, extra + labels, rows + i * risk.overlay.stride(),
                     zero_if_allowed<Real>);
    }
  }
}

template <class Real>
double minimum_risk(const ChainScores<Real>& scores, const Matrix<Real>& mu,
                    const TransitionScores<Real>& allowed, RiskWorkspace<Real>& work,
                    std::span<Label> y) {
  risk_scores(scores, mu, allowed, work.risk);
  return viterbi(work.risk, work.viterbi, y);
}

#define CROFT_INSTANTIATE(Real)                                                     \
  template void posterior_decode(const Matrix<Real>&, std::span<Label>);            \
  template TransitionScores<Real> allowed_edges(const TransitionScores<Real>&);     \
  template void risk_scores(const ChainScores<Real>&, const Matrix<Real>&,          \
                            const TransitionScores<Real>&, ChainScores<Real>&);     \
  template double minimum_risk(const ChainScores<Real>&, const Matrix<Real>&,       \
                               const TransitionScores<Real>&, RiskWorkspace<Real>&, \
                               std::span<Label>);
CROFT_INSTANTIATE(float)
CROFT_INSTANTIATE(double)
#undef CROFT_INSTANTIATE

}  // namespace croft
