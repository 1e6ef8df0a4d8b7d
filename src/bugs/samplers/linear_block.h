// Nodes with normal priors whose children see them through linear forms: drawn together.
//
//   p(x | rest) ~ exp(-1/2 x' P x + b' x + sum over children of l_c(eta_c)),   eta_c = o_c + a_c' x
//
// Where all children are normal the draw is exact, by a sparse Cholesky factor of P.  Otherwise
// each l_c has a quadratic stand-in, and Hamiltonian steps go round on the ellipses of the whole
// quadratic form exactly, with kicks from what the stand-ins leave: docs/math/bugs_samplers.md
// section 4.
#pragma once
#include <memory>

#include "bugs/sampler.h"

namespace croft::bugs {

// Whether the node's prior is such that it may be in a block.
bool has_normal_prior(const ModelGraph& graph, NodeId id);

// Null where the nodes' children do not see them so, or the factor would be too dense.
std::unique_ptr<Sampler> make_linear_block(const ModelGraph& graph, std::span<const NodeId> nodes);

}  // namespace croft::bugs
