// Networks of other programs: JavaBayes' BIF, XMLBIF, Hugin's .net, GeNIe's .xdsl.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "croft/core/error.h"
#include "croft/data/graph_file.h"
#include "croft/inference/graph_brute_force.h"
#include "structure/directed_cycle.h"

namespace croft::network_file_test {
namespace {

GraphFile read(std::string_view text, GraphFormat format) {
  return read_graph(LineReader(text, "g"), format);
}

void expect_error(std::string_view text, GraphFormat format, std::string_view place,
                  std::string_view mentions) {
  try {
    read(text, format);
    ADD_FAILURE() << "no error: " << text;
  } catch (const InputError& error) {
    const std::string what = error.what();
    EXPECT_TRUE(what.starts_with(place)) << what << "\n" << text;
    EXPECT_NE(what.find(mentions), what.npos) << what << "\n" << text;
  }
}

double p(const GraphFile& file, Factor f, std::vector<State> states) {
  return std::exp(file.graph.score_of(f, states));
}

constexpr const char* kHead = R"bif(
variable "rain" { type discrete[2] { "yes" "no" }; property "position = (10, -2.5)" ; }
variable grass { property position = (30, 40) ; type discrete[2] { wet dry }; }
)bif";

TEST(JavaBayes, TheFirstNameIsTheVariableAndTheOthersAreItsParents) {
  const GraphFile file = read(std::string(kHead) +
                                  "probability ( \"rain\" ) { table 0.3 0.7 ; }\n"
                                  "probability ( grass \"rain\" ) { table 0.9 0.2 0.1 0.8 ; }",
                              GraphFormat::bif);
  EXPECT_NEAR(p(file, 1, {0, 0}), 0.9, 1e-15);
  EXPECT_NEAR(p(file, 1, {1, 0}), 0.2, 1e-15);
  ASSERT_EQ(file.places.size(), 2u);
  EXPECT_EQ(file.places[0].y, -2.5);
  EXPECT_EQ(file.places[1].x, 30);
  const GraphFile again = read(write_bif(file), GraphFormat::bif);
  ASSERT_EQ(again.places.size(), 2u);
  EXPECT_EQ(again.places[0].y, -2.5);
}

TEST(Bif, RowsThatAreRoundedAreNormalisedAndSaidOnce) {
  const std::string head = "variable a { type discrete [ 3 ] { x, y, z }; }\n";
  const auto file_of = [&](const std::string& row) {
    return read(head + "probability ( a ) { table " + row + "; }", GraphFormat::bif);
  };
  for (const char* row : {"0.33, 0.33, 0.33", "0.25, 0.25, 0.491"}) {
    const GraphFile file = file_of(row);
    EXPECT_NEAR(p(file, 0, {0}) + p(file, 0, {1}) + p(file, 0, {2}), 1, 1e-15);
    ASSERT_EQ(file.notes.size(), 1u);
    EXPECT_TRUE(file.notes[0].text().starts_with("g:2:21: probabilities of a add up to 0.99"));
  }
  EXPECT_NEAR(p(file_of("0.333333, 0.333333, 0.333333"), 0, {1}), 1 / 3., 1e-15);
  EXPECT_TRUE(file_of("0.333333, 0.333333, 0.333333").notes.empty());
  EXPECT_TRUE(file_of("0.1, 0.2, 0.7").notes.empty());
  expect_error(head + "probability ( a ) { table 0.3, 0.3, 0.38; }", GraphFormat::bif,
               "g:2:21: ", "add up to: \"0.98");
  expect_error(head + "probability ( a ) { default 0.2, 0.3, 0.5; default 0.3, 0.2, 0.5; }",
               GraphFormat::bif, "g:2:44: ", "second default");
}

TEST(JavaBayes, MinusOneIsANumberThatIsNotGiven) {
  const std::string rain = std::string(kHead) + "probability ( rain ) { table 0.3 0.7 ; }\n";
  const GraphFile file = read(rain +
                                  "probability ( grass rain ) { table -1 ; default 0.2 0.8;"
                                  " (yes) 0.9 0.1; (no) -1 -1; }",
                              GraphFormat::bif);
  EXPECT_NEAR(p(file, 1, {0, 0}), 0.9, 1e-15);
  EXPECT_NEAR(p(file, 1, {1, 0}), 0.2, 1e-15);
  expect_error(rain + "probability ( grass rain ) { table -1 -1 -1 -1; }", GraphFormat::bif,
               "g:5:", "needs 2 rows");
  expect_error(rain + "probability ( grass rain ) { table 0.9 0.2 -1 0.8; }", GraphFormat::bif,
               "g:5:", "in part");
}

std::string xmlbif(std::string_view table, std::string_view before = "") {
  return std::string(before) +
         "<BIF VERSION=\"0.3\"><NETWORK><NAME>n</NAME>\n"
         "<VARIABLE TYPE=\"nature\"><NAME> a </NAME><OUTCOME>x</OUTCOME><OUTCOME>y</OUTCOME>"
         "<PROPERTY>position = (1, 2)</PROPERTY></VARIABLE>\n"
         "<DEFINITION><FOR>b</FOR><GIVEN>a</GIVEN><TABLE>" +
         std::string(table) +
         "</TABLE></DEFINITION>\n"
         "<VARIABLE><NAME>b</NAME><OUTCOME>p</OUTCOME><OUTCOME>q</OUTCOME>"
         "<OUTCOME>r &amp; s</OUTCOME><PROPERTY>position = (3, 4)</PROPERTY></VARIABLE>\n"
         "<DEFINITION><FOR>a</FOR><TABLE>0.25 0.75</TABLE></DEFINITION>\n"
         "</NETWORK></BIF>";
}

TEST(XmlBif, TheVariablesOwnStateChangesFastest) {
  const GraphFile file = read(
      xmlbif("0.1 0.2 <!-- a = x --> 0.7\n 0.5 0.3 0.2", "<!DOCTYPE BIF [<!ELEMENT BIF ANY>]>"),
      GraphFormat::xmlbif);
  EXPECT_TRUE(file.directed);
  EXPECT_EQ(file.names.variables, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(file.names.states[1][2], "r & s");
  EXPECT_NEAR(p(file, 1, {0, 2}), 0.7, 1e-15);
  EXPECT_NEAR(p(file, 1, {1, 0}), 0.5, 1e-15);
  EXPECT_EQ(file.places[1].x, 3);
  EXPECT_NEAR(brute_force(file.graph).log_partition, 0, 1e-14);
}

TEST(XmlBif, FaultsAreNamedWithTheirPlace) {
  const auto xml = GraphFormat::xmlbif;
  expect_error("", xml, "g", "no element found");
  expect_error("<BIF><NETWORK></BIF>", xml, "g:1:", "mismatched tag");
  expect_error("<BIF/>", xml, "g:1:1: ", "NETWORK");
  expect_error("<smile/>", xml, "g:1:1: ", "BIF");
  expect_error("<BIF><NETWORK/></BIF>", xml, "g: ", "without a variable");
  expect_error(xmlbif("0.1 0.2 0.7"), xml, "g:3:1: ", "6 numbers");
  expect_error(xmlbif("0.1 0.2 0.6 1 0 0"), xml, "g:3:1: ", "add up to");
  expect_error(xmlbif("0.1 0.2 0.7 2 -1 0"), xml, "g:3:1: ", "below 0");
  expect_error(xmlbif("0.1 0.2 nan 1 0 0"), xml, "g:3:", "nan");
  expect_error("<BIF><NETWORK><VARIABLE TYPE='x'><NAME>a</NAME></VARIABLE></NETWORK></BIF>", xml,
               "g:1:15: ", "nature, decision and utility");
}

TEST(XmlBif, NoEntityIsDefinedAndNoDepthIsEndless) {
  const auto xml = GraphFormat::xmlbif;
  expect_error("<!DOCTYPE BIF [<!ENTITY a 'aa'>]><BIF>&a;</BIF>", xml, "g:1:", "entities");
  expect_error("<!DOCTYPE BIF SYSTEM 'x.dtd'><BIF>&a;</BIF>", xml, "g:1:", "entity");
  std::string deep;
  for (int k = 0; k < 100000; ++k) deep += "<a>";
  expect_error(deep, xml, "g:1:", "64 deep");
}

constexpr const char* kNet = R"net(net { node_size = (80 40); note = "say \"a\""; }  % a comment
node a { states = ("x" "y"); position = (10 20); label = "first ; }"; }
node b { states = ("p" "q" "r"); position = (1 2); }
decision d { states = ("go" "stay"); position = (5 6); }
utility u { position = (7 8); }
)net";

