#include "croft/structure/label_automaton.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <unordered_map>
#include <utility>

#include "croft/core/error.h"

namespace croft {
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;

// Numbers pairs in the order in which they are first met.
class PairNumbers {
 public:
  std::uint32_t number(Pair pair) {
    const std::uint64_t key = std::uint64_t{pair.first} << 32 | pair.second;
    const auto [found, added] = number_.try_emplace(key, static_cast<std::uint32_t>(pairs_.size()));
    if (added) pairs_.push_back(pair);
    return found->second;
  }
  std::size_t size() const { return pairs_.size(); }
  Pair operator[](std::size_t k) const { return pairs_[k]; }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> number_;
  std::vector<Pair> pairs_;
};

// Counts the events that are 1; event 0 changes nothing.  State q: q of them so far, the last state
// of a range without limit: low or more.
void add_counting_states(CountRange range, LabelAutomaton& automaton) {
  if (range.low > range.high) {
    throw UsageError("no count is at least " + std::to_string(range.low) + " and at most " +
                     std::to_string(range.high));
  }
  const bool limited = range.high != CountRange::kNoLimit;
  const std::size_t last = limited ? range.high : range.low;
  if (last >= kMostStates) {
    throw UsageError("cannot count to " + std::to_string(last) + "; the limit is " +
                     std::to_string(kMostStates - 1));
  }
  automaton.events = 2;
  for (std::uint32_t q = 0; q <= last; ++q) {
    const std::uint32_t beyond = limited ? LabelAutomaton::kDead : q;
    automaton.next.push_back(q);
    automaton.next.push_back(q < last ? q + 1 : beyond);
    automaton.accepting.push_back(q >= range.low);
  }
}

// The events are those of the label alone.
LabelAutomaton with_label_events(const std::vector<std::uint32_t>& event_of) {
  LabelAutomaton automaton;
  automaton.labels = event_of.size();
  automaton.first_event = event_of;
  for (std::size_t i = 0; i < automaton.labels; ++i) {
    automaton.event.insert(automaton.event.end(), event_of.begin(), event_of.end());
  }
  return automaton;
}

// "the types are A, B": for a message.
std::string types_of(const std::vector<ChunkLabel>& spelled) {
  std::set<std::string_view> types;
  for (const ChunkLabel& label : spelled) {
    if (chunk_starts(ChunkLabel{}, label)) types.insert(label.type);
  }
  std::string text;
  for (const std::string_view type : types) {
    text.append(text.empty() ? "the types are " : ", ").append(in_quotes(type, 30));
  }
  return text.empty() ? "none of them is part of a chunk" : text;
}

// Marks the states from which an accepting one can be reached.
std::vector<bool> useful_states(const LabelAutomaton& automaton) {
  const std::size_t states = automaton.states(), events = automaton.events;
  std::vector<std::vector<std::uint32_t>> before(states);
  for (std::uint32_t q = 0; q < states; ++q) {
    for (std::size_t e = 0; e < events; ++e) {
      const std::uint32_t to = automaton.next[q * events + e];
      if (to != LabelAutomaton::kDead) before[to].push_back(q);
    }
  }
  std::vector<bool> useful = automaton.accepting;
  std::vector<std::uint32_t> open;
  for (std::uint32_t q = 0; q < states; ++q) {
    if (useful[q]) open.push_back(q);
  }
  while (!open.empty()) {
    const std::uint32_t q = open.back();
    open.pop_back();
    for (const std::uint32_t from : before[q]) {
      if (!useful[from]) open.push_back(from);
      useful[from] = true;
    }
  }
  return useful;
}

// Drops the states that lead to no acceptance; state 0 stays.
void trim(LabelAutomaton& automaton) {
  const std::vector<bool> useful = useful_states(automaton);
  const std::size_t states = automaton.states(), events = automaton.events;
  std::vector<std::uint32_t> renumbered(states, LabelAutomaton::kDead);
  std::uint32_t kept = 0;
  for (std::size_t q = 0; q < states; ++q) {
    if (useful[q] || q == 0) renumbered[q] = kept++;
  }
  for (std::size_t q = 0; q < states; ++q) {
    if (renumbered[q] == LabelAutomaton::kDead) continue;
    for (std::size_t e = 0; e < events; ++e) {
      std::uint32_t to = automaton.next[q * events + e];
      if (to != LabelAutomaton::kDead) to = useful[to] ? renumbered[to] : LabelAutomaton::kDead;
      automaton.next[renumbered[q] * events + e] = to;
    }
    automaton.accepting[renumbered[q]] = automaton.accepting[q];
  }
  automaton.next.resize(kept * events);
  automaton.accepting.resize(kept);
}

}  // namespace

