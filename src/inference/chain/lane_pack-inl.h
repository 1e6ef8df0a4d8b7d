// A vector of N numbers, one a lane, whatever the width of the SIMD target; included once for each.
#if defined(CROFT_LANE_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CROFT_LANE_PACK_INL_H_
#undef CROFT_LANE_PACK_INL_H_
#else
#define CROFT_LANE_PACK_INL_H_
#endif

#include "core/simd_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {

template <class T, int N>
struct Pack {
  using D = hn::CappedTag<T, N>;
  using V = hn::Vec<D>;
  static constexpr int kWidth = static_cast<int>(hn::MaxLanes(D()));
  static constexpr int kVectors = N / kWidth;
  V v[kVectors];

  static HWY_INLINE Pack load(const T* from) {
    Pack p;
    for (int k = 0; k < kVectors; ++k) p.v[k] = hn::Load(D(), from + k * kWidth);
    return p;
  }
  static HWY_INLINE Pack set(T value) {
    Pack p;
    for (int k = 0; k < kVectors; ++k) p.v[k] = hn::Set(D(), value);
    return p;
  }
  static HWY_INLINE Pack zero() { return set(T{0}); }
  HWY_INLINE void store(T* to) const {
    for (int k = 0; k < kVectors; ++k) hn::Store(v[k], D(), to + k * kWidth);
  }
  HWY_INLINE Pack operator+(const Pack& o) const {
    Pack p;
    for (int k = 0; k < kVectors; ++k) p.v[k] = hn::Add(v[k], o.v[k]);
    return p;
  }
  HWY_INLINE Pack operator*(const Pack& o) const {
    Pack p;
    for (int k = 0; k < kVectors; ++k) p.v[k] = hn::Mul(v[k], o.v[k]);
    return p;
  }
  // this + a * b
  HWY_INLINE Pack plus(const Pack& a, const Pack& b) const {
    Pack p;
    for (int k = 0; k < kVectors; ++k) p.v[k] = hn::MulAdd(a.v[k], b.v[k], v[k]);
    return p;
  }
  HWY_INLINE bool any_below(const Pack& o) const {
    bool any = false;
    for (int k = 0; k < kVectors; ++k) any |= !hn::AllFalse(D(), hn::Lt(v[k], o.v[k]));
    return any;
  }
  HWY_INLINE T sum() const {
    V total = v[0];
    for (int k = 1; k < kVectors; ++k) total = hn::Add(total, v[k]);
    return hn::GetLane(hn::SumOfLanes(D(), total));
  }
};

#if HWY_TARGET == HWY_SCALAR
template <class T>
inline constexpr int kTransposeBlock = 1;
template <class T>
HWY_INLINE void transpose_block(const T* const* from, std::size_t column, T* const* to) {
  to[0][0] = from[0][column];
}
#else
template <class T>
inline constexpr int kTransposeBlock = 16 / sizeof(T);
// A square block of as many rows and columns as a 128-bit vector has numbers: to[c][r] =
// from[r][c].
template <class T>
HWY_INLINE void transpose_block(const T* const* from, std::size_t column, T* const* to) {
  const hn::CappedTag<T, 16 / sizeof(T)> d;
  if constexpr (sizeof(T) == 4) {
    const auto a = hn::Load(d, from[0] + column), b = hn::Load(d, from[1] + column);
    const auto c = hn::Load(d, from[2] + column), e = hn::Load(d, from[3] + column);
    const auto ac_low = hn::InterleaveLower(d, a, c), ac_high = hn::InterleaveUpper(d, a, c);
    const auto be_low = hn::InterleaveLower(d, b, e), be_high = hn::InterleaveUpper(d, b, e);
    hn::Store(hn::InterleaveLower(d, ac_low, be_low), d, to[0]);
    hn::Store(hn::InterleaveUpper(d, ac_low, be_low), d, to[1]);
    hn::Store(hn::InterleaveLower(d, ac_high, be_high), d, to[2]);
    hn::Store(hn::InterleaveUpper(d, ac_high, be_high), d, to[3]);
  } else {
    const auto a = hn::Load(d, from[0] + column), b = hn::Load(d, from[1] + column);
    hn::Store(hn::InterleaveLower(d, a, b), d, to[0]);
    hn::Store(hn::InterleaveUpper(d, a, b), d, to[1]);
  }
}
#endif

// rows[k][j] for N rows of `count` numbers (a multiple of kLanePadding) <-> lanes[j * N + k].
template <class T, int N>
HWY_INLINE void rows_to_lanes(const T* const* rows, std::size_t count, T* lanes) {
  constexpr int kBlock = kTransposeBlock<T>;
  for (std::size_t j = 0; j < count; j += kBlock) {
    for (int k = 0; k < N; k += kBlock) {
      T* to[kBlock];
      for (int q = 0; q < kBlock; ++q) to[q] = lanes + (j + q) * N + k;
      transpose_block(rows + k, j, to);
    }
  }
}
template <class T, int N>
HWY_INLINE void lanes_to_rows(const T* lanes, std::size_t count, T* const* rows) {
  constexpr int kBlock = kTransposeBlock<T>;
  for (std::size_t j = 0; j < count; j += kBlock) {
    const T* from[kBlock];
    for (int q = 0; q < kBlock; ++q) from[q] = lanes + (j + q) * N;
    for (int k = 0; k < N; k += kBlock) {
      T* to[kBlock];
      for (int q = 0; q < kBlock; ++q) to[q] = rows[k + q] + j;
      transpose_block(from, static_cast<std::size_t>(k), to);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();
#endif
