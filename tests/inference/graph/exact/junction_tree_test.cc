#include "croft/inference/junction_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/core/random.h"
#include "croft/inference/graph_brute_force.h"
#include "structure/counters.h"
#include "support/graph_number.h"

namespace croft::junction_tree_test {
namespace {

using testing_graphs::graph_number;
using testing_graphs::random_graph;
using testing_graphs::RandomGraphOptions;
using testing_graphs::Shape;

constexpr double kInf = std::numeric_limits<double>::infinity();

EliminationOrder order_of(const FactorGraph& graph, std::uint64_t seed) {
  if (seed % 3 > 0)
    return find_elimination_order(graph, {.rules = {}, .restarts = 2, .seed = seed});
  std::vector<Variable> order(graph.variables());  // any order will do
  std::iota(order.begin(), order.end(), Variable{0});
  Random random(seed);
  shuffle(order, random);
  return cost_of_order(graph, order);
}

TEST(JunctionTree, SumsEqualThoseOverAllAssignments) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const GraphBruteForce all = brute_force(graph);
    JunctionTree tree(graph, order_of(graph, seed));
    EXPECT_NEAR(tree.log_partition(), all.log_partition,
                1e-10 * std::max(1.0, std::abs(all.log_partition)))
        << seed;
  }
}

TEST(JunctionTree, MarginalsEqualThoseOverAllAssignments) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const GraphBruteForce all = brute_force(graph);
    JunctionTree tree(graph, order_of(graph, seed));
    std::vector<Factor> factors(graph.factors());
    std::iota(factors.begin(), factors.end(), Factor{0});
    const GraphMarginals found = tree.marginals(factors);
    EXPECT_NEAR(found.log_partition, all.log_partition,
                1e-10 * std::max(1.0, std::abs(all.log_partition)));
    for (Variable v = 0; v < graph.variables(); ++v) {
      for (State s = 0; s < graph.states(v); ++s) {
        EXPECT_NEAR(found.variable[v][s], all.variable[v][s], 1e-10) << seed << " " << v;
      }
    }
    for (Factor f = 0; f < graph.factors(); ++f) {
      for (std::size_t k = 0; k < all.factor[f].size(); ++k) {
        EXPECT_NEAR(found.factor[f][k], all.factor[f][k], 1e-10) << seed << " factor " << f;
      }
    }
  }
}

TEST(JunctionTree, TheBestAssignmentHasTheBestScore) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const GraphBruteForce all = brute_force(graph);
    JunctionTree tree(graph, order_of(graph, seed));
    const BestAssignment best = tree.best();
    EXPECT_NEAR(best.score, all.best_score, 1e-10 * std::max(1.0, std::abs(all.best_score)));
    EXPECT_EQ(best.score, graph.score(best.states));
  }
}

// A clique of nine variables with thousands of joint states and many small factors, and one that
// shares three of them: there small tables are joined, and sums are taken apart.
FactorGraph overlapping_cliques(std::uint64_t seed) {
  Random random(seed);
  const double spreads[] = {1, 20, 2000};
  FactorGraph graph;
  for (std::size_t k = 0; k < 12; ++k) graph.add_variable(k % 3 == seed % 3 ? 2 : 3);
  const auto add = [&](std::vector<Variable> scope) {
    std::size_t size = 1;
    for (const Variable v : scope) size *= graph.states(v);
    std::vector<double> scores(size);
    for (double& score : scores) {
      score =
          seed % 2 == 1 && random.uniform() < 0.05 ? -kInf : spreads[seed % 3] * random.normal();
    }
    graph.add_factor(scope, graph.add_table(scores));
  };
  for (const auto& [first, last] : {std::pair<Variable, Variable>{0, 9}, {6, 12}}) {
    for (Variable u = first; u < last; ++u) {
      for (Variable v = u + 1; v < last; ++v) add({u, v});
    }
    add({first, static_cast<Variable>(first + 2), static_cast<Variable>(last - 1)});
  }
  return graph;
}

// All allowed assignments, the best first.
std::vector<BestAssignment> all_in_order(const FactorGraph& graph) {
  std::vector<BestAssignment> all;
  std::vector<State> x(graph.variables(), 0);
  for (bool more = true; more;) {
    if (const double score = graph.score(x); score > -kInf) all.push_back({x, score});
    more = false;
    for (Variable v = graph.variables(); v-- > 0 && !more;) {
      more = ++x[v] < graph.states(v);
      if (!more) x[v] = 0;
    }
  }
  std::ranges::stable_sort(all, std::greater{}, &BestAssignment::score);
  return all;
}

