#include "model/segments/segment_lexicon.h"

#include <algorithm>
#include <set>

#include "core/unicode.h"
#include "croft/core/error.h"
#include "model/file/container.h"

namespace croft {
namespace {

// Shorter names are too often one character away from something else.
constexpr std::size_t kShortestEdited = 5;

char shape_of(char32_t value) {
  switch (character_class(value)) {
    case CharacterClass::upper:
      return 'X';
    case CharacterClass::lower:
      return 'x';
    case CharacterClass::letter:
      return 'o';
    case CharacterClass::digit:
    case CharacterClass::number:
      return 'd';
    case CharacterClass::mark:
      return 0;
    default:
      return '.';
  }
}

// visit(text without one of its characters)
template <class Visit>
void without_one(std::string_view text, const Visit& visit) {
  std::string shorter;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = decode(text, at).size;
    shorter.assign(text.substr(0, at));
    shorter.append(text.substr(at + size));
    visit(shorter);
    at += size;
  }
}

std::vector<std::string_view> words_of(std::string_view joined) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin <= joined.size();) {
    const std::size_t end = std::min(joined.find(' ', begin), joined.size());
    words.push_back(joined.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

}  // namespace

void append_joined(JoinedAs as, std::string_view word, std::string& out) {
  if (as == JoinedAs::text) {
    out += word;
  } else if (as == JoinedAs::lower) {
    append_lower(word, out);
  } else {
    const std::size_t begin = out.size();
    for (std::size_t at = 0; at < word.size();) {
      const DecodedCharacter character = decode(word, at);
      const char sign = character.value == kInvalidByte ? '?' : shape_of(character.value);
      if (sign != 0 && (out.size() == begin || out.back() != sign)) out += sign;
      at += character.size;
    }
  }
}

SegmentLexicon::SegmentLexicon(const Container& container, std::vector<std::string> labels,
                               std::vector<std::string> gazetteers)
    : labels_(std::move(labels)),
      gazetteers_(std::move(gazetteers)),
      table_(container, "lexicon", kFirstLabel + labels_.size() + gazetteers_.size()) {
  if (!container.has("names")) return;
  names_ = container.numbers<std::uint32_t>("names");
  words_ = FeatureTable(container, "name_words", names());
  if (names_.size() % 2 != 0) {
    container.fail_section("names");
  }
  for (std::size_t n = 0; n < names(); ++n) {
    if (names_[2 * n] < gazetteers_.size()) continue;
    container.fail_section("names");
  }
}

void SegmentLexicon::find_edited(std::string_view lower, std::string& key,
                                 std::vector<std::uint32_t>& lists) const {
  const auto look_up = [&](std::string_view text) {
    key.assign(1, kEdit);
    key += text;
    const WeightRow row = table_.row(table_.names().find(key));
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (row.cell(k) >= first_list()) lists.push_back(row.cell(k));  // else it is damaged
    }
  };
  if (lower.size() < kShortestEdited) return;
  look_up(lower);
  without_one(lower, look_up);
}

SegmentLexiconBuilder::SegmentLexiconBuilder(const SegmentTemplates& templates, std::size_t labels,
                                             std::span<const NameList> gazetteers)
    : labels_(labels), lists_(gazetteers.size()) {
  for (std::uint32_t k = 0; k < gazetteers.size(); ++k) add_gazetteer(templates, gazetteers[k], k);
}

void SegmentLexiconBuilder::add(char kind, std::string_view string, std::uint32_t cell,
                                float weight) {
  std::map<std::uint32_t, float>& cells = rows_[std::string(1, kind).append(string)];
  const auto [entry, is_new] = cells.emplace(cell, weight);
  if (!is_new && entry->second != weight) entry->second = 1;
}

void SegmentLexiconBuilder::add_starts(char kind, std::string_view string) {
  for (std::size_t at = string.find(' '); at != string.npos; at = string.find(' ', at + 1)) {
    add(kind, string.substr(0, at), SegmentLexicon::kStart, 1);
  }
}

void SegmentLexiconBuilder::add_segment(std::uint32_t joined, std::string_view string, Label y,
                                        std::size_t n) {
  const char kind = SegmentLexicon::as_joined(joined);
  add_starts(kind, string);
  add(kind, string, SegmentLexicon::kSegment, 1);
  add(kind, string, SegmentLexicon::kFirstLabel + y, SegmentLexicon::once(n));
}

