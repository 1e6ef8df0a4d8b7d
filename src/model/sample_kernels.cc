#include "model/sample_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/sample_kernels.cc"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include "core/simd_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {

using Tag = RowTag<double>;
constexpr std::size_t kAhead = 2;  // positions whose rows are asked for early

// K vectors of columns from c on: the rich rows of one position, added in registers.
template <int K>
HWY_INLINE std::uint64_t add_rich(const SampleScoring& s, std::uint64_t k, std::uint64_t end,
                                  std::size_t c, double* HWY_RESTRICT state) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<Tag> sum[K];
  for (int v = 0; v < K; ++v) sum[v] = hn::Load(d, s.zero + c + v * lanes);
  for (; k < end && s.id[k] < s.rich_rows; ++k) {
    const double* row = s.rich + s.id[k] * s.stride + c;
    if (s.value == nullptr) {
      for (int v = 0; v < K; ++v) sum[v] = hn::Add(sum[v], hn::LoadU(d, row + v * lanes));
    } else {
      const auto value = hn::Set(d, s.value[k]);
      for (int v = 0; v < K; ++v) {
        sum[v] = hn::MulAdd(value, hn::LoadU(d, row + v * lanes), sum[v]);
      }
    }
  }
  for (int v = 0; v < K; ++v) hn::Store(sum[v], d, state + c + v * lanes);
  return k;
}

// Single rows have one weight each: that of row a is short_weight[first_single_weight + a].
HWY_INLINE std::uint64_t first_single_weight(const SampleScoring& s) {
  return s.row_begin[s.first_single] - s.short_offset - s.first_single;
}

HWY_INLINE void add_short(const SampleScoring& s, std::uint64_t k, std::uint64_t end,
                          double* HWY_RESTRICT state) {
  for (; k < end && s.id[k] < s.first_single; ++k) {
    const std::uint64_t* row = s.row_begin + s.id[k];
    const double value = s.value == nullptr ? 1 : s.value[k];
    for (std::uint64_t f = row[0] - s.short_offset; f < row[1] - s.short_offset; ++f) {
      state[s.short_cell[f]] += value * s.short_weight[f];
    }
  }
  const std::uint64_t single = first_single_weight(s);
  for (; k < end; ++k) {
    const std::uint64_t f = single + s.id[k];
    const double value = s.value == nullptr ? 1 : s.value[k];
    state[s.short_cell[f]] += value * s.short_weight[f];
  }
}

// What is far apart and known ahead: the rows of position p, and where later short ones begin.
template <int K>
HWY_INLINE void prefetch_rows(const SampleScoring& s, std::size_t p) {
  constexpr std::size_t kLine = kAlignment / sizeof(double);
  if (p + kAhead < s.count) {
    for (std::uint64_t k = s.begin[p + kAhead + 1]; k-- > s.begin[p + kAhead];) {
      if (s.id[k] < s.rich_rows) break;
      if (s.id[k] < s.first_single) __builtin_prefetch(s.row_begin + s.id[k]);
    }
  }
  if (p >= s.count) return;
  const std::uint64_t single = first_single_weight(s);
  std::uint64_t k = s.begin[p];
  const std::uint64_t end = s.begin[p + 1];
  for (; k < end && s.id[k] < s.rich_rows; ++k) {
    const double* row = s.rich + s.id[k] * s.stride;
    if constexpr (K > 0) {
      for (std::size_t v = 0; v < K * hn::Lanes(Tag()); v += kLine) __builtin_prefetch(row + v);
    } else {
      for (std::size_t c = 0; c < s.stride; c += kLine) __builtin_prefetch(row + c);
    }
  }
  for (; k < end; ++k) {
    const std::uint64_t f =
        s.id[k] >= s.first_single ? single + s.id[k] : s.row_begin[s.id[k]] - s.short_offset;
    __builtin_prefetch(s.short_weight + f);
    __builtin_prefetch(s.short_cell + f);
  }
}

