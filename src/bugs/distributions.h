// The distributions of BUGS, a row each: parameters, support, density, draws, cdf, quantile.
//
// docs/math/bugs_distributions.md has the densities, in JAGS' parametrisation: dnorm(mu, tau) has
// precision tau, dgamma(r, lambda) the rate lambda.
//
// A value and each parameter is an array of doubles in R's order; a scalar has one element.  What a
// value is given here is always a whole node: dmnorm's has n elements, dwish's n * n.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/core/random.h"

namespace croft::bugs {

enum class DistributionId : std::uint8_t {
  // continuous, scalar
  normal,
  gamma,
  beta,
  uniform,
  exponential,
  weibull,
  log_normal,
  logistic,
  student,
  laplace,
  pareto,
  chi_squared,
  f,
  generalized_gamma,
  noncentral_chi_squared,
  normal_mixture,
  scaled_gamma,
  flat,
  log_likelihood,
  rounded,
  copied,  // of the function cut: what a node has, without what its children say
  // discrete, scalar
  bernoulli,
  binomial,
  poisson,
  categorical,
  negative_binomial,
  hypergeometric,
  geometric,
  beta_binomial,
  interval,
  ordered_logit,
  ordered_probit,
  // of arrays
  multivariate_normal,
  multivariate_normal_covariance,
  multivariate_student,
  wishart,
  dirichlet,
  multinomial,
  scaled_wishart,
  autoregression,
  sum,
};

enum class Shape : std::uint8_t { scalar, vector, matrix };  // matrix: square

struct ParameterRow {
  std::string_view name;
  Shape shape = Shape::scalar;
};

struct Distribution {
  DistributionId id;
  std::string_view name;                       // dnorm
  std::vector<std::string_view> aliases = {};  // of JAGS, such as dbinom
  std::vector<ParameterRow> parameters = {};
  Shape value = Shape::scalar;
  bool discrete = false;
  bool has_cdf = false;     // so it can be truncated, and has the functions pnorm, qnorm
  bool any_number = false;  // of parameters, all like the one of the row
};

std::span<const Distribution> distributions();
const Distribution* find_distribution(std::string_view name);  // by name or alias; null: none
const Distribution& distribution(DistributionId id);

using Numbers = std::span<const double>;
using Parameters = std::span<const Numbers>;

// How many elements the value has, given the sizes of the parameters' arrays; 0 where the sizes do
// not fit each other (dmnorm's precision has to be n * n for a mean of n elements).
std::size_t value_size(DistributionId id, std::span<const std::size_t> parameter_sizes);

// Why the parameters are not of this distribution ("the precision is -1, and has to be positive");
// empty where they are.
std::string parameter_fault(DistributionId id, Parameters parameters);
bool parameters_fit(DistributionId id, Parameters parameters);

struct Bounds {
  double lower, upper;  // of a scalar value; infinite where there is none
};
// Outside them the density is 0.  dunif, dpar, dbin, dcat, dhyper: they depend on the parameters.
Bounds support(DistributionId id, Parameters parameters);

// What of a log density is wanted: all of it, or up to terms that do not depend on the value, or up
// to terms that do not depend on the parameters.
enum class Part : std::uint8_t { whole, of_value, of_parameters };

// ln p(value | parameters); -inf outside the support, and where the parameters are not allowed.
double log_density(DistributionId id, Numbers value, Parameters parameters,
                   Part part = Part::whole);

void draw(DistributionId id, Parameters parameters, Random& random, std::span<double> value);

// A typical value: the mean where there is one that is a value of the distribution, else a mode or
// median.
void typical_value(DistributionId id, Parameters parameters, std::span<double> value);

// Of scalar distributions with has_cdf.  P(X <= x), and P(X > x) without its loss of digits.
double cdf(DistributionId id, double x, Parameters parameters);
double complement_cdf(DistributionId id, double x, Parameters parameters);
// Smallest x with P(X <= x) >= p.
double quantile(DistributionId id, double p, Parameters parameters);
double complement_quantile(DistributionId id, double p, Parameters parameters);

// ln P(lower <= X <= upper): what T(lower, upper) divides the density by.
double log_interval_probability(DistributionId id, Bounds bounds, Parameters parameters);
// A draw from what T(lower, upper) leaves; NaN where that has no mass.
double draw_truncated(DistributionId id, Bounds bounds, Parameters parameters, Random& random);

}  // namespace croft::bugs
