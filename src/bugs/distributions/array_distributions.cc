#include "bugs/distributions/array_distributions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bugs/distributions/autoregression.h"
#include "bugs/distributions/count_laws.h"
#include "bugs/distributions/dense.h"
#include "bugs/distributions/densities.h"
#include "bugs/distributions/draws.h"
#include "bugs/distributions/softplus.h"

namespace croft::bugs {
namespace {

using Id = DistributionId;
constexpr double kLogTwoPi = 1.83787706640934548356;

double sum_of(Numbers x) { return std::accumulate(x.begin(), x.end(), 0.0); }

// (x - mu)' M (x - mu)
double quadratic_form(Numbers x, Numbers mu, Numbers matrix) {
  const std::size_t n = mu.size();
  double sum = 0;
  for (std::size_t j = 0; j < n; ++j) {
    double row = 0;
    for (std::size_t i = 0; i < n; ++i) row += matrix[i + j * n] * (x[i] - mu[i]);
    sum += row * (x[j] - mu[j]);
  }
  return sum;
}

double normal_log_density(Numbers x, Numbers mu, Numbers precision, Part part) {
  double sum = -0.5 * quadratic_form(x, mu, precision);
  if (part != Part::of_value) {
    std::vector<double> factor(precision.size());
    if (!dense_cholesky(mu.size(), precision, factor)) return kNever;
    sum += 0.5 * log_determinant_of_factor(mu.size(), factor);
  }
  return part == Part::whole ? sum - 0.5 * kLogTwoPi * static_cast<double>(mu.size()) : sum;
}

double normal_covariance_log_density(Numbers x, Numbers mu, Numbers covariance, Part part) {
  const std::size_t n = mu.size();
  std::vector<double> factor(covariance.size()), d(n);
  if (!dense_cholesky(n, covariance, factor)) return kNever;
  for (std::size_t i = 0; i < n; ++i) d[i] = x[i] - mu[i];
  solve_lower(n, factor, d.data());
  double sum = 0;
  for (const double value : d) sum -= 0.5 * value * value;
  if (part != Part::of_value) sum -= 0.5 * log_determinant_of_factor(n, factor);
  return part == Part::whole ? sum - 0.5 * kLogTwoPi * static_cast<double>(n) : sum;
}

double student_log_density(Numbers x, Numbers mu, Numbers precision, double k, Part part) {
  const auto n = static_cast<double>(mu.size());
  if (!(k > 0)) return kNever;
  double sum = -0.5 * (k + n) * std::log1p(quadratic_form(x, mu, precision) / k);
  if (part == Part::of_value) return sum;
  std::vector<double> factor(precision.size());
  if (!dense_cholesky(mu.size(), precision, factor)) return kNever;
  return sum + 0.5 * log_determinant_of_factor(mu.size(), factor) + log_gamma(0.5 * (k + n)) -
         log_gamma(0.5 * k) - 0.5 * n * std::log(k * std::numbers::pi);
}

std::size_t side_of(Numbers matrix) {
  return static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(matrix.size()))));
}

double wishart_log_density(Numbers x, Numbers scale, double k, Part part) {
  const std::size_t n = side_of(scale);
  const auto p = static_cast<double>(n);
  std::vector<double> factor(x.size());
  if (!(k > p - 1) || !dense_cholesky(n, x, factor)) return kNever;
  double sum = 0.5 * (k - p - 1) * log_determinant_of_factor(n, factor);
  for (std::size_t i = 0; i < x.size(); ++i) sum -= 0.5 * scale[i] * x[i];
  if (part == Part::of_value) return sum;
  if (!dense_cholesky(n, scale, factor)) return kNever;
  sum += 0.5 * k * log_determinant_of_factor(n, factor) - 0.5 * k * p * std::numbers::ln2 -
         0.25 * p * (p - 1) * std::log(std::numbers::pi);
  for (std::size_t i = 0; i < n; ++i) sum -= log_gamma(0.5 * (k - static_cast<double>(i)));
  return sum;
}

