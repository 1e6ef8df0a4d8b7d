#include <algorithm>

#include "croft/inference/segment_sum.h"
#include "inference/segments/segment_log_domain.h"
#include "inference/segments/segment_scaled.h"
#include "structure/copy_scores.h"

namespace croft {

// What a SegmentWorkspace holds for the paths beside the scaled one in Real.  Internal.
template <class Real>
struct SegmentWorkspace<Real>::Fallback {
  SegmentLogWorkspace log_domain;
  // Double copies, for scores in float.
  TransitionScores<double> transitions;
  SegmentScores<double> scores;
  SegmentWorkspace<double> wide;
  Matrix<double> segment, overlay;
};

namespace {

template <class Real>
auto& fallback(SegmentWorkspace<Real>& work) {
  using Fallback = typename SegmentWorkspace<Real>::Fallback;
  if (!work.fallback) work.fallback = std::make_shared<Fallback>();
  return *work.fallback;
}

void widen(const SegmentScores<float>& from, SegmentWorkspace<float>::Fallback& to) {
  to.transitions = convert<double>(*from.transitions);
  to.scores.transitions = &to.transitions;
  copy_tables(from, to.scores);
}

void narrow(const Matrix<double>& from, float* to) {
  std::transform(from.row(0), from.row(0) + from.rows() * from.stride(), to,
                 [](double value) { return static_cast<float>(value); });
}

// The double and log-domain paths for scores that the Real path could not prove safe.
double slow_partition(const SegmentScores<double>& scores, SegmentWorkspace<double>& work) {
  work.path = ChainPath::log_domain;
  auto& other = fallback(work);
  log_domain_partition(scores, other.log_domain);
  work.log_z = other.log_domain.log_z;
  return work.log_z.value();
}

template <class Wide>
void take_path(const Wide& wide, SegmentWorkspace<float>& work) {
  work.log_z = wide.log_z;
  work.path = wide.path == ChainPath::scaled ? ChainPath::scaled_double : wide.path;
}

double slow_partition(const SegmentScores<float>& scores, SegmentWorkspace<float>& work) {
  auto& other = fallback(work);
  widen(scores, other);
  const double log_z = log_partition(other.scores, other.wide);
  take_path(other.wide, work);
  return log_z;
}

double slow_marginals(const SegmentScores<double>& scores, double scale,
                      SegmentWorkspace<double>& work, const SegmentGradient<double>& out) {
  work.path = ChainPath::log_domain;
  auto& other = fallback(work);
  const double log_z = log_domain_marginals(scores, scale, other.log_domain, out);
  work.log_z = other.log_domain.log_z;
  return log_z;
}

double slow_marginals(const SegmentScores<float>& scores, double scale,
                      SegmentWorkspace<float>& work, const SegmentGradient<float>& out) {
  auto& other = fallback(work);
  widen(scores, other);
  other.segment.reshape(scores.segment.rows(), scores.segment.columns());
  other.overlay.reshape(scores.overlay.rows(), scores.overlay.columns());
  const double log_z =
      marginals(other.scores, scale, other.wide,
                {other.segment.row(0), out.overlay == nullptr ? nullptr : other.overlay.row(0),
                 out.transition});
  take_path(other.wide, work);
  if (log_z == -std::numeric_limits<double>::infinity()) return log_z;
  narrow(other.segment, out.segment);
  if (out.overlay != nullptr) narrow(other.overlay, out.overlay);
  return log_z;
}

}  // namespace

template <class Real>
double log_partition(const SegmentScores<Real>& scores, SegmentWorkspace<Real>& work) {
  work.path = ChainPath::scaled;
  if (scaled_forward(scores, work) == ScaledOutcome::unsafe) return slow_partition(scores, work);
  return work.log_z.value();
}

template <class Real>
double marginals(const SegmentScores<Real>& scores, double scale, SegmentWorkspace<Real>& work,
                 const SegmentGradient<Real>& out) {
  work.path = ChainPath::scaled;
  const ScaledOutcome outcome = scaled_forward(scores, work);
  if (outcome == ScaledOutcome::unsafe) return slow_marginals(scores, scale, work, out);
  if (outcome == ScaledOutcome::done && scores.length() > 0) {
    scaled_backward(scores, scale, work, out);
  }
  return work.log_z.value();
}

template double log_partition(const SegmentScores<float>&, SegmentWorkspace<float>&);
template double log_partition(const SegmentScores<double>&, SegmentWorkspace<double>&);
template double marginals(const SegmentScores<float>&, double, SegmentWorkspace<float>&,
                          const SegmentGradient<float>&);
template double marginals(const SegmentScores<double>&, double, SegmentWorkspace<double>&,
                          const SegmentGradient<double>&);

}  // namespace croft
