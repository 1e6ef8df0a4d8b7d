// Programs with the distributions that say something of other nodes (sums, rounded and ordered
// values, spatial effects), against quadrature, enumeration and closed forms.
#include <gtest/gtest.h>

#include "bugs/language/program_parser.h"
#include "bugs/samplers/response_kernels.h"
#include "bugs/sampling.h"
#include "sampler_runs.h"
#include "support/message_of.h"

namespace croft::bugs::special_nodes_test {
namespace {

struct Posterior {
  std::map<std::string, std::vector<double>> draws;  // of all chains
  std::vector<SamplerUse> samplers;
  const std::vector<double>& of(const std::string& name) const { return draws.at(name); }
  std::string sampler_of(const std::string& node) const {
    for (const SamplerUse& use : samplers) {
      if (std::ranges::find(use.nodes, node) != use.nodes.end()) return use.sampler;
    }
    return {};
  }
};

Posterior posterior_of(const std::string& text, const Arrays& data,
                       const std::vector<std::string>& monitors, std::size_t thin = 10) {
  BugsOptions options;
  options.chains = 2;
  options.threads = 1;
  options.burn_in = 500;
  options.samples = 2000 * thin;
  options.thin = thin;
  options.exact = false;
  for (const std::string& m : monitors) options.monitors.push_back({m});
  const BugsResult result = sample(parse_program(LineReader(text, "t.bug")), data, {}, options);
  Posterior posterior{{}, result.samplers};
  for (const Trace& trace : result.traces) {
    std::vector<double>& all = posterior.draws[trace.name];
    for (const auto& chain : trace.chains) all.insert(all.end(), chain.begin(), chain.end());
  }
  return posterior;
}

Array row(std::vector<double> x) { return {{x.size()}, std::move(x)}; }

// The largest distance of 4,000 draws, which may depend on each other a little.
constexpr double kDistance = 2.3;

double normal_log(double x, double mean, double variance) {
  return -0.5 * (std::log(variance) + (x - mean) * (x - mean) / variance);
}

TEST(SpecialNodes, ScaledGammaIsAHalfStudentDeviation) {
  const Arrays data = {{"y", row({1.2, -0.4, 3.1, 0.3})}};
  const Posterior p = posterior_of(
      "model { for (i in 1:4) { y[i] ~ dnorm(0, tau) }  tau ~ dscaled.gamma(2, 3)"
      "  sigma <- 1 / sqrt(tau) }",
      data, {"sigma"});
  EXPECT_EQ(p.sampler_of("tau"), "conjugate gamma");
  const auto log_density = [](double sigma) {
    return -2 * std::log1p(sigma * sigma / (3 * 4)) - 4 * std::log(sigma) -
           0.5 * (1.44 + 0.16 + 9.61 + 0.09) / (sigma * sigma);
  };
  EXPECT_LT(distance_from_density(p.of("sigma"), log_density, 1e-3, 40), kDistance);
}

TEST(SpecialNodes, ScaledWishartIsDrawnAsItsDensitySays) {
  // An observation that says nothing, of the correlation, keeps the conjugate sampler away.
  const std::string model =
      "model { for (i in 1:3) { y[i,1:2] ~ dmnorm(m[], O[,]) }  O[1:2,1:2] ~ dscaled.wishart(s[], "
      "2)"
      "  m[1] <- 0  m[2] <- 0  s[1] <- 1  s[2] <- 3  a <- log(O[1,1])"
      "  r <- O[1,2] / sqrt(O[1,1] * O[2,2])  ";
  Arrays data = {{"y", {{3, 2}, {0.5, -1.2, 0.4, 2, -3, 0.1}}}};
  const Posterior conjugate = posterior_of(model + "}", data, {"a", "r"}, 20);
  EXPECT_EQ(conjugate.sampler_of("O[1:2,1:2]"), "conjugate Wishart");
  data["nothing"] = row({0});
  const Posterior slices =
      posterior_of(model + "nothing ~ dnorm(r * 1.0E-9, 1) }", data, {"a", "r"}, 20);
  EXPECT_EQ(slices.sampler_of("O[1:2,1:2]"), "slice of an array");
  for (const char* name : {"a", "r"}) {
    const double error =
        std::hypot(deviation_of(conjugate.of(name)), deviation_of(slices.of(name))) /
        std::sqrt(2000);
    EXPECT_NEAR(mean_of(conjugate.of(name)), mean_of(slices.of(name)), 4 * error) << name;
    EXPECT_NEAR(deviation_of(conjugate.of(name)) / deviation_of(slices.of(name)), 1, 0.08) << name;
  }
}

TEST(SpecialNodes, OrderedCategoriesSayWhereTheirMeanLies) {
  for (const bool logit : {true, false}) {
    const Arrays data = {{"y", row({1, 3, 3, 4, 2})}, {"cut", row({-1, 0, 1.5})}};
    const Posterior p = posterior_of(
        std::string("model { for (i in 1:5) { y[i] ~ dordered.") + (logit ? "logit" : "probit") +
            "(mu, cut[]) }  mu ~ dnorm(0, 0.5)  z ~ dordered.logit(mu, "
            "cut[])  w ~ dnorm(z, 1) }",
        data, {"mu", "z"});
    const auto below = [&](double x) {
      return logit ? 1 / (1 + std::exp(-x)) : 0.5 * std::erfc(-x / std::numbers::sqrt2);
    };
    const auto log_density = [&](double mu) {
      const double c[] = {-1e9, -1, 0, 1.5, 1e9};
      double sum = -0.25 * mu * mu;
      for (const int k : {1, 3, 3, 4, 2}) sum += std::log(below(c[k] - mu) - below(c[k - 1] - mu));
      return sum;
    };
    EXPECT_LT(distance_from_density(p.of("mu"), log_density, -6, 7), kDistance) << logit;
  }
}

TEST(SpecialNodes, CutPointsThatAreNotKnownStayInOrder) {
  const Posterior p = posterior_of(
      "model { for (i in 1:4) { y[i] ~ dordered.logit(0, c[]) }"
      "  for (k in 1:2) { c0[k] ~ dnorm(0, 0.25) }  c[1:2] <- sort(c0) }",
      {{"y", row({1, 2, 2, 3})}}, {"c"});
  // The sorted pair has twice the density of two normal ones on c[1] < c[2].
  const auto f = [](double x) { return 1 / (1 + std::exp(-x)); };
  double total = 0, mean = 0;
  for (double a = -8; a < 8; a += 0.04) {
    for (double b = a + 0.02; b < 8; b += 0.04) {
      const double w = std::exp(-(a * a + b * b) / 8) * f(a) * std::pow(f(b) - f(a), 2) * f(-b);
      total += w;
      mean += w * a;
    }
  }
  EXPECT_NEAR(mean_of(p.of("c[1]")), mean / total,
              4.5 * deviation_of(p.of("c[1]")) / std::sqrt(3000));
}

double log_poisson(double x, double mean) {
  return x < 0 ? -INFINITY : x * std::log(mean) - mean - std::lgamma(x + 1);
}
double log_binomial(double x, double n, double p) {
  if (x < 0 || x > n) return -INFINITY;
  return std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) + x * std::log(p) +
         (n - x) * std::log1p(-p);
}

// Chi-squared of draws of whole numbers against weights from `first` on, over its 0.1 % point as a
// normal approximation has it; cells that expect less than 8 are one.
double excess_of(const std::vector<double>& draws, double first,
                 const std::vector<double>& weights) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  double sum = 0, cells = -1, rest_seen = 0, rest_expected = 0;
  const auto n = static_cast<double>(draws.size());
  const auto add = [&](double seen, double expected) {
    sum += (seen - expected) * (seen - expected) / expected;
    cells += 1;
  };
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const auto seen =
        static_cast<double>(std::ranges::count(draws, first + static_cast<double>(k)));
    const double expected = n * weights[k] / total;
    if (expected >= 8) {
      add(seen, expected);
    } else {
      rest_seen += seen;
      rest_expected += expected;
    }
  }
  if (rest_expected > 1) add(rest_seen, rest_expected);
  return sum / (cells + 3.5 * std::sqrt(2 * cells));
}

