// Constraints, groups and given weights, from their declaration to labels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/label/label_graph.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "croft/inference/graph_brute_force.h"
#include "sql/temporary_database.h"
#include "sql/train/train_graph.h"
#include "support/message_of.h"

namespace croft::graph_rules_sql_test {
namespace {

const std::string kTags = R"(
[labels]
tag = ["O", "B-P", "I-P", "B-Q", "I-Q"]

[[variables]]
domain = "tag"
query = "select id, doc as instance, label from token order by id"

[[templates]]
name = "word"
variables = ["tag"]
query = "select id, word from token order by id"
)";
// A skip chain whose chunks are BIO.
const std::string kSkipChain = kTags + R"(
[[templates]]
name = "next"
variables = ["tag", "tag"]
query = "select a.id, b.id from token a join token b on b.id = a.id + 1 and b.doc = a.doc order by a.id"
forbid = """
  select a.label, b.label from allowed a, allowed b
  where b.label glob 'I-*' and substr(a.label, 2) is not substr(b.label, 2)
"""

[[templates]]
name = "first"
variables = ["tag"]
query = "select min(id) from token group by doc order by 1"
forbid = [["I-P"], ["I-Q"]]
bias = false

[[templates]]
name = "skip"
variables = ["tag", "tag"]
interaction = "same-label"
query = "select a.id, b.id from token a join token b on a.doc = b.doc and a.word = b.word and a.id < b.id order by 1, 2"
)";

std::string tokens(std::uint64_t seed, bool bio) {
  Random random(seed);
  std::string sql =
      "create table token(id integer primary key, doc, word text, label text);"
      "create table allowed(label text);"
      "insert into allowed values ('O'), ('B-P'), ('I-P'), ('B-Q'), ('I-Q');";
  const char* words[] = {"u", "v", "w", "x"};
  int id = 0;
  for (int doc = 0; doc < 6; ++doc) {
    ++id;  // no token is next to one of another document
    std::string before = "O";
    for (int k = 0; k < 5; ++k) {
      std::vector<std::string> labels = {"O", "B-P", "B-Q"};
      if (before != "O") labels.push_back("I-" + before.substr(2));
      if (!bio) labels = {"O", "I-P"};
      before = labels[random.below(labels.size())];
      sql += "insert into token values (" + std::to_string(++id) + ", " + std::to_string(doc) +
             ", '" + words[random.below(4)] + "', '" + before + "');";
    }
  }
  return sql;
}

class GraphRulesSql : public testing::Test {
 protected:
  std::shared_ptr<const GraphModel> train(const std::string& spec, const std::string& database,
                                          std::vector<std::string>* warnings = nullptr) {
    folder_.write("s.toml", spec);
    GraphTrainRequest request;
    request.spec = folder_ / "s.toml";
    request.databases = {database};
    request.output = folder_ / "m.croft";
    struct Warned : TrainObserver {
      void warn(std::string_view what) override { said.emplace_back(what); }
      std::vector<std::string> said;
    } observer;
    croft::train(*make_trainer(request), observer);
    if (warnings != nullptr) *warnings = observer.said;
    return GraphModel::open(request.output);
  }
  GraphTables read(const GraphModel& model, const std::string& database,
                   LabelUse use = LabelUse::ignored) {
    return GraphTables::read(Database::open({database}), graph_spec_from(model.source(), "m.croft"),
                             model, use);
  }
  std::string error_of(const std::string& spec) {
    return message_of<InputError>(
        [&] { GraphTables::read(Database::open({path_}), GraphSpec::parse(spec, "s.toml")); });
  }
  TemporaryFolder folder_;
  std::string path_ = folder_ / "d.sqlite";
};

bool is_bio(const std::vector<std::string>& labels, std::span<const State> x) {
  for (std::size_t k = 0; k < x.size(); ++k) {
    const std::string& now = labels[x[k]];
    if (now[0] != 'I') continue;
    if (k == 0 || labels[x[k - 1]].substr(1) != now.substr(1)) return false;
  }
  return true;
}

// The sum of squares of all weights.
double squares(const GraphModel& model) {
  double sum = 0;
  for (std::uint32_t t = 0; t < model.schema().templates.size(); ++t) {
    for (std::uint32_t id = 0; id < model.table(t).size(); ++id) {
      const WeightRow row = model.table(t).row(id);
      for (std::size_t k = 0; k < row.size(); ++k) {
        sum += static_cast<double>(row.weight(k)) * row.weight(k);
      }
    }
  }
  return sum;
}