std::string net(std::string_view b, std::string_view d = "", std::string_view u = "1 2 3 4") {
  return std::string(kNet) +
         "potential (a) { data = (0.25 0.75); }\npotential (b | a) { data = " + std::string(b) +
         "; }\npotential (d | b) { " + std::string(d) + "}\npotential (u | a d) { data = (" +
         std::string(u) + "); }\n";
}

TEST(HuginNet, TablesGoByTheirParentsAndDecisionsByWhatIsKnown) {
  for (const char* data : {"((0.1 0.2 0.7)(0.5 0.3 0.2))", "(0.1 0.2 0.7 0.5 0.3 0.2)"}) {
    const GraphFile file = read(net(data), GraphFormat::net);
    EXPECT_EQ(file.names.variables, (std::vector<std::string>{"a", "b", "d"}));
    EXPECT_EQ(file.graph.factors(), 2u);
    EXPECT_NEAR(p(file, 1, {1, 0}), 0.5, 1e-15);
    ASSERT_EQ(file.decisions.size(), 1u);
    EXPECT_EQ(file.decisions[0].variable, 2u);
    EXPECT_EQ(file.decisions[0].known, (std::vector<Variable>{1}));
    ASSERT_EQ(file.utilities.size(), 1u);
    EXPECT_EQ(file.utilities[0].scope, (std::vector<Variable>{0, 2}));
    EXPECT_EQ(file.utilities[0].values, (std::vector<double>{1, 2, 3, 4}));
    EXPECT_EQ(file.places[0].y, 20);
    EXPECT_THROW(write_bif(file), UsageError);
    EXPECT_THROW(write_uai(file), UsageError);
  }
}

