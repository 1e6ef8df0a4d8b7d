#include "train/generative/measured_field.h"

#include <gtest/gtest.h>

#include <cmath>

#include "croft/core/error.h"
#include "croft/core/random.h"

namespace croft::measured_field_test {
namespace {

constexpr std::size_t kStates = 3;

// Cycles of four pixels: neighbours are mostly equal, and a label shows in two measurements.
struct Field {
  CliqueSchema schema;
  std::unique_ptr<CliqueData> data;
  std::vector<StringTable> features;
  std::vector<Measurements> measurements;
  std::vector<State> truth;
};

//   told : share of labels that are known
Field make_field(std::size_t cycles, double told, std::uint64_t seed, std::size_t components = 1,
                 Covariance covariance = Covariance::full) {
  Random random(seed);
  Field f;
  f.schema.domains = {{"pixel", {"A", "B", "C"}}};
  f.schema.templates = {{"pixel", {0}, Interaction(InteractionKind::table, {kStates})},
                        {"pair", {0, 0}, Interaction(InteractionKind::same, {kStates, kStates})}};
  f.features.resize(2);
  f.features[0].insert("1");
  f.features[1].insert("1");
  f.data = std::make_unique<CliqueData>(f.schema);
  Measurements& m = f.measurements.emplace_back();
  m.dimension = 2;
  m.options.components = components;
  m.options.covariance = covariance;
  for (std::size_t n = 0; n < cycles; ++n) {
    State y = static_cast<State>(random.below(kStates));
    std::vector<std::uint32_t> cycle;
    for (int k = 0; k < 4; ++k) {
      if (random.uniform() < 0.2) y = static_cast<State>(random.below(kStates));
      f.truth.push_back(y);
      const State known = random.uniform() < told ? y : kUnobserved;
      cycle.push_back(f.data->add_variable(0, std::to_string(n), known));
      f.data->add_clique(0, {cycle.back()}, {{0, 1.0}});
      if (random.uniform() < 0.1) continue;  // nobody has measured it
      m.variable.push_back(cycle.back());
      m.x.push_back(3.0 * (y == 1) + random.normal());
      m.x.push_back(3.0 * (y == 2) + 0.5 * m.x.back() + random.normal());
    }
    for (int k = 0; k < 4; ++k) f.data->add_clique(1, {cycle[k], cycle[(k + 1) % 4]}, {{0, 1.0}});
  }
  return f;
}

GraphTrainOptions em_options(std::size_t iterations) {
  GraphTrainOptions options;
  options.em.emplace();
  options.stop.max_iterations = iterations;
  options.stop.tolerance = 0;
  options.stop.gradient_tolerance = 0;
  return options;
}

// Sums over all labels of a cycle, with densities and without.
struct Enumeration {
  double log_z = 0, log_z_known = 0;
  std::vector<std::array<double, kStates>> gamma;  // [4]
};

Enumeration enumerate(const Field& f, std::size_t cycle, std::span<const double> w,
                      const LabelMixtures* densities) {
  std::vector<std::array<double, kStates>> log_p(4);
  for (auto& each : log_p) each.fill(0);
  for (std::size_t i = 0; i < f.measurements[0].variable.size(); ++i) {
    const std::uint32_t v = f.measurements[0].variable[i];
    if (v / 4 == cycle) {
      densities->scores(std::span(f.measurements[0].x).subspan(2 * i, 2), log_p[v % 4]);
    }
  }
  Enumeration sums;
  sums.gamma.resize(4);
  for (auto& each : sums.gamma) each.fill(0);
  double z = 0, z_known = 0;
  for (std::size_t joint = 0; joint < 81; ++joint) {
    const std::size_t y[4] = {joint % 3, joint / 3 % 3, joint / 9 % 3, joint / 27};
    double score = 0, density = 0;
    bool allowed = true;
    for (std::size_t k = 0; k < 4; ++k) {
      score += w[y[k]] + (y[k] == y[(k + 1) % 4] ? w[3] : 0);
      density += log_p[k][y[k]];
      const State known = f.data->known(static_cast<std::uint32_t>(4 * cycle + k));
      allowed = allowed && (known == kUnobserved || known == y[k]);
    }
    z += std::exp(score);
    if (!allowed) continue;
    const double p = std::exp(score + density);
    z_known += p;
    for (std::size_t k = 0; k < 4; ++k) sums.gamma[k][y[k]] += p;
  }
  for (auto& each : sums.gamma) {
    for (double& p : each) p /= z_known;
  }
  sums.log_z = std::log(z);
  sums.log_z_known = std::log(z_known);
  return sums;
}

TEST(MeasuredField, ObjectiveIsThatOfAllLabelsAndNeverRises) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const double told = seed % 3 == 0 ? 0 : 0.3;
    Field f = make_field(8, told, seed, 1 + seed % 2,
                         seed % 4 < 2 ? Covariance::full : Covariance::diagonal);
    MeasuredField field(*f.data, f.features, f.measurements);
    const GraphTrainOptions options = em_options(25);
    double before = HUGE_VAL;
    const GraphTrainResult result = field.run(options, [&](const TrainProgress& now) {
      EXPECT_LE(now.iteration.objective, before) << "seed " << seed;
      before = now.iteration.objective;
      return true;
    });
    EXPECT_GT(result.optimization.iterations, 3u);
    double expected = 0;
    for (std::size_t n = 0; n < 8; ++n) {
      const Enumeration sums = enumerate(f, n, field.weights(), field.densities().data());
      expected += sums.log_z - sums.log_z_known;
    }
    for (const double w : field.weights()) expected += w * w / 2;
    EXPECT_NEAR(result.optimization.objective, expected, 1e-8 * std::abs(expected));
  }
}

