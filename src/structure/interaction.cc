#include "structure/interaction.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "croft/core/error.h"

namespace croft {
namespace {

constexpr std::array<std::pair<std::string_view, InteractionKind>, 5> kNames = {{
    {"table", InteractionKind::table},
    {"same", InteractionKind::same},
    {"same-label", InteractionKind::same_label},
    {"ordinal", InteractionKind::ordinal},
    {"list", InteractionKind::listed},
}};
constexpr std::uint64_t kMostCells = std::uint64_t{1} << 24;

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
  const bool equal = std::ranges::adjacent_find(states_, std::not_equal_to()) == states_.end();
  if (kind != InteractionKind::table && kind != InteractionKind::listed &&
      (!equal || arity() < 2)) {
    throw UsageError("the interaction '" + name +
                     "' needs two variables or more, all with the same labels");
  }
  const auto fill = [&](std::size_t count) {
    cell_.resize(count);
    std::iota(cell_.begin(), cell_.end(), 0U);
  };
  const std::uint32_t n = states_[0];
  switch (kind) {
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
      if (tied && arity() == 2) {
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
      if (std::ranges::adjacent_find(listed_, std::greater_equal()) != listed_.end() ||
          listed_.back() >= joint) {
        throw UsageError("the labels of the interaction 'list' must be increasing, and possible");
      }
      fill(listed_.size());
      cells_ = listed_.size();
      cell_.push_back(kNoCell);
      break;
  }
}

PotentialId Interaction::add_potential(FactorGraph& graph) const {
  if (kind_ == InteractionKind::table || kind_ == InteractionKind::ordinal) {
    return graph.add_table(std::vector<double>(cell_.size(), 0.0));
  }
  if (kind_ == InteractionKind::same && arity() == 2) return graph.add_potts(0, 0);
  return graph.add_sparse(listed_, std::vector<double>(listed_.size(), 0.0), 0);
}

std::uint32_t Interaction::cell_of(std::span<const State> at) const {
  std::uint64_t joint = 0;
  for (std::size_t k = 0; k < at.size(); ++k) joint = joint * states_[k] + at[k];
  if (kind_ == InteractionKind::table || kind_ == InteractionKind::ordinal) return cell_[joint];
  const auto found = std::ranges::lower_bound(listed_, joint);
  if (found == listed_.end() || *found != joint) return kNoCell;
  return kind_ == InteractionKind::same ? 0 : static_cast<std::uint32_t>(found - listed_.begin());
}

std::string Interaction::cell_name(std::uint32_t cell,
                                   std::span<const std::span<const std::string>> labels) const {
  if (kind_ == InteractionKind::same) return "same";
  if (kind_ == InteractionKind::ordinal) return "distance " + std::to_string(cell + 1);
  std::uint64_t joint = kind_ == InteractionKind::table ? cell : listed_[cell];
  if (kind_ == InteractionKind::same_label) return labels[0][cell];
  std::string name;
  for (std::size_t k = arity(); k-- > 0;) {
    name = labels[k][joint % states_[k]] + (name.empty() ? "" : ", ") + name;
    joint /= states_[k];
  }
  return name;
}

}  // namespace croft
