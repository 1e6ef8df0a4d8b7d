// Column labels and segments: how a label at each position spells a segmentation.
//
// A segment of label y has the column label first[y] at its first position and inside[y] at the
// others: B-PER, I-PER, I-PER.  Where the two are the same (a label without a prefix), two
// neighbouring segments of y would be spelt as one: they are one, and y does not follow itself.
// Schemes that mark where a segment ends have two more, last[y] and single[y].
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "croft/structure/chunk_label.h"
#include "croft/structure/gold.h"
#include "croft/structure/segments.h"

namespace croft {

struct SegmentLabels {
  static constexpr Label kNone = 0xFFFFFFFF;

  std::vector<std::string> names;  // [L] of the segments: PER, ORG, O
  std::vector<Label> first,
      inside;  // [L] column labels; inside[y] is kNone where segments have length 1
  std::vector<Label> last, single;  // [L], or empty: last is inside, single is first

  std::size_t labels() const { return names.size(); }
  Label last_of(Label y) const { return last.empty() ? inside[y] : last[y]; }
  Label single_of(Label y) const { return single.empty() ? first[y] : single[y]; }
  // At position `offset` of a segment of `length`.
  Label column(Label y, std::size_t offset, std::size_t length) const {
    if (length == 1) return single_of(y);
    return offset == 0 ? first[y] : offset + 1 == length ? last_of(y) : inside[y];
  }
  bool may_follow_itself(Label y) const { return first[y] != inside[y] || last_of(y) != inside[y]; }
};

// What a label that is no part of a chunk spells: O, and every label where the scheme is none.
enum class PlainLabels {
  tokens,  // a segment of one position each time
  runs     // a run of it is one segment
};

// Segment labels for column labels, in the order in which their types come first.
//   columns : distinct
//   scheme  : bio, ioe, bioes, raw (every label is a token), or none.  Of bio a type without B has
//             segments that are runs of its I; a label with an unknown tag is plain
// Throws UsageError for automatic, which the caller must decide first, for bio1, whose labels
// depend on the segment before, and where two columns (I-X and M-X of bioes) would spell the same
// part.
SegmentLabels segment_labels(std::span<const std::string> columns, ChunkScheme scheme,
                             PlainLabels plain = PlainLabels::tokens);

// The segment label of each column label: [columns].  Requires that each belongs to one.
std::vector<Label> segment_label_of(const SegmentLabels& labels, std::size_t columns);

// The column labels of a segmentation; columns.size() == T.
void spell(const SegmentLabels& labels, std::span<const Segment> segments,
           std::span<Label> columns);

// Column labels as segments, from 0 to T.  What the scheme would not write is read as conlleval
// reads it: an I-X that continues nothing begins a segment.
std::vector<Segment> read_segments(const SegmentLabels& labels, std::span<const Label> columns);

// The first position that `segments` would spell otherwise; none where the columns are well formed.
// segments : read_segments(labels, columns)
std::optional<std::size_t> first_misspelling(const SegmentLabels& labels,
                                             std::span<const Segment> segments,
                                             std::span<const Label> columns);

// -inf at y -> y where y does not follow itself.  log: [L][L], from row to column.
template <class Real>
void forbid_repeats(const SegmentLabels& labels, Matrix<Real>& log);

// Forbids the segments that do not fit what is known of the column labels: (SM.20).
// Cost O(T cells); a set-valued position costs a search in its set for each label.
template <class Real>
void restrict_to(const SegmentLabels& labels, const Gold& columns, SegmentScores<Real>& scores);

}  // namespace croft
