// Diagnostics against closed forms, and against their definitions without a transform.
#include "bugs/posterior/diagnostics.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "croft/core/random.h"

namespace croft::bugs::diagnostics_test {
namespace {

using Draws = std::vector<std::vector<double>>;

// x_t = phi x_{t-1} + e_t from its stationary distribution, which has variance 1.
Draws autoregression(double phi, std::size_t chains, std::size_t n, std::uint64_t seed) {
  Random random(seed);
  Draws out(chains, std::vector<double>(n));
  for (std::vector<double>& chain : out) {
    double x = random.normal();
    for (double& each : chain) {
      each = x;
      x = phi * x + std::sqrt(1 - phi * phi) * random.normal();
    }
  }
  return out;
}

TEST(BugsDiagnostics, EffectiveSamplesOfAutoregressionsAreThoseOfTheory) {
  for (const double phi : {-0.3, 0.0, 0.5, 0.9, 0.97}) {
    const std::size_t n = 10000, chains = 4;
    const double theory = static_cast<double>(n * chains) * (1 - phi) / (1 + phi);
    const double found = effective_samples(autoregression(phi, chains, n, 7));
    EXPECT_NEAR(found / theory, 1, 0.1) << phi;
  }
}

TEST(BugsDiagnostics, AntitheticDrawsAreWorthMoreUpToALimit) {
  const Draws draws = autoregression(-0.9, 2, 5000, 3);
  EXPECT_LE(effective_samples(draws), 10000 * std::log10(10000) * (1 + 1e-12));
  EXPECT_GT(effective_samples(draws), 20000);
}

// The definition, sum by sum.
double naive_effective(const Draws& chains) {
  Draws halves;
  const std::size_t n = chains[0].size() / 2;
  for (const auto& chain : chains) {
    halves.emplace_back(chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(n));
    halves.emplace_back(chain.end() - static_cast<std::ptrdiff_t>(n), chain.end());
  }
  const auto count = static_cast<double>(n), m = static_cast<double>(halves.size());
  std::vector<double> means;
  double within = 0, grand = 0, between = 0;
  for (const auto& half : halves) {
    double mean = 0, squares = 0;
    for (const double x : half) mean += x / count;
    for (const double x : half) squares += (x - mean) * (x - mean);
    within += squares / (count - 1) / m;
    grand += mean / m;
    means.push_back(mean);
  }
  for (const double mean : means) between += (mean - grand) * (mean - grand) / (m - 1);
  const double all = within * (count - 1) / count + between;
  const auto rho = [&](std::size_t t) {
    double sum = 0;
    for (std::size_t k = 0; k < halves.size(); ++k) {
      for (std::size_t i = 0; i + t < n; ++i) {
        sum += (halves[k][i] - means[k]) * (halves[k][i + t] - means[k]) / count / m;
      }
    }
    return t == 0 ? 1.0 : 1 - (within - sum) / all;
  };
  double tau = -1, least = std::numeric_limits<double>::infinity();
  for (std::size_t t = 0; t + 1 < n; t += 2) {
    const double pair = rho(t) + rho(t + 1);
    if (!(pair > 0)) break;
    least = std::min(least, pair);
    tau += 2 * least;
  }
  return count * m / std::max(tau, 1 / std::log10(count * m));
}

RC_GTEST_PROP(BugsDiagnostics, EffectiveSamplesAreWhatTheDefinitionSays, ()) {
  const auto chains = *rc::gen::inRange<std::size_t>(1, 4);
  const auto n = *rc::gen::inRange<std::size_t>(8, 500);
  const double phi = *rc::gen::inRange(-99, 100) / 100.0;
  const Draws draws = autoregression(phi, chains, n, *rc::gen::arbitrary<std::uint64_t>());
  const double expected = naive_effective(draws), found = effective_samples(draws);
  RC_ASSERT(std::abs(found - expected) <= 1e-8 * expected);
}

TEST(BugsDiagnostics, RHatOfShiftedChainsIsThatOfTheirMeans) {
  // Halves of variance 1 around -a and a: var+ = W (n - 1) / n + the variance of the means.
  Draws draws = autoregression(0, 2, 40000, 11);
  for (double& x : draws[0]) x -= 1;
  for (double& x : draws[1]) x += 1;
  const double means = 4.0 / 3;  // of -1, -1, 1, 1
  EXPECT_NEAR(split_r_hat(draws), std::sqrt(1 + means), 0.01);
  EXPECT_NEAR(split_r_hat(autoregression(0.5, 4, 20000, 5)), 1, 0.002);
  // A single chain that drifts does not agree with itself.
  Draws drift(1, std::vector<double>(1000));
  for (std::size_t i = 0; i < 1000; ++i) drift[0][i] = static_cast<double>(i);
  EXPECT_GT(split_r_hat(drift), 1.5);
}

TEST(BugsDiagnostics, RanksSeeChainsOfDifferentWidths) {
  Draws draws = autoregression(0, 4, 2000, 13);
  for (double& x : draws[3]) x *= 5;
  EXPECT_LT(split_r_hat(draws), 1.02);
  EXPECT_GT(RankedDraws(draws).r_hat(), 1.1);
  EXPECT_LT(RankedDraws(autoregression(0, 4, 2000, 13)).r_hat(), 1.01);
}

// Draws without a variance have the ranks of the normal draws that they are made of.
TEST(BugsDiagnostics, EffectiveSamplesOfTheBulkAreThoseOfTheNormalScores) {
  Draws draws = autoregression(0.5, 4, 20000, 19);
  const double of_normal = effective_samples(draws);
  for (auto& chain : draws) {
    for (double& x : chain) x = std::exp(x * x * x);
  }
  EXPECT_NEAR(RankedDraws(draws).bulk_effective_samples() / of_normal, 1, 0.02);
  EXPECT_TRUE(
      std::isnan(RankedDraws(Draws(2, std::vector<double>(100, 1))).bulk_effective_samples()));
}

TEST(BugsDiagnostics, RanksDoNotDependOnTheScale) {
  Draws draws = autoregression(0.5, 2, 500, 17);
  const double before = RankedDraws(draws).r_hat(),
               tail = RankedDraws(draws).tail_effective_samples();
  for (auto& chain : draws) {
    for (double& x : chain) x = 3 * x + 100;
  }
  EXPECT_NEAR(RankedDraws(draws).r_hat(), before, 1e-12);
  EXPECT_EQ(RankedDraws(draws).tail_effective_samples(), tail);
}

TEST(BugsDiagnostics, WhatCannotBeKnownIsNaN) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(effective_samples({})));
  EXPECT_TRUE(std::isnan(effective_samples(Draws{{1, 2, 3, 4, 5, 6, 7}})));
  EXPECT_TRUE(std::isnan(effective_samples(Draws(2, std::vector<double>(100, 3.0)))));
  EXPECT_TRUE(std::isnan(split_r_hat(Draws(2, std::vector<double>(100, 3.0)))));
  Draws with_infinity = autoregression(0, 2, 100, 1);
  with_infinity[1][7] = infinity;
  EXPECT_TRUE(std::isnan(effective_samples(with_infinity)));
  EXPECT_TRUE(std::isnan(RankedDraws(with_infinity).r_hat()));
  Draws stuck = {std::vector<double>(100, 1.0), std::vector<double>(100, 2.0)};
  EXPECT_EQ(split_r_hat(stuck), infinity);
}

}  // namespace
}  // namespace croft::bugs::diagnostics_test
