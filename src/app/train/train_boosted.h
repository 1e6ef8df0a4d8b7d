// Gradient tree boosting, from files to a model file, or from sequences of a program.
#pragma once
#include <functional>
#include <string>

#include "app/train/train_segment.h"
#include "croft/app/train.h"
#include "train/boosting/boosting.h"

namespace croft {
class Json;

struct BoostedRequest {
  // Data, output, format and what makes features of it, partial labels, weights (class weights for
  // boosted-maxent), hold-out, checkpoint and seed are looked at; the rest is to be left at its
  // default.
  TrainRequest train;
  std::string kind{kBoostedChain};
  BoostingOptions options;  // seed and label weights come from `train`
  SegmentRequest segments;  // of boosted-segment: all but its `train`
};

// Of boosted-segment: templates, lists and lengths, read and checked, as segment_options() does;
// without a template the length is a number.
SegmentOptions boosted_segment_options(const BoostedRequest& request);
// How the data of a request becomes strings, columns not yet counted.
//   segments : null but for boosted-segment
ExtractionConfig boosted_extraction(const BoostedRequest& request, const SegmentOptions* segments);

struct BoostedWatcher {
  std::function<void(const TrainData&)> data_read;
  std::function<void(std::size_t positions)> reading;  // now and then
  std::function<bool(const BoostingProgress&)> round;  // false: stop and keep the rounds so far
};

struct TrainedBoosted {
  BoostingResult result;
  ContainerWriter model;
};

// Trains on the sequences of `input`; of the request, data and output are not looked at.
//   checkpoints : to keep the state of the training in; may be null
//   segments    : as above
TrainedBoosted train_boosted_on(const BoostedRequest& request, TrainingInput& input,
                                const BoostedWatcher& watcher,
                                CheckpointFolder* checkpoints = nullptr,
                                const SegmentOptions* segments = nullptr);

// Reads, trains, writes the model (temporary, sync, rename); its bytes depend on the data and the
// request alone.  Throws UsageError for options that contradict each other, and Error where the
// output cannot be written, before anything is read; InputError for bad data.
BoostingResult train_boosted(const BoostedRequest& request, const BoostedWatcher& watcher);

}  // namespace croft
