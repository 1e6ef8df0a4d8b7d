#include "train/training_curve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace croft::training_curve_test {
namespace {

std::vector<std::size_t> iterations(const TrainingCurve& curve) {
  return curve.json().at("iteration").get<std::vector<std::size_t>>();
}

TEST(TrainingCurve, HasEveryIterationOfAShortTraining) {
  TrainingCurve curve;
  for (std::size_t k = 0; k < 5; ++k) {
    curve.add(k, 10.0 - static_cast<double>(k), HoldoutScore{0.5, 0.25 * static_cast<double>(k)});
  }
  const Json json = curve.json();
  EXPECT_EQ(iterations(curve), (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(json.at("objective").at(3).get<double>(), 7);
  EXPECT_EQ(json.at("holdout_f1").at(4).get<double>(), 1);
  EXPECT_EQ(json.at("holdout_accuracy").size(), 5U);
}

TEST(TrainingCurve, ThinsOutALongOneAndKeepsItsEnds) {
  for (const std::size_t n : {129UL, 130UL, 255UL, 1000UL, 4097UL}) {
    TrainingCurve curve;
    for (std::size_t k = 0; k < n; ++k) curve.add(k, 1.0 / static_cast<double>(k + 1), {});
    const auto at = iterations(curve);
    EXPECT_LE(at.size(), TrainingCurve::kMostPoints + 1);
    EXPECT_GE(at.size(), TrainingCurve::kMostPoints / 2);
    EXPECT_EQ(at.front(), 0U);
    EXPECT_EQ(at.back(), n - 1);
    EXPECT_TRUE(std::ranges::is_sorted(at, std::less_equal())) << n;
  }
}

TEST(TrainingCurve, CountsTheIterationsOfRoundsOn) {
  TrainingCurve curve;
  for (const std::size_t k : {0U, 1U, 2U, 0U, 1U, 2U, 3U}) curve.add(k, 1, {});
  EXPECT_EQ(iterations(curve), (std::vector<std::size_t>{0, 1, 2, 2, 3, 4, 5}));
}

TEST(TrainingCurve, LeavesOutAScoreThatSomeIterationsLack) {
  TrainingCurve curve;
  curve.add(0, 1, {});
  curve.add(1, 0.5, HoldoutScore{0.5, {}});
  EXPECT_FALSE(curve.json().contains("holdout_accuracy"));
}

TEST(TrainingCurve, GoesOnAfterItWasArchived) {
  TrainingCurve whole, first, second;
  StateArchive out;
  for (std::size_t k = 0; k < 300; ++k) {
    whole.add(k, 0.1 * static_cast<double>(k), {});
    if (k < 201) first.add(k, 0.1 * static_cast<double>(k), {});
  }
  first.archive(out);
  StateArchive in(out.bytes());
  second.archive(in);
  for (std::size_t k = 201; k < 300; ++k) second.add(k, 0.1 * static_cast<double>(k), {});
  EXPECT_EQ(second.json(), whole.json());
}

}  // namespace
}  // namespace croft::training_curve_test
