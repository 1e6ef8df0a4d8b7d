// Locally normalised chains against the product of their conditional probabilities.
#include "inference/chain/local_normalisation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "croft/inference/brute_force.h"
#include "croft/inference/chain_sum.h"
#include "support/random_chain.h"

namespace croft::local_normalisation_test {
namespace {

using namespace testing_support;

double log_conditional(const ChainScores<double>& scores, std::size_t t, Label before, Label y) {
  long double sum = 0;
  const auto at = [&](Label j) {
    return scores.state(t, j) + (t > 0 ? scores.edge(t, before, j) : 0.0);
  };
  for (Label j = 0; j < scores.labels(); ++j) sum += std::exp(static_cast<long double>(at(j)));
  return at(y) - static_cast<double>(std::log(sum));
}

double log_product(const ChainScores<double>& scores, const std::vector<Label>& y) {
  double sum = 0;
  for (std::size_t t = 0; t < y.size(); ++t) {
    sum += log_conditional(scores, t, t > 0 ? y[t - 1] : 0, y[t]);
  }
  return sum;
}

TEST(LocalNormalisation, ALabellingsScoreIsTheProductOfItsConditionals) {
  Random random(1);
  for (std::size_t length = 1; length <= 5; ++length) {
    for (std::size_t labels = 1; labels <= 4; ++labels) {
      const auto chain = random_chain<double>({length, labels, 3, 0, 0.4, false}, random);
      ChainScores<double> local = chain.scores;
      normalise_locally(local);
      std::vector<Label> y(length);
      for (int repeat = 0; repeat < 20; ++repeat) {
        for (Label& each : y) each = static_cast<Label>(random.below(labels));
        ASSERT_NEAR(score<double>(local, y), log_product(chain.scores, y), 1e-12);
      }
    }
  }
}

TEST(LocalNormalisation, LogZIsZero) {
  Random random(2);
  ForwardBackwardWorkspace<double> work;
  for (int repeat = 0; repeat < 50; ++repeat) {
    auto chain =
        random_chain<double>({1 + random.below(30), 1 + random.below(7), 4, 0, 0.2, false}, random);
    normalise_locally(chain.scores);
    ASSERT_NEAR(log_partition(chain.scores, work), 0, 1e-10);
  }
}

TEST(LocalNormalisation, ALabelThatNothingMayFollowIsForbidden) {
  Random random(3);
  auto chain = random_chain<double>({2, 2, 1, 0, 0, false}, random);
  Matrix<double> log(2, 2, 0.0);
  log(1, 0) = log(1, 1) = ChainScores<double>::kForbidden;
  chain.transitions->assign(std::move(log));
  normalise_locally(chain.scores);
  EXPECT_EQ(chain.scores.state(0, 1), ChainScores<double>::kForbidden);
  EXPECT_TRUE(std::isfinite(chain.scores.state(0, 0)));
}

}  // namespace
}  // namespace croft::local_normalisation_test
