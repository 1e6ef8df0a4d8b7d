#include "croft/inference/graph_cut.h"

#include "core/infinity.h"
#include "croft/core/error.h"
#include "inference/graph/cuts/binary_energy.h"
#include "inference/graph/cuts/qpbo.h"
#include "inference/graph/search/local_search.h"

namespace croft {
namespace {

// Of a graph with binary variables and pairs; `problem` says where it is not one, or not
// submodular where that is asked for.
struct Reading {
  BinaryEnergy energy;
  std::string problem;
};

Reading read(const FactorGraph& graph, bool submodular_only) {
  Reading reading{BinaryEnergy(graph.variables()), {}};
  BinaryEnergy& energy = reading.energy;
  for (Variable v = 0; v < graph.variables(); ++v) {
    if (graph.states(v) == 1) energy.add_unary(v, 0, kInf);
    if (graph.states(v) > 2) {
      reading.problem = "variable " + std::to_string(v) + " has " +
                        std::to_string(graph.states(v)) + " states; it may have two";
      return reading;
    }
  }
  energy.reserve(graph.factors());
  std::vector<State> at;
  for (Factor f = 0; f < graph.factors(); ++f) {
    const auto scope = graph.scope(f);
    Variable free[2];
    std::size_t slot[2], count = 0;
    for (std::size_t k = 0; k < scope.size(); ++k) {
      if (graph.states(scope[k]) == 1) continue;
      if (count == 2) {
        reading.problem = "factor " + std::to_string(f) + " has three variables or more";
        return reading;
      }
      free[count] = scope[k];
      slot[count++] = k;
    }
    at.assign(scope.size(), 0);
    const auto cost = [&](State a, State b) {
      if (count > 0) at[slot[0]] = a;
      if (count > 1) at[slot[1]] = b;
      return -graph.score_of(f, at);
    };
    if (count == 0) energy.add_constant(cost(0, 0));
    if (count == 1) energy.add_unary(free[0], cost(0, 0), cost(1, 0));
    if (count < 2) continue;
    energy.add_pair(free[0], free[1], cost(0, 0), cost(0, 1), cost(1, 0), cost(1, 1));
    if (submodular_only && !energy.submodular()) {
      reading.problem = "factor " + std::to_string(f) +
                        " is not submodular: it prefers its two variables to differ";
      return reading;
    }
  }
  return reading;
}

}  // namespace

std::string why_no_graph_cut(const FactorGraph& graph) { return read(graph, true).problem; }

MapResult graph_cut(const FactorGraph& graph) {
  Reading reading = read(graph, true);
  if (!reading.problem.empty()) {
    throw UsageError("no graph cut: " + reading.problem + "; try qpbo or trw-s");
  }
  MapResult result;
  result.states = reading.energy.minimise().states;
  if (!result.states.empty() || graph.variables() == 0) result.score = graph.score(result.states);
  result.bound = result.score;
  result.kind = ResultKind::exact;
  result.convergence.converged = true;
  return result;
}

PartialOptimality qpbo(const FactorGraph& graph) {
  Reading reading = read(graph, false);
  if (!reading.problem.empty()) {
    throw UsageError("no roof duality: " + reading.problem + "; try trw-s");
  }
  BinaryEnergy::Answer answer = reading.energy.roof_duality();
  PartialOptimality result{std::move(answer.states), 0, -answer.energy};
  for (const State s : result.states) result.labelled += s != kUnobserved;
  return result;
}

MapResult qpbo_map(const FactorGraph& graph) {
  const PartialOptimality part = qpbo(graph);
  std::vector<State> start = part.states;
  for (State& s : start) s = s == kUnobserved ? 0 : s;
  // A variable that is certain may move, too: never to something worse.
  MapResult result = icm(graph, {}, start);
  result.bound = part.bound;
  const bool all = part.labelled == graph.variables();
  if (all || reaches(result.score, result.bound)) {
    result.kind = ResultKind::exact;
    result.bound = result.score;
  }
  result.convergence.converged = true;
  return result;
}

}  // namespace croft