TEST_F(GraphRulesSql, ASkipChainOfBioLabelsIsNormalisedOverThem) {
  run_sql(path_, tokens(1, true));
  const auto model = train(kSkipChain, path_);
  const std::vector<std::string>& labels = model->schema().domains[0].labels;
  EXPECT_EQ(model->schema().templates[1].interaction.forbidden().size(), 6u);
  GraphTables gold = read(*model, path_, LabelUse::known);
  std::vector<double> scratch;
  double objective = 0.5 * squares(*model);
  for (GraphInstance& each : gold.data().unroll()) {
    model->score(gold.data().rows(), each, scratch);
    const double log_z = brute_force(each.graph).log_partition;
    objective += log_z - each.graph.score(each.known);
    std::size_t allowed = 0;
    for_each_assignment(each.graph, [&](std::span<const State> x, long double) {
      EXPECT_TRUE(is_bio(labels, x));
      ++allowed;
    });
    EXPECT_EQ(allowed, 571u);  // of 3125
  }
  const double trained = model->meta()["training"]["objective_value"].get<double>();
  EXPECT_NEAR(objective, trained, 1e-4);  // weights are floats
}

TEST_F(GraphRulesSql, PredictionIsTheBestOfWhatIsAllowed) {
  run_sql(path_, tokens(1, true));
  const auto model = train(kSkipChain, path_);
  const std::string other = folder_ / "other.sqlite";
  run_sql(other, tokens(2, false));
  GraphTables tables = read(*model, other), again = read(*model, other);
  const GraphLabels found = label_graph(*model, tables.data(), {.keep_marginals = true});
  std::vector<double> scratch;
  for (GraphInstance& each : again.data().unroll()) {
    model->score(again.data().rows(), each, scratch);
    const GraphBruteForce truth = brute_force(each.graph);
    std::vector<State> best;
    for (std::size_t k = 0; k < each.variable.size(); ++k) {
      best.push_back(found.label[each.variable[k]]);
      for (State s = 0; s < 5; ++s) {
        EXPECT_NEAR(found.marginals_of(each.variable[k])[s], truth.variable[k][s], 1e-10);
      }
    }
    EXPECT_NEAR(each.graph.score(best), truth.best_score, 1e-10);
    EXPECT_TRUE(is_bio(model->schema().domains[0].labels, best));
  }
  // What is known there may not break what is forbidden.
  EXPECT_NE(message_of<InputError>([&] {
              read(*model, other, LabelUse::known);
            }).find("break what is forbidden"),
            std::string::npos);
}

TEST_F(GraphRulesSql, AGoldLabelThatBreaksAConstraintIsNamedWithItsRow) {
  run_sql(path_, tokens(1, true));
  run_sql(path_, "update token set label = 'I-Q' where id = 4");
  const std::string text = error_of(kSkipChain);
  EXPECT_NE(text.find("template 'next': row 2: the clique of 3, 4: its labels ("),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("I-Q) break what is forbidden, in the query \"select a.id"),
            std::string::npos)
      << text;
}

constexpr const char* kThings = R"(
create table thing(id integer primary key, box, big integer, label text);
insert into thing values (1, 'a', 1, 'yes'), (2, 'a', 0, 'no'), (3, 'a', 0, 'no'),
  (4, 'b', 1, 'no'), (5, 'b', 1, 'yes'), (6, 'c', 0, 'no'), (7, 'c', 1, 'yes'), (8, 'c', 0, null);
create table box(name text, kind text);
insert into box values ('a', 'x'), ('b', 'y'), ('c', 'x');
)";
const std::string kThing = R"(
[labels]
keep = ["no", "yes"]
[[variables]]
domain = "keep"
query = "select id, label from thing order by id"
[[templates]]
name = "big"
variables = ["keep"]
query = "select id, big from thing order by id"
)";
std::string group(
    const std::string& lines,
    const std::string& query = "select json_group_array(id) from thing group by box order by box") {
  return kThing + "[[templates]]\nname = \"g\"\nvariables = [[\"keep\"]]\nquery = \"" + query +
         "\"\n" + lines + "\n";
}

TEST_F(GraphRulesSql, GroupsHaveFeaturesAndWeights) {
  run_sql(path_, kThings);
  const auto model =
      train(group("interaction = \"count\"\nstates = [\"yes\"]\nfrom = [0, 1, 2]\nkey = \"box\"\n"
                  "[[templates.features]]\nquery = \"select name, kind from box\"",
                  "select json_group_array(id), max(big) as big, box from thing group by box"),
            path_);
  EXPECT_NE(model->find(1, "(bias)"), kUnknown);
  EXPECT_NE(model->find(1, "big"), kUnknown);
  EXPECT_NE(model->find(1, "x"), kUnknown);
  EXPECT_EQ(model->schema().templates[1].interaction.cells(), 3u);
  GraphTables tables = read(*model, path_);
  std::vector<double> scratch;
  std::vector<GraphInstance> graphs = tables.data().unroll();
  ASSERT_EQ(graphs.size(), 1u);
  model->score(tables.data().rows(), graphs[0], scratch);
  std::vector<std::size_t> sizes;
  for (Factor f = 0; f < graphs[0].graph.factors(); ++f) {
    if (graphs[0].graph.potential(graphs[0].graph.potential_of(f)).kind ==
        PotentialKind::cardinality) {
      sizes.push_back(graphs[0].graph.scope(f).size());
    }
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{3, 2, 3}));
}

