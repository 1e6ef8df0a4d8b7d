// Draws of worlds in which all of a random choice of clauses hold: the steps of MC-SAT.
//
//   1. of the clauses that hold in x, take each with the probability 1 - exp(-w); all hard ones; of
//      negative ones that are false, the negation with the probability 1 - exp(-|w|)
//   2. draw the next x from all worlds in which what was taken holds, each as likely (ML.11)
//
// These steps leave p(x) as it is (Poon & Domingos 2006).  What was taken decides most atoms step
// by step.  The others fall into parts that share no clause.  A part of a few atoms is drawn
// exactly. A larger one is drawn a few atoms at a time, the others given, which leaves the uniform
// distribution as it is, where SampleSAT's draws are only nearly uniform.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "croft/core/random.h"
#include "logic/ground_walk.h"
#include "logic/sampling/part_sampler.h"
#include "logic/sampling/step_work.h"

namespace croft {

// What a broken hard clause costs a walk: exp(-1e5) is 0, and sums of weights keep their digits.
inline constexpr double kForbiddenCost = 1e5;

class SliceSampler {
 public:
  static constexpr std::size_t kWhole = 10;  // atoms of a part that is drawn at once

  // Keeps both by reference.
  //   walk : a world of the clauses that keeps hard ones and marks, which step() changes
  SliceSampler(const UndecidedClauses& clauses, GroundWalk& walk);

  // Time in proportion to the clauses, and the literals of those that are taken.  Throws
  // Interrupted where goes_on ends it; the sampler is of no use then.
  void step(Random& random, const StepCheck& goes_on = {});

  // [atoms] how probable the atom was in the last step, given its choice of clauses and, of atoms
  // of large parts, what was drawn.
  const std::vector<double>& shares() const { return share_; }
  // Atoms of the largest part that was met so far of which some were held.
  std::size_t largest_held() const { return largest_; }

 private:
  static constexpr std::size_t kBlock = 8;  // of a larger one

  // Clauses and marks over a few atoms, by bits.
  struct Small {
    std::vector<std::uint32_t> atoms;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> clauses;  // positive, negative literals
    std::vector<std::pair<std::uint32_t, bool>> marks;             // members, exactly one
    std::vector<std::uint32_t> allowed;
  };

  void choose(Random& random);
  void freeze(std::uint32_t atom);
  void spread();
  void spread_in_block(std::uint32_t atom);
  bool holds(std::uint32_t literal) const { return x_[literal / 2] != (literal & 1); }
  void collect_part(std::uint32_t atom);
  void visit(std::uint32_t atom);
  void draw_part(Random& random);
  void draw_large(Random& random);
  void draw_in_blocks(Random& random);
  void pick_block(Random& random);
  void draw_small(Random& random, bool whole);
  void add_small_clauses(bool whole);
  void add_small_marks(bool whole);

  void did(std::size_t work) {
    if (work_) work_->add(work);
  }

  const UndecidedClauses& clauses_;
  GroundWalk& walk_;
  std::optional<StepWork> work_;                 // of the step
  std::vector<std::uint8_t> x_;                  // [atoms]
  std::vector<double> share_;                    // [atoms]
  std::vector<std::uint64_t> threshold_;         // [clauses] of 64 random bits
  std::vector<std::uint8_t> positive_;           // [clauses]
  std::vector<std::uint32_t> sizes_;             // [clauses]
  std::vector<std::uint32_t> negative_, units_;  // clauses: of negative weight, of one literal
  std::vector<std::uint8_t> taken_;              // [clauses] 1: taken and not decided; 2: of a part
  std::vector<std::uint32_t> open_;              // [clauses] literals of atoms that are not frozen
  std::vector<std::uint8_t> frozen_;       // [atoms] 1: decided by what was taken; 2: of a part
  std::vector<std::uint32_t> trail_;       // frozen atoms
  std::vector<std::uint32_t> block_open_;  // [blocks] members that are not frozen
  std::vector<std::uint8_t> block_seen_;   // [blocks] by the collection of a part
  std::vector<std::uint32_t> part_, part_clauses_, part_blocks_;
  std::vector<std::uint32_t> local_;  // [atoms] 1 + bit in small_
  Small small_;
  PartSampler large_;
  std::size_t largest_ = 0;
};

// One sweep of Gibbs sampling over atoms, p(a changes) = 1 / (1 + exp(gain)), and over marks, whose
// atoms are drawn together.
//   atoms  : only those of smaller numbers
//   shares  : [atoms] how probable each was true, given the others; empty: not wanted
//   goes_on : as SliceSampler::step() has it
inline constexpr std::uint32_t kAllAtoms = 0xffffffff;
void gibbs_sweep(const UndecidedClauses& clauses, GroundWalk& walk, Random& random,
                 std::span<double> shares = {}, std::uint32_t atoms = kAllAtoms,
                 const StepCheck& goes_on = {});

}  // namespace croft
