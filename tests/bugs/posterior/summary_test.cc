#include "bugs/posterior/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "bugs/posterior/disagreement.h"
#include "core/json.h"
#include "croft/core/random.h"

namespace croft::bugs::summary_test {
namespace {

Trace normal_trace(std::size_t n) {
  Random random(5);
  Trace trace{.name = "x", .first = 1, .thin = 1, .chains = {}};
  for (int c = 0; c < 4; ++c) {
    std::vector<double>& chain = trace.chains.emplace_back();
    for (std::size_t i = 0; i < n; ++i) chain.push_back(10 + 2 * random.normal());
  }
  return trace;
}

TEST(BugsSummary, OfNormalDrawsIsThatOfTheDistribution) {
  const NodeSummary node = summarise(normal_trace(10000));
  EXPECT_NEAR(node.mean, 10, 0.04);
  EXPECT_NEAR(node.sd, 2, 0.02);
  EXPECT_NEAR(node.error, 2 / std::sqrt(40000.0), 0.0005);
  EXPECT_NEAR(node.quantiles[0], 10 - 2 * 1.959964, 0.08);
  EXPECT_NEAR(node.quantiles[1], 10 - 2 * 0.6744898, 0.04);
  EXPECT_NEAR(node.quantiles[2], 10, 0.03);
  EXPECT_NEAR(node.narrowest[1] - node.narrowest[0], 4 * 1.959964, 0.1);
  EXPECT_EQ(node.draws, 40000u);
  EXPECT_NEAR(node.r_hat, 1, 0.002);
}

TEST(BugsSummary, EqualDrawsHaveThatMeanAndNoDeviation) {
  const Trace trace{.name = "x",
                    .chains = {std::vector<double>(1000, 3.1), std::vector<double>(1000, 3.1)}};
  const NodeSummary node = summarise(trace);
  EXPECT_EQ(node.mean, 3.1);
  EXPECT_EQ(node.sd, 0);
  EXPECT_EQ(node.error, 0);
  EXPECT_TRUE(std::isnan(node.effective) && std::isnan(node.r_hat));
}

TEST(BugsSummary, ChainsThatStandStillAtDifferentValuesHaveNoErrors) {
  const Trace trace{.name = "k",
                    .chains = {std::vector<double>(1000, 2.0), std::vector<double>(1000, 5.0),
                               std::vector<double>(1000, 2.0)}};
  const NodeSummary node = summarise(trace);
  EXPECT_NEAR(node.mean, 3, 1e-12);
  EXPECT_TRUE(std::isnan(node.error) && std::isnan(node.effective) &&
              std::isnan(node.tail_effective));
  EXPECT_NE(to_json(node).dump().find("\"mcse\":null,\"effective_samples\":null"),
            std::string::npos)
      << to_json(node).dump();
  const std::vector<std::string> warnings = disagreement({trace});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].rfind("no chain moves, and they stand at different values of \"k\": \"k\" "
                              "is 2, 5, 2 by chain; its errors and effective samples are not known",
                              0),
            0u)
      << warnings[0];
}

TEST(BugsSummary, WhatIsSometimesNoNumberHasNoQuantiles) {
  Trace trace = normal_trace(100);
  for (double& x : trace.chains[2]) x = std::log(x - 10);
  const auto without = static_cast<double>(std::count_if(
      trace.chains[2].begin(), trace.chains[2].end(), [](double x) { return std::isnan(x); }));
  ASSERT_GT(without, 30);
  const NodeSummary drawn = summarise(trace);
  EXPECT_EQ(drawn.no_number, without / 400);
  const NodeSummary exact = summarise(
      ExactMarginal{.name = "z", .values = {1, 2, NAN}, .probabilities = {0.5, 0.3, 0.2}});
  EXPECT_EQ(exact.no_number, 0.2);
  for (const NodeSummary& node : {drawn, exact}) {
    EXPECT_TRUE(std::isnan(node.mean) && std::isnan(node.sd) && std::isnan(node.r_hat));
    for (const double each : node.quantiles) EXPECT_TRUE(std::isnan(each));
    EXPECT_EQ(to_json(node)["no_number"].get<double>(), node.no_number);
  }
}

TEST(BugsSummary, QuantilesAreThoseOfR) {
  // quantile(c(3, 1, 2, 10), c(.025, .25, .5, .75, .975)) in R: 1.075 1.75 2.5 4.75 9.475
  const NodeSummary node =
      summarise(Trace{.name = "x", .first = 1, .thin = 1, .chains = {{3, 1}, {2, 10}}});
  const double expected[] = {1.075, 1.75, 2.5, 4.75, 9.475};
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(node.quantiles[k], expected[k], 1e-12);
  EXPECT_EQ(node.mean, 4);
  EXPECT_NEAR(node.sd, std::sqrt(50.0 / 3), 1e-12);
  EXPECT_TRUE(std::isnan(node.effective));
}

TEST(BugsSummary, TheNarrowestIntervalOfASkewedPosteriorBeginsAtItsMode) {
  Random random(9);
  Trace trace{.name = "x", .first = 1, .thin = 1, .chains = {{}}};
  for (int i = 0; i < 20000; ++i) trace.chains[0].push_back(-std::log(1 - random.uniform()));
  const NodeSummary node = summarise(trace);
  EXPECT_NEAR(node.narrowest[0], 0, 0.01);
  EXPECT_NEAR(node.narrowest[1], -std::log(0.05), 0.1);
}

TEST(BugsSummary, ExactMarginalsHaveNoError) {
  const NodeSummary node =
      summarise(ExactMarginal{.name = "s", .values = {2, 1, 7}, .probabilities = {0.5, 0.3, 0.2}});
  EXPECT_DOUBLE_EQ(node.mean, 2.7);
  EXPECT_DOUBLE_EQ(node.sd, std::sqrt(0.5 * 4 + 0.3 * 1 + 0.2 * 49 - 2.7 * 2.7));
  EXPECT_EQ(node.quantiles[0], 1);
  EXPECT_EQ(node.quantiles[2], 2);
  EXPECT_EQ(node.quantiles[4], 7);
  EXPECT_EQ(node.narrowest[0], 1);
  EXPECT_EQ(node.narrowest[1], 7);
  EXPECT_EQ(summary_text({node}),
            "node  mean     sd  mcse  2.5%  25%  50%  75%  97.5%  ess  ess_tail  r_hat\n"
            "s      2.7  2.193     -     1    1    2    2      7    -         -      -\n");
}

TEST(BugsSummary, DocumentsHaveAllOfIt) {
  BugsResult result;
  result.traces.push_back(normal_trace(100));
  result.samplers.push_back({.sampler = "slice", .nodes = {"x"}});
  result.deviance = DevianceSummary{.mean_deviance = 5, .pd = 1, .dic = 6};
  const Json document = to_json(result, summaries(result), {});
  EXPECT_EQ(document.at("nodes").at(std::size_t{0}).at("name").string(), "x");
  EXPECT_EQ(document.at("deviance").at("dic").get<double>(), 6);
  EXPECT_EQ(document.at("nodes").at(std::size_t{0}).at("draws").get<int>(), 400);
  const std::string csv = summary_csv(summaries(result));
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "node,mean,sd,mcse,2.5%,25%,50%,75%,97.5%,ess,ess_tail,r_hat,hpd_low,hpd_high,draws");
}

}  // namespace
}  // namespace croft::bugs::summary_test
