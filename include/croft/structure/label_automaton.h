// What a labelling must obey as a whole: a deterministic automaton reads it and accepts it or not.
//
//   q_0 = delta(none, y_0 from state 0),   q_t = delta(q_{t-1}, y_{t-1}, y_t),   accepting(q_{T-1})
//
// A step sees the label and the one before it: enough to know where chunks start.  Steps that no
// state tells apart share an event, so the table is one event a pair of labels and one row of
// events a state.  docs/math/constraints.md section 2; inference/chain_product.h makes a chain of
// it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/structure/chain.h"
#include "croft/structure/chunk_label.h"

namespace croft {

struct LabelAutomaton {
  static constexpr std::uint32_t kDead = 0xFFFFFFFF;

  std::size_t labels = 0;                  // L
  std::size_t events = 0;                  // E
  std::vector<std::uint32_t> first_event;  // [L] of label j at position 0
  std::vector<std::uint32_t> event;        // [L][L] of label j after label i
  std::vector<std::uint32_t> next;         // [Q][E] the state after an event, or kDead
  std::vector<bool> accepting;             // [Q]; of state 0, which nothing has been read in: T = 0

  std::size_t states() const { return accepting.size(); }
  std::uint32_t after_first(Label j) const { return next[first_event[j]]; }
  std::uint32_t after(std::uint32_t state, Label i, Label j) const {
    return next[state * events + event[i * labels + j]];
  }
};

bool accepts(const LabelAutomaton& automaton, std::span<const Label> y);

// How often something happens in a sequence: low <= count <= high.
struct CountRange {
  static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
  std::size_t low = 0, high = kNoLimit;

  static CountRange at_most(std::size_t k) { return {0, k}; }
  static CountRange at_least(std::size_t k) { return {k, kNoLimit}; }
  static CountRange exactly(std::size_t k) { return {k, k}; }
};

// Makers.  A range with low > high throws UsageError; a count automaton has high + 1 states, or
// low + 1 without a limit.

// Positions that carry one of `counted`.
LabelAutomaton count_labels(std::size_t labels, std::span<const Label> counted, CountRange range);

// Chunks of a type, as chunk_starts() finds them; no type: of all.  Throws UsageError when no label
// has the type.  Requires a scheme other than automatic and none.
LabelAutomaton count_chunks(std::span<const std::string> names, ChunkScheme scheme,
                            std::optional<std::string_view> type, CountRange range);

// A sequence has a, or b, or neither; not both.  Throws UsageError when a == b.
LabelAutomaton never_together(std::size_t labels, Label a, Label b);

// Accepts what both accept.  States that cannot be reached, or cannot reach acceptance, are left
// out: state 0 alone remains when nothing is accepted.  Throws Error above kMostStates states.
// Time and memory O(L^2 + states * events).
inline constexpr std::size_t kMostStates = std::size_t{1} << 20;
LabelAutomaton intersect(const LabelAutomaton& a, const LabelAutomaton& b);

// The same automaton for chains whose labels are states that each stand for a label
// (label_histories.h): it reads label_of[state].  Memory O(states^2).
LabelAutomaton over_states(const LabelAutomaton& automaton, std::span<const Label> label_of);

}  // namespace croft
