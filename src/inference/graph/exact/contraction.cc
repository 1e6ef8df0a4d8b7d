// Compiled once for each SIMD target.
#include "inference/graph/exact/contraction.h"

#include <algorithm>
#include <array>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "inference/graph/exact/contraction.cc"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 8>;
using V = hn::Vec<Tag>;

HWY_INLINE V load_some(const double* p, std::size_t left) {
  const Tag d;
  return hn::MaskedLoad(hn::FirstN(d, left), d, p);
}
HWY_INLINE void store_some(V v, double* p, std::size_t left) {
  const Tag d;
  hn::BlendedStore(v, hn::FirstN(d, left), d, p);
}

// visit(load, store, place) for each vector of n numbers.
template <class Visit>
HWY_INLINE void for_vectors(std::size_t n, const Visit& visit) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    visit([&](const double* p) { return hn::LoadU(d, p + j); },
          [&](V v, double* p) { hn::StoreU(v, d, p + j); });
  }
  if (j == n) return;
  visit([&](const double* p) { return load_some(p + j, n - j); },
        [&](V v, double* p) { store_some(v, p + j, n - j); });
}

using Loop = ContractionLoop;

// out[j] += sum_k a[k] b[k][j], four k at once where out is the same for all of them.
HWY_INLINE void axpy_block(const Loop& k, const Loop& j, const double* a, const double* b,
                           double* out) {
  const Tag d;
  const std::size_t n = j.extent;
  std::size_t i = 0;
  if (k.out == 0) {
    for (; i + 4 <= k.extent; i += 4) {
      const double *a0 = a + i * k.a, *b0 = b + i * k.b, *b1 = b0 + k.b, *b2 = b1 + k.b,
                   *b3 = b2 + k.b;
      const V c0 = hn::Set(d, a0[0]), c1 = hn::Set(d, a0[k.a]), c2 = hn::Set(d, a0[2 * k.a]),
              c3 = hn::Set(d, a0[3 * k.a]);
      for_vectors(n, [&](const auto& load, const auto& store) {
        const V low = hn::MulAdd(c1, load(b1), hn::MulAdd(c0, load(b0), load(out)));
        store(hn::Add(low, hn::MulAdd(c3, load(b3), hn::Mul(c2, load(b2)))), out);
      });
    }
  }
  for (; i < k.extent; ++i) {
    const V c = hn::Set(d, a[i * k.a]);
    const double* from = b + i * k.b;
    double* to = out + i * k.out;
    for_vectors(n, [&](const auto& load, const auto& store) {
      store(hn::MulAdd(c, load(from), load(to)), to);
    });
  }
}

// A product of matrices: out[i][j] += sum_k a[i][k] b[k][j], four i and three vectors of j at once,
// which stay in registers.
template <bool kWhole>
HWY_INLINE void matrix_tile(const Loop& i, const Loop& k, const double* a, const double* b,
                            double* out, std::size_t left) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  const auto some = hn::FirstN(d, left - (kWhole ? 0 : 2 * lanes));
  const auto last = [&](const double* p) {
    return kWhole ? hn::LoadU(d, p) : hn::MaskedLoad(some, d, p);
  };
  const double *a1 = a + i.a, *a2 = a1 + i.a, *a3 = a2 + i.a;
  V s00 = hn::Zero(d), s01 = s00, s02 = s00, s10 = s00, s11 = s00, s12 = s00, s20 = s00, s21 = s00,
    s22 = s00, s30 = s00, s31 = s00, s32 = s00;
  for (std::size_t n = 0; n < k.extent; ++n, b += k.b) {
    const V b0 = hn::LoadU(d, b), b1 = hn::LoadU(d, b + lanes), b2 = last(b + 2 * lanes);
    const std::size_t at = n * k.a;
    const V c0 = hn::Set(d, a[at]), c1 = hn::Set(d, a1[at]), c2 = hn::Set(d, a2[at]),
            c3 = hn::Set(d, a3[at]);
    s00 = hn::MulAdd(c0, b0, s00), s01 = hn::MulAdd(c0, b1, s01), s02 = hn::MulAdd(c0, b2, s02);
    s10 = hn::MulAdd(c1, b0, s10), s11 = hn::MulAdd(c1, b1, s11), s12 = hn::MulAdd(c1, b2, s12);
    s20 = hn::MulAdd(c2, b0, s20), s21 = hn::MulAdd(c2, b1, s21), s22 = hn::MulAdd(c2, b2, s22);
    s30 = hn::MulAdd(c3, b0, s30), s31 = hn::MulAdd(c3, b1, s31), s32 = hn::MulAdd(c3, b2, s32);
  }
  const auto add = [&](double* to, V x, V y, V z) {
    hn::StoreU(hn::Add(hn::LoadU(d, to), x), d, to);
    hn::StoreU(hn::Add(hn::LoadU(d, to + lanes), y), d, to + lanes);
    double* end = to + 2 * lanes;
    if constexpr (kWhole) {
      hn::StoreU(hn::Add(hn::LoadU(d, end), z), d, end);
    } else {
      hn::BlendedStore(hn::Add(last(end), z), some, d, end);
    }
  };
  add(out, s00, s01, s02);
  add(out + i.out, s10, s11, s12);
  add(out + 2 * std::size_t{i.out}, s20, s21, s22);
  add(out + 3 * std::size_t{i.out}, s30, s31, s32);
}

