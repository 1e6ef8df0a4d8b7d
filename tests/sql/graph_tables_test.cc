// From a spec and a database to variables, cliques and features.
#include "sql/graph_tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "croft/core/error.h"
#include "sql/temporary_database.h"

namespace croft::graph_tables_test {
namespace {

constexpr const char* kTables = R"(
create table token(id integer primary key, sentence integer, word text, size real, label text);
insert into token values
  (1, 1, 'a', 1.0, 'X'), (2, 1, 'b', 3.0, 'Y'), (3, 2, 'a', null, 'X'), (4, 2, null, 5.0, null);
create table pair(a integer, b integer, way text, number integer);
insert into pair values (1, 2, 'right', 10), (4, 3, 'left', 20);
create table feature(token integer, name text, value);
insert into feature values (2, 'big', 1), (1, 'small', 2.5), (2, 'colour', 'red'),
  (2, 'none', null), (2, 'big', 0.5), (3, 'zero', 0);
)";
constexpr const char* kVariables = R"(
[[variables]]
domain = "tag"
query = "select id, sentence as instance, label from token order by id"
)";

std::string clique_template(const std::string& query, const std::string& lines = "",
                            const std::string& variables = R"(["tag"])") {
  return "[[templates]]\nname = \"t\"\nvariables = " + variables + "\nquery = \"" + query + "\"\n" +
         lines + "\n";
}
const std::string kPair = R"(["tag", "tag"])";

class GraphTablesTest : public testing::Test {
 protected:
  GraphTablesTest() { run_sql(path_, kTables); }

