#include "sql/logic/logic_views.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/json.h"
#include "croft/core/random.h"
#include "logic/network_parser.h"
#include "logic/random_store.h"

namespace croft {
namespace {

struct People {
  LogicNetwork network = parse_network(read_logic_tokens(
      LineReader(std::string_view("person = {Anna, Bob, Dora}\n"
                                  "Friends(person, person)\nSmokes(person)\nAt(person, place!)\n"
                                  "place = {Home, Work}\n"
                                  "1.5 Smokes(x) => At(x, Home)\n"
                                  "0.7 Friends(x, y) => (Smokes(x) <=> Smokes(y))\n"
                                  "Smokes(Dora).\n"),
                 "t.mln")));
  LogicEvidence facts{network};
  People() {
    add_evidence(network,
                 read_fact_tokens(LineReader(
                     std::string_view("Friends(Anna, Bob)\nFriends(Bob, Dora)\n"), "t.db")),
                 facts);
  }
};

TEST(LogicViews, RulesHaveTheirTrueGroundings) {
  People people;
  add_evidence(people.network,
               read_fact_tokens(LineReader(
                   std::string_view("Smokes(Anna)\nSmokes(Dora)\nAt(Dora, Home)\nAt(Anna, "
                                    "Work)\nAt(Bob, Work)\n"),
                   "t.db")),
               people.facts);
  const std::vector<RuleView> rules = inspect_rules(people.network, people.facts);
  ASSERT_EQ(rules.size(), 3u);
  EXPECT_EQ(rules[0].groundings, 3);
  EXPECT_EQ(rules[0].kept, 2);  // Anna smokes, and is at work
  EXPECT_EQ(rules[1].groundings, 9);
  EXPECT_EQ(rules[1].kept, 7);  // both friendships are of a smoker and another
  EXPECT_EQ(rules[2].groundings, 1);
  EXPECT_EQ(rules[2].kept, 1);
  const std::string text = rules_text(people.network, rules);
  EXPECT_NE(text.find("1.5\t2\t3\tSmokes(x) => At(x, Home)"), std::string::npos) << text;
  EXPECT_NE(text.find("hard\t1\t1\tSmokes(Dora)."), std::string::npos) << text;
}

TEST(LogicViews, AmountsAddUpToTheDifferenceOfScores) {
  const People people;
  const AtomSpace space(people.network, people.facts, {false, true, true});
  const GroundNetwork ground(space, {});
  const ClauseStore& store = ground.store();
  Random random(7);
  int finite = 0;
  for (int round = 0; round < 200; ++round) {
    const std::vector<std::uint8_t> world =
        world_of(static_cast<std::uint32_t>(random.below(1u << store.atoms())), store.atoms());
    if (std::isinf(store.score(world))) continue;
    for (std::uint32_t a = 0; a < store.atoms(); ++a) {
      const std::uint32_t predicate = space.predicate_of(store.key(a));
      AtomPattern pattern{.predicate = predicate, .constants = {}};
      const std::vector<std::uint32_t> constants = space.constants_of(store.key(a));
      for (std::size_t i = 0; i < constants.size(); ++i) {
        const std::uint32_t type = people.network.predicates[predicate].types[i];
        pattern.constants.push_back(people.facts.types[type][constants[i]]);
      }
      const AtomExplanation found = explain_atom(ground, pattern, world);
      std::vector<std::uint8_t> with = world, without = world;
      with[a] = 1;
      without[a] = 0;
      const double difference = store.score(with) - store.score(without);
      if (std::isinf(difference)) {
        EXPECT_EQ(found.log_odds, difference);
      } else {
        EXPECT_NEAR(found.log_odds, difference, 1e-12);
        ++finite;
      }
    }
  }
  EXPECT_GT(finite, 8);
}

TEST(LogicViews, TheNetworkAroundAnAtomIsItsClauses) {
  const People people;
  const AtomSpace space(people.network, people.facts, {false, true, true});
  const GroundNetwork ground(space, {});
  const AtomPattern anna{.predicate = 1, .constants = {"Anna"}};
  const GraphFile near = neighbourhood(ground, anna, 1);
  // Smokes(Anna), At(Anna, Home), Smokes(Bob).
  ASSERT_EQ(near.graph.variables(), 3u);
  EXPECT_EQ(near.names.variables[0], "Smokes(Anna)");
  EXPECT_EQ(neighbourhood(ground, anna, 2).graph.variables(), 5u);
  EXPECT_EQ(neighbourhood(ground, anna, 2, 4).graph.variables(), 4u);
  EXPECT_THROW(neighbourhood(ground, {.predicate = 0, .constants = {"Anna", "Bob"}}), Error);
}

TEST(LogicViews, AnExplanationIsTextAndJson) {
  const People people;
  const AtomSpace space(people.network, people.facts, {false, true, true});
  const GroundNetwork ground(space, {});
  const std::vector<std::uint8_t> none(ground.store().atoms(), 0);
  const AtomExplanation found = explain_atom(ground, {.predicate = 1, .constants = {"Dora"}}, none);
  EXPECT_NE(explanation_text(people.network, found).find("demands"), std::string::npos);
  EXPECT_EQ(explanation_json(people.network, found)["reasons"][0]["hard"].string(), "demands");
  const AtomExplanation known =
      explain_atom(ground, {.predicate = 0, .constants = {"Anna", "Bob"}}, none);
  EXPECT_EQ(explanation_text(people.network, known), "Friends(Anna,Bob) is true by the evidence\n");
  EXPECT_THROW(explain_atom(ground, {.predicate = 1, .constants = {}}, none), UsageError);
}

}  // namespace
}  // namespace croft