HWY_INLINE void matrix_block(const Loop& i, const Loop& k, const Loop& j, const double* a,
                             const double* b, double* out) {
  const std::size_t wide = 3 * hn::Lanes(Tag());
  const std::size_t tiled = i.extent / 4 * 4;
  std::size_t from = 0;
  // The last tile has a part of its last vector, or less than three vectors are left.
  for (; from + wide - hn::Lanes(Tag()) < j.extent; from += wide) {
    const std::size_t left = j.extent - from;
    for (std::size_t n = 0; n < tiled; n += 4) {
      const double* rows = a + n * i.a;
      double* to = out + n * i.out + from;
      if (left >= wide) {
        matrix_tile<true>(i, k, rows, b + from, to, left);
      } else {
        matrix_tile<false>(i, k, rows, b + from, to, left);
      }
    }
  }
  from = std::min<std::size_t>(from, j.extent);
  Loop rest = j;
  rest.extent -= static_cast<std::uint32_t>(from);
  for (std::size_t n = 0; n < tiled && rest.extent > 0; ++n) {
    axpy_block(k, rest, a + n * i.a, b + from, out + n * i.out + from);
  }
  for (std::size_t n = tiled; n < i.extent; ++n) {
    axpy_block(k, j, a + n * i.a, b, out + n * i.out);
  }
}

HWY_INLINE void multiply_block(const Loop& k, const Loop& j, const double* a, const double* b,
                               double* out) {
  for (std::size_t i = 0; i < k.extent; ++i) {
    const double *one = a + i * k.a, *other = b + i * k.b;
    double* to = out + i * k.out;
    for_vectors(j.extent, [&](const auto& load, const auto& store) {
      store(hn::MulAdd(load(one), load(other), load(to)), to);
    });
  }
}

HWY_INLINE void dot_block(const Loop& k, const Loop& j, const double* a, const double* b,
                          double* out) {
  const Tag d;
  std::size_t i = 0;
  for (; i + 4 <= k.extent; i += 4) {
    const double *a0 = a + i * k.a, *b0 = b + i * k.b;
    V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    for_vectors(j.extent, [&](const auto& load, const auto&) {
      s0 = hn::MulAdd(load(a0), load(b0), s0);
      s1 = hn::MulAdd(load(a0 + k.a), load(b0 + k.b), s1);
      s2 = hn::MulAdd(load(a0 + 2 * k.a), load(b0 + 2 * k.b), s2);
      s3 = hn::MulAdd(load(a0 + 3 * k.a), load(b0 + 3 * k.b), s3);
    });
    double* to = out + i * k.out;
    to[0] += hn::GetLane(hn::SumOfLanes(d, s0));
    to[k.out] += hn::GetLane(hn::SumOfLanes(d, s1));
    to[2 * k.out] += hn::GetLane(hn::SumOfLanes(d, s2));
    to[3 * k.out] += hn::GetLane(hn::SumOfLanes(d, s3));
  }
  for (; i < k.extent; ++i) {
    V sum = hn::Zero(d);
    for_vectors(j.extent, [&](const auto& load, const auto&) {
      sum = hn::MulAdd(load(a + i * k.a), load(b + i * k.b), sum);
    });
    out[i * k.out] += hn::GetLane(hn::SumOfLanes(d, sum));
  }
}

