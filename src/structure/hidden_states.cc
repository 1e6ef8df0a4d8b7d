#include "structure/hidden_states.h"

#include <cassert>

namespace croft {

HiddenStates make_hidden_states(std::span<const std::size_t> count) {
  HiddenStates states;
  for (Label j = 0; j < count.size(); ++j) {
    assert(count[j] >= 1);
    states.label_of.insert(states.label_of.end(), count[j], j);
    states.begin.push_back(static_cast<std::uint32_t>(states.label_of.size()));
  }
  return states;
}

ChainConstraint over_states(const ChainConstraint& constraint, const HiddenStates& states) {
  ChainConstraint lifted(states.size());
  for (Label s = 0; s < states.size(); ++s) {
    const Label j = states.label_of[s];
    lifted.start[s] = constraint.start[j];
    lifted.end[s] = constraint.end[j];
    for (Label r = 0; r < states.size(); ++r) {
      lifted.set_edge(s, r, constraint.allows(j, states.label_of[r]));
    }
  }
  return lifted;
}

void to_states(const HiddenStates& states, std::span<const Label> known, const LabelSets& sets,
               StateGold& out) {
  out.sets = LabelSets();
  const auto add_states = [&](Label j) {
    for (Label s = states.begin[j]; s < states.begin[j + 1]; ++s) out.sets.label.push_back(s);
  };
  const auto end_set = [&] {
    out.sets.begin.push_back(static_cast<std::uint32_t>(out.sets.label.size()));
  };
  for (Label j = 0; j < states.labels(); ++j) {  // set j: the states of label j
    add_states(j);
    end_set();
  }
  for (std::size_t n = 0; n < sets.size(); ++n) {
    for (const Label j : sets[n]) add_states(j);
    end_set();
  }
  out.known.clear();
  for (const Label each : known) {
    if (each == kAnyLabel) {
      out.known.push_back(kAnyLabel);
    } else if (!is_one_label(each)) {
      out.known.push_back(each + static_cast<Label>(states.labels()));
    } else if (states.count(each) == 1) {
      out.known.push_back(states.begin[each]);
    } else {
      out.known.push_back(kLabelSetBit + each);
    }
  }
}

}  // namespace croft
