// What the training of a chain with hidden states is asked for.
#pragma once
#include "app/train/train_request.h"
#include "train/kinds/hidden_chain_training.h"

namespace croft {

struct HiddenChainRequest {
  // Of it, what has no meaning for a hidden-chain must be left at its default: order, histories,
  // cost, groups of transitions, variances, init, prior, kernel.
  TrainRequest train;
  HiddenChainOptions hidden;
};

}  // namespace croft
