#include "bugs/distributions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <deque>
#include <functional>

#include "bugs/distributions/cumulative.h"
#include "bugs/distributions/draws.h"
#include "core/chi_squared.h"

namespace croft::bugs::distributions_test {
namespace {

using Id = DistributionId;
namespace bm = boost::math;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A distribution with parameters, as the views that the functions take.
struct Case {
  Case(Id which, std::vector<std::vector<double>> arrays) : id(which), numbers(std::move(arrays)) {
    for (const auto& array : numbers) views.emplace_back(array);
  }
  Case(const Case& other) : Case(other.id, other.numbers) {}
  Case& operator=(const Case&) = delete;
  Parameters parameters() const { return views; }
  double at(double x, Part part = Part::whole) const {
    return log_density(id, {&x, 1}, views, part);
  }
  std::string text() const {
    std::string result(distribution(id).name);
    for (const auto& array : numbers)
      for (const double x : array) result += " " + std::to_string(x);
    return result;
  }
  Id id;
  std::vector<std::vector<double>> numbers;
  std::vector<Numbers> views;
};

Case scalars(Id id, std::vector<double> p) {
  std::vector<std::vector<double>> arrays;
  for (const double x : p) arrays.push_back({x});
  return {id, arrays};
}

std::vector<Case> continuous_cases() {
  return {scalars(Id::normal, {1.5, 0.25}),
          scalars(Id::normal, {-3, 100}),
          scalars(Id::gamma, {0.4, 2}),
          scalars(Id::gamma, {1, 3}),
          scalars(Id::gamma, {7.5, 0.1}),
          scalars(Id::beta, {0.5, 0.7}),
          scalars(Id::beta, {2, 5}),
          scalars(Id::beta, {1, 1}),
          scalars(Id::uniform, {-2, 3}),
          scalars(Id::exponential, {0.3}),
          scalars(Id::weibull, {0.8, 2}),
          scalars(Id::weibull, {3, 0.01}),
          scalars(Id::log_normal, {0.3, 4}),
          scalars(Id::logistic, {2, 0.7}),
          scalars(Id::student, {1, 2, 1}),
          scalars(Id::student, {0, 0.5, 4}),
          scalars(Id::student, {0, 1, 120}),
          scalars(Id::laplace, {1, 2}),
          scalars(Id::pareto, {2.5, 0.4}),
          scalars(Id::chi_squared, {3}),
          scalars(Id::f, {4, 7}),
          scalars(Id::f, {1.5, 3}),
          scalars(Id::scaled_gamma, {0.7, 5}),
          scalars(Id::scaled_gamma, {3, 1.5}),
          scalars(Id::generalized_gamma, {2, 0.5, 1.7}),
          scalars(Id::generalized_gamma, {0.7, 2, 0.6}),
          scalars(Id::noncentral_chi_squared, {2.5, 3}),
          scalars(Id::noncentral_chi_squared, {2, 0})};
}

std::vector<Case> discrete_cases() {
  return {scalars(Id::bernoulli, {0.3}),
          scalars(Id::binomial, {0.2, 9}),
          scalars(Id::binomial, {0.83, 40}),
          scalars(Id::binomial, {0.4, 300}),
          scalars(Id::poisson, {0.7}),
          scalars(Id::poisson, {45.5}),
          scalars(Id::negative_binomial, {0.3, 2.5}),
          scalars(Id::negative_binomial, {0.8, 6}),
          scalars(Id::hypergeometric, {8, 5, 6, 1}),
          scalars(Id::hypergeometric, {8, 5, 6, 2.5}),
          scalars(Id::geometric, {0.35}),
          scalars(Id::beta_binomial, {0.8, 2.2, 12})};
}

// Those with vectors of parameters, of one number.
std::vector<Case> listed_cases() {
  return {{Id::categorical, {{0.2, 0, 1.3, 0.5}}},
          {Id::normal_mixture, {{-2, 1, 4}, {1, 4, 0.5}, {0.5, 0.2, 0.3}}},
          {Id::interval, {{2.5}, {1, 2, 3}}}};
}

double integral_of_density(const Case& c, double a, double b) {
  using Rule = bm::quadrature::gauss_kronrod<double, 61>;
  if (a <= 0) {
    return Rule::integrate([&](double x) { return std::exp(c.at(x)); }, a, b, 12, 1e-10);
  }
  // Over log x, in which a density that is steep at 0 is smooth.
  const auto density = [&](double u) { return std::exp(c.at(std::exp(u)) + u); };
  return Rule::integrate(density, std::log(a), std::log(b), 12, 1e-10);
}

TEST(Distributions, ContinuousCdfIsTheIntegralOfTheDensity) {
  for (const Case& c : continuous_cases()) {
    SCOPED_TRACE(c.text());
    double last = 1e-6;
    for (const double p : {0.01, 0.2, 0.5, 0.75, 0.9, 0.999}) {
      const double a = quantile(c.id, last, c.parameters()), b = quantile(c.id, p, c.parameters());
      EXPECT_NEAR(integral_of_density(c, a, b), p - last, 2e-8);
      last = p;
    }
  }
}

TEST(Distributions, DiscreteMassesAddUpToTheCdfAndToOne) {
  for (const Case& c : discrete_cases()) {
    SCOPED_TRACE(c.text());
    const Bounds bounds = support(c.id, c.parameters());
    double sum = 0;
    for (double x = bounds.lower; x <= std::min(bounds.upper, 400.0); ++x) {
      sum += std::exp(c.at(x));
      EXPECT_NEAR(cdf(c.id, x, c.parameters()), sum, 1e-10);
      EXPECT_NEAR(complement_cdf(c.id, x, c.parameters()), 1 - sum, 1e-10);
      EXPECT_NEAR(cdf(c.id, x + 0.5, c.parameters()), sum, 1e-10);
    }
    EXPECT_NEAR(sum, 1, 1e-10);
    EXPECT_EQ(c.at(bounds.lower - 1), -kInfinity);
    EXPECT_EQ(c.at(bounds.lower + 0.5), -kInfinity);
  }
}

TEST(Distributions, QuantileInvertsCdf) {
  for (const Case& c : continuous_cases()) {
    SCOPED_TRACE(c.text());
    // What the rounding of x is worth.
    const auto slack = [&](double x, double p) {
      return 1e-9 + std::exp(c.at(x)) * std::max(std::fabs(x), 1e-3) * 4e-16 / p;
    };
    for (const double p : {1e-9, 1e-4, 0.1, 0.4, 0.5, 0.77, 0.999}) {
      const double x = quantile(c.id, p, c.parameters());
      EXPECT_NEAR(cdf(c.id, x, c.parameters()) / p, 1, slack(x, p));
      const double far = complement_quantile(c.id, p, c.parameters());
      EXPECT_NEAR(complement_cdf(c.id, far, c.parameters()) / p, 1, slack(far, p));
    }
  }
  for (const Case& c : discrete_cases()) {
    SCOPED_TRACE(c.text());
    for (const double p : {1e-4, 0.1, 0.4, 0.77, 0.999}) {
      const double x = quantile(c.id, p, c.parameters());
      EXPECT_GE(cdf(c.id, x, c.parameters()), p);
      EXPECT_LT(cdf(c.id, x - 1, c.parameters()), p);
      const double far = complement_quantile(c.id, p, c.parameters());
      EXPECT_LE(complement_cdf(c.id, far, c.parameters()), p);
      EXPECT_GT(complement_cdf(c.id, far - 1, c.parameters()), p);
    }
  }
}

template <class Law>
void expect_same(const Case& c, const Law& law, std::initializer_list<double> points) {
  SCOPED_TRACE(c.text());
  for (const double x : points) {
    EXPECT_NEAR(std::exp(c.at(x)) / bm::pdf(law, x), 1, 1e-10) << x;
    EXPECT_NEAR(cdf(c.id, x, c.parameters()) / bm::cdf(law, x), 1, 1e-10) << x;
  }
}

TEST(Distributions, AgreeWithBoost) {
  expect_same(scalars(Id::normal, {1.5, 0.25}), bm::normal(1.5, 2), {-4, 0, 3});
  expect_same(scalars(Id::gamma, {2.5, 4}), bm::gamma_distribution<>(2.5, 0.25), {0.1, 0.7, 3});
  expect_same(scalars(Id::beta, {2, 5}), bm::beta_distribution<>(2, 5), {0.1, 0.3, 0.9});
  expect_same(scalars(Id::exponential, {0.3}), bm::exponential(0.3), {0.1, 4});
  expect_same(scalars(Id::weibull, {3, 0.01}), bm::weibull(3, std::pow(0.01, -1. / 3)), {1, 4, 7});
  expect_same(scalars(Id::log_normal, {0.3, 4}), bm::lognormal(0.3, 0.5), {0.5, 1, 3});
  expect_same(scalars(Id::logistic, {2, 0.5}), bm::logistic(2, 2), {-3, 2, 9});
  expect_same(scalars(Id::student, {0, 1, 4}), bm::students_t(4), {-3, -0.1, 2});
  expect_same(scalars(Id::laplace, {1, 2}), bm::laplace(1, 0.5), {-1, 1, 3});
  expect_same(scalars(Id::pareto, {2.5, 0.4}), bm::pareto(0.4, 2.5), {0.5, 1, 9});
  expect_same(scalars(Id::chi_squared, {3}), bm::chi_squared(3), {0.1, 3, 20});
  expect_same(scalars(Id::f, {4, 7}), bm::fisher_f(4, 7), {0.1, 1, 5});
  expect_same(scalars(Id::noncentral_chi_squared, {2.5, 3}), bm::non_central_chi_squared(2.5, 3),
              {0.5, 4, 20});
  expect_same(scalars(Id::bernoulli, {0.3}), bm::bernoulli(0.3), {0, 1});
  expect_same(scalars(Id::binomial, {0.2, 9}), bm::binomial(9, 0.2), {0, 3, 9});
  expect_same(scalars(Id::poisson, {4.5}), bm::poisson(4.5), {0, 3, 17});
  expect_same(scalars(Id::negative_binomial, {0.3, 2.5}), bm::negative_binomial(2.5, 0.3),
              {0, 3, 17});
  // 8 of one kind and 5 of the other, 6 drawn
  expect_same(scalars(Id::hypergeometric, {8, 5, 6, 1}), bm::hypergeometric(8, 6, 13), {1, 3, 6});
}

TEST(Distributions, PartsDifferFromTheWholeByWhatDoesNotMatter) {
  std::vector<Case> cases = continuous_cases();
  const std::vector<Case> more = discrete_cases();
  std::deque<Case> all(cases.begin(), cases.end());
  for (const Case& c : more) all.push_back(c);
  for (const Case& c : listed_cases())
    if (c.id != Id::interval) all.push_back(c);
  for (const Case& c : all) {
    SCOPED_TRACE(c.text());
    const bool listed = c.id == Id::normal_mixture || c.id == Id::categorical;
    double first = listed ? 1 : quantile(c.id, 0.3, c.parameters());
    double second = listed ? 3 : quantile(c.id, 0.9, c.parameters());
    EXPECT_NEAR(c.at(first) - c.at(first, Part::of_value),
                c.at(second) - c.at(second, Part::of_value), 1e-8);
    // Of the parameters: the first one is moved a little, at two values.
    std::vector<std::vector<double>> moved = c.numbers;
    if (c.id == Id::hypergeometric) continue;
    moved[0][0] *= 0.97;
    const Case other(c.id, moved);
    if (!std::isfinite(other.at(first))) continue;
    EXPECT_NEAR(c.at(first) - c.at(first, Part::of_parameters),
                other.at(first) - other.at(first, Part::of_parameters), 1e-8);
  }
}

// The largest distance of an empirical cdf, times the root of the number of draws; 1.95 is passed
// once in 1000.
double kolmogorov(std::vector<double> draws, const std::function<double(double)>& below) {
  std::sort(draws.begin(), draws.end());
  const auto n = static_cast<double>(draws.size());
  double most = 0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double p = below(draws[i]), at = static_cast<double>(i);
    most = std::max({most, std::fabs(p - at / n), std::fabs(p - (at + 1) / n)});
  }
  return most * std::sqrt(n);
}

TEST(Distributions, ContinuousDrawsHaveTheCdf) {
  Random random(11);
  for (const Case& c : continuous_cases()) {
    SCOPED_TRACE(c.text());
    std::vector<double> draws(20000);
    for (double& x : draws) draw(c.id, c.parameters(), random, {&x, 1});
    EXPECT_LT(kolmogorov(draws, [&](double x) { return cdf(c.id, x, c.parameters()); }), 1.95);
  }
}

// P of a chi-squared statistic of draws against masses on lower, lower + 1, ...; cells of fewer
// than 10 expected draws are joined.
double chi_squared_p(const std::vector<double>& draws, const Case& c, Bounds bounds) {
  const auto n = static_cast<double>(draws.size());
  double statistic = 0, expected = 0, seen = 0, freedom = -1, all_expected = 0;
  for (double x = bounds.lower; x <= bounds.upper; ++x) {
    expected += n * std::exp(c.at(x));
    seen += static_cast<double>(std::count(draws.begin(), draws.end(), x));
    if (expected < 10) continue;
    all_expected += expected;
    statistic += (seen - expected) * (seen - expected) / expected;
    ++freedom;
    expected = seen = 0;
  }
  if (n - all_expected > 1e-6) {
    const double left = n - all_expected;
    statistic += (seen - left) * (seen - left) / std::max(left, 1.0);
    ++freedom;
  }
  return freedom > 0 ? chi_squared_tail(statistic, freedom) : 1;
}

TEST(Distributions, DiscreteDrawsHaveTheMasses) {
  Random random(12);
  std::vector<Case> cases = discrete_cases();
  std::deque<Case> all(cases.begin(), cases.end());
  all.emplace_back(Id::categorical, std::vector<std::vector<double>>{{0.2, 0, 1.3, 0.5}});
  for (const Case& c : all) {
    SCOPED_TRACE(c.text());
    std::vector<double> draws(20000);
    for (double& x : draws) draw(c.id, c.parameters(), random, {&x, 1});
    Bounds bounds = support(c.id, c.parameters());
    bounds.upper = std::min(bounds.upper, *std::max_element(draws.begin(), draws.end()));
    EXPECT_GT(chi_squared_p(draws, c, bounds), 1e-3);
  }
}

TEST(Distributions, ZigguratDrawsHaveTheirTails) {
  Random random(13);
  constexpr int kDraws = 2000000;
  int beyond_3 = 0, beyond_37 = 0, exponential_beyond_8 = 0;
  double sum = 0, squares = 0, fourth = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = draw_normal(random);
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
    beyond_3 += std::fabs(x) > 3 ? 1 : 0;
    beyond_37 += std::fabs(x) > 3.7 ? 1 : 0;
    exponential_beyond_8 += draw_exponential(random) > 8 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.003);
  EXPECT_NEAR(squares / kDraws, 1, 0.004);
  EXPECT_NEAR(fourth / kDraws, 3, 0.03);
  EXPECT_NEAR(beyond_3, kDraws * 0.0026998, 4 * 74);
  EXPECT_NEAR(beyond_37, kDraws * 0.00021560, 4 * 21);
  EXPECT_NEAR(exponential_beyond_8, kDraws * std::exp(-8), 4 * 26);
}

