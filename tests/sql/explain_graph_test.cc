// Explanations of variables, and labels given those of others: against scores and all assignments.
#include "sql/explain_graph.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/evaluate/evaluate_graph.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "croft/inference/graph_brute_force.h"
#include "model/calibration.h"
#include "sql/temporary_database.h"
#include "sql/train/train_graph.h"

namespace croft::explain_graph_test {
namespace {

// Cliques of all sorts: with features, of label pairs that share a weight, that count, with a
// penalty, with forbidden states, with given weights.
constexpr const char* kSpec = R"(
[labels]
tag = ["A", "B", "C"]
[[variables]]
domain = "tag"
query = "select id, grp as instance, label, given as known from thing order by id"
[[templates]]
name = "thing"
variables = ["tag"]
query = "select id, word, size from thing order by id"
[[templates]]
name = "pair"
variables = ["tag", "tag"]
query = "select id, id + 1, way from thing where id % 5 < 4 order by id"
forbid = [["C", "A"]]
[[templates]]
name = "far"
variables = ["tag", "tag"]
interaction = "same"
query = "select id, id + 2 from thing where id % 5 < 3 order by id"
[[templates]]
name = "group"
variables = [["tag"]]
interaction = "count"
states = [["B"]]
from = [0, 2, 4]
query = "select json_group_array(id) from thing group by grp order by grp"
[[templates]]
name = "few"
variables = [["tag"]]
interaction = "at-most"
states = [["C"]]
k = 1
penalty = 0.7
query = "select json_group_array(id) from thing group by grp order by grp"
[[templates]]
name = "said"
variables = ["tag"]
query = "select id, way from thing order by id"
weights = [["way=even", "A", 0.25], ["way=odd", "C", -0.5]]
)";

class ExplainGraphTest : public testing::Test {
 protected:
  ExplainGraphTest() {
    Random random(3);
    std::string sql = "create table thing(id, grp, word text, size real, way text, label, given);";
    for (int id = 0; id < 50; ++id) {
      // No C stands before an A, and a group has one C at most.
      const std::string label = id % 5 == 4 ? "C" : random.uniform() < 0.5 ? "A" : "B";
      sql += "insert into thing values (" + std::to_string(id) + "," + std::to_string(id / 5) +
             ",'" + (random.uniform() < 0.7 ? label : "x") + "'," +
             std::to_string(random.uniform()) + ",'" + (id % 2 == 0 ? "even" : "odd") + "','" +
             label + "'," + (id % 3 == 0 ? "1" : "0") + ");";
    }
    run_sql(data_, sql);
    std::string spec = kSpec;
    folder_.write("s.toml", spec);
    spec.replace(spec.find(", given as known"), 16, "");
    folder_.write("without.toml", spec);
    GraphTrainRequest request;
    request.spec = folder_ / "without.toml";
    request.databases = {data_};
    request.output = folder_ / "m.croft";
    TrainObserver nobody;
    train(*make_trainer(request), nobody);
    model_ = GraphModel::open(request.output);
  }

  GraphTables tables(LabelUse use, const std::string& spec = "without.toml") const {
    return GraphTables::read(Database::open({data_}),
                             with_queries_of(graph_spec_from(model_->source(), "m.croft"),
                                             GraphSpec::read(folder_ / spec)),
                             *model_, use);
  }

  void calibrate(double temperature) {
    Calibrator calibrator;
    calibrator.temperature = temperature;
    const ContainerWriter written =
        with_calibration(model_->container(), calibrator, Json::object());
    model_ = std::make_shared<const GraphModel>(Container::from_bytes(written.bytes(), "m.croft"));
  }

  // p(label of each variable | those of `known`), by all assignments.
  std::vector<double> posterior(const GraphInstance& instance, const Evidence& known,
                                Variable v) const {
    std::vector<double> p = brute_force(condition(instance.graph, known)).variable[v];
    return p;
  }

