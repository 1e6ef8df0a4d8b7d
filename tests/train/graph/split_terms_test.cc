// A large instance in parts against the same instance whole: value, gradient, and the bytes for any
// number of threads.
#include "train/graph/split_terms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "croft/core/random.h"
#include "objective/graph/pieces.h"
#include "train/graph/graph_methods.h"

namespace croft::split_terms_test {
namespace {

// How many variables each place has decides about the potentials of such a rule.
CountingRule first_state_of_each(std::uint32_t labels) {
  std::vector<std::uint8_t> states(labels, 0), others(labels, 1);
  states[0] = 1, others[0] = 0;
  return {.counts = {states, others}, .from = {}};
}

// One picture, each pixel and each pair of neighbours with a number of its own.
struct Picture {
  CliqueSchema schema;
  std::unique_ptr<CliqueData> data;
  std::vector<GraphInstance> instances;
  GraphLayout layout;

  explicit Picture(std::uint32_t side, std::uint32_t labels = 3) {
    schema.domains = {{"pixel", {"a", "b", "c"}}};
    schema.domains[0].labels.resize(labels);
    schema.templates = {
        {"own", {0}, Interaction(InteractionKind::table, {labels})},
        {"pair", {0, 0}, Interaction(InteractionKind::same, {labels, labels})},
        {"rule",
         {0, 0},
         Interaction(InteractionKind::implies, {labels, labels}, first_state_of_each(labels))}};
    data = std::make_unique<CliqueData>(schema);
    Random random(side);
    for (std::uint32_t v = 0; v < side * side; ++v) {
      const auto y = static_cast<State>(v % side * labels / side);
      data->add_variable(0, "picture", random.uniform() < 0.2 ? State(random.below(labels)) : y);
      data->add_clique(0, {v}, {{0, 1.0}, {1, static_cast<double>(y) + random.normal()}});
    }
    for (std::uint32_t v = 0; v < side * side; ++v) {
      if (v % side + 1 < side) data->add_clique(1, {v, v + 1}, {{0, 1.0}, {1, random.uniform()}});
      if (v + side < side * side) data->add_clique(1, {v, v + side}, {{1, random.uniform()}});
      if (v % 5 == 0 && v + 1 < side * side) data->add_clique(2, {v, v + 1}, {{0, 1.0}});
    }
    instances = data->unroll();
    layout =
        make_graph_layout(schema, data->rows(), instances, std::vector<std::size_t>{2, 2, 1}, {});
  }

  GraphProblem problem(Objective objective, ThreadPool& pool, Method method = Method::lbfgs) {
    GraphProblem p{.schema = schema,
                   .rows = data->rows(),
                   .layout = layout,
                   .instances = instances,
                   .pool = pool,
                   .objective = objective,
                   .method = method,
                   .regulariser = {.l2 = 1}};
    p.stop.max_iterations = 8;
    return p;
  }
};

constexpr Objective kObjectives[] = {Objective::pseudolikelihood, Objective::per_edge,
                                     Objective::piecewise, Objective::piecewise_pseudolikelihood};
constexpr LocalKind kKinds[] = {LocalKind::pseudo_likelihood, LocalKind::per_edge,
                                LocalKind::piecewise, LocalKind::piecewise_pseudo_likelihood};

TEST(SplitTerms, HaveTheValueAndTheGradientOfTheWhole) {
  Picture picture(50);
  ThreadPool pool(1);
  Random random(1);
  std::vector<double> w(picture.layout.dimension()), whole(w.size()), parts(w.size());
  for (double& each : w) each = random.normal();
  const auto& rows = picture.data->rows();
  for (std::size_t k = 0; k < std::size(kKinds); ++k) {
    GraphFunction f(picture.schema, rows, picture.layout, picture.instances, pool,
                    local_terms(kKinds[k]));
    const double value = f.evaluate(w, whole);
    auto cut = split_terms(picture.schema, rows, picture.instances,
                           [&](const GraphInstance& each, const VisitTerm& visit) {
                             visit_terms(each.graph, kKinds[k], visit);
                           });
    EXPECT_GT(cut.size(), 2u);
    std::vector<GraphInstance> instances;
    std::size_t terms = 0;
    for (TermPart& each : cut) {
      EXPECT_LE(each.terms.size(), kPartTerms);
      terms += each.terms.size();
      instances.push_back(std::move(each.instance));
    }
    EXPECT_GE(terms, 2500u);
    GraphFunction g(picture.schema, rows, picture.layout, instances, pool,
                    InstanceObjectiveMaker([&](const GraphInstance& instance) {
                      const auto n = static_cast<std::size_t>(&instance - instances.data());
                      return std::make_unique<LocalTerms>(instance.graph, instance.known,
                                                          cut[n].terms);
                    }));
    EXPECT_NEAR(g.evaluate(w, parts), value, 1e-11 * value);
    for (std::size_t j = 0; j < w.size(); ++j) {
      EXPECT_NEAR(parts[j], whole[j], 1e-10 * (1 + std::abs(whole[j])));
    }
  }
}

TEST(SplitTerms, TrainToTheSameBytesForAnyNumberOfThreads) {
  for (const Method method : {Method::lbfgs, Method::averaged_sgd}) {
    for (const Objective objective : kObjectives) {
      std::vector<double> first;
      for (const std::size_t threads : {1, 2, 3}) {
        Picture picture(50);
        ThreadPool pool(threads);
        std::vector<double> w(picture.layout.dimension());
        train_graph(picture.problem(objective, pool, method), w, {});
        if (threads == 1) first = w;
        EXPECT_EQ(w, first) << threads;
      }
    }
  }
}

// A picture whose weights are tied: few potentials, and terms that are mostly alike.
struct TiedPicture {
  CliqueSchema schema;
  std::unique_ptr<CliqueData> data;
  std::vector<GraphInstance> instances;
  GraphLayout layout;

