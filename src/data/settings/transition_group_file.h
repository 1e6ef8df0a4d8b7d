// Groups of transitions that share a weight, as text: a line FROM TO GROUP for each of them.
//
//   fields : separated by TABs where the line has one (labels may then contain spaces), otherwise
//            by spaces
//   labels : patterns; * stands for any text, none included, \* for a star and \\ for a backslash
//   groups : any name; - is no group but the end of a feature: the transition then scores 0
//   A later line overrides an earlier one.  Empty lines are skipped.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "croft/data/line_reader.h"

namespace croft {

struct TransitionGroupRule {
  std::string from, to;              // patterns
  std::optional<std::string> group;  // empty: no feature
  std::size_t line = 0;              // for messages
  bool operator==(const TransitionGroupRule&) const = default;
};

struct TransitionGroupFile {
  std::string name;  // for messages
  std::vector<TransitionGroupRule> rules;
};

// Throws InputError (file, line, text, remedy) at a line that has not three fields, and for a file
// without any.
TransitionGroupFile read_transition_group_file(LineReader& lines);

}  // namespace croft
