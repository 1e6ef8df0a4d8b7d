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
  if (!is_small(graph)) return;
  const std::string text = croft::write_lg(file);
  const croft::GraphFile again = croft::read_lg(croft::LineReader(text, "again"));
  require(again.directed == file.directed, "another kind of graph");
  require(croft::write_lg(again) == text, "not the same again");
}
