#include "croft/inference/branch_and_bound.h"

#include <gtest/gtest.h>

#include <cmath>

#include "croft/core/error.h"
#include "croft/inference/elimination_order.h"
#include "croft/inference/graph_brute_force.h"
#include "croft/inference/junction_tree.h"
#include "support/map_graphs.h"

namespace croft::branch_and_bound_test {
namespace {

using testing_graphs::map_graph;
using testing_graphs::random_graph;
using testing_graphs::Shape;
using testing_graphs::structured_graph;

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(BranchAndBound, FindsAndProvesTheBestAssignment) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const FactorGraph graph = seed % 3 == 0 ? structured_graph(seed) : map_graph(seed);
    const double best = brute_force(graph).best_score;
    const MapResult found = branch_and_bound(graph);
    EXPECT_EQ(found.kind, ResultKind::exact) << seed;
    EXPECT_TRUE(found.convergence.converged);
    if (best == -kInf) {
      EXPECT_TRUE(found.states.empty());
      EXPECT_EQ(found.bound, -kInf);
      continue;
    }
    EXPECT_NEAR(found.score, best, 2e-9 * std::max(1.0, std::abs(best))) << seed;
    EXPECT_EQ(found.score, graph.score(found.states));
  }
}

TEST(BranchAndBound, FindsAndProvesTheKBest) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const FactorGraph graph = seed % 3 == 0 ? structured_graph(seed) : map_graph(seed);
    const std::size_t k = 2 + seed % 9;
    JunctionTree tree(graph, find_elimination_order(graph));
    const std::vector<BestAssignment> best = tree.k_best(k);
    BranchAndBoundOptions options;
    options.k = k;
    const MapResult found = branch_and_bound(graph, options);
    EXPECT_EQ(found.kind, ResultKind::exact) << seed;
    ASSERT_EQ(found.k_best.size(), best.size()) << seed;
    for (std::size_t i = 0; i < best.size(); ++i) {
      EXPECT_NEAR(found.k_best[i].score, best[i].score,
                  1e-8 * std::max(1.0, std::abs(best[i].score)))
          << seed << " rank " << i;
      EXPECT_EQ(found.k_best[i].score, graph.score(found.k_best[i].states));
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_NE(found.k_best[i].states, found.k_best[j].states);
      }
    }
  }
}

// No factor has two variables, or none has any: the search is all there is.
TEST(BranchAndBound, FindsTheKBestWhereNoFactorJoinsVariables) {
  FactorGraph graph;
  graph.add_variable(3);
  for (const bool own : {false, true}) {
    if (own) graph.add_factor({0}, graph.add_table(std::vector{0., 2., 1.}));
    for (const std::size_t k : {2, 3, 4}) {
      std::size_t asked = 0;
      const MapResult found =
          branch_and_bound(graph, {.k = k, .callback_every = 1},
                           [&](const GraphProgress&) { return ++asked < 1000; });
      EXPECT_EQ(found.kind, ResultKind::exact) << k;
      ASSERT_EQ(found.k_best.size(), std::min<std::size_t>(k, 3));
      EXPECT_EQ(found.k_best.back().score, own && k == 2 ? 1 : 0);
      EXPECT_LT(asked, 1000u);
    }
  }
}

TEST(BranchAndBound, StoppedItBoundsWhatIsNotAmongTheKBest) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const FactorGraph graph = random_graph(
        {.shape = Shape::grid, .variables = 25, .most_states = 3, .spread = 2}, random);
    JunctionTree tree(graph, find_elimination_order(graph));
    BranchAndBoundOptions options;
    options.k = 5;
    options.max_nodes = 1 + seed;
    const MapResult found = branch_and_bound(graph, options);
    // The best of those that it does not have.
    for (const BestAssignment& each : tree.k_best(6)) {
      const bool known = std::ranges::any_of(
          found.k_best, [&](const BestAssignment& other) { return other.states == each.states; });
      if (known) continue;
      EXPECT_LE(each.score, found.bound_of_others + 1e-8 * std::abs(each.score)) << seed;
      break;
    }
  }
}

// The search itself, by messages or by tables, too: a first assignment that is poor, and a bound
// that is not tight.
void prove_frustrated_graphs(double table_bytes, std::size_t least_nodes) {
  std::size_t nodes = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const FactorGraph graph = random_graph({.shape = seed % 2 == 0 ? Shape::complete : Shape::grid,
                                            .variables = seed % 2 == 0 ? 12u : 25u,
                                            .most_states = 2 + seed % 2,
                                            .spread = 2,
                                            .zeros = seed % 4 == 3 ? 0.2 : 0},
                                           random);
    JunctionTree tree(graph, find_elimination_order(graph));
    const MapResult found = branch_and_bound(graph, {.root_iterations = 1 + seed % 20,
                                                     .annealing_sweeps = 0,
                                                     .restarts = 0,
                                                     .table_bytes = table_bytes});
    EXPECT_EQ(found.kind, ResultKind::exact);
    EXPECT_NEAR(found.score, tree.best().score, 1e-7) << seed;
    EXPECT_EQ(found.score, graph.score(found.states));
    nodes += found.convergence.iterations;
  }
  EXPECT_GE(nodes, least_nodes);
}

