// Factors that count, by every method: against all assignments one by one.
#include <gtest/gtest.h>

#include <cmath>

#include "croft/app/infer.h"
#include "croft/core/error.h"
#include "croft/inference/graph_brute_force.h"
#include "support/counting_graphs.h"

namespace croft::infer_counting_test {
namespace {

using testing_graphs::counting_graph;

constexpr double kInf = std::numeric_limits<double>::infinity();

InferRequest request(GraphTask task, const std::string& method) {
  InferRequest r;
  r.task = task;
  r.method = method;
  return r;
}

InferResult ask(const FactorGraph& graph, GraphTask task, const std::string& method) {
  return infer(graph, {}, request(task, method));
}

void expect_near(const VariableMarginals& found, const VariableMarginals& wanted, double most) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t v = 0; v < wanted.size(); ++v) {
    ASSERT_EQ(found[v].size(), wanted[v].size());
    for (std::size_t x = 0; x < wanted[v].size(); ++x) EXPECT_NEAR(found[v][x], wanted[v][x], most);
  }
}

TEST(InferCounting, ExactMethodsAnswerAsAllAssignmentsDo) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    const FactorGraph graph = counting_graph(seed, seed % 2 == 0);
    const GraphBruteForce all = brute_force(graph);
    for (const char* method :
         {"junction-tree", "cutset-conditioning", "recursive-conditioning", "auto"}) {
      SCOPED_TRACE(method);
      if (all.log_partition == -kInf) {
        EXPECT_EQ(ask(graph, GraphTask::partition, method).log_partition, -kInf);
        EXPECT_THROW(ask(graph, GraphTask::map, method), Error);
        continue;
      }
      const InferResult sums = ask(graph, GraphTask::marginals, method);
      EXPECT_NEAR(*sums.log_partition, all.log_partition, 1e-9);
      expect_near(sums.marginals, all.variable, 1e-9);
      const InferResult best = ask(graph, GraphTask::map, method);
      EXPECT_EQ(best.assignment.size(), graph.variables());
      EXPECT_NEAR(*best.log_score, all.best_score, 1e-9);
    }
  }
}

TEST(InferCounting, EvidenceCountsToo) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const FactorGraph graph = counting_graph(seed, seed % 2 == 0);
    Evidence evidence(graph.variables(), kUnobserved);
    FactorGraph limited = graph;
    for (const Variable v : {Variable{1}, Variable{2}}) {
      evidence[v] = 1;
      std::vector<double> own(graph.states(v), -kInf);
      own[1] = 0;
      limited.add_factor({v}, limited.add_table(own));
    }
    const GraphBruteForce all = brute_force(limited);
    const InferResult sum = infer(graph, evidence, request(GraphTask::partition, "auto"));
    if (all.log_partition == -kInf) {
      EXPECT_EQ(*sum.log_partition, -kInf);
      continue;
    }
    const InferResult sums = infer(graph, evidence, request(GraphTask::marginals, "auto"));
    EXPECT_NEAR(*sums.log_partition, all.log_partition, 1e-9);
    expect_near(sums.marginals, all.variable, 1e-9);
  }
}

TEST(InferCounting, TheBestAssignmentsAndSamplesAreOfTheGraphsOwnVariables) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const FactorGraph graph = counting_graph(seed, true);
    std::vector<double> scores;
    for_each_assignment(graph, [&](std::span<const State>, long double score) {
      scores.push_back(static_cast<double>(score));
    });
    std::ranges::sort(scores, std::greater());
    if (scores.empty()) continue;
    InferRequest five = request(GraphTask::map, "junction-tree");
    five.k_best = 5;
    const InferResult best = infer(graph, {}, five);
    ASSERT_EQ(best.k_best.size(), std::min<std::size_t>(5, scores.size()));
    for (std::size_t k = 0; k < best.k_best.size(); ++k) {
      EXPECT_EQ(best.k_best[k].states.size(), graph.variables());
      EXPECT_NEAR(best.k_best[k].log_score, scores[k], 1e-9);
    }
    InferRequest three = request(GraphTask::sample, "junction-tree");
    three.samples = 3;
    const InferResult drawn = infer(graph, {}, three);
    for (const auto& x : drawn.samples) {
      ASSERT_EQ(x.size(), graph.variables());
      EXPECT_GT(graph.score(x), -kInf);
    }
  }
}

