#include "logic/ground_walk.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "logic/hard_conflict.h"

namespace croft {

GroundWalk::GroundWalk(const ClauseStore& store, std::vector<std::uint8_t> decided)
    : decided_(std::move(decided)),
      values_(store.atoms(), 0),
      delta_(store.atoms(), 0),
      is_falling_(store.atoms(), 0),
      block_of_(store.atoms(), kNoBlock) {
  for (std::uint32_t a = 0; a < store.atoms(); ++a) {
    if (decided_[a] == kUndecided) free_.push_back(a);
  }
  add_clauses(store);
  add_blocks(store);
  count_.resize(weights_.size());
  sole_.resize(weights_.size());
  place_.resize(weights_.size());
}

void GroundWalk::add_clauses(const ClauseStore& store) {
  std::vector<double> total(store.atoms(), 0);
  std::vector<std::uint64_t> uses(2 * store.atoms() + 1, 0);
  for (std::size_t i = 0; i < store.clauses(); ++i) {
    if (store.weight(i) == 0) continue;
    const std::size_t before = literals_.size();
    bool holds = false;
    for (const std::uint32_t literal : store.literals(i)) {
      const std::uint8_t value = decided_[literal / 2];
      if (value == kUndecided) {
        literals_.push_back(literal);
      } else {
        holds = holds || value != (literal & 1);
      }
    }
    if (holds || literals_.size() == before) {
      literals_.resize(before);
      if (holds == (store.weight(i) < 0)) constant_ += std::abs(store.weight(i));
      continue;
    }
    begin_.push_back(literals_.size());
    weights_.push_back(store.weight(i));
    is_hard_.push_back(store.is_hard(i));
    for (std::size_t k = before; k < literals_.size(); ++k) {
      ++uses[literals_[k]];
      if (!store.is_hard(i)) total[literals_[k] / 2] += std::abs(store.weight(i));
    }
  }
  for (const double each : total) hard_ = std::max(hard_, 1 + 2 * each);
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    if (is_hard_[i]) weights_[i] = hard_;
  }
  std::uint64_t sum = 0;
  for (std::uint64_t& each : uses) sum += std::exchange(each, sum);
  occur_begin_ = uses;
  occur_.resize(literals_.size());
  for (std::uint32_t i = 0; i < weights_.size(); ++i) {
    for (const std::uint32_t literal : literals(i)) occur_[uses[literal]++] = i;
  }
}

// Blocks of atoms that are not decided, as far as their decided ones leave a choice.
void GroundWalk::add_blocks(const ClauseStore& store) {
  for (std::size_t i = 0; i < store.blocks(); ++i) {
    const AtomBlock block = store.block(i);
    bool holds = false;
    const std::size_t before = members_.size();
    for (const std::uint32_t atom : block.atoms) {
      holds = holds || decided_[atom] == 1;
      if (decided_[atom] == kUndecided) members_.push_back(atom);
    }
    if (holds) members_.resize(before);  // its others are decided, too
    if (members_.size() == before) continue;
    for (std::size_t k = before; k < members_.size(); ++k) {
      block_of_[members_[k]] = static_cast<std::uint32_t>(exact_.size());
    }
    members_begin_.push_back(members_.size());
    exact_.push_back(block.exactly_one ? 1 : 0);
  }
  holder_.assign(exact_.size(), kNoAtom);
}

void GroundWalk::keep_blocks() {
  for (std::uint32_t b = 0; b < exact_.size(); ++b) {
    holder_[b] = kNoAtom;
    for (const std::uint32_t atom : members(b)) {
      if (values_[atom] == 0) continue;
      if (holder_[b] != kNoAtom) values_[atom] = 0;
      if (holder_[b] == kNoAtom) holder_[b] = atom;
    }
    if (holder_[b] == kNoAtom && is_exact(b)) {
      holder_[b] = members(b)[0];
      values_[holder_[b]] = 1;
    }
  }
}

