#include "optimize/stochastic/online_methods.h"

#include <gtest/gtest.h>

#include <vector>

#include "croft/core/error.h"
#include "optimize/sample_methods.h"
#include "optimize/stochastic/sample_layout.h"

namespace croft::perceptron_test {
namespace {

using namespace testing_functions;

// cost 0: the loss is how much the best label leads.
SparseHinge mistakes(std::uint64_t seed, bool noise) {
  Random random(seed);
  return SparseHinge(SparseRows(150, 40, 4, random, noise), 0);
}

PerceptronOptions options_of(PerceptronKind kind, std::size_t passes) {
  PerceptronOptions options;
  options.kind = kind;
  options.stop.max_iterations = passes;
  return options;
}

// The plain perceptron as it is defined; the average of all weights on the side.
struct Reference {
  Vector w, average;
  double count = 0;
  Reference(SampleFunction& f, double step, std::uint64_t seed, std::size_t passes)
      : w(f.dimension()), average(w) {
    std::vector<std::uint32_t> order;
    Vector g(f.dimension());
    for (std::size_t pass = 1; pass <= passes; ++pass) {
      draw_order(seed, pass, f.samples(), order);
      for (const std::uint32_t n : order) {
        if (f.evaluate_sample(n, w, g, 0).active) {
          std::size_t at = 0;
          for (const Run& run : f.support(n, 0)) {
            for (std::size_t k = 0; k < run.length; ++k) w[run.begin + k] -= step * g[at++];
          }
        }
        for (std::size_t i = 0; i < w.size(); ++i) average[i] += w[i];
        ++count;
      }
    }
    for (double& x : average) x /= count;
  }
};

TEST(Perceptron, IsTheDefinition) {
  SparseHinge f = mistakes(1, true);
  PerceptronOptions options = options_of(PerceptronKind::plain, 4);
  options.step = 0.5;
  Vector w(f.dimension());
  perceptron(f, {}, w, options);
  EXPECT_EQ(w, Reference(f, 0.5, options.seed, 4).w);
}

TEST(Perceptron, TheAverageIsOfTheWeightsAfterEachSample) {
  SparseHinge f = mistakes(2, true);
  for (const std::size_t passes : {1u, 2u, 5u}) {
    const PerceptronOptions options = options_of(PerceptronKind::averaged, passes);
    Vector w(f.dimension());
    perceptron(f, {}, w, options);
    const Reference reference(f, 1, options.seed, passes);
    for (std::size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(w[i], reference.average[i], 1e-11);
  }
}

TEST(Perceptron, OnePassAverageIsOneStepOfTheMeanUpdate) {
  SparseHinge f = mistakes(3, true);
  Vector w(f.dimension()), gradient(w);
  w[0] = 0.5;
  Vector expected = w;
  f.evaluate(w, gradient);
  for (std::size_t i = 0; i < w.size(); ++i) expected[i] -= 3 * gradient[i] / 150;
  PerceptronOptions options = options_of(PerceptronKind::pass_average, 1);
  options.step = 3;
  perceptron(f, {}, w, options);
  for (std::size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(w[i], expected[i], 1e-14);
}

TEST(Perceptron, TheVotesAreThoseOfThePlainRun) {
  SparseHinge f = mistakes(4, true);
  const PerceptronOptions options = options_of(PerceptronKind::plain, 3);
  Vector w(f.dimension()), scratch(w), average(w), last;
  VotedPerceptron voted;
  voted_perceptron(f, {}, w, options, voted);
  std::uint64_t votes = 0;
  voted.replay(scratch, [&](std::span<const double> at, std::uint64_t count) {
    for (std::size_t i = 0; i < at.size(); ++i) average[i] += static_cast<double>(count) * at[i];
    votes += count;
    last.assign(at.begin(), at.end());
  });
  EXPECT_EQ(votes, 3 * f.samples());
  EXPECT_EQ(last, w);
  const Reference reference(f, 1, options.seed, 3);
  EXPECT_EQ(w, reference.w);
  for (std::size_t i = 0; i < w.size(); ++i) {
    EXPECT_NEAR(average[i] / static_cast<double>(votes), reference.average[i], 1e-11);
  }
  EXPECT_GT(voted.updates(), 20u);
}

TEST(Perceptron, SeparableDataIsLearntAndThenNothingChanges) {
  for (const PerceptronKind kind :
       {PerceptronKind::plain, PerceptronKind::averaged, PerceptronKind::pass_average}) {
    SparseHinge f = mistakes(5, false);
    PerceptronOptions options = options_of(kind, 5000);
    Vector w(f.dimension());
    const OptimizeResult result = perceptron(f, {}, w, options);
    EXPECT_EQ(result.reason, StopReason::converged_gradient) << perceptron_kind_name(kind);
    EXPECT_EQ(result.objective, 0);
    if (kind == PerceptronKind::averaged) continue;  // of which only the end is right
    Vector gradient(w);
    EXPECT_EQ(f.evaluate(w, gradient), 0);
  }
}

TEST(Perceptron, TheAverageHasThePassesThatAreLeftOutAsNothingChanges) {
  SparseHinge f = mistakes(5, false);
  const PerceptronOptions options = options_of(PerceptronKind::averaged, 500);
  Vector w(f.dimension());
  EXPECT_LT(perceptron(f, {}, w, options).iterations, 500u);
  const Reference reference(f, 1, options.seed, 500);
  for (std::size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(w[i], reference.average[i], 1e-10);
}

TEST(Perceptron, UpdatesThatCancelAreNotConvergence) {
  // The same row with two labels: after both, w is back where it was.
  Random random(6);
  SparseRows rows(2, 3, 2, random);
  rows.rows[1] = rows.rows[0];
  rows.gold = {0, 1};
  SparseHinge f(rows, 1);
  Vector w(f.dimension());
  const OptimizeResult result = perceptron(f, {}, w, options_of(PerceptronKind::plain, 5));
  EXPECT_EQ(result.reason, StopReason::max_iterations);
  EXPECT_GT(result.gradient_norm, 0);
}

TEST(Perceptron, AResumedRunEndsAtTheSameBits) {
  const Vector start(mistakes(7, true).dimension());
  for (const PerceptronKind kind :
       {PerceptronKind::plain, PerceptronKind::averaged, PerceptronKind::pass_average}) {
    const auto run = [&](Vector& w, Checkpointer* checkpoints) {
      SparseHinge f = mistakes(7, true);
      return perceptron(f, {}, w, options_of(kind, 5), {}, checkpoints);
    };
    EXPECT_EQ(expect_resumed_runs_to_agree(start, run), 4u);
  }
}

TEST(Perceptron, AResumedVoteIsTheSame) {
  const auto run = [](Checkpointer* checkpoints) {
    SparseHinge f = mistakes(8, true);
    Vector w(f.dimension());
    VotedPerceptron voted;
    voted_perceptron(f, {}, w, options_of(PerceptronKind::plain, 4), voted, {}, checkpoints);
    return voted;
  };
  MemoryCheckpoint kept;
  const VotedPerceptron expected = run(&kept);
  ASSERT_EQ(kept.offers.size(), 3u);
  for (const std::string& bytes : kept.offers) {
    MemoryCheckpoint from(bytes);
    const VotedPerceptron resumed = run(&from);
    EXPECT_EQ(resumed.start, expected.start);
    EXPECT_EQ(resumed.update_end, expected.update_end);
    EXPECT_EQ(resumed.coordinate, expected.coordinate);
    EXPECT_EQ(resumed.change, expected.change);
    EXPECT_EQ(resumed.votes, expected.votes);
  }
}

TEST(Perceptron, RefusesPenaltiesAndOptionsThatMakeNoSense) {
  SparseHinge f = mistakes(9, true);
  Vector w(f.dimension());
  PerceptronOptions options;
  EXPECT_THROW(perceptron(f, {.l1 = 0, .l2 = 1}, w, options), UsageError);
  EXPECT_THROW(perceptron(f, {.l1 = 1, .l2 = 0}, w, options), UsageError);
  VotedPerceptron voted;
  EXPECT_THROW(voted_perceptron(f, {}, w, options, voted), UsageError);  // kind averaged
  options.step = -1;
  EXPECT_THROW(perceptron(f, {}, w, options), UsageError);
}

}  // namespace
}  // namespace croft::perceptron_test
