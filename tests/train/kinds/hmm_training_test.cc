// Counting and Baum-Welch against enumeration of all labellings, and by hand.
#include "train/kinds/hmm_training.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/json.h"
#include "croft/core/error.h"
#include "croft/inference/brute_force.h"
#include "croft/inference/chain_sum.h"
#include "model/kinds/hmm_model.h"
#include "support/naive_hmm.h"
#include "train/generative/hmm_expectations.h"

namespace croft::hmm_training_test {
namespace {

using testing_support::HmmSequence;
using testing_support::NaiveCounts;
using testing_support::NaiveHmm;
using testing_support::random_hmm_data;
using testing_support::RandomHmmShape;

Extractor attribute_extractor() {
  ExtractionConfig config;
  config.format = InputFormat::attributes;
  return Extractor(config);
}

TextSequence words(std::initializer_list<std::pair<const char*, const char*>> pairs) {
  TextSequence text;
  for (const auto& [word, label] : pairs) {
    text.node.append(word);
    text.node.end_list();
    text.labels.append(label);
  }
  text.labels.end_list();
  return text;
}

std::shared_ptr<const HmmModel> opened(const HmmTraining& training) {
  const auto bytes = training.model(Json::object()).bytes();
  return std::make_shared<const HmmModel>(Container::from_bytes(bytes, "test.croft"));
}

double emission(const HmmModel& model, std::string_view attribute, Label y) {
  std::vector<double> row(model.labels());
  EXPECT_TRUE(model.log_emission(attribute, row));
  return std::exp(row[y]);
}

// The naive model as parameters of a layout.
HmmParameters to_parameters(const NaiveHmm& hmm, const HmmLayout& layout,
                            const StringTable& names) {
  HmmParameters p = hmm_shape(layout, names);
  for (Label i = 0; i < hmm.labels; ++i) {
    p.start[i] = std::log(hmm.start.at(i));
    if (hmm.has_end) p.end.push_back(std::log(hmm.end.at(i)));
    for (Label j = 0; j < hmm.labels; ++j) {
      p.transition(i, j) = std::log(hmm.transition.at({i, j}));
    }
  }
  for (std::size_t v = 0; v < p.values(); ++v) {
    for (std::uint64_t c = p.begin[v]; c < p.begin[v + 1]; ++c) {
      p.log[c] = std::log(hmm.emission.at({p.value[v], p.cell[c]}));
    }
  }
  // A value without a cell for a label has the same probability as any other of its kind.
  for (std::size_t v = 0; v < p.values(); ++v) {
    for (Label j = 0; j < hmm.labels; ++j) {
      const auto cells = std::span(p.cell).subspan(p.begin[v], p.begin[v + 1] - p.begin[v]);
      if (std::ranges::find(cells, j) == cells.end()) {
        p.unlisted(p.track[v], j) = std::log(hmm.emission.at({p.value[v], j}));
      }
    }
  }
  return p;
}

void expect_counts(const HmmCounts& counts, const HmmLayout& layout, const StringTable& names,
                   NaiveCounts truth) {
  for (Label i = 0; i < layout.labels; ++i) {
    EXPECT_NEAR(counts.start[i], truth.start[i], 1e-11);
    EXPECT_NEAR(counts.end[i], truth.end[i], 1e-11);
    for (Label j = 0; j < layout.labels; ++j) {
      const std::pair edge{i, j};
      EXPECT_NEAR(counts.transition(i, j), truth.transition[edge], 1e-11);
    }
  }
  double sum = 0, true_sum = 0;
  for (const auto& [key, count] : truth.emission) true_sum += count;
  for (std::uint32_t v = 0; v < layout.values(); ++v) {
    for (std::uint64_t c = layout.begin[v]; c < layout.begin[v + 1]; ++c) {
      const std::pair key{std::string(names[v]), layout.cell[c]};
      EXPECT_NEAR(counts.emission[c], truth.emission[key], 1e-11) << key.first;
      sum += counts.emission[c];
    }
  }
  EXPECT_NEAR(sum, true_sum, 1e-10) << "a count has no cell";
}

TEST(HmmTraining, CountsStartsTransitionsAndEmissionsOfLabelledData) {
  const Extractor extractor = attribute_extractor();
  HmmTraining training(extractor);
  training.add(words({{"the", "D"}, {"dog", "N"}, {"barks", "V"}}));
  training.add(words({{"the", "D"}, {"cat", "N"}}));
  training.add(words({{"dogs", "N"}, {"bark", "V"}, {"the", "D"}, {"dog", "N"}}));
  HmmOptions options;
  options.smoothing = {.emission = 0, .transition = 0, .end = false};
  training.run(options);
  const auto model = opened(training);
  ASSERT_EQ(model->label(0), "D");
  ASSERT_EQ(model->label(1), "N");
  ASSERT_EQ(model->label(2), "V");
  EXPECT_NEAR(std::exp(model->start()[0]), 2.0 / 3, 1e-15);
  EXPECT_NEAR(std::exp(model->start()[1]), 1.0 / 3, 1e-15);
  EXPECT_EQ(model->start()[2], -INFINITY);
  EXPECT_NEAR(std::exp(model->transitions<double>().at(0, 1)), 1, 1e-15);
  EXPECT_NEAR(std::exp(model->transitions<double>().at(1, 2)), 1,
              1e-15);  // N is followed by V alone
  EXPECT_NEAR(std::exp(model->transitions<double>().at(2, 0)), 1, 1e-15);
  EXPECT_NEAR(emission(*model, "dog", 1), 2.0 / 4, 1e-15);
  EXPECT_NEAR(emission(*model, "cat", 1), 1.0 / 4, 1e-15);
  EXPECT_NEAR(emission(*model, "the", 0), 1, 1e-15);
  EXPECT_EQ(emission(*model, "the", 1), 0);
  EXPECT_EQ(emission(*model, "bird", 1), 0);
}

// V = 5 known words, and all unknown ones as a sixth: N has counts 2, 1, 1 of 4.
TEST(HmmTraining, SmoothingAddsToEveryCountAndLeavesRoomForUnknownValues) {
  const Extractor extractor = attribute_extractor();
  HmmTraining training(extractor);
  training.add(words({{"the", "D"}, {"dog", "N"}, {"barks", "V"}}));
  training.add(words({{"the", "D"}, {"cat", "N"}}));
  training.add(words({{"dogs", "N"}, {"barks", "V"}, {"the", "D"}, {"dog", "N"}}));
  HmmOptions options;
  options.smoothing = {.emission = 1, .transition = 0.5, .end = true};
  training.run(options);
  const auto model = opened(training);
  EXPECT_NEAR(emission(*model, "dog", 1), 3.0 / 10, 1e-15);
  EXPECT_NEAR(emission(*model, "the", 1), 1.0 / 10, 1e-15);
  EXPECT_NEAR(emission(*model, "bird", 1), 1.0 / 10, 1e-15);
  // N: followed by V twice, and the last label of two sequences.
  EXPECT_NEAR(std::exp(model->transitions<double>().at(1, 2)), 2.5 / 6, 1e-15);
  EXPECT_NEAR(std::exp(model->transitions<double>().at(1, 0)), 0.5 / 6, 1e-15);
  EXPECT_NEAR(std::exp(model->end()[1]), 2.5 / 6, 1e-15);
  EXPECT_NEAR(std::exp(model->start()[0]), 2.5 / 4.5, 1e-15);
}

TEST(HmmTraining, ASequenceOfWeightTwoIsTheSequenceTwice) {
  const Extractor extractor = attribute_extractor();
  HmmTraining once(extractor), twice(extractor);
  TextSequence a = words({{"x", "A"}, {"y", "B"}}), b = words({{"y", "A"}, {"z", "A"}});
  twice.add(a);
  twice.add(a);
  twice.add(b);
  a.weight = 2;
  once.add(a);
  once.add(b);
  once.run({});
  twice.run({});
  EXPECT_EQ(once.model({}).bytes(), twice.model({}).bytes());
}

TEST(HmmExpectations, EqualThoseOfAllLabellingsOneByOne) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    const std::size_t labels = 1 + random.below(4);
    const auto data = random_hmm_data({.labels = labels}, random);
    const ChainEncoder encoder = testing_support::encoded(data, labels);
    const HmmLayout layout = make_hmm_layout(encoder.data, encoder.node_names, labels);
    // Estimated, so that values without a cell have one probability.
    NaiveHmm hmm = testing_support::random_hmm(labels, seed % 2 == 0, values_of(data), random);
    const NaiveCounts first = hmm.expect(data);
    hmm.estimate(first, values_of(data), 0.2, 0.3);
    const NaiveCounts truth = hmm.expect(data);
    ThreadPool pool(1 + seed % 3);
    HmmExpectations expectations(encoder.data, layout, pool);
    HmmCounts counts;
    const double value =
        expectations.evaluate(to_parameters(hmm, layout, encoder.node_names), counts);
    EXPECT_NEAR(value, truth.log_likelihood, 1e-10);
    expect_counts(counts, layout, encoder.node_names, truth);
  }
}

