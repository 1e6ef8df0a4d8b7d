#include "optimize/batch/descent.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/vector_math.h"
#include "croft/core/error.h"
#include "croft/optimize/regulariser.h"
#include "optimize/batch/batch_methods.h"
#include "optimize/checks.h"

namespace croft {
Descent::Descent(BatchFunction& f, const Regulariser& regulariser, std::span<double> w,
                 ThreadPool& pool)
    : regulariser_(regulariser),
      pool_(pool),
      w_(w),
      gradient_(w.size()),
      direction_(w.size()),
      f_(f),
      start_(w.size()),
      other_gradient_(w.size()) {
  if (!unless_interrupted([&] { evaluate(); })) trial_ = unknown_iteration();
  accept(0);
  now_.number = 0;
}

double Descent::set_steepest() {
  return -sum_blocks(pool_, size(), [&](std::size_t begin, std::size_t end) {
    const auto g = std::span<const double>(gradient_).subspan(begin, end - begin);
    for (std::size_t i = begin; i < end; ++i) direction_[i] = -gradient_[i];
    return dot(g, g);
  });
}

double Descent::slope() {
  return sum_blocks(pool_, size(), [&](std::size_t begin, std::size_t end) {
    return dot(std::span<const double>(gradient_).subspan(begin, end - begin),
               std::span<const double>(direction_).subspan(begin, end - begin));
  });
}

bool Descent::search(double slope, double first_step, const WolfeOptions& options) {
  if (!(std::isfinite(slope) && slope < 0)) return false;
  // Values as differences from F at the iterate.  Where rounding hides a difference the slopes tell
  // it, by the trapezium rule; (O.9) then is a condition on the slope (B.1).
  const double resolution = kResolution * std::abs(now_.objective);
  const LineFunction phi = [&](double step) {
    const double trial_slope = attempt(step);
    const double change = trial_.objective - now_.objective;
    const bool hidden = std::abs(change) <= resolution;
    return LinePoint{step, hidden ? 0.5 * step * (slope + trial_slope) : change, trial_slope};
  };
  const LineSearchResult found = strong_wolfe(phi, {0, 0, slope}, first_step, options);
  // A hidden decrease that did not flatten the slope either is none.
  const bool vain = std::abs(found.point.value) <= resolution;
  if (found.outcome == LineOutcome::failed || (found.outcome == LineOutcome::decreased && vain)) {
    reject();
    return false;
  }
  accept(found.point.step);
  return true;
}

double Descent::attempt(double step) {
  if (!moved_) std::ranges::copy(w_, start_.begin());
  moved_ = true;
  settled_ = false;
  for_blocks(pool_, size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) w_[i] = start_[i] + step * direction_[i];
  });
  double slope = 0;
  if (!unless_interrupted([&] { slope = evaluate(); })) {
    reject();
    throw Interrupted("interrupted");
  }
  return slope;
}

void Descent::accept(double step) {
  const std::size_t number = now_.number;
  now_ = trial_;
  now_.number = number + 1;
  now_.evaluations = evaluations_;
  now_.step = step;
  now_.w = w_;
  moved_ = false;
  settled_ = true;
  std::swap(gradient_, other_gradient_);
}

void Descent::reject() {
  std::ranges::copy(start_, w_.begin());
  moved_ = false;
}

std::span<const double> Descent::curvature_probe(double step) {
  attempt(step);
  reject();
  for_blocks(pool_, size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      other_gradient_[i] = (other_gradient_[i] - gradient_[i]) / step;
    }
  });
  return other_gradient_;
}

void Descent::settle() {
  if (settled_) return;
  f_.evaluate(w_, other_gradient_);
  ++evaluations_;
  settled_ = true;
}

void Descent::revisit() {
  StateArchive kept;
  f_.archive(kept);
  f_.evaluate(w_, other_gradient_);
  StateArchive restored(kept.bytes());
  f_.archive(restored);
}

bool Descent::refine() {
  if (!f_.refine()) return false;
  const std::size_t number = now_.number;
  evaluate();
  accept(now_.step);
  now_.number = number;
  return true;
}

void Descent::archive(StateArchive& state) {
  state(w_, gradient_, direction_, now_, evaluations_);
  f_.archive(state);
  now_.w = w_;
}

// F and its gradient at w, into trial_ and other_gradient_; returns the slope along the direction.
double Descent::evaluate() {
  const double data_term = f_.evaluate(w_, other_gradient_);
  ++evaluations_;
  // g.d, |g|^2, |w|^2 of penalised weights, weights that are not 0, |w|^2 of free ones
  std::array<double, 5> sums;
  sum_blocks(pool_, size(), sums, [&](std::size_t from, std::size_t to, std::span<double> sum) {
    for_chunks(from, to, [&](std::size_t begin, std::size_t end) {
      const auto w = std::span<const double>(w_).subspan(begin, end - begin);
      const auto g = std::span(other_gradient_).subspan(begin, end - begin);
      add_l2_gradient(regulariser_, begin, w, g);
      sum[0] += dot(g, std::span<const double>(direction_).subspan(begin, end - begin));
      sum[1] += dot(g, g);
      sum[2] += penalised_square(regulariser_, begin, w);
      sum[3] += static_cast<double>(count_nonzero(w));
      sum[4] += free_square(regulariser_, begin, w);
    });
  });
  trial_.objective = data_term + penalty(regulariser_, 0, sums[2]);
  trial_.gradient_norm = std::sqrt(sums[1]);
  trial_.weight_norm = std::sqrt(sums[2] + sums[4]);
  trial_.active = static_cast<std::size_t>(sums[3]);
  return sums[0];
}

void check_smooth(const Regulariser& regulariser, std::string_view method) {
  regulariser.validate();
  if (regulariser.l1 > 0) {
    throw UsageError(fmt::format("l1 is {}; {} needs a smooth objective: l1 = 0, or OWL-QN",
                                 regulariser.l1, method));
  }
}

void DescentOptions::validate() const {
  check_at_least_one("max_line_search", max_line_search);
  stop.validate();
}

void check_matrix(std::size_t weights, std::string_view method) {
  if (weights <= kMostMatrixWeights) return;
  const double gigabytes = 8e-9 * static_cast<double>(weights) * static_cast<double>(weights);
  throw UsageError(
      fmt::format("{} keeps a matrix of weights times weights: {} weights would take {:.3g} GB; "
                  "up to {} weights are possible, otherwise use L-BFGS",
                  method, weights, gigabytes, kMostMatrixWeights));
}

}  // namespace croft
