// Places for the nodes of an undirected graph: distances on paper are near those in the graph.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

namespace croft {

struct Point {
  double x = 0, y = 0;
};
using LayoutEdges = std::vector<std::pair<std::size_t, std::size_t>>;

// By stress majorisation (Gansner, Koren & North 2004).  Neighbours are about 1 apart, all others
// about as far as their shortest path is long; pieces that are not connected stand beside each
// other.  All coordinates are >= 0.  A piece is turned as a whole: the second node of an edge below
// the first where edges have a direction, edges level or upright where they have none.  The same
// graph gives the same places.  O(nodes^2) time a sweep, and memory.
//   directions : whether edges have one
std::vector<Point> graph_layout(std::size_t nodes, const LayoutEdges& edges, bool directions);

}  // namespace croft
