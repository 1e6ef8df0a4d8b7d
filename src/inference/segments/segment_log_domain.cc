#include "inference/segments/segment_log_domain.h"

#include <algorithm>
#include <cmath>

#include "core/infinity.h"
#include "inference/segments/segment_overlays.h"

namespace croft {
namespace {

// log sum_k exp(x_k) over count terms, by their maximum.
template <class Term>
double log_sum_exp(std::size_t count, const Term& term) {
  double high = kMinusInfinity;
  for (std::size_t k = 0; k < count; ++k) high = std::max(high, term(k));
  if (high == kMinusInfinity) return high;
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += std::exp(term(k) - high);
  return high + std::log(sum);
}

// A sum of exponentials that grows term by term.
struct LogSum {
  double high = kMinusInfinity, sum = 0;
  void add(double x) {
    if (x == kMinusInfinity) return;
    if (x <= high) {
      sum += std::exp(x - high);
    } else {
      sum = sum * std::exp(high - x) + 1;
      high = x;
    }
  }
  double value() const { return high == kMinusInfinity ? high : high + std::log(sum); }
};

template <class Real>
struct LogRecursion {
  const SegmentScores<Real>& scores;
  SegmentLogWorkspace& work;
  const SegmentShape& shape = *scores.shape;
  const std::size_t length = scores.length(), labels = shape.labels();

  double transition(Label i, Label j) const { return double{scores.transitions->at(i, j)}; }

  // What precedes a segment that begins at s: begin[s][y], or by an overlay's own sum (SM.8).
  double entry(std::size_t s, Label y, std::size_t overlay) const {
    if (overlay == kNoSegmentOverlay || s == 0) return work.begin(s, y);
    return log_sum_exp(labels, [&](std::size_t i) {
      return work.end(s, i) + transition(static_cast<Label>(i), y) +
             double{scores.overlay(overlay, i)};
    });
  }

  // visit(d, log of prefixes that end at t with this segment, relative to the normaliser of t - 1).
  template <class Visit>
  void segments_ending(std::size_t t, Label y, const Visit& visit) const {
    double offset = 0;  // the normaliser of t - 1 less that of s
    for (std::size_t d = 1; d <= std::min(shape.longest(y), t); ++d) {
      const std::size_t s = t - d, cell = shape.cell(y, d);
      if (d > 1) offset += work.step[s + 1];
      const double value = double{scores.segment(s, cell)};
      if (value == kMinusInfinity) continue;
      visit(d, entry(s, y, overlay_at(scores, s, cell)) + (value - offset));
    }
  }

  bool forward() {
    work.log_z = CompensatedSum();
    work.step.assign(length + 1, 0.0);
    work.end.reshape(length + 1, labels);
    work.begin.reshape(length, labels);
    if (length == 0) return true;
    std::ranges::fill(work.end[0], 0.0);
    std::ranges::fill(work.begin[0], 0.0);
    for (std::size_t t = 1; t <= length; ++t) {
      for (Label y = 0; y < labels; ++y) {
        LogSum sum;
        segments_ending(t, y, [&](std::size_t, double value) { sum.add(value); });
        work.end(t, y) = sum.value();
      }
      const double norm = log_sum_exp(labels, [&](std::size_t y) { return work.end(t, y); });
      if (norm > kMinusInfinity) {  // else no prefix ends here: nothing to normalise by
        work.step[t] = norm;
        work.log_z.add(norm);
        for (double& end : work.end[t]) end -= norm;
      }
      if (t == length) {
        if (norm == kMinusInfinity) work.log_z = CompensatedSum(kMinusInfinity);
        return norm > kMinusInfinity;
      }
      for (Label y = 0; y < labels; ++y) {
        work.begin(t, y) = log_sum_exp(labels, [&](std::size_t i) {
          return work.end(t, i) + transition(static_cast<Label>(i), y);
        });
      }
    }
    return true;
  }

