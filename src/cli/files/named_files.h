// The files that the options of a verb name: which are read, and which are written.
#pragma once
#include "core/option_values.h"

namespace croft::cli {

// Every verb calls it before it reads anything; the rows of options say what they write.  Throws
// UsageError where a file that is written would replace one that is read, or where two options
// write one file.  Files that these imply (#include, those of a folder) are the verb's own to
// check.
void check_named_files(const OptionValues& values);

}  // namespace croft::cli