TEST_F(GraphRulesSql, RulesHoldInPrediction) {
  run_sql(path_, kThings);
  const auto model =
      train(group("interaction = \"at-most\"\nstates = [\"yes\"]\npenalty = inf"), path_);
  const std::string other = folder_ / "other.sqlite";
  run_sql(other, kThings);
  run_sql(other, "update thing set big = 1, label = null");
  GraphTables tables = read(*model, other);
  const GraphLabels found = label_graph(*model, tables.data(), {});
  const auto yes = [&](std::uint32_t from, std::uint32_t to) {
    return std::count(found.label.begin() + from, found.label.begin() + to, 1U);
  };
  EXPECT_LE(yes(0, 3), 1);
  EXPECT_LE(yes(3, 5), 1);
  EXPECT_LE(yes(5, 8), 1);
  EXPECT_EQ(yes(0, 8), 3);  // big things are kept
}

TEST_F(GraphRulesSql, KnownValuesAndGivenWeightsStandInForTraining) {
  run_sql(path_, kThings);
  run_sql(path_,
          "create table weight(feature text, label text, value real);"
          "insert into weight values ('(bias)', 'yes', 1.5), ('sure=1', 'no', 4)");
  const std::string spec = kThing + R"(
[[templates]]
name = "seen"
variables = ["keep"]
interaction = "known"
query = "select id, case id when 8 then 'no' end from thing"
[[templates]]
name = "given"
variables = ["keep"]
query = "select id, box = 'b' as sure from thing order by id"
categorical = ["sure"]
weights = "select feature, label, value from weight"
)";
  const auto model = train(spec, path_);
  EXPECT_EQ(model->table(2).size(), 0u);
  GraphTables tables = read(*model, path_);
  std::vector<double> scratch;
  std::vector<GraphInstance> graphs = tables.data().unroll();
  model->score(tables.data().rows(), graphs[0], scratch);
  const FactorGraph& graph = graphs[0].graph;
  std::vector<State> x(8, 0);
  double given[2] = {};  // of thing 4, in box b
  for (Factor f = 0; f < graph.factors(); ++f) {
    const std::uint32_t row = graphs[0].row[graph.potential_of(f)];
    if (tables.data().rows().template_of(row) != 2 || graph.scope(f)[0] != 3) continue;
    for (State s = 0; s < 2; ++s) given[s] = graph.table(f)[s];
  }
  EXPECT_DOUBLE_EQ(given[0], 4);
  EXPECT_DOUBLE_EQ(given[1], 1.5);
  x[7] = 1;
  EXPECT_TRUE(std::isinf(graph.score(x)));
  x[7] = 0;
  EXPECT_FALSE(std::isinf(graph.score(x)));
}

TEST_F(GraphRulesSql, AModelMayHaveGivenWeightsAlone) {
  run_sql(path_, kThings);
  const std::string spec = R"(
[[variables]]
domain = "keep"
query = "select id, label from thing order by id"
[[templates]]
name = "given"
variables = ["keep"]
query = "select id, box from thing order by id"
weights = [["box=a", "yes", 1.5], ["box=b", "no", 0.5], ["bias", "yes", 9]]
)";
  std::vector<std::string> warnings;
  const auto model = train(spec, path_, &warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0],
            "template 'given': no clique has the feature \"bias\", whose weight is given");
  EXPECT_EQ(squares(*model), 0);
  GraphTables tables = read(*model, path_);
  std::vector<GraphInstance> graphs = tables.data().unroll();
  std::vector<double> scratch;
  model->score(tables.data().rows(), graphs[0], scratch);
  // Three things are in box a, two in b, three in c.
  const double log_z =
      3 * std::log1p(std::exp(1.5)) + 2 * std::log1p(std::exp(0.5)) + 3 * std::log(2);
  EXPECT_NEAR(brute_force(graphs[0].graph).log_partition, log_z, 1e-12);
}

