// Templates of groups, constraints and given weights: sums by enumeration of the definition,
// gradients by central differences.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "features/given_weights.h"
#include "objective/graph/graph_objective.h"
#include "objective/graph/local_terms.h"
#include "support/message_of.h"
#include "train/graph/graph_function.h"
#include "train/graph/graph_methods.h"

namespace croft::graph_rules_test {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Kind = InteractionKind;
constexpr double kNever = std::numeric_limits<double>::infinity();

// What a clique is made of, kept beside the data for the definition.
struct Clique {
  std::uint32_t of = 0;
  std::vector<std::uint32_t> variables, sizes;
  std::vector<CliqueFeature> features;
};

struct Problem {
  CliqueSchema schema;
  std::vector<std::size_t> features;
  std::unique_ptr<CliqueData> data;
  std::vector<GraphInstance> instances;
  std::vector<Clique> cliques;
};

CountingRule rule(std::vector<std::uint64_t> from, std::uint64_t k, bool broken) {
  return {{Bytes{1, 0, 1}, Bytes{0, 1}}, std::move(from), k, broken};
}

CliqueSchema rules_schema() {
  CliqueSchema schema;
  schema.domains = {{"word", {"a", "b", "c"}}, {"page", {"x", "y"}}};
  schema.templates.push_back({"own", {0}, Interaction(Kind::table, {3})});
  for (const Kind kind : {Kind::count, Kind::at_most, Kind::at_least, Kind::exactly,
                          Kind::exactly_one, Kind::all_of, Kind::any_of, Kind::implies}) {
    CliqueTemplate t{"g", {0, 1}, {}};
    t.name = std::string(name_of(kind));
    t.interaction = Interaction(kind, {3, 2}, rule({0, 1, 2, 4}, 2, false));
    t.lists = {true, true};
    schema.templates.push_back(t);
  }
  CliqueTemplate alike{"alike", {0}, {}};  // the same potential for any size
  alike.interaction = Interaction(Kind::count, {3}, CountingRule{{Bytes{0, 1, 0}}, {0, 2}});
  alike.lists = {true};
  schema.templates.push_back(alike);
  CliqueTemplate pair{"pair", {0, 0}, Interaction(Kind::table, {3, 3})};
  pair.interaction.share({{1, 3}, {2, 6}});
  pair.interaction.forbid({4});  // b b
  schema.templates.push_back(pair);
  CliqueTemplate same{"same", {0, 0}, Interaction(Kind::same, {3, 3})};
  same.interaction.forbid({5, 7});
  schema.templates.push_back(same);
  const auto constraint = [&](const std::string& name, CliqueTemplate t, double penalty) {
    t.name = name;
    t.scores = true;
    t.penalty = penalty;
    schema.templates.push_back(std::move(t));
  };
  CliqueTemplate most{"", {0, 1}, Interaction(Kind::at_most, {3, 2}, rule({}, 3, true))};
  most.lists = {true, true};
  constraint("hard", most, kNever);
  constraint("soft", most, 0.7);
  constraint("costs", {"", {0, 1}, Interaction(Kind::listed, {3, 2}, {1, 4})}, 1.3);
  constraint("known", {"", {0}, Interaction(Kind::known, {3})}, 0.4);
  CliqueTemplate given{"given", {0, 0}, Interaction(Kind::table, {3, 3})};
  given.scores = true;
  given.given = {{"one", 3, 0.5}, {"one", 8, -1.5}, {"two", 0, 2}};
  schema.templates.push_back(given);
  return schema;
}

// theta of a clique by the words of each interaction, without graphs and cells of numbers.
double definition(const Problem& p, const GraphLayout& layout, std::span<const double> w,
                  const Clique& clique, std::span<const State> at) {
  const CliqueTemplate& t = p.schema.templates[clique.of];
  const Interaction& of = t.interaction;
  std::uint32_t cell = Interaction::kNoCell;
  if (of.counting()) {
    std::size_t count = 0, k = 0;
    bool all = true, premises = true, conclusion = false;
    for (std::size_t place = 0; place < clique.sizes.size(); ++place) {
      for (std::uint32_t n = 0; n < clique.sizes[place]; ++n, ++k) {
        const bool counts = of.rule().counts[place][at[k]] != 0;
        count += counts;
        all = all && counts;
        if (place + 1 < clique.sizes.size()) premises = premises && counts;
        if (place + 1 == clique.sizes.size()) conclusion = conclusion || counts;
      }
    }
    const std::uint64_t threshold = of.rule().k;
    bool holds = false;
    switch (of.kind()) {
      case Kind::count:
        while (cell + 1 < of.rule().from.size() && count >= of.rule().from[cell + 1]) ++cell;
        break;
      case Kind::at_most:
        holds = count <= threshold;
        break;
      case Kind::at_least:
        holds = count >= threshold;
        break;
      case Kind::exactly:
        holds = count == threshold;
        break;
      case Kind::exactly_one:
        holds = count == 1;
        break;
      case Kind::all_of:
        holds = all;
        break;
      case Kind::any_of:
        holds = count > 0;
        break;
      default:
        holds = !premises || conclusion;
    }
    if (of.kind() != Kind::count && holds != of.rule().broken) cell = 0;
  } else {
    std::uint64_t joint = 0;
    for (std::size_t k = 0; k < at.size(); ++k) joint = joint * of.states()[k] + at[k];
    if (std::ranges::find(of.forbidden(), joint) != of.forbidden().end()) return -kNever;
    cell = of.cell_of(at);
  }
  if (t.is_known()) return at[0] == clique.features[0].id ? 0 : -*t.penalty;
  if (cell == Interaction::kNoCell) return 0;
  if (t.penalty) return -*t.penalty;
  double score = 0;
  for (const CliqueFeature& each : clique.features) {
    if (t.scores) {
      score += each.id == cell ? each.value : 0;
      continue;
    }
    const RowLayout& rows = layout.templates[clique.of];
    for (std::size_t k = 0; k < rows.length(each.id); ++k) {
      if (rows.cell_of(each.id, k) == cell) score += each.value * w[rows.begin[each.id] + k];
    }
  }
  return score;
}

Problem problem_number(std::uint64_t seed, bool hidden) {
  Random random(seed);
  Problem p;
  p.schema = rules_schema();
  p.features.assign(p.schema.templates.size(), 2);
  for (std::size_t t = 0; t < p.features.size(); ++t) {
    if (p.schema.templates[t].scores) p.features[t] = 0;
  }
  p.data = std::make_unique<CliqueData>(p.schema);
  for (int g = 0; g < 3; ++g) {
    const std::string group = "g" + std::to_string(g);
    std::vector<std::uint32_t> of[2];
    for (int k = 0; k < 4; ++k) {
      const auto state = static_cast<State>(random.below(3));
      of[0].push_back(
          p.data->add_variable(0, group, hidden && random.below(3) == 0 ? kUnobserved : state));
    }
    for (int k = 0; k < 2; ++k) {
      of[1].push_back(p.data->add_variable(1, group, static_cast<State>(random.below(2))));
    }
    for (int k = 0; k < 14; ++k) {
      Clique c;
      c.of = static_cast<std::uint32_t>(random.below(p.schema.templates.size()));
      const CliqueTemplate& t = p.schema.templates[c.of];
      std::vector<std::uint32_t> left[2] = {of[0], of[1]};
      for (std::size_t place = 0; place < t.domain.size(); ++place) {
        std::vector<std::uint32_t>& from = left[t.domain[place]];
        const std::size_t size = t.has_lists() ? 1 + random.below(from.size()) : 1;
        for (std::size_t n = 0; n < size; ++n) {
          const std::size_t at = random.below(from.size());
          c.variables.push_back(from[at]);
          from.erase(from.begin() + static_cast<std::ptrdiff_t>(at));
        }
        c.sizes.push_back(static_cast<std::uint32_t>(size));
      }
      for (std::uint32_t id = 0; id < 2 && !t.scores; ++id) {
        if (random.below(3) > 0) c.features.push_back({id, random.normal()});
      }
      if (t.is_known()) c.features = {{static_cast<std::uint32_t>(random.below(3)), 1}};
      if (!t.given.empty()) {
        GivenWeights given(t.given);
        given.score(std::vector<CliqueFeature>{{given.find("one"), random.normal()},
                                               {given.find("two"), 1}},
                    c.features);
      }
      try {
        p.data->add_clique(c.of, c.variables, c.features,
                           t.has_lists() ? std::span<const std::uint32_t>(c.sizes)
                                         : std::span<const std::uint32_t>());
        p.cliques.push_back(c);
      } catch (const CliqueError&) {
        // what is known breaks a constraint: such a clique is none
      }
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

// log sum of exp theta over the assignments of an instance that agree with `fixed`.
double log_sum(const Problem& p, const GraphLayout& layout, std::span<const double> w,
               const GraphInstance& instance, std::span<const State> fixed) {
  std::vector<State> of_data(p.data->variables(), 0), x(instance.variable.size(), 0);
  double sum = 0;
  std::vector<State> at;
  while (true) {
    bool fits = true;
    for (std::size_t v = 0; v < x.size(); ++v) {
      of_data[instance.variable[v]] = x[v];
      fits = fits && (fixed[v] == kUnobserved || fixed[v] == x[v]);
    }
    double score = 0;
    for (const Clique& each : p.cliques) {
      if (!fits ||
          std::ranges::find(instance.variable, each.variables[0]) == instance.variable.end()) {
        continue;
      }
      at.clear();
      for (const std::uint32_t v : each.variables) at.push_back(of_data[v]);
      score += definition(p, layout, w, each, at);
    }
    if (fits) sum += std::exp(score);
    std::size_t k = x.size();
    for (; k > 0; --k) {
      if (++x[k - 1] < instance.graph.states(static_cast<Variable>(k - 1))) break;
      x[k - 1] = 0;
    }
    if (k == 0) return std::log(sum);
  }
}

TEST(GraphRules, LikelihoodIsThatOfTheDefinitionOverWhatIsAllowed) {
  int allowed = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Problem p = problem_number(seed, seed % 2 == 1);
    const GraphLayout layout =
        make_graph_layout(p.schema, p.data->rows(), p.instances, p.features, {});
    const std::vector<double> w = random_weights(layout.dimension(), seed);
    double expected = 0;
    for (const GraphInstance& each : p.instances) {
      const std::vector<State> nothing(each.variable.size(), kUnobserved);
      expected += log_sum(p, layout, w, each, nothing) - log_sum(p, layout, w, each, each.known);
    }
    ThreadPool pool(1);
    GraphFunction f(p.schema, p.data->rows(), layout, p.instances, pool,
                    graph_likelihood(exact_sums()));
    std::vector<double> gradient(w.size());
    const double value = f.evaluate(w, gradient);
    if (std::isinf(expected)) {
      EXPECT_EQ(value, expected);  // constraints contradict each other
      continue;
    }
    ++allowed;
    EXPECT_NEAR(value, expected, 1e-9) << seed;
  }
  EXPECT_GT(allowed, 40);
}

void expect_derivative(Problem& p, const GraphObjectiveMaker& objective, std::uint64_t seed) {
  const GraphLayout layout =
      make_graph_layout(p.schema, p.data->rows(), p.instances, p.features, {});
  ThreadPool pool(1);
  GraphFunction f(p.schema, p.data->rows(), layout, p.instances, pool, objective);
  std::vector<double> w = random_weights(f.dimension(), seed), gradient(w.size()),
                      ignored(w.size());
  if (std::isinf(f.evaluate(w, gradient))) return;
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

TEST(GraphRules, GradientsAreThoseThatDifferencesHave) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (const LocalKind kind : {LocalKind::pseudo_likelihood, LocalKind::per_edge,
                                 LocalKind::piecewise, LocalKind::piecewise_pseudo_likelihood}) {
      Problem p = problem_number(seed, false);
      expect_derivative(p, local_terms(kind), seed);
    }
    Problem p = problem_number(seed, false);
    expect_derivative(p, graph_likelihood(exact_sums()), seed);
    expect_derivative(p, graph_hinge(1, exact_best()), seed);
    Problem hidden = problem_number(seed, true);
    expect_derivative(hidden, graph_likelihood(exact_sums()), seed);
  }
}

// A piece is a factor alone: -log p(its states) with its own score.
TEST(GraphRules, PiecesOfGroupsAreThoseOfAnEnumeration) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Problem p = problem_number(seed, false);
    const GraphLayout layout =
        make_graph_layout(p.schema, p.data->rows(), p.instances, p.features, {});
    const std::vector<double> w = random_weights(layout.dimension(), seed);
    double expected = 0;
    for (const Clique& each : p.cliques) {
      std::vector<State> known, x(each.variables.size(), 0);
      for (const std::uint32_t v : each.variables) known.push_back(p.data->known(v));
      double sum = 0;
      while (true) {
        sum += std::exp(definition(p, layout, w, each, x));
        std::size_t k = x.size();
        for (; k > 0; --k) {
          const std::uint32_t domain = p.data->domain(each.variables[k - 1]);
          if (++x[k - 1] < p.schema.domains[domain].labels.size()) break;
          x[k - 1] = 0;
        }
        if (k == 0) break;
      }
      expected += std::log(sum) - definition(p, layout, w, each, known);
    }
    ThreadPool pool(1);
    GraphFunction f(p.schema, p.data->rows(), layout, p.instances, pool,
                    local_terms(LocalKind::piecewise));
    std::vector<double> gradient(w.size());
    EXPECT_NEAR(f.evaluate(w, gradient), expected, 1e-9 * (1 + std::abs(expected))) << seed;
  }
}

