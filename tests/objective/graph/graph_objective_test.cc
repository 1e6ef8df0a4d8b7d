#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "croft/core/error.h"
#include "croft/inference/graph_brute_force.h"
#include "objective/graph/graph_objective.h"
#include "objective/graph/local_terms.h"
#include "structure/factor_numbers.h"
#include "support/graph_objectives.h"
#include "support/random_graph.h"

namespace croft::graph_objective_test {
namespace {

using testing_graphs::expect_its_derivative;
using testing_graphs::graph_number;
using testing_graphs::random_graph;
using testing_graphs::Shape;
using testing_graphs::states_number;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr std::uint64_t kGraphs = 200;

double log_sum(const FactorGraph& graph, std::span<const State> known) {
  long double sum = 0;
  for_each_assignment(graph, [&](std::span<const State> x, long double score) {
    for (std::size_t v = 0; v < x.size(); ++v) {
      if (known[v] != kUnobserved && known[v] != x[v]) return;
    }
    sum += std::exp(score);
  });
  return static_cast<double>(std::log(sum));
}

TEST(GraphLikelihood, IsMinusTheLogProbabilityOfWhatIsKnown) {
  for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
    FactorGraph graph = graph_number(seed);
    const std::vector<State> known = states_number(graph, seed, seed % 3 * 0.3);
    GraphLikelihood likelihood(graph, known, exact_sums());
    std::vector<double> gradient(graph.numbers().size());
    const std::vector<State> nothing(graph.variables(), kUnobserved);
    EXPECT_NEAR(likelihood.evaluate(gradient), log_sum(graph, nothing) - log_sum(graph, known),
                1e-10);
  }
}

TEST(GraphLikelihood, HasTheDerivativeThatDifferencesHave) {
  for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
    FactorGraph graph = graph_number(seed);
    const std::vector<State> known = states_number(graph, seed, seed % 3 * 0.3);
    GraphLikelihood likelihood(graph, known, exact_sums());
    expect_its_derivative(graph, likelihood);
  }
}

TEST(GraphLikelihood, IsInfiniteWhereWhatIsKnownIsForbidden) {
  FactorGraph graph;
  graph.add_variable(2);
  graph.add_factor({0}, graph.add_table(std::vector{0.0, -kInf}));
  const std::vector<State> known{1};
  std::vector<double> gradient(2);
  EXPECT_EQ(GraphLikelihood(graph, known, exact_sums()).evaluate(gradient), kInf);
}

TEST(GraphLikelihood, NamesTheMemoryThatAJunctionTreeTakes) {
  FactorGraph graph = graph_number(3);
  const std::vector<State> known = states_number(graph, 3);
  EXPECT_THROW(GraphLikelihood(graph, known, exact_sums(1)), Error);
}

TEST(BetheLikelihood, IsTheExactOneOnTrees) {
  for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
    Random random(seed);
    FactorGraph graph = random_graph({.shape = seed % 2 ? Shape::tree : Shape::pieces}, random);
    const std::vector<State> known = states_number(graph, seed, seed % 3 * 0.3);
    GraphLikelihood exact(graph, known, exact_sums()), bethe(graph, known, bethe_sums());
    std::vector<double> a(graph.numbers().size()), b(a.size());
    EXPECT_NEAR(exact.evaluate(a), bethe.evaluate(b), 1e-9);
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-9);
  }
}

TEST(BetheLikelihood, HasItsDerivativeWherePropagationConverges) {
  BeliefPropagationOptions options;
  options.tolerance = 1e-13;
  options.max_iterations = 5000;
  std::size_t converged = 0;
  for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
    FactorGraph graph = graph_number(seed);
    for (double& each : graph.numbers()) each *= 0.3;
    const std::vector<State> known = states_number(graph, seed);
    GraphLikelihood bethe(graph, known, bethe_sums(options));
    std::vector<double> gradient(graph.numbers().size());
    bethe.evaluate(gradient);
    if (!bethe.converged()) continue;
    ++converged;
    expect_its_derivative(graph, bethe);
  }
  EXPECT_GT(converged, kGraphs * 9 / 10);
}

