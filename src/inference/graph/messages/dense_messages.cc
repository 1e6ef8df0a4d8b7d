// Compiled once for each SIMD target.
#include "inference/graph/messages/dense_messages.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "inference/chain/semirings.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "inference/graph/messages/dense_messages.cc"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void sum_matrix(const double* HWY_RESTRICT table, std::size_t rows, std::size_t cols,
                const double* HWY_RESTRICT row, const double* HWY_RESTRICT col,
                double* HWY_RESTRICT to_rows, double* HWY_RESTRICT to_cols) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  std::fill_n(to_cols, cols, 0.0);
  for (std::size_t i = 0; i < rows; ++i, table += cols) {
    const double weight = row[i];
    const auto weights = hn::Set(d, weight);
    auto sums = hn::Zero(d);
    std::size_t j = 0;
    for (; j + lanes <= cols; j += lanes) {
      const auto t = hn::LoadU(d, table + j);
      sums = hn::MulAdd(t, hn::LoadU(d, col + j), sums);
      hn::StoreU(hn::MulAdd(t, weights, hn::LoadU(d, to_cols + j)), d, to_cols + j);
    }
    double sum = cols >= lanes ? hn::GetLane(hn::SumOfLanes(d, sums)) : 0;
    for (; j < cols; ++j) {
      sum += table[j] * col[j];
      to_cols[j] += weight * table[j];
    }
    to_rows[i] = sum;
  }
}

