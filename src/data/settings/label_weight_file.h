// Weights of labels as text: lines LABEL TAB WEIGHT.
//
//   label  : as the data has it; it may hold spaces
//   weight : > 0; what no line names has weight 1
//   Empty lines are skipped.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/data/line_reader.h"

namespace croft {

struct LabelWeightFile {
  struct Entry {
    std::string label;
    double weight;  // finite, from 1e-12 to 1e12
    std::size_t line;
  };
  std::string file;  // its name, for messages
  std::vector<Entry> entries;
};

// Throws InputError (file, line, text, remedy) at a line that is none, at a label that was there
// before, and for a file without any.
LabelWeightFile read_label_weight_file(LineReader& lines);

// The weight of each name.  Throws InputError (file, line, text, remedy) for a label that is none
// of them.
std::vector<double> weights_of(const LabelWeightFile& file,
                               std::span<const std::string_view> names);

}  // namespace croft