  GraphTables read(const std::string& templates, const std::string& variables = kVariables) {
    const Database database = Database::open({path_});
    return GraphTables::read(database, GraphSpec::parse(variables + templates, "s.toml"));
  }
  std::string error_of(const std::string& templates, const std::string& variables = kVariables) {
    try {
      read(templates, variables);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  // Of each clique, as "ID ID: FEATURE=VALUE …" with features in the order of their names.
  std::vector<std::string> cliques(GraphTables& tables) {
    std::vector<std::string> all;
    for (const GraphInstance& instance : tables.data().unroll()) {
      for (Factor f = 0; f < instance.graph.factors(); ++f) {
        std::string text;
        for (const Variable v : instance.graph.scope(f)) {
          text += (text.empty() ? "" : " ") + tables.variables().id(instance.variable[v]);
        }
        std::map<std::string, double> features;
        const std::uint32_t row = instance.row[instance.graph.potential_of(f)];
        for (const CliqueFeature& each : tables.data().rows().features(row)) {
          features[std::string(tables.features()[tables.data().rows().template_of(row)][each.id])] =
              each.value;
        }
        text += ":";
        for (const auto& [name, value] : features) {
          char number[32];
          std::snprintf(number, sizeof number, "%g", value);
          text += " " + name + "=" + number;
        }
        all.push_back(text);
      }
    }
    return all;
  }

  TemporaryFolder folder_;
  std::string path_ = folder_ / "d.sqlite";
};

using Lines = std::vector<std::string>;

TEST_F(GraphTablesTest, TextsAreIndicatorsNumbersAreValuesAndNullIsNothing) {
  GraphTables tables = read(clique_template("select id, word, size from token order by id"));
  EXPECT_EQ(tables.schema().domains[0].labels, (Lines{"X", "Y"}));
  EXPECT_EQ(tables.data().groups(), 2u);
  EXPECT_EQ(tables.data().known(0), 0u);
  EXPECT_EQ(tables.data().known(3), kUnobserved);
  EXPECT_EQ(tables.cliques(), 4u);
  EXPECT_EQ(cliques(tables), (Lines{"1: (bias)=1 size=1 word=a=1", "2: (bias)=1 size=3 word=b=1",
                                    "3: (bias)=1 word=a=1", "4: (bias)=1 size=5"}));
  const auto& columns = *tables.spec().templates[0].columns;
  EXPECT_EQ(columns, (std::vector<FeatureColumn>{{"word", false, 0, 1}, {"size", true, 0, 1}}));
}

TEST_F(GraphTablesTest, StandardisedColumnsHaveMean0AndDeviation1) {
  GraphTables tables =
      read(clique_template("select id, size from token", "bias = false\nstandardise = [\"size\"]"));
  const FeatureColumn& size = tables.spec().templates[0].columns->at(0);
  EXPECT_DOUBLE_EQ(size.mean, 3);
  EXPECT_DOUBLE_EQ(size.deviation, std::sqrt(8.0 / 3));
  EXPECT_EQ(cliques(tables), (Lines{"1: size=-1.22474", "2:", "3:", "4: size=1.22474"}));
  // Texts have none, whatever the spec asks for all columns.
  GraphTables all = read(clique_template("select id, word, size from token", "standardise = true"));
  EXPECT_DOUBLE_EQ(all.spec().templates[0].columns->at(1).mean, 3);
  EXPECT_EQ(all.spec().templates[0].columns->at(0), (FeatureColumn{"word", false, 0, 1}));
}

TEST_F(GraphTablesTest, NumbersMayBeCategories) {
  GraphTables tables = read(clique_template("select id, sentence from token",
                                            "categorical = [\"sentence\"]\nbias = false"));
  EXPECT_EQ(cliques(tables)[2], "3: sentence=2=1");
}

TEST_F(GraphTablesTest, CliquesOfSeveralVariablesKeepTheirOrder) {
  GraphTables tables = read(clique_template("select a, b, way from pair", "", kPair));
  EXPECT_EQ(cliques(tables), (Lines{"1 2: (bias)=1 way=right=1", "4 3: (bias)=1 way=left=1"}));
}

TEST_F(GraphTablesTest, WeightsAreTiedByAColumnOrNotAtAll) {
  GraphTables by_column =
      read(clique_template("select a, b, way, number from pair", "tie = \"way\"", kPair));
  EXPECT_EQ(cliques(by_column), (Lines{"1 2: way=right|(bias)=1 way=right|number=10",
                                       "4 3: way=left|(bias)=1 way=left|number=20"}));
  GraphTables untied = read(clique_template("select a, b from pair", "tie = \"none\"", kPair));
  EXPECT_EQ(cliques(untied), (Lines{"1 2: 1,2|(bias)=1", "4 3: 4,3|(bias)=1"}));
}

TEST_F(GraphTablesTest, FeaturesMayComeInRows) {
  const std::string rows =
      "[[templates.features]]\nquery = \"select token, name, value from feature\"";
  GraphTables tables = read(clique_template("select id from token", rows));
  EXPECT_EQ(cliques(tables), (Lines{"1: (bias)=1 small=2.5", "2: (bias)=1 big=1.5 colour=red=1",
                                    "3: (bias)=1", "4: (bias)=1"}));
  GraphTables names = read(clique_template(
      "select id from token",
      "bias = false\n[[templates.features]]\nquery = \"select token, name from feature\""));
  EXPECT_EQ(cliques(names)[1], "2: big=2 colour=1 none=1");
  GraphTables pairs = read(
      clique_template("select a, b from pair",
                      "[[templates.features]]\nquery = \"select a, b, way from pair\"", kPair));
  EXPECT_EQ(cliques(pairs)[1], "4 3: (bias)=1 left=1");
}

TEST_F(GraphTablesTest, AKeyTellsCliquesOfTheSameVariablesApart) {
  run_sql(path_, "insert into pair values (1, 2, 'again', 30)");
  const std::string rows = "[[templates.features]]\nquery = \"select number, way from pair\"";
  GraphTables tables =
      read(clique_template("select a, b, number from pair", "key = \"number\"\n" + rows, kPair));
  EXPECT_EQ(cliques(tables),
            (Lines{"1 2: (bias)=1 right=1", "1 2: (bias)=1 again=1", "4 3: (bias)=1 left=1"}));
  EXPECT_NE(error_of(clique_template(
                         "select a, b from pair",
                         "[[templates.features]]\nquery = \"select a, b, way from pair\"", kPair))
                .find("two cliques of the same variables, 1, 2"),
            std::string::npos);
}

TEST_F(GraphTablesTest, SeveralDomainsMayHaveTheSameIds) {
  const std::string variables = R"(
[labels]
state = 2
[[variables]]
query = "select id, 'tag' as domain, label from token union all select id, 'state', null from token"
)";
  GraphTables tables =
      read(clique_template("select id, id from token where id < 3", "", R"(["state", "tag"])"),
           variables);
  EXPECT_EQ(tables.schema().domains.size(), 2u);
  EXPECT_EQ(tables.data().variables(), 8u);
  EXPECT_EQ(cliques(tables), (Lines{"1 1: (bias)=1", "2 2: (bias)=1"}));
}

TEST_F(GraphTablesTest, LabelsAreInOrderOfBytesOrOfTheirValueOrAsListed) {
  run_sql(path_, "create table rated(id, label); insert into rated values (1, 10), (2, 9), (3, 2)");
  const std::string rated =
      "[[variables]]\ndomain = \"tag\"\nquery = \"select id, label from rated\"\n";
  EXPECT_EQ(read(clique_template("select id from rated"), rated).schema().domains[0].labels,
            (Lines{"2", "9", "10"}));
  EXPECT_EQ(read(clique_template("select id from rated"),
                 "[labels]\ntag = [\"9\", \"10\", \"2\", \"1\"]\n" + rated)
                .schema()
                .domains[0]
                .labels,
            (Lines{"9", "10", "2", "1"}));
  EXPECT_EQ(error_of(clique_template("select id, id + 1 from rated where id < 3",
                                     "interaction = \"ordinal\"", kPair),
                     rated),
            "");
  EXPECT_NE(error_of(clique_template("select a, b from pair", "interaction = \"ordinal\"", kPair))
                .find("ordinal interaction needs their order"),
            std::string::npos);
}

TEST_F(GraphTablesTest, ListedCellsAreLabels) {
  GraphTables tables = read(
      clique_template("select a, b from pair",
                      "interaction = \"list\"\ncells = [[\"Y\", \"X\"], [\"X\", \"Y\"]]", kPair));
  EXPECT_EQ(tables.schema().templates[0].interaction.cells(), 2u);
  EXPECT_NE(error_of(clique_template("select a, b from pair",
                                     "interaction = \"list\"\ncells = [[\"Y\", \"Z\"]]", kPair))
                .find("a cell has a label that is none of 'tag': \"Z\""),
            std::string::npos);
  EXPECT_NE(error_of(clique_template(
                         "select a, b from pair",
                         "interaction = \"list\"\ncells = [[\"Y\", \"X\"], [\"Y\", \"X\"]]", kPair))
                .find("a cell twice"),
            std::string::npos);
}

TEST_F(GraphTablesTest, ErrorsNameTheTemplateAndTheQuery) {
  EXPECT_EQ(error_of(clique_template("select a, b from pairs", "", kPair)),
            "s.toml:8: template 't': SQLite says: no such table: pairs (" + path_ +
                "), in the query \"select a, b from pairs\"");
  EXPECT_EQ(error_of(clique_template("select 9 as id", "")),
            "s.toml:8: template 't': row 1: there is no variable \"9\" of the domain 'tag', in the "
            "query \"select 9 as id\"; the query of [[variables]] returns the ids that there are");
  const auto expect = [&](const std::string& templates, const std::string& what) {
    EXPECT_NE(error_of(templates).find(what), std::string::npos)
        << error_of(templates) << "\nlacks: " << what;
  };
  expect(clique_template("select a from pair", "", kPair),
         "columns \"a\" where the template has 2 variables");
  expect(clique_template("select 1, 3", "", kPair),
         "the clique of 1, 3: a clique has variables of the groups '1' and '2'");
  expect(clique_template("select 1, 1", "", kPair),
         "the clique of 1, 1: a clique has the same variable twice");
  expect(clique_template("select null"), "row 1: the id in the column \"null\" is NULL");
  expect(clique_template("select id, coalesce(word, 1) as w from token"),
         "row 4: a number, \"1\", in the column \"w\" of texts");
  expect(clique_template("select id, coalesce(size, 'x') as w from token order by id"),
         "row 3: a text, \"x\", in the column \"w\" of numbers");
  expect(clique_template("select id, 9e999 as x from token"), "a number that is not finite");
  expect(clique_template("select id, word, word from token"), "two columns \"word\"");
  expect(clique_template("select id from token", "tie = \"way\""),
         "no column \"way\", by which weights are tied");
  expect(clique_template("select id, word from token", "tie = \"word\""),
         "which ties weights, is NULL");
  expect(clique_template("select id from token", "standardise = [\"size\"]"),
         "no feature column \"size\", which 'standardise' names");
  expect(clique_template("select id from token", "categorical = [\"size\"]"),
         "which 'categorical' names");
  expect(clique_template("select id, word from token", "standardise = [\"word\"]"),
         "no number in the column \"word\", which 'standardise' names");
  expect(clique_template("select a, b from pair", "interaction = \"ordinal\""), "template 't'");
}

TEST_F(GraphTablesTest, ErrorsOfRowsOfFeatures) {
  const auto expect = [&](const std::string& query, const std::string& what,
                          const std::string& lines = "") {
    const std::string text =
        error_of(clique_template("select id from token where id < 4",
                                 lines + "\n[[templates.features]]\nquery = \"" + query + "\""));
    EXPECT_NE(text.find(what), std::string::npos) << text << "\nlacks: " << what;
  };
  expect("select token from feature", "template 't', features: columns \"token\"");
  expect("select token, name, value, 1 from feature", "and perhaps its value");
  expect("select 4, 'x'", "row 1: a feature of a clique that is not there: 4");
  expect("select 9, 'x'", "there is no variable \"9\"");
  expect("select null, 'x'", "is NULL");
  expect("select 1, 'x', 9e999", "not finite");
  expect("select token, name from feature", "no column \"k\", by which features find their clique",
         "key = \"k\"");
}

TEST_F(GraphTablesTest, ErrorsOfVariables) {
  const std::string t = clique_template("select id from token");
  const auto expect = [&](const std::string& query, const std::string& what,
                          const std::string& before = "",
                          const std::string& lines = "domain = \"tag\"") {
    const std::string text =
        error_of(t, before + "[[variables]]\n" + lines + "\nquery = \"" + query + "\"\n");
    EXPECT_NE(text.find(what), std::string::npos) << text << "\nlacks: " << what;
  };
  expect("select label from token", "variables of 'tag': no column id");
  expect("select id, label, word from token", "a column \"word\" of no meaning");
  expect("select id from token", "no column label, and the domain's labels are not listed");
  expect("select id, null as label from token", "the domain has no labels in the data: \"tag\"");
  expect("select 1 as id, label from token", "row 2: the id \"1\" twice in the domain 'tag'");
  expect("select null as id, 'x' as label", "row 1: the id is NULL");
  expect("select 1 as id, 'x' as label, null as instance", "row 1: the instance is NULL");
  expect("select id, label from token", "row 2: a label \"Y\" that is none of the domain 'tag'",
         "[labels]\ntag = [\"X\"]\n");
  expect("select id, label from token", "no column domain", "", "");
  expect("select id, label, 'a' as domain from token", "a column domain beside domain");
  expect("selekt id", "SQLite says: near \"selekt\": syntax error");
}

}  // namespace
}  // namespace croft::graph_tables_test
