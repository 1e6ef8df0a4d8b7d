// The likelihood of what is known of the labels, against enumeration, central differences, and the
// likelihood of all labels.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "croft/objective/likelihood.h"
#include "objective/enumerated_loss.h"

namespace croft::partial_likelihood_test {
namespace {

using testing_support::ChainShape;
using testing_support::EnumeratedLoss;
using testing_support::GradientTables;
using testing_support::random_chain;
using testing_support::random_gold;
using testing_support::random_sparse_chain;
using testing_support::RandomChain;
using testing_support::RandomGold;

constexpr double kInf = std::numeric_limits<double>::infinity();

template <class Real>
constexpr double kTolerance = std::is_same_v<Real, float> ? 1e-5 : 1e-12;

// body(chain) for random chains of every kind.
template <class Real, class Body>
void for_random_chains(Random& random, const Body& body) {
  for (std::size_t length = 0; length <= 5; ++length) {
    for (std::size_t labels = 1; labels <= 4; ++labels) {
      for (int repeat = 0; repeat < 9; ++repeat) {
        const ChainShape shape{length,           labels,           repeat % 2 ? 15.0 : 1.0,
                               repeat % 3 * 0.1, repeat % 4 * 0.3, false};
        body(random_chain<Real>(shape, random));
        const ChainShape plain{length, labels, shape.scale, shape.forbidden, 0, false};
        body(random_sparse_chain<Real>(plain, repeat % 2 ? Background::zero : Background::forbidden,
                                       0.6, random));
      }
    }
  }
}

template <class Real>
void check_against_enumeration() {
  Random random(1);
  ChainLikelihood<Real> likelihood;
  std::size_t possible = 0, impossible = 0;
  for_random_chains<Real>(random, [&](const RandomChain<Real>& chain) {
    const ChainScores<Real>& scores = chain.scores;
    const RandomGold gold = random_gold(scores.length(), scores.labels(), random);
    const double weight = 0.5 + random.uniform();
    const auto full = testing_support::in_full(chain);
    const EnumeratedLoss truth = testing_support::enumerate_loss(full.scores, gold.view());
    GradientTables<Real> tables(scores);
    const double value = likelihood(scores, gold.view(), weight, tables.view());
    if (std::isinf(truth.value)) {
      EXPECT_EQ(value, kInf);
      ++impossible;
      return;
    }
    ++possible;
    ASSERT_NEAR(value, weight * truth.value, kTolerance<Real> * 30 * (1 + truth.value));
    expect_derivatives(tables, scores, truth, weight, kTolerance<Real> * 10 * weight);
  });
  EXPECT_GT(possible, 200u);
  EXPECT_GT(impossible, 30u);
}

TEST(PartialLikelihood, FloatIsLogZMinusTheLogSumOfWhatFitsByEnumeration) {
  check_against_enumeration<float>();
}
TEST(PartialLikelihood, DoubleIsLogZMinusTheLogSumOfWhatFitsByEnumeration) {
  check_against_enumeration<double>();
}

TEST(PartialLikelihood, GradientIsTheDerivativeByEveryScore) {
  Random random(2);
  ChainLikelihood<double> likelihood;
  for (const double overlay : {0.0, 0.7}) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      auto chain = random_chain<double>({5, 3, 2, 0, overlay, false}, random);
      const RandomGold gold = random_gold(5, 3, random);
      GradientTables<double> tables(chain.scores), scratch(chain.scores);
      likelihood(chain.scores, gold.view(), 1.5, tables.view());
      const auto slope = [&](double& entry) {
        const double h = 1e-5, before = entry;
        entry = before + h;
        const double right = likelihood(chain.scores, gold.view(), 1.5, scratch.view());
        entry = before - h;
        const double left = likelihood(chain.scores, gold.view(), 1.5, scratch.view());
        entry = before;
        return (right - left) / (2 * h);
      };
      for (std::size_t t = 0; t < 5; ++t) {
        for (Label j = 0; j < 3; ++j) {
          EXPECT_NEAR(slope(chain.scores.state(t, j)), tables.state(t, j), 1e-8);
        }
      }
      for (std::size_t r = 0; r < chain.scores.overlay.rows(); ++r) {
        for (Label j = 0; j < 3; ++j) {
          EXPECT_NEAR(slope(chain.scores.overlay(r, j)), tables.overlay(r, j), 1e-8);
        }
      }
    }
  }
}

