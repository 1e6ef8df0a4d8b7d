// Boosting of segments against the chain that segments of length 1 are, central differences, trees
// walked by hand, and the segment model of constants.
#include "train/boosting/boosted_segment_potentials.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "app/label/tagger.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "model/kinds/boosted_model.h"
#include "train/boosting/boosted_chain.h"
#include "train/boosting/boosted_segments.h"
#include "train/kinds/segment_training.h"

namespace croft::boosted_segment_test {
namespace {

using Row = std::vector<std::string>;  // word, class, label
using Text = std::vector<Row>;

constexpr const char* kTokens = "U0:%x[0,0]\nU1:%x[-1,1]\n";
constexpr const char* kTemplate =
    "U1:%value[length]\nU2:%seen\nU3:%last[1,0]\nU4:%first[0,1]\nU5:%shape\nU6:%value[log]/"
    "%text[1]\n";

HoldoutScore no_score(const std::vector<std::vector<std::string_view>>&) { return {}; }

// Labels of segments follow from their lengths and from the words at their ends.
std::vector<Text> random_texts(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Text> texts;
  for (std::size_t n = 0; n < count; ++n) {
    Text text;
    for (std::size_t k = 0; k < 1 + random.below(4); ++k) {
      const std::size_t length = 1 + random.below(4);
      const std::string type = length > 2 ? "X" : random.below(3) == 0 ? "Y" : "";
      for (std::size_t t = 0; t < (type.empty() ? 1 : length); ++t) {
        std::string word = std::string(1, "abcd"[random.below(4)]);
        if (random.below(3) == 0) word[0] = static_cast<char>(std::toupper(word[0]));
        const std::string label = type.empty() ? "O" : (t == 0 ? "B-" : "I-") + type;
        text.push_back({word, random.below(2) == 0 ? "p" : "q", label});
      }
    }
    texts.push_back(text);
  }
  return texts;
}

struct Fixture {
  explicit Fixture(const std::vector<Text>& texts, const std::string& segment_template = kTemplate,
                   std::vector<LongestSegment> longest = {},
                   std::optional<PartialLabels> partial = {})
      : options(make_options(segment_template, std::move(longest))),
        extractor(config(options)),
        training(extractor, options) {
    if (partial) training.read_partial_labels(*partial);
    for (const Text& each : texts) training.add(extracted(each), "test");
  }
  static SegmentOptions make_options(const std::string& text, std::vector<LongestSegment> longest) {
    SegmentOptions options;
    options.templates = SegmentTemplates::parse(text, "segment.template");
    options.longest = std::move(longest);
    options.scheme = [](std::span<const std::string_view> labels) {
      for (const std::string_view label : labels) {
        if (label.starts_with("B-")) return ChunkScheme::bio;
      }
      return ChunkScheme::none;
    };
    return options;
  }
  static ExtractionConfig config(const SegmentOptions& options) {
    ExtractionConfig config;
    config.template_text = kTokens;
    config.template_name = "tokens";
    config.columns = 2;
    config.cells = options.templates.columns();
    return config;
  }
  TextSequence extracted(const Text& text) const { return extract(extractor, text); }
  static TextSequence extract(const Extractor& extractor, const Text& text) {
    ColumnSequence rows;
    for (const Row& row : text) {
      for (const std::string& each : row) rows.append_cell(each);
      rows.end_row();
    }
    rows.first_line = 1;
    Extractor::Scratch scratch;
    TextSequence out;
    extractor.extract(rows, true, scratch, out);
    return out;
  }
  std::vector<std::byte> bytes() const { return training.model(Json::object()).bytes(); }
  SegmentOptions options;
  Extractor extractor;
  BoostedSegments training;
};

BoostingOptions few_positions() {
  BoostingOptions options;
  options.rounds = 15;
  options.tree.leaves = 8;
  return options;
}

std::vector<double> run(Boosting& training, const BoostingOptions& options) {
  std::vector<double> objectives;
  training.run(options, no_score, [&](const BoostingProgress& now) {
    objectives.push_back(now.objective);
    return true;
  });
  return objectives;
}

TEST(BoostedSegments, OfLengthOneAreTheBoostedChain) {
  std::vector<Text> texts = random_texts(60, 1);
  for (Text& text : texts) {
    for (Row& row : text) row[2] = row[2].substr(0, 1) + row[1];  // labels without a prefix
  }
  Fixture f(texts, kTemplate, {{"", 1}});
  ExtractionConfig config = f.extractor.config();
  config.cells.clear();
  const Extractor plain(config);
  BoostedChain chain(plain, kBoostedChain);
  for (const Text& each : texts) chain.add(Fixture::extract(plain, each));
  const std::vector<double> one = run(f.training, few_positions());
  const std::vector<double> two = run(chain, few_positions());
  ASSERT_EQ(one.size(), two.size());
  for (std::size_t k = 0; k < one.size(); ++k) EXPECT_NEAR(one[k], two[k], 1e-9 * two[0]) << k;
  const TreeArrays a = f.training.trees(), b = chain.trees();
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  for (std::size_t k = 0; k < a.nodes.size(); ++k) {
    EXPECT_EQ(a.nodes[k].attribute, b.nodes[k].attribute);
    EXPECT_EQ(a.nodes[k].left, b.nodes[k].left);
    EXPECT_EQ(a.nodes[k].right, b.nodes[k].right);
    EXPECT_EQ(a.nodes[k].threshold, b.nodes[k].threshold);
    EXPECT_EQ(a.nodes[k].absent_left, b.nodes[k].absent_left);
    EXPECT_EQ(a.nodes[k].count, b.nodes[k].count);
  }
  ASSERT_EQ(a.values.size(), b.values.size());
  for (std::size_t k = 0; k < a.values.size(); ++k) EXPECT_NEAR(a.values[k], b.values[k], 1e-6);
  const BoostedSegmentModel model(Container::from_bytes(f.bytes(), "segments.croft"));
  const BoostedModel other(
      Container::from_bytes(chain.model(Json::object()).bytes(), "chain.croft"));
  EXPECT_FALSE(model.scorer().trees().has_pairs());
  Tagger segments(model), positions(other);
  for (const Text& each : random_texts(20, 2)) {
    const Tagging& x = segments.tag(f.extracted(each), {.probability = true, .marginals = true});
    const Tagging& y =
        positions.tag(Fixture::extract(plain, each), {.probability = true, .marginals = true});
    EXPECT_EQ(x.y, y.y);
    EXPECT_NEAR(x.log_partition, y.log_partition, 1e-4);
    for (std::size_t t = 0; t < each.size(); ++t) {
      for (Label l = 0; l < model.labels(); ++l) {
        EXPECT_NEAR(x.marginals(t, l), y.marginals(t, l), 1e-5);
      }
    }
  }
}

// Random potentials, whose segments have random inputs in common.
struct Example {
  Example(std::uint64_t seed, bool partial) : options(Fixture::make_options("U1:%length\n", {})) {
    Random random(seed);
    std::vector<Text> texts = random_texts(5, seed);
    for (Text& text : texts) {
      for (Row& row : text) {
        if (partial && random.below(3) == 0) row[2] = "?";
      }
    }
    const Extractor extractor(Fixture::config(options));
    SegmentEncoder encoder(extractor, options);
    if (partial) encoder.partial = PartialLabels{};
    for (const Text& each : texts) encoder.add(Fixture::extract(extractor, each), "test");
    encoder.lay_out(FeatureSet::all, 1);
    examples = encoder.examples();
    data.sequence_begin = examples.position_begin;
    data.label = examples.known;
    data.label_sets = examples.sets;
    for (std::size_t n = 0; n < texts.size(); ++n) data.weight.push_back(0.5 + random.uniform());
    labels = encoder.labels().size();
    const std::size_t of_segments = examples.labels.labels();
    inputs.longest = examples.shape.longest();
    for (std::size_t n = 0; n < texts.size(); ++n) {
      inputs.begin.push_back(inputs.begin.back() + examples.length(n) * inputs.longest);
    }
    inputs.lists.begin.assign(kInputs + 1, 0);
    for (std::size_t k = 0; k < inputs.begin.back(); ++k) {
      inputs.input.push_back(static_cast<std::uint32_t>(random.below(kInputs)));
    }
    potentials.state.reshape(data.positions(), labels);
    for (std::size_t p = 0; p < data.positions(); ++p) {
      for (std::size_t y = 0; y < labels; ++y) potentials.state(p, y) = random.normal();
    }
    potentials.transition.assign(of_segments, of_segments, 0.0);
    for (std::size_t i = 0; i < of_segments; ++i) {
      for (std::size_t j = 0; j < of_segments; ++j) potentials.transition(i, j) = random.normal();
    }
    for (Label y = 0; y < of_segments; ++y) {
      if (examples.shape.longest(y) < 2) continue;
      potentials.spans.push_back(y);
      potentials.span.emplace_back(kInputs);
      for (float& value : potentials.span.back()) value = static_cast<float>(random.normal());
    }
  }
  double value(PotentialGradient& out) const {
    ThreadPool pool;
    const std::vector<bool> all;
    return SegmentPotentialFunction(data, examples, inputs, labels, 1, all, pool)
        .evaluate(potentials, out);
  }
  // First derivative along `at`, by central differences.
  template <class Number>
  double difference(Number& at, double step) const {
    PotentialGradient unused;
    const Number before = at;
    at = static_cast<Number>(before + step);
    const double high = value(unused);
    at = static_cast<Number>(before - step);
    const double low = value(unused);
    at = before;
    return (high - low) / (2 * step);
  }

