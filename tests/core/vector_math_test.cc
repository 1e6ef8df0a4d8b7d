#include "core/vector_math.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "core/simd.h"
#include "croft/core/random.h"

namespace croft::vector_math_test {
namespace {

std::vector<double> random_doubles(std::size_t n, Random& random) {
  std::vector<double> out(n);
  for (double& x : out) x = random.normal();
  return out;
}
std::vector<float> random_floats(std::size_t n, Random& random) {
  std::vector<float> out(n);
  for (float& x : out) x = static_cast<float>(random.normal());
  return out;
}

// Sizes on both sides of every loop: tails, one register, several registers.
std::vector<std::size_t> sizes() {
  std::vector<std::size_t> out;
  for (std::size_t n = 0; n <= 70; ++n) out.push_back(n);
  out.push_back(kVectorChunk + 3);
  out.push_back(kVectorBlock);
  return out;
}

class EachTarget : public testing::TestWithParam<std::string> {
 protected:
  EachTarget() { force_simd_target(GetParam()); }
  ~EachTarget() override { force_simd_target(before_); }
  const std::string before_ = simd_target();
};

template <class A, class B>
void expect_dot(const std::vector<A>& a, const std::vector<B>& b, double got) {
  long double sum = 0, absolute = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += static_cast<long double>(a[i]) * b[i];
    absolute += std::abs(static_cast<long double>(a[i]) * b[i]);
  }
  EXPECT_NEAR(got, static_cast<double>(sum), static_cast<double>(1e-13L * absolute))
      << "size " << a.size();
}

TEST_P(EachTarget, DotProductsEqualTheLongDoubleSum) {
  Random random(1);
  for (const std::size_t n : sizes()) {
    const auto a = random_doubles(n, random), b = random_doubles(n, random);
    const auto x = random_floats(n, random), y = random_floats(n, random);
    expect_dot(a, b, dot(a, b));
    expect_dot(x, y, dot(x, y));
    expect_dot(a, x, dot(a, x));
    const auto [xb, yb, vb] = dots(x, y, a, y);
    expect_dot(x, y, xb);
    expect_dot(y, y, yb);
    expect_dot(a, y, vb);
  }
}

TEST_P(EachTarget, FloatProductsAreNotRoundedToFloat) {
  const std::vector<float> a(40, 1.0f + 0x1p-20f);
  EXPECT_EQ(dot(a, a), 40 * (1.0 + 0x1p-19 + 0x1p-40));
}

TEST_P(EachTarget, AxpyAddsAMultipleAndTouchesNothingElse) {
  Random random(2);
  for (const std::size_t n : sizes()) {
    const auto x = random_doubles(n, random);
    const auto f = random_floats(n, random);
    auto y = random_doubles(n + 1, random);
    const auto before = y;
    axpy(0.7, x, std::span(y).first(n));
    axpy(-1.3, f, std::span(y).first(n));
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(y[i], before[i] + 0.7 * x[i] - 1.3 * f[i], 1e-14);
    }
    EXPECT_EQ(y[n], before[n]);
  }
}

TEST_P(EachTarget, FourAxpysAtOnceAreFourAxpysToTheLastBit) {
  Random random(5);
  for (const std::size_t n : sizes()) {
    const std::array x = {random_floats(n, random), random_floats(n, random),
                          random_floats(n, random), random_floats(n, random)};
    const std::array scale = {0.3, -0.2, 1e-3, 1.1};
    auto y = random_doubles(n + 1, random);
    auto one_by_one = y;
    for (std::size_t k = 0; k < 4; ++k) axpy(scale[k], x[k], std::span(one_by_one).first(n));
    axpy(scale, {x[0].data(), x[1].data(), x[2].data(), x[3].data()}, std::span(y).first(n));
    EXPECT_EQ(y, one_by_one);
  }
}

TEST_P(EachTarget, SumOfMagnitudesAndCountOfNonzeros) {
  Random random(3);
  for (const std::size_t n : sizes()) {
    auto a = random_doubles(n, random);
    std::size_t nonzero = 0;
    double sum = 0;
    for (double& x : a) {
      if (random.below(3) == 0) x = random.below(2) == 0 ? 0.0 : -0.0;
      nonzero += x != 0;
      sum += std::abs(x);
    }
    EXPECT_EQ(count_nonzero(a), nonzero);
    EXPECT_NEAR(sum_abs(a), sum, 1e-13 * sum);
  }
}

TEST_P(EachTarget, NanIsNotLostAndNotZero) {
  std::vector<double> a(37, 1.0);
  a[20] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(dot(a, a)));
  EXPECT_TRUE(std::isnan(sum_abs(a)));
  EXPECT_EQ(count_nonzero(a), 37u);
}

INSTANTIATE_TEST_SUITE_P(Simd, EachTarget, testing::ValuesIn(simd_targets()),
                         [](const auto& param_info) { return param_info.param; });

TEST(Simd, TargetsAgreeWithinRounding) {
  Random random(4);
  const auto a = random_doubles(kVectorBlock, random), b = random_doubles(kVectorBlock, random);
  const std::string before = simd_target();
  const double scale = std::sqrt(dot(a, a) * dot(b, b));
  const double expected = dot(a, b);
  for (const std::string& name : simd_targets()) {
    force_simd_target(name);
    EXPECT_NEAR(dot(a, b), expected, 1e-12 * scale) << name;
  }
  force_simd_target(before);
}

TEST(Blocks, EveryNumberIsVisitedOnceAndBlocksAreFixed) {
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, kVectorBlock, kVectorBlock + 1, 5 * kVectorBlock - 7}) {
    for (const std::size_t threads : {1, 3}) {
      ThreadPool pool(threads);
      std::vector<std::atomic<int>> seen(n);
      for_blocks(pool, n, [&](std::size_t begin, std::size_t end) {
        EXPECT_EQ(begin % kVectorBlock, 0u);
        EXPECT_TRUE(end == n || end == begin + kVectorBlock);
        for_chunks(begin, end, [&](std::size_t from, std::size_t to) {
          EXPECT_LE(to - from, kVectorChunk);
          for (std::size_t i = from; i < to; ++i) ++seen[i];
        });
      });
      for (const auto& count : seen) ASSERT_EQ(count, 1);
    }
  }
}

TEST(Blocks, SumsAreTheSameBitsForAnyNumberOfThreads) {
  Random random(5);
  const auto a = random_doubles(20 * kVectorBlock + 5, random);
  std::vector<double> expected;
  for (const std::size_t threads : {1, 2, 3, 7}) {
    ThreadPool pool(threads);
    std::vector<double> sums(3, 99.0);
    sums[2] = sum_blocks(pool, a.size(), [&](std::size_t begin, std::size_t end) {
      return sum_abs(std::span(a).subspan(begin, end - begin));
    });
    sum_blocks(pool, a.size(), std::span(sums).first(2),
               [&](std::size_t begin, std::size_t end, std::span<double> sum) {
                 const auto part = std::span(a).subspan(begin, end - begin);
                 sum[0] += dot(part, part);
                 sum[1] += static_cast<double>(count_nonzero(part));
               });
    if (expected.empty()) expected = sums;
    EXPECT_EQ(sums, expected) << threads;
    EXPECT_EQ(sums[1], static_cast<double>(a.size()));
  }
}

TEST(Blocks, SumsOverNothingAreZero) {
  ThreadPool pool(2);
  std::vector<double> sums(2, 99.0);
  sum_blocks(pool, 0, sums, [](std::size_t, std::size_t, std::span<double>) { FAIL(); });
  EXPECT_EQ(sums, (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace croft::vector_math_test
