#include "inference/graph/search/clause_learning.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/infinity.h"

namespace croft {
namespace {

constexpr std::size_t kLeastLearned = 4000;  // before half of them is forgotten
constexpr std::size_t kMoreLearned = 500;    // each time
constexpr std::size_t kRecalled = 4;         // of the clauses learned last
constexpr std::size_t kShort = 2;            // clauses that are never forgotten
constexpr std::size_t kHalved = 256;         // contradictions until activities are halved
constexpr std::size_t kProbesBetween = 16;
constexpr std::size_t kMostPasses = 3;

}  // namespace

ClauseLearning::ClauseLearning(const CountingModel& model)
    : model_(model),
      left_(model.states),
      in_queue_(model.tables.size(), 0),
      watches_(model.states.size()),
      most_learned_(kLeastLearned),
      activity_(model.states.size(), 0),
      false_(model.states.size(), 0),
      level_start_(model.states.size(), 0),
      is_listed_(model.states.size(), 0) {}

bool ClauseLearning::start() {
  for (std::uint32_t c = 0; c < model_.clauses(); ++c) {
    add_clause(model_.clause(c));
    if (literals(c).size() > 1) watch(c);
  }
  given_ = clauses_.size();
  for (std::uint32_t c = 0; c < given_; ++c) {
    const auto all = literals(c);
    if (all.size() > 1) continue;
    if (is_false(all[0])) return false;
    keep(all[0].v, all[0].states, {});
  }
  for (std::uint32_t t = 0; t < model_.tables.size(); ++t) {
    in_queue_[t] = 1;
    queue_.push_back(t);
  }
  if (!propagate()) return false;
  root_ = left_;
  return true;
}

bool ClauseLearning::probe(const GraphCallback& goes_on) {
  std::size_t probes = 0;
  bool more = true;
  for (std::size_t pass = 0; more && pass < kMostPasses; ++pass) {
    more = false;
    for (Variable v = 0; v < left_.size(); ++v) {
      if (is_single(left_[v])) continue;
      for (StateSet states = left_[v]; states != 0; states &= states - 1) {
        const StateSet bit = bit_of(lowest_state(states));
        if ((left_[v] & bit) == 0) continue;
        if (++probes % kProbesBetween == 0 && goes_on && !goes_on({})) return true;
        decide(v, bit);
        const bool possible = propagate();
        back();
        if (possible) continue;
        if (left_[v] == bit) return false;
        keep(v, ~bit, {});
        if (!propagate()) return false;
        more = true;
      }
    }
    root_ = left_;
  }
  return true;
}

void ClauseLearning::add_clause(std::span<const StateLiteral> literals) {
  const std::size_t begin = literals_.size();
  literals_.insert(literals_.end(), literals.begin(), literals.end());
  clauses_.push_back({begin, literals_.size()});
}

// Watches the first two literals.
void ClauseLearning::watch(std::uint32_t c) {
  const auto all = literals(c);
  for (std::size_t k = 0; k < 2; ++k) watches_[all[k].v].push_back({all[k].states, c});
}

// --- what is left --------------------------------------------------------------------------------

void ClauseLearning::keep(Variable v, StateSet states, Reason reason) {
  const StateSet before = left_[v], after = before & states;
  if (after == before) return;
  trail_.push_back({v, before, after, reason});
  left_[v] = after;
}

void ClauseLearning::undo(std::size_t mark) {
  for (; trail_.size() > mark; trail_.pop_back()) left_[trail_.back().v] = trail_.back().before;
  done_ = mark;
}

void ClauseLearning::decide(Variable v, StateSet states) {
  levels_.push_back(trail_.size());
  keep(v, states, {});
}

void ClauseLearning::back() {
  undo(levels_.back());
  levels_.pop_back();
}

// Asserts learned clauses of one literal, and the last others, where they leave one open literal.
bool ClauseLearning::recall() {
  if (clauses_.size() - given_ > most_learned_) forget();
  const auto look = [this](std::uint32_t c) {
    const StateLiteral* open = nullptr;
    for (const StateLiteral& each : literals(c)) {
      if (is_true(each)) return true;
      if (is_false(each)) continue;
      if (open != nullptr) return true;
      open = &each;
    }
    if (open == nullptr) {
      contradiction_ = {Reason::clause, c};
      return false;
    }
    keep(open->v, open->states, {Reason::clause, c});
    return true;
  };
  bool possible = std::ranges::all_of(units_, look);
  const std::size_t last = clauses_.size() - std::min(kRecalled, clauses_.size() - given_);
  for (std::size_t c = clauses_.size(); possible && c-- > last;) {
    possible = look(static_cast<std::uint32_t>(c));
  }
  if (!possible) {
    done_ = trail_.size();
    if (!levels_.empty()) learn();
    return false;
  }
  return propagate();
}

bool ClauseLearning::propagate() {
  const bool possible = go_through();
  for (const std::uint32_t t : queue_) in_queue_[t] = 0;
  queue_.clear();
  done_ = trail_.size();
  if (!possible && !levels_.empty()) learn();
  return possible;
}

bool ClauseLearning::go_through() {
  while (done_ < trail_.size() || !queue_.empty()) {
    if (done_ < trail_.size()) {
      const Variable v = trail_[done_++].v;
      if (!look_at_clauses_of(v)) return false;
      for (const std::uint32_t t : model_.tables_of[v]) {
        if (in_queue_[t]) continue;
        in_queue_[t] = 1;
        queue_.push_back(t);
      }
      continue;
    }
    const std::uint32_t t = queue_.back();
    queue_.pop_back();
    in_queue_[t] = 0;
    if (!look_at_table(t)) return false;
  }
  return true;
}

// Clauses with a watched literal of v that is false now.
bool ClauseLearning::look_at_clauses_of(Variable v) {
  auto& list = watches_[v];
  std::size_t kept = 0, k = 0;
  bool possible = true;
  for (; possible && k < list.size(); ++k) {
    const Watch each = list[k];
    list[kept++] = each;
    if ((left_[v] & each.states) != 0) continue;
    const auto all = literals(each.clause);
    if (all[0].v == v) std::swap(all[0], all[1]);
    if (is_true(all[0])) continue;
    const auto other = std::find_if(all.begin() + 2, all.end(),
                                    [this](const StateLiteral& l) { return !is_false(l); });
    if (other != all.end()) {
      std::swap(all[1], *other);
      watches_[all[1].v].push_back({all[1].states, each.clause});
      --kept;
    } else if (is_false(all[0])) {
      contradiction_ = {Reason::clause, each.clause};
      possible = false;
    } else {
      keep(all[0].v, all[0].states, {Reason::clause, each.clause});
    }
  }
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(kept),
             list.begin() + static_cast<std::ptrdiff_t>(k));
  return possible;
}

