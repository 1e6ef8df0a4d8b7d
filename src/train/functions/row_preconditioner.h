// A change of variables that makes the likelihood's curvature alike in all directions.
//
// The second derivative of f by the weights of one attribute a, were its positions' labels all that
// there is, is  S_a = sum_p v^2 (diag(mu_p) - mu_p mu_p')  over the places p of a.  Here
//
//   S_a ~ diag(s) - s s' / sum s,     s_j - s_j^2 / sum s = sum_p v^2 mu_pj (1 - mu_pj) (B.30)
//
// which has the right diagonal, and like S_a does not bend where all labels get the same: a
// diagonal alone would bend there, and L-BFGS would crawl along.  With B = l2 + diag(s) - s s'/sum
// s = C^-T C^-1 the variables are u, w = C u.  docs/math/batch_optimisation.md section 8.
#pragma once
#include <span>
#include <vector>

#include "core/exact_sum.h"
#include "train/functions/chain_batch_function.h"

namespace croft {

class RowPreconditioner {
 public:
  // Of f at the weights w: one evaluation.  Keeps a reference to the layout.
  //   f     : with |dL/dstate| <= weight of the sequence, as the likelihood
  //   ranks : processes that have other shares of the data
  // Memory: 2 doubles a weight; on the way, a float for each position and label.
  RowPreconditioner(const ChainData& data, const ChainLayout& layout, ChainFunction& f, double l2,
                    std::span<const double> w, Ranks& ranks = no_other_ranks());

  void to_weights(std::span<const double> u, std::span<double> w) const;    // w = C u
  void to_variables(std::span<const double> w, std::span<double> u) const;  // u = C^-1 w
  void transpose(std::span<double> gradient) const;                         // g = C' g

 private:
  void set_row(std::size_t row, std::span<const double> h, double rest, double l2);
  void set_tied(const ChainData& data, const ExactSum& exact, double uncertainty, double l2,
                Ranks& ranks);
  template <class Turn>
  void turn_rows(std::span<double> v, const Turn& turn) const;

  const ChainLayout& layout_;
  std::vector<double> scale_;      // [dimension] (l2 + s)^-1/2
  std::vector<double> direction_;  // [dimension] q: of length 1 in each node row that has a turn
  std::vector<double> turn_;       // [node rows] C = diag(scale) (I + turn q q')
};

// F(C u), regulariser included, as a function of u.
class PreconditionedFunction final : public BatchFunction {
 public:
  // Keeps references.
  PreconditionedFunction(BatchFunction& f, const RowPreconditioner& preconditioner, double l2)
      : f_(f), preconditioner_(preconditioner), l2_(l2), w_(f.dimension()) {}
  std::size_t dimension() const override { return f_.dimension(); }
  double evaluate(std::span<const double> u, std::span<double> gradient) override;
  double gradient_norm() const { return gradient_norm_; }  // |dF/dw| of the last evaluation
  void archive(StateArchive& state) override { f_.archive(state); }

 private:
  BatchFunction& f_;
  const RowPreconditioner& preconditioner_;
  double l2_;
  std::vector<double> w_;
  double gradient_norm_ = 0;
};

}  // namespace croft
