#include "train/kinds/graph_training.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "croft/inference/graph_brute_force.h"
#include "optimize/memory_checkpoint.h"

namespace croft::graph_training_test {
namespace {

// A sequence's labels copy the one before most of the time, and show as the word.
struct Sequences {
  CliqueSchema schema;
  std::unique_ptr<CliqueData> data;
  std::vector<StringTable> features;
};

Sequences make_sequences(std::size_t count, std::uint64_t seed, double hidden = 0) {
  Random random(seed);
  Sequences s;
  s.schema.domains = {{"tag", {"A", "B"}}};
  s.schema.templates = {{"word", {0}, Interaction(InteractionKind::table, {2})},
                        {"next", {0, 0}, Interaction(InteractionKind::table, {2, 2})}};
  s.features.resize(2);
  s.data = std::make_unique<CliqueData>(s.schema);
  for (std::size_t n = 0; n < count; ++n) {
    State tag = static_cast<State>(random.below(2));
    std::uint32_t before = 0;
    for (std::size_t t = 0; t < 6; ++t) {
      if (t > 0 && random.uniform() < 0.2) tag = 1 - tag;
      const bool slip = random.uniform() < 0.3;
      const State known = random.uniform() < hidden ? kUnobserved : tag;
      const auto v = s.data->add_variable(0, "s" + std::to_string(n), known);
      const auto word = s.features[0].insert((tag == 1) != slip ? "b" : "a");
      s.data->add_clique(0, {v}, {{word, 1.0}});
      const auto bias = s.features[1].insert("bias");
      if (t > 0) s.data->add_clique(1, {before, v}, {{bias, 1.0}});
      before = v;
    }
  }
  return s;
}

GraphTrainResult train(Sequences& s, const GraphTrainOptions& options,
                       std::vector<double>& weights) {
  GraphTraining training(*s.data, s.features);
  const GraphTrainResult result = training.run(options, {});
  weights.assign(training.weights().begin(), training.weights().end());
  return result;
}

TEST(GraphTraining, FindsTheMaximumWhereExpectationsAndCountsAgree) {
  Sequences s = make_sequences(40, 1);
  GraphTraining training(*s.data, s.features);
  GraphTrainOptions options;
  options.regulariser.l2 = 0.5;
  options.stop.tolerance = 0;
  options.stop.gradient_tolerance = 1e-8;
  const GraphTrainResult result = training.run(options, {});
  EXPECT_TRUE(result.optimization.converged());
  // (GC.2) by enumeration: counts - expectations = l2 w.
  std::vector<double> difference(result.dimension, 0);
  for (const GraphInstance& instance : training.instances()) {
    const GraphBruteForce p = brute_force(instance.graph);
    for (Factor f = 0; f < instance.graph.factors(); ++f) {
      const std::uint32_t row = instance.row[instance.graph.potential_of(f)];
      const std::uint32_t t = s.data->rows().template_of(row);
      const std::uint64_t first =
          training.layout().templates[t].begin[s.data->rows().features(row)[0].id];
      std::size_t known = 0;
      for (const Variable v : instance.graph.scope(f)) known = known * 2 + instance.known[v];
      difference[first + known] += 1;
      for (std::size_t k = 0; k < p.factor[f].size(); ++k) difference[first + k] -= p.factor[f][k];
    }
  }
  for (std::size_t k = 0; k < difference.size(); ++k) {
    EXPECT_NEAR(difference[k], 0.5 * training.weights()[k], 1e-5);
  }
}

TEST(GraphTraining, ReachesTheSameOptimumByEveryMethodOfAnObjective) {
  for (const ObjectiveInfo& objective : objective_table(Structure::graph)) {
    if (objective.objective == Objective::perceptron ||
        objective.objective == Objective::max_margin ||
        objective.objective == Objective::passive_aggressive ||
        objective.objective == Objective::mean_field ||  // not convex
        is_direction(objective.objective)) {
      continue;
    }
    double least = 1e300;
    for (const Method method : methods_of(objective.objective, Structure::graph)) {
      Sequences s = make_sequences(20, 2);
      GraphTrainOptions options;
      options.objective = objective.objective;
      options.method = method;
      options.stop.max_iterations = 200;
      std::vector<double> w;
      const double found = train(s, options, w).optimization.objective;
      least = std::min(least, found);
      EXPECT_NEAR(found, least, 1e-3 * least) << objective.name << " by " << info(method).name;
    }
  }
}

TEST(GraphTraining, AveragesFromTheSecondPassOnLikeAllOthers) {
  std::vector<double> unset, first, second;
  for (const std::size_t from : {0, 1, 2}) {
    Sequences s = make_sequences(20, 2);
    GraphTrainOptions options;
    options.method = Method::averaged_sgd;
    options.stop.max_iterations = 4;
    if (from > 0) options.settings.average_from = from;
    train(s, options, from == 0 ? unset : from == 1 ? first : second);
  }
  EXPECT_EQ(unset, second);
  EXPECT_NE(unset, first);
}

// Everything that decides the optimum, to the last digits.
GraphTrainOptions precise(Method method) {
  GraphTrainOptions options;
  options.method = method;
  options.stop.tolerance = 0;
  options.stop.gradient_tolerance = 1e-9;
  return options;
}

TEST(GraphTraining, EndsWherePlainLbfgsDoesAfterPassesOfSgd) {
  Sequences a = make_sequences(150, 11), b = make_sequences(150, 11);
  std::vector<double> plain, passes;
  train(a, precise(Method::lbfgs), plain);
  const GraphTrainResult result = train(b, precise(Method::sgd_lbfgs), passes);
  EXPECT_TRUE(result.optimization.converged());
  for (std::size_t k = 0; k < plain.size(); ++k) EXPECT_NEAR(plain[k], passes[k], 1e-7);
}

TEST(GraphTraining, TakesPassesOfSgdWhereInstancesAreMany) {
  const GraphTrainOptions options;
  EXPECT_EQ(options.chosen_method(100, false), Method::sgd_lbfgs);
  EXPECT_EQ(options.chosen_method(99, false), Method::lbfgs);
  EXPECT_EQ(options.chosen_method(100, true), Method::lbfgs);
  GraphTrainOptions sparse;
  sparse.regulariser.l1 = 1;
  EXPECT_EQ(sparse.chosen_method(100, false), Method::owlqn);
}

TEST(GraphTraining, GivesTheSameBitsForAnyNumberOfThreadsAfterPassesOfSgd) {
  std::vector<double> one, two;
  for (const std::size_t threads : {1, 2}) {
    Sequences s = make_sequences(120, 12);
    GraphTrainOptions options;
    options.threads = threads;
    train(s, options, threads == 1 ? one : two);
  }
  EXPECT_EQ(one, two);
}

// Weights of a problem of many sequences, resumed after each iteration.
std::size_t expect_resumable(const GraphTrainOptions& options, const WeightPrior& prior) {
  Sequences s = make_sequences(110, 21);
  std::vector<GraphInstance> instances = s.data->unroll();
  const GraphLayout layout =
      make_graph_layout(s.data->schema(), s.data->rows(), instances,
                        std::vector<std::size_t>{s.features[0].size(), s.features[1].size()}, {});
  ThreadPool pool(1);
  const GraphProblem problem{.schema = s.data->schema(),
                             .rows = s.data->rows(),
                             .layout = layout,
                             .instances = instances,
                             .pool = pool,
                             .objective = options.objective,
                             .method = *options.method,
                             .settings = options.settings,
                             .regulariser = options.regulariser,
                             .stop = options.stop,
                             .seed = options.seed,
                             .prior = &prior};
  return expect_resumed_runs_to_agree(
      std::vector<double>(layout.dimension(), 0.25),  // as a resumed run
      [&](std::vector<double>& w, Checkpointer* checkpoints) {
        return train_graph(problem, w, {}, checkpoints);
      });
}

TEST(GraphTraining, ResumesToTheSameBits) {
  for (const Method method : {Method::sgd_lbfgs, Method::lbfgs, Method::averaged_sgd}) {
    for (const bool with_prior : {false, true}) {
      GraphTrainOptions options = precise(method);
      options.stop.max_iterations = 12;
      if (method == Method::sgd_lbfgs) options.settings.passes = 3;
      WeightPrior prior;
      if (with_prior) {
        prior.mean.assign(8, 0.5);
        prior.scale = {1, 2, 1, 0.5, 3, 1, 1, 0.25};
      }
      EXPECT_GE(expect_resumable(options, prior), 8u) << info(method).name << with_prior;
    }
  }
}

std::shared_ptr<const GraphModel> model_of(Sequences& s, const GraphTrainOptions& options) {
  GraphTraining training(*s.data, s.features);
  training.run(options, {});
  return std::make_shared<const GraphModel>(
      Container::from_bytes(training.model(Json::object(), Json::object()).bytes(), "the model"));
}

TEST(GraphTraining, GoesOnFromTheWeightsOfAModel) {
  Sequences a = make_sequences(40, 13), b = make_sequences(40, 13);
  GraphTrainOptions options = precise(Method::lbfgs);
  const auto init = model_of(a, options);
  options.init = init;
  GraphTraining training(*b.data, b.features);
  double first = 0;
  const GraphTrainResult result = training.run(options, [&](const TrainProgress& now) {
    if (now.iteration.number == 0) first = now.iteration.objective;
    return true;
  });
  EXPECT_NEAR(first, result.optimization.objective, 1e-6 * first);  // weights are floats there
}

// (l2/2) |w - mean|^2: where l2 is overwhelming, the mean; and its gradient is 0 at the end.
TEST(GraphTraining, KeepsNearToThePriorsMean) {
  Sequences a = make_sequences(40, 14), b = make_sequences(40, 15);
  const auto mean = model_of(a, precise(Method::lbfgs));
  GraphTrainOptions options = precise(Method::lbfgs);
  options.init = mean;
  options.prior = true;
  options.regulariser.l2 = 1e7;
  GraphTraining training(*b.data, b.features);
  training.run(options, {});
  const std::span<const double> w = training.weights();
  const std::vector<double> from = weights_of(*mean, b.schema, training.layout(), b.features);
  double norm = 0;
  for (std::size_t k = 0; k < w.size(); ++k) {
    EXPECT_NEAR(w[k], from[k], 1e-4);
    norm += from[k] * from[k];
  }
  EXPECT_GT(norm, 0.1);
}

TEST(GraphTraining, ReachesTheSameOptimumByEveryWayWithPriorAndVariances) {
  Sequences first = make_sequences(40, 16);
  const auto mean = model_of(first, precise(Method::lbfgs));
  std::vector<double> plain, passes;
  for (const Method method : {Method::lbfgs, Method::sgd_lbfgs}) {
    Sequences s = make_sequences(40, 17);
    GraphTrainOptions options = precise(method);
    options.init = mean;
    options.prior = true;
    options.variances = [](std::span<const std::string_view> names) {
      std::vector<double> variance;
      for (const std::string_view name : names) variance.push_back(name == "word:a" ? 4 : 0.5);
      return variance;
    };
    train(s, options, method == Method::lbfgs ? plain : passes);
  }
  for (std::size_t k = 0; k < plain.size(); ++k) EXPECT_NEAR(plain[k], passes[k], 1e-6);
}

TEST(GraphTraining, RefusesAPriorThatNothingLooksAt) {
  Sequences a = make_sequences(10, 18), b = make_sequences(10, 18);
  GraphTrainOptions options;
  options.init = model_of(a, options);
  options.prior = true;
  options.regulariser.l2 = 0;
  std::vector<double> w;
  EXPECT_THROW(train(b, options, w), UsageError);
}

TEST(GraphTraining, CountsRunsThatDidNotConverge) {
  CliqueSchema schema;
  schema.domains = {{"tag", {"A", "B"}}};
  schema.templates = {{"pair", {0, 0}, Interaction(InteractionKind::table, {2, 2})}};
  CliqueData data(schema);
  std::vector<StringTable> features(1);
  const std::uint32_t bias = features[0].insert("bias");
  for (State known : {0, 1, 0}) data.add_variable(0, "ring", known);
  for (std::uint32_t v = 0; v < 3; ++v) data.add_clique(0, {v, (v + 1) % 3}, {{bias, 1.0}});
  GraphTraining training(data, features);
  GraphTrainOptions options;
  options.objective = Objective::bethe;
  options.inference.max_iterations = 1;
  const GraphTrainResult result = training.run(options, {});
  EXPECT_GT(result.findings.not_converged, 0u);
  EXPECT_LE(result.findings.not_converged, result.findings.inferences);
  EXPECT_NE(result.optimization.message.find("inference did not converge"), std::string::npos);
}

TEST(GraphTraining, IsExactByBetheOnChains) {
  Sequences a = make_sequences(40, 3), b = make_sequences(40, 3);
  GraphTrainOptions options;
  std::vector<double> exact, bethe;
  train(a, options, exact);
  options.objective = Objective::bethe;
  train(b, options, bethe);
  for (std::size_t k = 0; k < exact.size(); ++k) EXPECT_NEAR(exact[k], bethe[k], 1e-5);
}

TEST(GraphTraining, GetsHiddenLabelsRightFromTheRest) {
  Sequences s = make_sequences(200, 4, 0.3);
  GraphTrainOptions options;
  options.starts = 2;
  std::vector<double> w;
  const GraphTrainResult result = train(s, options, w);
  EXPECT_EQ(result.objectives.size(), 2u);
  EXPECT_LE(result.optimization.objective, result.objectives[0]);
  EXPECT_GT(w[4] - w[5], 0.5);  // A after A rather than B after A
}

TEST(GraphTraining, LearnsByPerceptronsWhatLikelihoodLearns) {
  for (const Objective kind : {Objective::perceptron, Objective::passive_aggressive}) {
    Sequences s = make_sequences(200, 5);
    GraphTrainOptions options;
    options.objective = kind;
    options.regulariser.l2 = 0;
    options.stop.max_iterations = 30;
    std::vector<double> w;
    train(s, options, w);
    EXPECT_GT(w[4] - w[5], 0) << static_cast<int>(kind);
  }
}

// Here words alone decide at the minimum: transitions have weights of 0, which SGD only comes near.
TEST(GraphTraining, FindsTheMinimumOfMarginsThatOtherMethodsComeNear) {
  const auto trained = [](std::optional<Method> method, std::vector<double>& w) {
    Sequences s = make_sequences(200, 5);
    GraphTrainOptions options;
    options.objective = Objective::max_margin;
    options.method = method;
    options.stop.max_iterations = method == Method::frank_wolfe ? 2000 : 100;
    return train(s, options, w).optimization;
  };
  std::vector<double> w, near;
  const OptimizeResult found = trained({}, w);
  EXPECT_TRUE(found.converged());
  for (const Method method : {Method::averaged_sgd, Method::frank_wolfe}) {
    const double other = trained(method, near).objective;
    EXPECT_LT(found.objective, other * (1 + 1e-9));
    EXPECT_GT(found.objective, other * (1 - 0.01));
  }
  EXPECT_NEAR(w[0] - w[1], 1, 1e-6);  // the margin
  EXPECT_NEAR(w[4] - w[5], 0, 1e-6);
}

TEST(GraphTraining, SaysWhatGoesWithAnObjective) {
  Sequences s = make_sequences(3, 6);
  GraphTraining training(*s.data, s.features);
  const auto message = [&](auto change) {
    GraphTrainOptions options;
    change(options);
    try {
      training.run(options, {});
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message([](auto& o) { o.method = Method::sdca; }).find("lbfgs"), std::string::npos);
  EXPECT_NE(message([](auto& o) { o.inference.cost = 2; }).find("--cost"), std::string::npos);
  EXPECT_NE(message([](auto& o) {
              o.objective = Objective::max_margin;
              o.inference.search = "magic";
            }).find("graph-cut"),
            std::string::npos);
  EXPECT_NE(message([](auto& o) { o.starts = 3; }).find("--starts"), std::string::npos);
  EXPECT_NE(message([](auto& o) {
              o.method = Method::lbfgs;
              o.regulariser.l1 = 1;
            }).find("--l1"),
            std::string::npos);
}

TEST(GraphTraining, DoesNotChooseAmongStartsThatHaveNoValue) {
  Sequences s = make_sequences(5, 9, 0.3);
  GraphTraining training(*s.data, s.features);
  GraphTrainOptions options;
  options.objective = Objective::contrastive_divergence;
  options.starts = 2;
  EXPECT_THROW(training.run(options, {}), UsageError);
  options.starts = 1;
  options.stop.max_iterations = 2;
  EXPECT_NO_THROW(training.run(options, {}));
}

TEST(GraphTraining, WritesAModelThatScoresAsItsWeightsDo) {
  Sequences s = make_sequences(30, 7);
  GraphTraining training(*s.data, s.features);
  training.run({}, {});
  const GraphModel model(
      Container::from_bytes(training.model({{"spec", "x"}}, Json::object()).bytes(), "test"));
  EXPECT_EQ(model.source().at("spec"), "x");
  EXPECT_EQ(model.schema().domains[0].labels, s.schema.domains[0].labels);
  ASSERT_NE(model.find(0, "a"), kUnknown);
  EXPECT_EQ(model.find(0, "zebra"), kUnknown);
  // New data, with the model's numbers of features.
  CliqueData fresh(model.schema());
  const auto u = fresh.add_variable(0, "g"), v = fresh.add_variable(0, "g");
  fresh.add_clique(0, {u}, {{model.find(0, "a"), 1.0}});
  fresh.add_clique(1, {u, v}, {{model.find(1, "bias"), 1.0}});
  auto instances = fresh.unroll();
  std::vector<double> scratch;
  model.score(fresh.rows(), instances[0], scratch);
  const GraphLayout& layout = training.layout();
  const auto w = [&](std::size_t t, std::string_view name, std::size_t cell) {
    return training.weights()[layout.templates[t].begin[s.features[t].find(name)] + cell];
  };
  for (State i = 0; i < 2; ++i) {
    for (State j = 0; j < 2; ++j) {
      const std::vector<State> x{i, j};
      EXPECT_NEAR(instances[0].graph.score(x), w(0, "a", i) + w(1, "bias", 2 * i + j), 1e-6);
    }
  }
}

TEST(GraphModel, RefusesDamagedFilesAndOtherKinds) {
  Sequences s = make_sequences(3, 8);
  GraphTraining training(*s.data, s.features);
  training.run({}, {});
  ContainerWriter other;
  other.add("meta", R"({"kind": "chain"})");
  EXPECT_THROW(GraphModel(Container::from_bytes(other.bytes(), "test")), Error);
  ContainerWriter empty;
  empty.add("meta", R"({"kind": "graph"})");
  EXPECT_THROW(GraphModel(Container::from_bytes(empty.bytes(), "test")), Error);
}

}  // namespace
}  // namespace croft::graph_training_test
