#include "croft/structure/label_runs.h"

#include <algorithm>
#include <numeric>
#include <ranges>

namespace croft {

void LabelRuns::add(std::span<const Label> run) {
  label.insert(label.end(), run.begin(), run.end());
  begin.push_back(static_cast<std::uint32_t>(label.size()));
}

std::strong_ordering compare_runs(std::span<const Label> a, std::span<const Label> b) {
  return std::lexicographical_compare_three_way(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

LabelRuns sorted_runs(const LabelRuns& runs) {
  std::vector<std::uint32_t> order(runs.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(
      order, [&](std::uint32_t a, std::uint32_t b) { return compare_runs(runs[a], runs[b]) < 0; });
  LabelRuns sorted;
  for (const std::uint32_t r : order) {
    if (sorted.size() > 0 && std::ranges::equal(sorted[sorted.size() - 1], runs[r])) continue;
    sorted.add(runs[r]);
  }
  return sorted;
}

std::uint32_t find_run(const LabelRuns& sorted, std::span<const Label> run) {
  const auto index = std::views::iota(std::size_t{0}, sorted.size());
  const auto found = std::ranges::partition_point(
      index, [&](std::size_t r) { return compare_runs(sorted[r], run) < 0; });
  if (found == index.end() || !std::ranges::equal(sorted[*found], run)) return kNoRun;
  return static_cast<std::uint32_t>(*found);
}

SeenRuns::SeenRuns(std::size_t longest)
    : longest_(longest), nodes_{{0, 0, 0, 0}}, ending_(longest) {}

void SeenRuns::add(std::span<const Label> y) {
  for (std::size_t t = 0; t < y.size(); ++t) {
    // Longest first: a run of m labels that ends at t continues that of m - 1 which ends at t - 1.
    for (std::size_t m = std::min(t + 1, longest_); m >= 1; --m) {
      const std::uint32_t first = m == 1 ? 0 : ending_[m - 2];
      ending_[m - 1] = longer(first, y[t]);
      ++nodes_[ending_[m - 1]].count;
    }
  }
}

std::uint32_t SeenRuns::longer(std::uint32_t first, Label last) {
  const auto [found, is_new] = longer_.try_emplace(std::uint64_t{first} << 32 | last,
                                                   static_cast<std::uint32_t>(nodes_.size()));
  if (is_new) nodes_.push_back({first, last, nodes_[first].length + 1, 0});
  return found->second;
}

// A run comes after those that it continues.
void SeenRuns::add(const SeenRuns& other) {
  std::vector<std::uint32_t> own(other.nodes_.size());
  for (std::size_t k = 1; k < own.size(); ++k) {
    own[k] = longer(own[other.nodes_[k].first], other.nodes_[k].last);
    nodes_[own[k]].count += other.nodes_[k].count;
  }
}

void SeenRuns::archive(StateArchive& state) {
  std::uint64_t size = nodes_.size();
  state(size);
  if (state.reading()) {
    nodes_.assign(1, {});
    longer_.clear();
  }
  for (std::size_t k = 1; k < size; ++k) {
    Node node = state.reading() ? Node{} : nodes_[k];
    state(node.first, node.last, node.count);
    if (state.reading()) nodes_[longer(node.first, node.last)].count = node.count;
  }
}

LabelRuns SeenRuns::runs(std::size_t shortest, std::size_t longest, std::size_t min_count) const {
  LabelRuns found;
  std::vector<Label> run;
  for (std::uint32_t k = 1; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    if (node.length < shortest || node.length > longest || node.count < min_count) continue;
    run.resize(node.length);
    for (std::uint32_t at = k; at != 0; at = nodes_[at].first) {
      run[nodes_[at].length - 1] = nodes_[at].last;
    }
    found.add(run);
  }
  return sorted_runs(found);
}

}  // namespace croft
