// croft inspect --picture: a sample of the graph that a database unrolls to.
#pragma once
#include <string>

#include "cli/graph_labels.h"

namespace croft::cli {

struct GraphInspectCommand {
  std::vector<std::string> databases;
  std::string picture, spec;
  std::size_t variables = 40;
};

void add_graph_inspect_options(CLI::App& verb, GraphInspectCommand& command);

// Whether a picture is asked for.
bool is_picture(const GraphInspectCommand& command);

// Returns the exit status.
//   path : of the model, for messages
int draw_graph_sample(const GraphInspectCommand& command, const GraphModel& model,
                      const std::string& path);

}  // namespace croft::cli
