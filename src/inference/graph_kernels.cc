// Compiled once for each SIMD target: plain loops, which the compiler turns into its vectors.
#include "inference/graph_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "inference/graph_kernels.cc"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {

constexpr std::size_t kShortRun = 4;

// each(entry of the block, number of the table)
template <class In, class Each>
HWY_INLINE void for_entries(const BlockView& view, In* table, double* HWY_RESTRICT block,
                            const Each& each) {
  const std::size_t runs = view.offset.size(), run = view.run;
  const std::uint32_t* offset = view.offset.data();
  if (run == 1) {
    for (std::size_t i = 0; i < runs; ++i) each(block[i], table[offset[i]]);
    return;
  }
  for (std::size_t k = 0; k < runs; ++k, block += run) {
    In* at = table + offset[k];
    if (view.same) {
      for (std::size_t j = 0; j < run; ++j) each(block[j], *at);
    } else {
      for (std::size_t j = 0; j < run; ++j) each(block[j], at[j]);
    }
  }
}

void multiply(const BlockView& view, const double* in, double* block) {
  for_entries(view, in, block, [](double& b, const double& t) { b *= t; });
}
void add(const BlockView& view, const double* in, double* block) {
  for_entries(view, in, block, [](double& b, const double& t) { b += t; });
}

void sum(const BlockView& view, const double* block, double* out) {
  const std::size_t runs = view.offset.size(), run = view.run;
  const std::uint32_t* offset = view.offset.data();
  if (run == 1) {
    for (std::size_t i = 0; i < runs; ++i) out[offset[i]] += block[i];
    return;
  }
  for (std::size_t k = 0; k < runs; ++k, block += run) {
    double* HWY_RESTRICT at = out + offset[k];
    if (!view.same) {
      for (std::size_t j = 0; j < run; ++j) at[j] += block[j];
      continue;
    }
    double part[kShortRun] = {};
    std::size_t j = 0;
    for (; j + kShortRun <= run; j += kShortRun) {
      for (std::size_t i = 0; i < kShortRun; ++i) part[i] += block[j + i];
    }
    for (; j < run; ++j) part[0] += block[j];
    *at += (part[0] + part[1]) + (part[2] + part[3]);
  }
}

void maximum(const BlockView& view, const double* block, double* out) {
  const std::size_t runs = view.offset.size(), run = view.run;
  for (std::size_t k = 0; k < runs; ++k, block += run) {
    double* HWY_RESTRICT at = out + view.offset[k];
    if (view.same) {
      double high = *at;
      for (std::size_t j = 0; j < run; ++j) high = block[j] > high ? block[j] : high;
      *at = high;
    } else {
      for (std::size_t j = 0; j < run; ++j) at[j] = block[j] > at[j] ? block[j] : at[j];
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(multiply);
HWY_EXPORT(add);
HWY_EXPORT(sum);
HWY_EXPORT(maximum);

void multiply_block(const BlockView& view, const double* in, double* block) {
  HWY_DYNAMIC_DISPATCH(multiply)(view, in, block);
}
void add_block(const BlockView& view, const double* in, double* block) {
  HWY_DYNAMIC_DISPATCH(add)(view, in, block);
}
void sum_block(const BlockView& view, const double* block, double* out) {
  HWY_DYNAMIC_DISPATCH(sum)(view, block, out);
}
void max_block(const BlockView& view, const double* block, double* out) {
  HWY_DYNAMIC_DISPATCH(maximum)(view, block, out);
}

void exp_sum_block(const BlockView& view, const double* block, const double* high, double* out) {
  for (const std::uint32_t offset : view.offset) {
    for (std::size_t j = 0; j < view.run; ++j, ++block) {
      const std::size_t at = offset + (view.same ? 0 : j);
      if (*block > -std::numeric_limits<double>::infinity()) out[at] += std::exp(*block - high[at]);
    }
  }
}

}  // namespace croft
#endif
