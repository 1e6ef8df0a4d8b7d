#include "structure/interaction.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/infinity.h"
#include "core/parse_number.h"
#include "croft/core/error.h"

namespace croft {
namespace {

constexpr std::array<std::pair<std::string_view, InteractionKind>, 14> kNames = {{
    {"table", InteractionKind::table},
    {"same", InteractionKind::same},
    {"same-label", InteractionKind::same_label},
    {"ordinal", InteractionKind::ordinal},
    {"list", InteractionKind::listed},
    {"known", InteractionKind::known},
    {"count", InteractionKind::count},
    {"at-most", InteractionKind::at_most},
    {"at-least", InteractionKind::at_least},
    {"exactly", InteractionKind::exactly},
    {"exactly-one", InteractionKind::exactly_one},
    {"and", InteractionKind::all_of},
    {"or", InteractionKind::any_of},
    {"implies", InteractionKind::implies},
}};
constexpr std::uint64_t kMostCells = std::uint64_t{1} << 24;
constexpr std::uint64_t kMostCount = std::uint64_t{1} << 32;

// The states of a joint one.
void split(std::uint64_t joint, std::span<const std::uint32_t> states, std::span<State> at) {
  for (std::size_t k = at.size(); k-- > 0;) {
    at[k] = static_cast<State>(joint % states[k]);
    joint /= states[k];
  }
}

void require_increasing(std::span<const std::uint64_t> states, std::uint64_t joint,
                        const std::string& what) {
  if (std::ranges::adjacent_find(states, std::greater_equal()) == states.end() &&
      (states.empty() || states.back() < joint)) {
    return;
  }
  throw UsageError(what + " must be increasing, and possible");
}

}  // namespace

InteractionKind interaction_kind(std::string_view name) {
  std::string names;
  for (const auto& [each, kind] : kNames) {
    if (each == name) return kind;
    names += (names.empty() ? "" : ", ") + std::string(each);
  }
  throw UsageError("there is no interaction '" + std::string(name) + "'; there are " + names);
}

std::string_view name_of(InteractionKind kind) {
  return std::ranges::find(kNames, kind, [](const auto& each) { return each.second; })->first;
}

Interaction::Interaction(InteractionKind kind, std::vector<std::uint32_t> states,
                         std::vector<std::uint64_t> listed)
    : kind_(kind), states_(std::move(states)), listed_(std::move(listed)) {
  const std::string name(name_of(kind));
  if (states_.empty()) throw UsageError("a clique needs a variable");
  std::uint64_t joint = 1;
  for (const std::uint32_t each : states_) {
    joint *= each;
    if (joint > kMostCells) {
      throw UsageError("a clique has more than " + std::to_string(kMostCells) +
                       " joint states, too many for weights");
    }
  }
  if (counting()) throw UsageError("the interaction '" + name + "' needs the states that count");
  const bool equal = std::ranges::adjacent_find(states_, std::not_equal_to()) == states_.end();
  const bool free = kind == InteractionKind::table || kind == InteractionKind::listed ||
                    kind == InteractionKind::known;
  if (!free && (!equal || arity() < 2)) {
    throw UsageError("the interaction '" + name +
                     "' needs two variables or more, all with the same labels");
  }
  const auto fill = [&](std::size_t count) {
    cell_.resize(count);
    std::iota(cell_.begin(), cell_.end(), 0U);
  };
  const std::uint32_t n = states_[0];
  switch (kind) {
    case InteractionKind::known:
      if (arity() != 1) throw UsageError("the interaction 'known' is of one variable");
      [[fallthrough]];
    case InteractionKind::table:
      fill(joint);
      cells_ = joint;
      break;
    case InteractionKind::same:
    case InteractionKind::same_label: {
      std::uint64_t step = 0;  // between joint states where all variables are alike
      for (std::size_t k = 0; k < arity(); ++k) step = step * n + 1;
      for (std::uint64_t i = 0; i < n; ++i) listed_.push_back(i * step);
      const bool tied = kind == InteractionKind::same;
      cells_ = tied ? 1 : n;
      potts_ = tied && arity() == 2;
      numbered_ = listed_;
      if (potts_) {
        cell_ = {0};
      } else if (tied) {
        cell_.assign(n, 0);
      } else {
        fill(n);
      }
      cell_.push_back(kNoCell);
      break;
    }
    case InteractionKind::ordinal:
      if (arity() != 2) throw UsageError("the interaction 'ordinal' is of two variables");
      cells_ = n - 1;
      for (std::uint32_t i = 0; i < n; ++i) {
        for (std::uint32_t j = 0; j < n; ++j) {
          cell_.push_back(i == j ? kNoCell : (i < j ? j - i : i - j) - 1);
        }
      }
      break;
    case InteractionKind::listed:
      if (listed_.empty()) throw UsageError("the interaction 'list' needs labels");
      require_increasing(listed_, joint, "the labels of the interaction 'list'");
      numbered_ = listed_;
      fill(listed_.size());
      cells_ = listed_.size();
      cell_.push_back(kNoCell);
      break;
    default:
      break;
  }
}

Interaction::Interaction(InteractionKind kind, std::vector<std::uint32_t> states, CountingRule rule)
    : kind_(kind), states_(std::move(states)), rule_(std::move(rule)) {
  const std::string name(name_of(kind));
  if (!counting()) throw UsageError("the interaction '" + name + "' does not count states");
  if (states_.empty()) throw UsageError("a clique needs a variable");
  if (rule_.counts.size() != arity()) {
    throw UsageError("the interaction '" + name + "' needs the states that count of each variable");
  }
  for (std::size_t k = 0; k < arity(); ++k) {
    const auto counting = std::ranges::count(rule_.counts[k], 1);
    if (rule_.counts[k].size() == states_[k] && counting > 0 &&
        counting < std::ssize(rule_.counts[k])) {
      continue;
    }
    throw UsageError("the interaction '" + name +
                     "' needs some states of each variable that count, and some that do not");
  }
  if (kind == InteractionKind::implies && arity() < 2) {
    throw UsageError("the interaction 'implies' needs premises, and behind them a conclusion");
  }
  if (!has_threshold(kind)) rule_.k = 1;
  if (rule_.k > kMostCount) throw UsageError("a count of more than 2^32");
  counted_ = rule_.counts;
  for (std::size_t place = 0; place < arity(); ++place) {
    const bool premise = kind == InteractionKind::implies && place + 1 < arity();
    if (kind != InteractionKind::all_of && !premise) continue;
    for (std::uint8_t& each : counted_[place]) each = 1 - each;
  }
  alike_ = std::ranges::adjacent_find(counted_, std::not_equal_to()) == counted_.end();
  if (kind == InteractionKind::count) {
    from_ = rule_.from;
    if (from_.empty() || from_[0] != 0 || from_.back() > kMostCount || from_.size() > kMostCells ||
        std::ranges::adjacent_find(from_, std::greater_equal()) != from_.end()) {
      throw UsageError(
          "the counts where cells of the interaction 'count' begin must increase from 0");
    }
    if (rule_.broken) throw UsageError("nothing breaks the interaction 'count', which is no rule");
    cells_ = from_.size();
    cell_.resize(cells_);
    std::iota(cell_.begin(), cell_.end(), 0U);
    return;
  }
  rule_.from.clear();
  cells_ = 1;
  set_ranges(rule_.k);
}

// Of a rule: which counts keep it.
void Interaction::set_ranges(std::uint64_t k) {
  const std::uint32_t keeps = rule_.broken ? kNoCell : 0, breaks = rule_.broken ? 0 : kNoCell;
  const auto range = [&](std::uint64_t from, std::uint32_t cell) {
    from_.push_back(from);
    cell_.push_back(cell);
  };
  switch (kind_) {
    case InteractionKind::at_most:
    case InteractionKind::all_of:  // of the states that do not count
      if (kind_ == InteractionKind::all_of) k = 0;
      range(0, keeps);
      range(k + 1, breaks);
      break;
    case InteractionKind::exactly:
    case InteractionKind::exactly_one:
      if (k > 0) range(0, breaks);
      range(k, keeps);
      range(k + 1, breaks);
      break;
    default:
      if (k == 0) throw UsageError("at least 0 is always so");
      range(0, breaks);
      range(k, keeps);
  }
}

bool Interaction::is_table() const {
  return kind_ == InteractionKind::table || kind_ == InteractionKind::ordinal ||
         kind_ == InteractionKind::known;
}

std::uint64_t Interaction::joint_states() const {
  std::uint64_t joint = 1;
  for (const std::uint32_t each : states_) joint *= each;
  return joint;
}

std::uint64_t Interaction::joint_of(std::span<const State> at) const {
  std::uint64_t joint = 0;
  for (std::size_t k = 0; k < at.size(); ++k) joint = joint * states_[k] + at[k];
  return joint;
}

// Cells that some number has, in their order, and what has each.
void Interaction::compress_cells() {
  std::vector<std::uint32_t> now(cells_, kNoCell);
  for (const std::uint32_t each : cell_) {
    if (each != kNoCell) now[each] = 0;
  }
  cells_ = 0;
  for (std::uint32_t& each : now) {
    if (each != kNoCell) each = static_cast<std::uint32_t>(cells_++);
  }
  joint_of_cell_.assign(cells_, {});
  for (std::size_t k = 0; k < cell_.size(); ++k) {
    if (cell_[k] == kNoCell) continue;
    cell_[k] = now[cell_[k]];
    joint_of_cell_[cell_[k]].push_back(is_table() ? k : numbered_[k]);
  }
}

void Interaction::share(std::vector<std::vector<std::uint64_t>> groups) {
  if (kind_ != InteractionKind::table && kind_ != InteractionKind::listed) {
    throw UsageError("cells of the interaction '" + std::string(name_of(kind_)) +
                     "' share no weight; those of 'table' and 'list' may");
  }
  std::vector<bool> seen(cells_, false);
  std::vector<State> at(arity());
  std::vector<std::uint32_t> first(cells_);
  std::iota(first.begin(), first.end(), 0U);
  for (const std::vector<std::uint64_t>& group : groups) {
    if (group.size() < 2) throw UsageError("cells that share a weight are two or more");
    std::uint32_t least = kNoCell;
    for (const std::uint64_t joint : group) {
      if (joint >= joint_states()) throw UsageError("a cell that shares a weight is not possible");
      split(joint, states_, at);
      const std::uint32_t cell = cell_of(at);
      if (cell == kNoCell) throw UsageError("a cell that shares a weight is not in 'list'");
      if (seen[cell]) throw UsageError("a cell shares two weights");
      seen[cell] = true;
      least = std::min(least, cell);
    }
    for (const std::uint64_t joint : group) {
      split(joint, states_, at);
      first[cell_of(at)] = least;
    }
  }
  for (std::uint32_t& each : cell_) {
    if (each != kNoCell) each = first[each];
  }
  shared_ = std::move(groups);
  if (!shared_.empty()) compress_cells();
}

void Interaction::forbid(std::vector<std::uint64_t> states) {
  if (states.empty()) return;
  if (counting() || kind_ == InteractionKind::known) {
    throw UsageError("joint states of the interaction '" + std::string(name_of(kind_)) +
                     "' cannot be forbidden; write a template of its own");
  }
  require_increasing(states, joint_states(), "the forbidden states");
  if (states.size() == joint_states()) throw UsageError("all joint states are forbidden");
  if (kind_ == InteractionKind::listed) {
    for (const std::uint64_t each : states) {
      if (!std::ranges::binary_search(listed_, each)) continue;
      throw UsageError("a joint state is forbidden, and in the list of those with weights");
    }
  }
  forbidden_ = std::move(states);
  if (is_table()) {
    for (const std::uint64_t each : forbidden_) cell_[each] = kNoCell;
  } else {
    // A sparse potential lists them beside the others.
    std::vector<std::pair<std::uint64_t, std::uint32_t>> all;
    for (std::size_t k = 0; k < numbered_.size(); ++k) {
      const std::uint32_t cell = potts_ ? 0 : cell_[k];
      if (!std::ranges::binary_search(forbidden_, numbered_[k]))
        all.emplace_back(numbered_[k], cell);
    }
    for (const std::uint64_t each : forbidden_) all.emplace_back(each, kNoCell);
    std::ranges::sort(all);
    numbered_.clear();
    cell_.clear();
    for (const auto& [joint, cell] : all) {
      numbered_.push_back(joint);
      cell_.push_back(cell);
    }
    cell_.push_back(kNoCell);
    potts_ = false;
  }
  compress_cells();
}

PotentialId Interaction::add_potential(FactorGraph& graph,
                                       std::span<const std::uint32_t> sizes) const {
  assert(!needs_sizes() || sizes.size() == arity());
  if (counting()) {
    CountedStates counted{counted_[0], true};
    if (!alike_) {
      counted = {{}, false};
      for (std::size_t place = 0; place < arity(); ++place) {
        const auto& bytes = counted_[place];
        for (std::uint32_t k = 0; k < sizes[place]; ++k) {
          counted.counts.insert(counted.counts.end(), bytes.begin(), bytes.end());
        }
      }
    } else if (counted_[0] == std::vector<std::uint8_t>{0, 1}) {
      counted = {};
    }
    return graph.add_counts(from_, std::vector<double>(from_.size(), 0.0), counted);
  }
  if (potts_) return graph.add_potts(0, 0);
  if (is_table()) {
    std::vector<double> scores(cell_.size(), 0.0);
    for (const std::uint64_t each : forbidden_) scores[each] = -kInf;
    return graph.add_table(scores);
  }
  std::vector<double> scores(numbered_.size(), 0.0);
  for (std::size_t k = 0; k < scores.size() && !forbidden_.empty(); ++k) {
    if (cell_[k] == kNoCell) scores[k] = -kInf;
  }
  return graph.add_sparse(numbered_, scores, 0);
}

std::uint32_t Interaction::cell_of(std::span<const State> at) const {
  const std::uint64_t joint = joint_of(at);
  if (is_table()) return cell_[joint];
  const auto found = std::ranges::lower_bound(numbered_, joint);
  if (found == numbered_.end() || *found != joint) return kNoCell;
  return potts_ ? 0 : cell_[static_cast<std::size_t>(found - numbered_.begin())];
}

std::uint32_t Interaction::cell_of_count(std::uint64_t count) const {
  const auto behind = std::ranges::upper_bound(from_, count);
  return cell_[static_cast<std::size_t>(behind - from_.begin()) - 1];
}

std::uint32_t Interaction::cell_named(std::span<const std::string> name,
                                      std::span<const std::span<const std::string>> labels) const {
  if (name.empty() && cells_ == 1) return 0;
  if (kind_ == InteractionKind::count) {
    double count = 0;
    const bool is_number = name.size() == 1 && parse_number(name[0], count) == NumberKind::finite;
    if (is_number && count >= 0 && count < 1e9 && count == std::floor(count)) {
      return cell_of_count(static_cast<std::uint64_t>(count));
    }
    throw UsageError("a cell of the interaction 'count' is named by a count");
  }
  if (counting()) throw UsageError("a rule has one cell, which needs no name");
  if (name.size() != arity()) {
    throw UsageError("a cell is named by a label for each of the " + std::to_string(arity()) +
                     " variables");
  }
  std::vector<State> at;
  for (std::size_t k = 0; k < arity(); ++k) {
    const auto found = std::ranges::find(labels[k], name[k]);
    if (found == labels[k].end()) throw UsageError("there is no label " + in_quotes(name[k]));
    at.push_back(static_cast<State>(found - labels[k].begin()));
  }
  const std::uint32_t cell = cell_of(at);
  if (cell == kNoCell) throw UsageError("there is no weight of these labels");
  return cell;
}

std::string Interaction::cell_name(std::uint32_t cell,
                                   std::span<const std::span<const std::string>> labels) const {
  constexpr std::size_t kShown = 3;
  if (kind_ == InteractionKind::count) {
    const std::string from = std::to_string(from_[cell]);
    if (cell + 1 == from_.size()) return from + " or more";
    return from_[cell + 1] == from_[cell] + 1 ? from
                                              : from + " to " + std::to_string(from_[cell + 1] - 1);
  }
  if (counting()) return rule_.broken ? "broken" : "holds";
  if (kind_ == InteractionKind::same) return "same";
  const auto joint_name = [&](std::uint64_t joint) {
    std::string name;
    for (std::size_t k = arity(); k-- > 0;) {
      name = labels[k][joint % states_[k]] + (name.empty() ? "" : ", ") + name;
      joint /= states_[k];
    }
    return name;
  };
  const bool changed = !joint_of_cell_.empty();
  if (kind_ == InteractionKind::ordinal) {
    std::uint64_t distance = cell + 1;
    if (changed) {
      const std::uint64_t first = joint_of_cell_[cell][0];
      const std::uint64_t i = first / states_[1], j = first % states_[1];
      distance = i < j ? j - i : i - j;
    }
    return "distance " + std::to_string(distance);
  }
  if (kind_ == InteractionKind::same_label) {
    return labels[0][changed ? joint_of_cell_[cell][0] % states_[0] : cell];
  }
  if (!changed) return joint_name(is_table() ? cell : listed_[cell]);
  std::string names;
  for (std::size_t k = 0; k < joint_of_cell_[cell].size(); ++k) {
    if (k == kShown) return names + " | …";
    names += (k == 0 ? "" : " | ") + joint_name(joint_of_cell_[cell][k]);
  }
  return names;
}

namespace {

// How many of the joint states agree with what is known.
std::uint64_t count_fitting(std::span<const std::uint64_t> joint,
                            std::span<const std::uint32_t> states, std::span<const State> known) {
  std::vector<State> at(states.size());
  return static_cast<std::uint64_t>(std::ranges::count_if(joint, [&](std::uint64_t each) {
    split(each, states, at);
    for (std::size_t k = 0; k < at.size(); ++k) {
      if (known[k] != kUnobserved && known[k] != at[k]) return false;
    }
    return true;
  }));
}

}  // namespace

bool Interaction::rules_out(std::span<const State> known, std::span<const std::uint32_t> sizes,
                            bool cells_also) const {
  if (counting()) {
    if (!cells_also) return false;
    std::uint64_t least = 0, most = 0;
    std::size_t at = 0;
    for (std::size_t place = 0; place < arity(); ++place) {
      const std::size_t size = sizes.empty() ? 1 : sizes[place];
      for (std::size_t k = 0; k < size; ++k, ++at) {
        const bool hidden = known[at] == kUnobserved;
        least += !hidden && counted_[place][known[at]] != 0;
        most += hidden || counted_[place][known[at]] != 0;
      }
    }
    for (std::size_t r = 0; r < from_.size(); ++r) {
      const bool reached = from_[r] <= most && (r + 1 == from_.size() || from_[r + 1] > least);
      if (reached && cell_[r] == kNoCell) return false;
    }
    return true;
  }
  if (kind_ == InteractionKind::known) return false;
  if (forbidden_.empty() && !cells_also) return false;
  std::uint64_t all = 1;
  for (std::size_t k = 0; k < arity(); ++k) all *= known[k] == kUnobserved ? states_[k] : 1;
  if (all == 1) {
    return std::ranges::binary_search(forbidden_, joint_of(known)) ||
           (cells_also && cell_of(known) != kNoCell);
  }
  std::uint64_t out = count_fitting(forbidden_, states_, known);
  if (cells_also) out += count_fitting(listed_, states_, known);
  return out == all;
}

Interaction make_interaction(InteractionParts parts) {
  if (counts_variables(parts.kind)) {
    if (!parts.listed.empty() || !parts.shared.empty() || !parts.forbidden.empty()) {
      throw UsageError("the interaction '" + std::string(name_of(parts.kind)) +
                       "' counts, and has no joint states that are listed, shared or forbidden");
    }
    return {parts.kind, std::move(parts.states), std::move(parts.rule)};
  }
  if (!parts.rule.counts.empty()) {
    throw UsageError("the interaction '" + std::string(name_of(parts.kind)) +
                     "' does not count states");
  }
  Interaction made(parts.kind, std::move(parts.states), std::move(parts.listed));
  if (!parts.shared.empty()) made.share(std::move(parts.shared));
  made.forbid(std::move(parts.forbidden));
  return made;
}

}  // namespace croft
