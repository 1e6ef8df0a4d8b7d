#include "optimize/batch/batch_methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/vector_math.h"
#include "croft/core/error.h"
#include "croft/optimize/regulariser.h"
#include "optimize/batch/descent.h"
#include "optimize/checks.h"

namespace croft {
namespace {

constexpr double kAccept = 1e-4;      // part of the promised decrease that a step must bring
constexpr double kLeastPart = 1e-12;  // of s
constexpr double kFirstRadius = 4;    // in steps of the steepest descent
constexpr double kGrowth = 10;        // of the radius

class TruncatedNewton final : public Descent {
 public:
  TruncatedNewton(CurvedFunction& f, const Regulariser& regulariser, std::span<double> w,
                  const TruncatedNewtonOptions& options, ThreadPool& pool,
                  const PreconditionerAt& precondition)
      : Descent(f, regulariser, w, pool),
        curved_(f),
        options_(options),
        precondition_(precondition),
        residual_(w.size()),
        conjugate_(w.size()),
        product_(w.size()),
        scaled_(precondition ? w.size() : 0) {}

  bool iterate() override {
    if (precondition_) preconditioner_ = precondition_(w_);
    settle();
    const Model model = solve();
    if (!(model.decrease > 0)) return false;
    // Where s is too long a part of it is taken, rather than another s found in a smaller region:
    // an evaluation is cheaper than products (Nocedal & Yuan 1998).
    for (double part = 1; part > kLeastPart;) {
      const double slope = attempt(part);
      const double change = attempted().objective - now().objective;
      const double ratio = -change / model.decrease_of(part);
      const bool hidden = std::abs(change) <= kResolution * std::abs(now().objective);
      // Where rounding hides what F did, the slope along the step has to have become flatter.
      const bool accepted = hidden ? std::abs(slope) < std::abs(model.slope) : ratio > kAccept;
      if (accepted) {
        if (!hidden) set_radius(ratio, part, model);
        accept(part);
        return true;
      }
      reject();
      if (hidden) return false;
      part *= shorter(change, part * model.slope);
    }
    return false;
  }

  void archive(StateArchive& state) override {
    Descent::archive(state);
    state(radius_);
    if (state.reading()) revisit();
  }

 private:
  // What the inner iteration says of the step that it leaves in the direction.
  struct Model {
    double decrease = 0;     // -q(s)
    double slope = 0;        // g's
    double length = 0;       // (s'M s)^1/2
    bool on_border = false;  // length = radius

    // -q(part s)
    double decrease_of(double part) const {
      const double bend = -2 * (decrease + slope);  // s'H s
      return -part * (slope + 0.5 * part * bend);
    }
  };

  // product = H d
  void multiply() {
    curved_.hessian_product(conjugate_, product_);
    for_blocks(pool_, product_.size(), [&](std::size_t begin, std::size_t end) {
      add_l2_gradient(regulariser_, begin,
                      std::span<const double>(conjugate_).subspan(begin, end - begin),
                      std::span(product_).subspan(begin, end - begin));
    });
  }

  // Steihaug's conjugate gradients (B.12) from s = 0; r = -g - H s, z = M^-1 r.
  Model solve() {
    const std::span<const double> g = gradient_;
    const std::span<double> s = direction_;
    for_blocks(pool_, g.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        s[i] = 0;
        residual_[i] = -g[i];
      }
    });
    double rz = scale_residual();
    turn(0);
    const double goal = options_.accuracy * options_.accuracy * rz;
    // s'M s, s'M d and d'M d follow from r'z alone (B.12b): M itself is not needed.
    double ss = 0, sd = 0, dd = rz;
    Model model;
    double gains = 0;  // -q(s)
    for (std::size_t k = 0; k < options_.max_products && rz > goal; ++k) {
      multiply();
      const double curvature = sums_of<1>(
          [&](std::span<double> sum, std::size_t i) { sum[0] += conjugate_[i] * product_[i]; })[0];
      double step = rz / curvature;
      if (radius_ == 0) {  // at the start
        radius_ = kFirstRadius * (curvature > 0 ? step * std::sqrt(rz) : 1);
      }
      const double border = step_to_border(ss, sd, dd);
      model.on_border = !(curvature > 0 && step < border);
      if (model.on_border) step = border;
      advance(step);
      ss += step * (2 * sd + step * dd);
      if (model.on_border) break;
      const double gain = 0.5 * step * rz;
      gains += gain;
      if (static_cast<double>(k + 1) * gain < options_.least_gain * gains) break;
      const double next = scale_residual(), beta = next / rz;
      turn(beta);
      sd = beta * (sd + step * dd);
      dd = next + beta * beta * dd;
      rz = next;
    }
    const auto [gs, rs] = sums_of<2>([&](std::span<double> sum, std::size_t i) {
      sum[0] += g[i] * s[i];
      sum[1] += residual_[i] * s[i];
    });
    model.decrease = 0.5 * (rs - gs);  // q(s) = (g's - r's) / 2
    model.slope = gs;
    model.length = std::sqrt(ss);
    return model;
  }

