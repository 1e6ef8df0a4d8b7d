#include "optimize/stochastic/sample_methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "croft/core/error.h"
#include "optimize/stochastic/lazy_weights.h"
#include "optimize/stochastic/pass_method.h"
#include "optimize/stochastic/sample_batch.h"
#include "optimize/stochastic/sample_layout.h"
#include "optimize/stochastic/step_sizes.h"

namespace croft {
namespace {

class Sgd final : public PassMethod {
 public:
  Sgd(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
      const SgdOptions& options, ThreadPool& pool)
      : PassMethod(f, regulariser, w, options.exact_every),
        options_(options),
        own_(options.average_from > 0 ? std::vector<double>(w.begin(), w.end())
                                      : std::vector<double>()),
        x_(options.average_from > 0 ? std::span(own_) : w),
        layout_(f),
        batch_(f, pool, options.batch),
        lazy_(layout_, x_, kind(regulariser, options)) {
    const auto samples = static_cast<double>(f.samples());
    steps_ = {.schedule = options.schedule,
              .eta0 = options.step.value_or(0),
              .lambda = regulariser.l2 / samples,
              .samples = samples,
              .decay = options.decay,
              .averaged = options.average_from > 0};
    if (options.nonnegative.empty()) return;
    kept_.resize(w.size());
    for (const croft::Run& run : options.nonnegative) {
      std::fill_n(kept_.begin() + static_cast<std::ptrdiff_t>(run.begin), run.length, true);
      for (std::size_t k = 0; k < run.length; ++k) {
        double& x = x_[run.begin + k];
        x = std::max(x, 0.0);
      }
    }
  }

 private:
  static LazyWeights::Kind kind(const Regulariser& regulariser, const SgdOptions& options) {
    if (options.average_from > 0) return LazyWeights::Kind::averaged;
    return regulariser.l1 > 0 ? LazyWeights::Kind::cumulative_l1 : LazyWeights::Kind::plain;
  }

  PassFigures run(std::size_t pass) override {
    if (steps_.eta0 == 0) calibrate();
    averaging_ = options_.average_from > 0 && pass >= options_.average_from;
    if (averaging_ && options_.average_power > 0) {
      const auto k = static_cast<double>(pass - options_.average_from + 1);
      lazy_.discount(std::pow((k - 1) / k, options_.average_power));
    }
    draw_order(options_.seed, pass, f_.samples(), order_);
    const double losses = go_through(order_);
    if (lazy_.has_average()) {
      lazy_.write_average(w_);
    } else if (x_.data() != w_.data()) {
      std::ranges::copy(x_, w_.begin());
    }
    return {.losses = losses, .step = steps_.at(t_)};
  }

  // Steps for all of them; then all weights are up to date.  Returns the losses met.
  double go_through(std::span<const std::uint32_t> samples) {
    double losses = 0;
    for (std::size_t from = 0; from < samples.size(); from += options_.batch) {
      losses += step(samples.subspan(from, std::min(options_.batch, samples.size() - from)));
    }
    lazy_.settle();
    return losses;
  }

  // (SG.2) for a batch: the sum of the gradients, and the decay of as many samples.
  double step(std::span<const std::uint32_t> samples) {
    const double eta = steps_.at(t_);
    const auto size = static_cast<double>(samples.size());
    double losses = 0;
    const auto found =
        batch_.evaluate(samples, x_, [&](std::span<const Run> runs) { lazy_.visit(runs); });
    for (const EvaluatedSample& sample : found) {
      losses += sample.value;
      if (!sample.active) continue;
      for_runs(sample.runs, [&](std::uint64_t begin, std::uint32_t length, std::size_t at) {
        double* x = x_.data() + begin;
        const double* g = sample.gradient.data() + at;
        for (std::size_t k = 0; k < length; ++k) x[k] -= eta * g[k];
        for (std::size_t k = 0; k < length && !kept_.empty(); ++k) {
          if (kept_[begin + k]) x[k] = std::max(x[k], 0.0);
        }
      });
    }
    t_ += size;
    lazy_.end_step(1 / (1 + eta * steps_.lambda * size),
                   eta * size * regulariser_.l1 / steps_.samples, averaging_);
    return losses;
  }

  void calibrate() {
    averaging_ = false;
    steps_.eta0 = calibrate_step(f_, regulariser_, options_.seed, options_.calibration_samples, x_,
                                 [&](double step, auto samples) {
                                   steps_.eta0 = step;
                                   go_through(samples);
                                   lazy_.clear();
                                   t_ = 0;
                                 });
  }

  void archive_method(StateArchive& state) override {
    state(std::span(own_), steps_.eta0, t_, lazy_);
  }

  const SgdOptions& options_;
  std::vector<double> own_;  // the iterate, where w is an average
  std::span<double> x_;      // the iterate: own_ or w
  SampleLayout layout_;
  SampleBatch batch_;
  LazyWeights lazy_;
  StepSizes steps_;
  double t_ = 0;  // samples so far
  bool averaging_ = false;
  std::vector<bool> kept_;  // [dimension] whether >= 0; empty: none
};

}  // namespace

void SgdOptions::validate() const {
  if (step) check_positive("step", *step);
  check_at_least_one("calibration_samples", calibration_samples);
  check_at_least_one("batch", batch);
  if (!(decay > 0 && decay <= 1)) {
    throw UsageError(fmt::format("decay is {}; it must be > 0 and <= 1", decay));
  }
  if (!(average_power >= 0)) {
    throw UsageError(fmt::format("average_power is {}; it must be >= 0", average_power));
  }
  stop.validate();
}

OptimizeResult sgd(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
                   const SgdOptions& options, ThreadPool& pool, const IterationCallback& callback,
                   Checkpointer* checkpoints) {
  options.validate();
  regulariser.validate();
  if (options.batch > 1) check_workers(f, pool.threads());
  if (options.average_from > 0 && regulariser.l1 > 0) {
    throw UsageError(
        fmt::format("average_from is {} with l1 = {}; an average of sparse weights is "
                    "not sparse: one of them must be 0",
                    options.average_from, regulariser.l1));
  }
  if (!options.nonnegative.empty() && regulariser.l1 > 0) {
    throw UsageError("weights that are kept >= 0 do not go with l1 > 0");
  }
  Sgd run(f, regulariser, w, options, pool);
  return minimize(run, options.stop, callback, checkpoints);
}

}  // namespace croft
