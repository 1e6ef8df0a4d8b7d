// Questions to the posterior against brute force, on all three paths.
#include "croft/inference/chain_posterior.h"

#include <gtest/gtest.h>

#include <map>

#include "croft/inference/brute_force.h"
#include "support/random_chain.h"

namespace croft::chain_posterior_test {
namespace {

using testing_support::densify;
using testing_support::GradientTables;
using testing_support::random_chain;
using testing_support::random_sparse_chain;
using testing_support::RandomChain;
using testing_support::widen;

// A chain with its marginals: what a question is put to.
template <class Real>
struct Answered {
  explicit Answered(const ChainScores<Real>& scores_) : scores(scores_), tables(scores) {
    log_z = marginals(scores, 1, work, tables.view());
  }
  ChainPosterior<Real> posterior() const { return {scores, work, tables.state.row(0)}; }
  const ChainScores<Real>& scores;
  GradientTables<Real> tables;
  ForwardBackwardWorkspace<Real> work;
  double log_z;
};

template <class Real>
constexpr double kTolerance = std::is_same_v<Real, float> ? 5e-6 : 1e-11;

template <class Real>
RandomChain<double> dense_double(const RandomChain<Real>& chain) {
  if constexpr (std::is_same_v<Real, float>) {
    return densify(widen(chain));
  } else {
    return densify(chain);
  }
}

// Label sets as lists, and which labellings have their labels in them.
struct Window {
  std::size_t first;
  std::vector<std::vector<Label>> sets;

