#include "bugs/distributions/count_laws.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "bugs/distributions/densities.h"
#include "bugs/distributions/stirling.h"
#include "bugs/distributions/unimodal.h"

namespace croft::bugs {
namespace {

using Id = DistributionId;

// ln a - ln b, exact where they are near each other.
double log_quotient(double a, double b) {
  return a > 0.5 * b && a < 2 * b ? std::log1p((a - b) / b) : std::log(a) - std::log(b);
}

// The masses f(k) of a law as differences: no logarithm of a gamma function cancels another.
class CountLaw {
 public:
  CountLaw(Id id, Parameters q) : id_(id), range_(support(id, q)) {
    for (std::size_t k = 0; k < q.size(); ++k) p_[k] = q[k][0];
    if (id_ == Id::negative_binomial && (p_[0] == 1 || p_[1] == 0)) range_.upper = 0;
    if (id_ == Id::poisson && p_[0] == 0) range_.upper = 0;
    if (id_ == Id::binomial && p_[0] == 0) range_.upper = 0;
    if (id_ == Id::binomial && p_[0] == 1) range_.lower = range_.upper;
  }
  Bounds range() const { return range_; }  // where masses are positive
  // True if f(k + 1) / f(k) falls with k.
  bool log_concave() const {
    if (id_ == Id::negative_binomial) return p_[1] >= 1;
    return id_ != Id::beta_binomial || (p_[0] >= 1 && p_[1] >= 1);
  }
  // The count of the largest mass, or of the least if they fall and rise; may be out of range.
  double turn() const;
  bool rises_at_both_ends() const { return id_ == Id::beta_binomial && p_[0] < 1 && p_[1] < 1; }
  double log_change(double m, double s) const;  // ln f(m + s) - ln f(m)
  double log_mass(double m) const;              // of dhyper: up to a constant

