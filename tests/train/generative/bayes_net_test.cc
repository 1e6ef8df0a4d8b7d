#include "train/generative/bayes_net.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "croft/inference/elimination_order.h"
#include "croft/inference/graph_brute_force.h"
#include "croft/inference/junction_tree.h"
#include "train/kinds/graph_training.h"

namespace croft::bayes_net_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// Each variable has up to two parents among those before it.
FactorGraph random_net(std::uint64_t seed, std::size_t variables, double sharpness = 1.5) {
  Random random(seed);
  FactorGraph net;
  for (std::size_t v = 0; v < variables; ++v) net.add_variable(2 + random.below(2));
  for (Variable v = 0; v < variables; ++v) {
    std::vector<Variable> scope;
    for (Variable u = v < 3 ? 0 : v - 3; u < v && scope.size() < 2; ++u) {
      if (random.below(2) == 0) scope.push_back(u);
    }
    std::size_t rows = 1;
    for (const Variable u : scope) rows *= net.states(u);
    scope.push_back(v);
    std::vector<double> table;
    for (std::size_t r = 0; r < rows; ++r) {
      std::vector<double> p(net.states(v));
      double sum = 0;
      for (double& each : p) sum += each = std::exp(sharpness * random.normal());
      for (const double each : p) table.push_back(std::log(each / sum));
    }
    net.add_factor(scope, net.add_table(table));
  }
  return net;
}

std::vector<std::vector<State>> sample(const FactorGraph& net, std::size_t rows,
                                       std::uint64_t seed) {
  Random random(seed);
  return JunctionTree(net, find_elimination_order(net)).samples(rows, random);
}

void hide(std::vector<std::vector<State>>& rows, double share, std::uint64_t seed) {
  Random random(seed);
  for (auto& row : rows) {
    for (State& each : row) {
      if (random.uniform() < share) each = kUnobserved;
    }
  }
}

BayesNetResult fit(BayesNetTraining& training, const std::vector<std::vector<State>>& rows,
                   const BayesNetOptions& options = {}, const EmCallback& callback = {}) {
  for (const auto& row : rows) training.add(row);
  return training.run(options, callback);
}

double probability(const FactorGraph& net, Factor f, std::size_t number) {
  return std::exp(net.numbers(net.potential_of(f))[number]);
}

FactorGraph chain_of_three() {  // A -> B -> C
  FactorGraph net;
  for (int k = 0; k < 3; ++k) net.add_variable(2);
  const std::vector<double> one(2, std::log(0.5)), two(4, std::log(0.5));
  net.add_factor({0}, net.add_table(one));
  net.add_factor({0, 1}, net.add_table(two));
  net.add_factor({1, 2}, net.add_table(two));
  return net;
}

