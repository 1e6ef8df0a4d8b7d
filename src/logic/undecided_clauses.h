// The ground clauses of a store over the atoms that its hard clauses do not decide, with the
// clauses of each literal: what walks and samplers go through.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "logic/clause_store.h"

namespace croft {

struct UndecidedClauses {
  static constexpr std::uint32_t kNoBlock = 0xffffffff;

  // Clauses without those that decided atoms make true or false, and without literals of such
  // atoms; none of weight 0.
  explicit UndecidedClauses(const ClauseStore& store);

  std::size_t clauses() const { return weights.size(); }
  std::size_t atoms() const { return decided.size(); }
  std::size_t blocks() const { return exact.size(); }
  bool is_hard(std::size_t clause) const { return weights[clause] == kHardWeight; }
  std::span<const std::uint32_t> of(std::size_t clause) const {
    return std::span(literals).subspan(begin[clause], begin[clause + 1] - begin[clause]);
  }
  std::span<const std::uint32_t> uses(std::uint32_t literal) const {
    return std::span(occur).subspan(occur_begin[literal],
                                    occur_begin[literal + 1] - occur_begin[literal]);
  }
  std::span<const std::uint32_t> members(std::uint32_t block) const {
    return std::span(member).subspan(member_begin[block],
                                     member_begin[block + 1] - member_begin[block]);
  }
  // The world with decided atoms and marks put right.
  void keep(std::vector<std::uint8_t>& values) const;

  std::vector<std::uint8_t> decided;    // [atoms] as hard_consequences() has it
  std::vector<std::uint32_t> free;      // atoms that are not decided
  std::vector<std::uint64_t> begin{0};  // [clauses + 1]
  std::vector<std::uint32_t> literals;
  std::vector<double> weights;             // [clauses]
  std::vector<std::uint64_t> occur_begin;  // [literals + 1]
  std::vector<std::uint32_t> occur;        // clauses
  std::vector<std::uint32_t> block_of;     // [atoms] an atom is in one block at most
  std::vector<std::uint64_t> member_begin{0};
  std::vector<std::uint32_t> member;
  std::vector<std::uint8_t> exact;  // [blocks] exactly one; else at most one
  double constant = 0;              // cost of soft clauses that are decided

 private:
  void add_clauses(const ClauseStore& store);
  void add_blocks(const ClauseStore& store);
};

}  // namespace croft
