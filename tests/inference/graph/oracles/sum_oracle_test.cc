#include "inference/graph/oracles/sum_oracle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "croft/core/state_archive.h"
#include "croft/inference/graph_brute_force.h"
#include "croft/inference/junction_tree.h"
#include "structure/factor_numbers.h"
#include "support/counting_graphs.h"

namespace croft::sum_oracle_test {
namespace {

using testing_graphs::counting_graph;
using testing_graphs::random_counting;
using testing_graphs::random_graph;
using testing_graphs::Shape;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr std::array kShapes = {Shape::tree,     Shape::grid,         Shape::star,
                                Shape::complete, Shape::higher_order, Shape::pieces};

// (GC.2) from the definition.
std::vector<double> expected_counts(const FactorGraph& graph) {
  const GraphBruteForce all = brute_force(graph);
  std::vector<double> counts(graph.numbers().size(), 0);
  for (Factor f = 0; f < graph.factors(); ++f) {
    add_expectations(graph, f, all.factor[f], 1, counts);
  }
  return counts;
}

void expect_exact(const FactorGraph& graph, SumOracle& oracle, double tolerance = 1e-11) {
  std::vector<double> found(graph.numbers().size(), 1);
  const double log_z = oracle.sums(-2, found);
  const double wanted = brute_force(graph).log_partition;
  EXPECT_NEAR(log_z, wanted, tolerance * std::max(1.0, std::abs(wanted)));
  const std::vector<double> counts = expected_counts(graph);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    EXPECT_NEAR(found[k], 1 - 2 * counts[k], tolerance * 10) << "number " << k;
  }
  EXPECT_EQ(oracle.kind(), ResultKind::exact);
  EXPECT_TRUE(oracle.converged());
}

TEST(ExactSums, AreThoseOfAllAssignments) {
  const SumOracleMaker make = exact_sums();  // plans are shared among all of them
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const FactorGraph graph = random_graph({.shape = kShapes[seed % kShapes.size()],
                                            .variables = 2 + seed % 6,
                                            .most_states = 2 + seed % 4,
                                            .spread = 1 + static_cast<double>(seed % 3),
                                            .unary = seed % 5 > 0},
                                           random);
    expect_exact(graph, *make(graph));
  }
}

TEST(ExactSums, CountWithoutTablesOfAllJointStates) {
  const SumOracleMaker make = exact_sums();
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const FactorGraph graph = counting_graph(seed, seed % 2 == 0);
    if (brute_force(graph).log_partition == -kInf) {
      std::vector<double> found(graph.numbers().size(), 0);
      EXPECT_EQ(make(graph)->sums(1, found), -kInf);
      continue;
    }
    expect_exact(graph, *make(graph));
  }
}

TEST(ApproximateSums, CountAsTheirFormulasSay) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    FactorGraph graph;  // a tree: Bethe's log Z is exact, and so are its derivatives
    std::vector<Variable> scope;
    for (int k = 0; k < 5; ++k) {
      scope.push_back(graph.add_variable(2 + random.below(2)));
      std::vector<double> own(graph.states(scope.back()));
      for (double& each : own) each = random.normal();
      graph.add_factor({scope.back()}, graph.add_table(own));
    }
    const PotentialId id = random_counting(graph, scope, false, random);
    graph.add_factor(scope, id);
    const auto oracle = bethe_sums({.tolerance = 1e-12})(graph);
    std::vector<double> found(graph.numbers().size(), 0);
    EXPECT_NEAR(oracle->sums(1, found), brute_force(graph).log_partition, 1e-9);
    const std::vector<double> counts = expected_counts(graph);
    for (std::size_t k = 0; k < counts.size(); ++k) EXPECT_NEAR(found[k], counts[k], 1e-8);
    const auto field = mean_field_sums({})(graph);
    std::vector<double> under_q(graph.numbers().size(), 0);
    EXPECT_LE(field->sums(1, under_q), brute_force(graph).log_partition + 1e-9);
    double sum = 0;
    for (const double each : under_q) sum += each;
    EXPECT_NEAR(sum, 6, 1e-9);  // a number of each factor
  }
}

TEST(ExactSums, AreThoseOfAllAssignmentsWhereSomeAreForbidden) {
  const SumOracleMaker make = exact_sums();
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const FactorGraph graph = random_graph(
        {.shape = kShapes[seed % kShapes.size()], .variables = 6, .zeros = 0.3}, random);
    expect_exact(graph, *make(graph));
  }
}

