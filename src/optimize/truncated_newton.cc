#include "croft/optimize/truncated_newton.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "croft/core/error.h"
#include "croft/core/vector_math.h"
#include "croft/optimize/regulariser.h"
#include "optimize/checks.h"
#include "optimize/descent.h"

namespace croft {
namespace {

constexpr double kAccept = 1e-4;    // part of the promised decrease that a step must bring
constexpr double kFirstRadius = 4;  // in steps of the steepest descent
constexpr double kGrowth = 4;       // of the radius

class TruncatedNewton final : public Optimizer {
 public:
  TruncatedNewton(CurvedFunction& f, const Regulariser& regulariser, std::span<double> w,
                  const TruncatedNewtonOptions& options, ThreadPool& pool)
      : f_(f),
        regulariser_(regulariser),
        options_(options),
        pool_(pool),
        descent_(f, regulariser, w, pool),
        residual_(w.size()),
        conjugate_(w.size()),
        product_(w.size()) {}

  const Iteration& now() const override { return descent_.now(); }
  std::size_t evaluations() const override { return descent_.evaluations(); }

  bool iterate() override {
    for (;;) {
      descent_.settle();  // after a step that was rejected
      const Model model = solve();
      if (!(model.decrease > 0)) return false;
      const double slope = descent_.attempt(1);
      const double change = descent_.attempted().objective - now().objective;
      const double ratio = -change / model.decrease;
      const bool hidden = std::abs(change) <= kResolution * std::abs(now().objective);
      // Where rounding hides what F did, the slope along the step has to have become flatter.
      const bool accepted = hidden ? std::abs(slope) < std::abs(model.slope) : ratio > kAccept;
      if (!hidden) set_radius(ratio, model);
      if (accepted) {
        descent_.accept(1);
        return true;
      }
      descent_.reject();
      if (hidden) return false;
    }
  }

  void archive(StateArchive& state) override {
    state(descent_);
    state(radius_);
    if (state.reading()) descent_.revisit();
  }

 private:
  // What the inner iteration says of the step that it leaves in the direction.
  struct Model {
    double decrease = 0;     // -q(s)
    double slope = 0;        // g's
    double length = 0;       // |s|
    bool on_border = false;  // |s| = radius
  };

  // product = H d
  void multiply() {
    f_.hessian_product(conjugate_, product_);
    for_blocks(pool_, product_.size(), [&](std::size_t begin, std::size_t end) {
      add_l2_gradient(regulariser_, begin,
                      std::span<const double>(conjugate_).subspan(begin, end - begin),
                      std::span(product_).subspan(begin, end - begin));
    });
  }

  // Steihaug's conjugate gradients (B.12) from s = 0; r = -g - H s.
  Model solve() {
    const std::span<const double> g = descent_.gradient();
    const std::span<double> s = descent_.direction();
    double rr = sums_of<1>([&](std::span<double> sum, std::size_t i) {
      s[i] = 0;
      residual_[i] = conjugate_[i] = -g[i];
      sum[0] += g[i] * g[i];
    })[0];
    const double goal = options_.accuracy * now().gradient_norm;
    Model model;
    for (std::size_t k = 0; k < options_.max_products && std::sqrt(rr) > goal; ++k) {
      multiply();
      const double curvature = sums_of<1>(
          [&](std::span<double> sum, std::size_t i) { sum[0] += conjugate_[i] * product_[i]; })[0];
      const double step = rr / curvature;
      if (radius_ == 0) {  // at the start
        radius_ = kFirstRadius * (curvature > 0 ? step * std::sqrt(rr) : 1);
      }
      const double border = step_to_border();
      model.on_border = !(curvature > 0 && step < border);
      const double next = advance(model.on_border ? border : step);
      if (model.on_border) break;
      turn(next / rr);
      rr = next;
    }
    const auto [gs, rs, ss] = sums_of<3>([&](std::span<double> sum, std::size_t i) {
      sum[0] += g[i] * s[i];
      sum[1] += residual_[i] * s[i];
      sum[2] += s[i] * s[i];
    });
    model.decrease = 0.5 * (rs - gs);  // q(s) = (g's - r's) / 2
    model.slope = gs;
    model.length = std::sqrt(ss);
    return model;
  }

  // The tau >= 0 with |s + tau d| = radius.
  double step_to_border() {
    const std::span<const double> s = descent_.direction();
    const auto [ss, sd, dd] = sums_of<3>([&](std::span<double> sum, std::size_t i) {
      sum[0] += s[i] * s[i];
      sum[1] += s[i] * conjugate_[i];
      sum[2] += conjugate_[i] * conjugate_[i];
    });
    const double rest = std::max(radius_ * radius_ - ss, 0.0);
    const double root = std::sqrt(sd * sd + dd * rest);
    return sd > 0 ? rest / (sd + root) : (root - sd) / dd;
  }

  // s += step d and r -= step H d; returns |r|^2.
  double advance(double step) {
    const std::span<double> s = descent_.direction();
    return sums_of<1>([&](std::span<double> sum, std::size_t i) {
      s[i] += step * conjugate_[i];
      residual_[i] -= step * product_[i];
      sum[0] += residual_[i] * residual_[i];
    })[0];
  }

  // d = r + beta d
  void turn(double beta) {
    for_blocks(pool_, conjugate_.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        conjugate_[i] = residual_[i] + beta * conjugate_[i];
      }
    });
  }

  // The region shrinks where the model promised too much, and grows where the model was good and
  // the region in the way.  Written so that a ratio of NaN shrinks it.
  void set_radius(double ratio, const Model& model) {
    if (!(ratio >= 0.25)) {
      radius_ = 0.25 * model.length;
    } else if (ratio > 0.75 && model.on_border) {
      radius_ *= kGrowth;
    }
  }

  // N sums over all weights: add(sum, i) adds the share of weight i.
  template <std::size_t N, class Add>
  std::array<double, N> sums_of(const Add& add) {
    std::array<double, N> sums;
    sum_blocks(pool_, residual_.size(), sums,
               [&](std::size_t begin, std::size_t end, std::span<double> sum) {
                 for (std::size_t i = begin; i < end; ++i) add(sum, i);
               });
    return sums;
  }

  CurvedFunction& f_;
  const Regulariser regulariser_;
  const TruncatedNewtonOptions options_;
  ThreadPool& pool_;
  Descent descent_;
  double radius_ = 0;  // 0: not known yet
  AlignedVector<double> residual_, conjugate_, product_;
};

}  // namespace

void TruncatedNewtonOptions::validate() const {
  if (!(accuracy > 0 && accuracy < 1)) {
    throw UsageError(fmt::format("accuracy is {}; it must be between 0 and 1", accuracy));
  }
  if (max_products < 1) {
    throw UsageError(fmt::format("max_products is {}; it must be >= 1", max_products));
  }
  stop.validate();
}

OptimizeResult truncated_newton(CurvedFunction& f, const Regulariser& regulariser,
                                std::span<double> w, const TruncatedNewtonOptions& options,
                                ThreadPool& pool, const IterationCallback& callback,
                                Checkpointer* checkpoints) {
  options.validate();
  check_smooth(regulariser, "truncated Newton");
  check_dimension(f, w);
  TruncatedNewton run(f, regulariser, w, options, pool);
  return minimize(run, options.stop, callback, checkpoints);
}

}  // namespace croft
