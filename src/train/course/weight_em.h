// EM of weights, of which the E step takes expectations and the M step lowers
//
//   Q(w; v) + penalty(w) >= L(w) + penalty(w),   Q(v; v) = L(v)
//
// by some iterations of L-BFGS (OWL-QN with l1).  The objective, L + penalty, never rises.
// Dempster, Laird & Rubin (1977).
#pragma once
#include <span>
#include <vector>

#include "croft/core/parallel.h"
#include "croft/optimize/optimizer.h"
#include "train/methods/optimise.h"

namespace croft {

// The M steps.
struct WeightEmSteps {
  Method method;
  const MethodSettings& settings;
  const Regulariser& regulariser;
  std::size_t iterations;     // of each
  double gradient_tolerance;  // of the whole: the M step's is a tenth of it
  std::uint64_t seed;
  ThreadPool& pool;

  //   p : a ChainProblem or a GraphProblem
  template <class Problem>
  WeightEmSteps(const Problem& p, std::size_t m_iterations)
      : method(p.method),
        settings(p.settings),
        regulariser(p.regulariser),
        iterations(m_iterations),
        gradient_tolerance(p.stop.gradient_tolerance),
        seed(p.seed),
        pool(p.pool) {}
};
// Throws UsageError for other methods of M steps than lbfgs and owlqn.
void check_m_steps(Method method);

class WeightEm : public Optimizer {
 public:
  WeightEm(const WeightEmSteps& steps, std::span<double> w)
      : steps_(steps), w_(w), gradient_(w.size()) {}
  const Iteration& now() const override { return now_; }
  bool iterate() override;
  void archive(StateArchive& state) override;

 protected:
  // Takes the first expectations: to be called by the constructor.
  void take_expectations();
  virtual BatchFunction& expected() = 0;  // Q
  // L at w, with its gradient; from here on Q is of w.
  virtual double expect(std::span<const double> w, std::span<double> gradient) = 0;
  // What is estimated beside the weights: a step by the last expectations, the way back, its state.
  virtual void step_beside() {}
  virtual void undo_beside() {}
  virtual void archive_beside(StateArchive&) {}

 private:
  WeightEmSteps steps_;
  std::span<double> w_;
  std::vector<double> gradient_;
  Iteration now_;
  std::size_t evaluations_ = 0;
};

}  // namespace croft
