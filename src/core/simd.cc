#include "core/simd.h"

#include <cstdint>
#include <cstdlib>

#include "croft/core/error.h"
#include "hwy/targets.h"

namespace croft {
namespace {

// In Highway's masks a lower bit is a better target.
std::int64_t best(std::int64_t targets) { return targets & -targets; }

// Asked once, before anything is forced: afterwards Highway answers with what was forced.
// The static target is the baseline of the compiler and runs everywhere.
std::int64_t available() {
  static const std::int64_t mask = (hwy::SupportedTargets() & HWY_TARGETS) | HWY_STATIC_TARGET;
  return mask;
}

std::int64_t find(const std::string& name) {
  for (std::int64_t rest = available(); rest != 0; rest &= rest - 1) {
    if (name == hwy::TargetName(best(rest))) return best(rest);
  }
  return 0;
}

void force(const std::string& name, const std::string& where) {
  const std::int64_t target = find(name);
  if (target == 0) {
    std::string valid;
    for (const std::string& each : simd_targets()) valid += (valid.empty() ? "" : ", ") + each;
    throw UsageError(where + "SIMD target " + in_quotes(name) +
                     " is not available here; choose one of " + valid);
  }
  hwy::SetSupportedTargetsForTest(target);  // what Highway detects from now on
  hwy::GetChosenTarget().Update(target);    // what dispatch tables index by
}

}  // namespace

std::vector<std::string> simd_targets() {
  std::vector<std::string> names;
  for (std::int64_t rest = available(); rest != 0; rest &= rest - 1) {
    names.emplace_back(hwy::TargetName(best(rest)));
  }
  return names;
}

std::string simd_target() {
  const std::int64_t targets = available() & hwy::SupportedTargets();
  return hwy::TargetName(targets != 0 ? best(targets) : HWY_STATIC_TARGET);
}

void force_simd_target(const std::string& name) { force(name, ""); }

void apply_simd_environment() {
  const char* name = std::getenv("CROFT_SIMD");
  if (name != nullptr && *name != '\0') force(name, "CROFT_SIMD: ");
}

}  // namespace croft
