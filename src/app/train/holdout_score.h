// How predictions do on a hold-out, whose labels may be known in part.
#pragma once
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "train/kinds/chain_training.h"

namespace croft {

// Of a sequence that is held out: how many positions have one label.  Throws InputError (file,
// line) for a set of labels that is none.
std::size_t count_single_labels(const TextSequence& text, std::string_view file,
                                const PartialLabels& how);

// Token accuracy over all positions that have one label; chunk F1 over the sequences that are
// labelled in full, where there are any.
//   holdout   : the labels of hold-out sequence n
//   predicted : of all hold-out sequences of the training
//   how       : that labels may be known in part; without it each item is one label
using HoldoutText = std::function<const TextSequence&(std::size_t n)>;
HoldoutScore score_holdout(const HoldoutText& holdout,
                           const std::vector<std::vector<std::string_view>>& predicted,
                           const std::optional<PartialLabels>& how);

}  // namespace croft
