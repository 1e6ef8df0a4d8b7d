// Samplers of one node, or of a few finite ones.  Each says whether it fits: null where it does
// not.
#pragma once
#include <memory>

#include "bugs/sampler.h"

namespace croft::bugs {

using SamplerPointer = std::unique_ptr<Sampler>;

// A continuous number, whatever its children: slice sampling, on ln x or logit x where the support
// has one or two ends.
SamplerPointer make_slice(const ModelGraph& graph, NodeId id);
// A whole number: all values where they are at most a hundred, else slice sampling.
SamplerPointer make_finite(const ModelGraph& graph, NodeId id);
// Several of those, with at most 12 states together: all of them, drawn from their joint law.
SamplerPointer make_finite_block(const ModelGraph& graph, std::span<const NodeId> nodes);
// One of those, drawn together with a linear block that has two or more children in common with it,
// or with those of the block's nodes that share its one child and have hardly another.
//   near : the block and its children, in order
//   work : what an iteration may still cost; less by the sampler's cost where there is one
SamplerPointer make_finite_with_block(const ModelGraph& graph, NodeId id,
                                      std::span<const NodeId> block, std::span<const NodeId> near,
                                      double* work);
SamplerPointer make_discrete_slice(const ModelGraph& graph, NodeId id);
// An array that no other sampler takes: slice sampling, one free coordinate after the other.
SamplerPointer make_array_slice(const ModelGraph& graph, NodeId id);
// A number that is only known to lie in an interval; see interval_of_censored.
SamplerPointer make_censored(const ModelGraph& graph, NodeId id);
// Exchanges labels of the classes of a mixture or of a hidden chain by Metropolis steps.
// docs/math/bugs_samplers.md section 7.
SamplerPointer make_relabel(const ModelGraph& graph, std::span<const NodeId> classes);

// cut(x): what x is now.
SamplerPointer make_copy(const ModelGraph& graph, NodeId id);

// Conjugate families, truncated or not; docs/math/bugs_samplers.md section 3.
SamplerPointer make_conjugate_gamma(const ModelGraph& graph, NodeId id);
SamplerPointer make_conjugate_beta(const ModelGraph& graph, NodeId id);
SamplerPointer make_conjugate_dirichlet(const ModelGraph& graph, NodeId id);
SamplerPointer make_conjugate_wishart(const ModelGraph& graph, NodeId id);

}  // namespace croft::bugs
