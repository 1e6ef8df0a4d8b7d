#include "croft/optimize/lbfgs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/vector_math.h"
#include "croft/core/error.h"
#include "croft/core/matrix.h"
#include "croft/optimize/optimizer.h"
#include "croft/optimize/regulariser.h"
#include "optimize/batch/curvature_history.h"
#include "optimize/batch/descent.h"
#include "optimize/batch/line_search.h"
#include "optimize/checks.h"

namespace croft {
namespace {

constexpr std::size_t kCopiedWeights = std::size_t{1} << 20;  // 8 MB

// One run: F(w) = f(w) + (l2/2)|w|^2 (free weights left out), the iterate and the direction from
// it.
class Lbfgs final : public QuasiNewton {
 public:
  Lbfgs(BatchFunction& f, const Regulariser& regulariser, std::span<double> w,
        const LbfgsOptions& options, ThreadPool& pool)
      : QuasiNewton({w.size(), options.pairs(w.size(), false), 0, pool.partners()}),
        f_(f),
        regulariser_(regulariser),
        max_evaluations_(options.max_line_search),
        pool_(pool),
        w_(w),
        gradient_(w.size()),
        other_gradient_(w.size()),
        direction_(w.size()) {
    if (!unless_interrupted([&] { evaluate(); })) trial_ = unknown_iteration();
    accept(0, 0);
  }

  bool refine() override {
    if (!f_.refine()) return false;
    evaluate();
    accept(now_.number, now_.step);
    return true;
  }

  void archive(StateArchive& state) override {
    state(w_, gradient_, history_, now_, evaluations_);
    f_.archive(state);
    now_.w = w_;
  }

 private:
  // d = -H g (O.5).  Returns its slope g.d, with d as stored.
  double set_direction() override {
    const double slope = sum_blocks(pool_, history_.own(), [&](std::size_t from, std::size_t to) {
      std::array<double, kVectorChunk> product;
      double sum = 0;
      for_chunks(from, to, [&](std::size_t begin, std::size_t end) {
        const auto g = std::span<const double>(gradient_).subspan(begin, end - begin);
        const auto d = std::span(direction_).subspan(begin, end - begin);
        history_.multiply(begin, g, std::span(product).first(g.size()));
        for (std::size_t i = 0; i < d.size(); ++i) d[i] = static_cast<float>(-product[i]);
        sum += dot(g, d);
      });
      return sum;
    });
    join_blocks(history_.own(), direction_);
    return slope;
  }

  // To a step of (O.9), (O.10).
  bool search(double slope) override {
    if (w_.size() <= kCopiedWeights) start_.assign(w_.begin(), w_.end());
    const LineFunction phi = [&](double step) {
      move_to(step);
      const double trial_slope = evaluate();
      return LinePoint{step, trial_.objective, trial_slope};
    };
    LineSearchResult found;
    const bool finished = unless_interrupted([&] {
      found =
          strong_wolfe(phi, {0, now_.objective, slope}, 1.0, {.max_evaluations = max_evaluations_});
    });
    if (!finished) {
      step_back();
      throw Interrupted("interrupted");
    }
    if (found.outcome == LineOutcome::failed) {
      go_back();
      return false;
    }
    accept(now_.number + 1, found.point.step);
    learn(found.point.step);
    return true;
  }

  // To the iterate: exactly where there is a copy, otherwise up to the rounding of the steps, so
  // that what is reported is evaluated anew.
  void go_back() {
    step_back();
    if (w_.size() <= kCopiedWeights) return;
    evaluate();
    accept(now_.number, now_.step);
  }

  void step_back() {
    move_to(0);
    if (w_.size() <= kCopiedWeights) std::copy(start_.begin(), start_.end(), w_.begin());
  }

  // w + (step - step_) d instead of w_0 + step d: of many weights no copy of w_0 is kept.
  void move_to(double step) {
    const double by = step - step_;
    for_blocks(pool_, w_.size(), [&](std::size_t begin, std::size_t end) {
      axpy(by, std::span<const float>(direction_).subspan(begin, end - begin),
           w_.subspan(begin, end - begin));
    });
    step_ = step;
  }

