// What a labelling is told in files.
#pragma once
#include <string>

#include "app/label/tag_plan.h"

namespace croft {

// Into `out`, for data of the model's format:
//   constrain : "bio", "bioes" or the path of a constraint file (app/constraint_choice.h)
//   penalties : the path of a penalty file (data/penalty_file.h)
// Empty: none.  Throws Error and InputError as their readers do.
void read_limits(const SequenceModel& model, const std::string& constrain,
                 const std::string& penalties, TagRequest& out);

}  // namespace croft
