// When a minimisation stops, how it is watched, and what its summary says.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "croft/core/state_archive.h"

namespace croft {

// Stop at the first rule that holds.
struct StoppingRule {
  std::size_t max_iterations = 1000;  // 0: evaluate once and stop
  // Of the objective's range over `window` iterations: (max F - min F) / max(1, |F_k|).
  double tolerance = 1e-5;  // >= 0; 0 switches the rule off
  std::size_t window = 10;  // >= 1
  // |gradient| <= gradient_tolerance * max(1, |w|), with the pseudo-gradient where l1 > 0.
  double gradient_tolerance = 1e-5;  // >= 0; 0: only at a gradient of exactly 0
  // (F - D) / max(1, |F|), for methods that know a lower bound D of the minimum.  Their F may rise
  // on the way, so the rule of `tolerance` does not apply to them.  The rule of
  // `gradient_tolerance` applies without its factor, since their gradient_norm is a violation of
  // optimality.
  double gap_tolerance = 1e-4;  // >= 0; 0 switches the rule off
  double target = -1e300;       // stop once F(w) <= target (studies and benchmarks)
  void validate() const;        // throws UsageError naming the field and its range
};

enum class StopReason {
  converged_objective,
  converged_gradient,
  converged_gap,
  target,
  max_iterations,
  stopped,
  no_progress
};
// The enumerator's own name: "converged_objective", …
std::string_view stop_reason_name(StopReason reason);

// State after an iteration, for a progress line, a log, an early stop.
struct Iteration {
  std::size_t number = 0;       // 0: the starting point
  std::size_t evaluations = 0;  // of f so far
  double objective = 0;         // F(w), regulariser included
  // Euclidean norm of F's gradient (pseudo-gradient where l1 > 0).  A dual method has here the
  // largest violation of optimality of an example, in nats or units of cost.
  double gradient_norm = 0;
  double weight_norm = 0;       // |w|, Euclidean
  std::size_t active = 0;       // weights that are not 0
  double step = 0;              // taken along the direction, as a multiple of it
  std::optional<double> gap{};  // (F - D) / max(1, |F|), where the method knows a lower bound D
  std::span<const double> w;    // valid during the call

  void archive(StateArchive& state) {  // all but w
    state(number, evaluations, objective, gradient_norm, weight_norm, active, step, gap);
  }
};

// Called after the starting point and after each iteration; false stops the minimisation cleanly.
using IterationCallback = std::function<bool(const Iteration&)>;

struct OptimizeResult {
  StopReason reason = StopReason::max_iterations;
  std::string message;  // reason in words, with the figures that decided
  double objective = 0;
  double gradient_norm = 0;
  std::size_t iterations = 0, evaluations = 0;
  std::optional<double> gap{};  // of the last iteration, where the method knows a lower bound
  std::string warning{};        // what the function says of itself at the end; empty: nothing
  bool converged() const {
    return reason == StopReason::converged_objective || reason == StopReason::converged_gradient ||
           reason == StopReason::converged_gap || reason == StopReason::target;
  }
};

}  // namespace croft
