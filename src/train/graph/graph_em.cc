#include "train/graph/graph_em.h"

#include <algorithm>

#include "core/infinity.h"
#include "croft/core/compensated_sum.h"
#include "croft/core/error.h"
#include "inference/graph/oracles/shared_plans.h"
#include "structure/factor_numbers.h"
#include "train/graph/graph_starts.h"

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
  check_m_steps(problem.method);
}

GraphEm::GraphEm(const GraphProblem& p, const GraphEmOptions& options, std::span<double> w,
                 const std::function<GraphObjectiveMaker(const bool& expect)>& make,
                 EmCompanion* companion)
    : WeightEm({p, options.m_iterations}, w),
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

namespace {

// A zero that is expected never to be met adds nothing, whatever its score.
double product(std::span<const double> counts, std::span<const double> numbers) {
  CompensatedSum sum;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] != 0) sum.add(counts[k] * numbers[k]);
  }
  return sum.value();
}

}  // namespace

ExpectedLikelihood::ExpectedLikelihood(const FactorGraph& graph, std::span<const State> known,
                                       const bool& expect, const SumOracleMaker& make_sums)
    : graph_(graph),
      known_(known),
      expect_(expect),
      free_(make_sums(graph)),
      counts_(graph.numbers().size(), 0) {
  if (std::ranges::find(known, kUnobserved) == known.end()) {
    add_counts(graph, known, 1, counts_);
    return;
  }
  rest_.emplace(restrict_to_known(graph, known));
  clamped_ = make_sums(rest_->graph);
}

bool ExpectedLikelihood::take_expectations() {
  double known = 0;
  if (rest_) {
    rest_->pick(graph_);
    sums_.assign(rest_->source.size(), 0);
    known = clamped_->sums(1, sums_);
    if (known == -kInf) return false;
    counts_.assign(graph_.numbers().size(), 0);
    rest_->add_back(sums_, counts_);
  } else {
    known = graph_.score(known_);
    if (known == -kInf) return false;
  }
  constant_ = product(counts_, graph_.numbers()) - known;
  return true;
}

double ExpectedLikelihood::evaluate(std::span<double> gradient) {
  if (expect_ && !take_expectations()) return kInf;
  const double expected = product(counts_, graph_.numbers());
  if (expected == -kInf) return kInf;
  const double log_z = free_->sums(1, gradient);
  for (std::size_t k = 0; k < counts_.size(); ++k) gradient[k] -= counts_[k];
  return log_z - expected + constant_;
}

bool ExpectedLikelihood::converged() const {
  return free_->converged() && (!clamped_ || clamped_->converged());
}

void GraphEmOptions::validate() const {
  if (m_iterations == 0) throw UsageError("the iterations of an M step must be at least 1");
}

OptimizeResult train_graph_em(const GraphProblem& problem, const GraphEmOptions& options,
                              std::span<double> w, const IterationCallback& callback,
                              Checkpointer* checkpoints) {
  check_em(problem, options);
  if (count_hidden(problem.instances) == 0) {
    throw UsageError("--em-iterations has no meaning where all labels are known; leave it out");
  }
  const auto make = [sums = shared_sums(em_sums(problem))](const bool& expect) {
    return [&expect, sums](const FactorGraph& graph, std::span<const State> known) {
      return std::make_unique<ExpectedLikelihood>(graph, known, expect, sums);
    };
  };
  GraphEm run(problem, options, w, make);
  return minimize(run, problem.stop, callback, checkpoints);
}

}  // namespace croft
