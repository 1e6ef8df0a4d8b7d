#include "optimize/batch/steepest_descent.h"

#include "optimize/batch/descent.h"
#include "optimize/batch/minimise_checked.h"

namespace croft {
namespace {

// c2 of (O.10).  A search that is nearly exact makes each direction orthogonal to the last, and the
// path zigzags; a loose one takes fewer evaluations and breaks the pattern.
constexpr double kWolfeCurvature = 0.9;

class SteepestDescent final : public Optimizer {
 public:
  SteepestDescent(BatchFunction& f, const Regulariser& regulariser, std::span<double> w,
                  const SteepestDescentOptions& options, ThreadPool& pool)
      : max_evaluations_(options.max_line_search), descent_(f, regulariser, w, pool) {}

  const Iteration& now() const override { return descent_.now(); }
  std::size_t evaluations() const override { return descent_.evaluations(); }

  bool iterate() override {
    const double slope = descent_.set_steepest();
    if (!descent_.search(slope, first_step(slope),
                         {.curvature = kWolfeCurvature, .max_evaluations = max_evaluations_})) {
      return false;
    }
    last_slope_ = slope;
    return true;
  }

  void archive(StateArchive& state) override {
    state(descent_);
    state(last_slope_);
  }

 private:
  // A move of length 1; later the step that to first order lowers F as much as the last one (B.3).
  double first_step(double slope) const {
    const Iteration& at = now();
    return at.number == 0 ? 1 / at.gradient_norm : at.step * last_slope_ / slope;
  }

  const std::size_t max_evaluations_;
  Descent descent_;
  double last_slope_ = 0;
};

}  // namespace

void SteepestDescentOptions::validate() const {
  check_line_search(max_line_search);
  stop.validate();
}

OptimizeResult steepest_descent(BatchFunction& f, const Regulariser& regulariser,
                                std::span<double> w, const SteepestDescentOptions& options,
                                ThreadPool& pool, const IterationCallback& callback,
                                Checkpointer* checkpoints) {
  check_smooth(regulariser, "steepest descent");
  return minimise_checked<SteepestDescent>(f, regulariser, w, options, pool, callback, checkpoints);
}

}  // namespace croft
