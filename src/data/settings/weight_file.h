// Weights of sequences as text: one number a line, line n for sequence n of the data.
#pragma once
#include <vector>

#include "croft/data/line_reader.h"

namespace croft {

// The numbers in order; how many there should be is for the caller to check.  Throws InputError
// (file, line, text, remedy) at a line, also an empty one, that is not a positive finite number.
std::vector<double> read_weight_file(LineReader& lines);

}  // namespace croft
