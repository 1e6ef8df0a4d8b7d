// The small quadratic program of cutting planes.  docs/math/dual_optimisation.md section 8.
//
//   minimise  x'H x / 2 - b'x    over  x >= 0,  the shares of x sum to 1                 (D.27)
//
// H is positive semidefinite, and singular where there are more planes than weights.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "croft/core/state_archive.h"

namespace croft {

// Variables are added and removed, and each solution starts from the one before.  A variable is a
// share, of which there must be one, or free to be any number >= 0.
class SimplexProgram {
 public:
  std::size_t size() const { return x_.size(); }
  // One more variable, at 0; the first is a share, at 1.
  //   row : [size() + 1] of H, the diagonal last
  void add(std::span<const double> row, double b, bool is_share);
  // Those that are to stay, in order.  The others must be at 0.
  void keep(const std::vector<bool>& stays);

  // An active-set method: x is feasible on the way, and the value never rises.  Time O(f^3) for
  // each of usually a few steps, f the variables above 0.
  //   accuracy : >= 0; of the value, relative to the terms that it is a sum of
  // False where rounding kept it from that accuracy; x is feasible all the same.
  bool solve(double accuracy = 1e-12);

  std::span<const double> x() const { return x_; }
  double value() const;  // of x
  // How far the conditions of Karush, Kuhn and Tucker are from being met: how much the value would
  // fall for a unit more of a variable, or without one that is above 0, to first order.  >= 0
  double violation() const;

  void archive(StateArchive& state) { state(h_, b_, x_, share_); }

 private:
  double h(std::size_t i, std::size_t j) const { return i >= j ? h_[i][j] : h_[j][i]; }
  double slope_of_shares() const;
  void set_gradient();
  double current_value() const;
  double scale() const;
  bool set_direction();
  std::size_t step();  // the variable that is in the way, or size()
  bool settle(double accuracy);

  std::vector<std::vector<double>> h_;  // [size()] rows of H's lower triangle
  std::vector<double> b_, x_;
  std::vector<bool> share_;

  // Of a solve().
  std::vector<std::size_t> free_;    // variables that may move
  std::vector<std::size_t> others_;  // the same, without the largest share
  std::vector<double> gradient_;     // H x - b
  std::vector<double> direction_;    // [free]
  std::vector<double> factor_;       // [others][others]
  std::vector<double> move_;         // [others]
};

}  // namespace croft
