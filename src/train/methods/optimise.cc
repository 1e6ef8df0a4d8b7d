#include "train/methods/optimise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>

#include "core/words/counted.h"
#include "croft/optimize/lbfgs.h"
#include "optimize/batch/batch_methods.h"
#include "optimize/dual/dual_methods.h"
#include "optimize/stochastic/online_methods.h"
#include "optimize/stochastic/sample_methods.h"
#include "train/checkpoint.h"

namespace croft {
namespace {

// The first pass leaves the start.
constexpr std::size_t kAverageFrom = 2;

// One run of optimise().
class Optimisation {
 public:
  Optimisation(const OptimizeProblem& problem, std::span<double> w,
               const IterationCallback& callback, Checkpointer* checkpoints,
               std::optional<VotedPerceptron>* vote)
      : p_(problem), w_(w), callback_(callback), checkpoints_(checkpoints), vote_(vote) {}

  OptimizeResult run();

 private:
  using M = Method;
  template <class Options>
  Options prepared(Options options = {}, std::size_t samples = 0) const;
  template <class Run>
  OptimizeResult over(const SampleSpace* space, const Run& run);
  template <class Run>
  OptimizeResult over_samples(std::size_t workers, const Run& run);

  OptimizeResult batch();
  OptimizeResult curved();
  OptimizeResult stochastic();
  OptimizeResult online();
  OptimizeResult dual();
  OptimizeResult ascent();

