#include "features/kit/gazetteer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "croft/core/error.h"
#include "croft/core/random.h"

namespace croft::gazetteer_test {
namespace {

using Tokens = std::vector<std::string>;

Tokens marks_of(const Gazetteer& gazetteer, const Tokens& tokens) {
  Gazetteer::Scratch scratch;
  std::vector<std::uint32_t> marks;
  gazetteer.match(
      tokens.size(), [&](std::size_t t) { return std::string_view(tokens[t]); }, scratch, marks);
  const std::vector<std::string> names = gazetteer.mark_names();
  Tokens out;
  for (const std::uint32_t mark : marks) out.push_back(names.at(mark));
  return out;
}

Gazetteer of_text(std::string_view text, bool fold = true) {
  GazetteerBuilder builder(fold);
  builder.read(LineReader(text, "list.txt"));
  return builder.build();
}

std::string message_of(std::string_view text) {
  try {
    of_text(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Gazetteer, TheLongestEntryThatBeginsAtATokenIsMarked) {
  const Gazetteer gazetteer = of_text("New York\nNew York Times\nYork\nTimes Square\n");
  EXPECT_EQ(gazetteer.entries(), 4u);
  EXPECT_EQ(marks_of(gazetteer, {"the", "New", "York", "Times", "of", "York"}),
            (Tokens{"", "B", "I", "I", "", "B"}));
  // From the left: "New York Times" takes what "Times Square" would have needed.
  EXPECT_EQ(marks_of(gazetteer, {"New", "York", "Times", "Square"}), (Tokens{"B", "I", "I", ""}));
  EXPECT_EQ(marks_of(gazetteer, {"New", "Times", "Square"}), (Tokens{"", "B", "I"}));
}

TEST(Gazetteer, CaseIsFoldedWhereItIsAskedFor) {
  EXPECT_EQ(marks_of(of_text("San José\n"), {"SAN", "JOSÉ"}), (Tokens{"B", "I"}));
  EXPECT_EQ(marks_of(of_text("San José\n", false), {"SAN", "JOSÉ"}), (Tokens{"", ""}));
  EXPECT_EQ(marks_of(of_text("San José\n", false), {"San", "José"}), (Tokens{"B", "I"}));
}

TEST(Gazetteer, TypesArePartOfTheMarkAndSeveralStandInOrder) {
  const Gazetteer gazetteer = of_text("Washington\tPER\nWashington\tLOC\nParis\tLOC\nBasel\n");
  EXPECT_EQ(marks_of(gazetteer, {"washington", "paris", "basel"}),
            (Tokens{"B-LOC+PER", "B-LOC", "B"}));
}

TEST(Gazetteer, AnEmptySequenceHasNoMarks) { EXPECT_TRUE(marks_of(of_text("a\n"), {}).empty()); }

// The definition: at each position from the left, the longest entry that begins there.
Tokens by_definition(const std::map<Tokens, std::set<std::string>>& entries, const Tokens& text) {
  Tokens marks(text.size());
  for (std::size_t t = 0; t < text.size();) {
    std::size_t longest = 0;
    std::string type;
    for (const auto& [tokens, types] : entries) {
      if (tokens.size() <= longest || t + tokens.size() > text.size()) continue;
      if (!std::equal(tokens.begin(), tokens.end(), text.begin() + static_cast<long>(t))) continue;
      longest = tokens.size();
      type.clear();
      for (const std::string& each : types) {
        if (!each.empty()) type += (type.empty() ? "-" : "+") + each;
      }
    }
    for (std::size_t k = 0; k < longest; ++k) marks[t + k] = (k == 0 ? "B" : "I") + type;
    t += std::max<std::size_t>(longest, 1);
  }
  return marks;
}

TEST(Gazetteer, EqualsTheDefinitionOnRandomLists) {
  Random random(7);
  const auto random_tokens = [&](std::size_t length, std::uint64_t alphabet) {
    Tokens tokens;
    for (std::size_t k = 0; k < length; ++k) {
      tokens.push_back(std::string(1, static_cast<char>('a' + random.below(alphabet))));
    }
    return tokens;
  };
  for (int trial = 0; trial < 300; ++trial) {
    const std::uint64_t alphabet = 2 + random.below(6);
    std::map<Tokens, std::set<std::string>> entries;
    GazetteerBuilder builder(true);
    for (std::uint64_t n = 1 + random.below(30); n > 0; --n) {
      const Tokens tokens = random_tokens(1 + random.below(5), alphabet);
      const char* const types[] = {"", "LOC", "PER"};
      const std::string type = types[random.below(3)];
      std::string entry;
      for (const std::string& token : tokens) entry += token + " ";
      builder.add(entry, type);
      entries[tokens].insert(type);
    }
    const Gazetteer gazetteer = builder.build();
    EXPECT_EQ(gazetteer.entries(), entries.size());
    const Tokens text = random_tokens(random.below(40), alphabet + 1);
    ASSERT_EQ(marks_of(gazetteer, text), by_definition(entries, text)) << "trial " << trial;
  }
}

TEST(Gazetteer, TheOrderOfTheLinesMakesNoDifference) {
  const Gazetteer a = of_text("x y\tA\nx\tB\nz\n"), b = of_text("z\nx\tB\nx y\tA\nx\tB\n");
  EXPECT_TRUE(std::ranges::equal(a.trie(), b.trie()));
  EXPECT_TRUE(std::ranges::equal(a.tokens().image(), b.tokens().image()));
  EXPECT_EQ(a.types(), b.types());
}

TEST(Gazetteer, FaultsAreShownWithTheirLine) {
  EXPECT_EQ(message_of("a\n\tLOC\n"),
            "list.txt:2: a type without an entry: \"\\tLOC\"; write ENTRY, or ENTRY TAB TYPE");
  EXPECT_EQ(message_of("a\t\n"),
            "list.txt:1: a TAB without a type behind it: \"a\\t\"; write ENTRY, or ENTRY TAB TYPE");
  EXPECT_NE(message_of("a\tX Y\n").find("a type with a blank"), std::string::npos);
  EXPECT_NE(message_of("a\tX\tY\n").find("a type with a blank, a TAB"), std::string::npos);
  EXPECT_NE(message_of("a\tX+Y\n").find("an entry of two types on two lines"), std::string::npos);
  EXPECT_NE(message_of("\xFF\n").find("not UTF-8"), std::string::npos);
  EXPECT_EQ(message_of("\n  \n"), "list.txt: a gazetteer without entries; write one a line");
}

// A damaged trie may mark anything, but reads nothing outside itself (the sanitizers look).
TEST(Gazetteer, ADamagedTrieIsHarmless) {
  const Gazetteer good = of_text("a b c\na b d\nb c\tT\nc d e f\n");
  Random random(3);
  const Tokens text = {"a", "b", "c", "d", "e", "f", "a", "b", "d", "b", "c"};
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<std::uint32_t> trie(good.trie().begin(), good.trie().end());
    for (int k = 0; k < 3; ++k) {
      trie[1 + random.below(trie.size() - 1)] = random.below(2) == 0
                                                    ? static_cast<std::uint32_t>(random.below(40))
                                                    : 0xFFFFFFFF - random.below(3);
    }
    const Gazetteer damaged(true, good.types(), good.tokens(),
                            SharedArray<std::uint32_t>(std::move(trie)));
    EXPECT_EQ(marks_of(damaged, text).size(), text.size());
  }
  const auto shorter = good.trie().first(good.trie().size() - 1);
  EXPECT_THROW(Gazetteer(true, good.types(), good.tokens(), SharedArray<std::uint32_t>(shorter)),
               Error);
}

}  // namespace
}  // namespace croft::gazetteer_test
