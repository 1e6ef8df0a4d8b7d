#include "croft/optimize/span_lbfgs.h"

#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <vector>

#include "croft/core/error.h"
#include "croft/core/matrix.h"
#include "croft/core/vector_math.h"
#include "croft/optimize/line_search.h"
#include "optimize/checks.h"

namespace croft {
namespace {

// The vector (X'a, b) of weights, with K a = X X'a, which makes inner products of a's numbers.
template <class Real>
struct SpanVector {
  AlignedVector<Real> a, ka;  // [scores]
  std::vector<double> b;      // [free]

  SpanVector() = default;
  SpanVector(std::size_t scores, std::size_t free) : a(scores), ka(scores), b(free) {}
  void archive(StateArchive& state) {
    state(a);
    state(ka);
    state(b);
  }
};

template <class Real>
class SpanLbfgs final : public Optimizer {
 public:
  using Vector = SpanVector<Real>;

  SpanLbfgs(SpanFunction<Real>& f, double l2, std::span<double> w, const SpanLbfgsOptions& options,
            ThreadPool& pool)
      : f_(f),
        l2_(l2),
        options_(options),
        pool_(pool),
        w_(w),
        a_(f.scores()),
        ka_(f.scores()),
        b_(f.free()),
        gradient_(f.scores(), f.free()),
        before_(f.scores(), f.free()),
        direction_(f.scores(), f.free()) {
    arrive(0, 0);
  }

  const Iteration& now() const override { return now_; }
  std::size_t evaluations() const override { return evaluations_; }

  bool iterate() override {
    for (;;) {
      const bool steepest = pairs_.empty();
      set_direction();
      const double slope = inner(gradient_, direction_);
      if (slope < 0 && std::isfinite(slope) && search(slope)) return true;
      if (steepest) return false;
      pairs_.clear();
    }
  }

  void archive(StateArchive& state) override {
    state(a_);
    state(ka_);
    state(b_);
    state(squared_norm_);
    state(gradient_);
    state(pairs_);
    state(last_length_);
    state(now_);
    state(evaluations_);
    if (state.reading()) show();
  }

  // Writes w.  K a, moved along with a, has taken rounding with it: F is evaluated anew.
  void finish(OptimizeResult& result) {
    f_.weights(a_, b_, w_);
    Vector& q = direction_;
    for (std::size_t i = 0; i < a_.size(); ++i) q.a[i] = static_cast<Real>(a_[i]);
    f_.gram(q.a, q.ka);
    ka_.assign(q.ka.begin(), q.ka.end());
    arrive(now_.number, now_.step);
    result.objective = now_.objective;
    result.gradient_norm = now_.gradient_norm;
  }

 private:
  struct Pair {
    Vector s, y;
    double curvature = 0;  // s'y
    void archive(StateArchive& state) {
      state(s);
      state(y);
      state(curvature);
    }
  };

