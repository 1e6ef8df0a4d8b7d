// From tables of weights to the scores of a sequence: what all log-linear chains share, whatever
// their states stand for.  Internal to model/.
#pragma once
#include "croft/data/text_sequence.h"
#include "croft/structure/chain.h"
#include "model/feature_table.h"

namespace croft {

// out.state[t][j] += sum_k v_k w[a_k, j] over the node attributes of t                     (C.10)
template <class Real>
void add_node_scores(const FeatureTable& node, const TextSequence& sequence,
                     FeatureTable::Scratch& scratch, ChainScores<Real>& out);

// An overlay where a position has edge attributes that the table knows.
template <class Real>
void add_edge_scores(const FeatureTable& edge, const TextSequence& sequence,
                     FeatureTable::Scratch& scratch, ChainScores<Real>& out);

// The tied rows added up.  Sparse where a sequence alone is faster so, which overlays rule out.
TransitionScores<double> tied_transitions(const FeatureTable& tied, std::size_t labels,
                                          bool overlays);

}  // namespace croft
