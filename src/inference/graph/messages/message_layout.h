// Where the messages of a factor graph stand, and which part of it has cycles.  Internal to
// inference/.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "croft/structure/factor_graph.h"

namespace croft {

// An edge is a variable of a factor's scope; factors of one variable have none: their scores are
// the variable's own.  All that enters a variable stands side by side: its own, then its messages.
class MessageLayout {
 public:
  explicit MessageLayout(const FactorGraph& graph);

  const FactorGraph& graph() const { return *graph_; }
  std::size_t edges() const { return variable_.size(); }
  std::size_t numbers() const { return block_.back(); }          // of all messages
  std::size_t largest_scope_states() const { return largest_; }  // summed over the scope

  // Edges of a factor, in the order of its scope.
  std::size_t edge_begin(Factor f) const { return edge_begin_[f]; }
  std::size_t edge_end(Factor f) const { return edge_begin_[f + 1]; }
  Variable variable(std::size_t edge) const { return variable_[edge]; }
  std::size_t slot(std::size_t edge) const { return slot_[edge]; }  // from 1; 0 is the own
  std::size_t place(std::size_t edge) const { return place_[edge]; }
  std::size_t states(std::size_t edge) const { return states_[edge]; }
  std::span<const std::uint32_t> states_of(Factor f) const {
    return std::span(states_).subspan(edge_begin_[f], edge_begin_[f + 1] - edge_begin_[f]);
  }
  // Numbers of a variable: [1 + degree][states].
  std::size_t block(Variable v) const { return block_[v]; }
  // Its factors of two variables or more, by slot - 1.
  std::span<const Factor> factors_of(Variable v) const {
    return std::span(factor_).subspan(list_begin_[v], list_begin_[v + 1] - list_begin_[v]);
  }

  // Factors of trees, those at the leaves first: each sends to one variable at most that a later
  // one or the core has.
  std::span<const Factor> trees() const { return trees_; }
  // The rest, each on a cycle or between cycles, in the order of the graph.
  std::span<const Factor> core() const { return core_; }

 private:
  void find_trees();

  const FactorGraph* graph_;
  std::vector<std::size_t> edge_begin_;  // [factors + 1]
  std::vector<Variable> variable_;       // [edges]
  std::vector<std::uint32_t> slot_;      // [edges]
  std::vector<std::size_t> place_;       // [edges]
  std::vector<std::uint32_t> states_;    // [edges]
  std::vector<std::size_t> block_;       // [variables + 1]
  std::vector<std::size_t> list_begin_;  // [variables + 1]
  std::vector<Factor> factor_;           // [edges] by variable
  std::vector<Factor> trees_, core_;
  std::size_t largest_ = 0;
};

}  // namespace croft