TEST(SpecialNodes, CountsWithAKnownSumAreDrawnTogether) {
  const Posterior p =
      posterior_of("model { x ~ dpois(4)  z ~ dbin(0.5, 10)  w ~ dpois(2)  y ~ dsum(x, z, w, 1) }",
                   {{"y", row({13})}}, {"x", "z"});
  EXPECT_EQ(p.sampler_of("x"), "slice along sums");
  std::vector<double> of_x(13), of_z(11);
  for (int x = 0; x <= 12; ++x) {
    for (int z = 0; z <= std::min(10, 12 - x); ++z) {
      const double weight =
          std::exp(log_poisson(x, 4) + log_binomial(z, 10, 0.5) + log_poisson(12 - x - z, 2));
      of_x[x] += weight;
      of_z[z] += weight;
    }
  }
  EXPECT_LT(excess_of(p.of("x"), 0, of_x), 1);
  EXPECT_LT(excess_of(p.of("z"), 0, of_z), 1);
}

TEST(SpecialNodes, TablesWithKnownMarginsReachAllOfTheirStates) {
  // 2 x 3 counts: rows and columns have known sums; only the products of odds matter.
  const Posterior p = posterior_of(
      "model { for (i in 1:2) { for (j in 1:3) { x[i,j] ~ dpois(m[i,j]) }"
      "  r[i] ~ dsum(x[i,1], x[i,2], x[i,3]) }"
      "  for (j in 1:3) { c[j] ~ dsum(x[1,j], x[2,j]) } }",
      {{"m", {{2, 3}, {1, 3, 2, 1, 4, 2}}}, {"r", row({5, 3})}, {"c", row({2, 3, 3})}},
      {"x[1,1]", "x[2,3]"});
  const double m[2][3] = {{1, 2, 4}, {3, 1, 2}};
  std::vector<double> first(3), last(4);
  for (int a = 0; a <= 2; ++a) {
    for (int b = 0; b <= 3; ++b) {
      const int x[2][3] = {{a, b, 5 - a - b}, {2 - a, 3 - b, a + b - 2}};
      double sum = 0;
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j) sum += log_poisson(x[i][j], m[i][j]);
      if (!std::isfinite(sum)) continue;
      first[a] += std::exp(sum);
      last[a + b - 2] += std::exp(sum);
    }
  }
  EXPECT_LT(excess_of(p.of("x[1,1]"), 0, first), 1);
  EXPECT_LT(excess_of(p.of("x[2,3]"), 0, last), 1);
}

