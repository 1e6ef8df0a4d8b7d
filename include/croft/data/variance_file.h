// Variances of a Gaussian prior by the names of features, as text: lines PATTERN VARIANCE.
//
//   pattern  : of a name of an attribute, or of a template of transitions (name_pattern.h)
//   variance : relative to 1 / l2; > 0
//   Fields are separated by TABs or spaces.  A later line overrides an earlier one; what no line
//   names has variance 1.  Empty lines are skipped.
#pragma once
#include <string_view>
#include <vector>

#include "croft/data/line_reader.h"
#include "croft/data/name_pattern.h"

namespace croft {

struct VarianceFile {
  struct Rule {
    NamePattern pattern;
    double variance;
  };
  std::vector<Rule> rules;

  double variance_of(std::string_view name) const;
};

// Throws InputError (file, line, text, remedy) at a line that is no rule, and for a file without any.
VarianceFile read_variance_file(LineReader& lines);

}  // namespace croft
