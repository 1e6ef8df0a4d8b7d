#include "app/search/search.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>

#include "app/search/search_plan.h"
#include "app/train/train_request.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/core/random.h"

namespace croft::search_test {
namespace {

TEST(SearchRungs, KeepOneInEtaWithEtaTimesTheData) {
  const auto rungs = search_rungs(27, 3, 0.01);
  ASSERT_EQ(rungs.size(), 4u);
  const std::size_t in[] = {27, 9, 3, 1};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(rungs[k].candidates, in[k]);
    EXPECT_NEAR(rungs[k].share, std::pow(3.0, static_cast<double>(k) - 3), 1e-12);
  }
  EXPECT_NEAR(search_cost(rungs), 4, 1e-12);
}

TEST(SearchRungs, AreAsFewAsTheSmallestShareAllows) {
  const auto rungs = search_rungs(27, 3, 0.2);
  ASSERT_EQ(rungs.size(), 2u);
  EXPECT_EQ(rungs[0].candidates, 27u);
  EXPECT_EQ(rungs[1].candidates, 9u);
  EXPECT_EQ(search_rungs(1, 3, 0.01).size(), 1u);
  EXPECT_EQ(search_rungs(10, 3, 1).size(), 1u);
}

TEST(SearchParameters, AreReadAsTheyAreWritten) {
  const SearchParameter list = parse_search_values("min-count=1,2,5");
  EXPECT_EQ(list.option, "min-count");
  EXPECT_EQ(list.values, (std::vector<std::string>{"1", "2", "5"}));
  const SearchParameter range = parse_search_range("--l2=1e-3:10:log");
  EXPECT_EQ(range.option, "l2");
  EXPECT_EQ(range.low, 1e-3);
  EXPECT_EQ(range.high, 10);
  EXPECT_EQ(range.scale, SearchParameter::Scale::log);
  EXPECT_EQ(parse_search_range("n=1:9:int").scale, SearchParameter::Scale::integer);
  EXPECT_EQ(parse_search_range("n=-1:9").scale, SearchParameter::Scale::linear);
}

TEST(SearchParameters, ThatMakeNoSenseAreRefused) {
  for (const char* text : {"l2", "l2=", "=1:2", "l2=1", "l2=2:1", "l2=1:1", "l2=0:1:log", "l2=a:b",
                           "l2=1:2:lin", "l2=1:2:log:x", "n=1.5:3:int", "l2=1:inf"}) {
    EXPECT_THROW(parse_search_range(text), UsageError) << text;
  }
  for (const char* text : {"l2", "l2=", "=1", "l2=1,,2", "l2=1,1"}) {
    EXPECT_THROW(parse_search_values(text), UsageError) << text;
  }
}

using Groups = std::vector<std::size_t>;

// Every fold against the definition, on random groups.
TEST(SearchPlan, NeverDividesAGroupAndTestsEverySequenceOnce) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    SearchSettings settings;
    settings.parameters = {parse_search_values("l2=1,2")};
    settings.seed = seed;
    settings.folds = 2 + random.below(3);
    settings.contiguous = seed % 2 == 0;
    const std::size_t sequences = 40;
    Groups groups;
    for (std::size_t k = 0, group = 0; k < sequences; ++k) {
      if (k > 0 && random.uniform() < 0.5) ++group;
      groups.push_back(group);
    }
    const SearchPlan plan(settings, sequences, groups);
    std::vector<int> tested(sequences, 0);
    for (std::size_t fold = 0; fold < settings.folds; ++fold) {
      const Groups test = plan.test_of(fold), train = plan.training_of(1, fold);
      EXPECT_EQ(test.size() + train.size(), sequences);
      if (settings.contiguous) {
        EXPECT_EQ(test.back() - test.front() + 1, test.size());
      }
      for (const std::size_t a : test) {
        ++tested[a];
        for (const std::size_t b : train) EXPECT_NE(groups[a], groups[b]);
      }
      const Groups few = plan.training_of(0.2, fold);
      EXPECT_TRUE(std::ranges::includes(train, few));
    }
    EXPECT_EQ(tested, std::vector<int>(sequences, 1));
  }
}

