#include "bugs/samplers/adaptive_metropolis.h"

#include "bugs/distributions/densities.h"
#include "bugs/samplers/sampler_runs.h"

namespace croft::bugs::adaptive_metropolis_test {
namespace {

using Id = DistributionId;

const std::vector<double> kTimes = {0.4, 1.3, 2.2, 0.9, 3.1, 1.7};

// Times of dweib(v, lambda), shape and rate unknown: bounded below, and on both sides.
struct Survival {
  ModelBuilder m;
  NodeId shape, rate;
  explicit Survival(Id of_shape, const std::vector<double>& parameters) {
    shape = m.node(of_shape, m.numbers(parameters));
    rate = m.node(Id::log_normal, m.numbers({0, 1}));
    for (const double t : kTimes) m.node(Id::weibull, {m.slot(shape), m.slot(rate)}, {t});
    m.graph.finish();
  }
};

// A density that is slow: linear between points.
std::function<double(double)> table_of(const std::function<double(double)>& f, double low,
                                       double high) {
  constexpr int kCells = 300;
  std::vector<double> at;
  for (int i = 0; i <= kCells; ++i) at.push_back(f(low + (high - low) * i / kCells));
  return [at, low, high](double x) {
    const double place = std::clamp((x - low) / (high - low), 0.0, 1.0) * kCells;
    const int cell = std::min(kCells - 1, static_cast<int>(place));
    return at[cell] + (place - cell) * (at[cell + 1] - at[cell]);
  };
}

std::unique_ptr<Sampler> move_of(const Survival& s) {
  const std::vector<NodeId> nodes = {s.shape, s.rate};
  return make_adaptive_metropolis(s.m.graph, nodes);
}

TEST(AdaptiveMetropolis, BesideSlicesLeavesThePosterior) {
  const std::pair<Id, std::vector<double>> priors[] = {{Id::gamma, {2, 1}},
                                                       {Id::uniform, {0.5, 4}}};
  for (const auto& [id, parameters] : priors) {
    const Survival s(id, parameters);
    const SampledRun run = run_samplers(s.m.graph, {{s.m.slot(s.shape), 1}, {s.m.slot(s.rate), 1}},
                                        {s.m.slot(s.shape), s.m.slot(s.rate)}, 1000, 3000, 4, 71);
    EXPECT_EQ(run.samplers.back(), "adaptive Metropolis block");
    // The other one is summed out on a grid of its logarithm.
    const auto joint = [&, &law = id, &p = parameters](double v, double rate) {
      double sum = scalar_density<Part::whole>(law, v, p.data());
      const double normal[] = {0, 1};
      sum += scalar_density<Part::whole>(Id::log_normal, rate, normal);
      const double weibull[] = {v, rate};
      for (const double t : kTimes) sum += scalar_density<Part::whole>(Id::weibull, t, weibull);
      return sum;
    };
    const auto of_shape = [&](double v) {
      double mass = 0;
      for (int i = -300; i <= 100; ++i) mass += std::exp(joint(v, std::exp(0.02 * i)) + 0.02 * i);
      return std::log(mass);
    };
    const auto of_rate = [&](double rate) {
      double mass = 0;
      for (int i = 1; i <= 400; ++i) mass += std::exp(joint(0.015 * i, rate));
      return std::log(mass);
    };
    const double low = id == Id::gamma ? 0.01 : 0.5;
    EXPECT_LT(distance_from_density(run.draws[0], table_of(of_shape, low, 4), low, 4), 1.95);
    EXPECT_LT(distance_from_density(run.draws[1], table_of(of_rate, 0.002, 4), 0.002, 4), 1.95);
  }
}

// The chain of the move alone, from a state that it has learned at.
TEST(AdaptiveMetropolis, KeepsItsLawWhenItIsTheOnlySampler) {
  const Survival s(Id::gamma, {2, 1});
  const std::unique_ptr<Sampler> move = move_of(s);
  const std::vector<std::unique_ptr<Sampler>> others = choose_samplers(s.m.graph);
  ChainState state{s.m.graph.initial()};
  state.values[s.m.slot(s.shape)] = state.values[s.m.slot(s.rate)] = 1;
  s.m.graph.evaluate(s.m.graph.kept_current(), state.values.data());
  Random random(5);
  for (int i = 0; i < 2000; ++i) {
    for (const auto& each : others) each->update(state, random);
    move->update(state, random);
  }
  move->end_adaptation();
  double with = 0, alone = 0;
  constexpr int kDraws = 40000;
  for (int i = 0; i < kDraws; ++i) {
    move->update(state, random);
    alone += state.values[s.m.slot(s.shape)] / kDraws;
  }
  for (int i = 0; i < kDraws; ++i) {
    for (const auto& each : others) each->update(state, random);
    with += state.values[s.m.slot(s.shape)] / kDraws;
  }
  EXPECT_NEAR(alone, with, 0.02);
}

TEST(AdaptiveMetropolis, IsOfSeveralNumbersThatDoNotDependOnEachOther) {
  ModelBuilder m;
  const NodeId a = m.node(Id::normal, m.numbers({0, 1}));
  const NodeId b = m.node(Id::normal, {m.slot(a), m.number(1)});
  const NodeId k = m.node(Id::poisson, m.numbers({3}));
  m.node(Id::normal, {m.operation(Function::multiply, {m.slot(b), m.slot(k)}), m.number(1)}, {2});
  m.graph.finish();
  const auto made = [&](const std::vector<NodeId>& nodes) {
    return make_adaptive_metropolis(m.graph, nodes) != nullptr;
  };
  EXPECT_FALSE(made({a}));
  EXPECT_FALSE(made({a, b}));
  EXPECT_FALSE(made({b, k}));
}

}  // namespace
}  // namespace croft::bugs::adaptive_metropolis_test
