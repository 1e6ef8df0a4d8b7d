// What each mistake costs, as text: a line GOLD PREDICTED COST for each pair of labels.
//
//   fields : separated by TABs where the line has one (labels may then contain spaces), otherwise
//            by spaces
//   labels : as in the data; * stands for every label.  A backslash in front is dropped, so that
//            \* is the label "*", and \\a the label "\a".
//   costs  : 0 or more.  A later line overrides an earlier one; a pair without a line costs
//            nothing, and neither does a right prediction, which * never means.
//   Empty lines are skipped.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "croft/data/line_reader.h"

namespace croft {

struct CostRule {
  std::optional<std::string> gold, predicted;  // empty: every label
  double cost = 0;       // finite, >= 0; 0 where gold and predicted are one label
  std::size_t line = 0;  // for messages
  bool operator==(const CostRule&) const = default;
};

struct CostFile {
  std::string name;  // for messages
  std::vector<CostRule> rules;
};

// Throws InputError (file, line, text, remedy) at a line that has not three fields, a cost that is
// not a finite number of 0 or more, and a cost other than 0 of predicting the right label.
CostFile read_cost_file(LineReader& lines);

}  // namespace croft
