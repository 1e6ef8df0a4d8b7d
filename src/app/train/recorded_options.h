// What a model's file says of its training, as options: to train in the same way again.
#pragma once
#include <string>
#include <vector>

#include "core/json.h"
#include "core/option_values.h"
#include "model/kinds/sequence_model.h"

namespace croft {

struct RecordedOption {
  std::string option;    // without dashes
  std::string value;     // empty of a flag; FILE stands for a name that is not recorded
  bool is_file = false;  // of the user's
};
// As the command line has it: one word or two.
std::vector<std::string> words_of(const RecordedOption& option);

// The kind, the form of the data, the files by which data becomes features, and what the training
// record has.  A training that ended at its last iteration names that.
std::vector<RecordedOption> recorded_options(const SequenceModel& model, const Json& record);

// Adds those of the given options that neither the extraction nor the rest of the record tells to
// "options" of the record: an object of numbers and texts, true of a flag, a list of what may be
// given several times; "file" is the name of any file.  What the model does not depend on is left
// out.
void add_options(const OptionValues& given, const ExtractionConfig& extraction, Json& record);

// The first thing that two trainings were told differently, as far as their records and models say
// it, such as "l2 (1 and 0.5)"; empty: they agree.
std::string difference_in_training(const SequenceModel& one, const SequenceModel& other);

}  // namespace croft
