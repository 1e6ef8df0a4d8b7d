// The life of a training on tables: what is held out, and when it stops.
#include "sql/train/train_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/evaluate/calibrate_graph.h"
#include "app/evaluate/evaluate_graph.h"
#include "app/label/label_graph.h"
#include "app/search/search_plan.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "croft/inference/graph_brute_force.h"
#include "sql/temporary_database.h"
#include "sql/train/search_graph.h"
#include "support/message_of.h"

namespace croft::train_graph_test {
namespace {

constexpr const char* kSpec = R"(
[[variables]]
domain = "tag"
query = "select id, grp as instance, label, part as sequence from word order by id"
[[templates]]
name = "word"
variables = ["tag"]
query = "select id, word from word order by id"
[[templates]]
name = "next"
variables = ["tag", "tag"]
query = "select a.id, b.id from word a join word b on b.id = a.id + 1 and a.grp = b.grp order by a.id"
)";

const std::vector<std::string> kTags = {"O", "B-X", "I-X"};

// Chains of six words, which show their labels most of the time.
struct Word {
  int id, group, part;
  std::string word, label;
};
std::vector<Word> make_words(std::uint64_t seed, int groups, int first_id = 0) {
  Random random(seed);
  std::vector<Word> words;
  for (int group = 0; group < groups; ++group) {
    for (int k = 0; k < 6; ++k) {
      const int id = first_id + group * 10 + k;
      const std::string label = kTags[random.below(3)];
      const std::string shown = random.uniform() < 0.7 ? label : kTags[random.below(3)];
      // Rare words, too, of which a hold-out has some that training has not.
      const std::string word = random.uniform() < 0.9 ? shown : "w" + std::to_string(id);
      words.push_back({id, group, k / 3, word, label});
    }
  }
  return words;
}

void write_words(const std::string& path, const std::vector<Word>& words) {
  std::string sql = "begin; create table word(id integer, grp, part, word text, label text);";
  for (const Word& each : words) {
    sql += "insert into word values (" + std::to_string(each.id) + "," +
           std::to_string(each.group) + "," + std::to_string(each.part) + ",'" + each.word + "'," +
           (each.label.empty() ? "null" : "'" + each.label + "'") + ");";
  }
  run_sql(path, sql + "commit;");
}

class TrainGraphTest : public testing::Test {
 protected:
  TrainGraphTest() {
    write_words(folder_ / "train.sqlite", words_);
    write_words(folder_ / "dev.sqlite", make_words(2, 12));
    request_.spec = folder_.write("s.toml", kSpec);
    request_.databases = {folder_ / "train.sqlite"};
    request_.output = folder_ / "m.croft";
  }

  // The groups that a share holds out, as sequences of a chain are drawn.
  std::vector<bool> drawn(double share) const {
    Random random(request_.options.seed);
    std::vector<bool> out(40);
    for (std::size_t g = 0; g < out.size(); ++g) out[g] = random.uniform() < share;
    return out;
  }

  TrainOutcome run() {
    TrainObserver nobody;
    const TrainOutcome outcome = train(*make_trainer(request_), nobody);
    model_ = GraphModel::open(request_.output);
    return outcome;
  }
  Json record() const { return *model_->meta().get_if("training"); }

  // As croft evaluate has it.
  EvaluationSummary evaluate(const std::string& database) const {
    GraphTables tables =
        GraphTables::read(Database::open({database}), graph_spec_from(model_->source(), "m.croft"),
                          *model_, LabelUse::gold);
    const GraphLabels labels = label_graph(*model_, tables.data(), {});
    return evaluate_graph(tables.data(), tables.variables().gold(), labels, {}).domains[0].summary;
  }

