#include "logic/evidence.h"

#include <gtest/gtest.h>

#include <string>

#include "logic/atom_space.h"
#include "logic_texts.h"
#include "support/message_of.h"

namespace croft {
namespace {

constexpr std::string_view kNetwork =
    "person = {Anna}\nFriends(person, person)\nSmokes(person)\nperson mother(person)\n";

TEST(Evidence, FactsAreTrueFalseOrUnknown) {
  const LogicNetwork network = network_of(kNetwork);
  const LogicEvidence evidence =
      evidence_of(network, "Smokes(Anna)\n!Smokes(Bob)\n?Friends(Anna, Bob)\nBob = mother(Anna)\n");
  EXPECT_EQ(evidence.types[0].size(), 2u);
  for (const bool open : {false, true}) {
    const AtomSpace space(network, evidence, {open, open});
    const auto truth = [&](std::uint32_t predicate, std::vector<std::uint32_t> constants) {
      return space.truth(predicate, space.key(predicate, constants));
    };
    EXPECT_EQ(truth(1, {0}), Truth::yes);
    EXPECT_EQ(truth(1, {1}), Truth::no);
    EXPECT_EQ(truth(0, {0, 1}), Truth::unknown);
    EXPECT_EQ(truth(0, {1, 0}), open ? Truth::unknown : Truth::no);
    const std::uint32_t anna[] = {0}, bob[] = {1};
    EXPECT_EQ(space.value(0, anna), 1u);
    EXPECT_EQ(space.value(0, bob), kNoNumber);
  }
}

TEST(Evidence, KeysAndNamesBelongTogether) {
  const LogicNetwork network = network_of(kNetwork);
  const LogicEvidence evidence = evidence_of(network, "Smokes(Bob)\nSmokes(Carl-2)\n");
  const AtomSpace space(network, evidence, {true, true});
  for (std::uint64_t key = 0; key < space.first(2); ++key) {
    EXPECT_EQ(space.key(space.predicate_of(key), space.constants_of(key)), key);
  }
  EXPECT_EQ(space.name(space.first(0) + 5), "Friends(Bob,Carl-2)");
}

TEST(Evidence, ZeroArgumentsAreAFactToo) {
  const LogicNetwork network = network_of("Rain\nWet()\nRain => Wet.\n");
  const LogicEvidence evidence = evidence_of(network, "Rain\n!Wet()\n");
  EXPECT_EQ(evidence.predicates[0].truth.at(0), Truth::yes);
  EXPECT_EQ(evidence.predicates[1].truth.at(0), Truth::no);
}

TEST(Evidence, FaultsSayWhereAndWhat) {
  const LogicNetwork network = network_of(kNetwork);
  const auto fault = [&](std::string_view text) {
    return message_of<InputError>([&] { evidence_of(network, text); });
  };
  EXPECT_EQ(fault("Smokes(Anna)\n!Smokes(Anna)\n"),
            "t.db:2:1: an earlier fact says something else of this atom: \"!\"; leave one of them "
            "out");
  EXPECT_EQ(fault("Smoke(Anna)\n"),
            "t.db:1:1: the network has no predicate of this name: \"Smoke\"; declare it there: "
            "Name(type, …)");
  EXPECT_EQ(fault("Smokes(x)\n"),
            "t.db:1:8: a fact has constants, and this is the name of a variable: \"x\"; put a "
            "constant that begins with a small letter between double quotes");
  EXPECT_EQ(fault("Friends(Anna)\n"),
            "t.db:1:8: the number of arguments is 2, and here are 1: \"(\"");
  EXPECT_EQ(fault("Anna = mother(Bob)\nBob = mother(Bob)\n"),
            "t.db:2:1: an earlier line gives the function another value there: \"Bob\"; leave one "
            "of them out");
  EXPECT_EQ(fault("0.7 Smokes(Anna)\n"),
            "t.db:1:1: a fact is true, false or unknown, and has no weight or probability: "
            "\"0.7\"; say it as a rule of the network: WEIGHT P(A)");
}

TEST(Evidence, QuestionsAreAtomsWithVariables) {
  const LogicNetwork network = network_of(kNetwork);
  const auto patterns =
      parse_atom_patterns(network, tokens_of("Smokes, Friends(Anna, x)\nSmokes(Bob)\n"));
  ASSERT_EQ(patterns.size(), 3u);
  EXPECT_TRUE(patterns[0].constants.empty());
  EXPECT_EQ(patterns[1].constants, (std::vector<std::string>{"Anna", ""}));
}

}  // namespace
}  // namespace croft
