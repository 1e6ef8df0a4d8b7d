#include "inference/graph/oracles/shared_plans.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>

#include "croft/core/interrupt.h"
#include "croft/core/parallel.h"
#include "inference/graph/oracles/max_oracle.h"
#include "support/random_graph.h"

namespace croft::shared_sums_test {
namespace {

using testing_graphs::random_graph;
using testing_graphs::Shape;

FactorGraph graph_number(std::uint64_t seed) {
  Random random(seed);
  return random_graph({.shape = Shape::grid, .variables = 6}, random);
}

// Counts how often sums are really taken.
class Counting final : public SumOracle {
 public:
  Counting(const FactorGraph& graph, std::atomic<int>& count)
      : sums_(exact_sums()(graph)), count_(count) {}
  double sums(double scale, std::span<double> out) override {
    ++count_;
    return sums_->sums(scale, out);
  }
  ResultKind kind() const override { return sums_->kind(); }

 private:
  std::unique_ptr<SumOracle> sums_;
  std::atomic<int>& count_;
};

TEST(SharedSums, AreTakenOnceForEqualGraphs) {
  std::atomic<int> count = 0;
  const SumOracleMaker make = shared_sums(
      [&](const FactorGraph& graph) { return std::make_unique<Counting>(graph, count); });
  std::vector<FactorGraph> graphs(50, graph_number(1));
  std::vector<std::unique_ptr<SumOracle>> oracles;
  for (const FactorGraph& each : graphs) oracles.push_back(make(each));
  for (int round = 1; round <= 3; ++round) {
    for (FactorGraph& each : graphs) each.numbers()[0] = round;
    std::vector<double> expected(graphs[0].numbers().size(), 0);
    const double log_z = exact_sums()(graphs[0])->sums(1, expected);
    for (auto& each : oracles) {
      std::vector<double> found(expected.size(), 0);
      EXPECT_EQ(each->sums(1, found), log_z);
      EXPECT_EQ(found, expected);
      std::vector<double> less(expected.size(), 1);
      each->sums(-2, less);
      for (std::size_t k = 0; k < less.size(); ++k) EXPECT_EQ(less[k], 1 - 2 * expected[k]);
    }
    EXPECT_EQ(count, round);
  }
}

TEST(SharedSums, AreThoseOfEachGraphWhereNumbersOrShapesDiffer) {
  const SumOracleMaker make = shared_sums(exact_sums());
  std::vector<FactorGraph> graphs;
  for (std::uint64_t k = 0; k < 40; ++k) {
    graphs.push_back(graph_number(k % 4));  // four shapes: states differ
    for (double& each : graphs.back().numbers()) each += 0.01 * static_cast<double>(k);
  }
  std::vector<std::unique_ptr<SumOracle>> oracles;
  for (const FactorGraph& each : graphs) oracles.push_back(make(each));
  for (int round = 0; round < 10; ++round) {  // beyond the patience with graphs that differ
    for (std::size_t k = 0; k < graphs.size(); ++k) {
      std::vector<double> expected(graphs[k].numbers().size(), 0), found(expected);
      EXPECT_EQ(oracles[k]->sums(1, found), exact_sums()(graphs[k])->sums(1, expected));
      EXPECT_EQ(found, expected);
    }
  }
}

TEST(SharedSums, AreTheSameForThreadsThatMeet) {
  const SumOracleMaker make = shared_sums(exact_sums());
  std::vector<FactorGraph> graphs(64, graph_number(2));
  std::vector<std::unique_ptr<SumOracle>> oracles(graphs.size());
  std::vector<std::vector<double>> found(graphs.size());
  ThreadPool pool(4);
  pool.run(graphs.size(), [&](std::size_t n, std::size_t) { oracles[n] = make(graphs[n]); });
  for (int round = 0; round < 5; ++round) {
    for (FactorGraph& each : graphs) each.numbers()[1] = 0.1 * round;
    pool.run(graphs.size(), [&](std::size_t n, std::size_t) {
      found[n].assign(graphs[n].numbers().size(), 0);
      oracles[n]->sums(1, found[n]);
    });
    for (const auto& each : found) EXPECT_EQ(each, found[0]);
  }
}

TEST(SharedSums, AddNothingWhereNoAssignmentIsAllowed) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  FactorGraph graph;
  graph.add_variable(2);
  graph.add_factor({0}, graph.add_table(std::vector{-kInf, -kInf}));
  const FactorGraph other = graph;
  const SumOracleMaker make = shared_sums(exact_sums());
  const auto a = make(graph), b = make(other);
  std::vector<double> out(2, 0.5);
  EXPECT_EQ(a->sums(1, out), -kInf);
  EXPECT_EQ(b->sums(1, out), -kInf);
  EXPECT_EQ(out, std::vector<double>(2, 0.5));
}

// Two of three graphs always have the same numbers; the third goes another way for a while.
TEST(SharedSums, ThatGoOnHaveTheBitsOfEachGraphAlone) {
  const auto make_sums = [] { return bethe_sums({}, true); };
  std::vector<FactorGraph> graphs(3, graph_number(2));
  const SumOracleMaker make = shared_sums(make_sums());
  std::vector<std::unique_ptr<SumOracle>> shared, alone;
  for (const FactorGraph& each : graphs) {
    shared.push_back(make(each));
    alone.push_back(make_sums()(each));
  }
  for (int round = 0; round < 6; ++round) {
    for (std::size_t n = 0; n < graphs.size(); ++n) {
      graphs[n].numbers()[0] = 0.1 * round + (n == 2 && round == 2 ? 0.01 : 0);
      std::vector<double> found(graphs[n].numbers().size(), 0), expected = found;
      EXPECT_EQ(shared[n]->sums(1, found), alone[n]->sums(1, expected));
      EXPECT_EQ(found, expected);
      ASSERT_TRUE(alone[n]->state());
      EXPECT_EQ(shared[n]->state()->id, alone[n]->state()->id);
      EXPECT_EQ(shared[n]->state()->messages.numbers, alone[n]->state()->messages.numbers);
    }
    EXPECT_EQ(shared[0]->state(), shared[1]->state());  // computed once
    EXPECT_EQ(shared[0]->state() == shared[2]->state(), round < 2);
  }
}

TEST(SharedPlans, AreNotMadeAfterAnInterruption) {
  FactorGraph chain;  // long enough for the search for an order to look
  constexpr Variable kLength = 40000;
  const PotentialId pair = chain.add_table(std::vector{0., 1., 2., 0.});
  for (Variable v = 0; v < kLength; ++v) chain.add_variable(2);
  for (Variable v = 1; v < kLength; ++v) chain.add_factor({v - 1, v}, pair);
  SharedPlans plans(1e6);
  interruption = true;
  EXPECT_THROW(plans.of(chain), Interrupted);
  EXPECT_THROW(exact_best()(chain), Interrupted);
  EXPECT_THROW(automatic_best()(chain), Interrupted);
  interruption = false;
  EXPECT_EQ(plans.of(chain)->order.order.size(), std::size_t{kLength});
}

}  // namespace
}  // namespace croft::shared_sums_test