TEST(JunctionTree, TheKBestAreTheFirstOfAllAssignments) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const std::vector<BestAssignment> all = all_in_order(graph);
    JunctionTree tree(graph, order_of(graph, seed));
    const std::size_t k = 1 + seed % 37;
    const std::vector<BestAssignment> found = tree.k_best(k);
    ASSERT_EQ(found.size(), std::min(k, all.size())) << seed;
    std::set<std::vector<State>> different;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i].score, all[i].score, 1e-10 * std::max(1.0, std::abs(all[i].score)))
          << seed << " rank " << i;
      EXPECT_EQ(found[i].score, graph.score(found[i].states));
      EXPECT_TRUE(different.insert(found[i].states).second) << seed << " rank " << i;
    }
  }
}

TEST(JunctionTree, TheKBestOfASmallGraphAreAllOfThem) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const std::vector<BestAssignment> all = all_in_order(graph);
    if (all.size() > 3000) continue;
    JunctionTree tree(graph, order_of(graph, seed));
    const double log_z = tree.log_partition();
    const std::vector<BestAssignment> found = tree.k_best(all.size() + 5);
    ASSERT_EQ(found.size(), all.size()) << seed;
    double sum = 0;
    for (const BestAssignment& each : found) sum += std::exp(each.score - log_z);
    EXPECT_NEAR(sum, all.empty() ? 0 : 1, 1e-9) << seed;
  }
}

TEST(JunctionTree, TheKBestOfAChainOfAHundredThousandVariablesAreFound) {
  FactorGraph graph;
  Random random(3);
  for (std::size_t t = 0; t < 100000; ++t) {
    const Variable v = graph.add_variable(2);
    graph.add_factor({v}, graph.add_table(std::vector{0., 1 + random.uniform()}));
    if (v > 0) graph.add_factor({v - 1, v}, graph.add_potts(0.25, 0));
  }
  JunctionTree tree(graph, find_elimination_order(graph));
  const std::vector<BestAssignment> found = tree.k_best(20);
  ASSERT_EQ(found.size(), 20u);
  EXPECT_EQ(found.front().score, tree.best().score);
  EXPECT_TRUE(std::ranges::is_sorted(found, std::greater{}, &BestAssignment::score));
}

TEST(JunctionTree, TheKBestOfManySeparateVariablesAreFound) {
  FactorGraph graph;
  for (std::size_t t = 0; t < 20000; ++t) {
    const double less = 1 + static_cast<double>((t * 7919) % 20000);
    graph.add_factor({graph.add_variable(2)}, graph.add_table(std::vector{0., -less}));
  }
  JunctionTree tree(graph, find_elimination_order(graph));
  const std::vector<BestAssignment> found = tree.k_best(12);
  // 0; 1; 2; 3, 1 + 2; 4, 1 + 3; 5, 1 + 4, 2 + 3; 6, 1 + 5, …
  const std::vector<double> scores{0, -1, -2, -3, -3, -4, -4, -5, -5, -5, -6, -6};
  ASSERT_EQ(found.size(), scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_EQ(found[i].score, scores[i]) << i;
}

TEST(JunctionTree, TablesThatAreJoinedGiveTheSameSums) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const FactorGraph graph = overlapping_cliques(seed);
    const GraphBruteForce all = brute_force(graph);
    if (!std::isfinite(all.log_partition)) continue;
    JunctionTree tree(graph, find_elimination_order(graph));
    EXPECT_GT(tree.log2_joint_states(), 12);
    const Factor factors[] = {0, 30, 52};
    const GraphMarginals found = tree.marginals(factors);
    EXPECT_NEAR(found.log_partition, all.log_partition, 1e-10 * std::abs(all.log_partition));
    for (Variable v = 0; v < graph.variables(); ++v) {
      for (State s = 0; s < graph.states(v); ++s) {
        EXPECT_NEAR(found.variable[v][s], all.variable[v][s], 1e-10) << seed << " " << v;
      }
    }
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t x = 0; x < found.factor[k].size(); ++x) {
        EXPECT_NEAR(found.factor[k][x], all.factor[factors[k]][x], 1e-10) << seed << " " << k;
      }
    }
    EXPECT_NEAR(tree.best().score, all.best_score, 1e-10 * std::abs(all.best_score));
  }
}