  TemporaryFolder folder_;
  std::vector<Word> words_ = make_words(1, 40);
  GraphTrainRequest request_;
  std::shared_ptr<const GraphModel> model_;
};

TEST_F(TrainGraphTest, AHeldOutDatabaseIsScoredAsEvaluateScoresIt) {
  request_.holdout = folder_ / "dev.sqlite";
  request_.held_out = {request_.holdout};
  const TrainOutcome outcome = run();
  ASSERT_TRUE(outcome.holdout && outcome.holdout->chunk_f1);
  const EvaluationSummary found = evaluate(folder_ / "dev.sqlite");
  EXPECT_EQ(outcome.holdout->token_accuracy, found.token_accuracy());
  EXPECT_EQ(*outcome.holdout->chunk_f1, found.chunk->all.f1());
  EXPECT_EQ(record().at("holdout").at("instances").get<std::size_t>(), 12u);
}

TEST_F(TrainGraphTest, AShareThatIsHeldOutIsNotTrainedOn) {
  request_.holdout = "0.3";
  const TrainOutcome with_share = run();
  const std::shared_ptr<const GraphModel> trained = model_;
  const std::vector<bool> out = drawn(0.3);
  ASSERT_GT(std::ranges::count(out, true), 3);
  std::vector<Word> kept, held_out;
  for (const Word& each : words_) {
    (out[static_cast<std::size_t>(each.group)] ? held_out : kept).push_back(each);
  }
  write_words(folder_ / "kept.sqlite", kept);
  write_words(folder_ / "held_out.sqlite", held_out);
  request_.databases = {folder_ / "kept.sqlite"};
  request_.holdout = folder_ / "held_out.sqlite";
  request_.held_out = {request_.holdout};
  const TrainOutcome with_database = run();
  EXPECT_EQ(with_share.objective, with_database.objective);
  EXPECT_EQ(with_share.holdout->token_accuracy, with_database.holdout->token_accuracy);
  EXPECT_EQ(with_share.holdout->chunk_f1, with_database.holdout->chunk_f1);
  for (std::uint32_t t = 0; t < 2; ++t) {
    EXPECT_EQ(trained->table(t).weights(), model_->table(t).weights());
  }
}

// Of the words: all of an instance, and each by itself; of two neighbours.
constexpr const char* kBlocks = R"(
[[blocks]]
name = "whole"
domain = "tag"
query = "select grp as block, id from word"
[[blocks]]
name = "single"
query = "select 'tag' as domain, id as block, id from word"
[[blocks]]
name = "halves"
domain = "tag"
query = "select grp || '-' || part as block, id from word"
)";

TEST_F(TrainGraphTest, BlocksThatCoverEverythingAreTheLikelihoodAndThoseOfOnePseudoLikelihood) {
  request_.spec = folder_.write("blocks.toml", std::string(kSpec) + kBlocks);
  const auto train_by = [&](Objective objective, const char* pieces) {
    request_.options.objective = objective;
    request_.options.inference.pieces.reset();
    if (pieces != nullptr) request_.options.inference.pieces = pieces;
    return *run().objective;
  };
  const auto expect_same = [](double a, double b) { EXPECT_NEAR(a, b, 1e-7 * std::abs(b)); };
  const double likelihood = train_by(Objective::likelihood, nullptr);
  const double pseudo = train_by(Objective::pseudolikelihood, nullptr);
  expect_same(train_by(Objective::composite, "whole"), likelihood);
  expect_same(train_by(Objective::piecewise, "whole"), likelihood);
  expect_same(train_by(Objective::composite, "single"), pseudo);
  const double halves = train_by(Objective::composite, "halves");
  EXPECT_GT(std::abs(halves - likelihood), 1e-3);
  EXPECT_GT(std::abs(halves - pseudo), 1e-3);
}

TEST_F(TrainGraphTest, BadBlocksAreErrorsWithTheirPlace) {
  request_.options.objective = Objective::composite;
  request_.options.inference.pieces = "b";
  const auto fault = [&](const std::string& lines) {
    request_.spec =
        folder_.write("bad.toml", std::string(kSpec) + "[[blocks]]\nname = \"b\"\n" + lines);
    return message_of<Error>([&] { run(); });
  };
  const auto expect = [&](const std::string& lines, const std::string& what) {
    const std::string text = fault(lines);
    EXPECT_NE(text.find(what), std::string::npos) << text << "\nlacks: " << what;
  };
  const std::string tag = "domain = \"tag\"\n";
  expect(tag + "query = \"select id from word\"\n", "blocks 'b': no column block");
  expect(tag + "query = \"select grp as block from word\"\n", "blocks 'b': no column id");
  expect(tag + "query = \"select 1 as block, id, 2 as x from word\"\n",
         "a column \"x\" of no meaning");
  expect("query = \"select 1 as block, id from word\"\n", "no column domain");
  expect("domain = \"t\"\nquery = \"select 1 as block, id from word\"\n",
         "there are no variables of the domain");
  expect(tag + "query = \"select 1 as block, 77777 as id\"\n",
         "row 1: there is no variable \"77777\" of the domain 'tag'");
  expect(tag + "query = \"select 1 as block, id from word\"\n",
         "row 7: the variable \"10\" is of another instance than others of its block");
  expect(tag + "query = \"select 1 as block, 3 as id union all select 1, 3\"\n",
         "the variable \"3\" is twice in a block");
  request_.options.inference.pieces = "c";
  expect(tag + "query = \"select grp as block, id from word\"\n",
         "--pieces \"c\" is no template and no blocks of this model: word, next, b");
}

