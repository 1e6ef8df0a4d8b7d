#include "inference/graph/exact/recursive_conditioning.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/inference/graph_brute_force.h"
#include "support/graph_number.h"

namespace croft::recursive_conditioning_test {
namespace {

using testing_graphs::graph_number;
using testing_graphs::random_graph;
using testing_graphs::rounding;
using testing_graphs::Shape;

constexpr double kInf = std::numeric_limits<double>::infinity();

// Down to the least memory that there is a plan for.
RecursionPlan plan_number(const FactorGraph& graph, std::uint64_t seed) {
  const double all = plan_recursion(graph, {.memory = 1e9}).bytes;
  for (double share = seed % 4 == 0 ? 0.9 : 0.3; share < 1; share += 0.1) {
    try {
      return plan_recursion(graph, {.memory = share * all, .restarts = 1, .seed = seed});
    } catch (const Error&) {
    }
  }
  return plan_recursion(graph, {.memory = all});
}

// Any variables may be fixed, whatever that costs.
RecursionPlan any_plan(const FactorGraph& graph, std::uint64_t seed) {
  RecursionPlan plan = plan_recursion(graph, {.memory = 1e9, .seed = seed});
  Random random(seed);
  for (const Variable v : plan.order.order) {
    if (random.below(2) == 0) plan.fixed.push_back(v);
  }
  return plan;
}

TEST(RecursiveConditioning, MarginalsAddUpToOneAtScoresThatHaveNoDigitsToSpare) {
  FactorGraph graph;
  graph.add_variable(2);
  graph.add_variable(2);
  graph.add_factor({0, 1}, graph.add_table(std::vector{1e15, 1e15, 1e15, 1e15}));
  graph.add_factor({0}, graph.add_table(std::vector{0.3, -1e15}));
  RecursionPlan plan = plan_recursion(graph, {.memory = 1e9});
  for (const Variable fixed : {0U, 1U}) {
    plan.fixed = {fixed};
    const GraphMarginals found = RecursiveConditioning(graph, plan).marginals();
    EXPECT_NEAR(found.variable[0][0], 1, 1e-12);
    EXPECT_EQ(found.variable[0][1], 0);
    EXPECT_NEAR(found.variable[1][0], 0.5, 1e-12);
  }
}

TEST(RecursiveConditioning, AnswersEqualThoseOverAllAssignments) {
  std::size_t fixed = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const GraphBruteForce all = brute_force(graph);
    const RecursionPlan plan = seed % 2 == 0 ? plan_number(graph, seed) : any_plan(graph, seed);
    fixed += plan.fixed.size();
    RecursiveConditioning tree(graph, plan);
    EXPECT_NEAR(tree.log_partition(), all.log_partition, rounding(all.log_partition)) << seed;
    const GraphMarginals found = tree.marginals();
    EXPECT_NEAR(found.log_partition, all.log_partition, rounding(all.log_partition)) << seed;
    for (Variable v = 0; v < graph.variables(); ++v) {
      for (State s = 0; s < graph.states(v); ++s) {
        EXPECT_NEAR(found.variable[v][s], all.variable[v][s], 1e-10) << seed << " " << v;
      }
    }
    const BestAssignment best = tree.best();
    EXPECT_NEAR(best.score, all.best_score, rounding(all.best_score)) << seed;
    EXPECT_EQ(best.score, graph.score(best.states));
  }
  EXPECT_GT(fixed, 800u);
}

TEST(RecursiveConditioning, EqualsTheJunctionTreeInATenthOfItsMemory) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Random random(seed);
    const FactorGraph graph = random_graph(
        {.shape = Shape::grid, .variables = 121, .most_states = 2, .spread = 1}, random);
    JunctionTree tree(graph, find_elimination_order(graph));
    const RecursionPlan plan = plan_recursion(graph, {.memory = 0.2 * tree.bytes()});
    EXPECT_LE(plan.bytes, 0.2 * tree.bytes());
    EXPECT_FALSE(plan.fixed.empty());
    RecursiveConditioning recursive(graph, plan);
    const GraphMarginals expected = tree.marginals(), found = recursive.marginals();
    EXPECT_NEAR(found.log_partition, expected.log_partition, 1e-9);
    for (Variable v = 0; v < graph.variables(); ++v) {
      EXPECT_NEAR(found.variable[v][0], expected.variable[v][0], 1e-10) << seed << " " << v;
    }
    EXPECT_NEAR(recursive.best().score, tree.best().score, 1e-9);
  }
}