// Pairs of neighbours in a square, in whose tree tables of many sizes are joined.
FactorGraph lattice(std::size_t side, double spread) {
  FactorGraph graph;
  Random random(side);
  for (std::size_t v = 0; v < side * side; ++v) graph.add_variable(2);
  const auto add = [&](std::size_t u, std::size_t v) {
    std::vector<double> scores(4);
    for (double& score : scores) score = spread * random.normal();
    graph.add_factor({static_cast<Variable>(u), static_cast<Variable>(v)}, graph.add_table(scores));
  };
  for (std::size_t v = 0; v < side * side; ++v) {
    if ((v + 1) % side != 0) add(v, v + 1);
    if (v + side < side * side) add(v, v + side);
  }
  return graph;
}

// What a call has had at once at most, beside what was there: the kernel's count, reset before.
double peak_of(const std::function<void()>& call) {
  const auto read = [](const std::string& field) {
    std::ifstream in("/proc/self/status");
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with(field)) return 1024 * std::stod(line.substr(field.size() + 1));
    }
    return 0.;
  };
  std::ofstream("/proc/self/clear_refs") << "5";
  const double before = read("VmRSS");
  call();
  return read("VmHWM") - before;
}

TEST(JunctionTree, TakesNoMoreMemoryThanItPredicts) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "the sanitizer keeps memory that is free";
#endif
#endif
  if (!std::ofstream("/proc/self/clear_refs")) GTEST_SKIP() << "no peak to read here";
  constexpr double kSlack = 4 << 20;  // pages, and what grows with the number of variables
  for (const double spread : {0.3, 300.}) {
    const FactorGraph graph = lattice(18, spread);
    JunctionTree tree(graph, find_elimination_order(graph));
    const double predicted = tree.bytes();
    EXPECT_GT(predicted, 2 * kSlack);
    EXPECT_LT(peak_of([&] { tree.log_partition(); }), predicted + kSlack) << spread;
    EXPECT_LT(peak_of([&] { tree.marginals(); }), predicted + kSlack) << spread;
    EXPECT_LT(peak_of([&] { tree.best(); }), predicted + kSlack) << spread;
    Random random(1);
    EXPECT_LT(peak_of([&] { tree.samples(3, random); }), predicted + kSlack) << spread;
  }
}

TEST(JunctionTree, WithoutAnAllowedAssignmentItSaysSo) {
  FactorGraph graph;
  const Variable a = graph.add_variable(2), b = graph.add_variable(2);
  graph.add_factor({a, b}, graph.add_table(std::vector{-kInf, 0., 0., -kInf}));
  graph.add_factor({a, b}, graph.add_table(std::vector{0., -kInf, -kInf, 0.}));
  JunctionTree tree(graph, find_elimination_order(graph));
  Random random(1);
  EXPECT_EQ(tree.log_partition(), -kInf);
  EXPECT_THROW(tree.marginals(), Error);
  EXPECT_THROW(tree.samples(1, random), Error);
  EXPECT_TRUE(tree.best().states.empty());
}

TEST(JunctionTree, EvidenceSlicesWhatIsLeft) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const std::vector<State> best = brute_force(graph).best;
    Evidence evidence(graph.variables(), kUnobserved);
    for (Variable v = 0; v < graph.variables(); v += 2) evidence[v] = best[v];
    const FactorGraph rest = condition(graph, evidence);
    const GraphBruteForce all = brute_force(rest);
    JunctionTree tree(rest, find_elimination_order(rest));
    EXPECT_NEAR(tree.log_partition(), all.log_partition,
                1e-10 * std::max(1.0, std::abs(all.log_partition)));
    EXPECT_NEAR(tree.best().score, all.best_score, 1e-10 * std::max(1.0, std::abs(all.best_score)));
  }
}

TEST(JunctionTree, DrawsAssignmentsAsOftenAsTheyAreProbable) {
  Random random(3);
  const FactorGraph graph = random_graph(
      {.shape = Shape::complete, .variables = 4, .most_states = 2, .spread = 1}, random);
  JunctionTree tree(graph, find_elimination_order(graph));
  constexpr std::size_t kDrawn = 20000;
  std::map<std::vector<State>, double> seen;
  for (const auto& x : tree.samples(kDrawn, random)) seen[x] += 1.0 / kDrawn;
  const double log_z = brute_force(graph).log_partition;
  for_each_assignment(graph, [&](std::span<const State> x, long double score) {
    const double p = std::exp(static_cast<double>(score) - log_z);
    EXPECT_NEAR((seen[{x.begin(), x.end()}]), p, 6 * std::sqrt(p * (1 - p) / kDrawn));
  });
}

