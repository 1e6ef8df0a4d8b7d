// What draws a part of a model given the rest.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bugs/graph.h"
#include "croft/core/interrupt.h"
#include "croft/core/random.h"
#include "croft/core/state_archive.h"

namespace croft::bugs {

// Ends long work at the user's request: throws Interrupted.
inline void end_if_interrupted() {
  if (interruption) throw Interrupted("interrupted");
}

// One chain.  Between updates graph.kept_current() is current, and the density of every informative
// node is positive.
struct ChainState {
  std::vector<double> values;  // [graph.slots()]
};

// The user is told of trouble that a sampler had after the burn-in.
//   held    : double precision did not tell apart what some of its nodes do, so that these were
//             drawn one given the others
//   unmoved : in some updates there was no finite number to draw with, and its nodes stayed
enum class Trouble : std::uint8_t { none, held, unmoved };

// Leaves p(nodes | everything else) as it is.  One for each chain: it may keep scratch and what it
// has adapted.
class Sampler {
 public:
  virtual ~Sampler() = default;
  virtual std::string name() const = 0;  // "conjugate gamma", "slice"
  virtual std::span<const NodeId> nodes() const = 0;
  // May throw Interrupted where it takes long; the state is then not one to go on from.
  virtual void update(ChainState& state, Random& random) = 0;
  // The burn-in is over: nothing adapts any more.
  virtual void end_adaptation() {}
  virtual Trouble trouble() const { return Trouble::none; }
  // What it has adapted, for a checkpoint.
  virtual void archive(StateArchive& /*state*/) {}
};

// For every node of graph.sampled(), in the order in which they are to run.  Each of the nodes
// stands in at least one.  Throws Error, which names the node, where none is able to draw it, and
// Interrupted.
std::vector<std::unique_ptr<Sampler>> choose_samplers(const ModelGraph& graph);

}  // namespace croft::bugs
