// Variables in no factor, whose states an answer lists: all are alike, and no method has to go
// through them.
#pragma once
#include <span>
#include <vector>

#include "croft/app/infer.h"

namespace croft {

struct FreeVariables {
  std::vector<Variable> variables;
  double log_states = 0;  // the logarithm of the number of their joint states
};

// Those that the task draws, ranks or asks for; each has one state in `graph` from then on.
FreeVariables set_free_apart(const InferRequest& request, FactorGraph& graph);
// Adds them to an answer about that graph: uniform draws, all of their states as equally good
// assignments, their number to log Z where the task is over them.
//   asked : the graph with their states
void put_free_back(const FreeVariables& free, const FactorGraph& asked, const InferRequest& request,
                   InferResult& result);

}  // namespace croft
