#include "inference/chain/local_normalisation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/infinity.h"

namespace croft {
namespace {

double log_sum(const std::vector<double>& terms) {
  const double high = *std::ranges::max_element(terms);
  if (high == kMinusInfinity) return high;
  double sum = 0;
  for (const double each : terms) sum += std::exp(each - high);
  return high + std::log(sum);
}

template <class Real>
void take_off(double z, Real& score) {
  score = z == kMinusInfinity ? ChainScores<Real>::kForbidden : static_cast<Real>(score - z);
}

}  // namespace

template <class Real>
void normalise_locally(ChainScores<Real>& scores) {
  if (scores.length() == 0) return;
  const std::size_t labels = scores.labels();
  std::vector<double> terms(labels);
  const auto first = scores.state[0].first(labels);
  std::ranges::copy(first, terms.begin());
  const double start = log_sum(terms);
  // Row t is still the chain's when t is summed over: only rows before it have changed.
  for (std::size_t t = 1; t < scores.length(); ++t) {
    for (Label i = 0; i < labels; ++i) {
      for (Label j = 0; j < labels; ++j) {
        terms[j] = double{scores.state(t, j)} + scores.edge(t, i, j);
      }
      take_off(log_sum(terms), scores.state(t - 1, i));
    }
  }
  for (Real& each : first) take_off(start, each);
}

template void normalise_locally(ChainScores<float>&);
template void normalise_locally(ChainScores<double>&);

}  // namespace croft
