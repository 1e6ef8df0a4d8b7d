// croft evaluate with a model of kind graph.
#pragma once
#include <string>

#include "cli/graph_labels.h"
#include "croft/app/chunks.h"

namespace croft::cli {

struct GraphEvaluateCommand {
  GraphLabelCommand labels;
  std::string decode = "best";
};

void add_graph_evaluate_options(CLI::App& verb, GraphEvaluateCommand& command);

// Refuses options that only graphs have.
void check_not_graph_evaluation(const CLI::App& verb);

// Returns the exit status.
int run_graph_evaluation(const CLI::App& verb, const GraphEvaluateCommand& command,
                         const std::string& model, ChunkScheme scheme, bool json,
                         const CommonOptions& common);

}  // namespace croft::cli