  const OptimizeProblem& p_;
  std::span<double> w_;
  const IterationCallback& callback_;
  Checkpointer* checkpoints_;
  std::optional<VotedPerceptron>* vote_;
};

// The settings that the method's options have; what is not set stays the method's own default.
//   samples : that there are, which is the most that a batch can have; 0: not known
template <class Options>
Options Optimisation::prepared(Options o, std::size_t samples) const {
  const MethodSettings& s = p_.settings;
  const auto set = [](auto& field, const auto& value) {
    if (value) field = *value;
  };
  if constexpr (requires { o.stop; }) {
    o.stop = p_.stop;
    set(o.stop.gap_tolerance, s.gap);
  }
  if constexpr (requires { o.seed; }) o.seed = p_.seed;
  if constexpr (requires { o.ranks; }) o.ranks = &p_.pool.ranks();
  if constexpr (requires { o.history; }) set(o.history, s.history);
  if constexpr (requires { o.step; }) set(o.step, s.step);
  if constexpr (requires { o.gain; }) set(o.gain, s.step);
  if constexpr (requires { requires std::same_as<decltype(o.batch), std::size_t>; }) {
    set(o.batch, s.batch);
    if (samples > 0 && s.batch) o.batch = std::min(o.batch, samples);
  }
  if constexpr (requires { o.schedule; }) {
    // Bottou's steps do not shrink without an l2.
    o.schedule =
        s.schedule.value_or(p_.regulariser.l2 > 0 ? StepSchedule::bottou : StepSchedule::inverse);
    set(o.decay, s.decay);
  }
  if constexpr (requires { o.average_from; }) {
    if (p_.method == M::averaged_sgd) o.average_from = s.average_from.value_or(kAverageFrom);
  }
  if constexpr (requires { o.nonnegative; }) o.nonnegative = p_.nonnegative;
  if constexpr (requires { o.aggressiveness; }) set(o.aggressiveness, s.aggressiveness);
  if constexpr (requires { o.best; }) set(o.best, s.best);
  if constexpr (requires { o.variance; }) set(o.variance, s.variance);
  if constexpr (requires { o.gamma; }) set(o.gamma, s.gamma);
  return o;
}

// run(u, callback): u are the variables of the prior, in the order of the space where there is one.
template <class Run>
OptimizeResult Optimisation::over(const SampleSpace* space, const Run& run) {
  const bool has_prior = p_.prior != nullptr && !p_.prior->trivial();
  const bool moved = space != nullptr && space->expand;
  if (!has_prior && !moved) return run(w_, callback_);
  AlignedVector<double> u(moved ? space->f->dimension() : w_.size());
  const auto set_weights = [&](std::span<const double> from) {
    if (moved) {
      space->compress(from, w_);
      from = w_;
    }
    for (std::size_t k = 0; has_prior && k < w_.size(); ++k) w_[k] = p_.prior->weight(k, from[k]);
  };
  if (has_prior) {
    for (std::size_t k = 0; k < w_.size(); ++k) w_[k] = p_.prior->variable(k, w_[k]);
  }
  if (moved) {
    space->expand(w_, u);
  } else {
    std::ranges::copy(w_, u.begin());
  }
  const IterationCallback see = [&](const Iteration& local) {
    set_weights(local.w);
    Iteration now = local;
    now.w = w_;
    return !callback_ || callback_(now);
  };
  OptimizeResult result = run(std::span<double>(u), see);
  set_weights(u);
  return result;
}

template <class Run>
OptimizeResult Optimisation::over_samples(std::size_t workers, const Run& run) {
  const SampleSpace space = p_.samples(workers);
  return over(&space, [&](std::span<double> u, const IterationCallback& see) {
    return run(space, *space.f, u, see);
  });
}

OptimizeResult Optimisation::batch() {
  BatchFunction& f = p_.batch();
  const Regulariser& r = p_.regulariser;
  return over(nullptr, [&](std::span<double> u, const IterationCallback& see) -> OptimizeResult {
    const auto cg = [&](Preconditioning preconditioning) {
      auto options = prepared<ConjugateGradientOptions>();
      options.preconditioning = preconditioning;
      return conjugate_gradient(f, r, u, options, p_.pool, see, checkpoints_);
    };
    switch (p_.method) {
      case M::sgd_lbfgs: {
        auto options = prepared<SgdLbfgsOptions>();
        if (p_.settings.passes) options.passes = *p_.settings.passes;
        options.lbfgs = prepared<LbfgsOptions>();
        return sgd_lbfgs(
            f, [&] { return p_.samples(p_.pool.threads()); }, p_.preconditioner, r, u, options,
            p_.pool, see, checkpoints_);
      }
      case M::owlqn:
        return owlqn(f, r, u, prepared<LbfgsOptions>(), p_.pool, see, checkpoints_);
      case M::steepest_descent:
        return steepest_descent(f, r, u, prepared<DescentOptions>(), p_.pool, see, checkpoints_);
      case M::cg:
        return cg(Preconditioning::none);
      case M::preconditioned_cg:
        return cg(Preconditioning::diagonal);
      case M::mixed_cg:
        return cg(Preconditioning::mixed);
      case M::bfgs:
        return bfgs(f, r, u, prepared<DescentOptions>(), p_.pool, see, checkpoints_);
      default:
        return lbfgs(f, r, u, prepared<LbfgsOptions>(), p_.pool, see, checkpoints_);
    }
  });
}

OptimizeResult Optimisation::curved() {
  CurvedFunction& f = p_.curved();
  const Regulariser& r = p_.regulariser;
  return over(nullptr, [&](std::span<double> u, const IterationCallback& see) {
    if (p_.method == M::newton) {
      return newton(f, r, u, prepared<DescentOptions>(), p_.pool, see, checkpoints_);
    }
    return truncated_newton(f, r, u, prepared<TruncatedNewtonOptions>(), p_.pool, see, checkpoints_,
                            p_.newton_preconditioner);
  });
}

OptimizeResult Optimisation::stochastic() {
  return over_samples(
      p_.pool.threads(),
      [&](const SampleSpace&, SampleFunction& f, std::span<double> w,
          const IterationCallback& see) -> OptimizeResult {
        const Regulariser& r = p_.regulariser;
        ThreadPool& pool = p_.pool;
        const std::size_t n = f.samples();
        switch (p_.method) {
          case M::adagrad:
            return adagrad(f, r, w, prepared(AdagradOptions(), n), pool, see, checkpoints_);
          case M::adagrad_rda:
            return adagrad_rda(f, r, w, prepared(AdagradOptions(), n), pool, see, checkpoints_);
          case M::smd:
            return stochastic_meta_descent(f, r, w, prepared(SmdOptions(), n), pool, see,
                                           checkpoints_);
          case M::sag:
            return sag(f, r, w, prepared<SagOptions>(), see, checkpoints_);
          case M::async_sgd:
            return asynchronous_sgd(f, r, w, prepared<AsynchronousSgdOptions>(), pool, see,
                                    checkpoints_);
          default:
            return sgd(f, r, w, prepared(SgdOptions(), n), pool, see, checkpoints_);
        }
      });
}

OptimizeResult Optimisation::online() {
  return over_samples(
      1,
      [&](const SampleSpace& space, SampleFunction& f, std::span<double> w,
          const IterationCallback& see) -> OptimizeResult {
        const Regulariser& r = p_.regulariser;
        auto options = prepared<PerceptronOptions>();
        auto aggressive = prepared<PassiveAggressiveOptions>();
        switch (p_.method) {
          case M::voted_perceptron: {
            options.kind = PerceptronKind::plain;
            VotedPerceptron vote;
            OptimizeResult result = voted_perceptron(f, r, w, options, vote, see, checkpoints_);
            // Where nothing was ever wrong, the first weights are the only ones.
            if (std::ranges::all_of(vote.votes, [](std::uint64_t n) { return n == 0; })) {
              vote.votes.assign(vote.updates() + 1, 1);
            }
            if (vote_ != nullptr) *vote_ = space.compress_vote(std::move(vote));
            return result;
          }
          case M::mira:
            return mira(dynamic_cast<RankedFunction&>(f), r, w, prepared<MiraOptions>(), see,
                        checkpoints_);
          case M::arow:
            return arow(f, r, w, prepared<ArowOptions>(), see, checkpoints_);
          case M::pa:
          case M::pa_1:
          case M::pa_2:
            aggressive.kind = p_.method == M::pa     ? PassiveAggressiveKind::pa
                              : p_.method == M::pa_1 ? PassiveAggressiveKind::pa_1
                                                     : PassiveAggressiveKind::pa_2;
            return passive_aggressive(f, r, w, aggressive, see, checkpoints_);
          default:
            options.kind = p_.method == M::perceptron        ? PerceptronKind::plain
                           : p_.method == M::pass_perceptron ? PerceptronKind::pass_average
                                                             : PerceptronKind::averaged;
            return perceptron(f, r, w, options, see, checkpoints_);
        }
      });
}

OptimizeResult Optimisation::dual() {
  DualProblem& f = p_.dual();
  const auto run = [&] {
    switch (p_.method) {
      case M::sdca:
        return sdca(f, prepared<SdcaOptions>(), callback_, checkpoints_);
      case M::frank_wolfe:
        return frank_wolfe(f, prepared<FrankWolfeOptions>(), callback_, checkpoints_);
      case M::smo:
        return smo(f, prepared<SmoOptions>(), callback_, checkpoints_);
      default: {
        auto options = prepared<ExponentiatedGradientOptions>();
        options.batch = p_.method == M::batch_eg;
        return exponentiated_gradient(f, options, callback_, checkpoints_);
      }
    }
  };
  OptimizeResult result = run();
  std::ranges::copy(f.weights(), w_.begin());
  return result;
}

// (D.28): whether at the rate of the last iterations the gap takes many more to close.
//   gaps : [iterations + 1], relative
bool closes_slowly(std::span<const double> gaps, double tolerance) {
  constexpr std::size_t kSeen = 2;  // iterations whose rate is looked at; not the first one
  constexpr double kMany = 8;       // iterations: what L-BFGS takes from here, or more
  if (gaps.size() < kSeen + 2 || !(gaps.back() > tolerance) || tolerance <= 0) return false;
  const double rate = std::log(gaps[gaps.size() - 1 - kSeen] / gaps.back()) / kSeen;
  return !(std::log(gaps.back() / tolerance) <= kMany * rate);
}

// Dual ascent, which nobody asked for and which gives way to L-BFGS where its gap closes slowly, or
// where rounding hides its steps: the sums of a sequence of tens of thousands of positions.
class AscentOrLbfgs {
 public:
  AscentOrLbfgs(const OptimizeProblem& problem, const ChainAscentOptions& ascent,
                const LbfgsOptions& lbfgs, std::span<double> w, const IterationCallback& callback,
                Checkpointer* checkpoints)
      : p_(problem),
        ascent_(ascent),
        lbfgs_(lbfgs),
        w_(w),
        callback_(callback),
        checkpoints_(checkpoints, [this](StateArchive& state) {
          state(slow_, lost_, iterations_, evaluations_, gaps_, first_);
        }) {}

