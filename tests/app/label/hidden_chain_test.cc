// Labelling with hidden states: every answer against an enumeration of all paths.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/label/tagger.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "croft/inference/brute_force.h"
#include "model/kinds/hidden_chain_model.h"
#include "model/kinds/model_file.h"
#include "support/toy_sentences.h"
#include "train/kinds/hidden_chain_training.h"

namespace croft::hidden_chain_test {
namespace {

using namespace testing_support;

constexpr double kTolerance = 1e-6;  // weights of a file are in single precision

HiddenChainModel trained_model(
    const std::function<ChainConstraint(std::span<const std::string>)>& constraint = nullptr) {
  const Extractor extractor = attribute_lines();
  HiddenChainTraining training(extractor);
  for (const TextSequence& each : toy_sentences(20, 1)) training.add(each);
  TrainOptions options = tight_options(0.3);
  options.stop.max_iterations = 15;
  options.constraint = constraint;
  training.run(options, {.states = 2, .states_of = {{"N", 3}}, .start_deviation = 1}, {}, {});
  return HiddenChainModel(
      Container::from_bytes(training.model(Json::object()).bytes(), "hidden.croft"));
}

// p(y|x) of every labelling that is allowed, paths summed.
std::map<std::vector<Label>, double> labellings_of(
    const HiddenChainModel& model, const TextSequence& text,
    const std::function<bool(const std::vector<Label>&)>& allowed = [](const auto&) {
      return true;
    }) {
  SequenceModel::Scratch scratch;
  ChainScores<double> scores;
  model.score(text, scratch, scores);
  std::map<std::vector<Label>, double> p;
  double all = 0;
  for_each_labelling(scores, [&](const std::vector<Label>& path, long double score) {
    std::vector<Label> y;
    for (const Label s : path) y.push_back(model.states().label_of[s]);
    if (!allowed(y)) return;
    p[y] += static_cast<double>(std::exp(score));
    all += static_cast<double>(std::exp(score));
  });
  for (auto& [y, value] : p) value /= all;
  return p;
}

double marginal(const std::map<std::vector<Label>, double>& p, std::size_t t, Label j) {
  double sum = 0;
  for (const auto& [y, value] : p) sum += y[t] == j ? value : 0;
  return sum;
}

void expect_marginals(const Tagging& tagging, const std::map<std::vector<Label>, double>& p) {
  for (std::size_t t = 0; t < tagging.y.size(); ++t) {
    for (Label j = 0; j < 3; ++j) {
      EXPECT_NEAR(tagging.marginals(t, j), marginal(p, t, j), kTolerance);
    }
  }
}

TEST(HiddenChain, TheDefaultTakesTheLabelWhoseStatesAreMostProbable) {
  const HiddenChainModel model = trained_model();
  Tagger tagger(model);
  for (const TextSequence& text : toy_sentences(20, 2, 5)) {
    const auto p = labellings_of(model, text);
    const Tagging& tagging = tagger.tag(text, {.probability = true, .marginals = true});
    expect_marginals(tagging, p);
    for (std::size_t t = 0; t < tagging.y.size(); ++t) {
      for (Label j = 0; j < 3; ++j) {
        EXPECT_LE(marginal(p, t, j), marginal(p, t, tagging.y[t]) + kTolerance);
      }
    }
    EXPECT_NEAR(std::exp(tagging.log_probability), p.at(tagging.y), kTolerance);
    EXPECT_NEAR(std::exp(-tagger.negative_log_probability(tagging.y)), p.at(tagging.y), kTolerance);
  }
}

TEST(HiddenChain, ALabellingIsFoundAndRankedByItsProbabilityNotThatOfAPath) {
  const HiddenChainModel model = trained_model();
  TagRequest request;
  request.decode = Decode::labelling;
  const TagPlan plan(model, request);
  Tagger tagger(plan);
  for (const TextSequence& text : toy_sentences(20, 3, 4)) {
    const auto p = labellings_of(model, text);
    std::vector<double> sorted;
    for (const auto& [y, value] : p) sorted.push_back(value);
    std::ranges::sort(sorted, std::greater());
    const Tagging& tagging = tagger.tag(text, {.probability = true, .k_best = 4});
    EXPECT_TRUE(tagging.outcome.exact);
    ASSERT_EQ(tagging.k_best.size(), std::min<std::size_t>(4, sorted.size()));
    for (std::size_t k = 0; k < tagging.k_best.size(); ++k) {
      EXPECT_NEAR(std::exp(tagging.k_best[k].score - tagging.log_partition), sorted[k], kTolerance);
      EXPECT_NEAR(p.at(tagging.k_best[k].labels), sorted[k], kTolerance);
    }
    EXPECT_NEAR(std::exp(tagging.log_probability), sorted[0], kTolerance);
  }
}

TEST(HiddenChain, ViterbiIsTheBestPathsLabelling) {
  const HiddenChainModel model = trained_model();
  TagRequest request;
  request.decode = Decode::viterbi;
  const TagPlan plan(model, request);
  Tagger tagger(plan);
  SequenceModel::Scratch scratch;
  ChainScores<double> scores;
  for (const TextSequence& text : toy_sentences(20, 4, 5)) {
    model.score(text, scratch, scores);
    std::vector<Label> best;
    long double most = -1e300L;
    for_each_labelling(scores, [&](const std::vector<Label>& path, long double score) {
      if (score <= most) return;
      most = score;
      best = path;
    });
    for (Label& s : best) s = model.states().label_of[s];
    EXPECT_EQ(tagger.tag(text, {}).y, best);
    const Tagging& tagging = tagger.tag(text, {.probability = true});
    EXPECT_EQ(tagging.y, best);
    EXPECT_NEAR(std::exp(tagging.log_probability), labellings_of(model, text).at(best), kTolerance);
  }
}

// Constraints, rules and partial labels are said of labels and hold for their states.
TEST(HiddenChain, LimitsHoldForTheStatesOfALabel) {
  const HiddenChainModel model = trained_model();
  const LabelNames names({model.label(0), model.label(1), model.label(2)});
  const Label verb = *names.find("V"), noun = *names.find("N");
  TagRequest request;
  request.constraint.emplace(3);
  request.constraint->set_edge(noun, noun, false);
  request.rules = {"at-most 1 label V"};
  request.decode = Decode::risk;
  const TagPlan plan(model, request);
  Tagger tagger(plan);
  const auto allowed = [&](const std::vector<Label>& y) {
    for (std::size_t t = 1; t < y.size(); ++t) {
      if (y[t - 1] == noun && y[t] == noun) return false;
    }
    return std::ranges::count(y, verb) <= 1;
  };
  for (const TextSequence& text : toy_sentences(15, 5, 4)) {
    const auto p = labellings_of(model, text, allowed);
    const Tagging& tagging = tagger.tag(text, {.probability = true, .marginals = true});
    expect_marginals(tagging, p);
    EXPECT_TRUE(allowed(tagging.y));
    EXPECT_NEAR(std::exp(tagging.log_probability), p.at(tagging.y), kTolerance);
  }
}

TEST(HiddenChain, PartialLabelsRestrictTheStates) {
  const HiddenChainModel model = trained_model();
  TagRequest request;
  request.partial = PartialLabels{};
  const TagPlan plan(model, request);
  Tagger tagger(plan);
  for (TextSequence text : toy_sentences(15, 6, 4)) {
    std::vector<std::string> known;
    for (std::size_t t = 0; t < text.length(); ++t) {
      known.push_back(t % 3 == 0 ? "N|V" : t % 3 == 1 ? "?" : "D");
    }
    text.labels.clear();
    for (const std::string& each : known) text.labels.append(each);
    text.labels.end_list();
    const auto p = labellings_of(model, text, [&](const std::vector<Label>& y) {
      for (std::size_t t = 0; t < y.size(); ++t) {
        if (t % 3 == 0 && model.label(y[t]) == "D") return false;
        if (t % 3 == 2 && model.label(y[t]) != "D") return false;
      }
      return true;
    });
    const Tagging& tagging = tagger.tag(text, {.probability = true, .marginals = true});
    expect_marginals(tagging, p);
  }
}

TEST(HiddenChain, AModelTrainedUnderAConstraintGivesNothingElse) {
  const auto no_pair = [](std::span<const std::string> labels) {
    ChainConstraint constraint(labels.size());
    for (Label i = 0; i < labels.size(); ++i) {
      for (Label j = 0; j < labels.size(); ++j) {
        if (labels[i] == "D" && labels[j] == "D") constraint.set_edge(i, j, false);
      }
    }
    return constraint;
  };
  const Extractor extractor = attribute_lines();
  HiddenChainTraining training(extractor);
  for (const TextSequence& each : toy_sentences(40, 7)) {
    bool obeys = true;
    for (std::size_t t = 1; t < each.length(); ++t) {
      obeys = obeys && !(each.labels.item(t - 1) == "D" && each.labels.item(t) == "D");
    }
    if (obeys) training.add(each);
  }
  TrainOptions options = tight_options(0.3);
  options.stop.max_iterations = 5;
  options.constraint = no_pair;
  training.run(options, {.states = 2, .states_of = {}}, {}, {});
  const HiddenChainModel model(
      Container::from_bytes(training.model(Json::object()).bytes(), "hidden.croft"));
  ASSERT_TRUE(model.constraint());
  Tagger tagger(model);
  for (const TextSequence& text : toy_sentences(15, 8)) {
    const Tagging& tagging = tagger.tag(text, {.probability = true});
    for (std::size_t t = 1; t < tagging.y.size(); ++t) {
      EXPECT_FALSE(model.label(tagging.y[t - 1]) == "D" && model.label(tagging.y[t]) == "D");
    }
  }
}

TEST(HiddenChain, WhatHasNoRecursionIsRefused) {
  const HiddenChainModel model = trained_model();
  Tagger tagger(model);
  const TextSequence text = toy_sentences(1, 9)[0];
  EXPECT_THROW(tagger.tag(text, {.entropy = true}), UsageError);
  EXPECT_THROW(tagger.tag(text, {.k_best = 2}), UsageError);
  EXPECT_THROW(require_chain(model, "an explanation"), UsageError);
}

}  // namespace
}  // namespace croft::hidden_chain_test
