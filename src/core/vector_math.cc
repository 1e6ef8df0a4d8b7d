#include "core/vector_math.h"

#include <cassert>
#include <cmath>
#include <vector>

// The part up to HWY_ONCE is compiled once for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/vector_math.cc"
#include "hwy/foreach_target.h"  // must precede highway.h
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A register of doubles, whatever the storage.
template <class D>
HWY_INLINE hn::Vec<D> load(D d, const double* p) {
  return hn::LoadU(d, p);
}
template <class D>
HWY_INLINE hn::Vec<D> load(D d, const float* p) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), p));
}

template <class A, class B>
HWY_INLINE double dot_any(const A* a, const B* b, std::size_t size) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  // Four independent sums hide the latency of the additions.
  auto sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  std::size_t i = 0;
  for (; i + 4 * lanes <= size; i += 4 * lanes) {
    sum0 = hn::MulAdd(load(d, a + i), load(d, b + i), sum0);
    sum1 = hn::MulAdd(load(d, a + i + lanes), load(d, b + i + lanes), sum1);
    sum2 = hn::MulAdd(load(d, a + i + 2 * lanes), load(d, b + i + 2 * lanes), sum2);
    sum3 = hn::MulAdd(load(d, a + i + 3 * lanes), load(d, b + i + 3 * lanes), sum3);
  }
  for (; i + lanes <= size; i += lanes) sum0 = hn::MulAdd(load(d, a + i), load(d, b + i), sum0);
  double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3))));
  for (; i < size; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}
double dot_dd(const double* a, const double* b, std::size_t size) { return dot_any(a, b, size); }
double dot_ff(const float* a, const float* b, std::size_t size) { return dot_any(a, b, size); }
double dot_df(const double* a, const float* b, std::size_t size) { return dot_any(a, b, size); }

void dots_3(const float* x, const float* y, const double* v, const float* b, std::size_t size,
            double* out) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  auto x0 = hn::Zero(d), x1 = x0, y0 = x0, y1 = x0, v0 = x0, v1 = x0;
  std::size_t i = 0;
  for (; i + 2 * lanes <= size; i += 2 * lanes) {
    const std::size_t j = i + lanes;
    const auto b0 = load(d, b + i), b1 = load(d, b + j);
    x0 = hn::MulAdd(load(d, x + i), b0, x0);
    x1 = hn::MulAdd(load(d, x + j), b1, x1);
    y0 = hn::MulAdd(load(d, y + i), b0, y0);
    y1 = hn::MulAdd(load(d, y + j), b1, y1);
    v0 = hn::MulAdd(load(d, v + i), b0, v0);
    v1 = hn::MulAdd(load(d, v + j), b1, v1);
  }
  out[0] = hn::GetLane(hn::SumOfLanes(d, hn::Add(x0, x1)));
  out[1] = hn::GetLane(hn::SumOfLanes(d, hn::Add(y0, y1)));
  out[2] = hn::GetLane(hn::SumOfLanes(d, hn::Add(v0, v1)));
  for (; i < size; ++i) {
    const double bi = b[i];
    out[0] += static_cast<double>(x[i]) * bi;
    out[1] += static_cast<double>(y[i]) * bi;
    out[2] += v[i] * bi;
  }
}

template <class X>
HWY_INLINE void axpy_any(double scale, const X* x, double* y, std::size_t size) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto a = hn::Set(d, scale);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    hn::StoreU(hn::MulAdd(a, load(d, x + i), hn::LoadU(d, y + i)), d, y + i);
  }
  for (; i < size; ++i) y[i] += scale * static_cast<double>(x[i]);
}
void axpy_d(double scale, const double* x, double* y, std::size_t size) {
  axpy_any(scale, x, y, size);
}
void axpy_f(double scale, const float* x, double* y, std::size_t size) {
  axpy_any(scale, x, y, size);
}

