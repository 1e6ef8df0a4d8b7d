#include "optimize/stochastic/sample_methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "croft/core/error.h"
#include "optimize/stochastic/pass_method.h"
#include "optimize/stochastic/sample_batch.h"
#include "optimize/stochastic/sample_layout.h"
#include "optimize/stochastic/step_sizes.h"

namespace croft {
namespace {

constexpr double kDifference = 1e-5;  // |epsilon v| relative to max(1, |w|), on the batch's support

class Smd final : public PassMethod {
 public:
  Smd(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
      const SmdOptions& options, ThreadPool& pool)
      : PassMethod(f, regulariser, w, options.exact_every),
        options_(options),
        layout_(f),
        share_(layout_, w.size(), regulariser.l2),
        batch_(f, pool, options.batch),
        gain_(w.size(), 1.0),
        v_(w.size()),
        trial_(w.size()),
        g_(w.size()),
        h_(w.size()),
        users_(w.size()) {
    const auto samples = static_cast<double>(f.samples());
    steps_ = {
        .eta0 = options.gain.value_or(0), .lambda = regulariser.l2 / samples, .samples = samples};
  }

 private:
  PassFigures run(std::size_t pass) override {
    if (steps_.eta0 == 0) calibrate();
    share_.clear_unused(w_);
    draw_order(options_.seed, pass, f_.samples(), order_);
    return {.losses = go_through(order_), .step = steps_.at(t_)};
  }

  double go_through(std::span<const std::uint32_t> samples) {
    double losses = 0;
    for (std::size_t from = 0; from < samples.size(); from += options_.batch) {
      losses += step(samples.subspan(from, std::min(options_.batch, samples.size() - from)));
    }
    return losses;
  }

  double step(std::span<const std::uint32_t> samples) {
    double losses = 0;
    const auto found = batch_.evaluate(samples, w_, [&](std::span<const Run> runs) { join(runs); });
    for (const EvaluatedSample& sample : found) losses += sample.value;
    add_gradients(found, g_);
    const double inverse = difference(samples);
    const double eta = steps_.at(t_);
    for (const Run& run : support_) update(run, eta, inverse);
    leave();
    t_ += static_cast<double>(samples.size());
    return losses;
  }

  // Adds runs of a sample to the batch's support.
  void join(std::span<const Run> runs) {
    for (const Run& run : runs) {
      if (users_[run.begin]++ == 0) support_.push_back(run);
    }
  }
  void leave() {
    for (const Run& run : support_) {
      users_[run.begin] = 0;
      std::fill_n(g_.data() + run.begin, run.length, 0.0);
      std::fill_n(h_.data() + run.begin, run.length, 0.0);
    }
    support_.clear();
  }
  static void add_gradients(std::span<const EvaluatedSample> found, std::vector<double>& sum) {
    for (const EvaluatedSample& sample : found) {
      if (!sample.active) continue;
      for_runs(sample.runs, [&](std::uint64_t begin, std::uint32_t length, std::size_t at) {
        double* out = sum.data() + begin;
        const double* g = sample.gradient.data() + at;
        for (std::size_t k = 0; k < length; ++k) out[k] += g[k];
      });
    }
  }

  // The batch's gradient at w + epsilon v into h_ (SG.14).  Returns 1 / epsilon; 0 where v = 0.
  double difference(std::span<const std::uint32_t> samples) {
    double length = 0, size = 0;
    for (const Run& run : support_) {
      for (std::uint64_t i = run.begin; i < run.begin + run.length; ++i) {
        length += v_[i] * v_[i];
        size += w_[i] * w_[i];
      }
    }
    if (length == 0) return 0;
    const double epsilon = kDifference * std::max(1.0, std::sqrt(size)) / std::sqrt(length);
    for (const Run& run : support_) {
      for (std::uint64_t i = run.begin; i < run.begin + run.length; ++i) {
        trial_[i] = w_[i] + epsilon * v_[i];
      }
    }
    add_gradients(batch_.evaluate_again(samples, trial_), h_);
    return 1 / epsilon;
  }

  // (SG.13) for a run: `share` of the penalty as often as the batch has the run.
  void update(const Run& run, double eta, double inverse) {
    const double share = share_.of(run.begin) * users_[run.begin];
    const double mu = options_.meta_gain, decay = options_.memory;
    const double most = options_.gain_range, least = 1 / most;
    double* w = w_.data() + run.begin;
    double* p = gain_.data() + run.begin;
    double* v = v_.data() + run.begin;
    const double* data = g_.data() + run.begin;
    const double* beside = h_.data() + run.begin;
    for (std::size_t k = 0; k < run.length; ++k) {
      const double g = data[k] + share * w[k];
      const double product = (beside[k] - data[k]) * inverse + share * v[k];
      const double together = std::min(std::max(g * v[k], -1.0), 1.0);
      const double factor = std::min(std::max(1 - mu * together, 0.5), 2.0);
      p[k] = std::min(std::max(p[k] * factor, least), most);
      w[k] -= eta * p[k] * g;
      v[k] = decay * v[k] - eta * p[k] * (g + decay * product);
    }
  }

  void calibrate() {
    steps_.eta0 = calibrate_step(f_, regulariser_, options_.seed, options_.calibration_samples, w_,
                                 [&](double step, auto samples) {
                                   steps_.eta0 = step;
                                   go_through(samples);
                                   std::ranges::fill(gain_, 1.0);
                                   std::ranges::fill(v_, 0.0);
                                   t_ = 0;
                                 });
  }

  void archive_method(StateArchive& state) override { state(steps_.eta0, t_, gain_, v_); }

  const SmdOptions& options_;
  SampleLayout layout_;
  PenaltyShare share_;
  SampleBatch batch_;
  StepSizes steps_;
  double t_ = 0;              // samples so far
  std::vector<double> gain_;  // p, relative to the step of all
  std::vector<double> v_;
  // Of a batch; g_ and h_ are 0 between two.
  std::vector<double> trial_, g_, h_;
  std::vector<std::uint32_t> users_;  // samples of the batch that have the run, by `begin`
  std::vector<Run> support_;
};

}  // namespace

void SmdOptions::validate() const {
  if (gain) check_positive("gain", *gain);
  check_at_least_one("calibration_samples", calibration_samples);
  check_at_least_one("batch", batch);
  const auto check = [](const char* name, double value, double least, double most) {
    if (value >= least && value <= most) return;
    throw UsageError(
        fmt::format("{} is {}; it must be from {:g} to {:g}", name, value, least, most));
  };
  check("meta_gain", meta_gain, 0, 1e6);
  check("memory", memory, 0, 1);
  check("gain_range", gain_range, 1, 1e6);
  stop.validate();
}

OptimizeResult stochastic_meta_descent(SampleFunction& f, const Regulariser& regulariser,
                                       std::span<double> w, const SmdOptions& options,
                                       ThreadPool& pool, const IterationCallback& callback,
                                       Checkpointer* checkpoints) {
  options.validate();
  check_no_l1(regulariser, "stochastic meta-descent");
  check_workers(f, pool.threads());
  Smd run(f, regulariser, w, options, pool);
  return minimize(run, options.stop, callback, checkpoints);
}

}  // namespace croft
