#include "app/label/tag_limits.h"

#include <gtest/gtest.h>

#include "croft/core/error.h"
#include "support/small_model.h"

namespace croft::partial_labels_test {
namespace {

const LabelNames kNames({"A", "B", "C"});

TextSequence labelled(const std::vector<std::string>& labels) {
  TextSequence text;
  for (std::size_t t = 0; t < labels.size(); ++t) text.node.end_list();
  testing_support::set_labels(labels, text);
  text.first_line = 10;
  return text;
}

std::vector<Label> labels_at(const KnownLabels& known, std::size_t t) {
  const auto labels = known.gold().labels(t);
  return {labels.begin(), labels.end()};
}

TEST(PartialLabels, AreOneLabelOneOfSomeOrAny) {
  const PartialLabelReader reader({}, kNames);
  KnownLabels known;
  reader.read(labelled({"B", "?", "C|A", "A|B|C"}), "x.txt", known);
  EXPECT_EQ(labels_at(known, 0), (std::vector<Label>{1}));
  EXPECT_TRUE(known.gold().is_any(1));
  EXPECT_EQ(labels_at(known, 2), (std::vector<Label>{0, 2}));
  EXPECT_EQ(labels_at(known, 3), (std::vector<Label>{0, 1, 2}));
  const auto list = restrictions(known);
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[1].position, 2u);
  EXPECT_EQ(std::vector<Label>(list[1].labels.begin(), list[1].labels.end()),
            (std::vector<Label>{0, 2}));
  reader.read(labelled({"?"}), "x.txt", known);  // storage is reused
  EXPECT_TRUE(restrictions(known).empty());
}

TEST(PartialLabels, AnotherSeparatorLetsLabelsContainTheUsualOne) {
  const LabelNames names({"A|B", "A", "B"});
  EXPECT_THROW(PartialLabelReader({}, names), UsageError);
  const PartialLabelReader reader({'/', "?"}, names);
  KnownLabels known;
  reader.read(labelled({"A|B", "A/A|B"}), "x.txt", known);
  EXPECT_EQ(labels_at(known, 0), (std::vector<Label>{0}));
  EXPECT_EQ(labels_at(known, 1), (std::vector<Label>{0, 1}));
}

TEST(PartialLabels, ALabelThatLooksLikeTheMarkerIsRefused) {
  EXPECT_THROW(PartialLabelReader({}, LabelNames({"?", "A"})), UsageError);
}

std::string message(const TextSequence& text) {
  KnownLabels known;
  try {
    PartialLabelReader({}, kNames).read(text, "x.txt", known);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(PartialLabels, ErrorsNameTheLineOfTheItem) {
  EXPECT_EQ(message(labelled({"A", "D"})),
            "x.txt:11: not a label of the model: \"D\"; write \"?\" for any label; the labels are "
            "\"A\", \"B\", \"C\"");
  EXPECT_TRUE(message(labelled({"A|D"})).starts_with("x.txt:10: not a label of the model: \"D\""));
  EXPECT_TRUE(message(labelled({"A", "B", "A|"})).starts_with("x.txt:12: an empty label"));
  EXPECT_TRUE(message(labelled({"A|?"})).starts_with("x.txt:10: a set of labels with \"?\""));
  EXPECT_TRUE(message(labelled({"A|B|A"})).starts_with("x.txt:10: one label twice"));
  TextSequence bare;
  bare.node.end_list();
  bare.first_line = 3;
  EXPECT_TRUE(message(bare).starts_with("x.txt:3: a sequence without labels"));
}

}  // namespace
}  // namespace croft::partial_labels_test
