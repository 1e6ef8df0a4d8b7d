#include "inference/graph/cuts/move_making.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "inference/graph/cuts/binary_energy.h"
#include "inference/graph/local_state.h"

namespace croft {
namespace {

void check_pairs(const FactorGraph& graph) {
  for (Factor f = 0; f < graph.factors(); ++f) {
    if (graph.scope(f).size() > 2) {
      throw UsageError("moves of labels need factors of at most two variables; factor " +
                       std::to_string(f) + " has " + std::to_string(graph.scope(f).size()) +
                       "; try trw-s or lazy-flipper");
    }
  }
}

class Moves {
 public:
  Moves(const FactorGraph& graph, std::span<const State> start) : graph_(graph), state_(graph) {
    check_pairs(graph);
    if (start.empty()) {
      state_.assign_start();
    } else {
      state_.assign(start);
    }
    worth_ = state_.worth();
  }
  std::span<const State> states() const { return state_.states(); }
  bool all_submodular() const { return all_submodular_; }

  // The best choice for each variable among two states; those with the same one twice stay. Whether
  // that is better.
  using Choice = std::array<State, 2>;
  bool move(const std::function<Choice(Variable)>& choice) {
    taking_part_.clear();
    number_.assign(graph_.variables(), kUnobserved);
    choice_.resize(graph_.variables());
    for (Variable v = 0; v < graph_.variables(); ++v) {
      choice_[v] = choice(v);
      if (choice_[v][0] == choice_[v][1]) continue;
      number_[v] = static_cast<Variable>(taking_part_.size());
      taking_part_.push_back(v);
    }
    if (taking_part_.empty()) return false;
    BinaryEnergy energy = energy_of_move();
    all_submodular_ &= energy.submodular();
    const BinaryEnergy::Answer answer =
        energy.submodular() ? energy.minimise() : energy.roof_duality();
    return take(answer.states);
  }

 private:
  // A forbidden pair costs more than all others can save.
  BinaryEnergy energy_of_move() {
    BinaryEnergy energy(taking_part_.size());
    const double floor = -penalty();
    for (Factor f = 0; f < graph_.factors(); ++f) {
      const auto scope = graph_.scope(f);
      Variable free[2];
      std::size_t slot[2], count = 0;
      State at[2] = {0, 0};
      for (std::size_t k = 0; k < scope.size(); ++k) {
        at[k] = states()[scope[k]];
        if (number_[scope[k]] == kUnobserved) continue;
        free[count] = scope[k];
        slot[count++] = k;
      }
      const auto cost = [&](bool first, bool second) {
        if (count > 0) at[slot[0]] = choice_[free[0]][first];
        if (count > 1) at[slot[1]] = choice_[free[1]][second];
        const double score = graph_.score_of(f, std::span(at, scope.size()));
        return -(score == -kInf ? floor : score);
      };
      if (count == 1) energy.add_unary(number_[free[0]], cost(false, false), cost(true, false));
      if (count == 2) {
        energy.add_pair(number_[free[0]], number_[free[1]], cost(false, false), cost(false, true),
                        cost(true, false), cost(true, true));
      }
    }
    return energy;
  }
  double penalty() {
    if (penalty_ > 0) return penalty_;
    double span = 1, least = 0;
    for (Factor f = 0; f < graph_.factors(); ++f) {
      if (graph_.scope(f).empty()) continue;
      double low = 0, high = 0;
      for (const double each : graph_.numbers(graph_.potential_of(f))) {
        if (each == -kInf) continue;
        low = std::min(low, each);
        high = std::max(high, each);
      }
      const PotentialKind kind = graph_.potential(graph_.potential_of(f)).kind;
      const bool distance =
          kind == PotentialKind::truncated_linear || kind == PotentialKind::truncated_quadratic;
      span += high - low;
      least = std::min(least, distance ? -graph_.numbers(graph_.potential_of(f))[1] : low);
    }
    return penalty_ = span - least;
  }
  bool take(const std::vector<State>& labels) {
    if (labels.empty()) return false;
    before_.assign(states().begin(), states().end());
    for (std::size_t k = 0; k < labels.size(); ++k) {
      if (labels[k] == kUnobserved) continue;
      const Variable v = taking_part_[k];
      state_.set(v, choice_[v][labels[k]]);
    }
    const Worth worth = state_.worth();
    if (worth.better_than(worth_)) {
      worth_ = worth;
      return true;
    }
    state_.assign(before_);
    return false;
  }

