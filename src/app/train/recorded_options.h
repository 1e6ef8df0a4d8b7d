// What a model's file says of its training, as options: to train in the same way again.
#pragma once
#include <string>
#include <vector>

#include "core/json.h"
#include "model/kinds/sequence_model.h"

namespace croft {

struct RecordedOption {
  std::string option;    // without dashes
  std::string value;     // empty of a flag, and of a file
  bool is_file = false;  // of the user's, whose name is not recorded
};

// The kind, the form of the data, the files by which data becomes features, and what the training
// record has.  Numbers of iterations and tolerances are not recorded, but a
// training that ended at its last iteration names that.
std::vector<RecordedOption> recorded_options(const SequenceModel& model, const Json& record);

// The first thing that two trainings were told differently, as far as their records and models say
// it, such as "l2 (1 and 0.5)"; empty: they agree.
std::string difference_in_training(const SequenceModel& one, const SequenceModel& other);

}  // namespace croft