TEST(SpecialNodes, PositiveNumbersWithAKnownSumAreDrawnTogether) {
  const Posterior p = posterior_of(
      "model { x ~ dgamma(2, 1)  z ~ dgamma(3, 2)  w ~ dnorm(0, 4)  y ~ dsum(x, z)"
      "  v[1] ~ dsum(w, u)  u ~ dnorm(1, 1) }",
      {{"y", row({3.5})}, {"v", row({3})}}, {"x", "w"});
  const auto log_density = [](double x) {
    return std::log(x) - x + 2 * std::log(3.5 - x) - 2 * (3.5 - x);
  };
  EXPECT_LT(distance_from_density(p.of("x"), log_density, 1e-9, 3.5 - 1e-9), kDistance);
  // w of variance 1/4 and u - 1 of variance 1 have the sum 2.
  EXPECT_LT(distance_from_density(
                p.of("w"), [](double w) { return normal_log(w, 0.4, 0.2); }, -3, 4),
            kDistance);
}

TEST(SpecialNodes, ASumThatIsNotObservedIsComputed) {
  const Posterior p = posterior_of(
      "model { x ~ dgamma(2, 1)  s ~ dsum(x, 2)  r ~ dround(s, 1)  y ~ dnorm(s, 1)"
      "  off <- s - x + 100 * (r != round(10 * s) / 10) }",
      {{"y", row({4})}}, {"x", "off"});
  EXPECT_NEAR(mean_of(p.of("off")), 2, 1e-12);
  EXPECT_LT(
      distance_from_density(
          p.of("x"), [](double x) { return std::log(x) - x - 0.5 * (x - 2) * (x - 2); }, 1e-9, 9),
      kDistance);
}

