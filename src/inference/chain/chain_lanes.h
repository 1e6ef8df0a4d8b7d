// The scaled recursions over several chains at once, one to a SIMD lane.  Internal to chain_sum.h.
//
// A number of label j of the chain in lane k stands at j * N + k, N lanes: every operation is one
// on whole vectors, whatever the transitions.  That pays where they are sparse (an edge costs one
// multiply-add for N chains) and where they are dense (matrix-vector products become
// matrix-matrix). docs/math/large_label_sets.md.
#pragma once
#include "croft/inference/chain_sum.h"
#include "croft/structure/edge_sharing.h"
#include "inference/chain/chain_scaled.h"

namespace croft {

// What the recursions read and write.  Tables: [longest][stride]; label j of lane k at j * N + k.
template <class Real>
struct LaneChains {
  const TransitionScores<Real>* transitions = nullptr;
  std::size_t lanes = 0;                              // in use, at most N
  std::size_t longest = 0;                            // positions of the longest chain
  const ChainScores<Real>* scores[kChainLanes] = {};  // without overlays
  double scale[kChainLanes] = {};
  Real* state[kChainLanes] = {};  // where the marginals go
  double* transition = nullptr;   // [transitions->cells()], added to; may be null

  Real *emission = nullptr, *alpha = nullptr, *suffix = nullptr;
  std::size_t stride = 0;   // numbers in a row of these tables
  Real* scratch = nullptr;  // [kLaneScratchRows][padded(L) * N]
  Real* pairs = nullptr;    // [pair_sums(*transitions)][N]; null where that is 0

  // Results, by lane.
  ScaledOutcome outcome[kChainLanes] = {};
  CompensatedSum log_z[kChainLanes];
};
inline constexpr std::size_t kLaneScratchRows = 5;

// Sums of products over positions that add_pairs() needs on its way to the cells.
template <class Real>
std::size_t pair_sums(const TransitionScores<Real>& transitions) {
  if (transitions.sparse()) return transitions.cells();
  return transitions.sharing() ? transitions.sharing()->sums() : 0;
}

// Whether a chain alone is one for the lanes (N = 1): its edges are few, or share scores.
template <class Real>
bool in_lanes(const ChainScores<Real>& scores) {
  const TransitionScores<Real>& transitions = *scores.transitions;
  return transitions.sparse() || (transitions.sharing() && scores.overlay_of.empty());
}

// Numbers in a table row for N lanes.  More than one lane: an odd number of cache lines, so that a
// column of positions does not fall into a few sets of the cache.
constexpr std::size_t lane_stride(std::size_t labels, std::size_t lanes) {
  return lanes == 1 ? padded(labels) : (padded(labels) + 1) * lanes;
}

// N = 1 or kChainLanes.  Fill emission, alpha and log_z.  A lane whose outcome is not `done` has
// nothing else to be used.
template <class Real>
void lanes_forward(LaneChains<Real>& chains, std::size_t lanes);
// After lanes_forward: fills suffix, the marginals, and adds to transition for the lanes that are
// done, all times scale.  A lane may still turn out unsafe: it then adds nothing.
template <class Real>
void lanes_backward(LaneChains<Real>& chains, std::size_t lanes);

// The recursions over one chain that is in_lanes(): fill work.emission, alpha, suffix and
// log_z as scaled_forward and scaled_backward do.
template <class Real>
ScaledOutcome sparse_forward(const ChainScores<Real>& scores, ForwardBackwardWorkspace<Real>& work);
template <class Real>
ScaledOutcome sparse_backward(const ChainScores<Real>& scores, double scale,
                              ForwardBackwardWorkspace<Real>& work, const ChainGradient<Real>& out);

}  // namespace croft
