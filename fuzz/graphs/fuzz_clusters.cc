// Any bytes as clusters of the variables of a small graph: a UsageError, or regions whose counts
// add up to 1 for each variable, and the same again when the clusters are written.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "croft/core/error.h"
#include "inference/graph/messages/region_graph.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_clusters {

namespace {

constexpr std::size_t kVariables = 12;

std::string written(const std::vector<croft::Cluster>& clusters) {
  std::string text;
  for (const croft::Cluster& each : clusters) {
    for (const croft::Variable v : each) text += std::to_string(v) + " ";
    text += ";";
  }
  return text;
}

void check_counts(const croft::RegionGraph& regions) {
  std::vector<double> count(kVariables, 0);
  for (const auto* list : {&regions.outer, &regions.inner}) {
    for (const croft::Region& each : *list) {
      for (const croft::Variable v : each.variables) count[v] += each.count;
    }
  }
  for (const double each : count) require(each == 1, "counts of a variable do not add up to 1");
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_clusters) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<croft::Cluster> clusters;
  try {
    clusters = croft::parse_clusters(text, kVariables);
  } catch (const croft::UsageError&) {
    return 0;
  }
  require(croft::parse_clusters(written(clusters), kVariables) == clusters, "not the same again");
  croft::FactorGraph graph;
  for (std::size_t v = 0; v < kVariables; ++v) graph.add_variable(2);
  if (clusters.size() <= 8) check_counts(croft::make_region_graph(graph, clusters));
  return 0;
}

}  // namespace fuzz_clusters