  explicit TiedPicture(std::uint32_t side) {
    schema.domains = {{"pixel", {"a", "b"}}};
    schema.templates = {{"own", {0}, Interaction(InteractionKind::table, {2})},
                        {"pair", {0, 0}, Interaction(InteractionKind::same, {2, 2})}};
    data = std::make_unique<CliqueData>(schema);
    Random random(side);
    for (std::uint32_t v = 0; v < side * side; ++v) {
      const State y = v / side * 4 / side % 2;
      const bool slip = random.uniform() < 0.3;
      data->add_variable(0, "picture", y);
      data->add_clique(0, {v}, {{slip ? 1 - y : y, 1.0}});
    }
    for (std::uint32_t v = 0; v < side * side; ++v) {
      if (v % side + 1 < side) data->add_clique(1, {v, v + 1}, {{0, 1.0}});
      if (v + side < side * side) data->add_clique(1, {v, v + side}, {{0, 1.0}});
    }
    instances = data->unroll();
    layout = make_graph_layout(schema, data->rows(), instances, std::vector<std::size_t>{2, 1}, {});
  }
};

TEST(SplitTerms, GiveSamplesOfATiedGraphToMethodsThatGoByThem) {
  for (const Objective objective : {Objective::pseudolikelihood, Objective::piecewise}) {
    const auto trained = [&](Method method, std::size_t threads, std::vector<double>& w) {
      TiedPicture picture(100);
      ThreadPool pool(threads);
      GraphProblem p{.schema = picture.schema,
                     .rows = picture.data->rows(),
                     .layout = picture.layout,
                     .instances = picture.instances,
                     .pool = pool,
                     .objective = objective,
                     .method = method,
                     .regulariser = {.l2 = 1}};
      p.stop.max_iterations = method == Method::lbfgs ? 100 : 30;
      if (method != Method::lbfgs) p.settings.batch = 4;
      w.assign(picture.layout.dimension(), 0.0);
      return train_graph(p, w, {}).objective;
    };
    std::vector<double> batch, one, two;
    const double least = trained(Method::lbfgs, 1, batch);
    const double found = trained(Method::averaged_sgd, 1, one);
    EXPECT_NEAR(found, least, 0.01 * least) << name_of(objective);
    EXPECT_EQ(trained(Method::averaged_sgd, 2, two), found);
    EXPECT_EQ(two, one);
  }
}

TEST(SplitTerms, OfPiecesWithObservationsTrainToo) {
  Picture picture(50);
  ThreadPool pool(2);
  GraphProblem problem = picture.problem(Objective::piecewise, pool);
  problem.inference.pieces = "observations";
  problem.stop.max_iterations = 200;
  std::vector<double> w(picture.layout.dimension()), gradient(w.size());
  const OptimizeResult result = train_graph(problem, w, {});
  LocalTerms terms(picture.instances[0].graph, picture.instances[0].known,
                   pieces_with_observations(picture.instances[0].graph));
  GraphScorer scorer(picture.schema, picture.data->rows(), picture.layout);
  scorer.score(w, picture.instances[0]);
  std::vector<double> numbers(picture.instances[0].graph.numbers().size());
  double square = 0;
  for (const double each : w) square += each * each;
  EXPECT_NEAR(terms.evaluate(numbers) + 0.5 * square, result.objective, 1e-9 * result.objective);
}

TEST(SplitTerms, LeaveSmallInstancesWhole) {
  Picture picture(10);
  EXPECT_TRUE(split_terms(picture.schema, picture.data->rows(), picture.instances,
                          [](const GraphInstance&, const VisitTerm&) {})
                  .empty());
}

}  // namespace
}  // namespace croft::split_terms_test
