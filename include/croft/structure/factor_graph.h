// A factor graph: variables of finitely many states, factors over some of them, their log-scores.
//
//   score(x) = sum_f theta_f(x_f),     p(x) = exp(score(x)) / Z,     Z = sum_x exp(score(x))
//
//   FactorGraph graph;
//   const Variable a = graph.add_variable(2), b = graph.add_variable(3);
//   graph.add_factor({a, b}, graph.add_table(std::vector{0., 1., 2., 0., 0., -1.}));
//
// A potential is what a factor scores by.  Factors may share one: a grid of a million edges has one
// table.  A joint state of a scope is a number: that of the last variable changes fastest.
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <vector>

namespace croft {

using Variable = std::uint32_t;
using State = std::uint32_t;  // of a variable, from 0

enum class PotentialKind : std::uint8_t {
  table,                // a number for each joint state
  sparse,               // some joint states have numbers, all others the same one
  potts,                // two variables: {score if equal, score if not}
  truncated_linear,     // two variables: -min(weight |i - j|, limit), {weight, limit}
  truncated_quadratic,  // two variables: -min(weight (i - j)^2, limit), {weight, limit}
  parity,               // 0 where an even (or odd) number of variables are in a state that counts
  cardinality           // numbers by how many variables are in a state that counts
};

// Which states count, for parity and cardinality: a byte for each state, 1 where it does.
struct CountedStates {
  std::vector<std::uint8_t> counts;  // empty: state 1 of variables with two
  bool alike = true;  // of any of the variables [states]; else one after the other [sum of states]
};

// How a potential of a kind is stored in its graph.
struct Potential {
  PotentialKind kind = PotentialKind::table;
  bool odd = false;         // of parity
  std::uint64_t first = 0;  // into the graph's numbers
  std::uint64_t count = 0;  // of numbers; of sparse: the listed ones, then the others'
  std::uint64_t first_state =
      0;  // of sparse, into the graph's joint states; of cardinality, ranges
  // Of parity and cardinality.
  std::uint64_t first_counted = 0, counted = 0;  // bytes
  bool alike = true;
  bool every_count = false;  // a number for each count from 0 to that of all variables
};
using PotentialId = std::uint32_t;
using Factor = std::uint32_t;

class FactorGraph {
 public:
  // Throws UsageError for 0 states.
  Variable add_variable(std::size_t states);

  // Scores are -inf or numbers from -1e300 to 1e300, so that the sum of a hundred million of them
  // is a number, too.  Other scores throw UsageError, as do sizes that do not fit.
  PotentialId add_table(std::span<const double> scores);
  //   states : joint states, increasing;  scores : theirs;  others : of all that are not listed
  PotentialId add_sparse(std::span<const std::uint64_t> states, std::span<const double> scores,
                         double others);
  PotentialId add_potts(double equal, double unequal);
  PotentialId add_truncated_linear(double weight, double limit);     // weight, limit >= 0
  PotentialId add_truncated_quadratic(double weight, double limit);  // likewise
  PotentialId add_parity(bool odd, const CountedStates& counted = {});
  PotentialId add_cardinality(std::span<const double> scores,  // [variables + 1] by their count
                              const CountedStates& counted = {});
  // The same where runs of counts have the same score, for any number of variables.
  //   from : the count where each score begins, increasing from 0; the last one has no end
  PotentialId add_counts(std::span<const std::uint64_t> from, std::span<const double> scores,
                         const CountedStates& counted = {});
  // `broken` where fewer variables than `least` count, or more than `most`; 0 elsewhere.
  PotentialId add_between(std::size_t least, std::size_t most, double broken,
                          const CountedStates& counted = {});
  // At most `most` variables are in state 1.
  PotentialId add_at_most(std::size_t most) { return add_between(0, most, -kNever); }

  PotentialId add_copy(const FactorGraph& from, PotentialId potential);

  // Throws UsageError for a variable that is not there or twice in the scope, and for a potential
  // that does not fit it.
  Factor add_factor(std::span<const Variable> scope, PotentialId potential);
  Factor add_factor(std::initializer_list<Variable> scope, PotentialId potential) {
    return add_factor(std::span(scope.begin(), scope.size()), potential);
  }

