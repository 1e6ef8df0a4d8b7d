// Methods that bound the best score: trw_s, mplp, dual decomposition; and the maxima they rest on.
#include <gtest/gtest.h>

#include <cmath>

#include "croft/core/error.h"
#include "croft/inference/graph_brute_force.h"
#include "croft/inference/trw_s.h"
#include "inference/graph/bounds/bound_descent.h"
#include "inference/graph/messages/message_passes.h"
#include "support/map_graphs.h"

namespace croft::map_bounds_test {
namespace {

using testing_graphs::map_graph;
using testing_graphs::Shape;
using testing_graphs::structured_graph;

constexpr double kInf = std::numeric_limits<double>::infinity();

double near(double score) { return 1e-9 * std::max(1.0, std::abs(score)); }

FactorGraph graph_number(std::uint64_t seed) {
  return seed % 3 == 0 ? structured_graph(seed) : map_graph(seed);
}

// A graph of the factor alone, with `in` as factors of each variable.
double brute_max(const FactorGraph& graph, Factor f, std::span<const double> in, std::size_t slot,
                 State s) {
  const auto scope = graph.scope(f);
  double most = -kInf;
  std::vector<State> at(scope.size(), 0);
  for (;;) {
    double sum = graph.score_of(f, at);
    std::size_t place = 0;
    for (std::size_t k = 0; k < scope.size(); ++k) {
      sum += in[place + at[k]];
      place += graph.states(scope[k]);
    }
    if (at[slot] == s) most = std::max(most, sum);
    std::size_t k = 0;
    while (k < at.size() && ++at[k] == graph.states(scope[k])) at[k++] = 0;
    if (k == at.size()) return most;
  }
}

TEST(MapKernels, MaximaEqualThoseOverAllJointStates) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const FactorGraph graph = graph_number(seed);
    Reparametrisation scores(graph);
    Random random(seed);
    Reparametrisation::Term t = 0;
    for (Factor f = 0; f < graph.factors(); ++f) {
      const auto scope = graph.scope(f);
      if (scope.size() < 2) continue;
      std::vector<double> in(scores.width(t)), out(in.size()), one(in.size());
      for (double& each : in) each = 3 * random.normal();
      for (std::size_t k = 0; seed % 4 == 1 && k < scope.size(); ++k) {  // one state left
        if (random.below(2) > 0) continue;
        const std::size_t n = graph.states(scope[k]), kept = random.below(n);
        for (std::size_t s = 0; s < n; ++s) {
          if (s != kept) in[scores.offset(t, k) + s] = -kInf;
        }
      }
      scores.max_marginals(t, in.data(), out.data());
      double best = -kInf;
      for (std::size_t k = 0; k < scope.size(); ++k) {
        scores.max_marginal(t, k, in.data(), one.data());
        for (State s = 0; s < graph.states(scope[k]); ++s) {
          const double expected = brute_max(graph, f, in, k, s);
          best = std::max(best, expected);
          const double own = in[scores.offset(t, k) + s], found = out[scores.offset(t, k) + s];
          if (expected == -kInf) {  // what is forbidden has a number, too
            if (own > -kInf) {
              EXPECT_TRUE(std::isfinite(found));
            }
            continue;
          }
          EXPECT_NEAR(found, expected, near(expected)) << seed << " factor " << f;
          EXPECT_NEAR(one[s] + own, expected, near(expected)) << seed << " factor " << f;
        }
      }
      std::vector<State> at(scope.size());
      if (best > -kInf) {
        EXPECT_NEAR(scores.best(t, in.data(), at.data()), best, near(best));
        double sum = graph.score_of(f, at);
        for (std::size_t k = 0; k < at.size(); ++k) sum += in[scores.offset(t, k) + at[k]];
        EXPECT_NEAR(sum, best, near(best)) << seed << " factor " << f;
      }
      ++t;
    }
  }
}

struct Course {
  MapResult result;
  std::vector<double> bounds;
};

template <class Method, class Options>
Course course_of(Method method, const FactorGraph& graph, const Options& options) {
  Course course;
  course.result = method(graph, options, [&](const GraphProgress& progress) {
    course.bounds.push_back(progress.bound.value_or(kInf));
    return true;
  });
  return course;
}

