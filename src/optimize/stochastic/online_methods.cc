#include "optimize/stochastic/online_methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/vector_math.h"
#include "croft/core/error.h"
#include "croft/core/matrix.h"
#include "optimize/stochastic/averaged_weights.h"
#include "optimize/stochastic/pass_method.h"
#include "optimize/stochastic/sample_layout.h"

namespace croft {
namespace {

// Those of the passes that stay undone because this one changed nothing: no other would.
double samples_to_come(const PassFigures& figures, std::size_t pass, const StoppingRule& stop,
                       std::size_t samples) {
  if (figures.squared_updates > 0 || pass >= stop.max_iterations) return 0;
  return static_cast<double>(stop.max_iterations - pass) * static_cast<double>(samples);
}

// (SG.20); with `votes` also a list of what w was.
class Perceptron final : public PassMethod {
 public:
  Perceptron(SampleFunction& f, std::span<double> w, const PerceptronOptions& options,
             VotedPerceptron* votes)
      : PassMethod(f, w, *options.ranks),
        options_(options),
        gradient_(f.dimension()),
        weights_(w, options.kind == PerceptronKind::averaged),
        votes_(votes) {
    if (votes_ == nullptr) return;
    *votes_ = {};
    votes_->start.assign(w.begin(), w.end());
    votes_->votes.assign(1, 0);
  }

 private:
  PassFigures run(std::size_t pass) override {
    PassFigures figures{.step = options_.step};
    draw_order(options_.seed, pass, f_.samples(), order_);
    for (const std::uint32_t n : order_) {
      const auto sample = f_.evaluate_sparse(n, weights_.current(), gradient_, 0);
      figures.losses += sample.value;
      if (sample.active) {
        weights_.add(-options_.step, gradient_);
        figures.squared_updates += options_.step * options_.step * gradient_.squared_norm();
        if (votes_ != nullptr) keep_update();
      }
      weights_.end_sample();
      if (votes_ != nullptr) ++votes_->votes.back();
    }
    figures = of_all(figures);
    weights_.mix(ranks_, samples_to_come(figures, pass, options_.stop, f_.samples()));
    return figures;
  }

  void keep_update() {
    for (const auto& [k, g] : gradient_.entries()) {
      if (g == 0) continue;
      votes_->coordinate.push_back(k);
      votes_->change.push_back(-options_.step * g);
    }
    votes_->update_end.push_back(votes_->change.size());
    votes_->votes.push_back(0);
  }

  void archive_method(StateArchive& state) override {
    state(weights_);
    if (votes_ != nullptr) state(*votes_);
  }

  const PerceptronOptions& options_;
  SparseVector gradient_;
  AveragedWeights weights_;
  VotedPerceptron* votes_;
};

// (SG.22)
class PassAveragePerceptron final : public PassMethod {
 public:
  PassAveragePerceptron(SampleFunction& f, std::span<double> w, const PerceptronOptions& options)
      : PassMethod(f, w, *options.ranks),
        step_(options.step),
        samples_(static_cast<double>(sum_of_all(ranks_, f.samples()))),
        gradient_(w.size()) {}

 private:
  PassFigures run(std::size_t) override {
    PassFigures figures{.step = step_ / samples_};
    figures.losses = f_.evaluate(w_, gradient_);  // of all processes
    figures.squared_updates = figures.step * figures.step * dot(gradient_, gradient_);
    axpy(-figures.step, gradient_, w_);
    return figures;
  }
  void archive_method(StateArchive&) override {}

