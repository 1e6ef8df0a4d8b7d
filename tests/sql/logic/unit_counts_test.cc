// Draws of counts against all worlds.
#include "sql/logic/learn/unit_counts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace croft {
namespace {

TEST(UnitCounts, BinomialDrawsHaveTheirMomentsAndBounds) {
  Random random(11);
  for (const auto& [n, p] : std::vector<std::pair<std::size_t, double>>{
           {40, 0.03}, {40, 0.5}, {40, 0.9}, {3, 0.2}, {1000, 1e-3}}) {
    double sum = 0, squares = 0;
    constexpr int kDraws = 20'000;
    for (int i = 0; i < kDraws; ++i) {
      const auto k = static_cast<double>(draw_binomial(n, p, random));
      ASSERT_LE(k, static_cast<double>(n));
      sum += k;
      squares += k * k;
    }
    const double mean = sum / kDraws, size = static_cast<double>(n);
    const double variance = size * p * (1 - p);
    EXPECT_NEAR(mean, size * p, 5 * std::sqrt(variance / kDraws));
    EXPECT_NEAR(squares / kDraws - mean * mean, variance, 0.06 * variance);
  }
  EXPECT_EQ(draw_binomial(7, 0, random), 0u);
  EXPECT_EQ(draw_binomial(7, 1, random), 7u);
  EXPECT_EQ(draw_binomial(0, 0.3, random), 0u);
}

// Some atoms hang together, with a hard clause; others stand alone, some of them alike.
TEST(UnitCounts, DrawsHaveTheMeansAndVariancesOfAllWorlds) {
  constexpr std::uint32_t kAtoms = 9, kUnits = 4;
  ClauseStore store;
  for (std::uint64_t key = 0; key < kAtoms; ++key) store.atom(key);
  const auto add = [&](std::vector<std::uint32_t> literals, std::uint32_t unit, double factor) {
    store.add(literals, factor, unit, factor);
  };
  add({0, 3}, 0, 1);
  add({2, 5}, 1, 1);
  add({4}, 2, -1);
  std::vector<std::uint32_t> hard{1, 2};
  store.add(hard, kHardWeight);
  for (const std::uint32_t atom : {3u, 4u, 5u, 6u}) add({2 * atom}, 2, 1);
  for (const std::uint32_t atom : {3u, 4u, 7u}) add({2 * atom + 1}, 3, 2);
  const std::vector<double> w{0.8, -0.5, 0.7, 0.2};
  store.reweigh(w);
  std::vector<double> mean(kUnits, 0), squares(kUnits, 0);
  double total = 0;
  for (std::uint32_t bits = 0; bits < 1u << kAtoms; ++bits) {
    std::vector<std::uint8_t> world;
    for (std::uint32_t a = 0; a < kAtoms; ++a) world.push_back(bits >> a & 1);
    if (world[0] != 0 && world[1] == 0) continue;  // the hard clause
    const std::vector<double> f = false_counts(store, world, kUnits);
    double score = 0;
    for (std::uint32_t u = 0; u < kUnits; ++u) score -= w[u] * f[u];
    const double weight = std::exp(score);
    total += weight;
    for (std::uint32_t u = 0; u < kUnits; ++u) {
      mean[u] += weight * f[u];
      squares[u] += weight * f[u] * f[u];
    }
  }
  CountSampler sampler(store, kUnits, {2, std::vector<std::uint8_t>(kAtoms, 0)}, 5);
  ThreadPool pool(1);
  const CountSampler::Draws draws = sampler.draw(100, 20'000, pool);
  for (std::uint32_t u = 0; u < kUnits; ++u) {
    mean[u] /= total;
    double sum = 0, of_squares = 0;
    for (const auto& row : draws.rows) {
      sum += row[u];
      of_squares += row[u] * row[u];
    }
    const auto count = static_cast<double>(draws.rows.size());
    const double variance = squares[u] / total - mean[u] * mean[u];
    EXPECT_NEAR(sum / count, mean[u], 0.03);
    EXPECT_NEAR(of_squares / count - sum * sum / count / count, variance, 0.05 * variance + 0.01);
  }
}

}  // namespace
}  // namespace croft
