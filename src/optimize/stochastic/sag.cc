#include "optimize/stochastic/sample_methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/vector_math.h"
#include "croft/core/error.h"
#include "croft/core/matrix.h"
#include "optimize/stochastic/pass_method.h"
#include "optimize/stochastic/sample_layout.h"
#include "optimize/stochastic/weight_tree.h"

namespace croft {
namespace {

constexpr double kLeastDecay = 1e-30;  // then differences of S lose digits
constexpr double kFlat = 1e-8;         // |g|^2 below which a gradient says nothing of curvature
constexpr double kRelax = 0.9;         // of a constant that held: it may be too large
constexpr double kRelaxGuess = 0.5;    // of one that has never failed
constexpr std::uint8_t kLongestPause = 15;  // visits of a sample between two checks
constexpr std::uint8_t kGuess = 255;        // in place of a pause: has never failed
constexpr int kMostDoublings = 60;

class Sag final : public PassMethod {
 public:
  Sag(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
      const SagOptions& options)
      : PassMethod(f, regulariser, w, options.exact_every),
        options_(options),
        lambda_(regulariser.l2 / static_cast<double>(f.samples())),
        layout_(f),
        gradient_(layout_.largest()),
        kept_(layout_.largest()),
        trial_gradient_(layout_.largest()),
        sum_(w.size()),
        memory_(layout_.total()),
        drawn_(f.samples()),
        constant_(f.samples()),
        patience_(f.samples(), kGuess),
        pause_(f.samples()),
        decay_at_(w.size(), 1.0),
        pull_at_(w.size()) {
    memory_begin_.push_back(0);
    for (std::size_t n = 0; n < f.samples(); ++n) {
      memory_begin_.push_back(memory_begin_.back() + layout_.support_size(n));
    }
  }

 private:
  PassFigures run(std::size_t pass) override {
    PassFigures figures;
    const std::size_t samples = f_.samples();
    if (pass == 1) {
      draw_order(options_.seed, pass, samples, order_);
      for (const std::uint32_t n : order_) figures.losses += step(n);
    } else {
      Random random = random_of_pass(options_.seed, pass);
      for (std::size_t k = 0; k < samples; ++k) {
        const bool uniform = random.uniform() < options_.uniform;
        const std::size_t n =
            uniform ? random.below(samples) : drawn_.find(random.uniform() * drawn_.total());
        figures.losses += step(n);
      }
    }
    settle();
    figures.step = step_size();
    return figures;
  }

  double step(std::size_t n) {
    const std::span<const Run> support = f_.support(n, 0);
    runs_.assign(support.begin(), support.end());
    visit(runs_);
    const std::span<double> g = std::span(gradient_).first(layout_.support_size(n));
    const SampleFunction::Sample sample = f_.evaluate_sample(n, w_, g, 0);
    if (!sample.active) std::ranges::fill(g, 0.0);
    if (constant_[n] == 0) {
      constant_[n] = seen_ == 0 ? options_.lipschitz : drawn_.total() / seen_;
      ++seen_;
    }
    adapt(n, sample.value, g);
    remember(n, g);
    move();
    return sample.value;
  }

  // (SG.16): a step from the middle between what the largest and the mean constant allow.
  double step_size() const {
    return 0.5 / (largest_ + lambda_) + 0.5 / (drawn_.total() / seen_ + lambda_);
  }

  // y_n = g, and the sum of all y with it.
  void remember(std::size_t n, std::span<const double> g) {
    float* memory = memory_.data() + memory_begin_[n];
    for_runs(runs_, [&](std::uint64_t begin, std::uint32_t length, std::size_t at) {
      double* sum = sum_.data() + begin;
      for (std::size_t k = 0; k < length; ++k) {
        const float now = static_cast<float>(g[at + k]);
        sum[k] += double{now} - double{memory[at + k]};
        memory[at + k] = now;
      }
    });
  }

  // (SG.15), of which every coordinate learns when it is visited.
  void move() {
    const double alpha = step_size();
    decay_ *= 1 - alpha * lambda_;
    pull_ += alpha / seen_ / decay_;
    if (decay_ < kLeastDecay) settle();
  }