TEST(MeanFieldLikelihood, IsNeverAboveTheExactOne) {
  for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
    FactorGraph graph = graph_number(seed);
    const std::vector<State> known = states_number(graph, seed);
    GraphLikelihood exact(graph, known, exact_sums());
    GraphLikelihood field(graph, known, mean_field_sums());
    std::vector<double> gradient(graph.numbers().size());
    EXPECT_LE(field.evaluate(gradient), exact.evaluate(gradient) + 1e-9);
  }
}

TEST(MeanFieldLikelihood, HasItsDerivativeAtASmoothOptimum) {
  MeanFieldOptions options;
  options.tolerance = 1e-13;
  options.max_iterations = 20000;
  for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
    FactorGraph graph = graph_number(seed);
    for (double& each : graph.numbers()) each *= 0.2;  // one optimum
    const std::vector<State> known = states_number(graph, seed);
    GraphLikelihood field(graph, known, mean_field_sums(options));
    expect_its_derivative(graph, field);
  }
}

// By the definition: score(x) of all assignments that differ in the term's variables alone.
double conditional_loss(const FactorGraph& graph, std::span<const State> known,
                        std::span<const Variable> free,
                        const std::function<double(std::span<const State>)>& score) {
  std::vector<State> x(known.begin(), known.end());
  double sum = 0;
  const double right = score(x);
  const auto visit = [&](const auto& self, std::size_t k) -> void {
    if (k == free.size()) {
      sum += std::exp(score(x) - right);
      return;
    }
    for (State s = 0; s < graph.states(free[k]); ++s) {
      x[free[k]] = s;
      self(self, k + 1);
    }
    x[free[k]] = known[free[k]];
  };
  visit(visit, 0);
  return std::log(sum);
}

double local_by_definition(const FactorGraph& graph, std::span<const State> known, LocalKind kind) {
  const auto whole = [&](std::span<const State> x) { return graph.score(x); };
  double loss = 0;
  if (kind == LocalKind::pseudo_likelihood) {
    for (Variable v = 0; v < graph.variables(); ++v) {
      loss += conditional_loss(graph, known, std::span(&v, 1), whole);
    }
    return loss;
  }
  const FactorLists lists(graph);
  for (Factor f = 0; f < graph.factors(); ++f) {
    const auto own = [&](std::span<const State> x) { return graph.factor_score(f, x); };
    const auto scope = graph.scope(f);
    if (kind == LocalKind::piecewise) {
      loss += conditional_loss(graph, known, scope, own);
    } else if (kind == LocalKind::piecewise_pseudo_likelihood) {
      for (const Variable& v : scope) {
        loss += conditional_loss(graph, known, std::span(&v, 1), own);
      }
    } else {
      const bool alone = scope.size() == 1;
      bool joined = false;
      for (const Factor g : scope.empty() ? std::span<const Factor>() : lists.of(scope[0])) {
        joined = joined || graph.scope(g).size() > 1;
      }
      if (scope.empty() || (alone && (joined || lists.of(scope[0])[0] != f))) continue;
      loss += conditional_loss(graph, known, scope, whole);
    }
  }
  return loss;
}

TEST(LocalTerms, AreTheSumsOfConditionalsThatTheyAreDefinedAs) {
  for (const LocalKind kind : {LocalKind::pseudo_likelihood, LocalKind::per_edge,
                               LocalKind::piecewise, LocalKind::piecewise_pseudo_likelihood}) {
    for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
      FactorGraph graph = graph_number(seed);
      const std::vector<State> known = states_number(graph, seed);
      LocalTerms terms(graph, known, kind);
      std::vector<double> gradient(graph.numbers().size());
      EXPECT_NEAR(terms.evaluate(gradient), local_by_definition(graph, known, kind), 1e-9)
          << "kind " << static_cast<int>(kind) << " seed " << seed;
      expect_its_derivative(graph, terms);
    }
  }
}

