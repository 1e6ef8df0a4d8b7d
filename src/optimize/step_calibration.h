// The first step of a stochastic method, found by trying some on a few samples.
#pragma once
#include <cstddef>
#include <functional>

namespace croft {

// Of first * 2^k the one that lowers the objective most: doubled as long as that helps, or else
// halved.  docs/math/stochastic_optimisation.md section 2
//   at_start : the objective before any step
//   trial    : the objective after some steps of this size, from the start; may be infinite or NaN
// Where none lowers it: the smallest that was tried.
double calibrate_step(double first, double at_start,
                      const std::function<double(double step)>& trial);

}  // namespace croft
