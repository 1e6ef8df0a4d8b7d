// What happens in trainings, and comes of them, as observers are told.
#pragma once
#include <cstddef>
#include <string>

#include "train/course/em.h"
#include "train/kinds/chain_training.h"
#include "train/kinds/graph_training.h"
#include "train/observer.h"

namespace croft {

std::string holdout_text(const HoldoutScore& score);

TrainStep step_of(const TrainProgress& now);
// Of a model that is trained by EM, with so many iterations at most, from so many starts.
TrainStep em_step(const EmProgress& now, std::size_t most, std::size_t starts = 1);

//   l1 : of the penalty
TrainOutcome outcome_of(const TrainResult& result, double l1);
TrainOutcome outcome_of(const GraphTrainResult& result, double l1);
//   stopped : on request
TrainOutcome em_outcome(const EmResult& result, bool stopped);

}  // namespace croft