TEST(InferCounting, SearchesFindAllowedAssignmentsAndBoundTheBest) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const FactorGraph graph = counting_graph(seed, seed % 2 == 0);
    const GraphBruteForce all = brute_force(graph);
    if (all.log_partition == -kInf) continue;
    for (const char* method :
         {"trw-s", "mplp", "dual-decomposition", "branch-and-bound", "block-search"}) {
      SCOPED_TRACE(method + std::to_string(seed));
      try {
        const InferResult found = ask(graph, GraphTask::map, method);
        EXPECT_LE(*found.log_score, all.best_score + 1e-9);
        EXPECT_GE(found.bound.value_or(kInf), all.best_score - 1e-9);
        const bool exact = found.kind == ResultKind::exact;
        EXPECT_NEAR(*found.log_score, all.best_score, exact ? 1e-9 : 1e9);
        EXPECT_TRUE(exact || std::string(method) != "branch-and-bound");
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("no allowed assignment"), std::string::npos)
            << error.what();
      }
    }
  }
}

// One factor that counts and factors of single variables: a tree.
FactorGraph tree_that_counts(std::uint64_t seed, std::size_t variables) {
  Random random(seed);
  FactorGraph graph;
  std::vector<Variable> scope;
  for (std::size_t k = 0; k < variables; ++k) {
    scope.push_back(graph.add_variable(2 + random.below(3)));
    std::vector<double> own(graph.states(scope.back()));
    for (double& each : own) each = random.normal();
    graph.add_factor({scope.back()}, graph.add_table(own));
  }
  const PotentialId id = testing_graphs::random_counting(graph, scope, seed % 2 == 0, random);
  graph.add_factor(scope, id);
  return graph;
}

TEST(InferCounting, BeliefPropagationIsExactOnTrees) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const FactorGraph graph = tree_that_counts(seed, 5);
    const GraphBruteForce all = brute_force(graph);
    if (all.log_partition == -kInf) {
      EXPECT_EQ(*ask(graph, GraphTask::partition, "belief-propagation").log_partition, -kInf);
      continue;
    }
    const InferResult sums = ask(graph, GraphTask::marginals, "belief-propagation");
    EXPECT_NEAR(*sums.log_partition, all.log_partition, 1e-9);
    expect_near(sums.marginals, all.variable, 1e-9);
    EXPECT_NEAR(*ask(graph, GraphTask::map, "max-product").log_score, all.best_score, 1e-9);
    EXPECT_NEAR(*ask(graph, GraphTask::map, "trw-s").log_score, all.best_score, 1e-9);
  }
}

TEST(InferCounting, SamplingAndBoundsAgreeWithAllAssignments) {
  for (std::uint64_t seed = 1; seed < 12; seed += 2) {
    SCOPED_TRACE(seed);
    const FactorGraph graph = counting_graph(seed, false);
    const GraphBruteForce all = brute_force(graph);
    expect_near(ask(graph, GraphTask::marginals, "gibbs").marginals, all.variable, 0.05);
    expect_near(ask(graph, GraphTask::marginals, "metropolis-hastings").marginals, all.variable,
                0.05);
    EXPECT_LE(*ask(graph, GraphTask::partition, "mean-field").log_partition,
              all.log_partition + 1e-9);
    EXPECT_NEAR(*ask(graph, GraphTask::partition, "annealed-importance-sampling").log_partition,
                all.log_partition, 0.3);
  }
}

TEST(InferCounting, MeanFieldWarnsOfConstraintsThatItCannotKeep) {
  FactorGraph graph;
  for (int k = 0; k < 3; ++k) graph.add_variable(2);
  graph.add_factor({0, 1, 2}, graph.add_between(1, 1, -kInf));
  const InferResult found = ask(graph, GraphTask::marginals, "mean-field");
  ASSERT_EQ(found.warnings.size(), 1u);
  EXPECT_NE(found.warnings[0].text().find("1 factor forbids joint states of variables"),
            std::string::npos)
      << found.warnings[0].text();
  // It takes the three together.
  EXPECT_TRUE(ask(graph, GraphTask::marginals, "structured-mean-field").warnings.empty());
  EXPECT_TRUE(ask(graph, GraphTask::marginals, "belief-propagation").warnings.empty());
}

TEST(InferCounting, ExactlyTenOfTwoHundredAreSummedWithoutATableOfTwoToTheTwoHundred) {
  FactorGraph graph;
  std::vector<Variable> scope;
  for (int k = 0; k < 200; ++k) scope.push_back(graph.add_variable(3));
  CountedStates counted{{0, 0, 1}, true};
  graph.add_factor(scope, graph.add_between(10, 10, -kInf, counted));
  double log_z = 190 * std::log(2.);  // binomial(200, 10) 2^190
  for (int k = 0; k < 10; ++k) log_z += std::log((200. - k) / (k + 1));
  for (const char* method : {"auto", "belief-propagation"}) {
    const InferResult sums = ask(graph, GraphTask::marginals, method);
    EXPECT_NEAR(*sums.log_partition, log_z, 1e-9);
    EXPECT_NEAR(sums.marginals[77][2], 0.05, 1e-12);
    EXPECT_EQ(sums.marginals.size(), 200u);
  }
}

}  // namespace
}  // namespace croft::infer_counting_test