TEST(SpecialNodes, TermsOfAnObservedSumHaveToBeNodes) {
  const std::string message = message_of<InputError>([] {
    posterior_of("model {\n x ~ dpois(2)\n y ~ dsum(2 * x, 1) }", {{"y", row({5})}}, {"x"});
  });
  EXPECT_NE(message.find("t.bug:3:"), std::string::npos) << message;
  EXPECT_NE(message.find("a term of an observed sum"), std::string::npos) << message;
}

TEST(SpecialNodes, CountsOfDmultiAreDrawnBetweenTheirSizeAndWhatIsSeenOfThem) {
  // Each of x[k] animals in state k is seen with probability q[k].
  const std::string model =
      "model { x[1:3] ~ dmulti(p[1:3], n)  for (k in 1:3) { y[k] ~ dbin(q[k], x[k]) }  ";
  const Arrays data = {
      {"p", row({0.2, 0.5, 0.3})}, {"q", row({0.5, 0.3, 0.8})}, {"y", row({2, 1, 3})}};
  const double p[] = {0.2, 0.5, 0.3}, q[] = {0.5, 0.3, 0.8}, y[] = {2, 1, 3};
  const auto weight = [&](std::initializer_list<int> x, int n) {
    double sum = std::lgamma(n + 1);
    int k = 0;
    for (const int count : x) {
      sum += count * std::log(p[k]) - std::lgamma(count + 1) + log_binomial(y[k], count, q[k]);
      ++k;
    }
    return std::exp(sum);
  };
  {
    const Posterior seen = posterior_of(model + "n <- 12 }", data, {"x"});
    std::vector<double> of_x(13);
    for (int a = 2; a <= 8; ++a)
      for (int b = 1; a + b <= 9; ++b) of_x[a] += weight({a, b, 12 - a - b}, 12);
    EXPECT_EQ(seen.sampler_of("x[1:3]"), "slice along sums");
    EXPECT_LT(excess_of(seen.of("x[1]"), 0, of_x), 1);
  }
  {
    const Posterior seen = posterior_of(model + "n ~ dpois(9) }", data, {"n", "x"});
    std::vector<double> of_n(42);
    for (int a = 2; a <= 15; ++a)
      for (int b = 1; b <= 15; ++b)
        for (int c = 3; c <= 11; ++c)
          of_n[a + b + c] += weight({a, b, c}, a + b + c) * std::exp(log_poisson(a + b + c, 9));
    EXPECT_LT(excess_of(seen.of("n"), 0, of_n), 1);
  }
}

TEST(SpecialNodes, RoundedValuesAreKnownToTheirDigits) {
  const Posterior p = posterior_of(
      "model { for (i in 1:3) { t[i] ~ dnorm(mu, 1)  y[i] ~ dround(t[i], 0) }  mu ~ dnorm(0, 0.1)"
      "  s ~ dnorm(mu, 1)  r ~ dround(s, -1)  v ~ dnorm(s, 0.5) }",
      {{"y", row({1, 3, 2})}, {"r", row({0})}, {"v", row({4})}}, {"mu", "t[2]"});
  const auto between = [](double a, double b) {
    return 0.5 * (std::erfc(-b / std::numbers::sqrt2) - std::erfc(-a / std::numbers::sqrt2));
  };
  const auto log_density = [&](double mu) {
    double sum = -0.05 * mu * mu;
    for (const double y : {1, 3, 2}) sum += std::log(between(y - 0.5 - mu, y + 0.5 - mu));
    // s between -5 and 5, of variance 2/3 around (mu + 2) / 1.5 given v
    const double mean = (mu + 2) / 1.5, scale = std::sqrt(1.5);
    return sum + normal_log(4, mu, 3) + std::log(between((-5 - mean) * scale, (5 - mean) * scale));
  };
  EXPECT_LT(distance_from_density(p.of("mu"), log_density, -4, 8), kDistance);
  for (const double t : p.of("t[2]")) EXPECT_NEAR(t, 3, 0.5);
}

