// Codes of labels as text: a word of bits for each.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "croft/data/line_reader.h"

namespace croft {

// Lines LABEL BITS, between TABs or spaces, where BITS is a word of 0, 1 and - (a bit that does not
// matter), of one length on all lines.  Throws InputError (file, line, text, remedy) at any other
// line, for a label that an earlier line named, and for a file without any.
std::vector<std::pair<std::string, std::string>> read_code_file(LineReader& lines);

}  // namespace croft
