#include "model/product_kernels.h"

#include <algorithm>
#include <cassert>

// The part up to HWY_ONCE is compiled once for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/product_kernels.cc"
#include "hwy/foreach_target.h"  // must precede highway.h
#include "hwy/highway.h"

#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A vector's length of numbers, the last one filled up with zeros.
struct LastProducts {
  HWY_ALIGN float numbers[16] = {};
  LastProducts(const float* from, std::size_t count) { std::copy_n(from, count, numbers); }
};

// Four vectors of sums stay in registers for all of x.
void tile_products_any(const SparseTerm* x, std::size_t terms, const float* tile, float* out) {
  const hn::CappedTag<float, 16> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t q = 0; q < kTile; q += 4 * lanes) {
    auto sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0;
    for (std::size_t k = 0; k < terms; ++k) {
      const float* at = tile + x[k].attribute * kTile + q;
      const auto value = hn::Set(d, x[k].value);
      sum0 = hn::MulAdd(value, hn::Load(d, at), sum0);
      sum1 = hn::MulAdd(value, hn::Load(d, at + lanes), sum1);
      sum2 = hn::MulAdd(value, hn::Load(d, at + 2 * lanes), sum2);
      sum3 = hn::MulAdd(value, hn::Load(d, at + 3 * lanes), sum3);
    }
    hn::StoreU(sum0, d, out + q);
    hn::StoreU(sum1, d, out + q + lanes);
    hn::StoreU(sum2, d, out + q + 2 * lanes);
    hn::StoreU(sum3, d, out + q + 3 * lanes);
  }
}

void rbf(float gamma, float own, const float* norm, float* out, std::size_t size) {
  const hn::CappedTag<float, 16> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto minus = hn::Set(d, -gamma), self = hn::Set(d, own), two = hn::Set(d, 2.0f);
  const auto of = [&](const float* products, const float* norms) {
    const auto squares = hn::Add(self, hn::LoadU(d, norms));
    const auto distance = hn::Max(hn::NegMulAdd(two, hn::LoadU(d, products), squares), hn::Zero(d));
    return hn::Exp(d, hn::Mul(minus, distance));
  };
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) hn::StoreU(of(out + i, norm + i), d, out + i);
  if (i == size) return;
  LastProducts tail(out + i, size - i);
  const LastProducts norms(norm + i, size - i);
  hn::Store(of(tail.numbers, norms.numbers), d, tail.numbers);
  std::copy_n(tail.numbers, size - i, out + i);
}

void power(float scale, float offset, unsigned degree, float* out, std::size_t size) {
  const hn::CappedTag<float, 16> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto a = hn::Set(d, scale), c = hn::Set(d, offset);
  const auto of = [&](const float* products) {
    const auto base = hn::MulAdd(a, hn::LoadU(d, products), c);
    auto result = base;
    for (unsigned k = 1; k < degree; ++k) result = hn::Mul(result, base);
    return result;
  };
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) hn::StoreU(of(out + i), d, out + i);
  if (i == size) return;
  LastProducts tail(out + i, size - i);
  hn::Store(of(tail.numbers), d, tail.numbers);
  std::copy_n(tail.numbers, size - i, out + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(tile_products_any);
HWY_EXPORT(rbf);
HWY_EXPORT(power);

void tile_products(std::span<const SparseTerm> x, const float* tile, float* out) {
  HWY_DYNAMIC_DISPATCH(tile_products_any)(x.data(), x.size(), tile, out);
}

void rbf_of_products(double gamma, float own, std::span<const float> norm, std::span<float> out) {
  assert(norm.size() == out.size());
  HWY_DYNAMIC_DISPATCH(rbf)(static_cast<float>(gamma), own, norm.data(), out.data(), out.size());
}

void power_of_products(float scale, float offset, unsigned degree, std::span<float> out) {
  HWY_DYNAMIC_DISPATCH(power)(scale, offset, degree, out.data(), out.size());
}

}  // namespace croft
#endif