  // F and its gradient at w, into trial_ and other_gradient_; returns the slope along the
  // direction.
  double evaluate() {
    const double data_term = f_.evaluate(w_, other_gradient_);
    ++evaluations_;
    // g.d, |g|^2, |w|^2 of penalised weights, weights that are not 0, |w|^2 of free ones
    std::array<double, 5> sums;
    sum_blocks(pool_, w_.size(), sums,
               [&](std::size_t from, std::size_t to, std::span<double> sum) {
                 for_chunks(from, to, [&](std::size_t begin, std::size_t end) {
                   const auto w = std::span<const double>(w_).subspan(begin, end - begin);
                   const auto g = std::span(other_gradient_).subspan(begin, end - begin);
                   add_l2_gradient(regulariser_, begin, w, g);
                   sum[0] += dot(g, std::span<const float>(direction_).subspan(begin, end - begin));
                   sum[1] += dot(g, g);
                   sum[2] += penalised_square(regulariser_, begin, w);
                   sum[3] += static_cast<double>(count_nonzero(w));
                   sum[4] += free_square(regulariser_, begin, w);
                 });
               });
    trial_.objective = data_term + penalty(regulariser_, 0, sums[2]);
    trial_.gradient_norm = std::sqrt(sums[1]);
    trial_.weight_norm = std::sqrt(sums[2] + sums[4]);
    trial_.active = static_cast<std::size_t>(sums[3]);
    return sums[0];
  }

  // The point evaluated last becomes the iterate.
  void accept(std::size_t number, double step) {
    now_ = trial_;
    now_.number = number;
    now_.evaluations = evaluations_;
    now_.step = step;
    now_.w = w_;
    step_ = 0;
    std::swap(gradient_, other_gradient_);
  }

  // The pair (O.3) of the last move.
  void learn(double step) {
    history_.push(
        pool_,
        [&](std::size_t begin, std::span<float> s, std::span<float> y) {
          const float* d = direction_.data() + begin;
          const double* g = gradient_.data() + begin;
          const double* before = other_gradient_.data() + begin;
          for (std::size_t i = 0; i < s.size(); ++i) {
            s[i] = static_cast<float>(step * d[i]);
            y[i] = static_cast<float>(g[i] - before[i]);
          }
        },
        [&](std::size_t begin, std::span<double> v) {
          std::copy_n(gradient_.data() + begin, v.size(), v.data());
        });
  }

  BatchFunction& f_;
  const Regulariser& regulariser_;
  const std::size_t max_evaluations_;
  ThreadPool& pool_;
  std::span<double> w_;
  AlignedVector<double> gradient_;  // of F at the iterate
  // Of F at a trial point; between accept and learn, at the last iterate.
  AlignedVector<double> other_gradient_;
  // Rounded to float before it is used: w moves along it exactly as it is stored.
  AlignedVector<float> direction_;
  double step_ = 0;            // w = iterate + step_ * direction_
  std::vector<double> start_;  // the iterate, where there are few weights
  Iteration trial_;
};

}  // namespace

void LbfgsOptions::validate() const {
  if (history && (*history < 1 || *history > kMaxHistory)) {
    throw UsageError(fmt::format("history is {}; it must be from 1 to {}", *history, kMaxHistory));
  }
  check_at_least_one("max_line_search", max_line_search);
  stop.validate();
}

OptimizeResult lbfgs(BatchFunction& f, const Regulariser& regulariser, std::span<double> w,
                     const LbfgsOptions& options, ThreadPool& pool,
                     const IterationCallback& callback, Checkpointer* checkpoints) {
  check_smooth(regulariser, "L-BFGS");
  return minimise_checked<Lbfgs>(f, regulariser, w, options, pool, callback, checkpoints);
}

std::unique_ptr<Optimizer> make_lbfgs(BatchFunction& f, const Regulariser& regulariser,
                                      std::span<double> w, const LbfgsOptions& options,
                                      ThreadPool& pool) {
  return std::make_unique<Lbfgs>(f, regulariser, w, options, pool);
}

}  // namespace croft