TEST_F(GraphRulesSql, ErrorsNameTheTemplateAndTheQuery) {
  run_sql(path_, kThings);
  const auto expect = [&](const std::string& spec, const std::string& what) {
    const std::string text = error_of(spec);
    EXPECT_NE(text.find(what), std::string::npos) << text << "\nlacks: " << what;
    EXPECT_TRUE(text.starts_with("s.toml:")) << text;
  };
  const std::string most = "interaction = \"at-most\"\nstates = [\"yes\"]\npenalty = inf";
  expect(group(most, "select json_group_array(id) from thing where label = 'yes'"),
         "template 'g': row 1: the clique of 1, 5, 7: its labels (yes, yes, yes) break the rule "
         "'at-most 1', in the query \"select json_group_array(id)");
  expect(
      group("interaction = \"at-least\"\nk = 3\nstates = [\"yes\"]\npenalty = inf", "select '[8]'"),
      "template 'g': row 1: the clique of 8: no labels of 1 variables keep the rule 'at-least 3'");
  expect(group(most, "select id from thing"), "has no list of ids, but \"1\"");
  expect(group(most, "select '[1.5]'"), "a list with 1.5, which is no id");
  expect(group(most, "select '[99]'"), "there is no variable \"99\" of the domain 'keep'");
  expect(group(most, "select '[1,1]'"), "a clique has the same variable twice");
  expect(group(most, "select '[]'"), "a clique without variables");
  expect(group(most, "select '[1]', 2 as x"), "a constraint has no features");
  expect(group("interaction = \"or\"\nstates = [\"maybe\"]"),
         "'states' name a label that is none of 'keep': \"maybe\"");
  const std::string pair = kThing +
                           "[[templates]]\nname = \"p\"\nvariables = [\"keep\", \"keep\"]\n"
                           "query = \"select 1, 2\"\n";
  expect(pair + "forbid = [[\"no\", \"maybe\"]]",
         "template 'p': a forbidden state has a label that is none of 'keep': \"maybe\"");
  expect(pair + "forbid = \"select 'no'\"", "template 'p', forbid: it has 1 columns");
  expect(pair + "forbid = \"select 'no', 'maybe'\"",
         "template 'p', forbid: row 1: \"maybe\" is no label of 'keep', in the query");
  expect(pair + "forbid = \"select a\"", "template 'p', forbid: SQLite says: no such column: a");
  expect(pair + "forbid = [[\"no\",\"no\"],[\"no\",\"yes\"],[\"yes\",\"no\"],[\"yes\",\"yes\"]]",
         "all joint states are forbidden");
  expect(pair + "weights = [[\"(bias)\", \"no\", 1]]",
         "template 'p': the weight of \"(bias)\": a cell is named by a label for each of the 2");
  expect(pair + "weights = \"select 'x', 'no', 'no', 'y'\"",
         "template 'p', weights: row 1: the weight \"y\" is no number");
  expect(pair + "weights = [[\"u\", \"no\", \"yes\", 1], [\"u\", \"no\", \"yes\", 2]]",
         "template 'p': two weights of the feature \"u\" for one joint state; leave one out");
  expect(
      pair + "penalty = 1\nforbid = \"select 'no', 'no' where 0\"",
      "template 'p': the query under 'forbid' returns no row, so that nothing costs the penalty");
  expect(pair + "share = [[[\"no\", \"yes\"], [\"no\", \"maybe\"]]]",
         "a cell that shares a weight has a label that is none of 'keep'");
  expect(kThing +
             "[[templates]]\nname = \"k\"\nvariables = [\"keep\"]\ninteraction = \"known\"\n"
             "query = \"select 1, 'no'\"",
         "template 'k': row 1: the clique of 1: its labels (yes) break the known value 'no'");
  expect(kThing +
             "[[templates]]\nname = \"k\"\nvariables = [\"keep\"]\ninteraction = \"known\"\n"
             "query = \"select 1, 'maybe'\"",
         "row 1: a label \"maybe\" that is none of 'keep'");
}

// Each template can be kept, all of them together not.
TEST_F(GraphRulesSql, ConstraintsThatContradictEachOtherAreOneError) {
  run_sql(path_, kThings);
  run_sql(path_, "update thing set label = null where box = 'c'");
  const std::string two = group(
      "interaction = \"at-least\"\nk = 2\nstates = [\"yes\"]\npenalty = inf\n"
      "[[templates]]\nname = \"h\"\nvariables = [[\"keep\"]]\ninteraction = \"at-most\"\n"
      "states = [\"yes\"]\npenalty = inf\nquery = \"select json_group_array(id) from thing where "
      "box = 'c'\"",
      "select json_group_array(id) from thing where box = 'c'");
  const std::string text = message_of<Error>([&] { train(two, path_); });
  EXPECT_NE(text.find("no labels keep all constraints"), std::string::npos) << text;
  EXPECT_NE(text.find("'g'"), std::string::npos) << text;
  EXPECT_NE(text.find("'h'"), std::string::npos) << text;
}

}  // namespace
}  // namespace croft::graph_rules_sql_test
