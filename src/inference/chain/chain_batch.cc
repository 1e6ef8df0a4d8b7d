// Which chains share SIMD lanes, and the tables that the lanes want.
#include <algorithm>

#include "inference/chain/chain_lanes.h"

namespace croft {
namespace {

template <class Real>
LaneChains<Real> one_lane(const ChainScores<Real>& scores, ForwardBackwardWorkspace<Real>& work) {
  LaneChains<Real> chains;
  chains.transitions = scores.transitions;
  chains.lanes = 1;
  chains.longest = scores.length();
  chains.scores[0] = &scores;
  chains.emission = work.emission.row(0);
  chains.alpha = work.alpha.row(0);
  chains.stride = work.alpha.stride();
  chains.scratch = work.row.row(0);
  return chains;
}

// Whether the chains are better done together.  Sparse transitions: an operation on a full vector
// costs about that on one number.  Dense ones: a chain alone fills its vectors too, so that it pays
// only where the table is too large for the caches (measured, bench/label_set_bench).
template <class Real>
bool share_lanes(std::span<const ChainScores<Real>> scores) {
  std::size_t longest = 0, positions = 0;
  for (const ChainScores<Real>& s : scores) {
    if (!s.overlay_of.empty()) return false;
    longest = std::max(longest, s.length());
    positions += s.length();
  }
  const std::size_t padded_area = longest * kChainLanes;
  constexpr std::size_t kManyLabels = 400;
  const TransitionScores<Real>& transitions = *scores.front().transitions;
  if (transitions.sparse() || transitions.sharing()) return positions * 8 >= padded_area;
  return transitions.labels() >= kManyLabels && positions * 3 >= padded_area * 2;
}

// Chains in the lanes of one group.
template <class Real>
void marginals_in_lanes(std::span<const ChainScores<Real>> scores, std::span<const double> scale,
                        BatchWorkspace<Real>& work, std::span<const ChainGradient<Real>> out,
                        std::span<CompensatedSum> log_z) {
  LaneChains<Real> chains;
  chains.transitions = scores.front().transitions;
  chains.lanes = scores.size();
  for (std::size_t k = 0; k < scores.size(); ++k) {
    chains.scores[k] = &scores[k];
    chains.scale[k] = scale[k];
    chains.state[k] = out[k].state;
    chains.longest = std::max(chains.longest, scores[k].length());
  }
  chains.transition = out.front().transition;
  const std::size_t labels = chains.transitions->labels();
  chains.stride = lane_stride(labels, kChainLanes);
  const auto table = [](AlignedVector<Real>& numbers, std::size_t size) {
    if (numbers.size() < size) numbers.resize(size);
    return numbers.data();
  };
  chains.emission = table(work.emission, chains.longest * chains.stride);
  chains.alpha = table(work.alpha, chains.longest * chains.stride);
  chains.suffix = table(work.suffix, chains.longest * chains.stride);
  chains.scratch = table(work.scratch, kLaneScratchRows * padded(labels) * kChainLanes);
  if (const std::size_t sums = pair_sums(*chains.transitions); sums > 0) {
    chains.pairs = table(work.pairs, sums * kChainLanes);
  }
  lanes_forward(chains, kChainLanes);
  lanes_backward(chains, kChainLanes);
  for (std::size_t k = 0; k < scores.size(); ++k) {
    if (chains.outcome[k] == ScaledOutcome::unsafe) {
      marginals(scores[k], scale[k], work.single, out[k]);
      log_z[k] = work.single.log_z;
      ++work.slow;
    } else {
      log_z[k] = chains.log_z[k];
    }
  }
}

}  // namespace

template <class Real>
ScaledOutcome sparse_forward(const ChainScores<Real>& scores,
                             ForwardBackwardWorkspace<Real>& work) {
  work.emission.reshape(scores.length(), scores.labels());
  work.alpha.reshape(scores.length(), scores.labels());
  work.row.reshape(kLaneScratchRows, scores.labels());
  LaneChains<Real> chains = one_lane(scores, work);
  lanes_forward(chains, 1);
  work.log_z = chains.log_z[0];
  return chains.outcome[0];
}

template <class Real>
ScaledOutcome sparse_backward(const ChainScores<Real>& scores, double scale,
                              ForwardBackwardWorkspace<Real>& work,
                              const ChainGradient<Real>& out) {
  work.suffix.reshape(scores.length(), scores.labels());
  const std::size_t sums = pair_sums(*scores.transitions);
  if (work.pairs.size() < sums) work.pairs.resize(sums);
  LaneChains<Real> chains = one_lane(scores, work);
  chains.scale[0] = scale;
  chains.state[0] = out.state;
  chains.transition = out.transition;
  chains.suffix = work.suffix.row(0);
  chains.pairs = work.pairs.data();
  lanes_backward(chains, 1);
  return chains.outcome[0];
}

template <class Real>
void marginals(std::span<const ChainScores<Real>> scores, std::span<const double> scale,
               BatchWorkspace<Real>& work, std::span<const ChainGradient<Real>> out,
               std::span<CompensatedSum> log_z) {
  for (std::size_t first = 0; first < scores.size(); first += kChainLanes) {
    const std::size_t count = std::min(kChainLanes, scores.size() - first);
    if (share_lanes(scores.subspan(first, count))) {
      marginals_in_lanes(scores.subspan(first, count), scale.subspan(first, count), work,
                         out.subspan(first, count), log_z.subspan(first, count));
      continue;
    }
    for (std::size_t k = first; k < first + count; ++k) {
      marginals(scores[k], scale[k], work.single, out[k]);
      log_z[k] = work.single.log_z;
      work.slow += work.single.path != ChainPath::scaled;
    }
  }
}

template ScaledOutcome sparse_forward(const ChainScores<float>&, ForwardBackwardWorkspace<float>&);
template ScaledOutcome sparse_forward(const ChainScores<double>&,
                                      ForwardBackwardWorkspace<double>&);
template ScaledOutcome sparse_backward(const ChainScores<float>&, double,
                                       ForwardBackwardWorkspace<float>&,
                                       const ChainGradient<float>&);
template ScaledOutcome sparse_backward(const ChainScores<double>&, double,
                                       ForwardBackwardWorkspace<double>&,
                                       const ChainGradient<double>&);
template void marginals(std::span<const ChainScores<float>>, std::span<const double>,
                        BatchWorkspace<float>&, std::span<const ChainGradient<float>>,
                        std::span<CompensatedSum>);
template void marginals(std::span<const ChainScores<double>>, std::span<const double>,
                        BatchWorkspace<double>&, std::span<const ChainGradient<double>>,
                        std::span<CompensatedSum>);

}  // namespace croft
