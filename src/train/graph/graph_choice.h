// What check_graph_choice() and train_graph() both need to know.  Internal to train/.
#pragma once
#include "train/graph/graph_methods.h"

namespace croft {

bool is_associative(const Interaction& interaction);
// Whether weights of associative cliques are kept >= 0, so that cuts are exact.
bool keeps_associative(const GraphProblem& problem);

}  // namespace croft
