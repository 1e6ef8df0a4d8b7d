#include "core/shared_tasks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <string>

#include "croft/core/error.h"
#include "support/thread_ranks.h"

namespace croft::shared_tasks_test {
namespace {

// Results of different lengths, one of them empty; a sum that depends on the order.
std::vector<double> commits(ThreadPool& pool, std::size_t count, std::atomic<std::size_t>& ran) {
  std::vector<double> seen;
  double sum = 0;
  run_shared(
      pool, count, [](std::size_t k) { return static_cast<double>(k); },
      [&](std::size_t k, std::size_t worker, std::vector<double>& result) {
        EXPECT_LT(worker, pool.threads());
        EXPECT_TRUE(result.empty());
        for (std::size_t i = 0; i < k % 4; ++i) result.push_back(1.0 / static_cast<double>(k + i));
        ++ran;
      },
      [&](std::size_t k, std::size_t worker, std::span<const double> result) {
        EXPECT_LT(worker, pool.threads());
        for (const double each : result) sum += each;
        seen.push_back(static_cast<double>(k) + sum);
      });
  return seen;
}

TEST(SharedTasks, HelpersCommitAllAndRunEachOnce) {
  for (const std::size_t count : {0, 1, 2, 50}) {
    SCOPED_TRACE(count);
    std::atomic<std::size_t> ran = 0;
    ThreadPool alone(2);
    const std::vector<double> expected = commits(alone, count, ran);
    EXPECT_EQ(ran, count);
    EXPECT_EQ(expected.size(), count);
    for (const std::size_t size : {2, 3, 7}) {
      ran = 0;
      for_ranks(size, [&](Ranks& ranks) {
        ThreadPool pool(1 + ranks.rank() % 2, no_other_ranks(), ranks);
        EXPECT_EQ(commits(pool, count, ran), expected);
      });
      EXPECT_EQ(ran, count);
    }
  }
}

TEST(SharedTasks, AnErrorOfOneProcessIsThatOfAll) {
  std::atomic<int> caught = 0;
  for_ranks(3, [&](Ranks& ranks) {
    ThreadPool pool(1, no_other_ranks(), ranks);
    try {
      run_shared(
          pool, 9, [](std::size_t) { return 1.0; },
          [](std::size_t k, std::size_t, std::vector<double>&) {
            if (k == 4) throw Error("the fifth fails");
          },
          [](std::size_t, std::size_t, std::span<const double>) { FAIL(); });
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), std::string("the fifth fails"));
      ++caught;
    }
  });
  EXPECT_EQ(caught, 3);
}

}  // namespace
}  // namespace croft::shared_tasks_test
