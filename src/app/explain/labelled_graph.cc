#include "app/explain/labelled_graph.h"

#include "app/infer/stress_layout.h"

namespace croft {
namespace {

constexpr double kStep = 230;  // between neighbours

std::vector<Point> places_of(const Neighbourhood& around) {
  LayoutEdges edges;
  for (const Neighbourhood::Clique& each : around.cliques) {
    for (std::size_t k = 1; k < each.nodes.size(); ++k) {
      for (std::size_t j = 0; j < k; ++j) edges.emplace_back(each.nodes[j], each.nodes[k]);
    }
  }
  return graph_layout(around.nodes.size(), edges, false);
}

}  // namespace

Json to_json(const Neighbourhood& around) {
  Json variables = Json::array(), cliques = Json::array();
  const std::vector<Point> places = places_of(around);
  for (std::size_t k = 0; k < around.nodes.size(); ++k) {
    const Neighbourhood::Node& node = around.nodes[k];
    variables.push_back({{"name", node.name},
                         {"states", node.states},
                         {"probabilities", node.probabilities},
                         {"label", node.states[node.label]},
                         {"known", node.known},
                         {"x", kStep * places[k].x},
                         {"y", kStep * places[k].y}});
  }
  for (const Neighbourhood::Clique& each : around.cliques) {
    Json parts = Json::array();
    for (const Neighbourhood::Part& part : each.parts) {  // infinite weights are null
      parts.push_back({{"name", part.name}, {"weight", part.weight}});
    }
    cliques.push_back(
        {{"name", each.name}, {"variables", each.nodes}, {"score", each.score}, {"parts", parts}});
  }
  return {{"variables", variables}, {"cliques", cliques}, {"why", around.why}};
}

}  // namespace croft