// dwish(2 k diag(b), k + p - 1) with b_i ~ dgamma(1/2, 1 / s_i^2), b summed out (Huang & Wand
// 2013).
double scaled_wishart_log_density(Numbers x, Numbers s, double k, Part part) {
  const std::size_t n = s.size();
  const auto p = static_cast<double>(n);
  std::vector<double> factor(x.size());
  if (!(k > 0) || !dense_cholesky(n, x, factor)) return kNever;
  double sum = 0.5 * (k - 2) * log_determinant_of_factor(n, factor);
  for (std::size_t i = 0; i < n; ++i) {
    if (!(s[i] > 0)) return kNever;
    sum -= 0.5 * (k + p) * std::log(k * x[i * (n + 1)] + 1 / (s[i] * s[i]));
  }
  if (part == Part::of_value) return sum;
  sum += 0.5 * p * (k + p - 1) * std::log(k) - 0.25 * p * (p - 1) * std::log(std::numbers::pi);
  for (std::size_t i = 0; i < n; ++i) {
    sum += log_gamma(0.5 * (k + p)) - 0.5 * std::log(std::numbers::pi) - std::log(s[i]) -
           log_gamma(0.5 * (k + p - 1 - static_cast<double>(i)));
  }
  return sum;
}

// A parameter of 0 makes its element 0, as in JAGS.
double dirichlet_log_density(Numbers x, Numbers alpha, Part part) {
  double sum = 0, total = 0, whole = 0;
  for (std::size_t i = 0; i < alpha.size(); ++i) {
    if (!(alpha[i] >= 0) || !(x[i] >= 0)) return kNever;
    total += x[i];
    if (alpha[i] == 0) {
      if (x[i] != 0) return kNever;
      continue;
    }
    if (alpha[i] != 1) sum += (alpha[i] - 1) * std::log(x[i]);
    whole += alpha[i];
    if (part != Part::of_value) sum -= log_gamma(alpha[i]);
  }
  if (!(std::fabs(total - 1) < 1e-6) || !(whole > 0)) return kNever;
  return part == Part::of_value ? sum : sum + log_gamma(whole);
}

double multinomial_log_density(Numbers x, Numbers pi, double n, Part part) {
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < pi.size(); ++i) {
    if (!(x[i] >= 0) || !is_whole(x[i]) || !(pi[i] >= 0)) return kNever;
    if (x[i] > 0) sum += x[i] * std::log(pi[i]);
    if (part != Part::of_parameters) sum -= log_gamma(x[i] + 1);
    total += x[i];
  }
  if (total != n) return kNever;
  if (part != Part::of_value) sum -= n == 0 ? 0 : n * std::log(sum_of(pi));
  return part == Part::whole ? sum + log_gamma(n + 1) : sum;
}

double categorical_log_density(double x, Numbers pi, Part part) {
  if (!(x >= 1) || !is_whole(x) || x > static_cast<double>(pi.size())) return kNever;
  const double p = pi[static_cast<std::size_t>(x) - 1];
  if (!(p >= 0)) return kNever;
  return part == Part::of_value ? std::log(p) : std::log(p / sum_of(pi));
}

double mixture_log_density(double x, Numbers mu, Numbers tau, Numbers pi) {
  double sum = 0;
  for (std::size_t i = 0; i < mu.size(); ++i) {
    if (!(tau[i] > 0) || !(pi[i] >= 0)) return kNever;
    sum += pi[i] * std::exp(normal_density<Part::whole>(x, mu[i], tau[i]));
  }
  return std::log(sum / sum_of(pi));
}

// ln (F(c_x - mu) - F(c_(x-1) - mu)), without a difference that cancels.
double ordered_log_density(Id id, double x, double mu, Numbers cuts) {
  const auto categories = static_cast<double>(cuts.size()) + 1;
  if (!(x >= 1 && x <= categories) || !is_whole(x)) return kNever;
  const auto k = static_cast<std::size_t>(x);
  const double a = k == 1 ? kNever : cuts[k - 2], b = x == categories ? -kNever : cuts[k - 1];
  if (!(a <= b) || !std::isfinite(mu)) return kNever;
  if (id == Id::ordered_probit) {
    const double one = 1;
    const Numbers views[] = {{&mu, 1}, {&one, 1}};
    return log_interval_probability(Id::normal, {a, b}, views);
  }
  // (1 - e^(a - b)) F(b - mu) F(mu - a)
  const double width = std::isinf(a) || std::isinf(b) ? 0 : std::log(-std::expm1(a - b));
  return width - softplus(mu - b) - softplus(a - mu);
}

