#include "inference/graph/exact/clique_groups.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace croft {
namespace {

constexpr double kWorthJoining = 4096;  // a clique of fewer states is in the cache anyway
// A joint table has at most this part of the clique's states: to make it, or to take it apart, is
// five passes over it or so.
constexpr double kJointPart = 1.0 / 16;
constexpr double kTailStates = 64;  // of the clique's last variables
constexpr double kLongRun = 16;     // long enough for SIMD

// How many entries of the clique stand side by side in the table, or are one entry of it.
double run_of(std::span<const std::uint32_t> states, PlaceMask places) {
  double run = 1;
  for (std::size_t k = states.size(); k-- > 0;) {
    if ((places >> k & 1) != (places >> (states.size() - 1) & 1)) break;
    run *= states[k];
  }
  return run;
}

PlaceMask tail_of(std::span<const std::uint32_t> states) {
  PlaceMask tail = 0;
  double count = 1;
  for (std::size_t k = states.size(); k-- > 0 && count < kTailStates; count *= states[k]) {
    tail |= PlaceMask{1} << k;
  }
  return tail;
}

//   part_of_one : of the clique's states a table may have at most that others are sums of
std::vector<TableGroup> group(std::span<const std::uint32_t> states,
                              std::span<const PlaceMask> tables, double part_of_one) {
  std::vector<double> size(tables.size());
  std::ranges::transform(tables, size.begin(), [&](PlaceMask t) { return states_of(states, t); });
  std::vector<std::size_t> order(tables.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t k) { return size[k]; });
  const double all = states_of(states, ~PlaceMask{0});
  const double most = all < kWorthJoining ? 0 : kJointPart * all;
  const double most_inside = std::max(most, part_of_one * most / kJointPart);
  std::vector<TableGroup> groups;
  std::vector<double> sizes;
  std::size_t first = 0;  // groups before it, of the largest tables, are joined with nothing
  for (const std::size_t k : order) {
    if (size[k] > most_inside) first = groups.size() + 1;
    std::size_t into = groups.size();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t g = first; g < groups.size(); ++g) {
      const PlaceMask both = groups[g].places | tables[k];
      const bool inside = both == groups[g].places;
      const double joint = inside ? sizes[g] : states_of(states, both);
      if (joint > (inside ? most_inside : most)) continue;
      if (joint - sizes[g] >= least) continue;
      least = joint - sizes[g];
      into = g;
    }
    if (into == groups.size()) {
      groups.push_back({tables[k], {}});
      sizes.push_back(size[k]);
    }
    groups[into].places |= tables[k];
    groups[into].members.push_back(k);
    sizes[into] = states_of(states, groups[into].places);
  }
  // Whole runs of the clique, too, where that costs little.
  const PlaceMask tail = tail_of(states);
  for (TableGroup& each : groups) {
    if (run_of(states, each.places) >= kLongRun) continue;
    if (states_of(states, each.places | tail) <= most) each.places |= tail;
  }
  return groups;
}

}  // namespace

double states_of(std::span<const std::uint32_t> states, PlaceMask places) {
  double count = 1;
  for (std::size_t k = 0; k < states.size(); ++k) {
    if (places >> k & 1) count *= states[k];
  }
  return count;
}

std::vector<TableGroup> group_inputs(std::span<const std::uint32_t> states,
                                     std::span<const PlaceMask> tables) {
  return group(states, tables, 0);
}

std::vector<TableGroup> group_outputs(std::span<const std::uint32_t> states,
                                      std::span<const PlaceMask> tables) {
  return group(states, tables, 0.5);
}

}  // namespace croft
