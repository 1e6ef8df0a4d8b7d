// What optimisers check before they move, and on the way.
#pragma once
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "croft/core/interrupt.h"
#include "croft/core/parallel.h"
#include "croft/optimize/function.h"
#include "croft/optimize/optimizer.h"
#include "croft/optimize/result.h"

namespace croft {

// Throws UsageError where w has not f.dimension() numbers.
void check_dimension(const BatchFunction& f, std::span<const double> w);

// Throws Error where the objective or its gradient is not finite at the starting point.
void check_start(const Iteration& start);

// Throws Error where the objective of a later iterate is not.
void check_finite(const Iteration& now);

// Throws UsageError unless `value` is a finite number > 0.
void check_positive(std::string_view name, double value);
// Throws UsageError where `value` is 0.
void check_at_least_one(std::string_view name, std::size_t value);

// What the result of a run that a request has ended says.
std::string stopped_message(std::size_t iterations);

// Runs work that may be given up (core/interrupt.h).  False: it was.
template <class Work>
bool unless_interrupted(const Work& work) {
  const Abandonable given_up;
  try {
    work();
  } catch (const Interrupted&) {
    return false;
  }
  return true;
}

// A starting point of which an interruption left nothing known.
inline Iteration unknown_iteration() {
  Iteration unknown;
  unknown.objective = std::numeric_limits<double>::quiet_NaN();
  return unknown;
}

// How methods that see all samples at once begin and end.
// Checks what every such method asks for, and runs Run(f, regulariser, w, options, pool, more...).
template <class Run, class Function, class Options, class... More>
OptimizeResult minimise_checked(Function& f, const Regulariser& regulariser, std::span<double> w,
                                const Options& options, ThreadPool& pool,
                                const IterationCallback& callback, Checkpointer* checkpoints,
                                const More&... more) {
  options.validate();
  regulariser.validate();
  check_dimension(f, w);
  Run run(f, regulariser, w, options, pool, more...);
  return minimize(run, options.stop, callback, checkpoints);
}

}  // namespace croft
