// Finite nodes that choose the coefficients of a linear block: draws beside sums over them.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <map>

#include "bugs/language/program_parser.h"
#include "bugs/samplers/sampler_runs.h"
#include "bugs/sampling.h"

namespace croft::bugs::finite_with_block_test {
namespace {

struct Question {
  const char* program;
  Arrays data, inits;
  std::size_t samples = 500;
};

// Shares of the values of a node, over all chains.
std::map<double, double> shares_of(const Question& question, const std::string& node,
                                   std::vector<SamplerUse>* samplers = nullptr) {
  BugsOptions options;
  options.burn_in = 100;
  options.samples = question.samples;
  options.threads = 1;
  options.monitors = {{node}};
  const Program program = parse_program(LineReader(std::string_view(question.program), "t.bug"));
  const BugsResult result =
      sample(program, question.data,
             question.inits.empty() ? std::vector<Arrays>{} : std::vector<Arrays>{question.inits},
             options);
  if (samplers != nullptr) *samplers = result.samplers;
  std::map<double, double> shares;
  double draws = 0;
  for (const auto& chain : result.traces[0].chains) draws += static_cast<double>(chain.size());
  for (const auto& chain : result.traces[0].chains)
    for (const double x : chain) shares[x] += 1 / draws;
  return shares;
}

bool draws_jointly(const std::vector<SamplerUse>& samplers, const std::string& node) {
  return std::ranges::any_of(samplers, [&](const SamplerUse& use) {
    return use.sampler == "finite with linear block" &&
           std::ranges::find(use.nodes, node) != use.nodes.end();
  });
}

// A change point between two lines.  The shares are a sum over k of the integral over the lines,
// which is in closed form, and over tau, by quadrature: P(k = 13) = 0.92235.  From this start
// single draws stay at k = 5 to 8.
TEST(FiniteWithBlock, AChangePointIsFoundFromAFarStart) {
  const std::vector<double> y = {1.12, 1.12,  0.99,  1.03,  0.92,  0.90,  0.81,  0.83,  0.65, 0.67,
                                 0.60, 0.59,  0.51,  0.44,  0.43,  0.43,  0.33,  0.30,  0.25, 0.24,
                                 0.13, -0.01, -0.13, -0.14, -0.30, -0.33, -0.46, -0.43, -0.65};
  const std::vector<double> x = {-1.39, -1.39, -1.08, -1.08, -0.94, -0.80, -0.63, -0.63,
                                 -0.25, -0.25, -0.12, -0.12, 0.01,  0.11,  0.11,  0.11,
                                 0.25,  0.25,  0.34,  0.34,  0.44,  0.59,  0.70,  0.70,
                                 0.85,  0.85,  0.99,  0.99,  1.19};
  const Question question{
      "model { for (i in 1:29) { Y[i] ~ dnorm(mu[i], tau)  "
      "mu[i] <- alpha + beta[J[i]] * (x[i] - x[k])  J[i] <- 1 + step(i - k - 0.5)  "
      "p[i] <- 1 / 29 }  tau ~ dgamma(0.001, 0.001)  alpha ~ dnorm(0, 1.0E-6)  "
      "for (j in 1:2) { beta[j] ~ dnorm(0, 1.0E-6) }  k ~ dcat(p[]) }",
      {{"Y", {{29}, y}}, {"x", {{29}, x}}},
      {{"k", {{1}, {8}}},
       {"alpha", {{1}, {0.47}}},
       {"beta", {{2}, {-0.45, -1}}},
       {"tau", {{1}, {5}}}}};
  std::vector<SamplerUse> samplers;
  std::map<double, double> shares = shares_of(question, "k", &samplers);
  EXPECT_TRUE(draws_jointly(samplers, "k"));
  EXPECT_NEAR(shares[13], 0.92235, 4.5 * std::sqrt(0.92 * 0.08 / 2000));
  EXPECT_NEAR(shares[14] + shares[15] + shares[16], 0.07737, 4.5 * std::sqrt(0.077 * 0.92 / 2000));
}

// Variable selection with a wide prior of the coefficient: given b, z hardly changes.
TEST(FiniteWithBlock, ACoefficientIsInOrOutByItsEvidence) {
  const std::vector<double> x = {-2, -1, 0, 1, 2, 3}, y = {-0.9, -0.1, 0.3, 0.2, 0.8, 0.7};
  const Question question{
      "model { for (i in 1:6) { y[i] ~ dnorm(z * b * x[i], 4) }  b ~ dnorm(0, 0.01)  "
      "z ~ dbern(0.5) }",
      {{"x", {{6}, x}}, {"y", {{6}, y}}},
      {},
      4000};
  double xx = 0, xy = 0;
  for (std::size_t i = 0; i < 6; ++i) xx += 4 * x[i] * x[i], xy += 4 * x[i] * y[i];
  const double odds = std::sqrt(0.01 / (xx + 0.01)) * std::exp(0.5 * xy * xy / (xx + 0.01));
  std::vector<SamplerUse> samplers;
  std::map<double, double> shares = shares_of(question, "z", &samplers);
  EXPECT_TRUE(draws_jointly(samplers, "z"));
  const double p = odds / (1 + odds);
  EXPECT_NEAR(shares[1], p, 4.5 * std::sqrt(p * (1 - p) / 16000));
}

// ∫ f over a grid that holds all of its mass.
double integral(double low, double high, const std::function<double(double)>& f) {
  constexpr int kSteps = 4000;
  double sum = 0;
  for (int k = 0; k < kSteps; ++k) sum += f(low + (high - low) * (k + 0.5) / kSteps);
  return sum * (high - low) / kSteps;
}

// Counts with a change of their rate: the block is no normal one, and draws may be rejected.
TEST(FiniteWithBlock, AChangeOfCountsHasItsPosterior) {
  const std::array<double, 8> y = {0, 1, 0, 2, 6, 4, 7, 5};
  const Question question{
      "model { for (i in 1:8) { y[i] ~ dpois(lambda[i])  log(lambda[i]) <- b[1 + step(i - k)]  "
      "p[i] <- 1 }  b[1] ~ dnorm(0, 0.1)  b[2] ~ dnorm(1, 0.5)  k ~ dcat(p) }",
      {{"y", {{8}, {y.begin(), y.end()}}}},
      {},
      1000};
  std::vector<double> expected;
  double total = 0;
  for (int k = 1; k <= 8; ++k) {
    const auto part = [&](int first, int last, double mean, double tau) {
      double sum = 0;
      for (int i = first; i < last; ++i) sum += y[static_cast<std::size_t>(i - 1)];
      return integral(-12, 8, [&](double b) {
        return std::exp(sum * b - (last - first) * std::exp(b) -
                        0.5 * tau * (b - mean) * (b - mean));
      });
    };
    expected.push_back(part(1, k, 0, 0.1) * part(k, 9, 1, 0.5));
    total += expected.back();
  }
  std::vector<SamplerUse> samplers;
  std::map<double, double> shares = shares_of(question, "k", &samplers);
  EXPECT_TRUE(draws_jointly(samplers, "k"));
  for (int k = 1; k <= 8; ++k) {
    const double p = expected[static_cast<std::size_t>(k - 1)] / total;
    EXPECT_NEAR(shares[k], p, 6 * std::sqrt(p * (1 - p) / 4000) + 1e-4) << k;
  }
}

// A label that sets the prior mean of a narrow node: given the node, it cannot change.
TEST(FiniteWithBlock, ALabelMovesWithTheNodeWhosePriorItSets) {
  const Question question{"model { k ~ dcat(p)  x ~ dnorm(10 * k, 100)  y ~ dnorm(x, 0.01) }",
                          {{"p", {{3}, {0.2, 0.3, 0.5}}}, {"y", {{1}, {18}}}},
                          {},
                          4000};
  std::array<double, 3> expected = {0.2, 0.3, 0.5};
  double total = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double apart = 18 - 10 * static_cast<double>(k + 1);
    total += expected[k] *= std::exp(-0.5 * apart * apart / (1 / 0.01 + 1 / 100.0));
  }
  std::vector<SamplerUse> samplers;
  std::map<double, double> shares = shares_of(question, "k", &samplers);
  EXPECT_TRUE(draws_jointly(samplers, "k"));
  for (std::size_t k = 0; k < 3; ++k) {
    const double p = expected[k] / total;
    EXPECT_NEAR(shares[static_cast<double>(k + 1)], p, 4.5 * std::sqrt(p * (1 - p) / 16000)) << k;
  }
}

// k is an offset of one datum: given a, it cannot change.
TEST(FiniteWithBlock, AnOffsetOfOneDatumMovesWithWhatSeesNoOther) {
  for (const char* const program :
       {"model { k ~ dcat(p)  a ~ dnorm(0, 0.001)  y[1] ~ dnorm(a + 10 * k, 1) }",
        "model { for (i in 1:6) { y[i] ~ dnorm(a[i] + 10 * offset[i], 1)  a[i] ~ dnorm(0, 0.001) } "
        " "
        "k ~ dcat(p)  offset[1] <- k  for (i in 2:6) { offset[i] <- 1 } }"}) {
    const Question question{
        program, {{"p", {{3}, {0.2, 0.3, 0.5}}}, {"y", {{6}, {18, 10, 9, 11, 8, 12}}}}, {}, 4000};
    std::array<double, 3> expected = {0.2, 0.3, 0.5};
    double total = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double apart = 18 - 10 * static_cast<double>(k + 1);
      total += expected[k] *= std::exp(-0.5 * apart * apart / 1001);
    }
    std::vector<SamplerUse> samplers;
    std::map<double, double> shares = shares_of(question, "k", &samplers);
    EXPECT_TRUE(draws_jointly(samplers, "k"));
    for (std::size_t k = 0; k < 3; ++k) {
      const double p = expected[k] / total;
      EXPECT_NEAR(shares[static_cast<double>(k + 1)], p, 4.5 * std::sqrt(p * (1 - p) / 16000)) << k;
    }
  }
}

// One child says all of a label, and there are as many labels as data.
TEST(FiniteWithBlock, LabelsOfAMixtureAreDrawnAlone) {
  const Question question{
      "model { for (i in 1:4) { z[i] ~ dcat(c(0.5, 0.5))  y[i] ~ dnorm(mu[z[i]], 1) }  "
      "mu[1] ~ dnorm(-3, 1)  mu[2] ~ dnorm(3, 1) }",
      {{"y", {{4}, {-3, -2, 3, 2}}}},
      {},
      10};
  std::vector<SamplerUse> samplers;
  shares_of(question, "z[1]", &samplers);
  EXPECT_FALSE(draws_jointly(samplers, "z[1]"));
}

}  // namespace
}  // namespace croft::bugs::finite_with_block_test
