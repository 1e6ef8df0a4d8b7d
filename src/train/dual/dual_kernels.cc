#include "train/dual/dual_kernels.h"

#include <algorithm>
#include <cassert>
#include <type_traits>

// The part up to HWY_ONCE is compiled once for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/dual/dual_kernels.cc"
#include "hwy/foreach_target.h"  // must precede highway.h
#include "hwy/highway.h"

#include "core/simd_rows-inl.h"
#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {

// Its log is tame, and delta^2 / p does not overflow.
template <class T>
constexpr T kSmallest = sizeof(T) == 8 ? static_cast<T>(1e-60) : static_cast<T>(1e-30);

// A vector's length of numbers, the last one filled up with zeros.
template <class T>
struct Tail {
  HWY_ALIGN T numbers[16] = {};
  Tail(const T* from, std::size_t count) { std::copy_n(from, count, numbers); }
};

template <class T>
void entropy_sums_of(const T* mu, const T* delta, double g, std::size_t size, double* out) {
  constexpr std::size_t kSummed = 1024;  // numbers that are summed in T
  const hn::CappedTag<T, 16> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto step = hn::Set(d, static_cast<T>(g)), least = hn::Set(d, kSmallest<T>);
  const auto zero = hn::Zero(d);
  auto value = zero, slope = zero, curvature = zero;
  const auto add = [&](const T* mu_at, const T* delta_at) {
    const auto v = hn::LoadU(d, delta_at);
    const auto p = hn::Max(hn::MulAdd(step, v, hn::LoadU(d, mu_at)), zero);
    const auto safe = hn::Max(p, least);
    const auto log = hn::Log(d, safe);
    value = hn::NegMulAdd(p, log, value);
    slope = hn::NegMulAdd(v, log, slope);
    curvature = hn::Sub(curvature, hn::Div(hn::Mul(v, v), safe));
  };
  const auto collect = [&] {
    out[0] += double{hn::GetLane(hn::SumOfLanes(d, value))};
    out[1] += double{hn::GetLane(hn::SumOfLanes(d, slope))};
    out[2] += double{hn::GetLane(hn::SumOfLanes(d, curvature))};
    value = slope = curvature = zero;
  };
  std::size_t i = 0;
  while (i + lanes <= size) {
    const std::size_t end = std::min(size, i + kSummed);
    for (; i + lanes <= end; i += lanes) add(mu + i, delta + i);
    collect();
  }
  if (i < size) add(Tail(mu + i, size - i).numbers, Tail(delta + i, size - i).numbers);
  collect();
}

constexpr auto& entropy_sums_double = entropy_sums_of<double>;
constexpr auto& entropy_sums_float = entropy_sums_of<float>;

// Plain loops, which the compiler turns into vectors of the target.
template <class T>
void edge_delta_of(const EdgeTable<T>& p, const T* mu, T* delta, T* total) {
  for (std::size_t i = 0; i < p.labels; ++i) {
    const T alpha = p.alpha[i];
    const T* factor = p.factor + i * p.stride;
    const T* from = mu + i * p.labels;
    T* HWY_RESTRICT to = delta + i * p.labels;
    T* HWY_RESTRICT sum = total + i * p.stride;
    for (std::size_t j = 0; j < p.labels; ++j) {
      to[j] = alpha * factor[j] * p.suffix[j] - from[j];
      sum[j] += from[j];
    }
  }
}
constexpr auto& edge_delta_double = edge_delta_of<double>;
constexpr auto& edge_delta_float = edge_delta_of<float>;

constexpr std::size_t kAhead = 12;  // occurrences that are asked for early

template <class T>
HWY_INLINE void prefetch_row(const T* row, std::size_t stride) {
  for (std::size_t c = 0; c < stride; c += kAlignment / sizeof(T)) __builtin_prefetch(row + c);
  __builtin_prefetch(row + stride - 1);
}

// Moves v towards 0 as shrunk() does; without kShrinks it returns v as it is.
template <bool kShrinks, class V>
HWY_INLINE V shrunk_of(V v, V threshold) {
  if constexpr (kShrinks) {
    return hn::Sub(v, hn::Min(hn::Max(v, hn::Neg(threshold)), threshold));
  } else {
    return v;
  }
}