std::vector<double> ordered_weights(Id id, Parameters p) {
  std::vector<double> weights;
  for (std::size_t k = 1; k <= p[1].size() + 1; ++k)
    weights.push_back(std::exp(ordered_log_density(id, static_cast<double>(k), p[0][0], p[1])));
  return weights;
}

// The sum of term k of each parameter.
double sum_of_terms(Parameters p, std::size_t k) {
  double sum = 0;
  for (const Numbers& term : p) sum += term[k];
  return sum;
}

// Rounding aside.
double sum_log_density(Numbers x, Parameters p) {
  for (std::size_t k = 0; k < x.size(); ++k) {
    double size = std::fabs(x[k]);
    for (const Numbers& term : p) size += std::fabs(term[k]);
    if (!(std::fabs(x[k] - sum_of_terms(p, k)) <= 1e-9 * size)) return kNever;
  }
  return 0;
}

// The number of cut points below t.
double interval_of(double t, Numbers cuts) {
  double count = 0;
  for (const double cut : cuts) count += cut < t ? 1 : 0;
  return count;
}

std::size_t draw_index(Numbers weights, Random& random) {
  double u = random.uniform() * sum_of(weights);
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] > 0)) continue;
    last = i;
    if (u < weights[i]) return i;
    u -= weights[i];
  }
  return last;
}

// mu + L'^-1 z of the precision L L'; mu + L z of a covariance.
void draw_multivariate_normal(Numbers mu, Numbers matrix, bool precision, double scale,
                              Random& random, std::span<double> value) {
  const std::size_t n = mu.size();
  std::vector<double> factor(matrix.size()), z(n);
  if (!dense_cholesky(n, matrix, factor)) {
    std::fill(value.begin(), value.end(), std::numeric_limits<double>::quiet_NaN());
    return;
  }
  for (double& element : z) element = scale * draw_normal(random);
  if (precision) {
    solve_upper(n, factor, z.data());
    for (std::size_t i = 0; i < n; ++i) value[i] = mu[i] + z[i];
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    value[i] = mu[i];
    for (std::size_t k = 0; k <= i; ++k) value[i] += factor[i + k * n] * z[k];
  }
}

// Bartlett (1933): scale = C C', x = (C'^-1 A)(C'^-1 A)', A lower with roots of chi-squared draws
// on its diagonal and normal draws below it.
void draw_wishart(Numbers scale, double k, Random& random, std::span<double> value) {
  const std::size_t n = side_of(scale);
  std::vector<double> factor(scale.size()), a(scale.size(), 0.0);
  if (!dense_cholesky(n, scale, factor)) {
    std::fill(value.begin(), value.end(), std::numeric_limits<double>::quiet_NaN());
    return;
  }
  for (std::size_t j = 0; j < n; ++j) {
    a[j + j * n] = std::sqrt(2 * draw_gamma(0.5 * (k - static_cast<double>(j)), random));
    for (std::size_t i = j + 1; i < n; ++i) a[i + j * n] = draw_normal(random);
    solve_upper(n, factor, a.data() + j * n);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t l = 0; l < n; ++l) sum += a[i + l * n] * a[j + l * n];
      value[i + j * n] = value[j + i * n] = sum;
    }
  }
}

// In logarithms: small parameters do not make 0 / 0.
void draw_dirichlet(Numbers alpha, Random& random, std::span<double> value) {
  double most = kNever, total = 0;
  for (std::size_t i = 0; i < alpha.size(); ++i) {
    value[i] = alpha[i] > 0 ? draw_log_gamma(alpha[i], random) : kNever;
    most = std::max(most, value[i]);
  }
  for (double& x : value) total += x = std::exp(x - most);
  for (double& x : value) x /= total;
}

