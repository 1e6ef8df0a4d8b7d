// Constants of the proof in docs/math/chain.md section 3: where the linear domain is safe.
#pragma once
#include <cstddef>

namespace croft {

template <class T>
struct ScaledLimits;

template <>
struct ScaledLimits<float> {
  static constexpr double kSpread = 30;  // edge scores this close together need no check (C.12)
  static constexpr float kExpCutoff =
      -85;  // exp below it is taken as 0: the smallest is exp(-87.3)
  static constexpr float kSmallest = 1e-28f;      // a running value must not fall below it (C.13)
  static constexpr double kLogSmallest = -64.47;  // its logarithm
  // A sum with corrections is taken again without subtraction where it is smaller than this part of
  // the background: the digits lost to cancellation.
  static constexpr float kCancelled = 2e-2f;
};

template <>
struct ScaledLimits<double> {
  static constexpr double kSpread = 300;
  static constexpr double kExpCutoff = -700;
  static constexpr double kSmallest = 1e-280;
  static constexpr double kLogSmallest = -644.72;
  static constexpr double kCancelled = 1e-3;
};

// A row is brought to sum 1 one position later, off the chain of dependent operations, unless its
// sum is smaller than this.
inline constexpr double kScaleAtOnce = 0.1;

}  // namespace croft