  OptimizeResult run() {
    checkpoints_.resume();
    if (!slow_ && !lost_) {
      const OptimizeResult result = p_.ascent(
          ascent_, w_, [this](const Iteration& now) { return see(now); }, &checkpoints_);
      lost_ = result.reason == StopReason::no_progress;
      if (!lost_ && (!slow_ || result.reason != StopReason::stopped)) return result;
      iterations_ = result.iterations;
      evaluations_ = result.evaluations;
      if (!(result.objective < first_)) std::ranges::fill(w_, 0.0);  // worse than w = 0 was
    }
    return finish();
  }

 private:
  bool see(const Iteration& now) {
    if (now.number == 0) first_ = now.objective;
    gaps_.resize(now.number + 1);
    gaps_[now.number] = now.gap.value_or(0);
    if (callback_ && !callback_(now)) return false;
    slow_ = closes_slowly(gaps_, ascent_.stop.gap_tolerance);
    return !slow_;
  }

  OptimizeResult finish() {
    LbfgsOptions options = lbfgs_;
    options.stop.max_iterations -= std::min(iterations_, options.stop.max_iterations);
    const auto watch = [&](const Iteration& local) {
      if (local.number == 0) return true;  // where the ascent ended
      Iteration now = local;
      now.number += iterations_;
      now.evaluations += evaluations_;
      return !callback_ || callback_(now);
    };
    OptimizeResult result =
        lbfgs(p_.batch(), p_.regulariser, w_, options, p_.pool, watch, &checkpoints_);
    result.iterations += iterations_;
    result.evaluations += evaluations_;
    result.message = fmt::format(
        "L-BFGS took over after {}, as {}; {}", counted(iterations_, "iteration"),
        lost_ ? "rounding hid the steps of dual ascent" : "the gap closed slowly", result.message);
    return result;
  }

