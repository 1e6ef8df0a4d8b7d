// Pairs of atoms that a strong clause of two literals ties to each other, such as P(A, B) v P(B,
// A): neither changes alone, but both together do.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "croft/core/random.h"
#include "logic/ground_walk.h"
#include "logic/sampling/step_work.h"

namespace croft {

class TiedPairs {
 public:
  // Keeps the clauses by reference.  Atoms of marks are in no pair.
  explicit TiedPairs(const UndecidedClauses& clauses);

  std::size_t size() const { return pairs_.size(); }

  // Draws both atoms of each pair, given all others: Gibbs sampling of two at a time.
  //   goes_on : as SliceSampler::step() has it
  void sweep(GroundWalk& walk, Random& random, const StepCheck& goes_on = {}) const;

 private:
  struct Pair {
    std::uint32_t first = 0, second = 0;  // atoms
    std::uint64_t begin = 0, end = 0;     // of shared_
  };
  struct SharedClause {
    std::uint32_t clause = 0;
    bool first_negated = false, second_negated = false;
  };

  std::size_t add_shared(Pair& pair);
  double gain_of_both(const GroundWalk& walk, const Pair& pair, double first, double second) const;

  const UndecidedClauses& clauses_;
  std::vector<Pair> pairs_;
  std::vector<SharedClause> shared_;  // clauses that have both atoms of a pair
};

}  // namespace croft
