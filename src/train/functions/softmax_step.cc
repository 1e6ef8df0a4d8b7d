#include "train/functions/softmax_step.h"

#include <cmath>
#include <limits>

// The part up to HWY_ONCE is compiled once for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/functions/softmax_step.cc"
#include "hwy/foreach_target.h"  // must precede highway.h
#include "hwy/highway.h"

#include "core/simd_rows-inl.h"
#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr double kSmallest = 1e-300;

// omega + log omega = z  (Wright's function): a guess, made good by two steps of Fritsch, Shafer
// and Crowley (1973), each of which takes the error to its fourth power.
template <class D, class V>
HWY_INLINE V wright_omega(D d, V z) {
  const auto one = hn::Set(d, 1.0);
  const auto small = hn::Exp(d, hn::Min(z, one));
  const auto z_high = hn::Max(z, one);
  const auto log_z = hn::Log(d, z_high);
  const auto large = hn::Add(hn::Sub(z_high, log_z), hn::Div(log_z, z_high));
  const auto u = hn::Sub(z, one);  // Taylor about 1
  const auto middle = hn::MulAdd(u, hn::MulAdd(u, hn::Set(d, 0.0625), hn::Set(d, 0.5)), one);
  auto w = hn::IfThenElse(hn::Lt(z, hn::Set(d, -2.0)), small,
                          hn::IfThenElse(hn::Lt(z, hn::Set(d, 1.5)), middle, large));
  const auto tiny = hn::Lt(z, hn::Set(d, -36.0));  // omega = exp(z) to the last bit
  const auto z_safe = hn::IfThenElse(tiny, one, z);
  w = hn::IfThenElse(tiny, one, w);
  for (int step = 0; step < 2; ++step) {
    const auto r = hn::Sub(hn::Sub(z_safe, w), hn::Log(d, w));
    const auto w1 = hn::Add(w, one);
    const auto q = hn::MulAdd(r, hn::Set(d, 2.0 / 3.0), w1);
    const auto e = hn::Div(r, w1);
    const auto better = hn::Div(hn::NegMulAdd(e, hn::Set(d, 0.5), q), hn::Sub(q, e));
    w = hn::Mul(w, hn::MulAdd(e, better, one));
  }
  return hn::IfThenElse(tiny, small, w);
}

double log_sum_exp(const double* s, std::size_t stride) {
  const RowTag<double> d;
  const double high = row_max(s, stride);
  auto sum = hn::Zero(d);
  for (std::size_t k = 0; k < stride; k += hn::Lanes(d)) {
    sum = hn::Add(sum, hn::Exp(d, hn::Sub(hn::Load(d, s + k), hn::Set(d, high))));
  }
  return high + std::log(hn::GetLane(hn::SumOfLanes(d, sum)));
}

