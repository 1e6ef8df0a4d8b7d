// croft's command line: the verb that it names, that verb's options, help, and what is said about
// wrong ones.  CLI11 stays behind it.
#pragma once
#include <span>

#include "cli/verb.h"

namespace croft::cli {

// Runs the verb that is named, or writes help or the version; returns the exit status.
//   verbs  : in the order of help
//   footer : of `croft --help`
// Throws UsageError for what is wrong with the command line, and whatever the verb throws.
int run_command_line(std::span<const Verb* const> verbs, const char* footer, int argc, char** argv);

}  // namespace croft::cli
