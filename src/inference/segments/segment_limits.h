// Constants of the proof in docs/math/segments.md section 4: where the linear domain is safe.
#pragma once
#include <cstddef>

namespace croft {

template <class T>
struct SegmentLimits;
template <>
struct SegmentLimits<float> {
  static constexpr std::size_t kLongest = 1024;  // positions over which rounding may add up
  static constexpr float kLevel = 1 << 23;       // whole numbers up to here differ exactly
  static constexpr float kExponent = 70;         // exp of more is not taken
  static constexpr float kBehind = 60;           // nats that an entry may be behind the best one
  static constexpr float kEntry = 1 << 20;       // sums of an entry, over its best prefix
  static constexpr float kSmallest = 1e-20f;     // of a checked sum
  static constexpr int kFall = 60;               // bits that sums may fall below an earlier one
};
template <>
struct SegmentLimits<double> {
  static constexpr std::size_t kLongest = static_cast<std::size_t>(-1);
  static constexpr double kLevel = 1LL << 51;
  static constexpr double kExponent = 650;
  static constexpr double kBehind = 600;
  static constexpr double kEntry = 1e30;
  static constexpr double kSmallest = 1e-250;
  static constexpr int kFall = 450;
};

// A sum is brought near 1 when it is larger than this, or smaller than its inverse.
inline constexpr double kRescale = 64;

}  // namespace croft
