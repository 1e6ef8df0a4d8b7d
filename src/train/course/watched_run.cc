#include "train/course/watched_run.h"

#include "core/vector_math.h"

namespace croft {

std::optional<TrainingWatch::Best> end_watch(TrainingWatch& watch, std::size_t early_stop,
                                             std::vector<double>& w, WatchedResult& result) {
  OptimizeResult& optimization = result.optimization;
  if (watch.gave_up() && optimization.reason == StopReason::stopped) {
    optimization.message =
        "the hold-out score has not improved for " + std::to_string(early_stop) + " iterations";
  }
  result.holdout = watch.last_score();
  result.curve = watch.curve();
  std::optional<TrainingWatch::Best> best = watch.go_back();
  if (!best) return best;
  w = std::move(best->weights);
  result.best_iteration = best->iteration;
  optimization.objective = best->objective;  // what is reported is of the weights kept
  optimization.gradient_norm = best->gradient_norm;
  result.holdout = best->score;
  return best;
}

bool run_watched(const WatchedRun& run, std::vector<double>& w, WatchedResult& result) {
  TrainingWatch watch(run.max_iterations, run.early_stop, run.callback);
  NestedCheckpoints checkpoints(run.checkpoints,
                                [&](StateArchive& state) { watch.archive(state); });
  checkpoints.resume();
  const auto see = [&](const Iteration& now) {
    std::optional<HoldoutScore> score;
    if (run.score && !now.w.empty()) score = run.score(now.w);
    return watch.see(now, score, nullptr);
  };
  result.optimization = run.optimise(w, see, &checkpoints);
  end_watch(watch, run.early_stop, w, result);
  result.dimension = w.size();
  result.active = count_nonzero(w);
  return result.optimization.reason == StopReason::stopped && !watch.gave_up();
}

bool run_watched(WatchedRun run, const ChainProblem& problem, std::vector<double>& w,
                 WatchedResult& result) {
  ChainFindings findings;
  if (!run.optimise) {
    run.optimise = [&](std::span<double> at, const IterationCallback& see, Checkpointer* own) {
      return train_chain(problem, at, see, own, findings);
    };
  }
  return run_watched(run, w, result);
}

void require_progress(const OptimizeResult& optimization) {
  if (optimization.reason == StopReason::no_progress && optimization.iterations == 0) {
    throw Error("training got nowhere: " + optimization.message);
  }
}

}  // namespace croft
