#include "train/graph/graph_em.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "objective/graph/graph_objective.h"
#include "optimize/memory_checkpoint.h"
#include "support/random_graph.h"
#include "train/kinds/graph_training.h"

namespace croft::graph_em_test {
namespace {

using testing_graphs::random_graph;
using testing_graphs::Shape;

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(ExpectedLikelihood, TouchesTheMarginalLikelihoodFromAbove) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const Shape shapes[] = {Shape::tree, Shape::grid, Shape::complete, Shape::higher_order};
    FactorGraph graph = random_graph({.shape = shapes[seed % 4], .variables = 5}, random);
    std::vector<State> known;
    for (Variable v = 0; v < graph.variables(); ++v) {
      known.push_back(random.below(2) == 0 ? kUnobserved
                                           : static_cast<State>(random.below(graph.states(v))));
    }
    bool expect = true;
    GraphLikelihood marginal(graph, known, exact_sums());
    ExpectedLikelihood bound(graph, known, expect, exact_sums());
    std::vector<double> a(graph.numbers().size(), 0), b(a);
    EXPECT_NEAR(bound.evaluate(b), marginal.evaluate(a), 1e-9);
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-9);
    expect = false;
    for (int step = 0; step < 5; ++step) {
      for (double& each : graph.numbers()) each += 0.5 * random.normal();
      EXPECT_GE(bound.evaluate(b), marginal.evaluate(a) - 1e-9) << "seed " << seed;
    }
  }
}

TEST(ExpectedLikelihood, HasTheDerivativeThatDifferencesHave) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    FactorGraph graph = random_graph({.shape = Shape::grid, .variables = 4}, random);
    const std::vector<State> known{0, kUnobserved, kUnobserved, 1};
    bool expect = true;
    ExpectedLikelihood bound(graph, known, expect, exact_sums());
    std::vector<double> ignored(graph.numbers().size(), 0);
    bound.evaluate(ignored);
    expect = false;
    for (double& each : graph.numbers()) each += 0.3 * random.normal();
    std::vector<double> gradient(ignored.size(), 0);
    bound.evaluate(gradient);
    for (std::size_t k = 0; k < gradient.size(); ++k) {
      constexpr double kStep = 1e-5;
      const double kept = graph.numbers()[k];
      graph.numbers()[k] = kept + kStep;
      const double above = bound.evaluate(ignored);
      graph.numbers()[k] = kept - kStep;
      const double below = bound.evaluate(ignored);
      graph.numbers()[k] = kept;
      EXPECT_NEAR(gradient[k], (above - below) / (2 * kStep), 1e-7);
    }
  }
}

TEST(ExpectedLikelihood, IsInfiniteWhereWhatIsKnownIsForbidden) {
  FactorGraph graph;
  graph.add_variable(2);
  graph.add_variable(2);
  graph.add_factor({0}, graph.add_table(std::vector{0.0, -kInf}));
  bool expect = true;
  for (const std::vector<State>& known :
       {std::vector<State>{1, kUnobserved}, std::vector<State>{1, 0}}) {
    ExpectedLikelihood bound(graph, known, expect, exact_sums());
    std::vector<double> gradient(2, 0);
    EXPECT_EQ(bound.evaluate(gradient), kInf);
  }
}

// Sequences of words from labels that each have two hidden kinds, of which nobody knows.
struct Data {
  CliqueSchema schema;
  std::unique_ptr<CliqueData> data;
  std::vector<StringTable> features;
};

