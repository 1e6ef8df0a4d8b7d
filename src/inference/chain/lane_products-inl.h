// Products of the transitions with the lanes' vectors; included once for each SIMD target.
#if defined(CROFT_LANE_PRODUCTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CROFT_LANE_PRODUCTS_INL_H_
#undef CROFT_LANE_PRODUCTS_INL_H_
#else
#define CROFT_LANE_PRODUCTS_INL_H_
#endif

#include <algorithm>

#include "croft/structure/edge_sharing.h"
#include "inference/chain/lane_pack-inl.h"
#include "inference/chain/scaled_limits.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {

// sum over the listed edges of group j of factor * in, plus the background times the others:
// nothing is subtracted.  O(L), for the few sums that cancel.
template <class T, int N>
HWY_INLINE Pack<T, N> sum_without_subtraction(const T* in, std::size_t labels, T background,
                                              const EdgeLists<T>& lists, std::size_t j) {
  using P = Pack<T, N>;
  P listed = P::zero(), others = P::zero();
  std::uint32_t k = lists.begin[j];
  for (std::size_t i = 0; i < labels; ++i) {
    const P x = P::load(in + i * N);
    if (k < lists.begin[j + 1] && lists.other[k] == i) {
      listed = listed.plus(x, P::set(lists.factor[k++]));
    } else {
      others = others + x;
    }
  }
  return listed.plus(others, P::set(background));
}

// finish(j, v) for every label j: v = sum_i in[i] factor(edge between i and j), by the edge lists
// of j. Requires that the numbers of `in` sum to 1 in each lane.
template <class T, int N, class Finish>
HWY_INLINE void multiply_sparse(const T* in, std::size_t labels, T background,
                                const EdgeLists<T>& lists, const Finish& finish) {
  using P = Pack<T, N>;
  const P base = P::set(background);
  const T cancelled = background * ScaledLimits<T>::kCancelled;
  const P threshold = P::set(cancelled);
  const T* correction = lists.correction.data();
  const Label* other = lists.other.data();
  for (std::size_t j = 0; j < labels; ++j) {
    P even = base, odd = P::zero();
    std::uint32_t k = lists.begin[j];
    const std::uint32_t end = lists.begin[j + 1];
    for (; k + 2 <= end; k += 2) {
      even = even.plus(P::load(in + std::size_t{other[k]} * N), P::set(correction[k]));
      odd = odd.plus(P::load(in + std::size_t{other[k + 1]} * N), P::set(correction[k + 1]));
    }
    if (k < end) even = even.plus(P::load(in + std::size_t{other[k]} * N), P::set(correction[k]));
    P v = even + odd;
    if (lists.smallest[j] < cancelled && v.any_below(threshold)) {
      v = sum_without_subtraction<T, N>(in, labels, background, lists, j);
    }
    finish(j, v);
  }
}

// sums[c] = sum of in[i] over the labels i of class c.
template <class T, int N>
HWY_INLINE void sum_classes(const T* in, const std::vector<std::uint32_t>& class_of,
                            std::size_t classes, T* sums) {
  using P = Pack<T, N>;
  std::fill(sums, sums + classes * N, T{0});
  for (std::size_t i = 0; i < class_of.size(); ++i) {
    T* to = sums + std::size_t{class_of[i]} * N;
    (P::load(to) + P::load(in + i * N)).store(to);
  }
}

// finish(j, v) as above; factor(edge between i and j) = q[a(i) row_step + b(j) column_step], by the
// classes of both ends.
//   sums : [classes of both ends][N] scratch
template <class T, int N, class Finish>
HWY_INLINE void multiply_classes(const T* in, const std::vector<std::uint32_t>& a,
                                 std::size_t a_classes, const std::vector<std::uint32_t>& b,
                                 std::size_t b_classes, const T* q, std::size_t row_step,
                                 std::size_t column_step, T* sums, T* out, const Finish& finish) {
  using P = Pack<T, N>;
  sum_classes<T, N>(in, a, a_classes, sums);
  for (std::size_t c = 0; c < b_classes; ++c) {
    P even = P::zero(), odd = P::zero();
    std::size_t r = 0;
    for (; r + 2 <= a_classes; r += 2) {
      const T* at = q + r * row_step + c * column_step;
      even = even.plus(P::load(sums + r * N), P::set(at[0]));
      odd = odd.plus(P::load(sums + (r + 1) * N), P::set(at[row_step]));
    }
    if (r < a_classes) {
      even = even.plus(P::load(sums + r * N), P::set(q[r * row_step + c * column_step]));
    }
    (even + odd).store(out + c * N);
  }
  for (std::size_t j = 0; j < b.size(); ++j) finish(j, P::load(out + std::size_t{b[j]} * N));
}

// The same with a table [L][stride], row i holding the factors of in[i]: K labels from j on.
template <int K, class T, int N, class Finish>
HWY_INLINE void multiply_tile(const T* in, std::size_t labels, const T* table, std::size_t stride,
                              std::size_t j, const Finish& finish) {
  using P = Pack<T, N>;
  P sum[K];
  for (int q = 0; q < K; ++q) sum[q] = P::zero();
  for (std::size_t i = 0; i < labels; ++i) {
    const P x = P::load(in + i * N);
    const T* row = table + i * stride + j;
    for (int q = 0; q < K; ++q) sum[q] = sum[q].plus(x, P::set(row[q]));
  }
  for (int q = 0; q < K; ++q) finish(j + q, sum[q]);
}