TEST(SpecialNodes, IntervalsOfNormalNumbersAreDifferencesOfTails) {
  const auto tail = [](long double z) {
    return 0.5L * erfcl(z / std::numbers::sqrt2_v<long double>);
  };
  const double endless = INFINITY;
  std::vector<double> lower(kIntervalLanes, -endless), upper(kIntervalLanes, endless),
      weight(kIntervalLanes, 0), mu(kIntervalLanes, 0.5), tau(kIntervalLanes, 4);
  weight[0] = 3;
  const auto value = [&](double a, double b) {
    lower[0] = a;
    upper[0] = b;
    return normal_intervals({lower.data(), upper.data(), weight.data(), mu.data(), tau.data()},
                            kIntervalLanes);
  };
  const double ends[] = {-endless, -17, -6, -1.5, 0.2, 0.5, 0.501, 1, 4, 9, 18, endless};
  for (std::size_t i = 0; i < std::size(ends); ++i) {
    for (std::size_t j = i + 1; j < std::size(ends); ++j) {
      const double a = (ends[i] - 0.5) * 2, b = (ends[j] - 0.5) * 2;
      const long double p = a + b < 0 ? tail(-b) - tail(-a) : tail(a) - tail(b);
      EXPECT_NEAR(value(ends[i], ends[j]), 3 * static_cast<double>(std::log(p)),
                  2e-12 - 2e-14 * std::log(p))
          << ends[i] << " " << ends[j];
    }
  }
  EXPECT_TRUE(std::isnan(value(1, 1 + 1e-9)));  // no digits are left
  EXPECT_TRUE(std::isnan(value(21, 22)));       // nor here
  tau[3] = -1;
  EXPECT_TRUE(std::isnan(value(0, 1)));
}

TEST(SpecialNodes, IntervalsWithFewDigitsAreComputedInTheGeneralWay) {
  // y is known to nine digits: as if it were observed.
  const Posterior p = posterior_of(
      "model { for (i in 1:2) { t[i] ~ dnorm(mu, 1)  y[i] ~ dround(t[i], 9) }  mu ~ dnorm(0, 1) }",
      {{"y", row({1, 3})}}, {"mu"});
  EXPECT_LT(distance_from_density(
                p.of("mu"), [](double mu) { return normal_log(mu, 4. / 3, 1. / 3); }, -2, 5),
            kDistance);
}

TEST(SpecialNodes, AFlatPriorLeavesTheLikelihood) {
  const Posterior p = posterior_of(
      "model { for (i in 1:3) { y[i] ~ dnorm(mu, 2)  z[i] ~ dpois(exp(eta)) }"
      "  mu ~ dflat()  eta ~ dflat()  s ~ dflat() T(0,)  v ~ dexp(s) }",
      {{"y", row({1, 3, 2})}, {"z", row({4, 7, 1})}, {"v", row({0.5})}}, {"mu", "eta", "s"});
  EXPECT_LT(distance_from_density(
                p.of("mu"), [](double mu) { return normal_log(mu, 2, 1. / 6); }, -1, 5),
            kDistance);
  EXPECT_LT(distance_from_density(
                p.of("eta"), [](double eta) { return 12 * eta - 3 * std::exp(eta); }, -2, 4),
            kDistance);
  EXPECT_LT(distance_from_density(
                p.of("s"), [](double s) { return std::log(s) - 0.5 * s; }, 1e-9, 60),
            kDistance);
}

TEST(SpecialNodes, ALogLikelihoodIsWhatTheProgramSays) {
  const Posterior p = posterior_of(
      "model { for (i in 1:3) { zero[i] <- 0  }  mu ~ dnorm(0, 0.1)"
      "  for (i in 1:3) { l[i] <- -abs(y[i] - mu)  none[i] ~ dloglik(l[i]) } }",
      {{"y", row({1, 3, 7})}, {"none", row({0, 0, 0})}}, {"mu"});
  const auto log_density = [](double mu) {
    return -0.05 * mu * mu - std::fabs(1 - mu) - std::fabs(3 - mu) - std::fabs(7 - mu);
  };
  EXPECT_LT(distance_from_density(p.of("mu"), log_density, -8, 14), kDistance);
  EXPECT_NE(message_of<InputError>([] {
              posterior_of("model { x ~ dnorm(0, 1)  a ~ dloglik(x) }", {}, {"x"});
            }).find("has to be observed"),
            std::string::npos);
}

