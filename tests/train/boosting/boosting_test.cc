// Boosting against definitions, by hand, and against the log-linear models that it contains.
#include "train/boosting/boosting.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numeric>

#include "core/json.h"
#include "croft/core/error.h"
#include "croft/inference/chain_sum.h"
#include "support/random_data.h"
#include "train/boosting/boosted_chain.h"
#include "train/boosting/boosted_potentials.h"
#include "train/kinds/chain_training.h"

namespace croft::boosting_test {
namespace {

using testing_support::DataShape;
using testing_support::random_plain_data;
using testing_support::to_chain_data;

Extractor attribute_extractor() {
  ExtractionConfig config;
  config.format = InputFormat::attributes;
  return Extractor(config);
}

// "a b/X c/Y": positions of attributes and a label.
TextSequence text(const std::string& items) {
  TextSequence out;
  std::string name;
  for (const char c : items + " ") {
    if (c != ' ') {
      name += c;
      continue;
    }
    const std::size_t slash = name.find('/');
    const std::string attribute = name.substr(0, slash);
    if (!attribute.empty()) out.node.append(attribute);
    if (slash != std::string::npos) {
      out.node.end_list();
      out.labels.append(name.substr(slash + 1));
    }
    name.clear();
  }
  out.labels.end_list();
  return out;
}

// Labels follow from conjunctions of attributes and from the label before.
std::vector<TextSequence> random_texts(std::size_t count, std::size_t labels, std::uint64_t seed) {
  Random random(seed);
  std::vector<TextSequence> texts;
  for (std::size_t n = 0; n < count; ++n) {
    TextSequence one;
    std::size_t before = 0;
    for (std::size_t t = 0; t < 1 + random.below(7); ++t) {
      const std::uint64_t a = random.below(4), b = random.below(3);
      one.node.append("a" + std::to_string(a));
      one.node.append("b" + std::to_string(b));
      if (random.uniform() < 0.7) one.node.append("size", std::round(10 * random.uniform()));
      one.node.end_list();
      before = random.uniform() < 0.15 ? random.below(labels) : (a * b + before) % labels;
      one.labels.append("L" + std::to_string(before));
    }
    one.labels.end_list();
    texts.push_back(std::move(one));
  }
  return texts;
}

BoostingOptions few_positions() {
  BoostingOptions options;
  options.rounds = 15;
  options.tree.leaves = 8;
  return options;
}

HoldoutScore no_score(const std::vector<std::vector<std::string_view>>&) { return {}; }

struct Trained {
  BoostingResult result;
  std::vector<std::byte> bytes;
  std::vector<double> objectives;
  std::shared_ptr<const BoostedModel> model() const {
    return std::make_shared<const BoostedModel>(Container::from_bytes(bytes, "test.croft"));
  }
};

Trained train(std::string_view kind, const std::vector<TextSequence>& texts,
              const BoostingOptions& options) {
  static const Extractor extractor = attribute_extractor();
  BoostedChain training(extractor, kind);
  for (const TextSequence& each : texts) training.add(each);
  Trained out;
  out.result = training.run(options, no_score, [&](const BoostingProgress& now) {
    out.objectives.push_back(now.objective);
    return true;
  });
  out.bytes = training.model(Json::object()).bytes();
  return out;
}

TEST(Boosting, OneRoundOfTwoLabelsByHand) {
  BoostingOptions options;
  options.rounds = 1;
  options.shrinkage = 0.5;
  const Trained trained =
      train(kBoostedMaxent, {text("a/X"), text("a/X"), text("/Y"), text("/Y")}, options);
  // Both shares are 3 / 6; g = -+1/2 and h = 2 * 1/4 at each position, so that a leaf of two has
  // G = -+1, H = 1, v = +-1 / (1 + 1); the gain, of one label, is 1/2 (1 / 2 + 1 / 2).
  const auto model = trained.model();
  ASSERT_EQ(model->trees().trees(), 1u);
  EXPECT_EQ(model->trees().roots()[0].output, kAllOutputs);
  ASSERT_EQ(model->trees().nodes().size(), 1u);
  EXPECT_NEAR(model->trees().nodes()[0].gain, 0.5, 1e-6);
  EXPECT_EQ(model->attribute(0), "a");
  SequenceModel::Scratch scratch;
  ChainScores<double> scores;
  model->score(text("a/X /X"), scratch, scores);
  const double base = std::log(0.5);
  EXPECT_NEAR(scores.state(0, 0), base + 0.25, 1e-7);
  EXPECT_NEAR(scores.state(0, 1), base - 0.25, 1e-7);
  EXPECT_NEAR(scores.state(1, 0), base - 0.25, 1e-7);
  EXPECT_NEAR(scores.state(1, 1), base + 0.25, 1e-7);
  EXPECT_NEAR(trained.objectives[0], 4 * std::log(2), 1e-9);
  EXPECT_NEAR(trained.objectives[1], 4 * std::log1p(std::exp(-0.5)), 1e-6);
}

// Potentials of random numbers over random data.
struct Example {
  ChainData data;
  Potentials potentials;
};
Example random_example(std::uint64_t seed, bool partial) {
  Random random(seed);
  Example out;
  const DataShape shape{.sequences = 5, .min_length = 1, .max_length = 5, .labels = 3, .edge = 0};
  out.data = to_chain_data(random_plain_data(shape, random));
  if (partial) {
    for (Label& label : out.data.label) {
      if (random.uniform() < 0.4) label = kAnyLabel;
    }
  }
  out.potentials.state.reshape(out.data.positions(), 3);
  for (std::size_t p = 0; p < out.data.positions(); ++p) {
    for (std::size_t y = 0; y < 3; ++y) out.potentials.state(p, y) = random.normal();
  }
  out.potentials.transition.assign(3, 3, 0.0);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) out.potentials.transition(i, j) = random.normal();
  }
  out.potentials.pairs = {{0, 1}, {2, 2}};
  for (int k = 0; k < 2; ++k) {
    out.potentials.pair.emplace_back(out.data.positions());
    for (float& value : out.potentials.pair.back()) value = static_cast<float>(random.normal());
  }
  return out;
}

