#include "logic/network_writer.h"

#include <gtest/gtest.h>

#include <string>

#include "logic_texts.h"

namespace croft {
namespace {

TEST(NetworkWriter, WhatIsWrittenIsReadAsTheSameNetwork) {
  const LogicNetwork network = network_of(
      "person = {Anna, Bob, \"small \\\"name\\\"\", -5}\n"
      "age = {1, ..., 3}\n"
      "*Friends(person, person)\nSmokes(person)\nAge(person, age!)\nRich(person, age!?)\nRain\n"
      "person mother(person)\n"
      "1.5 Smokes(x) => Friends(x, mother(x)) v Rain\n"
      "-0.1 Friends(x, y) <=> (Smokes(x) <=> Smokes(y)) ^ !Rain\n"
      "Age(x, a) ^ a + 1 <= 3 ^ x != \"small \\\"name\\\"\" => Rich(x, succ(a)).\n"
      "2 EXIST y FORALL z (Friends(y, z) v Friends(x, Bob))\n"
      "1e-7 !Smokes(x) v *Friends(x, +y)\n"
      "Smokes(-5) ^ substr(x, concat(x, y)) ^ Friends(x, y)\n");
  const std::string text = write_network(network);
  const LogicNetwork again = network_of(text);
  EXPECT_EQ(write_network(again), text);
  ASSERT_EQ(again.rules.size(), network.rules.size());
  for (std::size_t i = 0; i < network.rules.size(); ++i) {
    EXPECT_EQ(again.rules[i].weight, network.rules[i].weight);
    EXPECT_EQ(again.rules[i].hard, network.rules[i].hard);
    EXPECT_EQ(again.rules[i].variables.size(), network.rules[i].variables.size());
  }
  EXPECT_NE(text.find("1.5  (!Smokes(x) v (Friends(x, mother(x)) v Rain))\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("*Friends(person, person)\n"), std::string::npos);
  EXPECT_NE(text.find("Age(person, age!)\n"), std::string::npos);
  EXPECT_TRUE(again.rules.back().variables.size() == 2 && !again.rules.back().weighted);
}

}  // namespace
}  // namespace croft
