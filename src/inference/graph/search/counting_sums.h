// Sums of components as a graph, and the marginals that follow from it.  Internal to inference/;
// docs/math/graph_exact.md section 11, (GX.12).
//
// A node is the sum of a component.  It has a branch for each state of the variable that was set,
// and a branch has a node for each component of what was left then.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/infinity.h"
#include "croft/inference/graph_result.h"
#include "inference/graph/search/counting_model.h"

namespace croft {

class CountingSums {
 public:
  using Id = std::uint32_t;  // of a node
  static constexpr Id kNone = 0xffffffff;
  // States that are left to a variable when none of its clauses and tables is.
  using Decided = std::pair<Variable, StateSet>;

  //   branches : are kept, for marginals
  explicit CountingSums(bool branches) : keeps_branches_(branches) {}

  // Begins a node within the one that was begun last; close() ends it.
  void open() { open_.emplace_back(); }
  void add_branch(double value, std::span<const Decided> variables, std::span<const Id> children);
  Id close(double value);
  // Drops the node that was begun last.
  void abandon() { open_.pop_back(); }

  std::size_t depth() const { return open_.size(); }
  double value(Id node) const { return nodes_[node].value; }
  double bytes() const;  // about
  VariableMarginals marginals(const FactorGraph& graph, Id root) const;

 private:
  struct Branch {
    double value = 0;
    std::uint32_t first = 0, variables = 0;       // into variables_
    std::uint32_t first_child = 0, children = 0;  // into children_
  };
  struct Node {
    double value = -kInf;
    std::uint32_t first = 0, branches = 0;
  };
  void pass_down(Id node, std::vector<double>& flow, VariableMarginals& p) const;

  bool keeps_branches_;
  std::vector<Node> nodes_;  // each after those that it depends on
  std::vector<Branch> branches_;
  std::vector<Decided> variables_;
  std::vector<Id> children_;
  std::vector<std::vector<Branch>> open_;  // of the nodes that are being made
};

}  // namespace croft
