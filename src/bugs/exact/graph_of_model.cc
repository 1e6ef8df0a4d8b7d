#include "bugs/exact/graph_of_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "bugs/compile/compile.h"
#include "bugs/exact/discrete_model.h"
#include "bugs/language/array_files.h"
#include "bugs/language/program_parser.h"

namespace croft::bugs {

bool is_program_file(const std::string& path) {
  std::string end = path.substr(std::min(path.size(), path.rfind('.')));
  std::ranges::transform(end, end.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return end == ".bug" || end == ".jags";
}

GraphFile graph_of_model(const Program& program, const Arrays& data) {
  const CompiledModel model = compile(program, data);
  std::string why;
  std::optional<DiscreteModel> discrete = discrete_model(model.graph, why);
  if (!discrete) {
    throw Error("the model is no factor graph of finitely many states: ", why,
                "; draw from it with croft bugs");
  }
  if (!discrete->undrawable.empty()) {
    const auto& [node, joint] = discrete->undrawable.front();
    fail_undrawable(model.graph, *discrete, node, joint.front());
  }
  GraphFile file;
  file.graph = std::move(discrete->graph);
  file.directed = model.graph.observed().empty();
  for (Variable v = 0; v < discrete->nodes.size(); ++v) {
    file.names.variables.emplace_back(model.graph.name(discrete->nodes[v]));
    std::vector<std::string>& states = file.names.states.emplace_back();
    for (const double value : discrete->values[v]) states.push_back(fmt::format("{}", value));
  }
  return file;
}

GraphFile read_model_graph(const std::string& program, const std::vector<std::string>& data) {
  ArrayNotes notes;
  const Program read = read_program(program);
  return graph_of_model(read, read_data_files(data, notes));
}

}  // namespace croft::bugs