  // (SG.17)
  void visit(std::span<const Run> runs) {
    for (const Run& run : runs) {
      const double factor = decay_ / decay_at_[run.begin];
      const double pull = decay_ * (pull_ - pull_at_[run.begin]);
      decay_at_[run.begin] = decay_;
      pull_at_[run.begin] = pull_;
      double* w = w_.data() + run.begin;
      const double* sum = sum_.data() + run.begin;
      for (std::size_t k = 0; k < run.length; ++k) w[k] = factor * w[k] - pull * sum[k];
    }
  }
  void settle() {
    visit(layout_.runs());
    decay_ = 1;
    pull_ = 0;
    std::ranges::fill(decay_at_, 1.0);
    std::ranges::fill(pull_at_, 0.0);
  }

  // Tells those who sum and compare the constants.
  //   before : what it was
  void set_constant(std::size_t n, double before) {
    drawn_.set(n, constant_[n]);
    if (constant_[n] >= largest_) {
      largest_ = constant_[n];
    } else if (before == largest_) {
      largest_ = std::ranges::max(constant_);
    }
  }

  // Doubles the sample's constant until (SG.18) holds; where it held at once, lowers it, and waits
  // longer before the next check.
  void adapt(std::size_t n, double value, std::span<const double> g) {
    if (pause_[n] > 0) {
      --pause_[n];
      return;
    }
    const double before = constant_[n], squared = dot(g, g);
    if (squared > kFlat) {
      int doublings = 0;
      while (doublings < kMostDoublings && !holds(n, value, squared, g)) {
        constant_[n] *= 2;
        ++doublings;
      }
      if (doublings > 0) {
        patience_[n] = 0;
      } else if (patience_[n] == kGuess) {
        constant_[n] *= kRelaxGuess;
      } else {
        constant_[n] *= kRelax;
        patience_[n] = std::min<std::uint8_t>(2 * patience_[n] + 1, kLongestPause);
        pause_[n] = patience_[n];
      }
    }
    set_constant(n, before);
  }

  // f_n(w - g / L) <= f_n(w) - |g|^2 / 2L
  bool holds(std::size_t n, double value, double squared, std::span<const double> g) {
    const double step = 1 / constant_[n];
    for_runs(runs_, [&](std::uint64_t begin, std::uint32_t length, std::size_t at) {
      double* w = w_.data() + begin;
      for (std::size_t k = 0; k < length; ++k) {
        kept_[at + k] = w[k];
        w[k] -= step * g[at + k];
      }
    });
    const std::span<double> scratch = std::span(trial_gradient_).first(g.size());
    const double there = f_.evaluate_sample(n, w_, scratch, 0).value;
    for_runs(runs_, [&](std::uint64_t begin, std::uint32_t length, std::size_t at) {
      std::copy_n(kept_.data() + at, length, w_.data() + begin);
    });
    return there <= value - 0.5 * step * squared;
  }

  void archive_method(StateArchive& state) override {
    state(sum_, memory_, constant_, patience_, pause_, seen_);
    for (std::size_t n = 0; n < constant_.size(); ++n) drawn_.set(n, constant_[n]);
    largest_ = std::ranges::max(constant_);
  }

  const SagOptions& options_;
  const double lambda_;
  SampleLayout layout_;
  AlignedVector<double> gradient_, kept_, trial_gradient_;  // of one sample
  std::vector<Run> runs_;                                   // of one sample
  std::vector<double> sum_;                                 // of y_n over all samples met
  std::vector<float> memory_;                               // y_n, sample by sample
  std::vector<std::size_t> memory_begin_;
  WeightTree drawn_;                            // L_n, to draw by
  double largest_ = 0;                          // L_n
  std::vector<double> constant_;                // L_n; 0: not met yet
  std::vector<std::uint8_t> patience_, pause_;  // visits to wait: after the last check, now
  double seen_ = 0;                             // samples met
  double decay_ = 1, pull_ = 0;                 // P and S since settle()
  std::vector<double> decay_at_, pull_at_;      // at the last visit, by `begin`
};

}  // namespace

void SagOptions::validate() const {
  if (!(uniform > 0 && uniform <= 1)) {
    throw UsageError(fmt::format("uniform is {}; it must be > 0 and <= 1", uniform));
  }
  check_positive("lipschitz", lipschitz);
  stop.validate();
}

OptimizeResult sag(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
                   const SagOptions& options, const IterationCallback& callback,
                   Checkpointer* checkpoints) {
  options.validate();
  check_no_l1(regulariser, "SAG");
  Sag run(f, regulariser, w, options);
  return minimize(run, options.stop, callback, checkpoints);
}

}  // namespace croft