bool ClauseLearning::look_at_table(std::uint32_t t) {
  const CountingTable& table = model_.tables[t];
  support_.assign(table.scope.size(), 0);
  for_each_left(table, left_, at_, [&](double score, std::span<const State> at) {
    if (score == -kInf) return true;
    for (std::size_t k = 0; k < at.size(); ++k) support_[k] |= bit_of(at[k]);
    return true;
  });
  if (support_[0] == 0) {
    contradiction_ = {Reason::table, t};
    return false;
  }
  for (std::size_t k = 0; k < support_.size(); ++k) {
    keep(table.scope[k], support_[k], {Reason::table, t});
  }
  return true;
}

// --- what is learned -----------------------------------------------------------------------------

void ClauseLearning::count_open(Variable v, StateSet states) {
  const bool before = (false_[v] & level_start_[v]) != 0, now = (states & level_start_[v]) != 0;
  open_ += static_cast<std::size_t>(now) - static_cast<std::size_t>(before);
  false_[v] = states;
}
void ClauseLearning::add_false(Variable v, StateSet states) {
  states &= root_[v];
  if (states == 0) return;
  if (!is_listed_[v]) in_clause_.push_back(v);
  is_listed_[v] = 1;
  ++activity_[v];
  count_open(v, false_[v] | states);
}

// Adds the literals that were false when `reason` removed the states of `but`.
//   REQUIRES: left_ is as it was then.
void ClauseLearning::explain(const Reason& reason, Variable but, StateSet removed) {
  if (reason.kind == Reason::clause) {
    ++clauses_[reason.id].uses;
    for (const StateLiteral& each : literals(reason.id)) {
      if (each.v == but && removed != 0) {
        count_open(but, false_[but] & each.states);
      } else {
        add_false(each.v, each.states);
      }
    }
    return;
  }
  for (const Variable v : model_.tables[reason.id].scope) {
    if (v == but && removed != 0) {
      count_open(but, false_[but] & ~removed);
    } else {
      add_false(v, ~left_[v]);
    }
  }
}

