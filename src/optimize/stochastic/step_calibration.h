// The first step of a stochastic method, found by trying some on a few samples.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "croft/optimize/function.h"

namespace croft {

inline constexpr double kFirstStep = 0.1;  // that the calibration of SGD tries

// Of first * 2^k the one that lowers the objective most: doubled as long as that helps, or else
// halved.  docs/math/stochastic_optimisation.md section 2
//   at_start : the objective before any step
//   trial    : the objective after some steps of this size, from the start; may be infinite or NaN
// Where none lowers it: the smallest that was tried.
double calibrate_step(double first, double at_start,
                      const std::function<double(double step)>& trial);

// The same for a method over samples, tried on a few of an order that no pass uses.
//   most    : samples to try on
//   w       : the iterate; where it was in the end
//   attempt : goes through the samples from w with this step, and forgets what else it learnt
double calibrate_step(
    SampleFunction& f, const Regulariser& regulariser, std::uint64_t seed, std::size_t most,
    std::span<double> w, double first,
    const std::function<void(double step, std::span<const std::uint32_t> samples)>& attempt);

}  // namespace croft