// A path 1 - 2 - 3 - 4 with one double weight, 5 - 6, and 7 by itself.
Arrays areas() {
  return {{"adj", row({2, 1, 3, 2, 4, 3, 6, 5})},
          {"w", row({1, 1, 2, 2, 1, 1, 1, 1})},
          {"num", row({1, 2, 2, 1, 1, 1, 0})}};
}

// ln of the integral over the effects: y = effects + noise of variance 1 / t, effects of each part
// with the sum 0.
double area_log_marginal(double tau, double t, const std::vector<double>& y) {
  // Free effects: 1, 2, 3 and 5; 4 and 6 are minus the sums of their parts.
  const double q[7][7] = {{1, -1, 0, 0, 0, 0, 0}, {-1, 3, -2, 0, 0, 0, 0}, {0, -2, 3, -1, 0, 0, 0},
                          {0, 0, -1, 1, 0, 0, 0}, {0, 0, 0, 0, 1, -1, 0},  {0, 0, 0, 0, -1, 1, 0},
                          {0, 0, 0, 0, 0, 0, 0}};
  const double b[7][4] = {{1, 0, 0, 0}, {0, 1, 0, 0},  {0, 0, 1, 0}, {-1, -1, -1, 0},
                          {0, 0, 0, 1}, {0, 0, 0, -1}, {0, 0, 0, 0}};
  double a[4][4] = {}, r[4] = {};
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 7; ++k) {
      r[i] += t * b[k][i] * y[k];
      for (int j = 0; j < 4; ++j) {
        a[i][j] += t * b[k][i] * b[k][j];
        for (int l = 0; l < 7; ++l) a[i][j] += tau * b[k][i] * q[k][l] * b[l][j];
      }
    }
  }
  // ln of the integral of exp(-x' a x / 2 + r' x), by elimination.
  double log_integral = 0;
  for (int i = 0; i < 4; ++i) {
    log_integral += -0.5 * std::log(a[i][i]) + 0.5 * r[i] * r[i] / a[i][i];
    for (int j = i + 1; j < 4; ++j) {
      const double factor = a[j][i] / a[i][i];
      for (int k = i; k < 4; ++k) a[j][k] -= factor * a[i][k];
      r[j] -= factor * r[i];
    }
  }
  return 2 * std::log(tau) + log_integral;  // four ranks
}

TEST(SpecialNodes, AreasHaveEffectsLikeTheirNeighbours) {
  Arrays data = areas();
  const std::vector<double> y = {1.5, 0.4, -0.2, -2, 1, 0.3, 5};
  data["y"] = row(y);
  const Posterior p = posterior_of(
      "model { for (i in 1:7) { y[i] ~ dnorm(b[i], 2) }  b[1:7] ~ car.normal(adj[], w[], num[], "
      "tau)"
      "  tau ~ dgamma(2, 1)  sum.b <- sum(b[1:4])  two <- b[5] + b[6] }",
      data, {"tau", "b", "sum.b", "two"}, 20);
  const auto log_density = [&](double tau) {
    return std::log(tau) - tau + area_log_marginal(tau, 2, y);
  };
  EXPECT_LT(distance_from_density(p.of("tau"), log_density, 1e-9, 14), kDistance);
  for (const char* name : {"sum.b", "two", "b[7]"}) {
    for (const double x : p.of(name)) ASSERT_NEAR(x, 0, 1e-12) << name;
  }
}