TEST(JunctionTree, FactorsOfManyVariablesAreSummedOverTheirCounters) {
  FactorGraph graph;
  std::vector<Variable> bits;
  for (int k = 0; k < 40; ++k) bits.push_back(graph.add_variable(2));
  graph.add_factor(bits, graph.add_parity(false));
  FactorGraph chain = with_counters(graph).graph;
  JunctionTree even(chain, find_elimination_order(chain));
  EXPECT_NEAR(even.log_partition(), 39 * std::log(2.), 1e-12);  // half of all assignments
  graph.add_factor(bits, graph.add_at_most(2));
  chain = with_counters(graph).graph;
  JunctionTree few(chain, find_elimination_order(chain));
  EXPECT_NEAR(few.log_partition(), std::log(1. + 40 * 39 / 2), 1e-12);
  EXPECT_NEAR(few.marginals().variable[7][1], 39. / (1 + 40 * 39 / 2), 1e-12);
}

TEST(JunctionTree, ALongChainWithLargeScoresKeepsItsDigits) {
  FactorGraph graph;
  Random random(5);
  constexpr std::size_t kLength = 3000;
  double total = 0;
  const Variable first = graph.add_variable(3);
  Variable last = first;
  for (std::size_t t = 1; t < kLength; ++t) {
    const Variable next = graph.add_variable(3);
    std::vector<double> scores(9, -1e5);
    for (std::size_t k = 0; k < 9; k += 4) scores[k] = 300 * random.normal();
    total += scores[0];
    graph.add_factor({last, next}, graph.add_table(scores));
    last = next;
  }
  // Diagonal but for what 1e5 hides: three paths, of which the largest decides.
  JunctionTree tree(graph, find_elimination_order(graph));
  const BestAssignment best = tree.best();
  EXPECT_GE(best.score, total);
  EXPECT_NEAR(tree.log_partition(), best.score, 2);
}

TEST(JunctionTree, StopsBetweenCliquesAndWithinALargeOne) {
  Random random(2);
  // A grid, whose cliques are many; a complete graph, which is one clique of 2^24 joint states.
  for (const RandomGraphOptions& each :
       {RandomGraphOptions{.shape = Shape::grid, .variables = 256, .most_states = 2},
        RandomGraphOptions{.shape = Shape::complete, .variables = 24, .most_states = 2}}) {
    const FactorGraph graph = random_graph(each, random);
    const EliminationOrder order = find_elimination_order(graph);
    std::size_t asked = 0;
    JunctionTree two(graph, order, [&](const GraphProgress&) { return ++asked < 2; });
    EXPECT_THROW(two.log_partition(), Interrupted);
    EXPECT_EQ(asked, 2u);
    for (const auto& call :
         {+[](JunctionTree& tree) { tree.marginals(); }, +[](JunctionTree& tree) { tree.best(); },
          +[](JunctionTree& tree) {
            Random draws(1);
            tree.samples(1, draws);
          }}) {
      JunctionTree none(graph, order, [](const GraphProgress&) { return false; });
      EXPECT_THROW(call(none), Interrupted);
    }
    std::size_t calls = 0;
    JunctionTree watched(graph, order, [&](const GraphProgress&) { return ++calls > 0; });
    EXPECT_EQ(watched.log_partition(), JunctionTree(graph, order).log_partition());
    EXPECT_GT(calls, 1u);
  }
}

TEST(JunctionTree, StoppedWhileItDrawsItKeepsWhatIsDrawn) {
  const FactorGraph graph = graph_number(3);
  std::size_t asked = 0;
  JunctionTree tree(graph, find_elimination_order(graph),
                    [&](const GraphProgress&) { return ++asked < 3; });
  Random random(1);
  const auto drawn = tree.samples(1000000, random);
  EXPECT_GT(drawn.size(), 0u);
  EXPECT_LT(drawn.size(), 1000000u);
}

TEST(EliminationOrder, OfATreeHasCliquesOfTwo) {
  Random random(1);
  const FactorGraph graph =
      random_graph({.shape = Shape::tree, .variables = 200, .most_states = 2}, random);
  const EliminationOrder order = find_elimination_order(graph);
  EXPECT_EQ(order.log2_largest, 2);
  EXPECT_EQ(order.order.size(), 200u);
  EXPECT_NEAR(cost_of_order(graph, order.order).log2_total, order.log2_total, 1e-9);
}

