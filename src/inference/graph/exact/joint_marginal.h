// Exact probabilities of joint states of any variables, and expectations of functions of them.
//
//   joint_marginal(graph, {{a, b}})[state of a * states of b + state of b]
//   expectation(graph, {{a, b}}, [](std::span<const State> x) { return x[0] == x[1] ? 1. : 0.; })
//
// Of variables that one factor has, JunctionTree::marginals() gives the same for all factors at
// once.
#pragma once
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "croft/inference/graph_result.h"
#include "croft/structure/factor_graph.h"

namespace croft {

struct JointMarginalOptions {
  std::span<const State> evidence;                          // [variables], or empty
  double memory = std::numeric_limits<double>::infinity();  // bytes of the junction tree, at most
  GraphCallback progress = {};                              // as of JunctionTree
};

// p(x_A | evidence) by joint state of A in the order of `variables`, the last changing fastest; 0
// where it contradicts the evidence.  A junction tree in which A is a clique: time and memory grow
// with that.  Throws UsageError for a variable that is not there or listed twice, Error where no
// assignment is allowed, for more than 2^28 joint states, and where the memory is too little.
std::vector<double> joint_marginal(const FactorGraph& graph, std::span<const Variable> variables,
                                   const JointMarginalOptions& options = {});

// E[f(x_A) | evidence]; f is called for each joint state of A with p > 0.  Errors likewise.
double expectation(const FactorGraph& graph, std::span<const Variable> variables,
                   const std::function<double(std::span<const State>)>& f,
                   const JointMarginalOptions& options = {});

}  // namespace croft
