#include "optimize/stochastic/sample_methods.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "optimize/stochastic/pass_method.h"
#include "optimize/stochastic/sample_batch.h"
#include "optimize/stochastic/sample_layout.h"
#include "optimize/stochastic/step_sizes.h"

namespace croft {
namespace {

constexpr double kFading = 3;  // of the average, and of dual averaging

// Passes have weights of 1, 2^3, 3^3, …: by this factor those before a pass fade relative to it.
double fade_of(std::size_t pass) {
  const auto m = static_cast<double>(pass);
  return std::pow((m - 1) / m, kFading);
}

// What both forms do: passes, batches, the calibration of eta.
class AdagradMethod : public PassMethod {
 protected:
  // x : the iterate, if it is not w
  AdagradMethod(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
                std::span<double> x, const AdagradOptions& options, ThreadPool& pool)
      : PassMethod(f, regulariser, w, options.exact_every),
        options_(options),
        x_(x),
        layout_(f),
        batch_(f, pool, options.batch),
        eta0_(options.step.value_or(0)),
        squares_(w.size()) {}

  virtual void visit(std::span<const Run> runs) = 0;  // brings w up to date there
  virtual void learn(const EvaluatedSample& sample) = 0;
  virtual void end_step(std::size_t samples) = 0;
  virtual void settle() = 0;  // brings all of w up to date
  virtual void begin(std::size_t pass) = 0;
  virtual void clear() = 0;  // as at the start, w aside

  PassFigures run(std::size_t pass) override {
    if (eta0_ == 0) calibrate();
    begin(pass);
    draw_order(options_.seed, pass, f_.samples(), order_);
    return {.losses = go_through(order_), .step = eta_};
  }

  double go_through(std::span<const std::uint32_t> samples) {
    double losses = 0;
    for (std::size_t from = 0; from < samples.size(); from += options_.batch) {
      const auto some = samples.subspan(from, std::min(options_.batch, samples.size() - from));
      const auto found = batch_.evaluate(some, x_, [&](std::span<const Run> runs) { visit(runs); });
      for (const EvaluatedSample& sample : found) {
        losses += sample.value;
        learn(sample);
      }
      end_step(some.size());
    }
    settle();
    return losses;
  }

  void calibrate() {
    eta0_ = calibrate_step(f_, regulariser_, options_.seed, options_.calibration_samples, x_,
                           [&](double step, auto samples) {
                             eta0_ = step;
                             begin(1);
                             go_through(samples);
                             std::ranges::fill(squares_, 0.0);
                             clear();
                           });
  }

  void archive_method(StateArchive& state) override { state(eta0_, eta_, squares_); }

  const AdagradOptions& options_;
  std::span<double> x_;
  SampleLayout layout_;
  SampleBatch batch_;
  double eta0_, eta_ = 0;
  std::vector<double> squares_;  // s: sum of squared gradients
};

// What is not w while w is an average.
struct OwnIterate {
  std::vector<double> own;
};

// (SG.10), with each sample's share of the penalty in its gradient.  The last iterate is noisy: w
// is an average of all (SG.12).
class Adagrad final : private OwnIterate, public AdagradMethod {
 public:
  Adagrad(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
          const AdagradOptions& options, ThreadPool& pool)
      : OwnIterate{{w.begin(), w.end()}},
        AdagradMethod(f, regulariser, w, own, options, pool),
        share_(layout_, w.size(), regulariser.l2),
        sum_(w.size()),
        last_(w.size()) {}

 private:
  PassFigures run(std::size_t pass) override {
    const PassFigures figures = AdagradMethod::run(pass);
    const double scale = 1 / weight_;
    for (std::size_t i = 0; i < w_.size(); ++i) w_[i] = scale * sum_[i];
    return figures;
  }

  // Nothing moves a coordinate between two visits.
  void visit(std::span<const Run> runs) override {
    for (const Run& run : runs) {
      const double steps = steps_ - last_[run.begin];
      last_[run.begin] = steps_;
      const double* x = x_.data() + run.begin;
      double* sum = sum_.data() + run.begin;
      for (std::size_t k = 0; k < run.length; ++k) sum[k] += steps * x[k];
    }
  }
  void learn(const EvaluatedSample& sample) override {
    if (!sample.active) std::ranges::fill(sample.gradient, 0.0);
    for_runs(sample.runs, [&](std::uint64_t begin, std::uint32_t length, std::size_t at) {
      const double share = share_.of(begin), eta = eta_, delta = options_.delta;
      double* x = x_.data() + begin;
      double* s = squares_.data() + begin;
      const double* data = sample.gradient.data() + at;
      for (std::size_t k = 0; k < length; ++k) {
        const double g = data[k] + share * x[k];
        s[k] += g * g;
        x[k] -= eta * g / (delta + std::sqrt(s[k]));
      }
    });
  }
  void end_step(std::size_t) override {
    ++steps_;
    ++weight_;
  }
  void settle() override {
    visit(layout_.runs());
    std::ranges::fill(last_, 0.0);
    steps_ = 0;
  }
  void begin(std::size_t pass) override {
    eta_ = eta0_;
    share_.clear_unused(x_);
    const double fade = fade_of(pass);
    for (double& sum : sum_) sum *= fade;
    weight_ = fade * weight_;
  }
  void clear() override {
    std::ranges::fill(sum_, 0.0);
    weight_ = 0;
  }
  void archive_method(StateArchive& state) override {
    AdagradMethod::archive_method(state);
    state(std::span(own), sum_, weight_);
  }

