#include "train/dual_kernels.h"

#include <algorithm>
#include <cassert>

// The part up to HWY_ONCE is compiled once for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/dual_kernels.cc"
#include "hwy/foreach_target.h"  // must precede highway.h
#include "hwy/highway.h"

#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr double kSmallest = 1e-60;  // its log is tame, and delta^2 / p does not overflow

// A vector's length of numbers, the last one filled up with zeros.
template <class T>
struct Tail {
  HWY_ALIGN T numbers[16] = {};
  Tail(const T* from, std::size_t count) { std::copy_n(from, count, numbers); }
};

void entropy_sums_3(const double* mu, const double* delta, double g, std::size_t size,
                    double* out) {
  const hn::CappedTag<double, 16> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto step = hn::Set(d, g), least = hn::Set(d, kSmallest), zero = hn::Zero(d);
  auto value = zero, slope = zero, curvature = zero;
  const auto add = [&](const double* mu_at, const double* delta_at) {
    const auto v = hn::LoadU(d, delta_at);
    const auto p = hn::Max(hn::MulAdd(step, v, hn::LoadU(d, mu_at)), zero);
    const auto safe = hn::Max(p, least);
    const auto log = hn::Log(d, safe);
    value = hn::NegMulAdd(p, log, value);
    slope = hn::NegMulAdd(v, log, slope);
    curvature = hn::Sub(curvature, hn::Div(hn::Mul(v, v), safe));
  };
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) add(mu + i, delta + i);
  if (i < size) add(Tail(mu + i, size - i).numbers, Tail(delta + i, size - i).numbers);
  out[0] = hn::GetLane(hn::SumOfLanes(d, value));
  out[1] = hn::GetLane(hn::SumOfLanes(d, slope));
  out[2] = hn::GetLane(hn::SumOfLanes(d, curvature));
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(entropy_sums_3);

std::array<double, 3> entropy_sums(std::span<const double> mu, std::span<const double> delta,
                                   double g) {
  assert(mu.size() == delta.size());
  std::array<double, 3> out{};
  HWY_DYNAMIC_DISPATCH(entropy_sums_3)(mu.data(), delta.data(), g, mu.size(), out.data());
  return out;
}

}  // namespace croft
#endif
