// Markov random fields without inputs, and with densities of measurements.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "croft/inference/elimination_order.h"
#include "croft/inference/graph_brute_force.h"
#include "croft/inference/junction_tree.h"
#include "objective/graph/graph_objective.h"
#include "train/generative/gaussian_mixture_fit.h"
#include "train/kinds/graph_training.h"

namespace croft::generative_graph_test {
namespace {

using Edge = std::pair<Variable, Variable>;

// score = sum_i u_i x_i + sum_ij w_ij x_i x_j,  x in {-1, 1}: state 0 is -1.
struct Ising {
  std::size_t sites = 0;
  std::vector<Edge> edges;
  std::vector<double> u, w;

  FactorGraph graph() const {
    FactorGraph g;
    for (std::size_t i = 0; i < sites; ++i) g.add_variable(2);
    for (Variable i = 0; i < sites; ++i) g.add_factor({i}, g.add_table(std::vector{-u[i], u[i]}));
    for (std::size_t e = 0; e < edges.size(); ++e) {
      g.add_factor({edges[e].first, edges[e].second}, g.add_potts(w[e], -w[e]));
    }
    return g;
  }
};

Ising grid(std::size_t side, std::uint64_t seed) {
  Random random(seed);
  Ising ising{.sites = side * side, .edges = {}, .u = {}, .w = {}};
  for (Variable i = 0; i < ising.sites; ++i) {
    ising.u.push_back(0.3 * random.normal());
    if (i % side + 1 < side) ising.edges.emplace_back(i, i + 1);
    if (i + side < ising.sites) ising.edges.emplace_back(i, i + side);
  }
  for (std::size_t e = 0; e < ising.edges.size(); ++e) ising.w.push_back(0.4 * random.normal());
  return ising;
}

std::vector<std::vector<State>> sample(const Ising& ising, std::size_t count, std::uint64_t seed) {
  const FactorGraph graph = ising.graph();
  Random random(seed);
  return JunctionTree(graph, find_elimination_order(graph)).samples(count, random);
}

// A feature for each site and each edge: a weight 2u of state 1, 2w of equal states (LG.3).
struct IsingData {
  CliqueSchema schema;
  std::unique_ptr<CliqueData> data;
  std::vector<StringTable> features;
};

IsingData data_of(const std::vector<std::vector<State>>& samples, const std::vector<Edge>& edges) {
  IsingData d;
  d.schema.domains = {{"spin", {"-1", "1"}}};
  d.schema.templates = {{"field", {0}, Interaction(InteractionKind::listed, {2}, {1})},
                        {"edge", {0, 0}, Interaction(InteractionKind::same, {2, 2})}};
  d.features.resize(2);
  d.data = std::make_unique<CliqueData>(d.schema);
  for (std::size_t n = 0; n < samples.size(); ++n) {
    std::vector<std::uint32_t> v;
    for (std::size_t i = 0; i < samples[n].size(); ++i) {
      v.push_back(d.data->add_variable(0, std::to_string(n), samples[n][i]));
      d.data->add_clique(0, {v[i]}, {{d.features[0].insert("u" + std::to_string(i)), 1.0}});
    }
    for (std::size_t e = 0; e < edges.size(); ++e) {
      d.data->add_clique(1, {v[edges[e].first], v[edges[e].second]},
                         {{d.features[1].insert("w" + std::to_string(e)), 1.0}});
    }
  }
  return d;
}

// Means over all assignments, or over samples, of x_i and of x_i x_j.
struct Moments {
  std::vector<double> one, two;
};

Moments moments(const Ising& ising) {
  const FactorGraph graph = ising.graph();
  Moments m{std::vector<double>(ising.sites, 0), std::vector<double>(ising.edges.size(), 0)};
  const double log_z = static_cast<double>(brute_force(graph).log_partition);
  for_each_assignment(graph, [&](std::span<const State> x, long double score) {
    const double p = std::exp(static_cast<double>(score) - log_z);
    const auto spin = [&](Variable i) { return x[i] == 1 ? 1.0 : -1.0; };
    for (Variable i = 0; i < ising.sites; ++i) m.one[i] += p * spin(i);
    for (std::size_t e = 0; e < ising.edges.size(); ++e) {
      m.two[e] += p * spin(ising.edges[e].first) * spin(ising.edges[e].second);
    }
  });
  return m;
}

Moments moments(const std::vector<std::vector<State>>& samples, const Ising& ising) {
  Moments m{std::vector<double>(ising.sites, 0), std::vector<double>(ising.edges.size(), 0)};
  const double share = 1.0 / static_cast<double>(samples.size());
  for (const auto& x : samples) {
    const auto spin = [&](Variable i) { return x[i] == 1 ? 1.0 : -1.0; };
    for (Variable i = 0; i < ising.sites; ++i) m.one[i] += share * spin(i);
    for (std::size_t e = 0; e < ising.edges.size(); ++e) {
      m.two[e] += share * spin(ising.edges[e].first) * spin(ising.edges[e].second);
    }
  }
  return m;
}

GraphTrainOptions sharp_options() {
  GraphTrainOptions options;
  options.regulariser.l2 = 0;
  options.stop.tolerance = 0;
  options.stop.gradient_tolerance = 1e-7;
  return options;
}

TEST(IsingTraining, HasTheDifferencesOfMomentsAsItsGradient) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Ising ising = grid(3, seed);
    const auto samples = sample(ising, 30, seed);
    IsingData d = data_of(samples, ising.edges);
    std::vector<GraphInstance> instances = d.data->unroll();
    const std::vector<std::size_t> features{d.features[0].size(), d.features[1].size()};
    const GraphLayout layout = make_graph_layout(d.schema, d.data->rows(), instances, features, {});
    ThreadPool pool(1);
    GraphFunction f(d.schema, d.data->rows(), layout, instances, pool,
                    graph_likelihood(exact_sums()));
    Random random(seed + 100);
    for (double& each : ising.u) each = random.normal();
    for (double& each : ising.w) each = random.normal();
    std::vector<double> w;
    for (const double each : ising.u) w.push_back(2 * each);
    for (const double each : ising.w) w.push_back(2 * each);
    std::vector<double> gradient(w.size());
    f.evaluate(w, gradient);
    const Moments model = moments(ising), data = moments(samples, ising);
    for (std::size_t i = 0; i < ising.sites; ++i) {
      EXPECT_NEAR(2 * gradient[i] / 30, model.one[i] - data.one[i], 1e-9);
    }
    for (std::size_t e = 0; e < ising.edges.size(); ++e) {
      EXPECT_NEAR(2 * gradient[ising.sites + e] / 30, model.two[e] - data.two[e], 1e-9);
    }
  }
}

