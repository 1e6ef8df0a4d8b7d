#include "bugs/samplers/linear_block.h"

#include "bugs/distributions/dense.h"
#include "bugs/distributions/densities.h"
#include "bugs/distributions/draws.h"
#include "bugs/samplers/response_kernels.h"
#include "bugs/samplers/responses.h"
#include "bugs/samplers/sampler_runs.h"
#include "bugs/samplers/sparse_cholesky.h"

namespace croft::bugs::linear_block_test {
namespace {

using Id = DistributionId;

TEST(SparseCholesky, SolvesWhatADenseFactorSolves) {
  Random random(31);
  for (int repeat = 0; repeat < 30; ++repeat) {
    const std::size_t n = 1 + random.below(12);
    std::vector<double> dense(n * n, 0.0);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (std::uint32_t i = 0; i < n; ++i) {
      dense[i + i * n] = static_cast<double>(n) + 1;
      for (std::uint32_t j = 0; j < i; ++j) {
        if (random.below(3) != 0) continue;
        dense[i + j * n] = dense[j + i * n] = 2 * random.uniform() - 1;
        pairs.emplace_back(i, j);
      }
    }
    SparseCholesky sparse(n, pairs);
    ASSERT_TRUE(sparse.fits());
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t j = 0; j <= i; ++j)
        if (dense[i + j * n] != 0)
          sparse.entries()[sparse.position(sparse.place(i), sparse.place(j))] = dense[i + j * n];
    ASSERT_TRUE(sparse.factorise());
    std::vector<double> b(n), x(n);
    for (std::size_t i = 0; i < n; ++i) x[sparse.place(i)] = b[i] = random.normal();
    sparse.solve_lower(x.data());
    sparse.solve_upper(x.data());
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::uint32_t j = 0; j < n; ++j) sum += dense[i + j * n] * x[sparse.place(j)];
      EXPECT_NEAR(sum, b[i], 1e-12);
    }
    double square = 0;  // x' A x = x' b
    for (std::size_t i = 0; i < n; ++i) square += b[i] * x[sparse.place(i)];
    EXPECT_NEAR(sparse.square(x.data()), square, 1e-12 * (1 + square));
  }
}

template <Response kind>
void expect_derivatives(double a, double b, double c, bool exact_weight) {
  for (const double eta : {-30.0, -4.0, -0.3, 0.5, 3.0}) {
    const double h = 1e-5;
    const auto value = [&](double x) { return response<kind>(x, a, b, c).value; };
    const auto first = [&](double x) { return response_first<kind>(x, a, b, c); };
    const double scale = 1 + std::fabs(value(eta)) + std::fabs(first(eta));
    EXPECT_NEAR(response<kind>(eta, a, b, c).first, first(eta), 1e-12 * scale);
    EXPECT_NEAR((value(eta + h) - value(eta - h)) / (2 * h), first(eta), 1e-6 * scale) << eta;
    if (exact_weight) {
      EXPECT_NEAR((first(eta - h) - first(eta + h)) / (2 * h),
                  (response_weight<kind>(eta, a, b, c)), 1e-6 * scale)
          << eta;
    }
  }
}

TEST(Responses, HaveTheirDerivatives) {
  expect_derivatives<Response::power>(3, 0.5, 0, true);
  expect_derivatives<Response::logit>(3, 10, 0, true);
  expect_derivatives<Response::logit>(0, 1, 0, true);
  expect_derivatives<Response::probit>(3, 10, 0, true);
  expect_derivatives<Response::probit>(1, 1, 0, true);
  expect_derivatives<Response::cloglog>(3, 10, 0, false);
  expect_derivatives<Response::student>(0.5, 2, 4, false);
  expect_derivatives<Response::logistic>(0.5, 2, 0, false);
  for (const double lower : {-HUGE_VAL, -0.4}) {
    for (const double upper : {0.7, HUGE_VAL}) {
      expect_derivatives<Response::ordered_logit>(lower, upper, 0, true);
      expect_derivatives<Response::ordered_probit>(lower, upper, 0, true);
    }
  }
}

