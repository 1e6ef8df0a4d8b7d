#include "model/chain_layout.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "model/cell_counts.h"

namespace croft {

namespace {

// A row with this many cells or more is kept padded to all of them and added as vectors, a shorter
// one cell by cell.  Measured with 22 labels: 3 is best; 2 pads too many rows, more visits too many
// cells. With hundreds of labels a padded row costs memory and bandwidth, unless a good part of it
// is used.
std::size_t rich_cells(std::size_t cells) {
  return std::min(cells, std::max<std::size_t>(3, cells / 16));
}

// Occurrences grouped by attribute: positions [begin[a], begin[a+1]).
struct Occurrences {
  std::vector<std::uint64_t> begin;
  std::vector<std::uint32_t> position;
};

Occurrences group_by_attribute(const AttributeLists& lists, std::size_t attributes) {
  Occurrences postings;
  postings.begin.assign(attributes + 2, 0);
  for (const std::uint32_t a : lists.id) ++postings.begin[a + 2];
  std::partial_sum(postings.begin.begin(), postings.begin.end(), postings.begin.begin());
  postings.position.resize(lists.id.size());
  for (std::size_t p = 0; p < lists.positions(); ++p) {
    for (std::uint64_t k = lists.begin[p]; k < lists.begin[p + 1]; ++k) {
      postings.position[postings.begin[lists.id[k] + 1]++] = static_cast<std::uint32_t>(p);
    }
  }
  postings.begin.pop_back();
  return postings;
}

// for_cells(position, f) calls f(cell) for the cells that the data shows there.
template <class ForCells>
CellCounts count_cells(const AttributeLists& lists, std::size_t attributes, std::size_t cells,
                       const ForCells& for_cells) {
  CellCounts counts;
  const Occurrences postings = group_by_attribute(lists, attributes);
  std::vector<std::uint64_t> count(attributes == 0 ? 0 : cells);  // L^2 of edges
  std::vector<std::uint32_t> seen;
  for (std::size_t a = 0; a < attributes; ++a) {
    for (std::uint64_t k = postings.begin[a]; k < postings.begin[a + 1]; ++k) {
      for_cells(postings.position[k], [&](std::uint32_t cell) {
        if (count[cell]++ == 0) seen.push_back(cell);
      });
    }
    std::sort(seen.begin(), seen.end());
    for (const std::uint32_t cell : seen) {
      counts.cell.push_back(cell);
      counts.count.push_back(count[cell]);
      count[cell] = 0;
    }
    seen.clear();
    counts.begin.push_back(counts.cell.size());
  }
  return counts;
}

// Of the attributes from `first` on, the cells that are counted often enough or kept.
//   kept : of these attributes
RawRows frequent_cells(const CellCounts& counts, std::size_t first,
                       std::span<const KeptFeatures::Feature> kept, std::size_t min_count) {
  RawRows rows;
  auto next_kept = kept.begin();
  for (std::size_t row = 0; row + 1 < counts.begin.size(); ++row) {
    const auto is_next = [&] {
      return next_kept != kept.end() && next_kept->attribute == first + row;
    };
    for (std::uint64_t k = counts.begin[row]; k < counts.begin[row + 1]; ++k) {
      for (; is_next() && next_kept->cell < counts.cell[k]; ++next_kept) {
        rows.cell.push_back(next_kept->cell);
      }
      const bool is_kept = is_next() && next_kept->cell == counts.cell[k];
      next_kept += is_kept;
      if (is_kept || counts.count[k] >= min_count) rows.cell.push_back(counts.cell[k]);
    }
    for (; is_next(); ++next_kept) rows.cell.push_back(next_kept->cell);
    rows.begin.push_back(rows.cell.size());
  }
  return rows;
}

template <class ForCells>
RawRows find_rows(const AttributeLists& lists, std::size_t attributes, std::size_t cells,
                  const LayoutOptions& options, std::span<const KeptFeatures::Feature> kept,
                  const ForCells& for_cells) {
  Ranks& ranks = *options.ranks;
  if (options.features == FeatureSet::all) {
    std::vector<std::uint64_t> count(attributes);
    for (const std::uint32_t a : lists.id) ++count[a];
    add_up(ranks, count);
    for (const auto& feature : kept) count[feature.attribute] = options.min_count;
    RawRows rows;
    for (std::size_t a = 0; a < attributes; ++a) {
      rows.begin.push_back(rows.begin.back() + (count[a] >= options.min_count ? cells : 0));
    }
    return rows;
  }
  CellCounts counts = count_cells(lists, attributes, cells, for_cells);
  if (ranks.alone()) return frequent_cells(counts, 0, kept, options.min_count);
  const RowShares shares(ranks, attributes);
  counts = shares.add_up(counts);
  const std::size_t first = shares.first_of(ranks.rank());
  kept = kept.subspan(static_cast<std::size_t>(
      std::ranges::lower_bound(kept, first, {}, &KeptFeatures::Feature::attribute) - kept.begin()));
  return shares.join(frequent_cells(counts, first, kept, options.min_count));
}

// The same for rows of which few were chosen.  Vectors are quicker than cells, however few, where
// all of the padded rows stay in a second-level cache.
std::size_t rich_cells(const RawRows& rows, std::size_t cells) {
  constexpr std::size_t kCache = std::size_t{1} << 20;  // bytes
  std::size_t used = 0;
  for (std::size_t a = 0; a + 1 < rows.begin.size(); ++a) used += rows.begin[a] < rows.begin[a + 1];
  return used * padded(cells) * sizeof(float) <= kCache ? 1 : rich_cells(cells);
}

// New ids: rich, poor, single rows, each in order of first appearance; kUnknown for empty rows.
// A full row is rich however short, since it has no list of cells.
std::vector<std::uint32_t> renumber(const RawRows& rows, std::size_t rich, RowClasses& classes,
                                    std::size_t& kept) {
  const std::size_t attributes = rows.begin.size() - 1;
  const auto length = [&](std::size_t a) { return rows.begin[a + 1] - rows.begin[a]; };
  classes = {};
  kept = 0;
  for (std::size_t a = 0; a < attributes; ++a) {
    kept += length(a) > 0;
    classes.rich += length(a) >= rich;
    classes.poor += length(a) > 1 && length(a) < rich;
  }
  std::size_t next[3] = {0, classes.rich, classes.rich + classes.poor};
  std::vector<std::uint32_t> id(attributes, kUnknown);
  for (std::size_t a = 0; a < attributes; ++a) {
    if (length(a) == 0) continue;
    id[a] = static_cast<std::uint32_t>(next[length(a) >= rich ? 0 : length(a) > 1 ? 1 : 2]++);
  }
  return id;
}

RowLayout lay_out(const RawRows& raw, const std::vector<std::uint32_t>& id, std::size_t kept,
                  std::size_t cells, std::uint64_t offset) {
  std::vector<std::uint32_t> old(kept);
  for (std::size_t a = 0; a < id.size(); ++a) {
    if (id[a] != kUnknown) old[id[a]] = static_cast<std::uint32_t>(a);
  }
  RowLayout layout;
  layout.cells = cells;
  layout.begin.assign(1, offset);
  bool full = true;
  for (const std::uint32_t a : old) {
    const std::uint64_t length = raw.begin[a + 1] - raw.begin[a];
    layout.begin.push_back(layout.begin.back() + length);
    full = full && length == cells;
  }
  if (full) return layout;
  for (const std::uint32_t a : old) {
    layout.cell.insert(layout.cell.end(),
                       raw.cell.begin() + static_cast<std::ptrdiff_t>(raw.begin[a]),
                       raw.cell.begin() + static_cast<std::ptrdiff_t>(raw.begin[a + 1]));
  }
  return layout;
}

// f(pair) for every pair that the labels known at p - 1 and at p make; none where one may be any.
template <class F>
void for_shown_pairs(const ChainData& data, std::size_t labels, std::uint64_t p, const F& f) {
  for (const Label i : data.known_labels(p - 1)) {
    for (const Label j : data.known_labels(p)) f(static_cast<std::uint32_t>(i * labels + j));
  }
}

// How often each transition is shown (observed), or each often enough, or none (all).
std::vector<std::uint64_t> count_transitions(const ChainData& data, std::size_t labels,
                                             const LayoutOptions& options) {
  std::vector<std::uint64_t> count(labels * labels);
  if (options.features == FeatureSet::all) {
    const std::uint64_t edges = sum_of_all(*options.ranks, data.positions() - data.sequences());
    const bool kept = options.kept != nullptr && !options.kept->tied.empty();
    if (kept || edges >= options.min_count) std::ranges::fill(count, options.min_count);
    return count;
  }
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    for (std::uint64_t p = data.sequence_begin[n] + 1; p < data.sequence_begin[n + 1]; ++p) {
      for_shown_pairs(data, labels, p, [&](std::uint32_t pair) { ++count[pair]; });
    }
  }
  add_up(*options.ranks, count);
  if (options.kept != nullptr) {
    for (const std::uint32_t c : options.kept->tied) {
      count[c] = std::max<std::uint64_t>(count[c], options.min_count);
    }
  }
  return count;
}

// Adds up what the transitions of a group count, for each of them; nothing where there is no
// feature.
void count_groups(const TransitionGroups& groups, std::vector<std::uint64_t>& count) {
  std::unordered_map<std::uint32_t, std::uint64_t> sum;
  for (std::size_t c = 0; c < count.size(); ++c) sum[groups.of[c]] += count[c];
  for (std::size_t c = 0; c < count.size(); ++c) {
    if (groups.of[c] == TransitionGroups::kNone) count[c] = 0;
    if (groups.of[c] < TransitionGroups::kNone) count[c] = sum[groups.of[c]];
  }
}

// The cells by weight, of which there is one for each group and for each cell of its own; `cell`
// keeps the first of each.
SharedCells share(const TransitionGroups& groups, std::vector<std::uint32_t>& cell) {
  std::vector<std::vector<std::uint32_t>> weight;
  std::unordered_map<std::uint32_t, std::size_t> weight_of;  // of groups
  bool any = false;
  for (const std::uint32_t c : cell) {
    const std::uint32_t group = groups.of[c];
    std::size_t at = weight.size();
    if (group != TransitionGroups::kOwn) at = weight_of.emplace(group, at).first->second;
    if (at == weight.size()) weight.emplace_back();
    weight[at].push_back(c);
    any = any || weight[at].size() > 1;
  }
  SharedCells shared;
  if (!any) return shared;
  cell.clear();
  shared.begin.push_back(0);
  for (const std::vector<std::uint32_t>& cells : weight) {
    cell.push_back(cells.front());
    shared.cell.insert(shared.cell.end(), cells.begin(), cells.end());
    shared.begin.push_back(static_cast<std::uint32_t>(shared.cell.size()));
  }
  return shared;
}

// Rows of the same cells, increasing, from the start of w.
RowLayout tied_rows(std::size_t rows, std::size_t cells, const std::vector<std::uint32_t>& cell) {
  RowLayout layout;
  layout.cells = cells;
  for (std::size_t row = 0; row < rows; ++row) {
    layout.begin.push_back(layout.begin.back() + cell.size());
    if (cell.size() < cells) layout.cell.insert(layout.cell.end(), cell.begin(), cell.end());
  }
  return layout;
}

// The transitions: pairs of neighbouring gold labels (observed), or all.
void lay_out_tied(const ChainData& data, const LayoutOptions& options, ChainLayout& layout) {
  if (options.tied_rows == 0) {  // nothing grows with L^2
    layout.tied.cells = layout.labels * layout.labels;
    return;
  }
  std::vector<std::uint64_t> count = count_transitions(data, layout.labels, options);
  if (options.groups != nullptr) count_groups(*options.groups, count);
  std::vector<std::uint32_t> cell;
  for (std::uint32_t c = 0; c < count.size(); ++c) {
    if (count[c] >= options.min_count) cell.push_back(c);
  }
  if (options.groups != nullptr) layout.shared = share(*options.groups, cell);
  layout.tied = tied_rows(options.tied_rows, count.size(), cell);
}

}  // namespace