TEST(Boosting, OfTwoLabelsTheTreesAreMirrorImages) {
  const auto texts = random_texts(40, 2, 3);
  BoostingOptions options = few_positions();
  options.trees = TreeSharing::shared;
  const Trained shared = train(kBoostedChain, texts, options);
  options.trees = TreeSharing::label;
  const Trained label = train(kBoostedChain, texts, options);
  EXPECT_LT(shared.objectives.back(), 0.8 * shared.objectives.front());
  EXPECT_EQ(shared.bytes, label.bytes);
  const auto model = label.model();
  const std::span<const float> values = model->trees().values();
  for (std::size_t k = 0; k < values.size(); k += 2) EXPECT_EQ(values[k], -values[k + 1]);
  // As if each label had been fitted: by the gradient of the other.
  ThreadPool pool;
  const Example example = random_example(3, false);
  ChainData data = example.data;
  for (Label& each : data.label) each = each == 2 ? 1 : each;
  Potentials potentials;
  potentials.state.reshape(data.positions(), 2);
  for (std::size_t p = 0; p < data.positions(); ++p) {
    for (std::size_t y = 0; y < 2; ++y) potentials.state(p, y) = example.potentials.state(p, y);
  }
  potentials.transition.assign(2, 2, 0.3);
  PotentialFunction<double> function(data, 2, 1, pool);
  PotentialGradient gradient;
  function.evaluate(potentials, gradient);
  for (std::size_t p = 0; p < data.positions(); ++p) {
    const float* const first = gradient.state.data() + 2 * p;
    const float* const second = first + 2 * data.positions();
    EXPECT_NEAR(first[0], -second[0], 1e-6);
    EXPECT_NEAR(first[1], second[1], 1e-6);
  }
}

TEST(Boosting, EveryRoundLowersTheObjective) {
  for (const bool pairs : {false, true}) {
    for (const TreeSharing trees : {TreeSharing::label, TreeSharing::shared}) {
      BoostingOptions options = few_positions();
      options.trees = trees;
      options.pair_trees = pairs;
      const Trained trained = train(kBoostedChain, random_texts(60, 3, 4), options);
      ASSERT_EQ(trained.objectives.size(), 16u);
      for (std::size_t k = 1; k < trained.objectives.size(); ++k) {
        EXPECT_LT(trained.objectives[k], trained.objectives[k - 1]) << k;
      }
    }
  }
}

