// Terms of graphs without labels against enumeration of all labellings, and their gradients against
// central differences.
#include "train/graph/graph_unlabelled.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "objective/graph/graph_objective.h"
#include "support/message_of.h"
#include "support/random_graph.h"
#include "support/thread_ranks.h"
#include "train/graph/graph_expectations.h"
#include "train/graph/graph_self_training.h"

namespace croft::graph_unlabelled_test {
namespace {

using Vector = std::vector<double>;

// Words with three labels and pages with two: features of one, pairs with and without cycles, and
// pairs that are forbidden.
struct Problem {
  CliqueSchema schema;
  std::unique_ptr<CliqueData> data;
  std::vector<StringTable> features;
  std::vector<GraphInstance> instances;
  GraphLayout layout;
  Vector w;
};

//   hidden : the share of variables without a label
std::unique_ptr<Problem> problem_number(std::uint64_t seed, double hidden) {
  auto made = std::make_unique<Problem>();
  Problem& p = *made;
  Random random(seed);
  p.schema.domains = {{"word", {"a", "b", "c"}}, {"page", {"x", "y"}}};
  const std::vector<std::uint32_t> word{3}, page{2}, words{3, 3}, both{2, 3};
  p.schema.templates = {{"own", {0}, Interaction(InteractionKind::table, word)},
                        {"page", {1}, Interaction(InteractionKind::table, page)},
                        {"next", {0, 0}, Interaction(InteractionKind::table, words)},
                        {"same", {0, 0}, Interaction(InteractionKind::same, words)},
                        {"in", {1, 0}, Interaction(InteractionKind::table, both)}};
  p.schema.templates[2].interaction.forbid({5});  // b, c
  p.data = std::make_unique<CliqueData>(p.schema);
  p.features.resize(p.schema.templates.size());
  for (StringTable& each : p.features) {
    for (const char* name : {"(bias)", "f", "g"}) each.insert(name);
  }
  const auto some = [&] {
    std::vector<CliqueFeature> out{{0, 1.0}};
    for (std::uint32_t id = 1; id < 3; ++id) {
      if (random.below(2) == 0) out.push_back({id, 0.5 + random.uniform()});
    }
    return out;
  };
  for (int g = 0; g < 4; ++g) {
    const std::string group = "g" + std::to_string(g);
    const auto state = [&](std::size_t states) {
      return random.uniform() < hidden ? kUnobserved : static_cast<State>(random.below(states));
    };
    std::vector<std::uint32_t> v;
    for (int k = 0; k < 4; ++k) v.push_back(p.data->add_variable(0, group, state(2)));
    const std::uint32_t of = p.data->add_variable(1, group, state(2));
    for (int k = 0; k < 4; ++k) {
      p.data->add_clique(0, std::vector{v[k]}, some());
      p.data->add_clique(4, std::vector{of, v[k]}, some());
      p.data->add_clique(k == 3 ? 3 : 2, std::vector{v[k], v[(k + 1) % 4]}, some());
    }
    p.data->add_clique(1, std::vector{of}, some());
  }
  p.data->weigh({1, 2, 0.5, 1});
  p.instances = p.data->unroll();
  const Vector sizes(p.features.size(), 3);
  p.layout = make_graph_layout(p.schema, p.data->rows(), p.instances,
                               std::vector<std::size_t>(sizes.begin(), sizes.end()), {});
  for (std::size_t k = 0; k < p.layout.dimension(); ++k) p.w.push_back(0.5 * random.normal());
  return made;
}

// visit(instance, labels, p(labels | known)) for all labellings that fit what is known.
void for_each_labelling(
    Problem& p, const Vector& w,
    const std::function<void(const GraphInstance&, const std::vector<State>&, double)>& visit) {
  GraphScorer scorer(p.schema, p.data->rows(), p.layout);
  for (GraphInstance& instance : p.instances) {
    scorer.score(w, instance);
    std::vector<std::pair<std::vector<State>, double>> all;
    double z = 0;
    testing_graphs::for_all(instance.graph, [&](const std::vector<State>& x) {
      for (std::size_t v = 0; v < x.size(); ++v) {
        if (instance.known[v] != kUnobserved && instance.known[v] != x[v]) return;
      }
      all.emplace_back(x, std::exp(instance.graph.score(x)));
      z += all.back().second;
    });
    for (const auto& [x, weight] : all) visit(instance, x, weight / z);
  }
}

// Expected counts of (feature id of the template of words, label) at hidden words.
Vector expected(Problem& p, std::uint32_t id) {
  Vector out(3, 0.0);
  for_each_labelling(p, p.w, [&](const GraphInstance& instance, const auto& x, double probability) {
    for (Factor f = 0; f < instance.graph.factors(); ++f) {
      const std::uint32_t row = instance.row[instance.graph.potential_of(f)];
      const Variable v = instance.graph.scope(f)[0];
      if (p.data->rows().template_of(row) != 0 || instance.known[v] != kUnobserved) continue;
      for (const CliqueFeature& each : p.data->rows().features(row)) {
        if (each.id == id) out[x[v]] += instance.weight * probability * each.value;
      }
    }
  });
  return out;
}

class Terms {
 public:
  Terms(Problem& p, UnlabelledTerms terms, std::size_t threads = 2,
        Ranks& helpers = no_other_ranks())
      : terms_(std::move(terms)),
        pool_(threads, no_other_ranks(), helpers),
        labelled_(p.schema, p.data->rows(), p.layout, p.instances, pool_,
                  graph_likelihood(exact_sums())),
        hidden_(with_hidden(p.instances)),
        log_partition_(p.schema, p.data->rows(), p.layout, hidden_, pool_, 1e9),
        all_(labelled_, log_partition_, terms_, nullptr) {}
  // Of the terms alone.
  double operator()(const Vector& w, Vector& gradient) {
    Vector of_labelled(w.size());
    gradient.resize(w.size());
    const double whole = all_.evaluate(w, gradient);
    const double labelled = labelled_.evaluate(w, of_labelled);
    for (std::size_t k = 0; k < w.size(); ++k) gradient[k] -= of_labelled[k];
    return whole - labelled;
  }
  double operator()(const Vector& w) {
    Vector ignored;
    return (*this)(w, ignored);
  }

