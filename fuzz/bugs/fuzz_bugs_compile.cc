// Any bytes as a BUGS program with a little data: an error of the program, or a graph in which a
// draw from the prior and the densities of its nodes can be computed.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "bugs/compile/compile.h"
#include "bugs/language/program_parser.h"
#include "bugs/node_values.h"
#include "support/target.h"

namespace fuzz_bugs_compile {

CROFT_FUZZ_TARGET(fuzz_bugs_compile) {
  using namespace croft::bugs;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Arrays arrays = {{"N", {{1}, {3}}},
                         {"x", {{3}, {1, 2, 4}}},
                         {"y", {{3}, {0.5, NAN, 2.5}}},
                         {"m", {{2, 3}, {1, 2, 3, 4, 5, 6}}}};
  CompileLimits limits;
  limits.relations = limits.rounds = limits.elements = limits.values = 2000;
  limits.bytes = 20'000'000;
  try {
    const CompiledModel model =
        compile(parse_program(croft::LineReader(text, "fuzz")), arrays, 1, limits);
    const ModelGraph& graph = model.graph;
    std::vector<double> values = graph.initial();
    croft::Random random(1);
    for (const Step& step : graph.forward()) {
      if (step.is_node) {
        draw_node(graph, graph.node(step.id), values.data(), random);
      } else {
        graph.evaluate(step.id, values.data());
      }
    }
    for (NodeId n = 0; n < graph.nodes(); ++n) {
      log_density_of(graph, graph.node(n), values.data());
    }
    graph.evaluate(graph.kept_current(), values.data());
  } catch (const croft::InputError& error) {
    if (error.where().line == 0) throw std::logic_error("a fault without a line");
  } catch (const croft::Error&) {  // a graph in which too much depends on too much
  }
  return 0;
}

}  // namespace fuzz_bugs_compile
