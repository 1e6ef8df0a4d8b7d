#include "inference/chain/hmm_from_chain.h"

#include <algorithm>
#include <cmath>

#include "core/infinity.h"
#include "croft/core/compensated_sum.h"

namespace croft {
namespace {

// log sum exp; `share`, where it is not empty: exp(value - that), which sums to 1.
double log_sum(std::span<const double> values, std::span<double> share = {}) {
  const double most = *std::ranges::max_element(values);
  if (most == kMinusInfinity) return most;
  double sum = 0;
  for (const double value : values) sum += std::exp(value - most);
  for (std::size_t k = 0; k < share.size(); ++k) share[k] = std::exp(values[k] - most) / sum;
  return most + std::log(sum);
}

PositionTransitions none_allowed() {
  PositionTransitions none;
  none.log_partition = kMinusInfinity;
  return none;
}

}  // namespace

// suffix[j] = state[t][j] + beta[t][j] of (C.4), shifted at every position.
PositionTransitions locally_normalised(const ChainScores<double>& scores) {
  const std::size_t length = scores.length(), labels = scores.labels();
  PositionTransitions out;
  if (length == 0) return out;
  out.transition.resize(length);
  CompensatedSum shift;
  std::vector<double> suffix(scores.state.row(length - 1), scores.state.row(length - 1) + labels);
  std::vector<double> row(labels), beta(labels);
  for (std::size_t t = length - 1; t > 0; --t) {
    out.transition[t].assign(labels, labels, 0.0);
    for (Label i = 0; i < labels; ++i) {
      for (Label j = 0; j < labels; ++j) row[j] = scores.edge(t, i, j) + suffix[j];
      beta[i] = log_sum(row, out.transition[t][i]);
    }
    const double most = *std::ranges::max_element(beta);
    if (most == kMinusInfinity) return none_allowed();
    shift.add(most);
    for (Label i = 0; i < labels; ++i) suffix[i] = scores.state(t - 1, i) + (beta[i] - most);
  }
  out.start.assign(labels, 0.0);
  const double last = log_sum(suffix, out.start);
  if (last == kMinusInfinity) return none_allowed();
  shift.add(last);
  out.log_partition = shift.value();
  return out;
}

// The sum c_j over all observations moves from the emissions of label j to the transitions into it.
PositionHmm hmm_from_chain(const ObservedChain& chain, std::size_t length) {
  const std::size_t labels = chain.transition.columns(), observations = chain.emission.rows();
  PositionHmm out;
  out.emission.assign(observations, labels, 0.0);
  std::vector<double> column(observations), share(observations);
  std::vector<double> sum(labels, kMinusInfinity);
  for (Label j = 0; j < labels && observations > 0; ++j) {
    for (std::size_t x = 0; x < observations; ++x) column[x] = chain.emission(x, j);
    std::ranges::fill(share, 0.0);
    sum[j] = log_sum(column, share);
    for (std::size_t x = 0; x < observations; ++x) out.emission(x, j) = share[x];
  }
  TransitionScores<double> transitions;
  transitions.assign(chain.transition);
  ChainScores<double> scores;
  scores.reset(length, transitions);
  for (std::size_t t = 0; t < length; ++t) {
    for (Label j = 0; j < labels; ++j) {
      scores.state(t, j) = sum[j];
      if (t == 0 && !chain.start.empty()) scores.state(t, j) += chain.start[j];
      if (t + 1 == length && !chain.end.empty()) scores.state(t, j) += chain.end[j];
    }
  }
  out.labels = locally_normalised(scores);
  return out;
}

}  // namespace croft
