#include "features/kit/feature_kit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "support/message_of.h"

namespace croft::feature_kit_test {
namespace {

using Strings = std::vector<std::string>;

ColumnSequence rows_of(const Strings& lines) {
  ColumnSequence rows;
  rows.first_line = 1;
  for (const std::string& line : lines) rows.append_row(line);
  return rows;
}

KitFeature feature(std::string name, KitFeature::What what, std::string column = "",
                   std::optional<std::vector<int>> at = std::nullopt) {
  return {std::move(name), std::move(column), std::move(at), std::move(what)};
}

std::shared_ptr<const FeatureKit> kit_of(std::vector<KitFeature> features, Strings columns = {}) {
  auto kit = std::make_shared<FeatureKit>(std::move(columns));
  for (KitFeature& each : features) kit->add(std::move(each));
  return kit;
}

// The attributes of every position that the kit alone makes, as "name" or "name:value".
std::vector<Strings> attributes(const std::shared_ptr<const FeatureKit>& kit,
                                const ColumnSequence& rows, std::size_t columns = 1) {
  const auto bound = kit->bind(InputFormat::columns, columns, nullptr);
  KitScratch scratch;
  bound->start(rows, scratch, "data.txt");
  std::vector<Strings> out;
  for (std::size_t t = 0; t < rows.rows(); ++t) {
    StringLists list;
    bound->expand(t, scratch, list);
    Strings& names = out.emplace_back();
    for (std::size_t k = 0; k < list.items(); ++k) {
      std::string name(list.item(k));
      if (list.value(k) != 1) {
        std::string value = std::to_string(list.value(k));
        name += ":" + value.substr(0, value.find_last_not_of('0') + 1);
      }
      names.push_back(std::move(name));
    }
  }
  return out;
}

Gazetteer gazetteer(std::string_view text) {
  GazetteerBuilder builder(true);
  builder.read(LineReader(text, "list"));
  return builder.build();
}

WordClusters clusters(std::string_view text) { return WordClusters::read(LineReader(text, "c")); }

Embeddings embeddings(std::string_view text, const EmbeddingOptions& options = {}) {
  return Embeddings::read(LineReader(text, "e"), options);
}

template <class Action>
std::string refusal(const Action& action) {
  return message_of<Error>(action);
}

TEST(FeatureKit, AColumnIsAnAttributeAtEachOffsetThatIsInside) {
  const auto kit =
      kit_of({feature("g", GazetteerFeature{gazetteer("new york\tLOC\n"), {}}, "", {{-1, 0, 2}})});
  EXPECT_EQ(attributes(kit, rows_of({"in", "New", "York", "."})),
            (std::vector<Strings>{
                {"g[2]=I-LOC"}, {"g[0]=B-LOC"}, {"g[-1]=B-LOC", "g[0]=I-LOC"}, {"g[-1]=I-LOC"}}));
}

TEST(FeatureKit, FormsAreWhatTheyAreCalled) {
  FormsFeature forms{.lower_case = true,
                     .shape = true,
                     .long_shape = true,
                     .prefixes = {1, 3},
                     .suffixes = {2, 3}};
  EXPECT_EQ(attributes(kit_of({feature("f", forms)}), rows_of({"Ébé", "McDonald"})),
            (std::vector<Strings>{
                {"f.lower[0]=ébé", "f.shape[0]=Xx", "f.long-shape[0]=Xxx", "f.prefix1[0]=é",
                 "f.prefix3[0]=ébé ", "f.suffix2[0]=bé", "f.suffix3[0]= ébé"},
                {"f.lower[0]=mcdonald", "f.shape[0]=XxXx", "f.long-shape[0]=XxXxxxx",
                 "f.prefix1[0]=m", "f.prefix3[0]=mcd", "f.suffix2[0]=ld", "f.suffix3[0]=ald"}}));
  FormsFeature plain{.prefixes = {3}, .suffixes = {4}, .fold = false, .boundaries = false};
  EXPECT_EQ(attributes(kit_of({feature("f", plain)}), rows_of({"The", "a"})),
            (std::vector<Strings>{{"f.prefix3[0]=The"}, {}}));
}

TEST(FeatureKit, NgramsAreThoseOfTheTokenizerWithinABlankOnEachSide) {
  const NgramsFeature ngrams{.shortest = 2, .longest = 3};
  EXPECT_EQ(
      attributes(kit_of({feature("n", ngrams)}), rows_of({"Abc"}))[0],
      (Strings{"n[0]= a", "n[0]=ab", "n[0]=bc", "n[0]=c ", "n[0]= ab", "n[0]=abc", "n[0]=bc "}));
  const NgramsFeature inner{.shortest = 2, .longest = 2, .fold = false, .boundaries = false};
  EXPECT_EQ(attributes(kit_of({feature("n", inner)}), rows_of({"Abc", "x"})),
            (std::vector<Strings>{{"n[0]=Ab", "n[0]=bc"}, {}}));
}

TEST(FeatureKit, ACellShorterThanTheShortestNgramIsOneWithBoundariesAndNoneWithout) {
  NgramsFeature ngrams{.shortest = 5, .longest = 5};
  EXPECT_EQ(attributes(kit_of({feature("n", ngrams)}), rows_of({"ab"}))[0], Strings{"n[0]= ab "});
  ngrams.boundaries = false;
  EXPECT_EQ(attributes(kit_of({feature("n", ngrams)}), rows_of({"ab"}))[0], Strings{});
}

TEST(FeatureKit, APatternIsAFlagOfAnyColumn) {
  const auto kit = kit_of({feature("year", PatternFeature{"^(19|20)[0-9]{2}$", nullptr}),
                           feature("noun", PatternFeature{"^NN", nullptr}, "pos")},
                          {"word", "pos"});
  EXPECT_EQ(attributes(kit, rows_of({"1999 NUM x", "house NN x", "21999 NUM x"}), 2),
            (std::vector<Strings>{{"year[0]=1"}, {"noun[0]=1"}, {}}));
}

TEST(FeatureKit, ClustersGivePrefixesOfThePathAndFallBackToLowerCase) {
  const auto file = clusters("0010\tthe\t7\n11\tParis\t1\n110\thouse\n");
  const auto kit = kit_of({feature("b", ClustersFeature{file, {2, 4}})});
  EXPECT_EQ(attributes(kit, rows_of({"The", "paris", "HOUSE", "Paris"})),
            (std::vector<Strings>{{"b.2[0]=00", "b.4[0]=0010"},
                                  {},
                                  {"b.2[0]=11", "b.4[0]=110"},
                                  {"b.2[0]=11", "b.4[0]=11"}}));
  EXPECT_EQ(attributes(kit_of({feature("b", ClustersFeature{file, {}})}), rows_of({"the"}))[0],
            Strings{"b[0]=0010"});
}

TEST(FeatureKit, EmbeddingsAreNumbersAndUnknownWordsAreFlagged) {
  const auto file = embeddings("2 3\nthe 1 0 -2\nUNK 0.5 0.5 0.5\n");
  const auto with = [&](UnknownWord unknown, std::string word = "") {
    return attributes(kit_of({feature("e", EmbeddingsFeature{file, unknown, word, {}})}),
                      rows_of({"The", "zzz"}));
  };
  EXPECT_EQ(with(UnknownWord::flag),
            (std::vector<Strings>{{"e[0].0", "e[0].2:-2."}, {"e[0].unknown"}}));
  EXPECT_EQ(with(UnknownWord::nothing)[1], Strings{});
  EXPECT_EQ(with(UnknownWord::mean)[1], (Strings{"e[0].0:0.75", "e[0].1:0.25", "e[0].2:-0.75"}));
  EXPECT_EQ(with(UnknownWord::flag, "UNK")[1], (Strings{"e[0].0:0.5", "e[0].1:0.5", "e[0].2:0.5"}));
  EXPECT_NE(refusal([&] { with(UnknownWord::flag, "nobody"); }).find("not in the file"),
            std::string::npos);
}

TEST(FeatureKit, ScalingOfEmbeddingsIsThatOfItsDefinition) {
  const std::string text = "a 1 5\nb 3 5\nc 8 5\n";
  const auto all = [](const Embeddings& e) {
    std::vector<float> values;
    for (const char* word : {"a", "b", "c"}) {
      const auto row = e.row(e.words().find_exactly(word));
      values.insert(values.end(), row.begin(), row.end());
    }
    return values;
  };
  const double deviation = std::sqrt(26.0 / 3);
  const std::vector<float> standard = all(embeddings(text, {.scale = EmbeddingScale::standardise}));
  const std::vector<double> expected = {-3 / deviation, 0, -1 / deviation, 0, 4 / deviation, 0};
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(standard[k], expected[k], 1e-6);
  const std::vector<float> length =
      all(embeddings(text, {.scale = EmbeddingScale::length, .factor = 10}));
  EXPECT_NEAR(length[0], 10 / std::sqrt(26.0), 1e-5);
  EXPECT_NEAR(length[5], 50 / std::sqrt(89.0), 1e-5);
  EXPECT_EQ(embeddings(text, {.max_words = 2}).words().size(), 2u);
  EXPECT_EQ(embeddings("x 3 4\nnew york 1 2\n").words().size(), 2u) << "a word of two parts";
}

TEST(FeatureKit, FaultsOfResourcesAreShownWithTheirLine) {
  EXPECT_NE(refusal([] { embeddings("a 1 2\nb 1\n"); }).find("e:2: fewer than 2 numbers"),
            std::string::npos);
  EXPECT_NE(refusal([] { embeddings("a 1 2\nb 1 x\n"); }).find("no finite number: \"x\""),
            std::string::npos);
  EXPECT_NE(refusal([] { embeddings("3 1\na 1\n"); }).find("promises 3 words, and there are 1"),
            std::string::npos);
  EXPECT_NE(refusal([] { embeddings("a 1\na 2\n"); }).find("e:2: the word has a vector already"),
            std::string::npos);
  EXPECT_NE(refusal([] { embeddings(""); }).find("without words"), std::string::npos);
  EXPECT_NE(refusal([] { embeddings("a 1 2\nb 3 1 2\n"); }).find("e:2: more than 2 numbers"),
            std::string::npos);
  EXPECT_NE(refusal([] { embeddings("1 2\na 3 1 2\n"); }).find("e:2: more than 2 numbers"),
            std::string::npos);
  EXPECT_NE(refusal([] { embeddings("0 2\n"); }).find("without words"), std::string::npos);
  EXPECT_NE(refusal([] { embeddings("0 2\na 1 2\n"); }).find("promises 0 words"),
            std::string::npos);
  EXPECT_EQ(embeddings("a 1 2\n1999 1 2\n. . 1 2\n12 a 1 2\n").words().size(), 4u);
  EXPECT_NE(refusal([] { clusters("01 the\n"); }).find("c:1: no TAB"), std::string::npos);
  EXPECT_NE(refusal([] { clusters("0\ta\n1\ta\n"); }).find("c:2: the word has a cluster already"),
            std::string::npos);
  EXPECT_NE(refusal([] { clusters("0\ta\tb\n"); }).find("no count"), std::string::npos);
  EXPECT_NE(refusal([] { clusters("\ta\n"); }).find("empty cluster or word"), std::string::npos);
}

TEST(FeatureKit, NumbersAreFittedThenBinnedOrStandardised) {
  const std::vector<double> values = {4, 1, 2, 3, 10};
  const NumberScaling width = fit_numbers(values, Binning::width, 3);
  EXPECT_EQ(width.cuts, (std::vector<double>{4, 7}));
  EXPECT_EQ(width.bin(3.9), 0u);
  EXPECT_EQ(width.bin(4), 1u);
  EXPECT_EQ(width.bin(99), 2u);
  // Ranks 1 and 3 of 1 2 3 4 10.
  EXPECT_EQ(fit_numbers(values, Binning::quantile, 3).cuts, (std::vector<double>{2, 4}));
  EXPECT_DOUBLE_EQ(width.mean, 4);
  EXPECT_DOUBLE_EQ(width.deviation, std::sqrt(50.0 / 5));
  EXPECT_EQ(fit_numbers(std::vector<double>{5, 5}, Binning::quantile, 4),
            (NumberScaling{5, 1, {}}));
  EXPECT_EQ(fit_numbers({}, Binning::width, 4), NumberScaling());

  const auto kit = kit_of({feature("n", NumberFeature{.bins = 3, .missing = {"?"}}),
                           feature("z", NumberFeature{.missing = {"?"}})});
  ASSERT_TRUE(kit->needs_fit());
  const auto fitted = kit->fitted({{fit_numbers(values, Binning::quantile, 3), {}}, {width, {}}});
  EXPECT_FALSE(fitted->needs_fit());
  EXPECT_EQ(attributes(fitted, rows_of({"1", "3", "50", "?"})),
            (std::vector<Strings>{{"n[0]=0", "z[0]:-0.948683"},
                                  {"n[0]=1", "z[0]:-0.316228"},
                                  {"n[0]=2", "z[0]:14.546477"},
                                  {"n[0]=missing", "z[0]=missing"}}));
  EXPECT_EQ(refusal([&] {
              attributes(fitted, rows_of({"1", "tall"}));
            }),
            "data.txt:2: the feature \"n\" is made of numbers, and this is no finite one: "
            "\"tall\"; correct it, or name it in missing = [...] of the kit");
}

TEST(FeatureKit, GivenCutsAndRawValuesNeedNoFit) {
  NumberFeature cuts;
  cuts.cuts = {18, 65};
  NumberFeature raw;
  raw.standardise = false;
  const auto kit = kit_of({feature("age", cuts), feature("raw", raw)});
  EXPECT_FALSE(kit->needs_fit());
  EXPECT_EQ(
      attributes(kit, rows_of({"17.5", "18", "70"})),
      (std::vector<Strings>{
          {"age[0]=0", "raw[0]:17.5"}, {"age[0]=1", "raw[0]:18."}, {"age[0]=2", "raw[0]:70."}}));
}

// The definition: every level at every offset, and for a conjunction every level (or choice of
// levels) at its offsets together; nothing where a cell is outside or empty.
TEST(FeatureKit, BackoffEqualsItsDefinitionOnRandomCells) {
  Random random(4);
  for (int trial = 0; trial < 50; ++trial) {
    Strings lines;
    for (std::uint64_t n = 1 + random.below(6); n > 0; --n) {
      std::string word;
      for (std::uint64_t k = 1 + random.below(3); k > 0; --k) word += "aAb"[random.below(3)];
      lines.push_back(word + " " + "XY"[random.below(2)]);
    }
    const bool mixed = random.below(2) == 0;
    const auto kit = kit_of(
        {feature("f", FormsFeature{.lower_case = true, .suffixes = {2}, .boundaries = false}, "",
                 std::vector<int>{}),
         feature("b",
                 BackoffFeature{{"0", "f.lower", "f.suffix2", "pos"}, {{-1, 0}, {-1, 0, 1}}, mixed},
                 "", {{0, 1}})},
        {"word", "pos"});
    const ColumnSequence rows = rows_of(lines);
    const auto found = attributes(kit, rows, 2);
    const auto cell = [&](std::size_t level, std::ptrdiff_t t) -> std::string {
      if (t < 0 || t >= static_cast<std::ptrdiff_t>(rows.rows())) return "";
      const std::string word(rows.cell(static_cast<std::size_t>(t), 0));
      std::string lower = word;
      for (char& c : lower) c = c == 'A' ? 'a' : c;
      if (level == 0) return word;
      if (level == 1) return lower;
      if (level == 2) return lower.size() < 2 ? "" : lower.substr(lower.size() - 2);
      return std::string(rows.cell(static_cast<std::size_t>(t), 1));
    };
    const Strings levels = {"0", "f.lower", "f.suffix2", "pos"};
    for (std::ptrdiff_t t = 0; t < static_cast<std::ptrdiff_t>(rows.rows()); ++t) {
      std::multiset<std::string> expected;
      for (const int o : {0, 1}) {
        for (std::size_t l = 0; l < 4; ++l) {
          if (cell(l, t + o).empty()) continue;
          expected.insert("b." + levels[l] + "[" + std::to_string(o) + "]=" + cell(l, t + o));
        }
      }
      for (std::size_t i = 0; i < 64; ++i) {
        const std::size_t a = i / 16, b = i / 4 % 4, c = i % 4;
        const auto add = [&](std::vector<std::size_t> choice, const char* place,
                             std::ptrdiff_t first) {
          const bool same = std::ranges::all_of(choice, [&](auto l) { return l == choice[0]; });
          if (!same && !mixed) return;
          std::string name = "b." + levels[choice[0]], value;
          for (std::size_t k = 0; k < choice.size(); ++k) {
            if (k > 0 && !same) name += "|" + levels[choice[k]];
            const std::string text = cell(choice[k], first + static_cast<std::ptrdiff_t>(k));
            if (text.empty()) return;
            value += (k > 0 ? "|" : "") + text;
          }
          expected.insert(name + place + value);
        };
        add({a, b, c}, "[-1,0,1]=", t - 1);
        if (c == 0) add({a, b}, "[-1,0]=", t - 1);
      }
      const Strings& here = found[static_cast<std::size_t>(t)];
      ASSERT_EQ(std::multiset<std::string>(here.begin(), here.end()), expected)
          << "trial " << trial;
    }
  }
}

TEST(FeatureKit, TemplatesNameItsColumnsAndThoseOfTheData) {
  ExtractionConfig config;
  config.template_text = "U1:%x[0,word]/%x[-1,g]\nU2:%x[1,f.prefix2]\n";
  config.template_name = "t";
  config.columns = 2;
  config.kit = kit_of({feature("g", GazetteerFeature{gazetteer("new york\n"), {}}),
                       feature("f", FormsFeature{.lower_case = true, .prefixes = {2}}, "word")},
                      {"word", "pos"});
  const Extractor extractor(config);
  Extractor::Scratch scratch;
  TextSequence out;
  extractor.extract(rows_of({"New N L", "York N L"}), true, scratch, out);
  const auto list = [&](std::size_t t) {
    Strings items;
    for (std::size_t k = out.node.list_begin(t); k < out.node.list_end(t); ++k) {
      items.emplace_back(out.node.item(k));
    }
    return items;
  };
  // Columns that a template names make no attributes of their own: f.lower alone does.
  EXPECT_EQ(list(0), (Strings{"U1:New/_B-1", "U2:yo", "f.lower[0]=new"}));
  EXPECT_EQ(list(1), (Strings{"U1:York/B", "U2:_B+1", "f.lower[0]=york"}));
  EXPECT_EQ(out.labels.item(1), "L");
  config.template_text = "U1:%x[0,nobody]\n";
  EXPECT_EQ(refusal([&] { Extractor{config}; }),
            "t:1:9: no column has the name \"nobody\": \"U1:%x[0,nobody]\"; write a column's "
            "number, or one of word, pos, g, f.lower, f.prefix2");
}

TEST(FeatureKit, ColumnsOfAttributesAreFoundByName) {
  ExtractionConfig config;
  config.format = InputFormat::attributes;
  NumberFeature age;
  age.cuts = {18};
  config.kit = kit_of({feature("b", ClustersFeature{clusters("01\tthe\n"), {}}, "w", {{-1, 0}}),
                       feature("age-bin", age, "age")});
  const Extractor extractor(config);
  Extractor::Scratch scratch;
  TextSequence text;
  text.node.append("w=The");
  text.node.append("age", 44);
  text.node.end_list();
  text.node.append("other");
  text.node.append("w=x");
  text.node.end_list();
  extractor.complete(text, scratch);
  Strings items;
  for (std::size_t k = 0; k < text.node.items(); ++k) items.emplace_back(text.node.item(k));
  EXPECT_EQ(items, (Strings{"w=The", "age", "b[0]=01", "age-bin[0]=1", "other", "w=x", "b[-1]=01",
                            "age-bin[0]=missing"}));
}

// Python's {"w": "The", "age": "44"} is w:The, age:44.  Of tables a colon is part of a name.
TEST(FeatureKit, ColumnsOfAttributesMayHaveAColonButNotThoseOfTables) {
  NumberFeature age;
  age.cuts = {18};
  const auto kit = kit_of({feature("b", ClustersFeature{clusters("01\tthe\n"), {}}, "w"),
                           feature("age-bin", age, "age")});
  TextSequence text;
  for (const char* item : {"word:no", "w:The", "age:44"}) text.node.append(item);
  text.node.end_list();
  const auto expanded = [&](InputFormat format) {
    const auto bound = kit->bind(format, 0, nullptr);
    KitScratch scratch;
    StringLists out;
    bound->start(text, scratch, "");
    bound->expand(0, scratch, out);
    Strings items;
    for (std::size_t k = 0; k < out.items(); ++k) items.emplace_back(out.item(k));
    return items;
  };
  EXPECT_EQ(expanded(InputFormat::attributes), (Strings{"b[0]=01", "age-bin[0]=1"}));
  EXPECT_EQ(expanded(InputFormat::csv), (Strings{"age-bin[0]=missing"}));
}

TEST(FeatureKit, WhatHasNoEffectIsRefused) {
  const auto pattern = [](std::optional<std::vector<int>> at, const char* column = "0") {
    return feature("p", PatternFeature{"x", nullptr}, column, std::move(at));
  };
  const auto bind = [](std::vector<KitFeature> features, Strings names = {},
                       InputFormat format = InputFormat::columns,
                       const std::function<bool(std::size_t)>& named = nullptr) {
    const auto kit = kit_of(std::move(features), std::move(names));
    return refusal([&] { kit->bind(format, 1, named); });
  };
  const std::vector<int> nowhere;
  EXPECT_NE(bind({pattern(nowhere)}).find("\"p\" has no effect"), std::string::npos);
  EXPECT_NE(bind({feature("n", NgramsFeature{}, "", nowhere)}).find("no effect"),
            std::string::npos);
  EXPECT_EQ(bind({pattern(nowhere)}, {}, InputFormat::columns, [](auto k) { return k == 1; }),
            "no error");
  EXPECT_EQ(bind({pattern(nowhere), feature("b", BackoffFeature{{"0", "p"}, {}, false})}),
            "no error");
  EXPECT_NE(bind({feature("b", BackoffFeature{{"0", "w"}, {}, false}, "", nowhere)}, {"w"})
                .find("no effect"),
            std::string::npos);
  EXPECT_EQ(bind({feature("b", BackoffFeature{{"0", "w"}, {{-1, 0}}, false}, "", nowhere)}, {"w"}),
            "no error");
  EXPECT_NE(bind({pattern({})}, {"word"}).find("names that nothing uses"), std::string::npos);
  EXPECT_EQ(bind({pattern({}, "word")}, {"word"}), "no error");
  EXPECT_NE(bind({pattern({}, "word")}, {"word"}, InputFormat::attributes).find("columns = [...]"),
            std::string::npos);
  EXPECT_NE(refusal([] {
              kit_of({feature("b", BackoffFeature{{"0", "0"}, {}, false})});
            }).find("a level twice"),
            std::string::npos);
}

TEST(FeatureKit, NumbersThatATableStandardisesAreThoseOfTheFile) {
  const auto kit = kit_of({feature("b", BackoffFeature{{"age", "job"}, {}, false})});
  CsvColumns table;
  table.label = "y";
  table.columns = {{"age", CsvKind::numeric, 0.1, 0.3}, {.name = "job"}};
  Random random(3);
  for (const bool standardised : {true, false}) {
    table.standardised = standardised;
    const auto bound = kit->for_table(table)->bind(InputFormat::csv, 0, nullptr);
    for (int k = 0; k < 1000; ++k) {
      const double number = std::round(random.normal() * 1e6) / 1e4;
      TextSequence text;
      text.node.append("age", standardised ? (number - 0.1) / 0.3 : number);
      text.node.append("job=clerk");
      text.node.end_list();
      KitScratch scratch;
      bound->start(text, scratch, "");
      char cell[32];
      const auto end = std::to_chars(cell, cell + sizeof cell, number).ptr;
      EXPECT_EQ(scratch.rows.cell(0, 0), std::string_view(cell, end));
      EXPECT_EQ(scratch.rows.cell(0, 1), "clerk");
    }
  }
}

TEST(FeatureKit, AColumnThatTheDataDoesNotHaveIsNamedWithItsPlaceInTheKit) {
  KitFeature lost = feature("p", PatternFeature{"x", nullptr}, "nix");
  lost.where = {"k.toml", 3, 1};
  const auto kit = kit_of({lost});
  CsvColumns table;
  table.label = "y";
  table.columns = {{.name = "age"}, {.name = "job"}};
  EXPECT_EQ(refusal([&] { kit->for_table(table); }),
            "k.toml:3:1: the feature \"p\" is made of the column \"nix\", and there is none; "
            "there are \"age\", \"job\"");
  table.columns.push_back({.name = "nix", .kind = CsvKind::numeric});
  EXPECT_EQ(refusal([&] { kit->for_table(table); }), "no error");

  const auto bound = kit->bind(InputFormat::attributes, 0, nullptr);
  std::vector<bool> seen;
  TextSequence text;
  text.node.append("nixen=a");
  text.node.end_list();
  EXPECT_FALSE(bound->find_columns(text, seen));
  EXPECT_EQ(refusal([&] { bound->require_columns(seen); }),
            "k.toml:3:1: the feature \"p\" is made of the attribute \"nix\", and there is no "
            "attribute nix=… or nix in the data");
  text.node.append("nix=a");
  text.node.end_list();
  EXPECT_TRUE(bound->find_columns(text, seen));
  EXPECT_EQ(refusal([&] { bound->require_columns(seen); }), "no error");
}

TEST(FeatureKit, WhatMakesNoSenseIsRefused) {
  const auto add = [](KitFeature what) { return refusal([&] { kit_of({what}); }); };
  EXPECT_NE(add(feature("a b", PatternFeature{"x", nullptr})).find("cannot have the name"),
            std::string::npos);
  EXPECT_NE(add(feature("p", PatternFeature{"(", nullptr})).find("bad pattern \"(\""),
            std::string::npos);
  EXPECT_NE(add(feature("f", FormsFeature{})).find("asks for no form"), std::string::npos);
  EXPECT_NE(add(feature("f", FormsFeature{.prefixes = {2, 2}})).find("do not ascend"),
            std::string::npos);
  EXPECT_NE(add(feature("n", NgramsFeature{.shortest = 3, .longest = 2})).find("out of order"),
            std::string::npos);
  EXPECT_NE(add(feature("p", PatternFeature{"x", nullptr}, "", {{0, 101}})).find("-100 and 100"),
            std::string::npos);
  EXPECT_NE(add(feature("b", BackoffFeature{{"0"}, {}, false})).find("two levels"),
            std::string::npos);
  const auto pattern = [](const char* name, const char* column = "") {
    return feature(name, PatternFeature{"x", nullptr}, column);
  };
  EXPECT_NE(refusal([&] {
              kit_of({pattern("p"), pattern("p")});
            }).find("the name of another"),
            std::string::npos);
  const auto bind = [&](std::vector<KitFeature> features, InputFormat format = InputFormat::columns,
                        Strings names = {}) {
    const auto kit = kit_of(std::move(features), std::move(names));
    return refusal([&] { kit->bind(format, 2, nullptr); });
  };
  EXPECT_NE(bind({pattern("p", "2")}).find("names column 2, and the data has 2"),
            std::string::npos);
  EXPECT_NE(bind({pattern("p", "pos")}).find("names the column \"pos\", and there is none"),
            std::string::npos);
  EXPECT_NE(bind({pattern("w")}).find("default features for words"), std::string::npos);
  EXPECT_NE(bind({pattern("c1")}).find("default features for words"), std::string::npos);
  EXPECT_NE(bind({pattern("p")}, InputFormat::columns, {"word"}).find("names 1 columns"),
            std::string::npos);
  EXPECT_NE(bind({pattern("p")}, InputFormat::text).find("--kit goes with"), std::string::npos);
  EXPECT_NE(bind({pattern("p")}, InputFormat::attributes).find("of which attribute"),
            std::string::npos);
  EXPECT_NE(bind({feature("b", BackoffFeature{{"0", "f.lower"}, {}, false})}).find("f.lower"),
            std::string::npos);
}

}  // namespace
}  // namespace croft::feature_kit_test