TEST(HmmExpectations, AndEstimatesEqualANaiveBaumWelchStepByStep) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Random random(100 + seed);
    const std::size_t labels = 2 + random.below(2);
    const auto data = random_hmm_data({.labels = labels}, random);
    const auto values = values_of(data);
    const ChainEncoder encoder = testing_support::encoded(data, labels);
    const HmmLayout layout = make_hmm_layout(encoder.data, encoder.node_names, labels);
    const HmmSmoothing smoothing{.emission = 0.3, .transition = 0.2, .end = seed % 2 == 1};
    NaiveHmm naive = testing_support::random_hmm(labels, smoothing.end, values, random);
    naive.estimate(naive.expect(data), values, smoothing.emission, smoothing.transition);
    HmmParameters p = to_parameters(naive, layout, encoder.node_names);
    ThreadPool pool(2);
    HmmExpectations expectations(encoder.data, layout, pool);
    HmmCounts counts;
    for (int iteration = 0; iteration < 5; ++iteration) {
      const NaiveCounts truth = naive.expect(data);
      EXPECT_NEAR(expectations.evaluate(p, counts), truth.log_likelihood, 1e-9);
      naive.estimate(truth, values, smoothing.emission, smoothing.transition);
      estimate_hmm(layout, counts, smoothing, p);
      for (Label i = 0; i < labels; ++i) {
        EXPECT_NEAR(std::exp(p.start[i]), naive.start[i], 1e-10);
        if (!smoothing.end) continue;
        EXPECT_NEAR(std::exp(p.end[i]), naive.end[i], 1e-10);
      }
      for (std::size_t v = 0; v < p.values(); ++v) {
        for (std::uint64_t c = p.begin[v]; c < p.begin[v + 1]; ++c) {
          const std::pair key{p.value[v], p.cell[c]};
          EXPECT_NEAR(std::exp(p.log[c]), naive.emission[key], 1e-10);
        }
      }
    }
  }
}

