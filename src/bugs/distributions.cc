#include "bugs/distributions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bugs/distributions/array_distributions.h"
#include "bugs/distributions/count_laws.h"
#include "bugs/distributions/densities.h"
#include "bugs/distributions/draws.h"

namespace croft::bugs {
namespace {

using Id = DistributionId;
constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr Shape kVector = Shape::vector, kMatrix = Shape::matrix;

// In the order of DistributionId.
const std::vector<Distribution>& table() {
  static const std::vector<Distribution> rows = {
      {.id = Id::normal, .name = "dnorm", .parameters = {{"mu"}, {"tau"}}, .has_cdf = true},
      {.id = Id::gamma, .name = "dgamma", .parameters = {{"r"}, {"lambda"}}, .has_cdf = true},
      {.id = Id::beta, .name = "dbeta", .parameters = {{"a"}, {"b"}}, .has_cdf = true},
      {.id = Id::uniform, .name = "dunif", .parameters = {{"a"}, {"b"}}, .has_cdf = true},
      {.id = Id::exponential, .name = "dexp", .parameters = {{"lambda"}}, .has_cdf = true},
      {.id = Id::weibull,
       .name = "dweib",
       .aliases = {"dweibull"},
       .parameters = {{"v"}, {"lambda"}},
       .has_cdf = true},
      {.id = Id::log_normal, .name = "dlnorm", .parameters = {{"mu"}, {"tau"}}, .has_cdf = true},
      {.id = Id::logistic, .name = "dlogis", .parameters = {{"mu"}, {"tau"}}, .has_cdf = true},
      {.id = Id::student, .name = "dt", .parameters = {{"mu"}, {"tau"}, {"k"}}, .has_cdf = true},
      {.id = Id::laplace, .name = "ddexp", .parameters = {{"mu"}, {"tau"}}, .has_cdf = true},
      {.id = Id::pareto, .name = "dpar", .parameters = {{"alpha"}, {"c"}}, .has_cdf = true},
      {.id = Id::chi_squared,
       .name = "dchisqr",
       .aliases = {"dchisq"},
       .parameters = {{"k"}},
       .has_cdf = true},
      {.id = Id::f, .name = "df", .parameters = {{"n"}, {"m"}}, .has_cdf = true},
      {.id = Id::generalized_gamma,
       .name = "dgen.gamma",
       .aliases = {"dggamma"},
       .parameters = {{"r"}, {"lambda"}, {"b"}},
       .has_cdf = true},
      {.id = Id::noncentral_chi_squared,
       .name = "dnchisqr",
       .aliases = {"dnchisq"},
       .parameters = {{"k"}, {"delta"}},
       .has_cdf = true},
      {.id = Id::normal_mixture,
       .name = "dnormmix",
       .parameters = {{"mu", kVector}, {"tau", kVector}, {"pi", kVector}}},
      {.id = Id::scaled_gamma,
       .name = "dscaled.gamma",
       .parameters = {{"s"}, {"k"}},
       .has_cdf = true},
      {.id = Id::flat, .name = "dflat"},
      {.id = Id::log_likelihood, .name = "dloglik", .parameters = {{"l"}}},
      {.id = Id::rounded, .name = "dround", .parameters = {{"t"}, {"d"}}},
      {.id = Id::copied, .name = "cut", .parameters = {{"x"}}},
      {.id = Id::bernoulli,
       .name = "dbern",
       .parameters = {{"p"}},
       .discrete = true,
       .has_cdf = true},
      {.id = Id::binomial,
       .name = "dbin",
       .aliases = {"dbinom"},
       .parameters = {{"p"}, {"n"}},
       .discrete = true,
       .has_cdf = true},
      {.id = Id::poisson,
       .name = "dpois",
       .parameters = {{"lambda"}},
       .discrete = true,
       .has_cdf = true},
      {.id = Id::categorical, .name = "dcat", .parameters = {{"pi", kVector}}, .discrete = true},
      {.id = Id::negative_binomial,
       .name = "dnegbin",
       .aliases = {"dnbinom"},
       .parameters = {{"p"}, {"r"}},
       .discrete = true,
       .has_cdf = true},
      {.id = Id::hypergeometric,
       .name = "dhyper",
       .parameters = {{"n1"}, {"n2"}, {"m1"}, {"psi"}},
       .discrete = true,
       .has_cdf = true},
      {.id = Id::geometric,
       .name = "dgeom",
       .parameters = {{"p"}},
       .discrete = true,
       .has_cdf = true},
      {.id = Id::beta_binomial,
       .name = "dbetabin",
       .aliases = {"dbetabinom"},
       .parameters = {{"a"}, {"b"}, {"n"}},
       .discrete = true,
       .has_cdf = true},
      {.id = Id::interval,
       .name = "dinterval",
       .parameters = {{"t"}, {"c", kVector}},
       .discrete = true},
      {.id = Id::ordered_logit,
       .name = "dordered.logit",
       .parameters = {{"mu"}, {"c", kVector}},
       .discrete = true},
      {.id = Id::ordered_probit,
       .name = "dordered.probit",
       .parameters = {{"mu"}, {"c", kVector}},
       .discrete = true},
      {.id = Id::multivariate_normal,
       .name = "dmnorm",
       .parameters = {{"mu", kVector}, {"Omega", kMatrix}},
       .value = kVector},
      {.id = Id::multivariate_normal_covariance,
       .name = "dmnorm.vcov",
       .parameters = {{"mu", kVector}, {"Sigma", kMatrix}},
       .value = kVector},
      {.id = Id::multivariate_student,
       .name = "dmt",
       .parameters = {{"mu", kVector}, {"Omega", kMatrix}, {"k"}},
       .value = kVector},
      {.id = Id::wishart, .name = "dwish", .parameters = {{"R", kMatrix}, {"k"}}, .value = kMatrix},
      {.id = Id::dirichlet,
       .name = "ddirch",
       .aliases = {"ddirich"},
       .parameters = {{"alpha", kVector}},
       .value = kVector},
      {.id = Id::multinomial,
       .name = "dmulti",
       .parameters = {{"pi", kVector}, {"n"}},
       .value = kVector,
       .discrete = true},
      {.id = Id::scaled_wishart,
       .name = "dscaled.wishart",
       .parameters = {{"s", kVector}, {"k"}},
       .value = kMatrix},
      {.id = Id::autoregression,
       .name = "car.normal",
       .parameters = {{"adj", kVector}, {"weights", kVector}, {"num", kVector}, {"tau"}},
       .value = kVector},
      {.id = Id::sum,
       .name = "dsum",
       .parameters = {{"x", kVector}},
       .value = kVector,
       .any_number = true},
  };
  return rows;
}

// Those with a vector of parameters or an array as value; array_distributions.h has them.
bool of_arrays(Id id) {
  return id >= Id::multivariate_normal || id == Id::normal_mixture || id == Id::categorical ||
         id == Id::hypergeometric || id == Id::interval || id == Id::ordered_logit ||
         id == Id::ordered_probit;
}

std::size_t side_of_square(std::size_t size) {
  const auto side = static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(size))));
  return side * side == size ? side : 0;
}