//   told : share of kinds that are known after all
Data make_data(std::size_t sequences, std::uint64_t seed, double told = 0) {
  Random random(seed);
  Data d;
  d.schema.domains = {{"label", {"A", "B"}}, {"kind", {"1", "2", "3"}}};
  d.schema.templates = {{"word", {1}, Interaction(InteractionKind::table, {3})},
                        {"label", {0, 1}, Interaction(InteractionKind::table, {2, 3})},
                        {"next", {1, 1}, Interaction(InteractionKind::table, {3, 3})}};
  d.features.resize(3);
  d.data = std::make_unique<CliqueData>(d.schema);
  for (std::size_t n = 0; n < sequences; ++n) {
    const State label = static_cast<State>(random.below(2));
    const std::string group = std::to_string(n);
    const auto whole = d.data->add_variable(0, group, label);
    std::uint32_t before = 0;
    State kind = static_cast<State>(random.below(3));
    for (std::size_t t = 0; t < 5; ++t) {
      // A goes 1 2 3 1 …, B the other way round.
      if (random.uniform() < 0.8) kind = (kind + (label == 0 ? 1 : 2)) % 3;
      const std::string word = random.uniform() < 0.8 ? std::string(1, char('x' + kind)) : "?";
      const auto v = d.data->add_variable(1, group, random.uniform() < told ? kind : kUnobserved);
      d.data->add_clique(0, {v}, {{d.features[0].insert(word), 1.0}});
      d.data->add_clique(1, {whole, v}, {{d.features[1].insert("1"), 1.0}});
      if (t > 0) d.data->add_clique(2, {before, v}, {{d.features[2].insert("1"), 1.0}});
      before = v;
    }
  }
  return d;
}

GraphTrainOptions exact_options() {
  GraphTrainOptions options;
  options.regulariser.l2 = 0.5;
  options.stop.tolerance = 0;
  options.stop.gradient_tolerance = 1e-5;
  options.stop.max_iterations = 400;
  return options;
}

TEST(GraphEm, NeverRaisesTheMarginalLikelihoodLoss) {
  for (const double l1 : {0.0, 0.7}) {
    Data d = make_data(30, 1);
    GraphTraining training(*d.data, d.features);
    GraphTrainOptions options = exact_options();
    options.em.emplace();
    options.regulariser.l1 = l1;
    options.stop.max_iterations = 60;
    double before = kInf;
    std::size_t steps = 0;
    training.run(options, [&](const TrainProgress& now) {
      EXPECT_LE(now.iteration.objective, before);
      before = now.iteration.objective;
      ++steps;
      return true;
    });
    EXPECT_GT(steps, 10u);
  }
}

TEST(GraphEm, EndsWhereTheDirectGradientEnds) {
  // Where most of the kinds are known there is one optimum, and EM, whose rate is the share that is
  // missing, ends soon.
  for (const std::uint64_t seed : {1, 2}) {
    Data d = make_data(20, seed, 0.6);
    GraphTraining training(*d.data, d.features);
    GraphTrainOptions options = exact_options();
    options.regulariser.l2 = 1;
    options.stop.gradient_tolerance = 1e-5;
    options.seed = seed;
    options.em.emplace(GraphEmOptions{.m_iterations = 10});
    const GraphTrainResult em = training.run(options, {});
    EXPECT_TRUE(em.optimization.converged()) << em.optimization.message;
    // EM's optimum is stationary for the marginal likelihood,
    ThreadPool pool(1);
    GraphFunction f(d.schema, d.data->rows(), training.layout(), training.instances(), pool,
                    graph_likelihood(exact_sums()));
    std::vector<double> w(training.weights().begin(), training.weights().end());
    std::vector<double> gradient(w.size());
    f.evaluate(w, gradient);
    for (std::size_t k = 0; k < w.size(); ++k) EXPECT_NEAR(gradient[k] + w[k], 0, 2e-4);
    // and the value that the direct gradient reaches, from one of a few starts.
    options.em.reset();
    options.starts = 3;
    double nearest = kInf;
    for (const double each : training.run(options, {}).objectives) {
      nearest = std::min(nearest, std::abs(each - em.optimization.objective));
    }
    EXPECT_LT(nearest, 1e-6 * em.optimization.objective) << "seed " << seed;
  }
}

TEST(GraphEm, IsTheSameForAnyNumberOfThreads) {
  std::vector<std::vector<double>> weights;
  for (const std::size_t threads : {1, 3}) {
    Data d = make_data(20, 5);
    GraphTraining training(*d.data, d.features);
    GraphTrainOptions options;
    options.em.emplace();
    options.stop.max_iterations = 8;
    options.threads = threads;
    training.run(options, {});
    weights.emplace_back(training.weights().begin(), training.weights().end());
  }
  EXPECT_EQ(weights[0], weights[1]);
}

