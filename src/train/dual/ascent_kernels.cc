#include "train/dual/ascent_kernels.h"

#include <type_traits>

// The part up to HWY_ONCE is compiled once for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/dual/ascent_kernels.cc"
#include "hwy/foreach_target.h"  // must precede highway.h
#include "hwy/highway.h"

#include "core/simd_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {

constexpr std::size_t kAhead = 12;  // occurrences that are asked for early

template <class T>
HWY_INLINE void prefetch_row(const T* row, std::size_t stride) {
  for (std::size_t c = 0; c < stride; c += kAlignment / sizeof(T)) __builtin_prefetch(row + c);
  __builtin_prefetch(row + stride - 1);
}

// Columns [c, c + K vectors) of all positions.
template <int K, class T>
HWY_INLINE void add_up_columns(const RowLists<T>& s, const T* table, std::size_t stride,
                               std::size_t c, T* HWY_RESTRICT out) {
  const RowTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::uint64_t last = s.end[(s.positions - 1) * s.step];
  for (std::size_t p = 0; p < s.positions; ++p) {
    hn::Vec<RowTag<T>> sum[K];
    for (int v = 0; v < K; ++v) sum[v] = hn::Zero(d);
    const std::uint64_t end = s.end[p * s.step];
    for (std::uint64_t k = s.begin[p * s.step]; k < end; ++k) {
      if (k + kAhead < last) prefetch_row(table + s.row[k + kAhead] * stride, stride);
      const T* row = table + s.row[k] * stride + c;
      if (s.value == nullptr) {
        for (int v = 0; v < K; ++v) sum[v] = hn::Add(sum[v], hn::Load(d, row + v * lanes));
      } else {
        const auto value = hn::Set(d, s.value[k]);
        for (int v = 0; v < K; ++v) {
          sum[v] = hn::MulAdd(value, hn::Load(d, row + v * lanes), sum[v]);
        }
      }
    }
    for (int v = 0; v < K; ++v) hn::Store(sum[v], d, out + p * stride + c + v * lanes);
  }
}

// visit(K, c) for blocks of K vectors that make up a row.
template <class T, class Visit>
HWY_INLINE void for_columns(std::size_t stride, const Visit& visit) {
  const std::size_t lanes = hn::Lanes(RowTag<T>());
  std::size_t c = 0;
  for (; c + 4 * lanes <= stride; c += 4 * lanes) visit(std::integral_constant<int, 4>(), c);
  switch ((stride - c) / lanes) {
    case 3:
      return visit(std::integral_constant<int, 3>(), c);
    case 2:
      return visit(std::integral_constant<int, 2>(), c);
    case 1:
      return visit(std::integral_constant<int, 1>(), c);
    default:
      return;
  }
}

template <class T>
void add_up_rows_of(const RowLists<T>& s, const T* table, std::size_t stride, T* out) {
  for_columns<T>(stride, [&](auto k, std::size_t c)
                             HWY_ATTR { add_up_columns<k()>(s, table, stride, c, out); });
}
void add_up_float(const RowLists<float>& s, const float* table, std::size_t stride, float* out) {
  add_up_rows_of(s, table, stride, out);
}
void add_up_double(const RowLists<double>& s, const double* table, std::size_t stride,
                   double* out) {
  add_up_rows_of(s, table, stride, out);
}

// (r + y)^2 - r^2 = y (2 r + y)
template <int K, class T>
HWY_INLINE double move_columns(const RowLists<T>& s, const std::uint8_t* mask, const T* change,
                               std::size_t stride, std::size_t c, T* HWY_RESTRICT table) {
  const RowTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  double grown = 0;
  for (std::size_t p = 0; p < s.positions; ++p) {
    hn::Vec<RowTag<T>> add[K];
    for (int v = 0; v < K; ++v) add[v] = hn::Load(d, change + p * stride + c + v * lanes);
    auto sum = hn::Zero(d);
    const std::uint64_t end = s.end[p * s.step];
    for (std::uint64_t k = s.begin[p * s.step]; k < end; ++k) {
      T* row = table + s.row[k] * stride + c;
      const auto value = hn::Set(d, s.value == nullptr ? T{1} : s.value[k]);
      for (int v = 0; v < K; ++v) {
        auto y = hn::Mul(value, add[v]);
        if (mask != nullptr) {
          const std::size_t at = c + v * lanes;
          const std::uint8_t bits[8] = {
              static_cast<std::uint8_t>(mask[s.row[k] * (stride / 8) + at / 8] >> (at % 8))};
          y = hn::IfThenElseZero(hn::LoadMaskBits(d, bits), y);
        }
        const auto r = hn::Load(d, row + v * lanes);
        const auto next = hn::Add(r, y);
        sum = hn::MulAdd(y, hn::Add(r, next), sum);
        hn::Store(next, d, row + v * lanes);
      }
    }
    grown += double{hn::GetLane(hn::SumOfLanes(d, sum))};
  }
  return grown;
}

