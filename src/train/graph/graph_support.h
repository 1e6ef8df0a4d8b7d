// The weights that an instance depends on, and gradients of these alone.  Internal to train/.
#pragma once
#include <algorithm>
#include <ranges>
#include <span>
#include <vector>

#include "croft/optimize/function.h"
#include "model/graph_layout.h"

namespace croft {

// One run for each feature that the potentials have.
template <class Potentials>
void find_support(const CliqueRows& rows, const GraphLayout& layout, const GraphInstance& instance,
                  const Potentials& potentials, std::vector<Run>& runs) {
  runs.clear();
  for (const PotentialId p : potentials) {
    const std::uint32_t row = instance.row[p];
    const RowLayout& weights = layout.templates[rows.template_of(row)];
    if (weights.rows() == 0) continue;  // of scores
    for (const CliqueFeature& each : rows.features(row)) {
      const std::size_t length = weights.length(each.id);
      if (length > 0) runs.push_back({weights.begin[each.id], static_cast<std::uint32_t>(length)});
    }
  }
  std::ranges::sort(runs, {}, &Run::begin);
  const auto same = std::ranges::unique(runs, {}, &Run::begin);
  runs.erase(same.begin(), same.end());
}

// Of all potentials.
inline void find_support(const CliqueRows& rows, const GraphLayout& layout,
                         const GraphInstance& instance, std::vector<Run>& runs) {
  const auto count = static_cast<PotentialId>(instance.row.size());
  find_support(rows, layout, instance, std::views::iota(PotentialId{0}, count), runs);
}

// What add(gradient) adds to the runs of a gradient, one after the other.
//   dense : [dimension] scratch
template <class Add>
void write_packed(std::span<const Run> runs, std::span<double> dense, const Add& add,
                  std::span<double> out) {
  for (const Run& run : runs) std::fill_n(dense.begin() + run.begin, run.length, 0.0);
  add(dense);
  double* to = out.data();
  for (const Run& run : runs) to = std::copy_n(dense.begin() + run.begin, run.length, to);
}

}  // namespace croft