bool whole_count(double x) { return x >= 0 && is_whole(x) && std::isfinite(x); }

}  // namespace

std::span<const Distribution> distributions() { return table(); }

const Distribution* find_distribution(std::string_view name) {
  for (const Distribution& row : table()) {
    if (row.name == name ||
        std::find(row.aliases.begin(), row.aliases.end(), name) != row.aliases.end())
      return &row;
  }
  return nullptr;
}

const Distribution& distribution(DistributionId id) {
  return table()[static_cast<std::size_t>(id)];
}

std::size_t value_size(DistributionId id, std::span<const std::size_t> sizes) {
  const Distribution& row = distribution(id);
  if (!row.any_number && sizes.size() != row.parameters.size()) return 0;
  if (id == Id::autoregression) return sizes[0] == sizes[1] && sizes[3] == 1 ? sizes[2] : 0;
  std::size_t vector = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Shape shape = row.parameters[row.any_number ? 0 : i].shape;
    if (sizes[i] == 0 || (shape == Shape::scalar && sizes[i] != 1)) return 0;
    if (shape == Shape::scalar || id == Id::interval) continue;
    const std::size_t side = shape == kMatrix ? side_of_square(sizes[i]) : sizes[i];
    if (side == 0 || (vector != 0 && side != vector)) return 0;
    vector = side;
  }
  if (row.value == Shape::scalar) return 1;
  return row.value == kMatrix ? vector * vector : vector;
}

