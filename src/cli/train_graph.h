// croft train --model graph: its options, and the call.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/common.h"
#include "cli/train_methods.h"
#include "croft/app/train.h"

namespace croft::cli {

struct GraphTrainCommand {
  std::string spec, memory, search;
  std::vector<std::string> databases;
  std::optional<std::size_t> inference_iterations;
  std::optional<double> damping;
  bool pairs = false;
};

// The options that only graphs have.
void add_graph_train_options(CLI::App& verb, GraphTrainCommand& command);

// Of all options of the verb, those that a training of graphs takes notice of, and those that no
// other kind has: names without dashes.
std::span<const std::string_view> graph_option_names();
std::span<const std::string_view> graph_only_option_names();

// Objectives, for the foot of --help.
std::string graph_objective_help();

// Trains; `shared` has what the kinds have in common.  Returns the exit status.
int run_graph_training(const CLI::App& verb, const GraphTrainCommand& command,
                       const TrainRequest& shared, const TrainingNames& names,
                       const std::string& log, bool quiet);

}  // namespace croft::cli