TEST(IsingTraining, MatchesTheMomentsOfItsSamples) {
  Ising ising = grid(3, 5);
  const auto samples = sample(ising, 500, 5);
  IsingData d = data_of(samples, ising.edges);
  GraphTraining training(*d.data, d.features);
  training.run(sharp_options(), {});
  for (std::size_t i = 0; i < ising.sites; ++i) ising.u[i] = training.weights()[i] / 2;
  for (std::size_t e = 0; e < ising.edges.size(); ++e) {
    ising.w[e] = training.weights()[ising.sites + e] / 2;
  }
  const Moments model = moments(ising), data = moments(samples, ising);
  for (std::size_t i = 0; i < ising.sites; ++i) EXPECT_NEAR(model.one[i], data.one[i], 1e-5);
  for (std::size_t e = 0; e < ising.edges.size(); ++e) {
    EXPECT_NEAR(model.two[e], data.two[e], 1e-5);
  }
}

// Standard errors of the maximum of the likelihood, by the inverse of N times the covariance of
// the model's statistics: enumerated.
std::vector<double> standard_errors(const Ising& ising, std::size_t samples) {
  const FactorGraph graph = ising.graph();
  const std::size_t n = ising.sites + ising.edges.size();
  const Moments mean = moments(ising);
  const double log_z = static_cast<double>(brute_force(graph).log_partition);
  std::vector<double> a(n * 2 * n, 0);  // [covariance | identity], to be reduced
  for_each_assignment(graph, [&](std::span<const State> x, long double score) {
    const double p = std::exp(static_cast<double>(score) - log_z);
    std::vector<double> f;
    const auto spin = [&](Variable i) { return x[i] == 1 ? 1.0 : -1.0; };
    for (Variable i = 0; i < ising.sites; ++i) f.push_back(spin(i) - mean.one[i]);
    for (std::size_t e = 0; e < ising.edges.size(); ++e) {
      f.push_back(spin(ising.edges[e].first) * spin(ising.edges[e].second) - mean.two[e]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) a[i * 2 * n + j] += p * f[i] * f[j];
    }
  });
  for (std::size_t i = 0; i < n; ++i) a[i * 2 * n + n + i] = 1;
  for (std::size_t k = 0; k < n; ++k) {
    const double pivot = a[k * 2 * n + k];
    for (std::size_t j = 0; j < 2 * n; ++j) a[k * 2 * n + j] /= pivot;
    for (std::size_t i = 0; i < n; ++i) {
      const double times = a[i * 2 * n + k];
      if (i == k || times == 0) continue;
      for (std::size_t j = 0; j < 2 * n; ++j) a[i * 2 * n + j] -= times * a[k * 2 * n + j];
    }
  }
  std::vector<double> errors;
  for (std::size_t i = 0; i < n; ++i) {
    errors.push_back(std::sqrt(a[i * 2 * n + n + i] / static_cast<double>(samples)));
  }
  return errors;
}