TEST_F(TrainGraphTest, EarlyStoppingKeepsTheBestIteration) {
  struct Scores : TrainObserver {
    std::vector<double> f1;
    bool see(const TrainStep& step) override {
      f1.push_back(*step.holdout->chunk_f1);
      return true;
    }
  } scores;
  request_.holdout = folder_ / "dev.sqlite";
  request_.held_out = {request_.holdout};
  request_.options.early_stop = 2;
  request_.options.method = Method::sgd;
  request_.l2 = 0.001;
  const TrainOutcome outcome = train(*make_trainer(request_), scores);
  model_ = GraphModel::open(request_.output);
  const double best = *std::ranges::max_element(scores.f1);
  EXPECT_EQ(*outcome.holdout->chunk_f1, best);
  EXPECT_EQ(evaluate(folder_ / "dev.sqlite").chunk->all.f1(), best);
  EXPECT_EQ(*record().at("holdout").get_if("chunk_f1"), Json(best));
}

TEST_F(TrainGraphTest, EveryObjectiveHasAHoldout) {
  for (const ObjectiveInfo& each : objective_table(Structure::graph)) {
    request_.holdout = "0.25";
    request_.options.objective = each.objective;
    request_.max_iterations = 3;
    const TrainOutcome outcome = run();
    ASSERT_TRUE(outcome.holdout) << each.name;
    EXPECT_GT(outcome.holdout->token_accuracy, 0.3) << each.name;
  }
}

TEST_F(TrainGraphTest, KnownLabelsOfAHeldOutDatabaseAreEvidence) {
  std::string spec(kSpec);
  const std::string column = "label, part as sequence";
  spec.replace(spec.find(column), column.size(), "label, id % 2 as known");
  const auto train_by = [&](const std::string& text) {
    request_.spec = folder_.write("known.toml", text);
    request_.holdout = folder_ / "dev.sqlite";
    request_.held_out = {request_.holdout};
    request_.max_iterations = 20;
    return run();
  };
  const TrainOutcome outcome = train_by(spec);
  GraphTables tables =
      GraphTables::read(Database::open({folder_ / "dev.sqlite"}),
                        graph_spec_from(model_->source(), "m.croft"), *model_, LabelUse::rest);
  const GraphLabels labels = label_graph(*model_, tables.data(), {});
  const GraphEvaluation found =
      evaluate_graph(tables.data(), tables.variables().gold(), labels, {});
  EXPECT_EQ(found.evidence, 36u);
  EXPECT_EQ(outcome.holdout->token_accuracy, found.domains[0].summary.token_accuracy());
}

TEST_F(TrainGraphTest, DensitiesAreNotFittedToWhatIsHeldOut) {
  std::string spec(kSpec);
  spec +=
      "[[templates]]\nname = \"size\"\nvariables = [\"tag\"]\nmixture = { components = 1 }\n"
      "query = \"select id, length(word) + id * 0.01 from word order by id\"\n";
  request_.spec = folder_.write("mixture.toml", spec);
  request_.holdout = "0.3";
  const TrainOutcome with_share = run();
  const Json source = model_->source();
  const std::vector<bool> out = drawn(0.3);
  std::erase_if(words_,
                [&](const Word& each) { return out[static_cast<std::size_t>(each.group)]; });
  write_words(folder_ / "kept.sqlite", words_);
  request_.databases = {folder_ / "kept.sqlite"};
  request_.holdout.clear();
  EXPECT_EQ(with_share.objective, run().objective);
  EXPECT_EQ(source.dump(), model_->source().dump());
}

