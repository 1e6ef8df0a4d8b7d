// The recursions over segments in the linear domain, compiled once for each SIMD target.
// docs/math/segments.md sections 3 and 4.
#include "inference/segments/segment_scaled.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "inference/chain/scaled_limits.h"
#include "inference/segments/segment_limits.h"
#include "inference/segments/segment_overlays.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "inference/segments/segment_scaled.cc"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"
#include "inference/chain/exp_row-inl.h"
#include "inference/segments/segment_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {

// 2^n, within the normal numbers.
template <class T>
HWY_INLINE T power_of_two(int n) {
  if constexpr (sizeof(T) == 4) {
    return std::bit_cast<T>(static_cast<std::uint32_t>(n + 127) << 23);
  } else {
    return std::bit_cast<T>(static_cast<std::uint64_t>(n + 1023) << 52);
  }
}

template <class T>
struct SegmentRecursion {
  using Limits = SegmentLimits<T>;
  static constexpr T kForbidden = SegmentScores<T>::kForbidden;
  const SegmentScores<T>& scores;
  SegmentWorkspace<T>& work;
  const SegmentShape& shape = *scores.shape;
  const std::size_t length = scores.length(), labels = shape.labels();
  const std::size_t stride = scores.segment.stride(), row = padded(labels);
  const TransitionScores<T>& tied = *scores.transitions;
  const bool checked = tied.any_forbidden() || tied.spread() > ScaledLimits<T>::kSpread ||
                       !scores.overlay_of.empty();
  const T whole = static_cast<T>(std::nearbyint(tied.shift()));
  const T rest = static_cast<T>(tied.shift() - std::nearbyint(tied.shift()));
  const T shift_rest = static_cast<T>(std::exp(double{rest}));
  int exponent = 0, highest_exponent = 0;

  // Whole numbers near the best prefix of each boundary, in T.  False: too large to differ exactly.
  bool set_levels() {
    work.level.assign(length + 1 + kCellLanes, T{0});
    bool small = std::abs(double{whole}) < double{Limits::kLevel};
    for (std::size_t t = 0; t <= length; ++t) {
      small = small && std::abs(work.best.level[t]) < double{Limits::kLevel};
      work.level[t] = static_cast<T>(work.best.level[t]);
    }
    return small;
  }

  ScaledOutcome forward() {
    work.log_z = CompensatedSum();
    if (length == 0) return ScaledOutcome::done;
    if (!best_prefixes(scores, work.best)) {
      work.log_z = CompensatedSum(-std::numeric_limits<double>::infinity());
      return ScaledOutcome::impossible;
    }
    if (length > Limits::kLongest || !set_levels()) return ScaledOutcome::unsafe;
    work.slot.assign(labels, length + 1 + kCellLanes, T{0});
    work.end.reshape(length + 1, labels);
    work.begin.reshape(length, labels);
    work.unit.reshape(length, labels);
    // Rows more: vectors write behind their cells.
    work.weight.reshape(length + 1 + kCellLanes / kLanePadding, shape.cells());
    work.overlay_share.reshape(scores.overlay.rows(), labels);
    work.exponent.assign(length + 1, 0);
    work.row.reshape(2, labels);
    if (!set_weights()) return ScaledOutcome::unsafe;
    std::fill_n(work.end.row(0), row, T{0});
    std::fill_n(work.begin.row(0), row, T{1});
    push(0);
    for (std::size_t t = 1; t <= length; ++t) {
      if (!arrive(t)) return ScaledOutcome::unsafe;
      if (t == length) break;
      if (!enter(t)) return ScaledOutcome::unsafe;
      if (!scores.overlay_of.empty() && !add_overlays(t)) return ScaledOutcome::unsafe;
      push(t);
    }
    work.log_z.add(work.best.level[length]);
    work.log_z.add(exponent * std::log(2.0));
    work.log_z.add(std::log(double{sum_of_ends(length)}));
    return ScaledOutcome::done;
  }

