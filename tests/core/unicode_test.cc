#include "core/unicode.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace croft::unicode_test {
namespace {

std::string lower(std::string_view text) {
  std::string out = ">";  // append_lower must leave what is there alone
  append_lower(text, out);
  return out.substr(1);
}

std::vector<char32_t> characters(std::string_view text) {
  std::vector<char32_t> out;
  for (std::size_t at = 0; at < text.size();) {
    const DecodedCharacter c = decode(text, at);
    out.push_back(c.value);
    at += c.size;
  }
  return out;
}

TEST(Unicode, DecodesOneToFourBytes) {
  EXPECT_EQ(characters("aé€😀"), (std::vector<char32_t>{'a', 0xE9, 0x20AC, 0x1F600}));
  EXPECT_EQ(characters(""), std::vector<char32_t>{});
}

TEST(Unicode, AnInvalidByteIsACharacterOfItsOwn) {
  EXPECT_EQ(characters("a\xFFz"), (std::vector<char32_t>{'a', kInvalidByte, 'z'}));
  EXPECT_EQ(characters("\xE9t\xE9"),  // Latin-1
            (std::vector<char32_t>{kInvalidByte, 't', kInvalidByte}));
  EXPECT_EQ(characters("\x80"), std::vector<char32_t>{kInvalidByte});  // a continuation alone
  EXPECT_EQ(characters("\xC0\x80").size(), 2u);                        // overlong NUL
  EXPECT_EQ(characters("\xED\xA0\x80").size(), 3u);                    // a surrogate
  EXPECT_EQ(characters("\xF4\x90\x80\x80").size(), 4u);                // above U+10FFFF
  EXPECT_EQ(characters(std::string_view("é", 1)), std::vector<char32_t>{kInvalidByte});  // cut
}

TEST(Unicode, ValidityAgreesWithDecoding) {
  EXPECT_TRUE(is_valid_utf8(""));
  EXPECT_TRUE(is_valid_utf8("plain ASCII, longer than eight bytes"));
  EXPECT_TRUE(is_valid_utf8("naïve 東京 😀"));
  EXPECT_FALSE(is_valid_utf8("eight by\xFFtes"));
  EXPECT_FALSE(is_valid_utf8(std::string_view("abcdefgh\xC3", 9)));
}

RC_GTEST_PROP(Unicode, EveryByteStringIsCoveredByItsCharacters, (const std::string& text)) {
  std::string again;
  for (std::size_t at = 0; at < text.size();) {
    const DecodedCharacter c = decode(text, at);
    RC_ASSERT(c.size >= 1u && at + c.size <= text.size());
    if (c.value == kInvalidByte) {
      again += text[at];
    } else {
      append_utf8(c.value, again);
    }
    at += c.size;
  }
  RC_ASSERT(again == text);
}

TEST(Unicode, LowersLettersOfAllScriptsAndNothingElse) {
  EXPECT_EQ(lower(""), "");
  EXPECT_EQ(lower("The U.S. 42%"), "the u.s. 42%");
  EXPECT_EQ(lower("ÉCOLE Ärger ΣΟΦΙΑ Москва"), "école ärger σοφια москва");
  EXPECT_EQ(lower("東京 עברית ½"), "東京 עברית ½");
  EXPECT_EQ(lower("E\u0301t"), "e\u0301t");  // a combining accent stays a mark of its own
  EXPECT_EQ(lower("\u01C5"), "\u01C6");      // title-case DŽ
}

TEST(Unicode, LowerCaseMayTakeMoreOrFewerBytes) {
  EXPECT_EQ(lower("\u212B!"), "å!");       // 3 bytes to 2
  EXPECT_EQ(lower("\u023A!"), "\u2C65!");  // 2 bytes to 3
  EXPECT_EQ(lower("\u0130"), "i");         // dotted capital I: one character to one
}

TEST(Unicode, LowerCaseKeepsInvalidBytes) {
  EXPECT_EQ(lower("A\xC9\xFF"
                  "B"),
            "a\xC9\xFF"
            "b");
}

TEST(Unicode, ClassesFollowTheGeneralCategory) {
  using enum CharacterClass;
  const std::vector<std::pair<char32_t, CharacterClass>> expected = {
      {U'A', upper},      {U'Ω', upper},        {U'\u01C5', upper},  {U'a', lower},
      {U'ß', lower},      {U'東', letter},      {U'ª', letter},      {U'\u0301', mark},
      {U'\u200D', mark},  {U'7', digit},        {U'٣', digit},       {U'½', number},
      {U'Ⅳ', number},     {U'-', dash},         {U'—', dash},        {U'(', open},
      {U'」', close},     {U'“', quote},        {U'»', quote},       {U'"', quote},
      {U'\'', quote},     {U'.', punctuation},  {U'_', punctuation}, {U'¿', punctuation},
      {U'$', currency},   {U'€', currency},     {U'+', symbol},      {U'😀', symbol},
      {U' ', space},      {U'\t', space},       {U'\u00A0', space},  {U'\u0007', other},
      {U'\uE000', other}, {kInvalidByte, other}};
  for (const auto& [value, expected_class] : expected) {
    EXPECT_EQ(character_class(value), expected_class) << "U+" << std::hex << std::uint32_t{value};
  }
}

TEST(Unicode, BlanksAndCharactersOfWordsFollowTheirClasses) {
  for (const char32_t c : {U'A', U'a', U'東', U'\u0301', U'7', U'½', U'ß'}) {
    EXPECT_TRUE(is_word_character(c) && !is_blank_character(c)) << std::uint32_t{c};
  }
  for (const char32_t c : {U' ', U'\t', U'\u00A0', U'\u3000'}) {
    EXPECT_TRUE(is_blank_character(c) && !is_word_character(c)) << std::uint32_t{c};
  }
  for (const char32_t c : {U'-', U'_', U'€', U'\u0007', char32_t{kInvalidByte}}) {
    EXPECT_FALSE(is_blank_character(c) || is_word_character(c)) << std::uint32_t{c};
  }
  // Scripts without spaces have punctuation, too, and no letters with case.
  EXPECT_TRUE(is_unspaced(U'東') && is_unspaced(U'ก') && is_unspaced(U'ぁ'));
  EXPECT_FALSE(is_unspaced(U'・') || is_unspaced(U'a') || is_unspaced(U'Ა'));
}

}  // namespace
}  // namespace croft::unicode_test