std::string parameter_fault(DistributionId id, Parameters parameters) {
  const Distribution& row = distribution(id);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    for (const double x : parameters[i])
      if (std::isnan(x))
        return "parameter " + std::string(row.parameters[row.any_number ? 0 : i].name) +
               " is no number";
  }
  if (of_arrays(id)) return array_fault(id, parameters);
  const auto p = [&](std::size_t i) { return parameters[i][0]; };
  const auto says = [&](std::size_t i, const char* what) {
    return "parameter " + std::string(row.parameters[i].name) + " is " + std::to_string(p(i)) +
           ", and has to be " + what;
  };
  const auto positive = [&](std::size_t i) {
    return p(i) > 0 && std::isfinite(p(i)) ? std::string() : says(i, "positive and finite");
  };
  const auto finite = [&](std::size_t i) {
    return std::isfinite(p(i)) ? std::string() : says(i, "finite");
  };
  const auto either = [](std::string first, const std::string& second) {
    return first.empty() ? second : first;
  };
  const auto probability = [&](std::size_t i) {
    return p(i) >= 0 && p(i) <= 1 ? std::string() : says(i, "between 0 and 1");
  };
  switch (id) {
    case Id::normal:
    case Id::log_normal:
    case Id::logistic:
    case Id::laplace:
      return either(finite(0), positive(1));
    case Id::student:
      return either(either(finite(0), positive(1)), p(2) > 0 ? "" : says(2, "positive"));
    case Id::gamma:
    case Id::beta:
    case Id::weibull:
    case Id::pareto:
    case Id::f:
    case Id::scaled_gamma:
      return either(positive(0), positive(1));
    case Id::uniform:
      return either(either(finite(0), finite(1)), p(0) < p(1) ? "" : says(1, "larger than a"));
    case Id::exponential:
    case Id::chi_squared:
      return positive(0);
    case Id::generalized_gamma:
      return either(either(positive(0), positive(1)), positive(2));
    case Id::noncentral_chi_squared:
      return either(positive(0), p(1) >= 0 ? "" : says(1, "at least 0"));
    case Id::bernoulli:
      return probability(0);
    case Id::binomial:
      return either(probability(0), whole_count(p(1)) ? "" : says(1, "a whole number from 0"));
    case Id::poisson:
      return p(0) >= 0 && std::isfinite(p(0)) ? "" : says(0, "at least 0 and finite");
    case Id::negative_binomial:
      return either(p(0) > 0 && p(0) <= 1 ? "" : says(0, "between 0 and 1"),
                    p(1) >= 0 ? "" : says(1, "at least 0"));
    case Id::geometric:
      return p(0) > 0 && p(0) <= 1 ? "" : says(0, "between 0 and 1");
    case Id::beta_binomial:
      return either(either(positive(0), positive(1)),
                    whole_count(p(2)) ? "" : says(2, "a whole number from 0"));
    default:
      return {};
  }
}

bool parameters_fit(DistributionId id, Parameters q) {
  const auto p = [&](std::size_t i) { return q[i][0]; };
  switch (id) {  // the frequent ones without a text
    case Id::normal:
      return p(1) > 0 && std::isfinite(p(1)) && std::isfinite(p(0));
    case Id::gamma:
    case Id::beta:
    case Id::weibull:
      return p(0) > 0 && p(1) > 0 && std::isfinite(p(0)) && std::isfinite(p(1));
    default:
      return parameter_fault(id, q).empty();
  }
}