TEST(LocalTerms, CountTermsThatAreAlikeOnce) {
  FactorGraph graph;
  constexpr Variable kSide = 20;
  for (Variable v = 0; v < kSide * kSide; ++v) graph.add_variable(2);
  const PotentialId own = graph.add_table(std::vector{0.3, -0.2});
  const PotentialId pair = graph.add_potts(0.7, -0.1);
  for (Variable v = 0; v < kSide * kSide; ++v) {
    graph.add_factor({v}, own);
    if (v % kSide + 1 < kSide) graph.add_factor({v, v + 1}, pair);
    if (v + kSide < kSide * kSide) graph.add_factor({v, v + kSide}, pair);
  }
  const std::vector<State> known = states_number(graph, 1);
  LocalTerms terms(graph, known, LocalKind::pseudo_likelihood);
  EXPECT_LT(terms.terms(), 120u);  // of 400 variables, by their neighbours' states
  std::vector<double> gradient(graph.numbers().size());
  EXPECT_NEAR(terms.evaluate(gradient),
              local_by_definition(graph, known, LocalKind::pseudo_likelihood), 1e-8);
  expect_its_derivative(graph, terms);
}

TEST(LocalTerms, OfManyPotentialsAreTheSumsOfTheirConditionals) {
  FactorGraph graph;
  constexpr Variable kSide = 61;  // of more terms than go together, and no whole number of vectors
  Random random(1);
  for (Variable v = 0; v < kSide * kSide; ++v) graph.add_variable(2);
  const auto add = [&](std::initializer_list<Variable> scope) {
    std::vector<double> scores(std::size_t{1} << scope.size());
    for (double& each : scores) each = random.normal();
    graph.add_factor(scope, graph.add_table(scores));
  };
  for (Variable v = 0; v < kSide * kSide; ++v) {
    add({v});
    if (v % kSide + 1 < kSide) add({v, v + 1});
    if (v + kSide < kSide * kSide) add({v, v + kSide});
  }
  const std::vector<State> known = states_number(graph, 1);
  LocalTerms terms(graph, known, LocalKind::pseudo_likelihood);
  EXPECT_EQ(terms.terms(), std::size_t{kSide} * kSide);
  std::vector<double> gradient(graph.numbers().size()), ignored(gradient.size());
  const double value = terms.evaluate(gradient);
  EXPECT_NEAR(value, local_by_definition(graph, known, LocalKind::pseudo_likelihood),
              1e-10 * value);
  for (std::size_t k = 0; k < gradient.size(); k += 997) {
    const double kept = graph.numbers()[k];
    graph.numbers()[k] = kept + 1e-4;
    const double above = terms.evaluate(ignored);
    graph.numbers()[k] = kept - 1e-4;
    const double below = terms.evaluate(ignored);
    graph.numbers()[k] = kept;
    EXPECT_NEAR(gradient[k], (above - below) / 2e-4, 1e-6) << "number " << k;
  }
}

TEST(LocalTerms, KnowHardConstraintsWithoutNumbers) {
  FactorGraph graph;
  for (int k = 0; k < 3; ++k) graph.add_variable(2);
  graph.add_factor({0, 1, 2}, graph.add_parity(false));
  const PotentialId own = graph.add_table(std::vector{0.5, 0.0});
  for (Variable v = 0; v < 3; ++v) graph.add_factor({v}, own);
  const std::vector<State> known{1, 1, 0};
  LocalTerms pl(graph, known, LocalKind::pseudo_likelihood);
  std::vector<double> gradient(graph.numbers().size());
  EXPECT_NEAR(pl.evaluate(gradient), 0, 1e-12);  // each is determined by the others
  LocalTerms pairs(graph, known, LocalKind::per_edge);
  EXPECT_GT(pairs.evaluate(gradient), 0.1);
  const std::vector<State> odd{1, 0, 0};
  LocalTerms forbidden(graph, odd, LocalKind::pseudo_likelihood);
  EXPECT_EQ(forbidden.evaluate(gradient), kInf);
}

