// Segment templates: features of a segment as a whole, (begin, end, label), from lines of text.
//
//   U1:%length                     a weight for each length and label
//   U2:%lower                      the segment's words in lower case
//   U3:%last[1,0]                  the cell after the segment, in column 0
//   U4:%gazetteer[fold]            each list that has the segment, whatever its case
//   B1:%length[1,2-3,4-]           the label before as well: a weight for each two labels
//
// docs/segments.md, "Segment templates", defines the format.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "croft/core/error.h"

namespace croft {

// What stands for a segment's words when they are joined: as they are, in lower case, their shapes.
enum class JoinedAs : std::uint8_t { text, lower, shape };

// The words of a segment in one column, one string for the segment, joined by spaces.
struct Joined {
  JoinedAs as = JoinedAs::text;
  std::uint32_t column = 0;
  bool operator==(const Joined&) const = default;
};

// How a segment is found in a gazetteer.
enum class GazetteerMatch : std::uint8_t {
  exact,
  fold,     // in lower case
  edit,     // in lower case, one character added, left out or changed
  overlap,  // half or more of the words of both together are in both, in lower case
};

// A part of a template's string.
struct SegmentPart {
  enum class Kind : std::uint8_t { text, joined, first, last, length, gazetteer, seen };
  Kind kind = Kind::text;
  std::string text;  // text
  std::uint32_t joined =
      0;  // joined, seen; gazetteer exact and fold: index of SegmentTemplates::joined()
  std::int32_t offset = 0;   // first, last: rows from the segment's first or last position
  std::uint32_t column = 0;  // first, last
  GazetteerMatch match = GazetteerMatch::exact;
  std::vector<std::uint32_t> bins;  // length: the shortest of each range; empty: each its own
  // Whether it may have several values, each of which makes a string, or none.
  bool is_set() const { return kind == Kind::gazetteer || kind == Kind::seen; }
};

struct SegmentTemplate {
  // What it looks at, and so how many weights of a sequence it touches: of each length; of each
  // position that a segment begins or ends at; of each segment.
  enum class Reach : std::uint8_t { length, begin, end, segment };
  enum class Value : std::uint8_t { one, length, log_length };

  Reach reach = Reach::length;
  bool pairs = false;  // with the label before
  Value value = Value::one;
  std::vector<SegmentPart> parts;
  bool looks_up() const;  // whether only segments that some list has can have it
};

class SegmentTemplates {
 public:
  // Parses a template file; `name` is for messages.  Throws InputError (file, line, column, the
  // line, what to write) for a bad line.  No line: no feature.
  static SegmentTemplates parse(std::string_view text, const std::string& name);
  // The lines used where no file is given.
  static std::string_view default_text();

  const std::string& text() const { return text_; }  // the source, for the model file
  const std::vector<SegmentTemplate>& templates() const { return templates_; }
  const std::vector<Joined>& joined() const { return joined_; }  // the distinct ones that are used
  const std::vector<std::size_t>& columns() const {
    return columns_;
  }  // the cells used, increasing
  bool has_reach(SegmentTemplate::Reach reach) const;
  bool has_pairs() const;
  bool uses(GazetteerMatch match) const;
  bool uses_gazetteers() const;
  // Throws InputError for a template with a column that data of so many columns does not have.
  void check_columns(std::size_t columns) const;

 private:
  friend class SegmentLineParser;
  std::uint32_t number_of(Joined joined);
  std::string text_, name_;
  std::vector<SegmentTemplate> templates_;
  std::vector<Joined> joined_;
  std::vector<std::size_t> columns_;
  std::vector<std::pair<std::size_t, std::size_t>> column_line_;  // each with its first line
};

}  // namespace croft
