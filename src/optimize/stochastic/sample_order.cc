#include "optimize/stochastic/sample_order.h"

#include <numeric>
#include <utility>

namespace croft {

Random random_of_pass(std::uint64_t seed, std::size_t pass) {
  return Random(Random(seed).next() + pass);
}

// Fisher & Yates.
void draw_order(std::uint64_t seed, std::size_t pass, std::size_t samples,
                std::vector<std::uint32_t>& order) {
  order.resize(samples);
  std::iota(order.begin(), order.end(), 0u);
  Random random = random_of_pass(seed, pass);
  for (std::size_t k = samples; k > 1; --k) std::swap(order[k - 1], order[random.below(k)]);
}

}  // namespace croft