TEST(Boosting, DepthZeroPairsApproachTheCrfWithTransitionWeightsOnly) {
  std::vector<TextSequence> texts;
  Random random(5);
  for (int n = 0; n < 60; ++n) {
    TextSequence one;
    std::size_t label = random.below(3);
    for (std::size_t t = 0; t < 2 + random.below(6); ++t) {
      one.node.append("bias");
      one.node.end_list();
      one.labels.append("L" + std::to_string(label));
      label = random.uniform() < 0.6 ? (label + 1) % 3 : random.below(3);
    }
    one.labels.end_list();
    texts.push_back(one);
  }
  BoostingOptions options;
  options.rounds = 600;
  options.shrinkage = 0.5;
  options.tree.depth = 0;
  options.tree.l2 = 0;
  const Trained boosted = train(kBoostedChain, texts, options);
  static const Extractor extractor = attribute_extractor();
  ChainTraining crf(extractor);
  for (const TextSequence& each : texts) crf.add(each);
  TrainOptions of_crf;
  of_crf.regulariser = {.l1 = 0, .l2 = 1e-8};
  of_crf.stop.tolerance = 1e-12;
  const auto result = crf.run(of_crf, no_score, [](const TrainProgress&) { return true; });
  EXPECT_LT(boosted.objectives.back(), 0.98 * boosted.objectives.front());
  EXPECT_NEAR(boosted.objectives.back(), result.optimization.objective, 1e-4);
  // The same transitions, up to what labels' own scores can take over: their mixed differences.
  const auto bytes = crf.model(Json::object()).bytes();
  const ChainModel chain(Container::from_bytes(bytes, "chain.croft"));
  const auto mixed = [](const SequenceModel& model, Label i, Label j) {
    const auto& a = model.transitions<double>();
    return a.at(i, j) - a.at(i, 0) - a.at(0, j) + a.at(0, 0);
  };
  for (Label i = 1; i < 3; ++i) {
    for (Label j = 1; j < 3; ++j) {
      EXPECT_NEAR(mixed(*boosted.model(), i, j), mixed(chain, i, j), 0.02);
    }
  }
}

double value_of(const Example& example) {
  ThreadPool pool;
  PotentialFunction<double> function(example.data, 3, 1, pool);
  PotentialGradient unused;
  return function.evaluate(example.potentials, unused);
}

// First and second derivative along `at`, by central differences.
template <class Number>
std::pair<double, double> differences(const Example& example, Number& at, double step) {
  const Number before = at;
  at = static_cast<Number>(before + step);
  const double high = value_of(example);
  at = static_cast<Number>(before - step);
  const double low = value_of(example);
  at = before;
  const double middle = value_of(example);
  return {(high - low) / (2 * step), (high - 2 * middle + low) / (step * step)};
}

TEST(Boosting, GradientsAreCentralDifferences) {
  for (const bool partial : {false, true}) {
    Example example = random_example(6, partial);
    ThreadPool pool;
    PotentialFunction<double> function(example.data, 3, 1, pool);
    PotentialGradient gradient;
    function.evaluate(example.potentials, gradient);
    // Second derivatives are those of log Z, whatever the labels: (TB.3).
    Example known = example;
    for (Label& label : known.data.label) label = is_one_label(label) ? label : 0;
    const std::size_t positions = example.data.positions();
    for (std::size_t p = 0; p < positions; ++p) {
      for (std::size_t y = 0; y < 3; ++y) {
        const std::size_t at = (y * positions + p) * 2;
        EXPECT_NEAR(gradient.state[at],
                    differences(example, example.potentials.state(p, y), 1e-5).first, 1e-5);
        EXPECT_NEAR(gradient.state[at + 1],
                    1.5 * differences(known, known.potentials.state(p, y), 1e-3).second, 1e-4);
      }
      for (std::size_t k = 0; k < 2; ++k) {
        const std::size_t at = (k * positions + p) * 2;
        EXPECT_NEAR(gradient.pair[at],
                    differences(example, example.potentials.pair[k][p], 1.0 / 512).first, 1e-4);
        EXPECT_NEAR(gradient.pair[at + 1],
                    differences(known, known.potentials.pair[k][p], 1.0 / 512).second, 1e-3);
      }
    }
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_NEAR(gradient.transition[i * 3 + j],
                    differences(example, example.potentials.transition(i, j), 1e-5).first, 1e-6);
      }
    }
  }
}

