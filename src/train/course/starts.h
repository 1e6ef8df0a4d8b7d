// Trainings that begin at several places, of which the one with the least objective is kept.
#pragma once
#include <cstddef>
#include <functional>
#include <vector>

#include "train/checkpoint.h"

namespace croft {

struct StartEnd {
  double objective;
  bool stopped;  // on request, and not by itself: there are no further starts
};
// Of one start, from 0, whose own state is kept in `checkpoints`; null: nowhere.
using TrainStart = std::function<StartEnd(std::size_t start, CheckpointFolder* checkpoints)>;

// Returns the objectives.
//   keep   : the start that has just ended is the best so far
//   folder : of the whole training, with its fingerprint; null: nothing is kept
//   kept   : the state of what keep() keeps
std::vector<double> best_of_starts(std::size_t starts, const TrainStart& train,
                                   const std::function<void(std::size_t start)>& keep,
                                   CheckpointFolder* folder, const Checkpointer::State& kept);

}  // namespace croft
