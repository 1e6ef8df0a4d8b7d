#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/vector_math.h"
#include "croft/core/matrix.h"
#include "croft/optimize/lbfgs.h"
#include "croft/optimize/optimizer.h"
#include "croft/optimize/regulariser.h"
#include "optimize/batch/curvature_history.h"
#include "optimize/batch/line_search.h"
#include "optimize/checks.h"

namespace croft {
namespace {

// pi of (O.14) for one weight: `moved` where it stays on `from`'s side of 0, else 0.  From 0 any
// side will do: the direction was projected (O.12), so it already points into the orthant (O.13).
double stay_in_orthant(double from, double moved) {
  const bool crossed = (from > 0 && moved < 0) || (from < 0 && moved > 0);
  return crossed ? 0.0 : moved;
}

// One run: F(w) = f(w) + l1 |w|_1 + (l2/2)|w|^2 (free weights left out), the iterate and the
// direction from it. The pseudo-gradient is a function of w and gradient_, cheap to take again in
// each pass.
class Owlqn final : public QuasiNewton {
 public:
  Owlqn(BatchFunction& f, const Regulariser& regulariser, std::span<double> w,
        const LbfgsOptions& options, ThreadPool& pool)
      : QuasiNewton({w.size(), options.pairs(w.size(), true), 0, pool.partners()}),
        f_(f),
        regulariser_(regulariser),
        max_evaluations_(options.max_line_search),
        pool_(pool),
        w_(w),
        iterate_(w.begin(), w.end()),
        gradient_(w.size()),
        other_gradient_(w.size()),
        direction_(w.size()) {
    if (!unless_interrupted([&] { try_step(0); })) trial_ = unknown_iteration();
    accept(0, 0);
  }

  bool refine() override {
    if (!f_.refine()) return false;
    try_step(0);
    accept(now_.number, now_.step);
    return true;
  }

  void archive(StateArchive& state) override {
    state(w_, iterate_, gradient_, history_, now_, evaluations_);
    f_.archive(state);
    now_.w = w_;
  }

 private:
  // d = -H v, projected on the orthant of -v where v is the pseudo-gradient (O.12).  Returns v.d.
  double set_direction() override {
    const double slope = sum_blocks(pool_, history_.own(), [&](std::size_t from, std::size_t to) {
      std::array<double, kVectorChunk> v_storage, product;
      double sum = 0;
      for_chunks(from, to, [&](std::size_t begin, std::size_t end) {
        const auto v = std::span(v_storage).first(end - begin);
        const auto d = std::span(direction_).subspan(begin, end - begin);
        pseudo_gradient_at(begin, v);
        history_.multiply(begin, v, std::span(product).first(v.size()));
        for (std::size_t i = 0; i < d.size(); ++i) {
          // A factor of 0 or 1 and not ?:, since whether the signs agree is hard to predict.
          const double agrees = product[i] * v[i] > 0;
          d[i] = static_cast<float>(-product[i] * agrees);
        }
        // Free weights have no orthant to stay in; where they would turn d uphill, iterate() starts
        // from the steepest descent again.
        const auto [from_free, to_free] = free_part(regulariser_, begin, d.size());
        for (std::size_t i = from_free; i < to_free; ++i) d[i] = static_cast<float>(-product[i]);
        sum += dot(v, d);
      });
      return sum;
    });
    join_blocks(history_.own(), direction_);
    return slope;
  }

  // Coordinates [begin, begin + v.size()) of the pseudo-gradient (O.11) at the iterate.
  void pseudo_gradient_at(std::size_t begin, std::span<double> v) const {
    pseudo_gradient(regulariser_, begin, std::span<const double>(iterate_).subspan(begin, v.size()),
                    std::span<const double>(gradient_).subspan(begin, v.size()), v);
  }

  bool search(double) override {
    BacktrackResult found;
    const bool finished = unless_interrupted([&] {
      // Nothing is known of the curvature yet: the first step may have far to come down.
      const std::size_t most = history_.size() == 0 ? 2 * max_evaluations_ : max_evaluations_;
      found = backtrack([&](double step) { return try_step(step); }, now_.objective, 1.0, most);
    });
    if (!finished || !found.found) {
      std::copy(iterate_.begin(), iterate_.end(), w_.begin());
      if (!finished) throw Interrupted("interrupted");
      return false;
    }
    accept(now_.number + 1, found.step);
    learn();
    return true;
  }

