#include "croft/optimize/optimizer.h"

#include <cmath>

#include "croft/core/interrupt.h"
#include "optimize/checks.h"

namespace croft {

OptimizeResult minimize(Optimizer& method, const StoppingRule& rule,
                        const IterationCallback& callback, Checkpointer* checkpoints) {
  StopTracker tracker(rule, callback);
  const auto state = [&](StateArchive& archive) {
    tracker.archive(archive);
    method.archive(archive);
  };
  const bool resumed = checkpoints != nullptr && checkpoints->restore(state);
  if (!resumed) {
    if (std::isnan(method.now().objective) && interruption)
      return tracker.interrupted(method.now());
    check_start(method.now());
    if (tracker.stop_at(method.now())) return tracker.result();
  }
  for (;;) {
    try {
      const bool moved = method.iterate();
      if (moved) check_finite(method.now());
      const bool stop = moved && tracker.stop_at(method.now());
      if (stop && !tracker.result().converged()) return tracker.result();
      const bool lost = !moved || tracker.loses_steps();
      if ((stop || lost) && method.refine()) {
        check_finite(method.now());
        if (tracker.stop_again_at(method.now(), !lost)) return tracker.result();
      } else if (!moved) {
        Iteration last = method.now();
        last.evaluations = method.evaluations();
        return tracker.no_progress(last, method.stuck());
      } else if (stop) {
        return tracker.result();
      }
    } catch (const Interrupted&) {
      return tracker.interrupted(method.now());
    }
    if (checkpoints != nullptr) checkpoints->offer(state);
  }
}

}  // namespace croft
