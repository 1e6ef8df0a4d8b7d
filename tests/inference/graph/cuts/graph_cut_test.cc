#include "croft/inference/graph_cut.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "croft/core/error.h"
#include "croft/inference/graph_brute_force.h"
#include "inference/graph/cuts/move_making.h"
#include "inference/graph/cuts/qpbo.h"
#include "support/map_graphs.h"

namespace croft::graph_cut_test {
namespace {

using testing_graphs::map_graph;
using testing_graphs::random_graph;
using testing_graphs::Shape;
using testing_graphs::structured_graph;
using testing_graphs::submodular_graph;

constexpr double kInf = std::numeric_limits<double>::infinity();

double near(double score) { return 1e-10 * std::max(1.0, std::abs(score)); }

FactorGraph binary_pairs(std::uint64_t seed) {
  Random random(seed);
  const Shape shapes[] = {Shape::tree, Shape::grid, Shape::complete, Shape::star};
  FactorGraph graph = random_graph({.shape = shapes[seed % 4],
                                    .variables = 3 + seed % 7,
                                    .most_states = 2,
                                    .spread = seed % 3 == 0 ? 300.0 : 2.0,
                                    .zeros = seed % 5 == 0 ? 0.3 : 0.0},
                                   random);
  if (seed % 2 == 0) {
    for (PotentialId p = 0; p < graph.potentials(); ++p) {
      for (double& each : graph.numbers(p)) each = std::round(each);
    }
  }
  return graph;
}

TEST(GraphCut, FindsTheBestAssignmentOfSubmodularGraphs) {
  int impossible = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const FactorGraph graph = submodular_graph(seed);
    const GraphBruteForce all = brute_force(graph);
    const MapResult found = graph_cut(graph);
    EXPECT_EQ(found.kind, ResultKind::exact);
    EXPECT_EQ(found.bound, found.score);
    if (all.best_score == -kInf) {
      ++impossible;
      EXPECT_EQ(found.score, -kInf);
      EXPECT_TRUE(found.states.empty());
      continue;
    }
    EXPECT_NEAR(found.score, all.best_score, near(all.best_score)) << seed;
    EXPECT_EQ(found.score, graph.score(found.states));
  }
  EXPECT_GT(impossible, 0);
}

TEST(GraphCut, NamesTheFactorThatItIsNotFor) {
  FactorGraph graph;
  const Variable a = graph.add_variable(2), b = graph.add_variable(2), c = graph.add_variable(2);
  graph.add_factor({a, b}, graph.add_potts(1, 0));
  EXPECT_EQ(why_no_graph_cut(graph), "");
  graph.add_factor({b, c}, graph.add_potts(0, 1));
  try {
    graph_cut(graph);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("factor 1 is not submodular"), std::string::npos);
  }
  FactorGraph three;
  const Variable d = three.add_variable(3);
  three.add_factor({d}, three.add_table(std::vector{0., 1., 2.}));
  EXPECT_THROW(graph_cut(three), UsageError);
  FactorGraph triple;
  for (int v = 0; v < 3; ++v) triple.add_variable(2);
  triple.add_factor({0, 1, 2}, triple.add_parity(false));
  EXPECT_THROW(graph_cut(triple), UsageError);
  EXPECT_THROW(qpbo(triple), UsageError);
}

TEST(GraphCut, AnObservedVariableIsNoObstacle) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph whole = submodular_graph(seed);
    Evidence evidence(whole.variables(), kUnobserved);
    evidence[seed % whole.variables()] = seed % 2;
    const FactorGraph graph = condition(whole, evidence);
    const double best = brute_force(graph).best_score;
    if (best == -kInf) continue;
    EXPECT_NEAR(graph_cut(graph).score, best, near(best));
  }
}

TEST(Qpbo, ItsLabelsAreThoseOfABestAssignmentAndItsBoundHolds) {
  std::size_t labelled = 0, not_all = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const FactorGraph graph = binary_pairs(seed);
    const double best = brute_force(graph).best_score;
    const PartialOptimality part = qpbo(graph);
    EXPECT_GE(part.bound, best - near(best)) << seed;
    Evidence evidence = part.states;
    EXPECT_NEAR(brute_force(condition(graph, evidence)).best_score, best, near(best)) << seed;
    labelled += part.labelled;
    not_all += part.labelled < graph.variables();
  }
  EXPECT_GT(labelled, 500u);
  EXPECT_GT(not_all, 10u);
}

