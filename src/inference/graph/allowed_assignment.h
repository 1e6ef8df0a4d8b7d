// An assignment that no factor forbids.  Internal to inference/.
#pragma once
#include <vector>

#include "croft/core/random.h"
#include "croft/structure/factor_graph.h"

namespace croft {

enum class AllowedSearch { found, none, given_up };
struct AllowedAssignment {
  AllowedSearch outcome = AllowedSearch::given_up;
  std::vector<State> states;  // [variables] where found
};

// Depth-first: a variable with the fewest states left gets one of them, drawn at random, and states
// that no joint state of a factor supports any more are out (generalised arc consistency).  Starts
// again when it has been wrong too often; gives up after `most_steps` variables set.
AllowedAssignment find_allowed(const FactorGraph& graph, Random& random,
                               std::size_t most_steps = 200'000);

}  // namespace croft
