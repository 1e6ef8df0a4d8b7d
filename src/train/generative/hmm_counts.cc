#include "train/generative/hmm_counts.h"

#include <numeric>
#include <unordered_map>

#include "core/exact_sum.h"
#include "model/cell_counts.h"
#include "model/kinds/hmm_parameters.h"
#include "model/linear_scorer.h"

namespace croft {
namespace {

Postings postings_of(const ChainData& data, std::size_t attributes) {
  std::vector<std::uint32_t> place(data.positions());
  std::iota(place.begin(), place.end(), 0u);
  return make_postings(data.node, 0, data.positions(), attributes, place);
}

void find_tracks(const StringTable& names, HmmLayout& layout) {
  std::unordered_map<std::string_view, std::uint32_t> number;
  for (std::uint32_t v = 0; v < names.size(); ++v) {
    const std::string_view name = track_of(names[v]);
    const auto [at, is_new] = number.emplace(name, static_cast<std::uint32_t>(number.size()));
    if (is_new) layout.tracks.emplace_back(name);
    layout.track.push_back(at->second);
  }
}

}  // namespace

namespace {

// From the labels that one process has seen of each attribute to those that any has.
void join_cells(Ranks& ranks, HmmLayout& layout) {
  if (ranks.alone()) return;
  CellCounts here{.begin = layout.begin, .cell = layout.cell, .count = {}};
  here.count.assign(here.cell.size(), 1);
  const RowShares shares(ranks, layout.values());
  const CellCounts own = shares.add_up(here);
  RawRows all = shares.join({.begin = own.begin, .cell = own.cell});
  layout.begin = std::move(all.begin);
  layout.cell = std::move(all.cell);
}

}  // namespace

HmmLayout make_hmm_layout(const ChainData& data, const StringTable& names, std::size_t labels,
                          Ranks& ranks) {
  HmmLayout layout;
  layout.labels = labels;
  find_tracks(names, layout);
  layout.occurrences.assign(names.size(), 0);
  const Postings postings = postings_of(data, names.size());
  std::vector<bool> seen(labels);
  for (std::size_t entry = 0, v = 0; v < names.size(); ++v) {
    seen.assign(labels, false);
    if (entry < postings.attribute.size() && postings.attribute[entry] == v) {
      layout.occurrences[v] = postings.begin[entry + 1] - postings.begin[entry];
      for (std::uint64_t k = postings.begin[entry]; k < postings.begin[entry + 1]; ++k) {
        const std::uint32_t p = postings.place[k];
        if (data.label[p] == kAnyLabel) {
          seen.assign(labels, true);
          break;
        }
        for (const Label y : data.known_labels(p)) seen[y] = true;
      }
      ++entry;
    }
    for (Label y = 0; y < labels; ++y) {
      if (seen[y]) layout.cell.push_back(y);
    }
    layout.begin.push_back(layout.cell.size());
  }
  add_up(ranks, layout.occurrences);
  join_cells(ranks, layout);
  return layout;
}

void HmmCounts::reset(const HmmLayout& layout) {
  start.assign(layout.labels, 0.0);
  end.assign(layout.labels, 0.0);
  transition.assign(layout.labels, layout.labels, 0.0);
  emission.assign(layout.cell.size(), 0.0);
}

void HmmCounts::sum(Ranks& ranks) {
  for (std::vector<double>* each : {&start, &end, &emission}) sum_counts(ranks, *each);
  for (std::size_t i = 0; i < transition.rows(); ++i) sum_counts(ranks, transition[i]);
}

void HmmCounts::add(const HmmCounts& others, double times) {
  const auto add = [&](std::span<const double> from, std::span<double> to) {
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += times * from[k];
  };
  add(others.start, start);
  add(others.end, end);
  for (std::size_t i = 0; i < transition.rows(); ++i) add(others.transition[i], transition[i]);
  add(others.emission, emission);
}

Matrix<double> emission_totals(const HmmLayout& layout, const HmmCounts& counts) {
  Matrix<double> total(layout.tracks.size(), layout.labels, 0.0);
  layout.for_each_cell([&](auto c, auto k, auto j) { total(k, j) += counts.emission[c]; });
  return total;
}

namespace {

void count_transitions(const ChainData& data, std::size_t n, HmmCounts& out) {
  const std::uint64_t first = data.sequence_begin[n], last = data.sequence_begin[n + 1] - 1;
  const double q = data.sequence_weight(n);
  const auto spread = [&](std::uint64_t p, std::vector<double>& sum) {
    const std::span<const Label> known = data.known_labels(p);
    for (const Label y : known) sum[y] += q / static_cast<double>(known.size());
  };
  spread(first, out.start);
  spread(last, out.end);
  for (std::uint64_t p = first + 1; p <= last; ++p) {
    const std::span<const Label> from = data.known_labels(p - 1), to = data.known_labels(p);
    for (const Label i : from) {
      for (const Label j : to) {
        out.transition(i, j) += q / static_cast<double>(from.size() * to.size());
      }
    }
  }
}

}  // namespace

void count_labels(const ChainData& data, const HmmLayout& layout, Counted which, HmmCounts& out) {
  std::vector<double> weight(data.positions());  // of each position that counts
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    if (which == Counted::complete && !data.gold(n).is_complete()) continue;
    count_transitions(data, n, out);
    for (std::uint64_t p = data.sequence_begin[n]; p < data.sequence_begin[n + 1]; ++p) {
      weight[p] = data.sequence_weight(n);
    }
  }
  const Postings postings = postings_of(data, layout.values());
  std::vector<double> row(layout.labels);
  for (std::size_t entry = 0; entry < postings.attribute.size(); ++entry) {
    std::fill(row.begin(), row.end(), 0.0);
    for (std::uint64_t k = postings.begin[entry]; k < postings.begin[entry + 1]; ++k) {
      const std::uint32_t p = postings.place[k];
      const std::span<const Label> known = data.known_labels(p);
      const double value = postings.value.empty() ? 1 : postings.value[k];
      for (const Label y : known) row[y] += weight[p] * value / static_cast<double>(known.size());
    }
    const std::uint32_t v = postings.attribute[entry];
    for (std::uint64_t c = layout.begin[v]; c < layout.begin[v + 1]; ++c) {
      out.emission[c] += row[layout.cell[c]];
    }
  }
}

}  // namespace croft
