#include "optimize/batch/batch_methods.h"

#include <cmath>

#include "core/vector_math.h"
#include "optimize/batch/descent.h"
#include "optimize/checks.h"

namespace croft {
namespace {

constexpr double kLeastCosine = 1e-10;  // of s and y, as for L-BFGS (O.8)

class Bfgs final : public Descent {
 public:
  Bfgs(BatchFunction& f, const Regulariser& regulariser, std::span<double> w,
       const DescentOptions& options, ThreadPool& pool)
      : Descent(f, regulariser, w, pool),
        max_evaluations_(options.max_line_search),
        h_(w.size(), w.size()),
        y_(w.size()),
        hy_(w.size()) {}

  bool iterate() override {
    for (;;) {
      const bool steepest = !learnt_;
      const double slope = set_direction();
      if (search(slope, steepest ? 1 / now().gradient_norm : 1,
                 {.max_evaluations = max_evaluations_})) {
        learn();
        return true;
      }
      if (steepest) return false;
      learnt_ = false;
    }
  }

  void archive(StateArchive& state) override {
    Descent::archive(state);
    state(learnt_);
    if (!learnt_) return;
    for (std::size_t i = 0; i < h_.rows(); ++i) state(h_[i]);
  }

 private:
  // out = H v
  void multiply(std::span<const double> v, std::span<double> out) {
    pool_.run(size(), [&](std::size_t i, std::size_t) { out[i] = dot(h_[i], v); });
  }

  // d = -H g; returns the slope.
  double set_direction() {
    if (!learnt_) return set_steepest();
    multiply(gradient_, direction_);
    for (double& d : direction_) d = -d;
    return slope();
  }

  // The update (O.4), written as a sum of products of vectors (B.8).
  void learn() {
    const std::span<const double> before = last_w();
    const std::span<double> s = s_storage();
    for (std::size_t i = 0; i < size(); ++i) {
      s[i] = w_[i] - before[i];
      y_[i] = gradient_[i] - last_gradient()[i];
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
  std::span<double> s_storage() { return direction_; }

  const std::size_t max_evaluations_;
  Matrix<double> h_;     // near the inverse of the Hessian
  bool learnt_ = false;  // h_ means something
  AlignedVector<double> y_, hy_;
};

}  // namespace

OptimizeResult bfgs(BatchFunction& f, const Regulariser& regulariser, std::span<double> w,
                    const DescentOptions& options, ThreadPool& pool,
                    const IterationCallback& callback, Checkpointer* checkpoints) {
  check_smooth(regulariser, "BFGS");
  check_matrix(w.size(), "BFGS");
  return minimise_checked<Bfgs>(f, regulariser, w, options, pool, callback, checkpoints);
}

}  // namespace croft
