#include "train/methods/limits.h"

#include <fmt/format.h>

#include "core/memory.h"

namespace croft {
namespace {

constexpr double kShareOfDual = 0.25, kShareOfSpan = 0.125, kShareOfScratch = 1.0 / 64;
constexpr double kMemoryOfEach = 2e9;  // of processes that train together

std::string in_units(double bytes) {
  return bytes < 1e9 ? fmt::format("{:.0f} MB", bytes / 1e6)
                     : fmt::format("{:.1f} GB", bytes / 1e9);
}

}  // namespace

MethodLimits method_limits(bool alone) {
  const double memory = alone ? usable_memory() : kMemoryOfEach;
  return {.dual_variables = kShareOfDual * memory,
          .span_weights = kShareOfSpan * memory,
          .scratch = kShareOfScratch * memory};
}

std::string bytes_of(double bytes, double limit) {
  return in_units(bytes) + " of " + in_units(limit);
}

}  // namespace croft
