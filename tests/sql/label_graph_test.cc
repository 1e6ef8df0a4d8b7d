// From tables to a model, and from the model to labels: what every front end does.
#include "app/label/label_graph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "app/evaluate/evaluate_graph.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "croft/inference/graph_brute_force.h"
#include "inference/graph/oracles/max_oracle.h"
#include "sql/graph_sample.h"
#include "sql/prediction_table.h"
#include "sql/temporary_database.h"
#include "sql/train/train_graph.h"

namespace croft::label_graph_test {
namespace {

constexpr const char* kSpec = R"(
[[variables]]
domain = "tag"
query = "select id, grp as instance, label from thing order by id"
[[templates]]
name = "thing"
variables = ["tag"]
query = "select id, word, size from thing order by id"
standardise = ["size"]
[[templates]]
name = "pair"
variables = ["tag", "tag"]
query = "select a, b, way from pair order by a, b"
)";

// Instances of five variables in a cycle with a chord.
void make_database(const std::string& path, std::uint64_t seed, bool labels) {
  Random random(seed);
  std::string sql =
      "create table thing(id, grp, word text, size real, label text);"
      "create table pair(a, b, way text);";
  for (int group = 0; group < 12; ++group) {
    for (int k = 0; k < 5; ++k) {
      const int id = group * 5 + k;
      const std::string label = random.uniform() < 0.5 ? "A" : "B";
      const std::string word = random.uniform() < 0.7 ? label : "x";
      sql += "insert into thing values (" + std::to_string(id) + ", " + std::to_string(group) +
             ", '" + word + "', " + std::to_string(random.uniform() * 9) + ", " +
             (labels ? "'" + label + "'" : "null") + ");";
      const int next = group * 5 + (k + 1) % 5;
      sql += "insert into pair values (" + std::to_string(id) + ", " + std::to_string(next) +
             ", '" + (k % 2 == 0 ? "even" : "odd") + "');";
    }
    sql += "insert into pair values (" + std::to_string(group * 5) + ", " +
           std::to_string(group * 5 + 2) + ", 'chord');";
  }
  run_sql(path, sql);
}

class LabelGraphTest : public testing::Test {
 protected:
  LabelGraphTest() {
    make_database(train_, 1, true);
    make_database(test_, 2, true);
    folder_.write("s.toml", kSpec);
    request_.spec = folder_ / "s.toml";
    request_.databases = {train_};
    request_.output = folder_ / "m.croft";
    TrainObserver nobody;
    train(*make_trainer(request_), nobody);
    model_ = GraphModel::open(request_.output);
  }

  GraphTables tables(LabelUse use = LabelUse::ignored) const {
    return GraphTables::read(Database::open({test_}), graph_spec_from(model_->source(), "m.croft"),
                             *model_, use);
  }

