// The best states of some variables, the others summed out: by elimination, by search.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "croft/inference/graph_brute_force.h"
#include "croft/inference/junction_tree.h"
#include "inference/graph/bounds/mini_bucket_search.h"
#include "inference/graph/search/block_search.h"
#include "inference/graph/search/marginal_search.h"
#include "support/map_graphs.h"

namespace croft::marginal_map_test {
namespace {

using testing_graphs::map_graph;
using testing_graphs::structured_graph;

constexpr double kInf = std::numeric_limits<double>::infinity();

double near(double score) { return 1e-9 * std::max(1.0, std::abs(score)); }

FactorGraph graph_number(std::uint64_t seed) {
  return seed % 3 == 0 ? structured_graph(seed) : map_graph(seed);
}

// Some variables, in no order.
std::vector<Variable> some_of(const FactorGraph& graph, std::uint64_t seed) {
  Random random(seed + 1000);
  std::vector<Variable> over;
  for (Variable v = 0; v < graph.variables(); ++v) {
    if (random.below(2) == 0) over.insert(over.begin(), v);
  }
  if (over.empty()) over.push_back(0);
  return over;
}

// log of the sum over all others, by the states of `over`; those that are allowed.
std::map<std::vector<State>, double> all_sums(const FactorGraph& graph,
                                              const std::vector<Variable>& over) {
  std::map<std::vector<State>, std::vector<long double>> scores;
  for_each_assignment(graph, [&](std::span<const State> x, long double score) {
    std::vector<State> own;
    for (const Variable v : over) own.push_back(x[v]);
    scores[own].push_back(score);
  });
  std::map<std::vector<State>, double> sums;
  for (const auto& [own, list] : scores) {
    const long double most = *std::ranges::max_element(list);
    long double sum = 0;
    for (const long double each : list) sum += std::exp(each - most);
    sums[own] = static_cast<double>(most + std::log(sum));
  }
  return sums;
}

double largest(const std::map<std::vector<State>, double>& sums) {
  double most = -kInf;
  for (const auto& [own, sum] : sums) most = std::max(most, sum);
  return most;
}

std::vector<State> states_of(const std::vector<State>& x, const std::vector<Variable>& over) {
  std::vector<State> own;
  for (const Variable v : over) own.push_back(x[v]);
  return own;
}

TEST(MarginalMap, ToSumOutGivesTheSumsOfAllAssignmentsOfTheRest) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const std::vector<Variable> over = some_of(graph, seed);
    const auto sums = all_sums(graph, over);
    const EliminationOrder order = find_elimination_order(graph, {.last = over, .keep_last = true});
    for (const Variable v : order.order) {
      EXPECT_TRUE(std::ranges::find(over, v) == over.end()) << "seed " << seed;
    }
    JunctionTree tree(graph, order);
    if (sums.empty()) continue;
    const FactorGraph rest = tree.sum_out();
    for (Variable v = 0; v < graph.variables(); ++v) {
      const bool stays = std::ranges::find(over, v) != over.end();
      EXPECT_EQ(rest.states(v), stays ? graph.states(v) : 1U) << "seed " << seed;
    }
    testing_graphs::for_all(rest, [&](const std::vector<State>& x) {
      const auto at = sums.find(states_of(x, over));
      const double sum = at == sums.end() ? -kInf : at->second, found = rest.score(x);
      if (sum == -kInf) {
        EXPECT_EQ(found, sum) << "seed " << seed;
      } else {
        EXPECT_NEAR(found, sum, near(sum)) << "seed " << seed;
      }
    });
  }
}

TEST(MarginalMap, AnOrderHasTheVariablesThatAreToBeLastAtItsEnd) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const std::vector<Variable> over = some_of(graph, seed);
    const std::vector<Variable> order = find_elimination_order(graph, {.last = over}).order;
    std::size_t several = 0;
    for (const Variable v : over) several += graph.states(v) > 1 ? 1 : 0;
    for (std::size_t k = order.size() - several; k < order.size(); ++k) {
      EXPECT_TRUE(std::ranges::find(over, order[k]) != over.end());
    }
  }
}

