// Training of an error-correcting CRF, from files to a model file, or from sequences of a program
// to a model in memory.
#pragma once
#include <functional>
#include <string>

#include "croft/app/train.h"
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

struct CodeWatcher {
  std::function<void(const TrainData&)> data_read;
  std::function<void(std::size_t positions)> reading;
  CodeTraining::Callback bit;  // false: stop
  CodeTraining::Stop stop;     // asked in each iteration
};

struct TrainedCode {
  CodeTraining::Result result;
  ContainerWriter model;
};

// Trains on the sequences of `input`; of the request, files are not looked at, nor is the folder of
// checkpoints.
//   checkpoints : may be null
TrainedCode train_error_correcting_on(const CodeRequest& request, TrainingInput& input,
                                      const CodeWatcher& watcher,
                                      CheckpointFolder* checkpoints = nullptr);

// Reads, trains, writes the model (temporary, sync, rename); its bytes depend on the data and the
// request alone.  Throws as train_model().
CodeTraining::Result train_error_correcting(const CodeRequest& request, const CodeWatcher& watcher);

// The request of an error-correcting model with what it leaves open filled in.
TrainRequest with_code_defaults(TrainRequest request);

}  // namespace croft