 private:
  Id id_;
  Bounds range_;
  std::array<double, 4> p_ = {};
};

double CountLaw::turn() const {
  const double p = p_[0];
  switch (id_) {
    case Id::poisson:
      return std::floor(p);
    case Id::binomial:
      return std::floor((p_[1] + 1) * p);
    case Id::negative_binomial:
      return p_[1] > 1 ? std::floor((p_[1] - 1) * (1 - p) / p) : 0;
    case Id::beta_binomial: {  // (n - k) (k + a) = (k + 1) (n - k - 1 + b)
      const double a = p_[0] - 1, b = p_[1] - 1, n = p_[2];
      if (a * b <= 0) return a > b ? n : 0;
      return std::floor((n * a - b) / (a + b)) + 1;
    }
    default: {  // dhyper: the first k with f(k + 1) < f(k)
      double low = range_.lower, high = range_.upper;
      while (low < high) {
        const double k = std::floor(0.5 * (low + high));
        const double up = p_[3] * (p_[0] - k) * (p_[2] - k);
        const double down = (k + 1) * (p_[1] - p_[2] + k + 1);
        if (k == high) break;  // beyond the whole numbers of a double
        if (up < down) {
          high = k;
        } else if (low == k + 1) {
          break;
        } else {
          low = k + 1;
        }
      }
      return low;
    }
  }
}

double CountLaw::log_change(double m, double s) const {
  if (s == 0) return 0;
  const double p = p_[0];
  switch (id_) {
    case Id::poisson:
      return s * log_quotient(p, m + 1) - log_gamma_excess(m + 1, s);
    case Id::binomial: {
      const double n = p_[1];
      return s * log_quotient(p * (n - m + 1), (1 - p) * (m + 1)) - log_gamma_excess(m + 1, s) -
             log_gamma_excess(n - m + 1, -s);
    }
    case Id::negative_binomial:
      return s * std::log1p(-p) + log_gamma_step_ratio(m + p_[1], m + 1, p_[1] - 1, s);
    case Id::beta_binomial:
      return log_gamma_step_ratio(m + p, m + 1, p - 1, s) +
             log_gamma_step_ratio(p_[2] - m + p_[1], p_[2] - m + 1, p_[1] - 1, -s);
    default: {
      const double n1 = p - m + 1, n2 = p_[1] - p_[2] + m + 1, m1 = p_[2] - m + 1;
      return s * (std::log(p_[3]) + log_quotient(n1 * m1, (m + 1) * n2)) -
             log_gamma_excess(m + 1, s) - log_gamma_excess(n1, -s) - log_gamma_excess(m1, -s) -
             log_gamma_excess(n2, s);
    }
  }
}

double CountLaw::log_mass(double m) const {
  if (range_.lower == range_.upper) return 0;
  const double p = p_[0];
  switch (id_) {
    case Id::poisson:
      return log_gamma_kernel(m + 1, p) - std::log(p);
    case Id::binomial:
      return log_beta_kernel(m + 1, p_[1] - m + 1, p, 1 - p) - std::log(p_[1] + 1) - std::log(p) -
             std::log1p(-p);
    case Id::negative_binomial:
      return log_beta_kernel(p_[1], m + 1, p, 1 - p) - std::log(p_[1] + m) - std::log1p(-p);
    case Id::beta_binomial: {
      const double a = p, b = p_[1], n = p_[2];
      if (a + b < n) {  // G(m + a) / G(m + 1) and so on, of gammas that are near each other
        const auto ratio = [](double v, double more) {  // G(v + more) / G(v + 1)
          return v < 10 || v + more < 10 ? log_gamma(v + more) - log_gamma(v + 1)
                                         : log_gamma_step(v + 1, more - 1);
        };
        return ratio(m, a) + ratio(n - m, b) - ratio(n, a + b) - log_beta(a, b);
      }
      const double share = a / (a + b), rest = b / (a + b);
      const double binomial = log_beta_kernel(m + 1, n - m + 1, share, rest) - std::log(n + 1) -
                              std::log(share) - std::log(rest);
      return binomial + log_gamma_excess(a, m) + log_gamma_excess(b, n - m) -
             log_gamma_excess(a + b, n);
    }
    default:
      return 0;
  }
}

// ln of the sum of masses from low to high, over the mass at m, next to the turn.
double log_sum_from(const CountLaw& law, double m, Bounds bounds) {
  return std::log(sum_of_falling([&](double s) { return law.log_change(m, s); }, m - bounds.lower,
                                 bounds.upper - m));
}

double log_sum_of_masses(const CountLaw& law, Bounds bounds) {
  if (law.rises_at_both_ends()) {  // from the ends to the turn between them
    const double low = bounds.lower, high = bounds.upper;
    const double turn = std::clamp(law.turn(), low, high);
    const double first = law.log_mass(low) + log_sum_from(law, low, {low, turn});
    if (!(turn < high)) return first;
    const double second = law.log_mass(high) + log_sum_from(law, high, {turn + 1, high});
    return std::max(first, second) + std::log1p(std::exp(-std::fabs(first - second)));
  }
  const double m = std::clamp(law.turn(), bounds.lower, bounds.upper);
  return law.log_mass(m) + log_sum_from(law, m, bounds);
}

// Draws among few masses by listing them.
double draw_listed(const CountLaw& law, Bounds bounds, Random& random) {
  std::array<double, 65> masses{};
  double most = kNever, total = 0;
  const auto count = static_cast<std::size_t>(bounds.upper - bounds.lower) + 1;
  for (std::size_t k = 0; k < count; ++k)
    most = std::max(most, masses[k] = law.log_change(bounds.lower, static_cast<double>(k)));
  for (std::size_t k = 0; k < count; ++k) total += masses[k] = std::exp(masses[k] - most);
  double u = random.uniform() * total;
  std::size_t at = 0;
  for (; at + 1 < count && u >= masses[at]; ++at) u -= masses[at];
  while (at > 0 && masses[at] == 0) --at;
  return bounds.lower + static_cast<double>(at);
}

// The first k with P(lower <= X <= k) >= u P(lower <= X <= upper), by bisection.
double invert(Id id, Bounds bounds, Parameters parameters, double u) {
  const double all = log_count_interval(id, bounds, parameters) + std::log(u);
  double low = bounds.lower - 1, high = std::min(bounds.upper, 1e300);
  for (int k = 0; k < 200 && high - low > 1; ++k) {
    const double wide = std::max(low, 1.0);
    double middle = high > 4 * wide ? std::sqrt(high) * std::sqrt(wide) : 0.5 * (low + high);
    middle = std::clamp(std::floor(middle), low + 1, high - 1);
    if (!(middle > low && middle < high)) break;
    (log_count_interval(id, {bounds.lower, middle}, parameters) >= all ? high : low) = middle;
  }
  return high;
}

}  // namespace

bool has_count_law(Id id) {
  return id == Id::binomial || id == Id::poisson || id == Id::negative_binomial ||
         id == Id::hypergeometric || id == Id::beta_binomial;
}

double log_count_interval(Id id, Bounds bounds, Parameters parameters) {
  const CountLaw law(id, parameters);
  const Bounds range = law.range();
  bounds = {std::max(bounds.lower, range.lower), std::min(bounds.upper, range.upper)};
  if (!(bounds.lower <= bounds.upper)) return kNever;
  double sum = log_sum_of_masses(law, bounds);
  if (id == Id::hypergeometric) {  // whose mass at the turn is 1, in both sums
    const double turn = law.turn(), m = std::clamp(turn, bounds.lower, bounds.upper);
    sum += law.log_change(turn, m - turn) - log_sum_of_masses(law, range);
  }
  return std::isnan(sum) ? kNever : std::min(0.0, sum);
}

double count_mode(Id id, Parameters parameters) {
  const CountLaw law(id, parameters);
  return std::clamp(law.turn(), law.range().lower, law.range().upper);
}

double draw_count_between(Id id, Bounds bounds, Parameters parameters, Random& random) {
  const CountLaw law(id, parameters);
  const Bounds range = law.range();
  bounds = {std::max(bounds.lower, range.lower), std::min(bounds.upper, range.upper)};
  if (!(bounds.lower <= bounds.upper)) return std::numeric_limits<double>::quiet_NaN();
  if (bounds.upper - bounds.lower <= 64) return draw_listed(law, bounds, random);
  if (law.log_concave()) {
    const double m = std::clamp(law.turn(), bounds.lower, bounds.upper);
    return m + draw_log_concave_count([&](double s) { return law.log_change(m, s); },
                                      m - bounds.lower, bounds.upper - m, random);
  }
  for (int k = 0; k < 32; ++k) {
    double x = 0;
    draw(id, parameters, random, {&x, 1});
    if (x >= bounds.lower && x <= bounds.upper) return x;
  }
  return invert(id, bounds, parameters, draw_open_uniform(random));
}

}  // namespace croft::bugs
