#include "logic/hard_conflict.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace croft {
namespace {

constexpr double kMostWork = 1e9;  // of leaving out one clause after the other

class HardPropagation {
 public:
  // only : of these hard clauses; null: of all
  explicit HardPropagation(const ClauseStore& store, const std::vector<std::size_t>* only = nullptr)
      : store_(store),
        uses_(2 * store.atoms()),
        blocks_of_(store.atoms()),
        value_(store.atoms(), kUnset),
        reason_(store.atoms(), kNoClause),
        cause_(store.atoms(), kNoAtom) {
    if (only != nullptr) hard_ = *only;
    for (std::size_t i = 0; only == nullptr && i < store.clauses(); ++i) {
      if (store.is_hard(i)) hard_.push_back(i);
    }
    for (const std::size_t i : hard_) {
      for (const std::uint32_t literal : store.literals(i)) {
        uses_[literal].push_back(static_cast<std::uint32_t>(i));
      }
    }
    for (std::size_t b = 0; b < store.blocks(); ++b) {
      for (const std::uint32_t atom : store.block(b).atoms) {
        blocks_of_[atom].push_back(static_cast<std::uint32_t>(b));
      }
    }
  }

  std::vector<std::size_t> conflict() {
    for (const std::size_t clause : hard_) {
      if (store_.literals(clause).size() == 1 && !look_at(clause)) return found_;
    }
    while (next_ < trail_.size()) {
      const std::uint32_t literal = trail_[next_++];
      for (const std::uint32_t clause : uses_[literal ^ 1]) {
        if (!look_at(clause)) return found_;
      }
      if ((literal & 1) == 0 && !spread_blocks(literal / 2)) return found_;
    }
    return {};
  }

  std::vector<std::uint8_t> take_values() { return std::move(value_); }

 private:
  static constexpr std::uint8_t kUnset = kUndecided;
  static constexpr std::size_t kNoClause = ~std::size_t{0};
  static constexpr std::uint32_t kNoAtom = 0xffffffff;

  // False at a contradiction.
  bool look_at(std::size_t clause) {
    std::uint32_t unset = 0;
    std::size_t count = 0;
    for (const std::uint32_t literal : store_.literals(clause)) {
      const std::uint8_t value = value_[literal / 2];
      if (value == kUnset) {
        unset = literal;
        ++count;
      } else if (value != (literal & 1)) {
        return true;
      }
    }
    if (count == 0) {
      explain_clause(clause);
      return false;
    }
    if (count == 1) set(unset, clause, kNoAtom);
    return true;
  }

  bool spread_blocks(std::uint32_t atom) {
    for (const std::uint32_t b : blocks_of_[atom]) {
      for (const std::uint32_t other : store_.block(b).atoms) {
        if (other == atom) continue;
        if (value_[other] == 1) {
          explain_atom(atom);
          explain_atom(other);
          finish();
          return false;
        }
        if (value_[other] == kUnset) set(2 * other + 1, kNoClause, atom);
      }
    }
    return true;
  }

  void set(std::uint32_t literal, std::size_t clause, std::uint32_t cause) {
    value_[literal / 2] = (literal & 1) ^ 1;
    reason_[literal / 2] = clause;
    cause_[literal / 2] = cause;
    trail_.push_back(literal);
  }

  // What the clause's falsity follows from.
  void explain_clause(std::size_t clause) {
    found_.push_back(clause);
    for (const std::uint32_t literal : store_.literals(clause)) explain_atom(literal / 2);
    finish();
  }
  void explain_atom(std::uint32_t atom) {
    std::vector<std::uint32_t> open{atom};
    while (!open.empty()) {
      const std::uint32_t one = open.back();
      open.pop_back();
      const std::size_t clause = std::exchange(reason_[one], kNoClause);
      const std::uint32_t cause = std::exchange(cause_[one], kNoAtom);
      if (cause != kNoAtom) open.push_back(cause);
      if (clause == kNoClause) continue;
      found_.push_back(clause);
      for (const std::uint32_t literal : store_.literals(clause)) open.push_back(literal / 2);
    }
  }
  void finish() {
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  }

  const ClauseStore& store_;
  std::vector<std::size_t> hard_;
  std::vector<std::vector<std::uint32_t>> uses_;       // [literals] hard clauses
  std::vector<std::vector<std::uint32_t>> blocks_of_;  // [atoms]
  std::vector<std::uint8_t> value_;                    // [atoms]
  std::vector<std::size_t> reason_;                    // [atoms] the clause that set it
  std::vector<std::uint32_t> cause_;                   // [atoms] or the true atom of a block
  std::vector<std::uint32_t> trail_;                   // literals that are true
  std::size_t next_ = 0;
  std::vector<std::size_t> found_;
};

}  // namespace

std::vector<std::size_t> least_conflict(const ClauseStore& store, std::vector<std::size_t> conflict,
                                        const std::function<std::size_t(std::size_t)>& group_of) {
  std::vector<std::size_t> groups;
  for (const std::size_t clause : conflict) groups.push_back(group_of(clause));
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  const auto try_without = [&](const auto& is_left_out) {
    std::vector<std::size_t> rest;
    std::remove_copy_if(conflict.begin(), conflict.end(), std::back_inserter(rest), is_left_out);
    std::vector<std::size_t> found = HardPropagation(store, &rest).conflict();
    if (!found.empty()) conflict = std::move(found);
  };
  for (const std::size_t group : groups) {
    try_without([&](std::size_t clause) { return group_of(clause) == group; });
  }
  const double work =
      static_cast<double>(conflict.size()) * static_cast<double>(conflict.size() + store.atoms());
  const std::vector<std::size_t> candidates = conflict;
  for (std::size_t i = 0; i < candidates.size() && work < kMostWork; ++i) {
    try_without([&](std::size_t clause) { return clause == candidates[i]; });
  }
  return conflict;
}

std::vector<std::uint8_t> hard_consequences(const ClauseStore& store) {
  HardPropagation propagation(store);
  propagation.conflict();
  return propagation.take_values();
}

std::vector<std::size_t> hard_conflict(const ClauseStore& store) {
  return HardPropagation(store).conflict();
}

}  // namespace croft