void renumber_lists(const std::vector<std::uint32_t>& new_id, const RowClasses& classes,
                    AttributeLists& lists) {
  const auto class_of = [&](std::uint32_t a) {
    return a < classes.rich ? 0 : a < classes.rich + classes.poor ? 1 : 2;
  };
  std::vector<std::pair<std::uint32_t, double>> list;
  std::uint64_t read = 0, write = 0;
  for (std::size_t p = 0; p < lists.positions(); ++p) {
    list.clear();
    for (; read < lists.begin[p + 1]; ++read) {
      const std::uint32_t a = new_id[lists.id[read]];
      if (a != kUnknown) list.emplace_back(a, lists.value.empty() ? 1.0 : lists.value[read]);
    }
    std::stable_sort(list.begin(), list.end(), [&](const auto& a, const auto& b) {
      return class_of(a.first) < class_of(b.first);
    });
    for (const auto& [a, value] : list) {
      if (!lists.value.empty()) lists.value[write] = value;
      lists.id[write++] = a;
    }
    lists.begin[p + 1] = write;
  }
  lists.id.resize(write);
  lists.id.shrink_to_fit();
  if (!lists.value.empty()) lists.value.resize(write);
}

ChainLayout make_chain_layout(ChainData& data, std::size_t labels, std::size_t node_attributes,
                              std::size_t edge_attributes, const LayoutOptions& options,
                              Renumbering& renumbering) {
  static const KeptFeatures kNothing;
  const KeptFeatures& kept_features = options.kept == nullptr ? kNothing : *options.kept;
  ChainLayout layout;
  layout.labels = labels;
  lay_out_tied(data, options, layout);
  std::size_t kept = 0;
  {
    const RawRows rows = find_rows(data.node, node_attributes, labels, options, kept_features.node,
                                   [&](std::size_t p, const auto& f) {
                                     for (const Label j : data.known_labels(p)) f(j);
                                   });
    renumbering.node = renumber(rows, rich_cells(labels), layout.node_classes, kept);
    layout.node = lay_out(rows, renumbering.node, kept, labels, layout.tied.begin.back());
    renumber_lists(renumbering.node, layout.node_classes, data.node);
  }
  const RawRows rows =
      find_rows(data.edge, edge_attributes, labels * labels, options, kept_features.edge,
                [&](std::size_t p, const auto& f) { for_shown_pairs(data, labels, p, f); });
  RowClasses classes;
  renumbering.edge = renumber(rows, rich_cells(labels * labels), classes, kept);
  layout.edge = lay_out(rows, renumbering.edge, kept, labels * labels, layout.node.begin.back());
  renumber_lists(renumbering.edge, classes, data.edge);
  return layout;
}