TEST(MeasuredField, AStepTakesTheMeansThatAllLabelsExpect) {
  Field f = make_field(10, 0.4, 7);
  std::vector<State> label;
  for (const std::uint32_t v : f.measurements[0].variable) label.push_back(f.data->known(v));
  ThreadPool pool(1);
  const LabelMixtures start = start_label_mixtures(
      f.measurements[0].x, 2, label, f.schema.domains[0].labels, f.measurements[0].options, pool);
  MeasuredField field(*f.data, f.features, f.measurements);
  GraphTrainOptions options = em_options(1);
  options.start_deviation = 0;  // the field starts at p(y) = 1 / 81
  field.run(options, {});
  std::array<double, kStates> mass{}, first{}, second{};
  const Measurements& m = f.measurements[0];
  for (std::size_t i = 0; i < m.variable.size(); ++i) {
    const Enumeration sums = enumerate(f, m.variable[i] / 4, std::vector<double>(4, 0.0), &start);
    for (std::size_t y = 0; y < kStates; ++y) {
      const double gamma = sums.gamma[m.variable[i] % 4][y];
      mass[y] += gamma;
      first[y] += gamma * m.x[2 * i];
      second[y] += gamma * m.x[2 * i + 1];
    }
  }
  for (std::size_t y = 0; y < kStates; ++y) {
    const auto mean = field.densities()[0].of_label[y].mean();
    EXPECT_NEAR(mean[0], first[y] / mass[y], 1e-9);
    EXPECT_NEAR(mean[1], second[y] / mass[y], 1e-9);
  }
}

TEST(MeasuredField, WithAllLabelsKnownDensitiesAreThoseOfTheLabels) {
  Field f = make_field(20, 1, 3);
  ThreadPool pool(1);
  std::vector<State> label;
  for (const std::uint32_t v : f.measurements[0].variable) label.push_back(f.data->known(v));
  const LabelMixtures expected = fit_label_mixtures(
      f.measurements[0].x, 2, label, f.schema.domains[0].labels, f.measurements[0].options, pool);
  MeasuredField field(*f.data, f.features, f.measurements);
  field.run(em_options(5), {});
  for (std::size_t y = 0; y < kStates; ++y) {
    const auto a = field.densities()[0].of_label[y].covariance();
    const auto b = expected.of_label[y].covariance();
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-9);
  }
}

TEST(MeasuredField, FindsTheLabelsThatNobodyKnows) {
  Field f = make_field(60, 0, 5);
  MeasuredField field(*f.data, f.features, f.measurements);
  GraphTrainOptions options = em_options(60);
  options.starts = 3;
  const GraphTrainResult result = field.run(options, {});
  EXPECT_EQ(result.objectives.size(), 3u);
  EXPECT_EQ(result.optimization.objective, *std::ranges::min_element(result.objectives));
  EXPECT_GT(field.weights()[3], 0.5);  // neighbours are mostly equal
  // Up to the labels' names: most pixels of a label have the same most probable one.
  std::size_t count[kStates][kStates] = {};
  for (std::size_t n = 0; n < 60; ++n) {
    const Enumeration sums = enumerate(f, n, field.weights(), field.densities().data());
    for (std::size_t k = 0; k < 4; ++k) {
      ++count[f.truth[4 * n + k]][std::ranges::max_element(sums.gamma[k]) - sums.gamma[k].begin()];
    }
  }
  std::size_t right = 0;
  for (const auto& row : count) right += *std::ranges::max_element(row);
  EXPECT_GT(right, 240 * 0.85);
}

TEST(MeasuredField, ThreadsChangeNothing) {
  std::vector<double> found[2];
  for (std::size_t threads : {1, 3}) {
    Field f = make_field(30, 0.2, 9, 2);
    MeasuredField field(*f.data, f.features, f.measurements);
    GraphTrainOptions options = em_options(5);
    options.threads = threads;
    field.run(options, {});
    std::vector<double>& to = found[threads / 2];
    to.assign(field.weights().begin(), field.weights().end());
    for (const GaussianMixture& each : field.densities()[0].of_label) {
      to.insert(to.end(), each.mean().begin(), each.mean().end());
    }
  }
  EXPECT_EQ(found[0], found[1]);
}

TEST(MeasuredField, WhatItHasNoUseForIsRefused) {
  const auto refuses = [](const GraphTrainOptions& options) {
    Field f = make_field(4, 0.5, 2);
    MeasuredField field(*f.data, f.features, f.measurements);
    EXPECT_THROW(field.run(options, {}), UsageError);
  };
  GraphTrainOptions options = em_options(5);
  options.em.reset();
  refuses(options);
  options = em_options(5);
  options.objective = Objective::perceptron;
  refuses(options);
  options = em_options(5);
  options.method = Method::sgd;
  refuses(options);
}

}  // namespace
}  // namespace croft::measured_field_test
