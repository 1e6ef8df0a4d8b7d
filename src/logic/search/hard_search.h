// A world that keeps all hard clauses and marks of arguments, or the proof that there is none.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "logic/clause_store.h"

namespace croft {

struct HardSearchLimits {
  std::size_t conflicts = 20'000;
  std::size_t steps = 100'000'000;  // clauses looked at: a second or so
};

enum class HardSearchEnd { found, none, given_up };
struct HardSearch {
  HardSearchEnd end = HardSearchEnd::given_up;
  std::vector<std::uint8_t> values;  // [atoms] where found; atoms of no hard clause are false
};

// Depth-first, with a clause learnt from each conflict (conflict-driven clause learning, Marques
// Silva & Sakallah 1999).  Values are false at first.  Throws Interrupted once `interruption` is
// set.
//   keep  : which hard clauses count; empty: all
//   go_on : asked now and then; false: it gives up
HardSearch search_allowed_world(const ClauseStore& store, const HardSearchLimits& limits = {},
                                const std::function<bool(std::size_t clause)>& keep = {},
                                const std::function<bool()>& go_on = {});

// Groups of hard clauses of which no world keeps all, none to be left out as far as searches within
// the limits tell.  The store has no allowed world.
//   group_of : of a clause, such as its rule
std::vector<std::size_t> conflicting_groups(
    const ClauseStore& store, const std::function<std::size_t(std::size_t clause)>& group_of,
    const HardSearchLimits& limits = {}, const std::function<bool()>& go_on = {});

}  // namespace croft
