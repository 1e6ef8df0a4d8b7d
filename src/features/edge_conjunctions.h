// Conjunctions of the attributes of a position that are looked at with two labels, that of the
// position and the one before: attributes of an edge.  Feature induction finds them
// (train/feature_pairs.h).
//
// They are among ExtractionConfig::conjunctions, and in the model file, with a first part that no
// attribute of data has; one attribute alone may be such a conjunction.  Extraction moves them to
// the lists of edges.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "croft/data/text_sequence.h"
#include "features/conjunctions.h"

namespace croft {

// Comes before all attributes in the order of bytes.
inline constexpr std::string_view kEdgePart{"\x01", 1};

bool is_of_edge(const Conjunction& conjunction);
// parts: different attributes, one or more.
Conjunction edge_conjunction(std::vector<std::string> parts);
// The name of the edge attribute: the parts, joined by " & ".
std::string edge_name(const Conjunction& conjunction);

// Whether ConjunctionSet has appended some to the lists of positions.
bool has_edge_conjunctions(const TextSequence& sequence);
// Moves them to the lists of edges, of which there is then one a position; those of the first
// position are dropped, as no edge leads to it.  Time O(items).
void take_edge_conjunctions(TextSequence& sequence);

}  // namespace croft
