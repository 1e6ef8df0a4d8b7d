// What a factor graph with known states is trained by: a value and its derivatives by the graph's
// numbers.
//
//   (theta, y) -> L(theta, y), dL/dtheta           theta = graph.numbers()                  (GC.4)
//
// An objective is made for one graph, and may keep what does not change with its numbers: a
// junction tree, lists of places, chains of samples.
#pragma once
#include <functional>
#include <memory>
#include <span>

#include "croft/structure/factor_graph.h"

namespace croft {

class GraphObjective {
 public:
  virtual ~GraphObjective() = default;
  // L at the graph's present numbers; adds dL/d(number) to `gradient` [graph.numbers().size()].
  // +inf, and nothing added, where what is known is not allowed.
  virtual double evaluate(std::span<double> gradient) = 0;
  // Whether the inference of the last evaluation converged; exact one does.
  virtual bool converged() const { return true; }
};
// Keeps the graph and the states by reference; numbers may change, nothing else must.
//   known : [variables]; kUnobserved: hidden
using GraphObjectiveMaker = std::function<std::unique_ptr<GraphObjective>(
    const FactorGraph& graph, std::span<const State> known)>;

}  // namespace croft