TEST(Responses, AreLargestAtTheirOwnEstimate) {
  const auto slope_of = [&]<Response kind>(double a, double b) {
    return response_first<kind>(own_estimate<kind>(a, b), a + 0.5, b + 1, 4);
  };
  for (const double successes : {0.0, 3.0, 10.0}) {
    EXPECT_NEAR(slope_of.template operator()<Response::logit>(successes, 10), 0, 1e-12);
    EXPECT_NEAR(slope_of.template operator()<Response::probit>(successes, 10), 0, 1e-12);
    EXPECT_NEAR(slope_of.template operator()<Response::cloglog>(successes, 10), 0, 1e-12);
  }
  EXPECT_NEAR(response_first<Response::power>(own_estimate<Response::power>(3, 7), 3, 7, 0), 0,
              1e-14);
  EXPECT_EQ(own_estimate<Response::power>(0, 7), std::log(0.5 / 7));
  EXPECT_EQ(own_estimate<Response::student>(3.5, 2), 3.5);
}

TEST(Responses, OfVectorsAreThoseOfOneByOne) {
  Random random(35);
  constexpr std::size_t kCount = 64;
  std::vector<double> eta(kCount), a(kCount), b(kCount), w(kCount), beta(kCount), slope(kCount);
  for (std::size_t c = 0; c < kCount; ++c) {
    eta[c] = (c < 8 ? 60 : 5) * random.normal();
    a[c] = static_cast<double>(random.below(5));
    b[c] = a[c] + static_cast<double>(random.below(5));
    w[c] = random.uniform();
    beta[c] = random.normal();
  }
  const ResponseArrays arrays{eta.data(), a.data(), b.data(), w.data(), beta.data(), slope.data()};
  const auto check = [&]<Response kind>(auto values, auto remainders, auto slopes) {
    double of_values = 0, of_remainders = 0, scale = 1;
    std::vector<double> expected(kCount);
    for (std::size_t c = 0; c < kCount; ++c) {
      const ResponseSlope at = response<kind>(eta[c], a[c], b[c], 0);
      of_values += at.value;
      of_remainders += at.value + (0.5 * w[c] * eta[c] - beta[c]) * eta[c];
      expected[c] = at.first + w[c] * eta[c] - beta[c];
      scale += std::fabs(at.value);
    }
    std::size_t done = 0;
    EXPECT_NEAR(values(arrays, kCount, &done), of_values, 1e-14 * scale);
    EXPECT_EQ(done, kCount);
    EXPECT_NEAR(remainders(arrays, kCount, &done), of_remainders, 1e-14 * scale);
    const std::vector<double> first = slope;
    slopes(arrays, kCount, &done);
    for (std::size_t c = 0; c < kCount; ++c) {
      EXPECT_NEAR(first[c], expected[c], 1e-14 * (1 + std::fabs(expected[c])));
      EXPECT_NEAR(slope[c], expected[c], 1e-14 * (1 + std::fabs(expected[c])));
    }
  };
  check.template operator()<Response::power>(power_values, power_remainders, power_remainders);
  check.template operator()<Response::logit>(logit_values, logit_remainders, logit_slopes);
}

TEST(Responses, ExponentialsAndLogisticsOfVectorsAreThoseOfOneByOne) {
  std::vector<double> x = {-800, -50, -1, -1e-9, 0, 0.5, 3, 40, 699, 705, 800}, out(x.size());
  exponentials(x.data(), out.data(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isinf(std::exp(x[i]))) {
      EXPECT_TRUE(std::isinf(out[i]));
      continue;
    }
    EXPECT_NEAR(out[i], std::exp(x[i]), 1e-15 * std::exp(x[i]));
  }
  logistics(x.data(), out.data(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double p = 1 / (1 + std::exp(-x[i]));
    EXPECT_NEAR(out[i], p, 1e-15 * p + 1e-300);
  }
}

// y ~ N(a + b x, 1), and a second level: a ~ N(c, 0.5).  The posterior of (a, b, c) is normal; its
// mean and covariance by a dense solve.
TEST(LinearBlock, DrawsTheExactPosteriorOfAHierarchy) {
  const std::vector<double> x = {-1, 0, 2, 3}, y = {0.2, 1, 1.5, 4};
  ModelBuilder m;
  const NodeId c = m.node(Id::normal, m.numbers({1, 0.1}));
  const NodeId a = m.node(Id::normal, {m.slot(c), m.number(0.5)});
  const NodeId b = m.node(Id::normal, m.numbers({0, 0.2}));
  std::vector<double> p(9, 0.0), h(3, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Slot mu =
        m.operation(Function::inner_product, {m.number(1), m.slot(a), m.number(x[i]), m.slot(b)});
    m.node(Id::normal, {mu, m.number(1)}, {y[i]});
    p[0] += 1, p[1] += x[i], p[3] += x[i], p[4] += x[i] * x[i];
    h[0] += y[i], h[1] += x[i] * y[i];
  }
  m.graph.finish();
  p[0] += 0.5, p[2] -= 0.5, p[6] -= 0.5, p[8] += 0.5 + 0.1, p[4] += 0.2;
  h[2] += 0.1 * 1;
  std::vector<double> factor(9), covariance(9);
  ASSERT_TRUE(dense_cholesky(3, p, factor));
  invert_factor(3, factor, covariance);
  solve_lower(3, factor, h.data());
  solve_upper(3, factor, h.data());
  const std::vector<Slot> slots = {m.slot(a), m.slot(b), m.slot(c)};
  const SampledRun run =
      run_samplers(m.graph, {{slots[0], 0}, {slots[1], 0}, {slots[2], 0}}, slots, 10, 4000, 1, 32);
  EXPECT_EQ(run.samplers, std::vector<std::string>{"linear Gaussian block"});
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_LT(
        distance_from_density(
            run.draws[k],
            [&](double at) { return normal_density<Part::whole>(at, h[k], 1 / covariance[4 * k]); },
            h[k] - 8 * std::sqrt(covariance[4 * k]), h[k] + 8 * std::sqrt(covariance[4 * k])),
        1.95);
  }
  double cross = 0;
  for (std::size_t i = 0; i < run.draws[0].size(); ++i)
    cross += (run.draws[0][i] - h[0]) * (run.draws[1][i] - h[1]);
  EXPECT_NEAR(cross / 4000, covariance[1], 0.03);
}