void draw_multinomial(Numbers pi, double n, Random& random, std::span<double> value) {
  double left = sum_of(pi);
  for (std::size_t i = 0; i < pi.size(); ++i) {
    const bool last = i + 1 == pi.size();
    value[i] = last ? n : draw_binomial(n, left > 0 ? std::min(1.0, pi[i] / left) : 0, random);
    n -= value[i];
    left -= pi[i];
  }
}

Bounds hypergeometric_bounds(Parameters p) {
  return {std::max(0.0, p[2][0] - p[1][0]), std::min(p[0][0], p[2][0])};
}

std::vector<double> hypergeometric_weights(Parameters p) {
  std::vector<double> terms = hypergeometric_terms(p, hypergeometric_bounds(p));
  if (terms.empty()) return terms;
  const double most = *std::max_element(terms.begin(), terms.end());
  for (double& term : terms) term = std::exp(term - most);
  return terms;
}

// Beyond so many values the masses are not listed.
bool is_listed(Bounds bounds) { return bounds.upper - bounds.lower < 1000; }

double hypergeometric_log_density(double x, Parameters p) {
  const Bounds bounds = hypergeometric_bounds(p);
  if (!(x >= bounds.lower && x <= bounds.upper) || !is_whole(x) || !(p[3][0] > 0)) return kNever;
  if (!is_listed(bounds)) return log_count_interval(Id::hypergeometric, {x, x}, p);
  const std::vector<double> weights = hypergeometric_weights(p);
  return std::log(weights[static_cast<std::size_t>(x - bounds.lower)] / sum_of(weights));
}

std::string fault_of_matrix(Numbers matrix, const char* what) {
  const std::size_t n = side_of(matrix);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double a = matrix[i + j * n], b = matrix[j + i * n];
      if (!(std::fabs(a - b) <= 1e-7 * (1 + std::fabs(a) + std::fabs(b))))
        return std::string("the ") + what + " is not symmetric";
    }
  }
  std::vector<double> factor(matrix.size());
  if (!dense_cholesky(n, matrix, factor))
    return std::string("the ") + what + " is not positive definite";
  return {};
}

std::string fault_of_weights(Numbers weights, const char* what) {
  double sum = 0;
  for (const double weight : weights) {
    if (!(weight >= 0) || std::isinf(weight))
      return std::string("one of the ") + what + " is negative or no finite number";
    sum += weight;
  }
  return sum > 0 ? std::string() : std::string("all ") + what + " are 0";
}

}  // namespace

std::vector<double> hypergeometric_terms(Parameters p, Bounds bounds) {
  const double n1 = p[0][0], n2 = p[1][0], m1 = p[2][0], log_psi = std::log(p[3][0]);
  std::vector<double> terms;
  for (double x = bounds.lower; x <= bounds.upper; ++x)
    terms.push_back(log_choose(n1, x) + log_choose(n2, m1 - x) + x * log_psi);
  return terms;
}

double array_log_density(DistributionId id, Numbers x, Parameters p, Part part) {
  switch (id) {
    case Id::normal_mixture:
      return mixture_log_density(x[0], p[0], p[1], p[2]);
    case Id::categorical:
      return categorical_log_density(x[0], p[0], part);
    case Id::hypergeometric:
      return hypergeometric_log_density(x[0], p);
    case Id::interval:
      return x[0] == interval_of(p[0][0], p[1]) ? 0 : kNever;
    case Id::ordered_logit:
    case Id::ordered_probit:
      return ordered_log_density(id, x[0], p[0][0], p[1]);
    case Id::multivariate_normal:
      return normal_log_density(x, p[0], p[1], part);
    case Id::multivariate_normal_covariance:
      return normal_covariance_log_density(x, p[0], p[1], part);
    case Id::multivariate_student:
      return student_log_density(x, p[0], p[1], p[2][0], part);
    case Id::wishart:
      return wishart_log_density(x, p[0], p[1][0], part);
    case Id::dirichlet:
      return dirichlet_log_density(x, p[0], part);
    case Id::multinomial:
      return multinomial_log_density(x, p[0], p[1][0], part);
    case Id::scaled_wishart:
      return scaled_wishart_log_density(x, p[0], p[1][0], part);
    case Id::autoregression:
      return autoregression_log_density(x, p, part);
    case Id::sum:
      return sum_log_density(x, p);
    default:
      return kNever;
  }
}

