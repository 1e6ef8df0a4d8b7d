// Simulation-based calibration (Talts et al. 2018): parameters from the prior, data from them,
// draws from the posterior; the rank of the true value among the draws is uniform.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bugs/compile/compile.h"
#include "bugs/language/program_parser.h"
#include "bugs/node_values.h"
#include "bugs/run/starts.h"
#include "bugs/sampler.h"
#include "core/chi_squared.h"
#include "croft/data/line_reader.h"

namespace croft::bugs::calibration_test {
namespace {

constexpr int kDataSets = 200, kDraws = 63, kBins = 8;

// Values of the arrays in a state.
Array array_of(const ModelGraph& graph, const std::string& name,
               const std::vector<double>& values) {
  const NamedArray& array = graph.arrays().find(name)->second;
  Array result{array.dimensions, {}};
  for (const Slot s : array.slots) result.values.push_back(values[s]);
  return result;
}

struct Calibration {
  const char* name;
  const char* program;
  std::vector<std::string> data, parameters;
  int thin;
};

void expect_uniform_ranks(const Calibration& c, std::uint64_t seed) {
  SCOPED_TRACE(c.name);
  const Program program = parse_program(LineReader(std::string(c.program), c.name));
  const CompiledModel prior = compile(program, {});
  std::map<std::string, std::vector<int>> bins;
  for (int repeat = 0; repeat < kDataSets; ++repeat) {
    Random random(seed + static_cast<std::uint64_t>(repeat));
    std::vector<double> truth = prior.graph.initial();
    for (const Step& step : prior.graph.forward()) {
      if (step.is_node) {
        ASSERT_TRUE(draw_node(prior.graph, prior.graph.node(step.id), truth.data(), random));
      } else {
        prior.graph.evaluate(step.id, truth.data());
      }
    }
    Arrays data;
    for (const std::string& name : c.data) data[name] = array_of(prior.graph, name, truth);
    const CompiledModel model = compile(program, data);
    ChainState state{find_start(model.graph, {}, random).values};
    const auto samplers = choose_samplers(model.graph);
    std::vector<std::vector<double>> draws(c.parameters.size());
    std::vector<Slot> slots;
    for (const std::string& name : c.parameters)
      slots.push_back(model.graph.arrays().find(name)->second.slots[0]);
    constexpr int kBurnIn = 300;
    for (int i = 1; i <= kBurnIn + kDraws * c.thin; ++i) {
      for (const auto& s : samplers) s->update(state, random);
      if (i == kBurnIn) {
        for (const auto& s : samplers) s->end_adaptation();
      }
      if (i <= kBurnIn || (i - kBurnIn) % c.thin != 0) continue;
      for (std::size_t k = 0; k < slots.size(); ++k) draws[k].push_back(state.values[slots[k]]);
    }
    for (std::size_t k = 0; k < slots.size(); ++k) {
      const double true_value = array_of(prior.graph, c.parameters[k], truth).values[0];
      const auto rank =
          std::count_if(draws[k].begin(), draws[k].end(), [&](double x) { return x < true_value; });
      auto& counts = bins[c.parameters[k]];
      counts.resize(kBins);
      ++counts[static_cast<std::size_t>(rank * kBins / (kDraws + 1))];
    }
  }
  for (const auto& [name, counts] : bins) {
    double statistic = 0;
    for (const int count : counts) {
      const double expected = static_cast<double>(kDataSets) / kBins;
      statistic += (count - expected) * (count - expected) / expected;
    }
    EXPECT_GT(chi_squared_tail(statistic, kBins - 1), 1e-3) << name;
  }
}

TEST(Calibration, OfAHierarchyOfNormalNodes) {
  expect_uniform_ranks({"hierarchy",
                        R"(model {
    for (i in 1:5) { mu[i] ~ dnorm(theta, tau)  for (j in 1:3) { y[i,j] ~ dnorm(mu[i], lambda) } }
    theta ~ dnorm(1, 0.5)  tau ~ dgamma(2, 1)  lambda ~ dgamma(3, 2) })",
                        {"y"},
                        {"theta", "tau", "lambda", "mu"},
                        4},
                       1000);
}

TEST(Calibration, OfCountsWithRandomEffects) {
  expect_uniform_ranks({"counts",
                        R"(model {
    for (i in 1:8) { log(m[i]) <- a + b * (i - 4.5) / 2 + e[i]  y[i] ~ dpois(m[i])  e[i] ~ dnorm(0, tau) }
    a ~ dnorm(1, 1)  b ~ dnorm(0, 2)  sigma ~ dunif(0.1, 2)  tau <- pow(sigma, -2) })",
                        {"y"},
                        {"a", "b", "sigma", "e"},
                        6},
                       2000);
}

TEST(Calibration, OfProportionsWithAScaleInFrontOfTheEffects) {
  expect_uniform_ranks({"proportions",
                        R"(model {
    for (i in 1:8) { logit(p[i]) <- a + sigma * e[i]  y[i] ~ dbin(p[i], 10)  e[i] ~ dnorm(0, 1) }
    a ~ dnorm(0, 1)  sigma ~ dexp(1) })",
                        {"y"},
                        {"a", "sigma"},
                        6},
                       3000);
}

TEST(Calibration, OfSurvivalTimesWithAnUnknownShape) {
  expect_uniform_ranks({"survival",
                        R"(model {
    for (i in 1:12) { t[i] ~ dweib(r, h[i])  log(h[i]) <- a + b * (i - 6.5) / 4 }
    a ~ dnorm(0, 1)  b ~ dnorm(0, 1)  r ~ dgamma(4, 3) })",
                        {"t"},
                        {"a", "b", "r"},
                        6},
                       4000);
}

TEST(Calibration, OfBetaProbabilitiesWithUnknownParameters) {
  expect_uniform_ranks({"probabilities",
                        R"(model {
    for (i in 1:6) { y[i] ~ dbin(p[i], 8)  p[i] ~ dbeta(m * n, (1 - m) * n) }
    m ~ dunif(0, 1)  n ~ dgamma(4, 0.5) })",
                        {"y"},
                        {"m", "n", "p"},
                        6},
                       5000);
}

TEST(Calibration, OfAMixtureOfTwoKinds) {
  expect_uniform_ranks({"mixture",
                        R"(model {
    for (i in 1:10) { y[i] ~ dnorm(mu[k[i]], 1)  k[i] ~ dcat(pi[]) }
    pi[1:2] ~ ddirch(alpha[])  alpha[1] <- 2  alpha[2] <- 3
    mu[1] ~ dnorm(-2, 1)  mu[2] ~ dnorm(2, 1) })",
                        {"y"},
                        {"pi", "mu"},
                        6},
                       6000);
}

}  // namespace
}  // namespace croft::bugs::calibration_test
