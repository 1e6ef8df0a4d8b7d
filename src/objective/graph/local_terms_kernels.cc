// Compiled once for each SIMD target.
#include "objective/graph/local_terms_kernels.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "objective/graph/local_terms_kernels.cc"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 8>;
constexpr double kCutoff = -700;  // exp of less is 0 here

// exp(v) for v <= 0.
template <class V>
HWY_INLINE V exp_of(V v) {
  const Tag d;
  const auto low = hn::Set(d, kCutoff);
  return hn::IfThenElseZero(hn::Gt(v, low), hn::Exp(d, hn::Max(v, low)));
}

// Up to 256 vectors: the product of their 1 + e <= 2 fits a double.
template <bool kCounts>
HWY_INLINE double logistic_block(double* at, const double* count, std::size_t n) {
  const Tag d;
  const auto zero = hn::Zero(d), one = hn::Set(d, 1.0);
  auto sum = zero, product = one;
  for (std::size_t k = 0; k < n; k += hn::Lanes(d)) {
    const auto x = hn::LoadU(d, at + k);
    const auto e = exp_of(hn::Neg(hn::Abs(x)));
    const auto whole = hn::Add(one, e);
    auto p = hn::Div(hn::IfThenElse(hn::Gt(x, zero), one, e), whole);
    if constexpr (kCounts) {
      const auto c = hn::LoadU(d, count + k);
      p = hn::Mul(c, p);
      sum = hn::MulAdd(c, hn::Add(hn::Max(x, zero), hn::Log1p(d, e)), sum);
    } else {
      sum = hn::Add(sum, hn::Max(x, zero));
      product = hn::Mul(product, whole);
    }
    hn::StoreU(p, d, at + k);
  }
  if constexpr (!kCounts) sum = hn::Add(sum, hn::Log(d, product));
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

template <bool kCounts>
HWY_INLINE double logistic_of(double* at, const double* count, std::size_t n) {
  const std::size_t lanes = hn::Lanes(Tag()), block = 256 * lanes, whole = n / lanes * lanes;
  double sum = 0;
  for (std::size_t k = 0; k < whole; k += block) {
    sum +=
        logistic_block<kCounts>(at + k, kCounts ? count + k : nullptr, std::min(block, whole - k));
  }
  if (whole == n) return sum;
  // The rest beside terms that add log 2 each, or nothing.
  double rest[8]{}, counts[8]{};
  std::copy(at + whole, at + n, rest);
  for (std::size_t k = whole; k < n; ++k) counts[k - whole] = kCounts ? count[k] : 1;
  sum += logistic_block<true>(rest, counts, lanes);
  std::copy_n(rest, n - whole, at + whole);
  return sum;
}
double logistic_all(double* at, const double* count, std::size_t n) {
  return count == nullptr ? logistic_of<false>(at, count, n) : logistic_of<true>(at, count, n);
}

double softmax_all(double* s, std::size_t n, double scale) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d), whole = n / lanes * lanes;
  const double high = *std::max_element(s, s + n);
  const auto shift = hn::Set(d, high);
  auto total = hn::Zero(d);
  for (std::size_t k = 0; k < whole; k += lanes) {
    const auto e = exp_of(hn::Sub(hn::LoadU(d, s + k), shift));
    total = hn::Add(total, e);
    hn::StoreU(e, d, s + k);
  }
  double sum = hn::GetLane(hn::SumOfLanes(d, total));
  if (whole < n) {
    double rest[8];
    std::fill_n(rest, lanes, 2 * kCutoff + high);
    std::copy(s + whole, s + n, rest);
    const auto e = exp_of(hn::Sub(hn::LoadU(d, rest), shift));
    sum += hn::GetLane(hn::SumOfLanes(d, e));
    hn::StoreU(e, d, rest);
    std::copy_n(rest, n - whole, s + whole);
  }
  const double factor = scale / sum;
  for (std::size_t k = 0; k < n; ++k) s[k] *= factor;
  return high + std::log(sum);
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(logistic_all);
HWY_EXPORT(softmax_all);

double logistic(std::span<double> d, std::span<const double> count) {
  return HWY_DYNAMIC_DISPATCH(logistic_all)(d.data(), count.empty() ? nullptr : count.data(),
                                            d.size());
}
double softmax(double* s, std::size_t n, double scale) {
  return HWY_DYNAMIC_DISPATCH(softmax_all)(s, n, scale);
}

}  // namespace croft
#endif
