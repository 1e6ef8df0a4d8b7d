// All directed graphs without cycles on a few variables, and their classes, by the definitions.
#pragma once
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "croft/core/random.h"
#include "structure/equivalence.h"

namespace croft::test {

// 3, 25, 543, 29281 of them for 2 to 5 variables.
inline std::vector<Parents> every_dag(std::size_t variables) {
  std::vector<std::pair<Variable, Variable>> pairs;
  for (Variable u = 0; u < variables; ++u) {
    for (Variable v = u + 1; v < variables; ++v) pairs.emplace_back(u, v);
  }
  std::size_t graphs = 1;
  for (std::size_t k = 0; k < pairs.size(); ++k) graphs *= 3;
  std::vector<Parents> all;
  for (std::size_t code = 0; code < graphs; ++code) {
    Parents parents(variables);
    std::size_t rest = code;
    for (const auto& [u, v] : pairs) {
      if (rest % 3 == 1) parents[v].push_back(u);
      if (rest % 3 == 2) parents[u].push_back(v);
      rest /= 3;
    }
    for (auto& each : parents) std::sort(each.begin(), each.end());
    if (!causal_order(parents).empty()) all.push_back(std::move(parents));
  }
  return all;
}

inline Parents random_dag(std::size_t variables, double density, Random& random) {
  std::vector<Variable> order(variables);
  for (Variable v = 0; v < variables; ++v) order[v] = v;
  shuffle(order, random);
  Parents parents(variables);
  for (std::size_t a = 0; a < variables; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (random.uniform() < density) parents[order[a]].push_back(order[b]);
    }
  }
  for (auto& each : parents) std::sort(each.begin(), each.end());
  return parents;
}

// What decides about the class of a graph (Verma & Pearl 1990): its edges, and its colliders whose
// parents are not adjacent.
struct Pattern {
  std::set<std::pair<Variable, Variable>> edges;
  std::set<std::tuple<Variable, Variable, Variable>> colliders;  // u < v, then the middle
  auto operator<=>(const Pattern&) const = default;
};
inline Pattern pattern_of(const Parents& parents) {
  Pattern pattern;
  for (Variable v = 0; v < parents.size(); ++v) {
    for (const Variable u : parents[v]) pattern.edges.insert(std::minmax(u, v));
  }
  for (Variable v = 0; v < parents.size(); ++v) {
    for (const Variable u : parents[v]) {
      for (const Variable w : parents[v]) {
        if (u < w && !pattern.edges.contains({u, w})) pattern.colliders.insert({u, w, v});
      }
    }
  }
  return pattern;
}

inline std::map<Pattern, std::vector<Parents>> every_class(std::size_t variables) {
  std::map<Pattern, std::vector<Parents>> classes;
  for (Parents& each : every_dag(variables)) classes[pattern_of(each)].push_back(std::move(each));
  return classes;
}

}  // namespace croft::test