  std::size_t variables() const { return states_.size(); }
  std::size_t factors() const { return potential_.size(); }
  std::size_t states(Variable v) const { return states_[v]; }
  std::span<const Variable> scope(Factor f) const {
    return std::span(scope_).subspan(scope_begin_[f], scope_begin_[f + 1] - scope_begin_[f]);
  }
  PotentialId potential_of(Factor f) const { return potential_[f]; }
  const Potential& potential(PotentialId id) const { return potentials_[id]; }
  std::size_t potentials() const { return potentials_.size(); }
  // Its numbers; may be changed.
  std::span<const double> numbers(PotentialId id) const {
    return std::span(numbers_).subspan(potentials_[id].first, potentials_[id].count);
  }
  std::span<double> numbers(PotentialId id) {
    return std::span(numbers_).subspan(potentials_[id].first, potentials_[id].count);
  }
  // Those of all potentials, one after the other: potential(id).first is where its own begin.
  std::span<const double> numbers() const { return numbers_; }
  std::span<double> numbers() { return numbers_; }
  // Of cardinality, the count where each of its numbers begins.
  std::span<const std::uint64_t> ranges(PotentialId id) const {
    return std::span(listed_).subspan(potentials_[id].first_state, potentials_[id].count);
  }
  // Of parity and cardinality, CountedStates::counts.
  std::span<const std::uint8_t> counted(PotentialId id) const {
    return std::span(counted_).subspan(potentials_[id].first_counted, potentials_[id].counted);
  }
  // The joint states that a sparse potential lists, increasing.
  std::span<const std::uint64_t> listed(PotentialId id) const {
    return std::span(listed_).subspan(potentials_[id].first_state, potentials_[id].count - 1);
  }

  // Joint states of a scope; 2^63 where there are that many or more.
  std::uint64_t joint_states(Factor f) const;
  // theta_f of a joint state of its scope, given as the states of its variables in scope order.
  double score_of(Factor f, std::span<const State> states) const;
  // theta_f where all variables are as in x [variables()].
  double factor_score(Factor f, std::span<const State> x) const;
  double score(std::span<const State> x) const;  // sum over the factors; -inf where one is
  // All scores of a factor, by joint state.  Throws Error where there are more than `most`.
  std::vector<double> table(Factor f, std::uint64_t most = std::uint64_t{1} << 28) const;

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  PotentialId add(PotentialKind kind, std::span<const double> numbers);
  void set_counted(PotentialId id, const CountedStates& counted);
  void check_fit(std::span<const Variable> scope, PotentialId potential) const;

  std::vector<std::uint32_t> states_;          // [variables]
  std::vector<std::uint64_t> scope_begin_{0};  // [factors + 1]
  std::vector<Variable> scope_;
  std::vector<PotentialId> potential_;  // [factors]
  std::vector<Potential> potentials_;
  std::vector<double> numbers_;
  std::vector<std::uint64_t> listed_;  // joint states of sparse ones, ranges of cardinality
  std::vector<std::uint8_t> counted_;
};

// For each variable the factors that it is in, increasing.
class FactorLists {
 public:
  explicit FactorLists(const FactorGraph& graph);
  std::span<const Factor> of(Variable v) const {
    return std::span(factor_).subspan(begin_[v], begin_[v + 1] - begin_[v]);
  }

 private:
  std::vector<std::uint64_t> begin_;
  std::vector<Factor> factor_;
};

// A variable and those that are nearest to it, a factor away, then two, and so on: at most `most`
// of them.  O(the factors of those that are found).
//   until : factors from this number on do not count
std::vector<Variable> nearest_variables(const FactorGraph& graph, const FactorLists& factors,
                                        Variable from, std::size_t distance, std::size_t most,
                                        Factor until = 0xffffffff);

// What is known of variables: the state, or kUnobserved.  [variables]
using Evidence = std::vector<State>;
inline constexpr State kUnobserved = 0xffffffff;

// The graph of p(x | evidence), up to its Z: the score of the same assignment is the same.
// Variables keep their numbers; an observed one has one state, and is in no scope.  Scores are
// sliced, nothing is multiplied.  Throws UsageError where the evidence does not fit the graph.
FactorGraph condition(const FactorGraph& graph, std::span<const State> evidence);

}  // namespace croft
