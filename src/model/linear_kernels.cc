#include "model/linear_kernels.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/linear_kernels.cc"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include "core/simd_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {

// K vectors of columns from c on: the rich rows of one position, added in registers.
template <int K, class T>
HWY_INLINE std::uint64_t add_rich(const StateScoring<T>& s, std::uint64_t k, std::uint64_t end,
                                  std::size_t c, T* HWY_RESTRICT state) {
  const RowTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<RowTag<T>> sum[K];
  for (int v = 0; v < K; ++v) sum[v] = hn::Load(d, s.zero + c + v * lanes);
  for (; k < end && s.id[k] < s.rich_rows; ++k) {
    const T* row = s.rich + s.id[k] * s.stride + c;
    if (s.value == nullptr) {
      for (int v = 0; v < K; ++v) sum[v] = hn::Add(sum[v], hn::Load(d, row + v * lanes));
    } else {
      const auto value = hn::Set(d, static_cast<T>(s.value[k]));
      for (int v = 0; v < K; ++v) {
        sum[v] = hn::MulAdd(value, hn::Load(d, row + v * lanes), sum[v]);
      }
    }
  }
  for (int v = 0; v < K; ++v) hn::Store(sum[v], d, state + c + v * lanes);
  return k;
}

// Single rows have one weight each: that of row a is short_weight[first_single_weight + a].
template <class T>
HWY_INLINE std::uint64_t first_single_weight(const StateScoring<T>& s) {
  return s.short_begin[s.first_single - s.rich_rows] - s.short_offset - s.first_single;
}

// Brings the short rows of position p closer where they are many, and each is seldom used.
template <class T>
HWY_INLINE void prefetch_short(const StateScoring<T>& s, std::size_t p) {
  if (!s.far || p >= s.count) return;
  const std::uint64_t single = first_single_weight(s);
  for (std::uint64_t k = s.begin[p + 1]; k-- > s.begin[p] && s.id[k] >= s.rich_rows;) {
    const std::uint64_t f = s.id[k] >= s.first_single
                                ? single + s.id[k]
                                : s.short_begin[s.id[k] - s.rich_rows] - s.short_offset;
    __builtin_prefetch(s.short_weight + f);
  }
}

// The short rows of one position, cell by cell.
template <class T>
HWY_INLINE void add_short(const StateScoring<T>& s, std::uint64_t k, std::uint64_t end,
                          T* HWY_RESTRICT state) {
  for (; k < end && s.id[k] < s.first_single; ++k) {
    const std::uint64_t* row = s.short_begin + (s.id[k] - s.rich_rows);
    const T value = s.value == nullptr ? T{1} : static_cast<T>(s.value[k]);
    for (std::uint64_t f = row[0] - s.short_offset; f < row[1] - s.short_offset; ++f) {
      state[s.short_weight[f].cell] += value * s.short_weight[f].weight;
    }
  }
  const std::uint64_t single = first_single_weight(s);
  for (; k < end; ++k) {
    const CellWeight<T>& w = s.short_weight[single + s.id[k]];
    const T value = s.value == nullptr ? T{1} : static_cast<T>(s.value[k]);
    state[w.cell] += value * w.weight;
  }
}

template <int K, class T>
HWY_INLINE void score_narrow(const StateScoring<T>& s) {
  for (std::size_t p = 0; p < s.count; ++p) {
    T* state = s.state + p * s.stride;
    prefetch_short(s, p + 4);
    const std::uint64_t k = add_rich<K>(s, s.begin[p], s.begin[p + 1], 0, state);
    add_short(s, k, s.begin[p + 1], state);
  }
}

template <class T>
HWY_INLINE void score_wide(const StateScoring<T>& s) {
  const std::size_t lanes = hn::Lanes(RowTag<T>());
  for (std::size_t p = 0; p < s.count; ++p) {
    T* state = s.state + p * s.stride;
    prefetch_short(s, p + 2);
    const std::uint64_t begin = s.begin[p], end = s.begin[p + 1];
    std::uint64_t k = begin;
    std::size_t c = 0;
    for (; c + 4 * lanes <= s.stride; c += 4 * lanes) k = add_rich<4>(s, begin, end, c, state);
    for (; c < s.stride; c += lanes) k = add_rich<1>(s, begin, end, c, state);
    add_short(s, k, end, state);
  }
}

