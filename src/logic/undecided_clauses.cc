#include "logic/undecided_clauses.h"

#include <cmath>
#include <utility>

#include "logic/hard_conflict.h"

namespace croft {

UndecidedClauses::UndecidedClauses(const ClauseStore& store)
    : decided(hard_consequences(store)), block_of(store.atoms(), kNoBlock) {
  for (std::uint32_t a = 0; a < store.atoms(); ++a) {
    if (decided[a] == kUndecided) free.push_back(a);
  }
  add_clauses(store);
  add_blocks(store);
}

void UndecidedClauses::add_clauses(const ClauseStore& store) {
  std::vector<std::uint64_t> place(2 * store.atoms() + 1, 0);
  for (std::size_t i = 0; i < store.clauses(); ++i) {
    if (store.weight(i) == 0) continue;
    const std::size_t before = literals.size();
    bool holds = false;
    for (const std::uint32_t literal : store.literals(i)) {
      const std::uint8_t value = decided[literal / 2];
      if (value == kUndecided) {
        literals.push_back(literal);
      } else {
        holds = holds || value != (literal & 1);
      }
    }
    if (holds || literals.size() == before) {
      literals.resize(before);
      if (holds == (store.weight(i) < 0)) constant += std::abs(store.weight(i));
      continue;
    }
    begin.push_back(literals.size());
    weights.push_back(store.weight(i));
    for (std::size_t k = before; k < literals.size(); ++k) ++place[literals[k]];
  }
  std::uint64_t sum = 0;
  for (std::uint64_t& each : place) sum += std::exchange(each, sum);
  occur_begin = place;
  occur.resize(literals.size());
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    for (const std::uint32_t literal : of(i)) occur[place[literal]++] = i;
  }
}

void UndecidedClauses::add_blocks(const ClauseStore& store) {
  for (std::size_t i = 0; i < store.blocks(); ++i) {
    const AtomBlock block = store.block(i);
    const std::size_t before = member.size();
    bool holds = false;
    for (const std::uint32_t atom : block.atoms) {
      holds = holds || decided[atom] == 1;
      if (decided[atom] == kUndecided) member.push_back(atom);
    }
    if (holds) member.resize(before);  // its others are decided, too
    if (member.size() == before) continue;
    for (std::size_t k = before; k < member.size(); ++k) {
      block_of[member[k]] = static_cast<std::uint32_t>(exact.size());
    }
    member_begin.push_back(member.size());
    exact.push_back(block.exactly_one ? 1 : 0);
  }
}

void UndecidedClauses::keep(std::vector<std::uint8_t>& values) const {
  for (std::size_t a = 0; a < decided.size(); ++a) {
    if (decided[a] != kUndecided) values[a] = decided[a];
  }
  for (std::uint32_t b = 0; b < exact.size(); ++b) {
    bool holds = false;
    for (const std::uint32_t atom : members(b)) {
      if (values[atom] == 0) continue;
      if (holds) values[atom] = 0;
      holds = true;
    }
    if (!holds && exact[b] != 0) values[members(b)[0]] = 1;
  }
}

}  // namespace croft
