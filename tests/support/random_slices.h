// Random dynamic Bayesian networks that can be enumerated when they are unrolled.
#pragma once
#include <cmath>
#include <limits>
#include <vector>

#include "croft/core/random.h"
#include "croft/structure/slice_network.h"

namespace croft::testing_slices {

struct RandomSlices {
  std::size_t variables = 3;
  std::size_t most_states = 3;
  double zeros = 0;   // share of the probabilities, but one of a row at least is above 0
  double spread = 1;  // of the logarithms before a row is made to add up to 1
};

// p(last of the scope | others), in logarithms.
inline void add_table(FactorGraph& graph, const std::vector<Variable>& scope, const RandomSlices& o,
                      Random& random) {
  std::size_t rows = 1;
  for (std::size_t k = 0; k + 1 < scope.size(); ++k) rows *= graph.states(scope[k]);
  const std::size_t states = graph.states(scope.back());
  std::vector<double> scores;
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<double> p(states);
    double sum = 0;
    for (double& x : p) {
      x = random.uniform() < o.zeros ? 0 : std::exp(o.spread * random.normal());
      sum += x;
    }
    if (sum == 0) sum = p[random.below(states)] = 1;
    for (const double x : p) scores.push_back(std::log(x / sum));
  }
  graph.add_factor(scope, graph.add_table(scores));
}

inline SliceNetwork random_slices(Random& random, const RandomSlices& o = {}) {
  SliceNetwork net;
  const auto n = static_cast<Variable>(o.variables);
  for (Variable v = 0; v < n; ++v) {
    const std::size_t states = 1 + random.below(o.most_states);
    net.first.add_variable(states);
    net.next.add_variable(states);
    if (random.below(2) == 0) net.interface.push_back(v);
  }
  if (net.interface.empty()) net.interface.push_back(static_cast<Variable>(random.below(n)));
  for (const Variable v : net.interface) net.next.add_variable(net.first.states(v));
  for (Variable v = 0; v < n; ++v) {
    for (const bool later : {false, true}) {
      FactorGraph& graph = later ? net.next : net.first;
      std::vector<Variable> scope;
      for (Variable u = 0; u < v; ++u) {
        if (scope.size() < 2 && random.below(2) == 0) scope.push_back(u);
      }
      for (Variable u = n; u < graph.variables(); ++u) {
        if (scope.size() < 3 && random.below(2) == 0) scope.push_back(u);
      }
      scope.push_back(v);
      add_table(graph, scope, o, random);
    }
  }
  return net;
}

// Each of a slice's variables known, seen with doubt, or not at all.
inline SliceEvidence random_evidence(const SliceNetwork& net, Random& random) {
  SliceEvidence out;
  out.states.assign(net.variables(), kUnobserved);
  for (Variable v = 0; v < net.variables(); ++v) {
    const std::size_t states = net.first.states(v);
    const std::uint64_t sort = random.below(4);
    if (sort == 0) out.states[v] = static_cast<State>(random.below(states));
    if (sort != 1) continue;
    std::vector<double> likelihoods(states);
    for (double& x : likelihoods) x = random.below(4) == 0 ? 0 : random.uniform();
    likelihoods[random.below(states)] = 0.5;
    out.likelihoods.emplace_back(v, likelihoods);
  }
  return out;
}

// The network of so many slices, with the evidence of the first ones as factors.
inline FactorGraph unrolled_with(const SliceNetwork& net, std::size_t slices,
                                 const std::vector<SliceEvidence>& evidence) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  FactorGraph graph = unroll(net, slices);
  for (std::size_t t = 0; t < evidence.size(); ++t) {
    const auto at = [&](Variable v) { return static_cast<Variable>(t * net.variables() + v); };
    for (Variable v = 0; v < evidence[t].states.size(); ++v) {
      if (evidence[t].states[v] == kUnobserved) continue;
      std::vector<double> scores(net.first.states(v), kNever);
      scores[evidence[t].states[v]] = 0;
      graph.add_factor({at(v)}, graph.add_table(scores));
    }
    for (const auto& [v, likelihoods] : evidence[t].likelihoods) {
      std::vector<double> scores;
      for (const double x : likelihoods) scores.push_back(std::log(x));
      graph.add_factor({at(v)}, graph.add_table(scores));
    }
  }
  return graph;
}

}  // namespace croft::testing_slices
