// The bag of words: its values against their definition, what is learnt, and what is stored of it.
#include "features/text/term_weights.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "croft/core/error.h"

namespace croft::term_weights_test {
namespace {

using Texts = std::vector<std::string>;
using Bag = std::map<std::string, double>;

Bag bag_of(const BagOfWords& bag, std::string_view text) {
  BagOfWords::Scratch scratch;
  StringLists list;
  bag.append(text, scratch, list);
  Bag values;
  for (std::size_t k = 0; k < list.items(); ++k) {
    EXPECT_TRUE(values.emplace(list.item(k), list.value(k)).second) << "a term twice";
  }
  return values;
}

BagOfWords fitted(const TextOptions& options, const Texts& texts) {
  TermFit fit(options);
  for (const std::string& text : texts) fit.add(text);
  return BagOfWords(options, fit.finish());
}

// Straight from the definition in term_weights.h, for words without hashing.
Bag by_definition(const TextOptions& o, const Texts& texts, const std::string& text) {
  const auto counts_of = [&](const std::string& of) {
    std::map<std::string, double> counts;
    Tokenizer::Scratch scratch;
    Tokenizer(o.tokenizer).for_each_term(of, scratch, [&](std::string_view t) {
      ++counts[std::string(t)];
    });
    return counts;
  };
  std::map<std::string, double> df, total;
  for (const std::string& each : texts) {
    for (const auto& [term, count] : counts_of(each)) {
      ++df[term];
      total[term] += o.values == TermValues::binary ? 1 : count;
    }
  }
  const auto n = static_cast<double>(texts.size());
  std::vector<std::pair<double, std::string>> kept;  // the most frequent first
  for (const auto& [term, documents] : df) {
    if (documents < o.min_documents.of(texts.size())) continue;
    if (documents > o.max_documents.of(texts.size())) continue;
    kept.emplace_back(-total[term], term);
  }
  std::ranges::sort(kept);
  if (o.max_terms > 0 && kept.size() > o.max_terms) kept.resize(o.max_terms);
  Bag values;
  double sum = 0;
  const TermNorm norm = o.effective_norm();
  for (const auto& [term, count] : counts_of(text)) {
    if (std::ranges::find(kept, term, &std::pair<double, std::string>::second) == kept.end()) {
      continue;
    }
    double value = o.values == TermValues::binary ? 1 : count;
    if (o.sublinear) value = 1 + std::log(value);
    if (o.values == TermValues::tf_idf) value *= std::log((1 + n) / (1 + df[term])) + 1;
    values[term] = value;
    sum += norm == TermNorm::l2 ? value * value : value;
  }
  const double length = norm == TermNorm::l2 ? std::sqrt(sum) : sum;
  if (norm != TermNorm::none) {
    for (auto& [term, value] : values) value /= length;
  }
  return values;
}

void expect_near(const Bag& found, const Bag& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [term, value] : expected) {
    ASSERT_TRUE(found.contains(term)) << term;
    EXPECT_NEAR(found.at(term), value, 1e-14 * std::abs(value)) << term;
  }
}

rc::Gen<std::string> some_text() {
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
                          "the ", "cat ", "on ", "mat ", "x ", "Größe ", "sat ")),
                      [](const std::vector<std::string>& words) {
                        std::string text;
                        for (const std::string& word : words) text += word;
                        return text;
                      });
}

TextOptions some_options() {
  TextOptions o;
  o.values = *rc::gen::element(TermValues::counts, TermValues::binary, TermValues::tf_idf);
  o.sublinear = o.values != TermValues::binary && *rc::gen::arbitrary<bool>();
  o.norm = *rc::gen::element<std::optional<TermNorm>>(std::nullopt, TermNorm::none, TermNorm::l1,
                                                      TermNorm::l2);
  o.tokenizer.longest = *rc::gen::inRange<std::size_t>(1, 3);
  o.min_documents =
      *rc::gen::element(DocumentLimit{1, false}, DocumentLimit{2, false}, DocumentLimit{0.3, true});
  o.max_documents =
      *rc::gen::element(DocumentLimit{1, true}, DocumentLimit{3, false}, DocumentLimit{0.8, true});
  o.max_terms = *rc::gen::element<std::uint64_t>(0, 1, 3, 100);
  return o;
}

