// Which transitions share a weight, by a map that the user gives.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace croft {

// Every transition has a weight of its own at first.
struct TransitionGroups {
  static constexpr std::uint32_t kOwn = 0xFFFFFFFF;   // a weight that no other transition has
  static constexpr std::uint32_t kNone = 0xFFFFFFFE;  // no feature: score 0

  explicit TransitionGroups(std::size_t labels = 0) : of(labels * labels, kOwn) {}

  std::vector<std::uint32_t> of;  // [L][L] by cell, from * L + to: kOwn, kNone or a group's number
};

// The groups of labels by name, once these are known.
using TransitionGrouping = std::function<TransitionGroups(std::span<const std::string> names)>;

}  // namespace croft
