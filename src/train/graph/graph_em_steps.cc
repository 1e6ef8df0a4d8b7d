#include "train/graph/graph_em_steps.h"

#include <string>

#include "croft/core/error.h"

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

GraphEm::GraphEm(const GraphProblem& p, const GraphEmOptions& options, std::span<double> w,
                 const std::function<GraphObjectiveMaker(const bool& expect)>& make,
                 EmCompanion* companion)
    : WeightEm({.method = p.method,
                .settings = p.settings,
                .regulariser = p.regulariser,
                .iterations = options.m_iterations,
                .gradient_tolerance = p.stop.gradient_tolerance,
                .seed = p.seed,
                .pool = p.pool},
               w),
      companion_(companion),
      f_(p.schema, p.rows, p.layout, p.instances, p.pool, make(expect_)) {
  take_expectations();
}

double GraphEm::expect(std::span<const double> w, std::span<double> gradient) {
  if (companion_ != nullptr) companion_->score();
  expect_ = true;
  const double value = f_.evaluate(w, gradient);
  expect_ = false;
  return value;
}

}  // namespace croft
