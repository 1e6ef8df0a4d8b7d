// Label histories: a chain of order n over labels as a chain of order 1 over the last labels.
//
// A history is the list of the last labels at a position, at most n of them: (y_0), (y_0, y_1), and
// so on until it has n.  h' follows h where it is h with a label behind it, less its first one when
// that makes n + 1.  Only histories that were seen, or that a constraint allows, exist; an edge
// exists wherever both its ends do.  docs/math/higher_order.md section 2.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "croft/structure/label_runs.h"
#include "croft/structure/transitions.h"

namespace croft {

// Tables have a row for each length of a history.
inline constexpr std::size_t kMostOrder = 8;

// Neighbouring states that end in the same two labels.
struct HistoryPair {
  Label from, to;             // the last label but one, and the last
  std::uint32_t first, last;  // the states [first, last)
};

// The histories are the states 0 … S-1 of the lifted chain.  A gram is a run of 3 to n + 1 labels
// with a weight of its own: one of at most n labels belongs to the states that it ends, one of
// n + 1 to an edge.  Immutable once made: share it between threads.
struct LabelHistories {
  static constexpr std::uint32_t kNone = kNoRun;

  std::size_t order = 0;   // n, 2 to kMostOrder
  std::size_t labels = 0;  // L
  LabelRuns states;        // [S] sorted; 1 to n labels each
  LabelRuns grams;         // [G] sorted

  std::vector<Label> label_of;             // [S] the last label of a state
  std::vector<std::uint32_t> previous_of;  // [S] the last but one, or kNone
  std::vector<std::uint32_t> label_begin;  // [L + 1]: states [begin[j], begin[j + 1]) end in j
  std::vector<HistoryPair> pairs;          // in the order of their states
  std::vector<Label> starts;               // states of one label, increasing: those of t = 0

  std::vector<Edge> edges;                      // between states, increasing
  std::vector<std::uint32_t> state_gram_begin;  // [S + 1] into state_gram
  std::vector<std::uint32_t> state_gram;        // grams that end a state
  std::vector<std::uint32_t> edge_gram;         // [edges] the gram of n + 1 labels, or kNone

  std::size_t size() const { return states.size(); }
  std::size_t length_of(Label s) const { return states[s].size(); }
  // The state with these labels, or kNone.
  std::uint32_t find(std::span<const Label> run) const { return find_run(states, run); }
};

// From the lists that a model file holds.
//   states : sorted runs of 1 to n labels;  grams : sorted runs of 3 to n + 1
// A gram that no labelling can contain has no effect.  Throws UsageError for an order that
// is out of range, Error for lists that are not as stated, or give more than 2^26 edges.
// Cost O((S + G) log S + edges); no memory grows with L^2.
LabelHistories make_histories(std::size_t order, std::size_t labels, LabelRuns states,
                              LabelRuns grams);

// The histories that were seen, wherever they stood, and the grams seen min_count times.
// Requires that `seen` counts runs of order + 1 labels.
LabelHistories seen_histories(std::size_t order, std::size_t labels, const SeenRuns& seen,
                              std::size_t min_count = 1);

// Every history of a labelling that obeys the two rules, and every gram of one.
LabelHistories allowed_histories(std::size_t order, std::size_t labels,
                                 const std::function<bool(Label)>& may_start,
                                 const std::function<bool(Label, Label)>& may_follow);

// Every gram that these histories can make: those to weigh where not only the seen ones count.
LabelRuns possible_grams(const LabelHistories& histories);

// Writes the state of each position of y (state.size() == y.size()) and returns T, or stops and
// returns the first position whose history does not exist.  Cost O(T n log S).
std::size_t history_path(const LabelHistories& histories, std::span<const Label> y,
                         std::span<Label> state);

}  // namespace croft