TEST(HuginNet, FaultsAreNamedWithTheirPlace) {
  const auto hugin = GraphFormat::net;
  const char* good = "(0.1 0.2 0.7 0.5 0.3 0.2)";
  expect_error("continuous node x { }", hugin, "g:1:1: ", "not supported");
  expect_error("node x { states = (\"a\" \"a\"); }", hugin, "g:1:6: ", "one name");
  expect_error("node x { states = (\"a\"", hugin, "g", "cut off");
  expect_error("node x { }", hugin, "g:1:6: ", "without states");
  expect_error(std::string(kNet), hugin, "g:2:6: ", "without a table");
  expect_error(net("(0.1 0.2 (0.7 0.5 0.3) 0.2)"), hugin, "g:7:", "as deep");
  expect_error(net("((0.1 0.2)(0.7 0.5 0.3 0.2))"), hugin, "g:7:", "as long");
  expect_error(net("(0.1 0.2 0.7)"), hugin, "g:7:12: ", "6 numbers");
  expect_error(net("(0.1 0.2 normal)"), hugin, "g:7:", "expressions");
  expect_error(net(good, "data = (1 2);"), hugin, "g:8:12: ", "decision has a table");
  expect_error(net(good, "model_nodes = ();"), hugin, "g:8:", "expressions");
  expect_error(net(good, "", "1 2 3"), hugin, "g:9:12: ", "4 numbers");
  expect_error(net(good) + "potential (a) { data = (1 0); }", hugin, "g:10:12: ", "twice");
  expect_error("potential (z) { }", hugin, "g:1:12: ", "no node");
}

std::string xdsl(std::string_view nodes) {
  return "<smile version=\"1.0\"><nodes>\n"
         "<cpt id=\"a\"><state id=\"hi\"/><state id=\"mid\"/><state id=\"lo\"/>"
         "<probabilities>0.2 0.3 0.5</probabilities></cpt>\n"
         "<cpt id=\"b\"><state id=\"no\"/><state id=\"yes\"/>"
         "<probabilities>0.6 0.4</probabilities></cpt>\n" +
         std::string(nodes) + "</nodes></smile>";
}

std::string noisy(std::string_view strengths, std::string_view parameters) {
  return xdsl(
      "<noisymax id=\"y\"><state id=\"2\"/><state id=\"1\"/><state id=\"0\"/>"
      "<parents>a b</parents><strengths>" +
      std::string(strengths) + "</strengths><parameters>" + std::string(parameters) +
      "</parameters></noisymax>");
}