// Resolves the contradiction with reasons, the last first, until one literal of the last level is
// left; returns the step that made it false.  Leaves left_ as it was before that step.
std::size_t ClauseLearning::find_implied() {
  explain(contradiction_, 0, 0);
  if (open_ == 0) return trail_.size();
  for (std::size_t p = trail_.size(); p-- > levels_.back();) {
    const Step& step = trail_[p];
    left_[step.v] = step.before;
    if ((false_[step.v] & step.before) == 0) continue;
    if (open_ == 1) return p;
    explain(step.reason, step.v, step.before & ~step.after);
  }
  return trail_.size();
}

// Learns the clause that false_ holds; its implied literal and the one that became false last of
// the others are watched.
void ClauseLearning::write_clause(Variable implied, std::size_t until) {
  const std::size_t begin = literals_.size();
  const auto id = static_cast<std::uint32_t>(clauses_.size());
  literals_.push_back({implied, false_[implied]});
  std::size_t last = until;
  const auto made_false = [&](const Step& step) {
    return step.v != implied && (false_[step.v] & step.before) != 0 &&
           (false_[step.v] & step.after) == 0;
  };
  while (last > 0 && !made_false(trail_[last - 1])) --last;
  if (last > 0) literals_.push_back({trail_[last - 1].v, false_[trail_[last - 1].v]});
  for (const Variable v : in_clause_) {
    if (v == implied || false_[v] == 0 || (last > 0 && v == trail_[last - 1].v)) continue;
    literals_.push_back({v, false_[v]});
  }
  clauses_.push_back({begin, literals_.size()});
  if (literals(id).size() > 1) {
    watch(id);
  } else {
    units_.push_back(id);
  }
}

void ClauseLearning::learn() {
  for (std::size_t p = trail_.size(); p-- > levels_.back();) {
    level_start_[trail_[p].v] = trail_[p].before;
  }
  const std::size_t implied = find_implied();
  for (std::size_t p = implied; p < trail_.size(); ++p) left_[trail_[p].v] = trail_[p].after;
  if (implied < trail_.size()) write_clause(trail_[implied].v, implied);
  for (std::size_t p = levels_.back(); p < trail_.size(); ++p) level_start_[trail_[p].v] = 0;
  for (const Variable v : in_clause_) false_[v] = is_listed_[v] = 0;
  in_clause_.clear();
  open_ = 0;
  if (++learned_ % kHalved == 0) {
    for (double& each : activity_) each /= 2;
  }
}

// Forgets the half of the learned clauses that were used least and are no reasons.
void ClauseLearning::forget() {
  std::vector<std::uint8_t> stays(clauses_.size(), 0);
  for (const Step& step : trail_) {
    if (step.reason.kind == Reason::clause) stays[step.reason.id] = 1;
  }
  std::vector<std::uint32_t> others;
  for (auto c = static_cast<std::uint32_t>(given_); c < clauses_.size(); ++c) {
    if (literals(c).size() <= kShort) stays[c] = 1;
    if (!stays[c]) others.push_back(c);
  }
  std::ranges::stable_sort(others, std::greater<>(), [this](std::uint32_t c) {
    return static_cast<double>(clauses_[c].uses + 1) / static_cast<double>(literals(c).size());
  });
  for (std::size_t k = 0; k < others.size() / 2; ++k) stays[others[k]] = 1;
  std::vector<std::uint32_t> number(clauses_.size());
  std::size_t end = given_ == 0 ? 0 : clauses_[given_ - 1].end;
  auto count = static_cast<std::uint32_t>(given_);
  for (std::uint32_t c = 0; c < clauses_.size(); ++c) {
    number[c] = c;
    if (c < given_ || !stays[c]) continue;
    const auto from = literals(c);
    std::ranges::copy(from, literals_.begin() + static_cast<std::ptrdiff_t>(end));
    clauses_[count] = {end, end + from.size(), clauses_[c].uses / 2};
    end += from.size();
    number[c] = count++;
  }
  stays.resize(clauses_.size());
  for (auto& list : watches_) {
    std::erase_if(list, [&](const Watch& w) { return w.clause >= given_ && !stays[w.clause]; });
    for (Watch& each : list) each.clause = number[each.clause];
  }
  for (Step& step : trail_) {
    if (step.reason.kind == Reason::clause) step.reason.id = number[step.reason.id];
  }
  for (std::uint32_t& c : units_) c = number[c];
  clauses_.resize(count);
  literals_.resize(end);
  most_learned_ = std::max(most_learned_ + kMoreLearned, 2 * (count - given_));
}

}  // namespace croft
