#include "train/functions/length_groups.h"

#include <algorithm>
#include <numeric>

#include "croft/inference/chain_sum.h"

namespace croft {
namespace {

// One table of a group: enough for 16 sentences of 200 positions with 600 labels in float, and
// little beside the weights of a model with so many.
constexpr std::size_t kGroupBytes = std::size_t{8} << 20;
// A group is one task: 16 sequences longer than this would keep one thread busy while others wait.
constexpr std::size_t kLongestShared = 2000;  // positions

std::size_t most_in_group(std::size_t longest, std::size_t position_bytes) {
  if (longest > kLongestShared) return 1;
  const std::size_t bytes = std::max<std::size_t>(longest * position_bytes, 1);
  return std::clamp<std::size_t>(kGroupBytes / bytes, 1, kChainLanes);
}

}  // namespace

LengthGroups group_by_length(std::span<const std::uint32_t> length, double least_fill,
                             std::size_t position_bytes) {
  LengthGroups groups;
  groups.order.resize(length.size());
  std::iota(groups.order.begin(), groups.order.end(), 0u);
  std::ranges::stable_sort(groups.order, std::ranges::greater{},
                           [&](std::uint32_t n) { return length[n]; });
  for (std::size_t first = 0; first < length.size();) {
    const std::size_t longest = length[groups.order[first]];
    std::size_t count = std::min(most_in_group(longest, position_bytes), length.size() - first);
    std::size_t used = 0;
    for (std::size_t k = 0; k < count; ++k) used += length[groups.order[first + k]];
    if (static_cast<double>(used) < least_fill * static_cast<double>(longest * count)) count = 1;
    first += count;
    groups.begin.push_back(static_cast<std::uint32_t>(first));
  }
  return groups;
}

}  // namespace croft