TEST(LocalTerms, RefuseHiddenVariables) {
  const FactorGraph graph = graph_number(1);
  const std::vector<State> known(graph.variables(), kUnobserved);
  EXPECT_THROW(LocalTerms(graph, known, LocalKind::piecewise), UsageError);
}

// Of each piece, over the states of its variables, with its factors alone.
double pieces_by_definition(const FactorGraph& graph, std::span<const State> known,
                            std::span<const FactorSet> pieces) {
  double loss = 0;
  for (const FactorSet& piece : pieces) {
    std::vector<Variable> free;
    for (const Factor f : piece) {
      for (const Variable v : graph.scope(f)) {
        if (std::ranges::find(free, v) == free.end()) free.push_back(v);
      }
    }
    std::vector<State> x(known.begin(), known.end());
    const auto score = [&] {
      double sum = 0;
      for (const Factor f : piece) {
        std::vector<State> at;
        for (const Variable v : graph.scope(f)) at.push_back(x[v]);
        sum += graph.score_of(f, at);
      }
      return sum;
    };
    loss -= score();
    double sum = 0;
    for (const Variable v : free) x[v] = 0;
    for (bool more = true; more;) {
      sum += std::exp(score());
      more = false;
      for (const Variable v : free) {
        if (++x[v] < graph.states(v)) {
          more = true;
          break;
        }
        x[v] = 0;
      }
    }
    loss += std::log(sum);
  }
  return loss;
}

// As many as there are factors with variables, each once.
void expect_partition(const FactorGraph& graph, std::span<const FactorSet> pieces) {
  std::vector<int> times(graph.factors(), 0);
  for (const FactorSet& piece : pieces) {
    for (const Factor f : piece) ++times[f];
  }
  for (Factor f = 0; f < graph.factors(); ++f) {
    EXPECT_EQ(times[f], graph.scope(f).empty() ? 0 : 1);
  }
}

TEST(Pieces, OfObservationsAndOfBlocksAreWhatTheyAreDefinedAs) {
  for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
    FactorGraph graph = graph_number(seed);
    const std::vector<State> known = states_number(graph, seed);
    Random random(seed);
    std::vector<std::vector<Variable>> blocks(1 + random.below(3));
    for (Variable v = 0; v < graph.variables(); ++v) {
      for (auto& each : blocks) {
        if (each.size() < 4 && random.uniform() < 0.4) each.push_back(v);
      }
    }
    GraphLikelihood likelihood(graph, known, exact_sums());
    std::vector<double> gradient(graph.numbers().size());
    const double exact = likelihood.evaluate(gradient);
    for (const std::vector<FactorSet>& pieces :
         {pieces_with_observations(graph), pieces_of_blocks(graph, blocks)}) {
      expect_partition(graph, pieces);
      LocalTerms terms(graph, known, pieces);
      std::ranges::fill(gradient, 0);
      const double value = terms.evaluate(gradient);
      EXPECT_NEAR(value, pieces_by_definition(graph, known, pieces), 1e-9) << "graph " << seed;
      EXPECT_GE(value, exact - 1e-9);
      expect_its_derivative(graph, terms);
    }
  }
}

TEST(Pieces, OfAChainAreTransitionsWithTheObservationsBehindThem) {
  FactorGraph graph;
  for (int t = 0; t < 3; ++t) graph.add_variable(2);
  const PotentialId own = graph.add_table(std::vector{0.0, 0.0});
  const PotentialId pair = graph.add_table(std::vector{0.0, 0.0, 0.0, 0.0});
  for (Variable v = 0; v < 3; ++v) graph.add_factor({v}, own);
  graph.add_factor({0, 1}, pair);
  graph.add_factor({1, 2}, pair);
  const std::vector<FactorSet> expected{{3, 1}, {4, 2}, {0}};
  EXPECT_EQ(pieces_with_observations(graph), expected);
}

