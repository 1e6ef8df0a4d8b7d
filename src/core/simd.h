// Which SIMD instructions the kernels use: the best of this machine, or the one that is asked for.
//
// Results are the same to the last bit for one build and one target, not from target to target: a
// wider register sums in another order.  Naming a target makes a result repeatable elsewhere.
#pragma once
#include <string>
#include <vector>

namespace croft {

// Targets that this build has and this machine runs, best first: "AVX3", "AVX2", "SSE2", …
std::vector<std::string> simd_targets();

// The one in use.
std::string simd_target();

// From now on every kernel of the process, in whatever library, uses the target `name`.
// Throws UsageError listing simd_targets() where the name is not one of them.
// Call it while no kernel runs: before any other thread starts.
void force_simd_target(const std::string& name);

// Forces the target that the environment variable CROFT_SIMD names; without it, or when it is
// empty, nothing changes.  For front ends, once at their start.  Throws as force_simd_target.
void apply_simd_environment();

}  // namespace croft