TEST(Qpbo, LabelsAllOfSubmodularGraphsWhateverIsFlipped) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const FactorGraph straight = submodular_graph(seed);
    FactorGraph graph;
    for (Variable v = 0; v < straight.variables(); ++v) graph.add_variable(2);
    const auto flipped = [&](Variable v) { return (seed >> v & 1) == 1; };
    for (Factor f = 0; f < straight.factors(); ++f) {
      const auto scope = straight.scope(f);
      std::size_t mask = 0;
      for (const Variable v : scope) mask = 2 * mask + flipped(v);
      const std::vector<double> old = straight.table(f);
      std::vector<double> table(old.size());
      for (std::size_t k = 0; k < old.size(); ++k) table[k ^ mask] = old[k];
      graph.add_factor(scope, graph.add_table(table));
    }
    const double best = brute_force(graph).best_score;
    if (best == -kInf) continue;
    const PartialOptimality part = qpbo(graph);
    EXPECT_EQ(part.labelled, graph.variables()) << seed;
    const MapResult found = qpbo_map(graph);
    EXPECT_EQ(found.kind, ResultKind::exact);
    EXPECT_NEAR(found.score, best, near(best));
  }
}

// Without scores of their own and with frustrated loops, both states of all variables are equal,
// but for what sums round.
TEST(Qpbo, OfASpinGlassItIsCertainOfNothing) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    FactorGraph graph;
    constexpr Variable kSide = 12;
    for (Variable v = 0; v < kSide * kSide; ++v) graph.add_variable(2);
    const auto join = [&](Variable u, Variable v) {
      const double a = 10 * random.normal(), b = 10 * random.normal();
      graph.add_factor({u, v}, graph.add_table(std::vector{a, b, b, a}));
    };
    for (Variable v = 0; v < kSide * kSide; ++v) {
      if (v % kSide + 1 < kSide) join(v, v + 1);
      if (v + kSide < kSide * kSide) join(v, v + kSide);
    }
    EXPECT_EQ(qpbo(graph).labelled, 0u) << seed;
    EXPECT_EQ(qpbo_map(graph).kind, ResultKind::lower_bound);
  }
}

TEST(Qpbo, AsASearchItIsExactOnlyWhereItSaysSo) {
  std::size_t exact = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const FactorGraph graph = binary_pairs(seed);
    const double best = brute_force(graph).best_score;
    const MapResult found = qpbo_map(graph);
    EXPECT_LE(found.score, best + near(best));
    EXPECT_GE(found.bound, best - near(best));
    if (found.kind != ResultKind::exact) continue;
    ++exact;
    EXPECT_NEAR(found.score, best, 1e-8 * std::max(1.0, std::abs(best)));
  }
  EXPECT_GT(exact, 50u);
  EXPECT_LT(exact, 300u);
}

// Potts pairs that prefer to be equal, no forbidden states.
FactorGraph potts_graph(std::uint64_t seed) {
  Random random(seed);
  FactorGraph graph;
  const std::size_t states = 2 + seed % 3, n = 4 + seed % 4;
  for (std::size_t v = 0; v < n; ++v) {
    std::vector<double> own(states);
    for (double& each : own) each = 2 * random.normal();
    graph.add_factor({graph.add_variable(states)}, graph.add_table(own));
  }
  for (Variable u = 0; u < n; ++u) {
    for (Variable v = u + 1; v < n; ++v) {
      if (random.below(2) > 0) {
        graph.add_factor({u, v}, graph.add_potts(2 * random.uniform(), 0));
      }
    }
  }
  return graph;
}

// What an assignment costs, relative to the best score of each factor.
double cost(const FactorGraph& graph, double score) {
  double most = 0;
  for (Factor f = 0; f < graph.factors(); ++f) {
    const auto table = graph.table(f);
    most += *std::ranges::max_element(table);
  }
  return most - score;
}

