#include "train/functions/sgd_lbfgs.h"

#include <algorithm>

#include "croft/optimize/regulariser.h"
#include "optimize/checks.h"
#include "train/checkpoint.h"

namespace croft {
namespace {

constexpr std::size_t kPreconditioned = 20;  // iterations at most
constexpr std::size_t kAveraged = 3;         // the last passes: those before are too far away

enum class Stage { sgd, preconditioned, plain };

class SgdLbfgs {
 public:
  SgdLbfgs(BatchFunction& f, const std::function<SampleSpace()>& samples,
           const PreconditionerMaker& precondition, const Regulariser& regulariser,
           std::span<double> w, const SgdLbfgsOptions& options, ThreadPool& pool,
           const IterationCallback& callback, Checkpointer* checkpoints)
      : f_(f),
        samples_(samples),
        precondition_(precondition),
        regulariser_(regulariser),
        w_(w),
        options_(options),
        pool_(pool),
        callback_(callback),
        checkpoints_(checkpoints, [this](StateArchive& state) { archive(state); }) {}

  OptimizeResult run() {
    const bool resumed = checkpoints_.resume();
    resumed_ = resumed;
    OptimizeResult result;
    if (stage_ == Stage::sgd) {
      const std::vector<double> start(w_.begin(), w_.end());
      if (ends(result = run_sgd())) return result;
      // A step that the data cannot bear: the passes were vain.
      if (!(losses_.back() < losses_.front())) std::ranges::copy(start, w_.begin());
      next(Stage::preconditioned, result);
    }
    if (stage_ == Stage::preconditioned) {
      if (precondition_ && regulariser_.l2 > 0) {
        if (ends(result = run_preconditioned())) return result;
        next(Stage::plain, result);
      }
      stage_ = Stage::plain;
    }
    return total(run_plain());
  }

 private:
  void archive(StateArchive& state) { state(stage_, iterations_, evaluations_, losses_, begin_); }

  // Whether the training ends with this stage, and not only the stage.
  bool ends(OptimizeResult& result) const {
    const bool over = result.reason == StopReason::stopped || result.reason == StopReason::target ||
                      result.iterations + iterations_ >= options_.lbfgs.stop.max_iterations;
    if (over) result = total(result);
    return over;
  }
  OptimizeResult total(OptimizeResult result) const {
    result.iterations += iterations_;
    result.evaluations += evaluations_;
    if (result.reason == StopReason::stopped) {
      result.message = stopped_message(result.iterations);
    } else if (result.reason == StopReason::max_iterations) {
      result.message =
          "all " + std::to_string(result.iterations) + " iterations are done; not converged";
    }
    return result;
  }
  void next(Stage stage, const OptimizeResult& result) {
    stage_ = stage;
    iterations_ += result.iterations;
    evaluations_ += result.evaluations;
    begin_.assign(w_.begin(), w_.end());
    resumed_ = false;
  }
  // The callback for a stage after the first; its starting point was seen at the end of the last.
  bool see(const Iteration& local, double gradient_norm) const {
    if (local.number == 0 && !resumed_ && iterations_ > 0) return true;
    Iteration now = local;
    now.number += iterations_;
    now.evaluations += evaluations_;
    now.gradient_norm = gradient_norm;
    now.w = w_;
    return !callback_ || callback_(now);
  }

