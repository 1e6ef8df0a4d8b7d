// The rows of attribute lines, without their names: fields are recognised as they stand.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/attributes.h"
#include "model/rows/found_rows.h"

namespace croft {

// A field that was seen before, with its escapes and its value, has the row that it had then: it
// costs a hash and a comparison instead of a parse, another hash and a search.  One a thread and
// table, which must outlive it.
class AttributeRows {
 public:
  explicit AttributeRows(const FeatureTable& table) : table_(table), entries_(kEntries) {}

  // take(rows) of all positions, some at a time.  Throws InputError as parse_attributes()
  // does, and for a value above the largest.
  //   file : for messages
  template <class Take>
  void find(const AttributeLines& lines, const std::string& file, const Take& take);

 private:
  static constexpr std::size_t kEntries = 16384;  // 1 MB: what a second-level cache has
  static constexpr std::size_t kAtOnce = 2048;    // fields whose cache misses overlap
  struct Field {
    std::string_view text;
    std::size_t t;
    std::uint64_t hash;
  };
  struct alignas(64) Entry {
    CompactOffsets::Row place{};  // and 4 bytes that are free
    double value = 0;
    std::uint32_t hash = 0, size = 0xFFFFFFFF;  // no field is as long
    char text[32];
  };
  Entry& entry_of(std::uint64_t hash) { return entries_[hash % kEntries]; }
  void add(std::size_t t, std::string_view text);
  void find_fields(const AttributeLines& lines, const std::string& file);
  void find_missed();

  const FeatureTable& table_;
  std::vector<Entry> entries_;
  std::vector<Field> fields_;
  FoundRows found_;
  StringLists names_;                // of fields that are not among the entries
  std::vector<std::size_t> missed_;  // index into fields_
  FeatureTable::Scratch look_up_;
};

template <class Take>
void AttributeRows::find(const AttributeLines& lines, const std::string& file, const Take& take) {
  found_.start(0);
  fields_.clear();
  for_each_field(
      lines, [&](std::size_t t, std::string_view text) { add(t, text); },
      [&](std::size_t t) {
        found_.end.push_back(fields_.size());
        if (fields_.size() < kAtOnce) return;
        find_fields(lines, file);
        take(found_);
        found_.start(t + 1);
        fields_.clear();
      });
  find_fields(lines, file);
  take(found_);
}

}  // namespace croft