void draw_array(DistributionId id, Parameters p, Random& random, std::span<double> value) {
  switch (id) {
    case Id::normal_mixture: {
      const std::size_t i = draw_index(p[2], random);
      value[0] = p[0][i] + draw_normal(random) / std::sqrt(p[1][i]);
      break;
    }
    case Id::categorical:
      value[0] = static_cast<double>(draw_index(p[0], random)) + 1;
      break;
    case Id::hypergeometric:
      if (const Bounds bounds = hypergeometric_bounds(p); !is_listed(bounds)) {
        value[0] = draw_count_between(id, bounds, p, random);
        break;
      }
      value[0] = hypergeometric_bounds(p).lower +
                 static_cast<double>(draw_index(hypergeometric_weights(p), random));
      break;
    case Id::interval:
      value[0] = interval_of(p[0][0], p[1]);
      break;
    case Id::multivariate_normal:
      draw_multivariate_normal(p[0], p[1], true, 1, random, value);
      break;
    case Id::multivariate_normal_covariance:
      draw_multivariate_normal(p[0], p[1], false, 1, random, value);
      break;
    case Id::multivariate_student: {
      const double k = p[2][0];
      const double scale = std::sqrt(0.5 * k / draw_gamma(0.5 * k, random));
      draw_multivariate_normal(p[0], p[1], true, scale, random, value);
      break;
    }
    case Id::wishart:
      draw_wishart(p[0], p[1][0], random, value);
      break;
    case Id::dirichlet:
      draw_dirichlet(p[0], random, value);
      break;
    case Id::multinomial:
      draw_multinomial(p[0], p[1][0], random, value);
      break;
    case Id::ordered_logit:
    case Id::ordered_probit:
      value[0] = static_cast<double>(draw_index(ordered_weights(id, p), random)) + 1;
      break;
    case Id::scaled_wishart: {
      const std::size_t n = p[0].size();
      const double k = p[1][0];
      std::vector<double> scale(n * n, 0.0);
      for (std::size_t i = 0; i < n; ++i)
        scale[i * (n + 1)] = 2 * k * draw_gamma(0.5, random) * p[0][i] * p[0][i];
      draw_wishart(scale, k + static_cast<double>(n) - 1, random, value);
      break;
    }
    case Id::autoregression:
      draw_autoregression(p, random, value);
      break;
    case Id::sum:
      for (std::size_t k = 0; k < value.size(); ++k) value[k] = sum_of_terms(p, k);
      break;
    default:
      break;
  }
}

