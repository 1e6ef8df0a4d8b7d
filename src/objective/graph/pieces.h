// The pieces that piecewise training cuts a graph into, and the blocks of composite likelihood.
// docs/math/general_crf.md section 4.
#pragma once
#include <span>
#include <vector>

#include "objective/graph/graph_objective.h"

namespace croft {

// Each factor is in one piece, so that the pieces' losses bound that of the likelihood.
using FactorSet = std::vector<Factor>;

// A factor with its observations, as in Sutton & McCallum (2005, 2012): a piece for each factor of
// several variables, with the factors of one variable, those of the last variable in its scope.
// Where several such factors end in a variable the first has them; where none does, they are a
// piece by themselves.
std::vector<FactorSet> pieces_with_observations(const FactorGraph& graph);

// A piece for each block: the factors all of whose variables are in it, but for those that an
// earlier block has.  Each factor that is in no block is a piece by itself.
std::vector<FactorSet> pieces_of_blocks(const FactorGraph& graph,
                                        std::span<const std::vector<Variable>> blocks);

// The blocks, and a block for each variable that is in none.
std::vector<std::vector<Variable>> blocks_of_all(const FactorGraph& graph,
                                                 std::vector<std::vector<Variable>> blocks);

}  // namespace croft
