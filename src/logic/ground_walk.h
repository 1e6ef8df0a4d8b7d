// A world of ground clauses that changes one atom at a time, with what each change would cost.
//
//   cost(x) = sum over clauses of  w [false]  where w > 0,  |w| [true]  where w < 0 (ML.10)
//
// Hard clauses that are broken are counted apart.  Each clause knows how many of its literals are
// true, and which one where it is one; so a change takes time in proportion to the clauses that the
// atom is in, and to the lengths of those that it breaks or mends.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "logic/undecided_clauses.h"

namespace croft {

class GroundWalk {
 public:
  // Keeps the clauses by reference.  A mark of arguments is kept by every change.
  //   hard : what a broken hard clause costs; 0: more than all soft ones of any atom
  explicit GroundWalk(const UndecidedClauses& clauses, double hard = 0);

  // A world, in which decided atoms and marks are put right first.
  void set(std::span<const std::uint8_t> values);
  // The same, from a world that differs in few atoms and keeps the marks.
  void become(std::span<const std::uint8_t> values);
  // Changes the atom; in a block another one, too, where the mark demands it.
  void flip(std::uint32_t atom);

  // What flip() changes in the number of broken hard clauses and in the soft cost, together.  Where
  // a block makes it change a second atom, the sum of both, as if they shared no clause.
  double gain(std::uint32_t atom) const {
    double gain = delta_[atom];
    if (clauses_.block_of[atom] != kNoBlock) {
      const std::uint32_t other = partner(atom);
      if (other != kNoAtom) gain += delta_[other];
    }
    return gain;
  }
  // That a block leaves no other choice.
  bool can_flip(std::uint32_t atom) const {
    return values_[atom] == 0 || clauses_.block_of[atom] == kNoBlock ||
           !is_exact(clauses_.block_of[atom]) || partner(atom) != kNoAtom;
  }

  std::size_t broken_hard() const { return costly_[1].size(); }
  double soft_cost() const { return soft_cost_; }
  double cost() const { return static_cast<double>(broken_hard()) * hard_ + soft_cost_; }
  const std::vector<std::uint8_t>& values() const { return values_; }  // [atoms]
  const std::vector<std::uint32_t>& free_atoms() const { return clauses_.free; }

  std::uint32_t true_literals(std::size_t clause) const { return count_[clause]; }
  double cost_of(std::size_t clause) const { return weights_[clause]; }  // where it is false
  // Clauses that cost something now, hard ones or soft ones.
  std::size_t costly(bool hard) const { return costly_[hard ? 1 : 0].size(); }
  std::span<const std::uint32_t> costly_literals(bool hard, std::size_t place) const {
    return literals(costly_[hard ? 1 : 0][place]);
  }
  // Such as have a negative weight; the others cost as false.
  bool costs_as_true(bool hard, std::size_t place) const {
    return weights_[costly_[hard ? 1 : 0][place]] < 0;
  }

  // Atoms whose gain fell below 0 since they were taken out; some may have risen again.
  std::vector<std::uint32_t>& falling() { return falling_; }
  void forget_falling(std::size_t place) {
    is_falling_[falling_[place]] = 0;
    falling_[place] = falling_.back();
    falling_.pop_back();
  }
  // Atoms that flip() has changed since the last call of clear_changes(), with repetitions.
  const std::vector<std::uint32_t>& changes() const { return changes_; }
  void clear_changes() { changes_.clear(); }

 private:
  static constexpr std::uint32_t kNoBlock = UndecidedClauses::kNoBlock, kNoAtom = 0xffffffff;

  std::span<const std::uint32_t> literals(std::size_t clause) const { return clauses_.of(clause); }
  bool is_exact(std::uint32_t block) const { return clauses_.exact[block] != 0; }
  bool is_true(std::uint32_t literal) const { return values_[literal / 2] != (literal & 1); }
  std::uint32_t partner(std::uint32_t atom) const;
  void flip_one(std::uint32_t atom);
  void change(std::uint32_t atom, double by) {
    delta_[atom] += by;
    if (by < 0 && is_falling_[atom] == 0 && gain_may_help(atom)) {
      is_falling_[atom] = 1;
      falling_.push_back(atom);
    }
  }
  bool gain_may_help(std::uint32_t atom) const {
    return delta_[atom] < -1e-9 || clauses_.block_of[atom] != kNoBlock;
  }
  void begin_to_cost(std::uint32_t clause);
  void cease_to_cost(std::uint32_t clause);

  const UndecidedClauses& clauses_;
  std::vector<std::uint8_t> values_;              // [atoms]
  std::vector<double> weights_;                   // [clauses] hard_ of a hard one
  std::vector<std::uint8_t> is_hard_;             // [clauses]
  std::vector<std::uint32_t> count_, sole_;       // [clauses] true literals: how many, exclusive or
  std::vector<double> delta_;                     // [atoms]
  std::vector<std::uint32_t> costly_[2], place_;  // soft, hard
  std::vector<std::uint32_t> falling_;
  std::vector<std::uint8_t> is_falling_;
  std::vector<std::uint32_t> changes_;
  std::vector<std::uint32_t> holder_;  // [blocks] the atom that is true, or kNoAtom
  double hard_ = 1;
  double soft_cost_ = 0;
};

}  // namespace croft
