#include "optimize/batch/batch_methods.h"

#include <cmath>

#include "optimize/batch/cholesky.h"
#include "optimize/batch/descent.h"
#include "optimize/checks.h"

namespace croft {
namespace {

class Newton final : public Descent {
 public:
  Newton(CurvedFunction& f, const Regulariser& regulariser, std::span<double> w,
         const DescentOptions& options, ThreadPool& pool)
      : Descent(f, regulariser, w, pool),
        curved_(f),
        wolfe_{.max_evaluations = options.max_line_search},
        hessian_(w.size()),
        unit_(w.size()),
        column_(w.size()) {}

  bool iterate() override {
    set_hessian();
    const double tau = hessian_.factorise_modified(pool_);
    if (std::isfinite(tau) && search(set_direction(), 1, wolfe_)) return true;
    return search(set_steepest(), 1 / now().gradient_norm, wolfe_);
  }

  void archive(StateArchive& state) override {
    Descent::archive(state);
    if (state.reading()) revisit();
  }

 private:
  // Column by column, by products with the unit vectors; of each the part from the diagonal on.
  void set_hessian() {
    settle();  // after a search that failed
    for (std::size_t i = 0; i < unit_.size(); ++i) {
      unit_[i] = 1;
      curved_.hessian_product(unit_, column_);
      unit_[i] = 0;
      const std::span<double> row = hessian_.row(i);
      for (std::size_t j = i; j < row.size(); ++j) row[j] = column_[j];
      row[i] += regulariser_.l2_of(i);
    }
    hessian_.take_diagonal();
  }

  // (B.10); returns the slope.
  double set_direction() {
    const std::span<double> d = direction_;
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = -gradient_[i];
    hessian_.solve(d);
    return slope();
  }

  CurvedFunction& curved_;
  const WolfeOptions wolfe_;
  SymmetricMatrix hessian_;
  AlignedVector<double> unit_, column_;
};

}  // namespace

OptimizeResult newton(CurvedFunction& f, const Regulariser& regulariser, std::span<double> w,
                      const DescentOptions& options, ThreadPool& pool,
                      const IterationCallback& callback, Checkpointer* checkpoints) {
  check_smooth(regulariser, "Newton's method");
  check_matrix(w.size(), "Newton's method");
  return minimise_checked<Newton>(f, regulariser, w, options, pool, callback, checkpoints);
}

}  // namespace croft
