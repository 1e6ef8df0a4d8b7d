// What dual optimisers see: examples with parts, and a primal point that follows their dual variables.
//
//   primal:  P(w) = (l2/2) |w|^2 + sum_n C_n L(theta_n(w), y_n),     theta_n(w) = A_n w
//   dual:    D(mu) = sum_n C_n G_n(mu_n) - (l2/2) |w(mu)|^2
//            w(mu) = (1/l2) sum_n C_n A_n'(1[y_n] - mu_n)
//
// mu_n is a vector over the parts of example n (a label at a position, a pair of labels between two):
// the marginals of a distribution over its labellings.  L is log-loss, and G its entropy; or L is the
// hinge max_y (cost + theta) - theta(y_n), and G the expected cost.  At the optimum both are equal;
// everywhere P >= D, and P - D is the duality gap.  Where w lives, as weights or as a kernel
// expansion, is the problem's own affair.
#pragma once
#include <cstddef>
#include <span>

#include "croft/core/state_archive.h"

namespace croft {

class DualProblem {
 public:
  virtual ~DualProblem() = default;
  virtual std::size_t samples() const = 0;
  virtual std::size_t parts(std::size_t n) const = 0;  // of example n: numbers in mu_n and theta_n
  virtual double weight(std::size_t n) const = 0;      // C_n > 0
  virtual double l2() const = 0;                       // > 0

  // theta_n at the present point, the costs of the hinge included; theta_n(y_n) itself costs 0.
  virtual void scores(std::size_t n, std::span<double> theta) = 0;
  virtual void gold(std::size_t n, std::span<double> mu) = 0;  // 1[y_n]
  // |A_n' delta|^2
  virtual double squared_norm(std::size_t n, std::span<const double> delta) = 0;
  // The point w moves by  scale A_n' delta.
  virtual void move(std::size_t n, double scale, std::span<const double> delta) = 0;
  virtual double squared_norm() const = 0;  // |w|^2, up to rounding
  // The weights, where the point has some that can be written down; otherwise none.
  virtual std::span<const double> weights() const = 0;

  // Over the labellings of example n, for any theta over its parts:
  //   sum_oracle : log sum_y exp(theta.y); mu = its marginals
  //   max_oracle : max_y theta.y;          mu = 1[best y]
  virtual double sum_oracle(std::size_t n, std::span<const double> theta, std::span<double> mu) = 0;
  virtual double max_oracle(std::size_t n, std::span<const double> theta, std::span<double> mu) = 0;
  // Entropy in nats of the distribution of largest entropy that has the marginals mu.
  virtual double entropy(std::size_t n, std::span<const double> mu) = 0;
  // sum over the parts of mu times what they cost (hinge): the linear part of the dual.
  virtual double expected_cost(std::size_t n, std::span<const double> mu) = 0;

  virtual void archive(StateArchive& state) = 0;  // the point
};

}  // namespace croft
