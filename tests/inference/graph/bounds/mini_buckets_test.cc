// Mini-buckets, and the search that they guide.
#include "inference/graph/bounds/mini_buckets.h"

#include <gtest/gtest.h>

#include <cmath>

#include "croft/inference/elimination_order.h"
#include "croft/inference/graph_brute_force.h"
#include "inference/graph/bounds/mini_bucket_search.h"
#include "support/map_graphs.h"

namespace croft::mini_buckets_test {
namespace {

using testing_graphs::map_graph;
using testing_graphs::structured_graph;

constexpr double kInf = std::numeric_limits<double>::infinity();
const std::function<bool()> kGoOn = [] { return true; };

double near(double score) { return 1e-9 * std::max(1.0, std::abs(score)); }

FactorGraph graph_number(std::uint64_t seed) {
  return seed % 3 == 0 ? structured_graph(seed) : map_graph(seed);
}

MiniBuckets buckets_of(const FactorGraph& graph, double budget) {
  return {graph, find_elimination_order(graph).order, budget};
}

// Scores of all allowed assignments, the best first.
std::vector<double> best_scores(const FactorGraph& graph) {
  std::vector<double> scores;
  for_each_assignment(graph, [&](std::span<const State>, long double score) {
    if (score > -kInf) scores.push_back(static_cast<double>(score));
  });
  std::ranges::sort(scores, std::greater<>());
  return scores;
}

// Of an answer's states, in the order of the graph's variables; those of one state are at 0.
double score_of(const FactorGraph& graph, const MiniBuckets& buckets,
                const std::vector<State>& found) {
  std::vector<State> x(graph.variables(), 0);
  for (MiniBuckets::Place v = 0; v < buckets.places(); ++v) x[buckets.variable(v)] = found[v];
  return graph.score(x);
}

TEST(MiniBuckets, TheirBoundHoldsAndIsTheBestScoreWhereNothingIsDivided) {
  std::size_t divided = 0, tight = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const double best = brute_force(graph).best_score;
    const MiniBuckets small = buckets_of(graph, 1), large = buckets_of(graph, 1e6);
    EXPECT_TRUE(large.exact());
    if (best == -kInf) {
      EXPECT_EQ(large.bound(), -kInf);
      continue;
    }
    EXPECT_NEAR(large.bound(), best, near(best)) << seed;
    EXPECT_GE(small.bound(), best - near(best)) << seed;
    divided += !small.exact();
    tight += !small.exact() && small.bound() < best + near(best);
  }
  EXPECT_GT(divided, 100u);
  EXPECT_LT(tight, divided);
}

TEST(MiniBuckets, TheyKeepToWhatTheyMayHold) {
  std::size_t divided = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const FactorGraph graph = testing_graphs::random_graph(
        {.shape = testing_graphs::Shape::grid, .variables = 64, .most_states = 3, .spread = 1},
        random);
    const MiniBuckets exact = buckets_of(graph, 1e9), buckets = buckets_of(graph, 5e3);
    EXPECT_TRUE(exact.exact());
    EXPECT_LE(buckets.joint_states(), 5e3);
    EXPECT_GE(buckets.bound(), exact.bound() - 1e-9);
    EXPECT_LE(buckets.bound(), buckets_of(graph, 1).bound() + 1e-9);
    divided += !buckets.exact();
  }
  EXPECT_GT(divided, 150u);
}