TEST(SearchPlan, ContiguousFoldsOfEqualSequencesAreEqualParts) {
  SearchSettings settings;
  settings.parameters = {parse_search_values("l2=1,2")};
  settings.contiguous = true;
  const SearchPlan plan(settings, 9);
  EXPECT_EQ(plan.test_of(0), (Groups{0, 1, 2}));
  EXPECT_EQ(plan.test_of(1), (Groups{3, 4, 5}));
  EXPECT_EQ(plan.test_of(2), (Groups{6, 7, 8}));
}

TEST(SearchPlan, RefusesMoreFoldsThanGroups) {
  SearchSettings settings;
  settings.parameters = {parse_search_values("l2=1,2")};
  EXPECT_THROW(SearchPlan(settings, 4, Groups{0, 0, 1, 1}), UsageError);
  settings.contiguous = true;
  EXPECT_THROW(SearchPlan(settings, 10, Groups{0, 0, 0, 0, 0, 0, 0, 0, 1, 2}), UsageError);
}

// Texts of one word in six, each of a class; `noise` is the share of labels drawn at random.
class SearchTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("croft-search-test-" + std::to_string(::getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    interruption = false;
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
    interruption = false;
  }
  SearchRequest request(double noise) {
    Random random(3);
    std::ofstream out(path("data"));
    for (int n = 0; n < 240; ++n) {
      const std::size_t word = random.below(6);
      const std::size_t label = random.uniform() < noise ? random.below(2) : word % 2;
      out << (label == 0 ? "even" : "odd") << "\tw" << word << " x" << random.below(3) << "\n";
    }
    SearchRequest r;
    r.data = {path("data")};
    r.format = InputFormat::text;
    r.parameters = {parse_search_values("l2=0.001,0.1,10,1000")};
    r.metric = SearchMetric::log_loss;
    return r;
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // `croft train --model maxent --format text`, as far as these tests have options.
  static void train(const std::vector<std::string>& arguments) {
    TrainRequest r;
    r.format = InputFormat::text;
    r.options.kind = ChainKind::maxent;
    for (const std::string& each : arguments) {
      if (each.starts_with("--l2=")) r.l2 = std::stod(each.substr(5));
      if (each.starts_with("--l1=")) r.options.regulariser.l1 = std::stod(each.substr(5));
      if (each.starts_with("--max-iterations=")) r.max_iterations = std::stoul(each.substr(17));
      if (each.starts_with("--output=")) r.output = each.substr(9);
    }
    r.data = {arguments.back()};
    train_model(r);
  }

  std::filesystem::path folder_;
};

TEST_F(SearchTest, TheBestPenaltyIsSmallWhereLabelsAreSureAndLargeWhereTheyAreNoise) {
  for (const double noise : {0.0, 1.0}) {
    const SearchedSettings found = search_settings(request(noise), {train, {}});
    EXPECT_TRUE(found.complete);
    EXPECT_EQ(found.best().values[0], noise == 0 ? "0.001" : "1000");
    ASSERT_EQ(found.rungs.size(), 3u);  // 4, 2 and 1 of them
    EXPECT_EQ(found.best().rungs.size(), 3u);
    EXPECT_EQ(found.candidates.back().rungs.size(), 1u);
  }
}

TEST_F(SearchTest, IsTheSameForAnyNumberOfThreads) {
  SearchRequest r = request(0.3);
  r.parameters = {parse_search_range("l2=0.01:100:log"), parse_search_range("l1=0:2")};
  r.candidates = 9;
  r.seed = 5;
  const std::string one = to_json(search_settings(r, {train, {}})).dump();
  r.threads = 3;
  EXPECT_EQ(to_json(search_settings(r, {train, {}})).dump(), one);
  r.seed = 6;
  EXPECT_NE(to_json(search_settings(r, {train, {}})).dump(), one);
}

// Ctrl-C after some of the trainings, and once more later.
TEST_F(SearchTest, GoesOnFromItsStateToTheSameResult) {
  SearchRequest r = request(0.3);
  const std::string whole = to_json(search_settings(r, {train, {}})).dump();
  r.state = path("state");
  std::size_t trainings = 0;
  const auto interrupted = [&](std::size_t after) {
    return [&trainings, after](const std::vector<std::string>& arguments) mutable {
      ++trainings;
      train(arguments);
      if (--after == 0) interruption = true;
    };
  };
  const SearchedSettings first = search_settings(r, {interrupted(5), {}});
  EXPECT_FALSE(first.complete);
  r.resume = true;
  interruption = false;
  EXPECT_FALSE(search_settings(r, {interrupted(9), {}}).complete);
  interruption = false;
  const SearchedSettings last = search_settings(r, {interrupted(1000), {}});
  EXPECT_EQ(to_json(last).dump(), whole);
  EXPECT_EQ(format_table(last).find("nan"), std::string::npos);
  // Three folds of 4, 2 and 1 settings, and the two that were cut off again.
  EXPECT_EQ(trainings, 21u + 2u);
  EXPECT_THROW(search_settings(
                   [&] {
                     SearchRequest other = r;
                     other.seed = 9;
                     return other;
                   }(),
                   {train, {}}),
               Error);
  r.resume = false;
  EXPECT_THROW(search_settings(r, {train, {}}), UsageError);
}

TEST_F(SearchTest, MayGiveIterationsInThePlaceOfData) {
  SearchRequest r = request(0.2);
  r.resource = SearchResource::iterations;
  EXPECT_THROW(search_settings(r, {train, {}}), UsageError);
  r.iterations = 18;
  std::vector<std::string> seen;
  const SearchedSettings found =
      search_settings(r, {[&](const std::vector<std::string>& arguments) {
                            for (const std::string& each : arguments) {
                              if (each.starts_with("--max-it")) seen.push_back(each);
                            }
                            train(arguments);
                          },
                          {}});
  EXPECT_EQ(seen.front(), "--max-iterations=2");
  EXPECT_EQ(seen.back(), "--max-iterations=18");
  EXPECT_TRUE(found.complete);
}

TEST_F(SearchTest, TakesAsManyCandidatesAsTheBudgetAllows) {
  SearchRequest r = request(0.2);
  r.parameters = {parse_search_range("l2=0.01:100:log")};
  r.budget = 2;
  const SearchedSettings found = search_settings(r, {train, {}});
  EXPECT_LE(search_cost(found.rungs), 2);
  EXPECT_GT(search_cost(search_rungs(found.candidates.size() + 1, r.eta, r.smallest)), 2);
  r.candidates = 27;
  EXPECT_THROW(search_settings(r, {train, {}}), UsageError);
}

TEST_F(SearchTest, SaysWhichSettingWasRefused) {
  SearchRequest r = request(0.2);
  try {
    search_settings(r, {[](const std::vector<std::string>&) { throw UsageError("no"); }, {}});
    ADD_FAILURE();
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()), "--l2=0.001: no");
  }
}

TEST_F(SearchTest, DrawsWhatItFound) {
  const std::string svg = search_svg(search_settings(request(0.2), {train, {}}));
  EXPECT_NE(svg.find(">l2</text>"), std::string::npos);
  std::size_t circles = 0;
  for (std::size_t at = 0; (at = svg.find("<circle", at)) != std::string::npos; ++at) ++circles;
  EXPECT_EQ(circles, 7u + 3u);  // 4 + 2 + 1 scores, and three in the legend
}

TEST(ShellWords, AreReadBackByAShell) {
  EXPECT_EQ(shell_words({"--l2=0.1", "a b", "it's", ""}), "--l2=0.1 'a b' 'it'\\''s' ''");
}

}  // namespace
}  // namespace croft::search_test
