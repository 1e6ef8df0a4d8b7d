#include "croft/inference/belief_propagation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "croft/core/error.h"
#include "croft/inference/chain_sum.h"
#include "croft/inference/graph_brute_force.h"
#include "support/random_chain.h"
#include "support/random_graph.h"

namespace croft::belief_propagation_test {
namespace {

using testing_graphs::random_graph;
using testing_graphs::RandomGraphOptions;
using testing_graphs::Shape;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr MessageSchedule kAll[] = {MessageSchedule::automatic,  MessageSchedule::parallel,
                                    MessageSchedule::sequential, MessageSchedule::random,
                                    MessageSchedule::residual,   MessageSchedule::spanning_trees};

double allowed_error(double value) { return 1e-10 * std::max(1.0, std::abs(value)); }

// Trees, stars and forests, with and without zeros, with ordinary and extreme scores.
FactorGraph forest_number(std::uint64_t seed) {
  Random random(seed);
  const Shape shapes[] = {Shape::tree, Shape::star, Shape::pieces};
  const double spreads[] = {1, 5, 60, 400, 2000};
  return random_graph({.shape = shapes[seed % 3],
                       .variables = 2 + seed % 7,
                       .most_states = 2 + seed % 4,
                       .spread = spreads[seed / 3 % 5],
                       .zeros = seed % 2 == 0 ? 0.3 : 0,
                       .unary = seed % 7 != 0},
                      random);
}

FactorGraph loopy_number(std::uint64_t seed, double spread, double zeros = 0) {
  Random random(seed);
  const Shape shapes[] = {Shape::grid, Shape::complete, Shape::higher_order};
  return random_graph({.shape = shapes[seed % 3],
                       .variables = 4 + seed % 5,
                       .most_states = 2 + seed % 3,
                       .spread = spread,
                       .zeros = zeros},
                      random);
}

// A forest of factors of up to four variables, of all kinds of potentials.
FactorGraph mixed_forest(std::uint64_t seed, double spread) {
  Random random(seed);
  FactorGraph graph;
  graph.add_variable(2);
  const auto scores = [&](std::size_t count) {
    std::vector<double> all(count);
    for (double& each : all) each = spread * random.normal();
    return all;
  };
  while (graph.variables() < 8) {
    const std::size_t kind = random.below(7);
    const bool pair = kind >= 2 && kind <= 4, binary = kind >= 5;
    std::vector<Variable> scope{static_cast<Variable>(random.below(graph.variables()))};
    if (binary && graph.states(scope[0]) > 2) continue;
    const std::size_t size = pair ? 2 : 2 + random.below(3);
    std::size_t joint = graph.states(scope[0]);
    while (scope.size() < size) {
      scope.push_back(graph.add_variable(binary ? 2 : 2 + random.below(3)));
      joint *= graph.states(scope.back());
    }
    if (random.below(2) == 0) std::swap(scope.front(), scope.back());
    PotentialId id = 0;
    switch (kind) {
      case 0:
        id = graph.add_table(scores(joint));
        break;
      case 1: {
        std::vector<std::uint64_t> listed;
        for (std::size_t k = 0; k < joint; ++k) {
          if (random.below(3) == 0) listed.push_back(k);
        }
        id = graph.add_sparse(listed, scores(listed.size()), spread * random.normal());
        break;
      }
      case 2:
        id = graph.add_potts(spread * random.normal(), spread * random.normal());
        break;
      case 3:
        id = graph.add_truncated_linear(spread * random.uniform(), 2 * spread * random.uniform());
        break;
      case 4:
        id =
            graph.add_truncated_quadratic(spread * random.uniform(), 3 * spread * random.uniform());
        break;
      case 5:
        id = graph.add_parity(random.below(2) == 1);
        break;
      case 6:
        id = graph.add_cardinality(scores(size + 1));
        break;
    }
    graph.add_factor(scope, id);
  }
  for (Variable v = 0; v < graph.variables(); ++v) {
    graph.add_factor({v}, graph.add_table(scores(graph.states(v))));
  }
  return graph;
}

// The same graph, all potentials as tables.
FactorGraph as_tables(const FactorGraph& graph) {
  FactorGraph tables;
  for (Variable v = 0; v < graph.variables(); ++v) tables.add_variable(graph.states(v));
  for (Factor f = 0; f < graph.factors(); ++f) {
    tables.add_factor(graph.scope(f), tables.add_table(graph.table(f)));
  }
  return tables;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected,
                 double error, std::uint64_t seed) {
  ASSERT_EQ(found.size(), expected.size()) << seed;
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_NEAR(found[k], expected[k], error) << seed << " state " << k;
  }
}

void expect_exact(const FactorGraph& graph, SumProduct& bp, std::uint64_t seed) {
  const GraphBruteForce all = brute_force(graph);
  EXPECT_TRUE(bp.run().converged);
  EXPECT_TRUE(bp.is_forest()) << seed;
  EXPECT_EQ(bp.kind(), ResultKind::exact);
  EXPECT_NEAR(bp.log_partition(), all.log_partition, allowed_error(all.log_partition)) << seed;
  for (Variable v = 0; v < graph.variables(); ++v) {
    expect_near(bp.belief(v), all.variable[v], 1e-10, seed);
  }
  for (Factor f = 0; f < graph.factors(); ++f) {
    expect_near(bp.factor_belief(f), all.factor[f], 1e-10, seed);
  }
}

TEST(SumProduct, IsExactOnForests) {
  std::size_t logarithms = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const FactorGraph graph = forest_number(seed);
    SumProduct bp(graph);
    expect_exact(graph, bp, seed);
    EXPECT_LE(bp.updates(), (bp.logarithms() ? 4 : 2) * graph.factors());
    logarithms += bp.logarithms();
  }
  EXPECT_GT(logarithms, 50u);  // both domains were seen
  EXPECT_LT(logarithms, 250u);
}