// The strongest of the causes' own effects and of the leak, by all of these.
TEST(Xdsl, NoisyMaxIsTheStrongestOfIndependentEffects) {
  const double of_a[3][3] = {{0.6, 0.3, 0.1}, {0.2, 0.2, 0.6}, {0, 0, 1}};
  const double of_b[2][3] = {{0, 0, 1}, {0.5, 0.4, 0.1}};
  const double leak[3] = {0.05, 0.15, 0.8};
  // State "yes" of b, the second one, is the stronger; by state, and by strength.
  for (const char* parameters :
       {"0.6 0.3 0.1 0.2 0.2 0.6 0 0 1  0 0 1 0.5 0.4 0.1  0.05 0.15 0.8",
        "0.6 0.3 0.1 0.2 0.2 0.6 0 0 1  0.5 0.4 0.1 0 0 1  0.05 0.15 0.8"}) {
    const GraphFile file = read(noisy("0 1 2 1 0", parameters), GraphFormat::xdsl);
    for (State a = 0; a < 3; ++a) {
      for (State b = 0; b < 2; ++b) {
        std::vector<double> wanted(3, 0);
        for (State i = 0; i < 3; ++i) {
          for (State j = 0; j < 3; ++j) {
            for (State k = 0; k < 3; ++k) {
              wanted[std::min({i, j, k})] += of_a[a][i] * of_b[b][j] * leak[k];
            }
          }
        }
        for (State y = 0; y < 3; ++y) EXPECT_NEAR(p(file, 2, {a, b, y}), wanted[y], 1e-12);
      }
    }
  }
}

TEST(Xdsl, SumsOfUtilitiesWeighWhatTheyAddUp) {
  const GraphFile file = read(
      xdsl("<decision id=\"d\"><state id=\"x\"/><state id=\"y\"/><parents>b</parents></decision>"
           "<deterministic id=\"c\"><state id=\"x\"/><state id=\"y\"/><parents>b</parents>"
           "<resultingstates>y x</resultingstates></deterministic>"
           "<utility id=\"u\"><parents>d</parents><utilities>1 2</utilities></utility>"
           "<utility id=\"v\"><parents>b</parents><utilities>3 4</utilities></utility>"
           "<mau id=\"m\"><parents>u v</parents><weights>1 0.5</weights></mau>"),
      GraphFormat::xdsl);
  EXPECT_EQ(file.names.variables, (std::vector<std::string>{"a", "b", "d", "c"}));
  EXPECT_EQ(p(file, 2, {0, 1}), 1);
  EXPECT_EQ(p(file, 2, {1, 1}), 0);
  ASSERT_EQ(file.utilities.size(), 2u);
  EXPECT_EQ(file.utilities[1].values, (std::vector<double>{1.5, 2}));
  EXPECT_EQ(file.decisions[0].known, (std::vector<Variable>{1}));
}

TEST(Xdsl, FaultsAreNamedWithTheirPlace) {
  const auto format = GraphFormat::xdsl;
  expect_error(xdsl("<equation id=\"e\"/>"), format, "g:4:1: ", "not supported");
  expect_error(xdsl("<cpt><state id=\"x\"/></cpt>"), format, "g:4:1: ", "attribute");
  expect_error(xdsl("<cpt id=\"a\"><state id=\"x\"/></cpt>"), format, "g:4:1: ", "one name");
  expect_error(xdsl("<cpt id=\"c\"><state id=\"x\"/></cpt>"), format, "g:4:1: ", "probabilities");
  expect_error(noisy("0 1 2 1", "1"), format, "g:4:", "18 numbers");
  const char* good = "0.6 0.3 0.1 0.2 0.2 0.6 0 0 1  0 0 1 0.5 0.4 0.1  0.05 0.15 0.8";
  expect_error(noisy("0 1 2 1", good), format, "g:4:", "as many as");
  expect_error(noisy("0 1 2 1 1", good), format, "g:4:", "no order");
  expect_error(noisy("0 1 2 1 9", good), format, "g:4:", "counts from 0");
  expect_error(noisy("2 1 0 1 0", "0.6 0.3 0.1 0.2 0.2 0.6 0 0.1 0.9  0 0 1 0.5 0.4 0.1  0 0 1"),
               format, "g:4:", "0 … 0 1");
}