TEST(GraphRules, TheDualOfMarginsReachesWhatSubgradientsReach) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Problem p = problem_number(seed, false);
    const GraphLayout layout =
        make_graph_layout(p.schema, p.data->rows(), p.instances, p.features, {});
    ThreadPool pool(1);
    const auto train = [&](Method method, std::size_t iterations) {
      GraphProblem problem{.schema = p.schema,
                           .rows = p.data->rows(),
                           .layout = layout,
                           .instances = p.instances,
                           .pool = pool,
                           .objective = Objective::max_margin,
                           .method = method,
                           .regulariser = {.l2 = 1}};
      problem.inference.search = "junction-tree";
      problem.stop.max_iterations = iterations;
      std::vector<double> w(layout.dimension(), 0.0), gradient(w.size());
      train_graph(problem, w, {});
      GraphFunction f(p.schema, p.data->rows(), layout, p.instances, pool,
                      graph_hinge(1, exact_best()));
      double square = 0;
      for (const double each : w) square += each * each;
      return f.evaluate(w, gradient) + 0.5 * square;
    };
    const double dual = train(Method::frank_wolfe, 2000), primal = train(Method::averaged_sgd, 500);
    EXPECT_NEAR(dual, primal, 0.02 * primal) << seed;
  }
}

TEST(GraphRules, ObservedFeaturesHaveTheCellsThatKnownStatesShow) {
  Problem p = problem_number(3, false);
  const GraphLayout layout = make_graph_layout(p.schema, p.data->rows(), p.instances, p.features,
                                               {.features = FeatureSet::observed});
  std::size_t seen = 0;
  for (const Clique& each : p.cliques) {
    const CliqueTemplate& t = p.schema.templates[each.of];
    if (t.interaction.kind() != Kind::count || t.domain.size() != 2) continue;
    std::size_t count = 0;
    for (std::size_t k = 0; k < each.variables.size(); ++k) {
      const std::size_t place = k < each.sizes[0] ? 0 : 1;
      count += t.interaction.rule().counts[place][p.data->known(each.variables[k])];
    }
    for (const CliqueFeature& feature : each.features) {
      const RowLayout& rows = layout.templates[each.of];
      bool found = false;
      for (std::size_t k = 0; k < rows.length(feature.id); ++k) {
        found = found || rows.cell_of(feature.id, k) == t.interaction.cell_of_count(count);
      }
      EXPECT_TRUE(found);
      ++seen;
    }
  }
  EXPECT_GT(seen, 0u);
}

