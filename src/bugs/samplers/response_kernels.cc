#include "bugs/samplers/response_kernels.h"

#include <cmath>
#include <iterator>
#include <limits>

// The part up to HWY_ONCE is compiled once for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bugs/samplers/response_kernels.cc"
#include "hwy/foreach_target.h"  // must precede highway.h
#include "hwy/highway.h"
// clang-format off
#include "hwy/contrib/math/math-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace croft::bugs {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

struct Value {
  V value, slope;
};

// a eta - b e^eta
struct Power {
  static HWY_INLINE Value both(D d, V eta, V a, V b) {
    const V e = hn::Mul(b, hn::Exp(d, hn::Min(eta, hn::Set(d, 700.0))));
    return {hn::Sub(hn::Mul(a, eta), e), hn::Sub(a, e)};
  }
  static HWY_INLINE V value(D d, V eta, V a, V b) { return both(d, eta, a, b).value; }
  static HWY_INLINE V slope(D d, V eta, V a, V b) { return both(d, eta, a, b).slope; }
};

// a eta - b (max(eta, 0) + ln(1 + e^-|eta|))
struct Logit {
  static HWY_INLINE V small(D d, V eta) { return hn::Exp(d, hn::Neg(hn::Abs(eta))); }
  static HWY_INLINE V value_of(D d, V eta, V a, V b, V e) {
    const V positive = hn::Max(eta, hn::Zero(d));
    return hn::Sub(hn::Mul(a, eta), hn::Mul(b, hn::Add(positive, hn::Log1p(d, e))));
  }
  static HWY_INLINE V slope_of(D d, V eta, V a, V b, V e) {
    const V one = hn::Set(d, 1.0);
    const V above = hn::IfThenElse(hn::Gt(eta, hn::Zero(d)), one, e);
    return hn::Sub(a, hn::Mul(b, hn::Div(above, hn::Add(one, e))));
  }
  static HWY_INLINE Value both(D d, V eta, V a, V b) {
    const V e = small(d, eta);
    return {value_of(d, eta, a, b, e), slope_of(d, eta, a, b, e)};
  }
  static HWY_INLINE V value(D d, V eta, V a, V b) { return value_of(d, eta, a, b, small(d, eta)); }
  static HWY_INLINE V slope(D d, V eta, V a, V b) { return slope_of(d, eta, a, b, small(d, eta)); }
};

template <class Kind>
HWY_INLINE double values(const ResponseArrays& r, std::size_t count, std::size_t* done) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  V sum = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    sum = hn::Add(
        sum, Kind::value(d, hn::LoadU(d, r.eta + i), hn::LoadU(d, r.a + i), hn::LoadU(d, r.b + i)));
  *done = i;
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

template <class Kind>
HWY_INLINE double remainders(const ResponseArrays& r, std::size_t count, std::size_t* done) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const V half = hn::Set(d, 0.5);
  V sum = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const V eta = hn::LoadU(d, r.eta + i), beta = hn::LoadU(d, r.beta + i);
    const Value at = Kind::both(d, eta, hn::LoadU(d, r.a + i), hn::LoadU(d, r.b + i));
    const V pull = hn::Mul(hn::LoadU(d, r.w + i), eta);
    sum = hn::Add(sum, hn::Add(at.value, hn::Mul(hn::Sub(hn::Mul(half, pull), beta), eta)));
    hn::StoreU(hn::Add(at.slope, hn::Sub(pull, beta)), d, r.slope + i);
  }
  *done = i;
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

template <class Kind>
HWY_INLINE double slopes(const ResponseArrays& r, std::size_t count, std::size_t* done) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const V eta = hn::LoadU(d, r.eta + i);
    const V slope = Kind::slope(d, eta, hn::LoadU(d, r.a + i), hn::LoadU(d, r.b + i));
    const V pull = hn::Sub(hn::Mul(hn::LoadU(d, r.w + i), eta), hn::LoadU(d, r.beta + i));
    hn::StoreU(hn::Add(slope, pull), d, r.slope + i);
  }
  *done = i;
  return 0;
}

double power_values(const ResponseArrays& r, std::size_t count, std::size_t* done) {
  return values<Power>(r, count, done);
}
double power_remainders(const ResponseArrays& r, std::size_t count, std::size_t* done) {
  return remainders<Power>(r, count, done);
}
double logit_values(const ResponseArrays& r, std::size_t count, std::size_t* done) {
  return values<Logit>(r, count, done);
}
double logit_remainders(const ResponseArrays& r, std::size_t count, std::size_t* done) {
  return remainders<Logit>(r, count, done);
}
double logit_slopes(const ResponseArrays& r, std::size_t count, std::size_t* done) {
  return slopes<Logit>(r, count, done);
}

// Coefficients of (1 + z) e^(z^2/2) P(Z > z) as a polynomial in (z - 5) / (z + 5): its Chebyshev
// series over z >= 0, which ends below the last digit.
constexpr double kNormalTail[] = {
    0.46151582985003775,    -0.09155228183400904,  0.031030368425963708,    0.010002352385229382,
    -0.026401042966308307,  0.024536963243678652,  -0.015170415402514861,   0.006522000667783905,
    -0.0016760723445544883, 7.791597409280557e-06, 0.0001823341451165298,   -5.360758111461665e-05,
    -9.89609775956254e-06,  9.059824680542602e-06, -7.034644627625645e-08,  -1.3074486006221233e-06,
    1.2787822111407306e-07, 1.962780976606583e-07, -2.6286204537426153e-08, -3.095201641831558e-08,
    3.62737292038489e-09,   4.401159143897523e-09, -2.8220767692307667e-10, -3.815815391038302e-10};