TEST(MarginalMap, MiniBucketsOfSumsAndMaximaAreBoundsAndExactWhereNothingIsDivided) {
  std::size_t divided = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const std::vector<Variable> over = some_of(graph, seed);
    const double best = largest(all_sums(graph, over));
    const std::vector<Variable> order = find_elimination_order(graph, {.last = over}).order;
    const auto summed = static_cast<MiniBuckets::Place>(
        find_elimination_order(graph, {.last = over, .keep_last = true}).order.size());
    const auto yes = [] { return true; };
    const MiniBuckets small(graph, order, 1, yes, summed), large(graph, order, 1e6, yes, summed);
    EXPECT_TRUE(large.exact());
    if (best == -kInf) {
      EXPECT_EQ(large.bound(), -kInf);
      continue;
    }
    EXPECT_NEAR(large.bound(), best, near(best)) << "seed " << seed;
    EXPECT_GE(small.bound(), best - near(best)) << "seed " << seed;
    divided += small.exact() ? 0 : 1;
    MiniBucketSearch search(small);
    EXPECT_EQ(search.run(best + 1e-6 * std::abs(best) + 1e-6, yes), MiniBucketSearch::Outcome::none)
        << "seed " << seed;
    MiniBucketSearch again(small);
    const auto outcome = again.run(best - 1, yes);
    ASSERT_EQ(outcome, MiniBucketSearch::Outcome::found) << "seed " << seed;
    EXPECT_NEAR(again.best(), best, near(best)) << "seed " << seed;
  }
  EXPECT_GT(divided, 100U);
}

TEST(MarginalMap, SummedVariablesInNoFactorMultiplyTheSum) {
  FactorGraph graph;
  for (int k = 0; k < 4; ++k) graph.add_variable(2);
  graph.add_factor({2, 1}, graph.add_table(std::vector{0., 0., 0., std::log(270.)}));
  graph.add_factor({0, 2}, graph.add_table(std::vector{0., 0., 0., 0.}));
  const MapResult best = marginal_search(graph, std::vector<Variable>{0, 1});
  EXPECT_EQ(best.kind, ResultKind::exact);
  EXPECT_EQ(best.states[1], 1U);
  EXPECT_NEAR(best.score, std::log(2 * 271.), 1e-12);
  FactorGraph zeros;
  for (int k = 0; k < 3; ++k) zeros.add_variable(2);
  zeros.add_factor({1, 0}, zeros.add_table(std::vector{0., -kInf, 0., -kInf}));
  const MapResult found = marginal_search(zeros, std::vector<Variable>{1});
  EXPECT_EQ(found.kind, ResultKind::exact);
  EXPECT_NEAR(found.score, std::log(2.), 1e-12);
}

TEST(MarginalMap, ASearchIsExactWithLargeTablesAndWithSmallOnes) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const std::vector<Variable> over = some_of(graph, seed);
    const auto sums = all_sums(graph, over);
    const double best = largest(sums);
    for (const double bytes : {1.0, 1e9}) {
      const MapResult found = marginal_search(graph, over, {.table_bytes = bytes});
      EXPECT_EQ(found.kind, ResultKind::exact) << "seed " << seed;
      if (best == -kInf) {
        EXPECT_EQ(found.score, -kInf);
        continue;
      }
      EXPECT_NEAR(found.score, best, near(best)) << "seed " << seed;
      EXPECT_NEAR(sums.at(states_of(found.states, over)), best, near(best)) << "seed " << seed;
    }
  }
}

TEST(MarginalMap, ASearchThatIsStoppedHasAnAssignmentWithItsSumAndABound) {
  Random random(7);
  const FactorGraph graph = testing_graphs::random_graph(
      {.shape = testing_graphs::Shape::grid, .variables = 100, .most_states = 2}, random);
  std::vector<Variable> over;
  for (Variable v = 0; v < 100; ++v) {
    if (random.below(2) == 0) over.push_back(v);
  }
  const MapResult found =
      marginal_search(graph, over, {.max_nodes = 2000, .table_bytes = 1e5, .moves = 2});
  EXPECT_EQ(found.kind, ResultKind::lower_bound);
  Evidence known(graph.variables(), kUnobserved);
  for (const Variable v : over) known[v] = found.states[v];
  const FactorGraph given = condition(graph, known);
  EXPECT_NEAR(found.score, JunctionTree(given, find_elimination_order(given)).log_partition(),
              near(found.score));
  EXPECT_GT(found.bound, found.score);
  JunctionTree sums(graph, find_elimination_order(graph, {.last = over, .keep_last = true}));
  EXPECT_GT(sums.bytes(), 0);
}

