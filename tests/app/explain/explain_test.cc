// Explanations against the scores of all labellings, enumerated.
#include "app/explain/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/label/tag_files.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "support/enumeration.h"
#include "support/small_model.h"

namespace croft::explain_test {
namespace {

using testing_support::Enumeration;
using testing_support::kBio;
using testing_support::Labelling;
using testing_support::obeys_bio;
using testing_support::random_model;
using testing_support::random_text;
using testing_support::SmallModel;
using Kind = Reason::Kind;

constexpr double kTolerance = 1e-10;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kAll = 1000;

bool anything(const Labelling&) { return true; }

// score(y) with the labels from t on replaced; -inf where that is not allowed.
double changed_score(const Enumeration& all, Labelling y, std::size_t t,
                     const std::vector<Label>& other) {
  std::ranges::copy(other, y.begin() + static_cast<std::ptrdiff_t>(t));
  const auto at = std::ranges::find(all.entries, y, &Enumeration::Entry::y);
  return at == all.entries.end() ? -kInfinity : at->score;
}

double sum_of_differences(const ExplainedStretch& position) {
  double sum = position.rest.difference();
  for (const Reason& reason : position.reasons) sum += reason.difference();
  return sum;
}

void expect_same(double found, double expected) {
  if (std::isinf(expected)) {
    EXPECT_EQ(found, expected);
  } else {
    EXPECT_NEAR(found, expected, kTolerance);
  }
}

View view_of(const Explanation& found, const TagPlan& plan, const InputSequence& input,
             std::string_view file) {
  return shown(found, plan.names(), {input.text, nullptr, file}, input).view;
}

// An explanation against every label, at every position, compared with the enumeration.
void expect_exact(const TagPlan& plan, const TextSequence& text, const Enumeration& all,
                  std::size_t top) {
  Explainer explainer(plan);
  for (Label other = 0; other < plan.names().size(); ++other) {
    const Explanation found = explainer.explain({text}, {.against = other, .top = top});
    ASSERT_TRUE(found.outcome.found);
    EXPECT_NEAR(found.log_probability, std::log(all.entries[0].p), kTolerance);
    ASSERT_EQ(found.stretches.size(), text.length());
    for (std::size_t t = 0; t < text.length(); ++t) {
      const ExplainedStretch& position = found.stretches[t];
      EXPECT_EQ(position.begin, t);
      EXPECT_EQ(position.labels, (std::vector<Label>{found.y[t]}));
      ASSERT_EQ(position.other.size(), 1u);
      if (found.y[t] != other) {
        EXPECT_EQ(position.other[0], other);
      }
      const double expected = changed_score(all, found.y, t, position.labels) -
                              changed_score(all, found.y, t, position.other);
      expect_same(position.difference, expected);
      expect_same(sum_of_differences(position), expected);
      EXPECT_GE(position.difference, -kTolerance);
      const auto marginal = [&](Label j) {
        return all.sum([&](const Labelling& y) { return y[t] == j; });
      };
      EXPECT_NEAR(position.probability[0], marginal(position.labels[0]), kTolerance);
      EXPECT_NEAR(position.other_probability[0], marginal(position.other[0]), kTolerance);
    }
  }
}

class ExplainedModel : public testing::TestWithParam<SmallModel> {};

TEST_P(ExplainedModel, DifferencesSumToTheChangeOfTheScoreWhenOneLabelIsReplaced) {
  Random random(31);
  std::size_t forbidden = 0;
  for (int round = 0; round < 5; ++round) {
    const ChainModel model = random_model(GetParam(), random);
    const TextSequence text = random_text(GetParam(), 5, random);
    const Enumeration all(model, text, anything);
    if (all.entries.empty()) continue;
    const TagPlan plan(model);
    for (const std::size_t top : {kAll, std::size_t{1}, std::size_t{0}}) {
      expect_exact(plan, text, all, top);
    }
    for (const ExplainedStretch& p : explain(model, text).stretches) {
      for (const Reason& r : p.reasons) forbidden += r.kind == Kind::history;
    }
  }
  if (GetParam().pairs < 0.7) {
    EXPECT_GT(forbidden, 0u);
  }
}

// Weights and look-ups of a position do not depend on how much stands before and after it: 9,000
// positions are more than the scorer looks up at once.
TEST_P(ExplainedModel, EveryPositionOfALongSequenceHasItsOwnAttributes) {
  Random random(33);
  const ChainModel model = random_model(GetParam(), random);
  const TextSequence text = random_text(GetParam(), 9000, random);
  const Explanation all = explain(model, text, {.top = kAll});
  ASSERT_TRUE(all.outcome.found);
  for (const std::size_t t : {0, 1, 4094, 4095, 4096, 5000, 8191, 8192, 8999}) {
    const ExplainedStretch& position = all.stretches[t];
    std::size_t attributes = 0;
    for (const Reason& reason : position.reasons) attributes += reason.kind == Kind::attribute;
    EXPECT_LE(attributes, position.attributes) << t;
    expect_same(sum_of_differences(position), position.difference);
    for (const Reason& reason : position.reasons) {
      if (reason.kind == Kind::limit) {
        EXPECT_NEAR(reason.difference(), 0, kTolerance) << t;
      }
    }
  }
}

TEST_P(ExplainedModel, TheOtherLabelIsTheMostProbableOfTheOthers) {
  Random random(32);
  const ChainModel model = random_model(GetParam(), random);
  const TextSequence text = random_text(GetParam(), 5, random);
  const Explanation found = explain(model, text);
  Tagger tagger(model);
  const Tagging& tagging = tagger.tag(text, {.marginals = true});
  EXPECT_EQ(found.y, tagging.y);
  for (const ExplainedStretch& p : found.stretches) {
    ASSERT_EQ(p.other.size(), 1u);
    EXPECT_NE(p.other, p.labels);
    for (Label j = 0; j < model.labels(); ++j) {
      if (j == p.labels[0]) continue;
      EXPECT_LE(tagging.marginals(p.begin, j), p.other_probability[0]);
    }
  }
}

// Of each stretch that is wrong: compared with the labels of the data there, the others as they
// are.
TEST_P(ExplainedModel, OfWrongStretchesDifferencesSumToTheChangeToTheLabelsOfTheData) {
  Random random(39);
  std::size_t several = 0, forbidden = 0;
  for (int round = 0; round < 40; ++round) {
    const ChainModel model = random_model(GetParam(), random);
    TextSequence text = random_text(GetParam(), 5, random);
    const Enumeration all(model, text, anything);
    if (all.entries.empty()) continue;
    Labelling gold;
    for (std::size_t t = 0; t < text.length(); ++t) {
      gold.push_back(static_cast<Label>(random.below(model.labels())));
      text.labels.append(GetParam().labels[gold[t]]);
    }
    text.labels.end_list();
    const TagPlan plan(model);
    for (const ChunkScheme scheme : {ChunkScheme::bio, ChunkScheme::none}) {
      const Explanation found =
          Explainer(plan).explain({text}, {.top = 1, .gold = true, .scheme = scheme});
      std::vector<bool> told(text.length(), false);
      for (const ExplainedStretch& each : found.stretches) {
        for (std::size_t t = each.begin; t < each.end(); ++t) {
          told[t] = true;
          EXPECT_EQ(each.labels[t - each.begin], found.y[t]);
          EXPECT_EQ(each.other[t - each.begin], gold[t]);
        }
        const double expected = changed_score(all, found.y, each.begin, each.labels) -
                                changed_score(all, found.y, each.begin, each.other);
        expect_same(each.difference, expected);
        expect_same(sum_of_differences(each), expected);
        several += each.labels.size() > 1 ? 1 : 0;
        forbidden += std::isinf(expected) ? 1 : 0;
      }
      for (std::size_t t = 0; t < text.length(); ++t) {
        if (gold[t] != found.y[t]) {
          EXPECT_TRUE(told[t]);
        }
      }
    }
  }
  EXPECT_GT(several, 20u);
  if (GetParam().pairs < 0.7) {
    EXPECT_GT(forbidden, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, ExplainedModel,
                         testing::Values(SmallModel{.labels = kBio},
                                         SmallModel{.labels = {"A", "B"}, .overlays = true},
                                         SmallModel{.labels = kBio, .transitions = 0.3},
                                         SmallModel{.labels = {"A", "B", "C"}, .order = 2},
                                         SmallModel{.labels = kBio, .overlays = true, .order = 2},
                                         SmallModel{.labels = {"A", "B", "C"}, .order = 3},
                                         SmallModel{.labels = kBio, .order = 3, .pairs = 0.6}));

TEST(Explain, ConstraintsAndPenaltiesAreReasonsLikeOthers) {
  Random random(33);
  const SmallModel how{.labels = kBio};
  LineReader lines(std::string_view("* I-* 0.75\na1 O -1.5\na1 B-X 0.25\n"), "penalties.txt");
  TagRequest request;
  request.constraint = choose_constraint("bio", kBio);
  request.penalties = read_penalty_file(lines, PenaltyTests::attributes);
  std::size_t limits = 0, decided = 0;
  for (int round = 0; round < 5; ++round) {
    const ChainModel model = random_model(how, random);
    const TextSequence text = random_text(how, 4, random);
    const TagPlan plan(model, request);
    const auto penalty = [&](const Labelling& y) {
      double sum = 0;
      for (std::size_t t = 0; t < y.size(); ++t) {
        sum += y[t] == 2 || y[t] == 4 ? 0.75 : 0;
        for (auto k = text.node.list_begin(t); k < text.node.list_end(t); ++k) {
          if (text.node.item(k) != "a1") continue;
          sum += y[t] == 0 ? -1.5 : y[t] == 1 ? 0.25 : 0;
          break;
        }
      }
      return sum;
    };
    const Enumeration all(model, text, obeys_bio, penalty);
    expect_exact(plan, text, all, kAll);
    for (const ExplainedStretch& p : Explainer(plan).explain({text}, {}).stretches) {
      decided += std::isinf(p.difference);
      for (const Reason& r : p.reasons) limits += r.kind == Kind::limit;
    }
  }
  EXPECT_GT(limits, 0u);
  EXPECT_GT(decided, 0u);
}

TEST(Explain, SumsAreExactWhereTransitionsAreSparse) {
  Random random(37);
  SmallModel how{.labels = kBio, .transitions = 0.03};
  for (int k = 0; k < 65; ++k) how.labels.push_back("Z" + std::to_string(k));
  const ChainModel model = random_model(how, random);
  ASSERT_TRUE(model.transitions<double>().sparse());
  const TextSequence text = random_text(how, 2, random);
  expect_exact(TagPlan(model), text, Enumeration(model, text, anything), kAll);
}

// A model of words with known weights.
struct Words {
  std::vector<std::string> labels = {"A", "B"};
  struct Row {
    std::string name;
    std::vector<double> weight;
  };
  std::vector<Row> tied, node;
  bool boundaries = false;
};

RowLayout lay_out(const std::vector<Words::Row>& rows, std::size_t cells,
                  std::vector<std::string_view>& names, std::vector<double>& weights) {
  RowLayout layout;
  layout.cells = cells;
  layout.begin = {weights.size()};
  for (const Words::Row& row : rows) {
    names.push_back(row.name);
    for (std::uint32_t cell = 0; cell < cells; ++cell) layout.cell.push_back(cell);
    weights.insert(weights.end(), row.weight.begin(), row.weight.end());
    layout.begin.push_back(weights.size());
  }
  return layout;
}

ChainModel model_of(const Words& words) {
  const std::size_t labels = words.labels.size();
  ChainLayout layout;
  ChainModelParts parts;
  std::vector<double> weights;
  layout.labels = labels;
  layout.tied = lay_out(words.tied, labels * labels, parts.tied_names, weights);
  layout.node = lay_out(words.node, labels, parts.node_names, weights);
  layout.edge = lay_out({}, labels * labels, parts.edge_names, weights);
  ExtractionConfig extraction;
  extraction.format = InputFormat::attributes;
  extraction.boundaries = words.boundaries;
  const Json training = Json::object();
  parts.labels = words.labels;
  parts.extraction = &extraction;
  parts.layout = &layout;
  parts.weights = weights;
  parts.training = &training;
  return ChainModel(Container::from_bytes(make_chain_model(parts).bytes(), "words.croft"));
}

// One list of attributes, "name" or "name:value", for each position.
InputSequence input_of(const ChainModel& model,
                       const std::vector<std::vector<std::pair<std::string, double>>>& positions) {
  InputSequence input;
  for (const auto& attributes : positions) {
    for (const auto& [name, value] : attributes) input.text.node.append(name, value);
    input.text.node.end_list();
  }
  input.text.first_line = 1;
  Extractor::Scratch scratch;
  model.extractor().complete(input.text, scratch);
  return input;
}

Words known_words() {
  Words words;
  words.tied = {{"", {0.5, -0.25, 0, 1}}};
  words.node = {{"dog", {3, -1}},
                {"the", {1, 0.5}},
                {"a", {0.25, 0.5}},
                {boundary_name(Boundary::start, ""), {0.75, -2}},
                {boundary_name(Boundary::stop, ""), {-0.5, 0.25}}};
  words.boundaries = true;
  return words;
}

TEST(Explain, ReasonsAreValueTimesWeightTheLargestDifferenceFirst) {
  const ChainModel model = model_of(known_words());
  const InputSequence input =
      input_of(model, {{{"the", 1}, {"dog", 0.5}, {"a", 1}, {"never", 1}}, {{"dog", 1}}});
  const Explanation found = explain(model, input.text, {.top = 2, .unknown = true});
  ASSERT_EQ(found.y, (Labelling{0, 0}));
  const ExplainedStretch& first = found.stretches[0];
  ASSERT_EQ(first.reasons.size(), 4u);  // start +2.75, dog +2, · → A +0.5, the +0.5; a is left
  EXPECT_EQ(first.reasons[0].kind, Kind::start);
  EXPECT_EQ(first.reasons[0].difference(), 2.75);
  EXPECT_EQ(first.reasons[1].name, "dog");
  EXPECT_EQ(first.reasons[1].value, 0.5);
  EXPECT_EQ(first.reasons[1].label, 1.5);
  EXPECT_EQ(first.reasons[1].other, -0.5);
  EXPECT_EQ(first.reasons[2].name, "the");
  EXPECT_EQ(first.reasons[3].kind, Kind::transition);
  EXPECT_EQ(first.reasons[3].label, 0.5);
  EXPECT_EQ(first.reasons[3].other, 0);  // B → A
  EXPECT_EQ(first.reasons[3].begin, 0u);
  EXPECT_EQ(first.reasons[3].end, 2u);
  EXPECT_EQ(first.rest.count, 1u);
  EXPECT_EQ(first.rest.label, 0.25);
  EXPECT_EQ(first.rest.other, 0.5);
  EXPECT_EQ(first.difference, 2.75 + 2 + 0.5 + 0.5 - 0.25);
  EXPECT_EQ(first.attributes, 4u);
  EXPECT_EQ(first.unknown, 1u);
  EXPECT_EQ(first.unknown_names, std::vector<std::string>{"never"});
  const ExplainedStretch& last = found.stretches[1];
  ASSERT_EQ(last.reasons.size(), 3u);
  EXPECT_EQ(last.reasons[0].name, "dog");
  EXPECT_EQ(last.reasons[1].kind, Kind::stop);
  EXPECT_EQ(last.reasons[1].difference(), -0.75);
  EXPECT_EQ(last.reasons[2].kind, Kind::transition);
  EXPECT_EQ(last.reasons[2].other, -0.25);  // A → B
  EXPECT_EQ(last.unknown, 0u);
}

TEST(WrongStretches, HaveWholesThatAreNotCutAndWrongNeighbours) {
  using Stretches = std::vector<Stretch>;
  const std::vector<Stretch> none;
  // No wholes are known: each is one by itself.
  EXPECT_EQ(wrong_stretches({true, true, false, true}, std::nullopt),
            (Stretches{{0, 1}, {1, 2}, {3, 4}}));
  EXPECT_EQ(wrong_stretches({true, true, false, true}, none), (Stretches{{0, 2}, {3, 4}}));
  // Chunks [0, 3) and [2, 4) of two sides; one without a mistake is no stretch.
  const std::vector<Stretch> wholes{{0, 3}, {2, 4}, {5, 7}};
  EXPECT_EQ(wrong_stretches({false, false, true, false, false, false, false}, wholes),
            (Stretches{{0, 4}}));
  EXPECT_EQ(wrong_stretches({false, false, false, true, true, false, true}, wholes),
            (Stretches{{0, 5}, {5, 7}}));
  EXPECT_EQ(wrong_stretches({}, none), Stretches());
}

// A chunk of two words where the data has none: whole against whole.
TEST(Explain, AWrongChunkIsComparedWithTheLabelsOfTheDataAsAWhole) {
  Words words;
  words.labels = {"O", "B-X", "I-X"};
  words.tied = {{"", {0.5, 0.25, 0, 1, 0, 2, -0.5, 0, 0.75}}};
  words.node = {{"a", {1, 0, 0}}, {"b", {0, 1.5, 0.5}}, {"c", {-1, 0, 0.5}}};
  const ChainModel model = model_of(words);
  InputSequence input = input_of(model, {{{"a", 1}}, {{"b", 2}}, {{"c", 1}}, {{"a", 4}}});
  for (const char* label : {"O", "O", "O", "O"}) input.text.labels.append(label);
  input.text.labels.end_list();
  const TagPlan plan(model);
  const Explanation found =
      Explainer(plan).explain({input.text}, {.positions = {2}, .top = 1, .gold = true});
  ASSERT_EQ(found.y, (Labelling{0, 1, 2, 0}));
  ASSERT_EQ(found.stretches.size(), 1u);
  const ExplainedStretch& one = found.stretches[0];
  EXPECT_EQ(one.begin, 1u);
  EXPECT_EQ(one.labels, (std::vector<Label>{1, 2}));
  EXPECT_EQ(one.other, (std::vector<Label>{0, 0}));
  // b 2 x 1.5, and B → I 2 - 0.5; I → O -0.5 - 0.5, c 0.5 + 1 is the rest, O → B 0.25 - 0.5.
  ASSERT_EQ(one.reasons.size(), 4u);
  EXPECT_EQ(one.reasons[0].name, "b");
  EXPECT_EQ(one.reasons[0].difference(), 3);
  EXPECT_EQ(one.reasons[1].label, 2);
  EXPECT_EQ(one.reasons[1].other, 0.5);
  EXPECT_EQ(one.reasons[1].begin, 1u);
  EXPECT_EQ(one.reasons[2].difference(), -1);
  EXPECT_EQ(one.reasons[3].difference(), -0.25);
  EXPECT_EQ(one.rest.count, 1u);
  EXPECT_EQ(one.rest.difference(), 1.5);
  EXPECT_EQ(one.difference, 3 + 1.5 - 1 - 0.25 + 1.5);
  const View view = view_of(found, plan, input, "f");
  for (const char* line : {"\n\n1-2\n  B-X 0.858292 I-X 0.601281, not O 0.027899 O 0.127369\n",
                           "  difference     B-X I-X         O O\n",
                           "     +3.0000     +3.0000           0  1: b  (value 2)\n",
                           "     +1.5000     +2.0000     +0.5000  1: B-X → I-X, not O → O\n",
                           "     -1.0000     -0.5000     +0.5000  2: I-X → O, not O → O\n",
                           "     -0.2500     +0.2500     +0.5000  0: O → B-X, not O → O\n",
                           "     +1.5000     +0.5000     -1.0000  1 other attribute\n",
                           "     +4.7500                          in all\n"}) {
    EXPECT_NE(view.text.find(line), view.text.npos) << line << "\nis not in\n" << view.text;
  }
  EXPECT_FALSE(view.json.contains("positions"));
  const Json& stretch = view.json["stretches"][0];
  EXPECT_EQ(stretch["start"], 1);
  EXPECT_EQ(stretch["end"], 3);
  EXPECT_EQ(stretch["labels"], (Json{"B-X", "I-X"}));
  EXPECT_EQ(stretch["other"], (Json{"O", "O"}));
  EXPECT_EQ(stretch["difference"], 4.75);
  EXPECT_EQ(stretch["reasons"][0]["start"], 1);
  EXPECT_EQ(stretch["reasons"][1]["labels"], (Json{"B-X", "I-X"}));
  EXPECT_EQ(stretch["reasons"][1]["other_labels"], (Json{"O", "O"}));
}

TEST(Explain, ALabelOfTheDataThatTheModelDoesNotKnowIsNamed) {
  const ChainModel model = model_of(known_words());
  InputSequence input = input_of(model, {{{"dog", 1}}, {{"dog", 1}}});
  for (const char* label : {"A", "C"}) input.text.labels.append(label);
  input.text.labels.end_list();
  const TagPlan plan(model);
  const Explanation found = Explainer(plan).explain({input.text}, {.gold = true});
  ASSERT_EQ(found.stretches.size(), 1u);
  EXPECT_TRUE(found.stretches[0].other.empty());
  const View view = view_of(found, plan, input, "f");
  EXPECT_NE(view.text.find("\n  the model does not know the label \"C\"\n"), view.text.npos)
      << view.text;
  EXPECT_EQ(view.json["stretches"][0]["error"], "the model does not know the label \"C\"");
  EXPECT_EQ(view.json["stretches"][0]["other"], (Json{"C"}));
  EXPECT_FALSE(view.json["stretches"][0].contains("reasons"));
  input.text.labels.clear();
  EXPECT_THROW(Explainer(plan).explain({input.text}, {.gold = true}), UsageError);
}

TEST(Explain, TheTextNamesWhatSpeaksForEachLabel) {
  const ChainModel model = model_of(known_words());
  const InputSequence input =
      input_of(model, {{{"the", 1}, {"dog", 0.5}, {"a", 1}, {"never", 1}}, {{"dog", 1}}});
  const TagPlan plan(model);
  const Explanation found = explain(model, input.text, {.top = 1, .unknown = true});
  const std::string text = view_of(found, plan, input, "words.txt").text;
  for (const char* line :
       {"words.txt:1  2 positions, probability of the labelling 0.9", "\n\n0\n  A 0.9",
        "difference           A           B\n", "     +2.7500     +0.7500     -2.0000  START → ·\n",
        "     +2.0000     +1.5000     -0.5000  dog  (value 0.5)\n",
        "     +0.5000     +0.5000           0  · → A\n",
        "     +0.2500     +1.2500     +1.0000  2 other attributes\n",
        "     +5.5000                          in all\n",
        "  1 of 4 attributes is unknown to the model:\n    never\n",
        "     -0.7500     -0.5000     +0.2500  · → STOP\n"}) {
    EXPECT_NE(text.find(line), text.npos) << line << "\nis not in\n" << text;
  }
}

TEST(Explain, LongNamesAreCutInTextAndWholeInJson) {
  Words words = known_words();
  const std::string name(300, 'x'), label = "a label\twith a tab, and with a very long name";
  words.node.push_back({name, {4, 1}});
  words.labels = {label, "B"};
  const ChainModel model = model_of(words);
  const InputSequence input = input_of(model, {{{name, 1}}, {{"dog", 1}}});
  const TagPlan plan(model);
  const Explanation found = explain(model, input.text);
  const std::string text = view_of(found, plan, input, "f").text;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
    std::size_t columns = 0;  // characters: bytes that do not continue one
    for (std::size_t k = begin; k < end; ++k) {
      columns += (static_cast<unsigned char>(text[k]) & 0xC0) != 0x80;
    }
    EXPECT_LE(columns, 100u) << text.substr(begin, end - begin);
  }
  EXPECT_EQ(text.find('\t'), text.npos);
  const Json document = view_of(found, plan, input, "f").json;
  EXPECT_EQ(document["labels"], (Json{label, label}));
  const Json& reasons = document["positions"][0]["reasons"];
  EXPECT_TRUE(std::ranges::any_of(reasons, [&](const Json& reason) {
    return reason.contains("attribute") && reason["attribute"] == name;
  }));
}

TEST(Explain, AForbiddenLabelIsNullInJsonAndDecidesInText) {
  Words words;
  words.labels = {"A", "B"};
  words.node = {{"x", {1, 1.5}}};
  const ChainModel model = model_of(words);
  const InputSequence input = input_of(model, {{{"x", 1}}});
  TagRequest request;
  request.constraint.emplace(2).start[1] = false;
  const TagPlan plan(model, request);
  const Explanation found = Explainer(plan).explain({input.text}, {});
  ASSERT_EQ(found.stretches[0].difference, kInfinity);
  const Json position = view_of(found, plan, input, "f").json["positions"][0];
  EXPECT_TRUE(position["difference"].is_null());
  EXPECT_EQ(position["reasons"][0]["kind"], "limit");
  EXPECT_TRUE(position["reasons"][0]["other"].is_null());
  EXPECT_EQ(position["reasons"][0]["label"], 0);
  EXPECT_EQ(position["reasons"][1]["difference"], -0.5);
  const std::string text = view_of(found, plan, input, "f").text;
  EXPECT_NE(text.find("decides           0   forbidden  constraint"), text.npos) << text;
}

TEST(Explain, OneLabelHasNothingAgainstItAndAnEmptySequenceNoPosition) {
  Words words;
  words.labels = {"A"};
  words.node = {{"x", {1}}};
  const ChainModel model = model_of(words);
  const InputSequence input = input_of(model, {{{"x", 1}, {"y", 1}}});
  const Explanation found = explain(model, input.text, {.against = Label{0}});
  ASSERT_EQ(found.stretches.size(), 1u);
  EXPECT_TRUE(found.stretches[0].other.empty());
  EXPECT_EQ(found.stretches[0].probability[0], 1);
  EXPECT_EQ(found.stretches[0].unknown, 1u);
  EXPECT_TRUE(found.stretches[0].reasons.empty());
  const TagPlan plan(model);
  EXPECT_NE(view_of(found, plan, input, "f").text.find("the only label"), std::string::npos);
  EXPECT_TRUE(view_of(found, plan, input, "f").json["positions"][0]["other"].is_null());
  EXPECT_TRUE(explain(model, TextSequence()).stretches.empty());
}

TEST(Explain, PositionsAreThoseAskedForInTheirOrder) {
  Random random(34);
  const SmallModel how{.labels = kBio};
  const ChainModel model = random_model(how, random);
  const TextSequence text = random_text(how, 4, random);
  const Explanation all = explain(model, text), some = explain(model, text, {.positions = {3, 0}});
  ASSERT_EQ(some.stretches.size(), 2u);
  for (const std::size_t k : {0, 1}) {
    const ExplainedStretch &found = some.stretches[k], &expected = all.stretches[k == 0 ? 3 : 0];
    EXPECT_EQ(found.begin, expected.begin);
    EXPECT_EQ(found.difference, expected.difference);
    EXPECT_EQ(found.reasons.size(), expected.reasons.size());
  }
}

TEST(Explain, UnknownAttributesOfAnEdgeCountAtThePositionWhereItArrives) {
  Random random(38);
  const SmallModel how{.labels = {"A", "B"}, .overlays = true};
  const ChainModel model = random_model(how, random);
  TextSequence text;
  for (const char* edge : {"", "e0", "never"}) {
    text.node.append("a0");
    text.node.end_list();
    if (*edge != '\0') text.edge.append(edge);
    text.edge.end_list();
  }
  const Explanation found = explain(model, text, {.unknown = true});
  EXPECT_EQ(found.stretches[0].attributes, 1u);
  EXPECT_EQ(found.stretches[1].attributes, 2u);
  EXPECT_EQ(found.stretches[1].unknown, 0u);
  EXPECT_EQ(found.stretches[2].attributes, 2u);
  EXPECT_EQ(found.stretches[2].unknown_names, std::vector<std::string>{"never"});
}

TEST(Explain, RefusesPositionsLabelsAndPlansThatItCannotExplain) {
  Random random(35);
  const SmallModel how{.labels = kBio};
  const ChainModel model = random_model(how, random);
  const TextSequence text = random_text(how, 4, random);
  EXPECT_THROW(explain(model, text, {.positions = {1, 4}}), UsageError);
  EXPECT_THROW(explain(model, text, {.against = Label{5}}), UsageError);
  TagRequest rules, partial, risk;
  rules.rules = {"at-most 1 X"};
  partial.partial = PartialLabels{};
  risk.decode = Decode::risk;
  for (const TagRequest& request : {rules, partial, risk}) {
    const TagPlan plan(model, request);
    EXPECT_THROW(Explainer{plan}, UsageError);
  }
}

TEST(Explain, ASequenceWithoutALabellingSaysSo) {
  Random random(36);
  const SmallModel how{.labels = {"A", "B"}};
  const ChainModel model = random_model(how, random);
  InputSequence input;
  input.text = random_text(how, 2, random);
  TagRequest request;
  request.constraint.emplace(2).end = {false, false};
  const TagPlan plan(model, request);
  const Explanation found = Explainer(plan).explain({input.text}, {});
  EXPECT_FALSE(found.outcome.found);
  EXPECT_TRUE(found.stretches.empty());
  EXPECT_EQ(view_of(found, plan, input, "f").text,
            "f:1: no labelling of this sequence is allowed\n\n");
  EXPECT_TRUE(view_of(found, plan, input, "f").json["labels"].is_null());
}

}  // namespace
}  // namespace croft::explain_test