RC_GTEST_PROP(BagOfWords, ValuesAreTheirDefinition, ()) {
  const TextOptions options = some_options();
  const Texts texts = *rc::gen::container<Texts>(some_text());
  const std::string text = *some_text() + "unseen";
  TermFit fit(options);
  for (const std::string& each : texts) fit.add(each);
  std::optional<TermStatistics> statistics;
  try {
    statistics = fit.finish();
  } catch (const Error&) {
    const auto nothing_left = [&](const std::string& each) {
      return by_definition(options, texts, each).empty();
    };
    RC_ASSERT(std::ranges::all_of(texts, nothing_left));
    return;
  }
  expect_near(bag_of(BagOfWords(options, statistics), text), by_definition(options, texts, text));
}

TEST(BagOfWords, PlainCountsNeedNothingThatIsLearnt) {
  EXPECT_FALSE(TextOptions().is_fitted());
  EXPECT_FALSE(TextOptions{.values = TermValues::binary}.is_fitted());
  EXPECT_EQ(bag_of(BagOfWords({}), "The cat, the mat"), (Bag{{"the", 2}, {"cat", 1}, {"mat", 1}}));
  for (const TextOptions& o :
       {TextOptions{.values = TermValues::tf_idf}, TextOptions{.norm = TermNorm::l2},
        TextOptions{.max_terms = 3}, TextOptions{.min_documents = {2, false}},
        TextOptions{.max_documents = {0.5, true}}}) {
    EXPECT_TRUE(o.is_fitted());
  }
}

TEST(BagOfWords, TermsThatTrainingHasNotSeenDoNotCountInTheNorm) {
  const BagOfWords bag = fitted({.norm = TermNorm::l1}, {"aa bb", "aa"});
  EXPECT_EQ(bag_of(bag, "aa bb zz zz"), (Bag{{"aa", 0.5}, {"bb", 0.5}}));
  EXPECT_EQ(bag_of(bag, "zz"), Bag());
}

TEST(BagOfWords, HashedTermsAreNumbersBelowTheirPowerOfTwo) {
  const BagOfWords plain{TextOptions()}, hashed({.hash_bits = 4});
  const std::string text = "aa bb cc dd ee ff gg hh ii jj kk aa";
  Bag expected;
  for (const auto& [term, count] : bag_of(plain, text)) {
    expected[std::to_string(hash_string(term) & 15)] += count;
  }
  EXPECT_EQ(bag_of(hashed, text), expected);
  EXPECT_LT(expected.size(), 11u);  // some share a number
}

TEST(BagOfWords, HashedTfIdfCountsTextsWithTheNumber) {
  const TextOptions options{.values = TermValues::tf_idf, .norm = TermNorm::none, .hash_bits = 1};
  const Texts texts{"aa bb cc dd ee ff", "aa", "??"};
  const BagOfWords bag = fitted(options, texts);
  const std::uint64_t number = hash_string("aa") & 1;
  EXPECT_EQ(bag_of(bag, "aa aa").at(std::to_string(number)),
            2 * (std::log((1.0 + 3) / (1.0 + 2)) + 1));
  EXPECT_FALSE(bag.statistics()->has_terms());
  EXPECT_EQ(bag.statistics()->frequency().size(), 2u);
}

TEST(TermStatistics, CopiesThatOwnTheirBytesAnswerAlike) {
  const TextOptions options{.values = TermValues::tf_idf};
  TermStatistics copy = [&] {
    TermFit fit(options);
    for (const char* text : {"aa bb", "bb cc", "bb"}) fit.add(text);
    const TermStatistics learnt = fit.finish();
    const TermStatistics view(learnt.documents(), learnt.image(), learnt.frequency());
    return view.owning();
  }();
  EXPECT_EQ(copy.documents(), 3u);
  EXPECT_EQ(copy.terms().size(), 3u);
  EXPECT_DOUBLE_EQ(copy.idf(copy.terms().find("bb")), 1);
  EXPECT_DOUBLE_EQ(copy.idf(copy.terms().find("aa")), std::log(2.0) + 1);
}

