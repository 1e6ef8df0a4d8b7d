// What optimisers see: a function, and a regulariser apart from it.
//
// Minimise  F(w) = f(w) + l1 |w|_1 + (l2/2) |w|_2^2  where f is the data term.  The regulariser
// stays apart because OWL-QN, lazy and proximal methods need it apart.
#pragma once
#include <cstddef>
#include <span>

namespace croft {

// f and its full gradient.
class BatchFunction {
 public:
  virtual ~BatchFunction() = default;
  virtual std::size_t dimension() const = 0;
  // Returns f(w); overwrites gradient with df/dw.  Both have dimension() numbers.
  // The same w gives the same bits, for any number of threads.
  virtual double evaluate(std::span<const double> w, std::span<double> gradient) = 0;
};

struct Regulariser {
  double l1 = 0;          // >= 0, weight of |w|_1
  double l2 = 0;          // >= 0, weight of |w|_2^2 / 2
  void validate() const;  // throws UsageError naming the field and its range
};

}  // namespace croft
