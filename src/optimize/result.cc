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
  constexpr std::string_view kNames[] = {"converged_objective", "converged_gradient",
                                         "converged_gap",       "target",
                                         "max_iterations",      "stopped",
                                         "no_progress"};
  return kNames[static_cast<std::size_t>(reason)];
}

}  // namespace croft
