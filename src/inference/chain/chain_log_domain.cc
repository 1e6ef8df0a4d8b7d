#include "croft/inference/chain_log_domain.h"

#include <algorithm>
#include <cmath>

#include "core/infinity.h"

namespace croft {
namespace {

// log sum_k exp(x_k) over count terms, by their maximum.
template <class Term>
double log_sum_exp(std::size_t count, const Term& term) {
  double high = kMinusInfinity;
  for (std::size_t k = 0; k < count; ++k) high = std::max(high, term(k));
  if (high == kMinusInfinity) return high;
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += std::exp(term(k) - high);
  return high + std::log(sum);
}

// (C.3): alpha[t][j] = state[t][j] + log sum_i exp(alpha[t-1][i] + edge(t; i, j)), then normalised.
template <class Real>
bool forward(const ChainScores<Real>& scores, LogDomainWorkspace& work) {
  const std::size_t labels = scores.labels();
  work.alpha.reshape(scores.length(), labels);
  work.log_z = CompensatedSum();
  for (std::size_t t = 0; t < scores.length(); ++t) {
    double* alpha = work.alpha.row(t);
    for (Label j = 0; j < labels; ++j) {
      alpha[j] = scores.state(t, j);
      if (t == 0 || alpha[j] == kMinusInfinity) continue;
      const double* previous = work.alpha.row(t - 1);
      alpha[j] += log_sum_exp(labels, [&](std::size_t i) {
        return previous[i] + scores.edge(t, static_cast<Label>(i), j);
      });
    }
    const double norm = log_sum_exp(labels, [&](std::size_t j) { return alpha[j]; });
    work.log_z.add(norm);
    if (norm == kMinusInfinity) return false;
    for (Label j = 0; j < labels; ++j) alpha[j] -= norm;
  }
  return true;
}

// (C.4): beta[t][i] = log sum_j exp(edge(t+1; i, j) + state[t+1][j] + beta[t+1][j]), shifted to max
// 0.
template <class Real>
void backward(const ChainScores<Real>& scores, LogDomainWorkspace& work) {
  const std::size_t labels = scores.labels();
  work.beta.reshape(scores.length(), labels);
  std::ranges::fill(work.beta[scores.length() - 1], 0.0);
  for (std::size_t t = scores.length() - 1; t-- > 0;) {
    const double* next = work.beta.row(t + 1);
    double* beta = work.beta.row(t);
    for (Label i = 0; i < labels; ++i) {
      beta[i] = log_sum_exp(labels, [&](std::size_t j) {
        return scores.edge(t + 1, i, static_cast<Label>(j)) + scores.state(t + 1, j) + next[j];
      });
    }
    const double high = *std::max_element(beta, beta + labels);
    for (Label i = 0; i < labels; ++i) beta[i] -= high;
  }
}

// (C.6) at t: p(y_{t-1} = i, y_t = j | x), times scale.
template <class Real>
void add_edge_marginals(const ChainScores<Real>& scores, std::size_t t, double scale,
                        const LogDomainWorkspace& work, const ChainGradient<Real>& out) {
  const std::size_t labels = scores.labels();
  const auto log_weight = [&](Label i, Label j) {
    return work.alpha(t - 1, i) + scores.edge(t, i, j) + scores.state(t, j) + work.beta(t, j);
  };
  const double norm = log_sum_exp(labels * labels, [&](std::size_t k) {
    return log_weight(static_cast<Label>(k / labels), static_cast<Label>(k % labels));
  });
  Real* overlay = scores.has_overlay(t) && out.overlay != nullptr
                      ? out.overlay + scores.overlay_of[t] * labels * scores.state.stride()
                      : nullptr;
  for (Label i = 0; i < labels; ++i) {
    for (Label j = 0; j < labels; ++j) {
      const double p = scale * std::exp(log_weight(i, j) - norm);
      if (out.transition != nullptr) {
        const std::uint32_t cell = scores.transitions->cell(i, j);
        if (cell != TransitionScores<Real>::kNoCell) out.transition[cell] += p;
      }
      if (overlay != nullptr) overlay[i * scores.state.stride() + j] = static_cast<Real>(p);
    }
    if (overlay != nullptr) {
      std::fill(overlay + i * scores.state.stride() + labels,
                overlay + (i + 1) * scores.state.stride(), Real{0});
    }
  }
}

}  // namespace

template <class Real>
double log_domain_partition(const ChainScores<Real>& scores, LogDomainWorkspace& work) {
  forward(scores, work);
  return work.log_z.value();
}

template <class Real>
double log_domain_marginals(const ChainScores<Real>& scores, double scale, LogDomainWorkspace& work,
                            const ChainGradient<Real>& out) {
  if (!forward(scores, work) || scores.length() == 0) return work.log_z.value();
  backward(scores, work);
  const std::size_t labels = scores.labels(), stride = scores.state.stride();
  for (std::size_t t = 0; t < scores.length(); ++t) {
    const double *alpha = work.alpha.row(t), *beta = work.beta.row(t);
    const double norm = log_sum_exp(labels, [&](std::size_t j) { return alpha[j] + beta[j]; });
    Real* state = out.state + t * stride;
    for (Label j = 0; j < labels; ++j) {  // (C.5)
      state[j] = static_cast<Real>(scale * std::exp(alpha[j] + beta[j] - norm));
    }
    std::fill(state + labels, state + stride, Real{0});
    if (t > 0) add_edge_marginals(scores, t, scale, work, out);
  }
  return work.log_z.value();
}

template double log_domain_partition(const ChainScores<float>&, LogDomainWorkspace&);
template double log_domain_partition(const ChainScores<double>&, LogDomainWorkspace&);
template double log_domain_marginals(const ChainScores<float>&, double, LogDomainWorkspace&,
                                     const ChainGradient<float>&);
template double log_domain_marginals(const ChainScores<double>&, double, LogDomainWorkspace&,
                                     const ChainGradient<double>&);

}  // namespace croft
