// Separation: the textbook's small cases; and, by enumeration on random distributions, that what is
// separated is independent.
#include "structure/separation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "croft/core/error.h"
#include "croft/inference/graph_brute_force.h"
#include "support/random_graph.h"

namespace croft::separation_test {
namespace {

using testing_graphs::random_graph;
using testing_graphs::Shape;
using Set = std::vector<Variable>;

// A random row of the last variable for each state of the others.
void add_conditional(FactorGraph& graph, const Set& scope, Random& random) {
  std::size_t rows = 1;
  for (std::size_t k = 0; k + 1 < scope.size(); ++k) rows *= graph.states(scope[k]);
  std::vector<double> scores;
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<double> row(graph.states(scope.back()));
    double sum = 0;
    for (double& p : row) sum += p = 0.05 + random.uniform();
    for (const double p : row) scores.push_back(std::log(p / sum));
  }
  graph.add_factor(scope, graph.add_table(scores));
}

FactorGraph network(std::size_t variables, const std::vector<Set>& scopes, Random& random) {
  FactorGraph graph;
  for (std::size_t v = 0; v < variables; ++v) graph.add_variable(2);
  for (const Set& scope : scopes) add_conditional(graph, scope, random);
  return graph;
}

// max |p(a, b, c) p(c) - p(a, c) p(b, c)|
double dependence(const FactorGraph& graph, const Independence& claim) {
  using Key = std::vector<State>;
  std::map<Key, double> ab, a, b, none;
  std::map<Key, std::array<Key, 3>> parts;
  double z = 0;
  for_each_assignment(graph, [&](std::span<const State> x, long double score) {
    const auto states_of = [&](const Set& set) {
      Key key;
      for (const Variable v : set) key.push_back(x[v]);
      return key;
    };
    const Key of_a = states_of(claim.a), of_b = states_of(claim.b), of_c = states_of(claim.given);
    const auto joined = [&](std::initializer_list<Key> keys) {
      Key all;
      for (const Key& key : keys) all.insert(all.end(), key.begin(), key.end());
      return all;
    };
    const double p = std::exp(static_cast<double>(score));
    const Key key = joined({of_a, of_b, of_c});
    parts[key] = {joined({of_a, of_c}), joined({of_b, of_c}), of_c};
    ab[key] += p;
    a[parts[key][0]] += p;
    b[parts[key][1]] += p;
    none[of_c] += p;
    z += p;
  });
  double worst = 0;
  for (const auto& [key, p] : ab) {
    const auto& [of_a, of_b, of_c] = parts[key];
    worst = std::max(worst, std::abs(p * none[of_c] - a[of_a] * b[of_b]) / (z * z));
  }
  return worst;
}

// Three sets at random without a variable in common; the first two are not empty.
Independence random_claim(std::size_t variables, Random& random) {
  for (;;) {
    Independence claim;
    for (Variable v = 0; v < variables; ++v) {
      Set* const into[] = {&claim.a, &claim.b, &claim.given, nullptr};
      if (Set* const set = into[random.below(4)]) set->push_back(v);
    }
    if (!claim.a.empty() && !claim.b.empty()) return claim;
  }
}

TEST(Separation, AChainAndAForkAreBlockedByTheMiddleAndAColliderIsOpenedByIt) {
  Random random(1);
  const BayesianNetwork chain(network(3, {{0}, {0, 1}, {1, 2}}, random));
  const BayesianNetwork fork(network(3, {{1}, {1, 0}, {1, 2}}, random));
  const BayesianNetwork collider(network(3, {{0}, {2}, {0, 2, 1}}, random));
  const Set a{0}, middle{1}, b{2};
  EXPECT_FALSE(chain.separated(a, b, {}));
  EXPECT_TRUE(chain.separated(a, b, middle));
  EXPECT_FALSE(fork.separated(a, b, {}));
  EXPECT_TRUE(fork.separated(a, b, middle));
  EXPECT_TRUE(collider.separated(a, b, {}));
  EXPECT_FALSE(collider.separated(a, b, middle));
}

TEST(Separation, ADescendantOfAColliderOpensIt) {
  Random random(2);
  const BayesianNetwork graph(network(5, {{0}, {1}, {0, 1, 2}, {2, 3}, {3, 4}}, random));
  const Set a{0}, b{1}, below{4};
  EXPECT_TRUE(graph.separated(a, b, {}));
  EXPECT_FALSE(graph.separated(a, b, below));
}

TEST(Separation, AnUndirectedPathIsBlockedByAnyVariableOnIt) {
  MarkovNetwork ring(4);
  for (Variable v = 0; v < 4; ++v) ring.connect(v, (v + 1) % 4);
  const Set a{0}, b{2}, one{1}, both{1, 3};
  EXPECT_FALSE(ring.separated(a, b, {}));
  EXPECT_FALSE(ring.separated(a, b, one));
  EXPECT_TRUE(ring.separated(a, b, both));
  EXPECT_EQ(ring.neighbours(0), (Set{1, 3}));
}

TEST(Separation, TheBlanketOfADirectedVariableHasTheOtherParentsOfItsChildren) {
  Random random(3);
  const BayesianNetwork graph(network(6, {{0}, {1}, {0, 2}, {1, 2, 3}, {3, 4}, {5}}, random));
  EXPECT_EQ(graph.markov_blanket(2), (Set{0, 1, 3}));
  EXPECT_EQ(graph.markov_blanket(5), Set{});
  EXPECT_EQ(graph.descendants(0), (Set{2, 3, 4}));
  const MarkovNetwork moral = graph.moral();
  EXPECT_TRUE(moral.connected(1, 2));
  EXPECT_FALSE(moral.connected(0, 1));
}

TEST(Separation, WhatIsSeparatedIsIndependentInRandomGraphs) {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const Shape shapes[] = {Shape::tree, Shape::grid, Shape::star, Shape::higher_order,
                            Shape::pieces};
    const FactorGraph graph =
        random_graph({.shape = shapes[seed % 5], .variables = 6, .spread = 1}, random);
    const MarkovNetwork markov(graph);
    for (int k = 0; k < 10; ++k) {
      const Independence claim = random_claim(graph.variables(), random);
      if (!markov.separated(claim.a, claim.b, claim.given)) continue;
      ++found;
      EXPECT_LT(dependence(graph, claim), 1e-12) << seed;
    }
  }
  EXPECT_GT(found, 200u);
}