TEST(SumProduct, IsExactOnForestsOfAllPotentials) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const FactorGraph graph = mixed_forest(seed, seed % 3 == 0 ? 200 : 2);
    SumProduct bp(graph);
    expect_exact(graph, bp, seed);
  }
}

TEST(SumProduct, SendsForAPotentialWhatItsTableSends) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    FactorGraph graph = mixed_forest(seed, 0.3);
    Random random(seed);  // closes cycles
    for (std::size_t k = 0; k < 3; ++k) {
      const auto a = static_cast<Variable>(random.below(8)), b = static_cast<Variable>((a + 3) % 8);
      graph.add_factor({a, b}, graph.add_potts(0.2 * random.normal(), 0));
    }
    const FactorGraph tables = as_tables(graph);
    const BeliefPropagationOptions options{.schedule = MessageSchedule::sequential,
                                           .tolerance = 1e-12};
    SumProduct bp(graph, options), dense(tables, options);
    const Convergence end = bp.run(), dense_end = dense.run();
    EXPECT_EQ(end.iterations, dense_end.iterations) << seed;
    EXPECT_EQ(bp.contradiction(), dense.contradiction());
    if (bp.contradiction()) continue;
    EXPECT_NEAR(bp.log_partition(), dense.log_partition(), allowed_error(bp.log_partition()));
    for (Variable v = 0; v < graph.variables(); ++v) {
      expect_near(bp.belief(v), dense.belief(v), 1e-10, seed);
    }
  }
}

TEST(SumProduct, OfAChainIsForwardBackward) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const std::size_t length = 1 + random.below(20), labels = 1 + random.below(4);
    const auto chain = testing_support::random_chain<double>(
        {.length = length, .labels = labels, .scale = seed % 3 == 0 ? 300.0 : 2.0}, random);
    FactorGraph graph;
    std::vector<double> table, state(labels);
    for (Label i = 0; i < labels; ++i) {
      for (Label j = 0; j < labels; ++j) table.push_back(chain.scores.transitions->at(i, j));
    }
    const PotentialId shared = graph.add_table(table);
    for (std::size_t t = 0; t < length; ++t) {
      const Variable v = graph.add_variable(labels);
      for (Label j = 0; j < labels; ++j) state[j] = chain.scores.state(t, j);
      graph.add_factor({v}, graph.add_table(state));
      if (t > 0) graph.add_factor({v - 1, v}, shared);
    }
    ForwardBackwardWorkspace<double> work;
    testing_support::GradientTables<double> gradient(chain.scores);
    const double log_z = marginals(chain.scores, 1.0, work, gradient.view());
    SumProduct bp(graph);
    bp.run();
    JunctionTree tree(graph, find_elimination_order(graph));
    EXPECT_NEAR(bp.log_partition(), log_z, allowed_error(log_z)) << seed;
    EXPECT_NEAR(tree.log_partition(), log_z, allowed_error(log_z)) << seed;
    const GraphMarginals exact = tree.marginals();
    for (Variable v = 0; v < length; ++v) {
      const std::vector<double> belief = bp.belief(v);
      expect_near(belief, exact.variable[v], 1e-9, seed);
      for (Label j = 0; j < labels; ++j) EXPECT_NEAR(belief[j], gradient.state(v, j), 1e-9);
    }
  }
}

