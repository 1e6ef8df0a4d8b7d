#include "inference/graph/search/block_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "croft/core/error.h"
#include "croft/inference/elimination_order.h"
#include "croft/inference/graph_brute_force.h"
#include "inference/graph/search/local_search.h"
#include "structure/picked_graph.h"
#include "support/map_graphs.h"

namespace croft::block_search_test {
namespace {

using testing_graphs::map_graph;
using testing_graphs::random_graph;
using testing_graphs::Shape;
using testing_graphs::structured_graph;

constexpr double kInf = std::numeric_limits<double>::infinity();

FactorGraph frustrated_grid(std::size_t variables, std::size_t states, std::uint64_t seed) {
  Random random(seed);
  return random_graph(
      {.shape = Shape::grid, .variables = variables, .most_states = states, .spread = 3}, random);
}

TEST(FreeBlocks, HaveNoFactorInCommonAndNoLargeClique) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const FactorGraph graph =
        seed % 2 == 0 ? frustrated_grid(100, 2 + seed % 3, seed) : structured_graph(seed);
    const FactorLists lists(graph);
    const FreeBlocks blocks(graph);
    Random random(seed);
    const double limit = 3 + static_cast<double>(seed % 7);
    const std::vector<FreeBlock> drawn = blocks.draw(limit, seed % 5, random);
    const std::vector<State> x(graph.variables(), 0);
    std::vector<std::size_t> part(graph.variables(), drawn.size());
    for (std::size_t k = 0; k < drawn.size(); ++k) {
      for (const Variable v : drawn[k]) {
        EXPECT_EQ(part[v], drawn.size()) << "in two blocks";
        part[v] = k;
      }
      std::vector<Variable> order(drawn[k].size());
      std::iota(order.begin(), order.end(), Variable{0});
      const PickedGraph picked = restrict_to_block(graph, lists, x, drawn[k]);
      EXPECT_LE(cost_of_order(picked.graph, order).log2_largest, limit + 1e-6) << seed;
    }
    for (Factor f = 0; f < graph.factors(); ++f) {
      std::set<std::size_t> of_factor;
      for (const Variable v : graph.scope(f)) {
        if (part[v] < drawn.size()) of_factor.insert(part[v]);
      }
      EXPECT_LE(of_factor.size(), 1u) << seed;
    }
  }
}

TEST(FreeBlocks, OfANarrowGraphAreAllOfItsVariables) {
  const FactorGraph grid = frustrated_grid(49, 2, 1);
  Random random(1);
  const std::vector<FreeBlock> drawn = FreeBlocks(grid).draw(20, 0, random);
  ASSERT_EQ(drawn.size(), 1u);
  EXPECT_EQ(drawn.front().size(), 49u);
}

TEST(BlockMaximum, IsTheBestOfAllStatesOfTheBlock) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = seed % 2 == 0 ? map_graph(seed) : structured_graph(seed);
    const FactorLists lists(graph);
    Random random(seed);
    BlockMaximum maximum(graph, lists);
    std::vector<State> x(graph.variables());
    for (Variable v = 0; v < x.size(); ++v) {
      x[v] = static_cast<State>(random.below(graph.states(v)));
    }
    for (const FreeBlock& block : FreeBlocks(graph).draw(4, seed % 3, random)) {
      const double before = graph.score(x);
      const double best = brute_force(restrict_to_block(graph, lists, x, block).graph).best_score;
      const auto outcome = maximum.run(
          block, 0, 1e9, random, [] { return true; }, x);
      EXPECT_EQ(outcome == BlockMaximum::Outcome::none, best == -kInf) << seed;
      if (best == -kInf) continue;
      const PickedGraph after = restrict_to_block(graph, lists, x, block);
      std::vector<State> states;
      for (const Variable v : after.variable) states.push_back(x[v]);
      EXPECT_NEAR(after.graph.score(states), best, 1e-9 * std::max(1.0, std::abs(best))) << seed;
      EXPECT_GE(graph.score(x), before - 1e-9 * std::max(1.0, std::abs(before))) << seed;
    }
  }
}

