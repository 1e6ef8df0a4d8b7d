// croft train, and croft search, which calls it.
#pragma once
#include <string>
#include <vector>

#include "cli/verb.h"

namespace croft::cli {

extern const Verb kTrain, kSearch;

// Trains as the command line with these arguments would; returns the exit status.
int run_train(const OptionValues& values);

}  // namespace croft::cli