// What each rule asks for, from its definition.
double cost_by_definition(const FactorGraph& graph, const std::vector<std::set<Variable>>& near,
                          Variable v, EliminationRule rule) {
  const auto states = [&](Variable u) { return static_cast<double>(graph.states(u)); };
  double product = states(v), missing = 0, weighted = 0;
  for (const Variable a : near[v]) {
    product *= states(a);
    for (const Variable b : near[v]) {
      if (a >= b || near[a].contains(b)) continue;
      missing += 1;
      weighted += states(a) * states(b);
    }
  }
  switch (rule) {
    case EliminationRule::min_fill:
      return missing;
    case EliminationRule::weighted_min_fill:
      return weighted;
    case EliminationRule::min_weight:
      return product;
    case EliminationRule::min_degree:
      break;
  }
  return static_cast<double>(near[v].size());
}

TEST(EliminationOrder, AndThePlanOfATreeWithHubsTakeLinearTime) {
  constexpr std::size_t kLeaves = 20000;  // whose pairs are 200 million
  for (const std::size_t hubs : {1U, 7U}) {
    FactorGraph graph;
    for (std::size_t v = 0; v < hubs + kLeaves; ++v) graph.add_variable(2);
    const PotentialId pair = graph.add_table(std::vector{0., -0.7, -0.4, 0.2});
    for (Variable v = 1; v < hubs + kLeaves; ++v) {
      const auto near = static_cast<Variable>(v < hubs ? v - 1 : v % hubs);
      graph.add_factor({near, v}, pair);
    }
    std::size_t millions = 0;
    const GraphCallback count = [&](const GraphProgress& now) {
      millions = std::max(millions, now.iteration);
      return true;
    };
    const EliminationOrder order = find_elimination_order(graph, {.progress = count});
    EXPECT_NEAR(order.log2_largest, 2, 1e-9);
    JunctionTree tree(graph, order, count);
    EXPECT_LT(tree.bytes(), 1e7);
    EXPECT_GT(tree.marginals().log_partition, 0);
    EXPECT_LT(millions, 40u);
  }
}

TEST(JunctionTree, StopsWhileItIsPlanned) {
  FactorGraph graph;
  for (std::size_t v = 0; v < 20000; ++v) graph.add_variable(2);
  const PotentialId pair = graph.add_table(std::vector{0., -0.7, -0.4, 0.2});
  for (Variable v = 1; v < 20000; ++v) graph.add_factor({0, v}, pair);
  const EliminationOrder order = find_elimination_order(graph);
  EXPECT_THROW(JunctionTree(graph, order, [](const GraphProgress&) { return false; }).bytes(),
               Interrupted);
  EXPECT_THROW(find_elimination_order(graph, {.progress = [](const auto&) { return false; }}),
               Interrupted);
}

TEST(EliminationOrder, TakesWhatTheRuleHasLeastOf) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const Shape shapes[] = {Shape::grid, Shape::complete, Shape::higher_order, Shape::pieces};
    const FactorGraph graph = random_graph(
        {.shape = shapes[seed % 4], .variables = 6 + seed % 20, .most_states = 4}, random);
    const auto rule = static_cast<EliminationRule>(seed / 4 % 4);
    const EliminationOrder found =
        find_elimination_order(graph, {.rules = {rule}, .restarts = 1, .seed = seed});
    EXPECT_NEAR(found.log2_total, cost_of_order(graph, found.order).log2_total, 1e-6);
    std::vector<std::set<Variable>> near(graph.variables());
    for (Factor f = 0; f < graph.factors(); ++f) {
      for (const Variable u : graph.scope(f)) {
        for (const Variable v : graph.scope(f)) {
          if (u != v && graph.states(u) > 1 && graph.states(v) > 1) near[u].insert(v);
        }
      }
    }
    std::set<Variable> left(found.order.begin(), found.order.end());
    for (const Variable v : found.order) {
      const double cost = cost_by_definition(graph, near, v, rule);
      for (const Variable u : left) EXPECT_LE(cost, cost_by_definition(graph, near, u, rule));
      left.erase(v);
      for (const Variable a : near[v]) {
        near[a].erase(v);
        for (const Variable b : near[v]) {
          if (a != b) near[a].insert(b);
        }
      }
    }
  }
}

