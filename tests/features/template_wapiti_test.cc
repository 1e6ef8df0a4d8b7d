// Wapiti's pattern language.  Every expected string was compared with what wapiti dump shows, but
// for those of non-ASCII text, where its bytes and our characters differ (docs/templates.md).
#include <gtest/gtest.h>

#include "croft/core/error.h"
#include "features/rows.h"
#include "features/template.h"

namespace croft::template_wapiti_test {
namespace {

TemplateSet wapiti(std::string_view text) {
  return TemplateSet::parse(text, "p.txt", TemplateLanguage::wapiti);
}

std::string expanded(std::string_view text, const ColumnSequence& rows, std::size_t t) {
  std::string out;
  wapiti(text).expand(0, rows, t, out);
  return out;
}

std::string error_of(std::string_view text) {
  try {
    wapiti(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

const ColumnSequence kRows = rows_of({"Ab 1 A", "12x é B", "C-d . A"});

TEST(WapitiPattern, TheFirstCharacterIsLoweredAndPartOfTheFeature) {
  EXPECT_EQ(expanded("U01:%x[0,0]", kRows, 0), "u01:Ab");
  EXPECT_EQ(expanded("u:Word:%x[0,0]", kRows, 0), "u:Word:Ab");
  EXPECT_EQ(expanded("B", kRows, 1), "b");
}

TEST(WapitiPattern, AStarIsForNodesAndEdgesWithTheSameString) {
  const TemplateSet set = wapiti("*0:%x[0,0]\nu1\nB1");
  EXPECT_EQ(set.language(), TemplateLanguage::wapiti);
  ASSERT_EQ(set.size(), 3u);
  EXPECT_TRUE(set.on_nodes(0) && set.on_edges(0) && !set.is_constant(0));
  EXPECT_TRUE(set.on_nodes(1) && !set.on_edges(1) && set.is_constant(1));
  EXPECT_TRUE(!set.on_nodes(2) && set.on_edges(2));
  EXPECT_EQ(expanded("*0:%x[0,0]", kRows, 1), "*0:12x");
}

TEST(WapitiPattern, AHashStartsACommentAnywhereAndTrailingBlanksGo) {
  const TemplateSet set = wapiti("  # indented\n\t\nU0:%x[0,0] \t # c\nU1:a#b\n#\n");
  ASSERT_EQ(set.size(), 2u);
  EXPECT_EQ(set.line(0), "U0:%x[0,0]");
  EXPECT_EQ(set.line(1), "U1:a");
}

TEST(WapitiPattern, OffsetsMayHaveASignAndBlanksBefore) {
  EXPECT_EQ(expanded("u:%x[+1,0]/%x[-1,0]/%x[ 0, 1]", kRows, 1), "u:C-d/Ab/é");
}

TEST(WapitiPattern, AtMakesThePositionAbsolute) {
  EXPECT_EQ(expanded("u:%x[@1,0]/%x[@-1,0]/%x[@3,1]/%x[@-2,0]", kRows, 0), "u:Ab/C-d/./12x");
  EXPECT_EQ(expanded("u:%x[@0,0]/%x[@9,0]/%x[@4,0]/%x[@-4,0]/%x[@-9,0]", kRows, 1),
            "u:_x-1/_x+#/_x+1/_x-1/_x-#");
}

TEST(WapitiPattern, RowsOutsideTheSequenceAreNumberedUpToFour) {
  EXPECT_EQ(expanded("u:%x[-1,0]%x[-4,0]%x[-5,0]%x[-99,0]", kRows, 0), "u:_x-1_x-4_x-#_x-#");
  EXPECT_EQ(expanded("u:%x[1,0]%x[4,0]%x[5,0]%x[99,0]", kRows, 2), "u:_x+1_x+4_x+#_x+#");
}

TEST(WapitiPattern, ThePositionAfterTheLastReachesBack) {
  EXPECT_EQ(expanded("b:%x[-1,0]/%x[0,0]/%t[0,0,\"x.1\"]", kRows, 3), "b:C-d/_x+1/true");
  EXPECT_EQ(expanded("b:%x[@1,0]/%x[@-1,0]", ColumnSequence{}, 0), "b:_x+1/_x-1");
}

TEST(WapitiPattern, TestSaysTrueOrFalse) {
  EXPECT_EQ(expanded(R"(u:%t[0,0,"\d"])", kRows, 0), "u:false");
  EXPECT_EQ(expanded(R"(u:%t[0,0,"\d"])", kRows, 1), "u:true");
  EXPECT_EQ(expanded(R"(u:%t[0,0,""])", kRows, 1), "u:true");
}

TEST(WapitiPattern, MatchGivesTheFirstMatchOrNothing) {
  EXPECT_EQ(expanded(R"(u:%m[0,0,"\u\l?"]!)", kRows, 0), "u:Ab!");
  EXPECT_EQ(expanded(R"(u:%m[0,0,"\u\l?"]!)", kRows, 1), "u:!");
  EXPECT_EQ(expanded(R"(u:%m[0,0,"\u\l?"]!)", kRows, 2), "u:C!");
  EXPECT_EQ(expanded(R"(u:%m[0,0,"^.?.?"]/%m[0,0,".?.?$"])", kRows, 2), "u:C-/-d");
}

TEST(WapitiPattern, AnUnanchoredStarMatchesTheEmptyString) {
  EXPECT_EQ(expanded(R"(u:%m[0,0,"\w*"])", kRows, 0), "u:");
  EXPECT_EQ(expanded(R"(u:%m[0,0,"^\w*$"])", kRows, 0), "u:Ab");
  EXPECT_EQ(expanded(R"(u:%m[0,0,"^\w*$"])", kRows, 2), "u:");
}

TEST(WapitiPattern, ExpressionsOutsideTheSequenceSeeWhatStandsThere) {
  EXPECT_EQ(expanded(R"(u:%t[-1,0,"x-1"]/%m[-1,0,"x.?"])", kRows, 0), "u:true/x-");
  EXPECT_EQ(expanded(R"(u:%t[1,0,"^_x\p\d$"])", kRows, 2), "u:true");
}

TEST(WapitiPattern, CapitalMacrosLowerTheirResult) {
  EXPECT_EQ(expanded("u:%X[0,0]%x[0,0]", kRows, 0), "u:abAb");
  EXPECT_EQ(expanded(R"(u:%M[0,0,"\u\l?"]/%T[0,0,"\u"])", kRows, 2), "u:c/true");
  EXPECT_EQ(expanded("u:%X[0,0]", rows_of({"ÉTÉ"}), 0), "u:été");
}

TEST(WapitiPattern, ClassesKnowAllScripts) {
  EXPECT_EQ(expanded(R"(u:%m[0,0,"^.?.?"]/%t[0,0,"^\u\l*$"])", rows_of({"Élan"}), 0), "u:Él/true");
}

TEST(WapitiPattern, AQuotedQuoteStaysInTheExpression) {
  EXPECT_EQ(expanded(R"(u:%m[0,0,"\"]."])", rows_of({R"(a"]b)"}), 0), R"(u:"]b)");
}

TEST(WapitiPattern, ACellThatIsNotUtf8IsMatchedByteByByte) {
  EXPECT_EQ(expanded(R"(u:%m[0,0,"^.?.?"])", rows_of({"\xC9t\xE9"}), 0), "u:\xC9t");
  EXPECT_EQ(expanded(R"(u:%t[0,0,"^\A\a\A$"])", rows_of({"\xC9t\xE9"}), 0), "u:true");
  EXPECT_EQ(expanded(R"(u:%X[0,0])", rows_of({"\xC9T\xE9"}), 0), "u:\xC9t\xE9");
}

TEST(WapitiPattern, AnUnknownMacroIsAnError) {
  EXPECT_EQ(
      error_of("u:%q[0,0]"),
      "p.txt:1:3: unknown macro \"%q\": \"u:%q[0,0]\"; Wapiti's language has %x, %t and %m, and "
      "no way to write a \"%\"");
  EXPECT_EQ(error_of("u:100% # c").substr(0, 43), "p.txt:1:6: \"%\" at the end begins no macro: ");
}

TEST(WapitiPattern, ABadPlaceIsAnError) {
  EXPECT_EQ(
      error_of("u:%x[ -1 ,0]"),
      "p.txt:1:7: a bad row in a macro: \"u:%x[ -1 ,0]\"; write the macro as %x[offset,column]");
  EXPECT_EQ(error_of("u:%x[+-1,0]").substr(0, 32), "p.txt:1:6: a bad row in a macro:");
  EXPECT_EQ(error_of("u:%T[0,-1,\"a\"]"),
            "p.txt:1:8: a bad column in a macro: \"u:%T[0,-1,\\\"a\\\"]\"; write the macro as "
            "%T[offset,column,\"expression\"]");
  EXPECT_EQ(error_of("u:%x[0,0"),
            "p.txt:1:9: the macro has no \"]\" here: \"u:%x[0,0\"; write it as %x[offset,column]");
}

TEST(WapitiPattern, AMissingOrOpenExpressionIsAnError) {
  EXPECT_EQ(
      error_of("u:%t[0,0]"),
      "p.txt:1:9: a regular expression in double quotes is missing here: \"u:%t[0,0]\"; write "
      "the macro as %t[offset,column,\"expression\"]");
  EXPECT_EQ(error_of("u:%m[0,0, \"b\"]").substr(0, 48),
            "p.txt:1:9: a regular expression in double quotes");
  EXPECT_EQ(error_of("u:%m[0,0,\"#\"]"),
            "p.txt:1:11: the regular expression does not end: \"u:%m[0,0,\\\"\"; close it with a "
            "double quote (a \"#\" starts a comment, even here)");
  EXPECT_EQ(error_of("u:%m[0,0,\"a\\").substr(0, 48),
            "p.txt:1:11: the regular expression does not end:");
}

TEST(WapitiPattern, ABadExpressionIsAnErrorThatQuotesTheLine) {
  const std::string remedy = "; see docs/templates.md for what Wapiti's expressions may contain";
  EXPECT_EQ(error_of("u\nu:%t[0,0,\"*a\"]"),
            "p.txt:2:11: a bad regular expression: \"*\" has nothing to repeat: "
            "\"u:%t[0,0,\\\"*a\\\"]\"" +
                remedy);
  EXPECT_EQ(error_of("u:%t[0,0,\"^?a\"]"),
            "p.txt:1:11: a bad regular expression: \"?\" has nothing to repeat: "
            "\"u:%t[0,0,\\\"^?a\\\"]\"" +
                remedy);
  EXPECT_EQ(error_of("u:%t[0,0,\"a**\"]").substr(0, 59),
            "p.txt:1:11: a bad regular expression: \"*\" has nothing to re");
}

TEST(WapitiPattern, ALineOfAnotherKindIsAnError) {
  EXPECT_EQ(error_of("x:%x[0,0]"),
            "p.txt:1:1: a Wapiti pattern starts with u, b or *: \"x:%x[0,0]\"; start the line with "
            "one of them, or with # to make it a comment");
  EXPECT_EQ(error_of(" u:%x[0,0]").substr(0, 50),
            "p.txt:1:1: a Wapiti pattern starts with u, b or *:");
}

// ---- recognition by content -------------------------------------------------------------------

TemplateLanguage recognised(std::string_view text) {
  return TemplateSet::parse(text, "t.txt").language();
}

TEST(TemplateLanguage, IsCrfppUnlessSomethingIsOnlyWapitis) {
  EXPECT_EQ(recognised("# c\nU0:%x[-1,0]/%x[0,1]\nB\n"), TemplateLanguage::crfpp);
  EXPECT_EQ(recognised("U0:a+b@c *"), TemplateLanguage::crfpp);
  EXPECT_EQ(recognised("U0:%x[0,0] # %x[0,0]"), TemplateLanguage::crfpp);
  EXPECT_EQ(recognised("# u %t[+1,0]\nU"), TemplateLanguage::crfpp);
}

TEST(TemplateLanguage, EachMarkOfWapitiIsSeen) {
  for (const std::string_view mark :
       {"u0", "b", "*", "U0:%t[0,0,\"a\"]", "U0:%m[0,0,\"a\"]", "U0:%X[0,0]", "U0:%T[0,0,\"a\"]",
        "U0:%M[0,0,\"a\"]", "U0:%x[+1,0]", "U0:%x[@1,0]", "U0:%x[ 0,0]", "U0:%x[0, 0]", "  # c"}) {
    EXPECT_EQ(recognised("U:%x[0,0]\n" + std::string(mark) + "\nB"), TemplateLanguage::wapiti)
        << mark;
  }
}

TEST(TemplateLanguage, TheOptionOverridesTheContent) {
  const TemplateSet set = TemplateSet::parse("U0:%x[-9,0] # c", "t.txt", TemplateLanguage::wapiti);
  std::string out;
  set.expand(0, kRows, 0, out);
  EXPECT_EQ(out, "u0:_x-#");
  EXPECT_THROW(TemplateSet::parse("u0", "t.txt", TemplateLanguage::crfpp), InputError);
}

}  // namespace
}  // namespace croft::template_wapiti_test