  // The posterior is passed back from the segments that end at t to the boundaries where they
  // begin.
  void backward(double scale, const SegmentGradient<Real>& out) {
    const std::size_t stride = scores.segment.stride();
    std::fill_n(out.segment, length * stride, Real{0});
    if (out.overlay != nullptr) {
      std::fill_n(out.overlay, scores.overlay.rows() * scores.overlay.stride(), Real{0});
    }
    work.suffix.assign(length + 1, labels, kMinusInfinity);
    std::ranges::fill(work.suffix[length], 0.0);  // of the boundary's labels: 0 - end + end
    // p(one of y ends at t) / end and p(one of y begins at t), term by term.
    Matrix<LogSum> reaching(length + 1, labels), starting(length + 1, labels);
    for (std::size_t t = length; t > 0; --t) {
      for (Label y = 0; t < length && y < labels; ++y) {
        const double log_p = starting(t, y).value();
        if (log_p > kMinusInfinity) enter(t, y, kNoSegmentOverlay, log_p, scale, reaching, out);
      }
      for (Label y = 0; y < labels; ++y) {
        if (t < length) work.suffix(t, y) = reaching(t, y).value();
        const double suffix = work.suffix(t, y);
        if (suffix == kMinusInfinity) continue;
        segments_ending(t, y, [&](std::size_t d, double value) {
          const double log_p = value - work.step[t] + suffix;
          const std::size_t s = t - d, cell = shape.cell(y, d);
          out.segment[s * stride + cell] = static_cast<Real>(scale * std::exp(log_p));
          const std::size_t overlay = overlay_at(scores, s, cell);
          if (s == 0 || log_p == kMinusInfinity) return;
          if (overlay == kNoSegmentOverlay) {
            starting(s, y).add(log_p);
          } else {
            enter(s, y, overlay, log_p, scale, reaching, out);
          }
        });
      }
    }
  }

  // A segment of y that begins at s with probability exp(log_p): the labels before it.
  void enter(std::size_t s, Label y, std::size_t overlay, double log_p, double scale,
             Matrix<LogSum>& reaching, const SegmentGradient<Real>& out) const {
    const double norm = entry(s, y, overlay);
    for (Label i = 0; i < labels; ++i) {
      double log_edge = transition(i, y);
      if (overlay != kNoSegmentOverlay) log_edge += double{scores.overlay(overlay, i)};
      if (log_edge == kMinusInfinity || work.end(s, i) == kMinusInfinity) continue;
      reaching(s, i).add(log_p + (log_edge - norm));
      const double p = scale * std::exp(log_p + (work.end(s, i) + log_edge - norm));
      if (out.transition != nullptr) out.transition[i * labels + y] += p;
      if (overlay != kNoSegmentOverlay && out.overlay != nullptr) {
        out.overlay[overlay * scores.overlay.stride() + i] = static_cast<Real>(p);
      }
    }
  }
};

}  // namespace

template <class Real>
double log_domain_partition(const SegmentScores<Real>& scores, SegmentLogWorkspace& work) {
  LogRecursion<Real>{scores, work}.forward();
  return work.log_z.value();
}

template <class Real>
double log_domain_marginals(const SegmentScores<Real>& scores, double scale,
                            SegmentLogWorkspace& work, const SegmentGradient<Real>& out) {
  LogRecursion<Real> recursion{scores, work};
  if (recursion.forward() && scores.length() > 0) recursion.backward(scale, out);
  return work.log_z.value();
}

template double log_domain_partition(const SegmentScores<float>&, SegmentLogWorkspace&);
template double log_domain_partition(const SegmentScores<double>&, SegmentLogWorkspace&);
template double log_domain_marginals(const SegmentScores<float>&, double, SegmentLogWorkspace&,
                                     const SegmentGradient<float>&);
template double log_domain_marginals(const SegmentScores<double>&, double, SegmentLogWorkspace&,
                                     const SegmentGradient<double>&);

}  // namespace croft
