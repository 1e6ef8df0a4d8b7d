#include "structure/directed_cycle.h"

#include <algorithm>

namespace croft {
namespace {

std::vector<std::vector<Variable>> children_of(const FactorGraph& graph,
                                               std::span<const GraphDecision> decisions) {
  std::vector<std::vector<Variable>> children(graph.variables());
  for (Factor f = 0; f < graph.factors(); ++f) {
    const auto scope = graph.scope(f);
    for (std::size_t k = 0; k + 1 < scope.size(); ++k) children[scope[k]].push_back(scope.back());
  }
  for (const GraphDecision& each : decisions) {
    for (const Variable v : each.known) children[v].push_back(each.variable);
  }
  return children;
}

enum class Mark : std::uint8_t { unseen, on_path, done };

}  // namespace

// Depth first, with a stack of its own: a path may be as long as the network.
std::vector<Variable> directed_cycle(const FactorGraph& graph,
                                     std::span<const GraphDecision> decisions) {
  const auto children = children_of(graph, decisions);
  std::vector<Mark> mark(graph.variables(), Mark::unseen);
  std::vector<std::size_t> next(graph.variables(), 0);  // child that is looked at next
  std::vector<Variable> path;
  for (Variable root = 0; root < graph.variables(); ++root) {
    if (mark[root] != Mark::unseen) continue;
    path.push_back(root);
    mark[root] = Mark::on_path;
    while (!path.empty()) {
      const Variable at = path.back();
      if (next[at] == children[at].size()) {
        mark[at] = Mark::done;
        path.pop_back();
        continue;
      }
      const Variable child = children[at][next[at]++];
      if (mark[child] == Mark::on_path) {
        return {std::ranges::find(path, child), path.end()};
      }
      if (mark[child] == Mark::done) continue;
      mark[child] = Mark::on_path;
      path.push_back(child);
    }
  }
  return {};
}

std::string cycle_text(std::span<const Variable> cycle,
                       const std::function<std::string(Variable)>& name_of) {
  constexpr std::size_t kShown = 10;
  std::string text;
  for (std::size_t k = 0; k < cycle.size(); ++k) {
    if (cycle.size() > kShown && k == kShown - 1) {
      text += "… -> ";
      k = cycle.size() - 1;
    }
    text += name_of(cycle[k]) + " -> ";
  }
  return cycle.empty() ? text : text + name_of(cycle.front());
}

}  // namespace croft