template <class Real>
bool same_bits(const GradientTables<Real>& a, const GradientTables<Real>& b) {
  const auto same = [](const auto& x, const auto& y) {
    for (std::size_t r = 0; r < x.rows(); ++r) {
      if (std::memcmp(x.row(r), y.row(r), x.columns() * sizeof(x(0, 0))) != 0) return false;
    }
    return true;
  };
  return same(a.state, b.state) && same(a.overlay, b.overlay) && same(a.transition, b.transition);
}

// log Z - score(y) as it is without any notion of partial labels.
template <class Real>
double plain_likelihood(const ChainScores<Real>& scores, const std::vector<Label>& y, double weight,
                        GradientTables<Real>& tables) {
  ForwardBackwardWorkspace<Real> work;
  marginals(scores, weight, work, tables.view());
  CompensatedSum loss = work.log_z;
  for (std::size_t t = 0; t < y.size(); ++t) {
    loss.add(-double{scores.state(t, y[t])});
    tables.state(t, y[t]) -= static_cast<Real>(weight);
    if (t == 0) continue;
    loss.add(-scores.edge(t, y[t - 1], y[t]));
    tables.transition(y[t - 1], y[t]) -= weight;
    if (!scores.has_overlay(t)) continue;
    tables.overlay(scores.overlay_of[t] * scores.labels() + y[t - 1], y[t]) -=
        static_cast<Real>(weight);
  }
  return weight * loss.value();
}

template <class Real>
void complete_gold_changes_no_bit() {
  Random random(3);
  ChainLikelihood<Real> likelihood;
  for (const double overlay : {0.0, 0.5}) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      const auto chain =
          random_chain<Real>({1 + random.below(40), 7, 3, 0, overlay, false}, random);
      std::vector<Label> y(chain.scores.length());
      for (Label& j : y) j = static_cast<Label>(random.below(7));
      GradientTables<Real> plain(chain.scores), tables(chain.scores);
      const double expected = plain_likelihood(chain.scores, y, 1.25, plain);
      const LabelSets sets;
      EXPECT_EQ(likelihood(chain.scores, {y, &sets}, 1.25, tables.view()), expected);
      EXPECT_TRUE(same_bits(plain, tables));
    }
  }
}

TEST(PartialLikelihood, CompleteGoldChangesNoBitInFloat) { complete_gold_changes_no_bit<float>(); }
TEST(PartialLikelihood, CompleteGoldChangesNoBitInDouble) {
  complete_gold_changes_no_bit<double>();
}

TEST(PartialLikelihood, SetsOfOneLabelAreTheLabels) {
  Random random(4);
  ChainLikelihood<double> likelihood;
  const auto chain = random_chain<double>({6, 4, 2, 0, 0.5, false}, random);
  std::vector<Label> y(6);
  for (Label& j : y) j = static_cast<Label>(random.below(4));
  RandomGold gold{y, {}};
  gold.sets = {{0, 1}, {y[2]}};
  gold.known[2] = kLabelSetBit;
  GradientTables<double> complete(chain.scores), partial(chain.scores);
  const double value = likelihood(chain.scores, y, 1, complete.view());
  EXPECT_NEAR(likelihood(chain.scores, gold.view(), 1, partial.view()), value, 1e-12 * value);
  for (std::size_t t = 0; t < 6; ++t) {
    for (Label j = 0; j < 4; ++j) EXPECT_NEAR(partial.state(t, j), complete.state(t, j), 1e-12);
  }
}

TEST(PartialLikelihood, NothingKnownCostsAndTeachesNothing) {
  Random random(5);
  ChainLikelihood<double> likelihood;
  const auto chain = random_chain<double>({8, 4, 2, 0, 0.5, false}, random);
  GradientTables<double> tables(chain.scores);
  const std::vector<Label> nothing(8, kAnyLabel);
  EXPECT_NEAR(likelihood(chain.scores, nothing, 2, tables.view()), 0, 1e-13);
  for (std::size_t t = 0; t < 8; ++t) {
    for (Label j = 0; j < 4; ++j) EXPECT_NEAR(tables.state(t, j), 0, 1e-13);
  }
}

// log Z and the log-sum of what fits are both near 1e9; their difference is log 2 a position.
TEST(PartialLikelihood, SumsThatCancelKeepTheDigits) {
  const std::size_t length = 10'000;
  const TransitionScores<double> transitions(4);
  ChainScores<double> scores;
  scores.reset(length, transitions);
  for (std::size_t t = 0; t < length; ++t) std::ranges::fill(scores.state[t], 1e5 + 0.1);
  RandomGold gold{std::vector<Label>(length, kLabelSetBit), {{0, 2}, {1, 3}}};
  GradientTables<double> tables(scores);
  ChainLikelihood<double> likelihood;
  const double expected = length * std::log(2.0);
  EXPECT_NEAR(likelihood(scores, gold.view(), 1, tables.view()), expected, 1e-9);
}

