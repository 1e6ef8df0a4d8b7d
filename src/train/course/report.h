// What happens in trainings, and comes of them, as observers are told.
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "train/kinds/chain_training.h"
#include "train/kinds/graph_training.h"
#include "train/observer.h"

namespace croft {

std::string holdout_text(const HoldoutScore& score);

TrainStep step_of(const TrainProgress& now);
// Of a model that is trained by EM.
//   start          : of several, from 0
//   log_likelihood : where it is known apart from the objective
TrainStep em_step(std::optional<std::size_t> start, std::size_t iteration, std::size_t most,
                  double objective, std::optional<double> log_likelihood);

//   l1 : of the penalty
TrainOutcome outcome_of(const TrainResult& result, double l1);
TrainOutcome outcome_of(const GraphTrainResult& result, double l1);
// The reason, and its words, of an EM with so many iterations; 0: what is known was counted, once.
TrainOutcome em_outcome(std::size_t iterations, bool converged, bool stopped,
                        std::optional<double> objective);

}  // namespace croft