  OptimizeResult run_sgd() {
    const SampleSpace samples = samples_();
    std::vector<double> space(samples.f->dimension());
    const auto rearrange = [](const SampleSpace::Rearrange& way, std::span<const double> from,
                              std::span<double> to) {
      if (way) {
        way(from, to);
      } else {
        std::ranges::copy(from, to.begin());
      }
    };
    rearrange(samples.expand, w_, space);
    SgdOptions sgd_options{
        .schedule = StepSchedule::constant,
        .step = options_.step.value_or(0.1),
        .decay = 1,
        .batch = std::min(options_.batch, samples.f->samples()),
        .average_from = options_.passes > kAveraged ? options_.passes - kAveraged + 1 : 1,
        .average_power = 0,
        .exact_every = 0,
        .seed = options_.seed};
    sgd_options.stop = {
        .max_iterations = std::min(options_.passes, options_.lbfgs.stop.max_iterations),
        .tolerance = 0,
        .gradient_tolerance = 0};
    const auto watch = [&](const Iteration& pass) {
      rearrange(samples.compress, pass.w, w_);
      losses_.push_back(pass.objective);
      Iteration now = pass;
      now.w = w_;
      return !callback_ || callback_(now);
    };
    return sgd(*samples.f, regulariser_, space, sgd_options, pool_, watch, &checkpoints_);
  }

  // Until F falls by less than a part in 5,000 in five iterations.
  OptimizeResult run_preconditioned() {
    const auto preconditioner = precondition_(begin_);
    PreconditionedFunction f(f_, *preconditioner, regulariser_.l2);
    std::vector<double> u(w_.size());
    preconditioner->to_variables(begin_, u);
    LbfgsOptions options = options_.lbfgs;
    options.stop.max_iterations =
        std::min(options.stop.max_iterations - iterations_, kPreconditioned);
    options.stop.tolerance = std::max(options.stop.tolerance, 2e-4);
    options.stop.window = 5;
    options.stop.gradient_tolerance = 0;
    const auto watch = [&](const Iteration& local) {
      preconditioner->to_weights(local.w, w_);
      return see(local, f.gradient_norm());
    };
    OptimizeResult result = lbfgs(f, {.l1 = 0, .l2 = 0}, u, options, pool_, watch, &checkpoints_);
    preconditioner->to_weights(u, w_);
    return result;
  }

  OptimizeResult run_plain() {
    LbfgsOptions options = options_.lbfgs;
    options.stop.max_iterations -= iterations_;
    const auto watch = [&](const Iteration& local) { return see(local, local.gradient_norm); };
    return lbfgs(f_, regulariser_, w_, options, pool_, watch, &checkpoints_);
  }

  BatchFunction& f_;
  const std::function<SampleSpace()>& samples_;
  const PreconditionerMaker& precondition_;
  const Regulariser& regulariser_;
  std::span<double> w_;
  const SgdLbfgsOptions& options_;
  ThreadPool& pool_;
  const IterationCallback& callback_;
  NestedCheckpoints checkpoints_;
  Stage stage_ = Stage::sgd;
  std::size_t iterations_ = 0, evaluations_ = 0;  // of the stages before
  std::vector<double> losses_;                    // of the start and each pass of SGD
  std::vector<double> begin_;                     // w where a later stage began
  bool resumed_ = false;                          // this stage is
};

}  // namespace

SampleSpace::SampleSpace(std::unique_ptr<ChainSampleFunction> chain)
    : expand([scorer = &chain->scorer()](auto from, auto to) { scorer->expand(from, to); }),
      compress([scorer = &chain->scorer()](auto from, auto to) { scorer->compress(from, to); }),
      compress_vote([scorer = &chain->scorer()](VotedPerceptron vote) {
        return scorer->compress(std::move(vote));
      }) {
  f = std::move(chain);
}
SampleSpace::SampleSpace(SampleFunction& same) : f(std::shared_ptr<void>(), &same) {}

OptimizeResult sgd_lbfgs(BatchFunction& f, const std::function<SampleSpace()>& samples,
                         const PreconditionerMaker& precondition, const Regulariser& regulariser,
                         std::span<double> w, const SgdLbfgsOptions& options, ThreadPool& pool,
                         const IterationCallback& callback, Checkpointer* checkpoints) {
  check_none_free(regulariser, "SGD before L-BFGS");
  return SgdLbfgs(f, samples, precondition, regulariser, w, options, pool, callback, checkpoints)
      .run();
}

}  // namespace croft
