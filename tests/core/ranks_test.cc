#include "croft/core/ranks.h"

#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "croft/core/error.h"
#include "support/message_of.h"
#include "support/thread_ranks.h"

namespace croft::ranks_test {
namespace {

TEST(Ranks, OneProcessByItselfKeepsWhatItHas) {
  Ranks& one = no_other_ranks();
  EXPECT_TRUE(one.first() && one.alone());
  EXPECT_EQ(one.gather("a"), std::vector<std::string>{"a"});
  EXPECT_EQ(one.exchange({"a"}), std::vector<std::string>{"a"});
  EXPECT_EQ(sum_of_all(one, 1234567890123456789), 1234567890123456789u);
  EXPECT_EQ(sum_of_earlier(one, 7), 0u);
}

TEST(Ranks, SumsAndListsAreThoseOfAllInTheOrderOfRanks) {
  for_ranks(3, [](Ranks& ranks) {
    const std::size_t r = ranks.rank();
    EXPECT_EQ(sum_of_all(ranks, 10000000000 + r), 30000000003u);
    EXPECT_EQ(sum_of_earlier(ranks, r + 1), r * (r + 1) / 2);
    EXPECT_TRUE(any_of_all(ranks, r == 2));
    EXPECT_FALSE(any_of_all(ranks, false));
    EXPECT_EQ(largest_of_all(ranks, -static_cast<double>(r)), 0);
    const std::vector<double> mine(r, static_cast<double>(r));
    EXPECT_EQ(lists_of_all(ranks, mine), (std::vector<double>{1, 2, 2}));
  });
}

TEST(Ranks, TheErrorOfTheFirstThatFailsIsThrownOnAll) {
  std::mutex mutex;
  std::multiset<std::string> messages;
  const auto work = [&](Ranks& ranks) {
    try {
      run_together(ranks, [&] {
        if (ranks.rank() == 1) throw InputError({"a.txt", 7}, "no label", "x", "");
        if (ranks.rank() == 2) throw UsageError("never seen");
      });
    } catch (const Error& e) {
      const std::lock_guard lock(mutex);
      messages.insert(e.what());
    }
  };
  for_ranks(3, work);
  EXPECT_EQ(messages.count("a.txt:7: no label: \"x\""), 3u);
}

TEST(Ranks, WhatIsWrongUsageOnOneIsWrongUsageOnAll) {
  EXPECT_THROW(for_ranks(2,
                         [](Ranks& ranks) {
                           run_together(ranks, [&] {
                             if (ranks.rank() == 1) throw UsageError("no such option");
                           });
                         }),
               UsageError);
}

}  // namespace
}  // namespace croft::ranks_test