template <class T, int N, class Finish>
HWY_INLINE void multiply_dense(const T* in, std::size_t labels, const Matrix<T>& table,
                               const Finish& finish) {
  constexpr int kTile = Pack<T, N>::kVectors == 1 ? 8 : 4;
  std::size_t j = 0;
  for (; j + kTile <= labels; j += kTile) {
    multiply_tile<kTile, T, N>(in, labels, table.row(0), table.stride(), j, finish);
  }
  for (; j + 2 <= labels; j += 2) {
    multiply_tile<2, T, N>(in, labels, table.row(0), table.stride(), j, finish);
  }
  if (j < labels) multiply_tile<1, T, N>(in, labels, table.row(0), table.stride(), j, finish);
}

// pairs[k] += sum over the positions t = first .. first + C - 1 of alpha[t-1][from] suffix[t][to],
// lane by lane, for every listed edge k, in the order of `arriving`.
template <int C, class T, int N>
HWY_INLINE void add_listed_pairs(const T* alpha, const T* suffix, std::size_t stride,
                                 std::size_t first, std::size_t labels,
                                 const EdgeLists<T>& arriving, T* pairs) {
  using P = Pack<T, N>;
  for (std::size_t j = 0; j < labels; ++j) {
    if (arriving.begin[j] == arriving.begin[j + 1]) continue;
    P u[C];
    for (int q = 0; q < C; ++q) u[q] = P::load(suffix + (first + q) * stride + j * N);
    for (std::uint32_t k = arriving.begin[j]; k < arriving.begin[j + 1]; ++k) {
      T* to = pairs + std::size_t{k} * N;
      const T* a = alpha + (first - 1) * stride + std::size_t{arriving.other[k]} * N;
      P sum = P::load(to);
      for (int q = 0; q < C; ++q) sum = sum.plus(P::load(a + q * stride), u[q]);
      sum.store(to);
    }
  }
}

// pairs[r][c] += sum over the positions first .. last - 1 of (alpha[t-1] summed over class r) times
// (suffix[t] summed over class c), lane by lane.
//   sums_from, sums_to : [classes][N] scratch
template <class T, int N>
HWY_INLINE void add_class_pairs(const T* alpha, const T* suffix, std::size_t stride,
                                std::size_t first, std::size_t last, const EdgeSharing& sharing,
                                T* sums_from, T* sums_to, T* pairs) {
  using P = Pack<T, N>;
  for (std::size_t t = first; t < last; ++t) {
    sum_classes<T, N>(alpha + (t - 1) * stride, sharing.from, sharing.from_classes, sums_from);
    sum_classes<T, N>(suffix + t * stride, sharing.to, sharing.to_classes, sums_to);
    for (std::size_t r = 0; r < sharing.from_classes; ++r) {
      const P a = P::load(sums_from + r * N);
      T* row = pairs + r * sharing.to_classes * N;
      for (std::size_t c = 0; c < sharing.to_classes; ++c) {
        P::load(row + c * N).plus(a, P::load(sums_to + c * N)).store(row + c * N);
      }
    }
  }
}

// transition[i][j .. j + K) += factor * sum over t = first .. last - 1 and lanes of
// alpha[t-1][i] suffix[t][j], for R rows from i on.
template <int R, int K, class T, int N>
HWY_INLINE void add_pair_tile(const T* alpha, const T* suffix, std::size_t stride,
                              std::size_t first, std::size_t last, std::size_t i, std::size_t j,
                              const Matrix<T>& factors, double scale, double* transition) {
  using P = Pack<T, N>;
  P sum[R][K];
  for (int r = 0; r < R; ++r) {
    for (int q = 0; q < K; ++q) sum[r][q] = P::zero();
  }
  for (std::size_t t = first; t < last; ++t) {
    const T *a = alpha + (t - 1) * stride + i * N, *s = suffix + t * stride + j * N;
    P u[K];
    for (int q = 0; q < K; ++q) u[q] = P::load(s + q * N);
    for (int r = 0; r < R; ++r) {
      const P x = P::load(a + r * N);
      for (int q = 0; q < K; ++q) sum[r][q] = sum[r][q].plus(x, u[q]);
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int q = 0; q < K; ++q) {
      transition[(i + r) * factors.stride() + j + q] +=
          scale * double{sum[r][q].sum()} * double{factors(i + r, j + q)};
    }
  }
}

template <int R, class T, int N>
HWY_INLINE void add_pair_rows(const T* alpha, const T* suffix, std::size_t stride,
                              std::size_t first, std::size_t last, std::size_t i,
                              const Matrix<T>& factors, double scale, double* transition) {
  const std::size_t labels = factors.columns();
  std::size_t j = 0;
  for (; j + 4 <= labels; j += 4) {
    add_pair_tile<R, 4, T, N>(alpha, suffix, stride, first, last, i, j, factors, scale, transition);
  }
  for (; j < labels; ++j) {
    add_pair_tile<R, 1, T, N>(alpha, suffix, stride, first, last, i, j, factors, scale, transition);
  }
}

template <class T, int N>
HWY_INLINE void add_all_pairs(const T* alpha, const T* suffix, std::size_t stride,
                              std::size_t first, std::size_t last, const Matrix<T>& factors,
                              double scale, double* transition) {
  constexpr int kRows = Pack<T, N>::kVectors == 1 ? 4 : 2;
  const std::size_t labels = factors.rows();
  std::size_t i = 0;
  for (; i + kRows <= labels; i += kRows) {
    add_pair_rows<kRows, T, N>(alpha, suffix, stride, first, last, i, factors, scale, transition);
  }
  for (; i < labels; ++i) {
    add_pair_rows<1, T, N>(alpha, suffix, stride, first, last, i, factors, scale, transition);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();
#endif
