#include "train/course/em.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "train/part_checkpoints.h"

namespace croft {
namespace {

std::string state_of(EmSteps& steps) {
  StateArchive state;
  steps.archive(state);
  return state.bytes();
}

void restore(EmSteps& steps, const std::string& bytes) {
  StateArchive state(bytes);
  steps.archive(state);
  state.finish();
}

void archive(StateArchive& state, EmProgress& now) {
  state(now.iteration);
  state(now.objective);
  state(now.log_likelihood);
  state(now.holdout);
}

// From one start to its end.
class EmRun {
 public:
  EmRun(EmSteps& steps, const EmRules& rules, const EmCallback& see, std::size_t start)
      : steps_(steps), rules_(rules), see_(see), now_{.start = start}, best_(now_) {}

  // Whether it was stopped on request.
  bool run(Checkpointer* checkpoints) {
    const auto state = [&](StateArchive& archive) { this->archive(archive); };
    if (checkpoints == nullptr || !checkpoints->restore(state)) steps_.begin(now_.start);
    bool stopped = false;
    while (!stopped && !ended()) {
      iterate();
      if (checkpoints != nullptr) checkpoints->offer(state);
      stopped = see_ && !see_(now_);
    }
    return stopped;
  }
  // Goes back to the best iteration.
  EmResult finish() {
    EmResult result{.iterations = now_.iteration,
                    .start = now_.start,
                    .converged = converged(),
                    .gave_up = gave_up(),
                    .curve = curve_};
    if (best_.iteration > 0 && best_.iteration < now_.iteration) {
      restore(steps_, best_state_);
      now_ = best_;
      result.best_iteration = best_.iteration;
    }
    result.objective = now_.objective;
    result.log_likelihood = now_.log_likelihood;
    return result;
  }

 private:
  bool converged() const {
    const double scale = std::max(std::abs(now_.objective), rules_.least);
    return now_.iteration > 1 && gain_ <= rules_.tolerance * scale;
  }
  bool gave_up() const {
    return best_.iteration > 0 && now_.iteration >= best_.iteration + rules_.early_stop;
  }
  bool ended() const { return now_.iteration >= rules_.e_steps || converged() || gave_up(); }

  void iterate() {
    if (now_.iteration > 0) steps_.maximise();
    const EmValue value = steps_.expect();
    gain_ = now_.objective - value.objective;
    now_.objective = value.objective;
    now_.log_likelihood = value.log_likelihood;
    ++now_.iteration;
    const bool scored = rules_.early_stop > 0 && rules_.score;
    if (scored) now_.holdout = rules_.score();
    curve_.add(now_.iteration, now_.objective, now_.holdout);
    if (!scored) return;
    if (best_.holdout && !(now_.holdout->score() > best_.holdout->score())) return;
    best_ = now_;
    best_state_ = state_of(steps_);
  }
  void archive(StateArchive& state) {
    croft::archive(state, now_);
    croft::archive(state, best_);
    state(gain_);
    state(curve_);
    state(best_state_);
    steps_.archive(state);
  }

  EmSteps& steps_;
  const EmRules& rules_;
  const EmCallback& see_;
  EmProgress now_, best_;  // best_: by the hold-out; iteration 0: there is none
  double gain_ = 0;
  TrainingCurve curve_;
  std::string best_state_;
};

}  // namespace

EmResult run_em(EmSteps& steps, const EmRules& rules, const EmCallback& see) {
  EmResult found, kept;
  std::string state;
  const TrainStart train = [&](std::size_t start, CheckpointFolder* own) {
    EmRun run(steps, rules, see, start);
    const bool stopped = run.run(own);
    found = run.finish();
    return StartEnd{found.objective, stopped};
  };
  const auto keep = [&](std::size_t) {
    kept = found;
    if (rules.starts > 1 || rules.checkpoints != nullptr) state = state_of(steps);
  };
  best_of_starts(rules.starts, train, keep, rules.checkpoints, [&](StateArchive& archive) {
    archive(kept.objective, kept.log_likelihood, kept.iterations, kept.start, kept.converged,
            kept.best_iteration, kept.gave_up, kept.curve);
    archive(state);
  });
  if (!state.empty()) restore(steps, state);
  return kept;
}

}  // namespace croft
