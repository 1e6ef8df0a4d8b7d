// Places on paper for the nodes of an undirected graph.
#pragma once
#include <utility>
#include <vector>

namespace croft {

struct Point {
  double x = 0, y = 0;
};
using LayoutEdges = std::vector<std::pair<std::size_t, std::size_t>>;

// Neighbours are about 1 apart, all others about as far as their shortest path is long; pieces
// that are not connected stand beside each other.  All coordinates are >= 0.  A piece is turned as
// a whole: the second node of an edge below the first where edges have a direction, edges level or
// upright where they have none.
//   directions : whether edges have one
std::vector<Point> graph_layout(std::size_t nodes, const LayoutEdges& edges, bool directions);

}  // namespace croft
