// Energies of binary variables and pairs of them, and their minimum by a cut.  Internal to
// inference/.  Energies are numbers or +inf; docs/math/graph_map.md sections 2 and 3.
#pragma once
#include <vector>

#include "croft/inference/graph_result.h"

namespace croft {

class BinaryEnergy {
 public:
  explicit BinaryEnergy(std::size_t variables) : e0_(variables, 0.0), e1_(variables, 0.0) {}
  void reserve(std::size_t pairs) { pairs_.reserve(pairs); }

  void add_constant(double energy) { constant_ += energy; }
  void add_unary(Variable v, double e0, double e1) { e0_[v] += e0, e1_[v] += e1; }
  void add_pair(Variable u, Variable v, double e00, double e01, double e10, double e11);
  // Whether a pair is submodular: e00 + e11 <= e01 + e10, up to the rounding of its sums.
  static bool submodular(double e00, double e01, double e10, double e11);
  bool submodular() const { return flipped_ == 0; }

  struct Answer {
    std::vector<State> states;  // kUnobserved: not certain
    double energy = 0;          // of the minimum, or (uncertain) below it; +inf: none is finite
  };
  Answer minimise();      // needs submodular()
  Answer roof_duality();  // partial optimality

 private:
  // Costs of (u = 0, v = 1) and (u = 1, v = 0); v stands for its negation where `flip`.
  struct Pair {
    Variable u, v;
    double c01, c10;
    bool flip;
  };
  // Moves to `constant_` what both states of a variable cost; false where both are forbidden.
  bool normalise();
  // Energies to multiples of a power of two with which no sum of capacities is ever rounded.
  void round_off();

  double constant_ = 0;
  std::vector<double> e0_, e1_;
  std::vector<Pair> pairs_;
  std::size_t flipped_ = 0;
};

}  // namespace croft
