#include "model/feature_table.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "croft/core/error.h"

namespace croft {
namespace {

std::size_t cell_width(std::size_t cells) { return cells <= 0x100 ? 1 : cells <= 0x10000 ? 2 : 4; }

}  // namespace

std::uint32_t WeightRow::cell(std::size_t k) const {
  if (cells_ == nullptr) return static_cast<std::uint32_t>(k);
  std::uint32_t cell = 0;  // little-endian, as the file
  std::memcpy(&cell, cells_ + k * width_, width_);
  return cell;
}

FeatureTable::FeatureTable(const Container& container, const std::string& prefix, std::size_t cells)
    : names_(open_table<CompactVocabulary>(container, prefix + ".names")),
      rows_(open_table<CompactOffsets>(container, prefix + ".rows")),
      weights_(container.numbers<float>(prefix + ".weights")),
      full_(cells),
      width_(cell_width(cells)) {
  if (container.has(prefix + ".cells")) {
    cells_ = width_ == 1   ? container.section(prefix + ".cells")
             : width_ == 2 ? std::as_bytes(container.numbers<std::uint16_t>(prefix + ".cells"))
                           : std::as_bytes(container.numbers<std::uint32_t>(prefix + ".cells"));
  }
  if (container.has(prefix + ".rests")) rests_ = container.numbers<float>(prefix + ".rests");
  const bool fits = names_.size() == rows_.size() && rows_.total() == weights_.size() &&
                    (rests_.empty() || rests_.size() == weights_.size()) &&
                    (cells_.empty() || cells_.size() == weights_.size() * width_);
  if (!fits) {
    throw Error(
        container.name() + ": the sections " + prefix +
        ".* do not fit together: the file is damaged; restore it from a copy or train again");
  }
}

WeightRow FeatureTable::row(std::uint32_t id) const {
  WeightRow row;
  const CompactOffsets::Row place = rows_(id);
  // Rows without cells are full; CompactOffsets keeps every row within the weights.
  if (cells_.empty() ? place.length != full_ : place.length > full_) return row;
  row.weights_ = weights_.subspan(place.begin, place.length);
  if (!rests_.empty()) row.rests_ = rests_.subspan(place.begin, place.length);
  row.cells_ = cells_.empty() ? nullptr : cells_.data() + place.begin * width_;
  row.width_ = width_;
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (row.cell(k) >= full_) return WeightRow();
  }
  return row;
}

void AttributeCache::insert(std::string_view text, std::uint64_t hash, CompactOffsets::Row place) {
  if (text.size() > sizeof Entry::text) return;
  if (entries_.empty()) entries_.resize(kEntries);
  Entry& entry = entries_[hash % kEntries];
  entry.hash = hash;
  entry.place = place;
  entry.size = static_cast<std::uint32_t>(text.size());
  std::memcpy(entry.text, text.data(), text.size());
}

// Stages some items apart, so that their cache misses overlap: hash; look into the cache; find the
// id; find the row of the id.
void FeatureTable::find(const StringLists& lists, std::size_t first, std::size_t last,
                        Scratch& scratch) const {
  constexpr std::size_t kLook = 6, kFind = kLook + 10, kPlace = kFind + 8;
  constexpr std::uint32_t kCached = kUnknown - 1;
  const std::size_t items = last - first;
  auto& [hashes, ids, places, cache] = scratch;
  hashes.resize(items);
  ids.resize(items);
  places.resize(items);
  for (std::size_t k = 0; k < items + kPlace; ++k) {
    if (k < items) {
      hashes[k] = hash_string(lists.item(first + k));
      cache.prefetch(hashes[k]);
    }
    // Below, a subtraction that wraps is an index beyond the items.
    if (const std::size_t c = k - kLook; c < items) {
      const CompactOffsets::Row* cached = cache.find(lists.item(first + c), hashes[c]);
      ids[c] = cached != nullptr ? kCached : kUnknown;
      if (cached != nullptr) {
        places[c] = *cached;
      } else {
        names_.prefetch(hashes[c]);
      }
    }
    if (const std::size_t f = k - kFind; f < items && ids[f] != kCached) {
      ids[f] = names_.find(lists.item(first + f), hashes[f]);
      if (ids[f] != kUnknown) rows_.prefetch(ids[f]);
    }
    if (const std::size_t r = k - kPlace; r < items && ids[r] != kCached) {
      places[r] = ids[r] == kUnknown ? CompactOffsets::Row{0, 0} : rows_(ids[r]);
      cache.insert(lists.item(first + r), hashes[r], places[r]);
    }
  }
}

