#include "croft/train/graph_em.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "croft/core/compensated_sum.h"
#include "croft/core/error.h"
#include "croft/inference/shared_sums.h"
#include "croft/optimize/lbfgs.h"
#include "croft/optimize/regulariser.h"
#include "croft/structure/factor_numbers.h"

namespace croft {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// A zero that is expected never to be met adds nothing, whatever its score.
double product(std::span<const double> counts, std::span<const double> numbers) {
  CompensatedSum sum;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] != 0) sum.add(counts[k] * numbers[k]);
  }
  return sum.value();
}

SumOracleMaker sums_of(const GraphProblem& p) {
  const GraphInferenceSettings& s = p.inference;
  switch (p.objective) {
    case GraphObjectiveKind::likelihood:
      return shared_sums(s.memory ? exact_sums(*s.memory) : exact_sums());
    case GraphObjectiveKind::bethe: {
      BeliefPropagationOptions options;
      if (s.max_iterations) options.max_iterations = *s.max_iterations;
      if (s.damping) options.damping = *s.damping;
      return shared_sums(bethe_sums(options));
    }
    case GraphObjectiveKind::mean_field: {
      MeanFieldOptions options;
      if (s.max_iterations) options.max_iterations = *s.max_iterations;
      return shared_sums(mean_field_sums(options));
    }
    default:
      break;
  }
  throw UsageError(
      "--em-iterations goes with --objective likelihood, bethe or mean-field, which sum "
      "over what is hidden; " +
      std::string(info(p.objective).name) + " does not");
}

class Em final : public Optimizer {
 public:
  Em(const GraphProblem& problem, const GraphEmOptions& options, std::span<double> w)
      : problem_(problem),
        options_(options),
        w_(w),
        gradient_(w.size()),
        f_(problem.schema, problem.rows, problem.layout, problem.instances, problem.pool,
           [this, make_sums = sums_of(problem)](const FactorGraph& graph,
                                                std::span<const State> known) {
             return std::make_unique<ExpectedLikelihood>(graph, known, expect_, make_sums);
           }) {
    expectation_step();
  }

  const Iteration& now() const override { return now_; }

  bool iterate() override {
    const std::vector<double> before(w_.begin(), w_.end());
    const Iteration kept = now_;
    LbfgsOptions inner;
    inner.history = problem_.settings.history;
    inner.stop.max_iterations = options_.m_iterations;
    inner.stop.tolerance = 0;
    inner.stop.gradient_tolerance = problem_.stop.gradient_tolerance * 0.1;
    const auto minimise = problem_.method == Method::owlqn ? owlqn : lbfgs;
    const OptimizeResult m =
        minimise(f_, problem_.regulariser, w_, inner, problem_.pool, {}, nullptr);
    evaluations_ += m.evaluations;
    expectation_step();
    now_.number = kept.number + 1;
    if (m.iterations > 0 && now_.objective <= kept.objective) return true;
    // Q could be lowered no further, or by less than rounding makes of L.
    std::ranges::copy(before, w_.begin());
    now_ = kept;
    now_.evaluations = evaluations_;
    return false;
  }

  void archive(StateArchive& state) override {
    state(w_);
    state(now_);
    state(evaluations_);
    if (state.reading()) expectation_step();  // expectations are of w alone
  }

 private:
  // L at w, and from here on Q(.; w).
  void expectation_step() {
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
    now_.active =
        static_cast<std::size_t>(std::ranges::count_if(w, [](double x) { return x != 0; }));
    now_.evaluations = evaluations_;
    now_.step = 1;
    now_.w = w_;
  }

  const GraphProblem& problem_;
  const GraphEmOptions& options_;
  std::span<double> w_;
  std::vector<double> gradient_;
  bool expect_ = true;
  GraphFunction f_;
  Iteration now_;
  std::size_t evaluations_ = 0;
};

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
  check_graph_choice(problem);
  options.validate();
  if (problem.method != Method::lbfgs && problem.method != Method::owlqn) {
    throw UsageError("--em-iterations: M steps are by --optimizer lbfgs or owlqn, not by " +
                     std::string(info(problem.method).name));
  }
  const bool hidden = std::ranges::any_of(problem.instances, [](const GraphInstance& each) {
    return std::ranges::find(each.known, kUnobserved) != each.known.end();
  });
  if (!hidden) {
    throw UsageError("--em-iterations has no meaning where all labels are known; leave it out");
  }
  Em run(problem, options, w);
  return minimize(run, problem.stop, callback, checkpoints);
}

}  // namespace croft