  std::vector<std::span<const Label>> lists() const { return {sets.begin(), sets.end()}; }
  bool holds(const std::vector<Label>& y) const {
    for (std::size_t s = 0; s < sets.size(); ++s) {
      if (std::count(sets[s].begin(), sets[s].end(), y[first + s]) == 0) return false;
    }
    return true;
  }
};

Window random_window(std::size_t length, std::size_t labels, Random& random) {
  Window window;
  window.first = random.below(length);
  window.sets.resize(1 + random.below(length - window.first));
  for (auto& set : window.sets) {
    for (Label j = 0; j < labels; ++j) {
      if (random.uniform() < 0.6) set.push_back(j);
    }
  }
  return window;
}

// Every function against sums over all labellings.  Returns the path that computed the posterior.
template <class Real>
ChainPath expect_matches(const RandomChain<Real>& chain, Random& random) {
  const double tolerance = kTolerance<Real>;
  const RandomChain<double> wide = dense_double(chain);
  const BruteForceResult truth = brute_force(wide.scores);
  const Answered<Real> answered(chain.scores);
  const ChainPosterior<Real> posterior = answered.posterior();
  const std::size_t length = chain.scores.length(), labels = chain.scores.labels();
  const bool possible = !std::isinf(truth.log_partition);

  Matrix<double> edges, sum(labels, labels, 0.0);
  for (std::size_t t = 1; t < length; ++t) {
    edge_marginals(posterior, t, edges);
    for (Label i = 0; i < labels; ++i) {
      for (Label j = 0; j < labels; ++j) {
        EXPECT_NEAR(edges(i, j), truth.edge[t](i, j), tolerance);
        sum(i, j) += truth.edge[t](i, j);
      }
    }
  }
  expected_edge_counts(posterior, edges);
  const std::vector<double> counts = expected_label_counts(posterior);
  for (Label i = 0; i < labels; ++i) {
    double count = 0;
    for (std::size_t t = 0; t < length; ++t) count += truth.state(t, i);
    EXPECT_NEAR(counts[i], count, 6 * tolerance);
    for (Label j = 0; j < labels; ++j) {
      EXPECT_NEAR(edges(i, j), sum(i, j), 6 * tolerance);
      if (possible && chain.transitions->cell(i, j) != TransitionScores<Real>::kNoCell) {
        EXPECT_NEAR(edges(i, j), answered.tables.edge(i, j), 6 * tolerance);
      }
    }
  }

  double expected = 0;
  for_each_labelling(wide.scores, [&](const std::vector<Label>&, long double s) {
    const double log_p = static_cast<double>(s) - truth.log_partition;
    expected -= std::exp(log_p) * log_p;
  });
  const double found = entropy(posterior);
  EXPECT_NEAR(found, expected, 20 * tolerance);
  EXPECT_GE(found, 0);

  std::vector<double> scratch;
  for (int repeat = 0; repeat < 4 && length > 0; ++repeat) {
    const Window window = random_window(length, labels, random);
    double p = 0;
    for_each_labelling(wide.scores, [&](const std::vector<Label>& y, long double s) {
      if (window.holds(y)) p += std::exp(static_cast<double>(s) - truth.log_partition);
    });
    EXPECT_NEAR(window_probability(posterior, window.first, window.lists(), scratch), p, tolerance);
  }

  std::vector<Label> y(length, 99);
  EXPECT_EQ(sample(chain.scores, answered.work, random, y), possible);
  if (possible) {
    EXPECT_GT(score<double>(wide.scores, y), -std::numeric_limits<double>::infinity());
  }
  return answered.work.path;
}

template <class Real>
std::map<ChainPath, int> check_all_shapes(std::uint64_t seed) {
  Random random(seed);
  std::map<ChainPath, int> paths;
  for (std::size_t length = 0; length <= 5; ++length) {
    for (std::size_t labels = 1; labels <= 4; ++labels) {
      for (const double scale : {1.0, 20.0, 300.0}) {
        for (int repeat = 0; repeat < 6; ++repeat) {
          const double forbidden = repeat % 3 * 0.2;
          SCOPED_TRACE(testing::Message() << "T " << length << " L " << labels << " scale " << scale
                                          << " forbidden " << forbidden);
          ++paths[expect_matches(
              random_chain<Real>({length, labels, scale, forbidden, repeat % 2 * 0.5, false},
                                 random),
              random)];
          const Background background = repeat % 2 == 0 ? Background::zero : Background::forbidden;
          SCOPED_TRACE("sparse");
          ++paths[expect_matches(
              random_sparse_chain<Real>({length, labels, scale, forbidden, 0, false}, background,
                                        repeat / 2 * 0.5, random),
              random)];
        }
      }
    }
  }
  return paths;
}

TEST(ChainPosterior, FloatMatchesBruteForceOnRandomChainsOnAllPaths) {
  auto paths = check_all_shapes<float>(1);
  EXPECT_GT(paths[ChainPath::scaled], 50);
  EXPECT_GT(paths[ChainPath::scaled_double], 50);
  EXPECT_GT(paths[ChainPath::log_domain], 50);
}

TEST(ChainPosterior, DoubleMatchesBruteForceOnRandomChainsOnAllPaths) {
  auto paths = check_all_shapes<double>(2);
  EXPECT_GT(paths[ChainPath::scaled], 50);
  EXPECT_GT(paths[ChainPath::log_domain], 50);
}

// Frequencies of pairs of neighbours, and so of labels.  A frequency of n draws has a standard
// deviation of sqrt(p (1 - p) / n); 5 of them are exceeded by chance once in some 10^6 comparisons,
// and there are fewer than 10^3.  p (1 - p) is floored at 25 / n, where the normal law would be
// wrong.
template <class Real>
void expect_frequencies(const ChainScores<Real>& scores, ChainPath path) {
  const std::size_t draws = 20000, length = scores.length(), labels = scores.labels();
  const Answered<Real> answered(scores);
  ASSERT_EQ(answered.work.path, path);
  std::vector<Matrix<double>> seen(length, Matrix<double>(labels, labels, 0.0));
  Random random(7);
  std::vector<Label> y(length);
  for (std::size_t k = 0; k < draws; ++k) {
    ASSERT_TRUE(sample(scores, answered.work, random, y));
    for (std::size_t t = 1; t < length; ++t) seen[t](y[t - 1], y[t]) += 1.0 / draws;
  }
  Matrix<double> expected;
  for (std::size_t t = 1; t < length; ++t) {
    edge_marginals(answered.posterior(), t, expected);
    for (Label i = 0; i < labels; ++i) {
      for (Label j = 0; j < labels; ++j) {
        const double p = expected(i, j);
        EXPECT_NEAR(seen[t](i, j), p, 5 * std::sqrt(std::max(p * (1 - p), 25.0 / draws) / draws));
        if (p == 0) {
          EXPECT_EQ(seen[t](i, j), 0);
        }
      }
    }
  }
}

TEST(ChainPosterior, SampledFrequenciesMatchTheMarginals) {
  Random random(3);
  const auto dense = random_chain<float>({6, 4, 1, 0.1, 0.5, false}, random);
  expect_frequencies(dense.scores, ChainPath::scaled);
  const auto wide = random_chain<double>({6, 4, 1, 0, 0, false}, random);
  expect_frequencies(wide.scores, ChainPath::scaled);
  for (const Background background : {Background::zero, Background::forbidden}) {
    const auto sparse = random_sparse_chain<float>({6, 5, 1, 0, 0, false}, background, 0.5, random);
    expect_frequencies(sparse.scores, ChainPath::scaled);
  }
}

// Two halves that no labelling mixes, at a cost that underflows: the linear domain gives up.
template <class Real>
ChainScores<Real> with_a_valley(const TransitionScores<Real>& tied, Real depth) {
  ChainScores<Real> scores;
  scores.reset(4, tied);
  Random random(4);
  for (std::size_t t = 0; t < 4; ++t) {
    for (Real& value : scores.state[t]) value = static_cast<Real>(random.normal());
  }
  // Labels 2 and 3 start far behind, and then are the only ones.
  scores.state(0, 2) -= depth;
  scores.state(0, 3) -= depth;
  scores.state(3, 0) = scores.state(3, 1) = ChainScores<Real>::kForbidden;
  return scores;
}

template <class Real>
TransitionScores<Real> two_blocks() {
  Matrix<Real> log(4, 4, ChainScores<Real>::kForbidden);
  log(0, 0) = log(0, 1) = log(1, 0) = log(1, 1) = 0;
  log(2, 2) = log(3, 2) = log(3, 3) = 0;
  log(2, 3) = 1;
  TransitionScores<Real> tied;
  tied.assign(std::move(log));
  return tied;
}

template <class Real>
RandomChain<Real> soft_chain_behind_a_valley(Real depth) {
  RandomChain<Real> chain;
  chain.transitions = std::make_unique<TransitionScores<Real>>(two_blocks<Real>());
  chain.scores = with_a_valley<Real>(*chain.transitions, depth);
  return chain;
}

TEST(ChainPosterior, MatchesBruteForceWhereManyLabellingsShareWhatUnderflows) {
  Random random(9);
  for (int repeat = 0; repeat < 20; ++repeat) {
    EXPECT_EQ(expect_matches(soft_chain_behind_a_valley<float>(200), random),
              ChainPath::scaled_double);
    EXPECT_EQ(expect_matches(soft_chain_behind_a_valley<float>(2000), random),
              ChainPath::log_domain);
    EXPECT_EQ(expect_matches(soft_chain_behind_a_valley<double>(2000), random),
              ChainPath::log_domain);
  }
}

TEST(ChainPosterior, SampledFrequenciesMatchTheMarginalsWhereFloatUnderflows) {
  const auto tied = two_blocks<float>();
  expect_frequencies(with_a_valley<float>(tied, 200), ChainPath::scaled_double);
  expect_frequencies(with_a_valley<float>(tied, 2000), ChainPath::log_domain);
  const auto wide = two_blocks<double>();
  expect_frequencies(with_a_valley<double>(wide, 2000), ChainPath::log_domain);
}

TEST(ChainPosterior, SamplingNeedsTheForwardPassAloneAndIsDeterminedByTheSeed) {
  Random random(5);
  for (const double scale : {1.0, 30.0, 500.0}) {
    const auto chain = random_chain<float>({40, 5, scale, 0.1, 0, false}, random);
    const Answered<float> answered(chain.scores);
    ForwardBackwardWorkspace<float> forward;
    log_partition(chain.scores, forward);
    std::vector<Label> first(40), second(40);
    Random a(11), b(11);
    EXPECT_EQ(sample(chain.scores, answered.work, a, first),
              sample(chain.scores, forward, b, second));
    EXPECT_EQ(first, second);
    EXPECT_EQ(a.next(), b.next());
  }
}

TEST(ChainPosterior, WhereNothingIsAllowedThereIsNothingToFind) {
  TransitionScores<float> tied(2);
  ChainScores<float> scores;
  scores.reset(3, tied);
  scores.state(1, 0) = scores.state(1, 1) = ChainScores<float>::kForbidden;
  const Answered<float> answered(scores);
  const auto posterior = answered.posterior();
  Random random(1);
  std::vector<Label> y(3, 7);
  EXPECT_FALSE(sample(scores, answered.work, random, y));
  EXPECT_EQ(y, std::vector<Label>(3, 7));
  EXPECT_EQ(entropy(posterior), 0);
  EXPECT_EQ(expected_label_counts(posterior), std::vector<double>(2, 0.0));
  Matrix<double> edges;
  edge_marginals(posterior, 1, edges);
  EXPECT_EQ(edges(0, 1), 0);
  expected_edge_counts(posterior, edges);
  EXPECT_EQ(edges(1, 1), 0);
  std::vector<double> scratch;
  const std::vector<Label> all = {0, 1};
  const std::vector<std::span<const Label>> window = {all};
  EXPECT_EQ(window_probability(posterior, 0, window, scratch), 0);
}

TEST(ChainPosterior, EntropyIsThatOfIndependentPositionsWhereTransitionsSayNothing) {
  const TransitionScores<double> tied(8);
  ChainScores<double> scores;
  scores.reset(1000, tied);
  const Answered<double> uniform(scores);
  EXPECT_NEAR(entropy(uniform.posterior()), 1000 * std::log(8), 1e-9);
  for (std::size_t t = 0; t < 1000; ++t) scores.state(t, t % 8) = 30;
  const Answered<double> sure(scores);
  const double rest = 7 * std::exp(-30.0);  // of each position, relative to its best label
  const double expected = 1000 * (std::log1p(rest) + rest / (1 + rest) * 30);
  EXPECT_NEAR(entropy(sure.posterior()), expected, 1e-3 * expected);
}

TEST(ChainPosterior, EntropyKeepsItsDigitsUnderScoresOfHundredThousand) {
  Random random(6);
  for (int repeat = 0; repeat < 10; ++repeat) {
    auto chain = random_chain<double>({50, 4, 1, repeat % 2 * 0.2, 0, false}, random);
    const Answered<double> before(chain.scores);
    const double expected = entropy(before.posterior());
    for (std::size_t t = 0; t < 50; ++t) {
      for (double& value : chain.scores.state[t]) value += t % 2 == 0 ? 1e5 : -1e5;
    }
    const Answered<double> after(chain.scores);
    EXPECT_NEAR(entropy(after.posterior()), expected, 1e-8);  // the scores lost 1e-11 each
  }
}

TEST(ChainPosterior, AMillionPositions) {
  Random random(8);
  const std::size_t length = 1000000;
  const auto chain = random_chain<double>({length, 3, 2, 0, 0, false}, random);
  const Answered<double> answered(chain.scores);
  const auto posterior = answered.posterior();
  // entropy = log Z - E[score], whose terms are of moderate size here.
  CompensatedSum expected = answered.work.log_z;
  for (std::size_t t = 0; t < length; ++t) {
    for (Label j = 0; j < 3; ++j) {
      expected.add(-answered.tables.state(t, j) * chain.scores.state(t, j));
    }
  }
  for (Label i = 0; i < 3; ++i) {
    for (Label j = 0; j < 3; ++j) {
      expected.add(-answered.tables.transition(i, j) * chain.transitions->log()(i, j));
    }
  }
  EXPECT_NEAR(entropy(posterior), expected.value(), 1e-12 * length);

  std::vector<Label> y(length);
  ASSERT_TRUE(sample(chain.scores, answered.work, random, y));
  const std::vector<double> counts = expected_label_counts(posterior);
  for (Label j = 0; j < 3; ++j) {  // an autocorrelated mean: its deviation is a few times 500
    EXPECT_NEAR(static_cast<double>(std::count(y.begin(), y.end(), j)), counts[j], 5000);
  }

  const std::vector<Label> all = {0, 1, 2}, none;
  std::vector<std::span<const Label>> window(length, all);
  std::vector<double> scratch;
  EXPECT_NEAR(window_probability(posterior, 0, window, scratch), 1, 1e-9);
  window[length / 2] = none;
  EXPECT_EQ(window_probability(posterior, 0, window, scratch), 0);
}

}  // namespace
}  // namespace croft::chain_posterior_test