  double dot_of(std::span<const Real> u, std::span<const Real> v) const {
    return sum_blocks(pool_, u.size(), [&](std::size_t begin, std::size_t end) {
      return dot(u.subspan(begin, end - begin), v.subspan(begin, end - begin));
    });
  }
  double inner(const Vector& u, const Vector& v) const {
    return dot_of(u.a, v.ka) + dot(std::span(u.b), std::span(v.b));
  }
  // v += scale u
  void add(double scale, const Vector& u, Vector& v) const {
    const auto factor = static_cast<Real>(scale);
    for_blocks(pool_, u.a.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) v.a[i] += factor * u.a[i];
      for (std::size_t i = begin; i < end; ++i) v.ka[i] += factor * u.ka[i];
    });
    for (std::size_t i = 0; i < u.b.size(); ++i) v.b[i] += scale * u.b[i];
  }
  void multiply(double scale, Vector& v) const {
    const auto factor = static_cast<Real>(scale);
    for_blocks(pool_, v.a.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) v.a[i] *= factor;
      for (std::size_t i = begin; i < end; ++i) v.ka[i] *= factor;
    });
    for (double& x : v.b) x *= scale;
  }

  // d = -H g by the two loops of (O.5).
  void set_direction() {
    Vector& q = direction_;
    q = gradient_;
    std::vector<double> alpha(pairs_.size());
    for (std::size_t k = pairs_.size(); k-- > 0;) {
      const Pair& pair = pairs_[k];
      alpha[k] = inner(q, pair.s) / pair.curvature;
      add(-alpha[k], pair.y, q);
    }
    multiply(pairs_.empty() ? -last_length_ / now_.gradient_norm
                            : -pairs_.back().curvature / inner(pairs_.back().y, pairs_.back().y),
             q);
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      const Pair& pair = pairs_[k];
      const double beta = inner(q, pair.y) / pair.curvature;
      add(-alpha[k] - beta, pair.s, q);
    }
  }

  // Scores of the iterate, and their change along the direction.
  std::span<const double> scores() {
    if (b_.empty()) return ka_;
    scores_.assign(ka_.begin(), ka_.end());
    f_.add_free(b_, scores_);
    return scores_;
  }
  std::span<const Real> change() {
    if (b_.empty()) return direction_.ka;
    wide_.assign(direction_.ka.begin(), direction_.ka.end());
    f_.add_free(direction_.b, wide_);
    change_.assign(wide_.begin(), wide_.end());
    return change_;
  }

  // Along the direction nothing but phi must be evaluated: scores and |w|^2 are known.
  bool search(double slope) {
    const std::span<const double> s = scores();
    const std::span<const Real> d = change();
    const double linear = l2_ * mixed(a_, direction_.ka);
    const double square = l2_ * dot_of(direction_.a, direction_.ka);
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

  double mixed(std::span<const double> u, std::span<const Real> v) const {
    return sum_blocks(pool_, u.size(), [&](std::size_t begin, std::size_t end) {
      return dot(u.subspan(begin, end - begin), v.subspan(begin, end - begin));
    });
  }

  void move(double step) {
    for_blocks(pool_, a_.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) a_[i] += step * direction_.a[i];
      for (std::size_t i = begin; i < end; ++i) ka_[i] += step * direction_.ka[i];
    });
    for (std::size_t i = 0; i < b_.size(); ++i) b_[i] += step * direction_.b[i];
  }

  // The gradient is X'(l2 a + phi') and, of b, B'phi'.
  void arrive(std::size_t number, double step) {
    Vector& g = gradient_;
    const double value = f_.evaluate(scores(), g.a);
    ++evaluations_;
    f_.free_gradient(g.a, g.b);
    f_.gram(g.a, g.ka);
    for_blocks(pool_, a_.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) g.a[i] = static_cast<Real>(l2_ * a_[i] + g.a[i]);
      for (std::size_t i = begin; i < end; ++i) g.ka[i] = static_cast<Real>(l2_ * ka_[i] + g.ka[i]);
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
                     .gradient_norm = std::sqrt(std::max(0.0, inner(g, g))),
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

  void learn(double step) {
    Pair pair;
    if (pairs_.size() == options_.history) {  // its memory
      pair = std::move(pairs_.front());
      pairs_.pop_front();
    }
    pair.s = direction_;
    multiply(step, pair.s);
    pair.y = gradient_;
    add(-1, before_, pair.y);
    pair.curvature = inner(pair.s, pair.y);
    last_length_ = std::sqrt(std::max(0.0, inner(pair.s, pair.s)));
    if (pair.curvature > kLeastCurvature * inner(pair.y, pair.y)) pairs_.push_back(std::move(pair));
  }

  static constexpr double kCurvature = 0.4;
  static constexpr double kLeastCurvature = 1e-12;

  SpanFunction<Real>& f_;
  const double l2_;
  const SpanLbfgsOptions& options_;
  ThreadPool& pool_;
  std::span<double> w_;
  AlignedVector<double> a_, ka_;  // the iterate
  std::vector<double> b_;
  double squared_norm_ = 0;  // of X'a
  Vector gradient_, before_, direction_;
  std::deque<Pair> pairs_;
  double last_length_ = 1;
  std::vector<double> scores_, wide_;  // scratch, where there are free weights
  AlignedVector<Real> change_;
  Iteration now_;
  std::size_t evaluations_ = 0;
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
  OptimizeResult result = minimize(run, options.stop, callback, checkpoints);
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
