// What the shape of a graph says of independence, whatever its numbers are.
//
//   const MarkovNetwork network(graph);             // of any factor graph
//   network.separated({a}, {b}, {c})                // then a is independent of b given c
//   const BayesianNetwork directed(graph);          // of BAYES files, BIF
//   directed.separated({a}, {b}, {c})               // d-separation: finds more
//
// Separation implies independence; the numbers may bring more of it.  Koller & Friedman (2009)
// sections 3.3 and 4.3; docs/math/separation.md.
#pragma once
#include <span>
#include <vector>

#include "croft/structure/factor_graph.h"

namespace croft {

// a is independent of b given the third; sets of variables, each increasing, without one in common.
struct Independence {
  std::vector<Variable> a, b, given;
  bool operator==(const Independence&) const = default;
};

// An undirected graph: two variables are neighbours where they share a factor.  Kept as sets of
// variables that are all neighbours of each other, so that a large factor takes no more than its
// scope.
class MarkovNetwork {
 public:
  explicit MarkovNetwork(std::size_t variables) : sets_of_(variables) {}  // without edges
  explicit MarkovNetwork(const FactorGraph& graph);

  void connect(Variable u, Variable v);  // UsageError for u == v and for what is not there
  std::size_t variables() const { return sets_of_.size(); }
  // Increasing.  They are its Markov blanket, too: given them it is independent of all others.
  std::vector<Variable> neighbours(Variable v) const;
  bool connected(Variable u, Variable v) const;
  // Whether every path from a to b meets `given`.  Throws UsageError where two of the sets have a
  // variable in common, or a variable is not there.  O(variables + sizes of the scopes).
  bool separated(std::span<const Variable> a, std::span<const Variable> b,
                 std::span<const Variable> given) const;

 private:
  friend class BayesianNetwork;  // adds its families
  using Set = std::uint32_t;
  void add_set(std::span<const Variable> variables);  // of two or more
  std::span<const Variable> set(Set s) const {
    return std::span(members_).subspan(begin_[s], begin_[s + 1] - begin_[s]);
  }

  std::vector<std::size_t> begin_{0};  // [sets + 1]
  std::vector<Variable> members_;
  std::vector<std::vector<Set>> sets_of_;  // [variables]
};

// A directed graph without cycles: the parents of the last variable of a scope are the others.
class BayesianNetwork {
 public:
  // Throws UsageError where a variable is the last of two scopes, and for a cycle.
  explicit BayesianNetwork(const FactorGraph& graph);

  std::size_t variables() const { return parents_.size(); }
  std::span<const Variable> parents(Variable v) const { return parents_[v]; }    // increasing
  std::span<const Variable> children(Variable v) const { return children_[v]; }  // increasing
  // Parents, children, and other parents of these.  Increasing.
  std::vector<Variable> markov_blanket(Variable v) const;
  std::vector<Variable> descendants(Variable v) const;  // without v itself; increasing
  // d-separation: whether no trail from a to b is active.  A trail passes through a variable of
  // `given`, or one with a descendant there, where two arrows meet, and through others elsewhere.
  // Throws as MarkovNetwork::separated.  O(variables + edges).
  bool separated(std::span<const Variable> a, std::span<const Variable> b,
                 std::span<const Variable> given) const;
  // Edges without directions, and between parents of the same variable.
  MarkovNetwork moral() const;

 private:
  std::vector<std::vector<Variable>> parents_, children_;
};

// The Markov properties, as lists of what they claim.
// Pairwise: two variables that are not neighbours, given all others.
std::vector<Independence> pairwise_independences(const MarkovNetwork& network);
// Local: a variable and all that are not its neighbours, given these.
std::vector<Independence> local_independences(const MarkovNetwork& network);
// Local, directed: a variable and what are neither its descendants nor parents, given its parents.
std::vector<Independence> local_independences(const BayesianNetwork& network);
// Global: for each set of variables, what it separates: each piece of the rest from all other
// pieces.  Every other separation is that of subsets of these.  UsageError for more than 16
// variables: O(2^variables).
std::vector<Independence> global_independences(const MarkovNetwork& network);

// The graph that a list of pairwise statements implies: variables are neighbours unless a statement
// says that they are independent given all others.  Throws UsageError for a statement of other
// form.
MarkovNetwork network_of(std::size_t variables, std::span<const Independence> pairwise);

}  // namespace croft
