// How the steps of a stochastic method shrink.   docs/math/stochastic_optimisation.md section 2
#pragma once
#include <cstddef>
#include <string_view>

namespace croft {

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

}  // namespace croft