TEST(BranchAndBound, ProvesByMessagesWhatAJunctionTreeFindsOnFrustratedGraphs) {
  prove_frustrated_graphs(0, 500);
}

TEST(BranchAndBound, ProvesByTablesWhatAJunctionTreeFindsOnFrustratedGraphs) {
  prove_frustrated_graphs(1e9, 0);
}

TEST(BranchAndBound, SaysThatNothingIsAllowed) {
  FactorGraph graph;  // four variables, three colours, all different
  for (int v = 0; v < 4; ++v) graph.add_variable(3);
  for (Variable u = 0; u < 4; ++u) {
    for (Variable v = u + 1; v < 4; ++v) graph.add_factor({u, v}, graph.add_potts(-kInf, 0));
  }
  const MapResult found = branch_and_bound(graph);
  EXPECT_TRUE(found.states.empty());
  EXPECT_EQ(found.score, -kInf);
  EXPECT_EQ(found.bound, -kInf);
  EXPECT_EQ(found.kind, ResultKind::exact);
}

TEST(BranchAndBound, WhenStoppedItsBoundHoldsAllTheSame) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = map_graph(seed, {Shape::complete, Shape::higher_order});
    const double best = brute_force(graph).best_score;
    const MapResult found = branch_and_bound(graph, {.max_nodes = 1,
                                                     .root_iterations = 1,
                                                     .annealing_sweeps = 0,
                                                     .restarts = 0,
                                                     .table_bytes = seed % 2 == 0 ? 0 : 1e9});
    EXPECT_LE(found.score, best + 1e-9 * std::max(1.0, std::abs(best)));
    EXPECT_GE(found.bound, best - 1e-9 * std::max(1.0, std::abs(best)));
    double last = kInf;
    branch_and_bound(graph,
                     {.root_iterations = 1,
                      .annealing_sweeps = 0,
                      .restarts = 0,
                      .table_bytes = seed % 2 == 0 ? 0 : 1e9,
                      .callback_every = 1},
                     [&](const GraphProgress& progress) {
                       EXPECT_GE(*progress.bound, best - 1e-9 * std::max(1.0, std::abs(best)));
                       EXPECT_LE(*progress.bound, last);
                       last = *progress.bound;
                       return true;
                     });
  }
}

TEST(BranchAndBound, AGapIsKept) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = map_graph(seed, {Shape::complete});
    const double best = brute_force(graph).best_score;
    const MapResult found = branch_and_bound(graph, {.gap = 1,
                                                     .root_iterations = 1,
                                                     .annealing_sweeps = 0,
                                                     .restarts = 0,
                                                     .table_bytes = seed % 2 == 0 ? 0 : 1e9});
    EXPECT_GE(found.score, best - 1 - 1e-6);
    EXPECT_GE(found.bound, best - 1e-9 * std::max(1.0, std::abs(best)));
  }
}

TEST(BranchAndBound, AGraphWithoutChoicesHasItsOneScore) {
  FactorGraph none;
  none.add_factor({}, none.add_table(std::vector{1.5}));
  FactorGraph one;
  const Variable v = one.add_variable(1);
  one.add_factor({v}, one.add_table(std::vector{1.5}));
  for (const FactorGraph* graph : {&none, &one}) {
    const MapResult found = branch_and_bound(*graph);
    EXPECT_EQ(found.kind, ResultKind::exact);
    EXPECT_EQ(found.score, 1.5);
    EXPECT_EQ(found.states.size(), graph->variables());
  }
}

// From the first to the last call, with an assignment or without, proved or not.
TEST(BranchAndBound, TheResidualIsTheGapAndAlwaysANumber) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    FactorGraph graph = testing_graphs::map_graph(seed);
    if (seed % 3 == 0) {  // forbids the first variable's states, one by one
      for (State s = 0; s < graph.states(0); ++s) {
        std::vector<double> own(graph.states(0), 0);
        own[s] = -std::numeric_limits<double>::infinity();
        graph.add_factor({0}, graph.add_table(own));
      }
    }
    std::size_t asked = 0;
    const MapResult found =
        branch_and_bound(graph, {.callback_every = 1}, [&](const GraphProgress& now) {
          EXPECT_FALSE(std::isnan(now.residual));
          return ++asked < seed;
        });
    EXPECT_FALSE(std::isnan(found.convergence.residual));
    if (found.kind == ResultKind::exact) {
      EXPECT_NEAR(found.convergence.residual, 0, 1e-8 * std::max(1.0, std::abs(found.bound)));
    } else if (!found.states.empty()) {
      EXPECT_EQ(found.convergence.residual, found.bound - found.score);
    }
  }
}

TEST(BranchAndBound, OptionsOutOfRangeAreErrors) {
  const FactorGraph graph = map_graph(0);
  EXPECT_THROW(branch_and_bound(graph, {.gap = -1}), UsageError);
  EXPECT_THROW(branch_and_bound(graph, {.root_iterations = 0}), UsageError);
  EXPECT_THROW(branch_and_bound(graph, {.table_bytes = -1}), UsageError);
  EXPECT_THROW(branch_and_bound(graph, {.callback_every = 0}), UsageError);
}

}  // namespace
}  // namespace croft::branch_and_bound_test