// sum mu (log mu - s), 0 where mu = 0; s may be null.
double cross_sum(const double* s, const double* mu, std::size_t stride) {
  const RowTag<double> d;
  const auto zero = hn::Zero(d);
  auto sum = zero;
  for (std::size_t k = 0; k < stride; k += hn::Lanes(d)) {
    const auto m = hn::Load(d, mu + k);
    auto term = hn::Log(d, hn::Max(m, hn::Set(d, kSmallest)));
    if (s != nullptr) term = hn::Sub(term, hn::Load(d, s + k));
    sum = hn::Add(sum, hn::IfThenElse(hn::Gt(m, zero), hn::Mul(m, term), zero));
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

double gap_of(const double* s, const double* mu, std::size_t stride) {
  return cross_sum(s, mu, stride) + log_sum_exp(s, stride);
}
double negative_entropy(const double* mu, std::size_t stride) {
  return cross_sum(nullptr, mu, stride);
}

// At the optimum  log mu + c mu = s + c old - nu =: t - nu,  so that  c mu = omega(t + log c - nu).
// What is left is to find the nu where the sum is 1, from the one that would leave mu as it is.  It
// is between  max (t - c)  and  max (t - c / labels) + log labels,  since no mu is above 1 and the
// largest not below 1 / labels.  The sum falls with nu, exponentially at first and then like a
// line: Newton on its logarithm while that stays between the bounds, which close in.
double step_of(const double* s, const double* c, double* mu, std::size_t stride) {
  constexpr int kMaxTrials = 100;
  constexpr double kPrecision = 1e-6;  // costs half its square times c, of the height
  const RowTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  double nu = -cross_sum(s, mu, stride);
  const double gap = log_sum_exp(s, stride) - nu;

  const auto labels = static_cast<double>(stride);  // or less
  const auto share = hn::Set(d, 1 / labels);
  auto least = hn::Set(d, -std::numeric_limits<double>::infinity()), most = least;
  auto largest_c = hn::Zero(d);
  for (std::size_t k = 0; k < stride; k += lanes) {
    const auto weight = hn::Load(d, c + k);
    const auto t = hn::MulAdd(weight, hn::Load(d, mu + k), hn::Load(d, s + k));
    least = hn::Max(least, hn::Sub(t, weight));
    most = hn::Max(most, hn::NegMulAdd(weight, share, t));
    largest_c = hn::Max(largest_c, weight);
  }
  double low = hn::GetLane(hn::MaxOfLanes(d, least));
  double high = hn::GetLane(hn::MaxOfLanes(d, most)) + std::log(labels);
  const double precision = kPrecision / std::sqrt(1 + hn::GetLane(hn::MaxOfLanes(d, largest_c)));
  if (!(nu > low && nu < high)) nu = 0.5 * (low + high);

  const auto value = [&](std::size_t k) HWY_ATTR {  // c mu
    const auto weight = hn::Load(d, c + k);
    const auto t = hn::MulAdd(weight, hn::Load(d, mu + k), hn::Load(d, s + k));
    return wright_omega(d, hn::Add(hn::Sub(t, hn::Set(d, nu)), hn::Log(d, weight)));
  };
  for (int trial = 0; trial < kMaxTrials; ++trial) {
    auto sum = hn::Zero(d), fall = hn::Zero(d);
    for (std::size_t k = 0; k < stride; k += lanes) {
      const auto omega = value(k);
      const auto m = hn::Div(omega, hn::Load(d, c + k));
      sum = hn::Add(sum, m);
      fall = hn::Add(fall, hn::Div(m, hn::Add(omega, hn::Set(d, 1.0))));
    }
    const double total = hn::GetLane(hn::SumOfLanes(d, sum));
    const double slope = hn::GetLane(hn::SumOfLanes(d, fall));
    if (std::abs(total - 1) < precision) break;
    (total > 1 ? low : high) = nu;
    double next = nu + std::log(total) * total / slope;
    if (!(next > low && next < high)) next = nu + (total - 1) / slope;  // cannot pass it from below
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (next == nu) break;
    nu = next;
  }
  auto sum = hn::Zero(d);
  for (std::size_t k = 0; k < stride; k += lanes) {
    const auto m = hn::Div(value(k), hn::Load(d, c + k));
    hn::Store(m, d, mu + k);
    sum = hn::Add(sum, m);
  }
  scale_row(mu, stride, 1 / hn::GetLane(hn::SumOfLanes(d, sum)));
  return gap;
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(step_of);
HWY_EXPORT(gap_of);
HWY_EXPORT(negative_entropy);

double softmax_step(const double* s, const double* c, double* mu, std::size_t stride) {
  return HWY_DYNAMIC_DISPATCH(step_of)(s, c, mu, stride);
}
double softmax_gap(const double* s, const double* mu, std::size_t stride) {
  return HWY_DYNAMIC_DISPATCH(gap_of)(s, mu, stride);
}
double entropy_of(const double* mu, std::size_t stride) {
  return -HWY_DYNAMIC_DISPATCH(negative_entropy)(mu, stride);
}

}  // namespace croft
#endif
