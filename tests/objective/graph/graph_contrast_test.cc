#include "objective/graph/graph_objective.h"

#include <gtest/gtest.h>

#include <cmath>

#include "croft/core/error.h"
#include "structure/factor_numbers.h"
#include "support/graph_objectives.h"

namespace croft::graph_contrast_test {
namespace {

using testing_graphs::graph_number;
using testing_graphs::states_number;

std::vector<double> mean_direction(const FactorGraph& graph, std::span<const State> known,
                                   const ContrastOptions& options, std::size_t draws) {
  GraphContrast contrast(graph, known, options);
  std::vector<double> sum(graph.numbers().size(), 0);
  Random random(7);
  for (std::size_t k = 0; k < draws; ++k) contrast.draw(random, sum);
  for (double& each : sum) each /= static_cast<double>(draws);
  return sum;
}

// 4 standard errors of a count that is at most `most`.
double bound(double most, std::size_t draws) {
  return 4 * most / std::sqrt(static_cast<double>(draws));
}

TEST(GraphContrast, IsOnAverageTheGradientOfTheLikelihoodWhereChainsRunLong) {
  constexpr std::size_t kDraws = 4000;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    FactorGraph graph = graph_number(seed);
    for (double& each : graph.numbers()) each *= 0.4;  // chains mix
    const std::vector<State> known = states_number(graph, seed, seed % 2 * 0.4);
    GraphLikelihood exact(graph, known, exact_sums());
    std::vector<double> gradient(graph.numbers().size(), 0);
    exact.evaluate(gradient);
    const auto factors = static_cast<double>(graph.factors());
    for (const ContrastStart start : {ContrastStart::random, ContrastStart::last}) {
      const std::vector<double> mean =
          mean_direction(graph, known, {.start = start, .sweeps = 12}, kDraws);
      for (std::size_t k = 0; k < mean.size(); ++k) {
        EXPECT_NEAR(mean[k], gradient[k], bound(factors / 4, kDraws))
            << "number " << k << " seed " << seed;
      }
    }
  }
}

// From the known states one sweep of a graph without factors between variables is an exact draw.
TEST(GraphContrast, OfOneSweepIsExactWhereVariablesAreIndependent) {
  constexpr std::size_t kDraws = 20000;
  FactorGraph graph;
  for (int v = 0; v < 3; ++v) {
    graph.add_variable(3);
    graph.add_factor({static_cast<Variable>(v)},
                     graph.add_table(std::vector{0.1 * v, 0.5, -0.7 * v}));
  }
  const std::vector<State> known{0, 2, kUnobserved};
  GraphLikelihood exact(graph, known, exact_sums());
  std::vector<double> gradient(graph.numbers().size(), 0);
  exact.evaluate(gradient);
  const std::vector<double> mean =
      mean_direction(graph, known, {.start = ContrastStart::data, .sweeps = 1}, kDraws);
  for (std::size_t k = 0; k < mean.size(); ++k) {
    EXPECT_NEAR(mean[k], gradient[k], bound(0.7, kDraws));
  }
}

TEST(GraphContrast, NeverLeavesWhatIsAllowed) {
  FactorGraph graph;
  for (int v = 0; v < 4; ++v) graph.add_variable(2);
  graph.add_factor({0, 1, 2, 3}, graph.add_parity(false));
  const PotentialId own = graph.add_table(std::vector{0.0, 0.3});
  for (Variable v = 0; v < 4; ++v) graph.add_factor({v}, own);
  const std::vector<State> known(4, kUnobserved);
  for (const ContrastStart start :
       {ContrastStart::random, ContrastStart::data, ContrastStart::last}) {
    GraphContrast contrast(graph, known, {.start = start, .sweeps = 3});
    std::vector<double> out(graph.numbers().size());
    Random random(1);
    for (int k = 0; k < 50; ++k) EXPECT_TRUE(std::isfinite(contrast.draw(random, out)));
  }
}

TEST(GraphContrast, FollowsNumbersThatChange) {
  FactorGraph graph;
  graph.add_variable(2);
  graph.add_variable(2);
  graph.add_factor({0, 1}, graph.add_potts(-30, 0));
  const std::vector<State> known{0, 1};
  GraphContrast contrast(graph, known, {.start = ContrastStart::last, .sweeps = 2});
  std::vector<double> out(2, 0);
  Random random(1);
  contrast.draw(random, out);
  graph.numbers()[0] = 30;
  out.assign(2, 0);
  for (int k = 0; k < 100; ++k) contrast.draw(random, out);
  EXPECT_EQ(out, (std::vector<double>{100, -100}));  // always alike, and known to differ
}

TEST(GraphContrast, GoesOnFromAnArchiveAsItWouldHave) {
  const FactorGraph graph = graph_number(4);
  const std::vector<State> known = states_number(graph, 4, 0.5);
  const ContrastOptions options{.start = ContrastStart::last, .sweeps = 2};
  GraphContrast one(graph, known, options), other(graph, known, options);
  std::vector<double> a(graph.numbers().size(), 0), b = a;
  Random random(5);
  one.draw(random, a);
  StateArchive written;
  one.archive(written);
  StateArchive read(written.bytes());
  other.archive(read);
  Random next(6), same(6);
  a.assign(a.size(), 0);
  EXPECT_EQ(one.draw(next, a), other.draw(same, b));
  EXPECT_EQ(a, b);
}

TEST(GraphContrast, NeedsASweep) {
  const FactorGraph graph = graph_number(1);
  const std::vector<State> known = states_number(graph, 1);
  EXPECT_THROW(GraphContrast(graph, known, {.sweeps = 0}), UsageError);
}

}  // namespace
}  // namespace croft::graph_contrast_test