// Matrices of precisions in prior and likelihood: beta ~ dmnorm, y ~ dmnorm(X beta, T).
TEST(LinearBlock, DrawsMultivariateNormalNodes) {
  ModelBuilder m;
  const std::vector<double> prior = {2, 0.5, 0.5, 1}, t = {1, 0.3, 0.3, 2};
  const NodeId beta =
      m.array_node(Id::multivariate_normal, {{m.numbers({1, -1})}, {m.numbers(prior), 2}}, 2);
  const auto s = m.slots(beta);
  const Slot first = m.operation(Function::add, {s[0], s[1]});
  const Slot second = m.operation(Function::multiply, {m.number(2), s[1]});
  m.array_node(Id::multivariate_normal, {{{first, second}}, {m.numbers(t), 2}}, 2, 0, {0.5, 1});
  m.graph.finish();
  // X = (1 1; 0 2)
  const double x[2][2] = {{1, 1}, {0, 2}}, y[2] = {0.5, 1};
  std::vector<double> p = prior, h = {prior[0] * 1 + prior[2] * -1, prior[1] * 1 + prior[3] * -1};
  for (int i = 0; i < 2; ++i)
    for (int r = 0; r < 2; ++r)
      for (int q = 0; q < 2; ++q) {
        for (int j = 0; j < 2; ++j) p[i + 2 * j] += x[r][i] * t[r + 2 * q] * x[q][j];
        h[i] += x[r][i] * t[r + 2 * q] * y[q];
      }
  std::vector<double> factor(4), covariance(4);
  ASSERT_TRUE(dense_cholesky(2, p, factor));
  invert_factor(2, factor, covariance);
  solve_lower(2, factor, h.data());
  solve_upper(2, factor, h.data());
  const SampledRun run = run_samplers(m.graph, {{s[0], 0}, {s[1], 0}}, s, 10, 4000, 1, 33);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_LT(
        distance_from_density(
            run.draws[k],
            [&](double at) { return normal_density<Part::whole>(at, h[k], 1 / covariance[3 * k]); },
            h[k] - 6, h[k] + 6),
        1.95);
  }
}

// Two coefficients and data of one law with a link; marginals by a grid.
struct Regression {
  const char* name;
  Function link;
  Id law;
  std::vector<double> before, after;  // parameters before and after the linked one
  std::vector<double> y;
  std::vector<double> cuts = {};  // a vector after them; empty: there is none
};