TEST(BlockMaximum, DrawsAsOftenAsTheScoresSay) {
  FactorGraph graph;
  for (int v = 0; v < 3; ++v) graph.add_variable(2);
  graph.add_factor({0, 1}, graph.add_table(std::vector{0.3, -0.5, -30., 0.9}));
  graph.add_factor({1, 2}, graph.add_table(std::vector{1.0, 0., -0.4, 0.2}));
  const FactorLists lists(graph);
  BlockMaximum maximum(graph, lists);
  for (const double temperature : {0.05, 0.5, 2.0}) {
    Random random(1);
    std::vector<State> x(3, 0);
    double total = 0;
    std::vector<double> expected(8), seen(8, 0);
    for (State s = 0; s < 8; ++s) {
      const std::vector<State> at{s >> 2 & 1, s >> 1 & 1, s & 1};
      total += expected[s] = std::exp(graph.score(at) / temperature);
    }
    constexpr int kDraws = 20000;
    const std::vector<Variable> block{0, 1, 2};
    for (int k = 0; k < kDraws; ++k) {
      maximum.run(
          block, temperature, 1e9, random, [] { return true; }, x);
      seen[x[0] << 2 | x[1] << 1 | x[2]] += 1.0 / kDraws;
    }
    for (State s = 0; s < 8; ++s) EXPECT_NEAR(seen[s], expected[s] / total, 0.015) << s;
  }
}

TEST(BlockMaximum, TooLittleMemoryAndAStopLeaveTheStates) {
  const FactorGraph graph = frustrated_grid(400, 2, 1);
  const FactorLists lists(graph);
  Random random(1);
  const std::vector<FreeBlock> drawn = FreeBlocks(graph).draw(22, 0, random);
  BlockMaximum maximum(graph, lists);
  const std::vector<State> before(400, 0);
  std::vector<State> x = before;
  const auto go = [] { return true; };
  EXPECT_EQ(maximum.run(drawn[0], 0, 1000, random, go, x), BlockMaximum::Outcome::none);
  EXPECT_EQ(x, before);
  EXPECT_EQ(maximum.run(
                drawn[0], 0, 1e9, random, [] { return false; }, x),
            BlockMaximum::Outcome::stopped);
  EXPECT_EQ(x, before);
}

TEST(BetterParts, ScoreAtLeastWhatBothDo) {
  std::size_t better = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const FactorGraph graph = frustrated_grid(100, 3, seed);
    Random random(seed);
    std::vector<State> a(graph.variables());
    for (Variable v = 0; v < a.size(); ++v)
      a[v] = static_cast<State>(random.below(graph.states(v)));
    std::vector<State> b = a;
    for (State& s : b) s = random.below(5) == 0 ? 0 : s;
    const double joined = graph.score(better_parts(graph, FactorLists(graph), a, b));
    const double best = std::max(graph.score(a), graph.score(b));
    EXPECT_GE(joined, best - 1e-9);
    better += joined > best + 1e-9 ? 1 : 0;
  }
  EXPECT_GT(better, 90u);
}

TEST(BlockSearch, OfSmallGraphsFindsTheBestAssignmentAndKnowsIt) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const FactorGraph graph = seed % 3 == 0 ? structured_graph(seed) : map_graph(seed);
    const double best = brute_force(graph).best_score;
    BlockSearchOptions options;
    options.annealing_sweeps = 20;
    options.max_iterations = 60;
    const MapResult found = block_search(graph, options);
    if (found.states.empty()) continue;  // annealing finds no start where little is allowed
    EXPECT_LE(found.score, best + 1e-9 * std::max(1.0, std::abs(best))) << seed;
    EXPECT_EQ(found.score, graph.score(found.states));
    if (found.kind == ResultKind::exact) {
      EXPECT_NEAR(found.score, best, 1e-9 * std::max(1.0, std::abs(best))) << seed;
    }
  }
}