  static constexpr std::size_t kInputs = 40;
  SegmentOptions options;
  SegmentExamples examples;
  ChainData data;
  SpanInputs inputs;
  std::size_t labels = 0;
  Potentials potentials;
};

TEST(BoostedSegments, GradientsAreCentralDifferences) {
  for (const bool partial : {false, true}) {
    Example example(3, partial);
    PotentialGradient gradient;
    example.value(gradient);
    const std::size_t positions = example.data.positions();
    ASSERT_EQ(example.potentials.spans.size(), 2u);
    for (std::size_t p = 0; p < positions; ++p) {
      for (std::size_t y = 0; y < example.labels; ++y) {
        EXPECT_NEAR(gradient.state[(y * positions + p) * 2],
                    example.difference(example.potentials.state(p, y), 1e-5), 1e-6);
      }
    }
    for (std::size_t k = 0; k < 2; ++k) {
      for (std::size_t u = 0; u < Example::kInputs; ++u) {
        EXPECT_NEAR(gradient.span[(k * Example::kInputs + u) * 2],
                    example.difference(example.potentials.span[k][u], 1.0 / 512), 1e-4);
      }
    }
    const std::size_t labels = example.potentials.transition.rows();
    for (std::size_t i = 0; i < labels; ++i) {
      for (std::size_t j = 0; j < labels; ++j) {
        EXPECT_NEAR(gradient.transition[i * labels + j],
                    example.difference(example.potentials.transition(i, j), 1e-5), 1e-6);
      }
    }
  }
}

// Second derivatives of log Z: of an input that no two segments of a sequence share they are those
// of its segments, which exclude each other or are the same.
TEST(BoostedSegments, CurvaturesAreSumsOfSecondDerivatives) {
  for (const bool partial : {false, true}) {
    Example example(4, partial);
    std::vector<std::uint32_t> first_of(Example::kInputs, 0);
    for (std::uint32_t& input : example.inputs.input) {
      if (input < 8 && first_of[input]++ > 0) input = 39;  // 0 to 7: of one segment each
    }
    PotentialGradient gradient;
    example.value(gradient);
    std::size_t seen = 0;
    for (std::size_t k = 0; k < example.potentials.spans.size(); ++k) {
      for (std::size_t u = 0; u < 8; ++u) {
        // log Z alone: nothing is known.
        Example free = example;
        for (Label& known : free.examples.known) known = kAnyLabel;
        free.examples.complete.assign(free.examples.sequences(), false);
        PotentialGradient unused;
        float& at = free.potentials.span[k][u];
        const float before = at;
        const auto log_z = [&](double step) {
          at = static_cast<float>(before + step);
          ThreadPool pool;
          double sum = 0;
          SegmentPotentialReader reader(free.examples.labels, free.examples.shape);
          const TransitionScores<double> tied =
              SegmentPotentialReader::transitions(free.examples.labels, free.potentials.transition);
          SegmentWorkspace<double> work;
          for (std::size_t n = 0; n < free.examples.sequences(); ++n) {
            sum += free.data.sequence_weight(n) *
                   log_partition(
                       reader.read(free.examples.length(n), free.data.sequence_begin[n],
                                   free.inputs.of(n), free.inputs.longest, free.potentials, tied),
                       work);
          }
          return sum;
        };
        constexpr double kStep = 1.0 / 256;
        const double second = (log_z(kStep) - 2 * log_z(0) + log_z(-kStep)) / (kStep * kStep);
        EXPECT_NEAR(gradient.span[(k * Example::kInputs + u) * 2 + 1], second, 1e-4);
        seen += second > 1e-3;
      }
    }
    EXPECT_GT(seen, 2u);
  }
}

TEST(BoostedSegments, EveryRoundLowersTheObjective) {
  for (const TreeSharing trees : {TreeSharing::label, TreeSharing::shared}) {
    Fixture f(random_texts(60, 5));
    BoostingOptions options = few_positions();
    options.trees = trees;
    const std::vector<double> objectives = run(f.training, options);
    ASSERT_EQ(objectives.size(), 16u);
    for (std::size_t k = 1; k < objectives.size(); ++k) {
      EXPECT_LT(objectives[k], objectives[k - 1]) << k;
    }
  }
}

TEST(BoostedSegments, TreesFindLengthsThatPositionsCannotTell) {
  // A run of one word is X where it has 2, 3 or 6 positions, and Y where it has 1, 4 or 5: what
  // positions say adds up, and so can tell short from long, but not this.
  std::vector<Text> texts;
  Random random(6);
  for (int n = 0; n < 40; ++n) {
    Text text;
    for (int k = 0; k < 3; ++k) {
      const std::size_t length = 1 + random.below(6);
      const std::string label = length % 4 > 1 ? "X" : "Y";
      for (std::size_t t = 0; t < length; ++t) {
        text.push_back({"w", "p", (t == 0 ? "B-" : "I-") + label});
      }
      text.push_back({"o", "p", "O"});
    }
    texts.push_back(text);
  }
  BoostingOptions options;
  options.rounds = 60;
  Fixture with(texts, "U1:%value[length]\n"), without(texts, "");
  const double of_lengths = run(with.training, options).back();
  const double of_positions = run(without.training, options).back();
  EXPECT_LT(of_lengths, 0.2 * of_positions);
  const BoostedSegmentModel model(Container::from_bytes(with.bytes(), "segments.croft"));
  Tagger tagger(model);
  std::size_t right = 0, all = 0;
  for (const Text& text : texts) {
    const Tagging& tagging = tagger.tag(with.extracted(text), {});
    for (std::size_t t = 0; t < text.size(); ++t, ++all) {
      right += model.label(tagging.y[t]) == text[t][2];
    }
  }
  EXPECT_EQ(right, all);
}

// Every segment's score, from the strings of this segment alone and trees walked one by one.
TEST(BoostedSegments, AModelScoresWhatTemplatesSayOfEachSegment) {
  Fixture f(random_texts(60, 7));
  run(f.training, few_positions());
  const BoostedSegmentModel model(Container::from_bytes(f.bytes(), "segments.croft"));
  ASSERT_TRUE(model.scorer().trees().has_pairs());
  const TreeEnsemble& trees = model.scorer().trees();
  const auto walk = [&](std::int32_t at, const std::map<std::string, double>& values) {
    while (at >= 0) {
      const TreeNode& node = trees.nodes()[static_cast<std::size_t>(at)];
      const bool spans = model.scorer().is_of_spans(node.attribute);
      const auto found =
          values.find((spans ? "segment " : "") + model.scorer().attribute(node.attribute));
      const bool left =
          found == values.end() ? node.absent_left != 0 : found->second <= node.threshold;
      at = left ? node.left : node.right;
    }
    return double{trees.values()[static_cast<std::size_t>(~at)]};
  };
  const SegmentLabels& labels = model.segment_labels();
  SegmentFeatures features(model.templates(), model.lexicon(), model.shape().longest(), "");
  SegmentFeatures::Scratch feature_scratch;
  SegmentWords words;
  SegmentStrings strings;
  SequenceModel::Scratch scratch;
  SegmentModel::SegmentScratch<double> segment_scratch;
  ChainScores<double> positions;
  SegmentScores<double> scores;
  std::size_t differ = 0;
  for (const Text& text : random_texts(10, 8)) {
    const TextSequence sequence = f.extracted(text);
    model.score(sequence, scratch, positions);
    model.segment_scores(sequence, positions, 1.0, segment_scratch, scores);
    features.read(sequence, words);
    for (std::size_t s = 0; s < text.size(); ++s) {
      for (Label y = 0; y < labels.labels(); ++y) {
        for (std::size_t d = 1; d <= model.shape().longest(y) && s + d <= text.size(); ++d) {
          double expected = 0;
          for (std::size_t t = s; t < s + d; ++t) {
            const Label column = labels.column(y, t - s, d);
            expected += model.scorer().base()[column];
            std::map<std::string, double> at_t;
            for (std::size_t k = sequence.node.list_begin(t); k < sequence.node.list_end(t); ++k) {
              at_t[std::string(sequence.node.item(k))] += sequence.node.value(k);
            }
            for (const TreeRoot& root : trees.roots()) {
              if (root.output == column) expected += walk(root.root, at_t);
            }
          }
          std::map<std::string, double> of_segment;
          features.expand(words, Segment{s, s + d, y}, feature_scratch, strings);
          for (std::size_t k = 0; k < strings.node.items(); ++k) {
            of_segment["segment " + std::string(strings.node.item(k))] += strings.node.value(k);
          }
          double own = 0;
          for (const TreeRoot& root : trees.roots()) {
            if (root.output == model.labels() + y) own += walk(root.root, of_segment);
          }
          differ += own != 0;
          EXPECT_NEAR(scores.segment(s, model.shape().cell(y, d)), expected + own, 1e-9);
        }
      }
    }
  }
  EXPECT_GT(differ, 100u);
}

TEST(BoostedSegments, TheModelFileScoresTheDataAsTrainingDid) {
  // %seen leaves out a sequence's own segments in training, so it is not among the templates.
  const std::vector<Text> texts = random_texts(50, 9);
  Fixture f(texts, "U1:%value[length]\nU3:%last[1,0]\nU5:%shape\n");
  const double objective = run(f.training, few_positions()).back();
  const BoostedSegmentModel model(Container::from_bytes(f.bytes(), "segments.croft"));
  SequenceModel::Scratch scratch;
  SegmentModel::SegmentScratch<double> segment_scratch;
  ChainScores<double> positions;
  SegmentScores<double> scores;
  SegmentWorkspace<double> work;
  double sum = 0;
  for (const Text& text : texts) {
    const TextSequence sequence = f.extracted(text);
    model.score(sequence, scratch, positions);
    model.segment_scores(sequence, positions, 1.0, segment_scratch, scores);
    std::vector<Label> gold;
    for (const Row& row : text) {
      for (Label y = 0; y < model.labels(); ++y) {
        if (model.label(y) == row[2]) gold.push_back(y);
      }
    }
    ASSERT_EQ(gold.size(), text.size());
    sum += log_partition(scores, work) - score(scores, read_segments(model.segment_labels(), gold));
  }
  EXPECT_NEAR(sum, objective, 1e-3);
}

TEST(BoostedSegments, DepthZeroTreesApproachTheSegmentModelOfConstants) {
  std::vector<Text> texts = random_texts(60, 10);
  for (Text& text : texts) {
    for (Row& row : text) row[0] = row[1] = "w";
  }
  BoostingOptions options;
  options.rounds = 1500;
  options.tree.depth = 0;
  options.tree.l2 = 0;
  options.trim = 0;
  const char* const kConstant = "U1:%length[1-]\n";
  Fixture f(texts, kConstant);
  const std::vector<double> objectives = run(f.training, options);
  SegmentOptions segments = Fixture::make_options(kConstant, {});
  ExtractionConfig config = Fixture::config(segments);
  config.template_text = "U\nB\n";
  const Extractor extractor(config);
  SegmentTraining crf(extractor, segments);
  for (const Text& each : texts) crf.add(Fixture::extract(extractor, each), "test");
  TrainOptions of_crf;
  of_crf.features = FeatureSet::all;
  of_crf.regulariser = {.l1 = 0, .l2 = 1e-8};
  of_crf.stop.tolerance = 1e-12;
  const TrainResult result = crf.run(of_crf, {}, [](const TrainProgress&) { return true; });
  EXPECT_LT(objectives.back(), 0.98 * objectives.front());
  EXPECT_NEAR(objectives.back(), result.optimization.objective, 1e-3);
  // Trees without tests are of segments all the same.
  const BoostedSegmentModel model(Container::from_bytes(f.bytes(), "segments.croft"));
  EXPECT_TRUE(model.scorer().trees().has_pairs());
  SequenceModel::Scratch scratch;
  ChainScores<double> positions;
  model.score(f.extracted(texts[0]), scratch, positions);
  EXPECT_EQ(positions.overlay.rows(), 0u);
}

TEST(BoostedSegments, ThreadsDoNotChangeABit) {
  const std::vector<Text> texts = random_texts(400, 11);
  BoostingOptions options = few_positions();
  options.row_share = 0.7;
  options.tree.feature_share = 0.8;
  const auto bytes = [&] {
    Fixture f(texts);
    run(f.training, options);
    return f.bytes();
  };
  const auto one = bytes();
  options.threads = 3;
  EXPECT_EQ(bytes(), one);
  options.seed = 2;
  EXPECT_NE(bytes(), one);
}

TEST(BoostedSegments, LabelsKnownInPartAreLearntFrom) {
  std::vector<Text> texts = random_texts(60, 12);
  Random random(13);
  for (Text& text : texts) {
    for (Row& row : text) {
      if (random.below(4) == 0) row[2] = "?";
    }
  }
  Fixture f(texts, kTemplate, {}, PartialLabels{});
  const std::vector<double> objectives = run(f.training, few_positions());
  for (std::size_t k = 1; k < objectives.size(); ++k) EXPECT_LT(objectives[k], objectives[k - 1]);
  EXPECT_LT(objectives.back(), 0.5 * objectives.front());
}

TEST(BoostedSegments, AHoldOutIsLabelledAsTheModelLabelsIt) {
  const std::vector<Text> texts = random_texts(50, 14), held = random_texts(20, 15);
  Fixture f(texts);
  for (const Text& each : held) f.training.add_holdout(f.extracted(each));
  std::vector<std::vector<std::string>> last;
  f.training.run(few_positions(),
                 [&](const std::vector<std::vector<std::string_view>>& predicted) {
                   last.clear();
                   for (const auto& each : predicted) last.emplace_back(each.begin(), each.end());
                   return HoldoutScore{};
                 },
                 {});
  const BoostedSegmentModel model(Container::from_bytes(f.bytes(), "segments.croft"));
  Tagger tagger(model);
  ASSERT_EQ(last.size(), held.size());
  for (std::size_t n = 0; n < held.size(); ++n) {
    const Tagging& tagging = tagger.tag(f.extracted(held[n]), {});
    std::vector<std::string> names;
    for (const Label y : tagging.y) names.push_back(model.label(y));
    EXPECT_EQ(names, last[n]);
  }
}

TEST(BoostedSegments, ACheckpointGoesOnToTheSameModel) {
  const auto folder =
      std::filesystem::path(::testing::TempDir()) / "croft_boosted_segments_checkpoint";
  std::filesystem::remove_all(folder);
  const std::vector<Text> texts = random_texts(50, 16);
  BoostingOptions options = few_positions();
  const auto bytes = [&](CheckpointFolder* checkpoints, std::size_t stop_at) {
    Fixture f(texts);
    options.checkpoints = checkpoints;
    f.training.run(options, no_score,
                   [&](const BoostingProgress& now) { return now.round < stop_at; });
    return f.bytes();
  };
  const auto whole = bytes(nullptr, 99);
  {
    CheckpointFolder checkpoints(folder, false, std::chrono::duration<double>(0));
    EXPECT_NE(bytes(&checkpoints, 7), whole);
  }
  CheckpointFolder checkpoints(folder, true, std::chrono::duration<double>(0));
  EXPECT_EQ(bytes(&checkpoints, 99), whole);
  std::filesystem::remove_all(folder);
}

TEST(BoostedSegments, ADamagedFileIsRefusedOrHarmless) {
  Fixture f(random_texts(40, 17));
  run(f.training, few_positions());
  const auto whole = f.bytes();
  const BoostedSegmentModel model(Container::from_bytes(whole, "segments.croft"));
  const TextSequence text = f.extracted(random_texts(1, 18)[0]);
  Random random(19);
  std::size_t refused = 0;
  for (const std::string section :
       {"trees.roots", "trees.nodes", "trees.values", "segment.names"}) {
    const auto& entries = model.container().entries();
    const auto at = std::ranges::find(entries, section, &Container::Entry::name);
    ASSERT_NE(at, entries.end());
    for (int trial = 0; trial < 200; ++trial) {
      std::vector<std::byte> bytes = whole;
      bytes[at->offset + random.below(at->size)] ^= std::byte(1u << random.below(8));
      try {
        const BoostedSegmentModel damaged(Container::from_bytes(bytes, "damaged.croft"));
        Tagger(damaged).tag(text, {});
      } catch (const Error& error) {
        ++refused;
        EXPECT_NE(std::string(error.what()).find("damaged"), std::string::npos) << error.what();
      }
    }
  }
  EXPECT_GT(refused, 100u);
}

TEST(BoostedSegments, RefuseWhatTreesHaveNoUseFor) {
  const std::vector<Text> texts = random_texts(5, 20);
  const auto message = [&](const std::string& segment_template, bool pair_trees) {
    try {
      Fixture f(texts, segment_template);
      BoostingOptions options = few_positions();
      options.pair_trees = pair_trees;
      f.training.run(options, no_score, {});
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message("B1:%length\n", false).find("U in the place of B"), std::string::npos);
  EXPECT_NE(message("U1:%length\nP\n", false).find("the line P"), std::string::npos);
  EXPECT_NE(message("U1:%length\n", true).find("--pair-trees"), std::string::npos);
  EXPECT_EQ(message("U1:%length\n", false), "");
}

}  // namespace
}  // namespace croft::boosted_segment_test
