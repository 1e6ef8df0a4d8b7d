#include "croft/structure/segment_labels.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <string_view>

#include "croft/core/error.h"

namespace croft {
namespace {

constexpr Label kNone = SegmentLabels::kNone;

// What a column label is of its segment.
enum class Part { plain, first, inside, last, single };

struct ReadColumn {
  Part part;
  std::string_view type;
};

Part part_of(std::string_view tag, ChunkScheme scheme) {
  if (tag.size() != 1) return Part::plain;
  const char c = tag[0];
  switch (scheme) {
    case ChunkScheme::bio:
      return c == 'B' ? Part::first : c == 'I' ? Part::inside : Part::plain;
    case ChunkScheme::ioe:
      return c == 'E' ? Part::last : c == 'I' ? Part::inside : Part::plain;
    case ChunkScheme::bioes:
      if (c == 'B') return Part::first;
      if (c == 'I' || c == 'M') return Part::inside;
      if (c == 'E' || c == 'L') return Part::last;
      return c == 'S' || c == 'U' ? Part::single : Part::plain;
    default:
      return Part::plain;
  }
}

ReadColumn read_column(std::string_view label, ChunkScheme scheme) {
  const std::size_t hyphen = label.find('-');
  const Part part = part_of(label.substr(0, hyphen), scheme);
  if (part == Part::plain) return {part, label};
  return {part, hyphen == std::string_view::npos ? std::string_view() : label.substr(hyphen + 1)};
}

// Column labels of one type by their part; kNone where there is none.
struct TypeColumns {
  std::string name;
  bool plain;
  Label first = kNone, inside = kNone, last = kNone, single = kNone;
};

Label either(Label a, Label b) { return a != kNone ? a : b; }

// What the scheme would write with a column label that the data does not have is written with the
// nearest one that it has.
void complete(TypeColumns& type) {
  if (type.first == kNone) type.first = either(type.single, either(type.inside, type.last));
  const bool longer = type.inside != kNone || type.last != kNone;
  if (longer) {
    type.inside = either(type.inside, type.last);
    type.last = either(type.last, type.inside);
  }
  const bool marked = type.first != type.inside;  // a beginning can be told from the rest
  if (type.single == kNone) type.single = marked ? type.first : type.last;
}

}  // namespace

SegmentLabels segment_labels(std::span<const std::string> columns, ChunkScheme scheme,
                             PlainLabels plain) {
  if (scheme == ChunkScheme::automatic) {
    throw UsageError(
        "segments need to know the scheme of the labels: bio, ioe, bioes, raw or none");
  }
  if (scheme == ChunkScheme::bio1) {
    throw UsageError("bio1 labels depend on the segment before: convert them to bio first");
  }
  std::vector<TypeColumns> types;
  std::map<std::pair<bool, std::string_view>, std::size_t> number;
  for (Label c = 0; c < columns.size(); ++c) {
    const ReadColumn column = read_column(columns[c], scheme);
    const bool is_plain = column.part == Part::plain;
    const auto [at, added] = number.try_emplace({is_plain, column.type}, types.size());
    if (added) {
      types.push_back({column.type.empty() ? columns[c] : std::string(column.type), is_plain});
    }
    TypeColumns& type = types[at->second];
    switch (column.part) {
      case Part::inside:
        type.inside = either(type.inside, c);
        break;
      case Part::last:
        type.last = either(type.last, c);
        break;
      case Part::single:
        type.single = either(type.single, c);
        break;
      default:
        type.first = either(type.first, c);
        break;
    }
  }
  SegmentLabels labels;
  for (TypeColumns& type : types) {
    if (type.plain) {
      const bool run = plain == PlainLabels::runs && scheme != ChunkScheme::raw;
      type.single = type.first;
      type.inside = type.last = run ? type.first : kNone;
    } else if (scheme == ChunkScheme::ioe) {
      type.first = type.inside = either(type.inside, type.last);
      type.last = type.single = either(type.last, type.inside);
    } else {
      complete(type);
    }
    labels.names.push_back(type.name);
    labels.first.push_back(type.first);
    labels.inside.push_back(type.inside);
    labels.last.push_back(type.last);
    labels.single.push_back(type.single);
  }
  const std::vector<Label> of = segment_label_of(labels, columns.size());
  const auto left_out = std::ranges::find(of, kNone);
  if (left_out == of.end()) return labels;
  const std::string& label = columns[static_cast<std::size_t>(left_out - of.begin())];
  throw UsageError("the label ", in_quotes(label),
                   " stands for a part of segments that another label of the data stands for, too: "
                   "write one of them in the place of the other");
}

std::vector<Label> segment_label_of(const SegmentLabels& labels, std::size_t columns) {
  std::vector<Label> of(columns, kNone);
  for (Label y = 0; y < labels.labels(); ++y) {
    for (const Label c :
         {labels.first[y], labels.inside[y], labels.last_of(y), labels.single_of(y)}) {
      if (c < columns) of[c] = y;
    }
  }
  return of;
}

void spell(const SegmentLabels& labels, std::span<const Segment> segments,
           std::span<Label> columns) {
  for (const auto& [begin, end, y] : segments) {
    for (std::size_t t = begin; t < end; ++t) columns[t] = labels.column(y, t - begin, end - begin);
  }
}

std::vector<Segment> read_segments(const SegmentLabels& labels, std::span<const Label> columns) {
  const Label highest = columns.empty() ? 0 : *std::ranges::max_element(columns);
  const std::vector<Label> of = segment_label_of(labels, std::size_t{highest} + 1);
  std::vector<Segment> segments;
  for (std::size_t t = 0; t < columns.size(); ++t) {
    const Label c = columns[t], y = of[c];
    assert(y != kNone);
    const bool continues = c == labels.inside[y] || c == labels.last_of(y);
    // Only where nothing marks a beginning does the mark of an end part two segments.
    const bool ended =
        t > 0 && labels.first[y] == labels.inside[y] && columns[t - 1] != labels.inside[y];
    if (t > 0 && segments.back().label == y && continues && !ended) {
      ++segments.back().end;
    } else {
      segments.push_back({t, t + 1, y});
    }
  }
  return segments;
}

std::optional<std::size_t> first_misspelling(const SegmentLabels& labels,
                                             std::span<const Segment> segments,
                                             std::span<const Label> columns) {
  for (const auto& [begin, end, y] : segments) {
    for (std::size_t t = begin; t < end; ++t) {
      if (columns[t] != labels.column(y, t - begin, end - begin)) return t;
    }
  }
  return std::nullopt;
}

template <class Real>
void forbid_repeats(const SegmentLabels& labels, Matrix<Real>& log) {
  for (Label y = 0; y < labels.labels(); ++y) {
    if (!labels.may_follow_itself(y)) log(y, y) = -std::numeric_limits<Real>::infinity();
  }
}

template <class Real>
void restrict_to(const SegmentLabels& labels, const Gold& columns, SegmentScores<Real>& scores) {
  const SegmentShape& shape = *scores.shape;
  const std::size_t length = scores.length();
  constexpr Real kForbidden = SegmentScores<Real>::kForbidden;
  for (Label y = 0; y < labels.labels(); ++y) {
    const Label last = labels.last_of(y), inside = labels.inside[y];
    const auto allows = [&](std::size_t t, Label c) { return c != kNone && columns.allows(t, c); };
    std::size_t open = 0;  // positions from t + 1 on that may be inside a segment of y
    for (std::size_t t = length; t-- > 0;) {
      Real* row = scores.segment.row(t) + shape.first[y];
      const std::size_t longest = std::min(shape.longest(y), length - t);
      if (!allows(t, labels.single_of(y))) row[0] = kForbidden;
      const bool begins = allows(t, labels.first[y]);
      for (std::size_t d = 2; d <= longest; ++d) {
        if (!begins || d - 2 > open || !allows(t + d - 1, last)) row[d - 1] = kForbidden;
      }
      open = allows(t, inside) ? open + 1 : 0;
    }
  }
}

template void forbid_repeats(const SegmentLabels&, Matrix<float>&);
template void forbid_repeats(const SegmentLabels&, Matrix<double>&);
template void restrict_to(const SegmentLabels&, const Gold&, SegmentScores<float>&);
template void restrict_to(const SegmentLabels&, const Gold&, SegmentScores<double>&);

}  // namespace croft
