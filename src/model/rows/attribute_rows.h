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
  explicit AttributeRows(const FeatureTable& table) : table_(table), entries_(kFirstEntries) {}

  // take(rows) of all positions, some at a time.  Throws InputError as parse_attributes()
  // does, and for a value above the largest.
  //   file : for messages
  template <class Take>
  void find(const AttributeLines& lines, const std::string& file, const Take& take);

 private:
  static constexpr std::size_t kFirstEntries = 8192;                 // 512 KB
  static constexpr std::size_t kMostEntries = std::size_t{1} << 17;  // 8 MB
  static constexpr std::size_t kAtOnce = 2048;  // fields whose cache misses overlap
  struct Field {
    std::string_view text;
    std::size_t t;
    std::uint32_t hash;
  };
  static constexpr std::uint32_t kNoField = 0xFFFFFFFF;  // no field is as long
  struct alignas(64) Entry {
    CompactOffsets::Row place{};  // and 4 bytes that are free
    double value = 0;
    std::uint32_t hash = 0, size = kNoField;
    char text[32];
  };
  Entry& entry_of(std::uint32_t hash) { return entries_[hash & (entries_.size() - 1)]; }
  void add(std::size_t t, std::string_view text);
  void find_fields(const AttributeLines& lines, const std::string& file);
  void find_missed();
  void grow();

  const FeatureTable& table_;
  std::vector<Entry> entries_;  // a power of two of them
  std::size_t replaced_ = 0;    // entries that another took the place of, since they last grew
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
