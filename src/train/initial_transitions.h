// The transition weights of a model as a start for those of a layout that may share them otherwise.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "croft/model/chain_model.h"
#include "croft/train/active_set.h"

namespace croft {

// Appends them.  A weight that several transitions share starts at the mean of theirs in `init`, over
// those whose two labels `init` has; so it stays what it is when they share it there too.
//   tied_names : of the layout's tied rows
//   layout     : its labels begin with those of `init`
void append_initial_transitions(const ChainModel& init, std::span<const std::string> tied_names,
                                const ChainLayout& layout, std::vector<FeatureWeight>& weights);

}  // namespace croft
