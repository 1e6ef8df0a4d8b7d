// What the methods that search along a line share: an iterate of F(w) = f(w) + (l2/2)|w|^2, and
// moves from it along a direction.
#pragma once
#include <cstddef>
#include <span>
#include <string_view>

#include "croft/core/matrix.h"
#include "croft/core/parallel.h"
#include "croft/optimize/function.h"
#include "croft/optimize/optimizer.h"
#include "optimize/batch/line_search.h"

namespace croft {

// F, a sum of many terms, is known to about 1e-14 of its size; differences below ten times that are
// more noise than news.
inline constexpr double kResolution = 1e-13;

class Descent : public Optimizer {
 public:
  const Iteration& now() const final { return now_; }
  std::size_t evaluations() const final { return evaluations_; }
  bool refine() override;
  // The iterate and the direction, but not the last iterate.
  void archive(StateArchive& state) override;

 protected:
  // Evaluates f at w.  Memory: 4 doubles a weight.
  Descent(BatchFunction& f, const Regulariser& regulariser, std::span<double> w, ThreadPool& pool);

  std::size_t size() const { return w_.size(); }

  // direction = -gradient; returns the slope.
  double set_steepest();
  double slope();  // gradient . direction

  // From the iterate along the direction to a step of (O.9), (O.10).  False, with w as it was,
  // where the slope is not negative or no step lowers F.
  bool search(double slope, double first_step, const WolfeOptions& options);

  // The same in single steps.  attempt(): w = iterate + step direction, and what there is at w;
  // returns the slope there.  Then one of the other two: w becomes the iterate, or goes back to it.
  double attempt(double step);
  const Iteration& attempted() const { return trial_; }
  void accept(double step);
  void reject();

  // Before the last accept(), until the next attempt: s = w - last_w.
  std::span<const double> last_w() const { return start_; }
  std::span<const double> last_gradient() const { return other_gradient_; }

  // (gradient at w + step direction - gradient at w) / step, near H direction; one evaluation.
  // Valid until the next one; takes the place of last_w() and last_gradient().
  std::span<const double> curvature_probe(double step);

  // For a function that remembers where it was evaluated: evaluates at the iterate, unless that was
  // the last place.
  void settle();
  // The same after reading an archive: no evaluation that the run which wrote it did not make.
  void revisit();

  const Regulariser& regulariser_;
  ThreadPool& pool_;
  std::span<double> w_;
  AlignedVector<double> gradient_;   // of F at the iterate
  AlignedVector<double> direction_;  // to be filled before a search

 private:
  double evaluate();

  BatchFunction& f_;
  AlignedVector<double> start_, other_gradient_;
  Iteration now_, trial_;
  std::size_t evaluations_ = 0;
  bool moved_ = false;    // w is not the iterate, and start_ is
  bool settled_ = false;  // f was evaluated at the iterate last
};

// Throws UsageError where l1 > 0: "… needs a smooth objective: l1 = 0, or OWL-QN".
void check_smooth(const Regulariser& regulariser, std::string_view method);

// Throws UsageError where a method that holds a matrix has too many weights for it.
void check_matrix(std::size_t weights, std::string_view method);

}  // namespace croft
