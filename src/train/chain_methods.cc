#include "croft/train/chain_methods.h"

#include <algorithm>

#include "croft/core/error.h"
#include "croft/train/chain_dual.h"
#include "objective/composite_likelihood.h"
#include "objective/hinge.h"
#include "objective/local_likelihood.h"
#include "objective/marginal_likelihood.h"
#include "objective/piecewise.h"
#include "objective/pseudo_likelihood.h"
#include "objective/softmax_margin.h"
#include "optimize/batch/bfgs.h"
#include "optimize/batch/conjugate_gradient.h"
#include "optimize/batch/coordinate_descent.h"
#include "optimize/batch/newton.h"
#include "optimize/batch/steepest_descent.h"
#include "optimize/batch/truncated_newton.h"
#include "optimize/dual/exponentiated_gradient.h"
#include "optimize/dual/frank_wolfe.h"
#include "optimize/dual/sdca.h"
#include "optimize/dual/smo.h"
#include "optimize/stochastic/adagrad.h"
#include "optimize/stochastic/arow.h"
#include "optimize/stochastic/asynchronous_sgd.h"
#include "optimize/stochastic/passive_aggressive.h"
#include "optimize/stochastic/sag.h"
#include "optimize/stochastic/stochastic_meta_descent.h"
#include "train/functions/chain_ascent.h"
#include "train/functions/chain_expectations.h"
#include "train/functions/changing_precision.h"
#include "train/functions/maxent_span.h"
#include "train/functions/sgd_lbfgs.h"
#include "train/functions/softmax_columns.h"

namespace croft {
namespace {

template <class Real>
ObjectiveMaker<Real> objective_maker(const ChainProblem& problem, const ChainLayout& layout) {
  if (problem.own_objective != nullptr) {
    if constexpr (std::is_same_v<Real, float>) {
      return problem.own_objective->single;
    } else {
      return problem.own_objective->twice;
    }
  }
  const LabelCost* cost = problem.cost;
  const std::span<const Label> label_of = layout.histories
                                              ? std::span<const Label>(layout.histories->label_of)
                                              : std::span<const Label>();
  switch (problem.objective) {
    case Objective::likelihood:
      return make_likelihood<Real>;
    case Objective::pseudolikelihood:
      return [] { return std::make_unique<PseudoLikelihood<Real>>(); };
    case Objective::per_edge:
      return [] { return std::make_unique<CompositeLikelihood<Real>>(2); };
    case Objective::composite:
      return [block = problem.block] { return std::make_unique<CompositeLikelihood<Real>>(block); };
    case Objective::marginal:
      return [] { return std::make_unique<MarginalLikelihood<Real>>(); };
    case Objective::piecewise:
      return [] { return std::make_unique<Piecewise<Real>>(); };
    case Objective::local:
      return [] { return std::make_unique<LocalLikelihood<Real>>(); };
    case Objective::softmax_margin:
      return [=] { return std::make_unique<SoftmaxMargin<Real>>(*cost, label_of); };
    case Objective::perceptron:
      return [] { return std::make_unique<ChainHinge<Real>>(); };
    case Objective::max_margin:
    case Objective::passive_aggressive:
    case Objective::arow:
      break;
  }
  return [=] { return std::make_unique<ChainHinge<Real>>(*cost, label_of); };
}

template <class Real>
std::unique_ptr<ChainFunction> function_in(const ChainProblem& problem, const ChainData& data,
                                           const ChainLayout& layout) {
  return std::make_unique<ChainBatchFunction<Real>>(data, layout, problem.pool,
                                                    objective_maker<Real>(problem, layout));
}

template <class Options>
Options with_stop(const ChainProblem& problem) {
  Options options;
  options.stop = problem.stop;
  return options;
}

// One run of train_chain().
class ChainMethods {
 public:
  ChainMethods(const ChainProblem& problem, std::span<double> w, const IterationCallback& callback,
               Checkpointer* checkpoints, ChainFindings& findings)
      : p_(problem),
        w_(w),
        callback_(callback),
        checkpoints_(checkpoints),
        findings_(findings),
        has_prior_(problem.prior != nullptr && !problem.prior->trivial()) {}

  OptimizeResult run();

