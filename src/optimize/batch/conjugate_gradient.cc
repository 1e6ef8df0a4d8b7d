#include "optimize/batch/conjugate_gradient.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/vector_math.h"
#include "croft/core/error.h"
#include "optimize/batch/descent.h"
#include "optimize/batch/diagonal_preconditioner.h"
#include "optimize/batch/minimise_checked.h"

namespace croft {
namespace {

// c2 of (O.10): conjugacy assumes that the last search was exact, which at 0.1 costs some two
// evaluations an iteration.
constexpr double kCurvature = 0.1;

// Of the differences (B.7), in units of a weight: long enough for gradients of single-precision
// scores, short enough for the curvature to stay the same.
constexpr double kProbeStep = 1e-2;

class ConjugateGradient final : public Optimizer {
 public:
  ConjugateGradient(BatchFunction& f, const Regulariser& regulariser, std::span<double> w,
                    const ConjugateGradientOptions& options, ThreadPool& pool)
      : options_(options),
        least_curvature_(regulariser.free.length > 0 ? 0 : regulariser.l2),
        descent_(f, regulariser, w, pool) {}

  const Iteration& now() const override { return descent_.now(); }
  std::size_t evaluations() const override { return descent_.evaluations(); }

  // Along the direction set at the end of the last iteration; where that fails, from anew.
  bool iterate() override {
    if (due_for_change()) change_preconditioner();
    if (!restarted_ && go()) return true;
    restart();
    return go();
  }

  void archive(StateArchive& state) override {
    state(descent_);
    state(scaling_);
    state(last_slope_);
    state(last_length_);
    state(restarted_);
  }

 private:
  bool preconditioned() const {
    const std::size_t k = now().number;
    return options_.preconditioning == Preconditioning::diagonal ||
           (options_.preconditioning == Preconditioning::mixed && k < options_.mixed_iterations);
  }
  bool due_for_change() const {
    return preconditioned() ? now().number % options_.refresh == 0 : scaling_.has_value();
  }
  void change_preconditioner() {
    restarted_ = true;
    if (!preconditioned()) {
      scaling_.reset();
      return;
    }
    if (!scaling_) scaling_.emplace(descent_.size(), least_curvature_);
    const double size = static_cast<double>(std::max<std::size_t>(descent_.size(), 1));
    const double step = kProbeStep * std::max(1.0, now().weight_norm / std::sqrt(size));
    scaling_->estimate(descent_.pool(), options_.probes, options_.seed + now().number,
                       descent_.direction(), [&] { return descent_.curvature_probe(step); });
  }

  double scaled(double g, std::size_t i) const { return scaling_ ? (*scaling_)(g, i) : g; }

  void restart() {
    restarted_ = true;
    set_direction(0);
  }

  bool go() {
    const double slope = descent_.slope();
    const WolfeOptions wolfe{.curvature = kCurvature, .max_evaluations = options_.max_line_search};
    if (!descent_.search(slope, first_step(slope), wolfe)) return false;
    last_slope_ = slope;
    restarted_ = false;
    set_direction(conjugate());
    return true;
  }

  // As for steepest descent (B.3).  A restart begins with what P takes for Newton's step, or
  // without P with a move as long as the last one.
  double first_step(double slope) const {
    if (!restarted_) return now().step * last_slope_ / slope;
    return scaling_ ? 1 : last_length_ / now().gradient_norm;
  }

  // (B.4)
  void set_direction(double beta) {
    const std::span<const double> g = descent_.gradient();
    const std::span<double> d = descent_.direction();
    for_blocks(descent_.pool(), g.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) d[i] = beta * d[i] - scaled(g[i], i);
    });
  }

  // beta of (B.5) or (B.6), from the move just made.
  double conjugate() {
    const std::span<const double> g = descent_.gradient(), last = descent_.last_gradient();
    const std::span<const double> d = descent_.direction();
    std::array<double, 6> sums;
    sum_blocks(descent_.pool(), g.size(), sums,
               [&](std::size_t begin, std::size_t end, std::span<double> sum) {
                 for (std::size_t i = begin; i < end; ++i) {
                   const double y = g[i] - last[i], scaled_y = scaled(y, i);
                   sum[0] += g[i] * scaled_y;
                   sum[1] += y * scaled_y;
                   sum[2] += last[i] * scaled(last[i], i);
                   sum[3] += d[i] * y;
                   sum[4] += d[i] * g[i];
                   sum[5] += d[i] * d[i];
                 }
               });
    const auto [gy, yy, last_squared, dy, dg, dd] = sums;
    last_length_ = now().step * std::sqrt(dd);
    if (options_.formula == ConjugateFormula::polak_ribiere) {
      return last_squared > 0 ? std::max(gy / last_squared, 0.0) : 0;
    }
    if (!(dy > 0)) return 0;
    const double beta = gy / dy - 2 * yy * dg / (dy * dy);
    // Not far below 0, or a bad direction would stay (Hager & Zhang's eta).
    constexpr double kEta = 0.01;
    return std::max(beta, -1 / (std::sqrt(dd) * std::min(kEta, std::sqrt(last_squared))));
  }

  const ConjugateGradientOptions options_;
  const double least_curvature_;  // of a row of F's second derivative, as far as is known
  Descent descent_;
  std::optional<DiagonalPreconditioner> scaling_;
  double last_slope_ = 0, last_length_ = 1;  // of the last move
  bool restarted_ = true;                    // the direction is, or has to become, -P g
};

}  // namespace

void ConjugateGradientOptions::validate() const {
  check_at_least_one("probes", probes);
  check_at_least_one("refresh", refresh);
  check_line_search(max_line_search);
  stop.validate();
}

OptimizeResult conjugate_gradient(BatchFunction& f, const Regulariser& regulariser,
                                  std::span<double> w, const ConjugateGradientOptions& options,
                                  ThreadPool& pool, const IterationCallback& callback,
                                  Checkpointer* checkpoints) {
  check_smooth(regulariser, "the conjugate gradient method");
  return minimise_checked<ConjugateGradient>(f, regulariser, w, options, pool, callback,
                                             checkpoints);
}

}  // namespace croft
