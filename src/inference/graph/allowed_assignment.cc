#include "inference/graph/allowed_assignment.h"

#include <algorithm>

#include "core/infinity.h"
#include "structure/counting.h"

namespace croft {
namespace {

constexpr std::uint64_t kRevised = 4096;         // joint states of a factor that are gone through
constexpr std::size_t kRevisedListed = 1 << 16;  // the same of those that a sparse one lists

class Search {
 public:
  //   left : of what may be looked at; counted down
  Search(const FactorGraph& graph, const FactorLists& factors, Random& random, bool shuffled,
         double& left)
      : to_look_at_(left),
        graph_(graph),
        factors_(factors),
        random_(random),
        hard_(graph.factors()),
        queued_(graph.factors(), false),
        allowed_(graph.variables()),
        left_(graph.variables()) {
    for (Factor f = 0; f < graph.factors(); ++f) hard_[f] = is_hard(graph, f);
    for (Variable v = 0; v < graph.variables(); ++v) {
      allowed_[v].assign(graph.states(v), true);
      left_[v] = graph.states(v);
      order_.push_back(v);
    }
    if (shuffled) shuffle(order_, random);
  }

  // `none` is certain, for any number of steps.
  AllowedSearch run(std::size_t steps) {
    for (Factor f = 0; f < graph_.factors(); ++f) enqueue(f);
    if (!propagate()) return is_over() ? AllowedSearch::given_up : AllowedSearch::none;
    if (!go_down()) return AllowedSearch::found;
    for (std::size_t set = 0; !levels_.empty();) {
      if (++set > steps || is_over()) return AllowedSearch::given_up;
      Level& level = levels_.back();
      undo(level.removed);
      if (level.next == level.states.size()) {
        levels_.pop_back();
        continue;
      }
      const State s = level.states[level.next++];
      if (assign(level.variable, s) && !go_down()) return AllowedSearch::found;
    }
    return is_over() ? AllowedSearch::given_up : AllowedSearch::none;
  }

  std::vector<State> states() const {
    std::vector<State> x;
    for (const auto& allowed : allowed_) {
      x.push_back(static_cast<State>(std::ranges::find(allowed, true) - allowed.begin()));
    }
    return x;
  }

 private:
  struct Level {
    Variable variable;
    std::vector<State> states;
    std::size_t next, removed;
    std::size_t first;  // in order_: all before it have one state left
  };

  bool is_over() const { return to_look_at_ < 0; }

  // Opens the next variable, one with the fewest states left; false where all have one.
  bool go_down() {
    Variable best = kUnobserved;
    std::size_t first = levels_.empty() ? 0 : levels_.back().first;
    while (first < order_.size() && left_[order_[first]] == 1) ++first;
    for (std::size_t k = first; k < order_.size(); ++k) {
      const Variable v = order_[k];
      --to_look_at_;
      if (left_[v] == 1) continue;
      if (best == kUnobserved || left_[v] < left_[best]) best = v;
      if (left_[best] == 2) break;
    }
    if (best == kUnobserved) return false;
    Level level{best, {}, 0, removed_.size(), first};
    for (State s = 0; s < graph_.states(best); ++s) {
      if (allowed_[best][s]) level.states.push_back(s);
    }
    shuffle(level.states, random_);
    levels_.push_back(std::move(level));
    return true;
  }

  bool assign(Variable v, State s) {
    for (State t = 0; t < graph_.states(v); ++t) {
      if (t != s && allowed_[v][t]) remove(v, t);
    }
    return propagate();
  }

  void remove(Variable v, State s) {
    allowed_[v][s] = false;
    --left_[v];
    removed_.emplace_back(v, s);
    for (const Factor f : factors_.of(v)) enqueue(f);
  }

  void undo(std::size_t size) {
    for (; removed_.size() > size; removed_.pop_back()) {
      const auto [v, s] = removed_.back();
      allowed_[v][s] = true;
      ++left_[v];
    }
  }

  void enqueue(Factor f) {
    if (!hard_[f] || queued_[f]) return;
    queued_[f] = true;
    queue_.push_back(f);
  }

  // Until no factor rules out any more; false where one rules out all.
  bool propagate() {
    bool possible = true;
    while (!queue_.empty()) {
      const Factor f = queue_.back();
      queue_.pop_back();
      queued_[f] = false;
      possible = possible && !is_over() && revise(f);
    }
    return possible;
  }

  // Takes away the states that are in no joint state that the factor allows.
  bool revise(Factor f) {
    const auto scope = graph_.scope(f);
    at_.resize(scope.size());
    supported_.resize(scope.size());
    std::uint64_t joint = 1;
    for (const Variable v : scope) joint = joint > kRevised ? joint : joint * left_[v];
    to_look_at_ -= static_cast<double>(std::min(joint, kRevised) + scope.size());
    if (joint <= kRevised) return keep_supported(f, see_all(f));
    const PotentialId id = graph_.potential_of(f);
    if (counts_states(graph_.potential(id).kind)) return revise_counting(f);
    const bool listed = graph_.potential(id).kind == PotentialKind::sparse &&
                        graph_.numbers(id).back() == -kInf &&
                        graph_.listed(id).size() <= kRevisedListed;
    return !listed || keep_supported(f, see_listed(f));
  }