namespace {

// The listed features of the rows of `from`, and where they stand.
RawRows select_rows(const RowLayout& from, std::span<const std::uint64_t> features) {
  RawRows rows;
  auto next = std::lower_bound(features.begin(), features.end(), from.begin.front());
  for (std::size_t row = 0; row < from.rows(); ++row) {
    for (; next != features.end() && *next < from.begin[row + 1]; ++next) {
      rows.cell.push_back(from.cell_of(row, static_cast<std::size_t>(*next - from.begin[row])));
    }
    rows.begin.push_back(rows.cell.size());
  }
  return rows;
}

// Of the tied rows, with the cells that each weight is shared by.
void select_tied(const ChainLayout& from, std::span<const std::uint64_t> features,
                 ChainLayout& to) {
  const std::size_t length = from.tied.rows() == 0 ? 0 : from.tied.length(0);
  std::vector<bool> listed(length);
  for (const std::uint64_t f : features) {
    if (f >= from.tied.begin.back()) break;
    listed[static_cast<std::size_t>(f % length)] = true;
  }
  std::vector<std::uint32_t> cell;
  if (from.shared.any()) to.shared.begin.push_back(0);
  for (std::size_t k = 0; k < length; ++k) {
    if (!listed[k]) continue;
    cell.push_back(from.tied.cell_of(0, k));
    if (!from.shared.any()) continue;
    const auto cells = from.shared.cell.begin();
    to.shared.cell.insert(to.shared.cell.end(), cells + from.shared.begin[k],
                          cells + from.shared.begin[k + 1]);
    to.shared.begin.push_back(static_cast<std::uint32_t>(to.shared.cell.size()));
  }
  to.tied = tied_rows(from.tied.rows(), from.tied.cells, cell);
}

// Appends where the weights of `to` stand in the w of `from`; row_of: new ids of the rows.
void append_origin(const RowLayout& from, const RowLayout& to,
                   const std::vector<std::uint32_t>& row_of, std::vector<std::uint64_t>& origin) {
  std::vector<std::uint32_t> old(to.rows());
  for (std::size_t row = 0; row < row_of.size(); ++row) {
    if (row_of[row] != kUnknown) old[row_of[row]] = static_cast<std::uint32_t>(row);
  }
  for (std::size_t row = 0; row < to.rows(); ++row) {
    std::size_t at = 0;
    for (std::size_t k = 0; k < to.length(row); ++k, ++at) {
      if (from.all_full()) at = to.cell_of(row, k);
      while (from.cell_of(old[row], at) != to.cell_of(row, k)) ++at;
      origin.push_back(from.begin[old[row]] + at);
    }
  }
}

}  // namespace

