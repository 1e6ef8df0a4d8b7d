// Watches a minimisation: calls the callback, applies the stopping rules, writes the summary.
#pragma once
#include <deque>
#include <string>

#include "croft/optimize/result.h"

namespace croft {

// One per minimisation.  Show it the starting point and then every accepted iterate:
//   for (;;) {
//     if (tracker.stop_at(now)) return tracker.result();
//     if (!improve(now)) return tracker.no_progress(evaluations, "…");
//   }
class StopTracker {
 public:
  // Both must outlive the tracker.
  StopTracker(const StoppingRule& rule, const IterationCallback& callback);

  // Calls the callback, then tests the rules (O.16), (O.17).  True: stop here, result() says why.
  // A rule that holds is reported before a callback that returns false: it is the stronger news.
  bool stop_at(const Iteration& now);

  // The result for a method that cannot lower F any further from the last iterate shown.
  //   evaluations : of f in all, the vain ones after that iterate included
  OptimizeResult no_progress(std::size_t evaluations, std::string why);

  const OptimizeResult& result() const { return result_; }

 private:
  bool stop(StopReason reason, std::string message);

  const StoppingRule& rule_;
  const IterationCallback& callback_;
  std::deque<double> objectives_;  // F of the last window + 1 iterates, the oldest first
  OptimizeResult result_;
};

}  // namespace croft
