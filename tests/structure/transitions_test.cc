// Tables of transitions that are assigned again and again, against those that are made once.
#include "croft/structure/transitions.h"

#include <gtest/gtest.h>

#include "croft/core/random.h"

namespace croft::transitions_test {
namespace {

template <class Real>
void expect_same(const Matrix<Real>& a, const Matrix<Real>& b) {
  ASSERT_EQ(a.rows(), b.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.stride(); ++j) EXPECT_EQ(a.row(i)[j], b.row(i)[j]);
  }
}

template <class Real>
void expect_tables_of_their_own_scores() {
  constexpr std::size_t kLabels = 5;
  Random random(1);
  Matrix<Real> log(kLabels, kLabels, Real{0});
  TransitionScores<Real> again;
  for (int round = 0; round < 200; ++round) {
    const std::size_t changes = random.below(4);
    for (std::size_t n = 0; n < changes; ++n) {
      const std::size_t i = random.below(kLabels), j = random.below(kLabels);
      const bool forbidden = round % 40 > 30 && random.below(3) == 0;
      log(i, j) =
          forbidden ? TransitionScores<Real>::kForbidden : static_cast<Real>(random.normal());
    }
    if (round % 40 == 0) log = Matrix<Real>(kLabels, kLabels, Real{0});
    again.assign(log);
    TransitionScores<Real> once;
    once.assign(log);
    EXPECT_EQ(again.shift(), once.shift());
    EXPECT_EQ(again.spread(), once.spread());
    EXPECT_EQ(again.any_forbidden(), once.any_forbidden());
    expect_same(again.log(), once.log());
    expect_same(again.factors(), once.factors());
    expect_same(again.factors_transposed(), once.factors_transposed());
    expect_same(again.allowed(), once.allowed());
    expect_same(again.allowed_transposed(), once.allowed_transposed());
  }
}

TEST(TransitionTables, AreToTheBitThoseOfTheirScoresHoweverOftenTheyChange) {
  expect_tables_of_their_own_scores<double>();
  expect_tables_of_their_own_scores<float>();
}

}  // namespace
}  // namespace croft::transitions_test
