// The tangent over the tables of the scaled path, compiled once for each SIMD target.
#include <algorithm>
#include <cmath>

#include "inference/chain/scaled_limits.h"
#include "inference/chain/tangent_recursion.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "inference/chain/tangent_scaled.cc"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include "core/simd_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {

// A label with a smaller marginal changes nothing: what passes through it is dropped, so that no
// quotient by a marginal overflows.
constexpr double kNoMass = 1e-100;

using Tag = RowTag<double>;

HWY_INLINE double sum_row(const double* row, std::size_t stride) {
  const Tag d;
  auto sum = hn::Zero(d);
  for (std::size_t c = 0; c < stride; c += hn::Lanes(d)) sum = hn::Add(sum, hn::Load(d, row + c));
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// to -= factor from
HWY_INLINE void subtract_row(const double* from, double factor, std::size_t stride, double* to) {
  const Tag d;
  const auto f = hn::Set(d, factor);
  for (std::size_t c = 0; c < stride; c += hn::Lanes(d)) {
    hn::Store(hn::NegMulAdd(f, hn::Load(d, from + c), hn::Load(d, to + c)), d, to + c);
  }
}

// to = a / mu b, 0 where mu has no mass.
HWY_INLINE void ratio_row(const double* a, const double* mu, const double* b, std::size_t stride,
                          double* to) {
  const Tag d;
  for (std::size_t c = 0; c < stride; c += hn::Lanes(d)) {
    const auto m = hn::Load(d, mu + c);
    const auto some = hn::Gt(m, hn::Set(d, kNoMass));
    const auto quotient = hn::Div(hn::Load(d, a + c), hn::IfThenElse(some, m, hn::Set(d, 1.0)));
    hn::Store(hn::IfThenElseZero(some, hn::Mul(quotient, hn::Load(d, b + c))), d, to + c);
  }
}

struct ScaledTangent {
  const ChainScores<double>& scores;
  const EdgeDirection* edges;
  TangentWorkspace::Tables& tables;
  const std::size_t length = scores.length(), labels = scores.labels();
  const std::size_t stride = scores.state.stride();
  const TransitionScores<double>& tied = *scores.transitions;

  // to += sum_i a[i] m[i], or = at first.
  void product(const double* a, const double* m, bool first, double* to) const {
    const Tag d;
    vec_mat(a, labels, m, stride, [&](std::size_t c, auto v) HWY_ATTR {
      hn::Store(first ? v : hn::Add(v, hn::Load(d, to + c)), d, to + c);
    });
  }
  // to[i] += m[i] . a, or = at first.
  void rows_product(const double* a, const double* m, bool first, double* to) const {
    const Tag d;
    for (std::size_t i = 0; i < labels; ++i) {
      auto sum = hn::Zero(d);
      for (std::size_t c = 0; c < stride; c += hn::Lanes(d)) {
        sum = hn::MulAdd(hn::Load(d, m + i * stride + c), hn::Load(d, a + c), sum);
      }
      to[i] = hn::GetLane(hn::SumOfLanes(d, sum)) + (first ? 0 : to[i]);
    }
    if (first) std::fill(to + labels, to + stride, 0.0);
  }

  // to[j] = sum_i a[i] factor(i, j) over all i, by the listed edges of j.  A target into which some
  // factor is far below the background is summed without subtraction: a may have any sign and size.
  void sparse_product(const double* a, const EdgeLists<double>& lists, double* to) const {
    const double background = tied.background_factor();
    const double all = background * sum_row(a, stride);
    for (std::size_t j = 0; j < labels; ++j) {
      const std::uint32_t end = lists.begin[j + 1];
      std::uint32_t k = lists.begin[j];
      if (lists.smallest[j] < background * ScaledLimits<double>::kCancelled) {
        double listed = 0, others = 0;
        for (std::size_t i = 0; i < labels; ++i) {
          if (k < end && lists.other[k] == i) {
            listed += lists.factor[k++] * a[i];
          } else {
            others += a[i];
          }
        }
        to[j] = listed + background * others;
        continue;
      }
      double sum = all;
      for (; k < end; ++k) sum += lists.correction[k] * a[lists.other[k]];
      to[j] = sum;
    }
    std::fill(to + labels, to + stride, 0.0);
  }
  void add_listed(const double* a, const EdgeLists<double>& lists,
                  const std::vector<double>& weighted, double* to) const {
    for (std::size_t j = 0; j < labels; ++j) {
      for (std::uint32_t k = lists.begin[j]; k < lists.begin[j + 1]; ++k) {
        to[j] += weighted[k] * a[lists.other[k]];
      }
    }
  }

  const double* overlay_factors(std::size_t t) const {
    return tables.sums.edge_factor.row(scores.overlay_of[t] * labels);
  }
  const double* overlay_weighted(std::size_t t) const {
    return edges->weighted_overlay.row(scores.overlay_of[t] * labels);
  }

  // to[j] = sum_i ( a[i] + b[i] d(i, j) ) factor(t; i, j)
  void arrive(std::size_t t, const double* a, const double* b, double* to) const {
    if (scores.has_overlay(t)) {
      product(a, overlay_factors(t), true, to);
      if (edges != nullptr) product(b, overlay_weighted(t), false, to);
    } else if (tied.sparse()) {
      sparse_product(a, tied.arriving(), to);
      if (edges != nullptr) add_listed(b, tied.arriving(), edges->weighted_arriving, to);
    } else {
      product(a, tied.factors().row(0), true, to);
      if (edges != nullptr) product(b, edges->weighted.row(0), false, to);
    }
  }
  // to[i] = sum_j ( a[j] + b[j] d(i, j) ) factor(t; i, j)
  void leave(std::size_t t, const double* a, const double* b, double* to) const {
    if (scores.has_overlay(t)) {
      rows_product(a, overlay_factors(t), true, to);
      if (edges != nullptr) rows_product(b, overlay_weighted(t), false, to);
    } else if (tied.sparse()) {
      sparse_product(a, tied.leaving(), to);
      if (edges != nullptr) add_listed(b, tied.leaving(), edges->weighted_leaving, to);
    } else {
      product(a, tied.factors_transposed().row(0), true, to);
      if (edges != nullptr) product(b, edges->weighted_transposed.row(0), false, to);
    }
  }

  // to = a b + c, element by element; returns the sum.
  double multiply_add(const double* a, const double* b, const double* c, double* to) const {
    const Tag d;
    auto sum = hn::Zero(d);
    for (std::size_t k = 0; k < stride; k += hn::Lanes(d)) {
      const auto v = hn::MulAdd(hn::Load(d, a + k), hn::Load(d, b + k), hn::Load(d, c + k));
      hn::Store(v, d, to + k);
      sum = hn::Add(sum, v);
    }
    return hn::GetLane(hn::SumOfLanes(d, sum));
  }

  // (V.16); returns E[S].
  double forward() {
    CompensatedSum expected;
    double* arriving = tables.row.row(0);
    std::fill(arriving, arriving + stride, 0.0);
    for (std::size_t t = 0; t < length; ++t) {
      const double *mu = tables.mu.row(t), *source = tables.source.row(t);
      double* change = tables.change.row(t);
      if (t > 0) arrive(t, tables.prefix.row(t - 1), tables.sums.alpha.row(t - 1), arriving);
      const double* suffix = t > 0 ? tables.sums.suffix.row(t) : arriving;  // 0: nothing arrives
      const double mean = multiply_add(suffix, arriving, source, change);
      expected.add(mean);
      subtract_row(mu, mean, stride, change);
      ratio_row(change, mu, tables.sums.alpha.row(t), stride, tables.prefix.row(t));
    }
    return expected.value();
  }

  // (V.17)
  void backward() {
    double *behind = tables.row.row(0), *from_here = tables.row.row(1), *zero = tables.row.row(2);
    std::fill(behind, behind + stride, 0.0);
    std::fill(zero, zero + stride, 0.0);
    for (std::size_t t = length; t-- > 0;) {
      const double *source = tables.source.row(t), *mu = tables.mu.row(t);
      double *change = tables.change.row(t), *moved = tables.suffix.row(t);
      add_rows(behind, change);
      if (t == 0) break;
      std::copy_n(source, stride, from_here);
      subtract_row(mu, sum_row(source, stride), stride, from_here);
      add_rows(behind, from_here);
      ratio_row(from_here, mu, tables.sums.suffix.row(t), stride, moved);
      leave(t, moved, tables.sums.suffix.row(t), from_here);
      const double mean = multiply_add(tables.sums.alpha.row(t - 1), from_here, zero, behind);
      subtract_row(tables.mu.row(t - 1), mean, stride, behind);
      subtract_row(tables.sums.suffix.row(t), mean, stride, moved);
    }
  }
  void add_rows(const double* from, double* to) const {
    const Tag d;
    for (std::size_t c = 0; c < stride; c += hn::Lanes(d)) {
      hn::Store(hn::Add(hn::Load(d, from + c), hn::Load(d, to + c)), d, to + c);
    }
  }

  // (V.18) of R rows and K vectors of columns, summed over the positions [begin, end):
  //   factor sum_t ( prefix alpha-suffix + alpha moved-suffix ) + weighted sum_t alpha suffix
  template <int R, int K>
  HWY_INLINE void pair_tile(std::size_t begin, std::size_t end, std::size_t i, std::size_t c,
                            double scale, double* transition) const {
    const Tag d;
    const std::size_t lanes = hn::Lanes(d);
    hn::Vec<Tag> sum[R][K], pairs[R][K];
    for (int r = 0; r < R; ++r) {
      for (int k = 0; k < K; ++k) sum[r][k] = pairs[r][k] = hn::Zero(d);
    }
    for (std::size_t t = begin; t < end; ++t) {
      const double *alpha = tables.sums.alpha.row(t - 1) + i,
                   *prefix = tables.prefix.row(t - 1) + i;
      const double *suffix = tables.sums.suffix.row(t) + c, *moved = tables.suffix.row(t) + c;
      for (int k = 0; k < K; ++k) {
        const auto s = hn::Load(d, suffix + k * lanes), m = hn::Load(d, moved + k * lanes);
        for (int r = 0; r < R; ++r) {
          const auto a = hn::Set(d, alpha[r]);
          pairs[r][k] = hn::MulAdd(a, s, pairs[r][k]);
          sum[r][k] = hn::MulAdd(a, m, hn::MulAdd(hn::Set(d, prefix[r]), s, sum[r][k]));
        }
      }
    }
    const auto q = hn::Set(d, scale);
    for (int r = 0; r < R; ++r) {
      for (int k = 0; k < K; ++k) {
        const std::size_t at = (i + r) * stride + c + k * lanes;
        auto v = hn::Mul(sum[r][k], hn::Load(d, tied.factors().row(0) + at));
        if (edges != nullptr) {
          v = hn::MulAdd(pairs[r][k], hn::Load(d, edges->weighted.row(0) + at), v);
        }
        hn::StoreU(hn::MulAdd(v, q, hn::LoadU(d, transition + at)), d, transition + at);
      }
    }
  }
  template <int R>
  HWY_INLINE void pair_rows(std::size_t begin, std::size_t end, std::size_t i, double scale,
                            double* transition) const {
    const std::size_t lanes = hn::Lanes(Tag());
    std::size_t c = 0;
    for (; c + 2 * lanes <= stride; c += 2 * lanes) {
      pair_tile<R, 2>(begin, end, i, c, scale, transition);
    }
    for (; c < stride; c += lanes) pair_tile<R, 1>(begin, end, i, c, scale, transition);
  }

  void dense_pairs(std::size_t begin, std::size_t end, double scale, double* transition) const {
    std::size_t i = 0;
    for (; i + 2 <= labels; i += 2) pair_rows<2>(begin, end, i, scale, transition);
    if (i < labels) pair_rows<1>(begin, end, i, scale, transition);
  }

  // The same over the listed edges.
  void listed_pairs(double scale, double* transition) const {
    const EdgeLists<double>& lists = tied.leaving();
    const std::size_t cells = tied.cells();
    tables.pairs.assign(2 * cells, 0.0);
    double *sum = tables.pairs.data(), *pairs = sum + cells;
    for (std::size_t t = 1; t < length; ++t) {
      const double *alpha = tables.sums.alpha.row(t - 1), *prefix = tables.prefix.row(t - 1);
      const double *suffix = tables.sums.suffix.row(t), *moved = tables.suffix.row(t);
      for (std::size_t i = 0; i < labels; ++i) {
        const double a = alpha[i], p = prefix[i];
        for (std::uint32_t k = lists.begin[i]; k < lists.begin[i + 1]; ++k) {
          const Label j = lists.other[k];
          pairs[k] += a * suffix[j];
          sum[k] += p * suffix[j] + a * moved[j];
        }
      }
    }
    for (std::size_t k = 0; k < cells; ++k) {
      double value = sum[k] * lists.factor[k];
      if (edges != nullptr) value += pairs[k] * edges->weighted_leaving[k];
      transition[lists.cell[k]] += scale * value;
    }
  }

  // (V.18) at t, which has an overlay.
  void overlay_pairs(std::size_t t, const TangentOutput& out) const {
    const double *alpha = tables.sums.alpha.row(t - 1), *prefix = tables.prefix.row(t - 1);
    const double *suffix = tables.sums.suffix.row(t), *moved = tables.suffix.row(t);
    const double* factor = overlay_factors(t);
    const double* weighted = edges == nullptr ? nullptr : overlay_weighted(t);
    double* overlay =
        out.overlay == nullptr ? nullptr : out.overlay + scores.overlay_of[t] * labels * stride;
    for (std::size_t i = 0; i < labels; ++i) {
      for (std::size_t j = 0; j < stride; ++j) {
        const std::size_t at = i * stride + j;
        double value = factor[at] * (prefix[i] * suffix[j] + alpha[i] * moved[j]);
        if (weighted != nullptr) value += weighted[at] * alpha[i] * suffix[j];
        value *= out.scale;
        if (overlay != nullptr) overlay[at] = value;
        if (out.transition != nullptr) out.transition[at] += value;
      }
    }
  }

  void write_pairs(const TangentOutput& out) const {
    if (tied.sparse()) {
      if (out.transition != nullptr) listed_pairs(out.scale, out.transition);
      return;
    }
    for (std::size_t t = 1; t < length;) {
      if (scores.has_overlay(t)) {
        overlay_pairs(t++, out);
        continue;
      }
      std::size_t end = t + 1;
      while (end < length && !scores.has_overlay(end)) ++end;
      if (out.transition != nullptr) dense_pairs(t, end, out.scale, out.transition);
      t = end;
    }
  }
};

double tangent(const ChainScores<double>& scores, const EdgeDirection* edges,
               TangentWorkspace::Tables& tables, const TangentOutput& out) {
  ScaledTangent recursion{scores, edges, tables};
  const double expected = recursion.forward();
  recursion.backward();
  recursion.write_pairs(out);
  return expected;
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(tangent);

double scaled_tangent(const ChainScores<double>& scores, const EdgeDirection* edges,
                      TangentWorkspace::Tables& tables, const TangentOutput& out) {
  tables.change.reshape(scores.length(), scores.labels());
  tables.prefix.reshape(scores.length(), scores.labels());
  tables.suffix.reshape(scores.length(), scores.labels());
  tables.row.reshape(4, scores.labels());
  return HWY_DYNAMIC_DISPATCH(tangent)(scores, edges, tables, out);
}

}  // namespace croft
#endif
