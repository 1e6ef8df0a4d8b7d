// Posteriors of an unknown scale, rate, shape or size of observations that are truncated on both
// sides.  Means and deviations are by quadrature over ln l in 30 digits.
#include <gtest/gtest.h>

#include <cmath>

#include "bugs/language/program_parser.h"
#include "bugs/sampling.h"
#include "croft/core/random.h"

namespace croft::bugs {
namespace {

struct TruncatedModel {
  const char* law;
  std::vector<double> y;
  double mean, deviation;
};

BugsResult draws_of(const std::string& program, const Arrays& data, std::size_t samples,
                    std::vector<MonitorRequest> monitors) {
  BugsOptions options;
  options.threads = 1;
  options.seed = 3;
  options.samples = samples;
  options.monitors = std::move(monitors);
  return sample(parse_program(LineReader(program, "t.bug")), data, {}, options);
}

double mean_of_trace(const Trace& trace) {
  double sum = 0, count = 0;
  for (const auto& chain : trace.chains)
    for (const double x : chain) sum += x, ++count;
  return sum / count;
}

TEST(TruncatedPosteriors, OfAScaleRateShapeOrSizeAreThoseOfQuadrature) {
  const std::vector<double> y = {1, 2, 3, 2.5}, counts = {1, 2, 3, 2}, parts = {0.2, 0.4, 0.6, 0.3};
  const TruncatedModel models[] = {
      {"dexp(l)T(0.5,6)", y, 0.1779, 0.2885},
      {"dpois(l)T(1,6)", counts, 1.5724, 0.7424},
      {"dnorm(0,l)T(0.5,6)", y, 0.1164, 0.1621},
      {"dlnorm(0,l)T(0.5,6)", y, 0.2177, 0.5412},
      {"dt(0,l,4)T(0.5,6)", y, 0.1590, 0.2919},
      {"dt(0,1,l)T(0.5,6)", y, 0.4468, 1.5334},
      {"dlogis(0,l)T(0.5,6)", y, 0.2462, 0.3717},
      {"ddexp(0,l)T(0.5,6)", y, 0.1779, 0.2885},
      {"dweib(2,l)T(0.5,6)", y, 0.1795, 0.1192},
      {"dweib(l,1)T(0.5,6)", y, 0.1102, 0.2431},
      {"dgamma(2,l)T(0.5,6)", y, 0.6923, 0.5047},
      {"dgamma(l,1)T(0.5,6)", y, 1.5599, 1.1199},
      {"dgen.gamma(2,l,1.5)T(0.5,6)", y, 0.6955, 0.2030},
      {"dgen.gamma(2,1,l)T(0.5,6)", y, 0.2440, 0.4254},
      {"dbeta(l,2)T(0.1,0.9)", parts, 0.3062, 0.5595},
      {"dnegbin(0.5,l)T(1,6)", counts, 0.5735, 0.9495},
      {"dpar(l,0.3)T(0.5,6)", y, 0.0627, 0.1686},
      {"df(l,3)T(0.5,6)", y, 1.0104, 3.1454},
      {"dchisqr(l)T(0.5,6)", y, 0.8220, 1.2577},
  };
  for (const TruncatedModel& m : models) {
    const std::string program =
        std::string("model { for (i in 1:4) { y[i] ~ ") + m.law + " } l ~ dgamma(0.1, 0.1) }";
    const BugsResult result = draws_of(program, {{"y", {{4}, m.y}}}, 1500, {{"l"}});
    // 6,000 draws, a third of them independent or more
    EXPECT_NEAR(mean_of_trace(result.traces[0]), m.mean, 0.09 * m.deviation) << m.law;
  }
}

TEST(TruncatedPosteriors, OfBothParametersEnd) {
  const Arrays data = {{"y", {{4}, {1, 2, 3, 2.5}}}};
  const BugsResult normal = draws_of(
      "model { for (i in 1:4) { y[i] ~ dnorm(m, t)T(0.5, 6) } m ~ dnorm(0, .01) t ~ dgamma(.1, .1) "
      "}",
      data, 2000, {{"m"}, {"t"}});
  EXPECT_NEAR(mean_of_trace(normal.traces[0]), -1.2324, 0.1 * 8.692);
  EXPECT_NEAR(mean_of_trace(normal.traces[1]), 0.1465, 0.1 * 0.461);
  const BugsResult gamma = draws_of(
      "model { for (i in 1:4) { y[i] ~ dgamma(a, b)T(0.5, 6) } a ~ dgamma(.1, .1) b ~ dgamma(.1, "
      ".1) }",
      data, 2000, {{"a"}, {"b"}});
  EXPECT_NEAR(mean_of_trace(gamma.traces[0]), 0.2818, 0.1 * 0.959);
  EXPECT_NEAR(mean_of_trace(gamma.traces[1]), 0.1311, 0.1 * 0.460);
}

TEST(TruncatedPosteriors, ParametersAtTheEdgeOfADoubleEnd) {
  const char* const programs[] = {"x ~ dnchisqr(0.999999,1E10)I(0.3,1E15)",
                                  "p ~ dbeta(1,1) x ~ dgeom(p)T(1E15,1E150)",
                                  "x ~ dbetabin(1E-30,2,1E18)I(2,2)",
                                  "x ~ dnegbin(1E-30,7)T(0.3,1E300)",
                                  "p ~ dgamma(1,1) x ~ dnorm(1E300,1/p)T(-1,1)",
                                  "x ~ dhyper(1E9,1E9,5E8,1)T(2,)",
                                  "x ~ dbin(0.3,1E18)T(5E17,)",
                                  "x ~ dbetabin(0.3,0.2,1E18)T(1E5,1E17)"};
  for (const char* const each : programs) {
    const BugsResult result = draws_of(std::string("model { ") + each + " }", {}, 50, {{"x"}});
    EXPECT_TRUE(!result.exact.empty() || std::isfinite(mean_of_trace(result.traces[0]))) << each;
  }
}

}  // namespace
}  // namespace croft::bugs
