// Attributes of one kind with their rows of weights, as a model file holds them.
#pragma once
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "croft/data/string_lists.h"
#include "features/compact_offsets.h"
#include "features/vocabulary.h"
#include "model/file/container.h"

namespace croft {

// The weights of one attribute: weight[k] belongs to cell(k).
class WeightRow {
 public:
  std::size_t size() const { return weights_.size(); }
  double weight(std::size_t k) const {
    return rests_.empty() ? double{weights_[k]} : double{weights_[k]} + double{rests_[k]};
  }
  std::uint32_t cell(std::size_t k) const;

 private:
  friend class FeatureTable;
  std::span<const float> weights_, rests_;
  const std::byte* cells_ = nullptr;  // of `width_` bytes each; nullptr: weight k belongs to cell k
  std::size_t width_ = 0;
};

// As std::memcmp(a, b, size) == 0; inlined, for strings of a few words.
inline bool equal_bytes(const char* a, const char* b, std::size_t size) {
  const auto differ = [&](auto word, std::size_t at) {
    auto other = word;
    std::memcpy(&word, a + at, sizeof word);
    std::memcpy(&other, b + at, sizeof other);
    return word != other;
  };
  if (size < 8) {
    if (size < 4) {
      for (std::size_t k = 0; k < size; ++k) {
        if (a[k] != b[k]) return false;
      }
      return true;
    }
    return !differ(std::uint32_t{}, 0) && !differ(std::uint32_t{}, size - 4);
  }
  for (std::size_t k = 0; k + 8 < size; k += 8) {
    if (differ(std::uint64_t{}, k)) return false;
  }
  return !differ(std::uint64_t{}, size - 8);
}

// Recently found attributes, so that the frequent ones (a dozen a word are) cost no look-up.
// Verified by their text.  One a thread and table.
class AttributeCache {
 public:
  void prefetch(std::uint64_t hash) const {
    if (!entries_.empty()) __builtin_prefetch(&entries_[hash % kEntries]);
  }
  // The place of `text`, or nullptr when it is not here.
  const CompactOffsets::Row* find(std::string_view text, std::uint64_t hash) const {
    if (entries_.empty()) return nullptr;
    const Entry& entry = entries_[hash % kEntries];
    const bool same = entry.hash == hash && entry.size == text.size() &&
                      equal_bytes(entry.text, text.data(), text.size());
    return same ? &entry.place : nullptr;
  }
  void insert(std::string_view text, std::uint64_t hash, CompactOffsets::Row place);

 private:
  static constexpr std::size_t kEntries = 8192;  // 512 KB: half a second-level cache
  struct alignas(64) Entry {
    std::uint64_t hash = 0;
    CompactOffsets::Row place{};
    std::uint32_t size = 0xFFFFFFFF;  // no text is as long
    char text[36];
  };
  std::vector<Entry> entries_;
};

// Read-only and mapped.  Cells read from the file are checked: a damaged one has no row.
class FeatureTable {
 public:
  FeatureTable() = default;
  // Sections PREFIX.names, .rows, .weights, .cells (absent where all rows are full), .rests (what
  // single precision leaves of each weight; absent where that is nothing).
  //   cells : of a full row (labels, or pairs of labels)
  // Throws Error when the sections do not fit together.
  FeatureTable(const Container& container, const std::string& prefix, std::size_t cells);

  std::size_t size() const { return names_.size(); }
  std::size_t weights() const { return weights_.size(); }
  std::size_t cells() const { return full_; }  // of a full row
  std::string name(std::uint32_t id) const { return names_.string(id); }
  const CompactVocabulary& names() const { return names_; }
  const CompactOffsets& rows() const { return rows_; }
  WeightRow row(std::uint32_t id) const;  // empty for kUnknown and for damaged rows

