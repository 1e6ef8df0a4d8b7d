// Training by directions without a value, against the exact maximum of small models.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "croft/inference/junction_tree.h"
#include "objective/graph/graph_objective.h"
#include "train/graph/graph_methods.h"

namespace croft::graph_directions_test {
namespace {

struct Problem {
  CliqueSchema schema;
  std::unique_ptr<CliqueData> data;
  std::vector<std::size_t> features;
  std::vector<GraphInstance> instances;
  GraphLayout layout;

  void finish() {
    instances = data->unroll();
    layout = make_graph_layout(schema, data->rows(), instances, features, {});
  }
  OptimizeResult train(Objective objective, std::vector<double>& w, double l2, std::size_t passes,
                       const GraphInferenceSettings& inference = {}, std::size_t threads = 1,
                       const MethodSettings& settings = {}) {
    ThreadPool pool(threads);
    GraphProblem problem{.schema = schema,
                         .rows = data->rows(),
                         .layout = layout,
                         .instances = instances,
                         .pool = pool,
                         .objective = objective,
                         .inference = inference,
                         .method = info(objective, Structure::graph).by_default,
                         .settings = settings,
                         .regulariser = {.l2 = l2}};
    problem.stop.max_iterations = passes;
    if (!is_direction(objective)) problem.stop.tolerance = 1e-10;
    return train_graph(problem, w, {});
  }
  // F of the likelihood.
  double exact_objective(std::span<const double> w, double l2) {
    ThreadPool pool(1);
    GraphFunction f(schema, data->rows(), layout, instances, pool, graph_likelihood(exact_sums()));
    std::vector<double> gradient(w.size());
    double square = 0;
    for (const double each : w) square += each * each;
    return f.evaluate(w, gradient) + l2 / 2 * square;
  }
  std::vector<double> zeros() const { return std::vector<double>(layout.dimension(), 0.0); }
};

// Ising grids of 3 x 3 with an observed field, drawn from the model itself.
Problem grids(std::size_t count, std::uint64_t seed) {
  constexpr std::uint32_t kSide = 3;
  Random random(seed);
  Problem p;
  p.schema.domains = {{"spin", {"down", "up"}}};
  p.schema.templates = {{"field", {0}, Interaction(InteractionKind::table, {2})},
                        {"pair", {0, 0}, Interaction(InteractionKind::same, {2, 2})}};
  p.features = {1, 1};
  p.data = std::make_unique<CliqueData>(p.schema);
  for (std::size_t n = 0; n < count; ++n) {
    FactorGraph model;
    std::vector<double> field;
    for (std::uint32_t v = 0; v < kSide * kSide; ++v) {
      model.add_variable(2);
      field.push_back(random.normal());
      model.add_factor({v}, model.add_table(std::vector{0.0, field.back()}));
    }
    const PotentialId pair = model.add_potts(0.6, 0);
    const auto for_pairs = [&](const auto& visit) {
      for (std::uint32_t v = 0; v < kSide * kSide; ++v) {
        if (v % kSide + 1 < kSide) visit(v, v + 1);
        if (v + kSide < kSide * kSide) visit(v, v + kSide);
      }
    };
    for_pairs([&](Variable a, Variable b) { model.add_factor({a, b}, pair); });
    JunctionTree tree(model, find_elimination_order(model));
    const std::vector<State> x = tree.samples(1, random)[0];
    std::vector<std::uint32_t> number;
    for (std::uint32_t v = 0; v < x.size(); ++v) {
      number.push_back(p.data->add_variable(0, "g" + std::to_string(n), x[v]));
      p.data->add_clique(0, {number[v]}, {{0, field[v]}});
    }
    for_pairs([&](Variable a, Variable b) {
      p.data->add_clique(1, {number[a], number[b]}, {{0, 1.0}});
    });
  }
  p.finish();
  return p;
}

// Four visible variables that come in two patterns, more or less, and two hidden ones.
Problem boltzmann_machine(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  Problem p;
  p.schema.domains = {{"unit", {"off", "on"}}};
  p.schema.templates = {{"visible", {0}, Interaction(InteractionKind::listed, {2}, {1})},
                        {"hidden", {0}, Interaction(InteractionKind::listed, {2}, {1})},
                        {"weight", {0, 0}, Interaction(InteractionKind::listed, {2, 2}, {3})}};
  p.features = {4, 2, 8};
  p.data = std::make_unique<CliqueData>(p.schema);
  for (std::size_t n = 0; n < count; ++n) {
    const std::string group = "case " + std::to_string(n);
    const bool pattern = random.below(2) == 0;
    std::uint32_t visible[4], hidden[2];
    for (std::uint32_t v = 0; v < 4; ++v) {
      const bool on = (v < 2) == pattern;
      visible[v] =
          p.data->add_variable(0, group, on != (random.uniform() < 0.1) ? State{1} : State{0});
      p.data->add_clique(0, {visible[v]}, {{v, 1.0}});
    }
    for (std::uint32_t h = 0; h < 2; ++h) {
      hidden[h] = p.data->add_variable(0, group);
      p.data->add_clique(1, {hidden[h]}, {{h, 1.0}});
      for (std::uint32_t v = 0; v < 4; ++v) {
        p.data->add_clique(2, {visible[v], hidden[h]}, {{4 * h + v, 1.0}});
      }
    }
  }
  p.finish();
  return p;
}

std::vector<double> small_start(const Problem& p, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> w(p.layout.dimension());
  for (double& each : w) each = 0.3 * random.normal();
  return w;
}

constexpr Objective kSampled[] = {Objective::gibbs, Objective::contrastive_divergence,
                                  Objective::persistent_contrastive_divergence};

TEST(GraphDirections, ComeNearTheLikelihoodsMaximum) {
  Problem p = grids(100, 1);
  std::vector<double> best = p.zeros();
  p.train(Objective::likelihood, best, 1, 1000);
  const double least = p.exact_objective(best, 1), start = p.exact_objective(p.zeros(), 1);
  for (const Objective kind : kSampled) {
    std::vector<double> w = p.zeros();
    GraphInferenceSettings settings;
    if (kind == Objective::gibbs) settings.max_iterations = 20;
    p.train(kind, w, 1, 60, settings);
    // Of what there was to gain, all but 2%.
    EXPECT_LT(p.exact_objective(w, 1) - least, 0.02 * (start - least)) << name_of(kind);
    for (std::size_t k = 0; k < w.size(); ++k) EXPECT_NEAR(w[k], best[k], 0.15) << name_of(kind);
  }
}

TEST(GraphDirections, TrainARestrictedBoltzmannMachine) {
  Problem p = boltzmann_machine(100, 2);
  constexpr double kL2 = 0.5;
  double least = 1e300;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    std::vector<double> w = small_start(p, seed);
    p.train(Objective::likelihood, w, kL2, 1000);
    least = std::min(least, p.exact_objective(w, kL2));
  }
  for (const Objective kind : kSampled) {
    std::vector<double> w = small_start(p, 1);
    GraphInferenceSettings settings;
    if (kind == Objective::gibbs) settings.max_iterations = 40;
    if (kind != Objective::gibbs) settings.max_iterations = 3;
    p.train(kind, w, kL2, 300, settings);
    // In nats for each case, of a maximum of about 1.9.
    EXPECT_LT((p.exact_objective(w, kL2) - least) / 100, 0.05) << name_of(kind);
  }
}

TEST(GraphDirections, GiveTheSameBitsForAnyNumberOfThreads) {
  for (const Objective kind : kSampled) {
    std::vector<std::vector<double>> found;
    for (const std::size_t threads : {1u, 2u, 3u}) {
      Problem p = boltzmann_machine(20, 3);
      found.push_back(small_start(p, 1));
      MethodSettings settings;
      settings.batch = 6;
      p.train(kind, found.back(), 1, 3, {}, threads, settings);
    }
    EXPECT_EQ(found[0], found[1]);
    EXPECT_EQ(found[0], found[2]);
  }
}

double accuracy(Problem& p, std::span<const double> w) {
  GraphScorer scorer(p.schema, p.data->rows(), p.layout);
  double right = 0, all = 0;
  for (GraphInstance& each : p.instances) {
    scorer.score(w, each);
    JunctionTree tree(each.graph, find_elimination_order(each.graph));
    const std::vector<State> best = tree.best().states;
    for (std::size_t v = 0; v < best.size(); ++v) right += best[v] == each.known[v] ? 1 : 0;
    all += static_cast<double>(best.size());
  }
  return right / all;
}

TEST(SampleRank, IsAsRightOnItsDataAsTheLikelihood) {
  Problem p = grids(100, 4);
  std::vector<double> best = p.zeros();
  p.train(Objective::likelihood, best, 1, 1000);
  const double reached = accuracy(p, best);
  EXPECT_GT(reached, 0.65);
  for (const bool pairs : {false, true}) {
    GraphInferenceSettings settings;
    settings.pairs = pairs;
    std::vector<double> w = p.zeros();
    p.train(Objective::sample_rank, w, 1, 40, settings);
    EXPECT_GT(accuracy(p, w), reached - 0.02) << pairs;
  }
}

// A loss that does not mind one state rather than another teaches no difference between them.
TEST(SampleRank, LearnsWhatTheUsersLossMinds) {
  for (const bool minds : {false, true}) {
    Problem p = grids(30, 5);
    ThreadPool pool(1);
    GraphProblem problem{.schema = p.schema,
                         .rows = p.data->rows(),
                         .layout = p.layout,
                         .instances = p.instances,
                         .pool = pool,
                         .objective = Objective::sample_rank,
                         .method = Method::averaged_sgd,
                         .regulariser = {.l2 = 1}};
    problem.stop.max_iterations = 10;
    problem.rank_loss = [=](std::size_t, const GraphInstance& instance, std::span<const State> x) {
      double wrong = 0;
      for (std::size_t v = 0; v < x.size(); ++v) wrong += x[v] != instance.known[v] ? 1 : 0;
      return minds ? wrong : 0.0;
    };
    std::vector<double> w = p.zeros();
    const OptimizeResult result = train_graph(problem, w, {});
    EXPECT_EQ(w == p.zeros(), !minds);
    EXPECT_EQ(result.objective == 0, !minds);
    EXPECT_GT(accuracy(p, w), minds ? 0.65 : 0.3);
    problem.objective = Objective::gibbs;
    EXPECT_THROW(train_graph(problem, w, {}), UsageError);
  }
}

TEST(SampleRank, RefusesWhatItWouldIgnore) {
  Problem p = grids(3, 6);
  std::vector<double> w = p.zeros();
  const auto refuses = [&](Objective kind, const auto& set) {
    GraphInferenceSettings inference;
    MethodSettings settings;
    set(inference, settings);
    EXPECT_THROW(p.train(kind, w, 1, 1, inference, 1, settings), UsageError);
  };
  using K = Objective;
  refuses(K::sample_rank, [](auto&, auto& s) { s.batch = 4; });
  refuses(K::sample_rank, [](auto& i, auto&) { i.max_iterations = 4; });
  refuses(K::sample_rank, [](auto& i, auto&) { i.cost = -1; });
  refuses(K::gibbs, [](auto& i, auto&) { i.pairs = true; });
  refuses(K::gibbs, [](auto&, auto& s) { s.history = 4; });
}

}  // namespace
}  // namespace croft::graph_directions_test
