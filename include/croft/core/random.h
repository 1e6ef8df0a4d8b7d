// Seeded random numbers, the same on every platform (the standard's distributions are not).
#pragma once
#include <array>
#include <cstdint>

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

}  // namespace croft
