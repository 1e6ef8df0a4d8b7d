// Automata against what they say of every labelling.
#include "croft/structure/label_automaton.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "croft/core/error.h"
#include "support/all_sequences.h"
#include "support/message_of.h"
#include "support/random_automaton.h"

namespace croft::label_automaton_test {
namespace {

using testing_support::random_automaton;
using Labels = std::vector<Label>;

void for_each_up_to(std::size_t labels, std::size_t longest,
                    const std::function<void(const Labels&)>& visit) {
  for (std::size_t length = 0; length <= longest; ++length) {
    testing_support::for_each_sequence(labels, length, visit);
  }
}

void expect_accepts(const LabelAutomaton& automaton, std::size_t longest,
                    const std::function<bool(const Labels&)>& obeys) {
  std::size_t accepted = 0, rejected = 0;
  for_each_up_to(automaton.labels, longest, [&](const Labels& y) {
    const bool expected = obeys(y);
    ASSERT_EQ(accepts(automaton, y), expected) << testing::PrintToString(y);
    (expected ? accepted : rejected) += 1;
  });
  EXPECT_GT(accepted, 0u);
  EXPECT_GT(rejected, 0u);
}

const std::vector<CountRange>& ranges() {
  static const std::vector<CountRange> all{CountRange::at_most(0),  CountRange::at_most(2),
                                           CountRange::at_least(1), CountRange::at_least(3),
                                           CountRange::exactly(0),  CountRange::exactly(2),
                                           CountRange{1, 2}};
  return all;
}

bool within(CountRange range, std::size_t count) {
  return count >= range.low && count <= range.high;
}

TEST(LabelAutomaton, CountsLabels) {
  const Labels counted{0, 2};
  for (const CountRange range : ranges()) {
    expect_accepts(count_labels(4, counted, range), 5, [&](const Labels& y) {
      return within(range, std::count(y.begin(), y.end(), 0u) + std::count(y.begin(), y.end(), 2u));
    });
  }
  EXPECT_TRUE(accepts(count_labels(4, counted, CountRange::at_least(0)), Labels{1, 2, 0}));
}

TEST(LabelAutomaton, CountsChunksByEveryScheme) {
  const std::vector<std::string> names{"O", "B-A", "I-A", "B-B", "E-A"};
  for (const ChunkScheme scheme : {ChunkScheme::bio, ChunkScheme::ioe, ChunkScheme::bioes}) {
    for (const auto& type : {std::optional<std::string_view>("A"), {}}) {
      const auto chunks = [&](const Labels& y) {
        ChunkLabel previous;
        std::size_t count = 0;
        for (const Label j : y) {
          const ChunkLabel label = read_chunk_label(names[j], scheme);
          count += chunk_starts(previous, label) && (!type || label.type == *type);
          previous = label;
        }
        return count;
      };
      for (const CountRange range : ranges()) {
        expect_accepts(count_chunks(names, scheme, type, range), 4,
                       [&](const Labels& y) { return within(range, chunks(y)); });
      }
    }
  }
  const LabelAutomaton one = count_chunks(names, ChunkScheme::bio, "A", CountRange::exactly(1));
  EXPECT_TRUE(accepts(one, Labels{1, 2, 0, 3}));   // B-A I-A O B-B
  EXPECT_FALSE(accepts(one, Labels{1, 1, 0, 3}));  // two of them side by side
  EXPECT_FALSE(accepts(one, Labels{2, 0, 2}));     // as conlleval reads it
}

TEST(LabelAutomaton, NeverTogetherAllowsEitherLabel) {
  expect_accepts(never_together(4, 1, 3), 4, [](const Labels& y) {
    return std::count(y.begin(), y.end(), 1u) == 0 || std::count(y.begin(), y.end(), 3u) == 0;
  });
}

TEST(LabelAutomaton, IntersectionAcceptsWhatBothDo) {
  Random random(1);
  std::size_t accepted = 0;
  for (int repeat = 0; repeat < 80; ++repeat) {
    const LabelAutomaton a = random_automaton(3, 1 + random.below(4), 1 + random.below(3), random);
    const LabelAutomaton b = random_automaton(3, 1 + random.below(4), 1 + random.below(3), random);
    const LabelAutomaton both = intersect(a, b);
    EXPECT_LE(both.states(), a.states() * b.states());
    for_each_up_to(3, 5, [&](const Labels& y) {
      ASSERT_EQ(accepts(both, y), accepts(a, y) && accepts(b, y));
      accepted += accepts(both, y);
    });
  }
  EXPECT_GT(accepted, 1000u);
}

TEST(LabelAutomaton, IntersectionKeepsOnlyStatesThatCanBeReachedAndLeadToAcceptance) {
  Random random(2);
  std::size_t dropped = 0;
  for (int repeat = 0; repeat < 50; ++repeat) {
    const LabelAutomaton a = random_automaton(3, 4, 3, random);
    const LabelAutomaton b = random_automaton(3, 3, 2, random);
    const LabelAutomaton both = intersect(a, b);
    // Both by their definition, as fixed points.
    std::set<std::uint32_t> reached{0}, useful;
    for (std::size_t round = 0; round < both.states(); ++round) {
      for (std::uint32_t q = 0; q < both.states(); ++q) {
        if (both.accepting[q]) useful.insert(q);
        for (std::size_t e = 0; e < both.events; ++e) {
          const std::uint32_t to = both.next[q * both.events + e];
          if (reached.contains(q) && to != LabelAutomaton::kDead) reached.insert(to);
          if (useful.contains(to)) useful.insert(q);
        }
      }
    }
    useful.insert(0);
    EXPECT_EQ(reached.size(), both.states());
    EXPECT_EQ(useful.size(), both.states());
    dropped += both.states() < a.states() * b.states();
  }
  EXPECT_GT(dropped, 25u);
}

TEST(LabelAutomaton, ContradictionLeavesOneStateThatAcceptsNothing) {
  const Labels label{1};
  const LabelAutomaton both = intersect(count_labels(2, label, CountRange::at_most(1)),
                                        count_labels(2, label, CountRange::at_least(2)));
  EXPECT_EQ(both.states(), 1u);
  for_each_up_to(2, 5, [&](const Labels& y) { EXPECT_FALSE(accepts(both, y)); });
}

TEST(LabelAutomaton, QuestionsWithoutSenseAreErrors) {
  const std::vector<std::string> names{"O", "B-PER", "I-PER", "B-LOC"};
  const auto count = [&](std::string_view type) {
    return message_of<UsageError>(
        [&] { count_chunks(names, ChunkScheme::bio, type, CountRange::at_most(1)); });
  };
  EXPECT_EQ(count("ORG"),
            "no label starts a chunk of type \"ORG\"; the types are \"LOC\", \"PER\"");
  EXPECT_EQ(count("PER"), "no error");
  EXPECT_EQ(message_of<UsageError>(
                [] { count_chunks(std::vector<std::string>{"O"}, ChunkScheme::bio, {}, {}); }),
            "no label starts a chunk; none of them is part of a chunk");
  EXPECT_EQ(message_of<UsageError>([] {
              count_labels(2, Labels{0}, {3, 2});
            }),
            "no count is at least 3 and at most 2");
  EXPECT_NE(
      message_of<UsageError>([] { count_labels(2, Labels{0}, CountRange::at_most(1 << 20)); }),
      "no error");
  EXPECT_NE(message_of<UsageError>([] { never_together(3, 1, 1); }), "no error");
}

TEST(LabelAutomaton, TooManyStatesAreAnError) {
  const LabelAutomaton a = count_labels(3, Labels{0}, CountRange::at_most(1200));
  const LabelAutomaton b = count_labels(3, Labels{1}, CountRange::at_most(1200));
  EXPECT_NE(message_of<Error>([&] { intersect(a, b); }).find("more than 1048576 states"),
            std::string::npos);
}

}  // namespace
}  // namespace croft::label_automaton_test
