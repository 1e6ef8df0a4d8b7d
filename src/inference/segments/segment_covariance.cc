#include "inference/segments/segment_covariance.h"

#include <algorithm>
#include <cmath>

#include "core/infinity.h"
#include "inference/segments/segment_overlays.h"

namespace croft {
namespace {

double number(const Matrix<double>* table, std::size_t row, std::size_t column) {
  return table == nullptr ? 0 : (*table)(row, column);
}

}  // namespace

double SegmentCovariance::read(const SegmentScores<double>& scores) {
  scores_ = &scores;
  const SegmentShape& shape = *scores.shape;
  const std::size_t length = scores.length(), labels = scores.labels();
  mu_.reshape(length, shape.cells());
  mu_overlay_.reshape(scores.overlay.rows(), labels);
  mu_edge_.assign(labels * labels, 0.0);
  if (marginals(scores, 1, work_, {mu_.row(0), mu_overlay_.row(0), mu_edge_.data()}) == -kInf) {
    return -kInf;
  }
  path_ = work_.path;
  if (!scaled()) {  // its tables, which work_ does not show
    std::ranges::fill(mu_edge_, 0.0);
    log_domain_marginals(scores, 1, log_, {mu_.row(0), mu_overlay_.row(0), mu_edge_.data()});
  }
  ending_.assign(length + 1, labels, 0.0);
  for (std::size_t t = 0; t < length; ++t) {
    for (Label y = 0; y < labels; ++y) {
      for (std::size_t d = 1; d <= std::min(shape.longest(y), length - t); ++d) {
        ending_(t + d, y) += mu_(t, shape.cell(y, d));
      }
    }
  }
  overlay_before_.assign(scores.overlay.rows(), labels, 0.0);
  for (std::size_t k = 0; k < scores.overlay.rows(); ++k) {
    double sum = 0;
    for (Label i = 0; i < labels; ++i) sum += mu_overlay_(k, i);
    for (Label i = 0; i < labels && sum > 0; ++i) overlay_before_(k, i) = mu_overlay_(k, i) / sum;
  }
  return work_.log_z.value();
}

// before_label_ of t.
void SegmentCovariance::set_before(std::size_t t) {
  const std::size_t labels = scores_->labels();
  before_label_.assign(labels, labels, 0.0);
  for (Label y = 0; y < labels; ++y) {
    if (scaled() ? !(work_.begin(t, y) > 0) : log_.begin(t, y) == -kInf) continue;
    for (Label i = 0; i < labels; ++i) {
      before_label_(i, y) =
          scaled() ? work_.end(t, i) * scores_->transitions->factors()(i, y) / work_.begin(t, y)
                   : std::exp(log_.end(t, i) + scores_->transitions->at(i, y) - log_.begin(t, y));
    }
  }
}

double SegmentCovariance::pair_value(const SegmentValues& values, std::size_t overlay, Label i,
                                     Label y) const {
  const double edge = number(values.edge, i, y);
  return overlay == kNoSegmentOverlay ? edge : edge + number(values.overlay, overlay, i);
}

// E[S before | a segment with this cell begins at t], with the pair of labels there.
double SegmentCovariance::entry_of(const SegmentValues& values, std::size_t t, Label y,
                                   std::size_t cell) const {
  const std::size_t k = t > 0 ? overlay_at(*scores_, t, cell) : kNoSegmentOverlay;
  if (k == kNoSegmentOverlay) return entry_(t, y);
  double mean = 0;
  for (Label i = 0; i < scores_->labels(); ++i) {
    const double p = overlay_before_(k, i);
    if (p > 0) mean += p * (before_(t, i) + pair_value(values, k, i, y));
  }
  return mean;
}

double SegmentCovariance::forward(const SegmentValues& values) {
  const SegmentShape& shape = *scores_->shape;
  const std::size_t length = scores_->length(), labels = shape.labels();
  before_.assign(length + 1, labels, 0.0);
  entry_.assign(length, labels, 0.0);
  for (std::size_t t = 0; t < length; ++t) {
    if (t > 0) {
      for (Label i = 0; i < labels; ++i) {
        if (ending_(t, i) > 0) before_(t, i) /= ending_(t, i);
      }
      set_before(t);
      for (Label i = 0; i < labels; ++i) {
        for (Label y = 0; y < labels; ++y) {
          const double p = before_label_(i, y);
          if (p > 0) {
            entry_(t, y) += p * (before_(t, i) + pair_value(values, kNoSegmentOverlay, i, y));
          }
        }
      }
    }
    for (Label y = 0; y < labels; ++y) {  // to the boundaries where these segments end
      for (std::size_t d = 1; d <= std::min(shape.longest(y), length - t); ++d) {
        const std::size_t cell = shape.cell(y, d);
        const double p = mu_(t, cell);
        if (p == 0) continue;
        before_(t + d, y) += p * (entry_of(values, t, y, cell) + values.segment(t, cell));
      }
    }
  }
  double mean = 0;
  for (Label y = 0; y < labels; ++y) mean += before_(length, y);
  return mean;
}

void SegmentCovariance::backward(const SegmentValues& values, double mean, double scale,
                                 const SegmentGradient<double>& out) {
  const SegmentShape& shape = *scores_->shape;
  const std::size_t length = scores_->length(), labels = shape.labels();
  const std::size_t stride = mu_.stride(), overlay_stride = mu_overlay_.stride();
  std::fill_n(out.segment, length * stride, 0.0);
  if (out.overlay != nullptr) std::fill_n(out.overlay, mu_overlay_.rows() * overlay_stride, 0.0);
  after_.assign(length + 1, labels, 0.0);
  const auto add_edge = [&](Label i, Label y, double change) {
    if (out.transition != nullptr) out.transition[i * labels + y] += change;
  };
  for (std::size_t t = length; t-- > 0;) {
    if (t > 0) set_before(t);
    for (Label y = 0; y < labels; ++y) {
      double share = 0, sum = 0;  // of segments without an overlay: p, and p times S behind
      for (std::size_t d = 1; d <= std::min(shape.longest(y), length - t); ++d) {
        const std::size_t cell = shape.cell(y, d);
        const double p = mu_(t, cell);
        if (p == 0) continue;
        const double behind = values.segment(t, cell) + after_(t + d, y);
        out.segment[t * stride + cell] = scale * p * (entry_of(values, t, y, cell) + behind - mean);
        const std::size_t k = t > 0 ? overlay_at(*scores_, t, cell) : kNoSegmentOverlay;
        if (k == kNoSegmentOverlay) {
          share += p;
          sum += p * behind;
          continue;
        }
        for (Label i = 0; i < labels; ++i) {
          const double part = p * overlay_before_(k, i);
          if (part == 0) continue;
          const double from_pair = pair_value(values, k, i, y) + behind;
          const double change = scale * part * (before_(t, i) + from_pair - mean);
          if (out.overlay != nullptr) out.overlay[k * overlay_stride + i] = change;
          add_edge(i, y, change);
          after_(t, i) += part * from_pair;
        }
      }
      for (Label i = 0; t > 0 && share > 0 && i < labels; ++i) {
        const double p = before_label_(i, y);
        if (p == 0) continue;
        const double pair = pair_value(values, kNoSegmentOverlay, i, y);
        add_edge(i, y, scale * p * (share * (before_(t, i) + pair - mean) + sum));
        after_(t, i) += p * (share * pair + sum);
      }
    }
    for (Label i = 0; i < labels; ++i) {
      if (ending_(t, i) > 0) after_(t, i) /= ending_(t, i);
    }
  }
}

double SegmentCovariance::operator()(const SegmentValues& values, double scale,
                                     const SegmentGradient<double>& out) {
  if (scores_->length() == 0) return 0;
  const double mean = forward(values);
  backward(values, mean, scale, out);
  return mean;
}

}  // namespace croft