// 3,000 variables and 9,000 pairs by chance: cliques of more than a thousand variables.
TEST(EliminationOrder, OfAVeryWideGraphIsGivenUpWithWhatItNeedsAtLeast) {
  Random random(3);
  FactorGraph graph;
  for (int k = 0; k < 3000; ++k) graph.add_variable(2);
  const PotentialId potts = graph.add_potts(1, 0);
  for (int k = 0; k < 9000; ++k) {
    const auto u = static_cast<Variable>(random.below(3000));
    const auto v = static_cast<Variable>(random.below(3000));
    if (u != v) graph.add_factor({u, v}, potts);
  }
  try {
    find_elimination_order(graph);
    ADD_FAILURE() << "an order for a graph of such a width";
  } catch (const TooWide& wide) {
    EXPECT_GT(wide.log2_states(), 62);
    EXPECT_NE(std::string(wide.what()).find("at least 2^6"), std::string::npos);
  }
  // Without a limit it takes minutes, until it is stopped.
  std::size_t asked = 0;
  EliminationOptions endless{.most_log2_states = 1e6};
  endless.progress = [&](const GraphProgress&) { return ++asked < 3; };
  EXPECT_THROW(find_elimination_order(graph, endless), Interrupted);
  EXPECT_EQ(asked, 3u);
}

TEST(EliminationOrder, OfALargeScopeIsGivenUpBeforeItsPairsAreWrittenDown) {
  FactorGraph graph;
  std::vector<Variable> scope;
  for (int k = 0; k < 200000; ++k) scope.push_back(graph.add_variable(2));
  graph.add_factor(scope, graph.add_parity(true));
  try {
    find_elimination_order(graph);
    ADD_FAILURE() << "an order for a clique of 200,000 variables";
  } catch (const TooWide& wide) {
    EXPECT_EQ(wide.log2_states(), 200000);
  }
}

// The limit is of what is tried: at the width of the best order nothing changes, below it nothing
// is found.
TEST(EliminationOrder, WithALimitIsTheSameOrNone) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const Shape shapes[] = {Shape::tree, Shape::grid, Shape::complete, Shape::higher_order};
    const FactorGraph graph = random_graph({.shape = shapes[seed % 4], .variables = 9}, random);
    const EliminationOptions one{.rules = {EliminationRule::min_fill}, .restarts = 1};
    const EliminationOrder order = find_elimination_order(graph, one);
    EliminationOptions limited = one;
    limited.most_log2_states = order.log2_largest;
    EXPECT_EQ(find_elimination_order(graph, limited).order, order.order);
    limited.most_log2_states = order.log2_largest - 1e-9;
    if (!order.order.empty()) {
      EXPECT_THROW(find_elimination_order(graph, limited), TooWide);
    }
  }
}

TEST(EliminationOrder, OfMoreRestartsTakesNoMoreTimeAndNoMoreMemory) {
  std::size_t better = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Random random(seed);
    const Shape shapes[] = {Shape::grid, Shape::higher_order, Shape::complete};
    const FactorGraph graph = random_graph(
        {.shape = shapes[seed % 3], .variables = 12 + 3 * (seed % 5), .most_states = 4}, random);
    double states = kInf, bytes = kInf;
    for (const std::size_t restarts : {1, 2, 4, 8, 12, 20, 40, 80}) {
      const EliminationOrder order =
          find_elimination_order(graph, {.restarts = restarts, .seed = seed});
      EXPECT_NEAR(order.log2_total, cost_of_order(graph, order.order).log2_total, 1e-6);
      const double now = JunctionTree(graph, order).bytes();
      EXPECT_LE(order.log2_total, states) << seed << " " << restarts;
      EXPECT_LE(now, bytes) << seed << " " << restarts;
      better += order.log2_total < states ? 1 : 0;
      states = order.log2_total;
      bytes = now;
    }
  }
  EXPECT_GT(better, 15u);
}

TEST(EliminationOrder, OfAGridComesNearItsSide) {
  Random random(1);
  const FactorGraph graph =
      random_graph({.shape = Shape::grid, .variables = 100, .most_states = 2}, random);
  EXPECT_LE(find_elimination_order(graph).log2_largest, 14);
  EXPECT_THROW(cost_of_order(graph, {0, 1}), UsageError);
}

}  // namespace
}  // namespace croft::junction_tree_test