  // w = pi(iterate + step d) (O.14); F there into trial_, and what the pseudo-gradient promised.
  ArmijoTrial try_step(double step) {
    // v.(w - iterate), |w|_1 and |w|^2 of penalised weights, weights that are not 0, |w|^2 of free
    // ones
    std::array<double, 5> sums;
    sum_blocks(pool_, w_.size(), sums,
               [&](std::size_t from, std::size_t to, std::span<double> sum) {
                 std::array<double, kVectorChunk> v_storage, move_storage;
                 for_chunks(from, to, [&](std::size_t begin, std::size_t end) {
                   const auto v = std::span(v_storage).first(end - begin);
                   const auto move = std::span(move_storage).first(end - begin);
                   const auto w = w_.subspan(begin, end - begin);
                   pseudo_gradient_at(begin, v);
                   for (std::size_t i = 0; i < w.size(); ++i) {
                     const double at = iterate_[begin + i];
                     w[i] = stay_in_orthant(at, at + step * direction_[begin + i]);
                   }
                   const auto [from_free, to_free] = free_part(regulariser_, begin, w.size());
                   for (std::size_t i = from_free; i < to_free; ++i) {  // has no orthant
                     w[i] = iterate_[begin + i] + step * direction_[begin + i];
                   }
                   for (std::size_t i = 0; i < w.size(); ++i) move[i] = w[i] - iterate_[begin + i];
                   sum[0] += dot(v, move);
                   sum[1] += penalised_absolute(regulariser_, begin, w);
                   sum[2] += penalised_square(regulariser_, begin, w);
                   sum[3] += static_cast<double>(count_nonzero(w));
                   sum[4] += free_square(regulariser_, begin, w);
                 });
               });
    trial_.objective = f_.evaluate(w_, other_gradient_) + penalty(regulariser_, sums[1], sums[2]);
    trial_.weight_norm = std::sqrt(sums[2] + sums[4]);
    trial_.active = static_cast<std::size_t>(sums[3]);
    ++evaluations_;
    return {trial_.objective, sums[0]};
  }

  // The trial point becomes the iterate, but for `iterate_`, which learn() still needs.
  void accept(std::size_t number, double step) {
    std::swap(gradient_, other_gradient_);
    const double squared_norm = sum_blocks(pool_, w_.size(), [&](std::size_t from, std::size_t to) {
      std::array<double, kVectorChunk> v_storage;
      double sum = 0;
      for_chunks(from, to, [&](std::size_t begin, std::size_t end) {
        const auto v = std::span(v_storage).first(end - begin);
        const auto w = std::span<const double>(w_).subspan(begin, end - begin);
        const auto g = std::span(gradient_).subspan(begin, end - begin);
        add_l2_gradient(regulariser_, begin, w, g);
        pseudo_gradient(regulariser_, begin, w, g, v);
        sum += dot(v, v);
      });
      return sum;
    });
    now_ = trial_;
    now_.number = number;
    now_.evaluations = evaluations_;
    now_.gradient_norm = std::sqrt(squared_norm);
    now_.step = step;
    now_.w = w_;
  }

  // The pair (O.3) of the last move: y from the smooth part alone, s from the move as projected.
  void learn() {
    history_.push(
        pool_,
        [&](std::size_t begin, std::span<float> s, std::span<float> y) {
          for (std::size_t i = 0; i < s.size(); ++i) {
            s[i] = static_cast<float>(w_[begin + i] - iterate_[begin + i]);
            y[i] = static_cast<float>(gradient_[begin + i] - other_gradient_[begin + i]);
            iterate_[begin + i] = w_[begin + i];  // while it is in cache
          }
        },
        [&](std::size_t begin, std::span<double> v) { pseudo_gradient_at(begin, v); });
    if (!history_.own().all()) std::ranges::copy(w_, iterate_.begin());  // what partners have kept
  }

  BatchFunction& f_;
  const Regulariser& regulariser_;
  const std::size_t max_evaluations_;
  ThreadPool& pool_;
  std::span<double> w_;  // the trial point
  AlignedVector<double> iterate_;
  AlignedVector<double> gradient_;  // of f + (l2/2)|w|^2 at the iterate
  // At a trial point, and without the l2 term; between accept and learn, at the last iterate.
  AlignedVector<double> other_gradient_;
  AlignedVector<float> direction_;
  Iteration trial_;
};

}  // namespace

OptimizeResult owlqn(BatchFunction& f, const Regulariser& regulariser, std::span<double> w,
                     const LbfgsOptions& options, ThreadPool& pool,
                     const IterationCallback& callback, Checkpointer* checkpoints) {
  return minimise_checked<Owlqn>(f, regulariser, w, options, pool, callback, checkpoints);
}

}  // namespace croft
