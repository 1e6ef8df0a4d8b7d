// What a training is told beside its data: a constraint, groups of transitions, partial labels.
#include <gtest/gtest.h>

#include <cmath>

#include "app/label/tagger.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "support/all_sequences.h"
#include "support/message_of.h"
#include "train/kinds/chain_training.h"

namespace croft::training_options_test {
namespace {

Extractor attribute_lines() {
  ExtractionConfig config;
  config.format = InputFormat::attributes;
  return Extractor(config);
}

const Extractor& extractor() {
  static const Extractor kLines = attribute_lines();
  return kLines;
}

TextSequence text_of(const std::vector<std::string>& words, const std::vector<std::string>& labels,
                     std::size_t first_line = 1) {
  TextSequence text;
  for (const std::string& word : words) {
    text.node.append("w=" + word);
    text.node.end_list();
  }
  for (const std::string& label : labels) text.labels.append(label);
  text.labels.end_list();
  text.first_line = first_line;
  return text;
}

// Random chunks of one type; words that say something about the label, not everything.
std::vector<TextSequence> chunks(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<TextSequence> data;
  for (std::size_t n = 0; n < count; ++n) {
    std::vector<std::string> words, labels;
    const std::size_t length = 1 + random.below(5);
    for (std::size_t t = 0; t < length; ++t) {
      const bool inside = t > 0 && labels.back() != "O";
      const std::uint64_t kind = random.below(inside ? 3 : 2);
      labels.push_back(kind == 0 ? "O" : kind == 1 ? "B" : "I");
      words.push_back(random.below(3) == 0 ? "x" : labels.back() + std::to_string(random.below(2)));
    }
    data.push_back(text_of(words, labels));
  }
  return data;
}

using Keep = std::function<bool(const TrainProgress&)>;

struct Trained {
  TrainResult result;
  std::vector<std::byte> bytes;
  std::shared_ptr<const ChainModel> model;
};

Trained train(const std::vector<TextSequence>& data, const TrainOptions& options,
              std::shared_ptr<const ChainModel> init = nullptr) {
  ChainTraining training(extractor(), init);
  for (const TextSequence& s : data) training.add(s, "data.txt");
  Trained trained;
  trained.result = training.run(options, nullptr, [](const TrainProgress&) { return true; });
  trained.bytes = training.model(Json::object()).bytes();
  trained.model =
      std::make_shared<const ChainModel>(Container::from_bytes(trained.bytes, "memory"));
  return trained;
}

TrainOptions tight(double l1, double l2) {
  TrainOptions options;
  options.regulariser = {.l1 = l1, .l2 = l2};
  options.precision = Precision::twice;
  options.stop = {.max_iterations = 3000, .tolerance = 0, .gradient_tolerance = 1e-7};
  return options;
}

ChainConstraint bio(std::span<const std::string> names) { return bio_constraint(names); }

TransitionGrouping grouping(
    std::function<std::uint32_t(const std::string&, const std::string&)> of) {
  return [of](std::span<const std::string> names) {
    TransitionGroups groups(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      for (std::size_t j = 0; j < names.size(); ++j) {
        groups.of[i * names.size() + j] = of(names[i], names[j]);
      }
    }
    return groups;
  };
}

// --- constraints

// Probabilities of the valid labellings sum to 1, and at the optimum the model's expectation of
// each feature, under the constraint, is that of the data less l2 w.
TEST(ConstrainedTraining, IsTheOptimumOverValidLabellings) {
  const auto data = chunks(80, 1);
  TrainOptions options = tight(0, 0.5);
  options.constraint = bio;
  options.features = FeatureSet::all;
  const Trained trained = train(data, options);
  ASSERT_TRUE(trained.result.optimization.converged()) << trained.result.optimization.message;
  const ChainModel& model = *trained.model;
  const std::size_t labels = model.labels();
  Matrix<double> difference(labels, labels, 0.0);  // of transitions, data less model
  ChainModel::Scratch scratch;
  ChainScores<double> scores;
  const auto number = [&](std::string_view name) {
    Label y = 0;
    while (model.label(y) != name) ++y;
    return y;
  };
  for (const TextSequence& s : data) {
    model.score(s, scratch, scores);
    std::vector<std::pair<std::vector<Label>, double>> valid;
    double z = 0;
    testing_support::for_each_sequence(labels, s.length(), [&](const std::vector<Label>& y) {
      if (check(*model.constraint(), y)) {
        EXPECT_EQ(score(scores, std::span<const Label>(y)), ChainScores<double>::kForbidden);
        return;
      }
      valid.emplace_back(y, std::exp(score(scores, std::span<const Label>(y))));
      z += valid.back().second;
    });
    for (const auto& [y, factor] : valid) {
      for (std::size_t t = 1; t < y.size(); ++t) difference(y[t - 1], y[t]) -= factor / z;
    }
    for (std::size_t t = 1; t < s.length(); ++t) {
      difference(number(s.labels.item(t - 1)), number(s.labels.item(t))) += 1;
    }
  }
  const WeightRow row = model.tied().row(0);
  Matrix<double> weight(labels, labels, 0.0);
  for (std::size_t k = 0; k < row.size(); ++k) {
    weight(row.cell(k) / labels, row.cell(k) % labels) = double{row.weight(k)};
  }
  for (Label i = 0; i < labels; ++i) {
    for (Label j = 0; j < labels; ++j) {
      EXPECT_NEAR(difference(i, j), 0.5 * weight(i, j), 2e-5) << model.label(i) << model.label(j);
    }
  }
  EXPECT_EQ(weight(number("O"), number("I")), 0);
}

TEST(ConstrainedTraining, TheModelNeverPredictsWhatIsForbidden) {
  TrainOptions options;
  options.constraint = bio;
  const Trained trained = train(chunks(80, 2), options);
  Tagger tagger(*trained.model);
  const Tagging& tagging = tagger.tag(text_of({"O0", "I0", "I1", "O1"}, {}), {.probability = true});
  EXPECT_FALSE(check(*trained.model->constraint(), tagging.y));
  EXPECT_GT(tagging.log_probability, -100);
  std::vector<Label> gold(4, tagging.y[0]);
  for (Label y = 0; y < 3; ++y) {
    if (trained.model->label(y) == "I") gold[0] = y;
  }
  EXPECT_EQ(tagger.negative_log_probability(gold), std::numeric_limits<double>::infinity());
}

TEST(ConstrainedTraining, AllowingEverythingTrainsTheSameWeights) {
  const auto data = chunks(50, 3);
  TrainOptions options, all = options;
  all.constraint = [](std::span<const std::string> names) { return ChainConstraint(names.size()); };
  const Trained free = train(data, options), masked = train(data, all);
  EXPECT_EQ(masked.result.optimization.objective, free.result.optimization.objective);
  EXPECT_EQ(masked.result.optimization.gradient_norm, free.result.optimization.gradient_norm);
}

TEST(ConstrainedTraining, LabelsThatBreakItAreAnErrorWithFileAndLine) {
  TrainOptions options;
  options.constraint = bio;
  auto data = chunks(20, 4);
  data.push_back(text_of({"a", "b", "c"}, {"B", "O", "I"}, 70));
  const std::string message = message_of<InputError>([&] { train(data, options); });
  EXPECT_TRUE(message.starts_with(
      "data.txt:72: training data that breaks the constraint: \"I\" may not follow \"O\"; "))
      << message;
}

TEST(ConstrainedTraining, GoesOnUnderTheConstraintOfTheModelItStartsFrom) {
  const auto data = chunks(40, 5);
  TrainOptions options = tight(0, 1);
  options.constraint = bio;
  const Trained first = train(data, options);
  TrainOptions once = tight(0, 1);
  once.stop.max_iterations = 0;
  const Trained again = train(data, once, first.model);
  EXPECT_EQ(*again.model->constraint(), *first.model->constraint());
  EXPECT_NEAR(again.result.optimization.objective, first.result.optimization.objective, 1e-6);
  const std::vector<TextSequence> other = {text_of({"a"}, {"NEW"})};
  EXPECT_NE(message_of<UsageError>([&] { train(other, once, first.model); }).find("--constrain"),
            std::string::npos);
  once.constraint = [](std::span<const std::string> names) {
    return ChainConstraint(names.size());
  };
  EXPECT_EQ(train(other, once, first.model).model->labels(), 4u);
}

TEST(ConstrainedTraining, PartialLabelsAreCompletedWithValidOnes) {
  auto data = chunks(60, 6);
  const std::size_t n = data.size();
  for (std::size_t k = 0; k < n; k += 2) {
    std::vector<std::string> labels(data[k].length(), "?");
    StringLists list;
    for (const std::string& label : labels) list.append(label);
    list.end_list();
    data[k].labels = list;
  }
  TrainOptions options;
  options.constraint = bio;
  ChainTraining training(extractor(), nullptr);
  training.read_partial_labels({});
  for (const TextSequence& s : data) training.add(s, "data.txt");
  const TrainResult result = training.run(options, nullptr, [](const auto&) { return true; });
  EXPECT_TRUE(std::isfinite(result.optimization.objective));
  EXPECT_GT(training.partial_positions(), 60u);

  const auto add_and_run = [&](const std::vector<std::string>& labels) {
    ChainTraining one(extractor(), nullptr);
    one.read_partial_labels({});
    one.add(text_of({"a", "b"}, {"B", "I"}, 1), "data.txt");
    one.add(text_of(std::vector<std::string>(labels.size(), "a"), labels, 4), "data.txt");
    one.run(options, nullptr, [](const auto&) { return true; });
  };
  EXPECT_NO_THROW(add_and_run({"O|B", "I"}));
  const std::string message = message_of<InputError>([&] { add_and_run({"?", "O", "I"}); });
  EXPECT_TRUE(message.starts_with("data.txt:6: ")) << message;
}

// --- groups of transitions

TEST(SharedTransitionWeights, AMapOfItsOwnWeightsGivesTheSameModel) {
  const auto data = chunks(60, 7);
  TrainOptions options, identity = options;
  identity.transition_groups = grouping([](const std::string& i, const std::string& j) {
    return static_cast<std::uint32_t>(i[0]) * 256 + static_cast<std::uint32_t>(j[0]);
  });
  const Trained plain = train(data, options), grouped = train(data, identity);
  EXPECT_EQ(grouped.bytes, plain.bytes);
  EXPECT_EQ(grouped.result.shared_transitions, 0u);
}

TEST(SharedTransitionWeights, OneGroupIsOneWeight) {
  const auto data = chunks(60, 8);
  TrainOptions options;
  const std::size_t nodes = train(data, options).model->node().weights();
  options.transition_groups = grouping([](const auto&, const auto&) { return 0; });
  const Trained trained = train(data, options);
  EXPECT_EQ(trained.result.dimension, nodes + 1);
  EXPECT_EQ(trained.result.shared_transitions, 9u);
}

// A weight for staying and one for leaving: a model by hand that has them must agree.
TEST(SharedTransitionWeights, AreTheOptimumOfTheSharedFeature) {
  const auto data = chunks(80, 9);
  TrainOptions options = tight(0, 0.5);
  options.transition_groups = grouping([](const std::string& i, const std::string& j) {
    return i == j ? 0u : i == "O" && j == "I" ? TransitionGroups::kNone : 1u;
  });
  const Trained trained = train(data, options);
  EXPECT_EQ(trained.result.shared_transitions, 8u);
  EXPECT_EQ(trained.result.dropped_transitions, 1u);
  const ChainModel& model = *trained.model;
  Tagger tagger(model);
  double stay = 0, leave = 0;  // data less model
  const auto is_none = [&](std::string_view i, std::string_view j) { return i == "O" && j == "I"; };
  for (const TextSequence& s : data) {
    for (std::size_t t = 1; t < s.length(); ++t) {
      (s.labels.item(t - 1) == s.labels.item(t) ? stay : leave) += 1;
    }
    for (const EdgeProbability& edge : tagger.tag(s, {.edges = true}).edges) {
      if (is_none(model.label(edge.from), model.label(edge.to))) continue;
      (edge.from == edge.to ? stay : leave) -= edge.value;
    }
  }
  const auto& transitions = model.transitions<double>();
  EXPECT_NEAR(stay, 0.5 * transitions.at(0, 0), 3e-4);  // edges below 1e-6 are not listed
  for (Label i = 0; i < 3; ++i) {
    for (Label j = 0; j < 3; ++j) {
      const double weight = transitions.at(i, j);
      if (is_none(model.label(i), model.label(j))) {
        EXPECT_EQ(weight, 0);
      } else if (i != j) {
        EXPECT_NEAR(leave, 0.5 * weight, 3e-4);
      }
    }
  }
}

TEST(SharedTransitionWeights, TrainingGoesOnFromAModelThatSharesThem) {
  const auto data = chunks(60, 10);
  TrainOptions options = tight(0, 1);
  options.transition_groups = grouping(
      [](const std::string& i, const std::string&) { return static_cast<std::uint32_t>(i[0]); });
  const Trained first = train(data, options);
  options.stop.max_iterations = 0;
  EXPECT_EQ(train(data, options, first.model).bytes, first.bytes);
}

TEST(SharedTransitionWeights, StartAtTheMeanOfTheWeightsOfAModelThatDoesNotShareThem) {
  const auto data = chunks(60, 11);
  TrainOptions options;
  options.features = FeatureSet::all;
  const Trained first = train(data, options);
  options.stop.max_iterations = 0;
  options.transition_groups = grouping([](const auto&, const auto&) { return 0; });
  auto more = data;
  more.push_back(text_of({"a"}, {"NEW"}));  // whose transitions the mean leaves out
  const Trained again = train(more, options, first.model);
  double mean = 0;
  for (Label i = 0; i < 3; ++i) {
    for (Label j = 0; j < 3; ++j) mean += first.model->transitions<double>().at(i, j) / 9;
  }
  ASSERT_EQ(again.model->labels(), 4u);
  EXPECT_FLOAT_EQ(static_cast<float>(again.model->transitions<double>().at(3, 0)),
                  static_cast<float>(mean));
}

TEST(SharedTransitionWeights, AnActiveSetFindsTheSameMinimum) {
  const auto data = chunks(80, 12);
  TrainOptions options = tight(0.4, 0.1);
  options.stop.gradient_tolerance = 1e-6;
  options.features = FeatureSet::all;
  options.constraint = bio;
  options.transition_groups = grouping([](const std::string& i, const std::string& j) {
    return i == "O" ? 0u : j == "O" ? 1u : TransitionGroups::kOwn;
  });
  const double all = train(data, options).result.optimization.objective;
  options.active_set_from = 0;
  EXPECT_NEAR(train(data, options).result.optimization.objective, all, 1e-3 * all);
}

// --- partial labels

TEST(PartialTraining, ALabelOfTheInitialModelThatWouldBeReadOtherwiseIsRefused) {
  const std::vector<TextSequence> data = {text_of({"a", "b"}, {"A|B", "C"})};
  const Trained first = train(data, TrainOptions());
  ChainTraining training(extractor(), first.model);
  const std::string message =
      message_of<UsageError>([&] { training.read_partial_labels({.separator = '|'}); });
  EXPECT_NE(message.find("\"A|B\""), std::string::npos);
  EXPECT_NE(message.find("--partial-separator"), std::string::npos);
  EXPECT_NO_THROW(training.read_partial_labels({.separator = '/'}));
}

}  // namespace
}  // namespace croft::training_options_test