// log-likelihood plus log-prior is what an iteration cannot make worse.
TEST(HmmTraining, TheObjectiveOfBaumWelchNeverIncreases) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(200 + seed);
    const double known = seed % 3 == 0 ? 0 : 0.2;
    const auto data = random_hmm_data(
        {.labels = 3, .sequences = 12, .longest = 6, .complete = known, .known = known}, random);
    const Extractor extractor = attribute_extractor();
    HmmTraining training(extractor);
    training.read_partial_labels({});
    for (const HmmSequence& x : data) training.add(testing_support::to_text(x, 3));
    HmmOptions options;
    const double smoothing = seed % 2 == 0 ? 0 : 0.1;
    options.smoothing = {.emission = smoothing, .transition = smoothing, .end = seed % 4 == 1};
    options.states = 3;
    options.starts = 1;
    options.tolerance = 0;
    options.em_iterations = 40;
    options.seed = seed;
    double before = INFINITY, first = 0;
    const HmmResult result = training.run(options, [&](const EmProgress& now) {
      EXPECT_LE(now.objective, before + 1e-9 * std::abs(now.objective)) << now.iteration;
      if (now.iteration == 1) first = now.objective;
      before = now.objective;
      return true;
    });
    EXPECT_LT(result.objective, first);
  }
}

TEST(HmmTraining, ThreadsDoNotChangeTheBytesOfTheModel) {
  Random random(7);
  RandomHmmShape shape{.labels = 4, .sequences = 900, .longest = 40};
  const auto data = random_hmm_data(shape, random);
  std::vector<std::vector<std::byte>> models;
  for (const std::size_t threads : {1, 2, 5}) {
    const Extractor extractor = attribute_extractor();
    HmmTraining training(extractor);
    training.read_partial_labels({});
    for (const HmmSequence& x : data) training.add(testing_support::to_text(x, 4));
    HmmOptions options;
    options.threads = threads;
    options.em_iterations = 5;
    training.run(options);
    models.push_back(training.model(Json::object()).bytes());
  }
  EXPECT_EQ(models[0], models[1]);
  EXPECT_EQ(models[0], models[2]);
}

