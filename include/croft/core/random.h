// Seeded random numbers, the same on every platform (the standard's distributions are not).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace croft {

// xoshiro256++ (Blackman & Vigna 2019), seeded through splitmix64.  Passed by reference, never
// hidden.
class Random {
 public:
  explicit Random(std::uint64_t seed);
  std::uint64_t next();
  double uniform();                          // in [0, 1), 53 bits
  double normal();                           // mean 0, variance 1
  std::uint64_t below(std::uint64_t bound);  // in [0, bound), bound >= 1, without bias

 private:
  std::array<std::uint64_t, 4> state_;
};

// Puts a list in random order: each order is as probable as any other (Fisher & Yates).
template <class List>
void shuffle(List& list, Random& random) {
  for (std::size_t k = list.size(); k > 1; --k) std::swap(list[k - 1], list[random.below(k)]);
}

}  // namespace croft
