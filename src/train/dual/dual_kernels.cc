#include "train/dual/dual_kernels.h"

#include <algorithm>
#include <cassert>

// The part up to HWY_ONCE is compiled once for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/dual/dual_kernels.cc"
#include "hwy/foreach_target.h"  // must precede highway.h
#include "hwy/highway.h"

#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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

void entropy_sums_double(const double* mu, const double* delta, double g, std::size_t size,
                         double* out) {
  entropy_sums_of(mu, delta, g, size, out);
}
void entropy_sums_float(const float* mu, const float* delta, double g, std::size_t size,
                        double* out) {
  entropy_sums_of(mu, delta, g, size, out);
}

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
void edge_delta_double(const EdgeTable<double>& p, const double* mu, double* delta, double* total) {
  edge_delta_of(p, mu, delta, total);
}
void edge_delta_float(const EdgeTable<float>& p, const float* mu, float* delta, float* total) {
  edge_delta_of(p, mu, delta, total);
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

}  // namespace croft
#endif