TEST(GraphRules, WhatIsKnownMayNotBreakAConstraint) {
  const CliqueSchema schema = rules_schema();
  CliqueData data(schema);
  std::vector<std::uint32_t> word, page;
  for (const State s : {0, 1, 2, 0}) word.push_back(data.add_variable(0, "g", s));
  for (const State s : {1, 1}) page.push_back(data.add_variable(1, "g", s));
  const auto number = [&](std::string_view name) {
    return static_cast<std::uint32_t>(
        std::ranges::find(schema.templates, name, &CliqueTemplate::name) -
        schema.templates.begin());
  };
  const auto message = [&](std::string_view name, std::vector<std::uint32_t> variables,
                           std::vector<CliqueFeature> features, std::vector<std::uint32_t> sizes) {
    return message_of<CliqueError>(
        [&] { data.add_clique(number(name), variables, features, sizes); });
  };
  EXPECT_EQ(message("hard", {word[0], word[2], page[0], page[1]}, {}, {2, 2}),
            "template 'hard': its labels (a, c, y, y) break the rule 'at-most 3'");
  EXPECT_EQ(message("soft", {word[0], word[2], page[0], page[1]}, {}, {2, 2}), "no error");
  const std::uint32_t b = data.add_variable(0, "g", 1);
  EXPECT_EQ(message("pair", {word[1], b}, {{0, 1}}, {}),
            "template 'pair': its labels (b, b) break what is forbidden");
  EXPECT_EQ(message("hard", {word[0]}, {}, {1}),
            "template 'hard': lists of another number of "
            "variables");
  EXPECT_EQ(message("hard", {word[0], page[0]}, {{0, 1}}, {1, 1}),
            "template 'hard': a constraint has no features");
  EXPECT_EQ(message("known", {word[0]}, {{3, 1}}, {}), "template 'known': there is no such label");
}

}  // namespace
}  // namespace croft::graph_rules_test
