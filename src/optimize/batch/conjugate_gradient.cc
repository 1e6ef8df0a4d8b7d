#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/vector_math.h"
#include "optimize/batch/batch_methods.h"
#include "optimize/batch/descent.h"
#include "optimize/batch/diagonal_preconditioner.h"
#include "optimize/checks.h"

namespace croft {
namespace {

// c2 of (O.10).  A search that is nearly exact makes each direction orthogonal to the last, and the
// path zigzags; a loose one takes fewer evaluations and breaks the pattern.
constexpr double kWolfeCurvature = 0.9;

class SteepestDescent final : public Descent {
 public:
  SteepestDescent(BatchFunction& f, const Regulariser& regulariser, std::span<double> w,
                  const DescentOptions& options, ThreadPool& pool)
      : Descent(f, regulariser, w, pool), max_evaluations_(options.max_line_search) {}

  bool iterate() override {
    const double slope = set_steepest();
    if (!search(slope, first_step(slope),
                {.curvature = kWolfeCurvature, .max_evaluations = max_evaluations_})) {
      return false;
    }
    last_slope_ = slope;
    return true;
  }

  void archive(StateArchive& state) override {
    Descent::archive(state);
    state(last_slope_);
  }

 private:
  // A move of length 1; later the step that to first order lowers F as much as the last one (B.3).
  double first_step(double slope) const {
    const Iteration& at = now();
    return at.number == 0 ? 1 / at.gradient_norm : at.step * last_slope_ / slope;
  }

  const std::size_t max_evaluations_;
  double last_slope_ = 0;
};

}  // namespace

OptimizeResult steepest_descent(BatchFunction& f, const Regulariser& regulariser,
                                std::span<double> w, const DescentOptions& options,
                                ThreadPool& pool, const IterationCallback& callback,
                                Checkpointer* checkpoints) {
  check_smooth(regulariser, "steepest descent");
  return minimise_checked<SteepestDescent>(f, regulariser, w, options, pool, callback, checkpoints);
}

namespace {

// c2 of (O.10): conjugacy assumes that the last search was exact, which at 0.1 costs some two
// evaluations an iteration.
constexpr double kCurvature = 0.1;

// Of the differences (B.7), in units of a weight: long enough for gradients of single-precision
// scores, short enough for the curvature to stay the same.
constexpr double kProbeStep = 1e-2;

class ConjugateGradient final : public Descent {
 public:
  ConjugateGradient(BatchFunction& f, const Regulariser& regulariser, std::span<double> w,
                    const ConjugateGradientOptions& options, ThreadPool& pool)
      : Descent(f, regulariser, w, pool),
        options_(options),
        least_curvature_(regulariser.free.length > 0 ? 0 : regulariser.l2) {}

  // Along the direction set at the end of the last iteration; where that fails, from anew.
  bool iterate() override {
    if (due_for_change()) change_preconditioner();
    if (!restarted_ && go()) return true;
    restart();
    return go();
  }

  void archive(StateArchive& state) override {
    Descent::archive(state);
    state(scaling_, last_slope_, last_length_, restarted_);
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
    if (!scaling_) scaling_.emplace(size(), least_curvature_);
    const double size = static_cast<double>(std::max<std::size_t>(this->size(), 1));
    const double step = kProbeStep * std::max(1.0, now().weight_norm / std::sqrt(size));
    scaling_->estimate(pool_, options_.probes, options_.seed + now().number, direction_,
                       [&] { return curvature_probe(step); });
  }

  double scaled(double g, std::size_t i) const { return scaling_ ? (*scaling_)(g, i) : g; }

  void restart() {
    restarted_ = true;
    set_direction(0);
  }

  bool go() {
    const double slope = this->slope();
    const WolfeOptions wolfe{.curvature = kCurvature, .max_evaluations = options_.max_line_search};
    if (!search(slope, first_step(slope), wolfe)) return false;
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
    const std::span<const double> g = gradient_;
    const std::span<double> d = direction_;
    for_blocks(pool_, g.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) d[i] = beta * d[i] - scaled(g[i], i);
    });
  }

  // beta of (B.5) or (B.6), from the move just made.
  double conjugate() {
    const std::span<const double> g = gradient_, last = last_gradient();
    const std::span<const double> d = direction_;
    std::array<double, 6> sums;
    sum_blocks(pool_, g.size(), sums,
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
  std::optional<DiagonalPreconditioner> scaling_;
  double last_slope_ = 0, last_length_ = 1;  // of the last move
  bool restarted_ = true;                    // the direction is, or has to become, -P g
};

}  // namespace

void ConjugateGradientOptions::validate() const {
  check_at_least_one("probes", probes);
  check_at_least_one("refresh", refresh);
  check_at_least_one("max_line_search", max_line_search);
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
