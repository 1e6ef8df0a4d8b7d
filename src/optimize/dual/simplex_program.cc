#include "optimize/dual/simplex_program.h"

#include <algorithm>
#include <cmath>

namespace croft {
namespace {

// Added to H's diagonal, relative to the largest number there: planes that say the same make H
// singular.  A step is then one of the proximal point method, which repeats until it stands still.
constexpr double kRidge = 1e-12;
constexpr std::size_t kRepeats = 5;  // of such steps

// L L' = A for A [n][n]; false where A is not positive definite.
bool factorise(std::vector<double>& a, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      if (i > j) {
        a[i * n + j] = sum / a[j * n + j];
      } else if (sum > 0) {
        a[j * n + j] = std::sqrt(sum);
      } else {
        return false;
      }
    }
  }
  return true;
}

// x <- (L L')^-1 x
void back_substitute(const std::vector<double>& l, std::size_t n, std::vector<double>& x) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= l[i * n + k] * x[k];
    x[i] /= l[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= l[k * n + i] * x[k];
    x[i] /= l[i * n + i];
  }
}

}  // namespace

void SimplexProgram::add(std::span<const double> row, double b, bool is_share) {
  h_.emplace_back(row.begin(), row.end());
  b_.push_back(b);
  x_.push_back(x_.empty() ? 1 : 0);
  share_.push_back(is_share);
}

void SimplexProgram::keep(const std::vector<bool>& stays) {
  std::size_t to = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    if (!stays[i]) continue;
    std::size_t column = 0;
    for (std::size_t j = 0; j <= i; ++j) {
      if (stays[j]) h_[i][column++] = h_[i][j];
    }
    h_[i].resize(column);
    if (to != i) h_[to] = std::move(h_[i]);
    b_[to] = b_[i];
    x_[to] = x_[i];
    share_[to++] = share_[i];
  }
  h_.resize(to);
  b_.resize(to);
  x_.resize(to);
  share_.resize(to);
}

void SimplexProgram::set_gradient() {
  gradient_.resize(size());
  for (std::size_t i = 0; i < size(); ++i) {
    double sum = -b_[i];
    for (std::size_t j = 0; j < size(); ++j) {
      if (x_[j] != 0) sum += h(i, j) * x_[j];
    }
    gradient_[i] = sum;
  }
}

// What a unit more of all shares would change: 0 for the best x, were the shares not to sum to 1.
double SimplexProgram::slope_of_shares() const {
  double sum = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    if (share_[i]) sum += x_[i] * gradient_[i];
  }
  return sum;
}

double SimplexProgram::scale() const {
  double sum = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    sum += x_[i] * (std::abs(b_[i]) + std::abs(gradient_[i] + b_[i]));
  }
  return std::max(sum, 1e-300);
}

// value(), from the gradient.
double SimplexProgram::current_value() const {
  double sum = 0;
  for (std::size_t i = 0; i < size(); ++i) sum += 0.5 * x_[i] * (gradient_[i] - b_[i]);
  return sum;
}

double SimplexProgram::value() const {
  double sum = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    double row = 0;
    for (std::size_t j = 0; j < size(); ++j) row += h(i, j) * x_[j];
    sum += x_[i] * (0.5 * row - b_[i]);
  }
  return sum;
}

double SimplexProgram::violation() const {
  SimplexProgram at = *this;
  at.set_gradient();
  const double slope = at.slope_of_shares();
  double most = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const double own = at.gradient_[i] - (share_[i] ? slope : 0);
    most = std::max({most, -own, x_[i] * own});
  }
  return most;
}