void typical_array(DistributionId id, Parameters p, std::span<double> value) {
  switch (id) {
    case Id::normal_mixture: {
      double sum = 0;
      for (std::size_t i = 0; i < p[0].size(); ++i) sum += p[2][i] * p[0][i];
      value[0] = sum / sum_of(p[2]);
      break;
    }
    case Id::categorical:
      value[0] = static_cast<double>(std::max_element(p[0].begin(), p[0].end()) - p[0].begin()) + 1;
      break;
    case Id::hypergeometric: {
      if (!is_listed(hypergeometric_bounds(p))) {
        value[0] = count_mode(id, p);
        break;
      }
      const std::vector<double> weights = hypergeometric_weights(p);
      value[0] =
          hypergeometric_bounds(p).lower +
          static_cast<double>(std::max_element(weights.begin(), weights.end()) - weights.begin());
      break;
    }
    case Id::interval:
      value[0] = interval_of(p[0][0], p[1]);
      break;
    case Id::multivariate_normal:
    case Id::multivariate_normal_covariance:
    case Id::multivariate_student:
      std::copy(p[0].begin(), p[0].end(), value.begin());
      break;
    case Id::wishart: {
      const std::size_t n = side_of(p[0]);
      std::vector<double> factor(p[0].size());
      if (!dense_cholesky(n, p[0], factor)) break;
      invert_factor(n, factor, value);
      for (double& x : value) x *= p[1][0];
      break;
    }
    case Id::dirichlet: {
      const double sum = sum_of(p[0]);
      for (std::size_t i = 0; i < value.size(); ++i) value[i] = p[0][i] / sum;
      break;
    }
    case Id::ordered_logit:
    case Id::ordered_probit: {
      const std::vector<double> weights = ordered_weights(id, p);
      value[0] = 1 + static_cast<double>(std::max_element(weights.begin(), weights.end()) -
                                         weights.begin());
      break;
    }
    case Id::scaled_wishart:
      std::fill(value.begin(), value.end(), 0.0);
      for (std::size_t i = 0; i < p[0].size(); ++i)
        value[i * (p[0].size() + 1)] = 1 / (p[0][i] * p[0][i]);
      break;
    case Id::autoregression:
      std::fill(value.begin(), value.end(), 0.0);
      break;
    case Id::sum:
      for (std::size_t k = 0; k < value.size(); ++k) value[k] = sum_of_terms(p, k);
      break;
    case Id::multinomial: {
      const double sum = sum_of(p[0]);
      double left = p[1][0];
      for (std::size_t i = 0; i < value.size(); ++i)
        left -= value[i] = std::floor(p[1][0] * p[0][i] / sum);
      value[static_cast<std::size_t>(std::max_element(p[0].begin(), p[0].end()) - p[0].begin())] +=
          left;
      break;
    }
    default:
      break;
  }
}

std::string array_fault(DistributionId id, Parameters p) {
  const auto finite = [](Numbers means) {
    return std::all_of(means.begin(), means.end(), [](double x) { return std::isfinite(x); });
  };
  switch (id) {
    case Id::normal_mixture:
      if (!finite(p[0])) return "a mean is not finite";
      for (const double tau : p[1])
        if (!(tau > 0)) return "a precision is not positive";
      return fault_of_weights(p[2], "weights");
    case Id::categorical:
      return fault_of_weights(p[0], "probabilities");
    case Id::hypergeometric:
      for (std::size_t i = 0; i < 3; ++i)
        if (!(p[i][0] >= 0) || !is_whole(p[i][0])) return "a count is negative or not whole";
      if (p[2][0] > p[0][0] + p[1][0]) return "more are drawn than there are";
      return p[3][0] > 0 ? "" : "the odds ratio is not positive";
    case Id::interval:
    case Id::ordered_logit:
    case Id::ordered_probit:
      return std::is_sorted(p[1].begin(), p[1].end()) ? "" : "the cut points do not rise";
    case Id::multivariate_normal:
      return finite(p[0]) ? fault_of_matrix(p[1], "precision") : "a mean is not finite";
    case Id::multivariate_normal_covariance:
      return finite(p[0]) ? fault_of_matrix(p[1], "covariance") : "a mean is not finite";
    case Id::multivariate_student:
      if (!finite(p[0])) return "a mean is not finite";
      if (!(p[2][0] > 0)) return "the degrees of freedom are not positive";
      return fault_of_matrix(p[1], "precision");
    case Id::wishart:
      if (!(p[1][0] > static_cast<double>(side_of(p[0])) - 1))
        return "the degrees of freedom are fewer than the rows of the matrix";
      return fault_of_matrix(p[0], "scale matrix");
    case Id::dirichlet:
      return fault_of_weights(p[0], "parameters");
    case Id::multinomial:
      if (!(p[1][0] >= 0) || !is_whole(p[1][0])) return "the size is negative or not whole";
      return fault_of_weights(p[0], "probabilities");
    case Id::scaled_wishart:
      for (const double s : p[0])
        if (!(s > 0) || std::isinf(s)) return "a scale is not positive and finite";
      return p[1][0] > 0 ? "" : "the degrees of freedom are not positive";
    case Id::autoregression:
      return autoregression_fault(p);
    default:
      return {};
  }
}

}  // namespace croft::bugs
