// From a program and data to a graph.
//
// Loops are unrolled, subscripts resolved, what is the same in all states is done at once, and what
// is left is added to the graph in an order in which everything that a part uses is there before
// it.  docs/math/bugs.md section 2.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "bugs/arrays.h"
#include "bugs/compile/tables.h"
#include "bugs/graph.h"
#include "bugs/program.h"

namespace croft::bugs {

struct CompiledModel {
  ModelGraph graph;  // finished
  std::vector<std::string> warnings;
};

// Throws InputError, with the line of the program and the node, for what does not compile: cycles,
// undefined nodes, nodes defined twice, wrong dimensions, parameters that a distribution does not
// allow, models beyond the limits.
//   seed : of draws in the block data { }
CompiledModel compile(const Program& program, const Arrays& data, std::uint64_t seed = 1,
                      const CompileLimits& limits = {});

}  // namespace croft::bugs