// P(Z > z), z >= 0.
template <class Tag>
HWY_INLINE hn::Vec<Tag> normal_tail(Tag d, hn::Vec<Tag> z) {
  z = hn::Min(z, hn::Set(d, 1e3));
  const auto five = hn::Set(d, 5.0);
  const auto t = hn::Div(hn::Sub(z, five), hn::Add(z, five));
  auto sum = hn::Set(d, kNormalTail[std::size(kNormalTail) - 1]);
  for (std::size_t k = std::size(kNormalTail) - 1; k-- > 0;)
    sum = hn::MulAdd(sum, t, hn::Set(d, kNormalTail[k]));
  const auto e = hn::Exp(d, hn::Mul(hn::Set(d, -0.5), hn::Mul(z, z)));
  return hn::Mul(e, hn::Div(sum, hn::Add(z, hn::Set(d, 1.0))));
}

double normal_intervals(const IntervalArrays& r, std::size_t count) {
  const hn::CappedTag<double, kIntervalLanes> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto zero = hn::Zero(d), one = hn::Set(d, 1.0);
  auto sum = zero;
  for (std::size_t i = 0; i < count; i += lanes) {
    const auto mu = hn::LoadU(d, r.mu + i), scale = hn::Sqrt(hn::LoadU(d, r.tau + i));
    const auto low = hn::Mul(hn::Sub(hn::LoadU(d, r.lower + i), mu), scale);
    const auto high = hn::Mul(hn::Sub(hn::LoadU(d, r.upper + i), mu), scale);
    // So that 0 or the upper tail is between them.
    const auto flip = hn::Lt(hn::Add(low, high), zero);
    const auto a = hn::IfThenElse(flip, hn::Neg(high), low);
    const auto b = hn::IfThenElse(flip, hn::Neg(low), high);
    const auto tail_a = normal_tail(d, hn::Abs(a)), tail_b = normal_tail(d, hn::Max(b, zero));
    const auto above = hn::IfThenElse(hn::Lt(a, zero), hn::Sub(one, tail_a), tail_a);
    const auto p = hn::Sub(above, tail_b);
    // Not where the difference has lost its digits, or is none.
    const auto small = hn::Max(hn::Mul(tail_a, hn::Set(d, 1e-3)), hn::Set(d, 1e-290));
    if (!hn::AllTrue(d, hn::Gt(p, small))) return std::numeric_limits<double>::quiet_NaN();
    sum = hn::MulAdd(hn::LoadU(d, r.weight + i), hn::Log(d, p), sum);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

void exponentials(const double* x, double* out, std::size_t count) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const V at = hn::LoadU(d, x + i);
    const V e = hn::Exp(d, hn::Min(at, hn::Set(d, 700.0)));
    // Beyond what the kernel knows: as std::exp.
    const auto large = hn::Gt(at, hn::Set(d, 700.0));
    hn::StoreU(e, d, out + i);
    if (!hn::AllFalse(d, large)) {
      double lane[HWY_MAX_BYTES / sizeof(double)];
      hn::StoreU(at, d, lane);
      for (std::size_t k = 0; k < lanes; ++k)
        if (lane[k] > 700) out[i + k] = std::exp(lane[k]);
    }
  }
  for (; i < count; ++i) out[i] = std::exp(x[i]);
}

void logistics(const double* x, double* out, std::size_t count) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const V one = hn::Set(d, 1.0);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const V at = hn::LoadU(d, x + i);
    const V e = Logit::small(d, at);
    const V above = hn::IfThenElse(hn::Gt(at, hn::Zero(d)), one, e);
    hn::StoreU(hn::Div(above, hn::Add(one, e)), d, out + i);
  }
  for (; i < count; ++i) {
    const double e = std::exp(-std::fabs(x[i]));
    out[i] = (x[i] > 0 ? 1 : e) / (1 + e);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace croft::bugs
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft::bugs {

HWY_EXPORT(exponentials);
HWY_EXPORT(logistics);
HWY_EXPORT(power_values);
HWY_EXPORT(power_remainders);
HWY_EXPORT(logit_values);
HWY_EXPORT(logit_remainders);
HWY_EXPORT(logit_slopes);
HWY_EXPORT(normal_intervals);

void exponentials(const double* x, double* out, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(exponentials)(x, out, count);
}
void logistics(const double* x, double* out, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(logistics)(x, out, count);
}
double power_values(const ResponseArrays& r, std::size_t count, std::size_t* done) {
  return HWY_DYNAMIC_DISPATCH(power_values)(r, count, done);
}
double power_remainders(const ResponseArrays& r, std::size_t count, std::size_t* done) {
  return HWY_DYNAMIC_DISPATCH(power_remainders)(r, count, done);
}
double logit_values(const ResponseArrays& r, std::size_t count, std::size_t* done) {
  return HWY_DYNAMIC_DISPATCH(logit_values)(r, count, done);
}
double logit_remainders(const ResponseArrays& r, std::size_t count, std::size_t* done) {
  return HWY_DYNAMIC_DISPATCH(logit_remainders)(r, count, done);
}
double logit_slopes(const ResponseArrays& r, std::size_t count, std::size_t* done) {
  return HWY_DYNAMIC_DISPATCH(logit_slopes)(r, count, done);
}
double normal_intervals(const IntervalArrays& intervals, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(normal_intervals)(intervals, count);
}

}  // namespace croft::bugs
#endif  // HWY_ONCE
