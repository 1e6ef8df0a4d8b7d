// Whether the labels of the data obey a constraint: what training under it must know beforehand.
#pragma once
#include <functional>
#include <span>
#include <string>

#include "croft/structure/chain_constraint.h"
#include "features/chain_data.h"
#include "model/kinds/sequence_model.h"

namespace croft {

// Throws InputError, with file and line of the position and what it breaks, at the first sequence
// none of whose labellings that fit is allowed.
//   names   : of the labels, by number
//   file_of : of a sequence, for the message
// Cost O(P), and O(L^2 / 64) for a position of a sequence with partial labels.
void check_gold(const ChainConstraint& constraint, const ChainData& data,
                std::span<const std::string> names,
                const std::function<std::string(std::size_t sequence)>& file_of);

// Throws UsageError where a label of the model that training starts from would be read as a set of
// labels, or as any.
void check_labels_of(const SequenceModel& init, const PartialLabels& how);

}  // namespace croft