void SegmentLexiconBuilder::add_gazetteer(const SegmentTemplates& templates, const NameList& list,
                                          std::uint32_t number) {
  const auto cell = static_cast<std::uint32_t>(SegmentLexicon::kFirstLabel + labels_ + number);
  std::vector<std::uint32_t> joined;  // those that are asked for
  for (const SegmentTemplate& each : templates.templates()) {
    for (const SegmentPart& part : each.parts) {
      if (part.kind != SegmentPart::Kind::gazetteer || part.match == GazetteerMatch::edit ||
          part.match == GazetteerMatch::overlap) {
        continue;
      }
      if (std::ranges::find(joined, part.joined) == joined.end()) joined.push_back(part.joined);
    }
  }
  const bool edit = templates.uses(GazetteerMatch::edit);
  const bool overlap = templates.uses(GazetteerMatch::overlap);
  std::string lower;
  for (const std::string& entry : list.entries) {
    lower.clear();
    append_lower(entry, lower);
    for (const std::uint32_t k : joined) {
      const char kind = SegmentLexicon::as_joined(k);
      const std::string& string = templates.joined()[k].as == JoinedAs::text ? entry : lower;
      add_starts(kind, string);
      add(kind, string, cell, 1);
    }
    if (edit && lower.size() >= kShortestEdited) {
      add(SegmentLexicon::kEdit, lower, cell, 1);
      without_one(
          lower, [&](const std::string& shorter) { add(SegmentLexicon::kEdit, shorter, cell, 1); });
    }
    if (!overlap) continue;
    const auto n = static_cast<std::uint32_t>(names_.size() / 2);
    const std::vector<std::string_view> words = words_of(lower);
    const std::set<std::string_view> distinct(words.begin(), words.end());
    for (const std::string_view word : distinct) words_[std::string(word)].push_back(n);
    names_.push_back(number);
    names_.push_back(static_cast<std::uint32_t>(distinct.size()));
  }
}

// What this one has keeps its weight: a segment of one sequence here is not one of another for the
// other lexicon's sake, whose data may be the same.
void SegmentLexiconBuilder::keep(const SegmentLexicon& other, std::span<const std::uint32_t> joined,
                                 std::span<const Label> labels, bool lists) {
  const FeatureTable& table = other.table();
  for (std::uint32_t id = 0; id < table.size(); ++id) {
    std::string key = table.name(id);
    if (key.empty()) continue;
    const bool edit = key[0] == SegmentLexicon::kEdit;
    const auto number = static_cast<std::size_t>(key[0] - SegmentLexicon::as_joined(0));
    if (edit ? !lists : number >= joined.size() || joined[number] == kUnknown) continue;
    if (!edit) key[0] = SegmentLexicon::as_joined(joined[number]);
    const WeightRow row = table.row(id);
    for (std::size_t k = 0; k < row.size(); ++k) {
      std::uint32_t cell = row.cell(k);
      if (cell >= other.first_list()) {
        if (!lists) continue;
        cell = static_cast<std::uint32_t>(cell - other.first_list() + SegmentLexicon::kFirstLabel +
                                          labels_);
      } else if (cell >= SegmentLexicon::kFirstLabel) {
        cell = SegmentLexicon::kFirstLabel + labels[cell - SegmentLexicon::kFirstLabel];
      }
      rows_[key].emplace(cell, 1.0F);
    }
  }
  if (!lists) return;
  const auto first = static_cast<std::uint32_t>(names_.size() / 2);
  for (std::size_t n = 0; n < other.names(); ++n) {
    names_.push_back(other.name(n).list);
    names_.push_back(other.name(n).words);
  }
  for (std::uint32_t id = 0; id < other.words().size(); ++id) {
    const WeightRow row = other.words().row(id);
    std::vector<std::uint32_t>& of = words_[other.words().name(id)];
    for (std::size_t k = 0; k < row.size(); ++k) of.push_back(first + row.cell(k));
  }
}

void SegmentLexiconBuilder::write(bool weigh_once, ContainerWriter& out) const {
  std::vector<NamedRow> rows;
  std::vector<std::vector<std::uint32_t>> cell;
  std::vector<std::vector<double>> weight;
  for (const auto& [name, cells] : rows_) {
    std::vector<std::uint32_t>& c = cell.emplace_back();
    std::vector<double>& w = weight.emplace_back();
    for (const auto& [k, value] : cells) {
      c.push_back(k);
      w.push_back(weigh_once ? double{value} : 1.0);
    }
  }
  std::size_t k = 0;
  for (const auto& [name, cells] : rows_) {
    rows.push_back({name, cell[k], weight[k]});
    ++k;
  }
  write_feature_table(rows, SegmentLexicon::kFirstLabel + labels_ + lists_, "lexicon", out);
  if (names_.empty()) return;
  rows.clear();
  std::vector<std::vector<double>> ones;
  for (const auto& [word, of] : words_) ones.emplace_back(of.size(), 1.0);
  k = 0;
  for (const auto& [word, of] : words_) rows.push_back({word, of, ones[k++]});
  write_feature_table(rows, names_.size() / 2, "name_words", out);
  out.add_numbers("names", names_, ContainerWriter::Kind::bulk);
}

}  // namespace croft