  TemporaryFolder folder_;
  std::string train_ = folder_ / "train.sqlite", test_ = folder_ / "test.sqlite";
  GraphTrainRequest request_;
  std::shared_ptr<const GraphModel> model_;
  std::optional<GraphTables> read_;
  std::optional<GraphLabels> labels_;
  int count_ = 0;
};

// The last line of EXPLAIN QUERY PLAN: how the inner table of a join is read.
std::string ask_plan(const std::string& path, const std::string& query) {
  sqlite3* handle = nullptr;
  sqlite3_open(path.c_str(), &handle);
  std::string answer;
  const auto take = [](void* to, int, char** values, char**) {
    *static_cast<std::string*>(to) = values[3];
    return 0;
  };
  sqlite3_exec(handle, ("explain query plan " + query).c_str(), take, &answer, nullptr);
  sqlite3_close(handle);
  return answer;
}

TEST_F(LabelGraphTest, LabelsAndProbabilitiesAreThoseOfAllAssignments) {
  GraphTables read = tables();
  const GraphLabels labels = label_graph(*model_, read.data(), {.keep_marginals = true});
  GraphTables again = tables();
  std::vector<double> scratch;
  for (GraphInstance& instance : again.data().unroll()) {
    model_->score(again.data().rows(), instance, scratch);
    const GraphBruteForce p = brute_force(instance.graph);
    for (std::size_t k = 0; k < instance.variable.size(); ++k) {
      const std::uint32_t v = instance.variable[k];
      EXPECT_EQ(labels.label[v], p.best[k]);
      EXPECT_NEAR(labels.probability[v], p.variable[k][p.best[k]], 1e-12);
      for (std::size_t s = 0; s < 2; ++s) {
        EXPECT_NEAR(labels.marginals_of(v)[s], p.variable[k][s], 1e-12);
      }
    }
  }
  EXPECT_EQ(labels.estimated, 0u);
  EXPECT_EQ(labels.not_proved, 0u);
}

TEST_F(LabelGraphTest, ASearchFindsWhatItFindsInTraining) {
  for (const auto& [name, make] :
       {std::pair{"max-product", max_product_best()}, std::pair{"trw-s", trw_s_best()}}) {
    GraphTables read = tables(), again = tables();
    const GraphLabels labels =
        label_graph(*model_, read.data(), {.probabilities = false, .search = name});
    std::vector<double> scratch;
    for (GraphInstance& instance : again.data().unroll()) {
      model_->score(again.data().rows(), instance, scratch);
      const MapResult best = make(instance.graph)->best();
      for (std::size_t k = 0; k < instance.variable.size(); ++k) {
        EXPECT_EQ(labels.label[instance.variable[k]], best.states[k]) << name;
      }
    }
  }
}

TEST_F(LabelGraphTest, DecodingByMarginalsTakesTheLargest) {
  GraphTables read = tables();
  const GraphLabels labels =
      label_graph(*model_, read.data(), {.decode = GraphDecode::marginal, .keep_marginals = true});
  for (std::uint32_t v = 0; v < read.variables().size(); ++v) {
    EXPECT_GE(labels.probability[v], 0.5);
    EXPECT_EQ(labels.probability[v], labels.marginals_of(v)[labels.label[v]]);
  }
}

TEST_F(LabelGraphTest, KnownLabelsAreConditionedOnOnlyWhereAskedFor) {
  GraphTables known = tables(LabelUse::known);
  const GraphLabels given = label_graph(*model_, known.data(), {});
  for (std::uint32_t v = 0; v < known.variables().size(); ++v) {
    EXPECT_EQ(given.label[v], known.data().known(v));
    EXPECT_EQ(given.probability[v], 1);
  }
  GraphTables ignored = tables(LabelUse::ignored);
  EXPECT_EQ(ignored.data().known(0), kUnobserved);
}

TEST_F(LabelGraphTest, ThreadsChangeNothing) {
  GraphTables one = tables(), two = tables();
  const GraphLabels a = label_graph(*model_, one.data(), {.keep_marginals = true});
  const GraphLabels b = label_graph(*model_, two.data(), {.keep_marginals = true, .threads = 3});
  EXPECT_EQ(a.label, b.label);
  EXPECT_EQ(a.marginals, b.marginals);
}

TEST_F(LabelGraphTest, TheModelIsTheSameWithMoreThreads) {
  GraphTrainRequest other = request_;
  other.output = folder_ / "other.croft";
  other.options.threads = 3;
  TrainObserver nobody;
  train(*make_trainer(other), nobody);
  const auto bytes = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_EQ(bytes(request_.output), bytes(other.output));
}

TEST_F(LabelGraphTest, StandardisationIsThatOfTheTrainingData) {
  const GraphSpec spec = graph_spec_from(model_->source(), "m.croft");
  const FeatureColumn& size = spec.templates[0].columns->at(1);
  EXPECT_NEAR(size.mean, std::stod(ask_sql(train_, "select avg(size) from thing")), 1e-9);
  run_sql(test_, "update thing set size = size + 1000");
  GraphTables read = tables();
  EXPECT_NEAR(read.spec().templates[0].columns->at(1).mean, size.mean, 0);
}

TEST_F(LabelGraphTest, ColumnsOtherThanTheModelsAreRefused) {
  GraphSpec spec = graph_spec_from(model_->source(), "m.croft");
  const Database database = Database::open({test_});
  const auto error_of = [&](const std::string& query) {
    spec.templates[0].query.text = query;
    try {
      GraphTables::read(database, spec, *model_, LabelUse::ignored);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(error_of("select id, size, word from thing"), "");
  EXPECT_NE(error_of("select id, word from thing").find("no column \"size\", which the model has"),
            std::string::npos);
  EXPECT_NE(error_of("select id, word, size, label from thing")
                .find("a column \"label\" that the model has no features of"),
            std::string::npos);
}

TEST_F(LabelGraphTest, LabelsOfAnotherSpecAreThoseOfTheModel) {
  const Database database = Database::open({test_});
  GraphSpec spec = graph_spec_from(model_->source(), "m.croft");
  spec.labels = {{"tag", {"A", "B"}}};
  GraphTables::read(database, spec, *model_, LabelUse::ignored);
  spec.labels = {{"tag", {"B", "A"}}};
  EXPECT_THROW(GraphTables::read(database, spec, *model_, LabelUse::ignored), UsageError);
}

TEST_F(LabelGraphTest, EvaluationCountsVariablesAndInstances) {
  run_sql(test_,
          "update thing set label = 'Z' where id = 3; update thing set label = null where id "
          "= 8");
  GraphTables read = tables(LabelUse::gold);
  const GraphLabels labels = label_graph(*model_, read.data(), {.keep_marginals = true});
  const GraphEvaluation e = evaluate_graph(read.data(), read.variables().gold(), labels);
  std::size_t correct = 0, instances = 0;
  double loss = 0;
  for (int group = 0; group < 12; ++group) {
    bool all = true;
    for (int id = group * 5; id < group * 5 + 5; ++id) {
      if (id == 8) continue;
      const std::string gold =
          ask_sql(test_, "select label from thing where id = " + std::to_string(id));
      const bool right = gold == (labels.label[id] == 0 ? "A" : "B");
      correct += right;
      all = all && right;
      if (gold != "Z") loss -= std::log(labels.marginals_of(id)[gold == "A" ? 0 : 1]);
    }
    instances += all;
  }
  EXPECT_EQ(e.variables, 59u);
  EXPECT_EQ(e.unlabelled, 1u);
  EXPECT_EQ(e.correct, correct);
  EXPECT_EQ(e.instances, 12u);
  EXPECT_EQ(e.correct_instances, instances);
  ASSERT_EQ(e.domains.size(), 1u);
  EXPECT_EQ(e.domains[0].summary.log_loss->tokens, 58u);
  EXPECT_NEAR(e.domains[0].summary.log_loss->total, loss, 1e-9);
  const Json document = to_json(e);
  EXPECT_EQ(document["domains"]["tag"]["labels"]["Z"]["support"], 1);
  EXPECT_NE(format_table(e).find("--- tag"), std::string::npos);
}

// Sentences of words, of which the model finds all chunks but those of "x".
TEST(EvaluateGraph, CountsChunksOfSequencesInTheOrderOfRows) {
  const TemporaryFolder folder;
  const std::string path = folder / "d.sqlite";
  run_sql(
      path,
      "create table word(id, document, sentence, word, label);"
      "insert into word values (1, 1, 1, 'b', 'B-P'), (2, 1, 1, 'i', 'I-P'), (3, 1, 2, 'i', 'I-P'),"
      "(4, 1, 2, 'o', 'O'), (5, 2, 3, 'b', 'B-P'), (6, 2, 3, 'o', 'O'), (7, 2, 3, 'o', 'O');");
  const std::string spec = folder.write("s.toml", R"(
[[variables]]
domain = "entity"
query = "select id, document as instance, sentence as sequence, label from word order by id"
[[templates]]
name = "word"
variables = ["entity"]
query = "select id, word from word"
)");
  GraphTrainRequest request;
  request.spec = spec;
  request.databases = {path};
  request.output = folder / "m.croft";
  request.l2 = 0.01;
  TrainObserver nobody;
  train(*make_trainer(request), nobody);
  const auto model = GraphModel::open(request.output);
  const auto evaluate = [&](const std::string& columns, ChunkScheme scheme) {
    GraphSpec read = graph_spec_from(model->source(), "m.croft");
    read.variables[0].query.text = "select id, " + columns + " from word order by id";
    GraphTables tables = GraphTables::read(Database::open({path}), read, *model, LabelUse::gold);
    const GraphLabels labels = label_graph(*model, tables.data(), {.keep_marginals = true});
    return evaluate_graph(tables.data(), tables.variables().gold(), labels, scheme)
        .domains[0]
        .summary;
  };
  const std::string by_sentence = "document as instance, sentence as sequence, label";
  const EvaluationSummary right = evaluate(by_sentence, ChunkScheme::automatic);
  ASSERT_TRUE(right.chunk);
  EXPECT_EQ(right.chunk->scheme, ChunkScheme::bio);
  EXPECT_EQ(right.chunk->all.gold, 3u);  // 1-2, 3, 5
  EXPECT_EQ(right.chunk->all.correct, 3u);
  EXPECT_EQ(right.sequences, 3u);
  // Without sentences 'i' of the second goes on with the chunk of the first.
  EXPECT_EQ(evaluate("document as instance, label", ChunkScheme::automatic).chunk->all.gold, 2u);
  EXPECT_FALSE(evaluate(by_sentence, ChunkScheme::none).chunk);
  EXPECT_EQ(evaluate(by_sentence, ChunkScheme::none).sequences, 7u);
  EXPECT_EQ(evaluate(by_sentence, ChunkScheme::raw).chunk->all.gold, 4u);
  // One without a label ends a sequence: what is behind it is a chunk of its own.
  run_sql(path, "insert into word values (2.5, 1, 1, 'i', null), (2.7, 1, 1, 'i', 'I-P')");
  EXPECT_EQ(evaluate(by_sentence, ChunkScheme::bio).chunk->all.gold, 4u);
  EXPECT_NEAR(evaluate(by_sentence, ChunkScheme::bio).log_loss->total,
              evaluate(by_sentence, ChunkScheme::none).log_loss->total, 1e-12);
}

TEST_F(LabelGraphTest, PredictionsBecomeATable) {
  GraphTables read = tables();
  const GraphLabels labels = label_graph(*model_, read.data(), {.keep_marginals = true});
  const PredictionTable to{.path = test_, .table = "predictions", .marginals = true};
  check_prediction_table(to);
  write_prediction_table(to, read, labels);
  write_prediction_table(to, read, labels);  // its own table is replaced
  EXPECT_EQ(ask_sql(test_, "select count(*) from predictions"), "60");
  EXPECT_EQ(ask_sql(test_, "select count(*) from predictions_marginals"), "120");
  EXPECT_EQ(ask_sql(test_,
                    "select count(*) from predictions join thing using (id) where domain = "
                    "'tag' and typeof(predictions.id) = 'integer'"),
            "60");
  EXPECT_EQ(ask_sql(test_,
                    "select count(*) from predictions p join predictions_marginals m on "
                    "p.id = m.id and p.label = m.label and p.probability = m.probability"),
            "60");
  EXPECT_EQ(ask_sql(test_, "select label from predictions where id = 7"),
            labels.label[7] == 0 ? "A" : "B");
}

TEST_F(LabelGraphTest, AJoinWithPredictionsTakesTheIndexWhateverTheIdsAre) {
  const auto search = [&](const std::string& query) {
    write_prediction_table({.path = test_, .marginals = true}, *read_, *labels_);
    std::string plan;
    for (const char* table : {"predictions", "predictions_marginals"}) {
      plan += ask_plan(test_, query + table + " p on p.id = t.id") + ";";
    }
    return plan;
  };
  const auto label = [&] {
    read_ = tables();
    labels_ = label_graph(*model_, read_->data(), {.keep_marginals = true});
  };
  label();
  EXPECT_EQ(search("select * from thing t left join "),
            "SEARCH p USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN;"
            "SEARCH p USING INDEX sqlite_autoindex_predictions_marginals_1 (id=?) LEFT-JOIN;");
  // The same ids as texts, digits or not.
  run_sql(test_,
          "create table other(id text, grp, word, size, label);"
          "insert into other select case when id < 30 then 'x' || id else id end, grp, word, size, "
          "label from thing; drop table thing; alter table other rename to thing;"
          "update pair set a = case when a < 30 then 'x' || a else a end, "
          "b = case when b < 30 then 'x' || b else b end;");
  label();
  EXPECT_EQ(search("select * from thing t left join "),
            "SEARCH p USING INDEX sqlite_autoindex_predictions_1 (id=?) LEFT-JOIN;"
            "SEARCH p USING INDEX sqlite_autoindex_predictions_marginals_1 (id=?) LEFT-JOIN;");
  EXPECT_EQ(ask_sql(test_, "select count(*) from thing join predictions using (id)"), "60");
  EXPECT_EQ(ask_sql(test_, "select count(*) from predictions where typeof(id) = 'text'"), "60");
}

TEST_F(LabelGraphTest, WhatForbidsATableIsKnownBeforeTheWork) {
  EXPECT_THROW(check_prediction_table({.path = test_, .table = "sqlite_mine"}), Error);
  EXPECT_EQ(ask_sql(test_, "select count(*) from sqlite_master where name like '%mine%'"), "0");
}

TEST_F(LabelGraphTest, ATableMayHaveAnyName) {
  GraphTables read = tables();
  const GraphLabels labels = label_graph(*model_, read.data(), {});
  for (const std::string name : {"a \"b\" 'c'", "Vorhersagen für Straße", "select", "a;drop"}) {
    const PredictionTable to{.path = test_, .table = name};
    check_prediction_table(to);
    EXPECT_EQ(ask_sql(test_, "select count(*) from sqlite_master where type = 'table'"),
              std::to_string(2 + count_))
        << "the trial is rolled back";
    write_prediction_table(to, read, labels);
    ++count_;
  }
}

TEST_F(LabelGraphTest, ATableThatCroftDidNotMakeIsKept) {
  GraphTables read = tables();
  const GraphLabels labels = label_graph(*model_, read.data(), {});
  PredictionTable to{.path = test_, .table = "Thing"};
  EXPECT_THROW(check_prediction_table(to), UsageError);
  EXPECT_THROW(write_prediction_table(to, read, labels), UsageError);
  EXPECT_EQ(ask_sql(test_, "select count(*) from thing where word is not null"), "60");
  run_sql(test_, "create view v as select 1");
  to.table = "v";
  to.overwrite = true;
  EXPECT_THROW(check_prediction_table(to), UsageError);
  run_sql(test_, "create table mine(a)");
  to.table = "mine";
  write_prediction_table(to, read, labels);
  EXPECT_EQ(ask_sql(test_, "select count(*) from mine"), "60");
  to.path = folder_.write("d.csv", "id\n1\n");
  EXPECT_THROW(check_prediction_table(to), UsageError);
}

TEST_F(LabelGraphTest, ASampleHasTheNearestVariablesAndTheFactorsBetweenThem) {
  GraphTables read = tables(LabelUse::known);
  const GraphSample sample = sample_graph(read, 7);
  EXPECT_EQ(sample.file.graph.variables(), 7u);
  EXPECT_EQ(sample.file.names.variables[0], "0");
  EXPECT_NE(sample.known[0], kUnobserved);
  // All of the first instance (5 of one variable, 6 of two) and two variables of the next.
  EXPECT_GE(sample.file.graph.factors(), 13u);
  GraphTables all = tables();
  EXPECT_EQ(sample_graph(all, 1000).file.graph.variables(), 60u);
}

TEST_F(LabelGraphTest, AMethodThatDoesNotAnswerIsAnError) {
  GraphTables read = tables();
  EXPECT_THROW(label_graph(*model_, read.data(), {.method = "graph-cut"}), UsageError);
  GraphTables other = tables();
  EXPECT_THROW(label_graph(*model_, other.data(), {.search = "guess"}), UsageError);
}

}  // namespace
}  // namespace croft::label_graph_test