  // The tau >= 0 with |s + tau d| = radius.
  double step_to_border(double ss, double sd, double dd) const {
    const double rest = std::max(radius_ * radius_ - ss, 0.0);
    const double root = std::sqrt(sd * sd + dd * rest);
    return sd > 0 ? rest / (sd + root) : (root - sd) / dd;
  }

  // s += step d and r -= step H d
  void advance(double step) {
    const std::span<double> s = direction_;
    for_blocks(pool_, s.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        s[i] += step * conjugate_[i];
        residual_[i] -= step * product_[i];
      }
    });
  }

  // z = M^-1 r; returns r'z.
  double scale_residual() {
    if (precondition_) {
      std::ranges::copy(residual_, scaled_.begin());
      preconditioner_(scaled_);
    }
    const std::span<const double> z = scaled();
    return sums_of<1>(
        [&](std::span<double> sum, std::size_t i) { sum[0] += residual_[i] * z[i]; })[0];
  }
  std::span<const double> scaled() const { return precondition_ ? scaled_ : residual_; }

  // d = z + beta d
  void turn(double beta) {
    const std::span<const double> z = scaled();
    for_blocks(pool_, conjugate_.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) conjugate_[i] = z[i] + beta * conjugate_[i];
    });
  }

  // Where the parabola through what F and its slope have been has its minimum, as a part.
  static double shorter(double change, double slope) {
    const double part = -0.5 * slope / (change - slope);
    return part >= 0.1 ? std::min(part, 0.5) : 0.1;  // also where F is not finite
  }

  // The region follows the steps that were good, at some distance: M is another at each iterate,
  // and so is what a length means.
  void set_radius(double ratio, double part, const Model& model) {
    const double taken = part * model.length;
    if (part < 1) {
      radius_ = kGrowth * taken;
    } else if (ratio > 0.25) {
      radius_ = std::max(radius_, kGrowth * taken);
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

  CurvedFunction& curved_;
  const TruncatedNewtonOptions options_;
  const PreconditionerAt& precondition_;
  Preconditioner preconditioner_;
  double radius_ = 0;  // 0: not known yet
  AlignedVector<double> residual_, conjugate_, product_;
  AlignedVector<double> scaled_;  // z, where M is not I
};

}  // namespace

void TruncatedNewtonOptions::validate() const {
  if (!(accuracy > 0 && accuracy < 1)) {
    throw UsageError(fmt::format("accuracy is {}; it must be between 0 and 1", accuracy));
  }
  check_at_least_one("max_products", max_products);
  if (!(least_gain >= 0 && least_gain < 1)) {
    throw UsageError(fmt::format("least_gain is {}; it must be >= 0 and < 1", least_gain));
  }
  stop.validate();
}

OptimizeResult truncated_newton(CurvedFunction& f, const Regulariser& regulariser,
                                std::span<double> w, const TruncatedNewtonOptions& options,
                                ThreadPool& pool, const IterationCallback& callback,
                                Checkpointer* checkpoints, const PreconditionerAt& precondition) {
  check_smooth(regulariser, "truncated Newton");
  return minimise_checked<TruncatedNewton>(f, regulariser, w, options, pool, callback, checkpoints,
                                           precondition);
}

}  // namespace croft
