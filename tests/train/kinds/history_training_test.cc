// Training chains of order 2 and 3 end to end in memory: the objective of the model that is saved,
// optimality, warm start, hold-out, and every option that changes what is summed over.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "app/label/tagger.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "croft/optimize/regulariser.h"
#include "support/enumeration.h"
#include "train/kinds/chain_training.h"

namespace croft::history_training_test {
namespace {

using testing_support::Enumeration;
using testing_support::Labelling;

Extractor attribute_lines() {
  ExtractionConfig config;
  config.format = InputFormat::attributes;
  return Extractor(config);
}

// The label depends on the last two: A B A C A B A C …, now and then another one.  Attributes
// hardly help.
std::vector<TextSequence> sequences(std::size_t count, std::uint64_t seed) {
  static const std::vector<std::string> pattern = {"A", "B", "A", "C"};
  Random random(seed);
  std::vector<TextSequence> data(count);
  for (TextSequence& s : data) {
    const std::size_t shift = random.below(4), length = 1 + random.below(7);
    for (std::size_t t = 0; t < length; ++t) {
      s.node.append("w" + std::to_string(random.below(3)));
      s.node.end_list();
      s.labels.append(pattern[random.below(15) == 0 ? random.below(4) : (t + shift) % 4]);
    }
    s.labels.end_list();
    s.first_line = 1;
  }
  return data;
}

TrainOptions tight(std::size_t order) {
  TrainOptions options;
  options.order = order;
  options.regulariser = {.l1 = 0, .l2 = 0.5};
  options.precision = Precision::twice;
  options.stop = {.max_iterations = 2000, .tolerance = 0, .gradient_tolerance = 1e-7};
  options.settings.history = 6;
  return options;
}

struct Trained {
  TrainResult result;
  std::shared_ptr<const ChainModel> model;
  std::vector<std::byte> bytes;
};

Trained train(const std::vector<TextSequence>& data, const TrainOptions& options,
              std::shared_ptr<const ChainModel> init = nullptr) {
  const Extractor extractor = attribute_lines();
  ChainTraining training(extractor, std::move(init));
  for (const TextSequence& s : data) training.add(s, "data.attr");
  Trained trained;
  trained.result = training.run(options, nullptr, [](const TrainProgress&) { return true; });
  trained.bytes = training.model(Json::object()).bytes();
  trained.model =
      std::make_shared<const ChainModel>(Container::from_bytes(trained.bytes, "old.croft"));
  return trained;
}

double square(double x) { return x * x; }

// F of the model as its file says it, by the tagger's probabilities.
double objective(const ChainModel& model, const std::vector<TextSequence>& data,
                 const Regulariser& regulariser) {
  Tagger tagger(model);
  double value = 0, absolute = 0, squared = 0;
  const auto weigh = [&](double w) {
    absolute += std::abs(w);
    squared += square(w);
  };
  for (const TextSequence& s : data) {
    tagger.tag(s, {.probability = true});
    Labelling gold;
    for (std::size_t t = 0; t < s.length(); ++t) {
      Label y = 0;
      while (model.label(y) != s.labels.item(t)) ++y;
      gold.push_back(y);
    }
    value += tagger.negative_log_probability(gold);
  }
  for (const FeatureTable* table : {&model.node(), &model.tied()}) {
    for (std::uint32_t id = 0; id < table->size(); ++id) {
      const WeightRow row = table->row(id);
      for (std::size_t k = 0; k < row.size(); ++k) weigh(double{row.weight(k)});
    }
  }
  for (const float w : model.gram_weights()) weigh(double{w});
  return value + penalty(regulariser, absolute, squared);
}

TEST(HistoryTraining, TheModelThatIsSavedHasTheObjectiveThatIsReported) {
  const auto data = sequences(60, 1);
  double last = std::numeric_limits<double>::infinity();
  for (const std::size_t order : {1, 2, 3}) {
    for (const FeatureSet features : {FeatureSet::observed, FeatureSet::all}) {
      TrainOptions options = tight(order);
      options.features = features;
      const Trained trained = train(data, options);
      ASSERT_TRUE(trained.result.optimization.converged());
      EXPECT_NEAR(objective(*trained.model, data, options.regulariser),
                  trained.result.optimization.objective, 1e-4);
      EXPECT_EQ(trained.model->order(), order);
    }
    const double value = train(data, tight(order)).result.optimization.objective;
    if (order < 3) {
      EXPECT_LT(value, 0.8 * last);  // two labels back say more than one
    }
    last = value;
  }
}

TEST(HistoryTraining, EmpiricalMinusModelExpectationOfAGramIsL2TimesItsWeight) {
  const auto data = sequences(40, 2);
  const Trained trained = train(data, tight(2));
  const ChainModel& model = *trained.model;
  const LabelHistories& h = *model.histories();
  std::map<std::size_t, double> difference;
  for (const TextSequence& s : data) {
    const Enumeration all(model, s, [](const Labelling&) { return true; });
    for (std::size_t g = 0; g < h.grams.size(); ++g) {
      for (std::size_t t = 2; t < s.length(); ++t) {
        bool here = true;
        for (std::size_t k = 0; k < 3; ++k) {
          here = here && s.labels.item(t - 2 + k) == model.label(h.grams[g][k]);
        }
        difference[g] += here ? 1 : 0;
        difference[g] -= all.sum([&](const Labelling& y) {
          return std::equal(h.grams[g].begin(), h.grams[g].end(), y.begin() + t - 2);
        });
      }
    }
  }
  EXPECT_GT(difference.size(), 5u);
  for (const auto& [g, value] : difference) {
    EXPECT_NEAR(value, 0.5 * double{model.gram_weights()[g]}, 2e-5);
  }
}

TEST(HistoryTraining, AllowedHistoriesSpreadProbabilityOverEveryLabelling) {
  const auto data = sequences(10, 3);
  TrainOptions options = tight(2);
  const Trained seen = train(data, options);
  options.histories = HistorySet::allowed;
  const Trained trained = train(data, options);
  EXPECT_LT(seen.model->histories()->size(), 12u);
  EXPECT_EQ(trained.model->histories()->size(), 3u + 9u);
  EXPECT_NEAR(objective(*trained.model, data, options.regulariser),
              trained.result.optimization.objective, 1e-4);
}

TEST(HistoryTraining, TheNumberOfThreadsChangesNoByte) {
  const auto data = sequences(200, 4);
  TrainOptions options;
  options.order = 3;
  const Trained one = train(data, options);
  options.threads = 3;
  EXPECT_EQ(train(data, options).bytes, one.bytes);
}

TEST(HistoryTraining, AConstraintHoldsForHistoriesToo) {
  auto data = sequences(60, 5);
  std::erase_if(data, [](const TextSequence& s) {
    for (std::size_t t = 0; t < s.length(); ++t) {
      if (t > 0 && s.labels.item(t - 1) == "B" && s.labels.item(t) != "A") return true;
    }
    return s.labels.item(s.length() - 1) == "C";
  });
  ASSERT_GT(data.size(), 20u);
  for (const HistorySet set : {HistorySet::seen, HistorySet::allowed}) {
    TrainOptions options = tight(2);
    options.histories = set;
    options.constraint = [](std::span<const std::string> names) {
      ChainConstraint constraint(names.size());
      for (Label i = 0; i < names.size(); ++i) {
        constraint.end[i] = names[i] != "C";
        for (Label j = 0; j < names.size(); ++j) {
          if (names[i] == "B" && names[j] != "A") constraint.set_edge(i, j, false);
        }
      }
      return constraint;
    };
    const Trained trained = train(data, options);
    ASSERT_TRUE(trained.result.optimization.converged());
    EXPECT_NEAR(objective(*trained.model, data, options.regulariser),
                trained.result.optimization.objective, 1e-4);
    Tagger tagger(*trained.model);
    for (const TextSequence& s : data) {
      const Tagging& tagging = tagger.tag(s, {.samples = 5});
      for (const Labelling& y : tagging.samples) {
        EXPECT_NE(trained.model->label(y.back()), "C");
        for (std::size_t t = 1; t < y.size(); ++t) {
          if (trained.model->label(y[t - 1]) == "B") {
            EXPECT_EQ(trained.model->label(y[t]), "A");
          }
        }
      }
    }
  }
}

TEST(HistoryTraining, GoesOnFromAModelOfItsOwnOrder) {
  const auto data = sequences(60, 6);
  TrainOptions options = tight(2);
  const Trained first = train(data, options);
  const Trained again = train(data, options, first.model);
  EXPECT_LT(again.result.optimization.iterations, 5u);
  EXPECT_NEAR(again.result.optimization.objective, first.result.optimization.objective, 1e-4);
  EXPECT_EQ(again.model->histories()->states, first.model->histories()->states);
  // Other data, with a label more: what the model knew is kept.
  auto other = sequences(30, 7);
  other[0].labels.clear();
  for (std::size_t t = 0; t < other[0].length(); ++t) other[0].labels.append("D");
  other[0].labels.end_list();
  options.stop.max_iterations = 0;
  const Trained kept = train(other, options, first.model);
  const LabelHistories &before = *first.model->histories(), &after = *kept.model->histories();
  EXPECT_GT(after.size(), before.size());
  for (Label s = 0; s < before.size(); ++s) EXPECT_NE(after.find(before.states[s]), kNoRun);
  for (std::size_t g = 0; g < before.grams.size(); ++g) {
    const std::uint32_t at = find_run(after.grams, before.grams[g]);
    ASSERT_NE(at, kNoRun);
    EXPECT_EQ(kept.model->gram_weights()[at], first.model->gram_weights()[g]);
  }
  options.order = 3;
  try {
    train(data, options, first.model);
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()),
              "old.croft: this model is of order 2; go on from it with --order 2");
  }
}

