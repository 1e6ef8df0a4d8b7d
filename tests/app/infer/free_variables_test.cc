// Variables in no factor, of so many states that no method may go through them.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "croft/app/infer.h"
#include "croft/core/error.h"

namespace croft::free_variables_test {
namespace {

constexpr std::size_t kMany = std::size_t{1} << 31;
const double kLogMany = 31 * std::log(2.0);

// Variable 0 is free, and so is 3, of two states.
FactorGraph graph_of(std::size_t states) {
  FactorGraph graph;
  graph.add_variable(states);
  graph.add_variable(2);
  graph.add_variable(2);
  graph.add_variable(2);
  graph.add_factor({1, 2}, graph.add_table(std::vector{0., 1., 2., 0.5}));
  return graph;
}
const double kLogZ = std::log(1 + std::exp(1.) + std::exp(2.) + std::exp(0.5));

InferRequest request_of(GraphTask task, std::string_view method) {
  InferRequest request;
  request.task = task;
  request.method = method;
  return request;
}

TEST(FreeVariables, AreDrawnUniformly) {
  for (const char* method : {"auto", "junction-tree", "recursive-conditioning", "gibbs",
                             "parallel-tempering", "metropolis-hastings"}) {
    InferRequest request = request_of(GraphTask::sample, method);
    request.samples = 400;
    const InferResult found = infer(graph_of(kMany), {}, request);
    ASSERT_EQ(found.samples.size(), 400u) << method;
    double mean = 0, ones = 0, best = 0;
    for (const std::vector<State>& x : found.samples) {
      mean += x[0] / static_cast<double>(kMany) / 400;
      ones += x[3] / 400.;
      best += x[1] == 1 && x[2] == 0 ? 1 / 400. : 0;
    }
    EXPECT_NEAR(mean, 0.5, 0.1) << method;
    EXPECT_NEAR(ones, 0.5, 0.15) << method;
    EXPECT_NEAR(best, std::exp(2 - kLogZ), 0.15) << method;
    EXPECT_EQ(infer(graph_of(kMany), {}, request).samples, found.samples);
  }
}

TEST(FreeVariables, GiveEachOfTheBestAssignmentsAllOfTheirStates) {
  for (const char* method : {"auto", "junction-tree", "branch-and-bound"}) {
    InferRequest request = request_of(GraphTask::map, method);
    request.k_best = 5;
    const InferResult many = infer(graph_of(kMany), {}, request);
    ASSERT_EQ(many.k_best.size(), 5u) << method;
    EXPECT_EQ(many.kind, ResultKind::exact);
    request.k_best = 30;  // of 24
    const InferResult all = infer(graph_of(3), {}, request);
    ASSERT_EQ(all.k_best.size(), 24u) << method;
    std::set<std::vector<State>> seen;
    for (const RankedAssignment& each : all.k_best) seen.insert(each.states);
    EXPECT_EQ(seen.size(), 24u);
    for (std::size_t k = 0; k < 24; ++k) {
      const double score = std::vector{2., 1., 0.5, 0.}[k / 6];
      EXPECT_EQ(all.k_best[k].log_score, score) << method;
      if (k < 5) {
        EXPECT_EQ(many.k_best[k].log_score, 2);
      }
      const double log_z = kLogZ + std::log(2.);
      if (all.log_partition) {
        EXPECT_NEAR(*all.log_partition, log_z + std::log(3.), 1e-12);
      }
      if (!all.k_best[k].probability) continue;
      EXPECT_NEAR(*all.k_best[k].probability, std::exp(score - log_z) / 3, 1e-12);
      if (k < 5) {
        EXPECT_NEAR(std::log(*many.k_best[k].probability), 2 - log_z - kLogMany, 1e-9);
      }
    }
  }
}

TEST(FreeVariables, TheBestStatesOfAMarginalMapAreAllAlike) {
  for (const char* method : {"auto", "junction-tree", "branch-and-bound", "and-or-search"}) {
    for (const std::vector<Variable>& over : {std::vector<Variable>{0}, {0, 1}, {0, 1, 2, 3}}) {
      InferRequest request = request_of(GraphTask::marginal_map, method);
      request.over = over;
      const InferResult found = infer(graph_of(kMany), {}, request);
      const double twice = over.size() == 4 ? 0 : std::log(2.);  // variable 3 is summed out
      const double best = over.size() == 4   ? 2
                          : over.size() == 1 ? kLogZ
                                             : std::log(std::exp(2) + std::exp(0.5));
      EXPECT_EQ(found.kind, ResultKind::exact) << method << over.size();
      EXPECT_NEAR(*found.log_score, best + twice, 1e-9) << method << over.size();
      if (!found.probability) continue;
      EXPECT_NEAR(std::log(*found.probability), best - kLogZ - kLogMany - std::log(2.) + twice,
                  1e-9)
          << method << over.size();
    }
  }
}

// It ended with status 130, as a Ctrl-C does.
TEST(InferTime, TheEndOfItIsNoInterruption) {
  FactorGraph graph;
  const Variable hub = graph.add_variable(2);
  for (Variable v = 1; v < 3000; ++v) {
    graph.add_variable(2);
    graph.add_factor({hub, v}, graph.add_potts(1, 0));
    if (v > 1) graph.add_factor({v, v - 1}, graph.add_potts(1, 0));
  }
  InferRequest request = request_of(GraphTask::marginals, "auto");
  request.seconds = 1e-9;
  try {
    infer(graph, {}, request);  // an estimate would do as well
  } catch (const Interrupted& stop) {
    ADD_FAILURE() << stop.what();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("--time"), std::string::npos) << error.what();
  }
}

TEST(SamplesByChains, TakeAsManySweepsAsTheyNeed) {
  for (const char* method : {"gibbs", "parallel-tempering", "metropolis-hastings"}) {
    InferRequest request = request_of(GraphTask::sample, method);
    request.samples = 41000;
    EXPECT_EQ(infer(graph_of(2), {}, request).samples.size(), 41000u) << method;
    request.max_iterations = 100;
    try {
      infer(graph_of(2), {}, request);
      ADD_FAILURE() << method;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("--max-iterations"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace croft::free_variables_test
