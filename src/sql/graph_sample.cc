#include "sql/graph_sample.h"

#include <algorithm>

namespace croft {
namespace {

// From the first variable on; other parts of the graph follow.
std::vector<Variable> nearest(const FactorGraph& graph, std::size_t most) {
  const FactorLists factors(graph);
  std::vector<bool> seen(graph.variables(), false);
  std::vector<Variable> order;
  for (Variable first = 0; first < graph.variables() && order.size() < most; ++first) {
    if (seen[first]) continue;
    for (const Variable v :
         nearest_variables(graph, factors, first, graph.variables(), most - order.size())) {
      seen[v] = true;
      order.push_back(v);
    }
  }
  return order;
}

}  // namespace

GraphSample sample_graph(GraphTables& tables, std::size_t most) {
  GraphSample sample;
  const CliqueSchema& schema = tables.schema();
  const std::vector<GraphInstance> instances = tables.data().unroll();
  for (const GraphInstance& instance : instances) {
    const std::size_t room = most - sample.file.graph.variables();
    if (room == 0) break;
    std::vector<Variable> place(instance.graph.variables(), kUnknown);
    for (const Variable v : nearest(instance.graph, room)) {
      const std::uint32_t number = instance.variable[v];
      const Domain& domain = schema.domains[tables.data().domain(number)];
      place[v] = sample.file.graph.add_variable(domain.labels.size());
      sample.file.names.variables.push_back((schema.domains.size() > 1 ? domain.name + ":" : "") +
                                            tables.variables().id(number));
      sample.file.names.states.push_back(domain.labels);
      sample.known.push_back(instance.known[v]);
    }
    for (Factor f = 0; f < instance.graph.factors(); ++f) {
      std::vector<Variable> scope;
      for (const Variable v : instance.graph.scope(f)) scope.push_back(place[v]);
      if (std::ranges::find(scope, kUnknown) != scope.end()) continue;
      sample.file.graph.add_factor(
          scope, sample.file.graph.add_copy(instance.graph, instance.graph.potential_of(f)));
    }
  }
  return sample;
}

}  // namespace croft
