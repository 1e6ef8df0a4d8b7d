// Of the rows of a sequence (segment_features.h), those of each of its segments.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "model/segments/segment_features.h"
#include "model/trees/tree_ensemble.h"

namespace croft {

// A segment has the row of its length, that of its first position, that of its last one, and its
// own.  Rows are numbers that the caller gives.
class SpanRows {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  using Key = std::array<std::uint32_t, 4>;
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };

  // row, number : parallel, rows by reach, begin, length; kNone: nothing is said
  //   length    : T of the sequence
  //   longest   : D of a segment
  void start(std::span<const SegmentRow> row, std::span<const std::uint32_t> number,
             std::size_t length, std::size_t longest);

  // visit(s, d, key) for each segment that fits, by s, then d: T D of them.
  template <class Visit>
  void visit(const Visit& visit) const {
    std::size_t own = 0;
    for (std::size_t s = 0; s < begin_.size(); ++s) {
      for (std::size_t d = 1; d <= length_.size() && s + d <= begin_.size(); ++d) {
        Key key{length_[d - 1], begin_[s], end_[s + d - 1], kNone};
        if (own < own_.size() && own_[own].begin == s && own_[own].length == d) {
          key[3] = own_[own++].number;
        }
        visit(s, d, key);
      }
    }
  }

 private:
  struct Own {
    std::size_t begin, length;
    std::uint32_t number;
  };
  std::vector<std::uint32_t> length_, begin_, end_;  // [D], [T], [T]
  std::vector<Own> own_;
};

// What a model of trees needs to score segments: one a thread.
struct SpanScratch {
  SpanRows rows;
  std::vector<std::uint32_t> number, ids;
  PositionValues seen;
  std::unordered_map<SpanRows::Key, std::size_t, SpanRows::Hash> place;  // of a segment's values
  std::vector<double> values;                                            // [places][L]
};

}  // namespace croft