 private:
  UnlabelledTerms terms_;
  ThreadPool pool_;
  GraphFunction labelled_;
  std::vector<GraphInstance> hidden_;
  GraphLogPartition log_partition_;
  GraphWithUnlabelled all_;
};

void expect_gradient_by_differences(Problem& p, const UnlabelledTerms& of, double tolerance) {
  Terms terms(p, of);
  Vector gradient;
  terms(p.w, gradient);
  for (std::size_t k = 0; k < p.w.size(); ++k) {
    constexpr double kStep = 1e-5;
    Vector w = p.w;
    w[k] += kStep;
    const double above = terms(w);
    w[k] -= 2 * kStep;
    ASSERT_NEAR(gradient[k], (above - terms(w)) / (2 * kStep), tolerance) << "weight " << k;
  }
}

TEST(GraphUnlabelled, EntropyIsThatOfHiddenVariablesGivenTheKnown) {
  for (const double hidden : {1.0, 0.5}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const auto p = problem_number(seed, hidden);
      double entropy = 0;
      for_each_labelling(*p, p->w, [&](const auto& instance, const auto&, double probability) {
        if (probability > 0) entropy -= instance.weight * probability * std::log(probability);
      });
      EXPECT_NEAR(Terms(*p, {.entropy = 0.5})(p->w), 0.5 * entropy, 1e-9 * entropy);
      expect_gradient_by_differences(*p, {.entropy = 0.5}, 1e-6);
    }
  }
}

// Of features of words.
UnlabelledTerms terms_of(const Problem& p, const std::string& text,
                         UnlabelledOptions options = {}) {
  LineReader lines(text, "e.tsv");
  options.expectations = read_expectation_file(lines);
  return graph_terms(options, {.data = *p.data,
                               .layout = p.layout,
                               .features = p.features,
                               .labelled = {},
                               .unlabelled = p.instances});
}

TEST(GraphUnlabelled, ExpectationsAreTheDivergenceOfSharesOfHiddenVariables) {
  for (const double hidden : {1.0, 0.6}) {
    const auto p = problem_number(5, hidden);
    UnlabelledTerms terms = terms_of(*p, "own:f a=0.6 b=0.4\nown:(bias) a=0.2 b=0.3\n");
    terms.targets = 2;
    const Vector f = expected(*p, 1), bias = expected(*p, 0);
    const double n_f = f[0] + f[1] + f[2], n_bias = bias[0] + bias[1] + bias[2];
    const auto divergence = [](const Vector& t, const Vector& m, double n) {
      double sum = 0;
      for (std::size_t y = 0; y < 3; ++y) {
        if (t[y] > 0) sum += t[y] * std::log(t[y] * n / m[y]);
      }
      return sum;
    };
    const double value = 2 *
                         (n_f * divergence({0.6, 0.4, 0}, f, n_f) +
                          n_bias * divergence({0.2, 0.3, 0.5}, bias, n_bias)) /
                         (n_f + n_bias);
    EXPECT_NEAR(Terms(*p, terms)(p->w), value, 1e-9);
    terms.entropy = 0.3;
    expect_gradient_by_differences(*p, terms, 1e-6);
  }
}

TEST(GraphUnlabelled, BoundsThatAreKeptCostNothing) {
  const auto p = problem_number(6, 1);
  UnlabelledTerms terms = terms_of(*p, "own:g a>=0 b<=1\n");
  EXPECT_NEAR(Terms(*p, terms)(p->w), 0, 1e-7);
  terms = terms_of(*p, "own:g a>=0.8\n");
  EXPECT_GT(Terms(*p, terms)(p->w), 0.01);
  expect_gradient_by_differences(*p, terms, 1e-3);
}

TEST(GraphUnlabelled, ThreadsGiveTheSameBits) {
  const auto p = problem_number(7, 0.7);
  UnlabelledTerms terms = terms_of(*p, "own:f a=0.6 b=0.4\n");
  terms.entropy = 1;
  Vector one, three;
  const double value = Terms(*p, terms, 1)(p->w, one);
  EXPECT_EQ(Terms(*p, terms, 3)(p->w, three), value);
  EXPECT_EQ(one, three);
}

TEST(GraphUnlabelled, ProcessesGiveTheSameBits) {
  const auto evaluated = [](Ranks& helpers, Vector& gradient) {
    const auto p = problem_number(7, 0.7);
    UnlabelledTerms terms = terms_of(*p, "own:f a=0.6 b=0.4\n");
    terms.entropy = 1;
    return Terms(*p, terms, 1, helpers)(p->w, gradient);
  };
  Vector alone;
  const double value = evaluated(no_other_ranks(), alone);
  for_ranks(3, [&](Ranks& helpers) {
    Vector shared;
    EXPECT_EQ(evaluated(helpers, shared), value);
    EXPECT_EQ(shared, alone);
  });
}

TEST(GraphUnlabelled, LabelledDataSaysWhichSharesToExpect) {
  bool both = false;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto p = problem_number(seed, 0.5);
    UnlabelledOptions options;
    options.from_labelled = 1;
    const UnlabelledTerms terms = graph_terms(options, {.data = *p->data,
                                                        .layout = p->layout,
                                                        .features = p->features,
                                                        .labelled = p->instances,
                                                        .unlabelled = p->instances});
    for (const LabelTarget& each : terms.target) {
      double sum = 0;
      for (const double share : each.share) sum += share;
      EXPECT_NEAR(sum, 1, 1e-12);
    }
    ASSERT_GE(terms.target.size(), 2U);  // of each domain one feature, and its bias
    EXPECT_EQ(terms.attribute[1].name, "own:(bias)");
    if (terms.target.size() < 4) continue;  // no page has a label, or all have
    both = true;
    EXPECT_EQ(terms.attribute[3].name, "page:(bias)");
  }
  EXPECT_TRUE(both);
}

