#include "data/settings/field_files.h"

#include <gtest/gtest.h>

#include "data/text_files.h"

namespace croft::label_class_file_test {
namespace {

LabelClasses read(std::string_view text) {
  LineReader lines(text, "classes");
  return read_label_class_file(lines);
}

std::string error_of(std::string_view text) {
  return message_of<InputError>([&] { read(text); });
}

TEST(LabelClassFile, HasALabelAndItsClassALine) {
  EXPECT_EQ(read("the\tDET\n\nout of\tPREP\r\ndog NOUN\n"),
            (LabelClasses{{"the", "DET"}, {"out of", "PREP"}, {"dog", "NOUN"}}));
}

TEST(LabelClassFile, SaysWhichLineIsWrong) {
  const std::string remedy = "; write a label and its class between TABs or spaces";
  EXPECT_EQ(error_of("a A\nb\n"), "classes:2: a line that is not LABEL CLASS: \"b\"" + remedy);
  EXPECT_EQ(error_of("a b c\n"), "classes:1: a line that is not LABEL CLASS: \"a b c\"" + remedy);
  EXPECT_EQ(error_of("a\t\n"), "classes:1: a line that is not LABEL CLASS: \"a\\t\"" + remedy);
  EXPECT_EQ(error_of("a A\na B\n"),
            "classes:2: a label that has a class already: \"a\"; give it one class: delete one of "
            "the lines");
  EXPECT_EQ(error_of("\n \n"), "classes: no line" + remedy);
}

}  // namespace
}  // namespace croft::label_class_file_test
