// What dual optimisers see: examples with parts, and a primal point that follows their dual
// variables.  docs/math/dual_optimisation.md section 1.
//
//   primal:  P(w)  = (l2/2) |w|^2 + sum_n C_n L_n(theta_n),    theta_n = A_n w (+ costs) (D.1)
//   dual:    D(mu) = sum_n C_n G_n(mu_n) - (l2/2) |w(mu)|^2 (D.4)
//            w(mu) = (1/l2) sum_n C_n A_n'(1[y_n] - mu_n) (D.3)
//
// mu_n is a vector over the parts of example n (a label at a position, a pair of labels between
// two): the marginals of a distribution over its labellings.  L is log-loss, and G its entropy; or
// L is the hinge max_y (cost + theta) - theta(y_n), and G the expected cost.  At the optimum P = D;
// everywhere P >= D, and P - D is the duality gap.  Where w lives, as weights or as a kernel
// expansion, is the problem's own affair.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "croft/core/state_archive.h"

namespace croft {

enum class DualLoss { log_loss, hinge };

// H(mu + g delta) and its derivatives by g.
struct EntropyPoint {
  double value = 0, slope = 0, curvature = 0;
};

// Log-loss at the present point, seen from mu_n.
struct LogLossView {
  double log_partition = 0;  // of theta_n
  double expected = 0;       // theta_n.mu_n
  double slope = 0;          // theta_n.delta
  double gold = 0;           // theta_n.1[y_n]
};

class DualProblem {
 public:
  virtual ~DualProblem() = default;
  virtual DualLoss loss() const = 0;
  virtual double l2() const = 0;  // > 0
  virtual std::size_t samples() const = 0;
  virtual std::size_t parts(std::size_t n) const = 0;  // of example n: numbers in mu_n and theta_n
  virtual double weight(std::size_t n) const = 0;      // C_n > 0
  // Whether mu_n determines the distribution of largest entropy that has these marginals, and any
  // labelling whose parts all have mu > 0 may give away as much as the least of them.  True of
  // trees where nothing is tied.
  virtual bool exact_parts() const = 0;

  virtual void gold(std::size_t n, std::span<double> mu) = 0;  // 1[y_n]
  // theta_n at the present point; with the hinge's costs, of which theta_n(y_n) has none.  Finite.
  virtual void scores(std::size_t n, std::span<double> theta) = 0;

  // The point starts at w = 0, which is w(mu) where every mu_n is gold.
  virtual void reset() = 0;
  // Chooses the direction v = A_n' delta, and returns |v|^2.
  virtual double aim(std::size_t n, std::span<const double> delta) = 0;
  // w += scale v of the last aim().
  virtual void move(double scale) = 0;
  virtual double squared_norm() = 0;  // |w|^2
  // w, where it can be written down; otherwise none.
  virtual std::span<const double> weights() const = 0;

  // Over the labellings of example n that are allowed, for any theta over its parts, in which -inf
  // forbids a part:
  //   sum_oracle : log sum_y exp(theta.y); mu = its marginals
  //   max_oracle : max_y theta.y;          mu = 1[best y]
  virtual double sum_oracle(std::size_t n, std::span<const double> theta, std::span<double> mu) = 0;
  virtual double max_oracle(std::size_t n, std::span<const double> theta, std::span<double> mu) = 0;
  // In nats, of the distribution of largest entropy that has the marginals mu + g delta.  Requires
  // exact_parts().
  virtual EntropyPoint entropy(std::size_t n, std::span<const double> mu,
                               std::span<const double> delta, double g) = 0;

  // delta = p(.|x_n; w) - mu, the marginals at the present point less mu: what scores() and
  // sum_oracle() say, in one go.  Requires log-loss.
  virtual LogLossView look(std::size_t n, std::span<const double> mu, std::span<double> delta);
  // The same three where mu is kept in single precision, of which there may be very much.
  virtual LogLossView look(std::size_t n, std::span<const float> mu, std::span<float> delta);
  virtual double aim(std::size_t n, std::span<const float> delta);
  virtual EntropyPoint entropy(std::size_t n, std::span<const float> mu,
                               std::span<const float> delta, double g);

  virtual void archive(StateArchive& state) = 0;  // the point

 private:
  std::vector<double> theta_, gold_, wide_mu_, wide_delta_;  // scratch of the defaults
};

}  // namespace croft
