// A graph that was read must be whole, and be the same when written and read again.
#pragma once
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "croft/data/graph_file.h"

inline void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

// Tables of at most a million numbers, or nothing is written.
inline bool is_small(const croft::FactorGraph& graph) {
  std::uint64_t numbers = 0;
  for (croft::Factor f = 0; f < graph.factors(); ++f) {
    if (graph.joint_states(f) > 1000000) return false;
    numbers += graph.joint_states(f);
  }
  return numbers <= 1000000;
}

inline void require_whole(const croft::GraphFile& file) {
  const croft::FactorGraph& graph = file.graph;
  require(file.names.variables.empty() || file.names.variables.size() == graph.variables(),
          "not a name for each variable");
  require(file.names.states.empty() || file.names.states.size() == graph.variables(),
          "not states for each variable");
  for (croft::PotentialId id = 0; id < graph.potentials(); ++id) {
    for (const double score : graph.numbers(id)) {
      require(score < INFINITY, "a score that is none");
    }
  }
  if (!is_small(graph) || !file.decisions.empty() || !file.utilities.empty()) return;
  const std::string text = croft::write_lg(file);
  const croft::GraphFile again = croft::read_lg(croft::LineReader(text, "again"));
  require(again.directed == file.directed, "another kind of graph");
  require(croft::write_lg(again) == text, "not the same again");
}

// Of a network: every variable has a table or is decided, and BIF keeps what BIF has.
inline void require_network(const croft::GraphFile& file) {
  require_whole(file);
  const croft::FactorGraph& graph = file.graph;
  require(file.directed, "an undirected network");
  require(graph.factors() + file.decisions.size() == graph.variables(), "a variable without table");
  for (const croft::GraphUtility& each : file.utilities) {
    std::uint64_t values = 1;
    for (const croft::Variable v : each.scope) values *= graph.states(v);
    require(values == each.values.size(), "a utility that does not fit its scope");
  }
  if (!file.decisions.empty() || !file.utilities.empty() || !is_small(graph)) return;
  std::string written;
  try {
    written = croft::write_bif(file);
  } catch (const croft::Error&) {
    return;  // a name that BIF cannot write
  }
  const croft::GraphFile again = croft::read_bif(croft::LineReader(written, "again"));
  require(again.names.variables == file.names.variables, "other names");
  require(again.names.states == file.names.states, "other states");
  require(again.places.size() == file.places.size(), "other places");
}
