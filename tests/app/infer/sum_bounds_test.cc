// Estimates of log Z stay between the best score and what the factors allow.
#include "app/infer/sum_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "croft/core/random.h"
#include "croft/inference/belief_propagation.h"
#include "croft/inference/graph_brute_force.h"
#include "support/random_graph.h"

namespace croft::sum_bounds_test {
namespace {

using testing_graphs::random_graph;
using testing_graphs::Shape;

// A score that a local search has found is at most log Z, and no estimate is better below it.
TEST(SumBounds, AnEstimateBelowAnAssignmentIsMovedAndHasNotConverged) {
  InferRequest request;
  request.method = "belief-propagation";
  std::size_t below = 0, moved = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const FactorGraph graph =
        random_graph({.shape = seed % 2 == 0 ? Shape::complete : Shape::higher_order,
                      .variables = 4 + seed % 3,
                      .spread = 2 + static_cast<double>(seed % 4)},
                     random);
    SumProduct messages(graph, {});
    messages.run();
    const GraphBruteForce all = brute_force(graph);
    const InferResult found = infer(graph, {}, request);
    EXPECT_LE(*found.log_partition, most_of_factors(graph) + 1e-7) << seed;
    if (messages.log_partition() > all.best_score - 1e-3) continue;
    ++below;
    if (*found.log_partition == messages.log_partition()) continue;  // nothing better was found
    ++moved;
    EXPECT_GT(*found.log_partition, messages.log_partition());
    EXPECT_LE(*found.log_partition, all.log_partition + 1e-9);
    EXPECT_FALSE(found.converged);
    EXPECT_FALSE(found.notes.empty());
    EXPECT_FALSE(found.warnings.empty());
  }
  EXPECT_GT(moved, 0u);
  EXPECT_GE(2 * moved, below);
}

// Draws may be out by their standard error, messages may not.
TEST(SumBounds, AreHeldByEveryEstimate) {
  FactorGraph graph;
  graph.add_variable(2);
  graph.add_factor({0}, graph.add_table(std::vector{3., 1.}));
  const VariableMarginals marginals{{0.2, 0.8}};
  const double most = 3 + std::log(2.);
  for (const double given : {2.5, 3.2, 4.}) {
    for (const std::optional<double> error : {std::optional<double>(), std::optional(1.)}) {
      InferResult result;
      result.kind = ResultKind::estimate;
      result.log_partition = given;
      result.log_partition_error = error;
      hold_between_bounds(graph, marginals, result);
      EXPECT_DOUBLE_EQ(*result.log_partition, std::clamp(given, 3., most));
      EXPECT_EQ(result.converged, given == 3.2 || error.has_value());
      EXPECT_EQ(result.notes.empty(), result.converged);
    }
  }
}

}  // namespace
}  // namespace croft::sum_bounds_test
