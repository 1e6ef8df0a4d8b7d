#include "features/text/tokenizer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/unicode.h"
#include "croft/core/error.h"

namespace croft::tokenizer_test {
namespace {

using Terms = std::vector<std::string>;

Terms terms(std::string_view text, const TokenizerOptions& options = {}) {
  const Tokenizer tokenizer(options);
  Tokenizer::Scratch scratch;
  Terms found;
  for (int repeat = 0; repeat < 2; ++repeat) {  // the second time in a scratch that was used
    found.clear();
    tokenizer.for_each_term(text, scratch, [&](std::string_view t) { found.emplace_back(t); });
  }
  return found;
}

TokenizerOptions ngrams(Analyzer analyzer, std::size_t shortest, std::size_t longest) {
  return {.analyzer = analyzer, .shortest = shortest, .longest = longest};
}

TEST(Tokenizer, WordsAreRunsOfTwoOrMoreLettersDigitsAndUnderscores) {
  EXPECT_EQ(terms("The cat's 2 x1 a_b __ -- e-mail 3.14"),
            (Terms{"the", "cat", "x1", "a_b", "__", "mail", "14"}));
  EXPECT_EQ(terms(""), Terms());
  EXPECT_EQ(terms("a b c ?"), Terms());
}

TEST(Tokenizer, WordsAreOfAnyScript) {
  EXPECT_EQ(terms("Größe 東京 Ⅷ² ½x éa b"), (Terms{"größe", "東京", "ⅷ²", "½x", "éa"}));
  EXPECT_EQ(terms("ab\xCC\x81"
                  "cd"),
            (Terms{"ab", "cd"}));  // an accent of its own ends a word
}

TEST(Tokenizer, LowerCaseIsUnicodes) {
  EXPECT_EQ(terms("ÄÖ STRASSE"), (Terms{"äö", "strasse"}));
  EXPECT_EQ(terms("ΟΔΟΣ ΣΑΣΑ ΑΣ.ΑΣ"), (Terms{"οδος", "σασα", "ασ", "ας"}));
  EXPECT_EQ(terms("xİy"), (Terms{"xi"}));  // i, a dot above that ends the word, y
  EXPECT_EQ(terms("ÄÖ Ab", {.lower_case = false}), (Terms{"ÄÖ", "Ab"}));
}

TEST(Tokenizer, ScriptsWithoutSpacesHaveNgramsOfCharactersAmongWords) {
  const TokenizerOptions mixed{.analyzer = Analyzer::mixed};
  EXPECT_EQ(terms("我爱你", mixed), (Terms{"我", "爱", "你", "我爱", "爱你", "我爱你"}));
  EXPECT_EQ(terms("Das iPhone手机, 好! a", mixed),
            (Terms{"das", "iphone", "手", "机", "手机", "好"}));
  EXPECT_EQ(terms("一。二", mixed), (Terms{"一", "二"}));  // nothing crosses a full stop
  EXPECT_EQ(terms("カー", mixed), (Terms{"カ", "ー", "カー"}));
  // A Thai vowel sign is no character of its own.
  EXPECT_EQ(terms("กินน้ำ", mixed).front(), "กิ");
  EXPECT_EQ(terms("한국어 말", mixed), (Terms{"한국어"}));  // Korean has spaces
  EXPECT_EQ(terms("aa bb 好 cc dd", ngrams(Analyzer::mixed, 2, 2)),
            (Terms{"aa bb", "好", "cc dd"}));
  EXPECT_EQ(terms("the 好", {.analyzer = Analyzer::mixed, .stop_words = {"the"}}), (Terms{"好"}));
}

RC_GTEST_PROP(Tokenizer, MixedIsWordsWhereAllScriptsHaveSpaces, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::inRange<char>(32, 127));
  const auto longest = *rc::gen::inRange<std::size_t>(1, 4);
  RC_ASSERT(terms(text, ngrams(Analyzer::mixed, 1, longest)) ==
            terms(text, ngrams(Analyzer::word, 1, longest)));
}

TEST(Tokenizer, BytesThatAreNoUtf8SeparateWords) {
  EXPECT_EQ(terms("ab\xFFxy\xC3"), (Terms{"ab", "xy"}));
  EXPECT_EQ(terms("a\xFF", ngrams(Analyzer::char_, 1, 1)), (Terms{"a", "\xFF"}));
}

TEST(Tokenizer, NgramsOfWordsHaveOneSpaceBetween) {
  EXPECT_EQ(terms("aa, bb -- cc", ngrams(Analyzer::word, 1, 2)),
            (Terms{"aa", "bb", "cc", "aa bb", "bb cc"}));
  EXPECT_EQ(terms("aa bb", ngrams(Analyzer::word, 3, 4)), Terms());
}

TEST(Tokenizer, StopWordsAreLeftOutBeforeNgramsAreMade) {
  EXPECT_EQ(terms("The cat on THE mat", {.longest = 2, .stop_words = {"the", "on"}}),
            (Terms{"cat", "mat", "cat mat"}));
}

TEST(Tokenizer, NgramsOfCharactersTakeLongWhiteSpaceForOneSpace) {
  EXPECT_EQ(terms("A  b\n", ngrams(Analyzer::char_, 1, 1)), (Terms{"a", " ", "b", "\n"}));
  EXPECT_EQ(terms("ñ \t x", ngrams(Analyzer::char_, 2, 3)), (Terms{"ñ ", " x", "ñ x"}));
  EXPECT_EQ(terms("ab", ngrams(Analyzer::char_, 3, 4)), Terms());
}

TEST(Tokenizer, NgramsInsideOfWordsSeeASpaceAtEitherEnd) {
  EXPECT_EQ(terms("ab c", ngrams(Analyzer::char_wb, 3, 3)), (Terms{" ab", "ab ", " c "}));
  // A word that is shorter than n is a term by itself, once.
  EXPECT_EQ(terms(" c  abc\t", ngrams(Analyzer::char_wb, 4, 6)),
            (Terms{" c ", " abc", "abc ", " abc "}));
}

// The definition, term by term.
Terms by_definition(std::string_view text, const TokenizerOptions& o) {
  Terms units;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = decode(text, at).size;
    units.emplace_back(text.substr(at, size));
    at += size;
  }
  Terms made;
  for (std::size_t n = o.shortest; n <= std::min(o.longest, units.size()); ++n) {
    for (std::size_t k = 0; k + n <= units.size(); ++k) {
      std::string& term = made.emplace_back();
      for (std::size_t i = k; i < k + n; ++i) term += units[i];
    }
  }
  return made;
}

