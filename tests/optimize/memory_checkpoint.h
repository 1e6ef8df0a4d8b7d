// Checkpoints in memory, and the test that every optimiser has to pass with them.
#pragma once
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "croft/optimize/optimizer.h"

namespace croft {

// Keeps the bytes of every offer; goes on from those it is given, if any.
class MemoryCheckpoint : public Checkpointer {
 public:
  MemoryCheckpoint() = default;
  explicit MemoryCheckpoint(std::string start) : start_(std::move(start)), has_start_(true) {}

  bool restore(const State& state) override {
    if (!has_start_) return false;
    StateArchive archive(start_);
    state(archive);
    archive.finish();
    return true;
  }
  void offer(const State& state) override {
    StateArchive archive;
    state(archive);
    offers.push_back(archive.bytes());
  }

  std::vector<std::string> offers;

 private:
  std::string start_;
  bool has_start_ = false;
};

// Runs to the end; then again from what was kept after each iteration, with other starting weights,
// and expects the same weights and the same result to the last bit.
//   run : the method on a function made anew, from w to the end
// Returns the number of resumptions.
using CheckpointedRun = std::function<OptimizeResult(std::vector<double>& w, Checkpointer*)>;
inline std::size_t expect_resumed_runs_to_agree(const std::vector<double>& start,
                                                const CheckpointedRun& run) {
  MemoryCheckpoint all;
  std::vector<double> expected = start;
  const OptimizeResult result = run(expected, &all);
  for (std::size_t k = 0; k < all.offers.size(); ++k) {
    MemoryCheckpoint from(all.offers[k]);
    std::vector<double> w(start.size(), 0.25);
    const OptimizeResult resumed = run(w, &from);
    EXPECT_EQ(w, expected) << "resumed after iteration " << k + 1;
    EXPECT_EQ(resumed.objective, result.objective);
    EXPECT_EQ(resumed.iterations, result.iterations);
    EXPECT_EQ(resumed.evaluations, result.evaluations);
    EXPECT_EQ(resumed.message, result.message);
    EXPECT_EQ(from.offers.size(), all.offers.size() - k - 1);
  }
  return all.offers.size();
}

}  // namespace croft
