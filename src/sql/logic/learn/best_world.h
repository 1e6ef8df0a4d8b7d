// The best world of ground clauses whose weights change: for learners that ask again and again.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "croft/inference/elimination_order.h"
#include "logic/clause_store.h"

namespace croft {

class BestWorld {
 public:
  // Keeps the store by reference.  Exact by a junction tree where that takes up to `memory` bytes
  // and 2^22 joint states, else by MaxWalkSAT.
  BestWorld(const ClauseStore& store, double memory, std::uint64_t seed);
  bool is_exact() const { return order_.has_value(); }
  // [atoms], with the weights that the store has now.  Throws Error where no world is found that
  // keeps the hard clauses, Interrupted once `interruption` is set.
  std::vector<std::uint8_t> find();

 private:
  const ClauseStore& store_;
  std::optional<EliminationOrder> order_;
  std::uint64_t seed_;
};

}  // namespace croft