TEST(IsingTraining, RecoversItsParametersWithinStandardErrors) {
  const Ising ising = grid(3, 7);
  constexpr std::size_t kSamples = 3000;
  const std::vector<double> error = standard_errors(ising, kSamples);
  for (const Objective kind : {Objective::likelihood, Objective::pseudolikelihood}) {
    double squares = 0, count = 0;
    for (std::uint64_t replica = 0; replica < 4; ++replica) {
      IsingData d = data_of(sample(ising, kSamples, 70 + replica), ising.edges);
      GraphTraining training(*d.data, d.features);
      GraphTrainOptions options = sharp_options();
      options.stop.gradient_tolerance = 1e-5;
      options.objective = kind;
      training.run(options, {});
      for (std::size_t k = 0; k < error.size(); ++k) {
        const double truth = k < ising.sites ? ising.u[k] : ising.w[k - ising.sites];
        const double z = (training.weights()[k] / 2 - truth) / error[k];
        EXPECT_LT(std::abs(z), 4.5);
        squares += z * z;
        count += 1;
      }
    }
    EXPECT_GT(squares / count, 0.6);  // of 84 squares the mean's deviation is 0.15
    EXPECT_LT(squares / count, 1.6);  // pseudo-likelihood's errors are a little larger
  }
}

TEST(IsingTraining, FindsTheEdgesOfASparseModelByL1) {
  constexpr std::size_t kSites = 9, kSamples = 1500;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Random random(seed);
    std::vector<Edge> all;
    for (Variable i = 0; i < kSites; ++i) {
      for (Variable j = i + 1; j < kSites; ++j) all.emplace_back(i, j);
    }
    Ising ising{.sites = kSites, .edges = {}, .u = std::vector<double>(kSites, 0), .w = {}};
    std::set<Edge> truth;
    while (truth.size() < 9) truth.insert(all[random.below(all.size())]);
    ising.edges.assign(truth.begin(), truth.end());
    for (std::size_t e = 0; e < 9; ++e) ising.w.push_back(random.below(2) == 0 ? 0.5 : -0.5);
    IsingData d = data_of(sample(ising, kSamples, seed), all);
    GraphTraining training(*d.data, d.features);
    GraphTrainOptions options = sharp_options();
    options.objective = Objective::pseudolikelihood;
    options.stop.gradient_tolerance = 1e-5;
    // About twice the largest gradient that chance gives an edge that is not there.
    options.regulariser.l1 =
        2 * std::sqrt(std::log(static_cast<double>(all.size())) * static_cast<double>(kSamples));
    training.run(options, {});
    EXPECT_EQ(options.chosen_method(), Method::owlqn);
    std::set<Edge> found;
    for (std::size_t e = 0; e < all.size(); ++e) {
      if (training.weights()[kSites + e] != 0) found.insert(all[e]);
    }
    EXPECT_EQ(found, truth) << "seed " << seed;
  }
}