TEST(Boosting, LabelsByThemselvesAreChainsOfOnePosition) {
  Random random(18);
  ChainData data;
  data.label_sets.label = {0, 2};
  data.label_sets.begin.push_back(2);
  for (const Label known : {Label{0}, Label{2}, kAnyLabel, kLabelSetBit, Label{1}, Label{2}}) {
    data.label.push_back(known);
    data.sequence_begin.push_back(data.label.size());
    data.weight.push_back(0.5 + random.uniform());
  }
  Potentials potentials;
  potentials.state.reshape(data.positions(), 3);
  for (std::size_t p = 0; p < data.positions(); ++p) {
    for (std::size_t y = 0; y < 3; ++y) potentials.state(p, y) = 3 * random.normal();
  }
  potentials.state(4, 0) = 1000;  // certain, and wrong
  ThreadPool pool;
  for (const std::size_t width : {1u, 3u}) {
    PotentialGradient one, two;
    const double value = LabelPotentialFunction(data, 3, width, pool).evaluate(potentials, one);
    const double expected =
        PotentialFunction<double>(data, 3, width, pool).evaluate(potentials, two);
    EXPECT_NEAR(value, expected, 1e-9);
    ASSERT_EQ(one.state.size(), two.state.size());
    for (std::size_t k = 0; k < one.state.size(); ++k) {
      EXPECT_NEAR(one.state[k], two.state[k], 1e-6) << k;
    }
  }
}

TEST(Boosting, CurvatureOfTransitionsBoundsTheSumOverPositions) {
  for (const bool partial : {false, true}) {
    Example example = random_example(7, partial);
    example.potentials.pairs.clear();
    for (Label i = 0; i < 3; ++i) {
      for (Label j = 0; j < 3; ++j) example.potentials.pairs.push_back({i, j});
    }
    example.potentials.pair.assign(9, std::vector<float>(example.data.positions()));
    ThreadPool pool;
    PotentialFunction<double> function(example.data, 3, 1, pool);
    PotentialGradient gradient;
    function.evaluate(example.potentials, gradient);
    const std::size_t positions = example.data.positions();
    for (std::size_t k = 0; k < 9; ++k) {
      double sum = 0, g = 0;
      for (std::size_t p = 0; p < positions; ++p) {
        g += double{gradient.pair[(k * positions + p) * 2]};
        sum += double{gradient.pair[(k * positions + p) * 2 + 1]};
      }
      EXPECT_NEAR(gradient.transition[k], g, 1e-5);
      EXPECT_GE(gradient.curvature[k], sum - 1e-6);
      EXPECT_LT(gradient.curvature[k], 3 * sum + 1);
    }
  }
}

TEST(Boosting, TheModelFileScoresAsTrainingDid) {
  for (const bool pairs : {false, true}) {
    const auto texts = random_texts(50, 3, 8);
    static const Extractor extractor = attribute_extractor();
    BoostedChain training(extractor, kBoostedChain);
    for (const TextSequence& each : texts) training.add(each);
    BoostingOptions options = few_positions();
    options.pair_trees = pairs;
    training.run(options, no_score, {});
    const auto bytes = training.model(Json::object()).bytes();
    const BoostedModel model(Container::from_bytes(bytes, "test.croft"));
    EXPECT_EQ(model.has_overlays(), pairs);
    EXPECT_EQ(model.rounds(), 15u);
    SequenceModel::Scratch scratch;
    ChainScores<double> scores, own;
    TransitionScores<double> tied;
    tied.assign(training.potentials().transition);
    std::size_t first = 0;
    for (const TextSequence& each : texts) {
      model.score(each, scratch, scores);
      copy_scores(training.potentials(), first, each.length(), tied, own);
      first += each.length();
      for (std::size_t t = 0; t < each.length(); ++t) {
        for (Label j = 0; j < 3; ++j) {
          EXPECT_NEAR(scores.state(t, j), own.state(t, j), 1e-12);
          for (Label i = 0; i < 3 && t > 0; ++i) {
            EXPECT_NEAR(scores.edge(t, i, j), own.edge(t, i, j), 1e-5);
          }
        }
      }
    }
  }
}