TEST(Distributions, TruncatedDrawsHaveTheTruncatedCdf) {
  Random random(14);
  for (const Case& c : continuous_cases()) {
    SCOPED_TRACE(c.text());
    const auto at = [&](double p) { return quantile(c.id, p, c.parameters()); };
    const double far = complement_quantile(c.id, 1e-5, c.parameters());
    for (const Bounds bounds :
         {Bounds{at(0.2), at(0.6)}, Bounds{at(0.7), kInfinity}, Bounds{-kInfinity, at(0.15)},
          Bounds{far, kInfinity}, Bounds{at(0.96), at(0.99)}}) {
      const double mass = std::exp(log_interval_probability(c.id, bounds, c.parameters()));
      std::vector<double> draws(2000);
      for (double& x : draws) x = draw_truncated(c.id, bounds, c.parameters(), random);
      for (const double x : draws) {
        ASSERT_GE(x, bounds.lower);
        ASSERT_LE(x, bounds.upper);
      }
      const auto within = [&](double x) {  // counted from above: exact in the upper tail
        const double above =
            bounds.lower == -kInfinity ? 1 : complement_cdf(c.id, bounds.lower, c.parameters());
        return (above - complement_cdf(c.id, x, c.parameters())) / mass;
      };
      EXPECT_LT(kolmogorov(draws, within), 1.95);
    }
  }
}

