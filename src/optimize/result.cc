#include "croft/optimize/result.h"

#include <fmt/format.h>

#include <cmath>

#include "croft/core/error.h"

namespace croft {

void StoppingRule::validate() const {
  // Written so that NaN fails too.
  if (!(tolerance >= 0))
    throw UsageError(fmt::format("tolerance is {}; it must be >= 0", tolerance));
  if (window < 1) throw UsageError(fmt::format("window is {}; it must be >= 1", window));
  if (!(gradient_tolerance >= 0)) {
    throw UsageError(fmt::format("gradient_tolerance is {}; it must be >= 0", gradient_tolerance));
  }
  if (!(gap_tolerance >= 0)) {
    throw UsageError(fmt::format("gap_tolerance is {}; it must be >= 0", gap_tolerance));
  }
  if (std::isnan(target)) throw UsageError("target is nan; it must be a number");
}

std::string_view stop_reason_name(StopReason reason) {
  switch (reason) {
    case StopReason::converged_objective:
      return "converged_objective";
    case StopReason::converged_gradient:
      return "converged_gradient";
    case StopReason::converged_gap:
      return "converged_gap";
    case StopReason::target:
      return "target";
    case StopReason::max_iterations:
      return "max_iterations";
    case StopReason::stopped:
      return "stopped";
    case StopReason::no_progress:
      return "no_progress";
  }
  return "";
}

}  // namespace croft
