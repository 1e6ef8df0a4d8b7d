#include "croft/inference/chain_subset.h"

#include <algorithm>

#include "core/infinity.h"
#include "structure/copy_scores.h"

namespace croft {

template <class Real>
void restrict_labels(std::span<const Restriction> restrictions, ChainScores<Real>& scores) {
  std::vector<Real> kept;
  for (const Restriction& restriction : restrictions) {
    const auto row = scores.state[restriction.position];
    kept.clear();
    for (const Label j : restriction.labels) kept.push_back(row[j]);
    std::fill(row.begin(), row.end(), ChainScores<Real>::kForbidden);
    for (std::size_t k = 0; k < kept.size(); ++k) row[restriction.labels[k]] = kept[k];
  }
}

SubsetProbability::SubsetProbability(const ChainScores<double>& scores) : scores_(scores) {
  log_partition(scores_, work_);
  log_z_ = work_.log_z;
}

SubsetProbability::SubsetProbability(const ChainScores<float>& scores)
    : transitions_(convert<double>(*scores.transitions)) {
  scores_.transitions = &transitions_;
  copy_tables(scores, scores_);
  log_partition(scores_, work_);
  log_z_ = work_.log_z;
}

double SubsetProbability::log_probability(std::span<const Restriction> restrictions) {
  if (log_z_.value() == kMinusInfinity) return kMinusInfinity;
  const std::size_t stride = scores_.state.stride();
  saved_.reshape(restrictions.size(), scores_.labels());
  for (std::size_t k = 0; k < restrictions.size(); ++k) {
    const double* row = scores_.state.row(restrictions[k].position);
    std::copy(row, row + stride, saved_.row(k));
  }
  restrict_labels(restrictions, scores_);
  const double restricted = log_partition(scores_, work_);
  for (std::size_t k = 0; k < restrictions.size(); ++k) {
    std::copy(saved_.row(k), saved_.row(k) + stride, scores_.state.row(restrictions[k].position));
  }
  if (restricted == kMinusInfinity) return kMinusInfinity;
  return std::min(0.0, difference(work_.log_z, log_z_));  // rounding must not exceed certainty
}

template <class Real>
double log_subset_probability(const ChainScores<Real>& scores,
                              std::span<const Restriction> restrictions) {
  return SubsetProbability(scores).log_probability(restrictions);
}

template void restrict_labels(std::span<const Restriction>, ChainScores<float>&);
template void restrict_labels(std::span<const Restriction>, ChainScores<double>&);
template double log_subset_probability(const ChainScores<float>&, std::span<const Restriction>);
template double log_subset_probability(const ChainScores<double>&, std::span<const Restriction>);

}  // namespace croft