TEST(Distributions, TruncatedDiscreteDrawsHaveTheMassesOfTheInterval) {
  Random random(15);
  for (const Case& c : discrete_cases()) {
    SCOPED_TRACE(c.text());
    const Bounds bounds{quantile(c.id, 0.1, c.parameters()), quantile(c.id, 0.8, c.parameters())};
    const double mass = std::exp(log_interval_probability(c.id, bounds, c.parameters()));
    double sum = 0;
    for (double x = bounds.lower; x <= bounds.upper; ++x) sum += std::exp(c.at(x));
    EXPECT_NEAR(mass, sum, 1e-10);
    std::vector<int> counts(static_cast<std::size_t>(bounds.upper) + 1);
    constexpr int kDraws = 4000;
    for (int i = 0; i < kDraws; ++i) {
      const double x = draw_truncated(c.id, bounds, c.parameters(), random);
      ASSERT_GE(x, bounds.lower);
      ASSERT_LE(x, bounds.upper);
      ++counts[static_cast<std::size_t>(x)];
    }
    for (double x = bounds.lower; x <= bounds.upper; ++x) {
      const double p = std::exp(c.at(x)) / sum;
      EXPECT_NEAR(counts[static_cast<std::size_t>(x)], kDraws * p,
                  4.5 * std::sqrt(kDraws * p * (1 - p)) + 1);
    }
  }
}