void axpy_4(const double* scale, const float* const* x, double* y, std::size_t size) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto a0 = hn::Set(d, scale[0]), a1 = hn::Set(d, scale[1]);
  const auto a2 = hn::Set(d, scale[2]), a3 = hn::Set(d, scale[3]);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    auto sum = hn::MulAdd(a0, load(d, x[0] + i), hn::LoadU(d, y + i));
    sum = hn::MulAdd(a1, load(d, x[1] + i), sum);
    sum = hn::MulAdd(a2, load(d, x[2] + i), sum);
    hn::StoreU(hn::MulAdd(a3, load(d, x[3] + i), sum), d, y + i);
  }
  for (; i < size; ++i) {
    for (int k = 0; k < 4; ++k) y[i] += scale[k] * static_cast<double>(x[k][i]);
  }
}

double sum_abs_d(const double* a, std::size_t size) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  auto sum0 = hn::Zero(d), sum1 = sum0;
  std::size_t i = 0;
  for (; i + 2 * lanes <= size; i += 2 * lanes) {
    sum0 = hn::Add(sum0, hn::Abs(hn::LoadU(d, a + i)));
    sum1 = hn::Add(sum1, hn::Abs(hn::LoadU(d, a + i + lanes)));
  }
  double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0, sum1)));
  for (; i < size; ++i) sum += std::abs(a[i]);
  return sum;
}

std::size_t count_nonzero_d(const double* a, std::size_t size) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto zero = hn::Zero(d);
  std::size_t zeros = 0, i = 0;
  for (; i + lanes <= size; i += lanes) {
    zeros += hn::CountTrue(d, hn::Eq(hn::LoadU(d, a + i), zero));
  }
  for (; i < size; ++i) zeros += a[i] == 0;
  return size - zeros;
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(dot_dd);
HWY_EXPORT(dot_ff);
HWY_EXPORT(dot_df);
HWY_EXPORT(dots_3);
HWY_EXPORT(axpy_d);
HWY_EXPORT(axpy_f);
HWY_EXPORT(axpy_4);
HWY_EXPORT(sum_abs_d);
HWY_EXPORT(count_nonzero_d);

double dot(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  return HWY_DYNAMIC_DISPATCH(dot_dd)(a.data(), b.data(), a.size());
}
double dot(std::span<const float> a, std::span<const float> b) {
  assert(a.size() == b.size());
  return HWY_DYNAMIC_DISPATCH(dot_ff)(a.data(), b.data(), a.size());
}
double dot(std::span<const double> a, std::span<const float> b) {
  assert(a.size() == b.size());
  return HWY_DYNAMIC_DISPATCH(dot_df)(a.data(), b.data(), a.size());
}
std::array<double, 3> dots(std::span<const float> x, std::span<const float> y,
                           std::span<const double> v, std::span<const float> b) {
  assert(x.size() == b.size() && y.size() == b.size() && v.size() == b.size());
  std::array<double, 3> out;
  HWY_DYNAMIC_DISPATCH(dots_3)(x.data(), y.data(), v.data(), b.data(), b.size(), out.data());
  return out;
}
void axpy(double scale, std::span<const double> x, std::span<double> y) {
  assert(x.size() == y.size());
  HWY_DYNAMIC_DISPATCH(axpy_d)(scale, x.data(), y.data(), x.size());
}
void axpy(double scale, std::span<const float> x, std::span<double> y) {
  assert(x.size() == y.size());
  HWY_DYNAMIC_DISPATCH(axpy_f)(scale, x.data(), y.data(), x.size());
}
void axpy(const std::array<double, 4>& scale, const std::array<const float*, 4>& x,
          std::span<double> y) {
  HWY_DYNAMIC_DISPATCH(axpy_4)(scale.data(), x.data(), y.data(), y.size());
}
double sum_abs(std::span<const double> a) {
  return HWY_DYNAMIC_DISPATCH(sum_abs_d)(a.data(), a.size());
}
std::size_t count_nonzero(std::span<const double> a) {
  return HWY_DYNAMIC_DISPATCH(count_nonzero_d)(a.data(), a.size());
}