// (GV.6) with beliefs in the place of messages; sums of x log x by their limits.
double bethe_of_beliefs(const FactorGraph& graph, const SumProduct& bp) {
  double sum = 0;
  std::vector<double> degree(graph.variables(), 0);
  for (Factor f = 0; f < graph.factors(); ++f) {
    const std::vector<double> b = bp.factor_belief(f), theta = graph.table(f);
    for (const Variable v : graph.scope(f)) ++degree[v];
    for (std::size_t k = 0; k < b.size(); ++k) {
      if (b[k] > 0) sum += b[k] * (theta[k] - std::log(b[k]));
    }
  }
  for (Variable v = 0; v < graph.variables(); ++v) {
    for (const double b : bp.belief(v)) {
      if (b > 0) sum += (degree[v] - 1) * b * std::log(b);
    }
  }
  return sum;
}

// Graphs with cycles, some with scores that want logarithms, some with zeros.
FactorGraph cyclic_number(std::uint64_t seed) {
  Random random(seed);
  return random_graph({.shape = seed % 2 == 0 ? Shape::grid : Shape::complete,
                       .variables = 4 + seed % 5,
                       .most_states = 2 + seed % 3,
                       .spread = seed % 5 == 0 ? 300.0 : 1.0,
                       .zeros = seed % 3 == 0 ? 0.1 : 0},
                      random);
}

TEST(SumProduct, GoesOnFromTheMessagesOfAnotherRun) {
  std::size_t converged = 0;
  std::uint64_t cold = 0, warm = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    if (seed % 5 == 0) continue;  // so strong that there are several fixed points
    FactorGraph graph = cyclic_number(seed);
    SumProduct before(graph);
    if (!before.run().converged || before.contradiction()) continue;
    FactorGraph changed = graph;
    for (double& number : changed.numbers()) number *= 1.01;
    SumProduct fresh(changed), going(changed);
    going.start_from(before.messages());
    if (!fresh.run().converged) continue;
    ASSERT_TRUE(going.run().converged);
    ++converged;
    cold += fresh.updates();
    warm += going.updates();
    EXPECT_NEAR(going.log_partition(), fresh.log_partition(),
                1e-6 * (1 + std::abs(fresh.log_partition())));
    for (Variable v = 0; v < graph.variables(); ++v) {
      const auto a = going.belief(v), b = fresh.belief(v);
      for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-6);
    }
  }
  EXPECT_GT(converged, 35u);
  EXPECT_LT(warm, cold);
}

TEST(SumProduct, IsAtItsEndAtOnceWhereItGoesOnFromIt) {
  std::size_t logarithms = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const FactorGraph graph = cyclic_number(seed);
    BeliefPropagationOptions options;
    options.schedule = MessageSchedule::sequential;
    SumProduct first(graph, options), second(graph, options);
    if (!first.run().converged || first.contradiction()) continue;
    logarithms += first.logarithms();
    const bool zeros = seed % 3 == 0;  // are sent anew
    second.start_from(first.messages());
    const Convergence end = second.run();
    EXPECT_TRUE(end.converged);
    EXPECT_TRUE(zeros || end.iterations <= 3) << end.iterations;
    EXPECT_NEAR(second.log_partition(), first.log_partition(),
                1e-7 * (1 + std::abs(first.log_partition())));
  }
  EXPECT_GT(logarithms, 2u);
}

TEST(SumProduct, WantsAsManyMessagesAsItHas) {
  const FactorGraph graph = cyclic_number(1);
  SumProduct run(graph);
  EXPECT_THROW(run.start_from({false, {1, 1}}), UsageError);
}

