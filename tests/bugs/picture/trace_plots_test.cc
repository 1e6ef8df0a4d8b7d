#include "bugs/picture/trace_plots.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "croft/core/random.h"

namespace croft::bugs::trace_plots_test {
namespace {

Trace trace_of(const std::string& name, std::size_t n) {
  Random random(3);
  Trace trace{.name = name, .first = 1001, .thin = 1, .chains = {{}, {}}};
  for (auto& chain : trace.chains) {
    double x = 0;
    for (std::size_t i = 0; i < n; ++i) {
      x = 0.6 * x + 0.8 * random.normal();
      chain.push_back(x);
    }
  }
  return trace;
}

std::size_t count_of(const std::string& text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(BugsTracePlots, TheDensityIsThatOfTheDraws) {
  const Trace trace = trace_of("x", 20000);
  const DensityCurve curve = density_of(trace.chains[0]);
  double area = 0, worst = 0;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    area += curve.y[i] * (curve.x[1] - curve.x[0]);
    const double normal = std::exp(-curve.x[i] * curve.x[i] / 2) / std::sqrt(2 * std::numbers::pi);
    worst = std::max(worst, std::abs(curve.y[i] - normal));
  }
  EXPECT_NEAR(area, 1, 0.01);
  EXPECT_LT(worst, 0.03);
}

TEST(BugsTracePlots, AutocorrelationsAreThoseOfTheChain) {
  const auto rho = autocorrelations(trace_of("x", 20000).chains, 3);
  EXPECT_NEAR(rho[0], 0.6, 0.03);
  EXPECT_NEAR(rho[1], 0.36, 0.04);
  EXPECT_NEAR(rho[2], 0.216, 0.05);
}

TEST(BugsTracePlots, APageHasARowForEachNumberAndNothingFromElsewhere) {
  BugsResult result;
  result.traces = {trace_of("alpha", 3000), trace_of("a<b", 10), trace_of("one", 1)};
  result.traces.push_back({.name = "constant", .first = 1, .thin = 1, .chains = {{2, 2, 2, 2}}});
  result.traces.push_back({.name = "wild",
                           .first = 1,
                           .thin = 1,
                           .chains = {{1, std::numeric_limits<double>::quiet_NaN(), 3,
                                       std::numeric_limits<double>::infinity()}}});
  result.exact.push_back({.name = "exact", .values = {1, 2}, .probabilities = {0.25, 0.75}});
  const auto nodes = summaries(result);
  const std::string page = plots_html(result, nodes, "a & b"), svg = plots_svg(result, nodes);
  EXPECT_EQ(count_of(page, "<svg"), 6u);
  EXPECT_EQ(count_of(svg, "<svg"), 1u);
  EXPECT_NE(page.find("<title>a &amp; b</title>"), std::string::npos);
  EXPECT_NE(page.find("a&lt;b"), std::string::npos);
  EXPECT_EQ(count_of(page, "<script"), 0u);
  EXPECT_EQ(count_of(page, "http"), 6u);  // the name space of SVG
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("\"inf"), std::string::npos);
  EXPECT_NE(svg.find("<title>1: 0.2500</title>"), std::string::npos);
}

}  // namespace
}  // namespace croft::bugs::trace_plots_test
