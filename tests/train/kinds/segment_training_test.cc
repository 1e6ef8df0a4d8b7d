// Segment models against an enumeration of all segmentations with features from their definition,
// central differences, and the chain that segments of length 1 are.
#include "train/kinds/segment_training.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "app/label/tagger.h"
#include "app/train/kind_requests.h"
#include "core/json.h"
#include "core/unicode.h"
#include "croft/core/error.h"
#include "croft/core/random.h"

namespace croft::segment_training_test {
namespace {

using Row = std::vector<std::string>;  // word, class, label
using Text = std::vector<Row>;
using Strings = std::vector<std::pair<std::string, double>>;  // with their values

constexpr const char* kTokens = "U0:%x[0,0]\nU1:%x[-1,1]\nB\n";
constexpr const char* kTemplate =
    "# of segments\n"
    "U1:%length\nU2:%length[1,2-3,4-]\nU3:%value[length]\nU4:%value[log]x%length[1,2-]\n"
    "U5:%lower\nU6:%text/%shape[1]\nU7:%last[1,0]\nU8:%first[-1,1]\n"
    "U9:%first[0,0]/%last[0,0]\nUa:%gazetteer[fold]\nUb:%gazetteer[overlap]\n"
    "Uc:%gazetteer[edit]\nUd:%seen\nB1:%length[1,2-]\nB2:%lower\nB3:%last[0,1]\n";

const std::vector<NameList>& lists() {
  static const std::vector<NameList> all = {{"one", {"Xa xb", "xa"}}, {"two", {"lomond xb xc"}}};
  return all;
}

std::string lower(const std::string& text) {
  std::string out;
  append_lower(text, out);
  return out;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == ' ') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

std::string shape(const std::string& word) {
  std::string out;
  for (const char c : word) {
    const char sign = std::isupper(c) ? 'X' : 'x';
    if (out.empty() || out.back() != sign) out += sign;
  }
  return out;
}

std::set<std::string> without_one(const std::string& text) {
  std::set<std::string> all = {text};
  for (std::size_t k = 0; k < text.size(); ++k) {
    std::string shorter = text;
    all.insert(shorter.erase(k, 1));
  }
  return all;
}

std::string cell(const Text& text, std::ptrdiff_t t, std::size_t column) {
  const auto length = static_cast<std::ptrdiff_t>(text.size());
  if (t < 0) return "_B" + std::to_string(t);
  if (t >= length) return "_B+" + std::to_string(t - length + 1);
  return text[static_cast<std::size_t>(t)][column];
}

std::string joined(const Text& text, const Segment& s, std::size_t column,
                   const std::function<std::string(const std::string&)>& map) {
  std::string out;
  for (std::size_t t = s.begin; t < s.end; ++t) {
    out += (t > s.begin ? " " : "") + map(text[t][column]);
  }
  return out;
}

std::string same(const std::string& text) { return text; }

bool overlaps(const std::string& a, const std::string& b) {
  const auto x = words_of(a), y = words_of(b);
  std::set<std::string> all(x.begin(), x.end()), first = all, second(y.begin(), y.end());
  all.insert(y.begin(), y.end());
  std::size_t both = 0;
  for (const std::string& word : first) both += second.count(word);
  return 2 * both >= all.size();
}

bool is_edited(const std::string& a, const std::string& b) {
  if (a.size() < 5 || b.size() < 5) return false;
  for (const std::string& each : without_one(a)) {
    if (without_one(b).count(each) > 0) return true;
  }
  return false;
}

// Labels that the segment's words have as a segment of another sequence.
using Seen = std::function<std::set<std::string>(const std::string& text)>;

// What the lines of kTemplate make of a segment, from their definition.
Strings node_strings(const Text& text, const Segment& s, const Seen& seen) {
  const std::size_t d = s.end - s.begin;
  const auto begin = static_cast<std::ptrdiff_t>(s.begin), end = static_cast<std::ptrdiff_t>(s.end);
  const std::string low = joined(text, s, 0, lower), plain = joined(text, s, 0, same);
  Strings all = {{"U1:" + std::to_string(d), 1},
                 {std::string("U2:") + (d == 1  ? "1"
                                        : d < 4 ? "2-3"
                                                : "4-"),
                  1},
                 {"U3:", static_cast<double>(d)},
                 {std::string("U4:x") + (d == 1 ? "1" : "2-"), std::log(static_cast<double>(d))},
                 {"U5:" + low, 1},
                 {"U6:" + plain + "/" + joined(text, s, 1, shape), 1},
                 {"U7:" + cell(text, end, 0), 1},
                 {"U8:" + cell(text, begin - 1, 1), 1},
                 {"U9:" + cell(text, begin, 0) + "/" + cell(text, end - 1, 0), 1}};
  for (const NameList& list : lists()) {
    bool fold = false, overlap = false, edit = false;
    for (const std::string& entry : list.entries) {
      fold = fold || lower(entry) == low;
      overlap = overlap || overlaps(lower(entry), low);
      edit = edit || is_edited(lower(entry), low);
    }
    if (fold) all.emplace_back("Ua:" + list.name, 1);
    if (overlap) all.emplace_back("Ub:" + list.name, 1);
    if (edit) all.emplace_back("Uc:" + list.name, 1);
  }
  for (const std::string& label : seen(plain)) all.emplace_back("Ud:" + label, 1);
  return all;
}

Strings pair_strings(const Text& text, const Segment& s) {
  return {{std::string("B1:") + (s.end - s.begin == 1 ? "1" : "2-"), 1},
          {"B2:" + joined(text, s, 0, lower), 1},
          {"B3:" + text[s.end - 1][1], 1}};
}

struct Fixture {
  explicit Fixture(const std::vector<Text>& texts, const std::string& segment_template = kTemplate,
                   std::optional<PartialLabels> partial = {},
                   std::vector<LongestSegment> longest = {})
      : options(make_options(segment_template, std::move(longest))),
        extractor(config(options)),
        training(extractor, options) {
    if (partial) training.read_partial_labels(*partial);
    for (const Text& each : texts) training.add(extracted(each), "test");
  }
  static SegmentOptions make_options(const std::string& text, std::vector<LongestSegment> longest) {
    SegmentOptions options;
    options.templates = SegmentTemplates::parse(text, "segment.template");
    if (options.templates.uses_gazetteers()) options.gazetteers = lists();
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
  TextSequence extracted(const Text& text) const {
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
  std::shared_ptr<const SegmentModel> model() const {
    const auto bytes = training.model(Json::object()).bytes();
    return std::make_shared<const SegmentModel>(Container::from_bytes(bytes, "test.croft"));
  }
  SegmentOptions options;
  Extractor extractor;
  SegmentTraining training;
};

// Segments of A (1 to 3 positions), B (1 or 2) and O (1).
std::vector<Text> random_texts(std::size_t count, std::size_t longest, Random& random) {
  const std::vector<std::string> words = {"xa", "Xa", "xb", "lomond", "lamond", "xc"};
  std::vector<Text> texts(count);
  for (Text& text : texts) {
    const std::size_t length = 1 + random.below(longest);
    while (text.size() < length) {
      const std::size_t kind = random.below(3), left = length - text.size();
      const std::size_t d = kind == 2 ? 1 : std::min(left, 1 + random.below(kind == 0 ? 3 : 2));
      for (std::size_t k = 0; k < d; ++k) {
        const std::string label =
            kind == 2 ? "O" : std::string(k == 0 ? "B-" : "I-") + (kind == 0 ? "A" : "B");
        text.push_back({words[random.below(6)], random.below(2) == 0 ? "N" : "V", label});
      }
    }
  }
  return texts;
}

using Key = std::tuple<std::string, std::string, std::string>;  // part, string, labels

// An enumeration of a training's model.
class Naive {
 public:
  Naive(const Fixture& f, const std::vector<Text>& texts) : f_(f) {
    const SegmentExamples& examples = f.training.encoder().examples();
    for (std::size_t n = 0; n < texts.size(); ++n) {
      for (std::uint64_t k = examples.segment_begin[n]; k < examples.segment_begin[n + 1]; ++k) {
        const Segment& each = examples.segment[k];
        if (examples.shape.longest(each.label) < 2) continue;
        seen_[joined(texts[n], each, 0, same)][names()[each.label]].insert(n);
      }
    }
  }
  const std::vector<std::string>& names() const {
    return f_.training.encoder().examples().labels.names;
  }
  Seen seen(std::size_t n) const {
    return [this, n](const std::string& text) {
      std::set<std::string> labels;
      const auto found = seen_.find(text);
      if (found == seen_.end()) return labels;
      for (const auto& [label, where] : found->second) {
        if (where.size() > where.count(n)) labels.insert(label);
      }
      return labels;
    };
  }
  // Which feature each weight of the training belongs to.
  std::vector<Key> keys() const {
    const SegmentEncoder& encoder = f_.training.encoder();
    const ChainLayout& layout = encoder.layout();
    const auto pair = [&](std::uint32_t cell) {
      return names()[cell / layout.labels] + ">" + names()[cell % layout.labels];
    };
    std::vector<Key> keys;
    const auto add = [&](const RowLayout& rows, const auto& key) {
      for (std::uint32_t r = 0; r < rows.rows(); ++r) {
        for (std::size_t k = 0; k < rows.length(r); ++k) keys.push_back(key(r, rows.cell_of(r, k)));
      }
    };
    add(layout.tied, [&](std::uint32_t, std::uint32_t c) { return Key{"tied", "", pair(c)}; });
    add(layout.node, [&](std::uint32_t r, std::uint32_t c) {
      const SegmentEncoder::RowName name = encoder.node_name(r);
      return name.of_segments ? Key{"segment", name.name, names()[c]}
                              : Key{"node", name.name, encoder.labels()[c]};
    });
    add(layout.edge, [&](std::uint32_t r, std::uint32_t c) {
      return Key{"pair", encoder.pair_name(r), pair(c)};
    });
    return keys;
  }

  double score(const Text& text, const std::vector<Segment>& segments, const Seen& seen,
               const std::map<Key, double>& w) const {
    const auto weight = [&](const Key& key) {
      const auto found = w.find(key);
      return found == w.end() ? 0 : found->second;
    };
    double sum = 0;
    for (std::size_t k = 0; k < segments.size(); ++k) {
      const Segment& s = segments[k];
      const std::string& y = names()[s.label];
      for (std::size_t t = s.begin; t < s.end; ++t) {
        const auto at = static_cast<std::ptrdiff_t>(t);
        const std::string column = y == "O" ? "O" : (t == s.begin ? "B-" : "I-") + y;
        sum += weight({"node", "U0:" + text[t][0], column});
        sum += weight({"node", "U1:" + cell(text, at - 1, 1), column});
      }
      for (const auto& [string, value] : node_strings(text, s, seen)) {
        sum += value * weight({"segment", string, y});
      }
      if (k == 0) continue;
      const std::string pair = names()[segments[k - 1].label] + ">" + y;
      sum += weight({"tied", "", pair});
      for (const auto& [string, value] : pair_strings(text, s)) {
        sum += weight({"pair", string, pair});
      }
    }
    return sum;
  }

  void for_each(std::size_t length,
                const std::function<void(const std::vector<Segment>&)>& visit) const {
    std::vector<Segment> segments;
    extend(length, 0, segments, visit);
  }

  std::vector<std::string> columns(const std::vector<Segment>& segments) const {
    std::vector<std::string> out;
    for (const Segment& s : segments) {
      for (std::size_t t = s.begin; t < s.end; ++t) {
        const std::string& y = names()[s.label];
        out.push_back(y == "O" ? y : (t == s.begin ? "B-" : "I-") + y);
      }
    }
    return out;
  }

  // -log p of what the labels say: "?" is any.
  double loss(const std::vector<Text>& texts, const std::map<Key, double>& w) const {
    double loss = 0;
    for (std::size_t n = 0; n < texts.size(); ++n) {
      double all = 0, fitting = 0;
      for_each(texts[n].size(), [&](const std::vector<Segment>& segments) {
        const double p = std::exp(score(texts[n], segments, seen(n), w));
        all += p;
        const std::vector<std::string> labels = columns(segments);
        bool fits = true;
        for (std::size_t t = 0; t < labels.size(); ++t) {
          fits = fits && (texts[n][t][2] == "?" || texts[n][t][2] == labels[t]);
        }
        if (fits) fitting += p;
      });
      loss += std::log(all) - std::log(fitting);
    }
    return loss;
  }

 private:
  void extend(std::size_t length, std::size_t from, std::vector<Segment>& segments,
              const std::function<void(const std::vector<Segment>&)>& visit) const {
    if (from == length) return visit(segments);
    const SegmentShape& shape = f_.training.encoder().examples().shape;
    for (Label y = 0; y < names().size(); ++y) {
      for (std::size_t d = 1; d <= std::min(shape.longest(y), length - from); ++d) {
        segments.push_back({from, from + d, y});
        extend(length, from + d, segments, visit);
        segments.pop_back();
      }
    }
  }

  const Fixture& f_;
  std::map<std::string, std::map<std::string, std::set<std::size_t>>> seen_;
};

std::map<Key, double> random_weights(const std::vector<Key>& keys, Random& random,
                                     std::vector<double>& w) {
  std::map<Key, double> named;
  w.resize(keys.size());
  for (std::size_t k = 0; k < w.size(); ++k) named[keys[k]] = w[k] = 0.5 * random.normal();
  EXPECT_EQ(named.size(), keys.size()) << "a feature twice";
  return named;
}

class SegmentFeatureSets : public testing::TestWithParam<FeatureSet> {};
INSTANTIATE_TEST_SUITE_P(Sets, SegmentFeatureSets,
                         testing::Values(FeatureSet::observed, FeatureSet::all));

TEST_P(SegmentFeatureSets, LossAndItsDerivativesAreThoseOfTheEnumeratedFeatures) {
  Random random(3);
  for (int round = 0; round < 2; ++round) {
    const std::vector<Text> texts = random_texts(5, 4, random);
    Fixture f(texts);
    TrainOptions options;
    options.features = GetParam();
    f.training.lay_out(options);
    const Naive naive(f, texts);
    std::vector<double> w;
    std::map<Key, double> named = random_weights(naive.keys(), random, w);
    const std::vector<Key> keys = naive.keys();
    ThreadPool pool(2);
    const auto function = f.training.function(options, pool);
    std::vector<double> gradient(w.size());
    const double value = function->evaluate(w, gradient);
    EXPECT_NEAR(value, naive.loss(texts, named), 1e-9 * (1 + value));
    constexpr double kStep = 1e-5;
    for (std::size_t k = 0; k < w.size(); k += 1 + random.below(20)) {
      const auto loss = [&](double step) {
        auto moved = named;
        moved[keys[k]] += step;
        return naive.loss(texts, moved);
      };
      EXPECT_NEAR(gradient[k], (loss(kStep) - loss(-kStep)) / (2 * kStep), 1e-6)
          << std::get<0>(keys[k]) << " " << std::get<1>(keys[k]);
    }
  }
}

TEST(SegmentTraining, ObservedFeaturesAreThoseOfTheTrueSegments) {
  Random random(4);
  const std::vector<Text> texts = random_texts(10, 6, random);
  Fixture f(texts);
  f.training.lay_out(TrainOptions());
  const Naive naive(f, texts);
  const SegmentExamples& examples = f.training.encoder().examples();
  std::set<Key> expected;
  for (std::size_t n = 0; n < texts.size(); ++n) {
    const Segment* before = nullptr;
    for (std::uint64_t k = examples.segment_begin[n]; k < examples.segment_begin[n + 1]; ++k) {
      const Segment& s = examples.segment[k];
      const std::string y = naive.names()[s.label];
      for (std::size_t t = s.begin; t < s.end; ++t) {
        expected.insert({"node", "U0:" + texts[n][t][0], texts[n][t][2]});
        expected.insert({"node", "U1:" + cell(texts[n], static_cast<std::ptrdiff_t>(t) - 1, 1),
                         texts[n][t][2]});
      }
      const std::string pair = before ? naive.names()[before->label] + ">" + y : "";
      if (before) expected.insert({"tied", "", pair});
      before = &s;
      if (y == "O") continue;
      for (const auto& each : node_strings(texts[n], s, naive.seen(n))) {
        expected.insert({"segment", each.first, y});
      }
      if (pair.empty()) continue;
      for (const auto& each : pair_strings(texts[n], s)) {
        expected.insert({"pair", each.first, pair});
      }
    }
  }
  const std::vector<Key> keys = naive.keys();
  EXPECT_EQ(std::set<Key>(keys.begin(), keys.end()), expected);
}

TEST(SegmentTraining, PartialLabelsAreSummedOver) {
  Random random(5);
  std::vector<Text> texts = random_texts(8, 5, random);
  texts.push_back({{"xa", "N", "B-A"},
                   {"xb", "V", "I-A"},
                   {"xb", "V", "I-A"},
                   {"xc", "N", "O"},
                   {"xc", "N", "B-B"},
                   {"xc", "N", "I-B"}});
  for (std::size_t n = 0; n < 8; ++n) {
    texts[n][random.below(texts[n].size())][2] = "?";
  }
  Fixture f(texts, kTemplate, PartialLabels());
  TrainOptions options;
  f.training.lay_out(options);
  const Naive naive(f, texts);
  std::vector<double> w;
  const std::map<Key, double> named = random_weights(naive.keys(), random, w);
  ThreadPool pool(1);
  std::vector<double> gradient(w.size());
  const double value = f.training.function(options, pool)->evaluate(w, gradient);
  EXPECT_NEAR(value, naive.loss(texts, named), 1e-9 * (1 + value));
}

TrainOptions exact_options() {
  TrainOptions options;
  options.regulariser.l2 = 0.5;
  options.method = Method::lbfgs;
  options.precision = Precision::twice;
  options.stop.tolerance = 0;
  options.stop.gradient_tolerance = 1e-8;
  return options;
}

bool go_on(const TrainProgress&) { return true; }

TEST(SegmentModel, AnswersAsTheEnumerationOfItsWeights) {
  Random random(6);
  const std::vector<Text> texts = random_texts(30, 6, random);
  Fixture f(texts);
  f.training.run(exact_options(), {}, go_on);
  const Naive naive(f, texts);
  const std::vector<Key> keys = naive.keys();
  std::map<Key, double> w;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    w[keys[k]] = double{static_cast<float>(f.training.weights()[k])};
  }
  const auto model = f.model();
  Tagger tagger(*model), fast(*model);
  for (const Text& text : random_texts(15, 5, random)) {
    const TextSequence sequence = f.extracted(text);
    double all = 0;
    std::map<std::pair<std::size_t, std::string>, double> marginal;
    std::vector<std::pair<double, std::vector<std::string>>> ranked;
    naive.for_each(text.size(), [&](const std::vector<Segment>& segments) {
      const double score = naive.score(text, segments, naive.seen(texts.size()), w);
      ranked.emplace_back(score, naive.columns(segments));
      all += std::exp(score);
      for (std::size_t t = 0; t < text.size(); ++t) {
        marginal[{t, ranked.back().second[t]}] += std::exp(score);
      }
    });
    std::ranges::sort(ranked, std::ranges::greater{});
    const Tagging& tagging =
        tagger.tag(sequence, {.probability = true, .marginals = true, .k_best = 3});
    EXPECT_NEAR(tagging.log_partition, std::log(all), 1e-5);
    for (std::size_t k = 0; k < tagging.k_best.size(); ++k) {
      EXPECT_NEAR(tagging.k_best[k].score, ranked[k].first, 1e-5);
    }
    const std::vector<Label>& best = fast.tag(sequence, {}).y;
    for (std::size_t t = 0; t < text.size(); ++t) {
      EXPECT_EQ(model->label(tagging.y[t]), ranked[0].second[t]);
      EXPECT_EQ(best[t], tagging.y[t]);
      for (Label y = 0; y < model->labels(); ++y) {
        EXPECT_NEAR(tagging.marginals(t, y), (marginal[{t, model->label(y)}] / all), 1e-6);
      }
    }
  }
}

// The weights that positions share are summed into the model's: it gives the data the probability
// that training had for it.
TEST(SegmentModel, WeightsThatPositionsShareAreInThoseOfTheirLabels) {
  Random random(11);
  const std::vector<Text> texts = random_texts(20, 7, random);
  for (const FeatureSet features : {FeatureSet::observed, FeatureSet::all}) {
    Fixture f(texts, "P\nU1:%length\nU2:%lower\nB1:%length[1,2-]\n");
    Fixture without(texts, "U1:%length\nU2:%lower\nB1:%length[1,2-]\n");
    TrainOptions options = exact_options();
    options.features = features;
    const TrainResult result = f.training.run(options, {}, go_on);
    const TrainResult less = without.training.run(options, {}, go_on);
    EXPECT_GT(result.dimension, less.dimension);
    EXPECT_LT(result.optimization.objective, less.optimization.objective);
    double squares = 0;
    for (const double w : f.training.weights()) squares += w * w;
    const auto model = f.model();
    Tagger tagger(*model);
    double loss = 0;
    for (const Text& text : texts) {
      const TextSequence sequence = f.extracted(text);
      std::vector<Label> gold;
      for (const Row& row : text) {
        for (Label y = 0; y < model->labels(); ++y) {
          if (model->label(y) == row[2]) gold.push_back(y);
        }
      }
      tagger.tag(sequence, {.probability = true});
      loss += tagger.negative_log_probability(gold);
    }
    EXPECT_NEAR(loss + 0.25 * squares, result.optimization.objective, 1e-3);
    ThreadPool pool(1);
    const auto function = f.training.function(options, pool);
    std::vector<double> w(function->dimension()), gradient(w.size()), unused(w.size());
    for (double& each : w) each = 0.3 * random.normal();
    function->evaluate(w, gradient);
    constexpr double kStep = 1e-5;
    for (std::size_t k = 0; k < w.size(); k += 1 + random.below(9)) {
      const double kept = w[k];
      w[k] = kept + kStep;
      const double up = function->evaluate(w, unused);
      w[k] = kept - kStep;
      const double down = function->evaluate(w, unused);
      w[k] = kept;
      EXPECT_NEAR(gradient[k], (up - down) / (2 * kStep), 1e-6) << k;
    }
  }
}

TEST(SegmentModel, OneThreadAndThreeGiveTheSameBytes) {
  Random random(7);
  const std::vector<Text> texts = random_texts(40, 8, random);
  std::vector<std::byte> bytes[2];
  for (const std::size_t threads : {1, 3}) {
    Fixture f(texts);
    TrainOptions options;
    options.threads = threads;
    f.training.run(options, {}, go_on);
    bytes[threads == 1 ? 0 : 1] = f.training.model(Json::object()).bytes();
  }
  EXPECT_EQ(bytes[0], bytes[1]);
}

class SegmentObjectives : public testing::TestWithParam<Objective> {};
INSTANTIATE_TEST_SUITE_P(Smooth, SegmentObjectives,
                         testing::Values(Objective::likelihood, Objective::pseudolikelihood,
                                         Objective::per_edge, Objective::composite,
                                         Objective::marginal, Objective::piecewise,
                                         Objective::softmax_margin));

TEST_P(SegmentObjectives, DerivativesAreThoseOfCentralDifferences) {
  Random random(8);
  const std::vector<Text> texts = random_texts(6, 7, random);
  Fixture f(texts);
  TrainOptions options;
  options.objective = GetParam();
  f.training.lay_out(options);
  ThreadPool pool(1);
  const auto function = f.training.function(options, pool);
  std::vector<double> w(function->dimension()), gradient(w.size()), unused(w.size());
  for (double& each : w) each = 0.3 * random.normal();
  function->evaluate(w, gradient);
  constexpr double kStep = 1e-5;
  for (std::size_t k = 0; k < w.size(); k += 1 + random.below(5)) {
    const double kept = w[k];
    w[k] = kept + kStep;
    const double up = function->evaluate(w, unused);
    w[k] = kept - kStep;
    const double down = function->evaluate(w, unused);
    w[k] = kept;
    EXPECT_NEAR(gradient[k], (up - down) / (2 * kStep), 1e-6) << k;
  }
}

TEST(SegmentTraining, TermsOfDataWithoutLabelsHaveTheDerivativesOfCentralDifferences) {
  Random random(18);
  const std::vector<Text> texts = random_texts(6, 7, random), others = random_texts(5, 6, random);
  for (const double entropy : {0.0, 0.7}) {
    Fixture f(texts);
    for (const Text& each : others) f.training.add_unlabelled(f.extracted(each), "more");
    TrainOptions options;
    options.unlabelled.entropy = entropy;
    options.unlabelled.from_labelled = 3;
    f.training.lay_out(options);
    ThreadPool pool(1);
    const auto labelled = f.training.function(options, pool);
    const auto log_partition = f.training.log_partition(pool);
    const UnlabelledTerms terms = f.training.encoder().terms(options.unlabelled, 20);
    EXPECT_EQ(terms.target.size(), 3u);
    UnlabelledFunction function(*labelled, *log_partition, terms);
    std::vector<double> w(function.dimension()), gradient(w.size()), unused(w.size());
    for (double& each : w) each = 0.3 * random.normal();
    function.evaluate(w, gradient);
    constexpr double kStep = 1e-5;
    for (std::size_t k = 0; k < w.size(); k += 1 + random.below(5)) {
      const double kept = w[k];
      w[k] = kept + kStep;
      const double up = function.evaluate(w, unused);
      w[k] = kept - kStep;
      const double down = function.evaluate(w, unused);
      w[k] = kept;
      EXPECT_NEAR(gradient[k], (up - down) / (2 * kStep), 1e-6) << k;
    }
  }
}

// The labels of positions that are sure, by the enumeration of segmentations.
TEST(SegmentTraining, SureLabelsAreThoseOfTheEnumeration) {
  Random random(19);
  const std::vector<Text> texts = random_texts(6, 6, random), others = random_texts(8, 6, random);
  Fixture f(texts);
  for (const Text& each : others) f.training.add_unlabelled(f.extracted(each), "more");
  TrainOptions options = exact_options();
  options.unlabelled.self_training = 1;
  options.unlabelled.confidence = 0.6;
  const TrainResult result = f.training.run(options, {}, go_on);
  // Those of the model of labelled data alone, which the first round labels by.
  Fixture g(texts);
  g.training.run(exact_options(), {}, go_on);
  const auto model = g.model();
  Tagger tagger(*model);
  std::size_t sure = 0;
  for (const Text& text : others) {
    const Tagging& found = tagger.tag(g.extracted(text), {.marginals = true});
    for (std::size_t t = 0; t < text.size(); ++t) {
      double most = 0;
      for (Label y = 0; y < model->labels(); ++y) most = std::max(most, found.marginals(t, y));
      sure += most >= 0.6;
    }
  }
  EXPECT_EQ(result.self_training->rounds, 1u);
  EXPECT_EQ(result.self_training->positions, sure);
}

TEST(SegmentTraining, SegmentsOfLengthOneLearnFromDataWithoutLabelsAsTheChainDoes) {
  Random random(20);
  const auto plain_labels = [](std::vector<Text> texts) {
    for (Text& text : texts) {
      for (Row& row : text) row[2] = row[2].substr(0, 1) + row[1];
    }
    return texts;
  };
  const std::vector<Text> texts = plain_labels(random_texts(10, 6, random)),
                          others = plain_labels(random_texts(20, 6, random));
  const auto with = [&](const auto& change) {
    TrainOptions options = exact_options();
    change(options.unlabelled);
    Fixture f(texts, kTemplate, {}, {{"", 1}});
    for (const Text& each : others) f.training.add_unlabelled(f.extracted(each), "more");
    const TrainResult segments = f.training.run(options, {}, go_on);
    ExtractionConfig config = f.extractor.config();
    config.cells.clear();
    const Extractor plain(config);
    ChainTraining chain(plain);
    const auto feed = [&](const std::vector<Text>& all, bool labelled) {
      for (const Text& each : all) {
        ColumnSequence rows;
        for (const Row& row : each) {
          for (const std::string& word : row) rows.append_cell(word);
          rows.end_row();
        }
        Extractor::Scratch scratch;
        TextSequence text;
        plain.extract(rows, true, scratch, text);
        labelled ? chain.add(text) : chain.add_unlabelled(text);
      }
    };
    feed(texts, true);
    feed(others, false);
    const TrainResult positions = chain.run(options, {}, go_on);
    EXPECT_NEAR(segments.optimization.objective, positions.optimization.objective,
                1e-6 * positions.optimization.objective);
    if (!positions.self_training) return;
    EXPECT_EQ(segments.self_training->rounds, positions.self_training->rounds);
    EXPECT_EQ(segments.self_training->positions, positions.self_training->positions);
  };
  with([](UnlabelledOptions& u) { u.entropy = 0.2; });
  with([](UnlabelledOptions& u) { u.from_labelled = 4; });
  with([](UnlabelledOptions& u) { u.self_training = 2, u.confidence = 0.7; });
  with([](UnlabelledOptions& u) { u.self_training = 1, u.confidence = 0.7, u.view = "U0*"; });
}

TEST(SegmentTraining, SegmentsOfLengthOneAreTheChain) {
  Random random(9);
  std::vector<Text> texts = random_texts(40, 9, random);
  for (Text& text : texts) {
    for (Row& row : text) row[2] = row[2].substr(0, 1) + row[1];  // labels without a prefix
  }
  for (const FeatureSet features : {FeatureSet::observed, FeatureSet::all}) {
    TrainOptions options = exact_options();
    options.features = features;
    Fixture f(texts, kTemplate, {}, {{"", 1}});
    const TrainResult segments = f.training.run(options, {}, go_on);
    ChainTraining chain(f.extractor);
    ExtractionConfig config = f.extractor.config();
    config.cells.clear();
    const Extractor plain(config);
    ChainTraining other(plain);
    std::vector<TextSequence> sequences;
    for (const Text& each : texts) {
      ColumnSequence rows;
      for (const Row& row : each) {
        for (const std::string& word : row) rows.append_cell(word);
        rows.end_row();
      }
      Extractor::Scratch scratch;
      plain.extract(rows, true, scratch, sequences.emplace_back());
      other.add(sequences.back());
    }
    const TrainResult positions = other.run(options, {}, go_on);
    EXPECT_EQ(segments.dimension, positions.dimension);
    EXPECT_NEAR(segments.optimization.objective, positions.optimization.objective, 1e-7);
    const auto model = f.model();
    const ChainModel as_chain(
        Container::from_bytes(other.model(Json::object()).bytes(), "chain.croft"));
    Tagger one(*model), two(as_chain);
    for (std::size_t n = 0; n < texts.size(); ++n) {
      const Tagging& a = one.tag(f.extracted(texts[n]), {.probability = true, .marginals = true});
      const Tagging& b = two.tag(sequences[n], {.probability = true, .marginals = true});
      EXPECT_EQ(a.y, b.y);
      EXPECT_NEAR(a.log_partition, b.log_partition, 1e-4);
      for (std::size_t t = 0; t < texts[n].size(); ++t) {
        for (Label y = 0; y < model->labels(); ++y) {
          EXPECT_NEAR(a.marginals(t, y), b.marginals(t, y), 1e-5);
        }
      }
    }
  }
}

TEST(SegmentTraining, RefusesWhatItHasNot) {
  Random random(10);
  const std::vector<Text> texts = random_texts(10, 6, random);
  Fixture f(texts, kTemplate, {}, {{"A", 1}});
  EXPECT_THROW(f.training.run(TrainOptions(), {}, go_on), InputError);  // there are longer ones
  Fixture g(texts, kTemplate, {}, {{"C", 2}});
  EXPECT_THROW(g.training.run(TrainOptions(), {}, go_on), UsageError);
  Fixture h(texts);
  TrainOptions options;
  options.method = Method::sdca;
  EXPECT_THROW(h.training.run(options, {}, go_on), UsageError);
}

}  // namespace
}  // namespace croft::segment_training_test
