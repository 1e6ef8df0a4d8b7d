#include "croft/core/sparse_rows.h"

#include <algorithm>
#include <cstddef>

// The part up to HWY_ONCE is compiled once for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/sparse_rows.cc"
#include "hwy/foreach_target.h"  // must precede highway.h
#include "hwy/highway.h"

#include "core/simd_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kAhead = 16;  // rows

// Columns [c, c + K vectors) of the sum.
template <int K, class T>
HWY_INLINE void sum_block(const std::uint32_t* index, const T* value, std::size_t n, const T* table,
                          std::size_t stride, std::size_t c, T* out) {
  const RowTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<decltype(d)> sum[K];
  for (int k = 0; k < K; ++k) sum[k] = hn::Zero(d);
  for (std::size_t i = 0; i < n; ++i) {
    const T* row = table + index[i] * stride + c;
    if (i + kAhead < n) {
      const T* ahead = table + index[i + kAhead] * stride + c;
      for (std::size_t b = 0; b < K * lanes * sizeof(T); b += kAlignment) {
        __builtin_prefetch(ahead + b / sizeof(T));
      }
    }
    const auto factor = hn::Set(d, value == nullptr ? T{1} : value[i]);
    for (int k = 0; k < K; ++k) sum[k] = hn::MulAdd(factor, hn::Load(d, row + k * lanes), sum[k]);
  }
  for (int k = 0; k < K; ++k) hn::Store(sum[k], d, out + c + k * lanes);
}

template <class T>
void row_sum_of(const std::uint32_t* index, const T* value, std::size_t n, const T* table,
                std::size_t stride, T* out) {
  const std::size_t lanes = hn::Lanes(RowTag<T>());
  std::size_t c = 0;
  for (; c + 8 * lanes <= stride; c += 8 * lanes) {
    sum_block<8>(index, value, n, table, stride, c, out);
  }
  switch ((stride - c) / lanes) {
    case 7:
      sum_block<7>(index, value, n, table, stride, c, out);
      break;
    case 6:
      sum_block<6>(index, value, n, table, stride, c, out);
      break;
    case 5:
      sum_block<5>(index, value, n, table, stride, c, out);
      break;
    case 4:
      sum_block<4>(index, value, n, table, stride, c, out);
      break;
    case 3:
      sum_block<3>(index, value, n, table, stride, c, out);
      break;
    case 2:
      sum_block<2>(index, value, n, table, stride, c, out);
      break;
    case 1:
      sum_block<1>(index, value, n, table, stride, c, out);
      break;
    default:
      break;
  }
}
void row_sum_float(const std::uint32_t* index, const float* value, std::size_t n,
                   const float* table, std::size_t stride, float* out) {
  row_sum_of(index, value, n, table, stride, out);
}
void row_sum_double(const std::uint32_t* index, const double* value, std::size_t n,
                    const double* table, std::size_t stride, double* out) {
  row_sum_of(index, value, n, table, stride, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(row_sum_float);
HWY_EXPORT(row_sum_double);

void weighted_row_sum(std::span<const std::uint32_t> index, std::span<const float> value,
                      const Matrix<float>& table, float* out) {
  HWY_DYNAMIC_DISPATCH(row_sum_float)
  (index.data(), value.empty() ? nullptr : value.data(), index.size(), table.row(0), table.stride(),
   out);
}
void weighted_row_sum(std::span<const std::uint32_t> index, std::span<const double> value,
                      const Matrix<double>& table, double* out) {
  HWY_DYNAMIC_DISPATCH(row_sum_double)
  (index.data(), value.empty() ? nullptr : value.data(), index.size(), table.row(0), table.stride(),
   out);
}

}  // namespace croft
#endif
