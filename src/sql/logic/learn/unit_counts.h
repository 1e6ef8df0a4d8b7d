// What weights multiply: of each unit, the groundings that are false in a world.
//
//   score(x) = base - sum_u w_u f_u(x),    f_u(x) = sum over soft clauses k that are false in x  of
//                                                  the factors of u in k (ML.6)
//
// docs/math/markov_logic.md section 8.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "croft/core/parallel.h"
#include "croft/core/random.h"
#include "logic/clause_store.h"

namespace croft {

// f(x) of all units.
std::vector<double> false_counts(const ClauseStore& store, std::span<const std::uint8_t> world,
                                 std::size_t units);
// d'f(x) alone.
double false_score(const ClauseStore& store, std::span<const std::uint8_t> world,
                   std::span<const double> d);

// The store given the values of some atoms.  f of the whole is `constant` plus that of the rest.
//   known : [atoms] 0 or 1; kUndecided: stays open
struct RestrictedStore {
  ClauseStore store;                 // atoms have the keys of their numbers in the whole
  std::vector<std::uint32_t> whole;  // [atoms] of the rest, their numbers in the whole
  std::vector<double> constant;      // [units]
};
// Throws Error where the values break a hard clause or a mark.
RestrictedStore restrict_store(const ClauseStore& store, std::span<const std::uint8_t> known,
                               std::size_t units);

// How many of n are true, each with the probability p: what lies between two of the rarer kind is
// drawn at once.  Time in proportion to n min(p, 1 - p).
std::size_t draw_binomial(std::size_t n, double p, Random& random);

// Draws of f(x), with the weights that the store has at the time of each call.  Atoms that share no
// clause with others are drawn by themselves, those with the same shares as one number; all others
// by slice sampling.
class CountSampler {
 public:
  // Keeps the store by reference.
  //   start : [chains] worlds that keep hard clauses and marks
  CountSampler(const ClauseStore& store, std::size_t units,
               std::vector<std::vector<std::uint8_t>> start, std::uint64_t seed);

  struct Draws {
    std::vector<std::vector<double>> rows;  // [draws] f(x), those of a chain one after the other
    std::size_t per_chain = 0;
  };
  // `skip` steps that are not counted, then `count` that are, of each chain, from where they stand.
  Draws draw(std::size_t skip, std::size_t count, ThreadPool& pool);
  void stand_at(std::span<const std::uint8_t> world);  // all chains

 private:
  // Atoms whose only clause is the atom alone, with the same shares, and so with the same weight.
  struct Alike {
    std::size_t clause;  // of one of them
    std::size_t count;
  };
  void find_alike();
  void add_coupled(std::size_t clause);
  void add_alike(Random& random, std::vector<double>& row) const;

  const ClauseStore& store_;
  std::size_t units_;
  std::vector<Alike> alike_;
  ClauseStore coupled_;                            // the other clauses
  std::vector<std::uint32_t> whole_;               // [atoms of coupled_] their numbers in the store
  std::vector<std::size_t> origin_;                // [clauses of coupled_] likewise
  std::vector<std::vector<std::uint8_t>> worlds_;  // [chains] of coupled_
  std::vector<Random> random_;                     // [chains]
};

}  // namespace croft