  PenaltyShare share_;
  std::vector<double> sum_;   // of the iterates, faded
  double weight_ = 0;         // of the sum
  std::vector<double> last_;  // steps at the last visit, by `begin`
  double steps_ = 0;          // of the pass
};

// (SG.11): w is a function of the sums, so that a coordinate is brought up to date by computing it.
class AdagradRda final : public AdagradMethod {
 public:
  AdagradRda(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
             const AdagradOptions& options, ThreadPool& pool)
      : AdagradMethod(f, regulariser, w, w, options, pool),
        centre_(w.begin(), w.end()),
        sums_(w.size()),
        l1_(regulariser.l1 / static_cast<double>(f.samples())),
        l2_(regulariser.l2 / static_cast<double>(f.samples())) {}

 private:
  void visit(std::span<const Run> runs) override {
    const double l1 = time_ * l1_, l2 = time_ * l2_, inverse = 1 / eta_, delta = options_.delta;
    for (const Run& run : runs) {
      double* x = x_.data() + run.begin;
      const double* c = centre_.data() + run.begin;
      const double* z = sums_.data() + run.begin;
      const double* s = squares_.data() + run.begin;
      for (std::size_t k = 0; k < run.length; ++k) {
        const double h = inverse * (delta + std::sqrt(s[k])), pull = h * c[k] - z[k];
        x[k] = (std::max(pull - l1, 0.0) + std::min(pull + l1, 0.0)) / (l2 + h);
      }
    }
  }
  void learn(const EvaluatedSample& sample) override {
    if (!sample.active) return;
    for_runs(sample.runs, [&](std::uint64_t begin, std::uint32_t length, std::size_t at) {
      double* z = sums_.data() + begin;
      double* s = squares_.data() + begin;
      const double* g = sample.gradient.data() + at;
      for (std::size_t k = 0; k < length; ++k) {
        z[k] += g[k];
        s[k] += g[k] * g[k];
      }
    });
  }
  void end_step(std::size_t samples) override { time_ += static_cast<double>(samples); }
  void settle() override { visit(layout_.runs()); }
  // What early gradients said of far away weights fades; centres move so that no weight does
  // (SG.12).
  void begin(std::size_t pass) override {
    const double fade = fade_of(pass), time = fade * time_, before = eta_;
    // What is best for the first pass is too much for the later ones.
    eta_ = eta0_ / std::sqrt(std::sqrt(static_cast<double>(pass)));
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const double root = options_.delta + std::sqrt(squares_[i]);
      const double h = root / eta_, z = fade * sums_[i];
      const double pull = x_[i] != 0
                              ? x_[i] * (time * l2_ + h) + std::copysign(time * l1_, x_[i])
                              : (before > 0 ? fade * (root / before * centre_[i] - sums_[i]) : 0);
      centre_[i] = (pull + z) / h;
      sums_[i] = z;
    }
    time_ = time;
  }
  void clear() override {
    std::ranges::fill(sums_, 0.0);
    time_ = 0;
  }
  void archive_method(StateArchive& state) override {
    AdagradMethod::archive_method(state);
    state(centre_, sums_, time_);
  }

  std::vector<double> centre_;  // c
  std::vector<double> sums_;    // z: sum of the gradients, faded
  const double l1_, l2_;        // of one sample
  double time_ = 0;             // samples in the sums, faded
};

}  // namespace

void AdagradOptions::validate() const {
  if (step) check_positive("step", *step);
  check_positive("delta", delta);
  check_at_least_one("calibration_samples", calibration_samples);
  check_at_least_one("batch", batch);
  stop.validate();
}

OptimizeResult adagrad(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
                       const AdagradOptions& options, ThreadPool& pool,
                       const IterationCallback& callback, Checkpointer* checkpoints) {
  options.validate();
  check_no_l1(regulariser, "AdaGrad");
  if (options.batch > 1) check_workers(f, pool.threads());
  Adagrad run(f, regulariser, w, options, pool);
  return minimize(run, options.stop, callback, checkpoints);
}

OptimizeResult adagrad_rda(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
                           const AdagradOptions& options, ThreadPool& pool,
                           const IterationCallback& callback, Checkpointer* checkpoints) {
  options.validate();
  regulariser.validate();
  if (options.batch > 1) check_workers(f, pool.threads());
  AdagradRda run(f, regulariser, w, options, pool);
  return minimize(run, options.stop, callback, checkpoints);
}

}  // namespace croft
