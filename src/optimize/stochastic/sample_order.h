// The samples of a pass in an order drawn from the seed and the pass's number alone: so a run that
// is resumed needs no state of a generator.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "croft/core/random.h"

namespace croft {

// A generator of its own for each pass.
Random random_of_pass(std::uint64_t seed, std::size_t pass);

// Overwrites `order` with a permutation of 0 … samples - 1.
void draw_order(std::uint64_t seed, std::size_t pass, std::size_t samples,
                std::vector<std::uint32_t>& order);

}  // namespace croft