HWY_INLINE void general_block(const Loop& k, const Loop& j, const double* a, const double* b,
                              double* out) {
  for (std::size_t i = 0; i < k.extent; ++i) {
    const double *one = a + i * k.a, *other = b + i * k.b;
    double* to = out + i * k.out;
    if (j.out == 0) {
      double sum = 0;
      for (std::size_t n = 0; n < j.extent; ++n) sum += one[n * j.a] * other[n * j.b];
      *to += sum;
    } else {
      for (std::size_t n = 0; n < j.extent; ++n) to[n * j.out] += one[n * j.a] * other[n * j.b];
    }
  }
}

// block(place in a, in b, in out) for each state of the outer loops.
template <class Block>
HWY_INLINE void for_outer(std::span<const Loop> outer, const Block& block) {
  if (outer.empty()) return block(0, 0, 0);
  std::array<std::uint32_t, 64> at{};
  std::size_t a = 0, b = 0, out = 0;
  while (true) {
    block(a, b, out);
    std::size_t k = outer.size();
    for (; k > 0; --k) {
      const Loop& loop = outer[k - 1];
      a += loop.a, b += loop.b, out += loop.out;
      if (++at[k - 1] < loop.extent) break;
      at[k - 1] = 0;
      a -= std::size_t{loop.a} * loop.extent;
      b -= std::size_t{loop.b} * loop.extent;
      out -= std::size_t{loop.out} * loop.extent;
    }
    if (k == 0) return;
  }
}

void contract_all(ContractionKind kind, std::span<const Loop> loops, const double* a,
                  const double* b, double* out) {
  const Loop &k = loops[loops.size() - 2], &j = loops.back();
  if (kind == ContractionKind::matrix) {
    const Loop& i = loops[loops.size() - 3];
    return for_outer(loops.first(loops.size() - 3),
                     [&](std::size_t at_a, std::size_t at_b, std::size_t at_out) {
                       matrix_block(i, k, j, a + at_a, b + at_b, out + at_out);
                     });
  }
  const auto outer = loops.first(loops.size() - 2);
  const auto run = [&](const auto& block) {
    for_outer(outer, [&](std::size_t at_a, std::size_t at_b, std::size_t at_out) {
      block(k, j, a + at_a, b + at_b, out + at_out);
    });
  };
  switch (kind) {
    case ContractionKind::axpy:
      return run([](const auto&... all) { axpy_block(all...); });
    case ContractionKind::multiply:
      return run([](const auto&... all) { multiply_block(all...); });
    case ContractionKind::dot:
      return run([](const auto&... all) { dot_block(all...); });
    case ContractionKind::matrix:
    case ContractionKind::general:
      return run([](const auto&... all) { general_block(all...); });
  }
}

NumberRange find_range(const double* x, std::size_t n) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  NumberRange range{x[0], x[0]};
  std::size_t j = 0;
  if (n >= lanes) {
    V high = hn::LoadU(d, x), low = high;
    for (j = lanes; j + lanes <= n; j += lanes) {
      const V v = hn::LoadU(d, x + j);
      high = hn::Max(high, v);
      low = hn::Min(low, v);
    }
    range = {hn::GetLane(hn::MaxOfLanes(d, high)), hn::GetLane(hn::MinOfLanes(d, low))};
  }
  for (; j < n; ++j) range = {std::max(range.high, x[j]), std::min(range.low, x[j])};
  return range;
}

void scale_all(double* x, std::size_t n, double factor) {
  const Tag d;
  const V c = hn::Set(d, factor);
  for_vectors(n, [&](const auto& load, const auto& store) { store(hn::Mul(c, load(x)), x); });
}

