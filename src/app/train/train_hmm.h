// Training of a hidden Markov model, from files to a model file, or from sequences of a program.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "croft/app/train.h"
#include "train/kinds/hmm_training.h"

namespace croft {
class Json;

struct HmmRequest {
  std::vector<std::string> data;        // at least one; "-" is standard input
  std::vector<std::string> unlabelled;  // more of it, whose labels, if any, are not looked at
  std::string output;
  InputFormat format = InputFormat::columns;  // or attributes
  std::optional<PartialLabels> partial;
  // With options.states, and without `partial`, columns have no label: all are observed.
  HmmOptions options;
};

struct HmmWatcher {
  struct Data {
    std::size_t sequences, positions, hidden, values;
  };
  std::function<void(const Data&)> data_read;
  std::function<void(std::size_t positions)> reading;  // now and then
  std::function<bool(const HmmProgress&)> iteration;   // false: stop and keep the model
};

struct TrainedHmm {
  HmmResult result;
  ContainerWriter model;
};

// How columns become attributes: column c is the track `Uc`.
ExtractionConfig hmm_extraction(InputFormat format, std::size_t columns);

// Trains on the sequences of `input`, those without labels included; of the request `partial` and
// the options are looked at.
TrainedHmm train_hmm_on(const HmmRequest& request, TrainingInput& input, const HmmWatcher& watcher);

// Reads, trains, writes the model (temporary, sync, rename); its bytes depend on the data and the
// request alone.  Throws UsageError for options that contradict each other, and Error where the
// output cannot be written, before anything is read; InputError for bad data.
HmmResult train_hmm(const HmmRequest& request, const HmmWatcher& watcher);

// The options that a training record of this kind tells of, to train in the same way again; the
// seed, too, but no threads.
HmmOptions hmm_options(const Json& training);

}  // namespace croft