  // exp(score) of every segment after the best prefix before it, relative to the level where it
  // ends (SM.9).  One exponential a cell, and none of them waits for another.  In blocks of rows,
  // so that all lanes are in use whatever the lengths are.
  bool set_weights() {
    constexpr std::size_t kRows = 16;
    const CellTag<T> d;
    const auto low = hn::Set(d, ScaledLimits<T>::kExpCutoff);
    const auto most = hn::Set(d, Limits::kExponent);
    auto high = hn::Zero(d);
    for (std::size_t begin = 0; begin < length; begin += kRows) {
      const std::size_t end = std::min(length, begin + kRows);
      for (std::size_t t = begin; t < end; ++t) set_exponents(t);
      T* weight = work.weight.row(begin);
      const T* stop = work.weight.row(end);
      std::fill_n(work.weight.row(end), kCellLanes,
                  kForbidden);  // rows behind have their turn later
      for (; weight < stop; weight += hn::Lanes(d)) {
        const auto x = hn::LoadU(d, weight);
        high = hn::Max(high, x);
        const auto bounded = hn::Min(hn::Max(x, low), most);
        hn::StoreU(hn::IfThenElseZero(hn::Gt(x, low), hn::Exp(d, bounded)), d, weight);
      }
    }
    return hn::GetLane(hn::MaxOfLanes(d, high)) <= Limits::kExponent;
  }

