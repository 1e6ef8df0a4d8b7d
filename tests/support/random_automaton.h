// Random label automata for tests.
#pragma once
#include "croft/core/random.h"
#include "croft/structure/label_automaton.h"

namespace croft::testing_support {

inline LabelAutomaton random_automaton(std::size_t labels, std::size_t states, std::size_t events,
                                       Random& random) {
  const auto below = [&](std::size_t bound) {
    return static_cast<std::uint32_t>(random.below(bound));
  };
  LabelAutomaton automaton;
  automaton.labels = labels;
  automaton.events = events;
  for (std::size_t j = 0; j < labels; ++j) automaton.first_event.push_back(below(events));
  for (std::size_t k = 0; k < labels * labels; ++k) automaton.event.push_back(below(events));
  for (std::size_t k = 0; k < states * events; ++k) {
    automaton.next.push_back(random.uniform() < 0.15 ? LabelAutomaton::kDead : below(states));
  }
  for (std::size_t q = 0; q < states; ++q) automaton.accepting.push_back(random.uniform() < 0.5);
  return automaton;
}

}  // namespace croft::testing_support
