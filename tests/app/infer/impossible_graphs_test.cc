// Graphs that allow nothing, and variables that no factor has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "croft/app/infer.h"
#include "croft/core/error.h"

namespace croft::impossible_graphs_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// A pair that has to be equal, and unequal.
FactorGraph contradiction() {
  FactorGraph graph;
  graph.add_variable(2);
  graph.add_variable(2);
  graph.add_factor({0, 1}, graph.add_table(std::vector{0., -kInf, -kInf, 0.}));
  graph.add_factor({0, 1}, graph.add_table(std::vector{-kInf, 0., 0., -kInf}));
  return graph;
}

InferResult ask(const FactorGraph& graph, GraphTask task, std::string_view method,
                double memory = 0) {
  InferRequest request;
  request.task = task;
  request.method = method;
  request.memory = memory;
  return infer(graph, {}, request);
}

TEST(ImpossibleGraphs, EveryMethodForSumsSaysThatNothingIsAllowed) {
  const FactorGraph graph = contradiction();
  for (const InferMethod& method : infer_methods()) {
    if (method.name == "likelihood-weighting") continue;  // of Bayesian networks
    const auto answers = [&](GraphTask task) {
      return std::ranges::find(method.tasks, task) != method.tasks.end();
    };
    if (answers(GraphTask::partition)) {
      const InferResult r = ask(graph, GraphTask::partition, method.name);
      EXPECT_EQ(r.log_partition, -kInf) << method.name;
      EXPECT_EQ(r.kind, ResultKind::exact) << method.name;
    }
    if (answers(GraphTask::marginals) && method.name != "swendsen-wang") {  // of pairs that agree
      EXPECT_THROW(ask(graph, GraphTask::marginals, method.name), Error) << method.name;
    }
  }
}

TEST(FreeVariables, OfMoreStatesThanCanBeListedAreCountedAndNotGoneThrough) {
  FactorGraph graph;
  graph.add_variable(std::size_t{1} << 31);
  graph.add_variable(2);
  graph.add_factor({1}, graph.add_table(std::vector{0., 1.}));
  const double log_z = 31 * std::log(2.) + std::log(1 + std::exp(1.));
  for (const char* method : {"auto", "junction-tree", "belief-propagation", "mean-field"}) {
    EXPECT_NEAR(*ask(graph, GraphTask::partition, method).log_partition, log_z, 1e-9) << method;
  }
  const InferResult drawn = ask(graph, GraphTask::partition, "mini-bucket-sampling");
  EXPECT_NEAR(*drawn.log_partition_most, log_z, 1e-9);  // one bucket holds all of the rest
  EXPECT_LE(*drawn.log_partition_least, log_z + 1e-9);
  EXPECT_GT(*drawn.log_partition_least, 31 * std::log(2.));
  const InferResult best = ask(graph, GraphTask::map, "auto");
  EXPECT_EQ(best.assignment, (std::vector<State>{0, 1}));
  EXPECT_THROW(ask(graph, GraphTask::marginals, "auto", 1e9), Error);
}

TEST(FreeVariables, OfMoreStatesThanCanBeListedAreSummedOutOfAMarginalMap) {
  FactorGraph graph;
  graph.add_variable(std::size_t{1} << 31);
  graph.add_variable(2);
  graph.add_variable(2);
  graph.add_factor({1, 2}, graph.add_table(std::vector{0., 1., 2., 0.5}));
  const double best = 31 * std::log(2.) + std::log(std::exp(2.) + std::exp(0.5));
  for (const char* method : {"auto", "junction-tree", "branch-and-bound", "and-or-search"}) {
    InferRequest request;
    request.task = GraphTask::marginal_map;
    request.method = method;
    request.over = {1};
    const InferResult found = infer(graph, {}, request);
    EXPECT_EQ(found.kind, ResultKind::exact) << method;
    EXPECT_NEAR(*found.log_score, best, 1e-9) << method;
    EXPECT_EQ(found.assignment[1], 1) << method;
    const double others = std::exp(0.) + std::exp(1.), own = std::exp(2.) + std::exp(0.5);
    if (found.probability) {
      EXPECT_NEAR(*found.probability, own / (own + others), 1e-9) << method;
    }
  }
}

}  // namespace
}  // namespace croft::impossible_graphs_test