RC_GTEST_PROP(Tokenizer, NgramsOfCharactersAreAllRunsOfThem, ()) {
  const auto text = *rc::gen::container<std::string>(
      rc::gen::elementOf(std::string("ab.\xC3\xB1\xFF\xE6\x9D\xB1")));
  const auto shortest = *rc::gen::inRange<std::size_t>(1, 5);
  auto options = ngrams(Analyzer::char_, shortest, shortest + *rc::gen::inRange<std::size_t>(0, 4));
  options.lower_case = false;
  RC_ASSERT(terms(text, options) == by_definition(text, options));
}

RC_GTEST_PROP(Tokenizer, WordsAreTheSameWithAnythingElseBetween, ()) {
  const auto word =
      rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::string("abz09_"))));
  const auto words = *rc::gen::container<Terms>(word);
  std::string text;
  Terms expected;
  for (const std::string& w : words) {
    text += w + *rc::gen::element<std::string>(" ", "--", "\xFF", "\xCC\x81", " é ", "\n\n");
    if (w.size() >= 2) expected.push_back(w);
  }
  RC_ASSERT(terms(text) == expected);
}

TEST(TokenizerOptions, WhatMakesNoSenseIsRefused) {
  EXPECT_THROW(Tokenizer(ngrams(Analyzer::word, 0, 1)), UsageError);
  EXPECT_THROW(Tokenizer(ngrams(Analyzer::word, 3, 2)), UsageError);
  EXPECT_THROW(Tokenizer({.analyzer = Analyzer::char_, .stop_words = {"the"}}), UsageError);
}

TEST(EnglishStopWords, AreSortedAndEachIsThereOnce) {
  const std::vector<std::string>& words = english_stop_words();
  EXPECT_TRUE(std::ranges::is_sorted(words));
  EXPECT_EQ(std::ranges::adjacent_find(words), words.end());
  for (const char* word : {"the", "and", "of", "not", "don"}) {
    EXPECT_TRUE(std::ranges::binary_search(words, word)) << word;
  }
}

}  // namespace
}  // namespace croft::tokenizer_test
