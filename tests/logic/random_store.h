// Random ground clauses of a few atoms, and the best of all their worlds.
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "croft/core/random.h"
#include "logic/clause_store.h"

namespace croft {

// Weights of both signs, one clause in eight hard, and now and then a block.
inline ClauseStore random_store(Random& random, std::uint32_t atoms, std::size_t clauses,
                                bool with_block) {
  ClauseStore store;
  for (std::uint64_t key = 0; key < atoms; ++key) store.atom(key);
  std::vector<std::uint32_t> literals;
  for (std::size_t i = 0; i < clauses; ++i) {
    literals.clear();
    const auto size = 1 + random.below(4);
    for (std::uint64_t k = 0; k < size; ++k) {
      literals.push_back(static_cast<std::uint32_t>(random.below(2 * atoms)));
    }
    const bool hard = size > 1 && random.below(8) == 0;
    store.add(literals, hard ? kHardWeight : random.uniform() * 4 - 2);
  }
  const std::uint32_t block[] = {1, 2, 4};
  if (with_block) store.add_block(block, random.below(2) == 0);
  double most = 0;
  for (std::size_t i = 0; i < store.clauses(); ++i) {
    if (!store.is_hard(i)) most += std::max(0., -store.weight(i));
  }
  store.add_base(-store.base(), most);
  return store;
}

inline std::vector<std::uint8_t> world_of(std::uint32_t number, std::size_t atoms) {
  std::vector<std::uint8_t> values(atoms);
  for (std::size_t a = 0; a < atoms; ++a) values[a] = number >> a & 1;
  return values;
}

inline double least_cost(const ClauseStore& store) {
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t world = 0; world < (1u << store.atoms()); ++world) {
    least = std::min(least, store.cost(world_of(world, store.atoms())));
  }
  return least;
}

}  // namespace croft
