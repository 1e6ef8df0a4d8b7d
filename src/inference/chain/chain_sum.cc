#include "croft/inference/chain_sum.h"

#include <algorithm>

#include "inference/chain/chain_fallback.h"
#include "inference/chain/chain_lanes.h"
#include "inference/chain/chain_scaled.h"
#include "structure/copy_scores.h"

namespace croft {
namespace {

template <class Real>
auto& fallback(ForwardBackwardWorkspace<Real>& work) {
  using Fallback = typename ForwardBackwardWorkspace<Real>::Fallback;
  if (!work.fallback) work.fallback = std::make_shared<Fallback>();
  return *work.fallback;
}

void widen(const ChainScores<float>& from, ForwardBackwardWorkspace<float>::Fallback& to) {
  to.transitions = convert<double>(*from.transitions);
  to.scores.transitions = &to.transitions;
  copy_tables(from, to.scores);
}

void narrow(const Matrix<double>& from, float* to) {
  for (std::size_t r = 0; r < from.rows(); ++r) {
    std::transform(from.row(r), from.row(r) + from.stride(), to + r * from.stride(),
                   [](double value) { return static_cast<float>(value); });
  }
}

// The double and log-domain paths for scores that the Real path could not prove safe.
double slow_partition(const ChainScores<double>& scores, ForwardBackwardWorkspace<double>& work) {
  work.path = ChainPath::log_domain;
  auto& other = fallback(work);
  log_domain_partition(scores, other.log_domain);
  work.log_z = other.log_domain.log_z;
  return work.log_z.value();
}

double slow_partition(const ChainScores<float>& scores, ForwardBackwardWorkspace<float>& work) {
  auto& other = fallback(work);
  widen(scores, other);
  const double log_z = log_partition(other.scores, other.wide);
  work.log_z = other.wide.log_z;
  work.path = other.wide.path == ChainPath::scaled ? ChainPath::scaled_double : other.wide.path;
  return log_z;
}

double slow_marginals(const ChainScores<double>& scores, double scale,
                      ForwardBackwardWorkspace<double>& work, const ChainGradient<double>& out) {
  work.path = ChainPath::log_domain;
  auto& other = fallback(work);
  const double log_z = log_domain_marginals(scores, scale, other.log_domain, out);
  work.log_z = other.log_domain.log_z;
  return log_z;
}

double slow_marginals(const ChainScores<float>& scores, double scale,
                      ForwardBackwardWorkspace<float>& work, const ChainGradient<float>& out) {
  auto& other = fallback(work);
  widen(scores, other);
  other.state.reshape(scores.state.rows(), scores.state.columns());
  other.overlay.reshape(scores.overlay.rows(), scores.overlay.columns());
  const double log_z =
      marginals(other.scores, scale, other.wide,
                {other.state.row(0), out.overlay == nullptr ? nullptr : other.overlay.row(0),
                 out.transition});
  work.log_z = other.wide.log_z;
  work.path = other.wide.path == ChainPath::scaled ? ChainPath::scaled_double : other.wide.path;
  if (log_z == -std::numeric_limits<double>::infinity()) return log_z;
  narrow(other.state, out.state);
  if (out.overlay != nullptr) narrow(other.overlay, out.overlay);
  return log_z;
}

template <class Real>
ScaledOutcome forward(const ChainScores<Real>& scores, ForwardBackwardWorkspace<Real>& work) {
  return in_lanes(scores) ? sparse_forward(scores, work) : scaled_forward(scores, work);
}

template <class Real>
ScaledOutcome backward(const ChainScores<Real>& scores, double scale,
                       ForwardBackwardWorkspace<Real>& work, const ChainGradient<Real>& out) {
  return in_lanes(scores) ? sparse_backward(scores, scale, work, out)
                          : scaled_backward(scores, scale, work, out);
}

}  // namespace

template <class Real>
double log_partition(const ChainScores<Real>& scores, ForwardBackwardWorkspace<Real>& work) {
  work.path = ChainPath::scaled;
  if (forward(scores, work) == ScaledOutcome::unsafe) return slow_partition(scores, work);
  return work.log_z.value();
}

template <class Real>
double marginals(const ChainScores<Real>& scores, double scale,
                 ForwardBackwardWorkspace<Real>& work, const ChainGradient<Real>& out) {
  work.path = ChainPath::scaled;
  ScaledOutcome outcome = forward(scores, work);
  if (outcome == ScaledOutcome::done) outcome = backward(scores, scale, work, out);
  if (outcome == ScaledOutcome::unsafe) return slow_marginals(scores, scale, work, out);
  return work.log_z.value();
}

template double log_partition(const ChainScores<float>&, ForwardBackwardWorkspace<float>&);
template double log_partition(const ChainScores<double>&, ForwardBackwardWorkspace<double>&);
template double marginals(const ChainScores<float>&, double, ForwardBackwardWorkspace<float>&,
                          const ChainGradient<float>&);
template double marginals(const ChainScores<double>&, double, ForwardBackwardWorkspace<double>&,
                          const ChainGradient<double>&);
}  // namespace croft
