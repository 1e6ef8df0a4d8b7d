// Groups of transitions, from a file and the names of the labels.
#pragma once
#include "app/label/label_names.h"
#include "data/settings/field_files.h"
#include "model/chain_layout.h"

namespace croft {

// Every pair of labels gets what the last line says that matches it.  Throws InputError (file,
// line, text, remedy) for a label or pattern that no label matches.  Cost O(L^2 lines) at worst.
TransitionGroups transition_groups(const TransitionGroupFile& file, const LabelNames& names);

}  // namespace croft
