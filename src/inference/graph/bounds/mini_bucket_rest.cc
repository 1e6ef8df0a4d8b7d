#include "inference/graph/bounds/mini_bucket_rest.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

#include "core/infinity.h"
#include "croft/inference/elimination_order.h"

namespace croft {
namespace {

constexpr std::size_t kMostNeighbours = 256;
constexpr double kSimple = 3e7,
                 kNotTooLarge = 3e8;  // sums of cubes of neighbours, which min-fill takes

// The scores of a term that its messages have left it, for the states that are left.
std::vector<double> table_of(Reparametrisation& scores, Reparametrisation::Term t,
                             const std::vector<std::vector<State>>& states) {
  const auto scope = scores.scope(t);
  std::vector<double> table;
  std::vector<std::size_t> at(scope.size(), 0);
  std::vector<State> x(scope.size());
  for (;;) {
    for (std::size_t k = 0; k < at.size(); ++k) x[k] = states[scope[k]][at[k]];
    double score = scores.graph().score_of(scores.factor(t), x);
    if (score > -kInf) {
      for (std::size_t k = 0; k < at.size(); ++k) score -= scores.message(t, k)[x[k]];
    }
    table.push_back(score);
    std::size_t k = at.size();
    while (k > 0 && ++at[k - 1] == states[scope[k - 1]].size()) at[--k] = 0;
    if (k == 0) return table;
  }
}

}  // namespace

std::vector<State> RestOfGraph::whole(const std::vector<State>& x) const {
  std::vector<State> all;
  for (const auto& each : states) all.push_back(each[0]);
  for (std::size_t k = 0; k < variables.size(); ++k) all[variables[k]] = states[variables[k]][x[k]];
  return all;
}

std::optional<RestOfGraph> rest_of(Reparametrisation& scores, double most) {
  RestOfGraph rest;
  const FactorGraph& graph = scores.graph();
  std::vector<Variable> own(graph.variables());
  rest.states.resize(graph.variables());
  double constant = scores.constant();
  for (Variable v = 0; v < graph.variables(); ++v) {
    const auto belief = scores.belief(v);
    std::vector<double> left;
    for (State s = 0; s < belief.size(); ++s) {
      if (belief[s] == -kInf) continue;
      rest.states[v].push_back(s);
      left.push_back(belief[s]);
    }
    if (left.size() == 1) {
      constant += left[0];
      continue;
    }
    own[v] = rest.graph.add_variable(left.size());
    rest.variables.push_back(v);
    rest.graph.add_factor({own[v]}, rest.graph.add_table(left));
  }
  rest.graph.add_factor({}, rest.graph.add_table(std::vector{constant}));
  for (Reparametrisation::Term t = 0; t < scores.terms(); ++t) {
    double joint = 1;
    std::vector<Variable> scope;
    for (const Variable v : scores.scope(t)) {
      joint *= static_cast<double>(rest.states[v].size());
      if (rest.states[v].size() > 1) scope.push_back(own[v]);
    }
    if ((most -= joint) < 0) return std::nullopt;
    rest.graph.add_factor(scope, rest.graph.add_table(table_of(scores, t, rest.states)));
  }
  return rest;
}

std::optional<std::vector<Variable>> order_for_mini_buckets(const FactorGraph& graph) {
  std::vector<std::vector<Variable>> near(graph.variables());
  for (Factor f = 0; f < graph.factors(); ++f) {
    for (const Variable v : graph.scope(f)) {
      for (const Variable u : graph.scope(f)) {
        if (u != v) near[v].push_back(u);
      }
    }
  }
  std::set<std::pair<std::size_t, Variable>> queue;
  for (Variable v = 0; v < near.size(); ++v) {
    std::ranges::sort(near[v]);
    const auto same = std::ranges::unique(near[v]);
    near[v].erase(same.begin(), same.end());
    queue.emplace(near[v].size(), v);
  }
  std::vector<Variable> order, merged;
  double cubes = 0;
  while (!queue.empty()) {
    const auto [count, v] = *queue.begin();
    if (count > kMostNeighbours) return std::nullopt;
    queue.erase(queue.begin());
    order.push_back(v);
    cubes += static_cast<double>(count) * static_cast<double>(count) * static_cast<double>(count);
    for (const Variable u : near[v]) {
      queue.erase({near[u].size(), u});
      merged.clear();
      std::ranges::set_union(near[u], near[v], std::back_inserter(merged));
      std::erase_if(merged, [u = u, v = v](Variable t) { return t == u || t == v; });
      near[u] = merged;
      queue.emplace(near[u].size(), u);
    }
    near[v].clear();
  }
  if (cubes > kNotTooLarge) return order;
  const std::size_t restarts = cubes > kSimple ? 1 : 4;
  EliminationOptions options{.rules = {EliminationRule::min_fill}, .restarts = restarts};
  options.most_log2_states = std::numeric_limits<double>::infinity();  // buckets are split
  return find_elimination_order(graph, options).order;
}

}  // namespace croft
