// What the training of a logarithmic opinion pool is asked for.
#pragma once
#include <string>
#include <vector>

#include "app/train/train_request.h"
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

}  // namespace croft
