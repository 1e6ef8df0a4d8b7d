#include "model/rows/attribute_rows.h"

#include <algorithm>
#include <cstring>

#include "data/checks.h"

namespace croft {

void AttributeRows::add(std::string_view text, const std::string& of) {
  const auto size = static_cast<std::uint32_t>(text.size());
  const char* begin = text.data();
  char copy[Text::kBytes] = {};
  if (of.data() + of.size() - begin < static_cast<std::ptrdiff_t>(Text::kBytes)) [[unlikely]] {
    std::memcpy(copy, begin, std::min<std::size_t>(size, Text::kBytes));
    begin = copy;
  }
  const Text key(begin, size);
  const std::uint64_t hash =
      mix_words(key.word[0] ^ size, key.word[1]) ^ mix_words(key.word[2] + kGoldenOdd, key.word[3]);
  fields_.push_back({key, size, static_cast<std::uint32_t>(hash >> 32), text.data()});
  __builtin_prefetch(&entries_[place_of(fields_.back().hash)]);
}

// A field that is not among the entries has a row at first, of no weights where it is unknown.
void AttributeRows::find_fields(const AttributeLines& lines, const std::string& file) {
  missed_.clear();
  names_.clear();
  found_.make_room(fields_.size());
  FoundRow* out = found_.rows.data();
  std::size_t k = 0;
  for (const std::size_t end : line_end_) {
    for (; k < end; ++k) {
      if (const Entry* const entry = entry_of(fields_[k])) [[likely]] {
        *out = {entry->id, entry->value};
        out += entry->id != kUnknown ? 1 : 0;
        continue;
      }
      parse_field(lines, file, found_.begin + found_.end.size(), fields_[k].whole(), names_);
      const double value = names_.value(names_.items() - 1);
      check_value(value, {file, lines.first_line});
      missed_.push_back({k, static_cast<std::size_t>(out - found_.rows.data())});
      *out++ = {kUnknown, value};
    }
    found_.end.push_back(static_cast<std::size_t>(out - found_.rows.data()));
  }
  find_missed();
}

void AttributeRows::find_missed() {
  if (missed_.empty()) return;
  table_.find_ids(names_, ids_);
  for (std::size_t n = 0; n < missed_.size(); ++n) {
    const Field& field = fields_[missed_[n].field];
    FoundRow& row = found_.rows[missed_[n].row];
    row.id = ids_[n];
    if (field.size <= Text::kBytes) insert({field.text, field.size, field.hash, row.id, row.value});
  }
  if (replaced_ > entries_.size() / 4 && entries_.size() < kMostEntries) grow();
}

// Of two that are there the one in its own place stays.
void AttributeRows::insert(const Entry& entry) {
  const std::size_t at = place_of(entry.hash);
  Entry* place = &entries_[at];
  if (place->size != kNoField) {
    if (place_of(place->hash) == at) place = &entries_[at ^ 1];
    replaced_ += place->size != kNoField ? 1 : 0;
  }
  *place = entry;
}

// Fields of a few sentences need few entries, which a second-level cache has; those of a corpus
// repay more.
void AttributeRows::grow() {
  LargeVector<Entry> old(2 * entries_.size());
  old.swap(entries_);
  for (const Entry& entry : old) {
    if (entry.size != kNoField) insert(entry);
  }
  replaced_ = 0;
}

}  // namespace croft
