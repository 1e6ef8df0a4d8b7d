// Kits on texts: against sums that are written out, and searches through all words.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "features/extraction.h"
#include "features/kit/feature_kit.h"
#include "support/message_of.h"

namespace croft::feature_kit_texts_test {
namespace {

using Strings = std::vector<std::string>;
using Values = std::map<std::string, double>;

std::optional<Tokenizer> words() { return Tokenizer(kit_words({})); }

Gazetteer gazetteer(std::string_view text) {
  GazetteerBuilder builder(true, words());
  builder.read(LineReader(text, "list"));
  return builder.build();
}

Gazetteer synonyms(std::string_view text, bool of_texts = true) {
  GazetteerBuilder builder(true, of_texts ? words() : std::nullopt);
  builder.read_synonyms(LineReader(text, "synonyms"));
  return builder.build();
}

Embeddings embeddings(std::string_view text) { return Embeddings::read(LineReader(text, "e"), {}); }

KitFeature feature(KitFeature::What what, std::optional<TextValues> values = {}) {
  KitFeature made{"f", "", std::nullopt, std::move(what)};
  made.values = values;
  return made;
}

// Of one feature, after what it learns of `training`.
std::shared_ptr<const FeatureKit> bound(KitFeature made, const Strings& training = {},
                                        const TokenizerOptions& terms = {}) {
  auto kit = std::make_shared<FeatureKit>();
  kit->add(std::move(made));
  std::shared_ptr<const FeatureKit> out =
      kit->for_texts(terms)->bind(InputFormat::text, 0, nullptr);
  if (!out->needs_fit()) return out;
  std::set<std::uint32_t> known;
  KitScratch scratch;
  for (const std::string& text : training) {
    out->start(text, scratch);
    out->visit_known(scratch, [&](std::size_t, std::uint32_t id) { known.insert(id); });
  }
  return out->fitted({{{}, {known.begin(), known.end()}}})->bind(InputFormat::text, 0, nullptr);
}

// A name that comes twice is an error.
Values values_of(const FeatureKit& kit, std::string_view text, KitScratch& scratch) {
  StringLists list;
  kit.start(text, scratch);
  kit.expand(0, scratch, list);
  Values out;
  for (std::size_t k = 0; k < list.items(); ++k) {
    EXPECT_TRUE(out.emplace(list.item(k), list.value(k)).second) << list.item(k);
  }
  return out;
}
Values values_of(const std::shared_ptr<const FeatureKit>& kit, std::string_view text) {
  KitScratch scratch;
  return values_of(*kit, text, scratch);
}

template <class Action>
std::string refusal(const Action& action) {
  return message_of<Error>(action);
}

TEST(FeatureKitTexts, ClustersAreCountedByThePrefixesOfTheWordsPaths) {
  const auto clusters =
      WordClusters::read(LineReader("0010\tcat\n0011\tdog\n11\trun\n", "clusters"));
  const std::string text = "A cat, a CAT and a dog run!";
  EXPECT_EQ(
      values_of(bound(feature(ClustersFeature{clusters, {2, 4}})), text),
      (Values{{"f.2=00", 3}, {"f.2=11", 1}, {"f.4=0010", 2}, {"f.4=0011", 1}, {"f.4=11", 1}}));
  EXPECT_EQ(values_of(bound(feature(ClustersFeature{clusters, {}}, TextValues::binary)), text),
            (Values{{"f=0010", 1}, {"f=0011", 1}, {"f=11", 1}}));
  // Eight words, of which two are stop words.
  const TokenizerOptions terms{.stop_words = {"and", "dog"}};
  EXPECT_EQ(
      values_of(bound(feature(ClustersFeature{clusters, {2}}, TextValues::share), {}, terms), text),
      (Values{{"f.2=00", 2.0 / 6}, {"f.2=11", 1.0 / 6}}));
}

TEST(FeatureKitTexts, EntriesAreCutAsTextsAreAndFoundByTheLongestMatch) {
  const auto places = gazetteer("New York\tLOC\nYork\tLOC\nSt. John's\tLOC\nvitamin C\nC\tNOTE\n");
  const auto kit = bound(feature(GazetteerFeature{places, {}}));
  EXPECT_EQ(values_of(kit, "from new york to York; St John's, vitamin c; C"),
            (Values{{"f=LOC", 3}, {"f", 1}, {"f=NOTE", 1}}));
  // Stop words are words of a phrase.
  const auto bank = bound(feature(GazetteerFeature{gazetteer("Bank of America\n"), {}}), {},
                          {.stop_words = {"of"}});
  EXPECT_EQ(values_of(bank, "the Bank of America"), (Values{{"f", 1}}));
  EXPECT_EQ(values_of(bank, "the Bank America"), Values{});
  const auto share = bound(feature(GazetteerFeature{gazetteer("of the\n"), {}}, TextValues::share),
                           {}, {.stop_words = {"of", "the"}});
  EXPECT_EQ(values_of(share, "of the"), (Values{{"f", 1.0 / 2}}));
  EXPECT_EQ(values_of(share, "Bank of the bank"), (Values{{"f", 1.0 / 4}}));
  EXPECT_NE(refusal([] { gazetteer("Rome\n!?\n"); }).find("list:2: an entry without a letter"),
            std::string::npos);
}

TEST(FeatureKitTexts, SynonymsGiveTheirTerm) {
  const auto kit =
      bound(feature(GazetteerFeature{synonyms("car\tautomobile\tmotor car\ncat\tpuss\n"), {}}));
  EXPECT_EQ(values_of(kit, "An automobile, a car, a motor car and Puss."),
            (Values{{"f=car", 3}, {"f=cat", 1}}));
  EXPECT_NE(refusal([] { synonyms("car\n"); }).find("s:1: a term without a synonym"),
            std::string::npos);
  EXPECT_NE(refusal([] { synonyms("a\tb\n\nc\td\td\n"); }).find("s:3: the same synonym twice"),
            std::string::npos);
  EXPECT_NE(refusal([] { synonyms("a\t\n"); }).find("s:1: a synonym without a token"),
            std::string::npos);
  EXPECT_NE(refusal([] { synonyms("\n"); }).find("no synonyms"), std::string::npos);
}

// Random vectors, texts of random words, some of them unknown; the sums in the order of the page.
struct RandomTexts {
  explicit RandomTexts(Random& random) {
    for (std::size_t k = 0; k < 40; ++k) {
      std::string line = "w" + std::to_string(k);
      for (std::size_t d = 0; d < 5; ++d) {
        vectors[k].push_back(std::round(200 * random.uniform() - 100) / 32);
        line += " " + std::to_string(vectors[k].back());
      }
      file += line + "\n";
    }
  }
  // Of words w0, ..., some beyond the vectors.
  std::string text(Random& random, std::vector<std::size_t>& numbers) const {
    std::string out;
    numbers.clear();
    for (std::size_t n = 1 + random.below(8); n > 0; --n) {
      numbers.push_back(random.below(50));
      out += (out.empty() ? "W" : " w") + std::to_string(numbers.back());
    }
    return out;
  }
  std::string file;
  std::map<std::size_t, std::vector<double>> vectors;
};

TEST(FeatureKitTexts, AveragesAreThoseOfTheWordsThatHaveVectors) {
  Random random(5);
  const RandomTexts made(random);
  EmbeddingsFeature plain{embeddings(made.file)}, mean{embeddings(made.file), UnknownWord::mean};
  const auto kit = bound(feature(plain)), with_mean = bound(feature(mean));
  KitScratch scratch;
  std::vector<std::size_t> numbers;
  for (int trial = 0; trial < 200; ++trial) {
    const std::string text = made.text(random, numbers);
    for (const bool all : {false, true}) {
      Values expected;
      std::vector<double> sum(5);
      double count = 0;
      for (const std::size_t n : numbers) {
        if (n >= 40 && !all) continue;
        ++count;
        for (std::size_t d = 0; d < 5; ++d) {
          double mean_of_all = 0;
          for (const auto& [word, vector] : made.vectors) mean_of_all += vector[d] / 40;
          sum[d] += n < 40 ? made.vectors.at(n)[d] : mean_of_all;
        }
      }
      for (std::size_t d = 0; d < 5 && count > 0; ++d) {
        expected["f." + std::to_string(d)] = sum[d] / count;
      }
      if (count == 0) expected["f.unknown"] = 1;
      Values found = values_of(all ? *with_mean : *kit, text, scratch);
      for (auto& [name, value] : expected) {
        EXPECT_NEAR(found[name], value, 1e-5) << name << " of " << text;
      }
      for (auto& [name, value] : found) {
        if (!expected.contains(name)) {
          EXPECT_EQ(value, 0) << name;
        }
      }
    }
  }
  EXPECT_EQ(values_of(kit, ", !"), Values{});
}

TEST(FeatureKitTexts, NearestWordsAreThoseOfTheTrainingTextsOfTheLargestCosine) {
  Random random(7);
  const RandomTexts made(random);
  Strings training;
  std::set<std::size_t> known;
  std::vector<std::size_t> numbers;
  for (int k = 0; k < 4; ++k) {
    training.push_back(made.text(random, numbers));
    for (const std::size_t n : numbers) {
      if (n < 40) known.insert(n);
    }
  }
  ASSERT_GT(known.size(), 5u);
  ASSERT_LT(known.size(), 30u);
  const auto cosine = [&](std::size_t a, std::size_t b) {
    double dot = 0, aa = 0, bb = 0;
    for (std::size_t d = 0; d < 5; ++d) {
      const double x = made.vectors.at(a)[d], y = made.vectors.at(b)[d];
      dot += x * y, aa += x * x, bb += y * y;
    }
    return dot / std::sqrt(aa * bb);
  };
  for (const TextValues how : {TextValues::counts, TextValues::binary, TextValues::share}) {
    EmbeddingsFeature f{embeddings(made.file)};
    f.average = false;
    f.nearest = 3;
    const auto kit = bound(feature(f, how), training);
    KitScratch scratch;
    for (int trial = 0; trial < 100; ++trial) {
      const std::string text = made.text(random, numbers);
      Values expected;
      for (const std::size_t n : numbers) {
        if (n >= 40) continue;
        std::vector<std::pair<double, std::size_t>> near;
        for (const std::size_t other : known) near.emplace_back(-cosine(n, other), other);
        std::ranges::sort(near);
        for (std::size_t k = 0; k < 3 && near[k].first < 0; ++k) {
          double& value = expected["f=w" + std::to_string(near[k].second)];
          const double c = -near[k].first;
          value = how == TextValues::binary ? std::max(value, c) : value + c;
        }
      }
      const double share = how == TextValues::share ? static_cast<double>(numbers.size()) : 1;
      const Values found = values_of(*kit, text, scratch);
      ASSERT_EQ(found.size(), expected.size()) << text;
      for (const auto& [name, value] : found) {
        EXPECT_NEAR(value, expected.at(name) / share, 1e-5) << name << " of " << text;
      }
    }
  }
}

TEST(FeatureKitTexts, AListOfTermsIsLookedUpAsTheWordsOfATextAre) {
  ExtractionConfig config;
  config.format = InputFormat::text;
  auto kit = std::make_shared<FeatureKit>();
  kit->add(feature(GazetteerFeature{gazetteer("new york\tLOC\n"), {}}));
  config.kit = kit;
  const Extractor extractor(config);
  Extractor::Scratch scratch;
  TextSequence terms, text;
  for (const char* term : {"in", "new", "york"}) terms.node.append(term);
  terms.node.end_list();
  extractor.complete(terms, scratch);
  LabelledText document;
  document.text = "In New York";
  extractor.extract(document, scratch, text);
  ASSERT_EQ(terms.node.items(), text.node.items());
  for (std::size_t k = 0; k < text.node.items(); ++k) {
    EXPECT_EQ(terms.node.item(k), text.node.item(k));
  }
  EXPECT_EQ(text.node.item(3), "f=LOC");
}

TEST(FeatureKitTexts, WithMixedScriptsCharactersAreWords) {
  const TokenizerOptions mixed{.analyzer = Analyzer::mixed};
  GazetteerBuilder builder(true, Tokenizer(kit_words(mixed)));
  builder.read(LineReader("東京\tLOC\n", "list"));
  EXPECT_EQ(
      values_of(bound(feature(GazetteerFeature{builder.build(), {}}), {}, mixed), "私は東京に"),
      (Values{{"f=LOC", 1}}));
}

TEST(FeatureKitTexts, WhatTextsCannotHaveIsRefusedAndWhatOnlyTheyCanHave) {
  const auto vectors = embeddings("a 1 2\n");
  const auto clusters = WordClusters::read(LineReader("0\ta\n", "clusters"));
  const auto bind = [](KitFeature made, InputFormat format = InputFormat::text) {
    auto kit = std::make_shared<FeatureKit>();
    kit->add(std::move(made));
    return refusal([&] { kit->for_texts({})->bind(format, 1, nullptr); });
  };
  const auto says = [](const std::string& message, const char* what) {
    return message.find(what) != std::string::npos;
  };
  EXPECT_TRUE(
      says(bind(feature(FormsFeature{.lower_case = true})), "--kit goes with [[clusters]]"));
  EXPECT_TRUE(says(bind(feature(NgramsFeature{})), "cells of positions"));
  EXPECT_TRUE(says(bind(feature(NumberFeature{})), "cells of positions"));
  KitFeature made = feature(ClustersFeature{clusters, {}});
  made.at = {0};
  EXPECT_TRUE(says(bind(made), "no positions"));
  made.at = {};
  made.column = "0";
  EXPECT_TRUE(says(bind(made), "column"));
  EmbeddingsFeature nothing{vectors};
  nothing.average = false;
  EXPECT_TRUE(says(bind(feature(nothing)), "has no effect"));
  EXPECT_TRUE(says(bind(feature(EmbeddingsFeature{vectors}, TextValues::share)), "says values"));
  EmbeddingsFeature near{vectors};
  near.nearest = 1;
  EXPECT_TRUE(says(bind(feature(near), InputFormat::columns), "nearest or average"));
  EXPECT_TRUE(
      says(bind(feature(ClustersFeature{clusters, {}}, TextValues::binary), InputFormat::columns),
           "says values"));
  FeatureKit named({"word"});
  named.add(feature(ClustersFeature{clusters, {}}));
  EXPECT_TRUE(says(refusal([&] { named.for_texts({})->bind(InputFormat::text, 0, nullptr); }),
                   "columns = [...]"));
}

TEST(FeatureKitTexts, SynonymsOfColumnsAreMarksOfTheirTerm) {
  auto kit = std::make_shared<FeatureKit>();
  kit->add(feature(GazetteerFeature{synonyms("car\tmotor car\n", false), {}}));
  const auto of_columns = kit->bind(InputFormat::columns, 1, nullptr);
  ColumnSequence rows;
  for (const char* row : {"a", "motor", "car"}) rows.append_row(row);
  KitScratch scratch;
  of_columns->start(rows, scratch, "");
  StringLists list;
  for (std::size_t t = 0; t < 3; ++t) of_columns->expand(t, scratch, list);
  ASSERT_EQ(list.items(), 2u);
  EXPECT_EQ(list.item(0), "f[0]=B-car");
  EXPECT_EQ(list.item(1), "f[0]=I-car");
}

}  // namespace
}  // namespace croft::feature_kit_texts_test
