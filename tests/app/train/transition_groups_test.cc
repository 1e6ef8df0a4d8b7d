#include "app/train/train_files.h"

#include <gtest/gtest.h>

#include "croft/core/error.h"
#include "data/text_files.h"

namespace croft::transition_groups_test {
namespace {

const LabelNames kNames({"O", "B-X", "I-X", "*"});

std::vector<std::uint32_t> groups_of(std::string_view text) {
  LineReader lines(text, "groups.txt");
  return transition_groups(read_transition_group_file(lines), kNames).of;
}

constexpr std::uint32_t own = TransitionGroups::kOwn, none = TransitionGroups::kNone;

TEST(TransitionGroups, APairHasWhatTheLastLineThatMatchesItSays) {
  EXPECT_EQ(groups_of("* *-X g\nB-X I-X h\n* O -\nI-X O g\n"),
            (std::vector<std::uint32_t>{none, 0, 0, own,     // from O
                                        none, 0, 1, own,     // from B-X
                                        0, 0, 0, own,        // from I-X
                                        none, 0, 0, own}));  // from *
}

TEST(TransitionGroups, AnEscapedStarIsALabel) {
  EXPECT_EQ(groups_of("\\* \\* g\n")[15], 0u);
  EXPECT_EQ(groups_of("\\* \\* g\n")[0], own);
}

TEST(TransitionGroups, ALabelThatThereIsNotIsAnErrorOfItsLine) {
  const std::string message = message_of<InputError>([] { groups_of("O O g\nO I-Y g\n"); });
  EXPECT_EQ(message.substr(0, 79),
            "groups.txt:2: no label of the training data is, or matches,: \"I-Y\"; the labels ");
  EXPECT_NE(message_of<InputError>([] { groups_of("E-* O g\n"); }).find("E-*"), std::string::npos);
}

}  // namespace
}  // namespace croft::transition_groups_test
