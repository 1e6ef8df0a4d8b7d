#include "croft/inference/segment_viterbi.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "inference/segments/segment_overlays.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "inference/segments/segment_viterbi.cc"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"
#include "inference/segments/segment_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {

// slot[i] = max(slot[i], row[i] + add) for i < n.  Up to a vector of slots behind n is rewritten.
template <class T>
HWY_INLINE void push_max(const T* row, std::size_t n, const T* limit, double add, double* slot) {
  const RowTag<double> d;
  const auto shift = hn::Set(d, add);
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto v = load_part(d, row + i, n - i, limit, static_cast<T>(kMinusInfinity));
    hn::StoreU(hn::Max(hn::LoadU(d, slot + i), hn::Add(v, shift)), d, slot + i);
  }
}

// (SM.16), from boundary to boundary.
template <class T>
struct BestRecursion {
  const SegmentScores<T>& scores;
  SegmentBest& best;
  const SegmentShape& shape = *scores.shape;
  const std::size_t length = scores.length(), labels = shape.labels();

  bool run() {
    constexpr double kFar = 1 << 20;  // slots keep 32 bits behind the point
    best.level.assign(length + 1, 0.0);
    best.reached.assign(length + 1, 0);
    best.end.reshape(length + 1, labels);
    best.begin.reshape(length, labels);
    best.slot.assign(labels, length + 1 + kLanePadding, kMinusInfinity);
    double base = 0;  // slots are relative to it
    best.reached[0] = 1;
    std::fill_n(best.end.row(0), best.end.stride(), 0.0);
    if (length > 0) {
      std::fill_n(best.begin.row(0), best.begin.stride(), 0.0);
      push(0, 0);
    }
    for (std::size_t t = 1; t <= length; ++t) {
      double* end = best.end.row(t);
      double top = kMinusInfinity;
      for (Label y = 0; y < labels; ++y) top = std::max(top, end[y] = best.slot(y, t));
      std::fill(end + labels, end + best.end.stride(), kMinusInfinity);
      best.level[t] = best.level[t - 1];
      if (top == kMinusInfinity) {
        if (t < length) std::fill_n(best.begin.row(t), best.begin.stride(), kMinusInfinity);
        continue;
      }
      best.reached[t] = 1;
      const double level = std::nearbyint(top);
      for (Label y = 0; y < labels; ++y) end[y] -= level;
      best.level[t] = base + level;
      if (t == length) break;
      double relative = level;
      if (std::abs(level) > kFar) {
        rebase(t, level);
        base += level;
        relative = 0;
      }
      enter(t);
      push(t, relative);
    }
    return best.reached[length] != 0;
  }

  void rebase(std::size_t t, double level) {
    for (Label y = 0; y < labels; ++y) {
      double* slot = best.slot.row(y);
      const std::size_t last = std::min(length, t + shape.longest(y));
      for (std::size_t s = t; s <= last; ++s) slot[s] -= level;
    }
  }

  // begin[t][y] = max_i end[t][i] + transitions[i][y].
  void enter(std::size_t t) {
    const RowTag<double> d;
    const Matrix<T>& log = scores.transitions->log();
    const double* end = best.end.row(t);
    for (std::size_t c = 0; c < best.begin.stride(); c += hn::Lanes(d)) {
      auto top = hn::Set(d, kMinusInfinity);
      for (std::size_t i = 0; i < labels; ++i) {
        top = hn::Max(top, hn::Add(hn::Set(d, end[i]), load_as(d, log.row(i) + c)));
      }
      hn::Store(top, d, best.begin.row(t) + c);
    }
  }

  void push(std::size_t t, double relative) {
    const auto [first, last] = overlays_at(scores, t);
    const T* limit = scores.segment.row(0) + length * scores.segment.stride();
    if (first == last) return push_row(t, scores.segment.row(t), limit, relative);
    // What an overlay adds depends on the label before: the best one of the segment itself.
    const std::size_t stride = scores.segment.stride();
    best.cells.resize(std::max(best.cells.size(), stride));
    double* row = best.cells.data();
    std::copy_n(scores.segment.row(t), stride, row);
    for (std::size_t k = first; k < last; ++k) {
      const std::size_t cell = scores.overlay_of[k].cell;
      const Label y = label_of_cell(shape, cell);
      const double usual = best.begin(t, y);
      double top = kMinusInfinity;
      for (Label i = 0; i < labels; ++i) {
        top = std::max(top, best.end(t, i) + double{scores.transitions->log()(i, y)} +
                                double{scores.overlay(k, i)});
      }
      if (usual > kMinusInfinity) row[cell] += top - usual;
    }
    push_row(t, row, row + stride, relative);
  }