TEST(ExactSums, AreRightForScoresThatNoDoubleHolds) {
  const SumOracleMaker make = exact_sums();
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const FactorGraph graph = random_graph(
        {.shape = kShapes[seed % kShapes.size()], .variables = 6, .spread = 1e4}, random);
    expect_exact(graph, *make(graph), 1e-9);
  }
}

// Potentials of all kinds, shared by factors, over variables of one state and of none of the
// others' number.
FactorGraph mixed_graph(Random& random) {
  FactorGraph graph;
  for (const std::size_t states : {3, 1, 3, 2, 2, 4, 1, 2}) graph.add_variable(states);
  const auto numbers = [&](std::size_t n) {
    std::vector<double> scores(n);
    for (double& each : scores) each = 2 * random.normal();
    return scores;
  };
  const PotentialId pair = graph.add_table(numbers(9)), potts = graph.add_potts(1.5, -0.5);
  graph.add_factor({0, 2}, pair);
  graph.add_factor({2, 0}, pair);
  graph.add_factor({0, 2}, potts);
  graph.add_factor({3, 4}, potts);  // the same potential, other states
  graph.add_factor({1, 0}, graph.add_table(numbers(3)));
  graph.add_factor({1}, graph.add_table(numbers(1)));
  graph.add_factor({1, 6}, graph.add_table(numbers(1)));
  graph.add_factor({3, 4, 7}, graph.add_cardinality(numbers(4)));
  graph.add_factor({2, 3}, graph.add_sparse(std::vector<std::uint64_t>{1, 4}, numbers(2), 0.3));
  graph.add_factor({0, 5}, graph.add_truncated_linear(0.7, 2));
  return graph;
}

TEST(ExactSums, KnowAllKindsOfPotentials) {
  const SumOracleMaker make = exact_sums();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const FactorGraph graph = mixed_graph(random);
    expect_exact(graph, *make(graph));
  }
}

TEST(ExactSums, CountVariablesThatNoFactorHas) {
  FactorGraph graph;
  graph.add_variable(3);
  graph.add_variable(5);
  std::vector<double> none;
  EXPECT_DOUBLE_EQ(exact_sums()(graph)->sums(1, none), std::log(15));
}

TEST(ExactSums, AreMinusInfinityWhereNothingIsAllowed) {
  FactorGraph graph;
  graph.add_variable(2);
  graph.add_factor({0}, graph.add_table(std::vector{0.0, -kInf}));
  graph.add_factor({0}, graph.add_table(std::vector{-kInf, 0.0}));
  std::vector<double> out(4, 0);
  EXPECT_EQ(exact_sums()(graph)->sums(1, out), -kInf);
  EXPECT_EQ(out, std::vector<double>(4, 0));
}

// Two chains of many states with an edge between them at each position, in either direction: rows,
// tiles and what is left of them.
FactorGraph two_chains(std::size_t a, std::size_t b, Random& random) {
  constexpr Variable kLength = 5;
  FactorGraph graph;
  const auto table = [&](std::size_t size) {
    std::vector<double> scores(size);
    for (double& each : scores) each = 2 * random.normal();
    return graph.add_table(scores);
  };
  for (Variable t = 0; t < kLength; ++t) {
    graph.add_variable(a);
    graph.add_variable(b);
  }
  const PotentialId aa = table(a * a), bb = table(b * b), ab = table(a * b);
  for (Variable t = 0; t < kLength; ++t) {
    graph.add_factor({2 * t}, table(a));
    graph.add_factor({2 * t + 1}, table(b));
    graph.add_factor({2 * t, 2 * t + 1}, ab);
    if (t == 0) continue;
    if (a % 2 == 0) {
      graph.add_factor({2 * t - 2, 2 * t}, aa);
    } else {
      graph.add_factor({2 * t, 2 * t - 2}, aa);
    }
    graph.add_factor({2 * t - 1, 2 * t + 1}, bb);
  }
  return graph;
}

TEST(ExactSums, AreTheJunctionTreesForManyStates) {
  for (const auto& [a, b] :
       {std::pair<std::size_t, std::size_t>{24, 7}, {25, 17}, {41, 19}, {5, 3}, {48, 2}, {9, 31}}) {
    Random random(a);
    const FactorGraph graph = two_chains(a, b, random);
    std::vector<Factor> all(graph.factors());
    for (Factor f = 0; f < all.size(); ++f) all[f] = f;
    JunctionTree tree(graph, find_elimination_order(graph));
    const GraphMarginals p = tree.marginals(all);
    std::vector<double> wanted(graph.numbers().size(), 0), found = wanted;
    for (const Factor f : all) add_expectations(graph, f, p.factor[f], 1, wanted);
    EXPECT_NEAR(exact_sums()(graph)->sums(1, found), p.log_partition, 1e-10);
    for (std::size_t k = 0; k < wanted.size(); ++k) EXPECT_NEAR(found[k], wanted[k], 1e-11);
  }
}