Bounds support(DistributionId id, Parameters q) {
  const auto p = [&](std::size_t i) { return q[i][0]; };
  switch (id) {
    case Id::normal:
    case Id::logistic:
    case Id::student:
    case Id::laplace:
    case Id::normal_mixture:
    case Id::flat:
    case Id::log_likelihood:
    case Id::rounded:
    case Id::copied:
    case Id::multivariate_normal:
    case Id::multivariate_normal_covariance:
    case Id::multivariate_student:
    case Id::wishart:
    case Id::scaled_wishart:
    case Id::autoregression:
    case Id::sum:
      return {-kEndless, kEndless};
    case Id::uniform:
      return {p(0), p(1)};
    case Id::pareto:
      return {p(1), kEndless};
    case Id::beta:
    case Id::bernoulli:
    case Id::dirichlet:
      return {0, 1};
    case Id::binomial:
      return {0, p(1)};
    case Id::multinomial:
      return {0, p(1)};
    case Id::beta_binomial:
      return {0, p(2)};
    case Id::categorical:
      return {1, static_cast<double>(q[0].size())};
    case Id::interval:
      return {0, static_cast<double>(q[1].size())};
    case Id::ordered_logit:
    case Id::ordered_probit:
      return {1, static_cast<double>(q[1].size()) + 1};
    case Id::hypergeometric:
      return {std::max(0.0, p(2) - p(1)), std::min(p(0), p(2))};
    case Id::geometric:
      return {1, kEndless};
    default:
      return {0, kEndless};
  }
}

double log_density(DistributionId id, Numbers value, Parameters parameters, Part part) {
  if (of_arrays(id)) return array_log_density(id, value, parameters, part);
  double p[3] = {};
  for (std::size_t i = 0; i < parameters.size(); ++i) p[i] = parameters[i][0];
  switch (part) {
    case Part::of_value:
      return scalar_density<Part::of_value>(id, value[0], p);
    case Part::of_parameters:
      return scalar_density<Part::of_parameters>(id, value[0], p);
    default:
      break;
  }
  const double whole = scalar_density<Part::whole>(id, value[0], p);
  // With large counts, the logarithms of their factorials cancel.
  constexpr double kLarge = 1e6;
  const bool large =
      std::isfinite(whole) && has_count_law(id) && support(id, parameters).upper > kLarge;
  return large && (value[0] > kLarge || id == Id::beta_binomial)
             ? log_count_interval(id, {value[0], value[0]}, parameters)
             : whole;
}

