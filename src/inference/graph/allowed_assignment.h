// An assignment that no factor forbids.  Internal to inference/.
#pragma once
#include <cmath>
#include <vector>

#include "croft/core/random.h"
#include "croft/structure/factor_graph.h"

namespace croft {

enum class AllowedSearch { found, none, given_up };
struct AllowedAssignment {
  AllowedSearch outcome = AllowedSearch::given_up;
  std::vector<State> states;  // [variables] where found
};

// True if the factor has the score -inf for some joint state; if any factor of the graph has.
bool is_hard(const FactorGraph& graph, Factor f);
bool has_hard_factors(const FactorGraph& graph);

struct AllowedLimits {
  std::size_t steps = 200'000;  // variables set
  double looked_at = HUGE_VAL;  // joint states of factors, some nanoseconds each
};

// Depth-first: a variable with the fewest states left gets one of them, drawn at random, and states
// that no joint state of a factor supports any more are out (generalised arc consistency).  Starts
// again when it has been wrong too often; gives up at the limits.
AllowedAssignment find_allowed(const FactorGraph& graph, Random& random,
                               const AllowedLimits& limits = {});

}  // namespace croft
