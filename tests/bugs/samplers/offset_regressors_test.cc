// Linear blocks whose columns are almost parallel, or are: exact posteriors.
#include <gtest/gtest.h>

#include <algorithm>

#include "bugs/language/program_parser.h"
#include "bugs/samplers/sampler_runs.h"
#include "bugs/samplers/sparse_cholesky.h"
#include "bugs/sampling.h"

namespace croft::bugs::offset_regressors_test {
namespace {

using RowEntry = SparseCholesky::RowEntry;

struct Expected {
  std::string name;
  double mean, deviation;
};

std::vector<double> count_from(double offset) {
  std::vector<double> x;
  for (int k = 1; k <= 6; ++k) x.push_back(offset + k);
  return x;
}

BugsResult result_of(const std::string& model, const Arrays& data,
                     const std::vector<Expected>& expected, std::uint64_t seed) {
  BugsOptions options;
  options.burn_in = 500;
  options.samples = 3000;
  options.seed = seed;
  options.threads = 1;
  for (const Expected& each : expected) options.monitors.push_back({each.name});
  return sample(parse_program(LineReader("model { " + model + " }", "t.bug")), data, {}, options);
}

// Within five standard errors for each of three seeds.
//   effective : of the 12000 draws
BugsResult expect_posterior(const std::string& model, const Arrays& data,
                            const std::vector<Expected>& expected, double effective = 12000) {
  BugsResult last;
  for (const std::uint64_t seed : {1, 2, 3}) {
    BugsResult result = result_of(model, data, expected, seed);
    for (std::size_t m = 0; m < expected.size(); ++m) {
      std::vector<double> draws;
      for (const auto& chain : result.traces[m].chains)
        draws.insert(draws.end(), chain.begin(), chain.end());
      const auto [name, mean, deviation] = expected[m];
      EXPECT_NEAR(mean_of(draws), mean, 5 * deviation / std::sqrt(effective)) << name << seed;
      EXPECT_NEAR(deviation_of(draws) / deviation, 1, 5 / std::sqrt(effective)) << name << seed;
    }
    last = std::move(result);
  }
  return last;
}

Arrays line_of(double offset) {
  return {{"y", {{6}, {1, 2, 3, 4, 5, 9}}}, {"x", {{6}, count_from(offset)}}};
}

bool has_warning(const BugsResult& result, const std::string& part) {
  return std::ranges::any_of(result.warnings, [&](const std::string& each) {
    return each.find(part) != std::string::npos;
  });
}
constexpr const char* kNotToldApart = "double precision does not tell apart";

TEST(SparseCholesky, TheFactorOfRowsIsThatOfTheirProducts) {
  Random random(17);
  for (int repeat = 0; repeat < 30; ++repeat) {
    const std::size_t n = 2 + random.below(10), count = 3 * n;
    std::vector<std::vector<RowEntry>> rows(count);
    std::vector<double> targets(count);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (std::size_t r = 0; r < count; ++r) {
      for (std::uint32_t k = 0; k < n; ++k)
        if (r == k || random.below(4) == 0) rows[r].push_back({k, random.normal()});
      for (const RowEntry& a : rows[r])
        for (const RowEntry& b : rows[r]) pairs.emplace_back(a.place, b.place);
      targets[r] = random.normal();
    }
    SparseCholesky products(n, pairs), rotations(n, pairs);
    rotations.begin_rows();
    std::vector<double> b(n, 0.0);
    for (std::size_t r = 0; r < count; ++r) {
      for (RowEntry& entry : rows[r]) entry.place = products.place(entry.place);
      for (const RowEntry& i : rows[r]) {
        b[i.place] += i.number * targets[r];
        for (const RowEntry& j : rows[r])
          if (j.place <= i.place)
            products.entries()[products.position(i.place, j.place)] += i.number * j.number;
      }
      rotations.add_row(rows[r], targets[r]);
    }
    ASSERT_TRUE(products.factorise());
    products.solve_lower(b.data());
    std::vector<std::uint32_t> held;
    ASSERT_TRUE(rotations.finish_rows(1e-12, std::vector<double>(n, 0.0), held));
    EXPECT_TRUE(held.empty());
    for (std::size_t k = 0; k < n; ++k)
      EXPECT_NEAR(rotations.targets()[k], b[k], 1e-10 * (1 + std::fabs(b[k])));
    std::vector<double> x = b, y(rotations.targets().begin(), rotations.targets().end());
    products.solve_upper(x.data());
    rotations.solve_upper(y.data());
    for (std::size_t k = 0; k < n; ++k) EXPECT_NEAR(y[k], x[k], 1e-9 * (1 + std::fabs(x[k])));
    EXPECT_NEAR(rotations.square(x.data()), products.square(x.data()),
                1e-10 * products.square(x.data()));
  }
}

TEST(SparseCholesky, AnElementThatRowsDoNotFixIsHeldAndTheOthersAreSolvedGivenIt) {
  // (x0 + x1 - 3)^2 + (x0 + x1 + x2 - 5)^2 + (2 x2 - 4)^2, x0 + x1 = 3, x2 = 2
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs = {{0, 1}, {1, 2}, {0, 2}};
  SparseCholesky p(3, pairs);
  const auto row = [&](std::vector<double> numbers, double target) {
    std::vector<RowEntry> entries;
    for (std::uint32_t k = 0; k < 3; ++k)
      if (numbers[k] != 0) entries.push_back({p.place(k), numbers[k]});
    p.add_row(entries, target);
  };
  p.begin_rows();
  row({1, 1, 0}, 3);
  row({1, 1, 1}, 5);
  row({0, 0, 2}, 4);
  std::vector<double> x(3);
  x[p.place(0)] = 10, x[p.place(1)] = 20, x[p.place(2)] = 30;
  std::vector<std::uint32_t> held;
  ASSERT_TRUE(p.finish_rows(1e-14, x, held));
  ASSERT_EQ(held.size(), 1u);
  std::vector<double> solved(p.targets().begin(), p.targets().end());
  p.solve_upper(solved.data());
  EXPECT_EQ(solved[held[0]], 0);
  solved[held[0]] = x[held[0]];
  EXPECT_NEAR(solved[p.place(0)] + solved[p.place(1)], 3, 1e-12);
  EXPECT_NEAR(solved[p.place(2)], 2, 1e-12);
}

TEST(OffsetRegressors, LinesHaveTheirExactPosterior) {
  const auto line = [](const std::string& prior) {
    return "for (i in 1:6) { y[i] ~ dnorm(a + b * x[i], 1) }  a ~ " + prior + "  b ~ " + prior +
           "  d <- a + b * x[6]";
  };
  const struct {
    double offset, mean, deviation;
  } cases[] = {
      {2e7, 7.571346941, 0.723741}, {5e7, 7.570918440, 0.723712}, {1e8, 7.569388921, 0.723606}};
  for (const auto& [offset, mean, deviation] : cases) {
    const BugsResult result =
        expect_posterior(line("dnorm(0, 1.0E-18)"), line_of(offset), {{"d", mean, deviation}});
    EXPECT_TRUE(result.warnings.empty());
    expect_posterior(line("dflat()"), line_of(offset), {{"d", 7.571428571, 0.7237468645}});
  }
}

TEST(OffsetRegressors, SecondsOfTheClockHaveTheConjugatePosterior) {
  Arrays data = line_of(1.7e9);
  data["y"].values[5] = 7;
  // t ~ gamma(2.1, 0.338095), b a t of 4.2 degrees of freedom
  const BugsResult result = expect_posterior(
      "for (i in 1:6) { y[i] ~ dnorm(a + b * x[i], t) }  a ~ dflat()  b ~ dflat()  "
      "t ~ dgamma(0.1, 0.1)",
      data, {{"b", 8.0 / 7, 0.132530}, {"t", 6.211268, 4.286199}}, 2400);
  EXPECT_TRUE(result.warnings.empty());
}

TEST(OffsetRegressors, QuadraticTrendsHaveTheirExactPosterior) {
  const std::string model =
      "for (i in 1:6) { y[i] ~ dnorm(a + b * x[i] + c * x[i] * x[i], 1) }  a ~ dflat()  "
      "b ~ dflat()  c ~ dflat()  d <- a + b * x[6] + c * x[6] * x[6]";
  for (const double offset : {1e4, 2e4, 1e5, 1e6}) {
    const BugsResult result =
        expect_posterior(model, line_of(offset), {{"d", 8.464285714, 0.9063269672}});
    EXPECT_TRUE(result.warnings.empty());
  }
  // x * x has rounded: nothing can be told of c, and this is said.
  EXPECT_TRUE(has_warning(result_of(model, line_of(1e9), {{"d", 0, 0}}, 1), kNotToldApart));
}

TEST(OffsetRegressors, ResponsesThatAreNotNormalHaveThePosteriorOfQuadrature) {
  const auto model = [](const std::string& response) {
    return "for (i in 1:6) { y[i] ~ " + response +
           " }  a ~ dnorm(0, 1.0E-18)  b ~ dnorm(0, 1.0E-18)  d <- a + b * x[6]";
  };
  for (const double offset : {1e6, 1e7}) {
    expect_posterior(model("dpois(exp(a + b * x[i]))"), line_of(offset),
                     {{"d", 2.1230266, 0.2878797}}, 3000);
    expect_posterior(model("dt(a + b * x[i], 1, 5)"), line_of(offset), {{"d", 7.316829, 0.994691}},
                     1200);
  }
}

// Under flat priors of a and b an offset of x changes neither the others nor the predictors.
TEST(OffsetRegressors, AnOffsetChangesNothingElseOfTheModel) {
  const std::string priors = "  a ~ dflat()  b ~ dflat()  d <- a + b * x[6]";
  const struct {
    std::string model, name;
  } cases[] = {
      {"for (i in 1:12) { y[i] ~ dnorm(a + b * x[i] + u[g[i]], t) }  t ~ dgamma(1, 1)  "
       "for (j in 1:4) { u[j] ~ dnorm(0, tu) }  tu ~ dgamma(2, 2)",
       "tu"},
      {"for (i in 1:12) { y[i] ~ dnorm(a + b * x[i] + c * step(x[i] - x[k]), 1) }  "
       "k ~ dcat(p[])  for (i in 1:6) { p[i] <- 1 / 6 }  c ~ dnorm(0, 0.1)",
       "k"},
      {"y[1:12] ~ dmnorm(mu[], O[,])  for (i in 1:12) { mu[i] <- a + b * x[i] + c * g[i]  "
       "for (j in 1:12) { O[i, j] <- equals(i, j) + 0.3 } }  c ~ dnorm(0, 1)",
       "c"},
      {"for (i in 1:12) { y[i] ~ dnorm(a + b * x[i] + s * g[i], 1) }  s ~ dnorm(0, 1)T(0.2,)",
       "s"}};
  Arrays data = {{"y", {{12}, {1, 2, 3, 4, 5, 9, 2, 1, 4, 5, 6, 6}}},
                 {"g", {{12}, {1, 1, 2, 2, 3, 3, 4, 4, 1, 2, 3, 4}}}};
  const auto draws_of = [&](const auto& each, double offset, std::size_t m) {
    std::vector<double> x = count_from(offset), draws;
    x.insert(x.end(), x.begin(), x.begin() + 6);
    data["x"] = {{12}, x};
    const BugsResult result =
        result_of(each.model + priors, data, {{"d", 0, 0}, {each.name, 0, 0}}, 5);
    EXPECT_FALSE(has_warning(result, kNotToldApart));
    for (const auto& chain : result.traces[m].chains)
      draws.insert(draws.end(), chain.begin(), chain.end());
    return draws;
  };
  for (const auto& each : cases) {
    for (const std::size_t m : {0, 1}) {
      const std::vector<double> centred = draws_of(each, -3.5, m), far = draws_of(each, 1.7e9, m);
      const double deviation = deviation_of(centred);
      EXPECT_NEAR(mean_of(far), mean_of(centred), 0.08 * deviation) << each.model;
      EXPECT_NEAR(deviation_of(far) / deviation, 1, 0.1) << each.model;
    }
  }
}

TEST(ParallelColumns, WhatTheDataFixIsDrawnExactlyAndTheRestIsTold) {
  const auto sum_of = [](const std::string& y, const std::string& prior) {
    return y + "  a ~ " + prior + "  b ~ " + prior + "  s <- a + b";
  };
  const std::string four = "for (i in 1:4) { y[i] ~ dnorm(a + b, 1) }";
  const std::string counts = "for (i in 1:4) { y[i] ~ dpois(exp(a + b)) }";
  const Arrays data = {{"y", {{4}, {1, 2, 3, 4}}}};
  // e^s ~ gamma(10, 4)
  const Expected normal = {"s", 2.5, 0.5}, log_gamma = {"s", 0.8654589, 0.3242936};
  const BugsResult one = expect_posterior(sum_of("y ~ dnorm(a + b, 1)", "dflat()"),
                                          {{"y", {{1}, {7}}}}, {{"s", 7, 1}});
  EXPECT_TRUE(has_warning(one, kNotToldApart));
  EXPECT_FALSE(has_warning(one, "all draws are equal"));
  EXPECT_TRUE(
      has_warning(expect_posterior(sum_of(four, "dflat()"), data, {normal}), kNotToldApart));
  EXPECT_TRUE(has_warning(expect_posterior(sum_of(counts, "dflat()"), data, {log_gamma}, 3000),
                          kNotToldApart));
  const BugsResult proper = expect_posterior(sum_of(four, "dnorm(0, 1.0E-20)"), data,
                                             {normal, {"a", 0, 1e10 / std::sqrt(2.0)}});
  EXPECT_TRUE(proper.warnings.empty());
  expect_posterior(sum_of(counts, "dnorm(0, 1.0E-18)"), data, {log_gamma}, 3000);
}

TEST(ParallelColumns, ProductsBeyondDoublesAreNotNeeded) {
  expect_posterior(
      "y ~ dnorm(1.0E200 * a + b, 1)  a ~ dnorm(0, 1)  b ~ dnorm(0, 1)  "
      "s <- 1.0E200 * a + b",
      {{"y", {{1}, {7}}}}, {{"s", 7, 1}, {"b", 0, 1}});
}

TEST(ParallelColumns, AnAnswerDoesNotDependOnTheNumberOfThreads) {
  const std::string model =
      "for (i in 1:6) { y[i] ~ dpois(exp(a + b * x[i])) }  a ~ dflat()  b ~ dflat()  c ~ dflat()  "
      "for (i in 1:6) { z[i] ~ dnorm(a + c, 1) }";
  Arrays data = line_of(1e7);
  data["z"] = {{6}, {1, 2, 3, 4, 5, 6}};
  BugsOptions options;
  options.burn_in = 50;
  options.samples = 100;
  options.monitors = {{"a"}, {"b"}, {"c"}};
  std::vector<BugsResult> results;
  for (const std::size_t threads : {1, 4}) {
    options.threads = threads;
    results.push_back(
        sample(parse_program(LineReader("model { " + model + " }", "t.bug")), data, {}, options));
  }
  for (std::size_t m = 0; m < 3; ++m)
    EXPECT_EQ(results[0].traces[m].chains, results[1].traces[m].chains);
}

}  // namespace
}  // namespace croft::bugs::offset_regressors_test