void draw(DistributionId id, Parameters q, Random& random, std::span<double> value) {
  if (of_arrays(id)) return draw_array(id, q, random, value);
  const auto p = [&](std::size_t i) { return q[i][0]; };
  const auto chi_squared = [&](double k) { return 2 * draw_gamma(0.5 * k, random); };
  double& x = value[0];
  switch (id) {
    case Id::normal:
      x = p(0) + draw_normal(random) / std::sqrt(p(1));
      break;
    case Id::gamma:
      x = draw_gamma(p(0), random) / p(1);
      break;
    case Id::beta:
      x = draw_beta(p(0), p(1), random);
      break;
    case Id::uniform:
      x = p(0) + (p(1) - p(0)) * random.uniform();
      break;
    case Id::exponential:
      x = draw_exponential(random) / p(0);
      break;
    case Id::weibull:
      x = std::pow(draw_exponential(random) / p(1), 1 / p(0));
      break;
    case Id::log_normal:
      x = std::exp(p(0) + draw_normal(random) / std::sqrt(p(1)));
      break;
    case Id::logistic: {
      const double u = draw_open_uniform(random);
      x = p(0) + std::log(u / (1 - u)) / p(1);
      break;
    }
    case Id::student:
      x = p(0) + draw_normal(random) / std::sqrt(p(1) * chi_squared(p(2)) / p(2));
      break;
    case Id::laplace: {
      const double size = draw_exponential(random) / p(1);
      x = random.next() >> 63 != 0 ? p(0) + size : p(0) - size;
      break;
    }
    case Id::pareto:
      x = p(1) * std::exp(draw_exponential(random) / p(0));
      break;
    case Id::chi_squared:
      x = chi_squared(p(0));
      break;
    case Id::f: {
      const double upper = chi_squared(p(0)) / p(0);
      x = upper / (chi_squared(p(1)) / p(1));
      break;
    }
    case Id::generalized_gamma:
      x = std::pow(draw_gamma(p(0), random), 1 / p(2)) / p(1);
      break;
    case Id::noncentral_chi_squared: {  // a mixture by a Poisson number of degrees of freedom
      const double more = draw_poisson(0.5 * p(1), random);
      x = chi_squared(p(0) + 2 * more);
      break;
    }
    case Id::scaled_gamma: {
      const double upper = chi_squared(p(1)) / p(1);
      x = upper / (chi_squared(1) * p(0) * p(0));
      break;
    }
    case Id::flat:  // there is none
      x = std::numeric_limits<double>::quiet_NaN();
      break;
    case Id::rounded:
      x = rounded_to(p(0), p(1));
      break;
    case Id::copied:
      x = p(0);
      break;
    case Id::bernoulli:
      x = random.uniform() < p(0) ? 1 : 0;
      break;
    case Id::binomial:
      x = draw_binomial(p(1), p(0), random);
      break;
    case Id::poisson:
      x = draw_poisson(p(0), random);
      break;
    case Id::negative_binomial:
      x = p(1) == 0 || p(0) == 1
              ? 0
              : draw_poisson(draw_gamma(p(1), random) * (1 - p(0)) / p(0), random);
      break;
    case Id::geometric:
      x = p(0) == 1 ? 1 : 1 + std::floor(-draw_exponential(random) / std::log1p(-p(0)));
      break;
    case Id::beta_binomial:
      x = draw_binomial(p(2), draw_beta(p(0), p(1), random), random);
      break;
    default:
      break;
  }
}

void typical_value(DistributionId id, Parameters q, std::span<double> value) {
  if (of_arrays(id)) return typical_array(id, q, value);
  const auto p = [&](std::size_t i) { return q[i][0]; };
  double& x = value[0];
  switch (id) {
    case Id::normal:
    case Id::logistic:
    case Id::student:
    case Id::laplace:
      x = p(0);
      break;
    case Id::gamma:
      x = p(0) / p(1);
      break;
    case Id::beta:
      x = p(0) / (p(0) + p(1));
      break;
    case Id::uniform:
      x = 0.5 * (p(0) + p(1));
      break;
    case Id::exponential:
      x = 1 / p(0);
      break;
    case Id::weibull:
      x = std::pow(std::numbers::ln2 / p(1), 1 / p(0));
      break;
    case Id::log_normal:
      x = std::exp(p(0));
      break;
    case Id::pareto:
      x = p(1) * std::exp2(1 / p(0));
      break;
    case Id::chi_squared:
      x = p(0);
      break;
    case Id::f:
      x = 1;
      break;
    case Id::scaled_gamma:
      x = 1 / (p(0) * p(0));
      break;
    case Id::flat:
      x = 0;
      break;
    case Id::rounded:
      x = rounded_to(p(0), p(1));
      break;
    case Id::copied:
      x = p(0);
      break;
    case Id::generalized_gamma:
      x = std::pow(p(0), 1 / p(2)) / p(1);
      break;
    case Id::noncentral_chi_squared:
      x = p(0) + p(1);
      break;
    case Id::bernoulli:
      x = p(0) < 0.5 ? 0 : 1;
      break;
    case Id::binomial:
      x = std::min(p(1), std::floor((p(1) + 1) * p(0)));
      break;
    case Id::poisson:
      x = std::floor(p(0));
      break;
    case Id::negative_binomial:
      x = std::floor(p(1) * (1 - p(0)) / p(0));
      break;
    case Id::geometric:
      x = 1;
      break;
    case Id::beta_binomial:
      x = std::floor(p(2) * p(0) / (p(0) + p(1)));
      break;
    default:
      break;
  }
}

}  // namespace croft::bugs
