#include "bugs/exact/discrete_model.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "bugs/compile/compile.h"
#include "bugs/exact/graph_of_model.h"
#include "bugs/language/array_files.h"
#include "bugs/language/program_parser.h"
#include "bugs/node_values.h"
#include "bugs/sampling.h"
#include "core/json.h"
#include "croft/core/random.h"
#include "support/message_of.h"

namespace croft::bugs::discrete_model_test {
namespace {

Program program_of(const std::string& text) { return parse_program(LineReader(text, "t.bug")); }

TEST(BugsExact, AsiaIsTheEnumerationOfItsNetwork) {
  const char* const folder = std::getenv("CROFT_DATA");
  const std::filesystem::path data =
      std::filesystem::path(folder ? folder : CROFT_SOURCE_DIR "/../shared/data") / "bugs";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no data at " << data;
  std::stringstream text;
  text << std::ifstream(data / "exact-asia.json").rdbuf();
  const Json expected = parse_json(text.str());
  ArrayNotes notes;
  BugsOptions options;
  options.monitors = {{"smoking"},    {"tuberculosis"}, {"lung.cancer"},
                      {"bronchitis"}, {"either"},       {"xray"}};
  const BugsResult result =
      sample(read_program(data / "vol2/asia/asia.bug"),
             read_data_files({data / "vol2/asia/asia-data.R"}, notes), {}, options);
  EXPECT_TRUE(result.traces.empty());
  ASSERT_EQ(result.exact.size(), 6u);
  for (const ExactMarginal& m : result.exact) {
    ASSERT_EQ(m.values, (std::vector<double>{1, 2})) << m.name;
    EXPECT_NEAR(m.probabilities[1],
                expected["probability_of_2"][std::string_view(m.name)].get<double>(), 1e-12)
        << m.name;
  }
  EXPECT_NEAR(std::exp(*result.log_evidence), expected["probability_of_dyspnoea_2"].get<double>(),
              1e-12);
}

// A few discrete nodes of several families, whose parameters are functions of earlier ones, with
// observed ones (continuous, too) among them.
std::string random_model(Random& random, Arrays& data) {
  std::string text = "model {\n";
  std::vector<std::string> names;
  const auto number = [&] { return std::to_string(0.1 + 0.8 * random.uniform()); };
  const auto earlier = [&]() -> std::string {
    return names.empty() ? "1" : names[random.below(names.size())];
  };
  for (int k = 0; k < 6; ++k) {
    const std::string name = "n" + std::to_string(k), a = earlier(), b = earlier();
    switch (random.below(5)) {
      case 0:
        text += name + " ~ dcat(c(" + number() + ", " + number() + " + " + a + ", equals(" + b +
                ", 1)))\n";
        break;
      case 1:
        text += name + " ~ dbern(ilogit(" + a + " - " + b + " * " + number() + "))\n";
        break;
      case 2:
        text += name + " ~ dbin(" + number() + " / (1 + " + a + "), 3)\n";
        break;
      case 3:
        text += name + " ~ dpois(1 + " + a + ") T(0, 4)\n";
        break;
      default:
        text += name + ".x <- max(" + a + ", " + b + ")\n";
        text += name + " ~ dbern(1 / (2 + " + name + ".x))\n";
    }
    names.push_back(name);
  }
  text += "seen ~ dnorm(" + earlier() + " + " + earlier() + ", 0.5)\n";
  data["seen"] = {{1}, {1.5}};
  if (random.below(2) == 0) {
    text += "held ~ dbern(1 / (1 + " + earlier() + "))\n";
    data["held"] = {{1}, {1}};
  }
  return text + "both <- " + earlier() + " * 10 + " + earlier() + "\n}\n";
}

// Counts that hang on one unknown: no value of it leaves fewer than are drawn.
TEST(BugsExact, CountsOfDhyperMayHangOnEachOther) {
  BugsOptions options;
  options.monitors = {{"a"}};
  const BugsResult result =
      sample(program_of("model { y ~ dhyper(a, b, 5, 1)  a ~ dbin(0.5, 10)  b <- 10 - a }"),
             {{"y", {{1}, {2}}}}, {}, options);
  ASSERT_EQ(result.exact.size(), 1u);
  EXPECT_EQ(result.exact[0].values, (std::vector<double>{2, 3, 4, 5, 6, 7}));
  // Five fair coins beside the two of five that are seen.
  const std::array<double, 6> ways = {1, 5, 10, 10, 5, 1};
  for (std::size_t k = 0; k < ways.size(); ++k)
    EXPECT_NEAR(result.exact[0].probabilities[k], ways[k] / 32, 1e-12) << k;
  EXPECT_NEAR(*result.log_evidence, std::log(10.0 / 32), 1e-12);
}

TEST(BugsExact, RandomDiscreteModelsEqualEnumeration) {
  Random random(11);
  for (int repeat = 0; repeat < 20; ++repeat) {
    Arrays data;
    const std::string text = random_model(random, data);
    const Program program = program_of(text);
    BugsOptions options;
    for (int k = 0; k < 6; ++k) options.monitors.push_back({"n" + std::to_string(k)});
    options.monitors.push_back({"both"});
    const BugsResult result = sample(program, data, {}, options);
    ASSERT_EQ(result.exact.size(), 7u) << text;

    const CompiledModel model = compile(program, data);
    const ModelGraph& graph = model.graph;
    std::vector<NodeId> free;
    for (NodeId n = 0; n < graph.nodes(); ++n) {
      if (!graph.node(n).observed) free.push_back(n);
    }
    std::vector<std::map<double, double>> shares(7);
    double evidence = 0;
    std::vector<double> values = graph.initial();
    std::vector<int> at(free.size(), 0);
    for (;;) {
      for (std::size_t k = 0; k < free.size(); ++k) values[graph.node(free[k]).first] = at[k];
      for (const Step& step : graph.forward()) {
        if (!step.is_node) graph.evaluate(step.id, values.data());
      }
      double log_p = 0;
      for (NodeId n = 0; n < graph.nodes(); ++n) {
        const double p = log_density_of(graph, graph.node(n), values.data());
        log_p += std::isnan(p) ? -INFINITY : p;
      }
      if (log_p > -INFINITY) {
        const double p = std::exp(log_p);
        evidence += p;
        for (int k = 0; k < 7; ++k) {
          const std::string name = k < 6 ? "n" + std::to_string(k) : "both";
          shares[k][values[graph.arrays().find(name)->second.slots[0]]] += p;
        }
      }
      std::size_t k = 0;
      while (k < at.size() && ++at[k] == 5) at[k++] = 0;
      if (k == at.size()) break;
    }
    EXPECT_NEAR(*result.log_evidence, std::log(evidence), 1e-11) << text;
    for (int k = 0; k < 7; ++k) {
      const ExactMarginal& m = result.exact[k];
      double total = 0;
      for (std::size_t v = 0; v < m.values.size(); ++v) {
        EXPECT_NEAR(m.probabilities[v], shares[k][m.values[v]] / evidence, 1e-11)
            << text << m.name << " = " << m.values[v];
        total += m.probabilities[v];
      }
      EXPECT_NEAR(total, 1, 1e-12) << text << m.name;
    }
  }
}

TEST(BugsExact, NoNumberIsAValueWithItsOwnProbability) {
  Arrays data;
  data["p"] = {{3}, {0.5, 0.3, 0.2}};
  BugsOptions options;
  options.monitors = {{"z"}};
  const BugsResult result =
      sample(program_of("model { k ~ dcat(p)  z <- log(k - 2) }"), data, {}, options);
  ASSERT_EQ(result.exact.size(), 1u);
  const ExactMarginal& z = result.exact[0];
  ASSERT_EQ(z.values.size(), 3u);
  EXPECT_EQ(z.values[0], -INFINITY);
  EXPECT_EQ(z.values[1], 0);
  EXPECT_TRUE(std::isnan(z.values[2]));
  EXPECT_NEAR(z.probabilities[0], 0.3, 1e-15);
  EXPECT_NEAR(z.probabilities[1], 0.2, 1e-15);
  EXPECT_NEAR(z.probabilities[2], 0.5, 1e-15);
  EXPECT_EQ(result.warnings, std::vector<std::string>{
                                 "no number (NaN) is the value of \"z\" (probability 0.5): there "
                                 "is no mean, deviation or quantile"});
}

TEST(BugsExact, FaultsNameTheLineAndTheNode) {
  Arrays data;
  data["p"] = {{3}, {0.5, 0.3, 0.2}};
  data["y"] = {{1}, {1}};
  const auto fault = [&](const std::string& text) {
    return message_of<InputError>([&] { sample(program_of(text), data, {}, {}); });
  };
  EXPECT_EQ(
      fault("model {\n k ~ dcat(p)\n x ~ dbern(0.4)\n y ~ dbern(step(k - 5))\n}"),
      "t.bug:4:4: an observed value is impossible, whatever the nodes are that it depends on: "
      "\"y\"");
  // A node that cannot be drawn takes no probability from what it depends on.
  EXPECT_EQ(fault("model {\n k ~ dcat(p)\n z ~ dbern(k / 2)\n}"),
            "t.bug:3:4: the parameters or bounds of this node are impossible where k is 3: \"z\"; "
            "give what they depend on a distribution that keeps them possible");
  EXPECT_EQ(fault("model {\n k ~ dcat(p)\n y ~ dbern(step(2 - k))\n z ~ dbern(k / 2)\n}"),
            "no error");
}

TEST(BugsExact, AModelIsAGraphWithNames) {
  const char* const text =
      "model { a ~ dbern(0.25)  b <- a + 1  c[1] ~ dcat(p[b,])  y ~ dnorm(c[1], 1) }";
  const Array p{{2, 2}, {0.5, 0.125, 0.5, 0.875}};
  const GraphFile open = graph_of_model(program_of("model { a ~ dbern(0.25)  b <- a + 1  "
                                                   "c[1] ~ dcat(p[b,]) }"),
                                        {{"p", p}});
  EXPECT_TRUE(open.directed);
  EXPECT_EQ(open.names.variables, (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(open.names.states[0], (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(open.names.states[1], (std::vector<std::string>{"1", "2"}));
  EXPECT_NEAR(open.graph.score(std::vector<State>{1, 1}), std::log(0.25 * 0.875), 1e-15);
  EXPECT_NEAR(open.graph.score(std::vector<State>{0, 1}), std::log(0.75 * 0.5), 1e-15);
  const GraphFile seen = graph_of_model(program_of(text), {{"p", p}, {"y", {{1}, {2}}}});
  EXPECT_FALSE(seen.directed);
  EXPECT_NEAR(seen.graph.score(std::vector<State>{1, 0}),
              std::log(0.25 * 0.125) - 0.5 - 0.5 * std::log(2 * M_PI), 1e-14);
  const std::string fault = message_of<Error>([&] {
    graph_of_model(program_of(text), {{"p", p}});
  });
  EXPECT_NE(fault.find("y (line 1) is continuous"), std::string::npos) << fault;
  EXPECT_TRUE(is_program_file("a/b.BUG"));
  EXPECT_TRUE(is_program_file("b.jags"));
  EXPECT_FALSE(is_program_file("bug"));
  EXPECT_FALSE(is_program_file("a.bug/b.uai"));
}

TEST(BugsExact, ModelsThatAreNotDiscreteAreSampledAndSayNothingOfIt) {
  BugsOptions options;
  options.chains = 1;
  options.burn_in = 10;
  options.samples = 10;
  const BugsResult result =
      sample(program_of("model { k ~ dcat(c(1, 1))  x ~ dnorm(k, 1) }"), {}, {}, options);
  EXPECT_TRUE(result.exact.empty());
  EXPECT_EQ(result.traces.size(), 2u);
  std::string why;
  const CompiledModel model = compile(program_of("model { k ~ dpois(3) }"), {});
  EXPECT_FALSE(discrete_model(model.graph, why).has_value());
  EXPECT_NE(why.find("k (line 1)"), std::string::npos) << why;
}

}  // namespace
}  // namespace croft::bugs::discrete_model_test
