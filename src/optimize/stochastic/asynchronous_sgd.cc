#include "optimize/stochastic/sample_methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

#include "croft/core/error.h"
#include "croft/core/matrix.h"
#include "optimize/stochastic/pass_method.h"
#include "optimize/stochastic/sample_layout.h"
#include "optimize/stochastic/step_sizes.h"

namespace croft {
namespace {

constexpr std::size_t kTogether = 8;  // samples that a worker takes at once

// Other threads may be at the same weight.  What one adds between the load and the store of another
// is lost; to wait for it would cost more than it is worth.
double read(double& weight) { return std::atomic_ref(weight).load(std::memory_order_relaxed); }
void add(double& weight, double change) {
  const std::atomic_ref shared(weight);
  shared.store(shared.load(std::memory_order_relaxed) + change, std::memory_order_relaxed);
}

class AsynchronousSgd final : public PassMethod {
 public:
  AsynchronousSgd(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
                  const AsynchronousSgdOptions& options, ThreadPool& pool)
      : PassMethod(f, regulariser, w, options.exact_every),
        options_(options),
        pool_(pool),
        layout_(f),
        share_(layout_, w.size(), regulariser.l2),
        workers_(pool.threads()),
        losses_(f.samples()) {
    for (Worker& worker : workers_) {
      worker.w.resize(w.size());
      worker.gradient.resize(layout_.largest());
    }
    const auto samples = static_cast<double>(f.samples());
    steps_ = {.schedule = options.schedule,
              .eta0 = options.step.value_or(0),
              .lambda = regulariser.l2 / samples,
              .samples = samples,
              .decay = options.decay};
  }

 private:
  struct Worker {
    std::vector<double> w;  // what the support of its sample was when it looked
    std::vector<Run> runs;
    AlignedVector<double> gradient;
  };

  PassFigures run(std::size_t pass) override {
    if (steps_.eta0 == 0) calibrate();
    share_.clear_unused(w_);
    draw_order(options_.seed, pass, f_.samples(), order_);
    const std::size_t samples = order_.size(), before = (pass - 1) * samples;
    pool_.run((samples + kTogether - 1) / kTogether, [&](std::size_t task, std::size_t worker) {
      const std::size_t end = std::min(samples, (task + 1) * kTogether);
      for (std::size_t k = task * kTogether; k < end; ++k) {
        losses_[k] = step(order_[k], static_cast<double>(before + k), worker);
      }
    });
    return {.losses = std::accumulate(losses_.begin(), losses_.end(), 0.0),
            .step = steps_.at(static_cast<double>(before + samples))};
  }

  // (SG.2) with the share of the penalty (SG.9) in place of lambda.
  double step(std::size_t n, double t, std::size_t worker) {
    Worker& own = workers_[worker];
    const std::span<const Run> support = f_.support(n, worker);
    own.runs.assign(support.begin(), support.end());
    for (const Run& run : own.runs) {
      double* local = own.w.data() + run.begin;
      double* shared = w_.data() + run.begin;
      for (std::size_t k = 0; k < run.length; ++k) local[k] = read(shared[k]);
    }
    const std::span<double> g = std::span(own.gradient).first(layout_.support_size(n));
    const SampleFunction::Sample sample = f_.evaluate_sample(n, own.w, g, worker);
    if (!sample.active) std::ranges::fill(g, 0.0);
    const double eta = steps_.at(t);
    for_runs(own.runs, [&](std::uint64_t begin, std::uint32_t length, std::size_t at) {
      const double decay = 1 / (1 + eta * share_.of(begin));
      const double* local = own.w.data() + begin;
      double* shared = w_.data() + begin;
      for (std::size_t k = 0; k < length; ++k) {
        add(shared[k], decay * (local[k] - eta * g[at + k]) - local[k]);
      }
    });
    return sample.value;
  }

  void calibrate() {
    steps_.eta0 = calibrate_step(f_, regulariser_, options_.seed, options_.calibration_samples, w_,
                                 [&](double eta0, auto samples) {
                                   steps_.eta0 = eta0;
                                   double t = 0;
                                   for (const std::uint32_t n : samples) step(n, t++, 0);
                                 });
  }

  void archive_method(StateArchive& state) override { state(steps_.eta0); }

  const AsynchronousSgdOptions& options_;
  ThreadPool& pool_;
  SampleLayout layout_;
  PenaltyShare share_;
  std::vector<Worker> workers_;
  std::vector<double> losses_;  // by place in the order
  StepSizes steps_;
};

}  // namespace

void AsynchronousSgdOptions::validate() const {
  if (step) check_positive("step", *step);
  check_at_least_one("calibration_samples", calibration_samples);
  if (!(decay > 0 && decay <= 1)) {
    throw UsageError(fmt::format("decay is {}; it must be > 0 and <= 1", decay));
  }
  stop.validate();
}

OptimizeResult asynchronous_sgd(SampleFunction& f, const Regulariser& regulariser,
                                std::span<double> w, const AsynchronousSgdOptions& options,
                                ThreadPool& pool, const IterationCallback& callback,
                                Checkpointer* checkpoints) {
  options.validate();
  check_no_l1(regulariser, "asynchronous SGD");
  check_workers(f, pool.threads());
  AsynchronousSgd run(f, regulariser, w, options, pool);
  return minimize(run, options.stop, callback, checkpoints);
}

}  // namespace croft
