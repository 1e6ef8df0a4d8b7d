// What all optimisers have in common: they go from iterate to iterate, and can be interrupted.
#pragma once
#include <functional>
#include <string_view>

#include "croft/core/state_archive.h"
#include "croft/optimize/result.h"
#include "croft/optimize/stop_tracker.h"

namespace croft {

// One run of one method.  An iteration is an accepted step of a batch method, a pass over the
// samples of a stochastic one.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  virtual const Iteration& now() const = 0;  // at first the starting point
  virtual std::size_t evaluations() const { return now().evaluations; }  // also those in vain
  // False: no way to go on, stuck() says why.  Interrupted: this iteration was given up, and w is
  // the iterate.
  virtual bool iterate() = 0;
  virtual std::string_view stuck() const { return kNoStep; }
  // Has the function refined, and evaluates it at the iterate anew.  False: it cannot be.
  virtual bool refine() { return false; }
  // Everything that iterate() depends on, w included: a run that reads it goes on as the one that
  // wrote it would have, to the last bit.
  virtual void archive(StateArchive& state) = 0;
};

// Keeps the state of a run between processes.
class Checkpointer {
 public:
  virtual ~Checkpointer() = default;
  using State = std::function<void(StateArchive&)>;
  // Hands a reading archive to `state` and returns true where there is one to go on from.
  virtual bool restore(const State& state) = 0;
  // Called after each iteration; may hand a writing archive to `state`, and keep it.
  virtual void offer(const State& state) = 0;
};

// Runs until a rule holds, the callback returns false, or there is no way to go on.  A function
// that can be refined is where steps get lost in its rounding or where a rule holds: the rule must
// hold of the refined function, too.
//   checkpoints : may be null
OptimizeResult minimize(Optimizer& method, const StoppingRule& rule,
                        const IterationCallback& callback, Checkpointer* checkpoints = nullptr);

}  // namespace croft