FeatureSelection select_features(const ChainLayout& from, std::span<const std::uint64_t> features) {
  FeatureSelection to;
  ChainLayout& layout = to.layout;
  layout.labels = from.labels;
  select_tied(from, features, layout);
  const auto select = [&](const RowLayout& rows, std::uint64_t offset, RowClasses& classes,
                          std::vector<std::uint32_t>& id) {
    const RawRows raw = select_rows(rows, features);
    std::size_t kept = 0;
    id = renumber(raw, rich_cells(raw, rows.cells), classes, kept);
    return lay_out(raw, id, kept, rows.cells, offset);
  };
  layout.node =
      select(from.node, layout.tied.begin.back(), layout.node_classes, to.renumbering.node);
  RowClasses classes;
  layout.edge = select(from.edge, layout.node.begin.back(), classes, to.renumbering.edge);
  layout.histories = from.histories;
  layout.constraint = from.constraint;

  std::vector<std::uint32_t> same(from.tied.rows());
  std::iota(same.begin(), same.end(), 0u);
  to.origin.reserve(layout.dimension());
  append_origin(from.tied, layout.tied, same, to.origin);
  append_origin(from.node, layout.node, to.renumbering.node, to.origin);
  append_origin(from.edge, layout.edge, to.renumbering.edge, to.origin);
  for (std::size_t g = 0; g < from.grams(); ++g) to.origin.push_back(from.first_gram() + g);
  return to;
}

}  // namespace croft
