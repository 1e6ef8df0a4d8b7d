#include "inference/graph/search/local_search.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "inference/graph/local_state.h"

namespace croft {
namespace {

void assign_random(LocalState& state, Random& random) {
  for (Variable v = 0; v < state.graph().variables(); ++v) {
    state.set(v, static_cast<State>(random.below(state.graph().states(v))));
  }
}

void begin(LocalState& state, std::span<const State> start) {
  if (start.empty()) {
    state.assign_start();
  } else {
    state.assign(start);
  }
}

// A search from the start, and then from random assignments.
//   search(state, step, goes_on) : step() after each round, goes_on() within one where it may be
//                                  long; false stops
template <class Search>
MapResult with_restarts(const FactorGraph& graph, const LocalSearchOptions& options,
                        std::span<const State> start, const GraphCallback& callback,
                        Search search) {
  MapResult result;
  LocalState state(graph);
  Random random(options.seed);
  begin(state, start);
  bool goes_on = true;
  for (std::size_t run = 0; goes_on && run <= options.restarts; ++run) {
    if (run > 0) assign_random(state, random);
    offer(result, graph, state.states());
    goes_on = search(
        state,
        [&] {
          ++result.convergence.iterations;
          offer(result, graph, state.states());
          return report(callback, result);
        },
        [&] { return report(callback, result); });
  }
  result.convergence.converged = goes_on;
  return result;
}

// Of a subset, all of which are tried; those with more are left out.
constexpr double kMostFlips = 1 << 20;
constexpr std::size_t kFlipsBetweenQuestions = 1 << 14;

// Subsets of variables that hang together, each once: Wernicke (2006), the smallest one first.
class Flipper {
 public:
  //   goes_on : asked now and then within a round; false ends it
  Flipper(LocalState& state, std::size_t most, std::function<bool()> goes_on)
      : state_(state), most_(most), goes_on_(std::move(goes_on)) {
    const std::size_t n = state.graph().variables();
    neighbours_.resize(n);
    for (Variable v = 0; v < n; ++v) {
      state.for_each_neighbour(v, [&](Variable u) { neighbours_[v].push_back(u); });
      std::ranges::sort(neighbours_[v]);
      const auto same = std::ranges::unique(neighbours_[v]);
      neighbours_[v].erase(same.begin(), same.end());
    }
    due_.assign(most + 1, std::vector<std::uint8_t>(n, 1));
    near_.assign(n, 0);
    seen_.assign(n, 0);
  }

  template <class Step>
  bool run(Step step) {
    for (std::size_t size = 1; size <= most_;) {
      bool changed = false;
      for (Variable root = 0; root < near_.size(); ++root) {
        if (!due_[size][root]) continue;
        due_[size][root] = 0;
        size_ = size;
        if (flip_at(root)) changed = true;
        if (stopped_) return false;
      }
      if (!step()) return false;
      size = changed ? 1 : size + 1;
    }
    return true;
  }

 private:
  bool flip_at(Variable root) {
    subset_.assign(1, root);
    changed_ = false;
    std::vector<Variable> extension;
    mark(root, 1);
    for (const Variable u : neighbours_[root]) {
      if (u > root) extension.push_back(u);
    }
    extend(root, extension);
    mark(root, -1);
    return changed_;
  }
  // How many members of the subset a variable is, or is next to.
  void mark(Variable v, int by) {
    near_[v] += by;
    for (const Variable u : neighbours_[v]) near_[u] += by;
  }
  void extend(Variable root, std::vector<Variable> extension) {
    if (subset_.size() == size_) return try_subset();
    while (!extension.empty() && !stopped_) {
      const Variable v = extension.back();
      extension.pop_back();
      std::vector<Variable> next = extension;
      for (const Variable u : neighbours_[v]) {
        if (u > root && near_[u] == 0) next.push_back(u);
      }
      subset_.push_back(v);
      mark(v, 1);
      extend(root, std::move(next));
      mark(v, -1);
      subset_.pop_back();
    }
  }
  // All joint states of the subset in which each of its variables has changed.
  void try_subset() {
    const FactorGraph& graph = state_.graph();
    double flips = 1;
    for (const Variable v : subset_) flips *= static_cast<double>(graph.states(v) - 1);
    if (flips == 0 || (subset_.size() > 1 && flips > kMostFlips)) return;
    std::vector<State> old, best;
    for (const Variable v : subset_) old.push_back(state_.states()[v]);
    state_.collect(subset_);
    best = old;
    Worth most = state_.collected();
    std::vector<State> by(subset_.size(), 1);  // how far each state is moved on
    for (;;) {
      for (std::size_t k = 0; k < by.size(); ++k) {
        state_.set(subset_[k], static_cast<State>((old[k] + by[k]) % graph.states(subset_[k])));
      }
      const Worth worth = state_.collected();
      if (worth.better_than(most)) {
        most = worth;
        for (std::size_t k = 0; k < by.size(); ++k) best[k] = state_.states()[subset_[k]];
      }
      if (++flips_ % kFlipsBetweenQuestions == 0 && !goes_on_()) {
        stopped_ = true;
        break;
      }
      std::size_t k = 0;
      while (k < by.size() && ++by[k] == graph.states(subset_[k])) by[k++] = 1;
      if (k == by.size()) break;
    }
    for (std::size_t k = 0; k < by.size(); ++k) state_.set(subset_[k], best[k]);
    if (best == old) return;
    changed_ = true;
    for (const Variable v : subset_) make_due(v);
  }
  // What is near enough to v to be worth another look.
  void make_due(Variable v) {
    std::vector<Variable> now{v}, next;
    std::vector<Variable> all{v};
    seen_[v] = 1;
    for (std::size_t distance = 0; distance < most_; ++distance) {
      next.clear();
      for (const Variable a : now) {
        for (const Variable u : neighbours_[a]) {
          if (seen_[u]) continue;
          seen_[u] = 1;
          next.push_back(u);
          all.push_back(u);
        }
      }
      now.swap(next);
    }
    for (const Variable u : all) {
      seen_[u] = 0;
      for (auto& due : due_) due[u] = 1;
    }
  }

