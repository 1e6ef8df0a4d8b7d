#include "train/functions/waves.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "croft/core/error.h"
#include "croft/inference/chain_sum.h"

namespace croft {
namespace {

// dL/dtheta of a wave is written once and read many times: it should stay in a second-level cache
// or near it (measured with 22 labels: 1 to 4 MB best, 32 MB a quarter slower).  But each wave has
// a directory of its attributes, so it is not cut smaller than so many positions.
constexpr std::size_t kWaveNumbers = std::size_t{1} << 20;  // 4 MB in single precision
constexpr std::size_t kWavePositions = 8192;
// Enough work for a task: some 0.2 ms with 22 labels.
constexpr std::size_t kTaskPositions = 512;

std::uint32_t overlays_at(const ChainData& data, std::uint64_t p) {
  return data.edge.begin[p + 1] > data.edge.begin[p] ? 1 : 0;
}

void list_postings(const ChainData& data, std::uint64_t last, std::size_t node_rows,
                   std::size_t edge_rows, Wave& wave) {
  const std::uint64_t first = wave.first_position;
  std::vector<std::uint32_t> place(last - first);
  std::iota(place.begin(), place.end(), 0u);
  wave.node = make_postings(data.node, first, last, node_rows, place);
  if (edge_rows == 0) return;
  std::uint32_t overlays = 0;
  for (std::size_t k = 0; k < place.size(); ++k) {
    place[k] = overlays;
    overlays += overlays_at(data, first + k);
  }
  wave.edge = make_postings(data.edge, first, last, edge_rows, place);
}

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

std::size_t wave_positions(std::size_t labels, bool edges) {
  const std::size_t numbers =  // of a position
      std::max<std::size_t>(1, padded(labels) * (edges ? 1 + labels : 1));
  return std::max(kWavePositions, kWaveNumbers / numbers);
}

std::vector<std::size_t> wave_cuts(std::span<const std::uint64_t> sequence_begin,
                                   std::size_t labels, bool edges) {
  const std::size_t positions = wave_positions(labels, edges);
  std::vector<std::size_t> cut{0};
  const std::size_t sequences = sequence_begin.size() - 1;
  for (std::size_t n = 0; n < sequences; ++n) {
    const bool full = sequence_begin[n + 1] - sequence_begin[cut.back()] >= positions;
    if (full || n + 1 == sequences) cut.push_back(n + 1);
  }
  return cut;
}

WaveLimits WaveLimits::none(std::size_t waves) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return {std::vector<double>(waves, kInfinity), kInfinity};
}

WaveLimits wave_limits(const ChainData& data, std::span<const std::size_t> cuts, Ranks& ranks) {
  constexpr double kRounding = 1.01, kLargestValue = 256;
  double value = 1;
  for (const AttributeLists* lists : {&data.node, &data.edge}) {
    for (const double v : lists->value) value = std::max(value, std::abs(v));
  }
  value = largest_of_all(ranks, value);
  const std::size_t waves = cuts.size() - 1;
  // One wave alone is one addend: whoever has none adds 0.
  if (sum_of_all(ranks, waves) <= 1) return WaveLimits::none(waves);
  if (value > kLargestValue) {
    if (ranks.alone()) return WaveLimits::none(waves);
    throw UsageError("the data has values up to ", fmt::format("{:.4g}", value),
                     ", too large for the sums of several processes; scale them to ",
                     fmt::format("{}", kLargestValue),
                     " at most (--standardise, of tables), or start croft without mpirun");
  }
  WaveLimits limits;
  value *= kRounding;
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
    double sum = 0;
    for (std::size_t n = cuts[k]; n < cuts[k + 1]; ++n) {
      sum += data.sequence_weight(n) *
             static_cast<double>(data.sequence_begin[n + 1] - data.sequence_begin[n]);
    }
    limits.of_wave.push_back(value * sum);
  }
  for (const double each : lists_of_all(ranks, limits.of_wave)) limits.all += each;
  limits.all = std::max(limits.all, std::numeric_limits<double>::min());
  return limits;
}

Waves cut_waves(const ChainData& data, std::size_t labels, std::size_t node_rows,
                std::size_t edge_rows, Ranks& helpers) {
  Waves waves;
  waves.cuts = wave_cuts(data.sequence_begin, labels, data.has_edges());
  const std::vector<std::size_t>& cut = waves.cuts;
  const auto has = [&](std::size_t k) {
    const std::uint64_t all = std::max<std::uint64_t>(data.sequence_begin.back(), 1);
    const std::uint64_t owner = data.sequence_begin[cut[k]] * helpers.size() / all;
    return std::min<std::uint64_t>(owner, helpers.size() - 1) == helpers.rank();
  };
  for (std::size_t k = 0; k + 1 < cut.size(); ++k) {
    if (!has(k)) continue;
    if (waves.list.empty()) waves.first = k;
    Wave& wave = waves.list.emplace_back();
    wave.first_sequence = cut[k];
    wave.first_position = data.sequence_begin[cut[k]];
    std::size_t overlays = 0;
    for (std::size_t n = cut[k]; n < cut[k + 1]; ++n) {
      const std::uint64_t first = data.sequence_begin[n], last = data.sequence_begin[n + 1];
      wave.length.push_back(static_cast<std::uint32_t>(last - first));
      wave.first_overlay.push_back(static_cast<std::uint32_t>(overlays));
      for (std::uint64_t p = first; p < last && edge_rows > 0; ++p) {
        overlays += overlays_at(data, p);
      }
    }
    const std::uint64_t end = data.sequence_begin[cut[k + 1]];
    list_postings(data, end, node_rows, edge_rows, wave);
    waves.most_positions = std::max<std::size_t>(waves.most_positions, end - wave.first_position);
    waves.most_overlays = std::max(waves.most_overlays, overlays);
  }
  return waves;
}

void Wave::group(double least_fill, std::size_t position_bytes) {
  groups = group_by_length(length, least_fill, position_bytes);
  task.assign(1, 0);
  std::size_t positions = 0;
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    for (const std::uint32_t n : groups[g]) positions += length[n];
    if (positions < kTaskPositions && g + 1 < groups.size()) continue;
    task.push_back(g + 1);
    positions = 0;
  }
}

}  // namespace croft
