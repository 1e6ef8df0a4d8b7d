#include <gtest/gtest.h>

#include <cmath>

#include "croft/core/error.h"
#include "croft/inference/elimination_order.h"
#include "croft/inference/junction_tree.h"
#include "structure/separation.h"
#include "support/every_dag.h"
#include "train/networks/learn_structure.h"

namespace croft::learn_structure_test {
namespace {

using test::every_class;
using test::every_dag;
using test::random_dag;

// A network of that shape with random tables.
FactorGraph random_net(const Parents& parents, std::span<const std::size_t> states, double sharp,
                       Random& random) {
  FactorGraph net;
  for (const std::size_t each : states) net.add_variable(each);
  for (Variable v = 0; v < parents.size(); ++v) {
    std::size_t rows = 1;
    for (const Variable u : parents[v]) rows *= states[u];
    std::vector<double> table;
    for (std::size_t r = 0; r < rows; ++r) {
      std::vector<double> p(states[v]);
      double sum = 0;
      for (double& each : p) sum += each = std::exp(sharp * random.normal());
      for (const double each : p) table.push_back(std::log(each / sum));
    }
    std::vector<Variable> scope = parents[v];
    scope.push_back(v);
    net.add_factor(scope, net.add_table(table));
  }
  return net;
}

CaseTable sample(const FactorGraph& net, std::size_t cases, Random& random) {
  std::vector<std::size_t> states;
  for (Variable v = 0; v < net.variables(); ++v) states.push_back(net.states(v));
  CaseTable table(states);
  for (const auto& row : JunctionTree(net, find_elimination_order(net)).samples(cases, random)) {
    table.add(row);
  }
  return table;
}

CaseTable random_cases(std::size_t variables, std::size_t cases, Random& random) {
  std::vector<std::size_t> states;
  for (std::size_t v = 0; v < variables; ++v) states.push_back(2 + random.below(3));
  return sample(random_net(random_dag(variables, 0.5, random), states, 1, random), cases, random);
}

// The score of a family from its definition.
double family_score(const CaseTable& cases, Variable v, const std::vector<Variable>& parents,
                    const ShapeScoreOptions& options) {
  std::map<std::vector<int>, std::vector<double>> counts;
  for (std::size_t r = 0; r < cases.rows(); ++r) {
    std::vector<int> row;
    for (const Variable u : parents) row.push_back(cases.column(u)[r]);
    auto& of = counts[row];
    of.resize(cases.states(v), 0);
    of[cases.column(v)[r]] += cases.weights()[r];
  }
  double q = 1;
  for (const Variable u : parents) q *= static_cast<double>(cases.states(u));
  const auto states = static_cast<double>(cases.states(v));
  const double a = options.sample_size;
  double score = options.score == ShapeScore::bic
                     ? -std::log(static_cast<double>(cases.cases())) / 2 * q * (states - 1)
                     : 0;
  for (const auto& [row, of] : counts) {
    double all = 0;
    for (const double n : of) all += n;
    if (options.score == ShapeScore::bdeu) score += std::lgamma(a / q) - std::lgamma(a / q + all);
    for (const double n : of) {
      if (options.score == ShapeScore::bdeu) {
        score += std::lgamma(a / q / states + n) - std::lgamma(a / q / states);
      } else if (n > 0) {
        score += n * std::log(n / all);
      }
    }
  }
  return score;
}

const ShapeScoreOptions kScores[] = {
    {ShapeScore::bic}, {ShapeScore::bdeu, 1}, {ShapeScore::bdeu, 10}};

TEST(FamilyScores, AreThoseOfTheirDefinition) {
  Random random(1);
  ThreadPool pool(2);
  for (int k = 0; k < 20; ++k) {
    CaseTable cases = random_cases(6, 30 + 100 * (k % 3), random);
    if (k % 2 == 0) cases.merge();
    if (k % 3 == 0) cases = cases.resampled(random);
    for (const ShapeScoreOptions& options : kScores) {
      FamilyScores scores(cases, options, pool);
      for (const Parents& dag : {random_dag(6, 0.5, random), random_dag(6, 0.9, random)}) {
        double sum = 0;
        for (Variable v = 0; v < 6; ++v) {
          const double expected = family_score(cases, v, dag[v], options);
          EXPECT_NEAR(scores.of(v, dag[v]), expected, 1e-8);
          sum += expected;
          const std::vector<double>& more = scores.with_another(v, dag[v]);
          for (Variable u = 0; u < 6; ++u) {
            if (u == v || std::ranges::binary_search(dag[v], u)) continue;
            std::vector<Variable> larger = dag[v];
            larger.insert(std::ranges::lower_bound(larger, u), u);
            EXPECT_NEAR(more[u], family_score(cases, v, larger, options), 1e-8);
          }
        }
        EXPECT_NEAR(scores.of(dag), sum, 1e-8);
      }
    }
  }
}

TEST(FamilyScores, EquivalentShapesHaveTheSameScore) {
  Random random(2);
  ThreadPool pool(1);
  const CaseTable cases = random_cases(4, 200, random);
  for (const ShapeScoreOptions& options : kScores) {
    FamilyScores scores(cases, options, pool);
    for (const auto& [pattern, members] : every_class(4)) {
      for (const Parents& each : members) {
        EXPECT_NEAR(scores.of(each), scores.of(members.front()), 1e-8);
      }
    }
  }
}

TEST(FamilyScores, MergedCasesCountAsBefore) {
  Random random(3);
  CaseTable cases = random_cases(3, 500, random);
  CaseTable merged = cases;
  merged.merge();
  EXPECT_LE(merged.rows(), 64u);
  EXPECT_EQ(merged.cases(), 500u);
  for (Variable v = 0; v < 3; ++v) {
    EXPECT_DOUBLE_EQ(family_score(cases, v, {(v + 1) % 3}, kScores[0]),
                     family_score(merged, v, {(v + 1) % 3}, kScores[0]));
  }
}

// The best score of all shapes, whose families have so many parents at most.
double best_of_all(const CaseTable& cases, const ShapeScoreOptions& options, std::size_t most) {
  ThreadPool pool(1);
  FamilyScores scores(cases, options, pool);
  double best = -HUGE_VAL;
  for (const Parents& each : every_dag(cases.variables())) {
    std::size_t largest = 0;
    for (const auto& of : each) largest = std::max(largest, of.size());
    if (largest <= most) best = std::max(best, scores.of(each));
  }
  return best;
}

TEST(LearnShape, NoCompleteCaseIsAnErrorOfEveryMethod) {
  CaseTable none({2, 2});
  none.merge();
  for (const ShapeMethod method :
       {ShapeMethod::hill_climbing, ShapeMethod::exact, ShapeMethod::pc}) {
    EXPECT_THROW(learn_shape(none, {.method = method}), Error);
  }
}

TEST(LearnShape, ConstantsAndCopiesGetNoEdgesThatGainNothing) {
  CaseTable cases({1, 2, 1, 2, 2, 2});
  for (State k = 0; k < 200; ++k) {
    const State a = k / 2 % 2, b = k % 2;
    cases.add(std::vector<State>{0, a, 0, b, a, a});
  }
  for (const auto& [method, score] : {std::pair(ShapeMethod::exact, ShapeScore::bic),
                                      std::pair(ShapeMethod::exact, ShapeScore::bdeu),
                                      std::pair(ShapeMethod::hill_climbing, ShapeScore::bic),
                                      std::pair(ShapeMethod::hill_climbing, ShapeScore::bdeu)}) {
    const LearntShape found = learn_shape(cases, {.method = method, .score = {.score = score}});
    std::size_t edges = 0;
    for (Variable v = 0; v < found.parents.size(); ++v) {
      edges += found.parents[v].size();
      for (const Variable u : found.parents[v]) EXPECT_TRUE(u % 2 == 1 || u == 4) << u << v;
    }
    EXPECT_TRUE(found.parents[0].empty() && found.parents[2].empty());
    EXPECT_GE(edges, 2u);  // of the copies
    EXPECT_LE(edges, score == ShapeScore::bic ? 2u : 3u);
  }
}

TEST(LearnShape, ExactFindsTheBestOfAllShapes) {
  Random random(4);
  for (int k = 0; k < 8; ++k) {
    const CaseTable cases = random_cases(k == 0 ? 5 : 4, 20 + 50 * k, random);
    for (const ShapeScoreOptions& score : kScores) {
      for (const std::size_t most : {1, 2, 4}) {
        const LearntShape found =
            learn_shape(cases, {.method = ShapeMethod::exact, .score = score, .max_parents = most});
        EXPECT_NEAR(found.score, best_of_all(cases, score, most), 1e-8);
        EXPECT_FALSE(causal_order(found.parents).empty());
        for (const auto& of : found.parents) EXPECT_LE(of.size(), most);
      }
    }
  }
}

TEST(LearnShape, HillClimbingEndsAtMostAtTheBestAndMostlyThere) {
  Random random(5);
  int same = 0;
  for (int k = 0; k < 20; ++k) {
    const CaseTable cases = random_cases(7, 300, random);
    const ShapeScoreOptions& score = kScores[k % 3];
    const double best = learn_shape(cases, {.method = ShapeMethod::exact, .score = score}).score;
    const LearntShape found = learn_shape(cases, {.score = score, .starts = 20});
    EXPECT_LE(found.score, best + 1e-8);
    EXPECT_FALSE(causal_order(found.parents).empty());
    if (found.score > best - 1e-8) ++same;
  }
  EXPECT_GE(same, 18);
}

// Of an edge both directions gain the same, at first: which one comes first is no matter of
// columns.
TEST(LearnShape, HillClimbingFindsTheSameWhateverTheOrderOfTheColumns) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Random random(seed);
    constexpr std::size_t kVariables = 15;
    const CaseTable cases = random_cases(kVariables, 400, random);
    std::vector<std::size_t> states;
    for (Variable v = kVariables; v-- > 0;) states.push_back(cases.states(v));
    CaseTable reversed(states);
    for (std::size_t r = 0; r < cases.rows(); ++r) {
      std::vector<State> row;
      for (Variable v = kVariables; v-- > 0;) row.push_back(cases.column(v)[r]);
      for (std::size_t k = 0; k < cases.weights()[r]; ++k) reversed.add(row);
    }
    const ShapeOptions once{.starts = 1};
    EXPECT_NEAR(learn_shape(cases, once).score, learn_shape(reversed, once).score, 1e-6) << seed;
  }
}

