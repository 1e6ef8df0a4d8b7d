// A model whose unobserved nodes have finitely many values, as a factor graph.
//
//   p(x, observed) = product over nodes of p(node | parents)        a factor for each node
//
// Deterministic nodes are folded into the factors: a factor is over the unobserved nodes that its
// node's parameters depend on, whatever is computed on the way.  So log Z is log p(observed).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bugs/graph.h"
#include "bugs/run/monitors.h"
#include "bugs/sampling.h"
#include "croft/structure/factor_graph.h"

namespace croft::bugs {

struct DiscreteModel {
  FactorGraph graph;                        // the first factors are those of the nodes, in order
  std::vector<NodeId> nodes;                // by variable
  std::vector<Variable> variable;           // [nodes of the model] kNothing: observed
  std::vector<std::vector<double>> values;  // [variables][states]
  // Joint states of a node's factor in which the node, which says nothing about others, cannot be
  // drawn.  The factor has 0 there, and the joint states have to have no probability.
  struct Undrawable {
    NodeId node;
    std::vector<std::size_t> joint;
  };
  std::vector<Undrawable> undrawable = {};
};

// Throws InputError, which names the node and what it depends on.
[[noreturn]] void fail_undrawable(const ModelGraph& graph, const DiscreteModel& model, NodeId node,
                                  std::size_t joint);

struct DiscreteLimits {
  std::size_t states = 10'000;               // of a node
  std::size_t table = std::size_t{1} << 22;  // joint states of a factor
  std::size_t all_tables = std::size_t{1} << 25;
};

// Nothing where a node is continuous, has infinitely many values or values that depend on others,
// or where a table is too large; `why` then says which, in words.
//   also : slots whose joint tables are wanted, too: each adds a factor of zeros over the variables
//          that it depends on
std::optional<DiscreteModel> discrete_model(const ModelGraph& graph, std::string& why,
                                            const std::vector<Slot>& also = {},
                                            std::vector<Factor>* factors_of_also = nullptr,
                                            const DiscreteLimits& limits = {});

// Marginals of the monitored numbers by the junction tree, and log p(observed).  Nothing as above,
// and where the tree needs more memory than `memory`.  A number that is none (NaN) is the last
// value of its marginal.  Throws InputError, which names a node, where the observed values are
// impossible together, and where a node has impossible parameters.
bool answer_exactly(const ModelGraph& graph, const std::vector<Monitor>& monitors, double memory,
                    BugsResult& result, std::string& why);

}  // namespace croft::bugs