void max_matrix(const double* HWY_RESTRICT table, std::size_t rows, std::size_t cols,
                const double* HWY_RESTRICT row, const double* HWY_RESTRICT col,
                double* HWY_RESTRICT to_rows, double* HWY_RESTRICT to_cols) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  std::fill_n(to_cols, cols, LogMax::zero);
  for (std::size_t i = 0; i < rows; ++i, table += cols) {
    const double weight = row[i];
    const auto weights = hn::Set(d, weight);
    auto highs = hn::Set(d, LogMax::zero);
    std::size_t j = 0;
    for (; j + lanes <= cols; j += lanes) {
      const auto t = hn::LoadU(d, table + j);
      highs = hn::Max(hn::Add(t, hn::LoadU(d, col + j)), highs);
      hn::StoreU(hn::Max(hn::Add(t, weights), hn::LoadU(d, to_cols + j)), d, to_cols + j);
    }
    double high = cols >= lanes ? hn::GetLane(hn::MaxOfLanes(d, highs)) : LogMax::zero;
    for (; j < cols; ++j) {
      high = std::max(high, table[j] + col[j]);
      to_cols[j] = std::max(to_cols[j], weight + table[j]);
    }
    to_rows[i] = high;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(sum_matrix);
HWY_EXPORT(max_matrix);

namespace {

// Below, the call costs more than the work.
constexpr std::size_t kSmallColumns = 4;

template <class S>
void small_matrix(const double* table, std::size_t rows, std::size_t cols, const double* row,
                  const double* col, double* to_rows, double* to_cols) {
  std::fill_n(to_cols, cols, S::zero);
  for (std::size_t i = 0; i < rows; ++i, table += cols) {
    double sum = S::zero;
    for (std::size_t j = 0; j < cols; ++j) {
      sum = S::plus(sum, S::times(table[j], col[j]));
      to_cols[j] = S::plus(to_cols[j], S::times(row[i], table[j]));
    }
    to_rows[i] = sum;
  }
}

}  // namespace

template <>
void matrix_messages<ScaledSum>(const double* table, std::size_t rows, std::size_t cols,
                                const double* row, const double* col, double* to_rows,
                                double* to_cols) {
  if (cols < kSmallColumns) {
    small_matrix<ScaledSum>(table, rows, cols, row, col, to_rows, to_cols);
  } else {
    HWY_DYNAMIC_DISPATCH(sum_matrix)(table, rows, cols, row, col, to_rows, to_cols);
  }
}

template <>
void matrix_messages<LogMax>(const double* table, std::size_t rows, std::size_t cols,
                             const double* row, const double* col, double* to_rows,
                             double* to_cols) {
  if (cols < kSmallColumns) {
    small_matrix<LogMax>(table, rows, cols, row, col, to_rows, to_cols);
  } else {
    HWY_DYNAMIC_DISPATCH(max_matrix)(table, rows, cols, row, col, to_rows, to_cols);
  }
}

// The largest terms first, then the sums relative to them.
template <>
void matrix_messages<LogSum>(const double* table, std::size_t rows, std::size_t cols,
                             const double* row, const double* col, double* to_rows,
                             double* to_cols) {
  thread_local std::vector<double> sums;
  sums.assign(rows + cols, 0);
  double* const row_sum = sums.data();
  double* const col_sum = row_sum + rows;
  matrix_messages<LogMax>(table, rows, cols, row, col, to_rows, to_cols);
  for (std::size_t i = 0; i < rows; ++i, table += cols) {
    for (std::size_t j = 0; j < cols; ++j) {
      if (table[j] == LogSum::zero) continue;
      if (to_rows[i] != LogSum::zero) row_sum[i] += std::exp(table[j] + col[j] - to_rows[i]);
      if (to_cols[j] != LogSum::zero) col_sum[j] += std::exp(table[j] + row[i] - to_cols[j]);
    }
  }
  const auto finish = [](std::size_t count, const double* sum, double* to) {
    for (std::size_t i = 0; i < count; ++i) {
      if (to[i] != LogSum::zero) to[i] += std::log(sum[i]);
    }
  };
  finish(rows, row_sum, to_rows);
  finish(cols, col_sum, to_cols);
}

namespace {

// The product of messages, by joint state.
template <class S>
void outer_product(std::span<const std::uint32_t> states, const double* in, double* product) {
  std::size_t size = 1;
  product[0] = S::one;
  for (const std::uint32_t count : states) {
    for (std::size_t k = size; k-- > 0;) {  // backwards: in place
      const double before = product[k];
      for (std::size_t s = count; s-- > 0;) product[k * count + s] = S::times(before, in[s]);
    }
    size *= count;
    in += count;
  }
}

// The cut that makes the larger half smallest: variables, their joint states and those of the rest.
struct Cut {
  explicit Cut(std::span<const std::uint32_t> states) {
    for (const std::uint32_t count : states) cols *= count;
    while (left + 1 < states.size() && (left == 0 || rows * states[left] <= cols / states[left])) {
      rows *= states[left];
      cols /= states[left++];
    }
  }
  std::size_t left = 0, rows = 1, cols = 1;
};

std::size_t scratch_of(std::span<const std::uint32_t> states) {
  if (states.size() < 3) return 0;
  const Cut cut(states);
  return 2 * (cut.rows + cut.cols) +
         std::max(scratch_of(states.first(cut.left)), scratch_of(states.subspan(cut.left)));
}

template <class S>
void send(const double* table, std::span<const std::uint32_t> states, const double* in, double* out,
          double* scratch) {
  if (states.size() == 1) {
    std::copy_n(table, states[0], out);
    return;
  }
  const Cut cut(states);
  if (states.size() == 2) {
    matrix_messages<S>(table, cut.rows, cut.cols, in, in + cut.rows, out, out + cut.rows);
    return;
  }
  const auto left = states.first(cut.left), right = states.subspan(cut.left);
  const std::size_t skip = std::accumulate(left.begin(), left.end(), std::size_t{0});
  double* const row = scratch;
  double* const col = row + cut.rows;
  double* const to_rows = col + cut.cols;
  double* const to_cols = to_rows + cut.rows;
  outer_product<S>(left, in, row);
  outer_product<S>(right, in + skip, col);
  matrix_messages<S>(table, cut.rows, cut.cols, row, col, to_rows, to_cols);
  send<S>(to_rows, left, in, out, to_cols + cut.cols);
  send<S>(to_cols, right, in + skip, out + skip, to_cols + cut.cols);
}

}  // namespace

void DenseScratch::prepare(std::span<const std::uint32_t> states) {
  numbers_.resize(std::max(numbers_.size(), scratch_of(states)));
}

template <class S>
void dense_messages(const double* table, std::span<const std::uint32_t> states, const double* in,
                    double* out, DenseScratch& scratch) {
  send<S>(table, states, in, out, scratch.numbers());
}

template void dense_messages<ScaledSum>(const double*, std::span<const std::uint32_t>,
                                        const double*, double*, DenseScratch&);
template void dense_messages<LogSum>(const double*, std::span<const std::uint32_t>, const double*,
                                     double*, DenseScratch&);
template void dense_messages<LogMax>(const double*, std::span<const std::uint32_t>, const double*,
                                     double*, DenseScratch&);

}  // namespace croft
#endif