TEST(LearnShape, HillClimbingKeepsTheLimitOfParents) {
  Random random(6);
  const CaseTable cases = random_cases(8, 2000, random);
  for (std::size_t most = 0; most < 3; ++most) {
    for (const auto& of : learn_shape(cases, {.max_parents = most, .starts = 3}).parents) {
      EXPECT_LE(of.size(), most);
    }
  }
}

TEST(LearnShape, ClimbingFromTheBestShapeStaysThere) {
  Random random(7);
  const CaseTable cases = random_cases(6, 400, random);
  const LearntShape best = learn_shape(cases, {.method = ShapeMethod::exact});
  EXPECT_NEAR(learn_shape(cases, {}, best.parents).score, best.score, 1e-8);
}

TEST(LearnShape, ThreadsChangeNothing) {
  Random random(8);
  const CaseTable cases = random_cases(9, 500, random);
  for (const ShapeMethod method : {ShapeMethod::hill_climbing, ShapeMethod::pc}) {
    const LearntShape one = learn_shape(cases, {.method = method});
    const LearntShape two = learn_shape(cases, {.method = method, .threads = 2});
    EXPECT_EQ(one.parents, two.parents);
    EXPECT_EQ(one.score, two.score);
    EXPECT_EQ(one.tests, two.tests);
    const auto a = bootstrap_edges(cases, {.method = method}, 6);
    const auto b = bootstrap_edges(cases, {.method = method, .threads = 2}, 6);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) {
      EXPECT_EQ(a[k].from, b[k].from);
      EXPECT_EQ(a[k].confidence, b[k].confidence);
      EXPECT_EQ(a[k].direction, b[k].direction);
    }
  }
}

