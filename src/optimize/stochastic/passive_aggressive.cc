#include "optimize/stochastic/passive_aggressive.h"

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
#include "optimize/stochastic/sample_order.h"

namespace croft {
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
        f_(f),
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
    weights_.publish();
    return figures;
  }
  void archive_method(StateArchive& state) override { state(weights_); }

  SampleFunction& f_;
  const PassiveAggressiveOptions& options_;
  SparseVector gradient_;
  AveragedWeights weights_;
  std::vector<std::uint32_t> order_;
};

class Mira final : public PassMethod {
 public:
  Mira(RankedFunction& f, std::span<double> w, const MiraOptions& options)
      : PassMethod(f, w),
        f_(f),
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
          f_.evaluate_ranked(n, weights_.current(), options_.best, values_, losses_,
                             std::span(gradients_).first(options_.best * size), 0);
      if (count > 0 && values_[0] > 0) {
        figures.losses += values_[0];
        figures.squared_updates += change(n, count, size);
        figures.step = alpha_[0];
      }
      weights_.end_sample();
    }
    weights_.publish();
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

  RankedFunction& f_;
  const MiraOptions& options_;
  SampleLayout layout_;
  AveragedWeights weights_;
  std::vector<double> values_, losses_, alpha_, products_;
  AlignedVector<double> gradients_, sum_;
  SparseVector change_;
  std::vector<std::uint32_t> order_;
};

}  // namespace

std::string_view passive_aggressive_kind_name(PassiveAggressiveKind kind) {
  switch (kind) {
    case PassiveAggressiveKind::pa:
      return "pa";
    case PassiveAggressiveKind::pa_1:
      return "pa-1";
    case PassiveAggressiveKind::pa_2:
      break;
  }
  return "pa-2";
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
  check_samples(f, w);
  PassiveAggressive run(f, w, options);
  return minimize(run, options.stop, callback, checkpoints);
}

OptimizeResult mira(RankedFunction& f, const Regulariser& regulariser, std::span<double> w,
                    const MiraOptions& options, const IterationCallback& callback,
                    Checkpointer* checkpoints) {
  options.validate();
  check_no_penalty(regulariser, "MIRA");
  check_samples(f, w);
  Mira run(f, w, options);
  return minimize(run, options.stop, callback, checkpoints);
}

}  // namespace croft