TEST(Boosting, ThreadsDoNotChangeABit) {
  const auto texts = random_texts(80, 4, 9);
  for (const TreeSharing trees : {TreeSharing::label, TreeSharing::shared}) {
    BoostingOptions options = few_positions();
    options.trees = trees;
    options.pair_trees = true;
    options.row_share = 0.7;
    options.tree.feature_share = 0.8;
    options.trim = 0.1;
    const Trained one = train(kBoostedChain, texts, options);
    options.threads = 3;
    EXPECT_EQ(train(kBoostedChain, texts, options).bytes, one.bytes);
    options.seed = 2;
    EXPECT_NE(train(kBoostedChain, texts, options).bytes, one.bytes);
  }
}

TEST(Boosting, TreesFindConjunctionsThatWeightsOfSingleAttributesCannot) {
  std::vector<TextSequence> texts;
  for (int n = 0; n < 40; ++n) {
    const bool a = n % 2 == 0, b = n % 4 < 2;
    texts.push_back(text(std::string(a ? "a " : "") + (b ? "b " : "") + (n % 8 == 0 ? "c" : "d") +
                         (a != b ? "/X" : "/Y")));
  }
  // A greedy first test gains nothing on an exclusive or that is balanced: this one is not.
  texts.push_back(text("a/X"));
  BoostingOptions options;
  options.rounds = 30;
  EXPECT_LT(train(kBoostedMaxent, texts, options).objectives.back(), 3.0);
}

TEST(Boosting, TrimmedTreesLowerTheObjectiveNearlyAsWell) {
  const auto texts = random_texts(200, 3, 10);
  BoostingOptions options = few_positions();
  options.trim = 0;
  const double all = train(kBoostedChain, texts, options).objectives.back();
  options.trim = 0.1;
  const Trained trimmed = train(kBoostedChain, texts, options);
  EXPECT_NE(trimmed.objectives.back(), all);
  EXPECT_LT(trimmed.objectives.back() - all, 0.1 * (trimmed.objectives.front() - all));
}

TEST(Boosting, ACheckpointGoesOnToTheSameModel) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "croft_boosting_checkpoint";
  std::filesystem::remove_all(folder);
  const auto texts = random_texts(50, 3, 11);
  static const Extractor extractor = attribute_extractor();
  BoostingOptions options = few_positions();
  options.pair_trees = true;
  const auto run = [&](CheckpointFolder* checkpoints, std::size_t stop_at) {
    BoostedChain training(extractor, kBoostedChain);
    for (const TextSequence& each : texts) training.add(each);
    options.checkpoints = checkpoints;
    std::size_t first = 99;
    training.run(options, no_score, [&](const BoostingProgress& now) {
      if (first == 99) first = now.round;
      return now.round < stop_at;
    });
    return std::pair(first, training.model(Json::object()).bytes());
  };
  const auto whole = run(nullptr, 99).second;
  {
    CheckpointFolder checkpoints(folder, false, std::chrono::duration<double>(0));
    run(&checkpoints, 7);
  }
  {
    CheckpointFolder checkpoints(folder, true, std::chrono::duration<double>(0));
    const auto [first, bytes] = run(&checkpoints, 99);
    EXPECT_EQ(first, 6u);  // the last one that was kept
    EXPECT_EQ(bytes, whole);
  }
  CheckpointFolder other(folder, true, std::chrono::duration<double>(0));
  options.shrinkage = 0.1;
  EXPECT_THROW(run(&other, 99), Error);
  std::filesystem::remove_all(folder);
}

TEST(Boosting, EarlyStoppingKeepsTheBestRound) {
  static const Extractor extractor = attribute_extractor();
  const auto texts = random_texts(40, 3, 12);
  const auto run = [&](std::size_t rounds, std::size_t early_stop) {
    BoostedChain training(extractor, kBoostedChain);
    for (const TextSequence& each : texts) training.add(each);
    for (const TextSequence& each : random_texts(10, 3, 13)) training.add_holdout(each);
    BoostingOptions options = few_positions();
    options.rounds = rounds;
    options.early_stop = early_stop;
    std::size_t round = 0;
    const auto result = training.run(options,
                                     [&](const auto& predicted) {
                                       EXPECT_EQ(predicted.size(), 10u);
                                       HoldoutScore score;
                                       score.token_accuracy =
                                           round <= 4 ? 0.2 * double(round) : 0.5;
                                       ++round;
                                       return score;
                                     },
                                     {});
    return std::pair(result, training.model(Json::object()).bytes());
  };
  const auto [stopped, bytes] = run(15, 3);
  EXPECT_EQ(stopped.rounds, 4u);
  EXPECT_EQ(stopped.stop, "early_stop");
  EXPECT_EQ(stopped.holdout->token_accuracy, 0.8);
  const auto [four, expected] = run(4, 0);
  EXPECT_EQ(stopped.objective, four.objective);
  EXPECT_EQ(bytes, expected);
}