void expect_regression(const Regression& r, std::uint64_t seed) {
  SCOPED_TRACE(r.name);
  const std::vector<double> x = {-1.5, -0.5, 0.2, 1, 1.7};
  ModelBuilder m;
  const NodeId a = m.node(Id::normal, m.numbers({0, 0.5})),
               b = m.node(Id::normal, m.numbers({0, 0.5}));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Slot eta =
        m.operation(Function::inner_product, {m.number(1), m.slot(a), m.number(x[i]), m.slot(b)});
    std::vector<NodeParameter> parameters;
    for (const Slot s : m.numbers(r.before)) parameters.push_back({{s}});
    parameters.push_back({{r.link == Function::negate ? eta : m.operation(r.link, {eta})}});
    for (const Slot s : m.numbers(r.after)) parameters.push_back({{s}});
    if (!r.cuts.empty()) parameters.push_back({m.numbers(r.cuts)});
    m.array_node(r.law, parameters, 1, 0, {r.y[i]});
  }
  m.graph.finish();
  const std::vector<Slot> slots = {m.slot(a), m.slot(b)};
  const SampledRun run =
      run_samplers(m.graph, {{slots[0], 0}, {slots[1], 0}}, slots, 1000, 3000, 6, seed);
  EXPECT_EQ(run.samplers, std::vector<std::string>{"Hamiltonian block"});
  const auto joint = [&](double at_a, double at_b) {
    double sum = -0.25 * (at_a * at_a + at_b * at_b);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double eta = at_a + at_b * x[i];
      std::vector<double> p = r.before;
      switch (r.link) {
        case Function::exp:
          p.push_back(std::exp(eta));
          break;
        case Function::ilogit:
          p.push_back(1 / (1 + std::exp(-eta)));
          break;
        case Function::phi:
          p.push_back(0.5 * std::erfc(-eta / std::sqrt(2.0)));
          break;
        case Function::icloglog:
          p.push_back(-std::expm1(-std::exp(eta)));
          break;
        default:
          p.push_back(eta);
      }
      p.insert(p.end(), r.after.begin(), r.after.end());
      std::vector<Numbers> views;
      for (const double& each : p) views.emplace_back(&each, 1);
      if (!r.cuts.empty()) views.emplace_back(r.cuts);
      sum += log_density(r.law, {&r.y[i], 1}, views);
    }
    return sum;
  };
  for (const int which : {0, 1}) {
    std::vector<double> marginal(321);
    for (int i = 0; i <= 320; ++i) {
      double sum = 0;
      for (int j = 0; j <= 320; ++j) {
        const double one = -8 + 0.05 * i, other = -8 + 0.05 * j;
        sum += std::exp(which == 0 ? joint(one, other) : joint(other, one));
      }
      marginal[static_cast<std::size_t>(i)] = sum;
    }
    const auto density = [&](double at) {
      const double place = std::clamp((at + 8) / 0.05, 0.0, 319.999);
      const auto cell = static_cast<std::size_t>(place);
      const double part = place - static_cast<double>(cell);
      return std::log((1 - part) * marginal[cell] + part * marginal[cell + 1]);
    };
    EXPECT_LT(distance_from_density(run.draws[static_cast<std::size_t>(which)], density, -8, 8),
              1.95);
  }
}

TEST(HamiltonianBlock, DrawsThePosteriorOfEveryResponse) {
  std::uint64_t seed = 400;
  for (const Regression& r : std::vector<Regression>{
           {"poisson", Function::exp, Id::poisson, {}, {}, {0, 2, 1, 4, 3}},
           {"bernoulli logit", Function::ilogit, Id::bernoulli, {}, {}, {0, 1, 0, 1, 1}},
           {"binomial logit", Function::ilogit, Id::binomial, {}, {6}, {0, 2, 1, 4, 6}},
           {"binomial probit", Function::phi, Id::binomial, {}, {6}, {0, 2, 1, 4, 6}},
           {"binomial cloglog", Function::icloglog, Id::binomial, {}, {6}, {0, 2, 1, 4, 6}},
           {"weibull", Function::exp, Id::weibull, {1.4}, {}, {2, 1, 0.3, 0.5, 0.1}},
           {"exponential", Function::exp, Id::exponential, {}, {}, {2, 1, 0.3, 0.5, 0.1}},
           {"gamma", Function::exp, Id::gamma, {2.5}, {}, {2, 1, 0.3, 0.5, 0.1}},
           {"precision", Function::exp, Id::normal, {0.3}, {}, {2, 1, 0.3, 0.5, 0.1}},
           {"student", Function::negate, Id::student, {}, {2, 3}, {2, 1, 7, 0.5, 0.1}},
           {"logistic", Function::negate, Id::logistic, {}, {2}, {2, 1, 4, 0.5, 0.1}},
           {"ordered logit",
            Function::negate,
            Id::ordered_logit,
            {},
            {},
            {1, 2, 1, 3, 4},
            {-1, 0.5, 2}},
           {"ordered probit",
            Function::negate,
            Id::ordered_probit,
            {},
            {},
            {1, 2, 1, 3, 4},
            {-1, 0.5, 2}}}) {
    expect_regression(r, ++seed);
  }
}

