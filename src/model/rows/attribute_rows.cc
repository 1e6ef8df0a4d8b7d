#include "model/rows/attribute_rows.h"

#include <cstring>

#include "data/checks.h"

namespace croft {

void AttributeRows::add(std::size_t t, std::string_view text) {
  const auto hash = static_cast<std::uint32_t>(hash_string(text));
  __builtin_prefetch(&entry_of(hash));
  fields_.push_back({text, t, hash});
}

// Every field has a row at first, of no weights where it is unknown.
void AttributeRows::find_fields(const AttributeLines& lines, const std::string& file) {
  missed_.clear();
  names_.clear();
  found_.make_room(fields_.size());
  for (std::size_t k = 0; k < fields_.size(); ++k) {
    const auto& [text, t, hash] = fields_[k];
    const Entry& entry = entry_of(hash);
    if (entry.hash == hash && entry.size == text.size() &&
        equal_bytes(entry.text, text.data(), text.size())) {
      found_.rows[k] = {entry.place, entry.value};
      continue;
    }
    parse_field(lines, file, t, text, names_);
    const double value = names_.value(names_.items() - 1);
    check_value(value, {file, lines.first_line});
    found_.rows[k] = {{0, 0}, value};
    missed_.push_back(k);
  }
  find_missed();
}

void AttributeRows::find_missed() {
  if (missed_.empty()) return;
  table_.find(names_, look_up_);
  for (std::size_t n = 0; n < missed_.size(); ++n) {
    const auto& [text, t, hash] = fields_[missed_[n]];
    FoundRow& row = found_.rows[missed_[n]];
    row.place = look_up_.places[n];
    if (text.size() > sizeof Entry::text) continue;
    Entry& entry = entry_of(hash);
    replaced_ += entry.size != kNoField ? 1 : 0;
    entry.place = row.place;
    entry.value = row.value;
    entry.hash = hash;
    entry.size = static_cast<std::uint32_t>(text.size());
    std::memcpy(entry.text, text.data(), text.size());
  }
  if (replaced_ > entries_.size() && entries_.size() < kMostEntries) grow();
}

// Fields of a few sentences need few entries, which a second-level cache has; those of a corpus
// repay more.
void AttributeRows::grow() {
  std::vector<Entry> old(4 * entries_.size());
  old.swap(entries_);
  replaced_ = 0;
  for (const Entry& entry : old) {
    if (entry.size != kNoField) entry_of(entry.hash) = entry;
  }
}

}  // namespace croft
