// Compiled once for each SIMD target: plain loops, which the compiler turns into its vectors.
#include "inference/graph/exact/graph_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "inference/graph/exact/graph_kernels.cc"
#include "core/infinity.h"
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

void set_product(const BlockView& view, double scale, const double* in, double* block) {
  for_entries(view, in, block, [=](double& b, const double& t) { b = scale * t; });
}
void set_sum(const BlockView& view, double scale, const double* in, double* block) {
  for_entries(view, in, block, [=](double& b, const double& t) { b = scale + t; });
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

void extent(const double* values, std::size_t n, double& largest, double& smallest) {
  constexpr std::size_t kLanes = 16;
  double high[kLanes] = {}, low[kLanes];
  std::fill_n(low, kLanes, kInf);
  const auto see = [&](std::size_t lane, double x) {
    high[lane] = x > high[lane] ? x : high[lane];
    const double positive = x > 0 ? x : kInf;
    low[lane] = positive < low[lane] ? positive : low[lane];
  };
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t j = 0; j < kLanes; ++j) see(j, values[i + j]);
  }
  for (; i < n; ++i) see(0, values[i]);
  largest = *std::max_element(high, high + kLanes);
  smallest = *std::min_element(low, low + kLanes);
}

void scale_all(double factor, std::size_t n, double* values) {
  for (std::size_t i = 0; i < n; ++i) values[i] *= factor;
}

void divide(const double* HWY_RESTRICT values, std::size_t n, double* HWY_RESTRICT divisor) {
  for (std::size_t i = 0; i < n; ++i) {
    const double d = divisor[i];
    const double ratio = values[i] / (d > 0 ? d : 1.0);
    divisor[i] = d > 0 ? ratio : 0.0;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(set_product);
HWY_EXPORT(set_sum);
HWY_EXPORT(multiply);
HWY_EXPORT(add);
HWY_EXPORT(sum);
HWY_EXPORT(maximum);
HWY_EXPORT(extent);
HWY_EXPORT(scale_all);
HWY_EXPORT(divide);

void set_product(const BlockView& view, double scale, const double* in, double* block) {
  HWY_DYNAMIC_DISPATCH(set_product)(view, scale, in, block);
}
void set_sum(const BlockView& view, double scale, const double* in, double* block) {
  HWY_DYNAMIC_DISPATCH(set_sum)(view, scale, in, block);
}
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

void find_extent(const double* values, std::size_t n, double& largest, double& smallest) {
  HWY_DYNAMIC_DISPATCH(extent)(values, n, largest, smallest);
}
void multiply_by(double factor, std::size_t n, double* values) {
  HWY_DYNAMIC_DISPATCH(scale_all)(factor, n, values);
}
void divide_by(const double* values, std::size_t n, double* divisor) {
  HWY_DYNAMIC_DISPATCH(divide)(values, n, divisor);
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