TEST(AlphaExpansion, OnPottsGraphsCostsAtMostTwiceTheBest) {
  std::size_t best_found = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const FactorGraph graph = potts_graph(seed);
    const double best = brute_force(graph).best_score;
    const MoveMakingResult found = alpha_expansion(graph);
    EXPECT_TRUE(found.all_submodular);
    EXPECT_TRUE(found.convergence.converged);
    EXPECT_EQ(found.score, graph.score(found.states));
    EXPECT_LE(cost(graph, found.score), 2 * cost(graph, best) + 1e-9) << seed;
    best_found += found.score >= best - 1e-9;
  }
  EXPECT_GT(best_found, 250u);
}

using Mover = MoveMakingResult (*)(const FactorGraph&, const MoveMakingOptions&,
                                   std::span<const State>, const GraphCallback&);

// Whether no choice between states and `other` is better, among all of them.
void expect_no_better_move(const FactorGraph& graph, std::span<const State> x,
                           const std::vector<State>& other, double score) {
  for (std::uint64_t chosen = 0; chosen >> x.size() == 0; ++chosen) {
    std::vector<State> moved(x.begin(), x.end());
    for (std::size_t v = 0; v < x.size(); ++v) {
      if (chosen >> v & 1) moved[v] = other[v];
    }
    EXPECT_LE(graph.score(moved), score + 1e-9 * std::max(1.0, std::abs(score)));
  }
}

TEST(AlphaExpansion, LeavesNoMoveThatHelpsWhereAllAreSubmodular) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = potts_graph(seed);
    const MoveMakingResult found = alpha_expansion(graph);
    for (State alpha = 0; alpha < graph.states(0); ++alpha) {
      const std::vector<State> other(graph.variables(), alpha);
      expect_no_better_move(graph, found.states, other, found.score);
    }
  }
}

TEST(AlphaBetaSwap, LeavesNoMoveThatHelpsWhereAllAreSubmodular) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = potts_graph(seed);
    const MoveMakingResult found = alpha_beta_swap(graph);
    EXPECT_TRUE(found.all_submodular);
    for (State alpha = 0; alpha < graph.states(0); ++alpha) {
      for (State beta = 0; beta < alpha; ++beta) {
        std::vector<State> other = found.states;
        for (State& s : other) s = s == alpha ? beta : s == beta ? alpha : s;
        expect_no_better_move(graph, found.states, other, found.score);
      }
    }
  }
}

TEST(MoveMaking, NeverMakesAnAssignmentWorseAndSaysWhenAMoveWasNotSubmodular) {
  std::size_t not_submodular = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = seed % 3 == 0
                                  ? structured_graph(2 * seed + 1)
                                  : map_graph(seed, {Shape::grid, Shape::complete, Shape::star});
    Random random(seed);
    std::vector<State> start;
    for (Variable v = 0; v < graph.variables(); ++v) {
      start.push_back(static_cast<State>(random.below(graph.states(v))));
    }
    const double best = brute_force(graph).best_score;
    for (const Mover mover : {Mover(alpha_expansion), Mover(alpha_beta_swap)}) {
      double last = -kInf;
      const MoveMakingResult found =
          mover(graph, {}, start, [&last](const GraphProgress& progress) {
            if (progress.best) {
              EXPECT_GE(*progress.best, last);
              last = *progress.best;
            }
            return true;
          });
      EXPECT_EQ(found.kind, ResultKind::lower_bound);
      EXPECT_GE(found.score, graph.score(start));
      EXPECT_LE(found.score, best + near(best));
      not_submodular += !found.all_submodular;
    }
  }
  EXPECT_GT(not_submodular, 50u);
}

TEST(MoveMaking, RefusesFactorsOfThreeAndStartsThatDoNotFit) {
  const FactorGraph graph = structured_graph(2);
  EXPECT_THROW(alpha_expansion(graph), UsageError);
  const FactorGraph pairs = potts_graph(1);
  EXPECT_THROW(alpha_expansion(pairs, {}, std::vector<State>{0}), UsageError);
  EXPECT_THROW(alpha_expansion(pairs, {}, std::vector<State>(pairs.variables(), 99)), UsageError);
  EXPECT_THROW(alpha_expansion(pairs, {.max_iterations = 0}), UsageError);
}

}  // namespace
}  // namespace croft::graph_cut_test