  const OptimizeProblem& p_;
  ChainAscentOptions ascent_;
  LbfgsOptions lbfgs_;
  std::span<double> w_;
  const IterationCallback& callback_;
  NestedCheckpoints checkpoints_;
  bool slow_ = false, lost_ = false;
  std::size_t iterations_ = 0, evaluations_ = 0;  // of the ascent, once it is over
  std::vector<double> gaps_;                      // [iterations + 1]
  double first_ = 0;                              // F where w = 0
};

OptimizeResult Optimisation::ascent() {
  auto options = prepared<ChainAscentOptions>();
  options.l2 = p_.regulariser.l2;
  if (!p_.by_default) return p_.ascent(options, w_, callback_, checkpoints_);
  return AscentOrLbfgs(p_, options, prepared<LbfgsOptions>(), w_, callback_, checkpoints_).run();
}

OptimizeResult Optimisation::run() {
  const Regulariser& r = p_.regulariser;
  switch (p_.method) {
    case M::gis:
    case M::iis: {
      const bool improved = p_.method == M::iis;
      return (improved ? improved_iterative_scaling : generalised_iterative_scaling)(
          *p_.expectations(improved), r, w_, prepared<IterativeScalingOptions>(), p_.pool,
          callback_, checkpoints_);
    }
    case M::coordinate_descent:
      return coordinate_descent(p_.columns(), r, w_, prepared<CoordinateDescentOptions>(), p_.pool,
                                callback_, checkpoints_);
    case M::span_lbfgs: {
      auto options = prepared<SpanLbfgsOptions>();
      options.show_weights = p_.show_weights;
      return std::visit(
          [&](const auto& f) {
            return span_lbfgs(*f, r.l2, w_, options, p_.pool, callback_, checkpoints_);
          },
          p_.span());
    }
    case M::dual_ascent:
      return ascent();
    case M::newton:
    case M::truncated_newton:
      return curved();
    case M::cutting_planes: {
      auto options = prepared<CuttingPlaneOptions>();
      options.l2 = r.l2;
      BatchFunction& f = p_.batch();
      return over(nullptr, [&](std::span<double> u, const IterationCallback& see) {
        return cutting_planes(f, u, options, see, checkpoints_);
      });
    }
    default:
      break;
  }
  if (p_.directions) {
    const auto f = p_.directions();
    return stochastic_approximation(*f, r, w_,
                                    prepared(StochasticApproximationOptions(), f->samples()),
                                    p_.pool, callback_, checkpoints_);
  }
  const MethodInfo& method = info(p_.method);
  if (!method.init) return dual();
  if (!method.passes) return batch();
  return method.l2 ? stochastic() : online();
}

}  // namespace

OptimizeResult optimise(const OptimizeProblem& problem, std::span<double> w,
                        const IterationCallback& callback, Checkpointer* checkpoints,
                        std::optional<VotedPerceptron>* vote) {
  return Optimisation(problem, w, callback, checkpoints, vote).run();
}

}  // namespace croft
