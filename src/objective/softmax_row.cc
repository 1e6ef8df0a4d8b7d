// Compiled once for each SIMD target.
#include "objective/softmax_row.h"

#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "objective/softmax_row.cc"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include "core/simd_rows-inl.h"
#include "inference/chain/exp_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {

// p = the sum of N rows, each less its entry y; returns the largest.
template <int N, class T>
HWY_INLINE T relative_sum(const T* const* rows, Label y, std::size_t stride, T* p) {
  const RowTag<T> d;
  hn::Vec<RowTag<T>> own[N];
  for (int n = 0; n < N; ++n) own[n] = hn::Set(d, rows[n][y]);
  auto high = hn::Zero(d);  // that of y itself
  for (std::size_t c = 0; c < stride; c += hn::Lanes(d)) {
    auto v = hn::Sub(hn::Load(d, rows[0] + c), own[0]);
    for (int n = 1; n < N; ++n) v = hn::Add(v, hn::Sub(hn::Load(d, rows[n] + c), own[n]));
    hn::Store(v, d, p + c);
    high = hn::Max(high, v);
  }
  return hn::GetLane(hn::MaxOfLanes(d, high));
}

template <class T>
HWY_INLINE bool softmax(const ScoreRows<T>& rows, Label y, std::size_t stride, T scale, T* p,
                        SoftmaxLoss& loss) {
  const RowTag<T> d;
  const T* present[3];
  int count = 0;
  for (const T* row : {rows.state, rows.before, rows.after}) {
    if (row == nullptr) continue;
    if (std::isinf(row[y])) {
      loss.add(std::numeric_limits<double>::infinity());
      return false;
    }
    present[count++] = row;
  }
  const T high = count == 3   ? relative_sum<3>(present, y, stride, p)
                 : count == 2 ? relative_sum<2>(present, y, stride, p)
                              : relative_sum<1>(present, y, stride, p);
  exp_row(p, high, stride, p);
  auto total = hn::Zero(d);
  for (std::size_t c = 0; c < stride; c += hn::Lanes(d)) total = hn::Add(total, hn::Load(d, p + c));
  const T sum = hn::GetLane(hn::SumOfLanes(d, total));
  scale_row(p, stride, scale / sum);
  loss.add(double{high}, double{sum});
  return true;
}

bool softmax_float(const ScoreRows<float>& rows, Label y, std::size_t stride, float scale, float* p,
                   SoftmaxLoss& loss) {
  return softmax(rows, y, stride, scale, p, loss);
}
bool softmax_double(const ScoreRows<double>& rows, Label y, std::size_t stride, double scale,
                    double* p, SoftmaxLoss& loss) {
  return softmax(rows, y, stride, scale, p, loss);
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(softmax_float);
HWY_EXPORT(softmax_double);

bool softmax_row(const ScoreRows<float>& rows, Label y, std::size_t stride, float scale, float* p,
                 SoftmaxLoss& loss) {
  return HWY_DYNAMIC_DISPATCH(softmax_float)(rows, y, stride, scale, p, loss);
}
bool softmax_row(const ScoreRows<double>& rows, Label y, std::size_t stride, double scale,
                 double* p, SoftmaxLoss& loss) {
  return HWY_DYNAMIC_DISPATCH(softmax_double)(rows, y, stride, scale, p, loss);
}

}  // namespace croft
#endif
