// croft predict with a model of kind graph.
#pragma once
#include <string>

#include "cli/graph_labels.h"

namespace croft::cli {

struct GraphPredictCommand {
  GraphLabelCommand labels;
  std::string table;
  bool use_known = false, overwrite = false, no_probabilities = false;
};

void add_graph_predict_options(CLI::App& verb, GraphPredictCommand& command);

// Refuses options that only graphs have.
void check_not_graph(const CLI::App& verb);

// Returns the exit status.
int run_graph_prediction(const CLI::App& verb, const GraphPredictCommand& command,
                         const std::string& model, const CommonOptions& common);

}  // namespace croft::cli