// Right sides, at every iteration.
void expect_fits(const FactorGraph& graph, const GraphBruteForce& all, const Course& course,
                 std::uint64_t seed) {
  for (const double bound : course.bounds) {
    EXPECT_GE(bound, all.best_score - near(all.best_score)) << seed;
  }
  for (std::size_t k = 1; k < course.bounds.size(); ++k)
    EXPECT_LE(course.bounds[k], course.bounds[k - 1]);
  EXPECT_GE(course.result.bound, all.best_score - near(all.best_score)) << seed;
  EXPECT_LE(course.result.score, all.best_score + near(all.best_score)) << seed;
  if (!course.result.states.empty()) {
    EXPECT_EQ(course.result.score, graph.score(course.result.states));
  }
  if (course.result.kind == ResultKind::exact) {
    EXPECT_NEAR(course.result.score, all.best_score, 2 * near(course.result.bound)) << seed;
  }
}

TEST(TrwS, ItsBoundFallsAndHoldsAtEveryIteration) {
  std::size_t exact = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const Course found = course_of(trw_s, graph, TrwSOptions{.max_iterations = 200});
    expect_fits(graph, brute_force(graph), found, seed);
    exact += found.result.kind == ResultKind::exact;
  }
  EXPECT_GT(exact, 200u);
}

TEST(TrwS, OnTreesTheBoundIsTheBestScore) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const FactorGraph graph = map_graph(seed, {Shape::tree, Shape::star, Shape::pieces});
    const double best = brute_force(graph).best_score;
    const MapResult found = trw_s(graph, {.max_iterations = 2000, .tolerance = 0});
    EXPECT_NEAR(found.bound, best, 1e-7 * std::max(1.0, std::abs(best))) << seed;
  }
}

TEST(TrwS, OnAChainOnePassGivesTheBestAssignment) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    FactorGraph graph;
    graph.add_variable(2 + seed % 3);
    for (Variable v = 1; v < 8; ++v) {
      graph.add_variable(2 + (seed + v) % 3);
      std::vector<double> table(graph.states(v - 1) * graph.states(v));
      for (double& each : table) each = random.normal();
      graph.add_factor({v - 1, v}, graph.add_table(table));
    }
    const MapResult found = trw_s(graph, {.max_iterations = 2});
    EXPECT_EQ(found.kind, ResultKind::exact);
    EXPECT_NEAR(found.score, brute_force(graph).best_score, 1e-12);
  }
}

TEST(Mplp, ItsBoundFallsAndHoldsAtEveryIteration) {
  std::size_t exact = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const Course found = course_of(mplp, graph, MplpOptions{.max_iterations = 300});
    expect_fits(graph, brute_force(graph), found, seed);
    exact += found.result.kind == ResultKind::exact;
  }
  EXPECT_GT(exact, 150u);
}

TEST(DualDecomposition, ItsBoundHoldsAtEveryIteration) {
  std::size_t exact = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const Course found =
        course_of(dual_decomposition, graph, DualDecompositionOptions{.max_iterations = 300});
    expect_fits(graph, brute_force(graph), found, seed);
    exact += found.result.kind == ResultKind::exact;
  }
  EXPECT_GT(exact, 20u);
}

TEST(DualDecomposition, ComesNearTheBoundOfTrwSWherePairsAreBinary) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const FactorGraph graph = testing_graphs::random_graph(
        {.shape = Shape::grid, .variables = 9, .most_states = 2, .spread = 1}, random);
    const double trw = trw_s(graph).bound;
    const double dual = dual_decomposition(graph, {.max_iterations = 2000}).bound;
    EXPECT_NEAR(dual, trw, 0.05 * std::max(1.0, std::abs(trw))) << seed;
    EXPECT_GE(dual, trw - 1e-6) << seed;  // binary pairs: trw_s reaches the lowest bound
  }
}

TEST(MapBounds, ACallbackStopsThemCleanly) {
  const FactorGraph graph = map_graph(3, {Shape::complete});
  const GraphCallback stop = [](const GraphProgress&) { return false; };
  for (const MapResult& found :
       {trw_s(graph, {}, stop), mplp(graph, {}, stop), dual_decomposition(graph, {}, stop)}) {
    EXPECT_EQ(found.convergence.iterations, 1u);
    EXPECT_GE(found.bound, found.score);
  }
}

TEST(MapBounds, OptionsOutOfRangeAreErrors) {
  const FactorGraph graph = map_graph(0);
  EXPECT_THROW(trw_s(graph, {.max_iterations = 0}), UsageError);
  EXPECT_THROW(trw_s(graph, {.tolerance = -1}), UsageError);
  EXPECT_THROW(trw_s(graph, {.decode_every = 0}), UsageError);
  EXPECT_THROW(mplp(graph, {.max_iterations = 0}), UsageError);
  EXPECT_THROW(dual_decomposition(graph, {.step = 2}), UsageError);
}

}  // namespace
}  // namespace croft::map_bounds_test
