#include "features/text/word_preset.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "features/rows.h"

namespace croft::word_preset_test {
namespace {

using Strings = std::vector<std::string>;

Strings attributes(const ColumnSequence& rows, std::size_t columns, std::size_t t) {
  WordPreset preset;
  StringLists lists;
  preset.start(rows, columns);
  preset.expand(t, lists);
  lists.end_list();
  Strings out;
  for (std::size_t k = lists.list_begin(0); k < lists.list_end(0); ++k) {
    out.emplace_back(lists.item(k));
  }
  return out;
}

// Those attributes of a one-word sequence that start with one of `starts`, in their order.
Strings of_word(std::string_view word, std::initializer_list<std::string_view> starts) {
  Strings out;
  for (const std::string& name : attributes(rows_of({word}), 1, 0)) {
    if (std::any_of(starts.begin(), starts.end(), [&](auto s) { return name.starts_with(s); })) {
      out.push_back(name);
    }
  }
  return out;
}

// A sentence with accents, a script without case, and the label in the last column.
const ColumnSequence kRows = rows_of({"In IN O", "São-Tomé NNP B", "東京 NNP I", "1½ CD O"});

TEST(WordPreset, TheFirstWordOfASentenceHasExactlyThese) {
  EXPECT_EQ(attributes(kRows, 2, 0), (Strings{"bias",
                                              "first",
                                              "first|l=in",
                                              "first|s=Xx",
                                              "l[0]=in",
                                              "w[0]=In",
                                              "l[1]=são-tomé",
                                              "w[1]=São-Tomé",
                                              "l[2]=東京",
                                              "l[0..1]=in|são-tomé",
                                              "s[0]=Xx",
                                              "S[0]=Xx",
                                              "s[1]=Xx-Xx",
                                              "S[1]=Xxx-Xxxx",
                                              "is=title",
                                              "pre=i",
                                              "suf=n",
                                              "pre=in",
                                              "suf=in",
                                              "c1[0]=IN",
                                              "c1[0..1]=IN|NNP",
                                              "c1[0..2]=IN|NNP|NNP",
                                              "c1[1]=NNP",
                                              "c1[1..2]=NNP|NNP",
                                              "c1[2]=NNP",
                                              "l|c1=in|IN"}));
}

TEST(WordPreset, AWordInTheMiddleHasExactlyThese) {
  EXPECT_EQ(attributes(kRows, 2, 1), (Strings{"bias",
                                              "l[-1]=in",
                                              "w[-1]=In",
                                              "l[0]=são-tomé",
                                              "w[0]=São-Tomé",
                                              "l[1]=東京",
                                              "l[2]=1½",
                                              "l[-1..0]=in|são-tomé",
                                              "l[0..1]=são-tomé|東京",
                                              "s[-1]=Xx",
                                              "S[-1]=Xx",
                                              "s[0]=Xx-Xx",
                                              "S[0]=Xxx-Xxxx",
                                              "s[1]=o",
                                              "S[1]=oo",
                                              "is=mixed",
                                              "has=dash",
                                              "pre=s",
                                              "suf=é",
                                              "pre=sã",
                                              "suf=mé",
                                              "pre=são",
                                              "suf=omé",
                                              "pre=são-",
                                              "suf=tomé",
                                              "c1[-1]=IN",
                                              "c1[-1..0]=IN|NNP",
                                              "c1[-1..1]=IN|NNP|NNP",
                                              "c1[0]=NNP",
                                              "c1[0..1]=NNP|NNP",
                                              "c1[0..2]=NNP|NNP|CD",
                                              "c1[1]=NNP",
                                              "c1[1..2]=NNP|CD",
                                              "c1[2]=CD",
                                              "l|c1=são-tomé|NNP"}));
}

TEST(WordPreset, TheLastWordHasExactlyThese) {
  EXPECT_EQ(attributes(kRows, 1, 3),
            (Strings{"bias", "last", "l[-2]=são-tomé", "w[-2]=São-Tomé", "l[-1]=東京", "l[0]=1½",
                     "l[-1..0]=東京|1½", "s[-1]=o", "S[-1]=oo", "s[0]=d", "S[0]=dd", "is=digits",
                     "is=number", "pre=1", "suf=½", "pre=1½", "suf=1½"}));
}

TEST(WordPreset, ASequenceOfOneWordIsFirstAndLast) {
  EXPECT_EQ(attributes(rows_of({"a X Y"}), 2, 0),
            (Strings{"bias", "first", "first|l=a", "first|s=x", "last", "l[0]=a", "s[0]=x",
                     "S[0]=x", "pre=a", "suf=a", "c1[0]=X", "l|c1=a|X"}));
}

TEST(WordPreset, EveryFurtherColumnIsASymbol) {
  const Strings all = attributes(rows_of({"a X 1 O", "b Y 2 O"}), 3, 1);
  const Strings symbols(std::find(all.begin(), all.end(), "c1[-1]=X"), all.end());
  EXPECT_EQ(symbols, (Strings{"c1[-1]=X", "c1[-1..0]=X|Y", "c1[0]=Y", "l|c1=b|Y", "c2[-1]=1",
                              "c2[-1..0]=1|2", "c2[0]=2", "l|c2=b|2"}));
}

TEST(WordPreset, ClassesAreThoseOfTheDocumentation) {
  const std::vector<std::pair<std::string, Strings>> expected = {
      {"word", {}},
      {"Word", {"is=title"}},
      {"I", {"is=title"}},
      {"Ångström", {"is=title"}},
      {"EU", {"is=upper"}},
      {"ΑΒΓ", {"is=upper"}},
      {"U.S.", {"is=upper", "has=period"}},
      {"iPhone", {"is=mixed"}},
      {"McDonald", {"is=mixed"}},
      {"USA-based", {"is=mixed", "has=dash"}},
      {"1999", {"is=digits", "is=number"}},
      {"٣٤", {"is=digits", "is=number"}},
      {"½", {"is=digits", "is=number"}},
      {"1/2", {"is=number"}},
      {"-3", {"is=number"}},
      {"2-3", {"is=number", "has=dash"}},
      {"1.5", {"is=number", "has=period"}},
      {"B2", {"is=title", "has=digit"}},
      {"co-op", {"has=dash"}},
      {"pré–rentrée", {"has=dash"}},
      {"-a", {}},
      {"a-", {}},
      {"etc.", {"has=period"}},
      {"...", {"is=punctuation"}},
      {"--", {"is=punctuation"}},
      {"«", {"is=punctuation"}},
      {"$", {"is=punctuation"}},
      {"東京", {}},
      {"\xFF", {}},
  };
  for (const auto& [word, classes] : expected) {
    EXPECT_EQ(of_word(word, {"is=", "has="}), classes) << word;
  }
}

TEST(WordPreset, ShapesStandForCharactersAndRuns) {
  const auto shapes = [](std::string_view word) { return of_word(word, {"s[0]=", "S[0]="}); };
  EXPECT_EQ(shapes("International"), (Strings{"s[0]=Xx", "S[0]=Xxxxx"}));  // four of a sign at most
  EXPECT_EQ(shapes("12,345.50"), (Strings{"s[0]=d,d.d", "S[0]=dd,ddd.dd"}));
  EXPECT_EQ(shapes("日本語ABC"), (Strings{"s[0]=oX", "S[0]=oooXXX"}));
  EXPECT_EQ(shapes("“(€§—)☺"), (Strings{"s[0]=\"($.-)+", "S[0]=\"($.-)+"}));
  EXPECT_EQ(shapes("a\xFF"), (Strings{"s[0]=x?", "S[0]=x?"}));
}

TEST(WordPreset, AnAccentBelongsToItsLetter) {
  EXPECT_EQ(of_word("e\u0301te\u0301", {"pre=", "suf=", "s[0]=", "S[0]="}),
            (Strings{"s[0]=x", "S[0]=xxx", "pre=e\u0301", "suf=e\u0301", "pre=e\u0301t",
                     "suf=te\u0301", "pre=e\u0301te\u0301", "suf=e\u0301te\u0301"}));
  EXPECT_EQ(of_word("\u0301", {"pre=", "suf=", "s[0]="}),
            (Strings{"s[0]=", "pre=\u0301", "suf=\u0301"}));  // an accent alone
}

TEST(WordPreset, OneInstanceServesManySequences) {
  WordPreset preset;
  StringLists lists;
  const ColumnSequence other = rows_of({"x y z", "x y z", "x y z"});
  preset.start(other, 3);
  preset.expand(2, lists);
  lists.clear();
  preset.start(kRows, 2);
  preset.expand(1, lists);
  const Strings expected = attributes(kRows, 2, 1);
  ASSERT_EQ(lists.items(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_EQ(lists.item(k), expected[k]);
}

RC_GTEST_PROP(WordPreset, AnyBytesGiveDistinctAttributes, ()) {
  ColumnSequence rows;
  const auto count = *rc::gen::inRange<std::size_t>(1, 5);
  for (std::size_t t = 0; t < count; ++t) {
    auto word = *rc::gen::nonEmpty<std::string>();
    std::replace_if(
        word.begin(), word.end(), [](char c) { return c == ' ' || c == '\t'; }, '_');
    rows.append_row(word + " X");
  }
  for (std::size_t t = 0; t < count; ++t) {
    Strings names = attributes(rows, 2, t);
    // An attribute that came twice would count twice.
    std::sort(names.begin(), names.end());
    RC_ASSERT(std::adjacent_find(names.begin(), names.end()) == names.end());
  }
}

}  // namespace
}  // namespace croft::word_preset_test
