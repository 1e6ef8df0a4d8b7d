#include "croft/inference/junction_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/inference/graph_brute_force.h"
#include "croft/structure/counters.h"
#include "support/graph_number.h"

namespace croft {
namespace {

using testing_graphs::graph_number;
using testing_graphs::random_graph;
using testing_graphs::RandomGraphOptions;
using testing_graphs::Shape;

constexpr double kInf = std::numeric_limits<double>::infinity();

EliminationOrder order_of(const FactorGraph& graph, std::uint64_t seed) {
  if (seed % 3 > 0)
    return find_elimination_order(graph, {.rules = {}, .restarts = 2, .seed = seed});
  std::vector<Variable> order(graph.variables());  // any order will do
  std::iota(order.begin(), order.end(), Variable{0});
  Random random(seed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return cost_of_order(graph, order);
}

TEST(JunctionTree, SumsEqualThoseOverAllAssignments) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const GraphBruteForce all = brute_force(graph);
    JunctionTree tree(graph, order_of(graph, seed));
    EXPECT_NEAR(tree.log_partition(), all.log_partition,
                1e-10 * std::max(1.0, std::abs(all.log_partition)))
        << seed;
  }
}

TEST(JunctionTree, MarginalsEqualThoseOverAllAssignments) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const GraphBruteForce all = brute_force(graph);
    JunctionTree tree(graph, order_of(graph, seed));
    std::vector<Factor> factors(graph.factors());
    std::iota(factors.begin(), factors.end(), Factor{0});
    const GraphMarginals found = tree.marginals(factors);
    EXPECT_NEAR(found.log_partition, all.log_partition,
                1e-10 * std::max(1.0, std::abs(all.log_partition)));
    for (Variable v = 0; v < graph.variables(); ++v) {
      for (State s = 0; s < graph.states(v); ++s) {
        EXPECT_NEAR(found.variable[v][s], all.variable[v][s], 1e-10) << seed << " " << v;
      }
    }
    for (Factor f = 0; f < graph.factors(); ++f) {
      for (std::size_t k = 0; k < all.factor[f].size(); ++k) {
        EXPECT_NEAR(found.factor[f][k], all.factor[f][k], 1e-10) << seed << " factor " << f;
      }
    }
  }
}

TEST(JunctionTree, TheBestAssignmentHasTheBestScore) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const GraphBruteForce all = brute_force(graph);
    JunctionTree tree(graph, order_of(graph, seed));
    const BestAssignment best = tree.best();
    EXPECT_NEAR(best.score, all.best_score, 1e-10 * std::max(1.0, std::abs(all.best_score)));
    EXPECT_EQ(best.score, graph.score(best.states));
  }
}

TEST(JunctionTree, WithoutAnAllowedAssignmentItSaysSo) {
  FactorGraph graph;
  const Variable a = graph.add_variable(2), b = graph.add_variable(2);
  graph.add_factor({a, b}, graph.add_table(std::vector{-kInf, 0., 0., -kInf}));
  graph.add_factor({a, b}, graph.add_table(std::vector{0., -kInf, -kInf, 0.}));
  JunctionTree tree(graph, find_elimination_order(graph));
  Random random(1);
  EXPECT_EQ(tree.log_partition(), -kInf);
  EXPECT_THROW(tree.marginals(), Error);
  EXPECT_THROW(tree.samples(1, random), Error);
  EXPECT_TRUE(tree.best().states.empty());
}

TEST(JunctionTree, EvidenceSlicesWhatIsLeft) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const std::vector<State> best = brute_force(graph).best;
    Evidence evidence(graph.variables(), kUnobserved);
    for (Variable v = 0; v < graph.variables(); v += 2) evidence[v] = best[v];
    const FactorGraph rest = condition(graph, evidence);
    const GraphBruteForce all = brute_force(rest);
    JunctionTree tree(rest, find_elimination_order(rest));
    EXPECT_NEAR(tree.log_partition(), all.log_partition,
                1e-10 * std::max(1.0, std::abs(all.log_partition)));
    EXPECT_NEAR(tree.best().score, all.best_score, 1e-10 * std::max(1.0, std::abs(all.best_score)));
  }
}

TEST(JunctionTree, DrawsAssignmentsAsOftenAsTheyAreProbable) {
  Random random(3);
  const FactorGraph graph = random_graph(
      {.shape = Shape::complete, .variables = 4, .most_states = 2, .spread = 1}, random);
  JunctionTree tree(graph, find_elimination_order(graph));
  constexpr std::size_t kDrawn = 20000;
  std::map<std::vector<State>, double> seen;
  for (const auto& x : tree.samples(kDrawn, random)) seen[x] += 1.0 / kDrawn;
  const double log_z = brute_force(graph).log_partition;
  for_each_assignment(graph, [&](std::span<const State> x, long double score) {
    const double p = std::exp(static_cast<double>(score) - log_z);
    EXPECT_NEAR((seen[{x.begin(), x.end()}]), p, 6 * std::sqrt(p * (1 - p) / kDrawn));
  });
}

