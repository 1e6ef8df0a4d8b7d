// The declaration of a graph, in TOML.
#include "sql/graph_spec.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/json.h"
#include "croft/core/error.h"

namespace croft::graph_spec_test {
namespace {

constexpr const char* kVariables = R"(
[[variables]]
domain = "tag"
query = "select id from token"
)";
constexpr const char* kTemplate = R"(
[[templates]]
name = "next"
variables = ["tag", "tag"]
query = "select a, b from pair"
)";

std::string error_of(const std::string& text) {
  try {
    GraphSpec::parse(text, "s.toml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}
// Of a template with these lines besides.
std::string template_error(const std::string& lines) {
  return error_of(std::string(kVariables) + kTemplate + lines + "\n");
}

TEST(GraphSpec, HasVariablesTemplatesAndLabels) {
  const GraphSpec spec = GraphSpec::parse(R"(
[labels]
state = 3
tag = ["B", "A"]

[[variables]]
domain = "tag"
query = "select id, label from token"

[[variables]]
query = "select id, domain from other"

[[templates]]
name = "next"
variables = ["tag", "state"]
query = "select a, b, c, d from pair"
interaction = "list"
cells = [["A", "1"], ["B", "3"]]
bias = false
standardise = ["c"]
categorical = ["d"]
tie = "way"
key = "number"

  [[templates.features]]
  query = "select number, name from one"
  [[templates.features]]
  query = "select number, name, value from two"
)",
                                          "s.toml");
  ASSERT_EQ(spec.labels.size(), 2u);
  EXPECT_EQ(spec.listed("state")->labels, (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(spec.listed("tag")->labels, (std::vector<std::string>{"B", "A"}));
  EXPECT_EQ(spec.listed("word"), nullptr);
  ASSERT_EQ(spec.variables.size(), 2u);
  EXPECT_EQ(spec.variables[0].query.text, "select id, label from token");
  EXPECT_EQ(spec.variables[0].query.line, 8u);
  EXPECT_EQ(spec.variables[1].domain, "");
  ASSERT_EQ(spec.templates.size(), 1u);
  const TemplateSpec& t = spec.templates[0];
  EXPECT_EQ(t.variables, (std::vector<std::string>{"tag", "state"}));
  EXPECT_EQ(t.interaction, InteractionKind::listed);
  EXPECT_EQ(t.cells[1], (std::vector<std::string>{"B", "3"}));
  EXPECT_FALSE(t.bias);
  EXPECT_EQ(t.tie, WeightTie::column);
  EXPECT_EQ(t.tie_column, "way");
  EXPECT_EQ(t.key, "number");
  ASSERT_EQ(t.features.size(), 2u);
  EXPECT_EQ(t.features[1].text, "select number, name, value from two");
  EXPECT_EQ(spec.domains(), (std::vector<std::string>{"tag", "state"}));
}

TEST(GraphSpec, DefaultsAreAFullTableABiasAndTiedWeights) {
  const TemplateSpec t = GraphSpec::parse(std::string(kVariables) + kTemplate, "s").templates[0];
  EXPECT_EQ(t.interaction, InteractionKind::table);
  EXPECT_TRUE(t.bias);
  EXPECT_EQ(t.tie, WeightTie::all);
  EXPECT_FALSE(t.standardise_all);
}

TEST(GraphSpec, WhatIsNoTomlSaysWhere) {
  EXPECT_NE(error_of("a = \n").find("s.toml:1:"), std::string::npos);
  EXPECT_NE(error_of("a = \n").find("no TOML"), std::string::npos);
  EXPECT_EQ(error_of("a = in\n\n").find('\n'), std::string::npos);
  EXPECT_NE(error_of("x = \"\xff\"").find("no TOML"), std::string::npos);
}

TEST(GraphSpec, UnknownKeysAreRefusedWithThoseThereAre) {
  EXPECT_EQ(error_of("variable = 1\n"),
            "s.toml:1:1: the file: there is no such key: \"variable\"; there are variables, "
            "templates, labels, blocks");
  const std::string spelt = template_error("standardize = true");
  EXPECT_TRUE(spelt.starts_with(
      "s.toml:10:1: template 'next': there is no such key: \"standardize\"; there are name, "
      "variables, query, interaction, cells, bias, tie, standardise, categorical, key, features"))
      << spelt;
  EXPECT_NE(error_of("[[variables]]\nquerry = \"x\"").find("there are domain, query"),
            std::string::npos);
  EXPECT_NE(
      template_error("[[templates.features]]\nquery = \"x\"\nvalue = \"y\"")
          .find("template 'next', features: there is no such key: \"value\"; there are query"),
      std::string::npos);
}

TEST(GraphSpec, WhatIsMissingIsNamed) {
  EXPECT_NE(error_of("").find("no [[variables]]"), std::string::npos);
  EXPECT_NE(error_of(kVariables).find("no [[templates]]"), std::string::npos);
  EXPECT_NE(error_of("[[variables]]\ndomain = \"a\"").find("'query' is missing"),
            std::string::npos);
  const std::string variables = kVariables;
  EXPECT_NE(error_of(variables + "[[templates]]\nquery = \"x\"").find("'name' is missing"),
            std::string::npos);
  EXPECT_NE(error_of(variables + "[[templates]]\nname = \"a\"\nquery = \"x\"")
                .find("template 'a': 'variables' is missing"),
            std::string::npos);
  EXPECT_NE(error_of(variables + "[[templates]]\nname = \"a\"\nvariables = [\"tag\"]")
                .find("template 'a': 'query' is missing"),
            std::string::npos);
}

TEST(GraphSpec, ValuesOfAnotherTypeAreRefused) {
  EXPECT_NE(template_error("bias = 1").find("'bias' is neither true nor false"), std::string::npos);
  EXPECT_NE(template_error("interaction = 3").find("'interaction' is no text"), std::string::npos);
  EXPECT_NE(
      template_error("interaction = \"potts\"")
          .find("there is no interaction 'potts'; there are table, same, same-label, ordinal, "
                "list"),
      std::string::npos);
  EXPECT_NE(template_error("standardise = \"a\"").find("no list of texts"), std::string::npos);
  EXPECT_NE(template_error("categorical = [1]").find("is no text"), std::string::npos);
  EXPECT_NE(template_error("tie = \"\"").find("'tie' is empty"), std::string::npos);
  EXPECT_NE(template_error("features = 1").find("no list of tables"), std::string::npos);
  EXPECT_NE(error_of("variables = [1]").find("no list of tables"), std::string::npos);
  EXPECT_NE(error_of("labels = 1").find("'labels' is no table"), std::string::npos);
  EXPECT_NE(error_of("[labels]\na = 0").find("not from 1 to 65536"), std::string::npos);
  EXPECT_NE(error_of("[labels]\na = []").find("there is none"), std::string::npos);
  EXPECT_NE(error_of("[labels]\na = [\"x\", \"x\"]").find("the same twice: \"x\""),
            std::string::npos);
}

TEST(GraphSpec, ContradictionsAreRefused) {
  EXPECT_NE(template_error("interaction = \"list\"").find("'cells' are missing"),
            std::string::npos);
  EXPECT_NE(template_error("cells = [[\"A\", \"B\"]]").find("'cells' without interaction"),
            std::string::npos);
  EXPECT_NE(template_error("interaction = \"list\"\ncells = []").find("no cells"),
            std::string::npos);
  EXPECT_NE(template_error("interaction = \"list\"\ncells = [[\"A\"]]")
                .find("a label for each of the 2 variables"),
            std::string::npos);
  EXPECT_NE(template_error("key = \"k\"").find("'key' is for [[templates.features]]"),
            std::string::npos);
  EXPECT_NE(template_error("standardise = [\"a\"]\ncategorical = [\"a\"]")
                .find("a categorical column has no mean: \"a\""),
            std::string::npos);
  EXPECT_NE(template_error(kTemplate).find("there is one of this name already"), std::string::npos);
}

TEST(GraphSpec, TemplatesAndLabelsSpeakOfDomainsThatAreThere) {
  EXPECT_NE(error_of(std::string(kVariables) + "[[templates]]\nname = \"a\"\n" +
                     "variables = [\"word\"]\nquery = \"select 1\"")
                .find("template 'a': there are no variables of the domain: \"word\"; there are "
                      "those of tag"),
            std::string::npos);
  EXPECT_NE(error_of("[labels]\nword = [\"x\"]\n" + std::string(kVariables) + kTemplate)
                .find("labels: there are no variables of the domain: \"word\""),
            std::string::npos);
  // A column of domains may hold any.
  EXPECT_EQ(
      error_of("[[variables]]\nquery = \"select id, domain from t\"\n" + std::string(kTemplate)),
      "");
}

TEST(GraphSpec, ARecordOfItGivesTheSameAgain) {
  GraphSpec spec = GraphSpec::parse(std::string(kVariables) + kTemplate +
                                        "tie = \"none\"\ninteraction = \"list\"\n"
                                        "cells = [[\"A\", \"B\"]]\nkey = \"k\"\n"
                                        "[[templates.features]]\nquery = \"select 3\"\n",
                                    "s.toml");
  spec.templates[0].columns = {{{"length", true, 2.5, 0.5}, {"word", false, 0, 1}}};
  const Json record = to_json(spec);
  const GraphSpec again = graph_spec_from(record, "m.croft");
  EXPECT_EQ(to_json(again), record);
  EXPECT_EQ(again.templates[0].columns, spec.templates[0].columns);
  EXPECT_EQ(again.templates[0].query.owner, "template 'next'");
  EXPECT_THROW(graph_spec_from(Json::object(), "m"), Error);
  Json damaged = record;
  damaged["templates"][0]["tie"] = "rope";
  EXPECT_THROW(graph_spec_from(damaged, "m"), Error);
}

TEST(GraphSpec, OnlyQueriesMayDifferFromTheModel) {
  const std::string text = std::string(kVariables) + kTemplate;
  GraphSpec model = GraphSpec::parse(text, "m.croft");
  model.templates[0].columns = {{{"length", true, 2.5, 0.5}}};
  std::string other = text;
  other.replace(other.find("from pair"), 9, "from edge");
  const GraphSpec now = with_queries_of(model, GraphSpec::parse(other, "s.toml"));
  EXPECT_EQ(now.templates[0].query.text, "select a, b from edge");
  EXPECT_EQ(now.templates[0].columns, model.templates[0].columns);
  const auto refused = [&](const std::string& lines) {
    try {
      with_queries_of(model, GraphSpec::parse(text + lines + "\n", "s.toml"));
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused(""), "");
  EXPECT_EQ(refused("bias = false"),
            "--spec s.toml: the template 'next' has another bias than the model of m.croft; only "
            "queries may differ");
  EXPECT_NE(refused("interaction = \"same\"").find("another interaction"), std::string::npos);
  EXPECT_NE(refused("tie = \"x\"").find("another tie"), std::string::npos);
  EXPECT_NE(refused("standardise = true").find("'standardise'"), std::string::npos);
  EXPECT_NE(refused("standardise = [\"length\"]").find("'standardise'"), std::string::npos);
  EXPECT_NE(refused("categorical = [\"code\"]").find("'categorical'"), std::string::npos);
}

TEST(GraphSpec, ARecordKeepsWhatIsSaidOfColumnsToCompareItLater) {
  const std::string text = std::string(kVariables) + kTemplate;
  const std::string said = text + "standardise = [\"b\", \"a\"]\ncategorical = [\"c\"]\n";
  const GraphSpec model = graph_spec_from(to_json(GraphSpec::parse(said, "s.toml")), "m.croft");
  with_queries_of(model, GraphSpec::parse(text + "standardise = [\"a\", \"b\"]\n"
                                                 "categorical = [\"c\"]\n",
                                          "s.toml"));
  EXPECT_THROW(with_queries_of(model, GraphSpec::parse(text, "s.toml")), UsageError);
  EXPECT_THROW(with_queries_of(model, GraphSpec::parse(text + "standardise = true\n"
                                                              "categorical = [\"c\"]\n",
                                                       "s.toml")),
               UsageError);
}

TEST(GraphSpec, AMixtureIsComparedByWhatIsDeclaredOfIt) {
  const auto spec = [](const std::string& mixture) {
    return GraphSpec::parse(std::string(kVariables) +
                                "[[templates]]\nname = \"colour\"\nvariables = [\"tag\"]\n"
                                "query = \"select id, grey from t\"\nmixture = " +
                                mixture + "\n",
                            "s.toml");
  };
  with_queries_of(spec("{ components = 2 }"), spec("{ components = 2, covariance = \"full\" }"));
  for (const char* other : {"{ components = 3 }", "{ components = 2, generative = false }",
                            "{ components = 2, covariance = \"diagonal\" }"}) {
    EXPECT_THROW(with_queries_of(spec("{ components = 2 }"), spec(other)), UsageError) << other;
  }
}

TEST(GraphSpec, HasRulesConstraintsAndGivenWeights) {
  const GraphSpec spec = GraphSpec::parse(std::string(kVariables) + R"toml(
[[templates]]
name = "group"
variables = [["tag"], "tag"]
query = "select '[1, 2]', 3"
interaction = "count"
states = ["A"]
from = [0, 1, 4]
[[templates]]
name = "pair"
variables = ["tag", "tag"]
query = "select 1, 2"
forbid = "select 'A', 'B'"
share = [[["A", "A"], ["B", "B"]]]
weights = [["(bias)", "A", "A", 1], ["x", "B", "A", -2.5]]
[[templates]]
name = "costs"
variables = ["tag"]
query = "select 1"
forbid = [["A"]]
penalty = 2
[[templates]]
name = "known"
variables = ["tag"]
query = "select 1, 'A'"
interaction = "known"
)toml",
                                          "s.toml");
  const TemplateSpec& group = spec.templates[0];
  EXPECT_EQ(group.variables, (std::vector<std::string>{"tag", "tag"}));
  EXPECT_EQ(group.lists, (std::vector<bool>{true, false}));
  EXPECT_EQ(group.states, (LabelLists{{"A"}, {"A"}}));
  EXPECT_EQ(group.from, (std::vector<std::uint64_t>{0, 1, 4}));
  const TemplateSpec& pair = spec.templates[1];
  EXPECT_TRUE(pair.lists.empty());
  EXPECT_EQ(pair.forbid_query->text, "select 'A', 'B'");
  EXPECT_EQ(pair.forbid_query->owner, "template 'pair', forbid");
  EXPECT_EQ(pair.share[0][1], (std::vector<std::string>{"B", "B"}));
  EXPECT_EQ(pair.weights[1], (WeightSpec{"x", {"B", "A"}, -2.5}));
  EXPECT_EQ(spec.templates[2].penalty, 2.0);
  EXPECT_FALSE(spec.templates[2].bias);
  EXPECT_TRUE(std::isinf(*spec.templates[3].penalty));
  const Json record = to_json(spec);
  Json again = to_json(graph_spec_from(record, "m"));
  for (Json& each : again["templates"]) each.erase("columns");
  EXPECT_EQ(again, record);
}

TEST(GraphSpec, RulesThatDoNotFitAreRefused) {
  const auto expect = [](const std::string& lines, const std::string& what) {
    const std::string text = template_error(lines);
    EXPECT_NE(text.find(what), std::string::npos) << text << "\nlacks: " << what;
    EXPECT_NE(text.find("template 'next': "), std::string::npos) << text;
  };
  expect("interaction = \"at-most\"", "interaction = \"at-most\" needs 'states'");
  expect("states = [\"A\"]", "'states' has no meaning with interaction = \"table\"");
  expect("k = 2", "'k' has no meaning with interaction = \"table\"");
  expect("interaction = \"or\"\nstates = [\"A\"]\nk = 2", "'k' has no meaning");
  expect("interaction = \"at-most\"\nstates = [\"A\"]\nk = -1", "'k' is no whole number");
  expect("interaction = \"or\"\nstates = []", "'states' is empty");
  expect("interaction = \"or\"\nstates = [[\"A\"]]", "a list for each of the variables");
  expect("interaction = \"count\"\nstates = [\"A\"]", "needs 'from'");
  expect("interaction = \"count\"\nstates = [\"A\"]\nfrom = [1, 2]", "increase from 0");
  expect("interaction = \"or\"\nstates = [\"A\"]\nforbid = [[\"A\", \"B\"]]",
         "'forbid' has no meaning with interaction = \"or\"");
  expect("forbid = [[\"A\"]]", "a label for each of the 2 variables");
  expect("forbid = []", "'forbid' is empty");
  expect("penalty = 1", "'penalty' is of what 'forbid' lists, or of a rule");
  expect("penalty = 0\nforbid = [[\"A\", \"B\"]]", "'penalty' is not above 0");
  expect("penalty = \"x\"\nforbid = [[\"A\", \"B\"]]", "'penalty' is no number");
  expect("penalty = 1\nforbid = [[\"A\", \"B\"]]\nbias = true", "'bias' beside 'penalty'");
  expect("share = [[[\"A\"]]]", "a label for each of the 2 variables");
  expect("share = []", "'share' is no list");
  expect("weights = [[\"x\"]]", "a weight is a feature, labels and a number");
  expect("weights = [[\"x\", \"A\"]]", "the last of each is no number");
  expect("weights = [[\"x\", inf]]", "a weight is not finite");
  const auto variables = [](const std::string& list, const std::string& lines) {
    return error_of(std::string(kVariables) + "[[templates]]\nname = \"t\"\nvariables = " + list +
                    "\nquery = \"select 1\"\n" + lines);
  };
  EXPECT_NE(variables("[[\"tag\"]]", "").find("a list of variables with interaction = \"table\""),
            std::string::npos);
  EXPECT_NE(variables("[[\"tag\", \"tag\"]]", "").find("a list is of one domain"),
            std::string::npos);
  EXPECT_NE(variables("[[\"tag\"]]", "interaction = \"or\"\nstates = [\"A\"]\ntie = \"none\"")
                .find("tie = \"none\" with a list"),
            std::string::npos);
  EXPECT_NE(variables("[[\"tag\"]]",
                      "interaction = \"or\"\nstates = [\"A\"]\n"
                      "[[templates.features]]\nquery = \"x\"")
                .find("need a key"),
            std::string::npos);
}

}  // namespace
}  // namespace croft::graph_spec_test