FactorGraph random_bayesian_network(std::size_t variables, Random& random) {
  std::vector<Set> scopes;
  for (Variable v = 0; v < variables; ++v) {
    Set scope;
    for (Variable u = 0; u < v; ++u) {
      if (scope.size() < 3 && random.below(3) == 0) scope.push_back(u);
    }
    scope.push_back(v);
    scopes.push_back(scope);
  }
  return network(variables, scopes, random);
}

TEST(Separation, InRandomDirectedGraphsSeparatedIsIndependentAndNothingElseIs) {
  std::size_t yes = 0, no = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(1000 + seed);
    const FactorGraph graph = random_bayesian_network(6, random);
    const BayesianNetwork directed(graph);
    for (int k = 0; k < 10; ++k) {
      const Independence claim = random_claim(6, random);
      const bool separated = directed.separated(claim.a, claim.b, claim.given);
      ++(separated ? yes : no);
      const double found = dependence(graph, claim);
      if (separated) {
        EXPECT_LT(found, 1e-13) << seed;
        EXPECT_TRUE(directed.separated(claim.b, claim.a, claim.given));
      } else {
        EXPECT_GT(found, 1e-13) << seed;  // of random tables, with probability 1
      }
      // What the moral graph separates, d-separation does, too.
      if (directed.moral().separated(claim.a, claim.b, claim.given)) {
        EXPECT_TRUE(separated);
      }
    }
  }
  EXPECT_GT(yes, 100u);
  EXPECT_GT(no, 100u);
}

