#include "bugs/samplers/single_site.h"

#include "bugs/distributions/densities.h"
#include "bugs/samplers/sampler_runs.h"

namespace croft::bugs::single_site_test {
namespace {

using Id = DistributionId;

// One gamma parameter with children of a family; the posterior by its density.
struct Family {
  const char* sampler;
  Id prior;
  std::vector<double> prior_parameters;
  Id child;
  // parameters of the child: NaN is the node, times `scale`
  std::vector<double> parameters;
  double scale;
  std::vector<double> data;
  double low, high;
};

constexpr double kNode = std::numeric_limits<double>::quiet_NaN();

void expect_posterior(const Family& family, std::uint64_t seed) {
  SCOPED_TRACE(std::string(distribution(family.prior).name) + " " +
               std::string(distribution(family.child).name));
  ModelBuilder m;
  const NodeId node = m.node(family.prior, m.numbers(family.prior_parameters));
  const Slot scaled = family.scale == 1
                          ? m.slot(node)
                          : m.operation(Function::multiply, {m.number(family.scale), m.slot(node)});
  for (const double y : family.data) {
    std::vector<Slot> parameters;
    for (const double p : family.parameters)
      parameters.push_back(std::isnan(p) ? scaled : m.number(p));
    m.node(family.child, parameters, {y});
  }
  m.graph.finish();
  const double start = 0.4 * family.low + 0.6 * family.high;
  const SampledRun run =
      run_samplers(m.graph, {{m.slot(node), start}}, {m.slot(node)}, 500, 3000, 4, seed);
  EXPECT_EQ(run.samplers, std::vector<std::string>{family.sampler});
  const auto density = [&](double x) {
    double sum = scalar_density<Part::whole>(family.prior, x, family.prior_parameters.data());
    for (const double y : family.data) {
      std::vector<double> p;
      for (const double value : family.parameters)
        p.push_back(std::isnan(value) ? family.scale * x : value);
      sum += scalar_density<Part::whole>(family.child, y, p.data());
    }
    return sum;
  };
  EXPECT_LT(distance_from_density(run.draws[0], density, family.low, family.high), 1.95);
}

TEST(ConjugateGamma, DrawsThePosteriorOfEveryFamily) {
  std::uint64_t seed = 100;
  for (
      const Family& family : std::vector<Family>{
          {"conjugate gamma",
           Id::gamma,
           {2, 1},
           Id::normal,
           {0.5, kNode},
           3,
           {1, 0, -1, 0.2},
           1e-6,
           12},
          {"conjugate gamma",
           Id::exponential,
           {0.5},
           Id::poisson,
           {kNode},
           0.3,
           {2, 0, 3},
           1e-6,
           40},
          {"conjugate gamma", Id::chi_squared, {3}, Id::gamma, {1.5, kNode}, 2, {1, 0.2}, 1e-6, 15},
          {"conjugate gamma", Id::gamma, {0.7, 1}, Id::exponential, {kNode}, 1, {1, 0.2}, 1e-9, 15},
          {"conjugate gamma",
           Id::gamma,
           {2, 1},
           Id::weibull,
           {1.7, kNode},
           1.5,
           {1, 0.2, 3},
           1e-6,
           10},
          {"conjugate gamma",
           Id::gamma,
           {2, 1},
           Id::laplace,
           {0.1, kNode},
           1,
           {1, -2, 3},
           1e-6,
           12},
          {"conjugate gamma",
           Id::gamma,
           {2, 1},
           Id::log_normal,
           {0.1, kNode},
           1,
           {1, 2, 3},
           1e-6,
           15},
          {"conjugate gamma", Id::gamma, {2, 1}, Id::pareto, {kNode, 0.5}, 1, {1, 2, 3}, 1e-6, 12},
          {"truncated conjugate gamma",
           Id::uniform,
           {0.3, 1.2},
           Id::normal,
           {0, kNode},
           1,
           {1, 2, 1},
           0.3,
           1.2},
          {"truncated conjugate gamma",
           Id::pareto,
           {0.5, 0.4},
           Id::normal,
           {0, kNode},
           1,
           {1, 2, 1, 0.5},
           0.4,
           8},
          {"truncated conjugate gamma",
           Id::pareto,
           {1.5, 0.4},
           Id::normal,
           {0, kNode},
           1,
           {1.5},
           0.4,
           25}}) {
    expect_posterior(family, ++seed);
  }
}

TEST(ConjugateBeta, DrawsThePosteriorOfEveryFamily) {
  std::uint64_t seed = 200;
  for (const Family& family : std::vector<Family>{
           {"conjugate beta", Id::beta, {2, 3}, Id::bernoulli, {kNode}, 1, {1, 0, 1}, 0, 1},
           {"conjugate beta", Id::uniform, {0, 1}, Id::binomial, {kNode, 9}, 1, {4, 2}, 0, 1},
           {"conjugate beta",
            Id::beta,
            {2, 3},
            Id::negative_binomial,
            {kNode, 2.5},
            1,
            {1, 4},
            0,
            1},
           {"conjugate beta", Id::beta, {2, 3}, Id::geometric, {kNode}, 1, {1, 4}, 0, 1}}) {
    expect_posterior(family, ++seed);
  }
}

TEST(Slice, DrawsThePosteriorOfNodesThatNothingElseFits) {
  std::uint64_t seed = 300;
  for (const Family& family : std::vector<Family>{
           {"slice", Id::student, {0, 1, 3}, Id::normal, {kNode, 2}, 1.5, {1, 2}, -6, 6},
           {"slice", Id::uniform, {0, 3}, Id::normal, {kNode, 2}, 0.5, {1, 2}, 0, 3},
           {"slice", Id::gamma, {2, 1}, Id::gamma, {kNode, 2}, 1, {1, 2}, 1e-9, 12},
           {"slice", Id::beta, {2, 0.7}, Id::normal, {kNode, 2}, 1.3, {0.4}, 0, 1},
           {"slice", Id::weibull, {1.2, 1}, Id::poisson, {kNode}, 1.3, {1}, 1e-9, 9},
           {"slice", Id::pareto, {2, 0.5}, Id::normal, {kNode, 1}, 1.3, {3}, 0.5, 8},
           {"slice", Id::logistic, {0, 2}, Id::student, {kNode, 1, 2}, 1, {7}, -12, 15}}) {
    expect_posterior(family, ++seed);
  }
}

// A draw that rounds to 1 would have an infinite density there.
TEST(Slice, LeavesEndsWhereTheDensityIsInfinite) {
  for (const double shape : {0.5, 0.2}) {
    ModelBuilder m;
    const Slot same = m.number(shape), ten = m.number(10);
    std::vector<std::pair<Slot, double>> start;
    std::vector<Slot> kept;
    for (int k = 0; k < 20; ++k) {
      const NodeId x = m.node(Id::beta, {same, same});
      m.node(Id::normal, {m.slot(x), ten}, {0.5});
      start.emplace_back(m.slot(x), k == 0 ? 1 : 0.3);  // the first begins at the end
      kept.push_back(m.slot(x));
    }
    m.graph.finish();
    const SampledRun run = run_samplers(m.graph, start, kept, 500, 10000, 1, 7);
    double mean = 0;
    for (const std::vector<double>& draws : run.draws) {
      mean += mean_of(draws) / static_cast<double>(run.draws.size());
      EXPECT_LT(*std::ranges::max_element(draws), 1);
      EXPECT_GT(deviation_of(draws), 0.1);
    }
    EXPECT_NEAR(mean, 0.5, 0.02) << shape;
  }
}

TEST(Slice, KeepsToATruncation) {
  ModelBuilder m;
  NodeSpec spec{Id::student};
  spec.parameters = {{{m.number(0)}}, {{m.number(1)}}, {{m.number(4)}}};
  spec.lower = m.number(0.5);
  const NodeId x = m.graph.add_node(spec);
  m.node(Id::normal, {m.slot(x), m.number(1)}, {0.2});
  m.graph.finish();
  const SampledRun run = run_samplers(m.graph, {{m.slot(x), 1}}, {m.slot(x)}, 500, 3000, 4, 1);
  EXPECT_EQ(run.samplers, std::vector<std::string>{"slice"});
  const auto density = [](double at) {
    return student_density<Part::whole>(at, 0, 1, 4) + normal_density<Part::whole>(0.2, at, 1);
  };
  EXPECT_LT(distance_from_density(run.draws[0], density, 0.5, 6), 1.95);
}

// A truncated child: the normaliser moves with its parameter.
TEST(Slice, CountsTheNormaliserOfATruncatedChild) {
  ModelBuilder m;
  const NodeId mu = m.node(Id::normal, m.numbers({0, 0.25}));
  for (const double y : {1.2, 1.9}) {
    NodeSpec spec{Id::normal};
    spec.parameters = {{{m.slot(mu)}}, {{m.number(1)}}};
    spec.lower = m.number(1);
    spec.observed = {y};
    m.graph.add_node(spec);
  }
  m.graph.finish();
  const SampledRun run = run_samplers(m.graph, {{m.slot(mu), 1}}, {m.slot(mu)}, 500, 3000, 4, 2);
  const auto density = [](double at) {
    double sum = normal_density<Part::whole>(at, 0, 0.25);
    for (const double y : {1.2, 1.9})
      sum += normal_density<Part::whole>(y, at, 1) -
             std::log(0.5 * std::erfc((1 - at) / std::sqrt(2)));
    return sum;
  };
  EXPECT_LT(distance_from_density(run.draws[0], density, -7, 5), 1.95);
}

// Survival times, two of them censored at 2: the censored ones are summed out of the rate's update.
TEST(Censored, TimesAreSummedOutAndDrawnBeyondTheirCut) {
  ModelBuilder m;
  const NodeId rate = m.node(Id::gamma, m.numbers({2, 1}));
  m.node(Id::weibull, {m.number(1.5), m.slot(rate)}, {0.7});
  std::vector<NodeId> times;
  for (int k = 0; k < 2; ++k) {
    times.push_back(m.node(Id::weibull, {m.number(1.5), m.slot(rate)}));
    NodeSpec spec{Id::interval};
    spec.parameters = {{{m.slot(times.back())}}, {{m.number(2)}}};
    spec.observed = {1};
    m.graph.add_node(spec);
  }
  m.graph.finish();
  const SampledRun run =
      run_samplers(m.graph, {{m.slot(rate), 1}, {m.slot(times[0]), 3}, {m.slot(times[1]), 3}},
                   {m.slot(rate), m.slot(times[1])}, 100, 3000, 2, 3);
  EXPECT_EQ(run.samplers, (std::vector<std::string>{"conjugate gamma", "censored", "censored"}));
  // gamma(2 + 1, 1 + 0.7^1.5 + 2 * 2^1.5)
  const double posterior_rate = 1 + std::pow(0.7, 1.5) + 2 * std::pow(2, 1.5);
  EXPECT_LT(
      distance_from_density(
          run.draws[0], [&](double x) { return gamma_density<Part::whole>(x, 3, posterior_rate); },
          1e-9, 4),
      1.95);
  // p(t | data) ~ integral over the rate of its density beyond 2: a Pareto law of t^1.5
  const auto density = [&](double t) {
    return t < 2 ? -1e300
                 : 0.5 * std::log(t) -
                       4 * std::log(posterior_rate - std::pow(2, 1.5) + std::pow(t, 1.5));
  };
  EXPECT_LT(distance_from_density(run.draws[1], density, 2, 200), 1.95);
}

TEST(Finite, DrawsInProportion) {
  ModelBuilder m;
  const std::vector<double> prior = {0.2, 0.5, 0.3};
  const NodeId k = m.array_node(Id::categorical, {{m.numbers(prior)}}, 1);
  m.node(Id::normal, {m.slot(k), m.number(1)}, {2.4});
  m.graph.finish();
  const SampledRun run = run_samplers(m.graph, {{m.slot(k), 1}}, {m.slot(k)}, 10, 20000, 1, 4);
  EXPECT_EQ(run.samplers[0], "finite");
  double total = 0, weights[3];
  for (int i = 0; i < 3; ++i)
    total += weights[i] = prior[i] * std::exp(-0.5 * (2.4 - i - 1) * (2.4 - i - 1));
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(
        static_cast<double>(std::count(run.draws[0].begin(), run.draws[0].end(), i + 1)) / 20000,
        weights[i] / total, 0.015);
}

// n ~ Poisson(5), 3 seen of n with probability 0.4: n - 3 is Poisson(5 * 0.6).
TEST(DiscreteSlice, DrawsTheNumberOfThinnedEvents) {
  ModelBuilder m;
  const NodeId n = m.node(Id::poisson, {m.number(5)});
  m.node(Id::binomial, {m.number(0.4), m.slot(n)}, {3});
  m.graph.finish();
  const SampledRun run = run_samplers(m.graph, {{m.slot(n), 4}}, {m.slot(n)}, 500, 10000, 4, 5);
  EXPECT_EQ(run.samplers[0], "discrete slice");
  EXPECT_NEAR(mean_of(run.draws[0]), 6, 0.08);
  EXPECT_NEAR(deviation_of(run.draws[0]), std::sqrt(3), 0.06);
}

TEST(ConjugateDirichlet, CountsCategoriesOfItsOwnRow) {
  ModelBuilder m;
  std::vector<NodeId> rows;
  std::vector<Slot> elements;
  for (int r = 0; r < 2; ++r) {
    rows.push_back(m.array_node(Id::dirichlet, {{m.numbers({1, 2, 0.5})}}, 3));
    const auto slots = m.slots(rows.back());
    elements.insert(elements.end(), slots.begin(), slots.end());
  }
  const NodeId which = m.node(Id::bernoulli, {m.number(0.5)});
  const Slot subscript = m.operation(Function::add, {m.slot(which), m.number(1)});
  std::vector<Slot> arguments = {subscript, m.number(2)};
  arguments.insert(arguments.end(), elements.begin(), elements.end());
  const Slot picked = m.graph.add_operation(Function::pick, arguments, 3, 1);
  const std::vector<Slot> row = {picked, picked + 1, picked + 2};
  for (int k = 0; k < 4; ++k) m.array_node(Id::categorical, {{row}}, 1, 0, {2});
  m.array_node(Id::multinomial, {{m.slots(rows[0])}, {{m.number(5)}}}, 3, 0, {3, 0, 2});
  m.graph.finish();
  std::vector<std::pair<Slot, double>> start = {{m.slot(which), 0}};
  for (const Slot s : elements) start.emplace_back(s, 1.0 / 3);
  const SampledRun run =
      run_samplers(m.graph, start, {m.slot(which), elements[1], elements[4]}, 100, 20000, 2, 6);
  EXPECT_EQ(run.samplers,
            (std::vector<std::string>{"conjugate Dirichlet", "conjugate Dirichlet", "finite"}));
  // p(four 2s | row): rising factorials of alpha_2 over those of the sum, row 1 with its counts.
  const auto rise = [](double a) { return a * (a + 1) * (a + 2) * (a + 3); };
  const double first = rise(2) / rise(3.5 + 5), second = rise(2) / rise(3.5);
  const double p = second / (first + second);
  EXPECT_NEAR(mean_of(run.draws[0]), p, 0.015);
  EXPECT_NEAR(mean_of(run.draws[1]), p * 2 / 8.5 + (1 - p) * 6 / 12.5, 0.01);
  EXPECT_NEAR(mean_of(run.draws[2]), p * 6 / 7.5 + (1 - p) * 2 / 3.5, 0.01);
}

TEST(ConjugateWishart, AndItsSliceDrawThePosteriorMean) {
  const std::vector<double> scale = {2, 0.5, 0.5, 1};
  const std::vector<std::vector<double>> data = {{1, 0.2}, {-0.5, 1}, {0.3, -2}, {1, 1}};
  for (const bool conjugate : {true, false}) {
    ModelBuilder m;
    const NodeId omega = m.array_node(Id::wishart, {{m.numbers(scale), 2}, {{m.number(3)}}}, 4, 2);
    for (const auto& x : data)
      m.array_node(Id::multivariate_normal, {{m.numbers({0, 0})}, {m.slots(omega), 2}}, 2, 0, x);
    m.graph.finish();
    std::vector<double> sum = scale;
    for (const auto& x : data)
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) sum[i + 2 * j] += x[i] * x[j];
    const double determinant = sum[0] * sum[3] - sum[1] * sum[2], k = 3 + 4;
    const auto slots = m.slots(omega);
    std::vector<std::unique_ptr<Sampler>> samplers;
    samplers.push_back(conjugate ? make_conjugate_wishart(m.graph, omega)
                                 : make_array_slice(m.graph, omega));
    const SampledRun run = run_samplers(
        m.graph, std::move(samplers), {{slots[0], 1}, {slots[1], 0}, {slots[2], 0}, {slots[3], 1}},
        slots, 500, 10000, conjugate ? 1 : 4, 7);
    EXPECT_NEAR(mean_of(run.draws[0]), k * sum[3] / determinant, 0.03);
    EXPECT_NEAR(mean_of(run.draws[1]), -k * sum[1] / determinant, 0.03);
    EXPECT_NEAR(mean_of(run.draws[3]), k * sum[0] / determinant, 0.06);
  }
}

TEST(ArraySlice, DrawsADirichletPosterior) {
  ModelBuilder m;
  const NodeId pi = m.array_node(Id::dirichlet, {{m.numbers({1, 2, 0.5})}}, 3);
  m.array_node(Id::multinomial, {{m.slots(pi)}, {{m.number(5)}}}, 3, 0, {3, 0, 2});
  m.graph.finish();
  std::vector<std::unique_ptr<Sampler>> samplers;
  samplers.push_back(make_array_slice(m.graph, pi));
  const auto slots = m.slots(pi);
  const SampledRun run =
      run_samplers(m.graph, std::move(samplers),
                   {{slots[0], 0.3}, {slots[1], 0.3}, {slots[2], 0.4}}, slots, 500, 3000, 6, 8);
  const double alpha[] = {4, 2, 2.5};
  for (int k = 0; k < 3; ++k) {
    EXPECT_LT(distance_from_density(
                  run.draws[k],
                  [&](double x) { return beta_density<Part::whole>(x, alpha[k], 8.5 - alpha[k]); },
                  1e-9, 1 - 1e-9),
              1.95);
  }
}

}  // namespace
}  // namespace croft::bugs::single_site_test
