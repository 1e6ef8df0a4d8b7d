// Wapiti's regular expressions against a direct reading of their definition.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cctype>
#include <optional>
#include <vector>

#include "croft/core/error.h"
#include "features/pattern_regex.h"

namespace croft::template_regex_test {
namespace {

// The first match as "<match>", or "none".
std::string match(std::string_view expression, std::string_view cell) {
  const PatternRegex regex(expression);
  std::string_view found;
  const bool any = regex.find(cell, found);
  EXPECT_EQ(regex.matches(cell), any);
  return any ? "<" + std::string(found) + ">" : "none";
}

TEST(PatternRegex, ACharacterMatchesItself) {
  EXPECT_EQ(match("b", "abc"), "<b>");
  EXPECT_EQ(match("bd", "abc"), "none");
  EXPECT_EQ(match("é", "été"), "<é>");
  EXPECT_EQ(match("+(a|b)[c]{2}", "x+(a|b)[c]{2}"), "<+(a|b)[c]{2}>");  // no operators of RE2
}

TEST(PatternRegex, ADotIsAnyOneCharacter) {
  EXPECT_EQ(match("^.$", "€"), "<€>");
  EXPECT_EQ(match(".", ""), "none");
}

TEST(PatternRegex, AStarIsLazy) {
  EXPECT_EQ(match("a*", "aaa"), "<>");
  EXPECT_EQ(match("^a*b", "aaab"), "<aaab>");
  EXPECT_EQ(match("a.*c", "abcbc"), "<abc>");
  EXPECT_EQ(match("^.*$", "abc"), "<abc>");
}

TEST(PatternRegex, AQuestionMarkIsGreedy) {
  EXPECT_EQ(match("ab?", "abb"), "<ab>");
  EXPECT_EQ(match("^.?.?", "x"), "<x>");
  EXPECT_EQ(match("a?ab", "ab"), "<ab>");
}

TEST(PatternRegex, AnchorsHoldAtTheEndsOnly) {
  EXPECT_EQ(match("^b", "ab"), "none");
  EXPECT_EQ(match("a$", "ab"), "none");
  EXPECT_EQ(match("^", "ab"), "<>");
  EXPECT_EQ(match("$", "ab"), "<>");
  EXPECT_EQ(match("^$", ""), "<>");
  EXPECT_EQ(match("a^b", "a^b"), "<a^b>");  // elsewhere they are characters
  EXPECT_EQ(match("a$b", "a$b"), "<a$b>");
  EXPECT_EQ(match("$?$", "a$"), "<$>");
  EXPECT_EQ(match("a\\$", "a$b"), "<a$>");
}

TEST(PatternRegex, ClassesAndTheirComplements) {
  EXPECT_EQ(match("^\\u\\l\\d\\p\\s\\a\\w$", "Ab1. xy"), "<Ab1. xy>");
  EXPECT_EQ(match("^\\U\\L\\D\\P\\S\\A\\W$", "aB.x-1_"), "<aB.x-1_>");
  EXPECT_EQ(match("^\\u\\l\\a\\w\\d\\p\\s$", "Éé東字٣¿\u00A0"), "<Éé東字٣¿\u00A0>");
  EXPECT_EQ(match("^\\a*$", "e\u0301te"), "<e\u0301te>");  // an accent belongs to its letter
}

TEST(PatternRegex, ABackslashTakesAwayAMeaning) {
  EXPECT_EQ(match("\\.\\*\\?\\\\\\^", "a.*?\\^"), "<.*?\\^>");
  EXPECT_EQ(match("\\n", "n"), "<n>");  // the letter of no class
  EXPECT_EQ(match("\\é*$", "éé"), "<éé>");
}

TEST(PatternRegex, SomethingToRepeatMustStandBefore) {
  for (const char* bad : {"*", "?", "^*", "a**", "a?*", "a*?", "a??"}) {
    EXPECT_THROW(PatternRegex{bad}, Error) << bad;
  }
  try {
    PatternRegex{"ab\\"};
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "a \"\\\" at the end escapes nothing");
  }
}

TEST(PatternRegex, ItsLengthIsBounded) {
  const std::string longest(256, '.');
  EXPECT_TRUE(PatternRegex{longest}.matches(longest));
  EXPECT_THROW(PatternRegex{longest + "."}, Error);
  std::string classes;  // the costliest for RE2
  for (int i = 0; i < 128; ++i) classes += "\\A";
  EXPECT_FALSE(PatternRegex{classes}.matches("a"));
}

TEST(PatternRegex, BytesThatAreNotUtf8AreMatchedOneByOne) {
  EXPECT_EQ(match("^.?.?", "\xE9t\xE9"), "<\xE9t>");
  EXPECT_EQ(match("é", "\xFFé"), "<é>");              // its two bytes
  EXPECT_EQ(match("\xE9.", "\xE9t\xE9"), "<\xE9t>");  // an expression in Latin-1
  EXPECT_EQ(match("^\xE9", "é"), "none");
  EXPECT_EQ(match("\\p", "\xFF¿"), "none");  // bytes have the classes of ASCII
}

TEST(PatternRegex, ClassesOfCharactersAndOfBytesAgreeInAscii) {
  for (const char name : std::string("adlpsuwADLPSUW")) {
    const PatternRegex regex(std::string("^\\") + name + "$");
    for (int c = 1; c < 128; ++c) {
      const std::string cell(1, static_cast<char>(c));
      bool expected = false;
      switch (std::tolower(name)) {
        case 'a':
          expected = std::isalpha(c);
          break;
        case 'd':
          expected = std::isdigit(c);
          break;
        case 'l':
          expected = std::islower(c);
          break;
        case 'p':
          expected = std::ispunct(c);
          break;
        case 's':
          expected = std::isspace(c);
          break;
        case 'u':
          expected = std::isupper(c);
          break;
        default:
          expected = std::isalnum(c);
      }
      if (std::isupper(name)) expected = !expected;
      EXPECT_EQ(regex.matches(cell), expected) << "\\" << name << " on " << c;
      // The same character, in a cell that is not UTF-8.
      const PatternRegex after(std::string("^.\\") + name + "$");
      EXPECT_EQ(after.matches("\xFF" + cell), expected) << "\\" << name << " on byte " << c;
    }
  }
}

// The definition, tried in order: where to start, how often to repeat.
std::optional<std::size_t> match_here(std::string_view re, std::string_view text) {
  if (re.empty()) return 0;
  if (re == "$") return text.empty() ? std::optional<std::size_t>(0) : std::nullopt;
  const bool fits = !text.empty() && (re[0] == '.' || re[0] == text[0]);
  const char repeat = re.size() > 1 ? re[1] : '\0';
  const auto one_and = [&](std::string_view rest) -> std::optional<std::size_t> {
    if (!fits) return std::nullopt;
    const auto length = match_here(rest, text.substr(1));
    return length ? std::optional(*length + 1) : std::nullopt;
  };
  if (repeat == '*') {
    const auto none = match_here(re.substr(2), text);
    return none ? none : one_and(re);
  }
  if (repeat == '?') {
    const auto one = one_and(re.substr(2));
    return one ? one : match_here(re.substr(2), text);
  }
  return one_and(re.substr(1));
}

std::string match_by_definition(std::string_view re, std::string_view text) {
  const bool anchored = re.starts_with('^');
  if (anchored) re.remove_prefix(1);
  for (std::size_t start = 0; start <= (anchored ? 0 : text.size()); ++start) {
    if (const auto length = match_here(re, text.substr(start))) {
      return "<" + std::string(text.substr(start, *length)) + ">";
    }
  }
  return "none";
}

RC_GTEST_PROP(PatternRegex, AgreesWithItsDefinition, ()) {
  std::string expression = *rc::gen::element<std::string>("", "^");
  const auto count = *rc::gen::inRange<std::size_t>(0, 7);  // the definition takes exponential time
  const auto atoms = *rc::gen::container<std::vector<std::string>>(
      count, rc::gen::element<std::string>("a", "b", ".", "a*", "b*", ".*", "a?", "b?", ".?"));
  for (const std::string& atom : atoms) expression += atom;
  expression += *rc::gen::element<std::string>("", "$");
  const auto length = *rc::gen::inRange<std::size_t>(0, 10);
  const auto cell = *rc::gen::container<std::string>(length, rc::gen::element('a', 'b', 'c'));
  RC_ASSERT(match(expression, cell) == match_by_definition(expression, cell));
}

}  // namespace
}  // namespace croft::template_regex_test
