// The options of `croft train` that choose an objective and an optimiser.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "croft/app/train.h"

namespace croft::cli {

// What is named on the command line, before it is looked up.
struct TrainingNames {
  std::string objective = "likelihood", optimizer, schedule;
};

void add_method_options(CLI::App& verb, TrainRequest& request, TrainingNames& names);

// Throws UsageError for a name that is none, listing those that are.
void set_methods(const TrainingNames& names, TrainRequest& request);

// The schedule that is named, if one is.
std::optional<StepSchedule> step_schedule(const TrainingNames& names);

// What goes with what, for the foot of --help.
std::string method_help();

}  // namespace croft::cli
