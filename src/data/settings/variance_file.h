// Variances of a Gaussian prior by the names of features, as text: lines PATTERN VARIANCE.
//
//   pattern  : of a name of an attribute, or of a template of transitions (name_pattern.h)
//   variance : relative to 1 / l2; > 0
//   Fields are separated by TABs or spaces.  A later line overrides an earlier one; what no line
//   names has variance 1.  Empty lines are skipped.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/data/line_reader.h"
#include "data/settings/name_pattern.h"

namespace croft {

struct VarianceFile {
  struct Rule {
    NamePattern pattern;
    double variance;   // 1e-12 to 1e12
    std::string text;  // the pattern as it stands in the file
    std::size_t line;
  };
  std::string file;  // its name, for messages
  std::vector<Rule> rules;

  double variance_of(std::string_view name) const;
};

// Throws InputError (file, line, text, remedy) at a line that is no rule, and for a file without
// any.
VarianceFile read_variance_file(LineReader& lines);

// The variance of each name.  Throws InputError (file, line, text, remedy) for a pattern that fits
// none of them; one whose names later lines all override fits.
// Cost O(names times rules).
std::vector<double> variances_of(const VarianceFile& file, std::span<const std::string_view> names);

}  // namespace croft
