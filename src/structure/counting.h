// How parity and cardinality factors count.
//
//   const Counting counting(graph, graph.potential_of(f));
//   score = counting.score(number of k with counting.counts(states before k, x_k))
//
// docs/math/counting.md.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "croft/structure/factor_graph.h"

namespace croft {

inline bool counts_states(PotentialKind kind) {
  return kind == PotentialKind::parity || kind == PotentialKind::cardinality;
}

// Views of a graph that stays as it is.
class Counting {
 public:
  Counting() = default;
  Counting(const FactorGraph& graph, PotentialId id)
      : parity_(graph.potential(id).kind == PotentialKind::parity),
        odd_(graph.potential(id).odd),
        alike_(graph.potential(id).alike),
        bytes_(graph.counted(id)) {
    if (parity_) return;
    from_ = graph.ranges(id);
    scores_ = graph.numbers(id);
  }
  bool is_parity() const { return parity_; }
  //   place : states of the variables before it in the scope
  bool counts(std::size_t place, State x) const {
    return bytes_.empty() ? x == 1 : bytes_[(alike_ ? 0 : place) + x] != 0;
  }
  // Of cardinality, which of its numbers scores a count.
  std::size_t number(std::size_t count) const;
  double score(std::size_t count) const {
    if (parity_) return (count % 2 == 1) == odd_ ? 0 : -kNever;
    return scores_[number(count)];
  }
  // How many variables count where they are in these states.
  std::size_t count(const FactorGraph& graph, std::span<const Variable> scope,
                    std::span<const State> at) const;

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  bool parity_ = false, odd_ = false, alike_ = true;
  std::span<const std::uint8_t> bytes_;
  std::span<const double> scores_;
  std::span<const std::uint64_t> from_;
};

// Partial counts, and what they need to tell apart: modulo two for parity; of cardinality, counts
// from the last range on are one, or are left out where none of them is allowed.
struct PartialCounts {
  //   forbidden : visit(number) says whether a number forbids
  template <class Forbids>
  PartialCounts(const Counting& counting, std::span<const std::uint64_t> from,
                std::size_t variables, const Forbids& forbids)
      : modulo(counting.is_parity()) {
    if (modulo) {
      width = 2;
      return;
    }
    width = std::min<std::size_t>(from.back(), variables) + 1;
    open = from.back() < variables;
    if (open && width > 1 && forbids(from.size() - 1)) open = false, --width;
    while (!open && width > 1 && forbids(counting.number(width - 1))) --width;
  }
  bool modulo = false;
  bool open = false;      // the last one is "so many or more"
  std::size_t width = 1;  // different counts
  // The count with one more variable; >= width where none is allowed.
  std::size_t next(std::size_t count, bool counts) const {
    if (modulo) return count ^ static_cast<std::size_t>(counts);
    const std::size_t sum = count + counts;
    return open && sum >= width ? width - 1 : sum;
  }
  std::size_t reach(std::size_t variables) const {  // of the first ones
    return std::min(modulo ? 2 : variables + 1, width);
  }
};

// The potential of the variables that `keeps` (a slot of the scope) names, the others being as in
// `known`, which is read at these; added to a graph.
struct CountingSlice {
  PotentialId id = 0;
  std::size_t first_number = 0;  // of the whole's: where those of the slice begin
};
CountingSlice add_slice(const FactorGraph& from, Factor f, const std::vector<bool>& keeps,
                        std::span<const State> known, FactorGraph& to);

}  // namespace croft