TEST(Distributions, NormalTailsDoNotUnderflow) {
  EXPECT_NEAR(log_normal_tail(24.999), log_normal_tail(25.001), 0.051);
  EXPECT_NEAR(log_normal_tail(40), -804.608442013754, 1e-9);  // 60 digits: ln erfc(40/sqrt 2)/2
  const Case c = scalars(Id::normal, {0, 1});
  const double inside = log_interval_probability(c.id, {40, 40.01}, c.parameters());
  EXPECT_NEAR(
      inside,
      log_normal_tail(40) + std::log1p(-std::exp(log_normal_tail(40.01) - log_normal_tail(40))),
      1e-9);
  EXPECT_NEAR(log_interval_probability(c.id, {-40.01, -40}, c.parameters()), inside, 1e-9);
  Random random(16);
  double mean = 0;
  for (int i = 0; i < 1000; ++i)
    mean += draw_truncated(c.id, {40, kInfinity}, c.parameters(), random) / 1000;
  EXPECT_NEAR(mean, 40 + 1 / 40.0, 0.004);
}

TEST(Distributions, SupportHoldsWhereTheDensityIsPositive) {
  for (const Case& c : continuous_cases()) {
    SCOPED_TRACE(c.text());
    const Bounds bounds = support(c.id, c.parameters());
    if (std::isfinite(bounds.lower)) {
      EXPECT_EQ(c.at(bounds.lower - 1e-3), -kInfinity);
    }
    if (std::isfinite(bounds.upper)) {
      EXPECT_EQ(c.at(bounds.upper + 1e-3), -kInfinity);
    }
    double x = 0;
    typical_value(c.id, c.parameters(), {&x, 1});
    EXPECT_GT(c.at(x), -50);
  }
  for (const Case& c : discrete_cases()) {
    SCOPED_TRACE(c.text());
    double x = 0;
    typical_value(c.id, c.parameters(), {&x, 1});
    EXPECT_GT(c.at(x), -5);
  }
  for (const Case& c : listed_cases()) {
    double x = 0;
    typical_value(c.id, c.parameters(), {&x, 1});
    EXPECT_GT(c.at(x), -5) << c.text();
  }
}

