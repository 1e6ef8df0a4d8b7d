#include "optimize/batch/bfgs.h"

#include <cmath>

#include "core/vector_math.h"
#include "optimize/batch/descent.h"
#include "optimize/batch/minimise_checked.h"

namespace croft {
namespace {

constexpr double kLeastCosine = 1e-10;  // of s and y, as for L-BFGS (O.8)

class Bfgs final : public Optimizer {
 public:
  Bfgs(BatchFunction& f, const Regulariser& regulariser, std::span<double> w,
       const BfgsOptions& options, ThreadPool& pool)
      : max_evaluations_(options.max_line_search),
        pool_(pool),
        descent_(f, regulariser, w, pool),
        h_(w.size(), w.size()),
        y_(w.size()),
        hy_(w.size()) {}

  const Iteration& now() const override { return descent_.now(); }
  std::size_t evaluations() const override { return descent_.evaluations(); }

  bool iterate() override {
    for (;;) {
      const bool steepest = !learnt_;
      const double slope = set_direction();
      if (descent_.search(slope, steepest ? 1 / now().gradient_norm : 1,
                          {.max_evaluations = max_evaluations_})) {
        learn();
        return true;
      }
      if (steepest) return false;
      learnt_ = false;
    }
  }

  void archive(StateArchive& state) override {
    state(descent_);
    state(learnt_);
    if (!learnt_) return;
    for (std::size_t i = 0; i < h_.rows(); ++i) state(h_[i]);
  }

 private:
  std::size_t size() const { return descent_.size(); }

  // out = H v
  void multiply(std::span<const double> v, std::span<double> out) {
    pool_.run(size(), [&](std::size_t i, std::size_t) { out[i] = dot(h_[i], v); });
  }

  // d = -H g; returns the slope.
  double set_direction() {
    if (!learnt_) return descent_.set_steepest();
    multiply(descent_.gradient(), descent_.direction());
    for (double& d : descent_.direction()) d = -d;
    return descent_.slope();
  }

  // The update (O.4), written as a sum of products of vectors (B.8).
  void learn() {
    const std::span<const double> w = descent_.w(), last_w = descent_.last_w();
    const std::span<double> s = s_storage();
    for (std::size_t i = 0; i < size(); ++i) {
      s[i] = w[i] - last_w[i];
      y_[i] = descent_.gradient()[i] - descent_.last_gradient()[i];
    }
    const double sy = dot(s, y_), yy = dot(y_, y_);
    if (!(sy > kLeastCosine * std::sqrt(dot(s, s) * yy))) return;
    if (!learnt_) set_multiple_of_identity(sy / yy);  // the size of the curvature seen (O.6)
    learnt_ = true;
    multiply(y_, hy_);
    const double curvature = (1 + dot(y_, hy_) / sy) / sy;
    pool_.run(size(), [&](std::size_t i, std::size_t) {
      axpy(curvature * s[i] - hy_[i] / sy, s, h_[i]);
      axpy(-s[i] / sy, hy_, h_[i]);
    });
  }

  void set_multiple_of_identity(double scale) {
    h_.assign(size(), size(), 0.0);
    for (std::size_t i = 0; i < size(); ++i) h_(i, i) = scale;
  }

  // The direction has been walked, and is not needed any more.
  std::span<double> s_storage() { return descent_.direction(); }

  const std::size_t max_evaluations_;
  ThreadPool& pool_;
  Descent descent_;
  Matrix<double> h_;     // near the inverse of the Hessian
  bool learnt_ = false;  // h_ means something
  AlignedVector<double> y_, hy_;
};

}  // namespace

void BfgsOptions::validate() const {
  check_line_search(max_line_search);
  stop.validate();
}

OptimizeResult bfgs(BatchFunction& f, const Regulariser& regulariser, std::span<double> w,
                    const BfgsOptions& options, ThreadPool& pool, const IterationCallback& callback,
                    Checkpointer* checkpoints) {
  check_smooth(regulariser, "BFGS");
  check_matrix(w.size(), BfgsOptions::kMaxWeights, "BFGS");
  return minimise_checked<Bfgs>(f, regulariser, w, options, pool, callback, checkpoints);
}

}  // namespace croft
