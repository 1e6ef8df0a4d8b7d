// Any bytes as a graph in formats uai and lg, and as evidence: an InputError, or a graph that is
// the same when written again, and states that it has.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "croft/core/error.h"
#include "croft/data/graph_file.h"
#include "support/graph_again.h"
#include "support/target.h"

namespace fuzz_uai {

CROFT_FUZZ_TARGET(fuzz_uai) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    require_whole(croft::read_uai(croft::LineReader(text, "fuzz")));
  } catch (const croft::InputError&) {
  }
  try {
    require_whole(croft::read_lg(croft::LineReader(text, "fuzz")));
  } catch (const croft::InputError&) {
  }
  try {
    croft::FactorGraph graph;
    for (int v = 0; v < 4; ++v) graph.add_variable(3);
    const auto evidence = croft::read_uai_evidence(croft::LineReader(text, "fuzz"), graph);
    require(evidence.size() == 4, "not of each variable");
    for (const croft::State s : evidence) require(s < 3 || s == croft::kUnobserved, "a state");
  } catch (const croft::InputError&) {
  }
  return 0;
}

}  // namespace fuzz_uai