const std::vector<std::vector<State>> kRows = {{0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {1, 1, 1},
                                               {1, 1, 0}, {1, 1, 1}, {1, 0, 0}, {1, 1, 1}};

TEST(BayesNet, CountsWhereAllIsKnown) {
  BayesNetTraining training(chain_of_three());
  const BayesNetResult result = fit(training, kRows);
  EXPECT_NEAR(probability(training.graph(), 0, 0), 3. / 8, 1e-15);
  EXPECT_NEAR(probability(training.graph(), 1, 0), 2. / 3, 1e-15);  // B = 0 given A = 0
  EXPECT_NEAR(probability(training.graph(), 1, 3), 4. / 5, 1e-15);  // B = 1 given A = 1
  EXPECT_NEAR(probability(training.graph(), 2, 0), 2. / 3, 1e-15);  // C = 0 given B = 0
  EXPECT_NEAR(probability(training.graph(), 2, 3), 4. / 5, 1e-15);
  EXPECT_EQ(result.iterations, 0u);
  EXPECT_EQ(result.parameters, 5u);
  double by_hand = 0;
  for (const auto& row : kRows) by_hand += training.graph().score(row);
  EXPECT_NEAR(result.log_likelihood, by_hand, 1e-12);
}

TEST(BayesNet, AddsPseudoCountsToEachCell) {
  BayesNetTraining training(chain_of_three());
  fit(training, kRows, {.smoothing = 1.5});
  EXPECT_NEAR(probability(training.graph(), 0, 0), 4.5 / 11, 1e-15);
  EXPECT_NEAR(probability(training.graph(), 1, 0), 3.5 / 6, 1e-15);
}

TEST(BayesNet, IsUniformWhereNothingIsKnown) {
  BayesNetTraining training(chain_of_three());
  const BayesNetResult result = fit(training, {{0, 0, 0}, {0, 0, 0}});
  EXPECT_EQ(result.unseen, 2u);  // A = 1, B = 1
  EXPECT_NEAR(probability(training.graph(), 1, 2), 0.5, 1e-15);
  EXPECT_EQ(probability(training.graph(), 1, 1), 0);
  EXPECT_EQ(result.log_likelihood, 0);
}

// The network's likelihood is that of the Markov network A - B - C with full tables, which has no
// closed form in general and is found by gradient.
TEST(BayesNet, HasTheLikelihoodThatTheMarkovNetworkReachesByGradient) {
  BayesNetTraining training(chain_of_three());
  const double counted = fit(training, kRows).log_likelihood;
  CliqueSchema schema;
  schema.domains = {{"bit", {"0", "1"}}};
  schema.templates = {{"ab", {0, 0}, Interaction(InteractionKind::table, {2, 2})},
                      {"bc", {0, 0}, Interaction(InteractionKind::table, {2, 2})}};
  std::vector<StringTable> features(2);
  CliqueData data(schema);
  for (std::size_t n = 0; n < kRows.size(); ++n) {
    std::vector<std::uint32_t> v;
    for (const State s : kRows[n]) v.push_back(data.add_variable(0, std::to_string(n), s));
    data.add_clique(0, {v[0], v[1]}, {{features[0].insert("1"), 1.0}});
    data.add_clique(1, {v[1], v[2]}, {{features[1].insert("1"), 1.0}});
  }
  GraphTraining markov(data, features);
  GraphTrainOptions options;
  options.regulariser.l2 = 0;
  options.stop.tolerance = 0;
  options.stop.gradient_tolerance = 1e-9;
  const GraphTrainResult result = markov.run(options, {});
  EXPECT_NEAR(-result.optimization.objective, counted, 1e-8);
}

TEST(BayesNet, SumsOverWhatIsMissingAsEnumerationDoes) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const FactorGraph net = with_own_tables(random_net(seed, 5));
    auto rows = sample(net, 20, seed);
    hide(rows, 0.1 * static_cast<double>(seed % 10), seed);
    BayesNetData data(net);
    for (const auto& row : rows) data.add(row);
    long double expected = 0;
    std::vector<double> expected_counts(net.numbers().size(), 0);
    for (const auto& row : rows) {
      long double sum = 0;
      std::vector<long double> counts(expected_counts.size(), 0);
      for_each_assignment(net, [&](std::span<const State> x, long double score) {
        for (std::size_t v = 0; v < x.size(); ++v) {
          if (row[v] != kUnobserved && row[v] != x[v]) return;
        }
        sum += std::exp(score);
        for (Factor f = 0; f < net.factors(); ++f) {
          std::uint64_t joint = 0;
          for (const Variable v : net.scope(f)) joint = joint * net.states(v) + x[v];
          counts[net.potential(net.potential_of(f)).first + joint] += std::exp(score);
        }
      });
      expected += std::log(sum);
      for (std::size_t k = 0; k < counts.size(); ++k) {
        expected_counts[k] += static_cast<double>(counts[k] / sum);
      }
    }
    ThreadPool pool(1);
    std::vector<double> counts;
    EXPECT_NEAR(data.evaluate(pool, counts), static_cast<double>(expected), 1e-9);
    for (std::size_t k = 0; k < counts.size(); ++k) {
      EXPECT_NEAR(counts[k], expected_counts[k], 1e-9) << "seed " << seed << " number " << k;
    }
  }
}

TEST(BayesNet, NeverLosesLikelihoodByAnIterationOfEm) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const FactorGraph net = random_net(seed, 6);
    auto rows = sample(net, 60, seed);
    hide(rows, 0.3, seed);
    for (auto& row : rows) row[seed % 6] = kUnobserved;  // one of them always
    BayesNetTraining training(net);
    double before = kInf, likelihood = 0;
    const double smoothing = seed % 2 == 0 ? 0 : 0.3;
    const BayesNetResult result =
        fit(training, rows, {.smoothing = smoothing, .em_iterations = 60, .seed = seed},
            [&](const EmProgress& now) {
              EXPECT_LE(now.objective, before + 1e-9 * std::abs(before)) << "seed " << seed;
              before = now.objective;
              likelihood = now.log_likelihood;
              return true;
            });
    EXPECT_EQ(result.log_likelihood, likelihood);
    // What is reported is of the tables that are kept.
    BayesNetData again(training.graph());
    for (const auto& row : rows) again.add(row);
    ThreadPool pool(1);
    std::vector<double> counts;
    EXPECT_EQ(again.evaluate(pool, counts), result.log_likelihood);
  }
}

