// Filtering, smoothing, prediction and the best path, against the unrolled network.
#include "croft/inference/slice_filter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "croft/core/error.h"
#include "croft/inference/chain_sum.h"
#include "croft/inference/graph_brute_force.h"
#include "croft/inference/junction_tree.h"
#include "support/random_slices.h"

namespace croft::slice_filter_test {
namespace {

using testing_slices::random_evidence;
using testing_slices::random_slices;
using testing_slices::RandomSlices;
using testing_slices::unrolled_with;

constexpr double kInf = std::numeric_limits<double>::infinity();

void expect_near(const VariableMarginals& found, const VariableMarginals& all, std::size_t slice,
                 double tolerance, const std::string& where) {
  for (std::size_t v = 0; v < found.size(); ++v) {
    const std::vector<double>& wanted = all[slice * found.size() + v];
    ASSERT_EQ(found[v].size(), wanted.size());
    for (std::size_t s = 0; s < wanted.size(); ++s) {
      EXPECT_NEAR(found[v][s], wanted[s], tolerance) << where << ", variable " << v << " is " << s;
    }
  }
}

struct Stream {
  std::vector<SliceEvidence> evidence;  // that is possible

  // Slices of evidence; one that the filter calls impossible must be.
  Stream(const SliceNetwork& net, SliceFilter& filter, std::size_t slices, Random& random) {
    while (evidence.size() < slices) {
      evidence.push_back(random_evidence(net, random));
      if (filter.advance(evidence.back())) continue;
      EXPECT_EQ(brute_force(unrolled_with(net, evidence.size(), evidence)).log_partition, -kInf);
      EXPECT_EQ(filter.slices(), evidence.size() - 1);
      evidence.pop_back();
    }
  }
};

SliceNetwork small_net(Random& random, std::uint64_t round) {
  return random_slices(random, {.variables = 1 + round % 3,
                                .most_states = round % 3 == 2 ? 2u : 3u,
                                .zeros = round % 2 == 0 ? 0.3 : 0});
}

TEST(SliceFilter, FilteringEqualsEnumerationOfTheUnrolledNetwork) {
  Random random(1);
  for (std::uint64_t round = 0; round < 60; ++round) {
    const SliceNetwork net = small_net(random, round);
    SliceFilter filter(net);
    std::vector<SliceEvidence> evidence;
    for (std::size_t t = 0; t < 4; ++t) {
      evidence.push_back(random_evidence(net, random));
      const GraphBruteForce wanted = brute_force(unrolled_with(net, evidence.size(), evidence));
      const bool possible = filter.advance(evidence.back());
      ASSERT_EQ(possible, wanted.log_partition > -kInf) << "round " << round;
      if (!possible) {
        evidence.pop_back();
        continue;
      }
      EXPECT_NEAR(filter.log_likelihood(), wanted.log_partition, 1e-12);
      expect_near(filter.marginals(), wanted.variable, evidence.size() - 1, 1e-12,
                  "round " + std::to_string(round) + ", slice " + std::to_string(t));
    }
  }
}

TEST(SliceFilter, SmoothingEqualsEnumerationForEachLag) {
  Random random(2);
  for (std::uint64_t round = 0; round < 40; ++round) {
    const SliceNetwork net = small_net(random, round);
    SliceFilter filter(net, {.history = SliceFilter::kAll}), near(net, {.history = 2});
    const Stream stream(net, filter, 4, random);
    for (const SliceEvidence& each : stream.evidence) ASSERT_TRUE(near.advance(each));
    const GraphBruteForce wanted = brute_force(unrolled_with(net, 4, stream.evidence));
    const std::string where = "round " + std::to_string(round);
    const std::vector<VariableMarginals> all = filter.smoothed(), last = near.smoothed();
    ASSERT_EQ(all.size(), 4u);
    ASSERT_EQ(last.size(), 3u);
    for (std::size_t t = 0; t < 4; ++t) {
      expect_near(all[t], wanted.variable, t, 1e-12, where);
      expect_near(filter.smoothed(3 - t), wanted.variable, t, 1e-12, where);
      if (t == 0) continue;
      expect_near(last[t - 1], wanted.variable, t, 1e-12, where);
      expect_near(near.smoothed(3 - t), wanted.variable, t, 1e-12, where);
    }
    EXPECT_THROW(near.smoothed(3), UsageError);
    EXPECT_THROW(filter.smoothed(4), UsageError);
  }
}

TEST(SliceFilter, PredictionEqualsEnumerationWithoutLaterEvidence) {
  Random random(3);
  for (std::uint64_t round = 0; round < 30; ++round) {
    const SliceNetwork net = small_net(random, round);
    const GraphBruteForce prior = brute_force(unroll(net, 2));
    const auto before = SliceFilter(net).ahead(2);
    for (std::size_t k = 0; k < 2; ++k) expect_near(before[k], prior.variable, k, 1e-12, "prior");
    SliceFilter filter(net);
    const Stream stream(net, filter, 2, random);
    const GraphBruteForce wanted = brute_force(unrolled_with(net, 4, stream.evidence));
    const auto ahead = filter.ahead(2);
    for (std::size_t k = 0; k < 2; ++k) {
      expect_near(ahead[k], wanted.variable, 2 + k, 1e-12, "round " + std::to_string(round));
    }
  }
}

TEST(SliceFilter, MarginalsThatAreComputedWhenAskedForAreTheSame) {
  Random random(5);
  for (std::uint64_t round = 0; round < 60; ++round) {
    const SliceNetwork net = small_net(random, round);
    SliceFilter eager(net, {.history = 2});
    const Stream stream(net, eager, 4, random);
    SliceFilter lazy(net, {.history = 2, .marginals = false});
    EXPECT_EQ(lazy.marginals(), SliceFilter(net).marginals());
    for (std::size_t t = 0; t < stream.evidence.size(); ++t) {
      ASSERT_TRUE(lazy.advance(stream.evidence[t]));
      if (t == 1) continue;  // nobody asks
      SliceFilter to_here(net, {.history = 2});
      for (std::size_t k = 0; k <= t; ++k) to_here.advance(stream.evidence[k]);
      EXPECT_EQ(lazy.log_likelihood(), to_here.log_likelihood());
      const std::string where = "round " + std::to_string(round) + ", slice " + std::to_string(t);
      expect_near(lazy.marginals(), to_here.marginals(), 0, 1e-13, where);
      expect_near(lazy.smoothed(0), to_here.marginals(), 0, 1e-13, where);
      if (t > 0) expect_near(lazy.smoothed(1), to_here.smoothed(1), 0, 1e-13, where);
      expect_near(lazy.only_ahead(2), to_here.ahead(2).back(), 0, 1e-13, where);
      if (net.first.states(0) < 2) continue;
      SliceEvidence impossible;
      for (std::size_t s = 0; s < 2; ++s) {
        std::vector<double> one(net.first.states(0), 0);
        one[s] = 1;
        impossible.likelihoods.emplace_back(0, one);
      }
      EXPECT_FALSE(lazy.advance(impossible));
      expect_near(lazy.marginals(), to_here.marginals(), 0, 1e-13, where);
    }
  }
}

TEST(SlicePath, BestPathHasTheLargestScoreOfAll) {
  Random random(4);
  for (std::uint64_t round = 0; round < 60; ++round) {
    const SliceNetwork net = small_net(random, round);
    SliceFilter filter(net);
    SlicePath path(net);
    const Stream stream(net, filter, 4, random);
    for (const SliceEvidence& each : stream.evidence) ASSERT_TRUE(path.advance(each));
    const FactorGraph graph = unrolled_with(net, 4, stream.evidence);
    const GraphBruteForce wanted = brute_force(graph);
    EXPECT_NEAR(path.log_score(), wanted.best_score, 1e-12);
    std::vector<State> x;
    for (const std::vector<State>& slice : path.best()) {
      ASSERT_EQ(slice.size(), net.variables());
      x.insert(x.end(), slice.begin(), slice.end());
    }
    EXPECT_NEAR(graph.score(x), wanted.best_score, 1e-12) << "round " << round;
  }
}

TEST(SliceFilter, LongStreamEqualsTheJunctionTreeOfTheUnrolledNetwork) {
  Random random(5);
  const SliceNetwork net = random_slices(random, {.variables = 6, .most_states = 4});
  SliceFilter filter(net, {.history = SliceFilter::kAll});
  const Stream stream(net, filter, 60, random);
  const FactorGraph graph = unrolled_with(net, 60, stream.evidence);
  JunctionTree tree(graph, find_elimination_order(graph));
  const GraphMarginals wanted = tree.marginals();
  EXPECT_NEAR(filter.log_likelihood(), wanted.log_partition, 1e-10);
  const std::vector<VariableMarginals> all = filter.smoothed();
  for (std::size_t t = 0; t < 60; ++t) expect_near(all[t], wanted.variable, t, 1e-11, "");
}

// Two states; the first is left with probability `leave`, never come back to.  `hit` is the chance
// of seeing 1 in it.
SliceNetwork one_way(double leave, double hit) {
  SliceNetwork net;
  for (FactorGraph* graph : {&net.first, &net.next}) {
    graph->add_variable(2);
    graph->add_variable(2);
  }
  net.interface = {0};
  net.next.add_variable(2);
  const std::vector<double> start{0, -kInf};
  const std::vector<double> stay{std::log1p(-leave), std::log(leave), -kInf, 0};
  const std::vector<double> seen{std::log1p(-hit), std::log(hit), std::log(0.5), std::log(0.5)};
  net.first.add_factor({0}, net.first.add_table(start));
  net.next.add_factor({2, 0}, net.next.add_table(stay));
  for (FactorGraph* graph : {&net.first, &net.next}) {
    graph->add_factor({0, 1}, graph->add_table(seen));
  }
  return net;
}

TEST(SliceFilter, StatesWhoseProbabilityNoDoubleHoldsAreNotForgotten) {
  // Seeing 1 speaks for the second state by a factor of 5e8 a slice: after 100 slices the first one
  // has a probability of about e^-2000.  Then 0 is certain never to be seen in the second.
  SliceNetwork net = one_way(0.5, 1e-9);
  for (FactorGraph* graph : {&net.first, &net.next}) {
    const auto numbers = graph->numbers(graph->potential_of(1));
    numbers[2] = -kInf, numbers[3] = 0;
  }
  SliceFilter filter(net, {.history = 3});
  SlicePath path(net);
  const SliceEvidence one{.states = {kUnobserved, 1}}, zero{.states = {kUnobserved, 0}};
  for (std::size_t t = 0; t < 100; ++t) {
    ASSERT_TRUE(filter.advance(one));
    ASSERT_TRUE(path.advance(one));
  }
  EXPECT_GT(filter.marginals()[0][1], 1 - 1e-9);
  ASSERT_TRUE(filter.advance(zero));
  ASSERT_TRUE(path.advance(zero));
  EXPECT_EQ(filter.marginals()[0][0], 1);
  EXPECT_EQ(filter.smoothed(3)[0][0], 1);
  // The first state all the time: 100 times 1e-9, stayed in 100 times.
  const double wanted = 100 * std::log(1e-9) + 100 * std::log(0.5) + std::log1p(-1e-9);
  EXPECT_NEAR(filter.log_likelihood(), wanted, 1e-9);
  EXPECT_NEAR(path.log_score(), wanted, 1e-9);
  for (const std::vector<State>& slice : path.best()) EXPECT_EQ(slice[0], 0u);
}

TEST(SliceFilter, ManyUnlikelySightingsInOneSliceKeepTheirDigits) {
  // 300 sightings of a variable, half of them for each of its states, by a factor of 1e-9.
  constexpr Variable kSightings = 300;
  SliceNetwork net;
  net.interface = {0};
  for (FactorGraph* graph : {&net.first, &net.next}) {
    for (Variable v = 0; v <= kSightings; ++v) graph->add_variable(2);
    if (graph == &net.next) graph->add_variable(2);
    const double p = std::log(0.5);
    if (graph == &net.first) graph->add_factor({0}, graph->add_table(std::vector{p, p}));
    if (graph == &net.next) {
      graph->add_factor({kSightings + 1, 0}, graph->add_table(std::vector{p, p, p, p}));
    }
    const double rare = std::log(1e-9), common = std::log1p(-1e-9);
    const PotentialId seen = graph->add_table(std::vector{rare, common, common, rare});
    for (Variable v = 1; v <= kSightings; ++v) graph->add_factor({0, v}, seen);
  }
  SliceFilter filter(net, {.history = 1});
  SliceEvidence evidence;
  evidence.states.assign(kSightings + 1, kUnobserved);
  for (Variable v = 1; v <= kSightings; ++v) evidence.states[v] = v % 2;
  for (std::size_t t = 0; t < 2; ++t) {
    ASSERT_TRUE(filter.advance(evidence));
    EXPECT_NEAR(filter.marginals()[0][0], 0.5, 1e-12);
    EXPECT_NEAR(filter.log_likelihood_of_last(), 150 * (std::log(1e-9) + std::log1p(-1e-9)), 1e-9);
  }
  EXPECT_NEAR(filter.smoothed(1)[0][0], 0.5, 1e-12);
}

TEST(SliceFilter, HiddenMarkovModelEqualsTheChain) {
  Random random(6);
  constexpr std::size_t kLabels = 4, kSymbols = 5, kLength = 30;
  SliceNetwork net;
  net.interface = {0};
  const RandomSlices like{};
  for (FactorGraph* graph : {&net.first, &net.next}) {
    graph->add_variable(kLabels);
    graph->add_variable(kSymbols);
  }
  net.next.add_variable(kLabels);
  testing_slices::add_table(net.first, {0}, like, random);
  testing_slices::add_table(net.next, {2, 0}, like, random);
  testing_slices::add_table(net.first, {0, 1}, like, random);
  const std::vector<double> emission = net.first.table(1);
  net.next.add_factor({0, 1}, net.next.add_table(emission));
  const std::vector<double> start = net.first.table(0), edge = net.next.table(0);
  Matrix<double> log(kLabels, kLabels);
  for (std::size_t i = 0; i < kLabels; ++i) {
    for (std::size_t j = 0; j < kLabels; ++j) log(i, j) = edge[i * kLabels + j];
  }
  TransitionScores<double> transitions;
  transitions.assign(log);
  ChainScores<double> scores;
  scores.reset(kLength, transitions);
  SliceFilter filter(net, {.history = SliceFilter::kAll});
  for (std::size_t t = 0; t < kLength; ++t) {
    const auto symbol = static_cast<State>(random.below(kSymbols));
    ASSERT_TRUE(filter.advance({.states = {kUnobserved, symbol}}));
    for (std::size_t y = 0; y < kLabels; ++y) {
      scores.state(t, y) = emission[y * kSymbols + symbol] + (t == 0 ? start[y] : 0);
    }
  }
  Matrix<double> state(kLength, kLabels);
  std::vector<double> edges(transitions.cells(), 0.0);
  ForwardBackwardWorkspace<double> work;
  const double log_z =
      marginals(scores, 1, work, {.state = state.row(0), .transition = edges.data()});
  EXPECT_NEAR(filter.log_likelihood(), log_z, 1e-11);
  const std::vector<VariableMarginals> smoothed = filter.smoothed();
  for (std::size_t t = 0; t < kLength; ++t) {
    for (std::size_t y = 0; y < kLabels; ++y) {
      EXPECT_NEAR(smoothed[t][0][y], state(t, y), 1e-12) << "position " << t;
    }
  }
}

TEST(SliceFilter, EvidenceThatDoesNotFitIsAnError) {
  SliceFilter filter(one_way(0.1, 0.5));
  EXPECT_THROW(filter.advance({.states = {0}}), UsageError);
  EXPECT_THROW(filter.advance({.states = {0, 2}}), UsageError);
  EXPECT_THROW(filter.advance({.likelihoods = {{1, {0, 0}}}}), UsageError);
  EXPECT_THROW(filter.advance({.likelihoods = {{2, {1, 0}}}}), UsageError);
  EXPECT_FALSE(filter.advance({.states = {1, 0}}));
  EXPECT_EQ(filter.slices(), 0u);
  EXPECT_TRUE(filter.smoothed().empty());
  SliceNetwork wrong = one_way(0.1, 0.5);
  wrong.interface = {1, 0};
  EXPECT_THROW(SliceFilter{wrong}, UsageError);
  EXPECT_THROW(unroll(one_way(0.1, 0.5), 0), UsageError);
}

}  // namespace
}  // namespace croft::slice_filter_test
