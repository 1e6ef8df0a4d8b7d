// Conjunctions of attributes: "A & B" is an attribute of the positions that have both A and B, and
// its value is the product of theirs.  Feature induction finds them (train/feature_induction.h),
// the model file keeps them, extraction computes them.  docs/math/induction.md.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/data/string_lists.h"
#include "croft/data/text_sequence.h"
#include "features/vocabulary.h"

namespace croft {

inline constexpr std::size_t kMostParts = 3;

// Two to kMostParts different attributes, in the order of their bytes.
struct Conjunction {
  std::vector<std::string> parts;
  std::string name() const;  // the parts, joined by " & "
  bool operator==(const Conjunction&) const = default;
};

// Which conjunctions hold at a position, by number.  Each is looked up under the one of its parts
// that is in the fewest of them, so that a position costs a look-up for each of its attributes, and
// a little for each conjunction of a rare attribute that it has.
class ConjunctionIndex {
 public:
  // parts: different numbers, of attributes.  Returns the conjunction's number, counted from 0.
  std::uint32_t add(std::span<const std::uint32_t> parts);
  // Once all are there, and before find().
  void finish();
  std::size_t size() const { return begin_.size() - 1; }

  struct Scratch {              // one a thread
    std::vector<double> value;  // [attributes] of the position; 0 elsewhere
    std::vector<std::uint32_t> present;
  };
  struct Hit {
    std::uint32_t conjunction;
    double value;
  };
  // Appends, in increasing order, those that hold where the attributes `ids` have `values` (empty:
  // 1 each).  Numbers that no conjunction has are passed over, kUnknown too; one that comes twice
  // has the sum of its values; one of value 0 is not there.
  void find(std::span<const std::uint32_t> ids, std::span<const double> values, Scratch& scratch,
            std::vector<Hit>& out) const;

 private:
  std::vector<std::uint32_t> begin_{0}, part_;   // of each conjunction
  std::vector<std::uint32_t> keys_{0}, of_key_;  // by attribute: the conjunctions it is the key of
};

// The same of strings, for extraction.
class ConjunctionSet {
 public:
  ConjunctionSet() = default;
  explicit ConjunctionSet(const std::vector<Conjunction>& conjunctions);
  bool empty() const { return names_.empty(); }

  struct Scratch {  // one a thread
    ConjunctionIndex::Scratch index;
    std::vector<std::uint32_t> ids;
    std::vector<double> values;
    std::vector<ConjunctionIndex::Hit> hits;
  };
  // Appends those that hold of the list that is being built, to it.  About 20 ns an item.
  void append(Scratch& scratch, StringLists& lists) const;

 private:
  StringTable parts_;
  ConjunctionIndex index_;
  std::vector<std::string> names_;
};

// Conjunctions of the attributes of a position that are looked at with two labels, that of the
// position and the one before: attributes of an edge.  Feature induction finds them
// (train/feature_pairs.h).
//
// They are among ExtractionConfig::conjunctions, and in the model file, with a first part that no
// attribute of data has; one attribute alone may be such a conjunction.  Extraction moves them to
// the lists of edges.

// Comes before all attributes in the order of bytes.
inline constexpr std::string_view kEdgePart{"\x01", 1};

bool is_of_edge(const Conjunction& conjunction);
// parts: different attributes, one or more.
Conjunction edge_conjunction(std::vector<std::string> parts);
// The name of the edge attribute: the parts, joined by " & ".
std::string edge_name(const Conjunction& conjunction);

// Whether ConjunctionSet has appended some to the lists of positions.
bool has_edge_conjunctions(const TextSequence& sequence);
// Moves them to the lists of edges, of which there is then one a position; those of the first
// position are dropped, as no edge leads to it.  Time O(items).
void take_edge_conjunctions(TextSequence& sequence);

}  // namespace croft
