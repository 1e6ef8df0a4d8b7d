#include "croft/train/sgd_lbfgs.h"

#include <algorithm>

#include "croft/train/checkpoint.h"

namespace croft {
namespace {

constexpr std::size_t kAveraged = 3;  // the last passes: those before are too far away

class SgdLbfgs {
 public:
  SgdLbfgs(BatchFunction& f, const std::function<std::unique_ptr<ChainSampleFunction>()>& samples,
           const Regulariser& regulariser, std::span<double> w, const SgdLbfgsOptions& options,
           ThreadPool& pool, const IterationCallback& callback, Checkpointer* checkpoints)
      : f_(f),
        samples_(samples),
        regulariser_(regulariser),
        w_(w),
        options_(options),
        pool_(pool),
        callback_(callback),
        checkpoints_(checkpoints, [this](StateArchive& state) {
          state(done_);
          state(in_lbfgs_);
          state(losses_);
        }) {}

  OptimizeResult run() {
    const bool resumed = checkpoints_.resume();
    if (!in_lbfgs_) {
      const std::vector<double> start(w_.begin(), w_.end());
      OptimizeResult passes = run_sgd();
      if (passes.reason == StopReason::stopped) return passes;
      // A step that the data cannot bear: the passes were vain.
      if (!(losses_.back() < losses_.front())) std::ranges::copy(start, w_.begin());
      in_lbfgs_ = true;
      done_ = passes.iterations;
      if (done_ >= options_.lbfgs.stop.max_iterations) return passes;
    }
    return run_lbfgs(resumed);
  }

 private:
  OptimizeResult run_sgd() {
    const auto f = samples_();
    std::vector<double> space(f->dimension());
    f->scorer().expand(w_, space);
    SgdOptions sgd_options{.schedule = StepSchedule::constant,
                           .step = options_.step.value_or(0.1),
                           .decay = 1,
                           .batch = options_.batch,
                           .average_from = options_.passes > kAveraged ? options_.passes - kAveraged + 1 : 1,
                           .exact_every = 0,
                           .seed = options_.seed};
    sgd_options.stop = {.max_iterations =
                            std::min(options_.passes, options_.lbfgs.stop.max_iterations),
                        .tolerance = 0,
                        .gradient_tolerance = 0};
    const auto see = [&](const Iteration& pass) {
      f->scorer().compress(pass.w, w_);
      losses_.push_back(pass.objective);
      Iteration now = pass;
      now.w = w_;
      return !callback_ || callback_(now);
    };
    return sgd(*f, regulariser_, space, sgd_options, pool_, see, &checkpoints_);
  }

  OptimizeResult run_lbfgs(bool resumed) {
    LbfgsOptions options = options_.lbfgs;
    options.stop.max_iterations -= done_;
    const auto see = [&](const Iteration& local) {
      if (local.number == 0 && !resumed && done_ > 0) return true;  // seen as the last pass
      Iteration now = local;
      now.number += done_;
      now.evaluations += done_;
      return !callback_ || callback_(now);
    };
    OptimizeResult result = lbfgs(f_, regulariser_, w_, options, pool_, see, &checkpoints_);
    result.iterations += done_;
    result.evaluations += done_;
    return result;
  }

  BatchFunction& f_;
  const std::function<std::unique_ptr<ChainSampleFunction>()>& samples_;
  const Regulariser& regulariser_;
  std::span<double> w_;
  const SgdLbfgsOptions& options_;
  ThreadPool& pool_;
  const IterationCallback& callback_;
  NestedCheckpoints checkpoints_;
  std::size_t done_ = 0;  // passes, once L-BFGS is under way
  bool in_lbfgs_ = false;
  std::vector<double> losses_;  // of the start and each pass
};

}  // namespace

OptimizeResult sgd_lbfgs(BatchFunction& f,
                         const std::function<std::unique_ptr<ChainSampleFunction>()>& samples,
                         const Regulariser& regulariser, std::span<double> w,
                         const SgdLbfgsOptions& options, ThreadPool& pool,
                         const IterationCallback& callback, Checkpointer* checkpoints) {
  return SgdLbfgs(f, samples, regulariser, w, options, pool, callback, checkpoints).run();
}

}  // namespace croft