TEST(RecursiveConditioning, IndependentPartsAddTheirTimes) {
  // Grids that share nothing: a cutset of all would multiply its states.
  Random random(3);
  FactorGraph graph;
  for (int part = 0; part < 8; ++part) {
    const FactorGraph one = random_graph(
        {.shape = Shape::grid, .variables = 100, .most_states = 2, .spread = 1}, random);
    const auto first = static_cast<Variable>(graph.variables());
    for (Variable v = 0; v < one.variables(); ++v) graph.add_variable(one.states(v));
    for (Factor f = 0; f < one.factors(); ++f) {
      std::vector<Variable> scope;
      for (const Variable v : one.scope(f)) scope.push_back(first + v);
      graph.add_factor(scope, graph.add_copy(one, one.potential_of(f)));
    }
  }
  JunctionTree tree(graph, find_elimination_order(graph));
  // Both in half of the memory that they take with nothing fixed.
  const double whole = plan_recursion(graph, {.memory = 1e9}).bytes;
  const RecursionPlan plan = plan_recursion(graph, {.memory = whole / 2});
  const ConditioningPlan cutset = plan_conditioning(graph, {.memory = tree.bytes() / 2});
  EXPECT_GE(plan.fixed.size(), 8u);
  EXPECT_LT(plan.log2_joint_states, tree.log2_joint_states() + 3);
  EXPECT_GT(cutset.log2_joint_states, tree.log2_joint_states() + 6);
  EXPECT_NEAR(RecursiveConditioning(graph, plan).log_partition(), tree.log_partition(), 1e-9);
}

TEST(RecursiveConditioning, DrawsAssignmentsAsOftenAsTheyAreProbable) {
  Random random(3);
  const FactorGraph graph = random_graph(
      {.shape = Shape::complete, .variables = 4, .most_states = 2, .spread = 1}, random);
  RecursiveConditioning tree(graph, any_plan(graph, 2));
  constexpr std::size_t kDrawn = 20000;
  std::map<std::vector<State>, double> seen;
  for (const auto& x : tree.samples(kDrawn, random)) seen[x] += 1.0 / kDrawn;
  const double log_z = brute_force(graph).log_partition;
  for_each_assignment(graph, [&](std::span<const State> x, long double score) {
    const double p = std::exp(static_cast<double>(score) - log_z);
    EXPECT_NEAR((seen[{x.begin(), x.end()}]), p, 6 * std::sqrt(p * (1 - p) / kDrawn));
  });
}

TEST(RecursiveConditioning, StopsWhenItIsTold) {
  Random random(4);
  const FactorGraph graph =
      random_graph({.shape = Shape::grid, .variables = 324, .most_states = 2, .spread = 1}, random);
  const RecursionPlan plan = plan_recursion(graph, {.memory = 1 << 20, .restarts = 1});
  std::size_t asked = 0;
  RecursiveConditioning tree(graph, plan, [&](const GraphProgress&) { return ++asked < 3; });
  EXPECT_THROW(tree.log_partition(), Interrupted);
  EXPECT_EQ(asked, 3u);
}

TEST(RecursiveConditioning, WithoutAnAllowedAssignmentItSaysSo) {
  FactorGraph graph;
  const Variable a = graph.add_variable(2), b = graph.add_variable(2);
  graph.add_factor({a, b}, graph.add_table(std::vector{-kInf, 0., 0., -kInf}));
  graph.add_factor({a, b}, graph.add_table(std::vector{0., -kInf, -kInf, 0.}));
  RecursionPlan plan = plan_recursion(graph);
  plan.fixed = {a};
  RecursiveConditioning tree(graph, plan);
  Random random(1);
  EXPECT_EQ(tree.log_partition(), -kInf);
  EXPECT_THROW(tree.marginals(), Error);
  EXPECT_THROW(tree.samples(1, random), Error);
  EXPECT_TRUE(tree.best().states.empty());
}

TEST(RecursiveConditioning, MemoryThatIsTooLittleForTheFactorsIsAnError) {
  const FactorGraph graph = graph_number(1);
  EXPECT_THROW(plan_recursion(graph, {.memory = 10}), Error);
  EXPECT_THROW(plan_recursion(graph, {.memory = 0}), UsageError);
}

}  // namespace
}  // namespace croft::recursive_conditioning_test
