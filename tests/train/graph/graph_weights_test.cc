// Weights of instances, and of variables by their labels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "support/message_of.h"
#include "train/graph/label_weights.h"
#include "train/kinds/graph_training.h"

namespace croft::graph_weights_test {
namespace {

const std::vector<double> kWeights = {2, 1, 0.5, 3, 1};

struct Triangles {
  CliqueSchema schema;
  std::unique_ptr<CliqueData> data;
  std::vector<StringTable> features;
};

// Instances of three variables in a triangle, with features of their own; each so many times.
Triangles make_triangles(std::span<const int> times, double hidden = 0, std::size_t variables = 3) {
  Triangles s;
  s.schema.domains = {{"tag", {"A", "B", "C"}}};
  s.schema.templates = {{"word", {0}, Interaction(InteractionKind::table, {3})},
                        {"pair", {0, 0}, Interaction(InteractionKind::same, {3, 3})}};
  s.features.resize(2);
  s.data = std::make_unique<CliqueData>(s.schema);
  for (std::size_t n = 0; n < times.size(); ++n) {
    for (int k = 0; k < times[n]; ++k) {
      Random random(n + 1);
      std::vector<std::uint32_t> v;
      const std::string group = std::to_string(n) + "/" + std::to_string(k);
      for (std::size_t i = 0; i < variables; ++i) {
        const auto tag = static_cast<State>(random.below(3));
        v.push_back(s.data->add_variable(0, group, random.uniform() < hidden ? kUnobserved : tag));
        const auto word = s.features[0].insert("w" + std::to_string(random.below(3)));
        s.data->add_clique(0, {v[i]}, {{word, 0.5 + random.uniform()}});
      }
      for (std::size_t i = 0; variables > 1 && i < variables; ++i) {
        s.data->add_clique(1, {v[i], v[(i + 1) % variables]},
                           {{s.features[1].insert("(bias)"), 0.5 + random.uniform()}});
      }
    }
  }
  return s;
}
Triangles weighted_triangles(double hidden = 0) {
  const std::vector<int> once(kWeights.size(), 1);
  Triangles s = make_triangles(once, hidden);
  s.data->weigh(kWeights);
  return s;
}

GraphLayout layout_of(const Triangles& s, std::span<const GraphInstance> instances) {
  const std::vector<std::size_t> sizes = {s.features[0].size(), s.features[1].size()};
  return make_graph_layout(s.schema, s.data->rows(), instances, sizes, {});
}

// The data term of an objective and its gradient, at some weights.
double value_of(Triangles& s, Objective objective, std::span<const double> w,
                std::vector<double>& gradient) {
  std::vector<GraphInstance> instances = s.data->unroll();
  const GraphLayout layout = layout_of(s, instances);
  ThreadPool pool(2);
  GraphFunction f(s.schema, s.data->rows(), layout, instances, pool,
                  make_graph_objective(objective, {}));
  gradient.assign(layout.dimension(), 0.0);
  return f.evaluate(w, gradient);
}

std::vector<double> some_weights(std::size_t dimension = 10) {
  Random random(7);
  std::vector<double> w(dimension);
  for (double& each : w) each = 0.4 * random.normal();
  return w;
}

bool has_value(const ObjectiveInfo& objective) { return !is_direction(objective.objective); }

TEST(GraphWeights, AnInstanceOfWeightTwoIsThereTwice) {
  for (const ObjectiveInfo& each : objective_table(Structure::graph)) {
    if (!has_value(each)) continue;
    const std::vector<int> times = {2, 1, 3};
    Triangles twice = make_triangles(times), weighted = make_triangles(std::vector<int>{1, 1, 1});
    weighted.data->weigh({2, 1, 3});
    std::vector<double> of_twice, of_weighted;
    const std::vector<double> w = some_weights();
    const double expected = value_of(twice, each.objective, w, of_twice);
    EXPECT_NEAR(value_of(weighted, each.objective, w, of_weighted), expected,
                1e-9 * std::abs(expected))
        << each.name;
    ASSERT_EQ(of_weighted.size(), w.size());
    for (std::size_t k = 0; k < w.size(); ++k) {
      EXPECT_NEAR(of_weighted[k], of_twice[k], 1e-9) << each.name << " " << k;
    }
  }
}

TEST(GraphWeights, GradientsAreThoseOfTheWeightedValue) {
  for (const ObjectiveInfo& each : objective_table(Structure::graph)) {
    // Of messages and bounds the derivative is as exact as they have converged.
    const bool loose = each.objective == Objective::bethe ||
                       each.objective == Objective::tree_reweighted ||
                       each.objective == Objective::mean_field;
    if (!has_value(each) || each.objective == Objective::product_of_beliefs) continue;
    std::vector<double> w = some_weights(), gradient, scratch;
    Triangles s = weighted_triangles();
    value_of(s, each.objective, w, gradient);
    for (std::size_t k = 0; k < w.size(); ++k) {
      const double h = 1e-5, at = w[k];
      const auto moved = [&](double to) {
        Triangles again = weighted_triangles();
        w[k] = to;
        return value_of(again, each.objective, w, scratch);
      };
      const double slope = (moved(at + h) - moved(at - h)) / (2 * h);
      w[k] = at;
      EXPECT_NEAR(gradient[k], slope, loose ? 1e-3 : 1e-6) << each.name << " " << k;
    }
  }
}

double trained(Triangles&& s, const GraphTrainOptions& options, std::vector<double>& w) {
  GraphTraining training(*s.data, s.features);
  const double objective = training.run(options, {}).optimization.objective;
  w.assign(training.weights().begin(), training.weights().end());
  return objective;
}

TEST(GraphWeights, EveryMethodTrainsOnAnInstanceOfWeightTwoAsOnTwo) {
  const auto compare = [](Objective objective, std::optional<Method> method, double hidden) {
    GraphTrainOptions options;
    options.objective = objective;
    options.method = method;
    options.stop.max_iterations = 400;
    options.start_deviation = 0.1;
    if (method != Method::frank_wolfe && method != Method::cutting_planes) {
      options.stop.tolerance = 0;
    }
    Triangles weighted = make_triangles(std::vector<int>{1, 1, 1}, hidden);
    weighted.data->weigh({2, 1, 3});
    std::vector<double> of_twice, of_weighted;
    const double expected =
        trained(make_triangles(std::vector<int>{2, 1, 3}, hidden), options, of_twice);
    const double found = trained(std::move(weighted), options, of_weighted);
    EXPECT_NEAR(found, expected, 2e-3 * expected) << name_of(objective);
  };
  compare(Objective::likelihood, {}, 0);
  compare(Objective::likelihood, {}, 0.3);
  compare(Objective::likelihood, Method::sgd, 0);
  compare(Objective::pseudolikelihood, Method::sgd, 0);
  compare(Objective::max_margin, Method::frank_wolfe, 0);
  compare(Objective::max_margin, Method::cutting_planes, 0);
}

TEST(GraphWeights, WhatHasWeightZeroIsLeftOut) {
  Triangles some = make_triangles(std::vector<int>{1, 1, 1});
  some.data->weigh({1, 0, 1});
  std::vector<double> of_some, of_rest;
  const double found = trained(std::move(some), {}, of_some);
  EXPECT_EQ(found, trained(make_triangles(std::vector<int>{1, 0, 1}), {}, of_rest));
}

// c(y) of A, B and C.
LabelWeights some_label_weights() {
  return {LabelWeightFile{"weights", {{"A", 2.0, 1}, {"B", 0.5, 2}}}};
}

TEST(GraphWeights, LabelsWeighTheTermsOfTheirVariables) {
  for (const Objective objective :
       {Objective::pseudolikelihood, Objective::piecewise_pseudolikelihood}) {
    // The factor of A alone, then that of B, is what the value changes by.
    Triangles s = make_triangles(std::vector<int>{1, 1, 1, 1});
    std::vector<GraphInstance> instances = s.data->unroll();
    const GraphLayout layout = layout_of(s, instances);
    const std::vector<double> w = some_weights(layout.dimension());
    GraphScorer scorer(s.schema, s.data->rows(), layout);
    const VariableWeights weights(some_label_weights(), *s.data, instances);
    const double c[] = {2.0, 0.5, 1.0};
    for (GraphInstance& each : instances) {
      scorer.score(w, each);
      std::vector<double> of_variable;
      for (const std::uint32_t v : each.variable) of_variable.push_back(weights(v));
      const LocalKind kind = objective == Objective::pseudolikelihood
                                 ? LocalKind::pseudo_likelihood
                                 : LocalKind::piecewise_pseudo_likelihood;
      LocalTerms terms(each.graph, each.known, kind, of_variable);
      std::vector<double> gradient(each.graph.numbers().size(), 0.0);
      double expected = 0;
      visit_terms(each.graph, kind, [&](auto free, auto factors) {
        const TermShape shape{{free.begin(), free.end()}, {factors.begin(), factors.end()}};
        LocalTerms one(each.graph, each.known, std::span(&shape, 1));
        std::vector<double> scratch(gradient.size(), 0.0);
        expected += c[each.known[free[0]]] * one.evaluate(scratch);
      });
      EXPECT_NEAR(terms.evaluate(gradient), expected, 1e-10);
      for (std::size_t k = 0; k < gradient.size(); ++k) {
        const double h = 1e-5, at = each.graph.numbers()[k];
        std::vector<double> scratch(gradient.size(), 0.0);
        each.graph.numbers()[k] = at + h;
        const double above = terms.evaluate(scratch);
        each.graph.numbers()[k] = at - h;
        const double slope = (above - terms.evaluate(scratch)) / (2 * h);
        each.graph.numbers()[k] = at;
        EXPECT_NEAR(gradient[k], slope, 1e-6);
      }
    }
  }
}

TEST(GraphWeights, LabelsWeighInstancesThatHaveOne) {
  const std::vector<int> once(12, 1);
  for (const ObjectiveInfo& each : objective_table(Structure::graph)) {
    if (each.objective == Objective::passive_aggressive) continue;  // it has no use for weights
    GraphTrainOptions options;
    options.objective = each.objective;
    if (!info(options.chosen_method()).l2) options.regulariser.l2 = 0;
    options.stop.max_iterations = 5;
    Triangles by_instance = make_triangles(once, 0, 1);
    const double c[] = {2.0, 0.5, 1.0};
    std::vector<double> weights;
    for (std::uint32_t v = 0; v < by_instance.data->variables(); ++v) {
      weights.push_back(c[by_instance.data->known(v)]);
    }
    by_instance.data->weigh(weights);
    std::vector<double> expected, found;
    trained(std::move(by_instance), options, expected);
    options.label_weights = some_label_weights();
    trained(make_triangles(once, 0, 1), options, found);
    ASSERT_EQ(found.size(), expected.size()) << each.name;
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_NEAR(found[k], expected[k], 1e-12) << each.name;
    }
  }
}

TEST(GraphWeights, BalancedLabelsWeighTheSameTogether) {
  Triangles s = make_triangles(std::vector<int>{1, 1, 1, 1, 1});
  const std::vector<GraphInstance> instances = s.data->unroll();
  const VariableWeights weights(LabelWeights(), *s.data, instances);
  double of_label[3] = {}, all = 0;
  for (std::uint32_t v = 0; v < s.data->variables(); ++v) {
    of_label[s.data->known(v)] += weights(v);
    all += weights(v);
  }
  EXPECT_NEAR(all, 15, 1e-12);
  for (const double each : of_label) EXPECT_NEAR(each, 5, 1e-12);
}

TEST(GraphWeights, PartsOfALargeGraphHaveTheWeightsOfTheWhole) {
  // So many different potentials are cut into parts; the likelihood of trees is not.
  const auto make = [](bool weighted) {
    Triangles s;
    s.schema.domains = {{"tag", {"A", "B", "C"}}};
    s.schema.templates = {{"word", {0}, Interaction(InteractionKind::table, {3})}};
    s.features.resize(1);
    s.data = std::make_unique<CliqueData>(s.schema);
    for (int k = 0; k < 5000; ++k) {
      const std::string group = weighted ? "all" : std::to_string(k);
      const auto v = s.data->add_variable(0, group, static_cast<State>(k % 7 % 3));
      s.data->add_clique(0, {v},
                         {{s.features[0].insert("w" + std::to_string(k % 11)), 1 + k * 1e-3}});
    }
    if (weighted) s.data->weigh({2});
    return s;
  };
  GraphTrainOptions options;
  options.objective = Objective::pseudolikelihood;
  options.method = Method::lbfgs;
  options.label_weights = some_label_weights();
  options.stop.tolerance = 0;
  options.stop.gradient_tolerance = 1e-9;
  options.regulariser.l2 = 2;
  std::vector<double> of_parts, expected;
  const double found = trained(make(true), options, of_parts);
  options.regulariser.l2 = 1;
  EXPECT_NEAR(found, 2 * trained(make(false), options, expected), 1e-6 * found);
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(of_parts[k], expected[k], 1e-4);
}

TEST(GraphWeights, SaysWhatCannotHaveThem) {
  std::vector<double> w;
  GraphTrainOptions options;
  options.label_weights = some_label_weights();
  EXPECT_EQ(
      message_of<UsageError>([&] { trained(make_triangles(std::vector<int>{1}), options, w); }),
      "--class-weights with --objective likelihood is of instances with one label, and the "
      "instance \"0/0\" has 3; take --objective pseudolikelihood, whose terms are of one "
      "variable each");
  options.objective = Objective::pseudolikelihood;
  options.label_weights->file->rules[1].label = "D";
  EXPECT_NE(message_of<InputError>([&] {
              trained(make_triangles(std::vector<int>{1}), options, w);
            }).find("weights:2: a label that the data does not have"),
            std::string::npos);
  Triangles s = make_triangles(std::vector<int>{1, 1});
  EXPECT_EQ(message_of<UsageError>([&] { s.data->weigh({1}); }),
            "1 weights, and there are 2 instances; give one for each");
  EXPECT_NE(message_of<UsageError>([&] {
              s.data->weigh({1, -1});
            }).find("must be a finite number"),
            std::string::npos);
}

}  // namespace
}  // namespace croft::graph_weights_test