// --- scores that are not trained, and measurements

CliqueSchema picture_schema() {
  CliqueSchema schema;
  schema.domains = {{"pixel", {"back", "fore"}}};
  schema.templates = {{"grey", {0}, Interaction(InteractionKind::table, {2}), true},
                      {"own", {0}, Interaction(InteractionKind::table, {2})},
                      {"pair", {0, 0}, Interaction(InteractionKind::same, {2, 2})}};
  return schema;
}

TEST(TemplateOfScores, AddsThemAndHasNoWeights) {
  const CliqueSchema schema = picture_schema();
  CliqueData data(schema);
  const auto a = data.add_variable(0, "g", 1), b = data.add_variable(0, "g", 0);
  data.add_clique(0, {a}, {{0, -1.5}, {1, 2.0}});
  data.add_clique(0, {b}, {{1, -0.5}});
  data.add_clique(1, {a}, {{0, 1.0}});
  data.add_clique(2, {a, b}, {{0, 1.0}});
  std::vector<StringTable> features(3);
  features[1].insert("1");
  features[2].insert("1");
  GraphTraining training(data, features);
  GraphTrainOptions options = sharp_options();
  options.regulariser.l2 = 1;
  const GraphTrainResult result = training.run(options, {});
  EXPECT_EQ(result.dimension, 3u);
  const GraphInstance& instance = training.instances()[0];
  const auto w = training.weights();
  for (State i = 0; i < 2; ++i) {
    for (State j = 0; j < 2; ++j) {
      const double expected =
          (i == 0 ? -1.5 : 2.0) + (j == 1 ? -0.5 : 0) + w[i] + (i == j ? w[2] : 0);
      EXPECT_NEAR(instance.graph.score(std::vector<State>{i, j}), expected, 1e-3);
    }
  }
  // Stochastic methods pass them by, too.
  options.method = Method::sgd;
  options.stop.gradient_tolerance = 0;
  options.stop.max_iterations = 300;
  EXPECT_NEAR(training.run(options, {}).optimization.objective, result.optimization.objective,
              0.02);
  // A model file keeps what they are.
  const GraphModel model(
      Container::from_bytes(training.model(Json::object(), Json::object()).bytes(), "test"));
  EXPECT_TRUE(model.schema().templates[0].scores);
  EXPECT_FALSE(model.schema().templates[1].scores);
  CliqueData fresh(model.schema());
  const auto v = fresh.add_variable(0, "h");
  fresh.add_clique(0, {v}, {{0, 0.25}, {1, 0.5}});
  auto instances = fresh.unroll();
  std::vector<double> scratch;
  model.score(fresh.rows(), instances[0], scratch);
  EXPECT_EQ(instances[0].graph.score(std::vector<State>{0}), 0.25);
  EXPECT_EQ(instances[0].graph.score(std::vector<State>{1}), 0.5);
}

TEST(TemplateOfScores, TakesScoresOfItsCellsAlone) {
  const CliqueSchema schema = picture_schema();
  CliqueData data(schema);
  const auto v = data.add_variable(0, "g");
  EXPECT_THROW(data.add_clique(0, {v}, {{2, 1.0}}), UsageError);
  EXPECT_THROW(data.add_clique(0, {v}, {{0, INFINITY}}), UsageError);
  EXPECT_THROW(data.add_clique(0, {v}, {{0, NAN}}), UsageError);
  data.add_clique(0, {v}, {{0, -INFINITY}});  // forbids the state
}