TEST(HmmTraining, TheBestOfSeveralRandomStartsIsKept) {
  Random random(5);
  const auto data =
      random_hmm_data({.labels = 3, .sequences = 30, .complete = 0, .known = 0}, random);
  const Extractor extractor = attribute_extractor();
  HmmTraining training(extractor);
  for (const HmmSequence& x : data) training.add_unlabelled(testing_support::to_text(x, 3));
  HmmOptions options;
  options.states = 3;
  options.starts = 6;
  options.em_iterations = 30;
  std::map<std::size_t, double> last;
  const HmmResult result = training.run(options, [&](const EmProgress& now) {
    last[now.start] = now.objective;
    return true;
  });
  ASSERT_EQ(last.size(), 6u);
  double least = INFINITY, most = -INFINITY;
  for (const auto& [start, objective] : last) {
    least = std::min(least, objective);
    most = std::max(most, objective);
  }
  EXPECT_EQ(result.objective, least);
  EXPECT_EQ(result.objective, last[result.start]);
  EXPECT_LT(least, most);
  EXPECT_EQ(training.label_names(), (std::vector<std::string>{"S1", "S2", "S3"}));
}

// Two clusters of words that follow themselves: from unlabelled text alone.
TEST(HmmTraining, FindsTheStatesOfUnlabelledData) {
  Random random(11);
  const Extractor extractor = attribute_extractor();
  HmmTraining training(extractor);
  for (int n = 0; n < 60; ++n) {
    TextSequence text;
    std::uint64_t state = random.below(2);
    for (int t = 0; t < 12; ++t) {
      if (random.below(10) == 0) state = 1 - state;
      text.node.append((state == 0 ? "a" : "b") + std::to_string(random.below(4)));
      text.node.end_list();
    }
    training.add_unlabelled(text);
  }
  HmmOptions options;
  options.states = 2;
  options.starts = 3;
  options.em_iterations = 200;
  options.tolerance = 1e-7;
  training.run(options);
  const auto model = opened(training);
  const Label a = emission(*model, "a0", 0) > emission(*model, "a0", 1) ? 0 : 1;
  for (int k = 0; k < 4; ++k) {
    EXPECT_GT(emission(*model, "a" + std::to_string(k), a), 0.1);
    EXPECT_LT(emission(*model, "b" + std::to_string(k), a), 0.02);
    EXPECT_GT(emission(*model, "b" + std::to_string(k), 1 - a), 0.1);
  }
  EXPECT_GT(std::exp(model->transitions<double>().at(a, a)), 0.8);
}

TEST(HmmTraining, StatesWithoutAnExampleGetNamesThatAreFree) {
  const Extractor extractor = attribute_extractor();
  HmmTraining training(extractor);
  training.read_partial_labels({});
  training.add(words({{"x", "S1"}, {"y", "?"}, {"z", "?"}}));
  HmmOptions options;
  options.states = 3;
  training.run(options);
  EXPECT_EQ(training.label_names(), (std::vector<std::string>{"S1", "S2", "S3"}));
}

TEST(HmmTraining, WhatMakesNoSenseIsRefused) {
  const Extractor extractor = attribute_extractor();
  HmmTraining unlabelled(extractor), labelled(extractor);
  unlabelled.add_unlabelled(words({{"x", "A"}, {"y", "B"}}));
  labelled.add(words({{"x", "A"}, {"y", "B"}}));
  HmmOptions options;
  EXPECT_THROW(unlabelled.run(options), UsageError);  // no label, no --states
  EXPECT_THROW(HmmTraining(extractor).run(options), Error);
  options.states = 1;
  EXPECT_THROW(labelled.run(options), UsageError);
  options.states = 3;
  EXPECT_THROW(labelled.run(options), UsageError);
  options = {};
  options.smoothing.emission = -1;
  EXPECT_THROW(labelled.run(options), UsageError);
  options = {};
  options.unknown.suffix = 3;
  EXPECT_THROW(labelled.run(options), UsageError);
  TextSequence negative;
  negative.node.append("x", -1);
  negative.node.end_list();
  EXPECT_THROW(labelled.add_unlabelled(negative, "file"), InputError);
}

}  // namespace
}  // namespace croft::hmm_training_test
