// L-BFGS in the span of the examples: for few examples with many features.
//
//   F(w) = phi(X w + B b) + (l2/2) |w|^2                                          (B.32)
//
// From w = 0 every iterate, gradient and direction of L-BFGS is w = X'a: one number for each score,
// in the place of one for each feature.  docs/math/batch_optimisation.md section 9.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "croft/core/parallel.h"
#include "croft/optimize/lbfgs.h"
#include "croft/optimize/optimizer.h"

namespace croft {

// phi, X and B.  Vectors over scores have scores() numbers; where some of these stand for nothing
// (padding), they are 0 in all of them.
template <class Real>
class SpanFunction {
 public:
  virtual ~SpanFunction() = default;
  virtual std::size_t scores() const = 0;
  virtual std::size_t free() const = 0;       // weights b, which are not penalised
  virtual std::size_t dimension() const = 0;  // of all weights together

  struct Value {
    double value = 0;  // phi
    double slope = 0;  // phi' d
  };
  // At s + step d.
  virtual Value along(std::span<const double> s, std::span<const Real> d, double step) = 0;
  virtual double evaluate(std::span<const double> s, std::span<Real> gradient) = 0;  // phi and phi'
  virtual void gram(std::span<const Real> a, std::span<Real> out) = 0;               // X X'a
  virtual void add_free(std::span<const double> b, std::span<double> s) = 0;         // s += B b
  virtual void free_gradient(std::span<const Real> d, std::span<double> out) = 0;    // B'd
  // All weights, X'a and b, in their places; overwrites w.
  virtual void weights(std::span<const double> a, std::span<const double> b,
                       std::span<double> w) = 0;

  // Pass number `pass` of dual coordinate ascent, from a, b to a better point: a are the dual
  // variables as well.  Depends on its arguments alone.
  virtual void ascend(std::uint64_t seed, std::size_t pass, double l2, std::span<double> a,
                      std::span<double> b) = 0;
  // phi*(-l2 a), +inf outside of its domain, of an a that ascend() has made.
  virtual double conjugate(double l2, std::span<const double> a) = 0;
};

struct SpanLbfgsOptions {
  std::size_t passes = 30;   // of dual ascent at most, before L-BFGS
  std::uint64_t seed = 1;    // of the passes
  std::size_t history = 12;  // pairs kept, 1 to LbfgsOptions::kMaxHistory
  // Whether callbacks get w, which costs about half a gradient each time; without it Iteration::w
  // is empty and `active` the dimension.
  bool show_weights = false;
  StoppingRule stop{};
  void validate() const;  // throws UsageError naming the field and its range
};

// Minimises (B.32) from 0; overwrites w.  Throws UsageError unless l2 > 0 and w.size() is
// f.dimension(), Error where phi is not finite at 0.
// Cost of an iteration: gram() once, and a few evaluations of phi.
// Memory: 4 floats a score for each pair, and some ten Real.
template <class Real>
OptimizeResult span_lbfgs(SpanFunction<Real>& f, double l2, std::span<double> w,
                          const SpanLbfgsOptions& options, ThreadPool& pool,
                          const IterationCallback& callback = {},
                          Checkpointer* checkpoints = nullptr);

}  // namespace croft
