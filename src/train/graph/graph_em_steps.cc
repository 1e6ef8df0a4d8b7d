#include "train/graph/graph_em_steps.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "croft/core/error.h"
#include "croft/optimize/regulariser.h"
#include "train/methods/optimise.h"

namespace croft {

SumOracleMaker em_sums(const GraphProblem& p) {
  if (auto sums = graph_sums(p.objective, p.inference)) return *sums;
  throw UsageError(
      "--em-iterations goes with --objective likelihood, bethe or mean-field, which sum over what "
      "is hidden; ",
      name_of(p.objective), " does not");
}

void check_em(const GraphProblem& problem, const GraphEmOptions& options) {
  check_graph_choice(problem);
  options.validate();
  if (problem.method == Method::lbfgs || problem.method == Method::owlqn) return;
  throw UsageError("--em-iterations: M steps are by --optimizer lbfgs or owlqn, not by ",
                   info(problem.method).name);
}

GraphEm::GraphEm(const GraphProblem& problem, const GraphEmOptions& options, std::span<double> w,
                 const std::function<GraphObjectiveMaker(const bool& expect)>& make,
                 EmCompanion* companion)
    : problem_(problem),
      options_(options),
      companion_(companion),
      w_(w),
      gradient_(w.size()),
      f_(problem.schema, problem.rows, problem.layout, problem.instances, problem.pool,
         make(expect_)) {
  expectation_step();
}

bool GraphEm::iterate() {
  const std::vector<double> before(w_.begin(), w_.end());
  const Iteration kept = now_;
  if (companion_ != nullptr) companion_->step();
  const StoppingRule inner{.max_iterations = options_.m_iterations,
                           .tolerance = 0,
                           .gradient_tolerance = problem_.stop.gradient_tolerance * 0.1};
  evaluations_ += optimise({.method = problem_.method,
                            .settings = problem_.settings,
                            .regulariser = problem_.regulariser,
                            .stop = inner,
                            .seed = problem_.seed,
                            .pool = problem_.pool,
                            .batch = [&]() -> BatchFunction& { return f_; }},
                           w_, {}, nullptr)
                      .evaluations;
  expectation_step();
  now_.number = kept.number + 1;
  if (now_.objective < kept.objective) return true;
  // Q could be lowered no further, or by less than rounding makes of L.
  std::ranges::copy(before, w_.begin());
  if (companion_ != nullptr) companion_->undo();
  now_ = kept;
  now_.evaluations = evaluations_;
  return false;
}

void GraphEm::archive(StateArchive& state) {
  if (companion_ != nullptr) throw UsageError("EM of measurements keeps no checkpoints");
  state(w_);
  state(now_);
  state(evaluations_);
  if (!state.reading()) return;
  // Expectations are of w alone; taking them anew is no evaluation of the training.
  const Iteration kept = now_;
  expectation_step();
  now_ = kept;
  now_.w = w_;
  evaluations_ = kept.evaluations;
}

// L at w, and from here on Q(.; w).
void GraphEm::expectation_step() {
  if (companion_ != nullptr) companion_->score();
  expect_ = true;
  const double data_term = f_.evaluate(w_, gradient_);
  expect_ = false;
  ++evaluations_;
  const Regulariser& r = problem_.regulariser;
  const std::span<const double> w(w_);
  add_l2_gradient(r, w, gradient_);
  if (r.l1 > 0) pseudo_gradient(r, 0, w, gradient_, gradient_);
  const auto norm = [](std::span<const double> v) {
    double sum = 0;
    for (const double each : v) sum += each * each;
    return std::sqrt(sum);
  };
  now_.objective = data_term + penalty(r, penalised_absolute(r, 0, w), penalised_square(r, 0, w));
  now_.gradient_norm = norm(gradient_);
  now_.weight_norm = norm(w);
  now_.active = static_cast<std::size_t>(std::ranges::count_if(w, [](double x) { return x != 0; }));
  now_.evaluations = evaluations_;
  now_.step = 1;
  now_.w = w_;
}

}  // namespace croft