template <class T>
double move_rows_of(const RowLists<T>& s, const std::uint8_t* mask, const T* change,
                    std::size_t stride, T* table) {
  double grown = 0;
  for_columns<T>(stride, [&](auto k, std::size_t c) HWY_ATTR {
    grown += move_columns<k()>(s, mask, change, stride, c, table);
  });
  return grown;
}
double move_float(const RowLists<float>& s, const std::uint8_t* mask, const float* change,
                  std::size_t stride, float* table) {
  return move_rows_of(s, mask, change, stride, table);
}
double move_double(const RowLists<double>& s, const std::uint8_t* mask, const double* change,
                   std::size_t stride, double* table) {
  return move_rows_of(s, mask, change, stride, table);
}

// A plain loop, which the compiler turns into vectors of the target.
template <class T>
void mix_of(const T* a, const T* b, double share, std::size_t size, T* HWY_RESTRICT out) {
  const T from_b = static_cast<T>(share), from_a = static_cast<T>(1 - share);
  for (std::size_t i = 0; i < size; ++i) out[i] = from_a * a[i] + from_b * b[i];
}
void mix_float(const float* a, const float* b, double share, std::size_t size, float* out) {
  mix_of(a, b, share, size, out);
}
void mix_double(const double* a, const double* b, double share, std::size_t size, double* out) {
  mix_of(a, b, share, size, out);
}

template <class T>
void measure_of(const AscentStep<T>& s, StepSums& out) {
  constexpr std::size_t kSummed = 128;  // numbers that are summed in T
  const RowTag<T> d;
  const auto scale = hn::Set(d, static_cast<T>(s.scale));
  const std::size_t lanes = hn::Lanes(d), size = s.change.size();
  for (std::size_t first = 0; first < size; first += kSummed) {
    auto expected = hn::Zero(d), linear = hn::Zero(d), slope = hn::Zero(d);
    const std::size_t end = HWY_MIN(size, first + kSummed);
    for (std::size_t i = first; i < end; i += lanes) {
      const auto after = hn::LoadU(d, s.after.data() + i);
      const auto theta = hn::LoadU(d, s.theta.data() + i);
      const auto delta = hn::Sub(after, hn::LoadU(d, s.before.data() + i));
      expected = hn::MulAdd(after, hn::LoadU(d, s.theta_after.data() + i), expected);
      linear = hn::MulAdd(delta, theta, linear);
      slope = hn::MulAdd(delta, hn::Sub(theta, hn::LoadU(d, s.theta_before.data() + i)), slope);
      hn::StoreU(hn::Mul(scale, delta), d, s.change.data() + i);
    }
    out.expected += double{hn::GetLane(hn::SumOfLanes(d, expected))};
    out.linear += double{hn::GetLane(hn::SumOfLanes(d, linear))};
    out.slope += double{hn::GetLane(hn::SumOfLanes(d, slope))};
  }
}
void measure_float(const AscentStep<float>& s, StepSums& out) { measure_of(s, out); }
void measure_double(const AscentStep<double>& s, StepSums& out) { measure_of(s, out); }

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(add_up_float);
HWY_EXPORT(add_up_double);
HWY_EXPORT(move_float);
HWY_EXPORT(move_double);
HWY_EXPORT(mix_float);
HWY_EXPORT(mix_double);
HWY_EXPORT(measure_float);
HWY_EXPORT(measure_double);

void add_up_rows(const RowLists<float>& lists, const Matrix<float>& table, float* out) {
  HWY_DYNAMIC_DISPATCH(add_up_float)(lists, table.row(0), table.stride(), out);
}
void add_up_rows(const RowLists<double>& lists, const Matrix<double>& table, double* out) {
  HWY_DYNAMIC_DISPATCH(add_up_double)(lists, table.row(0), table.stride(), out);
}
double move_rows(const RowLists<float>& lists, const std::uint8_t* mask, const float* change,
                 Matrix<float>& table) {
  return HWY_DYNAMIC_DISPATCH(move_float)(lists, mask, change, table.stride(), table.row(0));
}
double move_rows(const RowLists<double>& lists, const std::uint8_t* mask, const double* change,
                 Matrix<double>& table) {
  return HWY_DYNAMIC_DISPATCH(move_double)(lists, mask, change, table.stride(), table.row(0));
}
void mix(std::span<const float> a, std::span<const float> b, double share, std::span<float> out) {
  HWY_DYNAMIC_DISPATCH(mix_float)(a.data(), b.data(), share, out.size(), out.data());
}
void mix(std::span<const double> a, std::span<const double> b, double share,
         std::span<double> out) {
  HWY_DYNAMIC_DISPATCH(mix_double)(a.data(), b.data(), share, out.size(), out.data());
}
StepSums measure(const AscentStep<float>& step) {
  StepSums out;
  HWY_DYNAMIC_DISPATCH(measure_float)(step, out);
  return out;
}
StepSums measure(const AscentStep<double>& step) {
  StepSums out;
  HWY_DYNAMIC_DISPATCH(measure_double)(step, out);
  return out;
}

}  // namespace croft
#endif
