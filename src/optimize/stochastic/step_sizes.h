// The steps of a stochastic method: the first one, and how they shrink.
// docs/math/stochastic_optimisation.md section 2
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "croft/optimize/function.h"

namespace croft {

// How the steps of a stochastic method shrink.   docs/math/stochastic_optimisation.md section 2
// eta(t) after t samples of a data set of N, from eta0, with lambda = l2 / N:
enum class StepSchedule {
  bottou,        // 1 / (lambda (t + t0)) where t0 = 1 / (lambda eta0); eta0 where l2 = 0
  inverse,       // eta0 / m,        m = 1 + t/N: passes
  inverse_sqrt,  // eta0 / sqrt(m)
  constant       // eta0 decay^p,    p = t/N rounded down
};
// The enumerator's own name: "bottou", …
std::string_view step_schedule_name(StepSchedule schedule);

struct StepSizes {
  StepSchedule schedule = StepSchedule::bottou;
  double eta0 = 0;
  double lambda = 0;
  double samples = 1;  // N
  double decay = 1;    // of `constant`
  // Of averaged SGD: eta0 (1 + lambda eta0 t)^-3/4 in place of bottou's.
  bool averaged = false;
  double at(double t) const;  // (SG.3), (SG.8)
};

// The first step of a stochastic method, found by trying some on a few samples.
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
    std::span<double> w,
    const std::function<void(double step, std::span<const std::uint32_t> samples)>& attempt);

}  // namespace croft
