// Training end to end in memory: optimality conditions, START and STOP, warm start, hold-out.
#include "train/kinds/chain_training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "app/label/tagger.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "croft/inference/brute_force.h"

namespace croft::chain_training_test {
namespace {

// Sentences of a toy grammar, with the words as attributes: w=… and, as a real value, its length.
TextSequence sentence(Random& random) {
  static const std::vector<std::vector<std::string>> words = {
      {"the", "a"}, {"cat", "dog", "bird", "light"}, {"sees", "light", "hears"}};
  static const std::vector<std::string> tags = {"D", "N", "V"};
  TextSequence s;
  std::size_t state = random.below(2);
  const std::size_t length = 1 + random.below(6);
  for (std::size_t t = 0; t < length; ++t) {
    const auto& choices = words[state];
    const std::string& word = choices[random.below(choices.size())];
    s.node.append("w=" + word);
    s.node.append("length", 0.1 * static_cast<double>(word.size()));
    s.node.end_list();
    s.labels.append(tags[random.below(20) == 0 ? random.below(3) : state]);
    state = state == 0 ? 1 : state == 1 ? 2 : random.below(2);
  }
  s.labels.end_list();
  return s;
}

Extractor attribute_lines(bool boundaries) {
  ExtractionConfig config;
  config.format = InputFormat::attributes;
  config.boundaries = boundaries;
  return Extractor(config);
}

TrainOptions tight(double l1, double l2) {
  TrainOptions options;
  options.regulariser = {.l1 = l1, .l2 = l2};
  options.precision = Precision::twice;
  options.stop = {.max_iterations = 2000, .tolerance = 0, .gradient_tolerance = 1e-7};
  return options;
}

struct Trained {
  TrainResult result;
  std::shared_ptr<const ChainModel> model;
};

Trained train(const Extractor& extractor, std::vector<TextSequence> data,
              const TrainOptions& options, std::shared_ptr<const ChainModel> init = nullptr) {
  ChainTraining training(extractor, init);
  Extractor::Scratch scratch;
  for (TextSequence& s : data) {
    extractor.complete(s, scratch);
    training.add(s);
  }
  Trained trained;
  trained.result = training.run(options, nullptr, [](const TrainProgress&) { return true; });
  trained.model = std::make_shared<const ChainModel>(
      Container::from_bytes(training.model(Json::object()).bytes(), "memory"));
  return trained;
}

std::vector<TextSequence> sentences(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<TextSequence> data;
  for (std::size_t n = 0; n < count; ++n) data.push_back(sentence(random));
  return data;
}

// Empirical minus model expectation of every node feature (attribute, label), by the model's
// marginals.
std::map<std::pair<std::string, std::string>, double> node_differences(
    const ChainModel& model, const std::vector<TextSequence>& data) {
  std::map<std::pair<std::string, std::string>, double> difference;
  Tagger tagger(model);
  for (const TextSequence& s : data) {
    const Tagging& tagging = tagger.tag(s, {.probability = true, .marginals = true});
    for (std::size_t t = 0; t < s.length(); ++t) {
      for (std::size_t k = s.node.list_begin(t); k < s.node.list_end(t); ++k) {
        const std::string name(s.node.item(k));
        difference[{name, std::string(s.labels.item(t))}] += s.node.value(k);
        for (Label y = 0; y < model.labels(); ++y) {
          difference[{name, model.label(y)}] -= s.node.value(k) * tagging.marginals(t, y);
        }
      }
    }
  }
  return difference;
}

std::map<std::pair<std::string, std::string>, double> node_weights(const ChainModel& model) {
  std::map<std::pair<std::string, std::string>, double> weights;
  for (std::uint32_t id = 0; id < model.node().size(); ++id) {
    const WeightRow row = model.node().row(id);
    for (std::size_t k = 0; k < row.size(); ++k) {
      weights[{model.node().name(id), model.label(row.cell(k))}] = double{row.weight(k)};
    }
  }
  return weights;
}

TEST(ChainTraining, WithL2EmpiricalMinusModelExpectationIsL2TimesWeight) {
  const auto data = sentences(60, 1);
  TrainOptions options = tight(0, 0.7);
  options.features = FeatureSet::all;
  const Trained trained = train(attribute_lines(false), data, options);
  ASSERT_TRUE(trained.result.optimization.converged()) << trained.result.optimization.message;
  const auto weights = node_weights(*trained.model);
  EXPECT_EQ(weights.size(), 9u * 3u);  // eight words and a length, three labels
  for (const auto& [feature, difference] : node_differences(*trained.model, data)) {
    EXPECT_NEAR(difference, 0.7 * weights.at(feature), 2e-5) << feature.first << feature.second;
  }
}

Extractor with_intercept() {
  ExtractionConfig config;
  config.format = InputFormat::attributes;
  config.intercept = true;
  return Extractor(config);
}

// Of the intercept, data and model agree; of all else they differ by what the penalty pulls.
TEST(ChainTraining, AnUnpenalisedInterceptIsAsOftenInTheModelAsInTheData) {
  const Extractor extractor = with_intercept();
  auto data = sentences(60, 3);
  struct Case {
    double l1, l2;
    std::optional<Method> method;
  };
  for (const Case& c : {Case{0, 3, {}}, Case{0, 3, Method::newton}, Case{0, 3, Method::cg},
                        Case{0.5, 0, {}}, Case{0.5, 3, {}}}) {
    TrainOptions options = tight(c.l1, c.l2);
    options.features = FeatureSet::all;
    options.free_intercept = true;
    options.method = c.method;
    options.stop.gradient_tolerance = 1e-8;
    const Trained trained = train(extractor, data, options);
    auto complete = data;
    Extractor::Scratch scratch;
    for (TextSequence& s : complete) extractor.complete(s, scratch);
    auto weights = node_weights(*trained.model);
    for (const auto& [feature, difference] : node_differences(*trained.model, complete)) {
      const double w = weights[feature];
      if (feature.first == kIntercept) {
        EXPECT_NEAR(difference, 0, 2e-5) << feature.second;
      } else if (w != 0) {
        EXPECT_NEAR(difference, c.l2 * w + std::copysign(c.l1, w), 1e-4) << feature.first;
      } else {
        EXPECT_LE(std::abs(difference), c.l1 + 1e-4) << feature.first;
      }
    }
    EXPECT_GT(std::abs(weights[{std::string(kIntercept), "N"}]), 0.05);
  }
}

TEST(ChainTraining, AnUnpenalisedInterceptNeedsAnIntercept) {
  TrainOptions options = tight(0, 1);
  options.free_intercept = true;
  EXPECT_THROW(train(attribute_lines(false), sentences(5, 1), options), UsageError);
}

TEST(ChainTraining, ByDefaultAMethodIsTakenThatCanLeaveTheInterceptFree) {
  TrainOptions options;
  options.free_intercept = true;
  for (const std::size_t positions : {std::size_t{10}, std::size_t{1'000'000}}) {
    EXPECT_EQ(options.chosen_method(false, positions), Method::lbfgs);
  }
  options.regulariser.l1 = 1;
  EXPECT_EQ(options.chosen_method(false, 10), Method::owlqn);
}

TEST(ChainTraining, WithL1TheDifferenceIsAtMostL1AndL1TimesTheSignWhereTheWeightIsNotZero) {
  const auto data = sentences(60, 2);
  TrainOptions options = tight(0.5, 0);
  options.features = FeatureSet::all;
  options.stop.gradient_tolerance = 1e-6;
  const Trained trained = train(attribute_lines(false), data, options);
  const auto weights = node_weights(*trained.model);
  std::size_t zeros = 0;
  for (const auto& [feature, difference] : node_differences(*trained.model, data)) {
    const auto at = weights.find(feature);
    if (at == weights.end()) {
      ++zeros;
      EXPECT_LE(std::abs(difference), 0.5 + 1e-4);
    } else {
      EXPECT_NEAR(difference, at->second > 0 ? 0.5 : -0.5, 1e-4);
    }
  }
  EXPECT_GT(zeros, 5u);
  EXPECT_EQ(trained.result.active,
            trained.model->node().weights() + trained.model->tied().weights());
}

// START and STOP as labels of their own, at positions of their own where nothing else is allowed.
TEST(ChainTraining, BoundariesEqualAChainWithExplicitStartAndStopLabels) {
  const auto data = sentences(30, 3);
  const Extractor extractor = attribute_lines(true);
  const Trained trained = train(extractor, data, tight(0, 1));
  const ChainModel& model = *trained.model;
  const std::size_t labels = model.labels();
  const Label start = static_cast<Label>(labels), stop = start + 1;
  const double kForbidden = ChainScores<double>::kForbidden;
  Matrix<double> log(labels + 2, labels + 2, kForbidden);
  for (Label i = 0; i < labels; ++i) {
    for (Label j = 0; j < labels; ++j) log(i, j) = model.transitions<double>().log()(i, j);
  }
  const auto weights = node_weights(model);
  for (Label j = 0; j < labels; ++j) {
    const auto weight = [&](Boundary boundary) {
      const auto at = weights.find({boundary_name(boundary, ""), model.label(j)});
      return at == weights.end() ? 0.0 : at->second;
    };
    log(start, j) = weight(Boundary::start);
    log(j, stop) = weight(Boundary::stop);
  }
  TransitionScores<double> tied;
  tied.assign(log);
  Tagger tagger(model);
  Extractor::Scratch scratch;
  ChainModel::Scratch model_scratch;
  ChainScores<double> plain;
  for (TextSequence s : sentences(10, 4)) {
    model.score(s, model_scratch, plain);  // without the boundary features
    ChainScores<double> scores;
    scores.reset(s.length() + 2, tied);
    for (std::size_t t = 0; t < s.length() + 2; ++t) {
      for (Label j = 0; j < labels + 2; ++j) {
        const bool inner = t > 0 && t <= s.length();
        const bool allowed = inner ? j < labels : j == (t == 0 ? start : stop);
        scores.state(t, j) = !allowed ? kForbidden : inner ? plain.state(t - 1, j) : 0;
      }
    }
    extractor.complete(s, scratch);
    const Tagging& tagging = tagger.tag(s, {.probability = true, .marginals = true});
    const BruteForceResult truth = brute_force(scores);
    EXPECT_NEAR(tagging.log_partition, truth.log_partition, 1e-9);
    for (std::size_t t = 0; t < s.length(); ++t) {
      EXPECT_EQ(tagging.y[t], truth.best[t + 1]);
      for (Label j = 0; j < labels; ++j) {
        EXPECT_NEAR(tagging.marginals(t, j), truth.state(t + 1, j), 1e-9);
      }
    }
  }
}

TEST(ChainTraining, TrainingFromItsOwnModelStartsWhereItEnded) {
  const auto data = sentences(40, 5);
  const Extractor extractor = attribute_lines(false);
  const Trained first = train(extractor, data, tight(0, 1));
  TrainOptions once = tight(0, 1);
  once.stop.max_iterations = 0;
  const Trained again = train(extractor, data, once, first.model);
  EXPECT_NEAR(again.result.optimization.objective, first.result.optimization.objective, 1e-6);
}

TEST(ChainTraining, AWarmStartKeepsOldFeaturesAndLabelsAndTakesNewOnes) {
  const Extractor extractor = attribute_lines(false);
  const Trained first = train(extractor, sentences(40, 6), tight(0, 1));
  TextSequence other;
  other.node.append("w=new");
  other.node.end_list();
  other.labels.append("NEW");
  other.labels.end_list();
  TrainOptions once = tight(0, 1);
  once.stop.max_iterations = 0;
  ChainTraining training(extractor, first.model);
  training.add(other);
  training.run(once, nullptr, [](const TrainProgress&) { return true; });
  const ChainModel model(Container::from_bytes(training.model(Json::object()).bytes(), "memory"));
  EXPECT_EQ(model.labels(), first.model->labels() + 1);
  EXPECT_EQ(node_weights(model), node_weights(*first.model));
  for (Label i = 0; i < first.model->labels(); ++i) {
    for (Label j = 0; j < first.model->labels(); ++j) {
      EXPECT_EQ(model.transitions<float>().log()(i, j),
                first.model->transitions<float>().log()(i, j));
    }
  }
}

TEST(ChainTraining, EarlyStoppingKeepsTheWeightsOfTheBestIteration) {
  const Extractor extractor = attribute_lines(false);
  ChainTraining training(extractor, nullptr);
  for (const TextSequence& s : sentences(40, 7)) training.add(s);
  for (const TextSequence& s : sentences(10, 8)) training.add_holdout(s);
  TrainOptions options = tight(0, 0.01);
  options.early_stop = 3;
  std::size_t calls = 0;  // a score that is best at iteration 2
  const auto scorer = [&](const auto& predicted) {
    EXPECT_EQ(predicted.size(), 10u);
    return HoldoutScore{.token_accuracy = calls++ == 2 ? 1.0 : 0.5, .chunk_f1 = std::nullopt};
  };
  const TrainResult result =
      training.run(options, scorer, [](const TrainProgress&) { return true; });
  EXPECT_EQ(result.best_iteration, 2u);
  EXPECT_EQ(result.optimization.iterations, 5u);
  EXPECT_EQ(result.holdout->token_accuracy, 1.0);
}

using Relabel = std::function<void(TextSequence&)>;

// The bytes of a model trained on `data`, with labels replaced by what `relabel` makes of them.
std::vector<std::byte> model_bytes(const std::vector<TextSequence>& data,
                                   const TrainOptions& options, bool partial,
                                   const Relabel& relabel = nullptr) {
  const Extractor extractor = attribute_lines(false);
  ChainTraining training(extractor, nullptr);
  if (partial) training.read_partial_labels({});
  for (TextSequence s : data) {
    if (relabel) relabel(s);
    training.add(s);
  }
  training.run(options, nullptr, [](const TrainProgress&) { return true; });
  return training.model(Json::object()).bytes();
}

TEST(ChainTraining, FullyLabelledDataGivesTheSameModelWhenLabelsMayBePartial) {
  const auto data = sentences(200, 10);
  for (const Precision precision : {Precision::single, Precision::twice}) {
    TrainOptions options;
    options.precision = precision;
    EXPECT_EQ(model_bytes(data, options, true), model_bytes(data, options, false));
  }
}

TEST(ChainTraining, CostsOfZeroGiveTheModelOfTheLikelihoodAndOthersAnotherOne) {
  const auto data = sentences(100, 11);
  TrainOptions options, free = options, costly = options;
  free.objective = costly.objective = Objective::softmax_margin;
  free.cost = [](std::span<const std::string_view> labels) {
    return hamming_cost(labels.size(), 0);
  };
  costly.cost = [](std::span<const std::string_view> labels) {
    EXPECT_EQ(labels.size(), 3u);
    EXPECT_NE(std::ranges::find(labels, "N"), labels.end());
    return hamming_cost(labels.size(), 2);
  };
  const auto plain = model_bytes(data, options, false);
  EXPECT_EQ(model_bytes(data, free, false), plain);
  EXPECT_NE(model_bytes(data, costly, false), plain);
}

// In one sentence of two every label is unknown or one of two; the others leave no doubt which.
TEST(ChainTraining, WhatIsUnknownIsLearntFromWhatIsKnown) {
  const auto data = sentences(300, 12);
  std::size_t n = 0, hidden = 0;
  const auto bytes = model_bytes(data, TrainOptions(), true, [&](TextSequence& s) {
    if (n++ % 2 == 0) return;
    StringLists labels;
    for (std::size_t t = 0; t < s.length(); ++t, ++hidden) {
      const std::string label(s.labels.item(t));
      labels.append(hidden % 3 == 0 ? "?" : label == "D" ? "N|D" : "D|" + label);
    }
    labels.end_list();
    s.labels = labels;
  });
  EXPECT_GT(hidden, 300u);
  const ChainModel model(Container::from_bytes(bytes, "memory"));
  EXPECT_EQ(model.labels(), 3u);
  Tagger tagger(model);
  std::size_t right = 0, all = 0;
  for (const TextSequence& s : data) {
    const Tagging& tagging = tagger.tag(s, {});
    for (std::size_t t = 0; t < s.length(); ++t, ++all) {
      right += model.label(tagging.y[t]) == s.labels.item(t);
    }
  }
  EXPECT_GT(static_cast<double>(right), 0.9 * static_cast<double>(all));
}

TEST(ChainTraining, NothingToTrainOnIsAnError) {
  const Extractor extractor = attribute_lines(false);
  const auto run = [](ChainTraining& training, const TrainOptions& options) {
    training.run(options, nullptr, [](const TrainProgress&) { return true; });
  };
  ChainTraining empty(extractor, nullptr);
  EXPECT_THROW(run(empty, TrainOptions()), Error);
  ChainTraining rare(extractor, nullptr);
  for (const TextSequence& s : sentences(3, 9)) rare.add(s);
  TrainOptions options;
  options.min_count = 1000;
  EXPECT_THROW(run(rare, options), Error);
  ChainTraining unlabelled(extractor, nullptr);
  unlabelled.read_partial_labels({});
  TextSequence unknown = sentences(1, 9)[0];
  unknown.labels.clear();
  unlabelled.add(unknown);
  EXPECT_THROW(run(unlabelled, TrainOptions()), Error);
}

}  // namespace
}  // namespace croft::chain_training_test