void GroundWalk::set(std::span<const std::uint8_t> values) {
  values_.assign(values.begin(), values.end());
  for (std::size_t a = 0; a < decided_.size(); ++a) {
    if (decided_[a] != kUndecided) values_[a] = decided_[a];
  }
  keep_blocks();
  std::fill(delta_.begin(), delta_.end(), 0);
  std::fill(is_falling_.begin(), is_falling_.end(), 0);
  falling_.clear();
  changes_.clear();
  for (auto& each : costly_) each.clear();
  soft_cost_ = constant_;
  for (std::uint32_t i = 0; i < weights_.size(); ++i) {
    std::uint32_t count = 0, sole = 0;
    for (const std::uint32_t literal : literals(i)) {
      if (!is_true(literal)) continue;
      ++count;
      sole ^= literal;
    }
    count_[i] = count;
    sole_[i] = sole;
    if ((count == 0) == (weights_[i] > 0)) begin_to_cost(i);
    if (count == 0) {
      for (const std::uint32_t literal : literals(i)) delta_[literal / 2] -= weights_[i];
    } else if (count == 1) {
      delta_[sole / 2] += weights_[i];
    }
  }
  for (const std::uint32_t atom : free_) {
    if (!gain_may_help(atom)) continue;
    is_falling_[atom] = 1;
    falling_.push_back(atom);
  }
}

void GroundWalk::begin_to_cost(std::uint32_t clause) {
  std::vector<std::uint32_t>& costly = costly_[is_hard_[clause]];
  place_[clause] = static_cast<std::uint32_t>(costly.size());
  costly.push_back(clause);
  if (!is_hard_[clause]) soft_cost_ += std::abs(weights_[clause]);
}

void GroundWalk::cease_to_cost(std::uint32_t clause) {
  std::vector<std::uint32_t>& costly = costly_[is_hard_[clause]];
  const std::uint32_t last = costly.back();
  costly[place_[clause]] = last;
  place_[last] = place_[clause];
  costly.pop_back();
  if (!is_hard_[clause]) soft_cost_ -= std::abs(weights_[clause]);
}

// The second atom that changes with this one: what a block holds, or, where it must hold one, the
// best of the others.
std::uint32_t GroundWalk::partner(std::uint32_t atom) const {
  const std::uint32_t block = block_of_[atom];
  if (values_[atom] == 0) return holder_[block];
  if (!is_exact(block)) return kNoAtom;
  std::uint32_t best = kNoAtom;
  for (const std::uint32_t other : members(block)) {
    if (other != atom && (best == kNoAtom || delta_[other] < delta_[best])) best = other;
  }
  return best;
}

void GroundWalk::flip(std::uint32_t atom) {
  const std::uint32_t block = block_of_[atom];
  if (block != kNoBlock) {
    const std::uint32_t other = partner(atom);
    holder_[block] = values_[atom] == 0 ? atom : other;
    if (other != kNoAtom) flip_one(other);
  }
  flip_one(atom);
}

void GroundWalk::flip_one(std::uint32_t atom) {
  changes_.push_back(atom);
  const std::uint32_t gains = 2 * atom + values_[atom], loses = gains ^ 1;
  values_[atom] ^= 1;
  for (std::uint64_t at = occur_begin_[gains]; at < occur_begin_[gains + 1]; ++at) {
    const std::uint32_t clause = occur_[at];
    const double weight = weights_[clause];
    if (count_[clause]++ == 0) {
      for (const std::uint32_t literal : literals(clause)) change(literal / 2, weight);
      change(atom, weight);
      weight > 0 ? cease_to_cost(clause) : begin_to_cost(clause);
    } else if (count_[clause] == 2) {
      change(sole_[clause] / 2, -weight);
    }
    sole_[clause] ^= gains;
  }
  for (std::uint64_t at = occur_begin_[loses]; at < occur_begin_[loses + 1]; ++at) {
    const std::uint32_t clause = occur_[at];
    const double weight = weights_[clause];
    sole_[clause] ^= loses;
    if (--count_[clause] == 0) {
      change(atom, -weight);
      for (const std::uint32_t literal : literals(clause)) change(literal / 2, -weight);
      weight > 0 ? begin_to_cost(clause) : cease_to_cost(clause);
    } else if (count_[clause] == 1) {
      change(sole_[clause] / 2, weight);
    }
  }
}

}  // namespace croft
