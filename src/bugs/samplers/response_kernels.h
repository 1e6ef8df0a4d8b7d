// Responses of many predictors at once (SIMD, run-time dispatch): those of responses.h that models
// have by the thousand.  Exponentials and logarithms are within 4 units of the last place.
#pragma once
#include <cstddef>

namespace croft::bugs {

// Numbers by response; slope may be null where it is not asked for.
struct ResponseArrays {
  const double *eta, *a, *b, *w, *beta;
  double* slope;
};

// Each does as many of the first `count` as fill vectors, says how many in `done`, and returns
// their sum; docs/math/bugs_samplers.md section 4.
//   values     : sum of l
//   remainders : sum of l + (w eta / 2 - beta) eta, and its slopes
//   slopes     : only these; the sum is 0
double power_values(const ResponseArrays& r, std::size_t count, std::size_t* done);
double power_remainders(const ResponseArrays& r, std::size_t count, std::size_t* done);
double logit_values(const ResponseArrays& r, std::size_t count, std::size_t* done);
double logit_remainders(const ResponseArrays& r, std::size_t count, std::size_t* done);
double logit_slopes(const ResponseArrays& r, std::size_t count, std::size_t* done);

// Normal numbers that are known to lie between bounds, which may be infinite.
struct IntervalArrays {
  const double *lower, *upper, *weight, *mu, *tau;
};
// sum of weight ln P(lower < x < upper), within some 1e-14 of each where it can be told from
// differences of tails; NaN where one of them is too small for that, or a parameter is none.
//   count : a multiple of kIntervalLanes
double normal_intervals(const IntervalArrays& intervals, std::size_t count);
inline constexpr std::size_t kIntervalLanes = 8;

// out[i] = e^x[i], and 1 / (1 + e^-x[i]); out may be x.
void exponentials(const double* x, double* out, std::size_t count);
void logistics(const double* x, double* out, std::size_t count);

}  // namespace croft::bugs