TEST(BayesNet, IsStationaryAtTheEndOfEm) {
  const FactorGraph net = random_net(3, 5);
  auto rows = sample(net, 200, 3);
  hide(rows, 0.2, 3);
  BayesNetTraining training(net);
  fit(training, rows, {.em_iterations = 5000, .tolerance = 0});
  BayesNetData data(training.graph());
  for (const auto& row : rows) data.add(row);
  ThreadPool pool(1);
  std::vector<double> counts;
  data.evaluate(pool, counts);
  for (Factor f = 0; f < net.factors(); ++f) {  // each row of a table is its own expected shares
    const Potential& table = training.graph().potential(training.graph().potential_of(f));
    const std::size_t states = net.states(net.scope(f).back());
    for (std::size_t first = table.first; first < table.first + table.count; first += states) {
      double total = 0;
      for (std::size_t s = 0; s < states; ++s) total += counts[first + s];
      for (std::size_t s = 0; s < states && total > 1; ++s) {
        EXPECT_NEAR(std::exp(training.graph().numbers()[first + s]), counts[first + s] / total,
                    1e-5);
      }
    }
  }
}

// The tables of a network from its samples: within standard errors of counting, which missing
// values make larger by no more than the share of families that they spoil.
TEST(BayesNet, RecoversTablesFromSamplesWithinStandardErrors) {
  for (const double hidden : {0.0, 0.15}) {
    const FactorGraph net = with_own_tables(random_net(11, 8, 1));
    constexpr std::size_t kRowCount = 20000;
    auto rows = sample(net, kRowCount, 5);
    hide(rows, hidden, 6);
    BayesNetTraining training(net);
    fit(training, rows, {.em_iterations = 500, .tolerance = 1e-9});
    double squares = 0, count = 0;
    const std::span<const double> known = training.data().known_counts();
    for (Factor f = 0; f < net.factors(); ++f) {
      const Potential& table = net.potential(net.potential_of(f));
      const std::size_t states = net.states(net.scope(f).back());
      for (std::size_t first = table.first; first < table.first + table.count; first += states) {
        double total = 0;  // of rows that know the whole family
        for (std::size_t s = 0; s < states; ++s) total += known[first + s];
        if (total < 50) continue;
        for (std::size_t s = 0; s < states; ++s) {
          const double p = std::exp(net.numbers()[first + s]);
          const double error = std::sqrt(p * (1 - p) / total);
          const double z = (std::exp(training.graph().numbers()[first + s]) - p) / error;
          EXPECT_LT(std::abs(z), 4.5) << "hidden " << hidden << " number " << first + s;
          squares += z * z;
          count += 1;
        }
      }
    }
    EXPECT_GT(count, 30);
    EXPECT_LT(squares / count, 1.6) << "hidden " << hidden;
    if (hidden == 0) {
      EXPECT_GT(squares / count, 0.5);
    }
  }
}

TEST(BayesNet, FindsAClassThatIsNeverSeen) {
  // A root that is never observed, and four children.
  FactorGraph net;
  for (int k = 0; k < 5; ++k) net.add_variable(2);
  const std::vector<double> root{std::log(0.4), std::log(0.6)};
  const std::vector<double> leaf{std::log(0.9), std::log(0.1), std::log(0.2), std::log(0.8)};
  net.add_factor({0}, net.add_table(root));
  for (Variable v = 1; v < 5; ++v) net.add_factor({0, v}, net.add_table(leaf));
  auto rows = sample(net, 20000, 1);
  for (auto& row : rows) row[0] = kUnobserved;
  BayesNetTraining training(net);
  const BayesNetResult result =
      fit(training, rows, {.em_iterations = 1000, .tolerance = 1e-10, .starts = 3});
  EXPECT_EQ(training.data().parts(), 16u);  // rows with the same children are one
  const FactorGraph truth = with_own_tables(net);
  BayesNetData data(truth);
  for (const auto& row : rows) data.add(row);
  ThreadPool pool(1);
  std::vector<double> counts;
  EXPECT_GE(result.log_likelihood, data.evaluate(pool, counts));
  const bool swapped = probability(training.graph(), 1, 0) < 0.5;
  EXPECT_NEAR(probability(training.graph(), 0, swapped ? 1 : 0), 0.4, 0.02);
  EXPECT_NEAR(probability(training.graph(), 1, swapped ? 2 : 0), 0.9, 0.02);
}