  const FactorGraph& graph_;
  LocalState state_;
  Worth worth_;
  bool all_submodular_ = true;
  double penalty_ = 0;
  std::vector<Variable> taking_part_, number_;
  std::vector<Choice> choice_;
  std::vector<State> before_;
};

State most_states(const FactorGraph& graph) {
  std::size_t most = 1;
  for (Variable v = 0; v < graph.variables(); ++v) most = std::max(most, graph.states(v));
  return static_cast<State>(most);
}

constexpr std::size_t kMovesBetweenQuestions = 64;  // of a round, in which labels may be many

// Rounds of `round(moves, goes_on)` (whether a move has helped) until none does; a round ends where
// goes_on(), asked after each move, says no.
template <class Round>
MoveMakingResult search(const FactorGraph& graph, const MoveMakingOptions& options,
                        std::span<const State> start, const GraphCallback& callback, Round round) {
  options.validate();
  MoveMakingResult result;
  Moves moves(graph, start);
  offer(result, graph, moves.states());
  std::size_t asked = 0;
  bool stopped = false;
  const auto goes_on = [&] {
    if (++asked % kMovesBetweenQuestions != 0) return true;
    offer(result, graph, moves.states());
    stopped = !report(callback, result);
    return !stopped;
  };
  while (result.convergence.iterations < options.max_iterations) {
    const double before = result.score;
    const bool helped = round(moves, goes_on);
    offer(result, graph, moves.states());
    ++result.convergence.iterations;
    result.convergence.residual = before == result.score ? 0 : result.score - before;
    result.convergence.converged = !helped && !stopped;
    if (!helped || stopped || !report(callback, result)) break;
  }
  result.all_submodular = moves.all_submodular();
  return result;
}

}  // namespace

void MoveMakingOptions::validate() const {
  if (max_iterations == 0) throw UsageError("moves of labels need max_iterations of at least 1");
}

MoveMakingResult alpha_expansion(const FactorGraph& graph, const MoveMakingOptions& options,
                                 std::span<const State> start, const GraphCallback& callback) {
  const State labels = most_states(graph);
  return search(graph, options, start, callback, [&](Moves& moves, const auto& goes_on) {
    bool helped = false;
    for (State alpha = 0; alpha < labels; ++alpha) {
      helped |= moves.move([&](Variable v) {
        const State now = moves.states()[v];
        return Moves::Choice{now, alpha < graph.states(v) ? alpha : now};
      });
      if (!goes_on()) break;
    }
    return helped;
  });
}

MoveMakingResult alpha_beta_swap(const FactorGraph& graph, const MoveMakingOptions& options,
                                 std::span<const State> start, const GraphCallback& callback) {
  const State labels = most_states(graph);
  return search(graph, options, start, callback, [&](Moves& moves, const auto& goes_on) {
    bool helped = false;
    std::set<State> used(moves.states().begin(), moves.states().end());
    for (State alpha = 0; alpha < labels; ++alpha) {
      for (State beta = alpha;;) {
        // The next one with which anything may change.
        const auto next = used.upper_bound(beta);
        if (!used.contains(alpha) && next == used.end()) break;
        beta = used.contains(alpha) ? beta + 1 : *next;
        if (beta >= labels) break;
        if (moves.move([&](Variable v) {
              const State now = moves.states()[v];
              const bool takes_part = now == beta || (now == alpha && beta < graph.states(v));
              return takes_part ? Moves::Choice{alpha, beta} : Moves::Choice{now, now};
            })) {
          helped = true;
          used = {moves.states().begin(), moves.states().end()};
        }
        if (!goes_on()) return helped;
      }
    }
    return helped;
  });
}

}  // namespace croft