// x ~ N(0, 4), y ~ Poisson(e^x): what is a draw of the posterior before the first updates of the
// burn-in is one after them.
TEST(HamiltonianBlock, KeepsThePosteriorInItsFirstUpdates) {
  ModelBuilder m;
  const NodeId x = m.node(Id::normal, m.numbers({0, 0.25}));
  m.node(Id::poisson, {m.operation(Function::exp, {m.slot(x)})}, {3});
  m.graph.finish();
  const auto log_density = [](double at) { return -0.125 * at * at + 3 * at - std::exp(at); };
  Random random(417);
  std::vector<double> draws;
  while (draws.size() < 4000) {
    const double start = 2 * draw_normal(random);
    const double kept = std::exp(3 * start - std::exp(start) - 3 * std::log(3.0) + 3);
    if (random.uniform() > kept) continue;
    ChainState state{m.graph.initial()};
    state.values[m.slot(x)] = start;
    m.graph.evaluate(m.graph.kept_current(), state.values.data());
    const auto samplers = choose_samplers(m.graph);
    ASSERT_EQ(samplers[0]->name(), "Hamiltonian block");
    for (int update = 0; update < 6; ++update) samplers[0]->update(state, random);
    draws.push_back(state.values[m.slot(x)]);
  }
  EXPECT_LT(distance_from_density(draws, log_density, -8, 5), 1.95);
}

// One update is enough to come near from wherever the density is not 0.
TEST(HamiltonianBlock, ComesBackFromFarAtOnce) {
  ModelBuilder m;
  std::vector<NodeId> effects;
  const NodeId mu = m.node(Id::normal, m.numbers({0, 0.0001}));
  for (int k = 0; k < 10; ++k) {
    effects.push_back(m.node(Id::normal, {m.slot(mu), m.number(1)}));
    const Slot p = m.operation(Function::ilogit, {m.slot(effects.back())});
    m.node(Id::binomial, {p, m.number(10)}, {static_cast<double>(k)});
  }
  m.graph.finish();
  for (const double far : {-500.0, -30.0, 20.0, 500.0}) {
    ChainState state{m.graph.initial()};
    state.values[m.slot(mu)] = far;
    for (const NodeId id : effects) state.values[m.slot(id)] = far;
    m.graph.evaluate(m.graph.kept_current(), state.values.data());
    Random random(5);
    choose_samplers(m.graph)[0]->update(state, random);
    for (const NodeId id : effects) EXPECT_LT(std::fabs(state.values[m.slot(id)]), 6) << far;
  }
}

// A truncated coefficient: beta ~ N(0, 1) T(0,), with a likelihood that would like it below.
// A whole block of them would hardly ever lie within all bounds.
TEST(LinearBlock, LeavesManyTruncatedNodesToSamplersOfTheirOwn) {
  ModelBuilder m;
  const Slot zero = m.number(0), one = m.number(1), four = m.number(4);
  const NodeId a = m.node(Id::normal, {zero, m.number(0.1)});
  std::vector<std::pair<Slot, double>> start{{m.slot(a), 0}};
  for (int k = 0; k < 20; ++k) {
    NodeSpec spec{Id::normal};
    spec.parameters = {{{zero}}, {{one}}};
    spec.lower = zero;
    const NodeId b = m.graph.add_node(spec);
    const Slot mean = m.operation(Function::add, {m.slot(a), m.slot(b)});
    m.node(Id::normal, {mean, four}, {0.1 * k - 1});
    start.emplace_back(m.slot(b), 0.5);
  }
  m.graph.finish();
  std::vector<double> a_draws = run_samplers(m.graph, start, {m.slot(a)}, 500, 2000, 1, 3).draws[0];
  std::ranges::sort(a_draws);
  EXPECT_GT(std::ranges::unique(a_draws).begin() - a_draws.begin(), 1900);
}

TEST(LinearBlock, KeepsToTheBoundsOfTruncatedNodes) {
  ModelBuilder m;
  NodeSpec spec{Id::normal};
  spec.parameters = {{{m.number(0)}}, {{m.number(1)}}};
  spec.lower = m.number(0);
  const NodeId x = m.graph.add_node(spec);
  m.node(Id::normal, {m.slot(x), m.number(2)}, {-0.3});
  m.graph.finish();
  const SampledRun run = run_samplers(m.graph, {{m.slot(x), 1}}, {m.slot(x)}, 100, 3000, 3, 34);
  EXPECT_LT(distance_from_density(
                run.draws[0],
                [](double at) {
                  return normal_density<Part::whole>(at, 0, 1) +
                         normal_density<Part::whole>(-0.3, at, 2);
                },
                0, 6),
            1.95);
}

}  // namespace
}  // namespace croft::bugs::linear_block_test
