#include "data/checks.h"

#include <gtest/gtest.h>

#include "data/attributes.h"
#include "data/text_files.h"

namespace croft::checks_test {
namespace {

TEST(Checks, AnInputWithoutSequencesIsOneClearError) {
  EXPECT_EQ(
      message_of<InputError>([] { fail_no_sequences("d.txt"); }),
      "d.txt: no data: the input is empty or has only empty lines; check that this is the file "
      "that was meant, and that what wrote it succeeded");
}

TEST(Checks, SequenceWithoutLabelsIsAnErrorAtItsFirstLine) {
  AttributesReader reader(LineReader("\n\ta\n", "d.txt"), true);
  TextSequence sequence;
  ASSERT_TRUE(reader.next(sequence));
  EXPECT_EQ(message_of<InputError>([&] { require_labels(sequence, reader.name()); }),
            "d.txt:2: a sequence without labels; give every item its label: training cannot use "
            "unlabelled data");
}

TEST(Checks, LabelledSequencePasses) {
  AttributesReader reader(LineReader("A\ta\n", "d.txt"));
  TextSequence sequence;
  ASSERT_TRUE(reader.next(sequence));
  EXPECT_NO_THROW(require_labels(sequence, reader.name()));
}

TEST(Checks, ColumnsNeedAColumnBesideTheLabel) {
  ColumnSequence sequence;
  EXPECT_NO_THROW(require_labels(sequence, "d.txt"));
  sequence.append_row("word");
  sequence.first_line = 3;
  EXPECT_EQ(
      message_of<InputError>([&] { require_labels(sequence, "d.txt"); }),
      "d.txt:3: a row of one column has no label: \"word\"; add the label as the last column: "
      "training cannot use unlabelled data");
  sequence.clear();
  sequence.append_row("word O");
  EXPECT_NO_THROW(require_labels(sequence, "d.txt"));
}

}  // namespace
}  // namespace croft::checks_test
