// What the training of an error-correcting CRF is asked for.
#pragma once
#include <string>

#include "app/train/train_request.h"
#include "train/kinds/code_training.h"

namespace croft {

struct CodeRequest {
  // How the binary chains are trained, and the data; of it, what they have no use for must be left
  // at its default: constraint, early stopping, init, prior, kernel, order, cost, groups of
  // transitions.  holdout: what minimum-loss chooses by.
  TrainRequest train;
  CodeOptions code;       // words: of code_path
  std::string code_path;  // lines LABEL BITS; empty: none
};

}  // namespace croft
