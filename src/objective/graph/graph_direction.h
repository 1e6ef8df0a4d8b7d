// What a factor graph with known states can be trained by where there is no value: a direction in
// the shape of the graph's numbers, drawn by chance.
#pragma once
#include <functional>
#include <memory>
#include <span>

#include "croft/core/random.h"
#include "croft/core/state_archive.h"
#include "croft/structure/factor_graph.h"

namespace croft {

class GraphDirection {
 public:
  virtual ~GraphDirection() = default;
  // Adds the direction at the graph's present numbers to `out` [graph.numbers().size()]: what
  // stands for d(-log p)/d(number).  Returns a figure for the log.
  virtual double draw(Random& random, std::span<double> out) = 0;
  virtual void archive(StateArchive&) {}  // what is kept between draws
};
// Keeps the graph and the states by reference; numbers may change, nothing else must.
//   known : [variables]; kUnobserved: hidden
using GraphDirectionMaker = std::function<std::unique_ptr<GraphDirection>(
    const FactorGraph& graph, std::span<const State> known)>;

}  // namespace croft
