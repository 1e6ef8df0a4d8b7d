#include "croft/core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "croft/core/error.h"

namespace croft::parallel_test {
namespace {

TEST(ThreadPool, MoreThreadsThanTheLimitAreAnError) {
  EXPECT_THROW(ThreadPool(ThreadPool::kMaxThreads + 1), UsageError);
}

class ParallelTest : public testing::TestWithParam<std::size_t> {};

TEST_P(ParallelTest, EveryIndexRunsOnce) {
  ThreadPool pool(GetParam());
  std::vector<std::atomic<int>> seen(1000);
  for (int repeat = 0; repeat < 20; ++repeat) {
    pool.run(seen.size(), [&](std::size_t i, std::size_t worker) {
      ASSERT_LT(worker, pool.threads());
      ++seen[i];
    });
  }
  for (const auto& count : seen) EXPECT_EQ(count, 20);
}

TEST_P(ParallelTest, CommitsComeInOrderOfIndex) {
  ThreadPool pool(GetParam());
  std::vector<std::size_t> order, scratch(pool.threads());
  pool.run_ordered(
      500, [&](std::size_t i, std::size_t worker) { scratch[worker] = i * i; },
      [&](std::size_t i, std::size_t worker) {
        EXPECT_EQ(scratch[worker], i * i);
        order.push_back(i);
      });
  ASSERT_EQ(order.size(), 500u);
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i);
}

TEST_P(ParallelTest, AnExceptionInATaskReachesTheCallerAndThePoolLivesOn) {
  ThreadPool pool(GetParam());
  const auto throwing = [](std::size_t i, std::size_t) {
    if (i == 17) throw std::runtime_error("seventeen");
  };
  const auto nothing = [](std::size_t, std::size_t) {};
  EXPECT_THROW(pool.run_ordered(100, throwing, nothing), std::runtime_error);
  EXPECT_THROW(pool.run(100, throwing), std::runtime_error);
  std::atomic<int> count = 0;
  pool.run(100, [&](std::size_t, std::size_t) { ++count; });
  EXPECT_EQ(count, 100);
}

TEST_P(ParallelTest, NoWorkIsFine) {
  ThreadPool pool(GetParam());
  pool.run(0, [](std::size_t, std::size_t) { FAIL(); });
}

INSTANTIATE_TEST_SUITE_P(Threads, ParallelTest, testing::Values(1, 2, 3, 7));

}  // namespace
}  // namespace croft::parallel_test
