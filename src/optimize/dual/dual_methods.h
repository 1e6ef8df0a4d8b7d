// Methods that work on dual variables.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "croft/optimize/function.h"
#include "croft/optimize/optimizer.h"
#include "optimize/dual/dual_problem.h"

namespace croft {

// Stochastic dual coordinate ascent for log-loss.
//
// Shalev-Shwartz & Zhang (2013, 2016); Le Priol, Piche & Lacoste-Julien (2018), "Adaptive
// stochastic dual coordinate ascent for conditional random fields".  docs/math/dual_optimisation.md
// section 2.
struct SdcaOptions {
  // From 0 to 1: share of the draws at random among all examples; the others are drawn in
  // proportion to the gaps that the examples had when last seen.  1: no gap sampling.
  double uniform = 0.2;
  std::size_t passes = 3;  // >= 1; to an iteration, which ends with P and the gap computed exactly
  std::uint64_t seed = 1;  // of the draws
  StoppingRule stop{};
  // With more parts than this (8 MB) mu is kept in float, and the gap is then good to about 1e-7.
  static constexpr std::size_t kManyParts = std::size_t{1} << 20;
  void validate() const;  // throws UsageError naming the field and its range
};

// Minimises P(w) by maximising the dual, an example at a time; a pass is as many draws as there are
// examples.  Throws UsageError unless the loss is log-loss.  The parts must be so fine that they
// determine the entropy.  Cost of a pass: for each draw a sum oracle and a few entropies, and a sum
// oracle for each example at its end.  Memory: 8 (4) bytes a part.
OptimizeResult sdca(DualProblem& problem, const SdcaOptions& options,
                    const IterationCallback& callback = {}, Checkpointer* checkpoints = nullptr);

// Sequential minimal optimisation of the structured hinge over marginal variables.
//
// Taskar, Guestrin & Koller (2003), "Max-margin Markov networks".  docs/math/dual_optimisation.md
// section 4.
struct SmoOptions {
  // >= 1; at most so many pairs of labellings of an example, one after the other, until its
  // violation of the optimality conditions has fallen to `enough` of what it was.
  std::size_t pairs = 30;
  double enough = 0.1;     // >= 0, < 1
  std::uint64_t seed = 1;  // of the order of the examples
  StoppingRule stop{};     // gradient_tolerance: of the largest violation
  void validate() const;   // throws UsageError naming the field and its range
};

// Minimises P(w) by maximising the dual, a pair of labellings at a time.  Throws UsageError unless
// the loss is the hinge.  Parts must be so fine that any labelling whose parts all have mu > 0 may
// give some of its weight away: those of a tree are, where each pair has a place of its own.
// Iteration.gradient_norm is the largest violation.  Cost of a pair: two max oracles.  Memory: 8
// bytes a part.
OptimizeResult smo(DualProblem& problem, const SmoOptions& options,
                   const IterationCallback& callback = {}, Checkpointer* checkpoints = nullptr);

// Block-coordinate Frank-Wolfe for the hinge.
//
// Lacoste-Julien, Jaggi, Schmidt & Pletscher (2013).  docs/math/dual_optimisation.md section 3.
struct FrankWolfeOptions {
  bool average = false;    // the mean of all steps' points, the k-th weighted by k
  std::size_t passes = 1;  // >= 1; to an iteration, which ends with P and the gap computed exactly
  std::uint64_t seed = 1;  // of the order of the examples
  StoppingRule stop{};
  void validate() const;  // throws UsageError naming the field and its range
};

// Minimises P(w) by maximising the dual, an example at a time.  The problem is left at the answer;
// in a callback it stands at the iterate that is reported.  Throws UsageError unless its loss is
// the hinge.  Cost of a pass: a max oracle for each example, and as much again for an evaluation.
// Memory: 8 bytes a part, 16 with `average`.
OptimizeResult frank_wolfe(DualProblem& problem, const FrankWolfeOptions& options,
                           const IterationCallback& callback = {},
                           Checkpointer* checkpoints = nullptr);

// Exponentiated gradient on the dual, for log-loss and for the hinge.
//
// Collins, Globerson, Koo, Carreras & Bartlett (2008).  docs/math/dual_optimisation.md section 5.
struct ExponentiatedGradientOptions {
  bool batch = false;       // all examples in one step; otherwise one after the other
  double step = 1;          // the first one, > 0; for log-loss <= 1, where 1 forgets what was
  double growth = 1.05;     // >= 1; factor after a step that raised the dual; one that did not: 1/2
  std::size_t trials = 20;  // >= 1; of a step, each half as long as the one before
  // theta' of the gold label of a position at the start, the others' being 0: the larger, the
  // nearer w is to 0.  >= 0; 0: all labellings alike.
  double confidence = 6;
  std::uint64_t seed = 1;  // of the order of the examples
  StoppingRule stop{};
  void validate() const;  // throws UsageError naming the field and its range
};

// Minimises P(w) by maximising the dual.  The dual variables are the marginals of
// exp(theta'_n . y), and theta'_n is what is stored: any theta'_n is feasible.  An iteration is a
// pass, or with `batch` a step, after which P and the gap are computed exactly.  Throws UsageError
// for step > 1 with log-loss.  Cost of a pass: a sum oracle for each example and trial, and an
// evaluation.  Memory: 16 bytes a part, 24 with `batch`.
OptimizeResult exponentiated_gradient(DualProblem& problem,
                                      const ExponentiatedGradientOptions& options,
                                      const IterationCallback& callback = {},
                                      Checkpointer* checkpoints = nullptr);

// One-slack cutting planes for the hinge, and for any convex data term with a known lower bound 0.
//
// Joachims, Finley & Yu (2009), "Cutting-plane training of structural SVMs"; Teo, Vishwanathan,
// Smola & Le (2010), "Bundle methods for regularized risk minimization".
// docs/math/dual_optimisation.md section 8.
struct CuttingPlaneOptions {
  double l2 = 1;                          // > 0
  std::span<const Run> nonnegative = {};  // coordinates that are kept >= 0
  StoppingRule stop{};                    // gradient_tolerance: of P - D
  void validate() const;                  // throws UsageError naming the field and its range
};

// Minimises P(w) = f(w) + (l2/2) |w|^2 for a convex f >= 0, of which it sees values and
// subgradients at one point an iteration, at first at w (in and out: the best point).
// D, the lower bound, is of all planes f >= f(z) + g.(w - z) seen so far.  Where f says less than
// it should, as the hinge does whose search is not exact, the planes are right, and P - D is only
// what the search has found of it.  Cost of an iteration: an evaluation, and a product of vectors
// for each plane.  Memory: a plane is 8 bytes a weight; those that carry nothing for 50 iterations
// go.
OptimizeResult cutting_planes(BatchFunction& f, std::span<double> w,
                              const CuttingPlaneOptions& options,
                              const IterationCallback& callback = {},
                              Checkpointer* checkpoints = nullptr);

}  // namespace croft