TEST(Separation, TheMarkovPropertiesHoldInRandomGraphs) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const FactorGraph graph = random_graph(
        {.shape = seed % 2 == 0 ? Shape::tree : Shape::grid, .variables = 5, .spread = 1}, random);
    const MarkovNetwork markov(graph);
    for (const auto& claims : {pairwise_independences(markov), local_independences(markov),
                               global_independences(markov)}) {
      EXPECT_FALSE(claims.empty());
      for (const Independence& claim : claims) {
        EXPECT_TRUE(markov.separated(claim.a, claim.b, claim.given));
        EXPECT_LT(dependence(graph, claim), 1e-12) << seed;
      }
    }
    const FactorGraph directed = random_bayesian_network(5, random);
    for (const Independence& claim : local_independences(BayesianNetwork(directed))) {
      EXPECT_LT(dependence(directed, claim), 1e-13) << seed;
    }
  }
}

TEST(Separation, TheGlobalListHasEverySeparation) {
  Random random(5);
  const FactorGraph graph = random_graph({.shape = Shape::grid, .variables = 9}, random);
  const MarkovNetwork markov(graph);
  const std::vector<Independence> all = global_independences(markov);
  const auto within = [](const Set& part, const Set& whole) {
    return std::ranges::includes(whole, part);
  };
  for (int k = 0; k < 500; ++k) {
    const Independence claim = random_claim(9, random);
    // Its first set may be of several pieces; then it is of one piece each.
    bool listed = true;
    for (const Variable v : claim.a) {
      listed =
          listed && std::ranges::any_of(all, [&](const Independence& each) {
            return each.given == claim.given && ((within({v}, each.a) && within(claim.b, each.b)) ||
                                                 (within({v}, each.b) && within(claim.b, each.a)));
          });
    }
    EXPECT_EQ(markov.separated(claim.a, claim.b, claim.given), listed || claim.a.empty());
  }
}

// Of 200,000 variables all pairs would be 2e10.
TEST(Separation, AFactorOverManyVariablesTakesNoMoreThanItsScope) {
  FactorGraph graph;
  const Variable n = 200000;
  Set scope;
  for (Variable v = 0; v < n; ++v) scope.push_back(graph.add_variable(2));
  graph.add_factor(scope, graph.add_parity(false));
  const Variable beside = graph.add_variable(2), alone = graph.add_variable(2);
  graph.add_factor({n - 1, beside}, graph.add_potts(1, 0));
  const MarkovNetwork network(graph);
  EXPECT_EQ(network.neighbours(7).size(), n - 1);
  EXPECT_EQ(network.neighbours(n - 1).back(), beside);
  EXPECT_TRUE(network.connected(3, n - 2));
  EXPECT_FALSE(network.connected(3, beside));
  EXPECT_FALSE(network.connected(3, 3));
  EXPECT_FALSE(network.separated(Set{0}, Set{beside}, Set{5}));
  EXPECT_TRUE(network.separated(Set{0}, Set{beside}, Set{n - 1}));
  EXPECT_TRUE(network.separated(Set{0}, Set{alone}, {}));
}

TEST(Separation, PairwiseStatementsGiveBackTheirGraph) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const MarkovNetwork before(
        random_graph({.shape = Shape::higher_order, .variables = 7}, random));
    const MarkovNetwork after = network_of(7, pairwise_independences(before));
    for (Variable v = 0; v < 7; ++v) {
      EXPECT_TRUE(std::ranges::equal(before.neighbours(v), after.neighbours(v)));
    }
  }
  EXPECT_THROW(network_of(3, std::vector<Independence>{{{0}, {1}, {}}}), UsageError);
}

TEST(Separation, WhatIsNoQuestionOrNoNetworkIsRefused) {
  const MarkovNetwork graph(3);
  const Set one{1}, two{1, 2}, none{7};
  EXPECT_THROW(graph.separated(one, two, {}), UsageError);
  EXPECT_THROW(graph.separated(one, {}, none), UsageError);
  EXPECT_THROW(MarkovNetwork(2).connect(1, 1), UsageError);
  Random random(1);
  EXPECT_THROW(BayesianNetwork(network(2, {{0, 1}, {1, 0}}, random)), UsageError);
  EXPECT_THROW(BayesianNetwork(network(2, {{0}, {1}, {0, 1}}, random)), UsageError);
  EXPECT_THROW(global_independences(MarkovNetwork(17)), UsageError);
}

}  // namespace
}  // namespace croft::separation_test
