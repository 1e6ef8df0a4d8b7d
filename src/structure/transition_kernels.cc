#include "structure/transition_kernels.h"

#include <limits>

// The part up to HWY_ONCE is compiled once for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "structure/transition_kernels.cc"
#include "hwy/foreach_target.h"  // must precede highway.h
#include "hwy/highway.h"

#include "core/simd_rows-inl.h"
#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {

void range_impl(const float* table, std::size_t rows, std::size_t columns, std::size_t stride,
                ScoreRange& out) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const RowTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto infinity = hn::Set(d, kInfinity), forbidden = hn::Set(d, -kInfinity);
  auto low = infinity, high = forbidden, least = infinity;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; c += lanes) {
      const auto counts = hn::FirstN(d, columns - c);
      const auto v = hn::Load(d, table + r * stride + c);
      least = hn::Min(least, hn::IfThenElse(counts, v, infinity));
      const auto finite = hn::And(counts, hn::Gt(v, forbidden));
      low = hn::Min(low, hn::IfThenElse(finite, v, infinity));
      high = hn::Max(high, hn::IfThenElse(finite, v, forbidden));
    }
  }
  out = {double{hn::GetLane(hn::MinOfLanes(d, low))}, double{hn::GetLane(hn::MaxOfLanes(d, high))},
         hn::GetLane(hn::MinOfLanes(d, least)) == -kInfinity};
}

void exp_impl(const float* table, float shift, std::size_t size, float* out) {
  const RowTag<float> d;
  const auto s = hn::Set(d, shift);
  for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
    hn::Store(hn::Exp(d, hn::Sub(hn::Load(d, table + i), s)), d, out + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(range_impl);
HWY_EXPORT(exp_impl);

ScoreRange score_range(const float* table, std::size_t rows, std::size_t columns,
                       std::size_t stride) {
  ScoreRange range;
  HWY_DYNAMIC_DISPATCH(range_impl)(table, rows, columns, stride, range);
  return range;
}
void exp_table(const float* table, float shift, std::size_t size, float* out) {
  HWY_DYNAMIC_DISPATCH(exp_impl)(table, shift, size, out);
}

}  // namespace croft
#endif