// What a graph itself says in the place of a test.
class Oracle final : public IndependenceTest {
 public:
  explicit Oracle(const FactorGraph& net) : net_(net) {}
  double p_value(Variable u, Variable v, std::span<const Variable> given) const override {
    return net_.separated(std::vector{u}, std::vector{v}, given) ? 1 : 0;
  }

 private:
  BayesianNetwork net_;
};

TEST(LearnByTests, TrueAnswersGiveTheTrueClass) {
  Random random(9);
  for (int k = 0; k < 150; ++k) {
    const std::size_t variables = 2 + random.below(8);
    const Parents truth = random_dag(variables, 0.1 + 0.5 * random.uniform(), random);
    const FactorGraph net = random_net(truth, std::vector<std::size_t>(variables, 2), 1, random);
    const LearntShape found = learn_by_tests(variables, Oracle(net), {});
    EXPECT_EQ(found.equivalents, class_of(truth));
    EXPECT_EQ(class_of(found.parents), class_of(truth));
    EXPECT_TRUE(found.consistent);
    EXPECT_EQ(found.contradictions, 0u);
  }
}

// G2 = 2 sum n log(n n_s / (n_us n_vs)), and sums of n log n are those of sets.
TEST(LearnByTests, G2IsLargeWhereVariablesDepend) {
  Random random(10);
  const std::vector<std::size_t> states{3, 2, 4};
  const CaseTable chain = sample(random_net({{}, {0}, {1}}, states, 2, random), 5000, random);
  const G2Test test(chain);
  EXPECT_LT(test.p_value(0, 1, {}), 1e-6);
  EXPECT_GT(test.p_value(0, 2, std::vector<Variable>{1}), 1e-3);
  EXPECT_NEAR(test.p_value(0, 2, std::vector<Variable>{1}),
              test.p_value(2, 0, std::vector<Variable>{1}), 1e-12);
}

