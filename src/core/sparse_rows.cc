#include "core/sparse_rows.h"

#include <cstddef>

// The part up to HWY_ONCE is compiled once for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/sparse_rows.cc"
#include "hwy/foreach_target.h"  // must precede highway.h
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kAhead = 16;  // rows

// A part of a row: K vectors, and half a vector where kHalf.  Where vectors are longer than rows
// are padded to, a row is not always a whole number of them.
template <class T, int K, bool kHalf>
struct RowPart {
  static constexpr hn::CappedTag<T, 2 * kLanePadding> d{};
  static constexpr hn::CappedTag<T, kLanePadding> h{};
  hn::Vec<decltype(d)> whole[K + 1];  // the last one is not used
  hn::Vec<decltype(h)> half;

  HWY_INLINE void clear() {
    for (int k = 0; k < K; ++k) whole[k] = hn::Zero(d);
    half = hn::Zero(h);
  }
  HWY_INLINE void load(const T* from) {
    const std::size_t lanes = hn::Lanes(d);
    for (int k = 0; k < K; ++k) whole[k] = hn::LoadU(d, from + k * lanes);
    if constexpr (kHalf) half = hn::LoadU(h, from + K * lanes);
  }
  HWY_INLINE void store(T* to) const {
    const std::size_t lanes = hn::Lanes(d);
    for (int k = 0; k < K; ++k) hn::StoreU(whole[k], d, to + k * lanes);
    if constexpr (kHalf) hn::StoreU(half, h, to + K * lanes);
  }
  // this += factor row
  HWY_INLINE void add(T factor, const T* row) {
    const std::size_t lanes = hn::Lanes(d);
    for (int k = 0; k < K; ++k) {
      whole[k] = hn::MulAdd(hn::Set(d, factor), hn::LoadU(d, row + k * lanes), whole[k]);
    }
    if constexpr (kHalf) half = hn::MulAdd(hn::Set(h, factor), hn::LoadU(h, row + K * lanes), half);
  }
  // row += factor this
  HWY_INLINE void add_to(T factor, T* row) const {
    const std::size_t lanes = hn::Lanes(d);
    for (int k = 0; k < K; ++k) {
      T* at = row + k * lanes;
      hn::StoreU(hn::MulAdd(hn::Set(d, factor), whole[k], hn::LoadU(d, at)), d, at);
    }
    if constexpr (kHalf) {
      T* at = row + K * lanes;
      hn::StoreU(hn::MulAdd(hn::Set(h, factor), half, hn::LoadU(h, at)), h, at);
    }
  }
  static HWY_INLINE void prefetch(const T* row) {
    const std::size_t size = (K * hn::Lanes(d) + (kHalf ? hn::Lanes(h) : 0)) * sizeof(T);
    for (std::size_t b = 0; b < size; b += kAlignment) __builtin_prefetch(row + b / sizeof(T));
    __builtin_prefetch(row + size / sizeof(T) - 1);
  }
};

// visit(part, first column) for parts that make up a row.
template <class T, class Visit>
HWY_INLINE void for_parts(std::size_t stride, const Visit& visit) {
  const std::size_t lanes = hn::Lanes(RowPart<T, 1, false>::d);
  std::size_t c = 0;
  for (; c + 4 * lanes <= stride; c += 4 * lanes) visit(RowPart<T, 4, false>(), c);
  const bool half = (stride - c) % lanes > 0;
  switch ((stride - c) / lanes) {
    case 3:
      return half ? visit(RowPart<T, 3, true>(), c) : visit(RowPart<T, 3, false>(), c);
    case 2:
      return half ? visit(RowPart<T, 2, true>(), c) : visit(RowPart<T, 2, false>(), c);
    case 1:
      return half ? visit(RowPart<T, 1, true>(), c) : visit(RowPart<T, 1, false>(), c);
    default:
      if (half) visit(RowPart<T, 0, true>(), c);
  }
}

template <class T>
void row_sum_of(const std::uint32_t* index, const T* value, std::size_t n, const T* table,
                std::size_t stride, T* out) {
  for_parts<T>(stride, [&](auto sum, std::size_t c) HWY_ATTR {
    sum.clear();
    for (std::size_t i = 0; i < n; ++i) {
      if (i + kAhead < n) sum.prefetch(table + index[i + kAhead] * stride + c);
      sum.add(value == nullptr ? T{1} : value[i], table + index[i] * stride + c);
    }
    sum.store(out + c);
  });
}
void row_sum_float(const std::uint32_t* index, const float* value, std::size_t n,
                   const float* table, std::size_t stride, float* out) {
  row_sum_of(index, value, n, table, stride, out);
}
void row_sum_double(const std::uint32_t* index, const double* value, std::size_t n,
                    const double* table, std::size_t stride, double* out) {
  row_sum_of(index, value, n, table, stride, out);
}

template <class T>
void add_row_of(const std::uint32_t* index, const T* value, std::size_t n, const T* row,
                std::size_t stride, T* table) {
  for_parts<T>(stride, [&](auto part, std::size_t c) HWY_ATTR {
    part.load(row + c);
    for (std::size_t i = 0; i < n; ++i) {
      if (i + kAhead < n) part.prefetch(table + index[i + kAhead] * stride + c);
      part.add_to(value == nullptr ? T{1} : value[i], table + index[i] * stride + c);
    }
  });
}
void add_row_float(const std::uint32_t* index, const float* value, std::size_t n, const float* row,
                   std::size_t stride, float* table) {
  add_row_of(index, value, n, row, stride, table);
}
void add_row_double(const std::uint32_t* index, const double* value, std::size_t n,
                    const double* row, std::size_t stride, double* table) {
  add_row_of(index, value, n, row, stride, table);
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(row_sum_float);
HWY_EXPORT(row_sum_double);
HWY_EXPORT(add_row_float);
HWY_EXPORT(add_row_double);

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

void add_weighted_row(std::span<const std::uint32_t> index, std::span<const float> value,
                      const float* row, Matrix<float>& table) {
  HWY_DYNAMIC_DISPATCH(add_row_float)
  (index.data(), value.empty() ? nullptr : value.data(), index.size(), row, table.stride(),
   table.row(0));
}
void add_weighted_row(std::span<const std::uint32_t> index, std::span<const double> value,
                      const double* row, Matrix<double>& table) {
  HWY_DYNAMIC_DISPATCH(add_row_double)
  (index.data(), value.empty() ? nullptr : value.data(), index.size(), row, table.stride(),
   table.row(0));
}

}  // namespace croft
#endif