  TemporaryFolder folder_;
  std::string data_ = folder_ / "data.sqlite";
  std::shared_ptr<const GraphModel> model_;
};

TEST_F(ExplainGraphTest, ReasonsAddUpToTheDifferenceOfScores) {
  std::size_t cliques = 0, limits = 0, scores = 0, forbidden = 0;
  for (const std::string against : {"", "A", "C"}) {
    for (const std::size_t top : {std::size_t{1}, std::size_t{100}}) {
      calibrate(against == "A" ? 2.5 : 1);  // a temperature divides all of them
      GraphTables read = tables(LabelUse::ignored);
      std::vector<Json> found;
      const GraphLabels labels =
          explain_graph(*model_, read, {}, {.variables = {}, .against = against, .top = top},
                        [&](const View& view) { found.push_back(view.json); });
      ASSERT_EQ(found.size(), 50u);
      for (const GraphInstance& instance : labels.instances) {
        for (Variable k = 0; k < instance.variable.size(); ++k) {
          const Json& one = found[instance.variable[k]];
          const auto state = [](const Json& name) {
            return static_cast<State>(name.string()[0] - 'A');
          };
          std::vector<State> y, other;
          for (const std::uint32_t v : instance.variable) y.push_back(labels.label[v]);
          other = y;
          ASSERT_EQ(state(one["label"]), y[k]);
          other[k] = state(one["other"]);
          ASSERT_NE(other[k], y[k]);
          if (!against.empty() && state(Json(against)) != y[k]) {
            ASSERT_EQ(one["other"].string(), against);
          }
          const double difference = instance.graph.score(y) - instance.graph.score(other);
          if (std::isinf(difference)) {
            EXPECT_TRUE(one["difference"].is_null());
            ++forbidden;
            continue;
          }
          EXPECT_NEAR(one["difference"].get<double>(), difference, 1e-9);
          EXPECT_GE(difference, -1e-9);
          double sum = one["rest"]["difference"].get<double>();
          for (const Json& reason : one["reasons"]) {
            sum += reason["difference"].get<double>();
            cliques += reason["kind"] == "clique";
            limits += reason["kind"] == "limit";
            scores += reason["kind"] == "score";
          }
          EXPECT_NEAR(sum, difference, 1e-9);
        }
      }
    }
  }
  EXPECT_GT(cliques, 0u);
  EXPECT_GT(limits, 0u);
  EXPECT_GT(scores, 0u);
  EXPECT_GT(forbidden, 0u);
}

TEST_F(ExplainGraphTest, ProbabilitiesAreThoseOfAllAssignments) {
  GraphTables read = tables(LabelUse::ignored);
  std::vector<Json> found;
  const GraphLabels labels =
      explain_graph(*model_, read, {}, {.variables = {"7"}, .against = "", .top = 5},
                    [&](const View& view) { found.push_back(view.json); });
  ASSERT_EQ(found.size(), 1u);
  const std::vector<double> p = posterior(labels.instances[1], Evidence(5, kUnobserved), 2);
  EXPECT_EQ(found[0]["id"], 7);
  EXPECT_EQ(found[0]["instance"], "1");
  EXPECT_NEAR(found[0]["probability"].get<double>(), *std::ranges::max_element(p), 1e-9);
}

TEST_F(ExplainGraphTest, KnownLabelsAreEvidenceOfTheOthers) {
  GraphTables read = tables(LabelUse::known, "s.toml");
  std::vector<Json> found;
  const GraphLabels labels =
      explain_graph(*model_, read, {}, {}, [&](const View& view) { found.push_back(view.json); });
  EXPECT_EQ(found.size(), 33u);  // of 50, those whose id is not divisible by 3
  const GraphInstance& first = labels.instances[0];
  EXPECT_NE(first.known[0], kUnobserved);
  EXPECT_EQ(first.known[1], kUnobserved);
  const std::vector<double> p = posterior(first, first.known, 1);
  EXPECT_NEAR(found[0]["probability"].get<double>(), p[labels.label[1]], 1e-9);
}

TEST_F(ExplainGraphTest, WhatIsNotThereIsSaid) {
  const auto ask = [&](const GraphExplainRequest& request) {
    GraphTables read = tables(LabelUse::ignored);
    explain_graph(*model_, read, {}, request, [](const View&) {});
  };
  EXPECT_THROW(ask({.variables = {"99"}, .against = ""}), UsageError);
  EXPECT_THROW(ask({.variables = {}, .against = "D"}), UsageError);
  ask({.variables = {"tag:7"}, .against = "B"});
}

TEST_F(ExplainGraphTest, AVariableIsPredictedGivenAllOthers) {
  run_sql(data_, "update thing set label = null where id in (1, 2, 8)");
  GraphTables read = tables(LabelUse::rest), again = tables(LabelUse::rest);
  EXPECT_FALSE(read.variables().says_known());
  const GraphLabels labels = label_given_others(*model_, read.data(), read.variables().gold(), {});
  std::vector<double> scratch;
  for (GraphInstance& instance : again.data().unroll()) {
    model_->score(again.data().rows(), instance, scratch);
    for (Variable k = 0; k < instance.variable.size(); ++k) {
      const std::uint32_t v = instance.variable[k];
      if (again.variables().gold(v) == kUnobserved) continue;
      Evidence known;
      for (const std::uint32_t u : instance.variable) {
        known.push_back(u == v ? kUnobserved : again.variables().gold(u));
      }
      const std::vector<double> p = posterior(instance, known, k);
      for (State s = 0; s < 3; ++s) EXPECT_NEAR(labels.marginals_of(v)[s], p[s], 1e-9) << v;
      EXPECT_EQ(labels.label[v], std::ranges::max_element(p) - p.begin());
    }
  }
  const GraphEvaluation e = evaluate_graph(read.data(), read.variables().gold(), labels);
  EXPECT_EQ(e.variables, 47u);
  EXPECT_EQ(e.unlabelled, 3u);
}

TEST_F(ExplainGraphTest, AColumnSaysWhichLabelsAreKnown) {
  GraphTables read = tables(LabelUse::rest, "s.toml"), again = tables(LabelUse::known, "s.toml");
  EXPECT_TRUE(read.variables().says_known());
  const GraphLabels labels = label_graph(*model_, read.data(), {.keep_marginals = true});
  std::vector<double> scratch;
  for (GraphInstance& instance : again.data().unroll()) {
    model_->score(again.data().rows(), instance, scratch);
    for (Variable k = 0; k < instance.variable.size(); ++k) {
      const std::uint32_t v = instance.variable[k];
      EXPECT_EQ(instance.known[k] != kUnobserved, v % 3 == 0);
      EXPECT_EQ(read.variables().gold(v) == kUnobserved, v % 3 == 0);
      if (v % 3 == 0) continue;
      const std::vector<double> p = posterior(instance, instance.known, k);
      for (State s = 0; s < 3; ++s) EXPECT_NEAR(labels.marginals_of(v)[s], p[s], 1e-9) << v;
    }
  }
  const GraphEvaluation e = evaluate_graph(read.data(), read.variables().gold(), labels);
  EXPECT_EQ(e.variables, 33u);
  EXPECT_EQ(e.evidence, 17u);
  EXPECT_EQ(e.unlabelled, 0u);
  run_sql(data_, "update thing set given = 2 where id = 7");
  EXPECT_THROW(tables(LabelUse::rest, "s.toml"), InputError);
}

TEST_F(ExplainGraphTest, CostsAndThresholdsChooseByMarginals) {
  const auto decide = [&](const ChoiceRequest& request) {
    GraphTables read = tables(LabelUse::ignored);
    const std::vector<std::vector<std::string>> lists{model_->schema().domains[0].labels};
    return label_graph(*model_, read.data(),
                       {.decode = GraphDecode::marginal,
                        .keep_marginals = true,
                        .decisions = label_choosers(request, lists)});
  };
  ChoiceRequest costs;
  costs.costs = CostFile{"costs", {{{}, {}, 1, 1}, {"C", {}, 4, 2}}};
  const GraphLabels cheap = decide(costs), reached = decide({{}, {"C=0.1"}});
  std::size_t changed = 0;
  for (std::uint32_t v = 0; v < 50; ++v) {
    const std::span<const double> p = cheap.marginals_of(v);
    double least = HUGE_VAL;
    State best = 0;
    for (State j = 0; j < 3; ++j) {
      double expected = 0;
      for (State g = 0; g < 3; ++g) expected += g == j ? 0 : p[g] * (g == 2 ? 4 : 1);
      if (expected < least) least = expected, best = j;
    }
    EXPECT_EQ(cheap.label[v], best);
    changed += best != std::ranges::max_element(p) - p.begin();
    EXPECT_EQ(reached.label[v], p[2] >= 0.1 ? 2u : p[0] >= p[1] ? 0u : 1u);
  }
  EXPECT_GT(changed, 0u);
}

}  // namespace
}  // namespace croft::explain_graph_test
