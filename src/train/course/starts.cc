#include "train/course/starts.h"

#include <algorithm>

#include "train/part_checkpoints.h"

namespace croft {

std::vector<double> best_of_starts(std::size_t starts, const TrainStart& train,
                                   const std::function<void(std::size_t start)>& keep,
                                   CheckpointFolder* folder, const Checkpointer::State& kept) {
  std::vector<double> objectives;
  PartCheckpoints checkpoints(folder, starts, [&](StateArchive& state) {
    state(objectives);
    kept(state);
  });
  checkpoints.resume();
  for (std::size_t start = objectives.size(); start < starts; ++start) {
    const StartEnd end = train(start, checkpoints.part(start));
    const auto take = [&] {
      const bool best =
          std::ranges::all_of(objectives, [&](double other) { return end.objective < other; });
      objectives.push_back(end.objective);
      if (best) keep(start);
    };
    if (end.stopped) {
      take();
      break;
    }
    checkpoints.done(start, take);
  }
  return objectives;
}

}  // namespace croft
