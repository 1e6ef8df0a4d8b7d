#include "structure/equivalence.h"

#include <algorithm>
#include <utility>

namespace croft {
namespace {

void insert_sorted(std::vector<Variable>& list, Variable v) {
  list.insert(std::ranges::lower_bound(list, v), v);
}

void erase_sorted(std::vector<Variable>& list, Variable v) {
  list.erase(std::ranges::lower_bound(list, v));
}

// Whether a rule makes an arrow u -> v of a line.
bool must_point(const PartlyDirected& g, Variable u, Variable v) {
  for (const Variable w : g.near(u)) {
    if (w == v) continue;
    if (g.arrow(w, u) && !g.adjacent(w, v)) return true;  // else w -> u <- v is new
    if (g.arrow(u, w) && g.arrow(w, v)) return true;      // else there is a cycle
    if (!g.line(u, w) || !g.arrow(w, v)) continue;
    for (const Variable x : g.near(u)) {  // v -> u would turn both lines: w -> u <- x is new
      if (x > w && x != v && g.line(u, x) && g.arrow(x, v) && !g.adjacent(w, x)) return true;
    }
  }
  return false;
}

// What stands against making a variable the last one of those that are left.
std::pair<std::size_t, std::size_t> objections(const PartlyDirected& g,
                                               const std::vector<bool>& gone, Variable v) {
  std::size_t out = 0, unmarried = 0;
  for (const Variable u : g.near(v)) {
    if (gone[u]) continue;
    if (g.arrow(v, u)) ++out;
    if (!g.line(u, v)) continue;
    for (const Variable w : g.near(v)) {
      if (w != u && !gone[w] && !g.adjacent(u, w)) ++unmarried;
    }
  }
  return {out, unmarried};
}

}  // namespace

Parents parents_of(const FactorGraph& graph) {
  Parents parents(graph.variables());
  for (Factor f = 0; f < graph.factors(); ++f) {
    const auto scope = graph.scope(f);
    if (scope.empty()) continue;
    parents[scope.back()].assign(scope.begin(), scope.end() - 1);
    std::ranges::sort(parents[scope.back()]);
  }
  return parents;
}

std::vector<Variable> causal_order(const Parents& parents) {
  std::vector<std::vector<Variable>> children(parents.size());
  std::vector<std::size_t> waits(parents.size());
  std::vector<Variable> order;
  for (Variable v = 0; v < parents.size(); ++v) {
    waits[v] = parents[v].size();
    if (waits[v] == 0) order.push_back(v);
    for (const Variable u : parents[v]) children[u].push_back(v);
  }
  for (std::size_t k = 0; k < order.size(); ++k) {
    for (const Variable child : children[order[k]]) {
      if (--waits[child] == 0) order.push_back(child);
    }
  }
  if (order.size() < parents.size()) order.clear();
  return order;
}

PartlyDirected::PartlyDirected(std::size_t variables)
    : marks_(variables * variables, 0), near_(variables) {}

PartlyDirected::PartlyDirected(const Parents& parents) : PartlyDirected(parents.size()) {
  for (Variable v = 0; v < parents.size(); ++v) {
    for (const Variable u : parents[v]) {
      connect(u, v);
      orient(u, v);
    }
  }
}

void PartlyDirected::connect(Variable u, Variable v) {
  marks_[u * variables() + v] = marks_[v * variables() + u] = 1;
  insert_sorted(near_[u], v);
  insert_sorted(near_[v], u);
}

void PartlyDirected::remove(Variable u, Variable v) {
  marks_[u * variables() + v] = marks_[v * variables() + u] = 0;
  erase_sorted(near_[u], v);
  erase_sorted(near_[v], u);
}

void PartlyDirected::orient(Variable u, Variable v) {
  marks_[u * variables() + v] = 1;
  marks_[v * variables() + u] = 0;
}

void close_arrows(PartlyDirected& graph) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Variable u = 0; u < graph.variables(); ++u) {
      for (const Variable v : graph.near(u)) {
        if (!graph.line(u, v) || !must_point(graph, u, v)) continue;
        graph.orient(u, v);
        changed = true;
      }
    }
  }
}

PartlyDirected class_of(const Parents& parents) {
  PartlyDirected graph(parents.size());
  for (Variable v = 0; v < parents.size(); ++v) {
    for (const Variable u : parents[v]) graph.connect(u, v);
  }
  for (Variable v = 0; v < parents.size(); ++v) {
    for (const Variable u : parents[v]) {
      for (const Variable w : parents[v]) {
        if (u != w && !graph.adjacent(u, w)) graph.orient(u, v);
      }
    }
  }
  close_arrows(graph);
  return graph;
}

// Dor & Tarsi (1992): a variable without objections is a sink of some consistent extension, if
// there is one at all; it is taken away, and so on.
Extension extension_of(const PartlyDirected& graph) {
  const std::size_t n = graph.variables();
  Extension result{.parents = Parents(n)};
  std::vector<bool> gone(n, false);
  for (std::size_t k = 0; k < n; ++k) {
    Variable last = 0;
    std::pair<std::size_t, std::size_t> fewest{SIZE_MAX, SIZE_MAX};
    for (Variable v = 0; v < n; ++v) {
      if (gone[v]) continue;
      const auto against = objections(graph, gone, v);
      if (against < fewest) fewest = against, last = v;
      if (fewest == std::pair<std::size_t, std::size_t>{0, 0}) break;
    }
    if (fewest.first + fewest.second > 0) result.consistent = false;
    gone[last] = true;
    for (const Variable u : graph.near(last)) {
      if (!gone[u]) result.parents[last].push_back(u);
    }
  }
  return result;
}

StructuralDistance distance(const PartlyDirected& found, const PartlyDirected& truth) {
  StructuralDistance d;
  for (Variable v = 0; v < truth.variables(); ++v) {
    for (const Variable u : truth.near(v)) {
      if (u > v) continue;
      if (!found.adjacent(u, v)) {
        ++d.missing;
      } else if (found.arrow(u, v) != truth.arrow(u, v) || found.arrow(v, u) != truth.arrow(v, u)) {
        ++d.turned;
      }
    }
    for (const Variable u : found.near(v)) {
      if (u < v && !truth.adjacent(u, v)) ++d.extra;
    }
  }
  return d;
}

}  // namespace croft