TEST(Boosting, LabelsKnownInPartAreLearntFrom) {
  static const Extractor extractor = attribute_extractor();
  BoostedChain training(extractor, kBoostedChain);
  training.read_partial_labels({});
  for (int n = 0; n < 20; ++n) {
    training.add(text("a/X b/? a/X"));
    training.add(text("b/Y a/X|Y b/Y"));
  }
  BoostingOptions options = few_positions();
  std::vector<double> objectives;
  training.run(options, no_score, [&](const BoostingProgress& now) {
    objectives.push_back(now.objective);
    return true;
  });
  for (std::size_t k = 1; k < objectives.size(); ++k) EXPECT_LT(objectives[k], objectives[k - 1]);
  EXPECT_LT(objectives.back(), 0.3 * objectives.front());
}

TEST(Boosting, AWeightIsAsIfTheSequenceWereThereSoOften) {
  auto texts = random_texts(20, 3, 14);
  auto twice = texts;
  for (const TextSequence& each : texts) twice.push_back(each);
  for (TextSequence& each : texts) each.weight = 2;
  BoostingOptions options = few_positions();
  const Trained weighted = train(kBoostedChain, texts, options);
  const Trained repeated = train(kBoostedChain, twice, options);
  EXPECT_NEAR(weighted.objectives.back(), repeated.objectives.back(),
              1e-4 * repeated.objectives.front());
}

TEST(Boosting, ADamagedFileIsRefusedOrHarmless) {
  const Trained trained = train(kBoostedChain, random_texts(40, 3, 15), few_positions());
  const auto model = trained.model();
  SequenceModel::Scratch scratch;
  ChainScores<double> scores;
  Random random(16);
  std::size_t refused = 0;
  for (const std::string section : {"trees.roots", "trees.nodes", "trees.values"}) {
    const auto& entries = model->container().entries();
    const auto at = std::ranges::find(entries, section, &Container::Entry::name);
    ASSERT_NE(at, entries.end());
    for (int trial = 0; trial < 300; ++trial) {
      std::vector<std::byte> bytes = trained.bytes;
      bytes[at->offset + random.below(at->size)] ^= std::byte(1u << random.below(8));
      try {
        const BoostedModel damaged(Container::from_bytes(bytes, "damaged.croft"));
        damaged.score(random_texts(1, 3, 17)[0], scratch, scores);
      } catch (const Error& error) {
        ++refused;
        EXPECT_NE(std::string(error.what()).find("damaged"), std::string::npos) << error.what();
      }
    }
  }
  EXPECT_GT(refused, 100u);
}

TEST(Boosting, OptionsOutOfRangeAreNamed) {
  const auto refuses = [](auto change) {
    BoostingOptions options;
    change(options);
    EXPECT_THROW(options.validate(), UsageError);
  };
  refuses([](BoostingOptions& o) { o.shrinkage = 0; });
  refuses([](BoostingOptions& o) { o.shrinkage = 1.5; });
  refuses([](BoostingOptions& o) { o.row_share = 0; });
  refuses([](BoostingOptions& o) { o.trim = 1; });
  refuses([](BoostingOptions& o) { o.bins = 1; });
  refuses([](BoostingOptions& o) { o.bins = 257; });
  refuses([](BoostingOptions& o) { o.tolerance = -1; });
  EXPECT_NO_THROW(BoostingOptions().validate());
}

TEST(Boosting, NothingToTrainOnIsAnError) {
  static const Extractor extractor = attribute_extractor();
  BoostedChain training(extractor, kBoostedChain);
  EXPECT_THROW(training.run({}, no_score, {}), Error);
}

}  // namespace
}  // namespace croft::boosting_test
