// The strings of segment templates for one sequence, in rows: what lengths, first and last
// positions and whole segments have.
//
//   theta(s; y, d) = sum_{t} position t in label y  +  length row d  +  begin row s
//                    +  end row s + d - 1  +  segment row (s, d)                          (SM.30)
//
// So what many segments share is scored once.  docs/math/segments.md.
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "croft/data/string_lists.h"
#include "croft/data/text_sequence.h"
#include "croft/structure/segments.h"
#include "features/segment_template.h"
#include "model/segments/segment_lexicon.h"

namespace croft {

struct SegmentRow {
  SegmentTemplate::Reach reach = SegmentTemplate::Reach::length;
  std::uint32_t begin = 0;   // begin, segment: first position; end: last position
  std::uint32_t length = 0;  // length, segment
};

// Rows of a sequence: by reach, then by begin, then by length.
struct SegmentStrings {
  std::vector<SegmentRow> row;
  StringLists node, pair;  // [rows] of f(y, segment), and of f(y', y, segment)
  void clear() {
    row.clear();
    node.clear();
    pair.clear();
  }
};

// The cells that templates look at; views into a sequence.
struct SegmentWords {
  std::size_t length = 0;
  std::vector<std::vector<std::string_view>> column;  // [templates.columns()][T]
};

class SegmentFeatures {
 public:
  static constexpr std::size_t kNoSequence = std::numeric_limits<std::size_t>::max();

  SegmentFeatures() = default;
  // Kept by reference.
  //   longest : of segments with features of their own; 0: none has
  //   prefix  : the attribute whose rest is the cell of column 0, where data is attributes; empty:
  //             cells are in attributes that Extractor made (cell_name())
  SegmentFeatures(const SegmentTemplates& templates, const SegmentLexicon& lexicon,
                  std::size_t longest, std::string prefix);

  void read(const TextSequence& sequence, SegmentWords& words) const;

  struct Scratch {                                  // one a thread
    std::vector<std::vector<std::string>> tokens;   // [joined][T]
    std::vector<std::string> key;                   // [joined] the walk's, with its kind
    std::vector<std::uint32_t> id;                  // [joined] of the lexicon
    std::vector<bool> open;                         // [joined] whether the walk goes on
    std::vector<std::vector<std::uint32_t>> lists;  // [templates] classes that a set has
    std::vector<std::uint32_t> found;
    std::string lower, edit;
    std::vector<std::uint32_t> shared, touched;  // [names] words in common; those that are not 0
  };
  // Every row that a segment of this sequence may have.  Overwrites `out`.
  //   sequence : its number in the training data, whose own segments %seen does not see
  void expand(const SegmentWords& words, Scratch& scratch, SegmentStrings& out,
              std::size_t sequence = kNoSequence) const;

  // The rows of one segment alone.
  void expand(const SegmentWords& words, const Segment& one, Scratch& scratch, SegmentStrings& out,
              std::size_t sequence = kNoSequence) const;

  std::size_t longest() const { return longest_; }
  const SegmentTemplates& templates() const { return *templates_; }

 private:
  using Reach = SegmentTemplate::Reach;
  void prepare(const SegmentWords& words, Scratch& scratch) const;
  void append_row(SegmentRow row, const SegmentWords& words, const Scratch& scratch,
                  SegmentStrings& out) const;
  void append_string(const SegmentTemplate& one, SegmentRow row, const SegmentWords& words,
                     const Scratch& scratch, std::uint32_t member, StringLists& out) const;
  bool look_up(const SegmentWords& words, SegmentRow row, std::size_t sequence,
               Scratch& scratch) const;
  void extend(std::size_t t, bool first, Scratch& scratch) const;
  void add_overlaps(const SegmentWords& words, SegmentRow row, Scratch& scratch,
                    std::vector<std::uint32_t>& lists) const;
  std::string_view cell(const SegmentWords& words, std::uint32_t column, std::int64_t t,
                        std::string& outside) const;

  const SegmentTemplates* templates_ = nullptr;
  const SegmentLexicon* lexicon_ = nullptr;
  std::size_t longest_ = 0;
  std::string prefix_;
  std::vector<std::size_t> slot_;  // [joined] of its column
  bool all_segments_ = false;      // whether every segment has a row of its own
  bool approximate_ = false;
};

}  // namespace croft
