// Weights of examples by their labels: of classes that are rare, or that matter more.
#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "data/settings/field_files.h"
#include "features/chain_data.h"

namespace croft {

struct LabelWeights {
  std::optional<LabelWeightFile> file;  // none: balanced
};

// Multiplies the weight of each sequence by that of its label.  Balanced: n / (k n_y), of n
// sequences with k labels, n_y of them with label y, so that all labels weigh the same together,
// and all sequences as much as before (King & Zeng 2001); weights that sequences had are not
// counted.
//   data  : sequences of one position, each of one known label
//   names : of the labels
// Throws InputError for a label in the file that is none of `names`.  Time O(n + k).
void weigh_by_label(const LabelWeights& weights, std::span<const std::string_view> names,
                    ChainData& data);

}  // namespace croft