TEST(HistoryTraining, AnActiveSetReachesTheMinimumOverAllFeatures) {
  const auto data = sequences(80, 8);
  TrainOptions options = tight(2);
  options.features = FeatureSet::all;
  options.regulariser = {.l1 = 0.6, .l2 = 0};
  options.stop = {.max_iterations = 2000, .tolerance = 1e-10, .window = 20};
  const Trained all = train(data, options);
  options.active_set_from = 1;
  const Trained some = train(data, options);
  ASSERT_TRUE(some.result.active_set);
  EXPECT_NEAR(some.result.optimization.objective, all.result.optimization.objective,
              1e-5 * all.result.optimization.objective);
  EXPECT_NEAR(objective(*some.model, data, options.regulariser), some.result.optimization.objective,
              1e-3);
  EXPECT_LT(some.model->gram_weights().size(), all.result.dimension);
}

TEST(HistoryTraining, SoftmaxMarginIsNotLessThanTheLikelihood) {
  const auto data = sequences(40, 9);
  TrainOptions options = tight(2);
  const Trained likelihood = train(data, options);
  options.objective = Objective::softmax_margin;
  options.cost = [](std::span<const std::string_view> names) {
    return hamming_cost(names.size(), 1);
  };
  const Trained margin = train(data, options);
  EXPECT_GT(margin.result.optimization.objective, likelihood.result.optimization.objective + 1);
}