TEST(GraphEm, ResumesToTheSameBits) {
  for (const double l1 : {0.0, 0.7}) {
    Data d = make_data(20, 5, 0.3);
    std::vector<GraphInstance> instances = d.data->unroll();
    std::vector<std::size_t> features;
    for (const StringTable& each : d.features) features.push_back(each.size());
    const GraphLayout layout =
        make_graph_layout(d.data->schema(), d.data->rows(), instances, features, {});
    ThreadPool pool(1);
    StoppingRule stop = exact_options().stop;
    stop.max_iterations = 10;
    const GraphProblem problem{.schema = d.data->schema(),
                               .rows = d.data->rows(),
                               .layout = layout,
                               .instances = instances,
                               .pool = pool,
                               .method = l1 > 0 ? Method::owlqn : Method::lbfgs,
                               .regulariser = {.l1 = l1, .l2 = 0.5},
                               .stop = stop};
    std::vector<double> start(layout.dimension());
    Random random(6);
    for (double& each : start) each = 0.1 * random.normal();
    const std::size_t resumed =
        expect_resumed_runs_to_agree(start, [&](std::vector<double>& w, Checkpointer* checkpoints) {
          return train_graph_em(problem, {}, w, {}, checkpoints);
        });
    EXPECT_EQ(resumed, 9u);  // all but the last
  }
}

TEST(GraphEm, WorksWithApproximateSums) {
  for (const Objective kind : {Objective::bethe, Objective::mean_field}) {
    Data d = make_data(20, 6);
    GraphTraining training(*d.data, d.features);
    GraphTrainOptions options;
    options.objective = kind;
    options.em.emplace();
    options.stop.max_iterations = 5;
    double first = 0;
    const GraphTrainResult result = training.run(options, [&](const TrainProgress& now) {
      if (now.iteration.number == 0) first = now.iteration.objective;
      return true;
    });
    EXPECT_LT(result.optimization.objective, first);
  }
}

TEST(GraphEm, RefusesWhatItIsNotFor) {
  const auto message = [](auto change) {
    Data d = make_data(3, 7);
    GraphTraining training(*d.data, d.features);
    GraphTrainOptions options;
    options.em.emplace();
    change(options);
    try {
      training.run(options, {});
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message([](auto& o) { o.method = Method::sgd; }).find("lbfgs"), std::string::npos);
  EXPECT_NE(message([](auto& o) {
              o.objective = Objective::max_margin;
              o.method = Method::averaged_sgd;
            }).find("--em-iterations"),
            std::string::npos);
  EXPECT_NE(message([](auto& o) { o.em->m_iterations = 0; }).find("M step"), std::string::npos);
}

// The direct gradient is not convex: L-BFGS leaves out pairs along which it curves downwards, and
// starts anew where they mislead it.
TEST(HiddenVariables, AreNoObstacleToQuasiNewtonSteps) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Data d = make_data(20, 20 + seed);
    GraphTraining training(*d.data, d.features);
    GraphTrainOptions options = exact_options();
    options.seed = seed;
    options.regulariser.l2 = 0.1;
    options.start_deviation = 2;  // far from any optimum: through directions that curve downwards
    const GraphTrainResult result = training.run(options, {});
    EXPECT_TRUE(result.optimization.converged()) << result.optimization.message;
    EXPECT_LT(result.optimization.gradient_norm, 1e-4) << "seed " << seed;
  }
}

// At 0 all hidden states are alike, and no gradient parts them; small random weights do.
TEST(HiddenVariables, NeedAStartThatTellsThemApart) {
  Data d = make_data(40, 8);
  GraphTraining training(*d.data, d.features);
  GraphTrainOptions options = exact_options();
  options.start_deviation = 0;
  const double saddle = training.run(options, {}).optimization.objective;
  options.start_deviation = 0.1;
  options.starts = 3;
  const GraphTrainResult result = training.run(options, {});
  EXPECT_LT(result.optimization.objective, saddle - 1);
  EXPECT_EQ(*std::ranges::min_element(result.objectives), result.optimization.objective);
}

}  // namespace
}  // namespace croft::graph_em_test
