// Where a chain starts: initial values, and a state of positive density around them.
#pragma once
#include <string>
#include <vector>

#include "bugs/arrays.h"
#include "bugs/graph.h"
#include "croft/core/random.h"

namespace croft::bugs {

// The origin of a node's start.  A root has constant parameters.
enum class Origin : std::uint8_t { given, root, other };

struct Start {
  std::vector<double> values;   // [graph.slots()]
  std::vector<Origin> origins;  // [graph.nodes()]
};

// The place of a chain among those whose starts are spread.
struct Spread {
  std::size_t chain = 0, chains = 1;  // the first chain, or a single one, is not spread
  std::uint64_t seed = 1;             // of all chains
};

// Values in which every informative node has a positive density and graph.kept_current() is
// current.
//
// What `inits` does not give starts at a typical value of its distribution where that is continuous
// (draws from vague priors would be far from everything), and otherwise at a draw.  Where the
// density is 0 then, what is not given is drawn anew: nodes that are censored from their interval,
// others from their prior, as long as fewer nodes are impossible.
//
// Chains after the first start elsewhere where priors are informative: each takes its own place in
// the middle 90 % of such a prior, as long as the data stay about as probable as at the typical
// value.  Modes that one chain does not leave then show in R-hat.
//
// These are values to begin with: a chain first draws what has no start given what has
// (RunChain).  Throws Error for initial values of what is not drawn or has other dimensions, and
// where no start is found, naming a node that is impossible.  Names that the program does not have
// are left out.
Start find_start(const ModelGraph& graph, const Arrays& inits, Random& random,
                 const Spread& spread = {});

// The names of `inits` that the program does not have.
std::vector<std::string> unknown_inits(const ModelGraph& graph, const Arrays& inits);

}  // namespace croft::bugs
