// Which tables over a clique's variables to join, so that the clique itself is gone through for few
// of them.  Internal to inference/; docs/math/graph_exact.md section 4.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace croft {

// The variables of a table, by their places in the clique: bit k stands for the k-th.  A clique of
// more than 64 variables has too many joint states for anybody.
using PlaceMask = std::uint64_t;
inline constexpr std::size_t kMostPlaces = 64;

struct TableGroup {
  PlaceMask places;                  // of the joint table
  std::vector<std::size_t> members;  // the largest first
};

// states : [variables of the clique]
double states_of(std::span<const std::uint32_t> states, PlaceMask places);

// Of inputs, whose product is made beforehand.
std::vector<TableGroup> group_inputs(std::span<const std::uint32_t> states,
                                     std::span<const PlaceMask> tables);
// Of outputs, which are sums of one joint table; that may be the first member's own.
std::vector<TableGroup> group_outputs(std::span<const std::uint32_t> states,
                                      std::span<const PlaceMask> tables);

}  // namespace croft
