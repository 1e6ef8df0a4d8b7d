// log Z of a factor graph whose numbers change, and its derivatives by them.
//
//   d log Z / d number = expected number of factors that are scored by it                 (GC.2)
//
// Exactly, or by an approximation of log Z with the derivatives of the approximation: what training
// needs of inference.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "croft/core/state_archive.h"
#include "croft/inference/belief_propagation.h"
#include "croft/inference/graph_result.h"
#include "croft/inference/mean_field.h"
#include "croft/inference/tree_reweighted.h"

namespace croft {

// What a call leaves for the next one.
struct SumState {
  // Of the calls that led here: states with the same id are the same to the last bit.
  std::array<std::uint64_t, 2> id{};
  BeliefMessages messages;
};

class SumOracle {
 public:
  virtual ~SumOracle() = default;
  // log Z of the graph's present numbers, or what stands for it; adds scale times its derivative
  // by each number to `out` [graph.numbers().size()].  -inf where no assignment is allowed: then
  // nothing is added.
  virtual double sums(double scale, std::span<double> out) = 0;
  virtual ResultKind kind() const = 0;  // of log Z
  // Of the last call; always true of exact methods.
  virtual bool converged() const { return true; }
  // Null where the next call depends on the graph alone.
  virtual std::shared_ptr<const SumState> state() const { return nullptr; }
  virtual void set_state(std::shared_ptr<const SumState>) {}
  void archive(StateArchive& archive);  // the state
};
// Keeps the graph by reference; its numbers may change, its shape must not.
using SumOracleMaker = std::function<std::unique_ptr<SumOracle>(const FactorGraph& graph)>;

// Junction trees that take more memory throw Error, which says how much; 0: no limit.
inline constexpr double kMostTreeBytes = 8e9;
SumOracleMaker exact_sums(double most_bytes = kMostTreeBytes);
// Bethe's log Z, whose derivatives are the beliefs at a fixed point (Sutton & McCallum 2012,
// (5.27)).  A run that stops before is what it is: "BP stopped after k iterations".
//   go_on : where the graph has cycles, messages begin where those of the last call ended, if they
//           had converged
SumOracleMaker bethe_sums(const BeliefPropagationOptions& options = {}, bool go_on = false);
// Naive mean field's lower bound; derivatives: expectations under q.
SumOracleMaker mean_field_sums(const MeanFieldOptions& options = {});
// The upper bound of explicit spanning trees; derivatives: expectations under these in their
// shares. Where the messages converge it is a convex function of the numbers, and these its
// derivatives; stopped before, it is still a bound, and they are those of a convex function that
// touches it from above.  tree_steps has no meaning here: the trees are those of the seed.  Throws
// UsageError for a factor of three variables or more.
SumOracleMaker tree_reweighted_sums(const TreeReweightedOptions& options = {});

}  // namespace croft