bool accepts(const LabelAutomaton& automaton, std::span<const Label> y) {
  std::uint32_t state = 0;
  for (std::size_t t = 0; t < y.size() && state != LabelAutomaton::kDead; ++t) {
    state = t == 0 ? automaton.after_first(y[0]) : automaton.after(state, y[t - 1], y[t]);
  }
  return state != LabelAutomaton::kDead && automaton.accepting[state];
}

LabelAutomaton count_labels(std::size_t labels, std::span<const Label> counted, CountRange range) {
  std::vector<std::uint32_t> event_of(labels, 0);
  for (const Label j : counted) {
    assert(j < labels);
    event_of[j] = 1;
  }
  LabelAutomaton automaton = with_label_events(event_of);
  add_counting_states(range, automaton);
  return automaton;
}

LabelAutomaton count_chunks(std::span<const std::string> names, ChunkScheme scheme,
                            std::optional<std::string_view> type, CountRange range) {
  assert(scheme != ChunkScheme::automatic && scheme != ChunkScheme::none);
  std::vector<ChunkLabel> spelled;
  for (const std::string& name : names) spelled.push_back(read_chunk_label(name, scheme));
  const auto starts = [&](const ChunkLabel& previous, const ChunkLabel& current) {
    return chunk_starts(previous, current) && (!type || current.type == *type);
  };
  LabelAutomaton automaton;
  automaton.labels = names.size();
  for (const ChunkLabel& label : spelled) {
    automaton.first_event.push_back(starts(ChunkLabel{}, label));
  }
  for (const ChunkLabel& previous : spelled) {
    for (const ChunkLabel& label : spelled) automaton.event.push_back(starts(previous, label));
  }
  const auto never = [](const std::vector<std::uint32_t>& event) {
    return std::find(event.begin(), event.end(), 1u) == event.end();
  };
  if (never(automaton.first_event) && never(automaton.event)) {
    throw UsageError("no label starts a chunk" +
                     (type ? " of type " + in_quotes(*type) : std::string()) + "; " +
                     types_of(spelled));
  }
  add_counting_states(range, automaton);
  return automaton;
}

LabelAutomaton never_together(std::size_t labels, Label a, Label b) {
  assert(a < labels && b < labels);
  if (a == b) throw UsageError("a label cannot be kept apart from itself; name two labels");
  std::vector<std::uint32_t> event_of(labels, 0);
  event_of[a] = 1;
  event_of[b] = 2;
  LabelAutomaton automaton = with_label_events(event_of);
  automaton.events = 3;
  const std::uint32_t dead = LabelAutomaton::kDead;
  automaton.next = {0, 1, 2, 1, 1, dead, 2, dead, 2};  // neither yet, only a, only b
  automaton.accepting = {true, true, true};
  return automaton;
}

LabelAutomaton intersect(const LabelAutomaton& a, const LabelAutomaton& b) {
  assert(a.labels == b.labels);
  LabelAutomaton both;
  both.labels = a.labels;
  PairNumbers events, states;
  for (std::size_t j = 0; j < a.first_event.size(); ++j) {
    both.first_event.push_back(events.number({a.first_event[j], b.first_event[j]}));
  }
  for (std::size_t k = 0; k < a.event.size(); ++k) {
    both.event.push_back(events.number({a.event[k], b.event[k]}));
  }
  both.events = events.size();
  states.number({0, 0});
  for (std::size_t q = 0; q < states.size(); ++q) {
    if (states.size() > kMostStates) {
      throw Error("the constraints together need more than " + std::to_string(kMostStates) +
                  " states; use smaller counts, or fewer constraints");
    }
    const auto [in_a, in_b] = states[q];
    both.accepting.push_back(a.accepting[in_a] && b.accepting[in_b]);
    for (std::size_t e = 0; e < both.events; ++e) {
      const auto [of_a, of_b] = events[e];
      const std::uint32_t to_a = a.next[in_a * a.events + of_a];
      const std::uint32_t to_b = b.next[in_b * b.events + of_b];
      const bool dead = to_a == LabelAutomaton::kDead || to_b == LabelAutomaton::kDead;
      both.next.push_back(dead ? LabelAutomaton::kDead : states.number({to_a, to_b}));
    }
  }
  trim(both);
  return both;
}

LabelAutomaton over_states(const LabelAutomaton& automaton, std::span<const Label> label_of) {
  LabelAutomaton result;
  result.labels = label_of.size();
  result.events = automaton.events;
  result.next = automaton.next;
  result.accepting = automaton.accepting;
  result.event.reserve(label_of.size() * label_of.size());
  for (const Label i : label_of) {
    result.first_event.push_back(automaton.first_event[i]);
    for (const Label j : label_of) {
      result.event.push_back(automaton.event[i * automaton.labels + j]);
    }
  }
  return result;
}

}  // namespace croft
