#include "core/exact_sum.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "croft/core/random.h"

namespace croft::exact_sum_test {
namespace {

struct Addends {
  std::vector<double> list;
  double most = 0;  // the sum of absolute values, and a little more
};

// Of sizes that differ by up to 2^60.
Addends some_addends(std::uint64_t seed) {
  Random random(seed);
  Addends addends;
  for (std::size_t n = 1 + random.below(200); n > 0; --n) {
    addends.list.push_back(random.normal() * std::ldexp(1.0, static_cast<int>(random.below(60))));
    addends.most += std::abs(addends.list.back());
  }
  addends.most *= 1.01;
  return addends;
}

double sum_of(const ExactSum& exact, const std::vector<double>& list) {
  double sum = 0;
  for (const double each : list) exact.add(each, sum);
  return sum;
}

RC_GTEST_PROP(ExactSum, DependsOnNoOrderAndNoGrouping, (std::uint64_t seed)) {
  const Addends addends = some_addends(seed);
  ExactSum exact(addends.most);
  exact.begin_block(addends.most);
  const double one_by_one = sum_of(exact, addends.list);
  Random random(seed + 1);
  std::vector<double> mixed = addends.list;
  for (std::size_t k = mixed.size(); k > 1; --k) std::swap(mixed[k - 1], mixed[random.below(k)]);
  const auto cut = mixed.begin() + static_cast<std::ptrdiff_t>(random.below(mixed.size() + 1));
  const double two_parts = sum_of(exact, {mixed.begin(), cut}) + sum_of(exact, {cut, mixed.end()});
  RC_ASSERT(two_parts == one_by_one);
  RC_ASSERT(!exact.overflown());
}

RC_GTEST_PROP(ExactSum, IsOffByHalfAUnitForEachAddendAtMost, (std::uint64_t seed)) {
  const Addends addends = some_addends(seed);
  ExactSum exact(addends.most);
  exact.begin_block(addends.most);
  long double truth = 0;
  for (const double each : addends.list) truth += each;
  const auto error = static_cast<double>(std::abs(truth - sum_of(exact, addends.list)));
  RC_ASSERT(error <= exact.unit() / 2 * static_cast<double>(addends.list.size()));
  RC_ASSERT(exact.unit() <= addends.most * 0x1p-50);
}

TEST(ExactSum, AnAddendAboveTheLimitOfItsBlockOrThatIsNoNumberIsNoticed) {
  for (const double bad : {1.1, -1.1, std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()}) {
    ExactSum exact(10);
    exact.begin_block(1);
    double sum = 0;
    exact.add(1, sum);
    exact.add(-1, sum);
    EXPECT_FALSE(exact.overflown());
    exact.add(bad, sum);
    EXPECT_TRUE(exact.overflown());
  }
}

TEST(ExactSum, WithoutABoundNothingIsRounded) {
  ExactSum exact(std::numeric_limits<double>::infinity());
  exact.begin_block(std::numeric_limits<double>::infinity());
  double sum = 0;
  exact.add(0.1, sum);
  EXPECT_EQ(sum, 0.1);
  exact.add(1e-300, sum);
  exact.add(1e300, sum);
  EXPECT_EQ(sum, 0.1 + 1e-300 + 1e300);
  EXPECT_FALSE(exact.overflown());
  exact.add(std::numeric_limits<double>::quiet_NaN(), sum);
  EXPECT_TRUE(exact.overflown());
}

TEST(ExactSum, VerySmallAndVeryLargeSumsKeepTheirDigits) {
  for (const double size : {1e-250, 1e-9, 1.0, 1e9, 1e250}) {
    ExactSum exact(3 * size);
    exact.begin_block(size);
    double sum = 0;
    for (const double each : {size, size / 3, -size}) exact.add(each, sum);
    EXPECT_NEAR(sum / size, 1.0 / 3, 1e-14) << size;
    EXPECT_FALSE(exact.overflown());
  }
}

}  // namespace
}  // namespace croft::exact_sum_test