  // The exponents of (SM.9), to weight[t]; -inf where a segment would end behind the sequence.
  HWY_INLINE void set_exponents(std::size_t t) {
    const CellTag<T> d;
    const T* limit = scores.segment.row(0) + length * stride;
    const T* level = work.level.data() + t + 1;
    T *weight = work.weight.row(t), *behind = work.row.row(0);
    set_units(t, behind);
    const T from = t > 0 ? work.level[t] + whole : T{0};
    for (Label y = 0; y < labels; ++y) {
      const std::size_t first = shape.first[y], longest = shape.longest(y);
      const std::size_t n = std::min(longest, length - t);
      const T* scored = scores.segment.row(t) + first;
      const auto start = hn::Set(d, from), entry = hn::Set(d, behind[y]);
      for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
        const auto score = load_part(d, scored + i, n - i, limit, kForbidden);
        const auto rise = hn::Sub(hn::LoadU(d, level + i), start);
        hn::StoreU(hn::Add(hn::Sub(score, rise), entry), d, weight + first + i);
      }
      std::fill(weight + first + n, weight + first + longest, kForbidden);
    }
    std::fill(weight + shape.cells(), weight + stride, kForbidden);
  }

  // behind: the best prefix before a segment of y, in nats, as a multiple of log 2; -inf where
  // there is none.  unit[t][y] is the inverse of its exponential: begin unit is near 1 where that
  // prefix is the only one.
  void set_units(std::size_t t, T* behind) {
    constexpr double kLog2 = 0.69314718055994530942;
    T* unit = work.unit.row(t);
    if (t == 0) {
      std::fill_n(behind, row, T{0});
      std::fill_n(unit, row, T{1});
      return;
    }
    const double* best = work.best.begin.row(t);
    for (std::size_t y = 0; y < row; ++y) {
      const double nats = std::max(best[y] - double{whole}, -double{Limits::kBehind});
      const int bits = static_cast<int>(nats * (1 / kLog2) - 0.5);
      const bool reached = best[y] > double{kForbidden};
      behind[y] = reached ? static_cast<T>(bits * kLog2) : kForbidden;
      unit[y] = reached ? shift_rest * power_of_two<T>(-bits) : T{0};
    }
  }

  T sum_of_ends(std::size_t t) const {
    T sum = 0;
    for (Label y = 0; y < labels; ++y) sum += work.end(t, y);
    return sum;
  }

  // end[t], brought near 1; false where digits may have been lost (SM.13).
  bool arrive(std::size_t t) {
    T* end = work.end.row(t);
    T sum = 0;
    for (Label y = 0; y < labels; ++y) sum += end[y] = work.slot(y, t);
    std::fill(end + labels, end + row, T{0});
    work.exponent[t] = exponent;
    if (!work.best.reached[t]) return true;
    if (!(sum > 0) || !std::isfinite(sum)) return false;
    if (sum > T{kRescale} || sum < T{1 / kRescale}) {
      const int more = std::ilogb(sum);
      scale_window(work.slot, t, std::ldexp(T{1}, -more));
      for (Label y = 0; y < labels; ++y) end[y] = work.slot(y, t);
      exponent += more;
      work.exponent[t] = exponent;
      highest_exponent = std::max(highest_exponent, exponent);
      if (exponent < highest_exponent - Limits::kFall) return false;
    }
    if (!checked) return true;
    const T smallest = Limits::kSmallest * std::ldexp(T{1}, highest_exponent - exponent);
    for (Label y = 0; y < labels; ++y) {
      if (work.best.end(t, y) > double{kForbidden} && !(end[y] >= smallest)) return false;
    }
    return true;
  }

  // The sums at t, and those that segments from before t have been added to.
  void scale_window(Matrix<T>& sums, std::size_t t, T factor) const {
    for (Label y = 0; y < labels; ++y) {
      T* slot = sums.row(y);
      const std::size_t last = std::min(length, t + shape.longest(y));
      for (std::size_t s = t; s <= last; ++s) slot[s] *= factor;
    }
  }

  // begin[t][j] = sum_i end[t][i] factor(i, j).
  bool enter(std::size_t t) {
    const RowTag<T> d;
    T* begin = work.begin.row(t);
    const T* unit = work.unit.row(t);
    auto most = hn::Zero(d);
    vec_mat(work.end.row(t), labels, tied.factors().row(0), row,
            [&](std::size_t c, auto v) HWY_ATTR {
              hn::Store(v, d, begin + c);
              most = hn::Max(most, hn::Mul(v, hn::Load(d, unit + c)));
            });
    if (!(hn::GetLane(hn::MaxOfLanes(d, most)) <= Limits::kEntry)) return false;
    if (!checked || !work.best.reached[t]) return true;
    for (Label y = 0; y < labels; ++y) {
      if (work.best.begin(t, y) > double{kForbidden} && !(begin[y] >= ScaledLimits<T>::kSmallest)) {
        return false;
      }
    }
    return true;
  }

  // Overlays of t: the prefixes before their segments are summed anew (SM.8); their weights, and
  // the shares of the labels before.
  bool add_overlays(std::size_t t) {
    const auto [first, last] = overlays_at(scores, t);
    const T* end = work.end.row(t);
    for (std::size_t k = first; k < last; ++k) {
      const std::size_t cell = scores.overlay_of[k].cell;
      const Label y = label_of_cell(shape, cell);
      const std::size_t stop = t + cell - shape.first[y] + 1;
      T* share = work.overlay_share.row(k);
      std::fill(share, share + row, T{0});
      T top = kForbidden;
      for (Label i = 0; i < labels; ++i) {
        share[i] = (tied.log()(i, y) - whole) + scores.overlay(k, i);
        if (end[i] > 0) {
          share[i] += std::log(end[i]);
        } else {
          share[i] = kForbidden;
        }
        top = std::max(top, share[i]);
      }
      T sum = 0;
      for (Label i = 0; i < labels && top > kForbidden; ++i) {
        sum += share[i] = std::exp(share[i] - top);
      }
      for (Label i = 0; i < labels; ++i) share[i] = sum > 0 ? share[i] / sum : T{0};
      if (stop > length) continue;
      T& weight = work.weight(t, cell);
      const T entry = work.begin(t, y) * work.unit(t, y);
      if (!(sum > 0) || !(entry > 0) || scores.segment(t, cell) == kForbidden) {
        weight = 0;
        continue;
      }
      const T rise = work.level[stop] - (work.level[t] + whole);
      const T x = (scores.segment(t, cell) - rise) + (top + std::log(sum));
      // A large summand would have cost the others their digits.
      if (!(x <= Limits::kExponent) || std::abs(top) > T{256}) return false;
      weight = x > ScaledLimits<T>::kExpCutoff ? std::exp(x) / entry : T{0};
    }
    return true;
  }

  // What segments that begin at t add to the ends behind t.
  HWY_INLINE void push(std::size_t t) {
    if (!work.best.reached[t]) return;
    const CellTag<T> d;
    const std::size_t lanes = hn::Lanes(d);
    for (Label y = 0; y < labels; ++y) {
      const std::size_t n = std::min(shape.longest(y), length - t);
      const T* weight = work.weight.row(t) + shape.first[y];
      const auto entry = hn::Set(d, work.begin(t, y) * work.unit(t, y));
      T* slot = work.slot.row(y) + t + 1;
      std::size_t i = 0;
      for (; i + lanes <= n; i += lanes) {
        const auto sum = hn::MulAdd(entry, hn::LoadU(d, weight + i), hn::LoadU(d, slot + i));
        hn::StoreU(sum, d, slot + i);
      }
      if (i == n) continue;
      const auto w = hn::IfThenElseZero(hn::FirstN(d, n - i), hn::LoadU(d, weight + i));
      hn::StoreU(hn::MulAdd(entry, w, hn::LoadU(d, slot + i)), d, slot + i);
    }
  }

  // The posterior, from the last boundary to the first (SM.12).
  void backward(T scale, const SegmentGradient<T>& out) {
    work.suffix.assign(labels, length + 1 + kCellLanes, T{0});
    work.share.reshape(length, labels);
    work.row.reshape(2, labels);
    for (Label y = 0; y < labels; ++y) work.suffix(y, length) = T{1} / sum_of_ends(length);
    T *mass = work.row.row(0), *reaching = work.row.row(1);
    std::fill_n(mass, row, T{0});
    const RowTag<T> d;
    for (std::size_t t = length; t-- > 0;) {
      const int fall = work.exponent[t] - work.exponent[t + 1];
      if (fall != 0) scale_window(work.suffix, t + 1, std::ldexp(T{1}, fall));
      segments_at(t, scale, mass, out.segment + t * stride);
      T* share = work.share.row(t);
      const T* unit = work.unit.row(t);
      std::fill_n(reaching, row, T{0});
      if (t > 0 && !scores.overlay_of.empty()) take_overlays(t, scale, mass, reaching, out);
      for (std::size_t c = 0; c < row; c += hn::Lanes(d)) {
        hn::Store(hn::Mul(hn::Load(d, mass + c), hn::Load(d, unit + c)), d, share + c);
      }
      if (t == 0) break;
      vec_mat(share, labels, tied.factors_transposed().row(0), row,
              [&](std::size_t c, auto v)
                  HWY_ATTR { hn::Store(hn::Add(v, hn::Load(d, reaching + c)), d, reaching + c); });
      for (Label y = 0; y < labels; ++y) work.suffix(y, t) = reaching[y];
    }
    if (out.transition != nullptr) add_pairs(scale, out.transition);
  }

  // scale p(segment | x) for all that begin at t, to `to`; sums of weight times suffix to `mass`.
  HWY_INLINE void segments_at(std::size_t t, T scale, T* mass, T* to) const {
    const CellTag<T> d;
    const std::size_t lanes = hn::Lanes(d);
    for (Label y = 0; y < labels; ++y) {
      const std::size_t first = shape.first[y], longest = shape.longest(y);
      const std::size_t n = std::min(longest, length - t);
      const auto factor = hn::Set(d, scale * (work.begin(t, y) * work.unit(t, y)));
      const T* weight = work.weight.row(t) + first;
      const T* suffix = work.suffix.row(y) + t + 1;
      auto sum = hn::Zero(d);
      for (std::size_t i = 0; i < n; i += lanes) {
        auto p = hn::Mul(hn::LoadU(d, weight + i), hn::LoadU(d, suffix + i));
        if (n - i < lanes) p = hn::IfThenElseZero(hn::FirstN(d, n - i), p);
        sum = hn::Add(sum, p);
        const auto scaled = hn::Mul(p, factor);
        if (first + i + lanes <= stride) {  // behind n: cells that are written later
          hn::StoreU(scaled, d, to + first + i);
        } else {
          HWY_ALIGN T buffer[kCellLanes];
          hn::Store(scaled, d, buffer);
          std::copy_n(buffer, std::min(n - i, lanes), to + first + i);
        }
      }
      mass[y] = hn::GetLane(hn::SumOfLanes(d, sum));
      std::fill(to + first + n, to + first + longest, T{0});
    }
    std::fill(to + shape.cells(), to + stride, T{0});
  }

  // Segments with an overlay leave `mass`, and share what they have among the labels before.
  void take_overlays(std::size_t t, T scale, T* mass, T* reaching, const SegmentGradient<T>& out) {
    auto [k, last] = overlays_at(scores, t);
    while (k < last) {
      const Label y = label_of_cell(shape, scores.overlay_of[k].cell);
      const std::size_t first = shape.first[y], n = std::min(shape.longest(y), length - t);
      T others = 0;  // summed anew: a difference would lose digits
      for (std::size_t i = 0; i < n; ++i) {
        const T p = work.weight(t, first + i) * work.suffix(y, t + 1 + i);
        if (k < last && scores.overlay_of[k].cell == first + i) {
          take_overlay(t, k++, y, p * (work.begin(t, y) * work.unit(t, y)), scale, reaching, out);
        } else {
          others += p;
        }
      }
      while (k < last && scores.overlay_of[k].cell < shape.first[y + 1]) {  // would end behind T
        take_overlay(t, k++, y, T{0}, scale, reaching, out);
      }
      mass[y] = others;
    }
  }
  void take_overlay(std::size_t t, std::size_t k, Label y, T p, T scale, T* reaching,
                    const SegmentGradient<T>& out) {
    const T *share = work.overlay_share.row(k), *end = work.end.row(t);
    const std::size_t width = scores.overlay.stride();
    if (out.overlay != nullptr) std::fill_n(out.overlay + k * width, width, T{0});
    for (Label i = 0; i < labels; ++i) {
      const T part = p * share[i];
      if (part == 0) continue;
      reaching[i] += part / end[i];
      if (out.overlay != nullptr) out.overlay[k * width + i] = scale * part;
      if (out.transition != nullptr) {
        out.transition[i * labels + y] += double{scale} * double{part};
      }
    }
  }

  // (SM.7), summed over boundaries; those of overlays are there already.
  void add_pairs(T scale, double* transition) const {
    constexpr std::size_t kRun = 256;  // positions summed in T before the sum goes on in double
    const RowTag<T> d;
    HWY_ALIGN T product[kLanePadding];
    for (std::size_t begin = 1; begin < length; begin += kRun) {
      const std::size_t end = std::min(length, begin + kRun);
      for (Label i = 0; i < labels; ++i) {
        for (std::size_t c = 0; c < row; c += hn::Lanes(d)) {
          auto even = hn::Zero(d), odd = hn::Zero(d);
          std::size_t t = begin;
          for (; t + 2 <= end; t += 2) {
            even = hn::MulAdd(hn::Set(d, work.end(t, i)), hn::Load(d, work.share.row(t) + c), even);
            odd = hn::MulAdd(hn::Set(d, work.end(t + 1, i)), hn::Load(d, work.share.row(t + 1) + c),
                             odd);
          }
          if (t < end) {
            even = hn::MulAdd(hn::Set(d, work.end(t, i)), hn::Load(d, work.share.row(t) + c), even);
          }
          const auto f = hn::Load(d, tied.factors().row(i) + c);
          hn::Store(hn::Mul(hn::Mul(hn::Add(even, odd), f), hn::Set(d, scale)), d, product);
          for (std::size_t lane = 0; lane < hn::Lanes(d) && c + lane < labels; ++lane) {
            transition[i * labels + c + lane] += double{product[lane]};
          }
        }
      }
    }
  }
};