TEST(SumProduct, SchedulesReachTheSameFixedPoint) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = loopy_number(seed, 0.4);
    SumProduct reference(graph, {.tolerance = 1e-13});
    ASSERT_TRUE(reference.run().converged) << seed;
    for (const MessageSchedule schedule : kAll) {
      for (const double damping : {0.0, 0.4}) {
        SumProduct bp(graph, {.schedule = schedule, .damping = damping, .tolerance = 1e-13});
        const Convergence end = bp.run();
        EXPECT_TRUE(end.converged) << seed << " " << name_of(schedule);
        EXPECT_LE(end.residual, 1e-13);
        EXPECT_NEAR(bp.log_partition(), reference.log_partition(),
                    allowed_error(reference.log_partition()));
        for (Variable v = 0; v < graph.variables(); ++v) {
          expect_near(bp.belief(v), reference.belief(v), 1e-10, seed);
        }
      }
    }
  }
}

// Grids of two states have sweeps of their own; damping that rounds away has them left out.
TEST(SumProduct, BinarySweepsSendWhatAllOthersSend) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    FactorGraph graph = random_graph({.shape = seed % 2 == 0 ? Shape::grid : Shape::complete,
                                      .variables = 4 + seed % 9,
                                      .most_states = 2,
                                      .spread = seed % 3 == 0 ? 4.0 : 1.0,
                                      .unary = seed % 5 != 0},
                                     random);
    const auto n = static_cast<Variable>(graph.variables());
    const PotentialId potts = graph.add_potts(random.normal(), random.normal());
    for (Variable v = 0; v + 1 < n; v += 2) graph.add_factor({v + 1, v}, potts);
    const Variable leaf = graph.add_variable(3);  // hangs on the cycles
    graph.add_factor({leaf, 0}, graph.add_table(std::vector{0.5, 0., 1., -1., 0.2, 0.3}));
    for (const MessageSchedule schedule :
         {MessageSchedule::parallel, MessageSchedule::sequential, MessageSchedule::automatic}) {
      BeliefPropagationOptions fast{.schedule = schedule, .tolerance = 1e-12};
      fast.max_iterations = 1 + seed % 5;
      BeliefPropagationOptions slow = fast;
      slow.damping = 1e-300;
      SumProduct a(graph, fast), b(graph, slow);
      const Convergence end = a.run(), other = b.run();
      EXPECT_NEAR(end.residual, other.residual, 1e-9);
      EXPECT_EQ(a.updates(), b.updates());
      EXPECT_NEAR(a.log_partition(), b.log_partition(), allowed_error(b.log_partition()));
      for (Variable v = 0; v < graph.variables(); ++v) {
        const std::vector<double> p = a.belief(v), q = b.belief(v);
        for (std::size_t x = 0; x < p.size(); ++x) EXPECT_NEAR(p[x], q[x], 1e-10);
      }
    }
  }
}

TEST(SumProduct, BetheOfMessagesIsBetheOfBeliefsAtAFixedPoint) {
  std::size_t loops = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = loopy_number(seed, 0.7, seed % 4 == 0 ? 0.2 : 0);
    SumProduct bp(graph, {.tolerance = 1e-12});
    if (!bp.run().converged) continue;
    EXPECT_NEAR(bp.log_partition(), bethe_of_beliefs(graph, bp), 1e-8) << seed;
    // The surrogate likelihood: score(x) - log Z_B is the log of prod b_f / prod b_v^(d_v - 1).
    const std::vector<State> x = brute_force(graph).best;
    double product = 0;
    std::vector<double> degree(graph.variables(), 0);
    for (Factor f = 0; f < graph.factors(); ++f) {
      std::size_t joint = 0;
      for (const Variable v : graph.scope(f)) {
        joint = joint * graph.states(v) + x[v];
        ++degree[v];
      }
      product += std::log(bp.factor_belief(f)[joint]);
    }
    for (Variable v = 0; v < graph.variables(); ++v) {
      product -= (degree[v] - 1) * std::log(bp.belief(v)[x[v]]);
    }
    EXPECT_NEAR(graph.score(x) - bp.log_partition(), product, 1e-7) << seed;
    ++loops;
  }
  EXPECT_GT(loops, 150u);
}

