#include "bugs/distributions/densities.h"
#include "bugs/samplers/deviation_scale.h"
#include "bugs/samplers/linear_block.h"
#include "bugs/samplers/power_law.h"
#include "bugs/samplers/product_scale.h"
#include "bugs/samplers/sampler_runs.h"

namespace croft::bugs::scale_moves_test {
namespace {

using Id = DistributionId;
const std::vector<double> kData = {0.3, -1.2, 2.5, 0.1, -0.4, 1.8};

// y_i ~ N(0, 1 + variance), the effects summed out.
double of_variance(double variance) {
  double sum = 0;
  for (const double y : kData) sum += normal_density<Part::whole>(y, 0, 1 / (1 + variance));
  return sum;
}

TEST(ScaleMoves, OfAPrecisionLeaveItsPosterior) {
  ModelBuilder m;
  const NodeId tau = m.node(Id::gamma, m.numbers({1.5, 1}));
  std::vector<std::pair<Slot, double>> start = {{m.slot(tau), 1}};
  for (const double y : kData) {
    const NodeId b = m.node(Id::normal, {m.number(0), m.slot(tau)});
    m.node(Id::normal, {m.slot(b), m.number(1)}, {y});
    start.emplace_back(m.slot(b), 0.0);
  }
  m.graph.finish();
  const SampledRun run = run_samplers(m.graph, start, {m.slot(tau)}, 1000, 3000, 4, 51);
  EXPECT_EQ(run.samplers,
            (std::vector<std::string>{"linear Gaussian block with scales", "conjugate gamma"}));
  EXPECT_LT(distance_from_density(
                run.draws[0],
                [](double t) { return gamma_density<Part::whole>(t, 1.5, 1) + of_variance(1 / t); },
                1e-6, 12),
            1.95);
}

// The deviation is the node: tau = sigma^-2, and the effects have a mean that is drawn with them.
TEST(ScaleMoves, OfADeviationLeaveItsPosterior) {
  ModelBuilder m;
  const NodeId sigma = m.node(Id::uniform, m.numbers({0, 5}));
  const Slot tau = m.operation(Function::power, {m.slot(sigma), m.number(-2)});
  const NodeId mu = m.node(Id::normal, m.numbers({0, 1}));
  std::vector<std::pair<Slot, double>> start = {{m.slot(sigma), 1}, {m.slot(mu), 0}};
  for (const double y : kData) {
    const NodeId b = m.node(Id::normal, {m.slot(mu), tau});
    m.node(Id::normal, {m.slot(b), m.number(1)}, {y});
    start.emplace_back(m.slot(b), 0.0);
  }
  m.graph.finish();
  const SampledRun run = run_samplers(m.graph, start, {m.slot(sigma)}, 1000, 3000, 4, 52);
  EXPECT_EQ(run.samplers, (std::vector<std::string>{"linear Gaussian block with scales", "slice"}));
  // y ~ N(0, (1 + sigma^2) I + J): of the mean and of what is around it.
  double sum = 0, squares = 0;
  for (const double y : kData) sum += y, squares += y * y;
  const double n = static_cast<double>(kData.size());
  const auto density = [&](double s) {
    if (!(s > 0)) return -1e300;
    const double v = 1 + s * s, whole = v + n;
    return -0.5 * (n - 1) * std::log(v) - 0.5 * std::log(whole) -
           0.5 * (squares - sum * sum / n) / v - 0.5 * sum * sum / n / whole;
  };
  EXPECT_LT(distance_from_density(run.draws[0], density, 0, 5), 1.95);
}

// Counts with a log link: the effects are summed out by quadrature.
TEST(ScaleMoves, OfAPoissonModelLeaveThePosterior) {
  const std::vector<double> counts = {0, 3, 1, 7, 2};
  ModelBuilder m;
  const NodeId tau = m.node(Id::gamma, m.numbers({2, 1}));
  std::vector<std::pair<Slot, double>> start = {{m.slot(tau), 1}};
  for (const double y : counts) {
    const NodeId b = m.node(Id::normal, {m.number(0), m.slot(tau)});
    m.node(Id::poisson, {m.operation(Function::exp, {m.slot(b)})}, {y});
    start.emplace_back(m.slot(b), 0.0);
  }
  m.graph.finish();
  const SampledRun run = run_samplers(m.graph, start, {m.slot(tau)}, 1000, 3000, 4, 53);
  EXPECT_EQ(run.samplers,
            (std::vector<std::string>{"Hamiltonian block with scales", "conjugate gamma"}));
  const auto density = [&](double t) {
    double sum = gamma_density<Part::whole>(t, 2, 1);
    for (const double y : counts) {
      double mass = 0;
      for (int i = -150; i <= 150; ++i) {
        const double b = 0.05 * i;
        mass += std::exp(normal_density<Part::whole>(b, 0, t) + y * b - std::exp(b));
      }
      sum += std::log(mass);
    }
    return sum;
  };
  std::vector<double> table;  // the density is slow: linear between points
  for (int i = 0; i <= 400; ++i) table.push_back(density(1e-3 + 0.02 * i));
  const auto between = [&](double t) {
    const double at = std::clamp((t - 1e-3) / 0.02, 0.0, 399.999);
    const auto cell = static_cast<std::size_t>(at);
    const double part = at - static_cast<double>(cell);
    return (1 - part) * table[cell] + part * table[cell + 1];
  };
  EXPECT_LT(distance_from_density(run.draws[0], between, 1e-3, 8), 1.95);
}

TEST(ScaleMoves, OfProductsLeaveThePosterior) {
  ModelBuilder m;
  const NodeId sigma = m.node(Id::exponential, m.numbers({0.7}));
  std::vector<std::pair<Slot, double>> start = {{m.slot(sigma), 1}};
  for (const double y : kData) {
    const NodeId b = m.node(Id::normal, m.numbers({0, 1}));
    const Slot mean = m.operation(Function::multiply, {m.slot(sigma), m.slot(b)});
    m.node(Id::normal, {mean, m.number(1)}, {y});
    start.emplace_back(m.slot(b), 0.1);
  }
  m.graph.finish();
  const SampledRun run = run_samplers(m.graph, start, {m.slot(sigma)}, 1000, 3000, 4, 54);
  EXPECT_EQ(run.samplers,
            (std::vector<std::string>{"linear Gaussian block", "slice", "scale of products"}));
  EXPECT_LT(
      distance_from_density(
          run.draws[0],
          [](double s) { return exponential_density<Part::whole>(s, 0.7) + of_variance(s * s); }, 0,
          12),
      1.95);
}

// Effects that are seen through a square: no block takes them.
TEST(ScaleMoves, OfNodesOutsideBlocksLeaveThePosterior) {
  ModelBuilder m;
  const NodeId tau = m.node(Id::gamma, m.numbers({2, 1}));
  std::vector<std::pair<Slot, double>> start = {{m.slot(tau), 1}};
  for (const double y : kData) {
    const NodeId b = m.node(Id::normal, {m.number(0), m.slot(tau)});
    const Slot square = m.operation(Function::multiply, {m.slot(b), m.slot(b)});
    m.node(Id::normal, {square, m.number(1)}, {y});
    start.emplace_back(m.slot(b), 0.5);
  }
  m.graph.finish();
  const SampledRun run = run_samplers(m.graph, start, {m.slot(tau)}, 1000, 3000, 8, 55);
  EXPECT_EQ(run.samplers.back(), "scale of deviations");
  const auto density = [&](double t) {
    double sum = gamma_density<Part::whole>(t, 2, 1);
    for (const double y : kData) {
      double mass = 0;
      for (int i = -200; i <= 200; ++i) {
        const double b = 0.03 * i;
        mass += std::exp(normal_density<Part::whole>(b, 0, t) - 0.5 * (y - b * b) * (y - b * b));
      }
      sum += std::log(mass);
    }
    return sum;
  };
  std::vector<double> table;
  for (int i = 0; i <= 400; ++i) table.push_back(density(0.02 + 0.025 * i));
  const auto between = [&](double t) {
    const double at = std::clamp((t - 0.02) / 0.025, 0.0, 399.999);
    const auto cell = static_cast<std::size_t>(at);
    const double part = at - static_cast<double>(cell);
    return (1 - part) * table[cell] + part * table[cell + 1];
  };
  EXPECT_LT(distance_from_density(run.draws[0], between, 0.02, 10), 1.95);
}

TEST(PowerLaw, IsFoundThroughOperations) {
  ModelBuilder m;
  const NodeId sigma = m.node(Id::uniform, m.numbers({0, 5}));
  const NodeId other = m.node(Id::gamma, m.numbers({1, 1}));
  const Slot square = m.operation(Function::multiply, {m.slot(sigma), m.slot(sigma)});
  const Slot inverse = m.operation(Function::divide, {m.slot(other), square});
  m.node(Id::normal, {m.number(0), inverse}, {1});
  m.graph.finish();
  EXPECT_EQ(power_of(m.graph, sigma, std::vector<Slot>{inverse}), -2);
  EXPECT_EQ(power_of(m.graph, other, std::vector<Slot>{inverse}), 1);
  EXPECT_EQ(power_of(m.graph, sigma, std::vector<Slot>{m.slot(other)}), std::nullopt);
}

}  // namespace
}  // namespace croft::bugs::scale_moves_test