TEST(TermStatistics, WhatDoesNotFitIsRefused) {
  TermFit fit(TextOptions{.values = TermValues::tf_idf});
  fit.add("aa bb");
  const TermStatistics learnt = fit.finish();
  const std::vector<std::uint32_t> one{1};
  EXPECT_THROW(TermStatistics(1, learnt.image(), one), Error);
  EXPECT_THROW(TermStatistics(1, learnt.image().first(40), learnt.frequency()), Error);
}

TEST(TermFit, TheBytesDependOnTheTextsAndNotOnTheirOrder) {
  const TextOptions options{.values = TermValues::tf_idf, .max_terms = 3};
  const BagOfWords a = fitted(options, {"aa bb", "cc dd", "ee"});
  const BagOfWords b = fitted(options, {"ee", "dd cc", "bb aa"});
  EXPECT_TRUE(std::ranges::equal(a.statistics()->image(), b.statistics()->image()));
  EXPECT_EQ(bag_of(a, "aa bb cc dd ee").size(), 3u);
  EXPECT_TRUE(bag_of(a, "aa bb cc dd ee").contains("aa"));  // of equals the first by name
}

std::string fit_fails(const TextOptions& options, const Texts& texts) {
  try {
    fitted(options, texts);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(TermFit, NothingLeftIsAnError) {
  EXPECT_EQ(fit_fails({.values = TermValues::tf_idf}, {"a ?", ""}),
            "no term of the 2 texts is left: they have none, or only stop words; --analyzer char "
            "takes characters");
  EXPECT_EQ(fit_fails({.min_documents = {2, false}}, {"aa", "bb"}),
            "no term of the 2 texts is left; loosen --min-documents or --max-documents");
  EXPECT_EQ(fit_fails({.min_documents = {3, false}, .max_documents = {0.5, true}}, {"aa", "aa"}),
            "of 2 texts no term can be in at most 0.5 of the texts and in at least 3 texts; change "
            "--max-documents or --min-documents");
}

TEST(TextOptions, WhatMakesNoSenseIsRefused) {
  for (const TextOptions& o :
       {TextOptions{.values = TermValues::binary, .sublinear = true}, TextOptions{.hash_bits = 29},
        TextOptions{.max_terms = 3, .hash_bits = 4},
        TextOptions{.min_documents = {2, false}, .hash_bits = 4},
        TextOptions{.max_documents = {0.5, true}, .hash_bits = 4},
        TextOptions{.min_documents = {0, false}}, TextOptions{.min_documents = {1.5, false}},
        TextOptions{.max_documents = {1.5, true}}, TextOptions{.max_documents = {-0.1, true}},
        TextOptions{.tokenizer = {.shortest = 2, .longest = 1}}}) {
    EXPECT_THROW(o.validate(), UsageError);
  }
}

TEST(TermCounts, CountsEachTermOnceInOrderOfFirstAppearance) {
  TermCounts counts;
  for (int repeat = 0; repeat < 3; ++repeat) {
    counts.clear();
    std::vector<std::string> names;
    for (int k = 0; k < 2000; ++k) names.push_back("t" + std::to_string(k * 7919 % 701));
    for (const std::string& name : names) counts.add(name);
    std::map<std::string, std::uint32_t> expected;
    for (const std::string& name : names) ++expected[name];
    ASSERT_EQ(counts.terms().size(), expected.size());
    std::size_t next = 0;
    for (const CountedTerm& term : counts.terms()) {
      EXPECT_EQ(term.count, expected[std::string(term.text)]);
      EXPECT_EQ(term.hash, hash_string(term.text));
      const auto first = std::ranges::find(names, term.text) - names.begin();
      EXPECT_GE(static_cast<std::size_t>(first), next);
      next = static_cast<std::size_t>(first);
    }
  }
}

}  // namespace
}  // namespace croft::term_weights_test
