// What is in a model with joint features.  docs/inspect.md defines every line and field.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "model/kinds/joint_model.h"

namespace croft {
class Json;

// Kind, sizes, templates, training record, sections of the file.
std::string format_summary(const JointModel& model);
Json summary_json(const JointModel& model);

// For each part of y the n weights most in favour, largest first, and the n most against, smallest
// first.  Equal ones: in the order of the strings' bytes, then of the groups.
std::string format_top(const JointModel& model, std::size_t n);
Json top_json(const JointModel& model, std::size_t n);

// Every weight of the file, one a line, handed to `write` in pieces:
//   joint TAB part of y TAB string of x TAB group TAB weight
// By part, in the order of the templates, then by the string's bytes, then by group.
void write_weights(const JointModel& model, const std::function<void(std::string_view)>& write);

}  // namespace croft
