#include "optimize/batch/span_lbfgs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

#include "core/vector_math.h"
#include "croft/core/error.h"
#include "croft/core/matrix.h"
#include "optimize/batch/curvature_history.h"
#include "optimize/batch/line_search.h"
#include "optimize/checks.h"

namespace croft {
namespace {

template <class Real>
class SpanLbfgs final : public QuasiNewton {
 public:
  SpanLbfgs(SpanFunction<Real>& f, double l2, std::span<double> w, const SpanLbfgsOptions& options,
            ThreadPool& pool)
      : QuasiNewton({f.scores() + f.free(), options.history, f.scores()}),
        f_(f),
        l2_(l2),
        options_(options),
        pool_(pool),
        w_(w),
        a_(f.scores()),
        ka_(f.scores()),
        b_(f.free()),
        gradient_(2 * f.scores() + f.free()),
        before_(gradient_.size()),
        direction_(gradient_.size()) {
    arrive(0, 0);
    start_ = now_.objective;
    ascending_ = options.passes > 0;
  }

  bool iterate() override {
    if (!ascending_) return QuasiNewton::iterate();
    ascend();
    return true;
  }

  void archive(StateArchive& state) override {
    state(a_, ka_, b_, squared_norm_, gradient_, history_, now_, evaluations_, start_, ascending_);
    if (state.reading()) show();
  }

  // Writes w.  K a, moved along with a, has taken rounding with it: F is evaluated anew.
  void finish(OptimizeResult& result) {
    f_.weights(a_, b_, w_);
    multiply();
    arrive(now_.number, now_.step);
    result.objective = now_.objective;
    result.gradient_norm = now_.gradient_norm;
  }

 private:
  // A vector of weights (X'a, b) as  a, b, K a  one after the other.
  using Vector = AlignedVector<Real>;
  std::span<Real> a_of(Vector& v) const { return std::span(v).first(f_.scores()); }
  std::span<Real> b_of(Vector& v) const { return std::span(v).subspan(f_.scores(), f_.free()); }
  std::span<Real> ka_of(Vector& v) const { return std::span(v).last(f_.scores()); }

  template <class U>
  double dot_of(std::span<const U> u, std::span<const Real> v) const {
    return sum_blocks(pool_, u.size(), [&](std::size_t begin, std::size_t end) {
      return dot(u.subspan(begin, end - begin), v.subspan(begin, end - begin));
    });
  }
  double inner(Vector& u, Vector& v) const {
    return dot_of<Real>(a_of(u), ka_of(v)) +
           dot(std::span<const Real>(b_of(u)), std::span<const Real>(b_of(v)));
  }

  // A pass of dual ascent; the last one where the gap says that it is near enough, or where there
  // were enough of them.  Then L-BFGS goes on, from 0 where all this has led nowhere.
  void ascend() {
    const std::size_t pass = now_.number + 1;
    f_.ascend(options_.seed, pass, l2_, a_, b_);
    multiply();
    arrive(pass, 1);
    const double gap = (now_.objective - 0.5 * l2_ * squared_norm_ + f_.conjugate(l2_, a_) +
                        l2_ * dot(std::span<const double>(a_), scores())) /
                       std::max(1.0, std::abs(now_.objective));
    const double enough = std::max(options_.stop.tolerance, kLeastGap);
    ascending_ = pass < options_.passes && !(gap <= enough);
    if (ascending_) return;
    if (!(now_.objective < start_)) {
      for (auto* vector : {&a_, &ka_}) std::ranges::fill(*vector, 0.0);
      std::ranges::fill(b_, 0.0);
      arrive(pass, 0);
    } else if (b_.empty() && gap <= options_.stop.tolerance) {
      now_.gap = gap;  // with free weights it is a bound of nothing
    }
  }

  // K a of the iterate.
  void multiply() {
    const std::span<Real> a = a_of(direction_), ka = ka_of(direction_);
    for (std::size_t i = 0; i < a_.size(); ++i) a[i] = static_cast<Real>(a_[i]);
    f_.gram(a, ka);
    ka_.assign(ka.begin(), ka.end());
  }

  // d = -H g (O.5)
  double set_direction() override {
    for_blocks(pool_, direction_.size(), [&](std::size_t from, std::size_t to) {
      std::array<double, kVectorChunk> g_storage, product_storage;
      for_chunks(from, to, [&](std::size_t begin, std::size_t end) {
        const std::span<double> g = std::span(g_storage).first(end - begin);
        const std::span<double> product = std::span(product_storage).first(end - begin);
        std::copy_n(gradient_.data() + begin, g.size(), g.data());
        history_.multiply(begin, g, product);
        for (std::size_t i = 0; i < g.size(); ++i) {
          direction_[begin + i] = static_cast<Real>(-product[i]);
        }
      });
    });
    // The history's vectors are float, K a apart from a: too coarse for sums in double.
    if constexpr (std::is_same_v<Real, double>) f_.gram(a_of(direction_), ka_of(direction_));
    return inner(gradient_, direction_);
  }

  // Scores of the iterate, and their change along the direction.
  std::span<const double> scores() {
    if (b_.empty()) return ka_;
    scores_.assign(ka_.begin(), ka_.end());
    f_.add_free(b_, scores_);
    return scores_;
  }
  std::span<const Real> change() {
    const std::span<const Real> ka = ka_of(direction_), b = b_of(direction_);
    if (b.empty()) return ka;
    wide_.assign(ka.begin(), ka.end());
    f_.add_free(std::vector<double>(b.begin(), b.end()), wide_);
    change_.assign(wide_.begin(), wide_.end());
    return change_;
  }