TEST(SumProduct, OfACycleOfThreeIsApproximate) {
  FactorGraph graph;
  for (int k = 0; k < 3; ++k) graph.add_variable(2);
  const PotentialId same = graph.add_table(std::vector{1., -1., -1., 1.});
  graph.add_factor({0, 1}, same);
  graph.add_factor({1, 2}, same);
  graph.add_factor({0, 2}, same);
  graph.add_factor({0}, graph.add_table(std::vector{0.3, 0.}));
  JunctionTree tree(graph, find_elimination_order(graph));
  const double exact = brute_force(graph).log_partition;
  EXPECT_NEAR(tree.log_partition(), exact, 1e-12);
  SumProduct bp(graph);
  EXPECT_TRUE(bp.run().converged);
  EXPECT_EQ(bp.kind(), ResultKind::estimate);
  EXPECT_NEAR(bp.log_partition(), exact, 0.5);
  EXPECT_GT(std::abs(bp.log_partition() - exact), 1e-3);
}

TEST(SumProduct, TellsAContradiction) {
  FactorGraph graph;
  for (int k = 0; k < 4; ++k) graph.add_variable(2);
  const PotentialId different = graph.add_table(std::vector{-kInf, 0., 0., -kInf});
  graph.add_factor({0, 1}, different);
  graph.add_factor({1, 2}, different);
  graph.add_factor({2, 3}, different);
  graph.add_factor({0}, graph.add_table(std::vector{0., -kInf}));
  graph.add_factor({3}, graph.add_table(std::vector{0., -kInf}));
  SumProduct bp(graph);
  bp.run();
  EXPECT_TRUE(bp.contradiction());
  EXPECT_EQ(bp.kind(), ResultKind::exact);
  EXPECT_EQ(bp.log_partition(), -kInf);
  EXPECT_THROW(bp.beliefs(), Error);
  EXPECT_THROW(bp.factor_belief(0), Error);
  MaxProduct best(graph);
  best.run();
  EXPECT_TRUE(best.contradiction());
  EXPECT_TRUE(best.best().states.empty());
}

TEST(SumProduct, NeverTellsAContradictionOfAnAllowedGraph) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const double spreads[] = {1, 30, 500};
    const FactorGraph graph = loopy_number(seed, spreads[seed / 3 % 3], 0.5);
    for (const MessageSchedule schedule : kAll) {
      SumProduct bp(graph, {.schedule = schedule, .max_iterations = 50});
      bp.run();
      ASSERT_FALSE(bp.contradiction()) << seed << " " << name_of(schedule);
      EXPECT_TRUE(std::isfinite(bp.log_partition()));
      for (const std::vector<double>& p : bp.beliefs()) {
        EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-12);
      }
    }
  }
}

// Two factors want b to be in different states, by more than a double can say.
TEST(SumProduct, DampedMessagesOfVeryUnlikelyStatesAreNoProof) {
  FactorGraph graph;
  const Variable a = graph.add_variable(2), b = graph.add_variable(2), c = graph.add_variable(2);
  graph.add_factor({a, b}, graph.add_table(std::vector{0., -1000., 0., -1000.}));
  graph.add_factor({b, c}, graph.add_table(std::vector{-1001., -1001., 0., 0.}));
  graph.add_factor({c, a}, graph.add_potts(0.1, 0));
  SumProduct bp(graph, {.schedule = MessageSchedule::parallel,
                        .damping = 0.1,
                        .tolerance = std::numeric_limits<double>::denorm_min(),
                        .max_iterations = 2000});
  bp.run();
  ASSERT_FALSE(bp.contradiction());
  EXPECT_TRUE(std::isfinite(bp.log_partition()));
}

TEST(SumProduct, LogarithmsGiveTheSameFixedPoint) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    FactorGraph graph = loopy_number(seed, 0.3);
    SumProduct scaled(graph, {.tolerance = 1e-13});
    ASSERT_TRUE(scaled.run().converged);
    ASSERT_FALSE(scaled.logarithms());
    const double log_z = scaled.log_partition();
    const VariableMarginals beliefs = scaled.beliefs();
    // A pair that is apart from the rest makes numbers that do not fit.
    const Variable a = graph.add_variable(2), b = graph.add_variable(2);
    graph.add_factor({a, b}, graph.add_table(std::vector{0., -900., -900., 0.}));
    SumProduct logs(graph, {.tolerance = 1e-13});
    ASSERT_TRUE(logs.run().converged);
    EXPECT_TRUE(logs.logarithms());
    EXPECT_NEAR(logs.log_partition(), log_z + std::log(2.0), 1e-10);
    for (Variable v = 0; v < a; ++v) expect_near(logs.belief(v), beliefs[v], 1e-10, seed);
  }
}