  template <class Row>
  void push_row(std::size_t t, const Row* row, const Row* limit, double relative) {
    for (Label y = 0; y < labels; ++y) {
      const double add = best.begin(t, y) + relative;
      if (add == kMinusInfinity) continue;
      push_max(row + shape.first[y], std::min(shape.longest(y), length - t), limit, add,
               best.slot.row(y) + t + 1);
    }
  }
};

bool best_prefixes_float(const SegmentScores<float>& s, SegmentBest& b) {
  return BestRecursion<float>{s, b}.run();
}
bool best_prefixes_double(const SegmentScores<double>& s, SegmentBest& b) {
  return BestRecursion<double>{s, b}.run();
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {
namespace {

// The score that segment `cell` at t adds to the best prefix before it, whose last label is i.
template <class Real>
double entry(const SegmentScores<Real>& scores, const SegmentBest& best, std::size_t t, Label i,
             Label y, std::size_t overlay) {
  const double extra = overlay == kNoSegmentOverlay ? 0.0 : double{scores.overlay(overlay, i)};
  return best.end(t, i) + double{scores.transitions->at(i, y)} + extra;
}

}  // namespace

HWY_EXPORT(best_prefixes_float);
HWY_EXPORT(best_prefixes_double);

template <>
bool best_prefixes(const SegmentScores<float>& scores, SegmentBest& best) {
  return HWY_DYNAMIC_DISPATCH(best_prefixes_float)(scores, best);
}
template <>
bool best_prefixes(const SegmentScores<double>& scores, SegmentBest& best) {
  return HWY_DYNAMIC_DISPATCH(best_prefixes_double)(scores, best);
}

template <class Real>
double viterbi(const SegmentScores<Real>& scores, SegmentBest& best, std::vector<Segment>& out) {
  constexpr double kForbidden = -std::numeric_limits<double>::infinity();
  if (!best_prefixes(scores, best)) return kForbidden;
  out.clear();
  const SegmentShape& shape = *scores.shape;
  const auto last = best.end[scores.length()];
  auto y = static_cast<Label>(std::ranges::max_element(last) - last.begin());
  for (std::size_t t = scores.length(); t > 0;) {
    double top = kForbidden;
    std::size_t begin = t;
    Label before = y;
    for (std::size_t d = 1; d <= std::min(shape.longest(y), t); ++d) {
      const std::size_t s = t - d;
      if (!best.reached[s]) continue;
      const std::size_t overlay =
          s == 0 ? kNoSegmentOverlay : overlay_at(scores, s, shape.cell(y, d));
      double enter = best.begin(s, y);
      if (overlay != kNoSegmentOverlay) {
        enter = kForbidden;
        for (Label i = 0; i < shape.labels(); ++i) {
          enter = std::max(enter, entry(scores, best, s, i, y, overlay));
        }
      }
      const double value =
          double{scores.segment(s, shape.cell(y, d))} - (best.level[t] - best.level[s]) + enter;
      if (!(value > top)) continue;
      top = value;
      begin = s;
      double highest = kForbidden;
      for (Label i = 0; s > 0 && i < shape.labels(); ++i) {
        const double through = entry(scores, best, s, i, y, overlay);
        if (through > highest) {
          highest = through;
          before = i;
        }
      }
    }
    if (begin == t) throw Error("the scores of a sequence are no numbers");
    out.push_back({begin, t, y});
    t = begin;
    y = before;
  }
  std::ranges::reverse(out);
  return score<Real>(scores, out);
}

template double viterbi(const SegmentScores<float>&, SegmentBest&, std::vector<Segment>&);
template double viterbi(const SegmentScores<double>&, SegmentBest&, std::vector<Segment>&);

}  // namespace croft
#endif
