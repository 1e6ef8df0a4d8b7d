// How a sum over the segments of a random segmentation varies with what segments there are.
//
// Reads like docs/math/segments.md section 9, in double: one pass forward for the part of S before
// a boundary, one backward for the part behind it (SM.24).  The tables are those of segment_sum.h,
// or of the log domain where these cannot be trusted.  Internal.
#pragma once
#include <vector>

#include "croft/inference/segment_sum.h"
#include "inference/segments/segment_log_domain.h"

namespace croft {

// S is the sum of these over a segmentation's segments and pairs of neighbours.  What they hold
// where a probability is 0 does not matter.
struct SegmentValues {
  const Matrix<double>& segment;            // [T][cells]
  const Matrix<double>* edge = nullptr;     // [L][L]; null: 0
  const Matrix<double>* overlay = nullptr;  // [overlays][L]; null: 0
};

class SegmentCovariance {
 public:
  // The posterior of these scores, which are kept by reference; returns log Z, -inf where no
  // segmentation is allowed.
  double read(const SegmentScores<double>& scores);
  // After read() of scores that allow one:
  bool scaled() const { return path_ != ChainPath::log_domain; }
  const CompensatedSum& log_z() const { return work_.log_z; }
  const Matrix<double>& segments() const { return mu_; }          // [T][cells]
  const Matrix<double>& overlays() const { return mu_overlay_; }  // [overlays][L]
  const std::vector<double>& edges() const { return mu_edge_; }   // [L L]

  // out = scale Cov(S, n_c) of every entry c: segment and overlay overwritten, transition added to
  // (SM.23).  Returns E[S].  O(T (cells + L^2)).
  double operator()(const SegmentValues& values, double scale, const SegmentGradient<double>& out);

 private:
  void set_before(std::size_t t);
  double pair_value(const SegmentValues& values, std::size_t overlay, Label i, Label y) const;
  double entry_of(const SegmentValues& values, std::size_t t, Label y, std::size_t cell) const;
  double forward(const SegmentValues& values);
  void backward(const SegmentValues& values, double mean, double scale,
                const SegmentGradient<double>& out);

  const SegmentScores<double>* scores_ = nullptr;
  SegmentWorkspace<double> work_;
  SegmentLogWorkspace log_;
  ChainPath path_ = ChainPath::scaled;
  Matrix<double> mu_, mu_overlay_;  // marginals
  std::vector<double> mu_edge_;
  Matrix<double> ending_;          // [T + 1][L] p(a segment of y ends at t)
  Matrix<double> overlay_before_;  // [overlays][L] p(label before | that segment)
  Matrix<double> before_label_;    // [L][L] p(label before is i | one of y begins at t), of one t
  Matrix<double> before_, entry_;  // [T + 1][L], [T][L] E[S before | the boundary]      (SM.24)
  Matrix<double> after_;           // [T + 1][L] E[S behind | one of y ends at t]
};

}  // namespace croft
