#include "inference/graph/search/local_search.h"

#include <gtest/gtest.h>

#include <cmath>

#include "croft/core/error.h"
#include "croft/inference/graph_brute_force.h"
#include "support/map_graphs.h"

namespace croft::local_search_test {
namespace {

using testing_graphs::map_graph;
using testing_graphs::structured_graph;

constexpr double kInf = std::numeric_limits<double>::infinity();

FactorGraph graph_number(std::uint64_t seed) {
  return seed % 4 == 0 ? structured_graph(seed) : map_graph(seed);
}

std::vector<State> random_start(const FactorGraph& graph, std::uint64_t seed) {
  Random random(seed);
  std::vector<State> start;
  for (Variable v = 0; v < graph.variables(); ++v) {
    start.push_back(static_cast<State>(random.below(graph.states(v))));
  }
  return start;
}

// Whether two variables share a factor, or are joined by others of the subset.
bool connected(const FactorGraph& graph, std::uint64_t subset) {
  std::uint64_t reached = subset & -subset;
  for (std::uint64_t before = 0; before != reached;) {
    before = reached;
    for (Factor f = 0; f < graph.factors(); ++f) {
      std::uint64_t members = 0;
      for (const Variable v : graph.scope(f)) members |= std::uint64_t{1} << v;
      if (members & reached) reached |= members & subset;
    }
  }
  return reached == subset;
}

// No assignment that differs in a connected subset of at most `most` variables is better.
void expect_local_optimum(const FactorGraph& graph, const MapResult& found, int most) {
  for_each_assignment(graph, [&](std::span<const State> x, long double score) {
    std::uint64_t subset = 0;
    for (Variable v = 0; v < x.size(); ++v) {
      if (x[v] != found.states[v]) subset |= std::uint64_t{1} << v;
    }
    if (subset == 0 || __builtin_popcountll(subset) > most || !connected(graph, subset)) return;
    EXPECT_LE(static_cast<double>(score),
              found.score + 1e-9 * std::max(1.0, std::abs(found.score)));
  });
}

void expect_fits(const FactorGraph& graph, const MapResult& found, std::span<const State> start,
                 double best) {
  EXPECT_GE(found.score, graph.score(start));
  EXPECT_LE(found.score, best + 1e-10 * std::max(1.0, std::abs(best)));
  EXPECT_EQ(found.kind, ResultKind::lower_bound);
  EXPECT_EQ(found.states.empty(), found.score == -kInf);
  if (!found.states.empty()) {
    EXPECT_EQ(found.score, graph.score(found.states));
  }
}

TEST(Icm, EndsWhereNoVariableAloneCanImprove) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const auto start = random_start(graph, seed);
    const MapResult found = icm(graph, {}, start);
    EXPECT_TRUE(found.convergence.converged);
    expect_fits(graph, found, start, brute_force(graph).best_score);
    if (!found.states.empty()) expect_local_optimum(graph, found, 1);
  }
}

TEST(Icm, RestartsNeverMakeItWorse) {
  std::size_t better = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const double once = icm(graph).score;
    const double often = icm(graph, {.restarts = 20, .seed = seed}).score;
    EXPECT_GE(often, once);
    better += often > once;
  }
  EXPECT_GT(better, 20u);
}

TEST(LazyFlipper, EndsWhereNoConnectedSubsetCanImprove) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const auto start = random_start(graph, seed);
    const double best = brute_force(graph).best_score;
    for (const std::size_t subset : {1u, 2u, 3u}) {
      LazyFlipperOptions options;
      options.subset = subset;
      const MapResult found = lazy_flipper(graph, options, start);
      EXPECT_TRUE(found.convergence.converged);
      expect_fits(graph, found, start, best);
      if (!found.states.empty()) expect_local_optimum(graph, found, static_cast<int>(subset));
    }
  }
}