TEST(Distributions, HaveNamesAndAliases) {
  for (const Distribution& row : distributions()) {
    EXPECT_EQ(find_distribution(row.name), &row);
    EXPECT_EQ(&distribution(row.id), &row);
    for (const std::string_view alias : row.aliases) EXPECT_EQ(find_distribution(alias), &row);
  }
  EXPECT_EQ(find_distribution("dbinom")->id, Id::binomial);
  EXPECT_EQ(find_distribution("dchisq")->id, Id::chi_squared);
  EXPECT_EQ(find_distribution("normal"), nullptr);
}

TEST(Distributions, SayWhatIsWrongWithParameters) {
  EXPECT_EQ(parameter_fault(Id::normal, scalars(Id::normal, {0, -1}).parameters()),
            "parameter tau is -1.000000, and has to be positive and finite");
  EXPECT_EQ(parameter_fault(Id::binomial, scalars(Id::binomial, {0.5, 2.5}).parameters()),
            "parameter n is 2.500000, and has to be a whole number from 0");
  EXPECT_EQ(parameter_fault(Id::gamma, scalars(Id::gamma, {std::nan(""), 1}).parameters()),
            "parameter r is no number");
  const Case singular(Id::multivariate_normal, {{0, 0}, {1, 1, 1, 1}});
  EXPECT_EQ(parameter_fault(singular.id, singular.parameters()),
            "the precision is not positive definite");
  const Case skew(Id::wishart, {{1, 0.5, 0, 1}, {3}});
  EXPECT_EQ(parameter_fault(skew.id, skew.parameters()), "the scale matrix is not symmetric");
  for (const Case& c : continuous_cases()) {
    EXPECT_EQ(parameter_fault(c.id, c.parameters()), "") << c.text();
    EXPECT_TRUE(parameters_fit(c.id, c.parameters()));
  }
}

TEST(Distributions, SizesOfValuesFollowTheParameters) {
  const auto size = [](Id id, std::vector<std::size_t> sizes) { return value_size(id, sizes); };
  EXPECT_EQ(size(Id::normal, {1, 1}), 1u);
  EXPECT_EQ(size(Id::normal, {1, 2}), 0u);
  EXPECT_EQ(size(Id::normal, {1}), 0u);
  EXPECT_EQ(size(Id::categorical, {4}), 1u);
  EXPECT_EQ(size(Id::interval, {1, 3}), 1u);
  EXPECT_EQ(size(Id::multivariate_normal, {3, 9}), 3u);
  EXPECT_EQ(size(Id::multivariate_normal, {3, 4}), 0u);
  EXPECT_EQ(size(Id::wishart, {9, 1}), 9u);
  EXPECT_EQ(size(Id::wishart, {8, 1}), 0u);
  EXPECT_EQ(size(Id::dirichlet, {5}), 5u);
  EXPECT_EQ(size(Id::multinomial, {5, 1}), 5u);
}

}  // namespace
}  // namespace croft::bugs::distributions_test
