// What makes sequences documents, and what words are elsewhere in one.
#include "app/label/documents.h"

#include <gtest/gtest.h>

#include "croft/core/error.h"
#include "data/columns.h"

namespace croft::documents_test {
namespace {

// A letter for each sequence: D begins a document.
std::string told(const std::string& by, const std::string& text, const ColumnsForm& form = {}) {
  ColumnsReader reader(LineReader(text, "d"), 0, RowWidth::as_expected, form);
  DocumentRule rule(by);
  std::string out;
  for (ColumnSequence rows; reader.next(rows);) out += rule.begins(rows, "", "d") ? 'D' : '-';
  return out + (rule.is_unseen() ? " unseen" : "");
}

TEST(DocumentRule, AMarkInTheFirstCellBeginsOne) {
  EXPECT_EQ(told("M", "M O\n\na O\n\nb M\n\nM O\nc O\n\nd O\n"), "D--D-");
  EXPECT_EQ(told("M", "a O\n\nMM O\n\nb O\n"), "D-- unseen");
}

TEST(DocumentRule, AMarkInSkippedLinesBeginsOneToo) {
  const ColumnsForm skip{.ignored = "^#"};
  EXPECT_EQ(told("# newdoc", "# newdoc id\na O\n\nb O\n\n# newdoc\nc O\n", skip), "D-D");
  EXPECT_EQ(told("#doc", "#doc 1\na O\n\n# x\nb O\n\n#doc\n\nc O\n\nd O\n", skip), "D-D-");
  EXPECT_EQ(told("#doc", "#docs\na O\n\nb O\n", skip), "D- unseen");
}

TEST(DocumentRule, ACellOfAColumnTellsThem) {
  EXPECT_EQ(told("0", "1 a\n\n1 b\n1 c\n\n2 d\n\n1 e\n"), "D-DD");
  EXPECT_THROW(told("2", "1 a\n"), InputError);
}

TEST(DocumentRule, TwoBlankLinesEndOne) {
  const ColumnsForm skip{.ignored = "^#"};
  EXPECT_EQ(told("blank-lines", "# x\na O\n# y\n\n# z\nb O\n\n# z\n\nc O\n", skip), "D-D");
  EXPECT_EQ(told("blank-lines", "\n\na O\n\nb O\nc O\n\n\nd O\n\ne O\n\n\n\nf O\n"), "D-D-D");
}

TEST(DocumentRule, ValuesOfAKeyTellLinesOfSpans) {
  DocumentRule rule("doc");
  const ColumnSequence rows;
  std::string out;
  for (const char* line : {R"({"doc":1})", R"({"doc":1})", R"({"doc":"1"})", R"({"doc":2})"}) {
    out += rule.begins(rows, line, "d") ? 'D' : '-';
  }
  EXPECT_EQ(out, "D-DD");
  EXPECT_FALSE(rule.is_unseen());
}

}  // namespace
}  // namespace croft::documents_test