// The words with those of the first groups twice, under other ids.
std::vector<Word> with_twice(const std::vector<Word>& words, int groups) {
  std::vector<Word> out = words;
  for (Word each : words) {
    if (each.group >= groups) continue;
    each.id += 300'000;  // so that what goes by ids stays
    each.group += 1000;
    out.push_back(each);
  }
  return out;
}
std::string with_weights(std::string spec) {
  const std::string column = "part as sequence";
  return spec.replace(spec.find(column), column.size(), "1 + (grp < 5) as weight");
}
constexpr const char* kSize = R"(
[[templates]]
name = "size"
variables = ["tag"]
mixture = { components = 1 }
query = "select id, length(word) + id % 1000 * 0.01 from word order by id"
)";

TEST_F(TrainGraphTest, AWeightOfTwoIsAnInstanceTwiceForDensitiesToo) {
  write_words(folder_ / "twice.sqlite", with_twice(words_, 5));
  for (const std::string more : {"", kSize}) {
    request_.spec = folder_.write("plain.toml", kSpec + more);
    request_.databases = {folder_ / "twice.sqlite"};
    const TrainOutcome twice = run();
    request_.spec = folder_.write("weights.toml", with_weights(kSpec + more));
    request_.databases = {folder_ / "train.sqlite"};
    const TrainOutcome by_column = run();
    EXPECT_NEAR(*by_column.objective, *twice.objective, 1e-4 * *twice.objective);
    EXPECT_EQ(record().at("total_weight").get<double>(), 45);
    std::string lines;
    for (int group = 0; group < 40; ++group) lines += group < 5 ? "2\n" : "1\n";
    request_.weights = folder_.write("weights.txt", lines);
    request_.spec = folder_ / "plain.toml";
    EXPECT_EQ(run().objective, by_column.objective);
    request_.weights.clear();
  }
}

TEST_F(TrainGraphTest, DensitiesBesideAFieldFollowWeightsInEm) {
  const std::string labels = "case when id % 3 = 0 then null else label end as label";
  std::string spec = kSpec + std::string(kSize);
  spec.replace(spec.find("components = 1"), 14, "components = 1, generative = true");
  spec.replace(spec.find("label, part"), 5, labels);
  write_words(folder_ / "twice.sqlite", with_twice(words_, 5));
  request_.options.em.emplace();
  request_.options.start_deviation = 0;
  request_.max_iterations = 8;
  request_.spec = folder_.write("plain.toml", spec);
  request_.databases = {folder_ / "twice.sqlite"};
  const TrainOutcome twice = run();
  request_.spec = folder_.write("weights.toml", with_weights(spec));
  request_.databases = {folder_ / "train.sqlite"};
  EXPECT_NEAR(*run().objective, *twice.objective, 1e-6 * std::abs(*twice.objective));
}

TEST_F(TrainGraphTest, SaysWhichWeightsAreNone) {
  const auto message = [&](const std::string& spec) {
    request_.spec = folder_.write("bad.toml", spec);
    return message_of<Error>([&] { run(); });
  };
  const auto column = [](const std::string& with) {
    std::string spec(kSpec);
    return spec.replace(spec.find("part as sequence"), 16, with + " as weight");
  };
  EXPECT_NE(message(column("-1")).find("row 1: the column weight has \"-1\""), std::string::npos);
  EXPECT_NE(message(column("'x'")).find("it is a number from 0 to 1e15"), std::string::npos);
  EXPECT_NE(message(column("id")).find("another weight than an earlier variable of the instance "),
            std::string::npos);
  request_.weights = folder_.write("weights.txt", "1\n2\n");
  EXPECT_NE(message(kSpec).find("weights.txt: 2 weights, and 40 instances to train on"),
            std::string::npos);
  EXPECT_NE(message(column("1")).find("given twice"), std::string::npos);
}

TEST_F(TrainGraphTest, SaysWhatCannotBeHeldOut) {
  const auto message = [&] { return message_of<Error>([&] { run(); }); };
  request_.options.early_stop = 3;
  EXPECT_EQ(message(), "--early-stop needs --holdout, to see when to stop");
  request_.options.early_stop = 0;
  request_.holdout = "1.5";
  EXPECT_NE(message().find("is not between 0 and 1"), std::string::npos);
  request_.holdout = "0.000001";
  EXPECT_EQ(message(), "the hold-out fraction 0.000001 of 40 instances is none; give a larger one");
  std::vector<Word> blank = make_words(3, 4);
  for (Word& each : blank) each.label.clear();
  write_words(folder_ / "blank.sqlite", blank);
  request_.holdout = folder_ / "blank.sqlite";
  request_.held_out = {request_.holdout};
  EXPECT_NE(message().find("no variable of the hold-out has a label"), std::string::npos);
}