// Columns [c, c + K vectors) of all positions.
template <int K, bool kShrinks, class T>
HWY_INLINE void add_up_columns(const RowLists<T>& s, const T* table, std::size_t stride,
                               T threshold, std::size_t c, T* HWY_RESTRICT out) {
  const RowTag<T> d;
  const auto most = hn::Set(d, threshold);
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
        for (int v = 0; v < K; ++v) {
          sum[v] = hn::Add(sum[v], shrunk_of<kShrinks>(hn::Load(d, row + v * lanes), most));
        }
      } else {
        const auto value = hn::Set(d, s.value[k]);
        for (int v = 0; v < K; ++v) {
          sum[v] =
              hn::MulAdd(value, shrunk_of<kShrinks>(hn::Load(d, row + v * lanes), most), sum[v]);
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
void add_up_rows_of(const RowLists<T>& s, const T* table, std::size_t stride, T threshold, T* out) {
  for_columns<T>(stride, [&](auto k, std::size_t c) HWY_ATTR {
    if (threshold > 0) {
      add_up_columns<k(), true>(s, table, stride, threshold, c, out);
    } else {
      add_up_columns<k(), false>(s, table, stride, threshold, c, out);
    }
  });
}
constexpr auto& add_up_float = add_up_rows_of<float>;
constexpr auto& add_up_double = add_up_rows_of<double>;

// a^2 - b^2 = (a - b) (a + b); without a threshold a - b is y.
template <int K, bool kShrinks, class T>
HWY_INLINE double move_columns(const RowLists<T>& s, const std::uint8_t* mask, const T* change,
                               std::size_t stride, T threshold, std::size_t c,
                               T* HWY_RESTRICT table) {
  const RowTag<T> d;
  const auto most = hn::Set(d, threshold);
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
        if constexpr (kShrinks) {
          const auto a = shrunk_of<true>(next, most), b = shrunk_of<true>(r, most);
          sum = hn::MulAdd(hn::Sub(a, b), hn::Add(a, b), sum);
        } else {
          sum = hn::MulAdd(y, hn::Add(r, next), sum);
        }
        hn::Store(next, d, row + v * lanes);
      }
    }
    grown += double{hn::GetLane(hn::SumOfLanes(d, sum))};
  }
  return grown;
}

template <class T>
double move_rows_of(const RowLists<T>& s, const std::uint8_t* mask, const T* change,
                    std::size_t stride, T threshold, T* table) {
  double grown = 0;
  for_columns<T>(stride, [&](auto k, std::size_t c) HWY_ATTR {
    grown += threshold > 0 ? move_columns<k(), true>(s, mask, change, stride, threshold, c, table)
                           : move_columns<k(), false>(s, mask, change, stride, threshold, c, table);
  });
  return grown;
}
constexpr auto& move_float = move_rows_of<float>;
constexpr auto& move_double = move_rows_of<double>;

// A plain loop, which the compiler turns into vectors of the target.
template <class T>
void mix_of(const T* a, const T* b, double share, std::size_t size, T* HWY_RESTRICT out) {
  const T from_b = static_cast<T>(share), from_a = static_cast<T>(1 - share);
  for (std::size_t i = 0; i < size; ++i) out[i] = from_a * a[i] + from_b * b[i];
}
constexpr auto& mix_float = mix_of<float>;
constexpr auto& mix_double = mix_of<double>;

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
constexpr auto& measure_float = measure_of<float>;
constexpr auto& measure_double = measure_of<double>;

void mix_wide(const float* a, const double* b, double share, std::size_t size,
              double* HWY_RESTRICT out) {
  const double from_a = 1 - share;
  for (std::size_t i = 0; i < size; ++i) out[i] = from_a * double{a[i]} + share * b[i];
}

using WideTag = hn::CappedTag<double, 4>;  // AVX2 and AVX-512 add up alike
HWY_INLINE hn::Vec<WideTag> load_wide(const double* from) { return hn::LoadU(WideTag(), from); }
HWY_INLINE hn::Vec<WideTag> load_wide(const float* from) {
  return hn::PromoteTo(WideTag(), hn::LoadU(hn::Rebind<float, WideTag>(), from));
}

template <class T>
void measure_wide_of(const WideStep<T>& s, StepSums& out) {
  const WideTag d;
  const std::size_t lanes = hn::Lanes(d), size = s.delta.size();
  auto expected = hn::Zero(d), linear = hn::Zero(d), slope = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    const auto after = load_wide(s.after.data() + i), theta = load_wide(s.theta.data() + i);
    const auto delta = hn::Sub(after, load_wide(s.before.data() + i));
    expected = hn::MulAdd(after, load_wide(s.theta_after.data() + i), expected);
    linear = hn::MulAdd(delta, theta, linear);
    slope = hn::MulAdd(delta, hn::Sub(theta, load_wide(s.theta_before.data() + i)), slope);
    hn::StoreU(delta, d, s.delta.data() + i);
  }
  out.expected = hn::GetLane(hn::SumOfLanes(d, expected));
  out.linear = hn::GetLane(hn::SumOfLanes(d, linear));
  out.slope = hn::GetLane(hn::SumOfLanes(d, slope));
  for (; i < size; ++i) {
    const double delta = s.after[i] - double{s.before[i]};
    out.expected += s.after[i] * s.theta_after[i];
    out.linear += delta * s.theta[i];
    out.slope += delta * (s.theta[i] - double{s.theta_before[i]});
    s.delta[i] = delta;
  }
  T* HWY_RESTRICT kept = s.kept.data();
  const double* after = s.after.data();
  for (std::size_t k = 0; k < size; ++k) kept[k] = static_cast<T>(after[k]);
}
constexpr auto& measure_wide_float = measure_wide_of<float>;
constexpr auto& measure_wide_double = measure_wide_of<double>;

