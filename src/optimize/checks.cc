#include "optimize/checks.h"

#include <fmt/format.h>

#include <cmath>

#include "core/words/counted.h"
#include "croft/core/error.h"

namespace croft {

void check_dimension(const BatchFunction& f, std::span<const double> w) {
  if (w.size() != f.dimension()) {
    throw UsageError(
        fmt::format("{} starting weights for a function of {}", w.size(), f.dimension()));
  }
}

void check_start(const Iteration& start) {
  const bool finite_value = std::isfinite(start.objective);
  if (finite_value && std::isfinite(start.gradient_norm)) return;
  throw Error(
      fmt::format("the {} is {} at the starting point; check that the data and the starting "
                  "weights are finite numbers of moderate size",
                  finite_value ? "gradient's norm" : "objective",
                  finite_value ? start.gradient_norm : start.objective));
}

void check_finite(const Iteration& now) {
  if (std::isfinite(now.objective)) return;
  throw Error(
      fmt::format("the objective is {} after {}; attribute values are too large for this "
                  "method (scale them down), or its step or its kernel is",
                  now.objective, counted(now.number, "iteration")));
}

std::string stopped_message(std::size_t iterations) {
  return fmt::format("stopped on request after {}", counted(iterations, "iteration"));
}

void check_positive(std::string_view name, double value) {
  if (!(value > 0) || std::isinf(value)) {
    throw UsageError(fmt::format("{} is {}; it must be a finite number > 0", name, value));
  }
}

void check_at_least_one(std::string_view name, std::size_t value) {
  if (value < 1) throw UsageError(fmt::format("{} is 0; it must be >= 1", name));
}

}  // namespace croft
