#include "train/graph/graph_function.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "inference/graph/oracles/shared_plans.h"
#include "objective/graph/graph_objective.h"
#include "objective/graph/local_terms.h"

namespace croft::graph_function_test {
namespace {

// Two kinds of variables, in groups, and a template for each interaction.
struct RandomProblem {
  CliqueSchema schema;
  std::vector<std::size_t> features;
  std::unique_ptr<CliqueData> data;
  std::vector<GraphInstance> instances;
};

RandomProblem problem_number(std::uint64_t seed, bool hidden = false) {
  Random random(seed);
  RandomProblem p;
  p.schema.domains = {{"word", {"a", "b", "c"}}, {"page", {"x", "y"}}};
  const auto add = [&](std::string name, std::vector<std::uint32_t> domain, InteractionKind kind,
                       std::vector<std::uint64_t> listed = {}) {
    std::vector<std::uint32_t> states;
    for (const std::uint32_t d : domain) {
      states.push_back(static_cast<std::uint32_t>(p.schema.domains[d].labels.size()));
    }
    p.schema.templates.push_back(
        {std::move(name), std::move(domain), Interaction(kind, states, std::move(listed))});
  };
  add("own", {0}, InteractionKind::table);
  add("page", {1}, InteractionKind::table);
  add("next", {0, 0}, InteractionKind::table);
  add("same", {0, 0}, InteractionKind::same);
  add("label", {0, 0}, InteractionKind::same_label);
  add("order", {0, 0}, InteractionKind::ordinal);
  add("three", {0, 0, 0}, InteractionKind::same);
  add("list", {1, 0}, InteractionKind::listed, {1, 4});
  p.features.assign(p.schema.templates.size(), 3);
  p.data = std::make_unique<CliqueData>(p.schema);
  for (int g = 0; g < 4; ++g) {
    const std::string group = "g" + std::to_string(g);
    std::vector<std::uint32_t> word, page;
    for (int k = 0; k < 4; ++k) {
      const bool unknown = hidden && random.below(4) == 0;
      word.push_back(p.data->add_variable(
          0, group, unknown ? kUnobserved : static_cast<State>(random.below(3))));
    }
    page.push_back(p.data->add_variable(1, group, static_cast<State>(random.below(2))));
    for (int k = 0; k < 12; ++k) {
      const auto t = static_cast<std::uint32_t>(random.below(p.schema.templates.size()));
      std::vector<std::uint32_t> scope;
      for (const std::uint32_t d : p.schema.templates[t].domain) {
        const auto& from = d == 0 ? word : page;
        std::uint32_t v = 0;
        do v = from[random.below(from.size())];
        while (std::ranges::find(scope, v) != scope.end());
        scope.push_back(v);
      }
      std::vector<CliqueFeature> features;
      for (std::uint32_t id = 0; id < 3; ++id) {
        if (random.below(2) == 0) features.push_back({id, random.normal()});
      }
      p.data->add_clique(t, scope, features);
    }
  }
  p.instances = p.data->unroll();
  return p;
}

std::vector<double> random_weights(std::size_t count, std::uint64_t seed) {
  Random random(seed + 77);
  std::vector<double> w(count);
  for (double& each : w) each = 0.5 * random.normal();
  return w;
}

// The definition (GC.1), without graphs.
double naive_score(const RandomProblem& p, const GraphLayout& layout, std::span<const double> w,
                   const GraphInstance& instance, std::span<const State> x) {
  double score = 0;
  for (Factor f = 0; f < instance.graph.factors(); ++f) {
    const std::uint32_t row = instance.row[instance.graph.potential_of(f)];
    const std::uint32_t t = p.data->rows().template_of(row);
    std::vector<State> at;
    for (const Variable v : instance.graph.scope(f)) at.push_back(x[v]);
    const std::uint32_t cell = p.schema.templates[t].interaction.cell_of(at);
    if (cell == Interaction::kNoCell) continue;
    const RowLayout& rows = layout.templates[t];
    for (const CliqueFeature& each : p.data->rows().features(row)) {
      for (std::size_t k = 0; k < rows.length(each.id); ++k) {
        if (rows.cell_of(each.id, k) == cell) score += each.value * w[rows.begin[each.id] + k];
      }
    }
  }
  return score;
}

TEST(GraphScorer, GivesEveryAssignmentTheScoreOfTheDefinition) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    RandomProblem p = problem_number(seed);
    for (const FeatureSet features : {FeatureSet::all, FeatureSet::observed}) {
      const GraphLayout layout = make_graph_layout(p.schema, p.data->rows(), p.instances,
                                                   p.features, {.features = features});
      const std::vector<double> w = random_weights(layout.dimension(), seed);
      GraphScorer scorer(p.schema, p.data->rows(), layout);
      Random random(seed);
      for (GraphInstance& instance : p.instances) {
        scorer.score(w, instance);
        for (int k = 0; k < 20; ++k) {
          std::vector<State> x;
          for (Variable v = 0; v < instance.graph.variables(); ++v) {
            x.push_back(static_cast<State>(random.below(instance.graph.states(v))));
          }
          EXPECT_NEAR(instance.graph.score(x), naive_score(p, layout, w, instance, x), 1e-12);
        }
      }
    }
  }
}

