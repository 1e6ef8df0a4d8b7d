#include "optimize/batch/newton.h"

#include <cmath>

#include "core/vector_math.h"
#include "optimize/batch/cholesky.h"
#include "optimize/batch/descent.h"
#include "optimize/batch/minimise_checked.h"

namespace croft {
namespace {

class Newton final : public Optimizer {
 public:
  Newton(CurvedFunction& f, const Regulariser& regulariser, std::span<double> w,
         const NewtonOptions& options, ThreadPool& pool)
      : f_(f),
        regulariser_(regulariser),
        wolfe_{.max_evaluations = options.max_line_search},
        pool_(pool),
        descent_(f, regulariser, w, pool),
        hessian_(w.size()),
        unit_(w.size()),
        column_(w.size()) {}

  const Iteration& now() const override { return descent_.now(); }
  std::size_t evaluations() const override { return descent_.evaluations(); }

  bool iterate() override {
    set_hessian();
    const double tau = hessian_.factorise_modified(pool_);
    if (std::isfinite(tau) && descent_.search(set_direction(), 1, wolfe_)) return true;
    return descent_.search(descent_.set_steepest(), 1 / now().gradient_norm, wolfe_);
  }

  void archive(StateArchive& state) override {
    state(descent_);
    if (state.reading()) descent_.revisit();
  }

 private:
  // Column by column, by products with the unit vectors; of each the part from the diagonal on.
  void set_hessian() {
    descent_.settle();  // after a search that failed
    for (std::size_t i = 0; i < unit_.size(); ++i) {
      unit_[i] = 1;
      f_.hessian_product(unit_, column_);
      unit_[i] = 0;
      const std::span<double> row = hessian_.row(i);
      for (std::size_t j = i; j < row.size(); ++j) row[j] = column_[j];
      row[i] += regulariser_.l2_of(i);
    }
    hessian_.take_diagonal();
  }

  // (B.10); returns the slope.
  double set_direction() {
    const std::span<double> d = descent_.direction();
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = -descent_.gradient()[i];
    hessian_.solve(d);
    return descent_.slope();
  }

  CurvedFunction& f_;
  const Regulariser regulariser_;
  const WolfeOptions wolfe_;
  ThreadPool& pool_;
  Descent descent_;
  SymmetricMatrix hessian_;
  AlignedVector<double> unit_, column_;
};

}  // namespace

void NewtonOptions::validate() const {
  check_line_search(max_line_search);
  stop.validate();
}

OptimizeResult newton(CurvedFunction& f, const Regulariser& regulariser, std::span<double> w,
                      const NewtonOptions& options, ThreadPool& pool,
                      const IterationCallback& callback, Checkpointer* checkpoints) {
  check_smooth(regulariser, "Newton's method");
  check_matrix(w.size(), NewtonOptions::kMaxWeights, "Newton's method");
  return minimise_checked<Newton>(f, regulariser, w, options, pool, callback, checkpoints);
}

}  // namespace croft
