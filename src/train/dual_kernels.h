// SIMD kernels of the dual problems.  Internal.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace croft {

// With p = mu + g delta, number by number: the sums of  -p log p,  -delta log p,  -delta^2 / p.
// The last two leave out what has delta = 0; a p of 0 counts as a very small one.
std::array<double, 3> entropy_sums(std::span<const double> mu, std::span<const double> delta,
                                   double g);

}  // namespace croft
