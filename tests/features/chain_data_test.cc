// Labels of the input as numbers: one label, sets of labels, any label.
#include "features/chain_data.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace croft::chain_data_test {
namespace {

TextSequence labelled(const std::vector<std::string>& labels, std::size_t first_line = 1) {
  TextSequence text;
  for (const std::string& label : labels) {
    text.node.append("x");
    text.node.end_list();
    text.labels.append(label);
  }
  text.labels.end_list();
  text.first_line = first_line;
  return text;
}

ChainEncoder partial_encoder() {
  ChainEncoder encoder;
  encoder.partial.emplace();
  return encoder;
}

// Labels known at each position, as names; "*" where it may be any.
std::vector<std::string> names_of(const ChainEncoder& encoder) {
  std::vector<std::string> out;
  for (std::uint64_t p = 0; p < encoder.data.positions(); ++p) {
    std::string names = encoder.data.label[p] == kAnyLabel ? "*" : "";
    for (const Label j : encoder.data.known_labels(p)) {
      names.append(names.empty() ? "" : " ").append(encoder.label_names[j]);
    }
    out.push_back(names);
  }
  return out;
}

using Names = std::vector<std::string>;

TEST(ChainEncoder, WithoutTheOptionEveryItemIsOneLabel) {
  ChainEncoder encoder;
  encoder.add(labelled({"A|B", "?", "A", "|"}));
  EXPECT_EQ(names_of(encoder), (Names{"A|B", "?", "A", "|"}));
  EXPECT_EQ(encoder.label_names.size(), 4u);
  EXPECT_EQ(encoder.data.label_sets.size(), 0u);
  EXPECT_TRUE(encoder.data.gold(0).is_complete());
}

TEST(ChainEncoder, PartialItemsAreLabelsSetsOrAny) {
  ChainEncoder encoder = partial_encoder();
  encoder.add(labelled({"B", "B|A", "?", "A"}));
  EXPECT_EQ(names_of(encoder), (Names{"B", "B A", "*", "A"}));
  const Gold gold = encoder.data.gold(0);
  EXPECT_FALSE(gold.is_complete());
  EXPECT_EQ(gold.length(), 4u);
  const Label a = encoder.label_names.find("A"), b = encoder.label_names.find("B");
  EXPECT_TRUE(gold.allows(0, b) && !gold.allows(0, a));
  EXPECT_TRUE(gold.allows(1, b) && gold.allows(1, a) && !gold.allows(1, 2));
  EXPECT_TRUE(gold.allows(2, b) && gold.allows(2, a) && gold.is_any(2) && !gold.is_any(1));
}

TEST(ChainEncoder, LabelsOfSetsAloneAreNumberedAsTheyCome) {
  ChainEncoder encoder = partial_encoder();
  encoder.add(labelled({"C|A", "B"}));
  EXPECT_EQ(encoder.label_names.find("C"), 0u);
  EXPECT_EQ(encoder.label_names.find("A"), 1u);
  EXPECT_EQ(encoder.label_names.find("B"), 2u);
}

TEST(ChainEncoder, OneSetInAnyOrderIsKeptOnce) {
  ChainEncoder encoder = partial_encoder();
  encoder.add(labelled({"A|B|C", "C|A|B", "B|A", "A|B"}));
  EXPECT_EQ(encoder.data.label_sets.size(), 2u);
  EXPECT_EQ(encoder.data.label[0], encoder.data.label[1]);
  EXPECT_EQ(encoder.data.label[2], encoder.data.label[3]);
  EXPECT_EQ(names_of(encoder), (Names{"A B C", "A B C", "A B", "A B"}));
}

TEST(ChainEncoder, FullyLabelledDataIsTheSameWithTheOption) {
  ChainEncoder plain, partial = partial_encoder();
  for (ChainEncoder* encoder : {&plain, &partial}) {
    encoder->add(labelled({"A", "B"}));
    encoder->add(labelled({"C", "A", "A"}));
  }
  EXPECT_EQ(plain.data.label, partial.data.label);
  EXPECT_EQ(plain.data.sequence_begin, partial.data.sequence_begin);
}

TEST(ChainEncoder, AnUnlabelledSequenceIsOneOfAnyLabels) {
  ChainEncoder encoder = partial_encoder();
  TextSequence text = labelled({"A", "B"});
  text.labels.clear();
  encoder.add(text);
  EXPECT_EQ(names_of(encoder), (Names{"*", "*"}));
}

TEST(ChainEncoder, SeparatorAndMarkerCanBeChosen) {
  ChainEncoder encoder;
  encoder.partial = PartialLabels{'/', "_"};
  encoder.add(labelled({"A|B", "?", "_", "A|B/C"}));
  EXPECT_EQ(names_of(encoder), (Names{"A|B", "?", "*", "A|B C"}));
}

std::string error_of(const std::string& item) {
  ChainEncoder encoder = partial_encoder();
  encoder.add(labelled({"A"}));
  try {
    encoder.add(labelled({"A", "B", item}, 10), "data.txt");
  } catch (const InputError& error) {
    EXPECT_EQ(encoder.data.positions(), 1u);  // nothing of the sequence is there
    EXPECT_EQ(encoder.data.node.positions(), 1u);
    return error.what();
  }
  return "no error";
}

TEST(ChainEncoder, BadSetsAreErrorsWithTheirLine) {
  const std::string remedy =
      "; write A|B for one of A and B; where \"|\" belongs to a label, choose another separator";
  EXPECT_EQ(error_of("A|"), "data.txt:12: an empty label in a set of labels: \"A|\"" + remedy);
  EXPECT_EQ(error_of("|A"), "data.txt:12: an empty label in a set of labels: \"|A\"" + remedy);
  EXPECT_EQ(error_of("A||B"), "data.txt:12: an empty label in a set of labels: \"A||B\"" + remedy);
  EXPECT_EQ(error_of("|"), "data.txt:12: an empty label in a set of labels: \"|\"" + remedy);
  EXPECT_EQ(error_of("A|C|A"),
            "data.txt:12: one label twice in a set of labels: \"A|C|A\"; name each label once");
  EXPECT_EQ(
      error_of("A|?"),
      "data.txt:12: a set of labels with \"?\", which is any label: \"A|?\"; write \"?\" alone, "
      "or leave it out of the set");
}

}  // namespace
}  // namespace croft::chain_data_test
