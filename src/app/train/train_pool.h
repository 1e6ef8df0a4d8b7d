// Training of a logarithmic opinion pool, from files to a model file, or from sequences of a
// program to a model in memory.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "croft/app/train.h"
#include "train/kinds/pool_training.h"

namespace croft {

struct PoolRequest {
  // How experts are trained, and the data; of it, what a pool has no use for must be left at its
  // default: early stopping, init, prior, kernel, order, groups of transitions.
  // holdout: what the weights are learnt on; none: the training data.  l2: default 0.
  TrainRequest train;
  PoolOptions pool;
  std::string classes_path;          // lines LABEL CLASS; empty: none
  std::vector<std::string> experts;  // model files
};

struct PoolWatcher {
  std::function<void(const TrainData&)> data_read;
  std::function<void(std::size_t positions)> reading;
  PoolTraining::Callback iteration;  // false: stop
};

struct TrainedPool {
  PoolTraining::Result result;
  ContainerWriter model;
};

// Trains on the sequences of `input`; of the request, files are not looked at, nor is the folder of
// checkpoints.
//   checkpoints : may be null
TrainedPool train_pool_on(const PoolRequest& request, TrainingInput& input,
                          std::span<const std::shared_ptr<const ChainModel>> experts,
                          const PoolWatcher& watcher, CheckpointFolder* checkpoints = nullptr);

// Reads, trains, writes the model (temporary, sync, rename); its bytes depend on the data and the
// request alone.  Throws as train_model().
PoolTraining::Result train_pool(const PoolRequest& request, const PoolWatcher& watcher);

// The request of a pool with what it leaves open filled in.
TrainRequest with_pool_defaults(TrainRequest request);

}  // namespace croft
