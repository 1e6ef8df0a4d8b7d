// Graphs as text: UAI, LG, libDAI's and BIF, and what is none of them.
#include "croft/data/graph_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "croft/core/error.h"
#include "croft/inference/graph_brute_force.h"
#include "support/random_graph.h"

namespace croft::graph_file_test {
namespace {

using testing_graphs::random_graph;
using testing_graphs::Shape;

constexpr double kInf = std::numeric_limits<double>::infinity();

GraphFile read(std::string_view text, GraphFormat format) {
  return read_graph(LineReader(text, "g"), format);
}

std::string error_of(std::string_view text, GraphFormat format) {
  try {
    read(text, format);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void expect_error(std::string_view text, GraphFormat format, std::string_view place,
                  std::string_view mentions) {
  const std::string error = error_of(text, format);
  EXPECT_TRUE(error.starts_with(place)) << error << "\n" << text;
  EXPECT_NE(error.find(mentions), error.npos) << error << "\n" << text;
}

// The same scores of all assignments, up to rounding of a weight.
void expect_same(const FactorGraph& a, const FactorGraph& b, double tolerance) {
  ASSERT_EQ(a.variables(), b.variables());
  for (Variable v = 0; v < a.variables(); ++v) ASSERT_EQ(a.states(v), b.states(v));
  std::vector<State> x(a.variables(), 0);
  for (bool more = true; more;) {
    const double one = a.score(x), other = b.score(x);
    if (one == -kInf || other == -kInf) {
      EXPECT_EQ(one, other);
    } else {
      EXPECT_NEAR(one, other, tolerance * std::max(1.0, std::abs(one)));
    }
    more = false;
    for (std::size_t v = x.size(); v-- > 0 && !more;) {
      more = ++x[v] < a.states(static_cast<Variable>(v));
      if (!more) x[v] = 0;
    }
  }
}

constexpr std::string_view kPair = "MARKOV 2 2 3 2\n2 0 1\n1 1\n6 1 2 3 4 5 6\n3 0.5 0 1\n";

TEST(Uai, TheLastVariableOfAScopeChangesFastest) {
  const GraphFile file = read(kPair, GraphFormat::uai);
  EXPECT_FALSE(file.directed);
  ASSERT_EQ(file.graph.variables(), 2u);
  ASSERT_EQ(file.graph.factors(), 2u);
  EXPECT_DOUBLE_EQ(file.graph.factor_score(0, std::vector<State>{0, 2}), std::log(3.0));
  EXPECT_DOUBLE_EQ(file.graph.factor_score(0, std::vector<State>{1, 0}), std::log(4.0));
  EXPECT_EQ(file.graph.factor_score(1, std::vector<State>{0, 1}), -kInf);
}

TEST(Uai, LineEndsMeanNothing) {
  std::string text(kPair);
  for (char& c : text) {
    if (c == ' ') c = '\n';
  }
  expect_same(read(text, GraphFormat::uai).graph, read(kPair, GraphFormat::uai).graph, 0);
}

TEST(Uai, LgHasNaturalLogarithms) {
  const GraphFile file = read("BAYES 1 2 1 1 0 2 -0.6931471805599453 -inf", GraphFormat::lg);
  EXPECT_TRUE(file.directed);
  EXPECT_DOUBLE_EQ(file.graph.score(std::vector<State>{0}), std::log(0.5));
  EXPECT_EQ(file.graph.score(std::vector<State>{1}), -kInf);
  expect_error("MARKOV 1 2 1 1 0 2 0 inf", GraphFormat::lg, "g:1:22: ", "inf");
  expect_error("MARKOV 1 2 1 1 0 2 0 nan", GraphFormat::lg, "g:1:22: ", "nan");
  expect_error("MARKOV 1 2 1 1 0 2 0 1e301", GraphFormat::lg, "g:1:22: ", "1e301");
  expect_error("MARKOV 1 2 1 1 0 2 0 -1e301", GraphFormat::lg, "g:1:22: ", "-1e301");
}

TEST(Uai, WhatIsWrittenReadsBackTheSame) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const Shape shapes[] = {Shape::tree, Shape::higher_order, Shape::grid};
    const GraphFile file{
        .graph = random_graph(
            {.shape = shapes[seed % 3], .variables = 5, .zeros = seed % 2 == 0 ? 0.3 : 0}, random),
        .names = {}};
    expect_same(read(write_uai(file), GraphFormat::uai).graph, file.graph, 1e-14);
    expect_same(read(write_lg(file), GraphFormat::lg).graph, file.graph, 0);
  }
}

TEST(Uai, AScoreBeyondTheRangeOfWeightsIsRefusedButInLg) {
  for (const double score : {800.0, -800.0}) {
    GraphFile file;
    const Variable v = file.graph.add_variable(1);
    file.graph.add_factor({v}, file.graph.add_table(std::vector{score}));
    EXPECT_THROW(write_uai(file), Error);
    EXPECT_EQ(read(write_lg(file), GraphFormat::lg).graph.score(std::vector<State>{0}), score);
  }
}

TEST(Uai, FaultsAreNamedWithTheirPlace) {
  const auto uai = GraphFormat::uai;
  expect_error("", uai, "g: the file ends", "MARKOV");
  expect_error("MARKO 1 2", uai, "g:1:1: ", "MARKO");
  expect_error("MARKOV\n1\n0\n", uai, "g:3:1: ", "at least one state");
  expect_error("MARKOV\n1\n2\n1\n1 1\n", uai, "g:5:3: ", "more than 0");
  expect_error("MARKOV\n2\n2 2\n1\n2 1 1\n", uai, "g:5:5: ", "twice");
  expect_error("MARKOV\n1\n2\n1\n1 0\n3\n1 1 1\n", uai, "g:6:1: ", "joint states");
  expect_error("MARKOV\n1\n2\n1\n1 0\n2\n1 -1\n", uai, "g:7:3: ", "\"-1\"");
  expect_error("MARKOV\n1\n2\n1\n1 0\n2\n1 x\n", uai, "g:7:3: ", "\"x\"");
  expect_error("MARKOV\n1\n2\n1\n1 0\n2\n1 inf\n", uai, "g:7:3: ", "inf");
  expect_error("MARKOV\n1\n2\n1\n1 0\n2\n1\n", uai, "g:7", "cut off");
  expect_error("MARKOV\n1\n2\n1\n1 0\n2\n1 1\n7\n", uai, "g:8:1: ", "more after");
  expect_error("BAYES\n1\n2\n1\n0\n", uai, "g:5:1: ", "no variable");
}

TEST(Uai, TablesOfANetworkCountAsTheyAreWrittenAndTheNotesSaySo) {
  const auto notes = [](const std::string& tables) {
    return read("BAYES 2 2 2 2 1 0 2 0 1 2 " + tables, GraphFormat::uai).notes;
  };
  EXPECT_TRUE(notes("0.2 0.8 4 0.5 0.5 0.3333333 0.6666666").empty());
  const std::vector<Message> said = notes("0.2 0.5 4 0.5 0.5 0.33 0.66");
  ASSERT_EQ(said.size(), 1u);
  EXPECT_TRUE(said[0].text().starts_with("g: probabilities of variable 0 add up to 0.7"));
  EXPECT_EQ(notes("0.2 0.8 4 0.5 0.5 0.33 0.66")[0].text().substr(0, 32),
            "g: probabilities of variable 1 a");
  EXPECT_TRUE(read("MARKOV 1 2 1 1 0 2 1 5", GraphFormat::uai).notes.empty());
}

TEST(Uai, CountsThatPromiseTooMuchTakeNoMemory) {
  // Each would be gigabytes if it were believed.
  for (const char* text :
       {"MARKOV 4000000000 2 2", "MARKOV 1 2 4000000000 1 0",
        "MARKOV 1 4000000000 1 1 0 4000000000 1", "MARKOV 2 65536 65536 1 2 0 1 4294967296 1"}) {
    EXPECT_NE(error_of(text, GraphFormat::uai), "") << text;
  }
  EXPECT_NE(error_of("1\n40 0 1", GraphFormat::fg), "");
  EXPECT_NE(error_of("1\n2 0 1 4000000000 4000000000 100000 0 1", GraphFormat::fg), "");
}

TEST(Uai, EvidenceHasTwoDialects) {
  const FactorGraph graph = read(kPair, GraphFormat::uai).graph;
  const auto evidence = [&](std::string_view text) {
    return read_uai_evidence(LineReader(text, "e"), graph);
  };
  const Evidence both{1, 2}, one{kUnobserved, 2}, none{kUnobserved, kUnobserved};
  EXPECT_EQ(evidence("2 0 1 1 2"), both);
  EXPECT_EQ(evidence("1\n2 0 1 1 2\n"), both);
  EXPECT_EQ(evidence("1 1 2"), one);
  EXPECT_EQ(evidence("1\n1 1 2"), one);
  EXPECT_EQ(evidence("0\n"), none);
  EXPECT_THROW(evidence(""), InputError);  // a file that was not written to its end, say
  EXPECT_THROW(evidence(" \n\n"), InputError);
  EXPECT_EQ(evidence("1\n0\n"), none);
  EXPECT_THROW(evidence("1 2 0"), InputError);
  EXPECT_THROW(evidence("1 1 3"), InputError);
  EXPECT_THROW(evidence("2 1 0 1 1"), InputError);
  EXPECT_THROW(evidence("2\n1 0 1"), InputError);
  EXPECT_THROW(evidence("x"), InputError);
}

TEST(Fg, TheFirstVariableOfAScopeChangesFastest) {
  const GraphFile file = read(
      "# two and three states\n1\n\n2\n0 1\n2 3\n5\n0 1\n1 2 # here, too\n"
      "2 3\n3 4\n5 6\n",
      GraphFormat::fg);
  const auto weight = [&](State a, State b) {
    return std::exp(file.graph.score(std::vector<State>{a, b}));
  };
  EXPECT_TRUE(file.names.variables.empty());
  EXPECT_NEAR(weight(1, 0), 2, 1e-12);
  EXPECT_NEAR(weight(0, 1), 3, 1e-12);
  EXPECT_NEAR(weight(1, 1), 4, 1e-12);
  EXPECT_EQ(weight(0, 2), 0);  // not listed
  EXPECT_NEAR(weight(1, 2), 6, 1e-12);
}

TEST(Fg, AScopeNeedNotBeInOrderNorLabelsWithoutGaps) {
  const GraphFile file = read("1\n\n2\n9 4\n3 2\n2\n1 5\n3 7\n", GraphFormat::fg);
  EXPECT_EQ(file.names.variables, (std::vector<std::string>{"4", "9"}));
  EXPECT_EQ(file.graph.states(0), 2u);
  EXPECT_NEAR(file.graph.score(std::vector<State>{0, 1}), std::log(5), 1e-12);
  EXPECT_NEAR(file.graph.score(std::vector<State>{1, 0}), std::log(7), 1e-12);
  EXPECT_EQ(find_variable(file, "9"), 1u);
  EXPECT_THROW(find_variable(file, "1"), UsageError);
}

TEST(Fg, FewEntriesOfAHugeTableAreASparseOne) {
  std::string text = "1\n40\n";
  for (int v = 0; v < 40; ++v) text += std::to_string(v) + " ";
  for (int v = 0; v < 40; ++v) text += "2 ";
  const GraphFile file = read(text + "\n1\n1099511627775 0.5\n", GraphFormat::fg);
  EXPECT_EQ(file.graph.potential(0).kind, PotentialKind::sparse);
  EXPECT_NEAR(file.graph.score(std::vector<State>(40, 1)), std::log(0.5), 1e-15);
  EXPECT_EQ(file.graph.score(std::vector<State>(40, 0)), -kInf);
}

TEST(Fg, FaultsAreNamedWithTheirPlace) {
  const auto fg = GraphFormat::fg;
  expect_error("", fg, "g: the file ends", "number of factors");
  expect_error("1\n1\n0\n2\n3\n", fg, "g:5:1: ", "more than 2");
  expect_error("1\n1\n0\n2\n1\n2 1\n", fg, "g:6:1: ", "more than 1");
  expect_error("1\n1\n0\n2\n2\n0 1\n0 1\n", fg, "g:7:3: ", "twice");
  expect_error("2\n1\n0\n2\n0\n1\n0\n3\n0\n", fg, "g:8:1: ", "2 states before");
  expect_error("1\n2\n0 0\n", fg, "g:3:3: ", "twice");
  expect_error("1\n1\n0\n2\n1\n0 -2\n", fg, "g:6:3: ", "\"-2\"");
  expect_error("0\n5\n", fg, "g:2:1: ", "more after");
}

constexpr std::string_view kSprinkler = R"(// wet grass
network sprinkler { property author = "nobody"; }
variable rain { type discrete [ 2 ] { yes, no }; }
variable sprinkler { property position = (1, 2); type discrete [ 2 ] { on, off }; }
variable grass {
  type discrete[3] { "very wet", wet, dry };
}
probability ( rain ) { table 0.2, 0.8; }
probability ( sprinkler | rain ) {
  (no) 0.4, 0.6;   /* rows in
  any order */
  (yes) 0.01, 0.99;
}
probability ( grass | sprinkler, rain ) {
  default 0.3, 0.5, 0.2;
  (off, no) 0, 0.1, 0.9;
}
)";

TEST(Bif, RowsAreOfTheParentsStates) {
  const GraphFile file = read(kSprinkler, GraphFormat::bif);
  EXPECT_TRUE(file.directed);
  EXPECT_EQ(file.names.variables, (std::vector<std::string>{"rain", "sprinkler", "grass"}));
  EXPECT_EQ(file.names.states[2], (std::vector<std::string>{"very wet", "wet", "dry"}));
  const auto p = [&](Factor f, State rain, State sprinkler, State grass) {
    return std::exp(file.graph.factor_score(f, std::vector<State>{rain, sprinkler, grass}));
  };
  EXPECT_NEAR(p(0, 0, 0, 0), 0.2, 1e-15);
  EXPECT_NEAR(p(1, 0, 0, 0), 0.01, 1e-15);
  EXPECT_NEAR(p(1, 1, 0, 0), 0.4, 1e-15);
  EXPECT_NEAR(p(2, 1, 1, 2), 0.9, 1e-15);
  EXPECT_NEAR(p(2, 0, 1, 1), 0.5, 1e-15);
  EXPECT_EQ(p(2, 1, 1, 0), 0);
  EXPECT_NEAR(brute_force(file.graph).log_partition, 0, 1e-14);
}

TEST(Bif, ATableOfAllHasTheChildSlowest) {
  const std::string head =
      "variable a { type discrete [2] { x, y }; } variable b { type discrete [3] { p, q, r }; }\n"
      "probability ( a ) { table 0.5 0.5; }\n";
  const GraphFile one = read(head + "probability ( b | a ) { table 0.1, 0.2, 0.3, 0.5, 0.6, 0.3; }",
                             GraphFormat::bif);
  const GraphFile other = read(
      head + "probability ( b | a ) { (x) 0.1, 0.3, 0.6; (y) 0.2, 0.5, 0.3; }", GraphFormat::bif);
  expect_same(one.graph, other.graph, 0);
}

TEST(Bif, WhatIsWrittenReadsBackTheSame) {
  const GraphFile file = read(kSprinkler, GraphFormat::bif);
  const GraphFile again = read(write_bif(file), GraphFormat::bif);
  EXPECT_EQ(again.names.variables, file.names.variables);
  EXPECT_EQ(again.names.states, file.names.states);
  expect_same(again.graph, file.graph, 1e-15);
  const GraphFile by_way_of_uai = read(write_uai(file), GraphFormat::uai);
  EXPECT_TRUE(by_way_of_uai.directed);
  expect_same(read(write_bif(by_way_of_uai), GraphFormat::bif).graph, file.graph, 1e-15);
}

TEST(Bif, OnlyABayesianNetworkCanBeWritten) {
  EXPECT_THROW(write_bif(read(kPair, GraphFormat::uai)), UsageError);
  EXPECT_THROW(write_bif(read("BAYES 1 2 2 1 0 1 0 2 1 1 2 1 1", GraphFormat::uai)), UsageError);
}

TEST(Bif, FaultsAreNamedWithTheirPlace) {
  const auto bif = GraphFormat::bif;
  const std::string a = "variable a { type discrete [2] { x, y }; }\n";
  expect_error("", bif, "g: the file ends", "a variable");
  expect_error("graph", bif, "g:1:1: ", "network, variable or probability");
  expect_error(a, bif, "g: ", "without a probability block");
  expect_error(a + a, bif, "g:2:10: ", "two variables");
  expect_error("variable a { type continuous; }", bif, "g:1:19: ", "discrete");
  expect_error("variable a { type discrete [3] { x, y }; }", bif, "g:1:29: ", "lists 2 states");
  expect_error("variable a { type discrete [2] { x, x }; }", bif, "g:1:37: ", "one name");
  expect_error(a + "probability ( b ) { table 1, 0; }", bif, "g:2:15: ", "\"b\"");
  expect_error(a + "probability ( a | a ) { }", bif, "g:2:19: ", "twice");
  expect_error(a + "probability ( a ) { }", bif, "g:2:15: ", "needs 1 rows");
  expect_error(a + "probability ( a ) { table 0.5, 0.6; }", bif, "g:2:21: ", "add up to");
  expect_error(a + "probability ( a ) { table 0.5, -0.5; }", bif, "g:2:32: ", "probability");
  expect_error(a + "probability ( a ) { table 1; }", bif, "g:2:21: ", "joint states");
  expect_error(a + "probability ( a ) { table 1, 0; table 1, 0; }", bif, "g:2:33: ", "twice");
  expect_error(a + "probability ( a ) { table 1, 0", bif, "g:2", "cut off");
  expect_error("/* network", bif, "g:1:1: ", "does not end");
  expect_error("network \"a", bif, "g:1:9: ", "quoted");
}

TEST(GraphFile, TheExtensionOrTheFirstWordSaysTheFormat) {
  const std::string folder = testing::TempDir();
  const auto format_of = [&](const std::string& name, std::string_view text) {
    std::ofstream(folder + name) << text;
    return read_graph(folder + name);
  };
  EXPECT_EQ(format_of("g.UAI", kPair).graph.factors(), 2u);
  EXPECT_EQ(format_of("g.txt", kPair).graph.factors(), 2u);
  EXPECT_EQ(format_of("g.LG", "MARKOV 1 2 1 1 0 2 -1 -2").graph.numbers(0)[1], -2);
  EXPECT_EQ(format_of("fg_file", "# c\n0\n").graph.factors(), 0u);
  EXPECT_EQ(format_of("bif_file", kSprinkler).graph.variables(), 3u);
  EXPECT_THROW(format_of("nothing", "hello\n"), InputError);
  EXPECT_THROW(format_of("empty", ""), InputError);
  EXPECT_THROW(graph_format("uia"), UsageError);
}

TEST(GraphFile, ObservationsAreByNameOrNumber) {
  const GraphFile file = read(kSprinkler, GraphFormat::bif);
  Evidence evidence;
  observe(file, "grass=very wet", evidence);
  observe(file, "rain=1", evidence);
  observe(file, "rain=no", evidence);
  EXPECT_EQ(evidence, (Evidence{1, kUnobserved, 0}));
  for (const char* text :
       {"rain", "rain=maybe", "rain=2", "snow=yes", "0=yes", "=yes", "rain=yes"}) {
    EXPECT_THROW(observe(file, text, evidence), UsageError) << text;
  }
  const GraphFile numbers = read(kPair, GraphFormat::uai);
  Evidence other;
  observe(numbers, "1=2", other);
  EXPECT_EQ(other, (Evidence{kUnobserved, 2}));
  for (const char* text : {"2=0", "1=3", "-1=0", "1=1", "x=1"}) {
    EXPECT_THROW(observe(numbers, text, other), UsageError) << text;
  }
}

TEST(GraphFile, NamesMayHaveAnEqualSign) {
  const GraphFile file = read(
      "variable a=b { type discrete [2] { <=5, >5 }; } probability ( a=b ) { table 0.5, 0.5; }",
      GraphFormat::bif);
  Evidence evidence;
  observe(file, "a=b=<=5", evidence);
  EXPECT_EQ(evidence, (Evidence{0}));
}

}  // namespace
}  // namespace croft::graph_file_test