double move_copies_of(const double* copies, const double* delta, double scale, double threshold,
                      std::size_t size, double* HWY_RESTRICT w) {
  const WideTag d;
  const std::size_t lanes = hn::Lanes(d);
  const auto most = hn::Set(d, threshold);
  auto sum = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    const auto y = hn::Mul(hn::Set(d, scale), hn::LoadU(d, delta + i)), from = hn::LoadU(d, w + i);
    const auto to = hn::Add(from, y), copied = hn::LoadU(d, copies + i);
    if (threshold > 0) {
      const auto a = shrunk_of<true>(to, most), b = shrunk_of<true>(from, most);
      sum = hn::MulAdd(hn::Mul(copied, hn::Sub(a, b)), hn::Add(a, b), sum);
    } else {
      sum = hn::MulAdd(hn::Mul(copied, y), hn::Add(from, to), sum);
    }
    hn::StoreU(to, d, w + i);
  }
  double grown = hn::GetLane(hn::SumOfLanes(d, sum));
  for (; i < size; ++i) {
    const double y = scale * delta[i];
    if (threshold > 0) {
      const double from = shrunk(w[i], threshold), to = shrunk(w[i] + y, threshold);
      grown += copies[i] * (to - from) * (to + from);
    } else {
      grown += copies[i] * y * (2 * w[i] + y);
    }
    w[i] += y;
  }
  return grown;
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(entropy_sums_double);
HWY_EXPORT(entropy_sums_float);
HWY_EXPORT(edge_delta_double);
HWY_EXPORT(edge_delta_float);

std::array<double, 3> entropy_sums(std::span<const double> mu, std::span<const double> delta,
                                   double g) {
  assert(mu.size() == delta.size());
  std::array<double, 3> out{};
  HWY_DYNAMIC_DISPATCH(entropy_sums_double)(mu.data(), delta.data(), g, mu.size(), out.data());
  return out;
}
std::array<double, 3> entropy_sums(std::span<const float> mu, std::span<const float> delta,
                                   double g) {
  assert(mu.size() == delta.size());
  std::array<double, 3> out{};
  HWY_DYNAMIC_DISPATCH(entropy_sums_float)(mu.data(), delta.data(), g, mu.size(), out.data());
  return out;
}

void edge_delta(const EdgeTable<double>& p, const double* mu, double* delta, double* total) {
  HWY_DYNAMIC_DISPATCH(edge_delta_double)(p, mu, delta, total);
}
void edge_delta(const EdgeTable<float>& p, const float* mu, float* delta, float* total) {
  HWY_DYNAMIC_DISPATCH(edge_delta_float)(p, mu, delta, total);
}

HWY_EXPORT(add_up_float);
HWY_EXPORT(add_up_double);
HWY_EXPORT(move_float);
HWY_EXPORT(move_double);
HWY_EXPORT(mix_float);
HWY_EXPORT(mix_double);
HWY_EXPORT(measure_float);
HWY_EXPORT(measure_double);

void add_up_rows(const RowLists<float>& lists, const Matrix<float>& table, float threshold,
                 float* out) {
  HWY_DYNAMIC_DISPATCH(add_up_float)(lists, table.row(0), table.stride(), threshold, out);
}
void add_up_rows(const RowLists<double>& lists, const Matrix<double>& table, double threshold,
                 double* out) {
  HWY_DYNAMIC_DISPATCH(add_up_double)(lists, table.row(0), table.stride(), threshold, out);
}
double move_rows(const RowLists<float>& lists, const std::uint8_t* mask, const float* change,
                 float threshold, Matrix<float>& table) {
  return HWY_DYNAMIC_DISPATCH(move_float)(lists, mask, change, table.stride(), threshold,
                                          table.row(0));
}
double move_rows(const RowLists<double>& lists, const std::uint8_t* mask, const double* change,
                 double threshold, Matrix<double>& table) {
  return HWY_DYNAMIC_DISPATCH(move_double)(lists, mask, change, table.stride(), threshold,
                                           table.row(0));
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

HWY_EXPORT(mix_wide);
HWY_EXPORT(measure_wide_float);
HWY_EXPORT(measure_wide_double);
HWY_EXPORT(move_copies_of);

void mix(std::span<const float> a, std::span<const double> b, double share, std::span<double> out) {
  HWY_DYNAMIC_DISPATCH(mix_wide)(a.data(), b.data(), share, out.size(), out.data());
}
StepSums measure(const WideStep<float>& step) {
  StepSums out;
  HWY_DYNAMIC_DISPATCH(measure_wide_float)(step, out);
  return out;
}
StepSums measure(const WideStep<double>& step) {
  StepSums out;
  HWY_DYNAMIC_DISPATCH(measure_wide_double)(step, out);
  return out;
}
double move_copies(std::span<const double> copies, std::span<const double> delta, double scale,
                   double threshold, std::span<double> w) {
  return HWY_DYNAMIC_DISPATCH(move_copies_of)(copies.data(), delta.data(), scale, threshold,
                                              w.size(), w.data());
}

}  // namespace croft
#endif