constexpr const char* kGiven = R"toml(
[[templates]]
name = "given"
variables = ["tag", "tag"]
weights = [["(bias)", "O", "O", 0.5], ["(bias)", "B-X", "I-X", 1.25]]
query = "select a.id, b.id from word a join word b on b.id = a.id + 1 and a.grp = b.grp"
[[templates]]
name = "rare"
variables = ["tag"]
penalty = 0.75
forbid = [["I-X"]]
query = "select id from word where id % 2 = 0"
)toml";

// The scored graphs of a database, by a model, with their labels.
std::vector<GraphInstance> scored(const GraphModel& model, const std::string& database,
                                  std::vector<std::vector<State>>& labels) {
  GraphTables tables =
      GraphTables::read(Database::open({database}), graph_spec_from(model.source(), "m.croft"),
                        model, LabelUse::gold);
  std::vector<GraphInstance> instances = tables.data().unroll();
  std::vector<double> scratch;
  labels.clear();
  for (GraphInstance& each : instances) {
    model.score(tables.data().rows(), each, scratch);
    labels.emplace_back();
    for (const std::uint32_t v : each.variable) {
      labels.back().push_back(tables.variables().gold(v));
    }
  }
  return instances;
}

class CalibrateGraphTest : public TrainGraphTest {
 protected:
  CalibrateGraphTest() {
    request_.spec = folder_.write("given.toml", std::string(kSpec) + kGiven);
    request_.l2 = 0.01;
    run();
  }

  CalibratedGraph calibrated(std::size_t threads = 1, std::optional<double> memory = {}) const {
    GraphTables tables =
        GraphTables::read(Database::open({folder_ / "dev.sqlite"}),
                          graph_spec_from(model_->source(), "m.croft"), *model_, LabelUse::rest);
    return calibrate_graph(*model_, tables.data(), tables.variables().gold(),
                           {.memory = memory, .threads = threads}, "c.croft");
  }
  // -log p of all labels of the hold-out at a temperature, and its derivative by 1 / T, by all
  // assignments.
  double loss(double inverse, double* slope = nullptr) const {
    std::vector<std::vector<State>> labels;
    std::vector<GraphInstance> instances = scored(*model_, folder_ / "dev.sqlite", labels);
    double sum = 0;
    for (std::size_t n = 0; n < instances.size(); ++n) {
      FactorGraph& graph = instances[n].graph;
      const double gold = graph.score(labels[n]);
      const std::vector<double> plain(graph.numbers().begin(), graph.numbers().end());
      for (double& each : graph.numbers()) each *= inverse;
      const GraphBruteForce p = brute_force(graph);
      sum += p.log_partition - inverse * gold;
      if (slope == nullptr) continue;
      *slope -= gold;
      for (Factor f = 0; f < graph.factors(); ++f) {
        for (std::size_t k = 0; k < p.factor[f].size(); ++k) {
          *slope += p.factor[f][k] * graph.table(f)[k] / inverse;
        }
      }
    }
    return sum;
  }
};

TEST_F(CalibrateGraphTest, TheTemperatureIsBestOnWhatIsHeldOut) {
  const CalibratedGraph found = calibrated();
  const double best = found.report.calibrator.temperature;
  EXPECT_NE(best, 1);
  double slope = 0;
  EXPECT_NEAR(loss(1 / best, &slope), found.report.after.log_loss->total, 1e-8);
  EXPECT_NEAR(slope, 0, 1e-2);
  EXPECT_LT(loss(1 / best), loss(1 / (best * 1.01)));
  EXPECT_LT(loss(1 / best), loss(1 / (best * 0.99)));
  EXPECT_NEAR(loss(1), found.report.before.log_loss->total, 1e-8);
  EXPECT_EQ(found.report.sequences, 12u);
  EXPECT_EQ(found.report.positions, 72u);
}

