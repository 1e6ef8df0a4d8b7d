// The best decisions of an influence diagram, exactly, by variable elimination.
//
//   MEU = sum_C0 max_D1 sum_C1 … max_Dn sum_Cn  prod p(c | parents) · sum of the utilities
//
// C_k are the variables that become known after D_k and before D_(k+1), and C_n those that never
// do.  Nothing that was known is forgotten.  A pair of tables stands for what was eliminated, a
// probability and an expected utility (Koller & Friedman 2009, chapter 23; Jensen, Jensen & Dittmer
// 1994); docs/math/decisions.md.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "croft/structure/factor_graph.h"
#include "croft/structure/influence_diagram.h"

namespace croft {

// What to do: the best state of a decision for each joint state of what matters for it.
struct DecisionRule {
  Variable decision = 0;
  std::vector<Variable> given;       // known before, none of them without effect on the tables
  std::vector<State> best;           // [joint states of given], the last variable changes fastest
  std::vector<std::uint8_t> occurs;  // whether the joint state of given can occur, likewise
  // The expected sum of those utilities that the decision has an effect on, later decisions being
  // the best: [joint states of given][states of the decision].
  std::vector<double> utility;
};

struct BestDecisions {
  double expected_utility = 0;
  double log_probability = 0;       // of what is observed
  std::vector<DecisionRule> rules;  // in the order in which they are taken
};

// The decisions in the order in which they are taken, each knowing what those before it knew and
// what they were.  Throws UsageError where the graph and the decisions have a directed cycle, or
// do not say which of two decisions is taken first (the message calls variables by their number,
// unless name_of is there).
//   graph : factor f is p(last variable of its scope | the others); decisions have no factor
std::vector<GraphDecision> in_order(const FactorGraph& graph,
                                    std::span<const GraphDecision> decisions,
                                    const std::function<std::string(Variable)>& name_of = {});

// Of factors that are probabilities, or other weights that the decisions do not change.  Time and
// memory grow with the largest table of an elimination order that keeps to the order of the
// decisions.  Among equal choices the first.  Throws Error for a table of more than `most_numbers`,
// and where all weights are 0.
//   decisions : as of in_order()
BestDecisions best_decisions(const FactorGraph& graph, std::span<const GraphDecision> decisions,
                             std::span<const GraphUtility> utilities,
                             std::uint64_t most_numbers = std::uint64_t{1} << 26);

// Utilities given what is observed: their variables that are observed are out of their scopes.
std::vector<GraphUtility> condition(std::span<const GraphUtility> utilities,
                                    const FactorGraph& graph, std::span<const State> evidence);

}  // namespace croft
