// Objectives between generative and discriminative: values by enumeration of all labellings,
// derivatives by differences, and the estimates that they end in.
#include "train/generative/hmm_criterion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "croft/optimize/lbfgs.h"
#include "support/message_of.h"
#include "support/naive_hmm.h"
#include "train/kinds/hmm_training.h"

namespace croft::hmm_criterion_test {
namespace {

using testing_support::HmmPosition;
using testing_support::HmmSequence;
using testing_support::NaiveHmm;
using testing_support::random_hmm_data;

constexpr HmmObjective kObjectives[] = {HmmObjective::conditional, HmmObjective::multi_conditional,
                                        HmmObjective::hybrid};

std::vector<HmmSequence> without_labels_of(std::vector<HmmSequence> data, std::size_t labels) {
  for (HmmSequence& x : data) {
    for (HmmPosition& position : x.positions) {
      for (Label y = 0; y < labels; ++y) position.known.insert(y);
    }
  }
  return data;
}

std::vector<HmmSequence> without_observations_of(std::vector<HmmSequence> data) {
  for (HmmSequence& x : data) {
    for (HmmPosition& position : x.positions) position.seen.clear();
  }
  return data;
}

// Some data with a criterion, and the naive model of weights.
struct Problem {
  Problem(std::uint64_t seed, HmmObjective objective) : random(seed), labels(2 + seed % 2) {
    data = random_hmm_data({.labels = labels, .longest = 3}, random);
    encoder = testing_support::encoded(data, labels);
    layout = make_hmm_layout(without_labels(encoder.data), encoder.node_names, labels);
    smoothing = {.emission = 0.3, .transition = 0.2, .end = seed % 3 == 0};
    HmmCounts counts;
    counts.reset(layout);
    count_labels(encoder.data, layout, Counted::known, counts);
    p = hmm_shape(layout, encoder.node_names);
    estimate_hmm(layout, counts, smoothing, UnknownValues{.rare = 1}, p);
    options = {.objective = objective, .generative_weight = 0.7, .coupling = 0.4};
    criterion = std::make_unique<HmmCriterion>(encoder.data, layout, options, smoothing, p, pool);
    w.resize(criterion->dimension());
    for (double& x : w) x = random.normal();
  }

  NaiveHmm naive() const {
    NaiveHmm hmm;
    hmm.labels = labels;
    hmm.has_end = smoothing.end;
    for (Label i = 0; i < labels; ++i) {
      hmm.start[i] = std::exp(p.start[i]);
      if (hmm.has_end) hmm.end[i] = std::exp(p.end[i]);
      for (Label j = 0; j < labels; ++j) hmm.transition[{i, j}] = std::exp(p.transition(i, j));
    }
    for (std::size_t v = 0; v < p.values(); ++v) {
      for (std::uint64_t c = p.begin[v]; c < p.begin[v + 1]; ++c) {
        hmm.emission[{p.value[v], p.cell[c]}] = std::exp(p.log[c]);
      }
    }
    return hmm;
  }

  Random random;
  std::size_t labels;
  std::vector<HmmSequence> data;
  ChainEncoder encoder;
  HmmLayout layout;
  HmmSmoothing smoothing;
  HmmParameters p;
  HmmCriterionOptions options;
  ThreadPool pool{2};
  std::unique_ptr<HmmCriterion> criterion;
  std::vector<double> w;
};

TEST(HmmCriterion, IsItsDefinitionOverAllLabellings) {
  for (const HmmObjective objective : kObjectives) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      Problem of(seed, objective);
      std::vector<double> gradient(of.w.size());
      const double value = of.criterion->evaluate(of.w, gradient);
      const bool hybrid = objective == HmmObjective::hybrid;
      const std::size_t size = of.w.size() / (hybrid ? 2 : 1);
      of.criterion->set_probabilities(of.w, of.p);
      const auto log_p = [&](const std::vector<HmmSequence>& data) {
        return of.naive().expect(data).log_likelihood;
      };
      const auto bare = without_labels_of(of.data, of.labels);
      double truth = log_p(of.data) - log_p(bare) + log_prior(of.layout, of.smoothing, of.p);
      if (objective == HmmObjective::multi_conditional) {
        truth += 0.7 * (log_p(of.data) - log_p(without_observations_of(of.data)));
      }
      if (hybrid) {
        // theta' is theta at -e.
        for (double& e : std::span(of.w).subspan(size)) e = -e;
        of.criterion->set_probabilities(of.w, of.p);
        truth += log_p(bare);
        const double c = of.options.coupling;
        for (const double e : std::span(of.w).subspan(size)) truth -= c / 2 * e * e / (1 + c);
      }
      EXPECT_NEAR(-value, truth, 1e-9 * std::abs(truth)) << name_of(objective) << seed;
    }
  }
}

TEST(HmmCriterion, HasTheDerivativesOfItsValues) {
  for (const HmmObjective objective : kObjectives) {
    for (std::uint64_t seed = 20; seed < 26; ++seed) {
      Problem of(seed, objective);
      std::vector<double> gradient(of.w.size()), unused(of.w.size());
      of.criterion->evaluate(of.w, gradient);
      for (std::size_t k = 0; k < of.w.size(); ++k) {
        constexpr double kStep = 1e-5;
        const double at = of.w[k];
        of.w[k] = at + kStep;
        const double above = of.criterion->evaluate(of.w, unused);
        of.w[k] = at - kStep;
        const double below = of.criterion->evaluate(of.w, unused);
        of.w[k] = at;
        EXPECT_NEAR(gradient[k], (above - below) / (2 * kStep), 1e-6) << name_of(objective) << k;
      }
    }
  }
}

