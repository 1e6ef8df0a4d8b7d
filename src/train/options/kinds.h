// The kinds of model that training has, as `--model` names them and as bits of an option's row.
#pragma once
#include <span>
#include <string_view>

#include "core/option_row.h"

namespace croft {

inline constexpr KindSet kChainBit = 1 << 0, kMaxentBit = 1 << 1, kMemmBit = 1 << 2,
                         kNaiveBayesBit = 1 << 3, kHmmBit = 1 << 4, kHiddenChainBit = 1 << 5,
                         kPoolBit = 1 << 6, kErrorCorrectingBit = 1 << 7, kBoostedChainBit = 1 << 8,
                         kBoostedMaxentBit = 1 << 9, kBoostedSegmentBit = 1 << 10,
                         kSegmentBit = 1 << 11, kBayesNetBit = 1 << 12, kGraphBit = 1 << 13,
                         kJointBit = 1 << 14;  // maxent with joint features, a training of its own

// Families that options have in common.
inline constexpr KindSet kChains = kChainBit | kMaxentBit | kMemmBit;
inline constexpr KindSet kOfChains = kChains | kHiddenChainBit | kPoolBit | kErrorCorrectingBit;
inline constexpr KindSet kBoosted = kBoostedChainBit | kBoostedMaxentBit | kBoostedSegmentBit;
// What is trained by an objective and an optimizer of the user's choice.
inline constexpr KindSet kOptimised = kOfChains | kSegmentBit | kJointBit | kGraphBit;

struct KindName {
  KindSet bit;
  std::string_view name, help;
};
// In the order of help; without kJointBit, which is no name of a model.
std::span<const KindName> kind_names();
// Of a name that is in the list.
KindSet kind_bit(std::string_view name);

}  // namespace croft
