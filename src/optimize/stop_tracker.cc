#include "croft/optimize/stop_tracker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/words/counted.h"
#include "optimize/checks.h"

namespace croft {
namespace {

// A search along a line takes one or two evaluations; so many an iteration, over so many of them,
// are many.
constexpr std::size_t kWatched = 10, kMany = 3;

}  // namespace

StopTracker::StopTracker(const StoppingRule& rule, const IterationCallback& callback)
    : rule_(rule), callback_(callback) {}

bool StopTracker::stop_at(const Iteration& now) {
  objectives_.push_back(now.objective);
  if (objectives_.size() > rule_.window + 1) objectives_.pop_front();
  evaluations_.push_back(now.evaluations);
  if (evaluations_.size() > kWatched + 1) evaluations_.pop_front();
  go_on_ = !callback_ || callback_(now);
  return a_rule_holds(now);
}

bool StopTracker::loses_steps() const {
  return evaluations_.size() > kWatched &&
         evaluations_.back() - evaluations_.front() >= kMany * kWatched;
}

bool StopTracker::stop_again_at(const Iteration& now, bool window) {
  if (!window) objectives_.clear();
  if (!objectives_.empty()) objectives_.pop_back();
  objectives_.push_back(now.objective);
  evaluations_.assign(1, now.evaluations);
  return a_rule_holds(now);
}

bool StopTracker::a_rule_holds(const Iteration& now) {
  result_.objective = now.objective;
  result_.gradient_norm = now.gradient_norm;
  result_.iterations = now.number;
  result_.evaluations = now.evaluations;
  result_.gap = now.gap;
  if (now.objective <= rule_.target) {
    return stop(StopReason::target,
                fmt::format("the objective, {:.10g}, reached the target {:.10g}", now.objective,
                            rule_.target));
  }
  if (now.gap && rule_.gap_tolerance > 0 && *now.gap <= rule_.gap_tolerance) {  // (D.7)
    return stop(StopReason::converged_gap,
                fmt::format("the objective, {:.10g}, is within {:.3g}, relatively, of its minimum: "
                            "the tolerance of the gap is {:g}",
                            now.objective, *now.gap, rule_.gap_tolerance));
  }
  if (now.gap && now.gradient_norm <= rule_.gradient_tolerance) {
    return stop(StopReason::converged_gradient,
                fmt::format("every example is within {:.3g} of what is optimal for it: the "
                            "tolerance is {:g}",
                            now.gradient_norm, rule_.gradient_tolerance));
  }
  const double gradient_bound =
      rule_.gradient_tolerance * std::max(1.0, now.weight_norm);  // (O.16)
  if (!now.gap && now.gradient_norm <= gradient_bound) {
    return stop(StopReason::converged_gradient,
                fmt::format("the gradient's norm, {:.3g}, is within {:.3g} = {:g} * max(1, |w|)",
                            now.gradient_norm, gradient_bound, rule_.gradient_tolerance));
  }
  if (!now.gap && rule_.tolerance > 0 && objectives_.size() > rule_.window) {
    const auto [low, high] = std::ranges::minmax(objectives_);  // (O.17)
    const double change = (high - low) / std::max(1.0, std::abs(now.objective));
    if (change < rule_.tolerance) {
      return stop(StopReason::converged_objective,
                  fmt::format("the objective changed by {:.3g}, relatively, in {}: "
                              "less than the tolerance {:g}",
                              change, counted(rule_.window, "iteration"), rule_.tolerance));
    }
  }
  if (!go_on_) return stop_on_request(now.number);
  if (now.number >= rule_.max_iterations) {
    return stop(
        StopReason::max_iterations,
        fmt::format("all {} are done; not converged{}", counted(rule_.max_iterations, "iteration"),
                    now.gap ? fmt::format(": the objective, {:.10g}, may be {:.3g}, "
                                          "relatively, above its minimum",
                                          now.objective, *now.gap)
                            : ""));
  }
  return false;
}

OptimizeResult StopTracker::no_progress(const Iteration& last, std::string_view why) {
  result_.objective = last.objective;
  result_.gradient_norm = last.gradient_norm;
  result_.evaluations = last.evaluations;
  stop(StopReason::no_progress, std::string(why));
  return result_;
}

OptimizeResult StopTracker::interrupted(const Iteration& last) {
  result_.objective = last.objective;
  stop_on_request(last.number);
  return result_;
}

bool StopTracker::stop_on_request(std::size_t iterations) {
  return stop(StopReason::stopped, stopped_message(iterations));
}

bool StopTracker::stop(StopReason reason, std::string message) {
  result_.reason = reason;
  result_.message = std::move(message);
  return true;
}

}  // namespace croft
