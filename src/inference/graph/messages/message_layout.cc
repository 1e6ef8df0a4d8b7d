#include "inference/graph/messages/message_layout.h"

#include <algorithm>
#include <numeric>

namespace croft {

MessageLayout::MessageLayout(const FactorGraph& graph)
    : graph_(&graph),
      edge_begin_(graph.factors() + 1),
      block_(graph.variables() + 1),
      list_begin_(graph.variables() + 1) {
  for (Factor f = 0; f < graph.factors(); ++f) {
    edge_begin_[f] = variable_.size();
    const auto scope = graph.scope(f);
    if (scope.size() < 2) continue;
    std::size_t states = 0;
    for (const Variable v : scope) {
      slot_.push_back(static_cast<std::uint32_t>(++list_begin_[v + 1]));
      states_.push_back(static_cast<std::uint32_t>(graph.states(v)));
      states += graph.states(v);
    }
    variable_.insert(variable_.end(), scope.begin(), scope.end());
    largest_ = std::max(largest_, states);
  }
  edge_begin_.back() = variable_.size();
  for (Variable v = 0; v < graph.variables(); ++v) {
    block_[v + 1] = block_[v] + (1 + list_begin_[v + 1]) * graph.states(v);
  }
  std::partial_sum(list_begin_.begin(), list_begin_.end(), list_begin_.begin());
  factor_.resize(edges());
  for (Factor f = 0; f < graph.factors(); ++f) {
    for (std::size_t e = edge_begin_[f]; e < edge_begin_[f + 1]; ++e) {
      factor_[list_begin_[variable_[e]] + slot_[e] - 1] = f;
    }
  }
  for (std::size_t e = 0; e < edges(); ++e) {
    place_.push_back(block_[variable_[e]] + slot_[e] * std::size_t{states_[e]});
  }
  find_trees();
}

// Takes away what has one edge left, again and again.  A variable of one state joins nothing.
void MessageLayout::find_trees() {
  const FactorGraph& graph = *graph_;
  std::vector<std::uint32_t> left_of_factor(graph.factors()), left_of_variable(graph.variables());
  std::vector<bool> gone(graph.factors()), variable_gone(graph.variables());
  const auto joins = [&](Variable v) { return graph.states(v) > 1; };
  for (Factor f = 0; f < graph.factors(); ++f) {
    for (std::size_t e = edge_begin_[f]; e < edge_begin_[f + 1]; ++e) {
      if (!joins(variable_[e])) continue;
      ++left_of_factor[f];
      ++left_of_variable[variable_[e]];
    }
  }
  std::vector<Variable> ends;  // variables with at most one factor left
  const auto take_factor = [&](Factor f) {
    if (gone[f] || left_of_factor[f] > 1) return;
    gone[f] = true;
    trees_.push_back(f);
    for (std::size_t e = edge_begin_[f]; e < edge_begin_[f + 1]; ++e) {
      const Variable v = variable_[e];
      if (joins(v) && !variable_gone[v] && --left_of_variable[v] <= 1) ends.push_back(v);
    }
  };
  const auto take_ends = [&] {
    while (!ends.empty()) {
      const Variable v = ends.back();
      ends.pop_back();
      if (variable_gone[v]) continue;
      variable_gone[v] = true;
      for (const Factor f : factors_of(v)) {
        if (gone[f]) continue;
        --left_of_factor[f];
        take_factor(f);
      }
    }
  };
  for (Variable v = 0; v < graph.variables(); ++v) {
    if (joins(v) && left_of_variable[v] <= 1) ends.push_back(v);
  }
  take_ends();
  for (Factor f = 0; f < graph.factors(); ++f) {
    if (edge_begin_[f] == edge_begin_[f + 1]) continue;
    take_factor(f);
    take_ends();
    if (!gone[f]) core_.push_back(f);
  }
  std::erase_if(core_, [&](Factor f) { return gone[f]; });
}

}  // namespace croft
