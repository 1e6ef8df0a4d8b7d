// EM of generative models: E and M steps in turn, from several starts, of which the best is kept;
// watched, stopped early, and kept between processes as other trainings are.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "model/file/container.h"
#include "train/checkpoint.h"
#include "train/training_watch.h"

namespace croft {

// Of trainings that know nothing of the hold-out: how it is asked after each iteration.
struct EarlyStop {
  std::size_t after = 0;      // iterations without a better score before stopping; 0: never
  std::uint64_t holdout = 0;  // a number for what is held out, for the fingerprint
  std::function<HoldoutScore(const ContainerWriter& model)> score;
};

struct EmValue {
  double objective;       // what EM lowers: minus log-likelihood, minus the log of the prior
  double log_likelihood;  // of what is known, in nats
};

// What differs from model to model.
class EmSteps {
 public:
  virtual ~EmSteps() = default;
  virtual void begin(std::size_t start) = 0;  // the parameters of that start
  virtual void maximise() = 0;                // the parameters of the last expectations
  virtual EmValue expect() = 0;               // at the parameters
  // Everything between an E step and the next M step.
  virtual void archive(StateArchive& state) = 0;
};

// After an E step.
struct EmProgress {
  std::size_t start = 0, iteration = 0;  // from 0, and from 1
  double objective = 0, log_likelihood = 0;
  std::optional<HoldoutScore> holdout{};
};
using EmCallback = std::function<bool(const EmProgress&)>;  // false: stop, and keep the model

struct EmRules {
  std::size_t starts = 1;
  std::size_t e_steps = 100;  // of a start at most, >= 1
  // Stop where the objective gains less than this share of |objective|, or of `least` if that is
  // more.
  double tolerance = 0, least = 1;
  std::size_t early_stop = 0;
  std::function<HoldoutScore()> score{};    // of the model after the last E step
  CheckpointFolder* checkpoints = nullptr;  // with its fingerprint; null: nothing is kept
};

// Of the start that was kept.
struct EmResult {
  double objective = 0, log_likelihood = 0;  // see EmProgress
  std::size_t iterations = 0;                // E steps; 0: nothing was to be found out
  std::size_t start = 0;                     // which one it was
  bool converged = true;  // false: the E steps were too few, or training was stopped
  std::optional<std::size_t> best_iteration{};  // by the hold-out, where it was not the last one
  bool gave_up = false;                         // the hold-out's score has not improved
  TrainingCurve curve{};
};

// Leaves the steps in the state that is kept.
EmResult run_em(EmSteps& steps, const EmRules& rules, const EmCallback& see);

}  // namespace croft
