// Coordinate descent on a softmax of linear scores: one weight after the other, each by a Newton
// step that cannot go wrong.
//
//   f(w) = sum_n q_n (log sum_y exp s_ny - s_n,gold),     s_ny = sum_a v_na w_ay            (CD.1)
//
// The data lies by columns: for each attribute the examples that have it.  A step needs those
// alone, and the probabilities of one label, which are kept; a bound of the curvature on the way
// takes the place of a line search.  With l1 > 0 an iteration goes round among the weights that are
// not 0 or want to leave it.  Yuan, Chang, Hsieh & Lin (2010); Friedman, Hastie & Tibshirani
// (2010).  docs/math/coordinate_descent.md.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "croft/core/parallel.h"
#include "croft/optimize/function.h"
#include "croft/optimize/optimizer.h"

namespace croft {

// N examples and A attributes, L labels.  An attribute occurs once in an example at most: an
// attribute that is listed twice for one has two entries, which a step takes as if they were of two
// examples, and that would be wrong.
struct SoftmaxColumns {
  std::size_t labels = 0;                // L
  std::span<const double> weight;        // [N] q_n >= 0
  std::span<const std::uint32_t> gold;   // [N] < L
  std::span<const std::uint64_t> begin;  // [A + 1] into place
  std::span<const std::uint32_t> place;  // examples that have the attribute
  std::span<const double> value;         // v, parallel to place; empty: all are 1
  std::span<const std::uint64_t> first;  // [A + 1] into w: the attribute's weights
  std::span<const std::uint32_t> label;  // [dimension] of each weight, increasing for an attribute

  std::size_t examples() const { return gold.size(); }
  std::size_t attributes() const { return first.size() - 1; }
  std::size_t dimension() const { return label.size(); }
};

struct CoordinateDescentOptions {
  // Rounds among the weights that are at work, between two evaluations of F and its gradient, >= 1.
  std::size_t rounds = 10;
  std::uint64_t seed = 1;  // of the order of attributes in each round
  StoppingRule stop{};
  void validate() const;  // throws UsageError naming the field and its range
};

// Minimises f(w) + l1 |w|_1 + (l2/2)|w|^2 from w (in and out).  No iteration raises F.  Throws
// UsageError for a w that has not f.dimension() numbers, Error where F is not finite at the start.
// Cost of a round: the entries of the attributes at work, times L / SIMD lanes, and some
// exponentials for each weight that moves.  Memory: N L doubles, and one for each weight.
//   pool : shares the evaluations; the steps follow each other.  The result is the same for any
OptimizeResult coordinate_descent(const SoftmaxColumns& f, const Regulariser& regulariser,
                                  std::span<double> w, const CoordinateDescentOptions& options,
                                  ThreadPool& pool, const IterationCallback& callback = {},
                                  Checkpointer* checkpoints = nullptr);

}  // namespace croft
