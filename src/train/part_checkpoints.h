// The checkpoints of a training that consists of several: a pool's experts, a code's bits, the
// starts of a hidden chain.  Its state is what is done, and the states of the parts that run.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "features/chain_data.h"
#include "train/checkpoint.h"
#include "train/train_options.h"

namespace croft {

class PartCheckpoints {
 public:
  //   folder : of the whole training, with its fingerprint; null: nothing is kept
  //   done   : the state of the parts that are done; called one at a time, never beside done()
  PartCheckpoints(CheckpointFolder* folder, std::size_t parts, Checkpointer::State done);

  // Restores what is done; the parts that ran find their states.  False where there is nothing to
  // go on from.
  bool resume();
  // For the training of this part, in any thread; null where nothing is kept.  Whatever fingerprint
  // it is given does not count: the folder's is of all parts.
  CheckpointFolder* part(std::size_t which);
  // `keep` adds this part to what is done, and its state is let go.  Not for a part that was
  // stopped: it goes on from its last state.
  void done(std::size_t which, const std::function<void()>& keep);

 private:
  // TrainOptions has a folder; this one's file is the whole training's.
  class Part final : public CheckpointFolder {
   public:
    Part(PartCheckpoints& all, const CheckpointFolder& folder)
        : CheckpointFolder(folder), all_(all) {}
    bool restore(const State& state) override;
    void offer(const State& state) override;

    std::string bytes;    // its last state; empty: it has none yet, or is done
    bool wanted = false;  // for the file that is written next

   private:
    PartCheckpoints& all_;
  };
  void archive(StateArchive& state);

  CheckpointFolder* folder_;
  Checkpointer::State done_;
  std::mutex lock_;
  std::deque<Part> parts_;
};

// Of chains that are trained on parts of the same data, all with the same options.
//   constraint : of labels; may be null
//   own        : what else decides what the training does, as text
std::uint64_t parts_fingerprint(const ChainEncoder& data, const TrainOptions& options,
                                std::shared_ptr<const ChainConstraint> constraint,
                                std::string_view own);

void archive_result(StateArchive& state, OptimizeResult& result);

// Trainings that begin at several places, of which the one with the least objective is kept.
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
