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
      if (!method.iterate()) {
        Iteration last = method.now();
        last.evaluations = method.evaluations();
        return tracker.no_progress(last, method.stuck());
      }
    } catch (const Interrupted&) {
      return tracker.interrupted(method.now());
    }
    check_finite(method.now());
    if (tracker.stop_at(method.now())) return tracker.result();
    if (checkpoints != nullptr) checkpoints->offer(state);
  }
}

}  // namespace croft
