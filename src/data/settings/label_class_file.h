// Classes of labels as text: lines LABEL CLASS, such as a word and its part of speech.
//
//   Fields are separated by TABs or spaces.  Empty lines are skipped.
#pragma once
#include <string>
#include <unordered_map>

#include "croft/data/line_reader.h"

namespace croft {

using LabelClasses = std::unordered_map<std::string, std::string>;  // label -> class

// Throws InputError (file, line, text, remedy) at a line that is not LABEL CLASS, for a label that
// an earlier line named, and for a file without any.
LabelClasses read_label_class_file(LineReader& lines);

}  // namespace croft