TEST(LazyFlipper, OfAllVariablesOfAConnectedGraphFindsTheBestAssignment) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph =
        map_graph(seed, {testing_graphs::Shape::tree, testing_graphs::Shape::star});
    LazyFlipperOptions options;
    options.subset = graph.variables();
    const double best = brute_force(graph).best_score;
    EXPECT_NEAR(lazy_flipper(graph, options).score, best, 1e-9 * std::max(1.0, std::abs(best)));
  }
}

TEST(SimulatedAnnealing, IsNeverWorseThanItsStartAndMostlyFindsTheBest) {
  std::size_t found_best = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const auto start = random_start(graph, seed);
    const double best = brute_force(graph).best_score;
    const MapResult found = simulated_annealing(graph, {.sweeps = 200, .seed = seed}, start);
    expect_fits(graph, found, start, best);
    if (!found.states.empty()) expect_local_optimum(graph, found, 1);
    found_best += found.score >= best - 1e-9 * std::max(1.0, std::abs(best));
  }
  EXPECT_GT(found_best, 130u);
}

TEST(SimulatedAnnealing, TheSameSeedGivesTheSameAssignment) {
  const FactorGraph graph = map_graph(9, {testing_graphs::Shape::complete});
  EXPECT_EQ(simulated_annealing(graph, {.sweeps = 3, .seed = 4}).states,
            simulated_annealing(graph, {.sweeps = 3, .seed = 4}).states);
}

TEST(LocalSearch, StopsWhenItsCallbackSaysSo) {
  const FactorGraph graph = map_graph(9);
  const GraphCallback stop = [](const GraphProgress&) { return false; };
  EXPECT_FALSE(icm(graph, {.restarts = 5}, {}, stop).convergence.converged);
  EXPECT_FALSE(lazy_flipper(graph, {}, {}, stop).convergence.converged);
  EXPECT_EQ(simulated_annealing(graph, {}, {}, stop).convergence.iterations, 1u);
}

// Two variables with 10^12 joint states between them: each alone is gone through, both are not.
TEST(LazyFlipper, LeavesOutSubsetsOfTooManyJointStatesAndEnds) {
  FactorGraph graph;
  const Variable a = graph.add_variable(1000000), b = graph.add_variable(1000000);
  graph.add_factor({a, b}, graph.add_truncated_linear(1, 5));
  std::vector<double> own(1000000, 0);
  own[777] = 9;
  graph.add_factor({a}, graph.add_table(own));
  const MapResult found = lazy_flipper(graph, {}, std::vector<State>{5, 5});
  EXPECT_TRUE(found.convergence.converged);
  EXPECT_EQ(found.states, (std::vector<State>{777, 777}));
}

TEST(LazyFlipper, IsStoppedWithinARound) {
  FactorGraph graph;
  for (int k = 0; k < 40; ++k) graph.add_variable(1000);
  const PotentialId potts = graph.add_potts(1, 0);
  for (Variable v = 1; v < 40; ++v) graph.add_factor({v - 1, v}, potts);
  LazyFlipperOptions wide;
  wide.subset = 2;
  std::size_t asked = 0;
  const MapResult found =
      lazy_flipper(graph, wide, {}, [&](const GraphProgress&) { return ++asked < 4; });
  EXPECT_FALSE(found.convergence.converged);
  EXPECT_EQ(asked, 4u);
  EXPECT_EQ(found.states.size(), 40u);
}

TEST(LocalSearch, OptionsAndStartsOutOfRangeAreErrors) {
  const FactorGraph graph = map_graph(9);
  LazyFlipperOptions none;
  none.subset = 0;
  EXPECT_THROW(lazy_flipper(graph, none), UsageError);
  EXPECT_THROW(simulated_annealing(graph, {.sweeps = 0}), UsageError);
  EXPECT_THROW(simulated_annealing(graph, {.first_temperature = 1, .last_temperature = 2}),
               UsageError);
  EXPECT_THROW(simulated_annealing(graph, {.last_temperature = 1e9}), UsageError);
  EXPECT_THROW(simulated_annealing(graph, {.last_temperature = -1}), UsageError);
  EXPECT_THROW(icm(graph, {}, std::vector<State>{0}), UsageError);
}

}  // namespace
}  // namespace croft::local_search_test
