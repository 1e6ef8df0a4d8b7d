// Hidden states of labels: each label has some, and each state stands for one label.
//
// A chain over the states is a distribution of labellings: that of y is the sum over the paths of
// states that stand for it (HC.1).  What data, constraints and rules say of labels is said of
// states here.  docs/math/hidden_chain.md.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "croft/structure/chain_constraint.h"
#include "croft/structure/gold.h"

namespace croft {

// States are numbered label by label: those of label j are [begin[j], begin[j + 1]).
struct HiddenStates {
  std::vector<Label> label_of;          // [S] increasing
  std::vector<std::uint32_t> begin{0};  // [L + 1]

  std::size_t size() const { return label_of.size(); }
  std::size_t labels() const { return begin.size() - 1; }
  std::size_t count(Label j) const { return begin[j + 1] - begin[j]; }
};

// So many states of each label, at least one.
HiddenStates make_hidden_states(std::span<const std::size_t> count);

// What allows or forbids a label does so to all of its states.
ChainConstraint over_states(const ChainConstraint& constraint, const HiddenStates& states);

// What is known of labels, in states: of a label with several, the set of them.
struct StateGold {
  std::vector<Label> known;  // as structure/gold.h has it
  LabelSets sets;
};
//   known : [P] of labels;  sets : those that it names
void to_states(const HiddenStates& states, std::span<const Label> known, const LabelSets& sets,
               StateGold& out);

}  // namespace croft