TEST(SumProduct, JointBeliefsOnATreeAreMarginals) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = forest_number(seed);
    const GraphBruteForce all = brute_force(graph);
    SumProduct bp(graph);
    bp.run();
    // A walk along factors: connected, in any order.
    Random random(seed);
    std::vector<Variable> set{static_cast<Variable>(random.below(graph.variables()))};
    for (Factor f = 0; f < graph.factors(); ++f) {
      bool near = false;
      for (const Variable v : graph.scope(f)) near |= std::ranges::count(set, v) > 0;
      if (!near) continue;
      for (const Variable v : graph.scope(f)) {
        if (std::ranges::count(set, v) == 0) set.insert(set.begin(), v);
      }
    }
    std::vector<double> expected(1, 0);
    std::size_t joint = 1;
    for (const Variable v : set) joint *= graph.states(v);
    expected.assign(joint, 0);
    for_each_assignment(graph, [&](std::span<const State> x, long double score) {
      std::size_t k = 0;
      for (const Variable v : set) k = k * graph.states(v) + x[v];
      expected[k] += static_cast<double>(std::exp(score - all.log_partition));
    });
    expect_near(bp.joint_belief(set), expected, 1e-9, seed);
  }
}

TEST(SumProduct, JointBeliefsNeedConnectedVariables) {
  FactorGraph graph;
  for (int k = 0; k < 3; ++k) graph.add_variable(2);
  graph.add_factor({0, 1}, graph.add_potts(1, 0));
  graph.add_factor({1, 2}, graph.add_potts(1, 0));
  SumProduct bp(graph);
  bp.run();
  EXPECT_THROW(bp.joint_belief(std::vector<Variable>{0, 2}), UsageError);
  EXPECT_THROW(bp.joint_belief(std::vector<Variable>{0, 0}), UsageError);
  EXPECT_THROW(bp.joint_belief(std::vector<Variable>{0, 3}), UsageError);
  EXPECT_EQ(bp.joint_belief(std::vector<Variable>{2, 0, 1}).size(), 8u);
}

TEST(SumProduct, OfAHubTakesLinearTime) {
  for (const bool extreme : {false, true}) {
    FactorGraph graph;
    Random random(1);
    const Variable hub = graph.add_variable(3);
    double expected[3] = {0, 0, 0};
    for (std::size_t k = 0; k < 50000; ++k) {
      const Variable leaf = graph.add_variable(2);
      std::vector<double> scores(6);
      for (double& each : scores) each = (extreme ? 300 : 1) * random.normal();
      graph.add_factor({leaf, hub}, graph.add_table(scores));
      for (std::size_t x = 0; x < 3; ++x) {
        const double high = std::max(scores[x], scores[3 + x]);
        expected[x] += high + std::log1p(std::exp(std::min(scores[x], scores[3 + x]) - high));
      }
    }
    SumProduct bp(graph);
    bp.run();
    const double high = *std::ranges::max_element(expected);
    double sum = 0;
    for (const double each : expected) sum += std::exp(each - high);
    const double log_z = high + std::log(sum);
    EXPECT_NEAR(bp.log_partition(), log_z, allowed_error(log_z));
    EXPECT_NEAR(bp.belief(hub)[1], std::exp(expected[1] - log_z), 1e-8);
  }
}

TEST(SumProduct, HubsOnCyclesAreLikeOtherVariables) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    FactorGraph graph;
    const Variable hub = graph.add_variable(2 + seed % 2);
    const auto table = [&](std::size_t size) {
      std::vector<double> scores(size);
      for (double& each : scores) each = 0.3 * random.normal();
      if (seed % 3 == 0) scores[1] = -kInf;
      return graph.add_table(scores);
    };
    Variable last = hub;
    for (std::size_t k = 0; k < 30; ++k) {
      const Variable next = graph.add_variable(2);
      graph.add_factor({hub, next}, table(2 * graph.states(hub)));
      if (last != hub) graph.add_factor({last, next}, graph.add_potts(0.2, 0));
      last = next;
    }
    SumProduct reference(graph, {.schedule = MessageSchedule::parallel, .tolerance = 1e-13});
    const bool converged = reference.run().converged;
    for (const MessageSchedule schedule : kAll) {
      SumProduct bp(graph, {.schedule = schedule, .tolerance = 1e-13});
      EXPECT_EQ(bp.run().converged, converged) << name_of(schedule);
      if (!converged) continue;
      EXPECT_NEAR(bp.log_partition(), bethe_of_beliefs(graph, bp), 1e-9);
      EXPECT_NEAR(bp.log_partition(), reference.log_partition(), 1e-9) << seed;
    }
  }
}

