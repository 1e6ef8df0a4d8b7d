// Masses between bounds, and draws from what they leave, at the extremes of parameters and bounds.
//
// The references are integrals in 60 digits (mpmath), of the density in a coordinate in which it is
// log-concave, and sums of masses in 60 digits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "bugs/distributions.h"
#include "bugs/distributions/stirling.h"
#include "bugs/distributions/unimodal.h"

namespace croft::bugs {
namespace {

using Id = DistributionId;
constexpr double kEndless = std::numeric_limits<double>::infinity();

struct Reference {
  Id id;
  Bounds bounds;
  std::vector<double> parameters;
  double log_mass;
  std::string text() const {
    std::ostringstream out;
    out << distribution(id).name << " on " << bounds.lower << ".." << bounds.upper;
    for (const double p : parameters) out << " " << p;
    return out.str();
  }
  std::vector<Numbers> views() const {
    std::vector<Numbers> all;
    for (const double& p : parameters) all.emplace_back(&p, 1);
    return all;
  }
};

const std::vector<Reference>& references() {
  static const std::vector<Reference> all = {
      {Id::normal, {0.5, 6}, {0, 1e10}, -1250000011.7387168},
      {Id::normal, {0.5, 6}, {0, 1e-30}, -33.752966835876933},
      {Id::normal, {0.5, 6}, {-1e3, 1e5}, -50050012513.583656},
      {Id::normal, {2, 2.000000001}, {1e6, 0.01}, -4999980023.9647845},
      {Id::normal, {8, kEndless}, {0, 1}, -35.01343715991455},
      {Id::normal, {-kEndless, -40}, {0, 1}, -804.60844201375379},
      {Id::log_normal, {0.5, 6}, {5, 1e5}, -514648.20628929542},
      {Id::log_normal, {1, 1.0001}, {-100, 3}, -15009.594984517807},
      {Id::log_normal, {0, 1e-300}, {0, 2}, -477178.63327114705},
      {Id::log_normal, {2, 6}, {5, 1e-30}, -35.363667100498659},
      {Id::logistic, {0.5, 6}, {0.25, 1e10}, -2500000000.0},
      {Id::logistic, {2, 2.000000001}, {0.25, 100}, -191.11809561821796},
      {Id::logistic, {-2, 6}, {0.25, 1e-30}, -68.384405609261425},
      {Id::laplace, {0.5, 6}, {0.25, 1e10}, -2500000000.6931472},
      {Id::laplace, {-2, 6}, {0.25, 1e-30}, -67.69125842870148},
      {Id::laplace, {2, 2.000000001}, {-1e3, 3}, -3026.3178006475979},
      {Id::student, {0.5, 6}, {0, 1e10, 4}, -42.180549078111337},
      {Id::student, {2, 2.000000001}, {-1e4, 1e10, 3}, -90.907867829319615},
      {Id::student, {0.5, 6}, {0, 1, 1e12}, -1.1759117647910663},
      {Id::student, {50, 60}, {0.5, 1e5, 1e6}, -2752724.4030501356},
      {Id::student, {1, 1e9}, {0, 1, 0.01}, -2.398938158769805},
      {Id::student, {-3, -1}, {0.5, 1e-30, 1}, -34.99035910020014},
      {Id::exponential, {0.5, 6}, {1e10}, -5000000000.0},
      {Id::exponential, {0.5, 6}, {1e-30}, -67.372804697582945},
      {Id::exponential, {1, 1.0001}, {100}, -104.61016601932501},
      {Id::weibull, {0.5, 6}, {2, 1e10}, -2500000000.0},
      {Id::weibull, {0.5, 6}, {50, 1e-30}, -8.8817841970012531e-46},
      {Id::weibull, {1, 1.0001}, {0.01, 3}, -15.716949267163403},
      {Id::weibull, {50, 60}, {1, 1e10}, -500000000000.0},
      {Id::gamma, {0.5, 6}, {2, 1e10}, -4999999977.6672963},
      {Id::gamma, {0.5, 6}, {1e-8, 1e5}, -50029.240478913793},
      {Id::gamma, {0.5, 6}, {1e5, 1e5}, -1.5675120158297961e-49},
      {Id::gamma, {0.5, 6}, {1e9, 1e5}, -6419180914.028099},
      {Id::gamma, {0.5, 6}, {1e9, 1e10}, -2390562100.2327654},
      {Id::gamma, {2, 2.000000001}, {100, 0.3}, -432.23318065634046},
      {Id::gamma, {0, 1e-300}, {0.01, 1}, -6.9020649710360675},
      {Id::gamma, {1.0, 1.0001}, {1e9, 1e9}, -0.69472274387387574},
      {Id::gamma, {1e4, kEndless}, {2, 1}, -9990.7895596330235},
      {Id::generalized_gamma, {0.5, 6}, {2, 1e5, 1.5}, -11180323.657831432},
      {Id::generalized_gamma, {0.5, 6}, {1e3, 0.01, 20}, -62180.34251368889},
      {Id::generalized_gamma, {1, 1.0001}, {0.1, 100, 0.1}, -15.304537029334558},
      {Id::chi_squared, {0.5, 6}, {1e5}, -436067.62855645015},
      {Id::chi_squared, {0.5, 6}, {1e-20}, -46.714092651369918},
      {Id::chi_squared, {50, kEndless}, {1e-8}, -47.370543227717594},
      {Id::f, {0.5, 6}, {100, 1e8}, -6.9533726483331009e-6},
      {Id::f, {0.5, 6}, {1e10, 1e3}, -8.7490557275860224e-54},
      {Id::f, {2, 2.000000001}, {3, 0.1}, -24.612653689218598},
      {Id::f, {1e5, kEndless}, {3, 200}, -728.96190820795547},
      {Id::f, {0.5, 6}, {1e-8, 3}, -18.203592933995205},
      {Id::scaled_gamma, {0.5, 6}, {1e4, 100}, -9.43268413746163},
      {Id::scaled_gamma, {0.5, 6}, {1e-30, 3}, -203.77849888493681},
      {Id::pareto, {0.5, 6}, {1e10, 0.3}, -5108256237.6599072},
      {Id::pareto, {0.5, 6}, {1e-30, 0.3}, -68.167317696456044},
      {Id::pareto, {2, 2.000000001}, {3, 0.3}, -26.009160601755523},
      {Id::beta, {0.1, 0.9}, {1e9, 7}, -105360411.71299295},
      {Id::beta, {0.1, 0.9}, {200, 1e9}, -105357707.8760064},
      {Id::beta, {0.3, 0.3000001}, {1e5, 1e5}, -17445.395674192548},
      {Id::beta, {0.1, 0.9}, {1e-12, 1e-3}, -26.151553112535427},
      {Id::beta, {1e-300, 1e-200}, {7, 0.5}, -3225.1822922588953},
      {Id::beta, {0.5, 1}, {1e9, 1e9}, -0.69314718055994531},
      {Id::beta, {0.999999, 1}, {0.5, 200}, -2766.3242597151387},
      {Id::uniform, {1, 2}, {0, 1e300}, -690.77552789821371},
      {Id::poisson, {1, 6}, {1e6}, -999923.68618186421},
      {Id::poisson, {1, 6}, {1e-200}, -460.51701859880914},
      {Id::poisson, {100, kEndless}, {0.5}, -433.5491310648342},
      {Id::poisson, {0, 400}, {1e6}, -996474.29607471791},
      {Id::poisson, {100000, 101000}, {1e4}, -140265.07934222248},
      {Id::poisson, {1000000, 1000003}, {1e6}, -6.4404020343951275},
      {Id::poisson, {1000, 5000}, {1e4}, -1538.7487016355829},
      {Id::negative_binomial, {1, 6}, {0.5, 1e5}, -69256.378367504029},
      {Id::negative_binomial, {1, 6}, {0.001, 1e-6}, -12.921877439062882},
      {Id::negative_binomial, {100, kEndless}, {0.99, 2.5}, -453.89024552369026},
      {Id::negative_binomial, {1000, 5000}, {0.5, 0.3}, -698.59400759189577},
      {Id::negative_binomial, {100000, 101000}, {1e-6, 0.3}, -6.4947310401388148},
      {Id::binomial, {1, 6}, {0.4, 1e12}, -510825623609.21664},
      {Id::binomial, {1, 6}, {1e-10, 1e12}, -78.887018665482842},
      {Id::binomial, {0, 400}, {0.4, 1e6}, -507462.18549424153},
      {Id::binomial, {100000, 101000}, {0.01, 1e6}, -144485.87488829394},
      {Id::binomial, {1000, 5000}, {0.999, 20000}, -92379.662172471636},
      {Id::geometric, {1, 6}, {1e-300}, -688.98376842898565},
      {Id::geometric, {1000, 5000}, {0.4}, -510.31479814222473},
      {Id::geometric, {100, kEndless}, {0.999}, -683.86777261923148},
      {Id::beta_binomial, {1000, 5000}, {50, 1, 1e4}, -34.530499134327204},
      {Id::beta_binomial, {50, 50}, {0.3, 0.2, 2000}, -7.0480107677651393},
      {Id::beta_binomial, {0, 3}, {1e8, 1e8, 1e4}, -6905.3828812651557},
      {Id::beta_binomial, {100, 2000}, {0.3, 0.2, 2000}, -0.19429815957182655},
      {Id::hypergeometric, {1000, 5000}, {1e4, 1e4, 1e4, 100}, -11074.138800244778},
      {Id::hypergeometric, {1, 6}, {1e6, 1e6, 2e4, 2}, -22005.008515777316},
      {Id::hypergeometric, {0, 20}, {1000, 3000, 900, 0.01}, -3.630106072096886e-9},
  };
  return all;
}

TEST(Truncation, LogMassesAreThoseOfSixtyDigits) {
  for (const Reference& r : references()) {
    const double seen = log_interval_probability(r.id, r.bounds, r.views());
    EXPECT_NEAR(seen, r.log_mass, 1e-10 * std::max(1.0, std::fabs(r.log_mass))) << r.text();
  }
}

// Bessel functions in 40 digits.
TEST(Truncation, NonCentralChiSquaredMassesAreThoseOfBesselFunctions) {
  const auto log_mass = [](Bounds bounds, double k, double delta) {
    const Numbers views[] = {{&k, 1}, {&delta, 1}};
    return log_interval_probability(Id::noncentral_chi_squared, bounds, views);
  };
  EXPECT_NEAR(log_mass({0.5, 6}, 2.5, 3), -0.514879865861010072, 1e-11);
  EXPECT_NEAR(log_mass({1000, 2000}, 3, 2), -457.498449210130505, 1e-8);
  EXPECT_NEAR(log_mass({100000, 101000}, 3, 2), -49555.0474345028, 1e-6);
  EXPECT_NEAR(log_mass({0, 1e-5}, 3, 2), -19.5937928387690369, 1e-10);
  EXPECT_NEAR(log_mass({2, 2.0001}, 300, 2e5), -100257.779576391388, 1e-6);
  EXPECT_NEAR(log_mass({1, 2}, 0.999999, 1e10), -4999858592.04951411, 1);
}

TEST(Truncation, MassesOfPartsAddUpToTheWhole) {
  for (const Reference& r : references()) {
    if (std::isinf(r.bounds.lower) || std::isinf(r.bounds.upper)) continue;
    SCOPED_TRACE(r.text());
    const std::vector<Numbers> p = r.views();
    double middle = r.bounds.lower + (r.bounds.upper - r.bounds.lower) / 3, after = middle;
    if (distribution(r.id).discrete) after = (middle = std::floor(middle)) + 1;
    const double low = log_interval_probability(r.id, {r.bounds.lower, middle}, p);
    const double high = log_interval_probability(r.id, {after, r.bounds.upper}, p);
    const double most = std::max(low, high);
    const double sum = most + std::log(std::exp(low - most) + std::exp(high - most));
    EXPECT_NEAR(sum, r.log_mass, 1e-9 * std::max(1.0, std::fabs(r.log_mass)));
  }
}

// A draw x has P(l <= X <= x) / P(l <= X <= u) uniform.
TEST(Truncation, DrawsHaveTheMassesOfTheirParts) {
  Random random(21);
  constexpr int kDraws = 400;
  for (const Reference& r : references()) {
    // Intervals that hold one double alone are left out.
    if (r.log_mass < -1e9 || std::isinf(r.bounds.upper) || r.bounds.upper < 1e-100) continue;
    if (r.id == Id::beta && r.parameters[0] < 1e-10) continue;
    SCOPED_TRACE(r.text());
    const std::vector<Numbers> p = r.views();
    std::vector<double> draws(kDraws);
    for (double& x : draws) x = draw_truncated(r.id, r.bounds, p, random);
    std::ranges::sort(draws);
    ASSERT_GE(draws.front(), r.bounds.lower);
    ASSERT_LE(draws.back(), r.bounds.upper);
    double distance = 0;
    for (int k = 0; k < kDraws; k += 20) {
      const double x = draws[static_cast<std::size_t>(k)];
      const auto [first, last] = std::ranges::equal_range(draws, x);
      const double up_to = static_cast<double>(last - draws.begin()) / kDraws;
      const double mass =
          std::exp(log_interval_probability(r.id, {r.bounds.lower, x}, p) - r.log_mass);
      distance = std::max(distance, std::fabs(up_to - mass));
    }
    EXPECT_LT(distance * std::sqrt(kDraws), 2.2);
  }
}

TEST(Truncation, DrawsBeyondWhatADoubleTellsApartAreTheBound) {
  Random random(22);
  const auto drawn = [&](Id id, Bounds bounds, std::vector<double> p) {
    const Reference r{id, bounds, std::move(p), 0};
    return draw_truncated(id, bounds, r.views(), random);
  };
  EXPECT_EQ(drawn(Id::normal, {-1, 1}, {1e300, 1e200}), 1);
  EXPECT_EQ(drawn(Id::normal, {0.5, 6}, {-1e3, 1e30}), 0.5);
  EXPECT_EQ(drawn(Id::generalized_gamma, {0.5, 6}, {2, 1e10, 20}), 0.5);
  EXPECT_EQ(drawn(Id::binomial, {5e17, kEndless}, {0.3, 1e18}), 5e17);
  EXPECT_EQ(drawn(Id::beta_binomial, {2, 2}, {1e-30, 2, 1e18}), 2);
  EXPECT_TRUE(std::isnan(drawn(Id::gamma, {-3, -1}, {2, 1})));
}

TEST(Truncation, DrawsOfHugeCountsHaveTheirMeanAndDeviation) {
  Random random(23);
  const auto expect = [&](Id id, Bounds bounds, std::vector<double> p, double mean, double sd) {
    const Reference r{id, bounds, std::move(p), 0};
    SCOPED_TRACE(r.text());
    constexpr int kDraws = 2000;
    double sum = 0, squares = 0;
    for (int k = 0; k < kDraws; ++k) {
      const double z = (draw_truncated(id, bounds, r.views(), random) - mean) / sd;
      sum += z;
      squares += z * z;
    }
    EXPECT_NEAR(sum / kDraws, 0, 4 / std::sqrt(kDraws));
    EXPECT_NEAR(squares / kDraws, 1, 12 / std::sqrt(kDraws));
  };
  expect(Id::negative_binomial, {0.3, 1e300}, {1e-30, 7}, 7e30, std::sqrt(7.0) * 1e30);
  expect(Id::poisson, {1, kEndless}, {1e12}, 1e12, 1e6);
  expect(Id::binomial, {1, kEndless}, {0.25, 4e12}, 1e12, std::sqrt(0.75e12));
  expect(Id::hypergeometric, {2, kEndless}, {1e9, 1e9, 5e8, 1}, 2.5e8, std::sqrt(93750000.0));
  expect(Id::geometric, {1e3, kEndless}, {1e-9}, 1e3 + 1e9, 1e9);
  expect(Id::noncentral_chi_squared, {0.3, 1e15}, {0.999999, 1e10}, 1e10, 2e5);
}

// By the recurrence Gamma(x + 1) = x Gamma(x), which needs no logarithm of a gamma function.
TEST(Stirling, StepsOfGammaFunctionsKeepTheirDigits) {
  for (const double c : {0.25, 3.0, 12.5, 1e4, 1e9, 1e15}) {
    double product = 0;
    for (int k = 0; k < 7; ++k) product += std::log(c + k);
    EXPECT_NEAR(log_gamma_step(c, 7), product, 1e-13 * (1 + std::fabs(product))) << c;
    double excess = 0;
    for (int k = 0; k < 7; ++k) excess += std::log1p(k / c);
    EXPECT_NEAR(log_gamma_excess(c, 7), excess, 1e-13 * (1 + excess)) << c;
    double ratio = 0;
    for (int k = 0; k < 7; ++k) ratio += std::log1p(2.5 / (c + k));
    EXPECT_NEAR(log_gamma_step_ratio(c + 2.5, c, 2.5, 7), ratio, 1e-13 * (1 + ratio)) << c;
  }
}

TEST(Unimodal, SumsOfManyTermsAreThoseOfTheTermsOneByOne) {
  // e^(-s / 300), and its sum as a geometric series
  const auto geometric = [](double s) { return -s / 300; };
  EXPECT_NEAR(sum_of_side(geometric, 0, kEndless) * -std::expm1(-1.0 / 300), 1, 1e-12);
  const auto falling = [](double s) { return -0.7 * std::log1p(s / 5) - 1e-4 * s; };
  double sum = 0;
  for (int s = 1; s <= 4000; ++s) sum += std::exp(falling(s));
  EXPECT_NEAR(sum_of_side(falling, 1, 4000) / sum, 1, 1e-9);
  EXPECT_EQ(sum_of_side(geometric, 1, 0), 0);
}

}  // namespace
}  // namespace croft::bugs