TEST(Formats, TheBeginningSaysWhatTheExtensionDoesNot) {
  const std::string folder = testing::TempDir();
  const auto variables = [&](const std::string& name, std::string_view text) {
    std::ofstream(folder + name) << text;
    return read_graph(folder + name).graph.variables();
  };
  const std::string table = "0.1 0.2 0.7 0.5 0.3 0.2";
  EXPECT_EQ(variables("n.xml", "<?xml version=\"1.0\"?>\n" + xmlbif(table)), 2u);
  EXPECT_EQ(variables("n.XMLBIF", xmlbif(table)), 2u);
  EXPECT_EQ(variables("s.xml", xdsl("")), 2u);
  EXPECT_EQ(variables("s.xdsl", xdsl("")), 2u);
  EXPECT_EQ(variables("h.net", net("(" + table + ")")), 3u);
  EXPECT_EQ(variables("hugin", "% Hugin\n" + net("(" + table + ")")), 3u);
  EXPECT_EQ(variables("hugin2", net("(" + table + ")")), 3u);
  EXPECT_TRUE(is_network_file(folder + "hugin"));
  EXPECT_TRUE(is_network_file(folder + "n.xml"));
  EXPECT_FALSE(is_network_file(folder + "not there"));
  std::ofstream(folder + "words") << "netting\n";
  EXPECT_FALSE(is_network_file(folder + "words"));
}

// rain -> grass -> shoes -> rain, sun -> rain.
TEST(DirectedCycles, EveryReaderNamesTheVariablesOnThem) {
  const std::string bif = R"(variable sun { type discrete [ 2 ] { a, b }; }
variable rain { type discrete [ 1 ] { a }; }
variable grass { type discrete [ 1 ] { a }; }
variable shoes { type discrete [ 1 ] { a }; }
probability ( sun ) { table 0.5, 0.5; }
probability ( rain | sun, shoes ) { (a, a) 1; (b, a) 1; }
probability ( grass | rain ) { (a) 1; }
probability ( shoes | grass ) { (a) 1; })";
  expect_error(bif, GraphFormat::bif, "g:2", "rain -> grass -> shoes -> rain");
  expect_error(R"(<BIF><NETWORK><NAME>n</NAME>
<VARIABLE TYPE="nature"><NAME>x</NAME><OUTCOME>a</OUTCOME></VARIABLE>
<VARIABLE TYPE="nature"><NAME>y</NAME><OUTCOME>a</OUTCOME></VARIABLE>
<DEFINITION><FOR>x</FOR><GIVEN>y</GIVEN><TABLE>1</TABLE></DEFINITION>
<DEFINITION><FOR>y</FOR><GIVEN>x</GIVEN><TABLE>1</TABLE></DEFINITION></NETWORK></BIF>)",
               GraphFormat::xmlbif, "g:2", "x -> y -> x");
  expect_error(R"(net {}
node x { states = ("a"); }
node y { states = ("a"); }
potential (x | y) { data = (1); }
potential (y | x) { data = (1); })",
               GraphFormat::net, "g:2", "x -> y -> x");
  expect_error(R"(<smile version="1.0" id="n"><nodes>
<cpt id="x"><state id="a"/><parents>y</parents><probabilities>1</probabilities></cpt>
<decision id="y"><state id="a"/><parents>x</parents></decision></nodes></smile>)",
               GraphFormat::xdsl, "g:2", "x -> y -> x");
  expect_error("BAYES 2 1 1 2 2 0 1 2 1 0 1 1 1 1", GraphFormat::uai, "g", "0 -> 1 -> 0");
}

// A path of 200,000 variables back to its beginning.
TEST(DirectedCycles, LongOnesAreFoundAndShortened) {
  FactorGraph graph;
  constexpr Variable kVariables = 200000;
  for (Variable v = 0; v < kVariables; ++v) graph.add_variable(1);
  const PotentialId nothing = graph.add_table(std::vector{0.0});
  for (Variable v = 0; v + 1 < kVariables; ++v) graph.add_factor({v, v + 1}, nothing);
  EXPECT_TRUE(directed_cycle(graph).empty());
  graph.add_factor({kVariables - 1, 0}, nothing);
  const std::vector<Variable> cycle = directed_cycle(graph);
  EXPECT_EQ(cycle.size(), kVariables);
  const std::string text = cycle_text(cycle, [](Variable v) { return std::to_string(v); });
  EXPECT_TRUE(text.starts_with("0 -> 1 -> 2 -> ")) << text;
  EXPECT_TRUE(text.ends_with("… -> 199999 -> 0")) << text;
}

}  // namespace
}  // namespace croft::network_file_test
