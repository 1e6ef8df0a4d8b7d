// Updates of many two-state or small variables at once.  Internal to gibbs.h.
//
// Random bits are integers, and so are probabilities: thresholds of 31 bits.  What is drawn is the
// same for every SIMD target.  docs/math/graph_sampling.md section 3.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace croft {

inline constexpr std::size_t kRandomStreams = 8;
inline constexpr std::uint32_t kOne = std::uint32_t{1} << 31;  // probability 1 as a threshold

// Eight xoshiro256++ generators side by side, word by word.
using StreamStates = std::array<std::array<std::uint64_t, kRandomStreams>, 4>;
StreamStates seeded_streams(std::uint64_t seed);
// count: a multiple of 2 * kRandomStreams;  out : numbers below kOne
void fill_random(StreamStates& streams, std::uint32_t* out, std::size_t count);

// Sites of one colour and shape, one after the other.
struct GibbsRun {
  std::uint32_t first = 0, count = 0;  // sites
  std::uint32_t states = 2;
  std::uint32_t neighbours = 0;
  bool table = true;  // or else the general conditional
  // The neighbours of the next site are the next sites, too: one row of `neighbour` is enough.
  bool side_by_side = false;
  std::size_t neighbour = 0;  // into the plan's list: [neighbours], or [neighbours][count]
  std::size_t stride = 0;     // into the plan's strides: [neighbours]
};

struct RunArrays {
  const std::uint32_t* thresholds;  // row of a joint state: states - 1, the cumulated probabilities
  const std::uint32_t* table;       // [count] each site's place in `thresholds`
  const std::uint32_t* neighbour;
  const std::uint32_t* stride;
};
// Draws new states from the old ones of the neighbours.  x: of all sites.
void update_run(const GibbsRun& run, const RunArrays& arrays, const std::uint32_t* random,
                std::uint32_t* x);

// sum[i] += x[i]
void add_states(const std::uint32_t* x, std::size_t count, std::uint32_t* sum);

}  // namespace croft