 private:
  OptimizeResult batch();
  OptimizeResult scaling();
  OptimizeResult by_weight();
  template <class Real>
  OptimizeResult in_span();
  OptimizeResult stochastic();
  OptimizeResult online();
  template <class Real>
  OptimizeResult ascent();
  OptimizeResult dual();
  OptimizeResult run_dual(DualProblem& problem, const IterationCallback& see);

  template <class Optimise>
  OptimizeResult over_variables(const Optimise& optimise);
  template <class Optimise>
  OptimizeResult over_samples(std::size_t workers, const Optimise& optimise);
  std::unique_ptr<ChainSampleFunction> make_samples(ChainFunction& whole, std::size_t workers);
  PreconditionerMaker preconditioner(ChainFunction& whole) const;
  PreconditionerAt newton_preconditioner(ChainFunction& whole) const;
  StepSchedule schedule() const;

  const ChainProblem& p_;
  std::span<double> w_;
  const IterationCallback& callback_;
  Checkpointer* checkpoints_;
  ChainFindings& findings_;
  bool has_prior_;
};

std::unique_ptr<ChainSampleFunction> ChainMethods::make_samples(ChainFunction& whole,
                                                                std::size_t workers) {
  auto samples = std::make_unique<ChainSampleFunction>(p_.data, p_.layout, whole, workers,
                                                       objective_maker<double>(p_, p_.layout));
  if (has_prior_) samples->set_prior(*p_.prior);
  if (p_.cost != nullptr) samples->set_cost(*p_.cost);
  return samples;
}

// optimise(f, u, callback): u are the variables of the prior, in the layout's order.
template <class Optimise>
OptimizeResult ChainMethods::over_variables(const Optimise& optimise) {
  const auto whole = make_chain_function(p_, p_.data, p_.layout);
  if (!has_prior_) return optimise(*whole, *whole, w_, callback_);
  PriorFunction f(*whole, *p_.prior);
  std::vector<double> u(w_.size());
  const auto set_weights = [&](std::span<const double> from) {
    for (std::size_t k = 0; k < u.size(); ++k) w_[k] = p_.prior->weight(k, from[k]);
  };
  for (std::size_t k = 0; k < u.size(); ++k) u[k] = p_.prior->variable(k, w_[k]);
  const auto see = [&](const Iteration& local) {
    set_weights(local.w);
    Iteration now = local;
    now.w = w_;
    return !callback_ || callback_(now);
  };
  OptimizeResult result = optimise(f, *whole, std::span(u), see);
  set_weights(u);
  return result;
}

// None where it does not apply, or would take too much memory on the way.
PreconditionerMaker ChainMethods::preconditioner(ChainFunction& whole) const {
  constexpr std::size_t kMostStates = std::size_t{1} << 27;  // 512 MB
  const bool applies =
      (p_.objective == Objective::likelihood || p_.objective == Objective::softmax_margin) &&
      !p_.layout.histories && !has_prior_ && p_.own_objective == nullptr &&
      p_.data.positions() * p_.layout.labels <= kMostStates;
  if (!applies) return {};
  return [this, &whole](std::span<const double> w) {
    return std::make_unique<RowPreconditioner>(p_.data, p_.layout, whole, p_.regulariser.l2, w);
  };
}

// The same matrix, B = C^-T C^-1, at each iterate: B^-1 = C C'.
PreconditionerAt ChainMethods::newton_preconditioner(ChainFunction& whole) const {
  const PreconditionerMaker make = preconditioner(whole);
  if (!make || !(p_.regulariser.l2 > 0)) return {};
  return [make](std::span<const double> w) -> Preconditioner {
    return [rows = std::shared_ptr<RowPreconditioner>(make(w))](std::span<double> r) {
      rows->transpose(r);
      rows->to_weights(r, r);
    };
  };
}

OptimizeResult ChainMethods::batch() {
  return over_variables([&](CurvedFunction& f, ChainFunction& whole, std::span<double> u,
                            const IterationCallback& see) -> OptimizeResult {
    const Regulariser& r = p_.regulariser;
    ThreadPool& pool = p_.pool;
    const auto lbfgs_options = [&] {
      auto options = with_stop<LbfgsOptions>(p_);
      options.history = p_.settings.history;
      return options;
    };
    const auto cg = [&](Preconditioning preconditioning) {
      auto options = with_stop<ConjugateGradientOptions>(p_);
      options.preconditioning = preconditioning;
      return conjugate_gradient(f, r, u, options, pool, see, checkpoints_);
    };
    switch (p_.method) {
      case Method::sgd_lbfgs: {
        SgdLbfgsOptions options;
        if (p_.settings.passes) options.passes = *p_.settings.passes;
        if (p_.settings.batch) options.batch = std::min(*p_.settings.batch, p_.data.sequences());
        options.step = p_.settings.step;
        options.seed = p_.seed;
        options.lbfgs = lbfgs_options();
        const auto samples = [&] { return make_samples(whole, pool.threads()); };
        return sgd_lbfgs(f, samples, preconditioner(whole), r, u, options, pool, see, checkpoints_);
      }
      case Method::owlqn:
        return owlqn(f, r, u, lbfgs_options(), pool, see, checkpoints_);
      case Method::steepest_descent:
        return steepest_descent(f, r, u, with_stop<SteepestDescentOptions>(p_), pool, see,
                                checkpoints_);
      case Method::cg:
        return cg(Preconditioning::none);
      case Method::preconditioned_cg:
        return cg(Preconditioning::diagonal);
      case Method::mixed_cg:
        return cg(Preconditioning::mixed);
      case Method::bfgs:
        return bfgs(f, r, u, with_stop<BfgsOptions>(p_), pool, see, checkpoints_);
      case Method::newton:
        return newton(f, r, u, with_stop<NewtonOptions>(p_), pool, see, checkpoints_);
      case Method::truncated_newton:
        return truncated_newton(f, r, u, with_stop<TruncatedNewtonOptions>(p_), pool, see,
                                checkpoints_, newton_preconditioner(whole));
      default:
        return lbfgs(f, r, u, lbfgs_options(), pool, see, checkpoints_);
    }
  });
}

template <class Real>
OptimizeResult ChainMethods::in_span() {
  SpanLbfgsOptions options{.seed = p_.seed, .show_weights = p_.show_weights, .stop = p_.stop};
  if (p_.settings.history) options.history = *p_.settings.history;
  MaxentSpan<Real> f(p_.data, p_.layout, p_.regulariser.free, p_.pool);
  return span_lbfgs(f, p_.regulariser.l2, w_, options, p_.pool, callback_, checkpoints_);
}

OptimizeResult ChainMethods::scaling() {
  const auto options = with_stop<IterativeScalingOptions>(p_);
  const bool improved = p_.method == Method::iis;
  ChainExpectations f(p_.data, p_.layout, p_.pool, improved ? ChainExpectations::kGroups : 1);
  return (improved ? improved_iterative_scaling : generalised_iterative_scaling)(
      f, p_.regulariser, w_, options, p_.pool, callback_, checkpoints_);
}

OptimizeResult ChainMethods::by_weight() {
  auto options = with_stop<CoordinateDescentOptions>(p_);
  options.seed = p_.seed;
  const ColumnsOfPositions columns(p_.data, p_.layout);
  return coordinate_descent(columns.view(), p_.regulariser, w_, options, p_.pool, callback_,
                            checkpoints_);
}

// optimise(f, w, callback): w is in the space of the samples.
template <class Optimise>
OptimizeResult ChainMethods::over_samples(std::size_t workers, const Optimise& optimise) {
  const auto whole = make_chain_function(p_, p_.data, p_.layout);
  const auto f = make_samples(*whole, workers);
  AlignedVector<double> space(f->dimension());
  const auto set_weights = [&](std::span<const double> from) {
    f->scorer().compress(from, w_);
    if (!has_prior_) return;
    for (std::size_t k = 0; k < w_.size(); ++k) w_[k] = p_.prior->weight(k, w_[k]);
  };
  if (has_prior_) {
    for (std::size_t k = 0; k < w_.size(); ++k) w_[k] = p_.prior->variable(k, w_[k]);
  }
  f->scorer().expand(w_, space);
  const auto see = [&](const Iteration& pass) {
    set_weights(pass.w);
    Iteration now = pass;
    now.w = w_;
    return !callback_ || callback_(now);
  };
  OptimizeResult result = optimise(*f, std::span(space), see);
  set_weights(space);
  return result;
}

// Bottou's steps do not shrink without an l2.
StepSchedule ChainMethods::schedule() const {
  return p_.settings.schedule.value_or(p_.regulariser.l2 > 0 ? StepSchedule::bottou
                                                             : StepSchedule::inverse);
}

OptimizeResult ChainMethods::stochastic() {
  return over_samples(
      p_.pool.threads(),
      [&](ChainSampleFunction& f, std::span<double> w,
          const IterationCallback& see) -> OptimizeResult {
        const MethodSettings& settings = p_.settings;
        const auto prepared = [&](auto options) {
          options.stop = p_.stop;
          options.seed = p_.seed;
          if constexpr (requires { options.step = settings.step; }) options.step = settings.step;
          if constexpr (requires { options.batch = std::size_t{1}; }) {
            if (settings.batch) options.batch = std::min(*settings.batch, p_.data.sequences());
          }
          return options;
        };
        const Regulariser& r = p_.regulariser;
        switch (p_.method) {
          case Method::adagrad:
            return adagrad(f, r, w, prepared(AdagradOptions()), p_.pool, see, checkpoints_);
          case Method::adagrad_rda:
            return adagrad_rda(f, r, w, prepared(AdagradOptions()), p_.pool, see, checkpoints_);
          case Method::smd: {
            SmdOptions options = prepared(SmdOptions());
            options.gain = settings.step;
            return stochastic_meta_descent(f, r, w, options, p_.pool, see, checkpoints_);
          }
          case Method::sag:
            return sag(f, r, w, prepared(SagOptions()), see, checkpoints_);
          case Method::async_sgd: {
            AsynchronousSgdOptions options = prepared(AsynchronousSgdOptions());
            options.schedule = schedule();
            if (settings.decay) options.decay = *settings.decay;
            return asynchronous_sgd(f, r, w, options, p_.pool, see, checkpoints_);
          }
          default: {
            SgdOptions options = prepared(SgdOptions());
            options.schedule = schedule();
            if (settings.decay) options.decay = *settings.decay;
            if (p_.method == Method::averaged_sgd) {
              options.average_from = settings.average_from.value_or(2);
            }
            return sgd(f, r, w, options, p_.pool, see, checkpoints_);
          }
        }
      });
}

OptimizeResult ChainMethods::online() {
  return over_samples(
      1,
      [&](ChainSampleFunction& f, std::span<double> w,
          const IterationCallback& see) -> OptimizeResult {
        const MethodSettings& settings = p_.settings;
        const Regulariser& r = p_.regulariser;
        PerceptronOptions perceptron_options{
            .kind = PerceptronKind::averaged, .seed = p_.seed, .stop = p_.stop};
        PassiveAggressiveOptions pa{.seed = p_.seed, .stop = p_.stop};
        if (settings.aggressiveness) pa.aggressiveness = *settings.aggressiveness;
        switch (p_.method) {
          case Method::perceptron:
            perceptron_options.kind = PerceptronKind::plain;
            break;
          case Method::pass_perceptron:
            perceptron_options.kind = PerceptronKind::pass_average;
            if (settings.step) perceptron_options.step = *settings.step;
            break;
          case Method::voted_perceptron: {
            perceptron_options.kind = PerceptronKind::plain;
            VotedPerceptron vote;
            OptimizeResult result =
                voted_perceptron(f, r, w, perceptron_options, vote, see, checkpoints_);
            // Where nothing was ever wrong, the first weights are the only ones.
            if (std::ranges::all_of(vote.votes, [](std::uint64_t n) { return n == 0; })) {
              vote.votes.assign(vote.updates() + 1, 1);
            }
            findings_.vote = f.scorer().compress(std::move(vote));
            return result;
          }
          case Method::pa:
            pa.kind = PassiveAggressiveKind::pa;
            return passive_aggressive(f, r, w, pa, see, checkpoints_);
          case Method::pa_1:
            return passive_aggressive(f, r, w, pa, see, checkpoints_);
          case Method::pa_2:
            pa.kind = PassiveAggressiveKind::pa_2;
            return passive_aggressive(f, r, w, pa, see, checkpoints_);
          case Method::mira: {
            MiraOptions options{.seed = p_.seed, .stop = p_.stop};
            if (settings.best) options.best = *settings.best;
            if (settings.aggressiveness) options.aggressiveness = *settings.aggressiveness;
            return mira(f, r, w, options, see, checkpoints_);
          }
          case Method::arow: {
            ArowOptions options{.seed = p_.seed, .stop = p_.stop};
            if (settings.variance) options.variance = *settings.variance;
            if (settings.gamma) options.gamma = *settings.gamma;
            return arow(f, r, w, options, see, checkpoints_);
          }
          default:
            break;
        }
        return perceptron(f, r, w, perceptron_options, see, checkpoints_);
      });
}

OptimizeResult ChainMethods::run_dual(DualProblem& problem, const IterationCallback& see) {
  const auto prepared = [&](auto options) {
    options.stop = p_.stop;
    options.seed = p_.seed;
    return options;
  };
  switch (p_.method) {
    case Method::sdca:
      return sdca(problem, prepared(SdcaOptions()), see, checkpoints_);
    case Method::frank_wolfe:
      return frank_wolfe(problem, prepared(FrankWolfeOptions()), see, checkpoints_);
    case Method::smo:
      return smo(problem, prepared(SmoOptions()), see, checkpoints_);
    default: {
      auto options = prepared(ExponentiatedGradientOptions());
      options.batch = p_.method == Method::batch_eg;
      if (p_.settings.step) options.step = *p_.settings.step;
      return exponentiated_gradient(problem, options, see, checkpoints_);
    }
  }
}

template <class Real>
OptimizeResult ChainMethods::ascent() {
  const auto whole = make_chain_function(p_, p_.data, p_.layout);
  const ChainAscentOptions options{.l2 = p_.regulariser.l2, .seed = p_.seed, .stop = p_.stop};
  AscentObjective<Real> own;
  if (p_.own_objective != nullptr) {
    own = {objective_maker<Real>(p_, p_.layout), p_.own_objective->positions};
  }
  return chain_ascent<Real>(p_.data, p_.layout, *whole, options, w_, p_.pool, callback_,
                            checkpoints_, own);
}

OptimizeResult ChainMethods::dual() {
  ChainDualOptions options{
      .l2 = p_.regulariser.l2,
      .parts = p_.method == Method::sdca || p_.method == Method::smo ? ChainParts::by_position
                                                                     : ChainParts::tied,
      .loss = p_.objective == Objective::likelihood ? DualLoss::log_loss : DualLoss::hinge,
      .cost = p_.cost};
  if (!p_.settings.kernel) {
    ChainDualProblem problem(p_.data, p_.layout, options);
    OptimizeResult result = run_dual(problem, callback_);
    std::ranges::copy(problem.weights(), w_.begin());
    return result;
  }
  KernelDualProblem problem(p_.data, p_.layout, {.kernel = *p_.settings.kernel, .dual = options});
  OptimizeResult result = run_dual(problem, callback_);
  findings_.kernel = problem.expansion();
  std::ranges::copy(findings_.kernel->w, w_.begin());
  return result;
}

OptimizeResult ChainMethods::run() {
  const MethodInfo& method = info(p_.method);
  if (p_.method == Method::gis || p_.method == Method::iis) return scaling();
  if (p_.method == Method::coordinate_descent) return by_weight();
  if (p_.method == Method::span_lbfgs) return p_.twice ? in_span<double>() : in_span<float>();
  if (p_.method == Method::dual_ascent) {
    constexpr double kSingle = 1e-6;  // as small as a gap is known in float
    const bool twice = p_.twice || p_.stop.gap_tolerance < kSingle;
    return twice ? ascent<double>() : ascent<float>();
  }
  if (!method.init) return dual();
  if (!method.passes) return batch();
  return method.l2 ? stochastic() : online();
}

}  // namespace

std::unique_ptr<ChainFunction> make_chain_function(const ChainProblem& problem,
                                                   const ChainData& data,
                                                   const ChainLayout& layout) {
  if (problem.twice) return function_in<double>(problem, data, layout);
  auto single = function_in<float>(problem, data, layout);
  if (!layout.histories) return single;
  return std::make_unique<ChangingPrecision>(
      std::move(single), [&] { return function_in<double>(problem, data, layout); });
}

OptimizeResult train_chain(const ChainProblem& problem, std::span<double> w,
                           const IterationCallback& callback, Checkpointer* checkpoints,
                           ChainFindings& findings) {
  return ChainMethods(problem, w, callback, checkpoints, findings).run();
}

}  // namespace croft