TEST_F(CalibrateGraphTest, AllScoresAreDividedByIt) {
  const CalibratedGraph found = calibrated();
  const GraphModel model(Container::from_bytes(found.model.bytes(), "c.croft"));
  std::vector<std::vector<State>> labels;
  const auto plain = scored(*model_, folder_ / "dev.sqlite", labels);
  const auto after = scored(model, folder_ / "dev.sqlite", labels);
  for (std::size_t n = 0; n < plain.size(); ++n) {
    EXPECT_NEAR(after[n].graph.score(labels[n]),
                plain[n].graph.score(labels[n]) / found.report.calibrator.temperature, 1e-10);
  }
}

TEST_F(CalibrateGraphTest, ASecondCalibrationReplacesTheFirst) {
  const CalibratedGraph first = calibrated();
  model_ =
      std::make_shared<const GraphModel>(Container::from_bytes(first.model.bytes(), "c.croft"));
  const CalibratedGraph second = calibrated(2);
  EXPECT_NEAR(second.report.calibrator.temperature, first.report.calibrator.temperature, 1e-6);
  EXPECT_NEAR(second.report.before.log_loss->total, first.report.before.log_loss->total, 1e-8);
}

TEST_F(CalibrateGraphTest, WhatIsTooLargeForATreeIsEstimated) {
  // Two cliques of the same words are a cycle: belief propagation is not exact, but close.
  const CalibratedGraph found = calibrated(1, 1.0);
  EXPECT_NEAR(found.report.calibrator.temperature, calibrated().report.calibrator.temperature,
              0.01);
}

class SearchGraphTest : public TrainGraphTest {
 protected:
  SearchGraphTest() {
    search_.options = {"--model=graph", "--spec=" + request_.spec,
                       "--database=" + request_.databases[0], "--max-iterations=15"};
    search_.parameters = {parse_search_values("l2=0.1,30")};
    search_.smallest = 1;
  }
  SearchedSettings search() {
    trainings_ = 0;
    return search_graph_settings(search_, [&](const SearchProgress&) { ++trainings_; });
  }

  SearchRequest search_;
  std::size_t trainings_ = 0;
};

TEST_F(SearchGraphTest, AFoldIsScoredByAModelOfTheOthers) {
  const SearchedSettings found = search();
  ASSERT_EQ(found.candidates.size(), 2u);
  const SearchPlan plan(search_, 40);
  request_.max_iterations = 15;
  for (const SearchCandidate& each : found.candidates) {
    for (std::size_t fold = 0; fold < 3; ++fold) {
      std::vector<Word> kept, left_out;
      const std::vector<std::size_t> test = plan.test_of(fold);
      for (const Word& word : words_) {
        const bool out = std::ranges::binary_search(test, static_cast<std::size_t>(word.group));
        (out ? left_out : kept).push_back(word);
      }
      const std::string name = each.values[0] + "-" + std::to_string(fold);
      write_words(folder_ / (name + ".train.sqlite"), kept);
      write_words(folder_ / (name + ".test.sqlite"), left_out);
      request_.databases = {folder_ / (name + ".train.sqlite")};
      request_.l2 = std::stod(each.values[0]);
      run();
      EXPECT_EQ(each.rungs.back().folds[fold],
                evaluate(folder_ / (name + ".test.sqlite")).token_accuracy());
    }
  }
}

TEST_F(SearchGraphTest, GoesOnFromItsStateToTheSameResult) {
  search_.smallest = 0.3;
  search_.parameters = {parse_search_values("l2=0.1,1,10,100")};
  for (const SearchMetric metric : {SearchMetric::chunk_f1, SearchMetric::log_loss}) {
    search_.metric = metric;
    search_.resume = false;
    search_.state = folder_ / std::string(name_of(metric));
    const SearchedSettings first = search();
    EXPECT_GT(trainings_, 12u);
    search_.resume = true;
    search_.threads = 2;
    const SearchedSettings again = search();
    EXPECT_EQ(trainings_, 0u);
    EXPECT_EQ(to_json(again).dump(), to_json(first).dump());
    EXPECT_NE(first.best().values[0], "100");
  }
  run_sql(request_.databases[0], "update word set label = 'O' where id = 0");
  EXPECT_NE(message_of<Error>([&] { search(); }).find("log-loss"), std::string::npos);
}

TEST_F(SearchGraphTest, SaysWhatItCannotDealOut) {
  search_.options.push_back("--holdout=0.2");
  EXPECT_EQ(message_of<UsageError>([&] { search(); }),
            "a search holds out the folds: leave out --holdout and --early-stop");
}

}  // namespace
}  // namespace croft::train_graph_test
