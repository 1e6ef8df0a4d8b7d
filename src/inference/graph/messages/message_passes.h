// Passes over a reparametrisation that lower its bound.  Internal to inference/;
// docs/math/graph_map.md sections 5 and 6.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "croft/core/compensated_sum.h"
#include "inference/graph/reparametrisation.h"

namespace croft {

// Variables in order, and back (TRW-S and what it is for factors of any size).
class SequentialPasses {
 public:
  //   goes_on : asked every few milliseconds of a pass
  explicit SequentialPasses(
      Reparametrisation& scores, std::function<bool()> goes_on = [] { return true; });
  // states: where an assignment is wanted, chosen on the way; else empty.  False: stopped on the
  // way; there is no bound then, and the beliefs are to be gathered anew.
  bool forward(std::vector<State>* states) { return pass(true, states); }
  bool backward() { return pass(false, nullptr); }
  // Of what has been normalised away: after a pass no term and no variable adds to it.
  double bound() const { return constant_.value(); }

 private:
  // A place's own message, and what it is made of where its term is a table of two variables.
  struct Edge {
    const double* rows;  // or nullptr
    std::size_t own, from, from_states;
  };
  bool pass(bool forward, std::vector<State>* states);
  void receive(Reparametrisation::Place place, const Edge& edge, std::span<double> belief);
  void choose(Variable v, std::vector<State>& states);

  Reparametrisation& scores_;
  const std::function<bool()> goes_on_;
  CompensatedSum constant_;
  // Of each place: whether its term has a variable before it, and one after it.
  std::vector<std::uint8_t> earlier_, later_;
  std::vector<std::size_t> first_place_;  // [variables]
  std::vector<Edge> edges_;               // of each place
  std::vector<double> work_;              // [variables] numbers of its terms
  // Kolmogorov's 1 / max(in, out) keeps some of a belief where more came in than goes out.  With
  // factors of three or more it takes many times as many iterations as to pass on all of it.
  bool pairs_only_ = true;
  std::vector<double> in_, out_, sums_;
};

// One term shares its best scores evenly among its variables (MPLP).  Beliefs of -inf stay.
class StarUpdate {
 public:
  explicit StarUpdate(Reparametrisation& scores);
  void operator()(Reparametrisation::Term t);

 private:
  Reparametrisation& scores_;
  std::vector<double> in_, out_;
};

// The best state of each belief.
void read_beliefs(const Reparametrisation& scores, std::vector<State>& states);

}  // namespace croft