  // Where the rows of items [first, last) of `lists` stand, {0, 0} for unseen ones; by default of
  // all.  Look-ups overlap their cache misses.  Memory: 28 bytes an item.
  struct Scratch {
    std::vector<std::uint64_t> hashes;
    std::vector<std::uint32_t> ids;
    std::vector<CompactOffsets::Row> places;  // the result: [last - first]
    AttributeCache cache;                     // of one table
  };
  void find(const StringLists& lists, Scratch& scratch) const {
    find(lists, 0, lists.items(), scratch);
  }
  void find(const StringLists& lists, std::size_t first, std::size_t last, Scratch& scratch) const;
  // The places of one list's items; they stay until the next look-up with `scratch`.
  std::span<const CompactOffsets::Row> places(const StringLists& lists, std::size_t list,
                                              Scratch& scratch) const {
    find(lists, lists.list_begin(list), lists.list_end(list), scratch);
    return scratch.places;
  }
  // The ids of all items, kUnknown for unseen ones: for what a model says of an attribute beside
  // its row.
  void find_ids(const StringLists& lists, std::vector<std::uint32_t>& ids) const;

  // Brings the weights of a place closer.
  void prefetch(CompactOffsets::Row place) const {
    if (place.length == 0) return;
    __builtin_prefetch(weights_.data() + place.begin);
    if (!cells_.empty()) __builtin_prefetch(cells_.data() + place.begin * width_);
  }

  // add(cell, weight) for every weight of a place; cell < cells, whatever the file holds.
  //   Real : of the weights; in double they have their rests
  template <class Real = float, class Add>
  void visit(CompactOffsets::Row place, const Add& add) const {
    const float* w = weights_.data() + place.begin;
    if constexpr (std::is_same_v<Real, double>) {
      if (!rests_.empty()) {
        const float* rest = rests_.data() + place.begin;
        visit_cells(
            place, [=](std::uint32_t k) { return double{w[k]} + double{rest[k]}; }, add);
        return;
      }
    }
    visit_cells(
        place, [=](std::uint32_t k) { return Real{w[k]}; }, add);
  }

 private:
  template <class WeightOf, class Add>
  void visit_cells(CompactOffsets::Row place, const WeightOf& weight, const Add& add) const {
    if (cells_.empty()) {
      if (place.length != full_) return;
      for (std::uint32_t k = 0; k < full_; ++k) add(k, weight(k));
    } else if (width_ == 1) {
      visit_cells_of<std::uint8_t>(place, weight, add);
    } else if (width_ == 2) {
      visit_cells_of<std::uint16_t>(place, weight, add);
    } else {
      visit_cells_of<std::uint32_t>(place, weight, add);
    }
  }
  template <class Cell, class WeightOf, class Add>
  void visit_cells_of(CompactOffsets::Row place, const WeightOf& weight, const Add& add) const {
    const Cell* cells = reinterpret_cast<const Cell*>(cells_.data()) + place.begin;
    for (std::uint32_t k = 0; k < place.length; ++k) {
      if (cells[k] < full_) add(cells[k], weight(k));
    }
  }

  CompactVocabulary names_;
  CompactOffsets rows_;
  std::span<const float> weights_, rests_;
  std::span<const std::byte> cells_;
  std::size_t full_ = 0, width_ = 0;
};

// One attribute to be written: cells increasing.
struct NamedRow {
  std::string_view name;
  std::span<const std::uint32_t> cell;  // empty: 0, 1, 2, …
  std::span<const double> weight;
  bool keep = false;  // in the file even without a weight
};

enum class TableForm {
  small,  // what training writes: weights in single precision
  exact   // what another program's file becomes whenever it is opened: weights with 48 bits and,
          // for names that are some percent larger, a fifth of the time
};

// Adds the sections of a FeatureTable.  Weights that are 0 are left out, and so are attributes that
// have no other, unless they are to be kept.  The bytes do not depend on the order of `rows`.
// Returns the id of each row in the file, kUnknown where it was left out: [rows].
std::vector<std::uint32_t> write_feature_table(const std::vector<NamedRow>& rows, std::size_t cells,
                                               const std::string& prefix, ContainerWriter& out,
                                               TableForm form = TableForm::small);

}  // namespace croft