template <int K>
HWY_INLINE void score_positions(const SampleScoring& s) {
  const std::size_t lanes = hn::Lanes(Tag());
  for (std::uint64_t k = s.begin[0]; k < s.begin[s.count]; k += kAlignment / sizeof s.id[0]) {
    __builtin_prefetch(s.id + k);
  }
  for (std::size_t p = 0; p < kAhead; ++p) prefetch_rows<K>(s, p);
  for (std::size_t p = 0; p < s.count; ++p) {
    double* state = s.state + p * s.stride;
    prefetch_rows<K>(s, p + kAhead);
    const std::uint64_t begin = s.begin[p], end = s.begin[p + 1];
    std::uint64_t k = begin;
    std::size_t c = 0;
    if constexpr (K > 0) {
      k = add_rich<K>(s, begin, end, 0, state);
    } else {
      for (; c + 4 * lanes <= s.stride; c += 4 * lanes) k = add_rich<4>(s, begin, end, c, state);
      for (; c < s.stride; c += lanes) k = add_rich<1>(s, begin, end, c, state);
    }
    add_short(s, k, end, state);
  }
}

void score_impl(const SampleScoring& s) {
  switch (s.stride / hn::Lanes(Tag())) {
    case 1:
      return score_positions<1>(s);
    case 2:
      return score_positions<2>(s);
    case 3:
      return score_positions<3>(s);
    case 4:
      return score_positions<4>(s);
    default:
      return score_positions<0>(s);
  }
}

// Columns [c, c + K lanes) of the sum of the rows of one rich attribute, masked.
template <int K>
HWY_INLINE void sum_rich(const SampleGradient& s, std::uint64_t begin, std::uint64_t end,
                         const std::uint8_t* mask, std::size_t c, double* HWY_RESTRICT out) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<Tag> sum[K];
  for (int v = 0; v < K; ++v) sum[v] = hn::Zero(d);
  for (std::uint64_t k = begin; k < end; ++k) {
    const double* row = s.d_state + std::size_t{s.place[k]} * s.stride + c;
    if (s.value == nullptr) {
      for (int v = 0; v < K; ++v) sum[v] = hn::Add(sum[v], hn::Load(d, row + v * lanes));
    } else {
      const auto value = hn::Set(d, s.value[k]);
      for (int v = 0; v < K; ++v) {
        sum[v] = hn::MulAdd(value, hn::Load(d, row + v * lanes), sum[v]);
      }
    }
  }
  for (int v = 0; v < K; ++v) {
    const std::size_t at = c + v * lanes;
    const std::uint8_t bits[8] = {static_cast<std::uint8_t>(mask[at / 8] >> (at % 8))};
    hn::StoreU(hn::IfThenElseZero(hn::LoadMaskBits(d, bits), sum[v]), d, out + at);
  }
}

double* gradient_impl(const SampleGradient& s) {
  const std::size_t lanes = hn::Lanes(Tag());
  double* out = s.out;
  std::uint64_t begin = s.place_begin;
  for (std::size_t n = 0; n < s.count; begin = s.place_end[n++]) {
    const std::uint64_t end = s.place_end[n];
    const std::uint32_t a = s.id[n];
    if (a < s.rich_rows) {
      const std::uint8_t* mask = s.mask + a * (s.stride / 8);
      std::size_t c = 0;
      for (; c + 3 * lanes <= s.stride; c += 3 * lanes) sum_rich<3>(s, begin, end, mask, c, out);
      for (; c < s.stride; c += lanes) sum_rich<1>(s, begin, end, mask, c, out);
      out += s.stride;
      continue;
    }
    const std::uint32_t* cell = s.short_cell + (s.row_begin[a] - s.short_offset);
    const std::size_t length = s.row_begin[a + 1] - s.row_begin[a];
    for (std::size_t k = 0; k < length; ++k) {
      double sum = 0;
      for (std::uint64_t at = begin; at < end; ++at) {
        const double value = s.value == nullptr ? 1 : s.value[at];
        sum += value * s.d_state[std::size_t{s.place[at]} * s.stride + cell[k]];
      }
      out[k] = sum;
    }
    out += length;
  }
  return out;
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(score_impl);
HWY_EXPORT(gradient_impl);

void score_sample(const SampleScoring& s) { HWY_DYNAMIC_DISPATCH(score_impl)(s); }
double* sample_gradient(const SampleGradient& s) { return HWY_DYNAMIC_DISPATCH(gradient_impl)(s); }

}  // namespace croft
#endif