  // Along the direction nothing but phi must be evaluated: scores and |w|^2 are known.
  bool search(double slope) override {
    const std::span<const double> s = scores();
    const std::span<const Real> d = change();
    const std::span<const Real> ka = ka_of(direction_);
    const double linear = l2_ * dot_of<double>(a_, ka);
    const double square = l2_ * dot_of<Real>(a_of(direction_), ka);
    const double penalty = 0.5 * l2_ * squared_norm_;
    const LineFunction phi = [&](double step) {
      const auto [value, rise] = f_.along(s, d, step);
      ++evaluations_;
      return LinePoint{step, value + penalty + step * (linear + 0.5 * step * square),
                       rise + linear + step * square};
    };
    const LineSearchResult found =
        strong_wolfe(phi, {0, now_.objective, slope}, 1.0, {.curvature = kCurvature});
    if (found.outcome == LineOutcome::failed) return false;
    move(found.point.step);
    std::swap(before_, gradient_);
    arrive(now_.number + 1, found.point.step);
    learn(found.point.step);
    return true;
  }

  void move(double step) {
    const std::span<const Real> a = a_of(direction_), b = b_of(direction_), ka = ka_of(direction_);
    for_blocks(pool_, a_.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) a_[i] += step * a[i];
      for (std::size_t i = begin; i < end; ++i) ka_[i] += step * ka[i];
    });
    for (std::size_t i = 0; i < b_.size(); ++i) b_[i] += step * b[i];
  }

  // The gradient is X'(l2 a + phi') and, of b, B'phi'.
  void arrive(std::size_t number, double step) {
    const std::span<Real> a = a_of(gradient_), ka = ka_of(gradient_);
    const double value = f_.evaluate(scores(), a);
    ++evaluations_;
    std::vector<double> of_free(b_.size());
    f_.free_gradient(a, of_free);
    std::ranges::transform(of_free, b_of(gradient_).begin(),
                           [](double x) { return static_cast<Real>(x); });
    f_.gram(a, ka);
    for_blocks(pool_, a_.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) a[i] = static_cast<Real>(l2_ * a_[i] + a[i]);
      for (std::size_t i = begin; i < end; ++i) ka[i] = static_cast<Real>(l2_ * ka_[i] + ka[i]);
    });
    squared_norm_ = sum_blocks(pool_, a_.size(), [&](std::size_t begin, std::size_t end) {
      const auto part = [&](const AlignedVector<double>& v) {
        return std::span<const double>(v).subspan(begin, end - begin);
      };
      return dot(part(a_), part(ka_));
    });
    now_ = Iteration{.number = number,
                     .evaluations = evaluations_,
                     .objective = value + 0.5 * l2_ * squared_norm_,
                     .gradient_norm = std::sqrt(std::max(0.0, inner(gradient_, gradient_))),
                     .weight_norm = std::sqrt(squared_norm_ + dot(std::span(b_), std::span(b_))),
                     .active = f_.dimension(),
                     .step = step,
                     .w = {}};
    show();
  }

  void show() {
    if (!options_.show_weights) return;
    f_.weights(a_, b_, w_);
    now_.w = w_;
    now_.active = count_nonzero(w_);
  }

  // The pair of the last move.
  void learn(double step) {
    history_.push(
        pool_,
        [&](std::size_t begin, std::span<float> s, std::span<float> y) {
          const Real *d = direction_.data() + begin, *g = gradient_.data() + begin;
          const Real* before = before_.data() + begin;
          for (std::size_t i = 0; i < s.size(); ++i) {
            s[i] = static_cast<float>(step * d[i]);
            y[i] = static_cast<float>(g[i] - before[i]);
          }
        },
        [&](std::size_t begin, std::span<double> v) {
          std::copy_n(gradient_.data() + begin, v.size(), v.data());
        });
  }

  static constexpr double kCurvature = 0.4;
  static constexpr double kLeastGap = 1e-6;  // of what a gap in single precision can say

  SpanFunction<Real>& f_;
  const double l2_;
  const SpanLbfgsOptions& options_;
  ThreadPool& pool_;
  std::span<double> w_;
  AlignedVector<double> a_, ka_;  // the iterate
  std::vector<double> b_;
  double squared_norm_ = 0;  // of X'a
  Vector gradient_, before_, direction_;
  std::vector<double> scores_, wide_;  // scratch, where there are free weights
  AlignedVector<Real> change_;
  double start_ = 0;        // F at 0
  bool ascending_ = false;  // an iteration is a pass
};

}  // namespace

void SpanLbfgsOptions::validate() const {
  LbfgsOptions{.history = history, .stop = stop}.validate();
}

template <class Real>
OptimizeResult span_lbfgs(SpanFunction<Real>& f, double l2, std::span<double> w,
                          const SpanLbfgsOptions& options, ThreadPool& pool,
                          const IterationCallback& callback, Checkpointer* checkpoints) {
  options.validate();
  check_positive("l2", l2);
  if (w.size() != f.dimension()) {
    throw UsageError(fmt::format("w has {} numbers, and the function {}", w.size(), f.dimension()));
  }
  SpanLbfgs<Real> run(f, l2, w, options, pool);
  check_start(run.now());
  StoppingRule rule = options.stop;
  rule.gap_tolerance = rule.tolerance;  // the gap says what the change of F can only hint at
  OptimizeResult result = minimize(run, rule, callback, checkpoints);
  run.finish(result);
  return result;
}

template OptimizeResult span_lbfgs(SpanFunction<float>&, double, std::span<double>,
                                   const SpanLbfgsOptions&, ThreadPool&, const IterationCallback&,
                                   Checkpointer*);
template OptimizeResult span_lbfgs(SpanFunction<double>&, double, std::span<double>,
                                   const SpanLbfgsOptions&, ThreadPool&, const IterationCallback&,
                                   Checkpointer*);

}  // namespace croft
