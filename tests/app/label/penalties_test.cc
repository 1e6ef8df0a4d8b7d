#include "app/label/tag_limits.h"

#include <gtest/gtest.h>

#include "croft/core/error.h"

namespace croft::penalties_test {
namespace {

const LabelNames kNames({"O", "B-X", "I-X"});

PenaltyFile file_of(std::string_view text, PenaltyTests tests) {
  LineReader lines(text, "p.txt");
  return read_penalty_file(lines, tests);
}

struct Fixture {
  TransitionScores<double> transitions{3};
  ChainScores<double> scores;
  explicit Fixture(std::size_t length) { scores.reset(length, transitions); }
  std::vector<double> row(std::size_t t) const {
    return {scores.state[t].begin(), scores.state[t].end()};
  }
};

using Row = std::vector<double>;

TEST(Penalties, TestCellsAndAddUp) {
  const Penalties penalties(
      file_of("* O 1\n* * 0.5\n0=the O -3\n1=DT B-X 2\n1=DT B-* 0.25\n", PenaltyTests::cells),
      kNames, 2);
  ColumnSequence rows;
  rows.append_row("the DT O");
  rows.append_row("DT the O");
  TextSequence text;
  Fixture f(2);
  penalties.subtract({text, &rows}, f.scores);
  EXPECT_EQ(f.row(0), (Row{1.5, -2.75, -0.5}));
  EXPECT_EQ(f.row(1), (Row{-1.5, -0.5, -0.5}));
}

TEST(Penalties, TestAttributesOnceEachWhateverTheirValues) {
  const Penalties penalties(file_of("w=a O 1\n\\* I-X 2\n\\\\b B-X 4\n", PenaltyTests::attributes),
                            kNames, 0);
  TextSequence text;
  text.node.append("w=a", 7);
  text.node.append("w=a");
  text.node.append("*");
  text.node.end_list();
  text.node.append("\\b");
  text.node.append("w=a ");
  text.node.end_list();
  Fixture f(2);
  penalties.subtract({text}, f.scores);
  EXPECT_EQ(f.row(0), (Row{-1, 0, -2}));
  EXPECT_EQ(f.row(1), (Row{0, -4, 0}));
}

TEST(Penalties, LeaveAForbiddenLabelForbidden) {
  const Penalties penalties(file_of("* O -1000\n", PenaltyTests::cells), kNames, 1);
  Fixture f(1);
  f.scores.state(0, 0) = ChainScores<double>::kForbidden;
  TextSequence text;
  ColumnSequence rows;
  rows.append_row("x");
  penalties.subtract({text, &rows}, f.scores);
  EXPECT_EQ(f.scores.state(0, 0), ChainScores<double>::kForbidden);
}

std::string message(std::string_view text, PenaltyTests tests, std::size_t columns) {
  try {
    Penalties(file_of(text, tests), kNames, columns);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Penalties, NameTheLineThatDoesNotFitTheModel) {
  EXPECT_EQ(message("* O 1\n* B-Y 1\n", PenaltyTests::cells, 1),
            "p.txt:2: no label of the model is, or matches,: \"B-Y\"; the labels are \"O\", "
            "\"B-X\", \"I-X\"");
  EXPECT_EQ(message("1=x O 1\n", PenaltyTests::cells, 1),
            "p.txt:1: the data has no column 1; the only one is column 0");
  EXPECT_EQ(
      message("7=x O 1\n", PenaltyTests::cells, 3),
      "p.txt:1: the data has no column 7; the columns are 0 to 2, without that of the labels");
}

TEST(Penalties, OnCellsNeedTheRows) {
  const Penalties penalties(file_of("0=a O 1\n", PenaltyTests::cells), kNames, 1);
  Fixture f(1);
  TextSequence text;
  EXPECT_THROW(penalties.subtract({text}, f.scores), Error);
}

}  // namespace
}  // namespace croft::penalties_test
