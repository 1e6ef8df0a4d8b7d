// Pieces of rows that begin anywhere, included once for each SIMD target (Highway): the cells of a
// label within a row of segment scores.
#if defined(CROFT_SEGMENT_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CROFT_SEGMENT_ROWS_INL_H_
#undef CROFT_SEGMENT_ROWS_INL_H_
#else
#define CROFT_SEGMENT_ROWS_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "core/simd_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {

// As many lanes as the cells of a label may need: rows of their own are padded for them.
inline constexpr std::size_t kCellLanes = 16;
template <class T>
using CellTag = hn::CappedTag<T, kCellLanes>;

// A vector at p as numbers of D's kind.
template <class D, class T>
HWY_INLINE hn::Vec<D> load_as(D d, const T* p) {
  if constexpr (std::is_same_v<T, hn::TFromD<D>>) {
    return hn::LoadU(d, p);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, D>(), p));
  }
}

// The same of n numbers, and `rest` in the other lanes.  Nothing at or behind `limit` is read.
template <class D, class T>
HWY_INLINE hn::Vec<D> load_part(D d, const T* p, std::size_t n, const T* limit, T rest) {
  const std::size_t lanes = hn::Lanes(d);
  if (p + lanes <= limit) {
    const auto v = load_as(d, p);
    if (n >= lanes) return v;
    return hn::IfThenElse(hn::FirstN(d, n), v, hn::Set(d, rest));
  }
  HWY_ALIGN T buffer[kCellLanes];
  std::fill(buffer, buffer + lanes, rest);
  std::copy_n(p, std::min(n, lanes), buffer);
  return load_as(d, buffer);
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();
#endif
