// What gradient tree boosting is asked for.
#pragma once
#include <functional>

#include <string>

#include "app/train/train_request.h"
#include "app/train/train_segment.h"
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

}  // namespace croft
