#include "optimize/batch/curvature_history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/vector_math.h"
#include "croft/core/random.h"

namespace croft::curvature_history_test {
namespace {

using Vector = std::vector<double>;

Vector as_float(Vector x) {
  for (double& v : x) v = static_cast<float>(v);
  return x;
}
double inner(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// The two-loop recursion (O.5) as it is written, on whole vectors.  Pairs from oldest to newest.
Vector two_loop(const std::vector<std::pair<Vector, Vector>>& pairs, Vector q) {
  std::vector<double> alpha(pairs.size());
  for (std::size_t i = pairs.size(); i-- > 0;) {
    const auto& [s, y] = pairs[i];
    alpha[i] = inner(s, q) / inner(s, y);
    for (std::size_t k = 0; k < q.size(); ++k) q[k] -= alpha[i] * y[k];
  }
  const auto& [s, y] = pairs.back();
  for (double& x : q) x *= inner(s, y) / inner(y, y);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto& [si, yi] = pairs[i];
    const double beta = inner(yi, q) / inner(si, yi);
    for (std::size_t k = 0; k < q.size(); ++k) q[k] += (alpha[i] - beta) * si[k];
  }
  return q;
}

bool push(CurvatureHistory& history, ThreadPool& pool, const Vector& s, const Vector& y,
          const Vector& v) {
  return history.push(
      pool,
      [&](std::size_t begin, std::span<float> s_out, std::span<float> y_out) {
        for (std::size_t i = 0; i < s_out.size(); ++i) {
          s_out[i] = static_cast<float>(s[begin + i]);
          y_out[i] = static_cast<float>(y[begin + i]);
        }
      },
      [&](std::size_t begin, std::span<double> out) {
        std::copy_n(v.begin() + begin, out.size(), out.begin());
      });
}

Vector multiply(CurvatureHistory& history, const Vector& v, double scale_when_empty = 1) {
  history.solve(scale_when_empty);
  Vector out(v.size());
  for_chunks(0, v.size(), [&](std::size_t begin, std::size_t end) {
    history.multiply(begin, std::span(v).subspan(begin, end - begin),
                     std::span(out).subspan(begin, end - begin));
  });
  return out;
}

// Pairs that a minimisation could have made: y = D s with positive, widely spread D.
struct Pairs {
  Random random;
  Vector diagonal;
  Pairs(std::size_t n, std::uint64_t seed, double spread) : random(seed), diagonal(n) {
    for (double& d : diagonal) d = std::pow(10.0, spread * (random.uniform() - 0.5));
  }
  Vector vector() {
    Vector out(diagonal.size());
    for (double& x : out) x = random.normal();
    return out;
  }
  std::pair<Vector, Vector> next() {
    const Vector s = as_float(vector());
    Vector y(s);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] *= diagonal[i];
    return {s, as_float(y)};
  }
};

TEST(CurvatureHistory, CoordinatesGiveTheTwoLoopRecursionAlsoOnceOldPairsAreDropped) {
  for (const std::size_t m : {1, 2, 6, 17}) {
    Pairs source(200, m, 6);
    ThreadPool pool(1);
    CurvatureHistory history(200, m);
    std::vector<std::pair<Vector, Vector>> kept;
    for (int round = 0; round < 40; ++round) {
      const auto [s, y] = source.next();
      const Vector v = source.vector();
      kept.emplace_back(s, y);
      if (kept.size() > m) kept.erase(kept.begin());
      ASSERT_TRUE(push(history, pool, s, y, v));
      ASSERT_EQ(history.size(), kept.size());
      const Vector got = multiply(history, v), expected = two_loop(kept, v);
      const double size = std::sqrt(inner(expected, expected));
      for (std::size_t i = 0; i < v.size(); ++i) ASSERT_NEAR(got[i], expected[i], 1e-9 * size);
    }
  }
}

TEST(CurvatureHistory, TheNewestPairSatisfiesTheSecantEquation) {
  Pairs source(50, 3, 4);
  ThreadPool pool(1);
  CurvatureHistory history(50, 5);
  for (int round = 0; round < 12; ++round) {
    const auto [s, y] = source.next();
    ASSERT_TRUE(push(history, pool, s, y, y));
    const Vector h_y = multiply(history, y);  // H y = s
    for (std::size_t i = 0; i < s.size(); ++i) ASSERT_NEAR(h_y[i], s[i], 1e-10);
  }
}

TEST(CurvatureHistory, TheProductIsPositiveAlongItsVector) {
  Pairs source(30, 4, 6);
  ThreadPool pool(1);
  CurvatureHistory history(30, 4);
  for (int round = 0; round < 50; ++round) {
    const auto [s, y] = source.next();
    const Vector v = source.vector();
    push(history, pool, s, y, v);
    EXPECT_GT(inner(v, multiply(history, v)), 0);
  }
}

TEST(CurvatureHistory, WithoutPairsItIsAMultipleOfTheIdentity) {
  CurvatureHistory history(3, 2);
  const Vector v = {1, -2, 3};
  EXPECT_EQ(multiply(history, v, 0.5), (Vector{0.5, -1, 1.5}));
  EXPECT_EQ(history.last_length(), 1);
}

TEST(CurvatureHistory, APairWithoutUpwardCurvatureIsLeftOutAndTheRestStaysRight) {
  Pairs source(40, 5, 2);
  ThreadPool pool(1);
  CurvatureHistory history(40, 3);
  std::vector<std::pair<Vector, Vector>> kept;
  for (int i = 0; i < 2; ++i) {
    kept.push_back(source.next());
    push(history, pool, kept.back().first, kept.back().second, source.vector());
  }
  const Vector v = source.vector();
  auto [s, y] = source.next();
  Vector downward = y, flat(40, 0.0);
  for (double& x : downward) x = -x;
  for (const Vector& bad : {downward, flat}) {
    EXPECT_FALSE(push(history, pool, s, bad, v));
    EXPECT_EQ(history.size(), 2u);
    const Vector got = multiply(history, v), expected = two_loop(kept, v);
    for (std::size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-11);
  }
  EXPECT_NEAR(history.last_length(), std::sqrt(inner(s, s)), 1e-12);
}

TEST(CurvatureHistory, SameBitsForAnyNumberOfThreads) {
  const std::size_t n = 5 * kVectorBlock + 77;
  std::vector<Vector> results;
  for (const std::size_t threads : {1, 2, 3, 7}) {
    Pairs source(n, 6, 3);
    ThreadPool pool(threads);
    CurvatureHistory history(n, 2);
    Vector v;
    for (int i = 0; i < 3; ++i) {
      const auto [s, y] = source.next();
      v = source.vector();
      push(history, pool, s, y, v);
    }
    results.push_back(multiply(history, v));
    EXPECT_EQ(results.back(), results.front()) << threads;
  }
}

}  // namespace
}  // namespace croft::curvature_history_test