TEST(BayesNet, StartsFromTheTablesThatItIsGiven) {
  const FactorGraph net = random_net(7, 5);
  auto rows = sample(net, 100, 7);
  hide(rows, 0.4, 7);
  const FactorGraph own = with_own_tables(net);
  BayesNetData data(own);
  for (const auto& row : rows) data.add(row);
  ThreadPool pool(1);
  std::vector<double> counts;
  const double truth = data.evaluate(pool, counts);
  BayesNetTraining training(net);
  fit(training, rows, {.from_tables = true}, [&](const EmProgress& now) {
    if (now.iteration == 1) {
      EXPECT_EQ(now.log_likelihood, truth);
    }
    return true;
  });
}

TEST(BayesNet, IsTheSameForAnyNumberOfThreads) {
  std::vector<std::vector<double>> tables;
  for (const std::size_t threads : {1, 2, 5}) {
    const FactorGraph net = random_net(9, 8);
    auto rows = sample(net, 100, 9);
    hide(rows, 0.3, 9);
    BayesNetTraining training(net);
    fit(training, rows, {.em_iterations = 20, .tolerance = 0, .threads = threads});
    const auto numbers = training.graph().numbers();
    tables.emplace_back(numbers.begin(), numbers.end());
  }
  EXPECT_EQ(tables[0], tables[1]);
  EXPECT_EQ(tables[0], tables[2]);
}

TEST(BayesNet, GivesImpossibleRowsNoProbability) {
  FactorGraph net;
  net.add_variable(2);
  net.add_variable(2);
  net.add_factor({0}, net.add_table(std::vector{0.0, -kInf}));
  net.add_factor({0, 1}, net.add_table(std::vector{0.0, -kInf, 0.0, -kInf}));
  ThreadPool pool(1);
  std::vector<double> counts;
  for (const std::vector<State>& row :
       {std::vector<State>{1, 0}, std::vector<State>{kUnobserved, 1}}) {
    BayesNetData data(net);
    data.add(row);
    EXPECT_EQ(data.evaluate(pool, counts), -kInf);
  }
}

std::string message(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(BayesNet, SaysWhatIsNoNetwork) {
  FactorGraph circle;
  for (int k = 0; k < 3; ++k) circle.add_variable(2);
  const PotentialId table = circle.add_table(std::vector<double>(4, std::log(0.5)));
  circle.add_factor({0, 1}, table);
  circle.add_factor({1, 2}, table);
  circle.add_factor({2, 0}, table);
  EXPECT_NE(message([&] { BayesNetTraining training(circle); }).find("cycle"), std::string::npos);
  FactorGraph twice;
  twice.add_variable(2);
  const PotentialId one = twice.add_table(std::vector<double>(2, std::log(0.5)));
  twice.add_factor({0}, one);
  twice.add_factor({0}, one);
  EXPECT_NE(message([&] { BayesNetTraining training(twice); }).find("one table"),
            std::string::npos);
}

TEST(BayesNet, RefusesRowsAndOptionsThatDoNotFit) {
  BayesNetTraining training(chain_of_three());
  EXPECT_THROW(training.run({}), Error);
  EXPECT_THROW(training.add(std::vector<State>{0, 0}), UsageError);
  EXPECT_THROW(training.add(std::vector<State>{0, 0, 2}), UsageError);
  training.add(std::vector<State>{0, 0, 1});
  EXPECT_NE(message([&] { training.run({.starts = 2}); }).find("--starts"), std::string::npos);
  EXPECT_NE(message([&] { training.run({.smoothing = -1}); }).find("--smoothing"),
            std::string::npos);
  EXPECT_THROW(training.run({.em_iterations = 0}), UsageError);
}

}  // namespace
}  // namespace croft::bayes_net_test
