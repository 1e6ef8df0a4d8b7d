// The rows of attribute lines, without their names: fields are recognised as they stand.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/large_vector.h"
#include "data/attributes.h"
#include "model/feature_table.h"
#include "model/rows/found_rows.h"
#include "model/rows/short_text.h"

namespace croft {

// A field that was seen before, with its escapes and its value, has the row that it had then: it
// costs a hash and a comparison of four words instead of a parse, another hash and a search.  One a
// thread and table, which must outlive it.
class AttributeRows {
 public:
  explicit AttributeRows(const FeatureTable& table) : table_(table), entries_(kFirstEntries) {}

  // take(rows) of all positions of some lines, some at a time.  Throws InputError as
  // parse_attributes() does, and for a value above the largest.
  //   part  : whole lines of lines.text
  //   first : position of the first of them
  //   file  : for messages
  template <class Take>
  void find(const AttributeLines& lines, std::string_view part, std::size_t first,
            const std::string& file, const Take& take);

 private:
  static constexpr std::size_t kFirstEntries = 8192;                 // 512 KB
  static constexpr std::size_t kMostEntries = std::size_t{1} << 18;  // 16 MB
  static constexpr std::size_t kAtOnce = 512;            // fields whose cache misses overlap
  using Text = ShortText<4>;                             // 999 fields of 1,000 are no longer
  static constexpr std::uint32_t kNoField = 0xFFFFFFFF;  // no field is as long
  struct Field {
    Text text;
    std::uint32_t size, hash;
    const char* begin;
    std::string_view whole() const { return {begin, size}; }
  };
  struct alignas(64) Entry {
    bool is(const Field& field) const { return size == field.size && text == field.text; }
    Text text;
    std::uint32_t size = kNoField, hash = 0;
    std::uint32_t id = kUnknown;
    double value = 0;
  };
  // An entry is in its place, or in the other one of a pair.
  std::size_t place_of(std::uint32_t hash) const { return hash & (entries_.size() - 1); }
  const Entry* entry_of(const Field& field) const {
    const std::size_t at = place_of(field.hash);
    if (entries_[at].is(field)) return &entries_[at];
    return entries_[at ^ 1].is(field) ? &entries_[at ^ 1] : nullptr;
  }
  void add(std::string_view text, const std::string& of);
  void find_fields(const AttributeLines& lines, const std::string& file);
  void find_missed();
  void insert(const Entry& entry);
  void grow();

  const FeatureTable& table_;
  LargeVector<Entry> entries_;  // a power of two of them
  std::size_t replaced_ = 0;    // entries that another took the place of, since they last grew
  std::vector<Field> fields_;
  std::vector<std::size_t> line_end_;  // index into fields_
  FoundRows found_;
  struct Missed {
    std::size_t field, row;  // of fields_, of found_
  };
  std::vector<Missed> missed_;
  StringLists names_;  // of fields that are not among the entries
  std::vector<std::uint32_t> ids_;
};

template <class Take>
void AttributeRows::find(const AttributeLines& lines, std::string_view part, std::size_t first,
                         const std::string& file, const Take& take) {
  found_.start(first);
  fields_.clear();
  line_end_.clear();
  const auto hand_on = [&] {
    find_fields(lines, file);
    take(found_);
    found_.start(found_.begin + line_end_.size());
    fields_.clear();
    line_end_.clear();
  };
  std::size_t begin = 0;
  bool label = true;
  for_each_byte(part, '\t', '\n', [&](std::size_t end) {
    if (end > begin && !label) add(part.substr(begin, end - begin), lines.text);
    begin = end + 1;
    label = part[end] == '\n';
    if (!label) return;
    line_end_.push_back(fields_.size());
    if (fields_.size() >= kAtOnce) hand_on();
  });
  hand_on();
}

}  // namespace croft