TEST(MiniBucketSearch, FindsTheBestAssignmentThatIsBetterThanItsTarget) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const FactorGraph graph = graph_number(seed);
    const std::vector<double> scores = best_scores(graph);
    for (const double budget : {1., 1e6}) {
      const MiniBuckets buckets = buckets_of(graph, budget);
      MiniBucketSearch search(buckets);
      using Outcome = MiniBucketSearch::Outcome;
      if (scores.empty()) {
        EXPECT_EQ(search.run(-1e9, kGoOn), Outcome::none);
        continue;
      }
      const double best = scores[0], slack = near(best);
      EXPECT_EQ(search.run(best + slack, kGoOn), Outcome::none) << seed;
      for (const double target : {best - 2 * slack, scores.back() - 1}) {
        ASSERT_EQ(search.run(target, kGoOn), Outcome::found) << seed;
        EXPECT_NEAR(search.best(), best, slack) << seed;
        EXPECT_NEAR(score_of(graph, buckets, search.states()), best, slack) << seed;
      }
    }
  }
}

TEST(MiniBucketSearch, StoppedAgainAndAgainItComesToTheSameEnd) {
  std::size_t stops = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const FactorGraph graph = testing_graphs::random_graph(
        {.shape = testing_graphs::Shape::complete, .variables = 9, .most_states = 3, .spread = 2},
        random);
    const MiniBuckets buckets = buckets_of(graph, 1);
    MiniBucketSearch search(buckets);
    auto outcome = MiniBucketSearch::Outcome::stopped;
    for (std::size_t most = 1; outcome == MiniBucketSearch::Outcome::stopped; most *= 2) {
      std::size_t nodes = 0;
      outcome = search.run(-1e9, [&] { return ++nodes < most; });
      stops += outcome == MiniBucketSearch::Outcome::stopped;
    }
    const double best = brute_force(graph).best_score;
    ASSERT_EQ(outcome, MiniBucketSearch::Outcome::found);
    EXPECT_NEAR(score_of(graph, buckets, search.states()), best, near(best)) << seed;
  }
  EXPECT_GT(stops, 200u);
}

TEST(RestOfGraph, OrdersHaveEveryVariableOnceAndWideGraphsHaveNone) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const FactorGraph graph = testing_graphs::random_graph(
        {.shape = testing_graphs::Shape::grid, .variables = 100, .most_states = 2, .spread = 1},
        random);
    auto order = order_for_mini_buckets(graph);
    ASSERT_TRUE(order.has_value());
    EXPECT_LE(cost_of_order(graph, *order).log2_largest, 14);
  }
  FactorGraph wide;  // each with all others
  const PotentialId like = wide.add_potts(1, 0);
  for (Variable v = 0; v < 300; ++v) {
    wide.add_variable(2);
    for (Variable u = 0; u < v; ++u) wide.add_factor({u, v}, like);
  }
  EXPECT_FALSE(order_for_mini_buckets(wide).has_value());
}

TEST(RestOfGraph, ItsScoresAreThoseOfTheWholeGraph) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const FactorGraph graph = graph_number(seed);
    Reparametrisation scores(graph);
    Random random(seed);
    for (Reparametrisation::Term t = 0; t < scores.terms(); ++t) {
      for (double& message : scores.messages(t)) message = random.normal();
    }
    scores.gather_beliefs();
    for (Variable v = 0; v < graph.variables(); ++v) {  // some states are out
      const auto belief = scores.belief(v);
      const State kept = static_cast<State>(random.below(belief.size()));
      for (State s = 0; s < belief.size(); ++s) {
        if (s != kept && random.below(3) == 0) belief[s] = -kInf;
      }
    }
    EXPECT_FALSE(scores.terms() > 0 && rest_of(scores, 0).has_value());
    const auto rest = rest_of(scores, 1e6);
    ASSERT_TRUE(rest.has_value());
    for_each_assignment(rest->graph, [&](std::span<const State> x, long double score) {
      const double whole = graph.score(rest->whole({x.begin(), x.end()}));
      // What a factor of one variable forbids is a low number here.
      if (whole == -kInf) {
        EXPECT_LT(static_cast<double>(score), scores.allowed_above());
      } else {
        EXPECT_NEAR(static_cast<double>(score), whole, 1e-8 * std::max(1.0, std::abs(whole)));
      }
    });
  }
}

}  // namespace
}  // namespace croft::mini_buckets_test
