// The density and draws of a node of a graph, with its truncation.
#pragma once
#include <span>

#include "bugs/distributions.h"
#include "bugs/graph.h"
#include "croft/core/random.h"

namespace croft::bugs {

// Whether all parameters and bounds are the same in all states.
bool fixed_parameters(const ModelGraph& graph, const Node& node);

// True if the values that have a density above 0 depend on unobserved nodes: bounds, the ends of
// dunif, the size of dbin.
bool support_moves(const ModelGraph& graph, const Node& node);

// The least and the greatest value of a discrete scalar node, whatever other nodes are; infinite
// where that is not known.
Bounds possible_values(const ModelGraph& graph, const Node& node);

// True if a draw is possible: the parameters are allowed, and the bounds leave some mass.
bool can_be_drawn(const ModelGraph& graph, const Node& node, const double* values);

// ln p(node | parameters) at the values [graph.slots()]; -inf where the parameters are not allowed
// or the value is not possible.
double log_density_of(const ModelGraph& graph, const Node& node, const double* values);

// Draws the node's numbers given its parameters.  False, and nothing is changed, where these are
// not allowed, the bounds leave nothing, or there is no distribution (dflat).
bool draw_node(const ModelGraph& graph, const Node& node, double* values, Random& random);

// A typical value within the bounds; false as in draw_node.
bool set_typical(const ModelGraph& graph, const Node& node, double* values);

}  // namespace croft::bugs
