// An assignment that is changed a few variables at a time, and what a change is worth.  Internal to
// inference/.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "croft/inference/map_result.h"

namespace croft {

// How good an assignment is: fewer factors that forbid it first, then the sum of the others.
struct Worth {
  std::int64_t forbidden = 0;
  double sum = 0;
  Worth& operator+=(double score);
  // Better by more than what rounding may have done.
  bool better_than(const Worth& other) const;
};

class LocalState {
 public:
  explicit LocalState(const FactorGraph& graph);

  const FactorGraph& graph() const { return graph_; }
  std::span<const State> states() const { return x_; }
  void assign(std::span<const State> x);
  // Each variable at the state that its own factors like best.
  void assign_start();
  Worth worth() const;  // from the definition
  double score() const { return graph_.score(x_); }
  void set(Variable v, State s) { x_[v] = s; }

  // Of the factors that v is in, for each of its states, the others as they are.
  std::span<const Worth> worths(Variable v);
  // Of the factors that some of these variables are in.
  void collect(std::span<const Variable> variables);
  Worth collected() const;
  // Makes v the best it can be given the others; whether that changed it.
  bool improve(Variable v);

  template <class Visit>
  void for_each_neighbour(Variable v, Visit visit) const {
    for (const Factor f : lists_.of(v)) {
      for (const Variable u : graph_.scope(f)) {
        if (u != v) visit(u);
      }
    }
  }

 private:
  double factor_score(Factor f) const;

  const FactorGraph& graph_;
  FactorLists lists_;
  std::vector<State> x_;
  std::vector<Worth> worths_;
  std::vector<Factor> collected_;
  std::vector<std::uint32_t> stamp_;
  std::uint32_t time_ = 0;
  mutable std::vector<State> at_;
};

// The mean over the factors of what they can make of a difference: where annealing begins.
double mean_range(const FactorGraph& graph);

// Iterated conditional modes from the present states, until none changes; false: `step`, called
// after each round, has stopped it.
template <class Step>
bool descend(LocalState& state, Step step) {
  const std::size_t n = state.graph().variables();
  std::vector<std::uint8_t> due(n, 1);
  for (bool changed = true; changed;) {
    changed = false;
    for (Variable v = 0; v < n; ++v) {
      if (!due[v]) continue;
      due[v] = 0;
      if (!state.improve(v)) continue;
      changed = true;
      state.for_each_neighbour(v, [&](Variable u) { due[u] = 1; });
    }
    if (!step()) return false;
  }
  return true;
}

// Keeps the better of what was found and what is new.
void offer(MapResult& result, const FactorGraph& graph, std::span<const State> states);
// What a method says at its end: exact where score and bound meet.
void conclude(MapResult& result);
// The same, with what iterated conditional modes make of the states first.
void polish(MapResult& result, const FactorGraph& graph, std::span<const State> otherwise);
bool report(const GraphCallback& callback, const MapResult& result);

}  // namespace croft
