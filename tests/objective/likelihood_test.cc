// The likelihood of a chain against brute force and central differences.
#include "croft/objective/likelihood.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "croft/inference/brute_force.h"
#include "support/random_chain.h"

namespace croft::likelihood_test {
namespace {

using testing_support::ChainShape;
using testing_support::GradientTables;
using testing_support::random_chain;
using testing_support::RandomChain;

constexpr double kInf = std::numeric_limits<double>::infinity();

template <class Real>
constexpr double kTolerance = std::is_same_v<Real, float> ? 1e-5 : 1e-12;

std::vector<Label> random_labels(std::size_t length, std::size_t labels, Random& random) {
  std::vector<Label> y(length);
  for (Label& j : y) j = static_cast<Label>(random.below(labels));
  return y;
}

const ChainScores<double>& in_double(const RandomChain<double>& chain, RandomChain<double>&) {
  return chain.scores;
}
const ChainScores<double>& in_double(const RandomChain<float>& chain, RandomChain<double>& store) {
  store = testing_support::widen(chain);
  return store.scores;
}

// mu - 1[y] from brute force, times weight.
template <class Real>
void expect_marginals_less_gold(const ChainScores<Real>& scores, const BruteForceResult& truth,
                                const std::vector<Label>& gold, double weight,
                                const GradientTables<Real>& tables) {
  const std::size_t labels = scores.labels();
  const double tolerance = kTolerance<Real> * 10 * weight;
  Matrix<double> transition(labels, labels, 0.0);
  for (std::size_t t = 0; t < gold.size(); ++t) {
    for (Label j = 0; j < labels; ++j) {
      const double expected = weight * (truth.state(t, j) - (gold[t] == j));
      EXPECT_NEAR(tables.state(t, j), expected, tolerance);
      for (Label i = 0; t > 0 && i < labels; ++i) {
        const double pair = truth.edge[t](i, j) - (gold[t - 1] == i && gold[t] == j);
        transition(i, j) += weight * pair;
        if (!scores.has_overlay(t)) continue;
        EXPECT_NEAR(tables.overlay(scores.overlay_of[t] * labels + i, j), weight * pair, tolerance);
      }
    }
  }
  for (Label i = 0; i < labels; ++i) {
    for (Label j = 0; j < labels; ++j) {
      EXPECT_NEAR(tables.transition(i, j), transition(i, j), tolerance * 6);
    }
  }
}

template <class Real>
void check_against_brute_force() {
  Random random(1);
  ChainLikelihood<Real> likelihood;
  std::size_t allowed = 0, forbidden_gold = 0;
  for (std::size_t length = 0; length <= 5; ++length) {
    for (std::size_t labels = 1; labels <= 4; ++labels) {
      for (int repeat = 0; repeat < 12; ++repeat) {
        const ChainShape shape{length,           labels,           repeat % 2 ? 20.0 : 1.0,
                               repeat % 3 * 0.1, repeat % 4 * 0.3, false};
        const RandomChain<Real> chain = random_chain<Real>(shape, random);
        RandomChain<double> store;
        const ChainScores<double>& wide = in_double(chain, store);
        const BruteForceResult truth = brute_force(wide);
        const std::vector<Label> gold = random_labels(length, labels, random);
        const double weight = 0.5 + random.uniform(), gold_score = score<double>(wide, gold);
        GradientTables<Real> tables(chain.scores);
        const double value = likelihood(chain.scores, gold, weight, tables.view());
        if (std::isinf(gold_score)) {
          EXPECT_EQ(value, kInf);
          ++forbidden_gold;
          continue;
        }
        EXPECT_NEAR(value, weight * (truth.log_partition - gold_score),
                    kTolerance<Real> * (1 + std::abs(truth.log_partition) + std::abs(gold_score)));
        expect_marginals_less_gold(chain.scores, truth, gold, weight, tables);
        ++allowed;
      }
    }
  }
  EXPECT_GT(allowed, 100u);
  EXPECT_GT(forbidden_gold, 20u);
}

TEST(ChainLikelihood, FloatIsLogZMinusGoldScoreByBruteForce) { check_against_brute_force<float>(); }
TEST(ChainLikelihood, DoubleIsLogZMinusGoldScoreByBruteForce) {
  check_against_brute_force<double>();
}

// (value(+h) - value(-h)) / 2h of the entry that `move` shifts.
double central_difference(const std::function<double(double move)>& value) {
  const double h = 1e-5;
  return (value(h) - value(-h)) / (2 * h);
}

void expect_derivatives(RandomChain<double>& chain, const std::vector<Label>& gold, double weight) {
  ChainLikelihood<double> likelihood;
  ChainScores<double>& scores = chain.scores;
  GradientTables<double> tables(scores), scratch(scores);
  likelihood(scores, gold, weight, tables.view());
  const auto moved = [&](double& entry) {
    return central_difference([&](double move) {
      const double before = entry;
      entry += move;
      const double value = likelihood(scores, gold, weight, scratch.view());
      entry = before;
      return value;
    });
  };
  for (std::size_t t = 0; t < scores.length(); ++t) {
    for (Label j = 0; j < scores.labels(); ++j) {
      EXPECT_NEAR(moved(scores.state(t, j)), tables.state(t, j), 1e-8);
    }
  }
  for (std::size_t r = 0; r < scores.overlay.rows(); ++r) {
    for (Label j = 0; j < scores.labels(); ++j) {
      EXPECT_NEAR(moved(scores.overlay(r, j)), tables.overlay(r, j), 1e-8);
    }
  }
  for (Label i = 0; i < scores.labels(); ++i) {
    for (Label j = 0; j < scores.labels(); ++j) {
      const double difference = central_difference([&](double move) {
        Matrix<double> log = chain.transitions->log();
        log(i, j) += move;
        TransitionScores<double> tied;
        tied.assign(std::move(log));
        scores.transitions = &tied;
        const double value = likelihood(scores, gold, weight, scratch.view());
        scores.transitions = chain.transitions.get();
        return value;
      });
      EXPECT_NEAR(difference, tables.transition(i, j), 1e-8);
    }
  }
}

TEST(ChainLikelihood, GradientIsTheDerivativeByEveryScore) {
  Random random(2);
  for (const std::size_t length : {1, 2, 5}) {
    for (const std::size_t labels : {1, 2, 4, 9}) {
      for (const double overlay : {0.0, 0.5, 1.0}) {
        auto chain = random_chain<double>({length, labels, 2, 0, overlay, false}, random);
        expect_derivatives(chain, random_labels(length, labels, random), 0.5 + random.uniform());
      }
    }
  }
}

TEST(ChainLikelihood, WeightMultipliesValueAndDerivativesAndTransitionsAreAddedTo) {
  Random random(3);
  const auto chain = random_chain<double>({5, 4, 2, 0, 0.5, false}, random);
  const std::vector<Label> gold = random_labels(5, 4, random);
  ChainLikelihood<double> likelihood;
  GradientTables<double> once(chain.scores), thrice(chain.scores);
  thrice.transition.assign(4, 4, 10.0);
  const double value = likelihood(chain.scores, gold, 1, once.view());
  EXPECT_NEAR(likelihood(chain.scores, gold, 3, thrice.view()), 3 * value, 1e-13 * value);
  for (Label j = 0; j < 4; ++j) {
    for (std::size_t t = 0; t < 5; ++t)
      EXPECT_NEAR(thrice.state(t, j), 3 * once.state(t, j), 1e-13);
    for (std::size_t r = 0; r < once.overlay.rows(); ++r) {
      EXPECT_NEAR(thrice.overlay(r, j), 3 * once.overlay(r, j), 1e-13);
    }
    for (Label i = 0; i < 4; ++i) {
      EXPECT_NEAR(thrice.transition(i, j), 10 + 3 * once.transition(i, j), 1e-13);
    }
  }
}

TEST(ChainLikelihood, TablesThatNobodyAsksForMayBeAbsent) {
  Random random(4);
  const auto chain = random_chain<double>({5, 4, 2, 0, 1, false}, random);
  const std::vector<Label> gold = random_labels(5, 4, random);
  ChainLikelihood<double> likelihood;
  GradientTables<double> all(chain.scores), some(chain.scores);
  const double value = likelihood(chain.scores, gold, 1, all.view());
  EXPECT_EQ(likelihood(chain.scores, gold, 1, {some.state.row(0), nullptr, nullptr}), value);
  for (std::size_t t = 0; t < 5; ++t) {
    for (Label j = 0; j < 4; ++j) EXPECT_EQ(some.state(t, j), all.state(t, j));
  }
}

template <class Real>
void forbidden_gold_is_infinite() {
  Random random(5);
  const std::vector<Label> gold{0, 1, 2};
  const Real forbidden = ChainScores<Real>::kForbidden;
  ChainLikelihood<Real> likelihood;
  for (const double weight : {0.5, 1.0, 2.0}) {
    const auto value = [&](const ChainScores<Real>& scores) {
      GradientTables<Real> tables(scores);
      return likelihood(scores, gold, weight, tables.view());
    };
    auto state = random_chain<Real>({3, 3, 1, 0, 0, false}, random);
    EXPECT_TRUE(std::isfinite(value(state.scores)));
    state.scores.state(1, 1) = forbidden;
    EXPECT_EQ(value(state.scores), kInf) << "by a label";

    auto edge = random_chain<Real>({3, 3, 1, 0, 0, false}, random);
    Matrix<Real> log = edge.transitions->log();
    log(1, 2) = forbidden;
    edge.transitions->assign(std::move(log));
    EXPECT_EQ(value(edge.scores), kInf) << "by an edge";

    auto overlay = random_chain<Real>({3, 3, 1, 0, 1, false}, random);
    overlay.scores.overlay(overlay.scores.overlay_of[2] * 3 + 1, 2) = forbidden;
    EXPECT_EQ(value(overlay.scores), kInf) << "by an overlay";

    auto nothing = random_chain<Real>({3, 3, 1, 1, 0, false}, random);
    EXPECT_EQ(value(nothing.scores), kInf) << "because nothing is allowed";

    auto only = random_chain<Real>({3, 3, 1, 0, 0, false}, random);
    for (std::size_t t = 0; t < 3; ++t) {
      for (Label j = 0; j < 3; ++j) {
        if (j != gold[t]) only.scores.state(t, j) = forbidden;
      }
    }
    EXPECT_NEAR(value(only.scores), 0, 1e-5) << "nothing but the gold labelling is allowed";
  }
}

TEST(ChainLikelihood, ForbiddenGoldIsInfiniteInFloat) { forbidden_gold_is_infinite<float>(); }
TEST(ChainLikelihood, ForbiddenGoldIsInfiniteInDouble) { forbidden_gold_is_infinite<double>(); }

// log sum_y exp(score(y) - score(gold)) and its derivatives by the states, over all labellings. The
// difference is taken position by position in long double: what cancels never enters a sum.
struct ExactLoss {
  double value = 0;
  Matrix<double> state;
};

ExactLoss exact_loss(const ChainScores<double>& scores, const std::vector<Label>& gold) {
  const std::size_t length = scores.length(), labels = scores.labels();
  const auto edge = [&](std::size_t t, Label i, Label j) -> long double {
    const double* extra = scores.overlay_row(t, i);
    return static_cast<long double>(scores.transitions->log()(i, j)) + (extra ? extra[j] : 0.0);
  };
  // Prefix k L + j is prefix k followed by label j; in the end there is one for each labelling.
  std::vector<long double> prefixes{0};
  for (std::size_t t = 0; t < length; ++t) {
    std::vector<long double> longer;
    longer.reserve(prefixes.size() * labels);
    for (std::size_t k = 0; k < prefixes.size(); ++k) {
      for (Label j = 0; j < labels; ++j) {
        long double lead = static_cast<long double>(scores.state(t, j)) - scores.state(t, gold[t]);
        if (t > 0) {
          lead += edge(t, static_cast<Label>(k % labels), j) - edge(t, gold[t - 1], gold[t]);
        }
        longer.push_back(prefixes[k] + lead);
      }
    }
    prefixes = std::move(longer);
  }
  const long double best = *std::ranges::max_element(prefixes);
  long double total = 0;
  for (long double& s : prefixes) total += s = std::exp(static_cast<double>(s - best));
  ExactLoss result{static_cast<double>(best + std::log(total)),
                   Matrix<double>(length, labels, 0.0)};
  for (std::size_t t = length; t-- > 0;) {  // sums over ever shorter prefixes
    std::vector<long double> shorter(prefixes.size() / labels);
    for (std::size_t k = 0; k < prefixes.size(); ++k) {
      result.state(t, k % labels) += static_cast<double>(prefixes[k] / total);
      shorter[k / labels] += prefixes[k];
    }
    prefixes = std::move(shorter);
    result.state(t, gold[t]) -= 1;
  }
  return result;
}

template <class Real>
void expect_exact(const RandomChain<Real>& chain, const std::vector<Label>& gold,
                  double tolerance) {
  RandomChain<double> store;
  const ExactLoss truth = exact_loss(in_double(chain, store), gold);
  const double expected = truth.value;
  ASSERT_GT(expected, 0.01);  // neither the gold labelling nor another one has it all
  ASSERT_LT(expected, 100);
  ChainLikelihood<Real> likelihood;
  GradientTables<Real> tables(chain.scores);
  EXPECT_NEAR(likelihood(chain.scores, gold, 1, tables.view()), expected,
              tolerance * (1 + expected));
  for (std::size_t t = 0; t < gold.size(); ++t) {
    for (Label j = 0; j < chain.scores.labels(); ++j) {
      EXPECT_NEAR(tables.state(t, j), truth.state(t, j), tolerance) << "t " << t;
    }
  }
}

constexpr std::size_t kLong = 20;  // 2^20 labellings

// log Z and the gold score are both near +-1e6 or more, and their difference is some nats.
template <class Real>
void offsets_cancel(double state_offset, double edge_offset, double overlay, double tolerance) {
  Random random(6);
  auto chain = random_chain<Real>({kLong, 2, 1, 0, overlay, false}, random);
  for (std::size_t t = 0; t < kLong; ++t) {
    const double offset = t % 3 == 2 ? -state_offset : state_offset;
    for (Real& value : chain.scores.state[t]) value = static_cast<Real>(value + offset);
  }
  Matrix<Real> log = chain.transitions->log();
  for (std::size_t i = 0; i < 2; ++i) {
    for (Real& value : log[i]) value = static_cast<Real>(value + edge_offset);
  }
  chain.transitions->assign(std::move(log));
  expect_exact(chain, random_labels(kLong, 2, random), tolerance);
}

TEST(ChainLikelihood, LargeScoresThatCancelKeepTheDigitsInDouble) {
  for (const double state : {-1e5, 0.0, 1e5}) {
    for (const double edge : {-1e5, 0.0, 1e5}) offsets_cancel<double>(state, edge, 0.3, 1e-12);
  }
}
TEST(ChainLikelihood, LargeScoresThatCancelKeepTheDigitsInFloat) {
  for (const double state : {-1e5, 0.0, 1e5}) {
    for (const double edge : {-1e5, 0.0, 1e5}) offsets_cancel<float>(state, edge, 0, 1e-5);
    offsets_cancel<float>(state, 0, 0.3, 1e-5);
  }
}
TEST(ChainLikelihood, AnOverlayOnLargeEdgesCostsTheRoundingOfTheirSumInFloat) {
  // At 1e5 the sum of a transition and an overlay is rounded to a multiple of 1/128.
  offsets_cancel<float>(0, 1e5, 0.3, kLong / 256.0);
}

// Two labellings, all 0 and all 1, are 2e5 nats apart on the way and equal but for some nats at the
// end; to change from one to the other costs 1e5 nats.  In the log domain alpha itself holds such
// numbers: rounding them costs about 1e-11 nats at a position.
TEST(ChainLikelihood, ScoresThatCancelOnlyAtTheEndKeepTheDigits) {
  Random random(7);
  auto chain = random_chain<double>({kLong, 2, 0.3, 0, 0, false}, random);
  for (std::size_t t = 0; t < kLong; ++t) {
    chain.scores.state(t, t % 2) += 1e5;
    chain.scores.state(t, 1 - t % 2) -= 1e5;
  }
  Matrix<double> log = chain.transitions->log();
  log(0, 1) -= 5e5;
  log(1, 0) -= 5e5;
  chain.transitions->assign(std::move(log));
  expect_exact(chain, std::vector<Label>(kLong, 0), 1e-9);
  expect_exact(chain, std::vector<Label>(kLong, 1), 1e-9);
}

TEST(ChainLikelihood, ACertainGoldLabellingCostsNothing) {
  Random random(8);
  const std::vector<Label> gold = random_labels(kLong, 3, random);
  for (const double lead : {50.0, 1e3, 1e5}) {
    auto chain = random_chain<double>({kLong, 3, 1, 0, 0.3, false}, random);
    for (std::size_t t = 0; t < kLong; ++t) chain.scores.state(t, gold[t]) += lead;
    ChainLikelihood<double> likelihood;
    GradientTables<double> tables(chain.scores);
    EXPECT_NEAR(likelihood(chain.scores, gold, 1, tables.view()), 0, 1e-9) << lead;
    for (std::size_t t = 0; t < kLong; ++t) {
      for (Label j = 0; j < 3; ++j) EXPECT_NEAR(tables.state(t, j), 0, 1e-9);
    }
  }
}

}  // namespace
}  // namespace croft::likelihood_test