TEST(BlockSearch, WithinNarrowBlocksComesNearTheBestOfAGrid) {
  std::size_t reached = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const FactorGraph graph = frustrated_grid(144, 2, seed);
    const MapResult exact = block_search(graph);
    ASSERT_EQ(exact.kind, ResultKind::exact);
    BlockSearchOptions narrow;
    narrow.first_width = narrow.most_width = 6;
    narrow.max_iterations = 100;
    narrow.annealing_sweeps = 1;
    const MapResult found = block_search(graph, narrow);
    EXPECT_EQ(found.kind, ResultKind::lower_bound);
    EXPECT_LE(found.score, exact.score + 1e-9 * std::abs(exact.score));
    reached += found.score > exact.score - 1e-9 * std::abs(exact.score) ? 1 : 0;
  }
  EXPECT_GE(reached, 18u);
}

TEST(BlockSearch, IsBetterThanAnnealingOnALargeGrid) {
  const FactorGraph graph = frustrated_grid(1600, 2, 4);
  AnnealingOptions annealing;
  annealing.sweeps = 2000;
  BlockSearchOptions options;
  options.max_iterations = 30;
  options.annealing_sweeps = 200;
  EXPECT_GT(block_search(graph, options).score, simulated_annealing(graph, annealing).score);
}

TEST(BlockSearch, IsNeverWorseThanItsStartAndRepeatsItself) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const FactorGraph graph = frustrated_grid(81, 3, seed);
    std::vector<State> start(graph.variables());
    Random random(seed);
    for (Variable v = 0; v < start.size(); ++v) {
      start[v] = static_cast<State>(random.below(graph.states(v)));
    }
    BlockSearchOptions options;
    options.first_width = options.most_width = 5;
    options.max_iterations = 1 + seed;
    const MapResult found = block_search(graph, options, start);
    EXPECT_GE(found.score, graph.score(start));
    EXPECT_EQ(found.convergence.iterations, options.max_iterations);
    EXPECT_EQ(found.states, block_search(graph, options, start).states);
  }
}

TEST(BlockSearch, StopsWithWhatItHas) {
  const FactorGraph graph = frustrated_grid(900, 3, 2);
  std::size_t calls = 0;
  const MapResult found =
      block_search(graph, {}, {}, [&](const GraphProgress&) { return ++calls < 1010; });
  EXPECT_FALSE(found.states.empty());
  EXPECT_FALSE(found.convergence.converged);
  EXPECT_LT(calls, 1020u);
}

TEST(BlockSearch, OptionsThatMakeNoSenseAreRefused) {
  const FactorGraph graph = frustrated_grid(4, 2, 1);
  for (const auto set : {+[](BlockSearchOptions& o) { o.first_width = 0; },
                         +[](BlockSearchOptions& o) { o.most_width = 0; },
                         +[](BlockSearchOptions& o) { o.most_width = 60; },
                         +[](BlockSearchOptions& o) { o.patience = 0; },
                         +[](BlockSearchOptions& o) { o.annealing_sweeps = 0; }}) {
    BlockSearchOptions options;
    set(options);
    EXPECT_THROW(block_search(graph, options), UsageError);
    EXPECT_THROW(block_search(graph, options, std::vector<State>(4, 0)), UsageError);
  }
}

TEST(BlockSearch, EndsAfterItsRestarts) {
  const FactorGraph graph = frustrated_grid(400, 2, 3);
  BlockSearchOptions options;
  options.first_width = options.most_width = 5;
  options.annealing_sweeps = 5;
  std::size_t before = 0;
  for (const std::size_t restarts : {0, 2, 4}) {
    options.restarts = restarts;
    const MapResult found = block_search(graph, options);
    EXPECT_TRUE(found.convergence.converged);
    EXPECT_GT(found.convergence.iterations, before);
    before = found.convergence.iterations;
  }
}

TEST(BlockSearch, PiecesThatNothingJoinsAreSolvedApart) {
  FactorGraph graph;
  for (int k = 0; k < 5; ++k) {
    graph.add_factor({graph.add_variable(3)}, graph.add_table(std::vector{0., 2., 1.}));
  }
  const MapResult found = block_search(graph);
  EXPECT_EQ(found.kind, ResultKind::exact);
  EXPECT_EQ(found.score, 10);
}

TEST(BlockSearch, AGraphWithoutVariablesHasOneAssignment) {
  const MapResult found = block_search(FactorGraph());
  EXPECT_EQ(found.kind, ResultKind::exact);
  EXPECT_EQ(found.score, 0);
}

}  // namespace
}  // namespace croft::block_search_test