TEST(JunctionTree, FactorsOfManyVariablesAreSummedOverTheirCounters) {
  FactorGraph graph;
  std::vector<Variable> bits;
  for (int k = 0; k < 40; ++k) bits.push_back(graph.add_variable(2));
  graph.add_factor(bits, graph.add_parity(false));
  FactorGraph chain = with_counters(graph);
  JunctionTree even(chain, find_elimination_order(chain));
  EXPECT_NEAR(even.log_partition(), 39 * std::log(2.), 1e-12);  // half of all assignments
  graph.add_factor(bits, graph.add_at_most(2, 40));
  chain = with_counters(graph);
  JunctionTree few(chain, find_elimination_order(chain));
  EXPECT_NEAR(few.log_partition(), std::log(1. + 40 * 39 / 2), 1e-12);
  EXPECT_NEAR(few.marginals().variable[7][1], 39. / (1 + 40 * 39 / 2), 1e-12);
}

TEST(JunctionTree, ALongChainWithLargeScoresKeepsItsDigits) {
  FactorGraph graph;
  Random random(5);
  constexpr std::size_t kLength = 3000;
  double total = 0;
  const Variable first = graph.add_variable(3);
  Variable last = first;
  for (std::size_t t = 1; t < kLength; ++t) {
    const Variable next = graph.add_variable(3);
    std::vector<double> scores(9, -1e5);
    for (std::size_t k = 0; k < 9; k += 4) scores[k] = 300 * random.normal();
    total += scores[0];
    graph.add_factor({last, next}, graph.add_table(scores));
    last = next;
  }
  // Diagonal but for what 1e5 hides: three paths, of which the largest decides.
  JunctionTree tree(graph, find_elimination_order(graph));
  const BestAssignment best = tree.best();
  EXPECT_GE(best.score, total);
  EXPECT_NEAR(tree.log_partition(), best.score, 2);
}

TEST(JunctionTree, StopsBetweenCliquesAndWithinALargeOne) {
  Random random(2);
  // A grid, whose cliques are many; a complete graph, which is one clique of 2^24 joint states.
  for (const RandomGraphOptions& each :
       {RandomGraphOptions{.shape = Shape::grid, .variables = 256, .most_states = 2},
        RandomGraphOptions{.shape = Shape::complete, .variables = 24, .most_states = 2}}) {
    const FactorGraph graph = random_graph(each, random);
    const EliminationOrder order = find_elimination_order(graph);
    std::size_t asked = 0;
    JunctionTree two(graph, order, [&](const GraphProgress&) { return ++asked < 2; });
    EXPECT_THROW(two.log_partition(), Interrupted);
    EXPECT_EQ(asked, 2u);
    for (const auto& call :
         {+[](JunctionTree& tree) { tree.marginals(); }, +[](JunctionTree& tree) { tree.best(); },
          +[](JunctionTree& tree) {
            Random draws(1);
            tree.samples(1, draws);
          }}) {
      JunctionTree none(graph, order, [](const GraphProgress&) { return false; });
      EXPECT_THROW(call(none), Interrupted);
    }
    std::size_t calls = 0;
    JunctionTree watched(graph, order, [&](const GraphProgress&) { return ++calls > 0; });
    EXPECT_EQ(watched.log_partition(), JunctionTree(graph, order).log_partition());
    EXPECT_GT(calls, 1u);
  }
}

TEST(JunctionTree, StoppedWhileItDrawsItKeepsWhatIsDrawn) {
  const FactorGraph graph = graph_number(3);
  std::size_t asked = 0;
  JunctionTree tree(graph, find_elimination_order(graph),
                    [&](const GraphProgress&) { return ++asked < 3; });
  Random random(1);
  const auto drawn = tree.samples(1000000, random);
  EXPECT_GT(drawn.size(), 0u);
  EXPECT_LT(drawn.size(), 1000000u);
}

TEST(EliminationOrder, OfATreeHasCliquesOfTwo) {
  Random random(1);
  const FactorGraph graph =
      random_graph({.shape = Shape::tree, .variables = 200, .most_states = 2}, random);
  const EliminationOrder order = find_elimination_order(graph);
  EXPECT_EQ(order.log2_largest, 2);
  EXPECT_EQ(order.order.size(), 200u);
  EXPECT_NEAR(cost_of_order(graph, order.order).log2_total, order.log2_total, 1e-9);
}

TEST(EliminationOrder, OfAGridComesNearItsSide) {
  Random random(1);
  const FactorGraph graph =
      random_graph({.shape = Shape::grid, .variables = 100, .most_states = 2}, random);
  EXPECT_LE(find_elimination_order(graph).log2_largest, 14);
  EXPECT_THROW(cost_of_order(graph, {0, 1}), UsageError);
}

}  // namespace
}  // namespace croft