  // All counts between the least and the most of the others can be had.
  bool revise_counting(Factor f) {
    const auto scope = graph_.scope(f);
    const Counting counting(graph_, graph_.potential_of(f));
    const auto can = [&](std::size_t k, std::size_t place, bool counts) {
      for (State s = 0; s < graph_.states(scope[k]); ++s) {
        if (allowed_[scope[k]][s] && counting.counts(place, s) == counts) return true;
      }
      return false;
    };
    std::size_t least = 0, most = 0, place = 0;
    for (std::size_t k = 0; k < scope.size(); ++k) {
      least += !can(k, place, false);
      most += can(k, place, true);
      place += graph_.states(scope[k]);
    }
    std::vector<std::size_t> allowed(scope.size() + 2, 0);  // how many counts below each
    for (std::size_t s = 0; s <= scope.size(); ++s) {
      allowed[s + 1] = allowed[s] + (counting.score(s) > -kInf);
    }
    begin_support(f);
    bool any = false;
    place = 0;
    for (std::size_t k = 0; k < scope.size(); ++k) {
      const std::size_t low = least - !can(k, place, false), high = most - can(k, place, true);
      for (State s = 0; s < graph_.states(scope[k]); ++s) {
        const bool counts = counting.counts(place, s);
        supported_[k][s] = allowed[high + counts + 1] > allowed[low + counts];
        any = any || (supported_[k][s] && allowed_[scope[k]][s]);
      }
      place += graph_.states(scope[k]);
    }
    return keep_supported(f, any);
  }

  void begin_support(Factor f) {
    const auto scope = graph_.scope(f);
    for (std::size_t k = 0; k < scope.size(); ++k) {
      supported_[k].assign(graph_.states(scope[k]), false);
    }
  }

  // Marks the states that are in a joint state which the factor lists and allows; whether any is.
  bool see_listed(Factor f) {
    begin_support(f);
    const auto scope = graph_.scope(f);
    const PotentialId id = graph_.potential_of(f);
    const auto listed = graph_.listed(id);
    bool any = false;
    for (std::size_t i = 0; i < listed.size(); ++i) {
      bool open = graph_.numbers(id)[i] > -kInf;
      std::uint64_t rest = listed[i];
      for (std::size_t k = scope.size(); k-- > 0;) {
        const std::size_t states = graph_.states(scope[k]);
        at_[k] = static_cast<State>(rest % states);
        rest /= states;
        open = open && allowed_[scope[k]][at_[k]];
      }
      if (!open) continue;
      any = true;
      for (std::size_t k = 0; k < scope.size(); ++k) supported_[k][at_[k]] = true;
    }
    return any;
  }

  // The same of all joint states of what is left.
  bool see_all(Factor f) {
    begin_support(f);
    const auto scope = graph_.scope(f);
    for (std::size_t k = 0; k < scope.size(); ++k) at_[k] = next(scope[k], 0);
    bool any = false;
    for (bool more = true; more;) {
      if (graph_.score_of(f, at_) > -kInf) {
        any = true;
        for (std::size_t k = 0; k < scope.size(); ++k) supported_[k][at_[k]] = true;
      }
      more = false;
      for (std::size_t k = scope.size(); k-- > 0 && !more;) {
        at_[k] = next(scope[k], at_[k] + 1);
        more = at_[k] < graph_.states(scope[k]);
        if (!more) at_[k] = next(scope[k], 0);
      }
    }
    return any;
  }

  // False where nothing is supported.
  bool keep_supported(Factor f, bool any) {
    if (!any) return false;
    const auto scope = graph_.scope(f);
    for (std::size_t k = 0; k < scope.size(); ++k) {
      for (State s = 0; s < graph_.states(scope[k]); ++s) {
        if (allowed_[scope[k]][s] && !supported_[k][s]) remove(scope[k], s);
      }
    }
    return true;
  }

  State next(Variable v, State s) const {
    while (s < graph_.states(v) && !allowed_[v][s]) ++s;
    return s;
  }

  double& to_look_at_;
  const FactorGraph& graph_;
  const FactorLists& factors_;
  Random& random_;
  std::vector<bool> hard_, queued_;  // [factors]
  std::vector<Factor> queue_;
  std::vector<State> at_;                     // scratch
  std::vector<std::vector<bool>> supported_;  // scratch
  std::vector<std::vector<bool>> allowed_;
  std::vector<std::size_t> left_;
  std::vector<Variable> order_;  // whom to prefer among equals
  std::vector<Level> levels_;
  std::vector<std::pair<Variable, State>> removed_;
};

}  // namespace

bool is_hard(const FactorGraph& graph, Factor f) {
  const PotentialId id = graph.potential_of(f);
  return graph.potential(id).kind == PotentialKind::parity ||
         std::ranges::find(graph.numbers(id), -kInf) != graph.numbers(id).end();
}

bool has_hard_factors(const FactorGraph& graph) {
  for (Factor f = 0; f < graph.factors(); ++f) {
    if (is_hard(graph, f)) return true;
  }
  return false;
}

AllowedAssignment find_allowed(const FactorGraph& graph, Random& random,
                               const AllowedLimits& limits) {
  const FactorLists factors(graph);
  AllowedAssignment result;
  double left = limits.looked_at;
  for (std::size_t steps = 100 + 4 * graph.variables(), spent = 0;
       spent < limits.steps && left >= 0; steps *= 2) {
    // At first in the order of the file: in a directed graph it is often parents before children.
    Search search(graph, factors, random, spent > 0, left);
    result.outcome = search.run(std::min(steps, limits.steps - spent));
    spent += steps;
    if (result.outcome == AllowedSearch::given_up) continue;
    if (result.outcome == AllowedSearch::found) result.states = search.states();
    break;
  }
  return result;
}

}  // namespace croft
