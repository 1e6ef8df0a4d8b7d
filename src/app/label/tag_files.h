// What a labelling is told in files.
#pragma once
#include <span>
#include <string>

#include "app/label/tag_plan.h"
#include "croft/data/line_reader.h"
#include "croft/structure/chain_constraint.h"

namespace croft {

// A constraint by name, or by the file that says it.
//   choice : "bio", "bioes", or the path of a constraint file (one called bio is ./bio)
// Throws Error where the labels do not fit bio or bioes, or the file cannot be read; InputError as
// read_constraint().
ChainConstraint choose_constraint(const std::string& choice, std::span<const std::string> names);

// The file that a choice names, when it is neither of these words.  Throws UsageError where there
// is none and a word may have been meant; Error where it cannot be read.
LineReader constraint_lines(const std::string& choice);

// Into `out`, for data of the model's format:
//   constrain : "bio", "bioes" or the path of a constraint file
//   penalties : the path of a penalty file (data/settings/field_files.h)
// Empty: none.  Throws Error and InputError as their readers do.
void read_limits(const SequenceModel& model, const std::string& constrain,
                 const std::string& penalties, TagRequest& out);

}  // namespace croft
