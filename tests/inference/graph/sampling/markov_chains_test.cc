#include "croft/inference/markov_chains.h"

#include <gtest/gtest.h>

#include <cmath>

#include "croft/core/error.h"
#include "croft/inference/graph_brute_force.h"
#include "inference/graph/sampling/stuck_variables.h"
#include "support/graph_number.h"

namespace croft::markov_chains_test {
namespace {

using testing_graphs::graph_number;

FactorGraph positive(std::uint64_t seed) {
  return graph_number(seed, {.spreads = {0.7}, .zeros = 0});
}

// Pairs that like to be equal, as Potts or as a table, and own scores.
FactorGraph ferromagnet(std::uint64_t seed) {
  Random random(seed);
  FactorGraph graph;
  const std::size_t states = 2 + seed % 3;
  const auto n = static_cast<Variable>(4 + seed % 4);
  for (Variable v = 0; v < n; ++v) {
    graph.add_variable(states);
    std::vector<double> own(states);
    for (double& each : own) each = 0.7 * random.normal();
    graph.add_factor({v}, graph.add_table(own));
  }
  for (Variable u = 0; u < n; ++u) {
    for (Variable v = 0; v < u; ++v) {
      if (random.below(2) == 0) continue;
      const double gain = random.uniform();
      std::vector<double> scores(states * states, -0.3);
      for (std::size_t s = 0; s < states; ++s) scores[s * (states + 1)] = gain - 0.3;
      graph.add_factor({u, v},
                       random.below(2) == 0 ? graph.add_potts(gain, 0) : graph.add_table(scores));
    }
  }
  return graph;
}

// Shares within their standard errors, over all graphs as a family.
class Family {
 public:
  void add(const FactorGraph& graph, const GibbsResult& result, std::uint64_t seed) {
    const GraphBruteForce all = brute_force(graph);
    EXPECT_FALSE(result.possibly_reducible);
    for (Variable v = 0; v < graph.variables(); ++v) {
      double sum = 0;
      for (State s = 0; s < graph.states(v); ++s) {
        sum += result.marginals[v][s];
        const double error = result.standard_errors[v][s];
        if (error == 0) continue;
        const double z = (result.marginals[v][s] - all.variable[v][s]) / error;
        EXPECT_LT(std::abs(z), 7) << seed << " " << v;  // Student's t of 127 batches: 1e-10 each
        squares_ += z * z;
        ++tests_;
      }
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
  ~Family() {
    EXPECT_GT(tests_, 1000);
    EXPECT_NEAR(squares_ / tests_, 1, 0.2);  // neither too small nor too large
  }

 private:
  double squares_ = 0, tests_ = 0;
};

TEST(SwendsenWang, MarginalsAreWithinTheirStandardErrors) {
  Family family;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = ferromagnet(seed);
    family.add(graph,
               swendsen_wang(graph, {.sweeps = 3200, .burn_in = 50, .chains = 2, .seed = seed}),
               seed);
  }
}

TEST(SwendsenWang, MovesClustersThatSingleVariablesCannot) {
  // Strong ties: one variable alone never changes.
  FactorGraph graph;
  for (int k = 0; k < 16; ++k) graph.add_variable(2);
  for (Variable v = 1; v < 16; ++v) graph.add_factor({v - 1, v}, graph.add_potts(30, 0));
  const GibbsResult result = swendsen_wang(graph, {.sweeps = 6400});
  EXPECT_TRUE(result.convergence.converged);
  EXPECT_NEAR(result.marginals[3][0], 0.5, 0.05);
}

TEST(SwendsenWang, NamesTheFactorThatItIsNotFor) {
  FactorGraph graph;
  for (int k = 0; k < 3; ++k) graph.add_variable(2);
  graph.add_factor({0, 1}, graph.add_potts(1, 0));
  graph.add_factor({1, 2}, graph.add_potts(0, 1));
  try {
    swendsen_wang(graph);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("factor 1 likes"), std::string::npos) << error.what();
  }
}

TEST(ParallelTempering, MarginalsAreWithinTheirStandardErrors) {
  Family family;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = positive(seed);
    TemperingOptions options;
    options.sweeps = 3200;
    options.burn_in = 50;
    options.chains = 2;
    options.seed = seed;
    options.temperatures = 3;
    family.add(graph, parallel_tempering(graph, options), seed);
  }
}

TEST(ParallelTempering, CrossesWhatGibbsSamplingCannot) {
  // Two modes, of weight 1 and 3, with nothing between.
  FactorGraph graph;
  for (int k = 0; k < 8; ++k) graph.add_variable(2);
  for (Variable v = 1; v < 8; ++v) graph.add_factor({v - 1, v}, graph.add_potts(12, 0));
  graph.add_factor({0}, graph.add_table(std::vector{0., std::log(3.)}));
  TemperingOptions options;
  options.sweeps = 20000;
  options.temperatures = 12;
  options.hottest = 40;
  const GibbsResult result = parallel_tempering(graph, options);
  EXPECT_NEAR(result.marginals[7][1], 0.75, 7 * result.standard_errors[7][1]);
  EXPECT_LT(result.standard_errors[7][1], 0.05);
}

TEST(MetropolisHastings, MarginalsAreWithinTheirStandardErrors) {
  Family family;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = positive(seed);
    family.add(graph,
               metropolis_hastings(graph, uniform_proposal(graph),
                                   {.sweeps = 6400, .burn_in = 50, .chains = 2, .seed = seed}),
               seed);
  }
}