TEST(LearnByTests, PValuesOfIndependentVariablesAreUniform) {
  Random random(11);
  const std::vector<std::size_t> states{3, 2, 2};
  const FactorGraph net = random_net({{}, {0}, {0}}, states, 0.7, random);
  int below = 0;
  for (int k = 0; k < 1000; ++k) {
    if (G2Test(sample(net, 400, random)).p_value(1, 2, std::vector<Variable>{0}) < 0.2) ++below;
  }
  EXPECT_NEAR(below, 200, 60);
}

TEST(LearnShape, ManyCasesGiveTheTrueClass) {
  Random random(12);
  const std::vector<std::size_t> states{2, 3, 2, 3, 2, 2};
  const Parents truth{{}, {0}, {0}, {1, 2}, {3}, {3}};
  const CaseTable cases = sample(random_net(truth, states, 1.5, random), 50000, random);
  for (const ShapeMethod method :
       {ShapeMethod::hill_climbing, ShapeMethod::exact, ShapeMethod::pc}) {
    const LearntShape found = learn_shape(cases, {.method = method});
    EXPECT_EQ(distance(found.equivalents, class_of(truth)).total(), 0u) << name_of(method);
  }
}

TEST(LearnShape, BootstrapIsSureOfStrongEdges) {
  Random random(13);
  FactorGraph net;
  for (int v = 0; v < 3; ++v) net.add_variable(2);
  const auto add = [&](std::vector<Variable> scope, std::vector<double> p) {
    for (double& each : p) each = std::log(each);
    net.add_factor(std::move(scope), net.add_table(p));
  };
  add({0}, {0.5, 0.5});
  add({1}, {0.4, 0.6});
  add({0, 1, 2}, {0.9, 0.1, 0.5, 0.5, 0.4, 0.6, 0.1, 0.9});
  const CaseTable cases = sample(net, 3000, random);
  const auto edges = bootstrap_edges(cases, {.method = ShapeMethod::exact}, 20);
  ASSERT_GE(edges.size(), 2u);
  EXPECT_EQ(edges[0].confidence, 1);
  EXPECT_EQ(edges[1].confidence, 1);
  EXPECT_EQ(edges[0].to, 2u);
  EXPECT_EQ(edges[1].to, 2u);
}

TEST(LearnShape, RefusesWhatItCannotDo) {
  EXPECT_THROW(learn_shape(CaseTable({2, 2}), {}), Error);
  CaseTable wide(std::vector<std::size_t>(21, 2));
  wide.add(std::vector<State>(21, 0));
  EXPECT_THROW(learn_shape(wide, {.method = ShapeMethod::exact}), UsageError);
  EXPECT_THROW(learn_shape(wide, {.significance = 1}), UsageError);
  EXPECT_THROW(learn_shape(wide, {.score = {ShapeScore::bdeu, 0}}), UsageError);
}

TEST(LearnShape, OneCaseAndOneVariableHaveAShape) {
  CaseTable one({3});
  one.add(std::vector<State>{1});
  for (const ShapeMethod method :
       {ShapeMethod::hill_climbing, ShapeMethod::exact, ShapeMethod::pc}) {
    EXPECT_EQ(learn_shape(one, {.method = method}).parents, Parents(1));
  }
}

}  // namespace
}  // namespace croft::learn_structure_test
