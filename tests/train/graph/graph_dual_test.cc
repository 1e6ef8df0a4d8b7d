#include "train/graph/graph_dual.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "objective/graph/graph_objective.h"
#include "optimize/dual/dual_methods.h"
#include "train/graph/graph_methods.h"

namespace croft::graph_dual_test {
namespace {

// Pictures of 3 x 3 in which neighbours are alike more often than not (or less often), and a
// number that hints at the label.
struct Pictures {
  CliqueSchema schema;
  std::unique_ptr<CliqueData> data;
  std::vector<GraphInstance> instances;
  GraphLayout layout;
};

Pictures pictures(std::size_t count, std::uint64_t seed, bool alike = true,
                  InteractionKind kind = InteractionKind::same, std::uint32_t labels = 2) {
  constexpr std::uint32_t kSide = 3;
  Random random(seed);
  Pictures p;
  p.schema.domains = {{"pixel", {"a", "b", "c"}}};
  p.schema.domains[0].labels.resize(labels);
  p.schema.templates = {{"own", {0}, Interaction(InteractionKind::table, {labels})},
                        {"pair", {0, 0}, Interaction(kind, {labels, labels})}};
  p.data = std::make_unique<CliqueData>(p.schema);
  for (std::size_t n = 0; n < count; ++n) {
    std::vector<std::uint32_t> v;
    const auto ground = static_cast<State>(random.below(labels));
    for (std::uint32_t k = 0; k < kSide * kSide; ++k) {
      State y = alike ? ground : static_cast<State>((k % kSide + k / kSide) % labels);
      if (random.uniform() < 0.1) y = static_cast<State>(random.below(labels));
      v.push_back(p.data->add_variable(0, "picture " + std::to_string(n), y));
      p.data->add_clique(0, {v[k]}, {{0, 1.0}, {1, static_cast<double>(y) + random.normal()}});
    }
    for (std::uint32_t k = 0; k < kSide * kSide; ++k) {
      if (k % kSide + 1 < kSide) p.data->add_clique(1, {v[k], v[k + 1]}, {{0, 1.0}});
      if (k + kSide < kSide * kSide) {
        p.data->add_clique(1, {v[k], v[k + kSide]}, {{0, 1.0}, {1, random.uniform()}});
      }
    }
  }
  p.instances = p.data->unroll();
  const std::vector<std::size_t> features{2, 2};
  p.layout = make_graph_layout(p.schema, p.data->rows(), p.instances, features, {});
  return p;
}

GraphProblem max_margin(Pictures& p, ThreadPool& pool, Method method, std::size_t iterations,
                        std::optional<std::string> search = {}) {
  GraphProblem problem{.schema = p.schema,
                       .rows = p.data->rows(),
                       .layout = p.layout,
                       .instances = p.instances,
                       .pool = pool,
                       .objective = Objective::max_margin,
                       .method = method,
                       .regulariser = {.l2 = 1}};
  problem.inference.search = std::move(search);
  problem.stop.max_iterations = iterations;
  return problem;
}

double objective(Pictures& p, std::span<const double> w) {
  ThreadPool pool(1);
  GraphFunction f(p.schema, p.data->rows(), p.layout, p.instances, pool,
                  graph_hinge(1, exact_best()));
  std::vector<double> gradient(w.size());
  double square = 0;
  for (const double each : w) square += each * each;
  return f.evaluate(w, gradient) + 0.5 * square;
}

TEST(GraphDual, HasNoGapAtTheMinimumOfThePrimal) {
  Pictures p = pictures(30, 1);
  GraphDual dual(p.schema, p.data->rows(), p.layout, p.instances, exact_best(), {});
  FrankWolfeOptions options;
  options.stop.gap_tolerance = 1e-3;
  options.stop.max_iterations = 2000;
  double last = 0;
  const OptimizeResult result = frank_wolfe(dual, options, [&](const Iteration& now) {
    EXPECT_TRUE(now.gap.has_value());
    EXPECT_GE(*now.gap, 0);
    last = *now.gap;
    return true;
  });
  EXPECT_EQ(result.reason, StopReason::converged_gap);
  EXPECT_LE(last, 1e-3);
  // What is reported is the primal, and no point is better than the gap says.
  EXPECT_NEAR(result.objective, objective(p, dual.weights()), 1e-9 * result.objective);
  Random random(1);
  for (int k = 0; k < 200; ++k) {
    std::vector<double> near(dual.weights().begin(), dual.weights().end());
    for (double& each : near) each += 0.02 * random.normal();
    EXPECT_GE(objective(p, near), result.objective * (1 - 1e-3) - 1e-9);
  }
}

TEST(GraphDual, ReachesWhatSubgradientsReach) {
  Pictures p = pictures(30, 2);
  ThreadPool pool(1);
  std::vector<double> dual(p.layout.dimension(), 0.0), primal = dual;
  train_graph(max_margin(p, pool, Method::frank_wolfe, 1000), dual, {});
  train_graph(max_margin(p, pool, Method::averaged_sgd, 300), primal, {});
  EXPECT_LE(objective(p, dual), objective(p, primal) * (1 + 1e-4));
  EXPECT_NEAR(objective(p, dual), objective(p, primal), 0.01 * objective(p, dual));
}

TEST(CuttingPlanesOfGraphs, EndAtTheMinimumWithTheGapToProveIt) {
  Pictures p = pictures(30, 2);
  ThreadPool one(1), three(3);
  std::vector<double> planes(p.layout.dimension(), 0.0), again = planes, steps = planes;
  GraphProblem problem = max_margin(p, one, Method::cutting_planes, 1000);
  problem.settings.gap = 1e-7;
  const OptimizeResult result = train_graph(problem, planes, {});
  EXPECT_EQ(result.reason, StopReason::converged_gap) << result.message;
  EXPECT_LE(result.gap.value(), 1e-7);
  EXPECT_NEAR(result.objective, objective(p, planes), 1e-9 * result.objective);
  train_graph(max_margin(p, one, Method::averaged_sgd, 300), steps, {});
  EXPECT_LE(objective(p, planes), objective(p, steps));
  Random random(1);
  for (int k = 0; k < 200; ++k) {
    std::vector<double> near = planes;
    for (double& each : near) each += 0.02 * random.normal();
    EXPECT_GE(objective(p, near), result.objective * (1 - 1e-6));
  }
  Pictures same = pictures(30, 2);
  GraphProblem threaded = max_margin(same, three, Method::cutting_planes, 1000);
  threaded.settings.gap = 1e-7;
  train_graph(threaded, again, {});
  EXPECT_EQ(again, planes);
}

TEST(CuttingPlanesOfGraphs, ByCutsKeepWeightsThatAllowThem) {
  Pictures p = pictures(20, 5, false);
  ThreadPool pool(1);
  std::vector<double> w(p.layout.dimension(), 0.0);
  const OptimizeResult result =
      train_graph(max_margin(p, pool, Method::cutting_planes, 1000, "graph-cut"), w, {});
  EXPECT_TRUE(result.converged()) << result.message;
  for (std::size_t k = p.layout.templates[1].begin.front(); k < w.size(); ++k) {
    EXPECT_EQ(w[k], 0);
  }
}

TEST(GraphDual, RefusesHiddenVariablesAndNoPenalty) {
  Pictures p = pictures(3, 3);
  EXPECT_THROW(GraphDual(p.schema, p.data->rows(), p.layout, p.instances, exact_best(), {.l2 = 0}),
               UsageError);
  p.instances[0].known[0] = kUnobserved;
  EXPECT_THROW(GraphDual(p.schema, p.data->rows(), p.layout, p.instances, exact_best(), {}),
               UsageError);
  ThreadPool pool(1);
  std::vector<double> w(p.layout.dimension(), 0.0);
  EXPECT_THROW(train_graph(max_margin(p, pool, Method::frank_wolfe, 3), w, {}), UsageError);
  EXPECT_THROW(train_graph(max_margin(p, pool, Method::cutting_planes, 3), w, {}), UsageError);
}

TEST(AssociativeTraining, ByCutsIsWhatExactInferenceLearns) {
  for (const InteractionKind kind : {InteractionKind::same, InteractionKind::same_label}) {
    Pictures p = pictures(30, 4, true, kind);
    ThreadPool pool(1);
    std::vector<double> exact(p.layout.dimension(), 0.0), cut = exact;
    train_graph(max_margin(p, pool, Method::averaged_sgd, 200, "junction-tree"), exact, {});
    train_graph(max_margin(p, pool, Method::averaged_sgd, 200, "graph-cut"), cut, {});
    // Labels are alike by themselves, the constraint holds at the minimum.
    EXPECT_NEAR(objective(p, cut), objective(p, exact), 0.01 * objective(p, exact));
    for (std::size_t k = p.layout.templates[1].begin.front(); k < cut.size(); ++k) {
      EXPECT_GE(cut[k], 0);
    }
  }
}

TEST(AssociativeTraining, KeepsCutsPossibleWhereNeighboursDiffer) {
  Pictures p = pictures(20, 5, false);
  ThreadPool pool(1);
  std::vector<double> w(p.layout.dimension(), 0.0);
  train_graph(max_margin(p, pool, Method::sgd, 20, "graph-cut"), w, {});
  for (std::size_t k = p.layout.templates[1].begin.front(); k < w.size(); ++k) {
    EXPECT_EQ(w[k], 0);
  }
}

TEST(AssociativeTraining, OfThreeLabelsGoesByExpansion) {
  Pictures p = pictures(20, 6, true, InteractionKind::same_label, 3);
  ThreadPool pool(1);
  std::vector<double> exact(p.layout.dimension(), 0.0), moved = exact;
  train_graph(max_margin(p, pool, Method::averaged_sgd, 200, "junction-tree"), exact, {});
  train_graph(max_margin(p, pool, Method::averaged_sgd, 200, "alpha-expansion"), moved, {});
  EXPECT_NEAR(objective(p, moved), objective(p, exact), 0.02 * objective(p, exact));
}

TEST(AssociativeTraining, NamesTheTemplateThatCutsCannotTake) {
  ThreadPool pool(1);
  const auto message = [&](Pictures p, Method method) {
    std::vector<double> w(p.layout.dimension(), 0.0);
    try {
      train_graph(max_margin(p, pool, method, 1, "graph-cut"), w, {});
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message(pictures(2, 7, true, InteractionKind::table), Method::sgd).find("'pair'"),
            std::string::npos);
  EXPECT_NE(message(pictures(2, 7), Method::frank_wolfe).find("averaged-sgd"), std::string::npos);
  EXPECT_EQ(message(pictures(2, 7), Method::sgd), "");
}

}  // namespace
}  // namespace croft::graph_dual_test
