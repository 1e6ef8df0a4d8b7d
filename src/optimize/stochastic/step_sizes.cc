#include "optimize/stochastic/step_sizes.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "optimize/stochastic/pass_method.h"
#include "optimize/stochastic/sample_layout.h"

namespace croft {

std::string_view step_schedule_name(StepSchedule schedule) {
  constexpr std::string_view kNames[] = {"bottou", "inverse", "inverse_sqrt", "constant"};
  return kNames[static_cast<std::size_t>(schedule)];
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

namespace {

constexpr double kFirstStep = 0.1;       // that is tried
constexpr std::size_t kMostTrials = 40;  // in one direction: a factor of 10^12

}  // namespace

double calibrate_step(double first, double at_start,
                      const std::function<double(double step)>& trial) {
  double best_step = first, best = trial(first);
  bool useful = best < at_start, doubled = false;
  for (std::size_t k = 0; useful && k < kMostTrials; ++k) {
    const double value = trial(2 * best_step);
    if (!(value < best)) break;
    best = value;
    best_step *= 2;
    doubled = true;
  }
  if (doubled) return best_step;
  double step = first;
  for (std::size_t k = 0; k < kMostTrials; ++k) {
    step /= 2;
    const double value = trial(step);
    if (useful && !(value < best)) break;
    if (value < at_start || !useful) {
      best = value;
      best_step = step;
    }
    useful = value < at_start;
  }
  return best_step;
}

double calibrate_step(
    SampleFunction& f, const Regulariser& regulariser, std::uint64_t seed, std::size_t most,
    std::span<double> w,
    const std::function<void(double step, std::span<const std::uint32_t> samples)>& attempt) {
  std::vector<std::uint32_t> order;
  draw_order(seed, 0, f.samples(), order);
  const auto samples = std::span<const std::uint32_t>(order).first(std::min(most, order.size()));
  const std::vector<double> start(w.begin(), w.end());
  const auto objective = [&] { return sample_objective(f, regulariser, samples, w); };
  return calibrate_step(kFirstStep, objective(), [&](double step) {
    attempt(step, samples);
    const double after = objective();
    std::ranges::copy(start, w.begin());
    return after;
  });
}

}  // namespace croft