template <class T>
HWY_INLINE void score_states_impl(const StateScoring<T>& s) {
  switch (s.stride / hn::Lanes(RowTag<T>())) {
    case 1:
      return score_narrow<1>(s);
    case 2:
      return score_narrow<2>(s);
    case 3:
      return score_narrow<3>(s);
    case 4:
      return score_narrow<4>(s);
    default:
      return score_wide(s);
  }
}

// K vectors of columns from c on.
template <int K, class T>
HWY_INLINE void sum_columns(const RowSum<T>& r, std::size_t c) {
  constexpr std::size_t kRun = 64;  // rows summed in T before the sum goes on in double
  const RowTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN T partial[K * kLanePadding];
  double* out = r.out + c;
  std::fill(out, out + K * lanes, 0.0);
  for (std::size_t k = 0; k < r.count;) {
    const std::size_t end = std::min(r.count, k + kRun);
    hn::Vec<RowTag<T>> sum[K];
    for (int v = 0; v < K; ++v) sum[v] = hn::Zero(d);
    for (; k < end; ++k) {
      if (k + 12 < r.count) {  // rows are far apart, and known ahead
        const T* ahead = r.rows + std::size_t{r.place[k + 12]} * r.stride + c;
        __builtin_prefetch(ahead);
        __builtin_prefetch(ahead + K * lanes - 1);
      }
      const T* row = r.rows + std::size_t{r.place[k]} * r.stride + c;
      if (r.value == nullptr) {
        for (int v = 0; v < K; ++v) sum[v] = hn::Add(sum[v], hn::Load(d, row + v * lanes));
      } else {
        const auto value = hn::Set(d, static_cast<T>(r.value[k]));
        for (int v = 0; v < K; ++v) {
          sum[v] = hn::MulAdd(value, hn::Load(d, row + v * lanes), sum[v]);
        }
      }
    }
    for (int v = 0; v < K; ++v) hn::Store(sum[v], d, partial + v * lanes);
    for (std::size_t lane = 0; lane < K * lanes; ++lane) out[lane] += double{partial[lane]};
  }
}

template <class T>
HWY_INLINE void sum_rows_impl(const RowSum<T>& r) {
  const std::size_t lanes = hn::Lanes(RowTag<T>());
  std::size_t c = 0;
  for (; c + 4 * lanes <= r.stride; c += 4 * lanes) sum_columns<4>(r, c);
  switch ((r.stride - c) / lanes) {
    case 3:
      sum_columns<3>(r, c);
      break;
    case 2:
      sum_columns<2>(r, c);
      break;
    case 1:
      sum_columns<1>(r, c);
      break;
    default:
      break;
  }
}

void score_states_float(const StateScoring<float>& s) { score_states_impl(s); }
void score_states_double(const StateScoring<double>& s) { score_states_impl(s); }
void sum_rows_float(const RowSum<float>& r) { sum_rows_impl(r); }
void sum_rows_double(const RowSum<double>& r) { sum_rows_impl(r); }

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(score_states_float);
HWY_EXPORT(score_states_double);
HWY_EXPORT(sum_rows_float);
HWY_EXPORT(sum_rows_double);

void score_states(const StateScoring<float>& s) { HWY_DYNAMIC_DISPATCH(score_states_float)(s); }
void score_states(const StateScoring<double>& s) { HWY_DYNAMIC_DISPATCH(score_states_double)(s); }
void sum_rows(const RowSum<float>& r) { HWY_DYNAMIC_DISPATCH(sum_rows_float)(r); }
void sum_rows(const RowSum<double>& r) { HWY_DYNAMIC_DISPATCH(sum_rows_double)(r); }

}  // namespace croft
#endif
