#include "optimize/stochastic/step_schedule.h"

#include <cmath>

namespace croft {

std::string_view step_schedule_name(StepSchedule schedule) {
  switch (schedule) {
    case StepSchedule::bottou:
      return "bottou";
    case StepSchedule::inverse:
      return "inverse";
    case StepSchedule::inverse_sqrt:
      return "inverse_sqrt";
    case StepSchedule::constant:
      break;
  }
  return "constant";
}

double StepSizes::at(double t) const {
  switch (schedule) {
    case StepSchedule::bottou: {
      const double slow = 1 + lambda * eta0 * t;
      return averaged ? eta0 / std::sqrt(slow * std::sqrt(slow)) : eta0 / slow;
    }
    case StepSchedule::inverse:
      return eta0 / (1 + t / samples);
    case StepSchedule::inverse_sqrt:
      return eta0 / std::sqrt(1 + t / samples);
    case StepSchedule::constant:
      break;
  }
  return eta0 * std::pow(decay, std::floor(t / samples));
}

}  // namespace croft
