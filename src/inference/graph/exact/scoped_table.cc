#include "inference/graph/exact/scoped_table.h"

#include <algorithm>
#include <cmath>

namespace croft {
namespace {

// A table that factors are multiplied into before the clique is gone through.
constexpr std::uint64_t kJoinedStates = 1024;

// Factors that are joined, and the variables of their table.
struct FactorGroup {
  std::vector<Variable> variables;
  std::vector<Factor> factors;
};

std::vector<FactorGroup> factor_groups(const FactorGraph& graph, const Clique& clique) {
  std::vector<Factor> factors = clique.factors;
  std::ranges::stable_sort(factors, std::greater(),
                           [&](Factor f) { return graph.joint_states(f); });
  std::vector<FactorGroup> groups;
  for (const Factor f : factors) {
    const auto scope = graph.scope(f);
    std::vector<Variable> own(scope.begin(), scope.end());
    std::erase_if(own, [&](Variable v) { return graph.states(v) < 2; });
    FactorGroup* into = nullptr;
    for (FactorGroup& group : groups) {
      std::vector<Variable> both = group.variables;
      for (const Variable v : own) {
        if (!contains(both, v)) both.push_back(v);
      }
      if (both.size() > group.variables.size() && joint_states(graph, both) > kJoinedStates) {
        continue;
      }
      group.variables = std::move(both);
      into = &group;
      break;
    }
    if (into == nullptr) into = &groups.emplace_back(FactorGroup{std::move(own), {}});
    into->factors.push_back(f);
  }
  for (FactorGroup& group : groups) group.variables = in_order(clique.variables, group.variables);
  return groups;
}

}  // namespace

bool contains(const std::vector<Variable>& all, Variable v) {
  return std::ranges::find(all, v) != all.end();
}

std::uint64_t joint_states(const FactorGraph& graph, std::span<const Variable> variables) {
  std::uint64_t states = 1;
  for (const Variable v : variables) states *= graph.states(v);
  return states;
}

double count_states(const FactorGraph& graph, std::span<const Variable> variables) {
  double states = 1;
  for (const Variable v : variables) states *= static_cast<double>(graph.states(v));
  return states;
}

std::vector<Variable> in_order(const std::vector<Variable>& order,
                               const std::vector<Variable>& some) {
  std::vector<Variable> result;
  std::ranges::copy_if(order, std::back_inserter(result),
                       [&](Variable v) { return contains(some, v); });
  return result;
}

std::vector<std::vector<Variable>> chunks(const FactorGraph& graph,
                                          const std::vector<Variable>& variables) {
  std::vector<std::vector<Variable>> parts;
  std::uint64_t states = 0;
  for (const Variable v : variables) {
    if (states == 0 || states * graph.states(v) > kJoinedStates) {
      parts.emplace_back();
      states = 1;
    }
    parts.back().push_back(v);
    states *= graph.states(v);
  }
  return parts;
}

ScopedTable slice(const FactorGraph& graph, const ScopedTable& from, std::span<const State> x,
                  const std::vector<bool>& known) {
  ScopedTable part;
  std::uint64_t stride = 1, fixed = 0;
  for (std::size_t k = from.variables.size(); k-- > 0;) {
    const Variable v = from.variables[k];
    if (known[v]) fixed += stride * x[v];
    stride *= graph.states(v);
  }
  std::ranges::copy_if(from.variables, std::back_inserter(part.variables),
                       [&](Variable v) { return !known[v]; });
  part.table.logarithms = from.table.logarithms;
  part.table.lowest = from.table.lowest;
  part.table.offset = from.table.offset;
  part.table.values.resize(joint_states(graph, part.variables));
  for_places(graph, part.variables, from.variables, [&](std::uint64_t k, std::uint64_t place) {
    part.table.values[k] = from.table.values[fixed + place];
  });
  return part;
}

std::vector<ScopedTable> factor_tables(const FactorGraph& graph, const Clique& clique) {
  std::vector<ScopedTable> tables;
  for (FactorGroup& group : factor_groups(graph, clique)) {
    ScopedTable& out = tables.emplace_back();
    out.variables = std::move(group.variables);
    std::vector<double> scores(joint_states(graph, out.variables), 0.0);
    for (const Factor f : group.factors) {
      const std::vector<double> own = graph.table(f);
      for_places(graph, out.variables, graph.scope(f),
                 [&](std::uint64_t k, std::uint64_t place) { scores[k] += own[place]; });
    }
    out.table = table_of_scores(std::move(scores));
  }
  return tables;
}

std::vector<std::vector<Variable>> factor_scopes(const FactorGraph& graph, const Clique& clique) {
  std::vector<std::vector<Variable>> scopes;
  for (FactorGroup& group : factor_groups(graph, clique)) {
    scopes.push_back(std::move(group.variables));
  }
  return scopes;
}

void to_probabilities(const Table& table, std::span<double> p) {
  double sum = 0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    p[k] = table.logarithms ? std::exp(table.values[k]) : table.values[k];
    sum += p[k];
  }
  for (double& each : p) each /= sum;
}

std::uint64_t largest_of(const Table& table) {
  return static_cast<std::uint64_t>(std::ranges::max_element(table.values) - table.values.begin());
}

std::uint64_t drawn_from(const Table& table, Random& random, std::vector<double>& p) {
  p.resize(table.values.size());
  to_probabilities(table, p);
  double left = random.uniform();
  std::uint64_t last = 0;
  for (std::uint64_t k = 0; k < p.size(); ++k) {
    if (p[k] == 0) continue;
    last = k;
    left -= p[k];
    if (left < 0) break;
  }
  return last;
}

}  // namespace croft