  const double step_, samples_;
  std::vector<double> gradient_;
};

void check(const Regulariser& regulariser, const PerceptronOptions& options) {
  options.validate();
  check_no_penalty(regulariser, "the perceptron");
}

}  // namespace

std::string_view perceptron_kind_name(PerceptronKind kind) {
  constexpr std::string_view kNames[] = {"plain", "averaged", "pass_average"};
  return kNames[static_cast<std::size_t>(kind)];
}

void PerceptronOptions::validate() const {
  check_positive("step", step);
  stop.validate();
}

void VotedPerceptron::archive(StateArchive& state) {
  state(start, update_end, coordinate, change, votes);
}

OptimizeResult perceptron(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
                          const PerceptronOptions& options, const IterationCallback& callback,
                          Checkpointer* checkpoints) {
  check(regulariser, options);
  if (options.kind == PerceptronKind::pass_average) {
    PassAveragePerceptron run(f, w, options);
    return minimize(run, options.stop, callback, checkpoints);
  }
  Perceptron run(f, w, options, nullptr);
  return minimize(run, options.stop, callback, checkpoints);
}

OptimizeResult voted_perceptron(SampleFunction& f, const Regulariser& regulariser,
                                std::span<double> w, const PerceptronOptions& options,
                                VotedPerceptron& result, const IterationCallback& callback,
                                Checkpointer* checkpoints) {
  check(regulariser, options);
  if (options.kind != PerceptronKind::plain) {
    throw UsageError(
        fmt::format("kind is {}; the weights that vote are those of the plain "
                    "perceptron: kind must be plain",
                    perceptron_kind_name(options.kind)));
  }
  Perceptron run(f, w, options, &result);
  return minimize(run, options.stop, callback, checkpoints);
}

namespace {

constexpr std::size_t kMostRounds = 1000;  // of Hildreth's algorithm; it needs a few
constexpr double kSettled = 1e-12;         // relative change of an alpha that counts as none

// (SG.23)
double step_size(const PassiveAggressiveOptions& options, double loss, double squared) {
  switch (options.kind) {
    case PassiveAggressiveKind::pa:
      break;
    case PassiveAggressiveKind::pa_1:
      return std::min(options.aggressiveness, loss / squared);
    case PassiveAggressiveKind::pa_2:
      return loss / (squared + 0.5 / options.aggressiveness);
  }
  return loss / squared;
}

class PassiveAggressive final : public PassMethod {
 public:
  PassiveAggressive(SampleFunction& f, std::span<double> w, const PassiveAggressiveOptions& options)
      : PassMethod(f, w),
        options_(options),
        gradient_(f.dimension()),
        weights_(w, options.average) {}

 private:
  PassFigures run(std::size_t pass) override {
    PassFigures figures;
    draw_order(options_.seed, pass, f_.samples(), order_);
    for (const std::uint32_t n : order_) {
      const auto sample = f_.evaluate_sparse(n, weights_.current(), gradient_, 0);
      figures.losses += sample.value;
      const double squared = sample.active ? gradient_.squared_norm() : 0;
      if (sample.value > 0 && squared > 0) {
        const double tau = step_size(options_, sample.value, squared);
        weights_.add(-tau, gradient_);
        figures.squared_updates += tau * tau * squared;
        figures.step = tau;
      }
      weights_.end_sample();
    }
    weights_.publish(samples_to_come(figures, pass, options_.stop, f_.samples()));
    return figures;
  }
  void archive_method(StateArchive& state) override { state(weights_); }

  const PassiveAggressiveOptions& options_;
  SparseVector gradient_;
  AveragedWeights weights_;
};

class Mira final : public PassMethod {
 public:
  Mira(RankedFunction& f, std::span<double> w, const MiraOptions& options)
      : PassMethod(f, w),
        ranked_(f),
        options_(options),
        layout_(f),
        weights_(w, options.average),
        values_(options.best),
        losses_(options.best),
        alpha_(options.best),
        products_(options.best * options.best),
        gradients_(options.best * layout_.largest()),
        sum_(layout_.largest()),
        change_(f.dimension()) {}

 private:
  PassFigures run(std::size_t pass) override {
    PassFigures figures;
    draw_order(options_.seed, pass, f_.samples(), order_);
    for (const std::uint32_t n : order_) {
      const std::size_t size = layout_.support_size(n);
      const std::size_t count =
          ranked_.evaluate_ranked(n, weights_.current(), options_.best, values_, losses_,
                                  std::span(gradients_).first(options_.best * size), 0);
      if (count > 0 && values_[0] > 0) {
        figures.losses += values_[0];
        figures.squared_updates += change(n, count, size);
        figures.step = alpha_[0];
      }
      weights_.end_sample();
    }
    weights_.publish(samples_to_come(figures, pass, options_.stop, f_.samples()));
    return figures;
  }

  // Returns |change of w|^2.
  double change(std::size_t n, std::size_t count, std::size_t size) {
    const auto g = [&](std::size_t j) {
      return std::span<const double>(gradients_).subspan(j * size, size);
    };
    const auto products = std::span(products_).first(count * count);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        products[i * count + j] = products[j * count + i] = dot(g(i), g(j));
      }
    }
    const auto alpha = std::span(alpha_).first(count);
    solve_mira(products, std::span(values_).first(count), options_.aggressiveness, alpha);
    const auto sum = std::span(sum_).first(size);
    std::ranges::fill(sum, 0.0);
    for (std::size_t j = 0; j < count; ++j) axpy(alpha[j], g(j), sum);
    set_sparse(f_.support(n, 0), sum, change_);
    weights_.add(-1, change_);
    return change_.squared_norm();
  }
  void archive_method(StateArchive& state) override { state(weights_); }