// Newton's step for the free variables, all others held.  The largest share gives what the other
// shares take, so that the rest is free of the condition on their sum: with r that share and s_i =
// 1 for shares, H'_ij = H_ij - s_i H_rj - s_j H_ir + s_i s_j H_rr and g'_i = g_i - s_i g_r.
bool SimplexProgram::set_direction() {
  const std::size_t n = free_.size();
  std::size_t reference = n;
  for (std::size_t i = 0; i < n; ++i) {
    if (!share_[free_[i]]) continue;
    if (reference == n || x_[free_[i]] > x_[free_[reference]]) reference = i;
  }
  const std::size_t r = free_[reference];
  direction_.assign(n, 0.0);
  others_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    if (i != reference) others_.push_back(free_[i]);
  }
  const std::size_t m = others_.size();
  if (m == 0) return true;
  const auto reduced = [&](std::size_t i, std::size_t j) {
    double sum = h(i, j);
    if (share_[i]) sum -= h(r, j);
    if (share_[j]) sum -= h(i, r);
    return share_[i] && share_[j] ? sum + h(r, r) : sum;
  };
  double largest = 1e-300;
  for (const std::size_t i : others_) largest = std::max(largest, reduced(i, i));
  for (double ridge = kRidge;; ridge *= 100) {
    if (ridge > 1) return false;
    factor_.resize(m * m);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j <= i; ++j) factor_[i * m + j] = reduced(others_[i], others_[j]);
      factor_[i * m + i] += ridge * largest;
    }
    if (factorise(factor_, m)) break;
  }
  move_.resize(m);
  for (std::size_t i = 0; i < m; ++i) {
    move_[i] = (share_[others_[i]] ? gradient_[r] : 0) - gradient_[others_[i]];
  }
  back_substitute(factor_, m, move_);
  for (std::size_t i = 0, k = 0; i < n; ++i) {
    if (i == reference) continue;
    direction_[i] = move_[k];
    if (share_[free_[i]]) direction_[reference] -= move_[k];
    ++k;
  }
  return true;
}

std::size_t SimplexProgram::step() {
  double length = 1;
  std::size_t blocking = free_.size();
  for (std::size_t i = 0; i < free_.size(); ++i) {
    if (direction_[i] >= 0) continue;
    const double most = -x_[free_[i]] / direction_[i];
    if (most < length) {
      length = most;
      blocking = i;
    }
  }
  double shares = 0;
  for (std::size_t i = 0; i < free_.size(); ++i) {
    double& x = x_[free_[i]];
    x = i == blocking ? 0 : std::max(0.0, x + length * direction_[i]);
    if (share_[free_[i]]) shares += x;
  }
  for (const std::size_t i : free_) {
    if (share_[i]) x_[i] /= shares;
  }
  return blocking;
}

// Moves the free variables until nothing is to be had there.
bool SimplexProgram::settle(double accuracy) {
  for (std::size_t repeat = 0; repeat < kRepeats;) {
    if (!set_direction()) return false;
    const std::size_t blocking = step();
    set_gradient();
    if (blocking < free_.size()) {
      free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(blocking));
      continue;
    }
    const double slope = slope_of_shares(), bound = accuracy * scale();
    double most = 0;
    for (const std::size_t i : free_) {
      const double own = gradient_[i] - (share_[i] ? slope : 0);
      most = std::max({most, -own, x_[i] * own});
    }
    if (most <= bound) return true;
    ++repeat;
  }
  return true;
}

bool SimplexProgram::solve(double accuracy) {
  free_.clear();
  for (std::size_t i = 0; i < size(); ++i) {
    if (x_[i] > 0) free_.push_back(i);
  }
  set_gradient();
  if (!settle(accuracy)) return false;
  std::vector<bool> in_vain(size(), false);  // entered, and nothing was to be had
  double best = current_value();
  for (;;) {
    const double slope = slope_of_shares();
    double least = -accuracy * scale();
    std::size_t enters = size();
    for (std::size_t i = 0; i < size(); ++i) {
      if (x_[i] > 0 || in_vain[i]) continue;
      const double own = gradient_[i] - (share_[i] ? slope : 0);
      if (own < least) {
        least = own;
        enters = i;
      }
    }
    if (enters == size()) return std::ranges::find(in_vain, true) == in_vain.end();
    std::erase_if(free_, [&](std::size_t i) { return x_[i] == 0; });
    free_.push_back(enters);
    if (!settle(accuracy)) return false;
    const double now = current_value();
    if (now < best) {
      best = now;
      std::fill(in_vain.begin(), in_vain.end(), false);
    } else {
      in_vain[enters] = true;
    }
  }
}

}  // namespace croft