TEST(SumProduct, TheSameSeedGivesTheSameBits) {
  const FactorGraph graph = loopy_number(4, 0.8);
  for (const MessageSchedule schedule : kAll) {
    const BeliefPropagationOptions options{.schedule = schedule, .seed = 7};
    SumProduct a(graph, options), b(graph, options);
    a.run();
    b.run();
    EXPECT_EQ(a.log_partition(), b.log_partition());
    EXPECT_EQ(a.beliefs(), b.beliefs());
  }
}

TEST(SumProduct, StopsWhereItIsTold) {
  const FactorGraph graph = loopy_number(3, 2);
  SumProduct bp(graph, {.schedule = MessageSchedule::parallel, .tolerance = 1e-12});
  std::size_t calls = 0;
  const Convergence end = bp.run([&](const GraphProgress& progress) {
    ++calls;
    EXPECT_EQ(progress.iteration, calls);
    return calls < 2;
  });
  EXPECT_EQ(end.iterations, 2u);
  EXPECT_FALSE(end.converged);
  EXPECT_TRUE(std::isfinite(bp.log_partition()));
  SumProduct whole(graph, {.schedule = MessageSchedule::parallel, .tolerance = 1e-12});
  const Convergence once = whole.run();
  const Convergence rest = bp.run();  // goes on
  EXPECT_EQ(rest.converged, once.converged);
  if (once.converged) {
    EXPECT_EQ(end.iterations + rest.iterations, once.iterations);
    EXPECT_EQ(bp.log_partition(), whole.log_partition());
  }
}

// log Z is that of the elementary symmetric polynomials of exp(own scores).
TEST(SumProduct, AtMostAFewOfManyTakeTimeByTheirNumber) {
  constexpr std::size_t kMost = 5;
  for (const std::size_t count : {50u, 100000u}) {
    Random random(count);
    FactorGraph graph;
    std::vector<Variable> all;
    std::vector<double> sums(kMost + 1, 0.0);
    sums[0] = 1;
    for (std::size_t k = 0; k < count; ++k) {
      const double scores[] = {0, random.normal()};
      all.push_back(graph.add_variable(2));
      graph.add_factor({all.back()}, graph.add_table(scores));
      for (std::size_t s = kMost; s > 0; --s) sums[s] += sums[s - 1] * std::exp(scores[1]);
    }
    graph.add_factor(all, graph.add_at_most(kMost));
    SumProduct bp(graph);
    bp.run();
    const double log_z = std::log(std::accumulate(sums.begin(), sums.end(), 0.0));
    EXPECT_NEAR(bp.log_partition(), log_z, 1e-9 * log_z);
    double ones = 0;
    for (const std::vector<double>& p : bp.beliefs()) ones += p[1];
    EXPECT_NEAR(ones, kMost, 0.5);
  }
}

TEST(BeliefPropagation, RefusesACardinalityFactorOfTooManySums) {
  FactorGraph graph;
  std::vector<Variable> all;
  for (std::size_t k = 0; k < 200000; ++k) all.push_back(graph.add_variable(2));
  graph.add_factor(all, graph.add_cardinality(std::vector<double>(all.size() + 1, 0.0)));
  try {
    SumProduct bp(graph);
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("200000 variables and 200001 counts"),
              std::string::npos)
        << error.what();
  }
}

TEST(MaxProduct, FindsTheBestAssignmentOfAForest) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const FactorGraph graph = forest_number(seed);
    const GraphBruteForce all = brute_force(graph);
    MaxProduct bp(graph);
    EXPECT_TRUE(bp.run().converged);
    EXPECT_EQ(bp.kind(), ResultKind::exact);
    const BestAssignment best = bp.best();
    EXPECT_NEAR(best.score, all.best_score, allowed_error(all.best_score)) << seed;
    EXPECT_EQ(best.score, graph.score(best.states));
  }
}