// Evaluations along a path of weights, the last of them from an archive where `from_archive`.
std::vector<double> along_a_path(std::size_t threads, bool from_archive) {
  RandomProblem p = problem_number(4, true);
  const GraphLayout layout =
      make_graph_layout(p.schema, p.data->rows(), p.instances, p.features, {});
  ThreadPool pool(threads);
  const auto make = [&] {
    return std::make_unique<GraphFunction>(p.schema, p.data->rows(), layout, p.instances, pool,
                                           graph_likelihood(shared_sums(bethe_sums({}, true))));
  };
  auto f = make();
  std::vector<double> w = random_weights(f->dimension(), 1), gradient(w.size()), all;
  for (int k = 0; k < 5; ++k) {
    for (double& each : w) each *= 1.05;
    if (k == 4 && from_archive) {
      StateArchive written;
      f->archive(written);
      f = make();
      StateArchive read(written.bytes());
      f->archive(read);
      read.finish();
    }
    all.push_back(f->evaluate(w, gradient));
    all.insert(all.end(), gradient.begin(), gradient.end());
  }
  return all;
}

TEST(GraphFunction, ThatGoesOnFromMessagesHasTheSameBitsForThreadsAndAfterACheckpoint) {
  const std::vector<double> one = along_a_path(1, false);
  EXPECT_EQ(along_a_path(3, false), one);
  EXPECT_EQ(along_a_path(1, true), one);
  EXPECT_EQ(along_a_path(2, true), one);
}

void expect_derivative(RandomProblem& p, const GraphObjectiveMaker& objective, std::uint64_t seed) {
  const GraphLayout layout =
      make_graph_layout(p.schema, p.data->rows(), p.instances, p.features, {});
  ThreadPool pool(1);
  GraphFunction f(p.schema, p.data->rows(), layout, p.instances, pool, objective);
  std::vector<double> w = random_weights(f.dimension(), seed), gradient(w.size()),
                      ignored(w.size());
  f.evaluate(w, gradient);
  for (std::size_t k = 0; k < w.size(); ++k) {
    constexpr double kStep = 1e-5;
    const double kept = w[k];
    w[k] = kept + kStep;
    const double above = f.evaluate(w, ignored);
    w[k] = kept - kStep;
    const double below = f.evaluate(w, ignored);
    w[k] = kept;
    EXPECT_NEAR(gradient[k], (above - below) / (2 * kStep), 1e-6) << "weight " << k;
  }
}

TEST(GraphFunction, HasTheGradientThatDifferencesHave) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    RandomProblem p = problem_number(seed);
    expect_derivative(p, graph_likelihood(exact_sums()), seed);
    expect_derivative(p, local_terms(LocalKind::pseudo_likelihood), seed);
    expect_derivative(p, local_terms(LocalKind::piecewise), seed);
    expect_derivative(p, graph_hinge(1, exact_best()), seed);
    RandomProblem hidden = problem_number(seed, true);
    expect_derivative(hidden, graph_likelihood(exact_sums()), seed);
  }
}

TEST(GraphFunction, GivesTheSameBitsForAnyNumberOfThreads) {
  RandomProblem p = problem_number(5);
  const GraphLayout layout =
      make_graph_layout(p.schema, p.data->rows(), p.instances, p.features, {});
  const std::vector<double> w = random_weights(layout.dimension(), 5);
  std::vector<std::vector<double>> gradients;
  for (const std::size_t threads : {1u, 2u, 3u}) {
    ThreadPool pool(threads);
    GraphFunction f(p.schema, p.data->rows(), layout, p.instances, pool,
                    graph_likelihood(exact_sums()));
    gradients.emplace_back(w.size());
    f.evaluate(w, gradients.back());
  }
  EXPECT_EQ(gradients[0], gradients[1]);
  EXPECT_EQ(gradients[0], gradients[2]);
}

