// CRF++'s template language.  Every expected string was compared with the model text of crf_learn
// -t.
#include <gtest/gtest.h>

#include "croft/core/error.h"
#include "features/rows.h"
#include "features/template.h"

namespace croft::template_crfpp_test {
namespace {

TemplateSet crfpp(std::string_view text) {
  return TemplateSet::parse(text, "t.txt", TemplateLanguage::crfpp);
}

std::string expanded(std::string_view text, const ColumnSequence& rows, std::size_t t) {
  std::string out;
  crfpp(text).expand(0, rows, t, out);
  return out;
}

std::string error_of(std::string_view text) {
  try {
    crfpp(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

const ColumnSequence kRows = rows_of({"Ab 1 A", "12x é B", "C-d . A"});

TEST(CrfppTemplate, TheWholeLineAfterSubstitutionIsTheFeature) {
  EXPECT_EQ(expanded("U01:%x[0,0]", kRows, 0), "U01:Ab");
  EXPECT_EQ(expanded("U01:%x[-1,0]/%x[0,1]", kRows, 1), "U01:Ab/é");
  EXPECT_EQ(expanded("U%x[0,0]", kRows, 2), "UC-d");
  EXPECT_EQ(expanded("B:%x[-1,0]", kRows, 1), "B:Ab");
}

TEST(CrfppTemplate, RowsOutsideTheSentenceAreNumberedFromItsEnds) {
  EXPECT_EQ(expanded("U:%x[-2,0]|%x[1,0]", kRows, 0), "U:_B-2|12x");
  EXPECT_EQ(expanded("U:%x[-2,0]|%x[1,0]", kRows, 2), "U:Ab|_B+1");
  EXPECT_EQ(expanded("U:%x[-8,0]|%x[8,0]", kRows, 0), "U:_B-8|_B+6");
  EXPECT_EQ(expanded("U:%x[-8,0]|%x[8,0]", kRows, 2), "U:_B-6|_B+8");
}

TEST(CrfppTemplate, ThePositionAfterTheLastReachesBack) {
  EXPECT_EQ(expanded("B:%x[-1,0]/%x[0,0]/%x[8,0]", kRows, 3), "B:C-d/_B+1/_B+9");
  EXPECT_EQ(expanded("B:%x[-1,0]/%x[0,0]", ColumnSequence{}, 0), "B:_B-1/_B+1");
}

TEST(CrfppTemplate, OnlyAHashAtTheStartMakesAComment) {
  const TemplateSet set = crfpp("# Unigram\n\nU0:%x[0,0] # c  \n   \n#B\nB\n");
  ASSERT_EQ(set.size(), 2u);
  EXPECT_EQ(set.line(0), "U0:%x[0,0] # c  ");  // trailing blanks are text, too
  std::string out;
  set.expand(0, kRows, 0, out);
  EXPECT_EQ(out, "U0:Ab # c  ");
  EXPECT_EQ(set.line(1), "B");
}

TEST(CrfppTemplate, KindsAndConstants) {
  const TemplateSet set = crfpp("U0:%x[0,0]\nB\nB1:%x[0,3]\nUbias");
  EXPECT_EQ(set.language(), TemplateLanguage::crfpp);
  ASSERT_EQ(set.size(), 4u);
  EXPECT_TRUE(set.on_nodes(0) && !set.on_edges(0) && !set.is_constant(0));
  EXPECT_TRUE(!set.on_nodes(1) && set.on_edges(1) && set.is_constant(1));
  EXPECT_TRUE(!set.on_nodes(2) && set.on_edges(2) && !set.is_constant(2));
  EXPECT_TRUE(set.on_nodes(3) && !set.on_edges(3) && set.is_constant(3));
  EXPECT_EQ(set.columns_needed(), 4u);
  EXPECT_EQ(crfpp("B").columns_needed(), 0u);
  EXPECT_EQ(expanded("Ubias", kRows, 1), "Ubias");
}

TEST(CrfppTemplate, ExpansionAppends) {
  std::string out = "x";
  crfpp("U:%x[0,0]").expand(0, kRows, 0, out);
  EXPECT_EQ(out, "xU:Ab");
}

TEST(CrfppTemplate, LineEndsOfWindowsAndAByteOrderMarkAreNoText) {
  const TemplateSet set = crfpp("\xEF\xBB\xBFU0:%x[0,0]\r\n\r\nB\r\n");
  ASSERT_EQ(set.size(), 2u);
  EXPECT_EQ(set.line(0), "U0:%x[0,0]");
  EXPECT_EQ(set.line(1), "B");
  EXPECT_EQ(set.text(), "\xEF\xBB\xBFU0:%x[0,0]\r\n\r\nB\r\n");
}

TEST(CrfppTemplate, AnUnknownMacroIsAnError) {
  EXPECT_EQ(error_of("U0:%x[0,0]\nU1:%q[0,0]"),
            "t.txt:2:4: unknown macro \"%q\": \"U1:%q[0,0]\"; CRF++'s language has %x only, and no "
            "way to write a \"%\"; Wapiti's (--template-language wapiti) has also %t and %m");
  EXPECT_EQ(
      error_of("U1:100%"),
      "t.txt:1:7: \"%\" at the end begins no macro: \"U1:100%\"; CRF++'s language has %x only, "
      "and no way to write a \"%\"; Wapiti's (--template-language wapiti) has also %t and %m");
}

TEST(CrfppTemplate, ABadRowIsAnError) {
  const std::string remedy = "; write the macro as %x[row,column] with numbers for both";
  EXPECT_EQ(error_of("U:%x[+1,0]"), "t.txt:1:6: a bad row in a macro: \"U:%x[+1,0]\"" + remedy);
  EXPECT_EQ(error_of("U:%x[,0]"), "t.txt:1:6: a bad row in a macro: \"U:%x[,0]\"" + remedy);
  EXPECT_EQ(error_of("U:%x[--1,0]"), "t.txt:1:6: a bad row in a macro: \"U:%x[--1,0]\"" + remedy);
  EXPECT_EQ(error_of("U:%x[99999999999,0]"),
            "t.txt:1:6: a bad row in a macro: \"U:%x[99999999999,0]\"" + remedy);
  EXPECT_EQ(error_of("U:%x0,0]"), "t.txt:1:5: a macro goes on with \"[\": \"U:%x0,0]\"" + remedy);
  EXPECT_EQ(error_of("U:%x"), "t.txt:1:5: a macro goes on with \"[\": \"U:%x\"" + remedy);
}

TEST(CrfppTemplate, ARowFartherThanEightIsAnError) {
  const std::string remedy =
      "; CRF++'s language reaches from -8 to 8; Wapiti's (--template-language wapiti) has no bound";
  EXPECT_EQ(error_of("U:%x[-9,0]"),
            "t.txt:1:6: a row farther away than 8: \"U:%x[-9,0]\"" + remedy);
  EXPECT_EQ(error_of("U:%x[9,0]"), "t.txt:1:6: a row farther away than 8: \"U:%x[9,0]\"" + remedy);
}

TEST(CrfppTemplate, ABadColumnIsAnError) {
  const std::string remedy = "; write the macro as %x[row,column] with numbers for both";
  EXPECT_EQ(error_of("U:%x[0,]"), "t.txt:1:8: a bad column in a macro: \"U:%x[0,]\"" + remedy);
  EXPECT_EQ(error_of("U:%x[0,-1]"), "t.txt:1:8: a bad column in a macro: \"U:%x[0,-1]\"" + remedy);
  EXPECT_EQ(error_of("U:%x[0, 1]"), "t.txt:1:8: a bad column in a macro: \"U:%x[0, 1]\"" + remedy);
  EXPECT_EQ(error_of("U:%x[0,0"),
            "t.txt:1:9: the macro has no \"]\" here: \"U:%x[0,0\"; write it as %x[row,column] with "
            "numbers for both");
}

TEST(CrfppTemplate, ALineOfAnotherKindIsAnError) {
  EXPECT_EQ(
      error_of("T:%x[0,0]"),
      "t.txt:1:1: a CRF++ template starts with U or B: \"T:%x[0,0]\"; start the line with one "
      "of them, or with # to make it a comment");
  EXPECT_EQ(error_of("u:%x[0,0]").substr(0, 46), "t.txt:1:1: a CRF++ template starts with U or B");
}

TEST(CrfppTemplate, AFileWithoutTemplatesIsAnError) {
  const std::string message =
      "t.txt: the file has no template; give at least one, such as U:%x[0,0]";
  EXPECT_EQ(error_of(""), message);
  EXPECT_EQ(error_of("# only a comment\n"), message);
}

TEST(CrfppTemplate, AColumnThatTheDataLacksIsAnErrorThatQuotesItsLine) {
  const TemplateSet set = crfpp("U0:%x[0,0]\n# more\nU1:%x[0,1]/%x[0,5]\n");
  EXPECT_EQ(set.columns_needed(), 6u);
  EXPECT_NO_THROW(set.check_columns(6));
  try {
    set.check_columns(2);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "t.txt:3: the template names column 5: \"U1:%x[0,1]/%x[0,5]\"; the data has 2 "
                 "columns besides the labels, and the first is 0");
  }
}

}  // namespace
}  // namespace croft::template_crfpp_test