TEST(BlockLikelihood, OfBlocksOfOnesOwnHasAllVariablesAndItsDerivative) {
  for (std::uint64_t seed = 0; seed < kGraphs / 4; ++seed) {
    FactorGraph graph = graph_number(seed);
    const std::vector<State> known = states_number(graph, seed);
    const auto blocks = blocks_of_all(graph, {{0}});
    EXPECT_EQ(blocks.size(), graph.variables());
    const auto larger =
        graph.variables() > 2 ? blocks_of_all(graph, {{0, 2}}) : blocks_of_all(graph, {{0}});
    BlockLikelihood likelihood(graph, known, larger, exact_sums());
    expect_its_derivative(graph, likelihood);
  }
}

TEST(BlockLikelihood, IsTheLikelihoodWhereOneBlockHasAllVariables) {
  for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
    FactorGraph graph = graph_number(seed);
    const std::vector<State> known = states_number(graph, seed);
    std::vector<std::vector<Variable>> blocks(1);
    for (Variable v = 0; v < graph.variables(); ++v) blocks[0].push_back(v);
    BlockLikelihood block(graph, known, blocks, exact_sums());
    GraphLikelihood whole(graph, known, exact_sums());
    std::vector<double> a(graph.numbers().size()), b(a.size());
    EXPECT_NEAR(block.evaluate(a), whole.evaluate(b), 1e-9);
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-9);
  }
}

TEST(BlockLikelihood, IsThePseudoLikelihoodWhereBlocksAreSingle) {
  for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
    FactorGraph graph = graph_number(seed);
    const std::vector<State> known = states_number(graph, seed);
    std::vector<std::vector<Variable>> blocks;
    for (Variable v = 0; v < graph.variables(); ++v) blocks.push_back({v});
    BlockLikelihood block(graph, known, blocks, exact_sums());
    LocalTerms pl(graph, known, LocalKind::pseudo_likelihood);
    std::vector<double> a(graph.numbers().size()), b(a.size());
    EXPECT_NEAR(block.evaluate(a), pl.evaluate(b), 1e-9);
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-9);
  }
}

TEST(BlockLikelihood, OfTreesHasItsDerivative) {
  for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
    FactorGraph graph = graph_number(seed);
    const std::vector<State> known = states_number(graph, seed);
    const auto trees = tree_block_likelihood()(graph, known);
    expect_its_derivative(graph, *trees);
  }
}

TEST(GraphHinge, IsTheLargestMarginViolation) {
  for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
    FactorGraph graph = graph_number(seed);
    const std::vector<State> known = states_number(graph, seed, seed % 3 == 2 ? 0.3 : 0);
    const double cost = seed % 2 == 0 ? 0 : 0.7;
    double most = -kInf, right = -kInf;
    for_each_assignment(graph, [&](std::span<const State> x, long double score) {
      double wrong = 0;
      for (std::size_t v = 0; v < x.size(); ++v) {
        wrong += known[v] != kUnobserved && known[v] != x[v] ? 1 : 0;
      }
      most = std::max(most, static_cast<double>(score) + cost * wrong);
      if (wrong == 0) right = std::max(right, static_cast<double>(score));
    });
    GraphHinge hinge(graph, known, cost, exact_best());
    std::vector<double> gradient(graph.numbers().size());
    EXPECT_NEAR(hinge.evaluate(gradient), most - right, 1e-10);
    EXPECT_TRUE(hinge.converged());
    expect_its_derivative(graph, hinge);  // no kink is met by chance
  }
}

TEST(GraphHinge, FindsTheSameByTheAutomaticSearch) {
  for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
    FactorGraph graph = graph_number(seed);
    const std::vector<State> known = states_number(graph, seed);
    GraphHinge exact(graph, known, 1, exact_best()), found(graph, known, 1, automatic_best());
    std::vector<double> gradient(graph.numbers().size());
    EXPECT_NEAR(exact.evaluate(gradient), found.evaluate(gradient), 1e-9);
  }
}

}  // namespace
}  // namespace croft::graph_objective_test
