// Sections that the files of several kinds of chains have.  Internal to model/.
#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "croft/data/text_sequence.h"
#include "croft/structure/chain.h"
#include "croft/structure/chain_constraint.h"
#include "model/chain_layout.h"
#include "model/feature_table.h"
#include "model/file/container.h"
#include "model/rows/found_rows.h"

namespace croft {

// Section "constraint": a bit each, lowest first: starts, ends, edges.
void write_constraint(const ChainConstraint& constraint, ContainerWriter& out);
// None where there is no such section; throws Error where it is damaged.
std::optional<ChainConstraint> read_constraint(const Container& container, std::size_t labels);

// The rows of a layout with their names and weights, views of these.
//   keep: which rows the file has even without a weight; empty: none
std::vector<NamedRow> named_rows(const RowLayout& layout,
                                 const std::vector<std::string_view>& names,
                                 std::span<const double> weights,
                                 const std::vector<bool>& keep = {});

// From tables of weights to the scores of a sequence: what all log-linear chains share, whatever
// their states stand for.  Internal to model/.

// out.state[t][j] += sum_k v_k w[a_k, j] over the node attributes of t                     (C.10)
template <class Real>
void add_node_scores(const FeatureTable& node, const TextSequence& sequence,
                     FeatureTable::Scratch& scratch, ChainScores<Real>& out);

// An overlay where a position has edge attributes that the table knows.
template <class Real>
void add_edge_scores(const FeatureTable& edge, const TextSequence& sequence,
                     FeatureTable::Scratch& scratch, ChainScores<Real>& out);

// The same of rows that have been looked up; WeightRows has that of nodes.
template <class Real>
void add_edge_rows(const FeatureTable& edge, const FoundRows& found, ChainScores<Real>& out);

// The tied rows added up.  Sparse where a sequence alone is faster so, which overlays rule out.
// Throws InputError for a weight that is not finite.
TransitionScores<double> tied_transitions(const Container& container, const FeatureTable& tied,
                                          std::size_t labels, bool overlays);

}  // namespace croft
