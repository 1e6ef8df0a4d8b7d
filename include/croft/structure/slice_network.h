// A dynamic Bayesian network: the same variables in each slice of time, the tables of the first
// slice, and those by which a later one follows from the slice before it.
//
//   p(x) = prod_v p(x_0v | parents in slice 0) prod_{t>0} prod_v p(x_tv | parents in t-1, t) (DB.1)
//
// docs/math/dynamic_networks.md.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "croft/structure/factor_graph.h"

namespace croft {

struct SliceNetwork {
  FactorGraph first;  // [n] variables; factor f is p(last variable of its scope | the others)
  // [n] variables, then those of `interface` as they were in the slice before; likewise.
  FactorGraph next;
  std::vector<Variable> interface;  // increasing: those that the next slice depends on

  std::size_t variables() const { return first.variables(); }  // n, of a slice
  void check() const;  // throws UsageError where the parts do not fit each other
};

// What is known of a slice: states, and likelihoods of states where doubt is left.
struct SliceEvidence {
  Evidence states = {};  // [n], or empty: nothing
  // Numbers in proportion to p(what was seen | state), >= 0, one of them > 0.
  std::vector<std::pair<Variable, std::vector<double>>> likelihoods = {};

  void check(const SliceNetwork& net) const;  // throws UsageError where it does not fit
};

// The plain network of so many slices: variable v of slice t is number t n + v.
FactorGraph unroll(const SliceNetwork& net, std::size_t slices);

}  // namespace croft