TEST(MetropolisHastings, AProposalOfTheCallersWithItsRatioLeavesPAsItIs) {
  Family family;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = positive(seed);
    // Two variables at once; state 0 is proposed twice as often as it should be.
    const Proposal lopsided = [&](std::span<const State> x, Random& random, Move& move) {
      const auto n = static_cast<Variable>(x.size());
      const auto first = static_cast<Variable>(random.below(n));
      for (const Variable v : {first, (first + 1) % n}) {
        const std::size_t states = graph.states(v);
        const auto k = static_cast<State>(random.below(states + 1));
        const State to = k == states ? 0 : k;
        const auto q = [](State s) { return std::log(s == 0 ? 2. : 1.); };
        move.log_ratio += q(x[v]) - q(to);
        move.changes.emplace_back(v, to);
      }
    };
    family.add(graph,
               metropolis_hastings(graph, lopsided,
                                   {.sweeps = 6400, .burn_in = 50, .chains = 2, .seed = seed}),
               seed);
  }
}

TEST(MetropolisHastings, AProposalThatDoesNotFitIsAnError) {
  const FactorGraph graph = positive(1);
  const auto with = [&](std::vector<std::pair<Variable, State>> changes, double log_ratio) {
    return metropolis_hastings(graph, [=](std::span<const State>, Random&, Move& move) {
      move = {.changes = changes, .log_ratio = log_ratio};
    });
  };
  EXPECT_THROW(with({{99, 0}}, 0), UsageError);
  EXPECT_THROW(with({{0, 9}}, 0), UsageError);
  EXPECT_THROW(with({{0, 0}, {0, 1}}, 0), UsageError);
  EXPECT_THROW(with({{0, 0}}, std::nan("")), UsageError);
}

TEST(MarkovChains, AVariableThatNeverMovedHasNoStandardError) {
  FactorGraph graph;
  graph.add_variable(2);
  graph.add_variable(4);
  const double none = -std::numeric_limits<double>::infinity();
  graph.add_factor({0, 1}, graph.add_table(std::vector{0., 0., 0., none, none, none, none, 0.}));
  std::size_t one_part = 0;
  const auto check = [&](const GibbsResult& found) {
    if (found.marginals[0][0] != 1 && found.marginals[0][1] != 1) return;
    ++one_part;
    EXPECT_GT(count_stuck(found), 0u);
    EXPECT_FALSE(found.convergence.converged);
    EXPECT_TRUE(std::isnan(found.standard_errors[0][0]));
  };
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    check(parallel_tempering(graph, {{.sweeps = 200, .chains = 2, .seed = seed}}));
    check(metropolis_hastings(graph, uniform_proposal(graph),
                              {.sweeps = 200, .chains = 2, .seed = seed}));
  }
  EXPECT_GT(one_part, 0u);
}

TEST(MarkovChains, StopKeepSamplesAndCheckTheirOptions) {
  const FactorGraph graph = ferromagnet(2);
  const GibbsResult kept = swendsen_wang(graph, {.sweeps = 640, .samples = 10});
  EXPECT_EQ(kept.samples.size(), 10u);
  EXPECT_EQ(kept.samples, swendsen_wang(graph, {.sweeps = 640, .samples = 10}).samples);
  const GibbsResult stopped =
      swendsen_wang(graph, {.sweeps = 64000, .burn_in = 0},
                    [](const GraphProgress& now) { return now.iteration < 4000; });
  EXPECT_EQ(stopped.convergence.iterations, 4000u);
  EXPECT_FALSE(stopped.convergence.converged);
  EXPECT_THROW(swendsen_wang(graph, {.sweeps = 10}), UsageError);
  EXPECT_THROW(swendsen_wang(graph, {.chains = 0}), UsageError);
  TemperingOptions options;
  options.temperatures = 1;
  EXPECT_THROW(parallel_tempering(graph, options), UsageError);
  options = {};
  options.hottest = 1;
  EXPECT_THROW(parallel_tempering(graph, options), UsageError);
}

}  // namespace
}  // namespace croft::markov_chains_test
