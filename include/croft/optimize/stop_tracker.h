// Watches a minimisation: calls the callback, applies the stopping rules, writes the summary.
#pragma once
#include <deque>
#include <string>

#include "croft/core/state_archive.h"
#include "croft/optimize/result.h"

namespace croft {

// Why a method that tried even the steepest descent stops.
inline constexpr std::string_view kNoStep =
    "no step lowers the objective: it is as low as rounding allows; if that is too early, compute "
    "in double precision, or scale very large or very small attribute values";

// One per minimisation.  Show it the starting point and then every accepted iterate:
//   for (;;) {
//     if (tracker.stop_at(now)) return tracker.result();
//     if (!improve(now)) return tracker.no_progress(now, "…");
//   }
class StopTracker {
 public:
  // Both must outlive the tracker.
  StopTracker(const StoppingRule& rule, const IterationCallback& callback);

  // Calls the callback, then tests the rules (O.16), (O.17).  True: stop here, result() says why.
  // A rule that holds is reported before a callback that returns false: it is the stronger news.
  bool stop_at(const Iteration& now);

  // True if most evaluations of the last iterations were in vain: near the end those differences of
  // F that rounding hides.
  bool loses_steps() const;
  // The rules once more, at the iterate of the last stop_at(), of a function that has been refined.
  //   window : values of before count for (O.17), which is about differences
  bool stop_again_at(const Iteration& now, bool window);

  // The result for a method that cannot lower F any further.
  //   last : where w is now, and all evaluations of f, also those in vain
  OptimizeResult no_progress(const Iteration& last, std::string_view why);

  // The result where an iteration was given up: of the last iterate.
  OptimizeResult interrupted(const Iteration& last);

  const OptimizeResult& result() const { return result_; }

  void archive(StateArchive& state) { state(objectives_, evaluations_); }

 private:
  bool a_rule_holds(const Iteration& now);
  bool stop(StopReason reason, std::string message);
  bool stop_on_request(std::size_t iterations);

  const StoppingRule& rule_;
  const IterationCallback& callback_;
  std::deque<double> objectives_;        // F of the last window + 1 iterates, the oldest first
  std::deque<std::size_t> evaluations_;  // likewise, of the last kWatched + 1
  bool go_on_ = true;                    // the callback said so
  OptimizeResult result_;
};

}  // namespace croft