TEST(ExactSums, TakeTheJunctionTreeWhereAPlanWouldTakeTooMuch) {
  Random random(1);
  const FactorGraph graph = two_chains(25, 17, random);
  const double tight = 2 * JunctionTree(graph, find_elimination_order(graph)).bytes();
  std::vector<double> wanted(graph.numbers().size(), 0), found = wanted;
  EXPECT_NEAR(exact_sums(tight)(graph)->sums(1, found), exact_sums()(graph)->sums(1, wanted),
              1e-10);
  for (std::size_t k = 0; k < wanted.size(); ++k) EXPECT_NEAR(found[k], wanted[k], 1e-11);
}

TEST(ExactSums, DoNotDependOnWhatTheirWorkspaceWasUsedFor) {
  Random random(3);
  const FactorGraph small = two_chains(5, 3, random), large = two_chains(25, 17, random);
  const SumOracleMaker make = exact_sums();
  const auto oracle = make(small), other = make(large);
  std::vector<double> first(small.numbers().size(), 0), again = first,
                                                        rest(large.numbers().size(), 0);
  const double log_z = oracle->sums(1, first);
  other->sums(1, rest);
  EXPECT_EQ(oracle->sums(1, again), log_z);
  EXPECT_EQ(first, again);
}

TEST(BetheSums, AreExactOnForests) {
  const SumOracleMaker make = bethe_sums();
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const FactorGraph graph = random_graph({.shape = seed % 2 > 0 ? Shape::tree : Shape::pieces,
                                            .variables = 2 + seed % 6,
                                            .most_states = 2 + seed % 4,
                                            .zeros = seed % 3 > 1 ? 0.2 : 0},
                                           random);
    expect_exact(graph, *make(graph), 1e-10);
  }
}

TEST(BetheSums, ThatGoOnFindWhatOthersFindAndSurviveAnArchive) {
  std::size_t states = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    FactorGraph graph = random_graph({.shape = Shape::grid, .variables = 9}, random);
    const auto cold = bethe_sums()(graph), warm = bethe_sums({}, true)(graph);
    for (int round = 0; round < 4; ++round) {
      std::vector<double> expected(graph.numbers().size(), 0), found = expected, again = expected;
      StateArchive written;
      warm->archive(written);
      const double log_z = cold->sums(1, expected), other = warm->sums(1, found);
      EXPECT_NEAR(other, log_z, 1e-6 * (1 + std::abs(log_z)));
      EXPECT_EQ(warm->converged(), cold->converged());
      for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-6);

      const auto resumed = bethe_sums({}, true)(graph);
      StateArchive read(written.bytes());
      resumed->archive(read);
      EXPECT_EQ(resumed->sums(1, again), other);
      EXPECT_EQ(again, found);
      EXPECT_EQ(resumed->state() != nullptr, warm->state() != nullptr);
      if (warm->state()) {
        EXPECT_EQ(resumed->state()->id, warm->state()->id);
        EXPECT_EQ(resumed->state()->messages.numbers, warm->state()->messages.numbers);
        ++states;
      }
      for (double& number : graph.numbers()) number += 0.05 * random.normal();
    }
    EXPECT_FALSE(cold->state());
  }
  EXPECT_GT(states, 90u);
}

TEST(BetheSums, ThatHaveNotConvergedStartAnew) {
  Random random(1);
  const FactorGraph graph = random_graph({.shape = Shape::grid, .variables = 9}, random);
  const auto cold = bethe_sums({.max_iterations = 2})(graph);
  const auto warm = bethe_sums({.max_iterations = 2}, true)(graph);
  for (int round = 0; round < 3; ++round) {
    std::vector<double> expected(graph.numbers().size(), 0), found = expected;
    EXPECT_EQ(warm->sums(1, found), cold->sums(1, expected));
    EXPECT_EQ(found, expected);
    EXPECT_FALSE(warm->state());
  }
}

TEST(BetheSums, AreEstimatesWhereTwoFactorsJoinTheSameVariables) {
  FactorGraph graph;
  graph.add_variable(2);
  graph.add_variable(2);
  const PotentialId pair = graph.add_potts(1, 0);
  graph.add_factor({0, 1}, pair);
  graph.add_factor({1, 0}, pair);
  std::vector<double> out(2, 0);
  const auto oracle = bethe_sums()(graph);
  oracle->sums(1, out);
  EXPECT_EQ(oracle->kind(), ResultKind::estimate);
}

}  // namespace
}  // namespace croft::sum_oracle_test