void for_blocks(ThreadPool& pool, std::size_t size,
                const std::function<void(std::size_t begin, std::size_t end)>& body) {
  if (size == 0) return;
  if (size <= kVectorBlock) return body(0, size);  // not worth waking anybody
  pool.run((size + kVectorBlock - 1) / kVectorBlock, [&](std::size_t block, std::size_t) {
    body(block * kVectorBlock, std::min((block + 1) * kVectorBlock, size));
  });
}

void sum_blocks(
    ThreadPool& pool, std::size_t size, std::span<double> totals,
    const std::function<void(std::size_t begin, std::size_t end, std::span<double> sums)>& body) {
  std::fill(totals.begin(), totals.end(), 0.0);
  if (size == 0) return;
  if (size <= kVectorBlock) return body(0, size, totals);
  const std::size_t blocks = (size + kVectorBlock - 1) / kVectorBlock;
  std::vector<std::vector<double>> partial(pool.threads(), std::vector<double>(totals.size()));
  pool.run_ordered(
      blocks,
      [&](std::size_t block, std::size_t worker) {
        std::fill(partial[worker].begin(), partial[worker].end(), 0.0);
        body(block * kVectorBlock, std::min((block + 1) * kVectorBlock, size), partial[worker]);
      },
      [&](std::size_t, std::size_t worker) {
        for (std::size_t i = 0; i < totals.size(); ++i) totals[i] += partial[worker][i];
      });
}

double sum_blocks(ThreadPool& pool, std::size_t size,
                  const std::function<double(std::size_t begin, std::size_t end)>& body) {
  double total = 0;
  sum_blocks(pool, size, std::span(&total, 1),
             [&](std::size_t begin, std::size_t end, std::span<double> sums) {
               sums[0] += body(begin, end);
             });
  return total;
}

OwnBlocks::OwnBlocks(Ranks& others, std::size_t numbers, std::size_t from)
    : partners(others), size(numbers), begin(0), end(numbers) {
  if (partners.alone() || size < from) return;
  const std::size_t blocks = (size + kVectorBlock - 1) / kVectorBlock;
  const auto first_of = [&](std::size_t rank) {
    return std::min(blocks * rank / partners.size() * kVectorBlock, size);
  };
  begin = first_of(partners.rank());
  end = first_of(partners.rank() + 1);
}

void sum_blocks(
    ThreadPool& pool, const OwnBlocks& own, std::span<double> totals,
    const std::function<void(std::size_t begin, std::size_t end, std::span<double> sums)>& body) {
  if (own.all()) return sum_blocks(pool, own.size, totals, body);
  const std::size_t blocks = (own.length() + kVectorBlock - 1) / kVectorBlock;
  std::vector<double> here(blocks * totals.size());
  pool.run(blocks, [&](std::size_t block, std::size_t) {
    const std::size_t from = own.begin + block * kVectorBlock;
    body(from, std::min(from + kVectorBlock, own.end),
         std::span(here).subspan(block * totals.size(), totals.size()));
  });
  std::ranges::fill(totals, 0.0);
  const std::vector<double> all = lists_of_all(own.partners, here);
  for (std::size_t k = 0; k < all.size(); ++k) totals[k % totals.size()] += all[k];
}

double sum_blocks(ThreadPool& pool, const OwnBlocks& own,
                  const std::function<double(std::size_t begin, std::size_t end)>& body) {
  double total = 0;
  sum_blocks(pool, own, std::span(&total, 1),
             [&](std::size_t begin, std::size_t end, std::span<double> sums) {
               sums[0] += body(begin, end);
             });
  return total;
}

void join_blocks(const OwnBlocks& own, std::span<float> vector) {
  if (own.all()) return;
  const auto* here = reinterpret_cast<const char*>(vector.data() + own.begin);
  auto* to = reinterpret_cast<char*>(vector.data());
  for (const std::string& part : own.partners.gather({here, own.length() * sizeof(float)})) {
    to = std::copy(part.begin(), part.end(), to);
  }
}

}  // namespace croft
#endif  // HWY_ONCE
