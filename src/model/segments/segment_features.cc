#include "model/segments/segment_features.h"

#include <algorithm>
#include <cmath>

#include "features/extraction.h"

namespace croft {
namespace {

using Kind = SegmentPart::Kind;
using Reach = SegmentTemplate::Reach;

std::size_t slot_of(const std::vector<std::size_t>& columns, std::size_t column) {
  return static_cast<std::size_t>(std::ranges::find(columns, column) - columns.begin());
}

void append_length(const SegmentPart& part, std::size_t length, std::string& out) {
  if (part.bins.empty()) {
    out += std::to_string(length);
    return;
  }
  const auto next = std::ranges::upper_bound(part.bins, length);
  const std::uint32_t from = *std::prev(next);
  out += std::to_string(from);
  if (next == part.bins.end()) {
    out += '-';
  } else if (*next > from + 1) {
    out += '-' + std::to_string(*next - 1);
  }
}

}  // namespace

SegmentFeatures::SegmentFeatures(const SegmentTemplates& templates, const SegmentLexicon& lexicon,
                                 std::size_t longest, std::string prefix)
    : templates_(&templates), lexicon_(&lexicon), longest_(longest), prefix_(std::move(prefix)) {
  for (const Joined& joined : templates.joined()) {
    slot_.push_back(slot_of(templates.columns(), joined.column));
  }
  for (const SegmentTemplate& one : templates.templates()) {
    all_segments_ = all_segments_ || (one.reach == Reach::segment && !one.looks_up());
  }
  approximate_ = templates.uses(GazetteerMatch::edit) || templates.uses(GazetteerMatch::overlap);
}

void SegmentFeatures::read(const TextSequence& sequence, SegmentWords& words) const {
  const StringLists& node = sequence.node;
  words.length = sequence.length();
  words.column.resize(templates_->columns().size());
  for (auto& column : words.column) column.assign(words.length, {});
  if (words.column.empty()) return;
  for (std::size_t t = 0; t < words.length; ++t) {
    for (std::size_t k = node.list_end(t); k-- > node.list_begin(t);) {
      const std::string_view item = node.item(k);
      if (!prefix_.empty()) {
        if (item.starts_with(prefix_)) words.column[0][t] = item.substr(prefix_.size());
        continue;
      }
      std::size_t column = 0;
      std::string_view text;
      if (!parse_cell_name(item, column, text)) break;  // cells are the last ones
      const std::size_t slot = slot_of(templates_->columns(), column);
      if (slot < words.column.size()) words.column[slot][t] = text;
    }
  }
}

std::string_view SegmentFeatures::cell(const SegmentWords& words, std::uint32_t column,
                                       std::int64_t t, std::string& outside) const {
  const auto length = static_cast<std::int64_t>(words.length);
  if (t >= 0 && t < length) {
    return words.column[slot_of(templates_->columns(), column)][static_cast<std::size_t>(t)];
  }
  outside = t < 0 ? "_B" + std::to_string(t) : "_B+" + std::to_string(t - length + 1);
  return outside;
}

// One string; `member` is what its set, if there is one, has.
void SegmentFeatures::append_string(const SegmentTemplate& one, SegmentRow row,
                                    const SegmentWords& words, const Scratch& scratch,
                                    std::uint32_t member, StringLists& out) const {
  std::string& bytes = out.bytes();
  std::string outside;
  const auto last = static_cast<std::int64_t>(row.begin) +
                    (row.reach == Reach::segment ? static_cast<std::int64_t>(row.length) - 1 : 0);
  for (const SegmentPart& part : one.parts) {
    switch (part.kind) {
      case Kind::text:
        bytes += part.text;
        break;
      case Kind::joined:
        bytes += std::string_view(scratch.key[part.joined]).substr(1);
        break;
      case Kind::first:
        bytes += cell(words, part.column, std::int64_t{row.begin} + part.offset, outside);
        break;
      case Kind::last:
        bytes += cell(words, part.column, last + part.offset, outside);
        break;
      case Kind::length:
        append_length(part, row.length, bytes);
        break;
      case Kind::gazetteer:
      case Kind::seen:
        bytes += lexicon_->member(member);
        break;
    }
  }
  double value = 1;
  if (one.value == SegmentTemplate::Value::length) value = static_cast<double>(row.length);
  if (one.value == SegmentTemplate::Value::log_length) {
    value = std::log(static_cast<double>(row.length));
  }
  out.end_item(value);
}

// The strings of all templates of the row's reach; no row where there is none.
void SegmentFeatures::append_row(SegmentRow row, const SegmentWords& words, const Scratch& scratch,
                                 SegmentStrings& out) const {
  const std::size_t nodes = out.node.items(), pairs = out.pair.items();
  for (std::size_t k = 0; k < templates_->templates().size(); ++k) {
    const SegmentTemplate& one = templates_->templates()[k];
    if (one.reach != row.reach) continue;
    StringLists& lists = one.pairs ? out.pair : out.node;
    bool is_set = false, known = true;
    for (const SegmentPart& part : one.parts) {
      is_set = is_set || part.is_set();
      if (part.kind != Kind::joined) continue;
      const WeightRow found = lexicon_->table().row(scratch.id[part.joined]);
      bool segment = false;
      for (std::size_t c = 0; c < found.size() && found.cell(c) <= SegmentLexicon::kSegment; ++c) {
        segment = segment || found.cell(c) == SegmentLexicon::kSegment;
      }
      known = known && segment;
    }
    if (!known) continue;
    if (!is_set) {
      append_string(one, row, words, scratch, 0, lists);
      continue;
    }
    for (const std::uint32_t member : scratch.lists[k]) {
      append_string(one, row, words, scratch, member, lists);
    }
  }
  if (out.node.items() == nodes && out.pair.items() == pairs) return;
  out.row.push_back(row);
  out.node.end_list();
  out.pair.end_list();
}

// Goes one position on with the walks that have not ended.
void SegmentFeatures::extend(std::size_t t, bool first, Scratch& scratch) const {
  for (std::uint32_t j = 0; j < scratch.key.size(); ++j) {
    std::string& key = scratch.key[j];
    if (first) {
      key.assign(1, SegmentLexicon::as_joined(j));
      scratch.open[j] = true;
    } else {
      key += ' ';
    }
    key += scratch.tokens[j][t];
    scratch.id[j] = scratch.open[j] ? lexicon_->table().names().find(key) : kUnknown;
    const WeightRow row = lexicon_->table().row(scratch.id[j]);
    scratch.open[j] = row.size() > 0 && row.cell(0) == SegmentLexicon::kStart;
  }
}

void SegmentFeatures::add_overlaps(const SegmentWords&, SegmentRow row, Scratch& scratch,
                                   std::vector<std::uint32_t>& lists) const {
  const auto joined =
      static_cast<std::size_t>(std::ranges::find(templates_->joined(), Joined{JoinedAs::lower, 0}) -
                               templates_->joined().begin());
  const std::vector<std::string>& tokens = scratch.tokens[joined];
  scratch.shared.resize(lexicon_->names());
  std::uint32_t distinct = 0;
  for (std::size_t t = row.begin; t < row.begin + row.length; ++t) {
    const auto begin = tokens.begin() + row.begin,
               here = tokens.begin() + static_cast<std::ptrdiff_t>(t);
    if (std::find(begin, here, tokens[t]) != here) continue;
    ++distinct;
    const WeightRow of = lexicon_->words().row(lexicon_->words().names().find(tokens[t]));
    for (std::size_t k = 0; k < of.size(); ++k) {
      if (scratch.shared[of.cell(k)]++ == 0) scratch.touched.push_back(of.cell(k));
    }
  }
  for (const std::uint32_t n : scratch.touched) {
    const SegmentLexicon::Name name = lexicon_->name(n);
    const std::uint32_t both = scratch.shared[n];
    if (2 * both >= name.words + distinct - both)
      lists.push_back(lexicon_->first_list() + name.list);
    scratch.shared[n] = 0;
  }
  scratch.touched.clear();
}

// What the sets of templates have of a segment whose walk has come to its end.  False: nothing.
bool SegmentFeatures::look_up(const SegmentWords& words, SegmentRow row, std::size_t sequence,
                              Scratch& scratch) const {
  bool any = false;
  const float own = sequence == kNoSequence ? 0 : SegmentLexicon::once(sequence);
  for (std::size_t k = 0; k < templates_->templates().size(); ++k) {
    for (const SegmentPart& part : templates_->templates()[k].parts) {
      any = any || (part.kind == Kind::joined && scratch.id[part.joined] != kUnknown);
      if (!part.is_set()) continue;
      std::vector<std::uint32_t>& lists = scratch.lists[k];
      lists.clear();
      const bool edit = part.match == GazetteerMatch::edit;
      if (part.kind == Kind::gazetteer && (edit || part.match == GazetteerMatch::overlap)) {
        if (edit) {
          lexicon_->find_edited(std::string_view(scratch.key[part.joined]).substr(1), scratch.edit,
                                lists);
        } else {
          add_overlaps(words, row, scratch, lists);
        }
        std::ranges::sort(lists);
        lists.erase(std::ranges::unique(lists).begin(), lists.end());
      } else if (scratch.id[part.joined] != kUnknown) {
        const WeightRow found = lexicon_->table().row(scratch.id[part.joined]);
        const std::uint32_t list = lexicon_->first_list();
        for (std::size_t c = 0; c < found.size(); ++c) {
          const std::uint32_t cell = found.cell(c);
          const bool fits = part.kind == Kind::gazetteer
                                ? cell >= list
                                : cell >= SegmentLexicon::kFirstLabel && cell < list &&
                                      (own == 0 || found.weight(c) != own);
          if (fits) lists.push_back(cell);
        }
      }
      any = any || !lists.empty();
    }
  }
  return any;
}

void SegmentFeatures::prepare(const SegmentWords& words, Scratch& scratch) const {
  const std::size_t joined = templates_->joined().size();
  scratch.lists.resize(templates_->templates().size());
  scratch.tokens.resize(joined);
  scratch.key.resize(joined);
  scratch.id.assign(joined, kUnknown);
  scratch.open.assign(joined, false);
  for (std::size_t j = 0; j < joined; ++j) {
    scratch.tokens[j].resize(std::max(scratch.tokens[j].size(), words.length));
    for (std::size_t t = 0; t < words.length; ++t) {
      scratch.tokens[j][t].clear();
      append_joined(templates_->joined()[j].as, words.column[slot_[j]][t], scratch.tokens[j][t]);
    }
  }
}

void SegmentFeatures::expand(const SegmentWords& words, const Segment& one, Scratch& scratch,
                             SegmentStrings& out, std::size_t sequence) const {
  out.clear();
  const auto begin = static_cast<std::uint32_t>(one.begin);
  const auto length = static_cast<std::uint32_t>(one.end - one.begin);
  append_row({Reach::length, 0, length}, words, scratch, out);
  append_row({Reach::begin, begin, 0}, words, scratch, out);
  append_row({Reach::end, begin + length - 1, 0}, words, scratch, out);
  if (!templates_->has_reach(Reach::segment)) return;
  prepare(words, scratch);
  for (std::size_t t = one.begin; t < one.end; ++t) extend(t, t == one.begin, scratch);
  const SegmentRow row{Reach::segment, begin, length};
  look_up(words, row, sequence, scratch);
  append_row(row, words, scratch, out);
}

void SegmentFeatures::expand(const SegmentWords& words, Scratch& scratch, SegmentStrings& out,
                             std::size_t sequence) const {
  out.clear();
  if (longest_ == 0) return;
  const auto length = static_cast<std::uint32_t>(words.length);
  const auto longest = static_cast<std::uint32_t>(std::min(longest_, words.length));
  if (templates_->has_reach(Reach::length)) {
    for (std::uint32_t d = 1; d <= longest; ++d) {
      append_row({Reach::length, 0, d}, words, scratch, out);
    }
  }
  for (const Reach reach : {Reach::begin, Reach::end}) {
    for (std::uint32_t t = 0; templates_->has_reach(reach) && t < length; ++t) {
      append_row({reach, t, 0}, words, scratch, out);
    }
  }
  if (!templates_->has_reach(Reach::segment)) return;
  prepare(words, scratch);
  const bool all = all_segments_ || approximate_;
  for (std::uint32_t s = 0; s < length; ++s) {
    for (std::uint32_t d = 1; d <= std::min(longest, length - s); ++d) {
      extend(s + d - 1, d == 1, scratch);
      const SegmentRow row{Reach::segment, s, d};
      if (look_up(words, row, sequence, scratch) || all_segments_) {
        append_row(row, words, scratch, out);
      }
      if (!all && std::ranges::find(scratch.open, true) == scratch.open.end()) break;
    }
  }
}

}  // namespace croft
