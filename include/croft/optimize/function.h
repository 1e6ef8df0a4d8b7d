// What optimisers see: a function, and a regulariser apart from it.
//
// Minimise  F(w) = f(w) + l1 |w|_1 + (l2/2) |w|_2^2,  where f is the data term.  The norms are
// those of the weights that are not free.  OWL-QN, lazy and proximal methods need the regulariser
// apart from f.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "croft/core/state_archive.h"
#include "croft/optimize/sparse_vector.h"

namespace croft {

// f and its full gradient.
class BatchFunction {
 public:
  virtual ~BatchFunction() = default;
  virtual std::size_t dimension() const = 0;
  // Returns f(w); overwrites gradient with df/dw.  Both have dimension() numbers.
  // The same w gives the same bits, for any number of threads.
  virtual double evaluate(std::span<const double> w, std::span<double> gradient) = 0;
  // From now on values and gradients are computed more exactly, in double precision.  False: they
  // are as exact as they get.
  virtual bool refine() { return false; }
  // What the next evaluation depends on besides w; usually nothing.
  virtual void archive(StateArchive&) {}
};

// f with its second derivative in a direction.
class CurvedFunction : public BatchFunction {
 public:
  // Overwrites out with  (d^2 f / dw dw) v  at the w of the last evaluation.  Cost: a few times
  // that of an evaluation.
  virtual void hessian_product(std::span<const double> v, std::span<double> out) = 0;
};

// Consecutive coordinates [begin, begin + length).
struct Run {
  std::uint64_t begin;
  std::uint32_t length;
};

// f = sum_n f_n, where each f_n depends on a few coordinates only: its support.
class SampleFunction : public BatchFunction {
 public:
  virtual std::size_t samples() const = 0;  // n counts from 0
  virtual std::size_t workers() const = 0;  // of the calls below may be under way at once
  // The coordinates that f_n depends on, each in one run only.  Two supports have either the same
  // run or none of its coordinates in common.  So a method that brings coordinates up to date late
  // may remember what it needs for `begin` alone.  Valid until the worker's next call.
  virtual std::span<const Run> support(std::size_t n, std::size_t worker) = 0;
  struct Sample {
    double value = 0;     // f_n(w)
    bool active = false;  // false: the gradient is 0, and has not been written
  };
  // f_n at w, of which only the support is read, and its gradient: the numbers of the support's
  // runs one after the other.  A subgradient where f_n has a kink.
  virtual Sample evaluate_sample(std::size_t n, std::span<const double> w,
                                 std::span<double> gradient, std::size_t worker) = 0;
  // The same, with the gradient in as few numbers as it has: for methods whose samples move few of
  // the coordinates that they read.  gradient: of dimension() numbers; overwritten.
  virtual Sample evaluate_sparse(std::size_t n, std::span<const double> w, SparseVector& gradient,
                                 std::size_t worker);
};

// f_n(w) = max over labellings y of  loss(y) + w.(phi(y) - phi(gold)),  with the runners-up.
class RankedFunction : public SampleFunction {
 public:
  // The `most` labellings that rank first, the gold one left out.
  //   value    : [most] loss(y) + w.(phi(y) - phi(gold)), not increasing
  //   loss     : [most] loss(y)
  //   gradient : [most][size of the support] phi(y) - phi(gold)
  // Returns how many there are.
  virtual std::size_t evaluate_ranked(std::size_t n, std::span<const double> w, std::size_t most,
                                      std::span<double> value, std::span<double> loss,
                                      std::span<double> gradient, std::size_t worker) = 0;
};

struct Regulariser {
  double l1 = 0;          // >= 0, weight of |w|_1
  double l2 = 0;          // >= 0, weight of |w|_2^2 / 2
  Run free{0, 0};         // these coordinates are in neither norm: an unpenalised intercept
  void validate() const;  // throws UsageError naming the field and its range

  bool is_free(std::size_t k) const { return k - free.begin < free.length; }
  double l2_of(std::size_t k) const { return is_free(k) ? 0 : l2; }
};

}  // namespace croft
