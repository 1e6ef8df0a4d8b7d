#include "logic/evidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

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

TEST(Evidence, FactsWithAProbabilityAreUnknown) {
  const LogicNetwork network = network_of(kNetwork);
  const LogicEvidence evidence =
      evidence_of(network, "0.9 Smokes(Anna)\n0.2 !Smokes(Bob)\n1 Smokes(Carl)\n1 !Smokes(Dora)\n");
  const AtomSpace space(network, evidence, {false, false});
  const std::vector<Truth> expected{Truth::unknown, Truth::unknown, Truth::yes, Truth::no};
  for (std::uint32_t c = 0; c < 4; ++c) {
    EXPECT_EQ(space.truth(1, space.key(1, std::vector{c})), expected[c]) << c;
  }
  ASSERT_EQ(evidence.weighted.size(), 2u);
  EXPECT_NEAR(evidence.weighted[0].weight, std::log(9.), 1e-12);
  EXPECT_NEAR(evidence.weighted[1].weight, std::log(4.), 1e-12);
  EXPECT_EQ(message_of<InputError>([&] { check_known_facts(evidence); }),
            "t.db:2:1: a fact with a probability is for questions, not for learning; say whether "
            "it is true, or leave it out");
}

TEST(Evidence, ZeroArgumentsAreAFactToo) {
  const LogicNetwork network = network_of("Rain\nWet()\nRain => Wet.\n");
  const LogicEvidence evidence = evidence_of(network, "Rain\n!Wet()\n");
  EXPECT_EQ(evidence.predicates[0].truth.at(0), Truth::yes);
  EXPECT_EQ(evidence.predicates[1].truth.at(0), Truth::no);
}

TEST(Evidence, AFactWithoutArgumentsMayStandBeforeTheValueOfAFunction) {
  const LogicNetwork network = network_of("t = {A, B}\nN\nP(t)\nt f(t)\n");
  const LogicEvidence evidence = evidence_of(network, "N\nB = f(A)\n!P(A)\nA = f(B)\n");
  EXPECT_EQ(evidence.predicates[0].truth, std::vector{Truth::yes});
  EXPECT_EQ(evidence.functions[0].value, (std::vector<std::uint32_t>{1, 0}));
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
  EXPECT_EQ(
      fault("1.5 Smokes(Anna)\n"),
      "t.db:1:1: the probability of a fact is a number from 0 to 1: \"1.5\"; a weight is that "
      "of a rule of the network: WEIGHT P(A)");
  EXPECT_EQ(fault("0.7 Smokes(Anna)\n0.7 Smokes(Anna)\n"),
            "t.db:2:1: an earlier fact is of this atom, too: \"0.7\"; leave one of them out");
  EXPECT_EQ(
      fault("Smokes(Anna)\n0.7 Smokes(Anna)\n"),
      "t.db:2:1: an earlier fact says something else of this atom: \"0.7\"; leave one of them "
      "out");
  EXPECT_EQ(
      fault("Smokes(Anna)\n---\nSmokes(Bob)\n"),
      "t.db:2:1: a line between databases (---) is not read: \"-\"; write each as a file; for "
      "learning give them one by one with --world");
  EXPECT_EQ(fault("animal = {Rex}\n"),
            "t.db:1:1: the network has no type of this name: \"animal\"; use it there: Name(type, "
            "…)");
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
