// Networks of two slices by their names, and rows of evidence with likelihoods.
#include "data/graphs/slice_file.h"

#include <gtest/gtest.h>

#include <cmath>

#include "croft/core/error.h"
#include "croft/inference/graph_brute_force.h"
#include "data/settings/state_rows.h"
#include "support/message_of.h"

namespace croft::slice_file_test {
namespace {

// rain and mood in a slice; rain goes on, mood depends on rain.
std::string two_slices(const std::string& first, const std::string& next) {
  const auto name = [](const std::string& base, const std::string& ending) {
    return "\"" + base + ending + "\"";
  };
  std::string text = "network n { }\n";
  for (const std::string& ending : {first, next}) {
    text += "variable " + name("mood", ending) + " { type discrete [ 2 ] { low, high }; }\n";
    text += "variable " + name("rain", ending) + " { type discrete [ 2 ] { no, yes }; }\n";
  }
  text += "probability ( " + name("rain", first) + " ) { table 0.7, 0.3; }\n";
  text += "probability ( " + name("rain", next) + " | " + name("rain", first) +
          " ) { (no) 0.8, 0.2; (yes) 0.4, 0.6; }\n";
  for (const std::string& ending : {first, next}) {
    text += "probability ( " + name("mood", ending) + " | " + name("rain", ending) +
            " ) { (no) 0.1, 0.9; (yes) 0.5, 0.5; }\n";
  }
  return text;
}

GraphFile net_of(const std::string& text) { return read_bif(LineReader(text, "net")); }

TEST(SliceFile, VariablesAreThoseOfASliceInTheOrderOfTheFirst) {
  for (const auto& [first, next] : {std::pair<std::string, std::string>{"_0", "_1"},
                                    {"[t-1]", "[t]"},
                                    {"", "'"},
                                    {"_1", "_11"}}) {
    const SliceFile file = slice_file(net_of(two_slices(first, next)), {first, next});
    EXPECT_EQ(file.names.variables, (std::vector<std::string>{"mood", "rain"}));
    EXPECT_EQ(file.names.states[0], (std::vector<std::string>{"low", "high"}));
    EXPECT_EQ(file.net.interface, (std::vector<Variable>{1}));
    EXPECT_EQ(file.net.first.variables(), 2u);
    EXPECT_EQ(file.net.next.variables(), 3u);
  }
}

TEST(SliceFile, TwoSlicesUnrolledAreTheFileItself) {
  const GraphFile two = net_of(two_slices("_0", "_1"));
  const GraphFile again = unrolled(slice_file(two), 2);
  EXPECT_EQ(again.names.variables, two.names.variables);
  const GraphBruteForce wanted = brute_force(two.graph), found = brute_force(again.graph);
  for (Variable v = 0; v < 4; ++v) {
    for (State s = 0; s < 2; ++s) EXPECT_NEAR(found.variable[v][s], wanted.variable[v][s], 1e-15);
  }
  EXPECT_EQ(
      read_bif(LineReader(write_bif(unrolled(slice_file(two), 5)), "again")).names.variables.back(),
      "rain_4");
}

TEST(SliceFile, WhatIsNoNetworkOfTwoSlicesIsAnErrorThatSaysWhy) {
  const auto fault = [](std::string text, const std::string& from, const std::string& to,
                        const SliceEndings& endings = {}) {
    for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
    return message_of<UsageError>([&] { slice_file(net_of(text), endings); });
  };
  const std::string good = two_slices("_0", "_1");
  EXPECT_EQ(fault(good, "rain_1", "sun"),
            "variable \"sun\" ends in neither \"_0\" nor \"_1\", and is in neither slice; "
            "--slice-endings names others");
  EXPECT_EQ(fault(good, "rain_1", "sun_1"),
            "variable \"rain_0\" is in one slice, and there is no \"rain_1\" in the other");
  EXPECT_EQ(message_of<UsageError>([] { SliceEndings::read("_0"); }),
            "--slice-endings are two with a comma between them, as in _0,_1, not \"_0\"");
  EXPECT_THROW(SliceEndings::read("x,x"), UsageError);
  EXPECT_THROW(SliceEndings::read("x,y,z"), UsageError);
  EXPECT_EQ(SliceEndings::read(",'").next, "'");
}

TEST(SliceFile, AnEdgeBackInTimeIsAnError) {
  const std::string text =
      "variable a_0 { type discrete [ 1 ] { x }; }\nvariable a_1 { type discrete [ 1 ] { x }; }\n"
      "probability ( a_1 ) { table 1; }\nprobability ( a_0 | a_1 ) { table 1; }\n";
  EXPECT_EQ(message_of<UsageError>([&] { slice_file(net_of(text)); }),
            "variable \"a_0\" of the first slice depends on \"a_1\" of the next one");
}

TEST(SliceFile, SlicesThatDoNotHangTogetherAreAnError) {
  const std::string text =
      "variable a_0 { type discrete [ 1 ] { x }; }\nvariable a_1 { type discrete [ 1 ] { x }; }\n"
      "probability ( a_1 ) { table 1; }\nprobability ( a_0 ) { table 1; }\n";
  EXPECT_EQ(message_of<UsageError>([&] { slice_file(net_of(text)); }),
            "no variable of the next slice depends on the first: rows are cases of their own, "
            "which croft predict and croft evaluate take");
}

TEST(StateRows, LikelihoodsAreReadWhereTheyAreAskedFor) {
  const GraphFile slice = slice_file(net_of(two_slices("_0", "_1"))).slice();
  const std::string text = "rain,mood\nyes,0.25:0.5\n,low\n0:1,\n";
  StateRowReader rows(LineReader(text, "days.csv"), slice, {});
  std::vector<State> row;
  std::vector<SoftFinding> soft;
  ASSERT_TRUE(rows.next(row, &soft));
  EXPECT_EQ(row, (std::vector<State>{kUnobserved, 1}));
  ASSERT_EQ(soft.size(), 1u);
  EXPECT_EQ(soft[0].variable, 0u);
  EXPECT_EQ(soft[0].likelihoods, (std::vector<double>{0.25, 0.5}));
  EXPECT_EQ(rows.location().line, 2u);
  ASSERT_TRUE(rows.next(row, &soft));
  EXPECT_EQ(row, (std::vector<State>{0, kUnobserved}));
  EXPECT_TRUE(soft.empty());
  ASSERT_TRUE(rows.next(row, &soft));
  EXPECT_EQ(soft[0].variable, 1u);
  EXPECT_FALSE(rows.next(row, &soft));

  StateRowReader hard(LineReader(text, "days.csv"), slice, {});
  EXPECT_THROW(hard.next(row), InputError);
  const auto fault = [&](const std::string& cell) {
    return message_of<InputError>([&] {
      StateRowReader reader(LineReader("rain\n" + cell + "\n", "days.csv"), slice, {});
      reader.next(row, &soft);
    });
  };
  EXPECT_EQ(fault("maybe"),
            "days.csv:2:1: no state of \"rain\": \"maybe\"; its states are \"no\", \"yes\"; an "
            "empty cell, "
            "or what --missing names, is not known");
  EXPECT_EQ(
      fault("1:2:3"),
      "days.csv:2:1: no state and no likelihoods of \"rain\": \"1:2:3\"; variable \"rain\" has 2 "
      "states, and \"1:2:3\" has 3 likelihoods");
  EXPECT_NE(fault("0:0").find("all likelihoods are 0"), std::string::npos);
  EXPECT_NE(fault("a:1").find("numbers >= 0"), std::string::npos);
}

}  // namespace
}  // namespace croft::slice_file_test
