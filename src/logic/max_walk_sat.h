// The world of least cost that a walk finds: MaxWalkSAT (Kautz, Selman & Jiang 1997), with tabu.
//
// From a world without true atoms, and later from the best one with some atoms changed: as long as
// a change of one atom lowers the cost, one of the best such changes; else an atom of a clause that
// costs something, the best one or any.  docs/math/markov_logic.md section 6.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "logic/clause_store.h"

namespace croft {

struct MaxWalkSatOptions {
  std::size_t flips = 400'000;  // of all tries together
  std::size_t tries = 40;       // the first one from all atoms false
  double noise = 0.1;           // how often any atom of a clause is changed, not its best; 0 to 1
  std::size_t tabu = 3;  // changes for which an atom stays as it is, unless it is the best yet
  bool until_allowed = false;  // from a random world to the first one that keeps all hard clauses
  std::uint64_t seed = 1;
  void validate() const;  // throws UsageError
};

struct MaxWalkSatResult {
  std::vector<std::uint8_t> values;  // [atoms]
  std::size_t broken_hard = 0;       // 0: the world keeps all hard clauses
  double cost = 0;                   // ClauseStore::cost(values), of soft clauses
  std::size_t flips = 0;
  std::size_t flips_to_best = 0;
  bool stopped = false;
};

// Marks of arguments and what follows from hard clauses step by step hold in every world that it
// goes through.  Time per change in proportion to the clauses of the atom.
//   go_on : asked every few thousand changes with the changes so far and the least cost; false ends
//           it
MaxWalkSatResult max_walk_sat(const ClauseStore& store, const MaxWalkSatOptions& options = {},
                              const std::function<bool(std::size_t, double)>& go_on = {});

}  // namespace croft