TEST(HmmCriterion, ThePenaltyIsWhatThePriorsAddToIt) {
  for (const HmmObjective objective : kObjectives) {
    Problem of(31, objective);
    Problem free(31, objective);
    free.smoothing.emission = free.smoothing.transition = 0;
    free.options.coupling = 0;
    free.criterion = std::make_unique<HmmCriterion>(free.encoder.data, free.layout, free.options,
                                                    free.smoothing, free.p, free.pool);
    std::vector<double> unused(of.w.size());
    const double without = of.criterion->evaluate(of.w, unused) - of.criterion->penalty(of.w);
    if (objective == HmmObjective::hybrid) {  // e without coupling
      for (double& e : std::span(of.w).subspan(of.w.size() / 2)) e /= std::sqrt(1 + 0.4);
    }
    EXPECT_NEAR(without, free.criterion->evaluate(of.w, unused), 1e-9);
  }
}

HmmParameters trained(const std::vector<HmmSequence>& data, std::size_t labels,
                      const HmmOptions& options) {
  ExtractionConfig config;
  config.format = InputFormat::attributes;
  const Extractor extractor(config);
  HmmTraining training(extractor);
  training.read_partial_labels({});
  for (const HmmSequence& x : data) training.add(testing_support::to_text(x, labels));
  training.run(options);
  return training.parameters();
}

double furthest(const HmmParameters& p, const HmmParameters& q) {
  double most = 0;
  const auto see = [&](double x, double y) {
    most = std::max(most, std::abs(std::exp(x) - std::exp(y)));
  };
  for (std::size_t i = 0; i < p.labels; ++i) {
    see(p.start[i], q.start[i]);
    for (std::size_t j = 0; j < p.labels; ++j) see(p.transition(i, j), q.transition(i, j));
  }
  // A value and label that were never seen together have no cell in counts.
  if (p.log.size() != q.log.size()) return most;
  for (std::size_t c = 0; c < p.log.size(); ++c) see(p.log[c], q.log[c]);
  return most;
}

std::vector<HmmSequence> some_data(double complete) {
  Random random(5);
  return random_hmm_data({.labels = 3, .sequences = 40, .longest = 5, .complete = complete},
                         random);
}

HmmOptions thorough(HmmObjective objective, double coupling = 1) {
  HmmOptions options;
  options.smoothing = {.emission = 0.5, .transition = 0.5, .end = false};
  options.criterion = {.objective = objective, .coupling = coupling};
  options.em_iterations = 5000;
  options.tolerance = 0;
  return options;
}

TEST(HmmCriterion, HybridWithoutCouplingIsTheConditionalLikelihood) {
  const auto data = some_data(1);
  EXPECT_LT(furthest(trained(data, 3, thorough(HmmObjective::hybrid, 0)),
                     trained(data, 3, thorough(HmmObjective::conditional))),
            1e-3);
}

TEST(HmmCriterion, HybridWithMuchCouplingIsTheLikelihood) {
  const auto data = some_data(1);
  const HmmParameters joint = trained(data, 3, thorough(HmmObjective::likelihood));
  const HmmParameters much = trained(data, 3, thorough(HmmObjective::hybrid, 1e6));
  const HmmParameters little = trained(data, 3, thorough(HmmObjective::hybrid, 1e-4));
  EXPECT_LT(furthest(joint, much), 1e-3);
  EXPECT_GT(furthest(joint, little), 0.05);
}

// Of the conditional likelihood no other training of the same model has more.
TEST(HmmCriterion, TrainingRaisesTheConditionalLikelihoodToAMaximum) {
  const auto data = some_data(0.5);
  const ChainEncoder encoder = testing_support::encoded(data, 3);
  const HmmLayout layout = make_hmm_layout(without_labels(encoder.data), encoder.node_names, 3);
  ThreadPool pool(1);
  const HmmOptions options = thorough(HmmObjective::conditional);
  const HmmParameters best = trained(data, 3, options);
  HmmCriterion criterion(encoder.data, layout, options.criterion, options.smoothing, best, pool);
  std::vector<double> gradient(criterion.dimension());
  const std::vector<double> w = criterion.start(best);
  const double value = criterion.evaluate(w, gradient);
  for (const double slope : gradient) EXPECT_NEAR(slope, 0, 1e-2);
  HmmCounts counts;
  counts.reset(layout);
  count_labels(encoder.data, layout, Counted::known, counts);
  HmmParameters counted = hmm_shape(layout, encoder.node_names);
  estimate_hmm(layout, counts, options.smoothing, counted);
  EXPECT_LT(value, criterion.evaluate(criterion.start(counted), gradient) - 0.5);
}

TEST(HmmCriterion, WhatMakesNoSenseIsRefused) {
  HmmCriterionOptions options{.objective = HmmObjective::hybrid, .coupling = -1};
  EXPECT_EQ(message_of<UsageError>([&] { options.validate(); }),
            "--coupling is a weight of the objective: 0 or more");
  EXPECT_NE(message_of<UsageError>([] {
              hmm_objective_named("perceptron");
            }).find("likelihood, conditional, multi-conditional, hybrid"),
            std::string::npos);
  for (const HmmObjectiveInfo& each : hmm_objectives()) {
    EXPECT_EQ(hmm_objective_named(name_of(each.objective)), each.objective);
  }
}

}  // namespace
}  // namespace croft::hmm_criterion_test