ScaledOutcome segments_forward_float(const SegmentScores<float>& s, SegmentWorkspace<float>& w) {
  return SegmentRecursion<float>{s, w}.forward();
}
ScaledOutcome segments_forward_double(const SegmentScores<double>& s, SegmentWorkspace<double>& w) {
  return SegmentRecursion<double>{s, w}.forward();
}
void segments_backward_float(const SegmentScores<float>& s, double scale,
                             SegmentWorkspace<float>& w, const SegmentGradient<float>& out) {
  SegmentRecursion<float>{s, w}.backward(static_cast<float>(scale), out);
}
void segments_backward_double(const SegmentScores<double>& s, double scale,
                              SegmentWorkspace<double>& w, const SegmentGradient<double>& out) {
  SegmentRecursion<double>{s, w}.backward(scale, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(segments_forward_float);
HWY_EXPORT(segments_forward_double);
HWY_EXPORT(segments_backward_float);
HWY_EXPORT(segments_backward_double);

ScaledOutcome scaled_forward(const SegmentScores<float>& s, SegmentWorkspace<float>& w) {
  return HWY_DYNAMIC_DISPATCH(segments_forward_float)(s, w);
}
ScaledOutcome scaled_forward(const SegmentScores<double>& s, SegmentWorkspace<double>& w) {
  return HWY_DYNAMIC_DISPATCH(segments_forward_double)(s, w);
}
void scaled_backward(const SegmentScores<float>& s, double scale, SegmentWorkspace<float>& w,
                     const SegmentGradient<float>& out) {
  HWY_DYNAMIC_DISPATCH(segments_backward_float)(s, scale, w, out);
}
void scaled_backward(const SegmentScores<double>& s, double scale, SegmentWorkspace<double>& w,
                     const SegmentGradient<double>& out) {
  HWY_DYNAMIC_DISPATCH(segments_backward_double)(s, scale, w, out);
}

}  // namespace croft
#endif