void exp_all(double* x, std::size_t n, double shift) {
  const Tag d;
  const V high = hn::Set(d, shift);
  for_vectors(n, [&](const auto& load, const auto& store) {
    store(hn::Exp(d, hn::Sub(load(x), high)), x);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(contract_all);
HWY_EXPORT(find_range);
HWY_EXPORT(scale_all);
HWY_EXPORT(exp_all);

namespace {

bool beside(std::uint32_t stride) { return stride <= 1; }

ContractionKind kind_of(const ContractionLoop& j) {
  if (!beside(j.a) || !beside(j.b) || !beside(j.out)) return ContractionKind::general;
  if (j.a + j.b == 2) return j.out == 1 ? ContractionKind::multiply : ContractionKind::dot;
  return j.a + j.b == 1 && j.out == 1 ? ContractionKind::axpy : ContractionKind::general;
}

// One loop in the place of two that are gone through like one.
void merge(std::vector<ContractionLoop>& loops) {
  const auto follows = [](const ContractionLoop& outer, const ContractionLoop& inner) {
    const auto fits = [&](std::uint32_t far, std::uint32_t near) {
      return far == near * inner.extent;
    };
    return fits(outer.a, inner.a) && fits(outer.b, inner.b) && fits(outer.out, inner.out);
  };
  for (std::size_t i = 0; i < loops.size(); ++i) {
    for (std::size_t k = 0; k < loops.size(); ++k) {
      if (i == k || !follows(loops[i], loops[k])) continue;
      loops[k].extent *= loops[i].extent;
      loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(i));
      i = static_cast<std::size_t>(-1);  // from the beginning
      break;
    }
  }
}

// The last of them becomes the one that `better` likes most.
template <class Better>
void put_last(std::span<ContractionLoop> loops, const Better& better) {
  if (loops.empty()) return;
  std::iter_swap(std::ranges::max_element(loops, better), loops.end() - 1);
}

}  // namespace

Contraction arrange(std::vector<ContractionLoop> loops, std::vector<ContractionLoop>& list) {
  merge(loops);
  put_last(std::span(loops), [](const auto& x, const auto& y) {
    const auto rank = [](const ContractionLoop& l) {
      return std::pair(kind_of(l) != ContractionKind::general, l.extent);
    };
    return rank(x) < rank(y);
  });
  if (loops.empty()) loops.push_back({});
  const ContractionKind kind = kind_of(loops.back());
  // Where vectors are added to the same place, or a number is met by several, in a row.
  put_last(std::span(loops).first(loops.size() - 1), [&](const auto& x, const auto& y) {
    const auto rank = [&](const ContractionLoop& l) {
      const bool liked = kind == ContractionKind::axpy ? l.out == 0 : l.out != 0;
      return std::pair(liked, l.extent);
    };
    return rank(x) < rank(y);
  });
  if (loops.size() == 1) loops.insert(loops.begin(), ContractionLoop{});
  Contraction step{.first = list.size(),
                   .loops = static_cast<std::uint32_t>(loops.size()),
                   .kind = kind,
                   .swapped = kind == ContractionKind::axpy && loops.back().a == 1};
  // Rows of a product that meet the same vectors.
  const auto is_row = [&](const ContractionLoop& l) {
    return (step.swapped ? l.a : l.b) == 0 && l.out > 0 && l.extent >= 4;
  };
  if (kind == ContractionKind::axpy && loops[loops.size() - 2].out == 0 && loops.size() > 2) {
    put_last(std::span(loops).first(loops.size() - 2), [&](const auto& x, const auto& y) {
      return std::pair(is_row(x), x.extent) < std::pair(is_row(y), y.extent);
    });
    if (is_row(loops[loops.size() - 3])) step.kind = ContractionKind::matrix;
  }
  for (ContractionLoop& each : loops) {
    if (step.swapped) std::swap(each.a, each.b);
    list.push_back(each);
  }
  return step;
}

void contract(const Contraction& step, std::span<const ContractionLoop> list, const double* a,
              const double* b, double* out) {
  if (step.swapped) std::swap(a, b);
  HWY_DYNAMIC_DISPATCH(contract_all)
  (step.kind, list.subspan(step.first, step.loops), a, b, out);
}

NumberRange range_of(const double* x, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(find_range)(x, n);
}
void scale(double* x, std::size_t n, double factor) {
  HWY_DYNAMIC_DISPATCH(scale_all)(x, n, factor);
}
void exp_of_difference(double* x, std::size_t n, double shift) {
  HWY_DYNAMIC_DISPATCH(exp_all)(x, n, shift);
}

}  // namespace croft
#endif
