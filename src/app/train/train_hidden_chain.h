// Training of a chain with hidden states, from files to a model file, or from sequences of a
// program to a model in memory.
#pragma once
#include <functional>
#include <vector>

#include "croft/app/train.h"
#include "train/kinds/hidden_chain_training.h"

namespace croft {

struct HiddenChainRequest {
  // Of it, what has no meaning for a hidden-chain must be left at its default: order, histories,
  // cost, groups of transitions, variances, init, prior, kernel.
  TrainRequest train;
  HiddenChainOptions hidden;
};

struct HiddenChainWatcher {
  std::function<void(const TrainData&)> data_read;
  std::function<void(std::size_t positions)> reading;
  std::function<bool(std::size_t start, const TrainProgress&)> iteration;  // false: stop
};

struct TrainedHiddenChain {
  HiddenChainTraining::Result result;
  ContainerWriter model;
};

// Trains on the sequences of `input`; of the request, files are not looked at, nor is the folder of
// checkpoints.
//   checkpoints : may be null
TrainedHiddenChain train_hidden_chain_on(const HiddenChainRequest& request, TrainingInput& input,
                                         const HiddenChainWatcher& watcher,
                                         CheckpointFolder* checkpoints = nullptr);

// Reads, trains, writes the model (temporary, sync, rename); its bytes depend on the data and the
// request alone.  Throws as train_model().
HiddenChainTraining::Result train_hidden_chain(const HiddenChainRequest& request,
                                               const HiddenChainWatcher& watcher);

}  // namespace croft
