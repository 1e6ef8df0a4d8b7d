#include "train/course/report.h"

#include <fmt/format.h>

#include <cmath>

#include "core/words/counted.h"
#include "croft/core/interrupt.h"

namespace croft {
namespace {

// What is known of the weights that were not trained.
std::string active_set_text(const ActiveSetReport& set, double l1) {
  std::string text =
      fmt::format("trained {} in {}", counted(set.trained, "weight"), counted(set.rounds, "round"));
  if (!set.largest_violation) return text + "; the others were not checked at the end";
  if (*set.largest_violation == 0) return text + "; the others, at 0, are optimal";
  return text + fmt::format("; of the others, at 0, no derivative exceeds l1 by more than {:.2g} %",
                            100 * *set.largest_violation / l1);
}

}  // namespace

std::string holdout_text(const HoldoutScore& score) {
  if (score.log_likelihood) {
    return fmt::format("hold-out log-likelihood {:.6f} a row", *score.log_likelihood);
  }
  return score.chunk_f1 ? fmt::format("hold-out F1 {:.2f}", 100 * *score.chunk_f1)
                        : fmt::format("hold-out accuracy {:.2f}", 100 * score.token_accuracy);
}

TrainStep step_of(const TrainProgress& progress) {
  const Iteration& now = progress.iteration;
  TrainStep step{.text = fmt::format("iteration {}  objective {:.2f}  gradient {:.3g}  active {}",
                                     now.number, now.objective, now.gradient_norm, now.active),
                 .number = now.number,
                 .most = progress.max_iterations,
                 .objective = now.objective,
                 .further = {{"evaluations", now.evaluations},
                             {"gradient_norm", now.gradient_norm},
                             {"weight_norm", now.weight_norm, Shown::program},
                             {"active_features", now.active},
                             {"step", now.step}},
                 .holdout = progress.holdout};
  if (now.gap) {
    step.text += fmt::format("  gap {:.2g}", *now.gap);
    step.further.push_back({"gap", *now.gap});
  }
  return step;
}

TrainStep em_step(const EmProgress& now, std::size_t most, std::size_t starts) {
  const std::string start = starts > 1 ? fmt::format("start {}  ", now.start) : "";
  return {.text = fmt::format("{}iteration {}  objective {:.4f}  log-likelihood {:.4f}", start,
                              now.iteration, now.objective, now.log_likelihood),
          .number = now.iteration,
          .most = most,
          .objective = now.objective,
          .further = {{"start", now.start}, {"log_likelihood", now.log_likelihood}},
          .holdout = now.holdout};
}

TrainOutcome outcome_of(const TrainResult& result, double l1) {
  const OptimizeResult& o = result.optimization;
  TrainOutcome outcome{
      .reason = std::string(stop_reason_name(o.reason)),
      .converged = o.converged(),
      .iterations = o.iterations,
      .objective = o.objective,
      .further = {{"message", o.message},
                  {"evaluations", o.evaluations},
                  {"active_features", result.active, Shown::log},
                  {"gradient_norm", o.gradient_norm, Shown::program},
                  {"weights", result.dimension, Shown::program},
                  {"nonzero_weights", result.active, Shown::program}},
      .holdout = result.holdout,
      .head = fmt::format("{} after {}", o.converged() ? "converged" : "stopped",
                          counted(o.iterations, "iteration")),
      .tail =
          fmt::format(": {}\nobjective {}, {}, {} not zero", o.message,
                      std::isnan(o.objective) ? "not known" : fmt::format("{:.2f}", o.objective),
                      counted(result.dimension, "weight"), result.active)};
  if (o.gap) outcome.further.push_back({"gap", *o.gap});
  if (result.holdout) outcome.tail += ", " + holdout_text(*result.holdout);
  Fields& further = outcome.further;
  if (result.best_iteration) {
    outcome.tail += fmt::format(" (weights of iteration {})", *result.best_iteration);
    further.push_back({"kept_iteration", *result.best_iteration, Shown::log});
    further.push_back({"best_iteration", *result.best_iteration, Shown::program});
  } else {
    further.push_back({"best_iteration", std::monostate(), Shown::program});
  }
  if (!result.active_set) return outcome;
  const ActiveSetReport& set = *result.active_set;
  outcome.tail += "\n" + active_set_text(set, l1);
  further.push_back({"rounds", set.rounds, Shown::log});
  further.push_back({"trained_features", set.trained, Shown::log});
  if (set.largest_violation) {
    further.push_back({"largest_violation", *set.largest_violation, Shown::log});
  }
  return outcome;
}

TrainOutcome outcome_of(const GraphTrainResult& result, double l1) {
  TrainResult shared;
  static_cast<WatchedResult&>(shared) = result;
  TrainOutcome outcome = outcome_of(shared, l1);
  outcome.further.push_back({"objectives", result.objectives, Shown::program});
  return outcome;
}

TrainOutcome em_outcome(const EmResult& result, bool stopped) {
  const std::size_t iterations = result.iterations;
  TrainOutcome outcome{.reason = "max_iterations",
                       .converged = result.converged,
                       .iterations = iterations,
                       .objective = result.objective,
                       .head = "counted"};
  if (iterations > 0) {
    outcome.head = fmt::format("{} after {}", result.converged ? "converged" : "stopped",
                               counted(iterations, "iteration"));
  }
  if (result.gave_up) outcome.tail = ": the hold-out score has not improved";
  if (result.best_iteration) {
    outcome.tail += fmt::format(" (the model of iteration {})", *result.best_iteration);
    outcome.further.push_back({"kept_iteration", *result.best_iteration, Shown::log});
    outcome.further.push_back({"best_iteration", *result.best_iteration, Shown::program});
  }
  if (interruption) {
    outcome.reason = "interrupted";
  } else if (iterations == 0) {
    outcome.reason = "counted";
  } else if (result.converged) {
    outcome.reason = "converged";
  } else if (result.gave_up) {
    outcome.reason = "early_stop";
  } else if (stopped) {
    outcome.reason = "stopped";
  }
  return outcome;
}

}  // namespace croft