// Chains of one call, some with partial gold, against one at a time.
template <class Real>
void batch_is_its_chains() {
  Random random(6);
  for (const bool sparse : {false, true}) {
    const ChainShape shape{1, 6, 2, 0, 0, false};
    const auto tied = sparse ? random_sparse_chain<Real>(shape, Background::zero, 0.3, random)
                             : random_chain<Real>(shape, random);
    std::vector<ChainScores<Real>> scores(20);
    std::vector<RandomGold> owned(20);
    std::vector<Gold> gold;
    std::vector<double> weight, value(20);
    std::vector<GradientTables<Real>> tables;
    std::vector<ChainGradient<Real>> out;
    for (std::size_t k = 0; k < 20; ++k) {
      scores[k].reset(10 + k % 3, *tied.transitions);
      for (std::size_t t = 0; t < scores[k].length(); ++t) {
        for (Real& s : scores[k].state[t]) s = testing_support::random_score<Real>(shape, random);
      }
      owned[k] = random_gold(scores[k].length(), 6, random);
      if (k % 3 == 0) std::ranges::fill(owned[k].known, Label(k % 6));
      gold.push_back(owned[k].view());
      weight.push_back(0.5 + random.uniform());
      tables.emplace_back(scores[k]);
    }
    for (std::size_t k = 0; k < 20; ++k) {
      out.push_back(tables[k].view());
      out[k].transition = tables[0].transition.row(0);
    }
    ChainLikelihood<Real> likelihood;
    likelihood(scores, gold, weight, out, value);
    GradientTables<Real> sum(scores[0]);
    for (std::size_t k = 0; k < 20; ++k) {
      GradientTables<Real> one(scores[k]);
      ChainGradient<Real> view = one.view();
      view.transition = sum.transition.row(0);
      EXPECT_NEAR(value[k], likelihood(scores[k], gold[k], weight[k], view),
                  kTolerance<Real> * 10 * (1 + value[k]));
      for (std::size_t t = 0; t < scores[k].length(); ++t) {
        for (Label j = 0; j < 6; ++j) {
          EXPECT_NEAR(tables[k].state(t, j), one.state(t, j), kTolerance<Real>);
        }
      }
    }
    for (Label i = 0; i < 6; ++i) {
      for (Label j = 0; j < 6; ++j) {
        EXPECT_NEAR(tables[0].edge(i, j), sum.edge(i, j), kTolerance<Real> * 100);
      }
    }
  }
}

TEST(PartialLikelihood, ManyChainsAtOnceAreEachAloneInFloat) { batch_is_its_chains<float>(); }
TEST(PartialLikelihood, ManyChainsAtOnceAreEachAloneInDouble) { batch_is_its_chains<double>(); }

// Labels and edges that are masked for all of training take no part in it.
template <class Real>
void masks_have_derivative_zero() {
  Random random(7);
  constexpr Real kForbidden = ChainScores<Real>::kForbidden;
  ChainLikelihood<Real> likelihood;
  std::size_t masked = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    auto chain = random_chain<Real>({12, 5, 2, 0, 0, false}, random);
    RandomGold gold = random_gold(12, 4, random);  // never the last label
    if (repeat % 2) std::ranges::fill(gold.known, Label(repeat % 4));
    Matrix<Real> log = chain.transitions->log();
    log(4, 4) = kForbidden;
    chain.transitions->assign(std::move(log));
    for (std::size_t t = 0; t < 12; t += 2) chain.scores.state(t, 4) = kForbidden;
    GradientTables<Real> tables(chain.scores);
    EXPECT_TRUE(std::isfinite(likelihood(chain.scores, gold.view(), 1, tables.view())));
    EXPECT_EQ(tables.transition(4, 4), 0);
    for (std::size_t t = 0; t < 12; ++t) {
      for (Label j = 0; j < 5; ++j) {
        EXPECT_TRUE(std::isfinite(tables.state(t, j)));
        if (chain.scores.state(t, j) != kForbidden) continue;
        EXPECT_EQ(tables.state(t, j), 0);
        ++masked;
      }
    }
  }
  EXPECT_EQ(masked, 20 * 6u);
}

TEST(PartialLikelihood, MaskedScoresHaveDerivativeZeroInFloat) {
  masks_have_derivative_zero<float>();
}
TEST(PartialLikelihood, MaskedScoresHaveDerivativeZeroInDouble) {
  masks_have_derivative_zero<double>();
}

}  // namespace
}  // namespace croft::partial_likelihood_test