TEST(SpecialNodes, AreasOfCountsHaveThePosteriorOfTheirDensity) {
  // Two areas: b[2] = -b[1], so one number is left.
  const Posterior p = posterior_of(
      "model { for (i in 1:2) { y[i] ~ dpois(exp(1 + b[i])) }"
      "  b[1:2] ~ car.normal(adj[], w[], num[], 0.7) }",
      {{"adj", row({2, 1})}, {"w", row({1, 1})}, {"num", row({1, 1})}, {"y", row({6, 1})}}, {"b"});
  const auto log_density = [](double b) {
    return -0.5 * 0.7 * 4 * b * b + 6 * b - std::exp(1 + b) - b - std::exp(1 - b);
  };
  EXPECT_LT(distance_from_density(p.of("b[1]"), log_density, -3, 4), kDistance);
}

TEST(SpecialNodes, BoundsOfAnUnknownLawCensor) {
  const Arrays data = {{"x", row({0.5, NAN, NAN, 1})}, {"low", row({-10, 2, 2, -10})}};
  const Posterior p = posterior_of(
      "model { for (i in 1:4) { x[i] ~ dnorm(mu, 1) I(low[i],) }  mu ~ dnorm(0, 0.1)"
      "  k ~ dpois(m) I(3,)  m ~ dgamma(2, 1) }",
      data, {"mu", "x[2]", "m", "k"});
  const auto log_density = [](double mu) {
    return -0.05 * mu * mu + normal_log(0.5, mu, 1) + normal_log(1, mu, 1) +
           2 * std::log(0.5 * std::erfc((2 - mu) / std::numbers::sqrt2));
  };
  EXPECT_LT(distance_from_density(p.of("mu"), log_density, -3, 5), kDistance);
  for (const double x : p.of("x[2]")) EXPECT_GE(x, 2);
  for (const double k : p.of("k")) EXPECT_GE(k, 3);
  EXPECT_EQ(*std::ranges::min_element(p.of("k")), 3);
  const auto of_m = [](double m) {
    return std::log(m) - m + std::log1p(-std::exp(-m) * (1 + m + m * m / 2));
  };
  EXPECT_LT(distance_from_density(p.of("m"), of_m, 1e-6, 25), kDistance);
}

TEST(SpecialNodes, BoundsMayBeEachOther) {
  const Posterior p = posterior_of(
      "model { a ~ dnorm(m, 1) I(, b)  b ~ dnorm(m, 1) I(a, )  m ~ dnorm(0, 1) }", {}, {"a"}, 20);
  // The smaller of two normal numbers of one mean, which has variance 1: as if a ~ dnorm(m, 1),
  // with twice the tail of b.
  const auto log_density = [](double a) {
    double total = 0;
    for (double m = -6; m <= 6; m += 0.02)
      total += std::exp(-0.5 * m * m - 0.5 * (a - m) * (a - m)) *
               std::erfc((a - m) / std::numbers::sqrt2);
    return std::log(total);
  };
  EXPECT_LT(distance_from_density(p.of("a"), log_density, -7, 5), kDistance);
}

TEST(SpecialNodes, NothingFlowsBackThroughACut) {
  const Posterior p = posterior_of(
      "model { x ~ dnorm(0, 1)  z ~ dnorm(x, 1)  y ~ dnorm(cut(x) + b, 1)  b ~ dnorm(0, 1)"
      "  u ~ dgamma(2, 1)  v ~ dnorm(cut(u), 1)  xb <- x * b }",
      {{"z", row({2})}, {"y", row({10})}, {"v", row({100})}}, {"x", "b", "u", "xb"});
  EXPECT_LT(distance_from_density(
                p.of("x"), [](double x) { return normal_log(x, 1, 0.5); }, -4, 6),
            kDistance);
  EXPECT_LT(distance_from_density(
                p.of("b"), [](double b) { return normal_log(b, 4.5, 0.625); }, -1, 10),
            kDistance);
  EXPECT_NEAR(mean_of(p.of("xb")) - 4.5, -0.25, 4.5 * deviation_of(p.of("xb")) / std::sqrt(4000));
  EXPECT_LT(distance_from_density(
                p.of("u"), [](double u) { return std::log(u) - u; }, 1e-9, 25),
            kDistance);
}

}  // namespace
}  // namespace croft::bugs::special_nodes_test
