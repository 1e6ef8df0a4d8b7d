// Row kernels for padded matrices, included once for each SIMD target (Highway).
//
// A row has stride = padded(columns) numbers.  Vectors have at most kLanePadding lanes, so that a
// row is a whole number of vectors on every target.
#if defined(CROFT_SIMD_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CROFT_SIMD_ROWS_INL_H_
#undef CROFT_SIMD_ROWS_INL_H_
#else
#define CROFT_SIMD_ROWS_INL_H_
#endif

#include <cstddef>

#include "croft/core/matrix.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using RowTag = hn::CappedTag<T, kLanePadding>;

// finish(c, sum_i a[i] m[i][c .. c + lanes)) for K vectors of columns starting at c.
// Several partial sums hide the latency of the multiply-add; their number is fixed, so is the
// order.
template <int K, class T, class Finish>
HWY_INLINE void vec_mat_block(const T* HWY_RESTRICT a, std::size_t n, const T* HWY_RESTRICT m,
                              std::size_t stride, std::size_t c, const Finish& finish) {
  const RowTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  constexpr int kSets = K <= 3 ? 4 : 2;
  V sum[kSets][K];
  for (int s = 0; s < kSets; ++s) {
    for (int k = 0; k < K; ++k) sum[s][k] = hn::Zero(d);
  }
  std::size_t i = 0;
  for (; i + kSets <= n; i += kSets) {
    for (int s = 0; s < kSets; ++s) {
      const V factor = hn::Set(d, a[i + s]);
      const T* row = m + (i + s) * stride + c;
      for (int k = 0; k < K; ++k) {
        sum[s][k] = hn::MulAdd(factor, hn::Load(d, row + k * lanes), sum[s][k]);
      }
    }
  }
  for (; i < n; ++i) {
    const V factor = hn::Set(d, a[i]);
    const T* row = m + i * stride + c;
    for (int k = 0; k < K; ++k) {
      sum[0][k] = hn::MulAdd(factor, hn::Load(d, row + k * lanes), sum[0][k]);
    }
  }
  for (int k = 0; k < K; ++k) {
    V total = sum[0][k];
    for (int s = 1; s < kSets; ++s) total = hn::Add(total, sum[s][k]);
    finish(c + k * lanes, total);
  }
}

// finish(c, vector of (a^T m)[c..]) over all columns; a has n numbers, m n rows of `stride`.
template <class T, class Finish>
HWY_INLINE void vec_mat(const T* a, std::size_t n, const T* m, std::size_t stride,
                        const Finish& finish) {
  const std::size_t lanes = hn::Lanes(RowTag<T>());
  std::size_t c = 0;
  for (; c + 4 * lanes <= stride; c += 4 * lanes) vec_mat_block<4>(a, n, m, stride, c, finish);
  switch ((stride - c) / lanes) {
    case 3:
      vec_mat_block<3>(a, n, m, stride, c, finish);
      break;
    case 2:
      vec_mat_block<2>(a, n, m, stride, c, finish);
      break;
    case 1:
      vec_mat_block<1>(a, n, m, stride, c, finish);
      break;
    default:
      break;
  }
}

template <class T>
HWY_INLINE T row_max(const T* row, std::size_t stride) {
  const RowTag<T> d;
  auto high = hn::Load(d, row);
  for (std::size_t c = hn::Lanes(d); c < stride; c += hn::Lanes(d)) {
    high = hn::Max(high, hn::Load(d, row + c));
  }
  return hn::GetLane(hn::MaxOfLanes(d, high));
}

template <class T>
HWY_INLINE void scale_row(T* row, std::size_t stride, T factor) {
  const RowTag<T> d;
  const auto f = hn::Set(d, factor);
  for (std::size_t c = 0; c < stride; c += hn::Lanes(d)) {
    hn::Store(hn::Mul(hn::Load(d, row + c), f), d, row + c);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();
#endif