TEST(MaxProduct, FindsTheBestAssignmentOfAForestOfAllPotentials) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const FactorGraph graph = mixed_forest(seed, seed % 3 == 0 ? 300 : 2);
    const GraphBruteForce all = brute_force(graph);
    MaxProduct bp(graph);
    bp.run();
    EXPECT_NEAR(bp.best().score, all.best_score, allowed_error(all.best_score)) << seed;
    // Max-marginals from the definition.
    const VariableMarginals found = bp.max_marginals();
    VariableMarginals expected;
    for (Variable v = 0; v < graph.variables(); ++v) expected.emplace_back(graph.states(v), -kInf);
    for_each_assignment(graph, [&](std::span<const State> x, long double score) {
      for (Variable v = 0; v < x.size(); ++v) {
        double& high = expected[v][x[v]];
        high = std::max(high, static_cast<double>(score) - all.best_score);
      }
    });
    for (Variable v = 0; v < graph.variables(); ++v) {
      for (State s = 0; s < graph.states(v); ++s) {
        if (expected[v][s] == -kInf) {
          EXPECT_EQ(found[v][s], -kInf);
        } else {
          EXPECT_NEAR(found[v][s], expected[v][s], 1e-9 * std::max(1.0, -expected[v][s])) << seed;
        }
      }
    }
  }
}

TEST(MaxProduct, TiesAreDecidedAlike) {
  FactorGraph graph;  // all equal, or all different from their neighbour: two best assignments each
  for (int k = 0; k < 20; ++k) graph.add_variable(2);
  for (Variable v = 1; v < 20; ++v) {
    graph.add_factor({v - 1, v}, graph.add_potts(v % 2 == 0 ? 1 : 0, v % 2 == 0 ? 0 : 1));
  }
  MaxProduct bp(graph);
  bp.run();
  EXPECT_EQ(bp.best().score, 19);
}

TEST(MaxProduct, OnCyclesGivesAnAssignmentWithItsScore) {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = loopy_number(seed, 2, seed % 2 == 0 ? 0.2 : 0);
    const double best_score = brute_force(graph).best_score;
    MaxProduct bp(graph, {.schedule = kAll[seed % 5], .damping = 0.3, .max_iterations = 200});
    double last = -kInf;
    bp.run([&](const GraphProgress& now) {
      if (!now.best) return true;
      EXPECT_EQ(*now.best, graph.score(now.assignment));
      EXPECT_GE(*now.best, last);
      last = *now.best;
      return true;
    });
    const BestAssignment best = bp.best();
    EXPECT_GE(best.score, last);
    EXPECT_LE(best.score, best_score + 1e-9);
    if (best.states.empty()) continue;
    EXPECT_EQ(best.score, graph.score(best.states));
    found += best.score > best_score - 1e-9;
  }
  EXPECT_GT(found, 120u);  // often the best one
}

TEST(BeliefPropagation, ChecksItsOptions) {
  const FactorGraph graph = loopy_number(1, 1);
  EXPECT_THROW(SumProduct(graph, {.damping = 1}), UsageError);
  EXPECT_THROW(SumProduct(graph, {.damping = -0.1}), UsageError);
  EXPECT_THROW(SumProduct(graph, {.tolerance = 0}), UsageError);
  EXPECT_THROW(MaxProduct(graph, {.max_iterations = 0}), UsageError);
  EXPECT_EQ(message_schedule("spanning-trees"), MessageSchedule::spanning_trees);
  for (const MessageSchedule each : kAll) EXPECT_EQ(message_schedule(name_of(each)), each);
  EXPECT_THROW(message_schedule("fast"), UsageError);
}

TEST(BeliefPropagation, OfAGraphWithoutFactorsIsUniform) {
  FactorGraph graph;
  SumProduct empty(graph);
  empty.run();
  EXPECT_EQ(empty.log_partition(), 0);
  const Variable v = graph.add_variable(4);
  SumProduct bp(graph);
  EXPECT_TRUE(bp.run().converged);
  EXPECT_NEAR(bp.log_partition(), std::log(4.0), 1e-15);
  EXPECT_EQ(bp.belief(v), std::vector<double>(4, 0.25));
}

}  // namespace
}  // namespace croft::belief_propagation_test
