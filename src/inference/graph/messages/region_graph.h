// Regions of a factor graph for Kikuchi's approximation of log Z: clusters, and where they overlap.
//
//   make_region_graph(graph, loop_clusters(graph, 4))      // of a grid: its squares
//
// Each factor is in one cluster.  Inner regions are all intersections of clusters, or, where these
// are a tree of cliques, its separators; the counts of the regions that contain one add up to 1
// (cluster variation).  Yedidia, Freeman & Weiss (2005); docs/math/graph_variational.md section 7.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "croft/inference/graph_result.h"

namespace croft {

using Cluster = std::vector<Variable>;

struct Region {
  Cluster variables;            // increasing
  double count = 1;             // 1 of an outer region
  std::vector<Factor> factors;  // of an outer region: what it scores
  std::vector<std::size_t>
      outer;  // of an inner region: the outer ones that contain it, two or more
};

struct RegionGraph {
  std::vector<Region> outer, inner;
  std::vector<Factor> constants;  // over no variable with two states
  // Whether the outer regions hang together as a tree of cliques: Kikuchi's log Z is exact then.
  bool acyclic = false;
};

// The cycles of at most so many variables, where neighbours share a factor; 3 or more.  Throws
// Error where there are too many to list, Interrupted where the callback says no.
std::vector<Cluster> loop_clusters(const FactorGraph& graph, std::size_t length,
                                   const GraphCallback& callback = {});

// "0 1 4 5; 1 2 5 6": numbers apart by blanks or commas, clusters by semicolons.  Throws UsageError
// for what is no number below `variables`, and where there is no cluster.
std::vector<Cluster> parse_clusters(std::string_view text, std::size_t variables);

// Outer regions are the clusters and the scopes of factors, but those that others contain;
// variables of one state are in none.  Throws UsageError for a cluster with a variable that is not
// there, Error where the regions have more than 2^26 joint states, and Interrupted where the
// callback says no.
RegionGraph make_region_graph(const FactorGraph& graph, std::vector<Cluster> clusters,
                              const GraphCallback& callback = {});

}  // namespace croft
