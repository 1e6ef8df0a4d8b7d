// What segment templates say of the segments that sequences may have, as inputs of trees.
//
// Segments of which they say the same have one input: a tree gives them the same value, and their
// gradients add up to its gradient.  So where templates speak of lengths and of known names, the
// T D segments of a sequence come to some D inputs of all data.  docs/math/boosting.md section 7.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "features/chain_data.h"
#include "model/segments/segment_features.h"
#include "model/segments/span_rows.h"

namespace croft {

struct SpanInputs {
  AttributeLists lists;                 // [inputs] what templates say, each once
  std::size_t longest = 0;              // D, of a segment of a label with trees; 0: there is none
  std::vector<std::uint64_t> begin{0};  // [N + 1] into input
  std::vector<std::uint32_t> input;     // [T][D] of each sequence; of segments that fit

  std::size_t size() const { return lists.positions(); }
  // Of a sequence: the input of the segment (s, d) is at s D + d - 1.
  const std::uint32_t* of(std::size_t n) const { return input.data() + begin[n]; }
};

// Numbers inputs in the order in which they come.
class SpanInputsBuilder {
 public:
  explicit SpanInputsBuilder(std::size_t longest) { inputs.longest = longest; }
  // Appends a sequence of `length` positions.
  //   rows, first : its rows, whose attributes are lists first, first + 1, ... of `lists`
  void add(std::size_t length, std::span<const SegmentRow> rows, const AttributeLists& lists,
           std::size_t first);

  SpanInputs inputs;

 private:
  using Set = std::vector<std::pair<std::uint32_t, double>>;
  std::uint32_t number_of(const AttributeLists& lists, std::size_t list);
  std::uint32_t input_of(const SpanRows::Key& key);

  std::map<Set, std::uint32_t> number_;
  std::vector<const Set*> sets_;
  std::unordered_map<SpanRows::Key, std::uint32_t, SpanRows::Hash> input_;
  SpanRows spans_;                         // scratch
  std::vector<std::uint32_t> row_number_;  // scratch
};

}  // namespace croft
