// The course of EM: its end, its starts, early stopping, states between processes.
#include "train/course/em.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <vector>

namespace croft {
namespace {

namespace fs = std::filesystem;

// Newton's way to the square root of two as steps of EM: of each start another place to begin.
class Roots final : public EmSteps {
 public:
  void begin(std::size_t start) override { x = 2 + static_cast<double>(start); }
  void maximise() override { x = (x + 2 / x) / 2; }
  EmValue expect() override {
    ++steps;
    if (steps == dies_at) throw std::runtime_error("killed");
    return {x, -x};
  }
  void archive(StateArchive& state) override { state(x); }

  double x = 0;
  std::size_t steps = 0, dies_at = 0;
};

TEST(Em, EndsWhereTheObjectiveGainsLessThanItsShare) {
  Roots roots;
  const EmResult result = run_em(roots, {.e_steps = 100, .tolerance = 1e-3}, {});
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.iterations, 5u);  // 2, 1.5, 1.41667, 1.414216, 1.414214
  EXPECT_EQ(result.objective, roots.x);
  EXPECT_FALSE(run_em(roots, {.e_steps = 3, .tolerance = 1e-3}, {}).converged);
}

TEST(Em, KeepsTheBestStartAndStopsOnRequest) {
  Roots roots;
  std::vector<std::size_t> seen;
  const auto see = [&](const EmProgress& now) {
    seen.push_back(now.start);
    return now.start < 2;
  };
  const EmResult result = run_em(roots, {.starts = 4, .e_steps = 2, .tolerance = 0}, see);
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 0, 1, 1, 2}));
  EXPECT_EQ(result.start, 0u);
  EXPECT_EQ(roots.x, 1.5);  // the state of the best start, not of the last one
}

TEST(Em, GoesBackToTheBestIterationByTheHoldout) {
  Roots roots;
  // Scores 0, 1, 2, 0, 0, …: the third one is the best.
  std::vector<double> scores;
  EmRules rules{.e_steps = 100, .tolerance = 0, .early_stop = 2};
  rules.score = [&] {
    const double score = scores.size() < 3 ? static_cast<double>(scores.size()) : 0;
    scores.push_back(score);
    return HoldoutScore{.token_accuracy = score, .chunk_f1 = {}};
  };
  const EmResult result = run_em(roots, rules, {});
  EXPECT_TRUE(result.gave_up);
  EXPECT_EQ(result.iterations, 5u);
  EXPECT_EQ(result.best_iteration, 3u);
  EXPECT_EQ(roots.x, result.objective);
  EXPECT_NEAR(roots.x, 17.0 / 12, 1e-15);
}

TEST(Em, GoesOnToTheSameResultWhereverItWasKilled) {
  const fs::path path = fs::temp_directory_path() / ("croft_em_" + std::to_string(::getpid()));
  const auto score = [](const Roots& roots) {
    return HoldoutScore{.token_accuracy = std::abs(roots.x - 1.45),
                        .chunk_f1 = {}};  // the fewer steps the better
  };
  const auto run = [&](Roots& roots, CheckpointFolder* folder) {
    EmRules rules{.starts = 3, .e_steps = 6, .tolerance = 0, .early_stop = 4};
    rules.score = [&] { return score(roots); };
    rules.checkpoints = folder;
    return run_em(roots, rules, {});
  };
  Roots whole;
  const EmResult wanted = run(whole, nullptr);
  for (std::size_t killed = 2; killed <= whole.steps; ++killed) {
    fs::remove_all(path);
    {
      CheckpointFolder folder(path, false, std::chrono::seconds(0));
      Roots roots;
      roots.dies_at = killed;
      EXPECT_THROW(run(roots, &folder), std::runtime_error);
    }
    CheckpointFolder folder(path, true, std::chrono::seconds(0));
    Roots roots;
    const EmResult found = run(roots, &folder);
    EXPECT_EQ(roots.steps, whole.steps - killed + 1) << killed;
    EXPECT_EQ(roots.x, whole.x) << killed;
    EXPECT_EQ(found.objective, wanted.objective) << killed;
    EXPECT_EQ(found.start, wanted.start) << killed;
    EXPECT_EQ(found.best_iteration, wanted.best_iteration) << killed;
    EXPECT_EQ(found.iterations, wanted.iterations) << killed;
  }
  fs::remove_all(path);
}

}  // namespace
}  // namespace croft
