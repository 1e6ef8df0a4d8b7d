#include "inference/graph/local_state.h"

#include <algorithm>
#include <cmath>

#include "core/infinity.h"
#include "croft/core/error.h"

namespace croft {

Worth& Worth::operator+=(double score) {
  if (score == -kInf) {
    ++forbidden;
  } else {
    sum += score;
  }
  return *this;
}

bool Worth::better_than(const Worth& other) const {
  if (forbidden != other.forbidden) return forbidden < other.forbidden;
  return sum > other.sum + 1e-12 * std::max(std::abs(sum), std::abs(other.sum));
}

LocalState::LocalState(const FactorGraph& graph)
    : graph_(graph), lists_(graph), x_(graph.variables(), 0), stamp_(graph.factors(), 0) {}

void LocalState::assign(std::span<const State> x) {
  if (x.size() != graph_.variables()) {
    throw UsageError("a start of " + std::to_string(x.size()) + " states for a graph of " +
                     std::to_string(graph_.variables()) + " variables");
  }
  for (Variable v = 0; v < x.size(); ++v) {
    if (x[v] >= graph_.states(v)) {
      throw UsageError("a start with variable " + std::to_string(v) + " in state " +
                       std::to_string(x[v]) + "; it has " + std::to_string(graph_.states(v)));
    }
  }
  x_.assign(x.begin(), x.end());
}

void LocalState::assign_start() {
  std::vector<Worth> own;
  for (Variable v = 0; v < graph_.variables(); ++v) {
    own.assign(graph_.states(v), {});
    for (const Factor f : lists_.of(v)) {
      if (graph_.scope(f).size() > 1) continue;
      for (State s = 0; s < own.size(); ++s) own[s] += graph_.score_of(f, std::span(&s, 1));
    }
    State best = 0;
    for (State s = 1; s < own.size(); ++s) best = own[s].better_than(own[best]) ? s : best;
    x_[v] = best;
  }
}

double LocalState::factor_score(Factor f) const {
  const auto scope = graph_.scope(f);
  at_.resize(scope.size());
  for (std::size_t k = 0; k < scope.size(); ++k) at_[k] = x_[scope[k]];
  return graph_.score_of(f, at_);
}

Worth LocalState::worth() const {
  Worth all;
  for (Factor f = 0; f < graph_.factors(); ++f) all += factor_score(f);
  return all;
}

std::span<const Worth> LocalState::worths(Variable v) {
  worths_.assign(graph_.states(v), {});
  for (const Factor f : lists_.of(v)) {
    const auto scope = graph_.scope(f);
    std::size_t slot = 0;
    at_.resize(scope.size());
    for (std::size_t k = 0; k < scope.size(); ++k) {
      at_[k] = x_[scope[k]];
      if (scope[k] == v) slot = k;
    }
    for (State s = 0; s < worths_.size(); ++s) {
      at_[slot] = s;
      worths_[s] += graph_.score_of(f, at_);
    }
  }
  return worths_;
}

bool LocalState::improve(Variable v) {
  if (graph_.states(v) == 1) return false;
  const auto each = worths(v);
  State best = x_[v];
  for (State s = 0; s < each.size(); ++s) best = each[s].better_than(each[best]) ? s : best;
  if (best == x_[v]) return false;
  x_[v] = best;
  return true;
}

void LocalState::collect(std::span<const Variable> variables) {
  ++time_;
  collected_.clear();
  for (const Variable v : variables) {
    for (const Factor f : lists_.of(v)) {
      if (stamp_[f] == time_) continue;
      stamp_[f] = time_;
      collected_.push_back(f);
    }
  }
}

Worth LocalState::collected() const {
  Worth sum;
  for (const Factor f : collected_) sum += factor_score(f);
  return sum;
}

double mean_range(const FactorGraph& graph) {
  double sum = 0;
  std::size_t count = 0;
  for (Factor f = 0; f < graph.factors(); ++f) {
    double low = kInf, high = -kInf;
    for (const double each : graph.numbers(graph.potential_of(f))) {
      if (each == -kInf) continue;
      low = std::min(low, each);
      high = std::max(high, each);
    }
    if (!(high > low)) continue;
    sum += high - low;
    ++count;
  }
  return count == 0 ? 1 : sum / static_cast<double>(count);
}

void offer(MapResult& result, const FactorGraph& graph, std::span<const State> states) {
  const double score = graph.score(states);
  if (!(score > result.score)) return;
  result.score = score;
  result.states.assign(states.begin(), states.end());
}

void conclude(MapResult& result) {
  if (!reaches(result.score, result.bound)) return;
  result.kind = ResultKind::exact;
  result.bound = std::max(result.bound, result.score);
}

void polish(MapResult& result, const FactorGraph& graph, std::span<const State> otherwise) {
  LocalState state(graph);
  state.assign(result.states.empty() ? otherwise : std::span<const State>(result.states));
  descend(state, [] { return true; });
  offer(result, graph, state.states());
}

bool report(const GraphCallback& callback, const MapResult& result) {
  if (!callback) return true;
  GraphProgress progress;
  progress.iteration = result.convergence.iterations;
  progress.residual = result.convergence.residual;
  if (!result.states.empty()) progress.best = result.score;
  if (result.bound < kInf) progress.bound = result.bound;
  progress.assignment = result.states;
  return callback(progress);
}

}  // namespace croft
