// One label given everything else: a softmax over the sum of some rows of scores.  Internal.
#pragma once
#include <cmath>
#include <cstddef>

#include "croft/core/compensated_sum.h"
#include "croft/structure/transitions.h"

namespace croft {

// Rows of scores as those of a Matrix: aligned, stride numbers, at least one row with padding -inf.
template <class Real>
struct ScoreRows {
  const Real* state;
  const Real* before = nullptr;  // edges from the label before; null: there is none
  const Real* after = nullptr;   // edges to the label behind
};

// A sum of losses lse s - s[y]: logarithms are taken of products, not one by one.
class SoftmaxLoss {
 public:
  // lse s - s[y] = high + log(sum), sum >= 1 up to rounding.
  void add(double high, double sum) {
    loss_.add(high);
    product_ *= sum;
    if (product_ > 1e200) take_logarithm();
  }
  void add(double loss) { loss_.add(loss); }
  double value() {
    take_logarithm();
    return loss_.value();
  }

 private:
  void take_logarithm() {
    loss_.add(std::log(product_));
    product_ = 1;
  }
  CompensatedSum loss_;
  double product_ = 1;
};

// With s = the sum of the rows: p[j] = scale exp(s[j] - lse s), padding 0, and lse s - s[y] added
// to the loss.  False, with +inf added and p unspecified, where s[y] = -inf.  The scores are taken
// relative to those of y, row by row: large ones that cancel keep their digits.
bool softmax_row(const ScoreRows<float>& rows, Label y, std::size_t stride, float scale, float* p,
                 SoftmaxLoss& loss);
bool softmax_row(const ScoreRows<double>& rows, Label y, std::size_t stride, double scale,
                 double* p, SoftmaxLoss& loss);

}  // namespace croft
