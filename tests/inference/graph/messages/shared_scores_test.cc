#include "inference/graph/messages/shared_scores.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "croft/core/random.h"
#include "croft/inference/belief_propagation.h"

namespace croft::shared_scores_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// A ring of variables with as many states: tables of equal states, of few possible ones, of any
// scores, in turn.
FactorGraph ring(std::size_t variables, std::size_t states, std::uint64_t seed) {
  Random random(seed);
  FactorGraph graph;
  for (std::size_t v = 0; v < variables; ++v) {
    const Variable added = graph.add_variable(states);
    std::vector<double> own(states);
    for (double& each : own) each = random.normal();
    graph.add_factor({added}, graph.add_table(own));
  }
  for (Variable v = 0; v < variables; ++v) {
    std::vector<double> table(states * states);
    for (std::size_t k = 0; k < table.size(); ++k) {
      const bool equal = k / states == k % states;
      const bool possible = equal || random.below(8) == 0;
      if (v % 3 == 0) table[k] = equal ? 1.5 : -0.5;
      if (v % 3 == 1) table[k] = possible ? random.normal() : -kInf;
      if (v % 3 == 2) table[k] = random.normal();
    }
    const auto next = static_cast<Variable>((v + 1) % variables);
    graph.add_factor({v, next}, graph.add_table(table));
  }
  return graph;
}

PotentialKind kind(const FactorGraph& graph, Factor f) {
  return graph.potential(graph.potential_of(f)).kind;
}

TEST(SharedScores, KeepEveryScore) {
  for (const std::size_t states : {8u, 11u}) {
    const FactorGraph graph = ring(6, states, states);
    const std::optional<FactorGraph> shared = with_shared_scores(graph);
    ASSERT_TRUE(shared);
    for (Factor f = 0; f < graph.factors(); ++f) EXPECT_EQ(shared->table(f), graph.table(f));
    EXPECT_EQ(kind(*shared, 6), PotentialKind::potts);
    EXPECT_EQ(kind(*shared, 7), PotentialKind::sparse);
    EXPECT_EQ(kind(*shared, 8), PotentialKind::table);
  }
}

TEST(SharedScores, AreNotLookedForInSmallTables) {
  EXPECT_FALSE(with_shared_scores(ring(6, 7, 1)));
}

TEST(SharedScores, AreThoseOfTheScopesShape) {
  FactorGraph graph;  // one table of 64 scores, as 8 x 8 and as 4 x 16
  for (const std::size_t states : {8u, 8u, 4u, 16u}) graph.add_variable(states);
  std::vector<double> table(64, -1.0);
  for (std::size_t x = 0; x < 8; ++x) table[x * 9] = 2;
  const PotentialId id = graph.add_table(table);
  graph.add_factor({0, 1}, id);
  graph.add_factor({2, 3}, id);
  const std::optional<FactorGraph> shared = with_shared_scores(graph);
  ASSERT_TRUE(shared);
  EXPECT_EQ(kind(*shared, 0), PotentialKind::potts);
  EXPECT_EQ(kind(*shared, 1), PotentialKind::table);
  for (Factor f = 0; f < 2; ++f) EXPECT_EQ(shared->table(f), graph.table(f));
}

TEST(SharedScores, GiveTheMessagesOfTheDenseTables) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const FactorGraph graph = ring(3 + seed % 5, 8 + seed % 4, seed);
    BeliefPropagationOptions options;
    options.tolerance = 1e-13;
    const FactorGraph stored = with_shared_scores(graph).value();
    SumProduct dense(graph, options), shared(stored, options);
    dense.run();
    shared.run();
    EXPECT_NEAR(dense.log_partition(), shared.log_partition(), 1e-9);
    const VariableMarginals expected = dense.beliefs(), found = shared.beliefs();
    for (Variable v = 0; v < graph.variables(); ++v) {
      for (State x = 0; x < graph.states(v); ++x) EXPECT_NEAR(found[v][x], expected[v][x], 1e-11);
    }
  }
}

}  // namespace
}  // namespace croft::shared_scores_test