// log of the sum over `summed`, the others in the states of x.
double sum_given(const FactorGraph& graph, const std::vector<Variable>& summed,
                 std::span<const State> x) {
  Evidence known(x.begin(), x.end());
  for (const Variable v : summed) known[v] = kUnobserved;
  return brute_force(condition(graph, known)).log_partition;
}

TEST(MarginalMap, BlocksWithSumsNeverFallAndEndAtTheBestWhereTheyHoldEverything) {
  std::size_t solved = 0, held = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const std::vector<Variable> over = some_of(graph, seed);
    std::vector<Variable> others;
    for (Variable v = 0; v < graph.variables(); ++v) {
      if (graph.states(v) > 1 && std::ranges::find(over, v) == over.end()) others.push_back(v);
    }
    const double width = 2 + static_cast<double>(seed % 5);
    BlockDescent blocks(graph, {.first_width = 2, .most_width = width, .seed = seed}, others);
    for (const Variable v : blocks.summed()) {
      EXPECT_TRUE(std::ranges::find(others, v) != others.end());
    }
    held += blocks.summed().size() < others.size() ? 1 : 0;
    blocks.begin(std::vector<State>(graph.variables(), 0));
    double score = sum_given(graph, blocks.summed(), blocks.states());
    for (int round = 0; round < 20; ++round) {
      if (blocks.idle() && blocks.widest()) break;
      if (blocks.idle()) blocks.widen();
      EXPECT_NE(blocks.round([] { return true; }), BlockDescent::Round::stopped);
      const double now = sum_given(graph, blocks.summed(), blocks.states());
      EXPECT_GE(now, score == -kInf ? score : score - near(score)) << "seed " << seed;
      score = now;
      if (!blocks.solved() || blocks.summed().size() < others.size()) continue;
      const double best = largest(all_sums(graph, over));
      EXPECT_NEAR(score, best, near(best)) << "seed " << seed;
      ++solved;
      break;
    }
  }
  EXPECT_GT(solved, 20U);
  EXPECT_GT(held, 20U);
}

TEST(MarginalMap, ASearchIsNotBelowItsStartAndBoundsASumThatIsTooLargeFromBelow) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const FactorGraph graph = testing_graphs::random_graph(
        {.shape = testing_graphs::Shape::grid, .variables = 36, .most_states = 3, .spread = 3},
        random);
    std::vector<Variable> over, others;
    for (Variable v = 0; v < 36; ++v) (v % 3 == 0 ? over : others).push_back(v);
    std::vector<State> start;
    for (Variable v = 0; v < 36; ++v) {
      start.push_back(static_cast<State>(random.below(graph.states(v))));
    }
    // Without room for the tables of a whole sum.
    const MarginalMapResult found = marginal_search(
        graph, over, {.max_nodes = 1000, .table_bytes = 3000, .moves = 2, .start = start});
    EXPECT_GE(found.score, graph.score(start));
    ASSERT_EQ(found.states.size(), graph.variables());
    Evidence known(graph.variables(), kUnobserved);
    for (const Variable v : over) known[v] = found.states[v];
    const FactorGraph given = condition(graph, known);
    const double sum = JunctionTree(given, find_elimination_order(given)).log_partition();
    if (found.held > 0) {
      EXPECT_LE(found.score, sum + near(sum)) << "seed " << seed;
    } else {
      EXPECT_NEAR(found.score, sum, near(sum)) << "seed " << seed;
    }
    EXPECT_GE(found.bound, sum - near(sum)) << "seed " << seed;
  }
}

TEST(MarginalMap, ASearchThatIsStoppedAtOnceHasItsStart) {
  const FactorGraph graph = graph_number(2);
  const std::vector<State> start(graph.variables(), 0);
  const MarginalMapResult found = marginal_search(graph, some_of(graph, 2), {.start = start},
                                                  [](const GraphProgress&) { return false; });
  EXPECT_EQ(found.states, start);
  EXPECT_GE(found.score, graph.score(start));
}

}  // namespace
}  // namespace croft::marginal_map_test