// Potts with Gaussian-mixture observations: weights from the labels alone, mixtures from the
// measurements of each label, and the posterior of Bayes' rule.
TEST(MixturesBesideAField, GiveThePosteriorOfBayesRule) {
  Random random(3);
  const CliqueSchema schema = picture_schema();
  std::vector<StringTable> features(3);
  features[1].insert("1");
  features[2].insert("1");
  // Strips of labels that mostly go on, and grey values of them.
  std::vector<double> x;
  std::vector<State> label;
  CliqueData labels(schema);
  std::uint32_t before = 0;
  for (std::size_t t = 0; t < 600; ++t) {
    const State y = t % 6 == 0                ? static_cast<State>(random.below(2))
                    : random.uniform() < 0.85 ? label.back()
                                              : 1 - label.back();
    label.push_back(y);
    x.push_back((y == 0 ? 0.0 : random.uniform() < 0.5 ? 1.5 : -1.5) + 0.7 * random.normal());
    const auto v = labels.add_variable(0, std::to_string(t / 6), y);
    labels.add_clique(1, {v}, {{0, 1.0}});
    if (t % 6 > 0) labels.add_clique(2, {before, v}, {{0, 1.0}});
    before = v;
  }
  GraphTraining training(labels, features);
  GraphTrainOptions options = sharp_options();
  options.regulariser.l2 = 0.01;
  training.run(options, {});
  // The chain's weight is that of a share of 0.85 of equal neighbours.
  EXPECT_NEAR(training.weights()[2], std::log(0.85 / 0.15), 0.3);
  ThreadPool pool(1);
  const LabelMixtures mixtures =
      fit_label_mixtures(x, 1, label, schema.domains[0].labels, {.components = 2}, pool);
  const GraphModel model(
      Container::from_bytes(training.model(to_json(mixtures), Json::object()).bytes(), "test"));
  const LabelMixtures kept = label_mixtures_of(model.source());
  CliqueData fresh(model.schema());
  const std::vector<double> seen{1.4, 0.1, -1.6, 0.6};
  std::vector<double> score(2);
  for (std::size_t t = 0; t < seen.size(); ++t) {
    const auto v = fresh.add_variable(0, "new");
    kept.scores(std::span(&seen[t], 1), score);
    fresh.add_clique(0, {v}, {{0, score[0]}, {1, score[1]}});
    fresh.add_clique(1, {v}, {{0, 1.0}});
    if (t > 0) fresh.add_clique(2, {v - 1, v}, {{0, 1.0}});
  }
  auto instances = fresh.unroll();
  std::vector<double> scratch;
  model.score(fresh.rows(), instances[0], scratch);
  const GraphBruteForce p = brute_force(instances[0].graph);
  // p(y | x) by p(y) of the trained field and the densities.
  const auto w = training.weights();
  std::vector<double> fore(4, 0);
  double total = 0;
  for (unsigned all = 0; all < 16; ++all) {
    double log_joint = 0;
    for (unsigned t = 0; t < 4; ++t) {
      const unsigned y = all >> t & 1;
      log_joint += w[y] + mixtures.of_label[y].log_density(std::span(&seen[t], 1));
      if (t > 0 && y == (all >> (t - 1) & 1)) log_joint += w[2];
    }
    total += std::exp(log_joint);
    for (unsigned t = 0; t < 4; ++t) fore[t] += (all >> t & 1) != 0 ? std::exp(log_joint) : 0;
  }
  for (std::size_t t = 0; t < 4; ++t) {
    EXPECT_NEAR(static_cast<double>(p.variable[t][1]), fore[t] / total, 1e-6);
  }
}

}  // namespace
}  // namespace croft::generative_graph_test