TEST(GraphFunction, IsTheSumOfItsSamples) {
  RandomProblem p = problem_number(6);
  const GraphLayout layout =
      make_graph_layout(p.schema, p.data->rows(), p.instances, p.features, {});
  const std::vector<double> w = random_weights(layout.dimension(), 6);
  ThreadPool pool(1);
  GraphFunction f(p.schema, p.data->rows(), layout, p.instances, pool,
                  graph_likelihood(exact_sums()));
  std::vector<double> whole(w.size()), sum(w.size()), part(w.size());
  double value = 0;
  for (std::size_t n = 0; n < f.samples(); ++n) {
    const auto sample = f.evaluate_sample(n, w, part, 0);
    ASSERT_TRUE(sample.active);
    value += sample.value;
    std::size_t at = 0;
    for (const croft::Run& run : f.support(n, 0)) {
      for (std::uint32_t k = 0; k < run.length; ++k) sum[run.begin + k] += part[at++];
    }
  }
  EXPECT_NEAR(f.evaluate(w, whole), value, 1e-10);
  for (std::size_t k = 0; k < w.size(); ++k) EXPECT_NEAR(whole[k], sum[k], 1e-10);
}

TEST(GraphLayout, KeepsTheObservedPairsThatAreFrequentEnough) {
  CliqueSchema schema;
  schema.domains = {{"word", {"a", "b", "c"}}};
  schema.templates = {{"own", {0}, Interaction(InteractionKind::table, {3})}};
  CliqueData data(schema);
  const State states[] = {0, 0, 1, 2};
  for (const State s : states) data.add_clique(0, {data.add_variable(0, "g", s)}, {{0, 2.0}});
  const auto instances = data.unroll();
  const std::vector<std::size_t> features{1};
  const auto layout = [&](std::size_t least) {
    return make_graph_layout(schema, data.rows(), instances, features,
                             {.features = FeatureSet::observed, .min_count = least});
  };
  EXPECT_EQ(layout(1).dimension(), 3u);
  EXPECT_EQ(layout(2).dimension(), 1u);
  EXPECT_EQ(layout(2).templates[0].cell_of(0, 0), 0u);
}

TEST(CliqueData, SharesThePotentialOfCliquesWithTheSameFeatures) {
  CliqueSchema schema;
  schema.domains = {{"pixel", {"off", "on"}}};
  schema.templates = {{"pair", {0, 0}, Interaction(InteractionKind::same, {2, 2})}};
  CliqueData data(schema);
  for (int k = 0; k < 10; ++k) data.add_variable(0, "image");
  for (std::uint32_t k = 0; k + 1 < 10; ++k) data.add_clique(0, {k, k + 1}, {{0, 1.0}});
  const auto instances = data.unroll();
  ASSERT_EQ(instances.size(), 1u);
  EXPECT_EQ(instances[0].graph.potentials(), 1u);
  EXPECT_EQ(instances[0].graph.factors(), 9u);
}

TEST(CliqueData, NamesTheTemplateOfACliqueThatDoesNotFit) {
  CliqueSchema schema;
  schema.domains = {{"word", {"a", "b"}}, {"page", {"x"}}};
  schema.templates = {{"pair", {0, 0}, Interaction(InteractionKind::same, {2, 2})}};
  CliqueData data(schema);
  const auto a = data.add_variable(0, "one"), b = data.add_variable(0, "two");
  const auto page = data.add_variable(1, "one");
  const auto message = [&](std::initializer_list<std::uint32_t> scope) {
    try {
      data.add_clique(0, scope, {});
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message({a, b}).find("'one' and 'two'"), std::string::npos);
  EXPECT_NE(message({a, page}).find("'page'"), std::string::npos);
  EXPECT_NE(message({a, a}).find("twice"), std::string::npos);
  EXPECT_NE(message({a, 99}).find("no variable 99"), std::string::npos);
  EXPECT_NE(message({a}).find("'pair'"), std::string::npos);
}

}  // namespace
}  // namespace croft::graph_function_test