  LocalState& state_;
  std::size_t most_, size_ = 1;
  const std::function<bool()> goes_on_;
  std::size_t flips_ = 0;
  bool stopped_ = false;
  std::vector<std::vector<Variable>> neighbours_;
  std::vector<std::vector<std::uint8_t>> due_;  // [size][variables]: as the smallest of a subset
  std::vector<int> near_;
  std::vector<std::uint8_t> seen_;
  std::vector<Variable> subset_;
  bool changed_ = false;
};

// One sweep of Gibbs steps on exp(worth / temperature); a forbidding factor costs `penalty`.
void anneal(LocalState& state, double temperature, double penalty, Random& random) {
  std::vector<double> weight;
  for (Variable v = 0; v < state.graph().variables(); ++v) {
    const auto each = state.worths(v);
    if (each.size() == 1) continue;
    weight.clear();
    double most = -kInf;
    for (const Worth& w : each) {
      weight.push_back((w.sum - penalty * static_cast<double>(w.forbidden)) / temperature);
      most = std::max(most, weight.back());
    }
    double sum = 0;
    for (double& w : weight) sum += w = std::exp(w - most);
    double left = random.uniform() * sum;
    State s = 0;
    while (s + 1 < weight.size() && left >= weight[s]) left -= weight[s++];
    state.set(v, s);
  }
}

}  // namespace

MapResult icm(const FactorGraph& graph, const LocalSearchOptions& options,
              std::span<const State> start, const GraphCallback& callback) {
  return with_restarts(graph, options, start, callback,
                       [](LocalState& state, auto step, auto) { return descend(state, step); });
}

void LazyFlipperOptions::validate() const {
  if (subset == 0) throw UsageError("the lazy flipper needs a subset of at least 1 variable");
}

MapResult lazy_flipper(const FactorGraph& graph, const LazyFlipperOptions& options,
                       std::span<const State> start, const GraphCallback& callback) {
  options.validate();
  return with_restarts(graph, options, start, callback,
                       [&](LocalState& state, auto step, auto goes_on) {
                         return Flipper(state, options.subset, goes_on).run(step);
                       });
}

void AnnealingOptions::validate() const {
  if (sweeps == 0) throw UsageError("simulated annealing needs at least 1 sweep");
  if (!(first_temperature >= 0 && last_temperature >= 0) || first_temperature == kInf) {
    throw UsageError("temperatures of simulated annealing must be numbers >= 0");
  }
  if (first_temperature > 0 && last_temperature > first_temperature) {
    throw UsageError("simulated annealing needs a last temperature below the first");
  }
}

double work_of_sweep(const FactorGraph& graph) {
  double steps = 0;
  for (Factor f = 0; f < graph.factors(); ++f) {
    for (const Variable v : graph.scope(f)) steps += static_cast<double>(graph.states(v));
  }
  constexpr double kWorkOfStep = 4;
  return kWorkOfStep * steps;
}

MapResult simulated_annealing(const FactorGraph& graph, const AnnealingOptions& options,
                              std::span<const State> start, const GraphCallback& callback) {
  options.validate();
  MapResult result;
  LocalState state(graph);
  Random random(options.seed);
  begin(state, start);
  offer(result, graph, state.states());
  const double range = mean_range(graph);
  const double first = options.first_temperature > 0 ? options.first_temperature : range;
  const double last = options.last_temperature > 0 ? options.last_temperature : 1e-2 * first;
  if (last > first) {
    throw UsageError("simulated annealing begins at a temperature of " + std::to_string(first) +
                     " on this graph, and cannot fall to " + std::to_string(last) +
                     "; give a first temperature, too");
  }
  const double steps = std::max<double>(1, static_cast<double>(options.sweeps) - 1);
  bool goes_on = true;
  for (std::size_t sweep = 0; goes_on && sweep < options.sweeps; ++sweep) {
    const double t = first * std::pow(last / first, static_cast<double>(sweep) / steps);
    anneal(state, t, 10 * range, random);
    ++result.convergence.iterations;
    offer(result, graph, state.states());
    goes_on = report(callback, result);
  }
  std::vector<State> end(state.states().begin(), state.states().end());
  if (!result.states.empty()) {  // from the end of the walk, too
    descend(state, [] { return true; });
    offer(result, graph, state.states());
  }
  polish(result, graph, end);
  result.convergence.converged = goes_on;
  return result;
}

}  // namespace croft
