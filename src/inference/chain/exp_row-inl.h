// Exponentials of a padded row, included once for each SIMD target (Highway).
#if defined(CROFT_EXP_ROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CROFT_EXP_ROW_INL_H_
#undef CROFT_EXP_ROW_INL_H_
#else
#define CROFT_EXP_ROW_INL_H_
#endif

#include "core/simd_rows-inl.h"
#include "hwy/contrib/math/math-inl.h"
#include "inference/chain/scaled_limits.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {

// row[c] = exp(x[c] - shift), 0 below the cutoff (and for -inf).
template <class T>
HWY_INLINE void exp_row(const T* x, T shift, std::size_t stride, T* row) {
  const RowTag<T> d;
  const auto s = hn::Set(d, shift), low = hn::Set(d, ScaledLimits<T>::kExpCutoff);
  for (std::size_t c = 0; c < stride; c += hn::Lanes(d)) {
    const auto v = hn::Sub(hn::Load(d, x + c), s);
    const auto keep = hn::Gt(v, low);
    hn::Store(hn::IfThenElseZero(keep, hn::Exp(d, hn::Max(v, low))), d, row + c);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();
#endif
