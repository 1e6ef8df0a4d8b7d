#include "logic/ground_walk.h"

#include <algorithm>
#include <cmath>

namespace croft {

GroundWalk::GroundWalk(const UndecidedClauses& clauses, double hard)
    : clauses_(clauses),
      values_(clauses.atoms(), 0),
      weights_(clauses.weights),
      is_hard_(clauses.clauses(), 0),
      count_(clauses.clauses()),
      sole_(clauses.clauses()),
      delta_(clauses.atoms(), 0),
      place_(clauses.clauses()),
      is_falling_(clauses.atoms(), 0),
      holder_(clauses.blocks(), kNoAtom) {
  std::vector<double> total(clauses.atoms(), 0);
  for (std::size_t i = 0; i < clauses.clauses(); ++i) {
    if (clauses.is_hard(i)) continue;
    for (const std::uint32_t literal : clauses.of(i)) {
      total[literal / 2] += std::abs(clauses.weights[i]);
    }
  }
  for (const double each : total) hard_ = std::max(hard_, 1 + 2 * each);
  if (hard > 0) hard_ = hard;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    is_hard_[i] = clauses.is_hard(i);
    if (is_hard_[i] != 0) weights_[i] = hard_;
  }
}

void GroundWalk::set(std::span<const std::uint8_t> values) {
  values_.assign(values.begin(), values.end());
  clauses_.keep(values_);
  for (std::uint32_t b = 0; b < holder_.size(); ++b) {
    holder_[b] = kNoAtom;
    for (const std::uint32_t atom : clauses_.members(b)) {
      if (values_[atom] != 0) holder_[b] = atom;
    }
  }
  std::fill(delta_.begin(), delta_.end(), 0);
  std::fill(is_falling_.begin(), is_falling_.end(), 0);
  falling_.clear();
  changes_.clear();
  for (auto& each : costly_) each.clear();
  soft_cost_ = clauses_.constant;
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
  for (const std::uint32_t atom : clauses_.free) {
    if (!gain_may_help(atom)) continue;
    is_falling_[atom] = 1;
    falling_.push_back(atom);
  }
}

void GroundWalk::become(std::span<const std::uint8_t> values) {
  for (const std::uint32_t atom : clauses_.free) {
    if (values_[atom] == values[atom]) continue;
    flip_one(atom);
    const std::uint32_t block = clauses_.block_of[atom];
    if (block == kNoBlock) continue;
    if (values_[atom] != 0) holder_[block] = atom;
    if (values_[atom] == 0 && holder_[block] == atom) holder_[block] = kNoAtom;
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
  const std::uint32_t block = clauses_.block_of[atom];
  if (values_[atom] == 0) return holder_[block];
  if (!is_exact(block)) return kNoAtom;
  std::uint32_t best = kNoAtom;
  for (const std::uint32_t other : clauses_.members(block)) {
    if (other != atom && (best == kNoAtom || delta_[other] < delta_[best])) best = other;
  }
  return best;
}

void GroundWalk::flip(std::uint32_t atom) {
  const std::uint32_t block = clauses_.block_of[atom];
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
  for (const std::uint32_t clause : clauses_.uses(gains)) {
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
  for (const std::uint32_t clause : clauses_.uses(loses)) {
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
