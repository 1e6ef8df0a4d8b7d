#include "sql/row_ids.h"

#include <algorithm>
#include <charconv>

namespace croft {

RowId row_id(std::string_view text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && rest == end) {
    const std::size_t sign = text[0] == '-' ? 1 : 0;
    const bool plain = text[sign] != '0' || text == "0";
    if (plain) return row_id(number);
  }
  return {0, text, true};
}

std::string to_string(const RowId& id) {
  return id.is_text ? std::string(id.text) : std::to_string(id.number);
}

std::size_t RowIds::home(std::int64_t key) const {
  const auto mixed = static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15;
  return static_cast<std::size_t>((mixed >> 32) * slots_.size() >> 32);
}

std::uint32_t RowIds::find_key(std::int64_t key, bool is_text) const {
  if (slots_.empty()) return kNone;
  for (std::size_t at = home(key);; at = at + 1 == slots_.size() ? 0 : at + 1) {
    const std::uint32_t number = slots_[at];
    if (number == kNone || (key_[number] == key && is_text_[number] == is_text)) return number;
  }
}

std::uint32_t RowIds::find(const RowId& id) const {
  if (!id.is_text) return find_key(id.number, false);
  const std::uint32_t text = texts_.find(id.text);
  return text == kUnknown ? kNone : find_key(text, true);
}

std::uint32_t RowIds::insert(const RowId& id, bool& is_new) {
  const std::int64_t key = id.is_text ? std::int64_t{texts_.insert(id.text)} : id.number;
  const std::uint32_t found = find_key(key, id.is_text);
  is_new = found == kNone;
  if (!is_new) return found;
  if (3 * (key_.size() + 1) > 2 * slots_.size()) grow();
  const auto number = static_cast<std::uint32_t>(key_.size());
  key_.push_back(key);
  is_text_.push_back(id.is_text);
  std::size_t at = home(key);
  while (slots_[at] != kNone) at = at + 1 == slots_.size() ? 0 : at + 1;
  slots_[at] = number;
  return number;
}

void RowIds::grow() {
  slots_.assign(slots_.size() * 2 + 16, kNone);
  for (std::uint32_t number = 0; number < key_.size(); ++number) {
    std::size_t at = home(key_[number]);
    while (slots_[at] != kNone) at = at + 1 == slots_.size() ? 0 : at + 1;
    slots_[at] = number;
  }
}

RowId RowIds::operator[](std::uint32_t number) const {
  if (!is_text_[number]) return row_id(key_[number]);
  return {0, texts_[static_cast<std::uint32_t>(key_[number])], true};
}

void StagedCliques::sort_rows() {
  const auto by_clique = [](const FeatureRow& a, const FeatureRow& b) {
    return a.clique < b.clique;
  };
  if (!std::ranges::is_sorted(rows, by_clique)) std::ranges::stable_sort(rows, by_clique);
}

std::size_t CliqueIndex::home(std::span<const std::uint32_t> variables) const {
  std::uint64_t hash = 0;
  for (const std::uint32_t each : variables) {
    hash = (hash ^ each) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  hash *= 0x9e3779b97f4a7c15;
  return static_cast<std::size_t>((hash >> 32) * slots_.size() >> 32);
}

std::uint32_t CliqueIndex::build() {
  slots_.assign(cliques_.size() * 2 + 1, kUnknown);
  for (std::uint32_t clique = 0; clique < cliques_.size(); ++clique) {
    const auto variables = cliques_.variables(clique);
    std::size_t at = home(variables);
    for (; slots_[at] != kUnknown; at = at + 1 == slots_.size() ? 0 : at + 1) {
      if (std::ranges::equal(cliques_.variables(slots_[at]), variables)) return clique;
    }
    slots_[at] = clique;
  }
  return kUnknown;
}

std::uint32_t CliqueIndex::find(std::span<const std::uint32_t> variables) const {
  for (std::size_t at = home(variables);; at = at + 1 == slots_.size() ? 0 : at + 1) {
    const std::uint32_t clique = slots_[at];
    if (clique == kUnknown || std::ranges::equal(cliques_.variables(clique), variables)) {
      return clique;
    }
  }
}

}  // namespace croft
