// Places for the nodes of a directed graph: in layers, causes above their effects.
#pragma once
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace croft {

struct LayoutPoint {
  double x = 0, y = 0;
};

struct LayeredLayout {
  std::vector<LayoutPoint> node;                // centres
  std::vector<std::vector<LayoutPoint>> bends;  // [edges] where an edge passes the layers between
};

// The layer of a node is the number of edges on the longest path to it.  An edge over several
// layers has a place of its own in each, so that it passes between the nodes.  Crossings are
// reduced by medians, in sweeps down and up (Sugiyama, Tagawa & Toda 1981; Gansner et al. 1993).
// The same graph gives the same places.  O(sweeps · (nodes + bends)²) at most.
//   edges  : from a node to another; without directed cycles (otherwise the answer is empty)
//   widths : [nodes];  gap : between neighbours of a layer;  step : between layers
LayeredLayout layered_layout(std::span<const std::pair<std::size_t, std::size_t>> edges,
                             std::span<const double> widths, double gap, double step);

}  // namespace croft
