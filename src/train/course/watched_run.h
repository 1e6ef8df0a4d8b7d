// A run of an optimiser that somebody watches: each iteration is seen with its hold-out score,
// training stops early and goes back to the best iteration, and its state is kept.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "train/checkpoint.h"
#include "train/kinds/chain_training.h"

namespace croft {

using Optimise = std::function<OptimizeResult(std::span<double> w, const IterationCallback& see,
                                              Checkpointer* checkpoints)>;
struct WatchedRun {
  std::size_t max_iterations = 0;
  std::size_t early_stop = 0;
  const TrainingCallback& callback;
  Checkpointer* checkpoints = nullptr;  // null: nothing is kept
  // Of the hold-out's best labels under these weights; empty: nothing is held out.
  std::function<HoldoutScore(std::span<const double> w)> score{};
  Optimise optimise{};
};

// Overwrites the weights, and sets what `result` says of the run and of the weights that are kept.
// Whether training was stopped on request, and not by itself.
bool run_watched(const WatchedRun& run, std::vector<double>& w, WatchedResult& result);
// The same, by train_chain() where nothing else optimises.
bool run_watched(WatchedRun run, const ChainProblem& problem, std::vector<double>& w,
                 WatchedResult& result);

// The end of a run that `watch` has seen: the message of an early stop, and where training went
// back, the best iteration, with its weights in `w`.
std::optional<TrainingWatch::Best> end_watch(TrainingWatch& watch, std::size_t early_stop,
                                             std::vector<double>& w, WatchedResult& result);

// Throws Error for a training from nothing that has not moved.
void require_progress(const OptimizeResult& optimization);

}  // namespace croft
