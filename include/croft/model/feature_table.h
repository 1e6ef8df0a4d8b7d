// Attributes of one kind with their rows of weights, as a model file holds them.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/features/compact_offsets.h"
#include "croft/features/vocabulary.h"
#include "croft/model/container.h"

namespace croft {

// The weights of one attribute: weight[k] belongs to cell(k).
class WeightRow {
 public:
  std::size_t size() const { return weights_.size(); }
  float weight(std::size_t k) const { return weights_[k]; }
  std::uint32_t cell(std::size_t k) const;

 private:
  friend class FeatureTable;
  std::span<const float> weights_;
  const std::byte* cells_ = nullptr;  // of `width_` bytes each; nullptr: weight k belongs to cell k
  std::size_t width_ = 0;
};

// Read-only and mapped.  Cells read from the file are checked: a damaged one has no row.
class FeatureTable {
 public:
  FeatureTable() = default;
  // Sections PREFIX.names, .rows, .weights, .cells (absent where all rows are full).
  //   cells : of a full row (labels, or pairs of labels)
  // Throws Error when the sections do not fit together.
  FeatureTable(const Container& container, const std::string& prefix, std::size_t cells);

  std::size_t size() const { return names_.size(); }
  std::size_t weights() const { return weights_.size(); }
  std::string name(std::uint32_t id) const { return names_.string(id); }
  const CompactVocabulary& names() const { return names_; }
  const CompactOffsets& rows() const { return rows_; }
  WeightRow row(std::uint32_t id) const;  // empty for kUnknown and for damaged rows

  // Ids of all items of `lists`, kUnknown for unseen ones.  Look-ups overlap their cache misses.
  void find(const class StringLists& lists, std::vector<std::uint64_t>& hashes,
            std::vector<std::uint32_t>& ids) const;

 private:
  CompactVocabulary names_;
  CompactOffsets rows_;
  std::span<const float> weights_;
  std::span<const std::byte> cells_;
  std::size_t full_ = 0, width_ = 0;
};

// One attribute to be written: cells increasing.
struct NamedRow {
  std::string_view name;
  std::span<const std::uint32_t> cell;  // empty: 0, 1, 2, …
  std::span<const double> weight;
};

// Adds the sections of a FeatureTable.  Weights that are 0 are left out, and so are attributes that
// have no other.  The bytes do not depend on the order of `rows`.
void write_feature_table(const std::vector<NamedRow>& rows, std::size_t cells,
                         const std::string& prefix, ContainerWriter& out);

}  // namespace croft