void FeatureTable::find_ids(const StringLists& lists, std::vector<std::uint32_t>& ids) const {
  constexpr std::size_t kAhead = 8;
  std::array<std::uint64_t, kAhead> hashes;  // of items whose buckets are on their way
  const std::size_t items = lists.items();
  ids.resize(items);
  for (std::size_t k = 0; k < items + kAhead; ++k) {
    if (const std::size_t f = k - kAhead; f < items) {
      ids[f] = names_.find(lists.item(f), hashes[f % kAhead]);
    }
    if (k >= items) continue;
    hashes[k % kAhead] = hash_string(lists.item(k));
    names_.prefetch(hashes[k % kAhead]);
  }
}

std::vector<std::uint32_t> write_feature_table(const std::vector<NamedRow>& rows, std::size_t cells,
                                               const std::string& prefix, ContainerWriter& out,
                                               TableForm form) {
  const bool exact = form == TableForm::exact;
  const auto kept = [](double weight) { return static_cast<float>(weight) != 0; };
  std::vector<std::size_t> used;
  bool all_full = true;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto count = static_cast<std::size_t>(std::ranges::count_if(rows[r].weight, kept));
    if (count == 0 && !rows[r].keep) continue;
    used.push_back(r);
    all_full = all_full && count == cells;
  }
  std::vector<std::string_view> names;
  for (const std::size_t r : used) names.push_back(rows[r].name);
  CompactVocabulary::Built built = CompactVocabulary::build(
      names, exact ? CompactVocabulary::Coding::quick : CompactVocabulary::Coding::smallest);

  std::vector<std::size_t> order(used.size());  // row of each id
  std::vector<std::uint32_t> id(rows.size(), kUnknown);
  for (std::size_t k = 0; k < used.size(); ++k) {
    order[built.id[k]] = used[k];
    id[used[k]] = built.id[k];
  }
  std::vector<std::uint32_t> lengths;
  std::vector<float> weights, rests;
  std::vector<std::byte> cell_bytes;
  const std::size_t width = cell_width(cells);
  for (const std::size_t r : order) {
    std::uint32_t length = 0;
    for (std::uint32_t k = 0; k < rows[r].weight.size(); ++k) {
      if (!kept(rows[r].weight[k])) continue;
      ++length;
      weights.push_back(static_cast<float>(rows[r].weight[k]));
      if (exact) {
        rests.push_back(static_cast<float>(rows[r].weight[k] - double{weights.back()}));
      }
      if (all_full) continue;
      const std::uint32_t cell = rows[r].cell.empty() ? k : rows[r].cell[k];
      const auto* bytes = reinterpret_cast<const std::byte*>(&cell);
      cell_bytes.insert(cell_bytes.end(), bytes, bytes + width);
    }
    lengths.push_back(length);
  }
  using Kind = ContainerWriter::Kind;
  out.add(prefix + ".names", std::move(built.image), Kind::bulk);
  out.add(prefix + ".rows", CompactOffsets::build(lengths), Kind::bulk);
  if (!all_full) out.add(prefix + ".cells", std::move(cell_bytes), Kind::bulk);
  out.add_numbers(prefix + ".weights", weights, Kind::bulk);
  const auto is_rest = [](float rest) { return rest != 0; };
  if (std::ranges::any_of(rests, is_rest)) {
    out.add_numbers(prefix + ".rests", rests, Kind::bulk);
  }
  return id;
}

}  // namespace croft