TEST(GraphUnlabelled, RefusesWhatCannotBeExpected) {
  const auto p = problem_number(9, 1);
  const auto message = [&](const std::string& line) {
    return message_of<InputError>([&] { terms_of(*p, line); });
  };
  EXPECT_NE(message("own:h a=1").find("a feature that no variable without a label has"),
            std::string::npos);
  EXPECT_NE(message("next:f a=1").find("no weight for each label of one variable"),
            std::string::npos);
  EXPECT_NE(message("own:f x=1").find("a label that the data does not have"), std::string::npos);
  EXPECT_NE(message("own:f a>=0.7 b>=0.7").find("lower bounds"), std::string::npos);
}

TEST(GraphUnlabelled, RefusesTreesThatAreTooWide) {
  const auto p = problem_number(10, 1);
  ThreadPool pool(1);
  EXPECT_NE(message_of<UsageError>([&] {
              GraphLogPartition(p->schema, p->data->rows(), p->layout, p->instances, pool, 100);
            }).find("divide it into smaller instances"),
            std::string::npos);
}

TEST(GraphSelfTraining, LabelsWhatItIsSureOfAndTrainsOnIt) {
  const auto p = problem_number(11, 0.5);
  ThreadPool pool(2);
  const GraphProblem problem{.schema = p->schema,
                             .rows = p->data->rows(),
                             .layout = p->layout,
                             .instances = p->instances,
                             .pool = pool};
  std::size_t known = 0, hidden = 0;
  const auto count = [&](std::span<const GraphInstance> instances) {
    known = 0, hidden = 0;
    for (const GraphInstance& each : instances) {
      for (const State y : each.known) ++(y == kUnobserved ? hidden : known);
    }
  };
  const SelfTrainedGraphs::Train train = [&](std::span<GraphInstance> instances,
                                             std::span<double>) {
    count(instances);
    return OptimizeResult();
  };
  SelfTrainedGraphs data(problem, {}, 0.7, train);
  const std::vector<Label> sure = data.sure_labels(SeenAttributes::all, p->w);
  // By enumeration.
  std::vector<Label> expected;
  for (GraphInstance& instance : p->instances) {
    std::vector<Vector> marginal;
    for (Variable v = 0; v < instance.known.size(); ++v) {
      marginal.emplace_back(instance.graph.states(v), 0.0);
    }
    for_each_labelling(*p, p->w, [&](const auto& of, const auto& x, double probability) {
      if (&of != &instance) return;
      for (Variable v = 0; v < x.size(); ++v) marginal[v][x[v]] += probability;
    });
    for (Variable v = 0; v < marginal.size(); ++v) {
      if (instance.known[v] != kUnobserved) continue;
      const auto best = std::ranges::max_element(marginal[v]);
      expected.push_back(*best >= 0.7 ? static_cast<Label>(best - marginal[v].begin()) : kAnyLabel);
    }
  }
  EXPECT_EQ(sure, expected);
  Vector w = p->w;
  data.train(SeenAttributes::all, {}, w);
  const std::size_t before = known;
  data.train(SeenAttributes::all, sure, w);
  EXPECT_EQ(known - before, static_cast<std::size_t>(std::ranges::count_if(sure, is_one_label)));
  EXPECT_GT(known, before);
}

}  // namespace
}  // namespace croft::graph_unlabelled_test