TEST(HistoryTraining, TheHoldoutIsLabelledByHistories) {
  const auto data = sequences(60, 10);
  const Extractor extractor = attribute_lines();
  ChainTraining training(extractor, nullptr);
  for (const TextSequence& s : data) training.add(s);
  for (const TextSequence& s : data) training.add_holdout(s);
  std::vector<std::vector<std::string>> last;
  const auto remember = [&](const std::vector<std::vector<std::string_view>>& predicted) {
    last.clear();
    for (const auto& y : predicted) last.emplace_back(y.begin(), y.end());
    return HoldoutScore{};
  };
  training.run(tight(2), remember, [](const TrainProgress&) { return true; });
  const ChainModel model(Container::from_bytes(training.model(Json::object()).bytes(), "m.croft"));
  Tagger tagger(model);
  ASSERT_EQ(last.size(), data.size());
  for (std::size_t n = 0; n < data.size(); ++n) {
    const Tagging& tagging = tagger.tag(data[n], {});
    for (std::size_t t = 0; t < data[n].length(); ++t) {
      EXPECT_EQ(last[n][t], model.label(tagging.y[t]));
    }
  }
}

TEST(HistoryTraining, OptionsThatMakeNoSenseAreErrors) {
  const auto data = sequences(5, 11);
  const auto message = [&](const TrainOptions& options) {
    try {
      train(data, options);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  TrainOptions options;
  options.order = 0;
  EXPECT_EQ(message(options), "--order 0 is not 1 to 8");
  options.order = 9;
  EXPECT_EQ(message(options), "--order 9 is not 1 to 8");
  options.order = 1;
  options.histories = HistorySet::seen;
  EXPECT_EQ(message(options),
            "--histories goes with --order 2 or more; a chain of order 1 has none");
}

TEST(HistoryTraining, PartialLabelsWithoutAPathAreAnErrorThatNamesTheLine) {
  const Extractor extractor = attribute_lines();
  const auto sequence = [](const std::vector<std::string>& labels, std::size_t line) {
    TextSequence s;
    for (const std::string& label : labels) {
      s.node.append("w");
      s.node.end_list();
      s.labels.append(label);
    }
    s.labels.end_list();
    s.first_line = line;
    return s;
  };
  ChainTraining training(extractor, nullptr);
  training.read_partial_labels({});
  training.add(sequence({"A", "B", "A"}, 1), "part.attr");
  training.add(sequence({"A", "?", "A"}, 5), "part.attr");
  training.add(sequence({"A", "?", "B"}, 9), "part.attr");
  TrainOptions options = tight(2);
  try {
    training.run(options, nullptr, [](const TrainProgress&) { return true; });
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find("part.attr:9: no labelling that fits"), 0u)
        << error.what();
  }
}

}  // namespace
}  // namespace croft::history_training_test
