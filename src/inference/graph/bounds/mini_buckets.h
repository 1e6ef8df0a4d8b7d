// Bounds on the best score by bucket elimination in pieces that fit (mini-buckets).  Internal to
// inference/; docs/math/graph_map.md section 10.
//
//   graph : tables of moderate size;  scores may be -inf
//   order : of elimination, of all variables of two states or more, as find_elimination_order has
//   it
//
// To eliminate a variable, all functions of it are added up and maximised; where the joint states
// of that are too many, it is done in parts, whose sum is a bound.  Before, parts are given the
// same maxima over what they share (moment matching), which lowers it: Dechter & Rish (2003),
// Ihler, Flerova, Dechter & Otten (2012).
//
// Some variables may be summed out in the place of maximised; they are the first of the order.  Of
// a sum that is divided, each of k parts has the weight 1/k: log sum f <= sum of the parts'
// (1/k) log sum f_r^k, Hoelder's inequality (Liu & Ihler 2011).
//
// Variables are called by their places in the order, from 0; a parent is eliminated later, and
// variables that are not above each other do not depend on each other given those above.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "croft/structure/factor_graph.h"

namespace croft {

class MiniBuckets {
 public:
  using Place = std::uint32_t;
  static constexpr Place kNowhere = std::numeric_limits<Place>::max();

  // A score for each joint state of places that fall from the first to the last: of all of them the
  // last one is eliminated first, and its states are side by side.
  struct Function {
    std::vector<Place> scope;
    std::vector<std::uint64_t> strides;  // [scope]
    std::vector<double> values;
    Place from;  // the place whose elimination it is from; kNowhere: a factor
  };

  // The largest pieces with which all of them have at most `budget` joint states together; at least
  // those of the largest factor.
  //   goes_on : called at each variable; false stops, and the result is of no use
  //   summed  : how many of the first variables are summed out
  MiniBuckets(
      const FactorGraph& graph, std::vector<Variable> order, double budget,
      const std::function<bool()>& goes_on = [] { return true; }, Place summed = 0);

  std::size_t places() const { return order_.size(); }
  Variable variable(Place v) const { return order_[v]; }
  std::size_t states(Place v) const { return states_[v]; }
  bool is_summed(Place v) const { return v < summed_; }
  // Of all functions, factors first.
  const std::vector<Function>& functions() const { return functions_; }
  Place parent(Place v) const { return parent_[v]; }  // kNowhere: a root
  const std::vector<Place>& children(Place v) const { return children_[v]; }
  const std::vector<Place>& roots() const { return roots_; }
  // What v and all below depend on, given all above.
  const std::vector<Place>& context(Place v) const { return context_[v]; }
  const std::vector<std::uint32_t>& factors_at(Place v) const { return factors_at_[v]; }
  // Whose sum bounds v and all below, given all above.
  const std::vector<std::uint32_t>& crossing(Place v) const { return crossing_[v]; }
  bool exact_below(Place v) const { return exact_[v]; }  // that sum is the maximum itself
  double bound() const;                                  // of the best score

  bool exact() const;                                    // nothing is divided
  double joint_states() const { return joint_states_; }  // of all pieces together

 private:
  struct Piece {
    std::vector<std::uint32_t> functions;
    std::vector<Place> scope;
  };

  void add_factors(const FactorGraph& graph);
  void find_tree();
  // How each bucket is divided; joint states in all, more than `most` where it stops early.
  double divide(double largest, double most);
  std::vector<Piece> pieces_of(const std::vector<std::uint32_t>& functions,
                               const std::vector<std::vector<Place>>& scopes, double largest) const;
  void eliminate(Place v);
  // visit(rows, to) for all places of `scope` but the last, whose states are side by side:
  // rows[f][s] of each function, to[s or 0] of the target.
  template <class Visit>
  void for_rows(const std::vector<const Function*>& functions, const std::vector<Place>& scope,
                const std::vector<Place>& target, double* to, const Visit& visit) const;
  // Of the functions' sum psi, over the part of `scope` that `target` has: its maxima, or with a
  // weight w above 0 w log sum exp(psi / w).
  std::vector<double> without(const std::vector<const Function*>& functions,
                              const std::vector<Place>& scope, const std::vector<Place>& target,
                              double weight) const;
  Function function_over(std::vector<Place> scope, Place from) const;
  double joint(const std::vector<Place>& scope) const;

  std::vector<Variable> order_;
  Place summed_ = 0;
  std::vector<std::size_t> states_;
  std::vector<Function> functions_;
  std::vector<std::vector<std::uint32_t>> factors_at_, crossing_;
  std::vector<std::vector<Piece>> pieces_;  // [places]
  std::vector<Place> parent_, roots_;
  std::vector<std::vector<Place>> children_, context_;
  std::vector<std::uint8_t> exact_;
  double constant_ = 0;  // of factors without variables, and of summed variables without factors
  double joint_states_ = 0;
};

}  // namespace croft