  RankedFunction& ranked_;
  const MiraOptions& options_;
  SampleLayout layout_;
  AveragedWeights weights_;
  std::vector<double> values_, losses_, alpha_, products_;
  AlignedVector<double> gradients_, sum_;
  SparseVector change_;
};

}  // namespace

std::string_view passive_aggressive_kind_name(PassiveAggressiveKind kind) {
  constexpr std::string_view kNames[] = {"pa", "pa-1", "pa-2"};
  return kNames[static_cast<std::size_t>(kind)];
}

void PassiveAggressiveOptions::validate() const {
  check_positive("aggressiveness", aggressiveness);
  stop.validate();
}

void MiraOptions::validate() const {
  if (best < 1 || best > kMaxBest) {
    throw UsageError(fmt::format("best is {}; it must be from 1 to {}", best, kMaxBest));
  }
  check_positive("aggressiveness", aggressiveness);
  stop.validate();
}

// Each step sets alpha_j to the minimum with the others as they are.
void solve_mira(std::span<const double> products, std::span<const double> losses,
                double aggressiveness, std::span<double> alpha) {
  const std::size_t count = alpha.size();
  std::ranges::fill(alpha, 0.0);
  bool settled = false;
  for (std::size_t round = 0; round < kMostRounds && !settled; ++round) {
    settled = true;
    for (std::size_t j = 0; j < count; ++j) {
      const double curvature = products[j * count + j];
      if (!(curvature > 0)) continue;  // the same features as the gold labelling: nothing to move
      double slope = losses[j];
      for (std::size_t i = 0; i < count; ++i) slope -= products[j * count + i] * alpha[i];
      const double after = std::min(std::max(alpha[j] + slope / curvature, 0.0), aggressiveness);
      if (std::abs(after - alpha[j]) > kSettled * std::max(after, alpha[j])) settled = false;
      alpha[j] = after;
    }
  }
}

OptimizeResult passive_aggressive(SampleFunction& f, const Regulariser& regulariser,
                                  std::span<double> w, const PassiveAggressiveOptions& options,
                                  const IterationCallback& callback, Checkpointer* checkpoints) {
  options.validate();
  check_no_penalty(regulariser, "passive-aggressive learning");
  PassiveAggressive run(f, w, options);
  return minimize(run, options.stop, callback, checkpoints);
}

OptimizeResult mira(RankedFunction& f, const Regulariser& regulariser, std::span<double> w,
                    const MiraOptions& options, const IterationCallback& callback,
                    Checkpointer* checkpoints) {
  options.validate();
  check_no_penalty(regulariser, "MIRA");
  Mira run(f, w, options);
  return minimize(run, options.stop, callback, checkpoints);
}

namespace {

class Arow final : public PassMethod {
 public:
  Arow(SampleFunction& f, std::span<double> w, const ArowOptions& options)
      : PassMethod(f, w),
        options_(options),
        gradient_(f.dimension()),
        variance_(w.size(), options.variance) {}

 private:
  PassFigures run(std::size_t pass) override {
    PassFigures figures;
    draw_order(options_.seed, pass, f_.samples(), order_);
    for (const std::uint32_t n : order_) {
      const SampleFunction::Sample sample = f_.evaluate_sparse(n, w_, gradient_, 0);
      figures.losses += sample.value;
      if (!sample.active || !(sample.value > 0)) continue;
      figures.step = sample.value / (options_.gamma + spread());
      figures.squared_updates += update(figures.step);
    }
    return figures;
  }

  // g' S g
  double spread() const {
    double sum = 0;
    for (const auto& [k, g] : gradient_.entries()) sum += variance_[k] * g * g;
    return sum;
  }

  // (SG.26).  Returns |change of w|^2.
  double update(double step) {
    const double inverse = 1 / options_.gamma;
    double squared = 0;
    for (const auto& [k, g] : gradient_.entries()) {
      const double spread = variance_[k] * g;
      w_[k] -= step * spread;
      variance_[k] /= 1 + inverse * spread * g;
      squared += spread * spread;
    }
    return step * step * squared;
  }

  void archive_method(StateArchive& state) override { state(variance_); }

  const ArowOptions& options_;
  SparseVector gradient_;         // of one sample: g
  std::vector<double> variance_;  // the diagonal of S
};

}  // namespace

void ArowOptions::validate() const {
  check_positive("variance", variance);
  check_positive("gamma", gamma);
  stop.validate();
}

OptimizeResult arow(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
                    const ArowOptions& options, const IterationCallback& callback,
                    Checkpointer* checkpoints) {
  options.validate();
  check_no_penalty(regulariser, "AROW");
  Arow run(f, w, options);
  return minimize(run, options.stop, callback, checkpoints);
}

}  // namespace croft
