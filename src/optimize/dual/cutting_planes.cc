#include "optimize/dual/dual_methods.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/vector_math.h"
#include "croft/core/error.h"
#include "optimize/checks.h"
#include "optimize/dual/simplex_program.h"

namespace croft {
namespace {

constexpr std::size_t kIdle = 50;    // iterations after which a plane that carries nothing goes
constexpr std::size_t kNoNews = 20;  // iterations in which nothing got better

class CuttingPlanes final : public Optimizer {
 public:
  CuttingPlanes(BatchFunction& f, const CuttingPlaneOptions& options, std::span<double> w)
      : f_(f), options_(options), w_(w), z_(w.size()), gradient_(w.size()) {
    for (const Run& run : options.nonnegative) {
      for (std::uint64_t j = run.begin; j < run.begin + run.length; ++j)
        w_[j] = std::max(w_[j], 0.0);
    }
    std::ranges::copy(w_, z_.begin());
    look();
    now_.number = 0;
  }

  const Iteration& now() const override { return now_; }
  std::string_view stuck() const override {
    return "rounding keeps the gap from closing further; not converged";
  }

  bool iterate() override {
    if (without_news_ >= kNoNews) return false;
    const double before = upper_, below = bound_;
    look();
    ++now_.number;
    without_news_ = upper_ < before || bound_ > below ? 0 : without_news_ + 1;
    return true;
  }

  void archive(StateArchive& state) override {
    state(w_, std::span(z_), planes_, level_, idle_, bounds_, at_bound_, program_, upper_, bound_);
    state(without_news_, now_);
    f_.archive(state);
    now_.w = w_;
  }

 private:
  // Evaluates at z, which may be the best point so far, adds the plane there, and moves z to where
  // all planes together are lowest.
  void look() {
    const double squared = dot(z_, z_);
    double data = f_.evaluate(z_, gradient_);
    // A search that misses the best labelling finds less than what is known from other labellings.
    const double found = data;
    for (std::size_t k = 0; k < planes_.size(); ++k) {
      data = std::max(data, level_[k] + dot(planes_[k], z_));
    }
    const double value = 0.5 * options_.l2 * squared + data;
    if (now_.evaluations++ == 0 || value < upper_) {
      upper_ = value;
      std::ranges::copy(z_, w_.begin());
    }
    drop_idle();
    add_plane(gradient_, found - dot(gradient_, z_));
    solve();
    report();
  }

  // w >= level + plane.w of the data term, of which a share enters.
  void add_plane(std::span<const double> plane, double level) {
    std::vector<double> row;
    std::size_t plane_at = 0, bound_at = 0;
    for (const bool bound : at_bound_) {
      row.push_back(bound ? -plane[bounds_[bound_at++]] / options_.l2
                          : dot(planes_[plane_at++], plane) / options_.l2);
    }
    row.push_back(dot(plane, plane) / options_.l2);
    program_.add(row, level, true);
    planes_.emplace_back(plane.begin(), plane.end());
    level_.push_back(level);
    idle_.push_back(0);
    at_bound_.push_back(false);
  }

  // 0 >= -w[j], with a multiplier that is no share.
  void add_bound(std::uint64_t j) {
    std::vector<double> row;
    std::size_t plane_at = 0;
    for (const bool bound : at_bound_) {
      row.push_back(bound ? 0 : -planes_[plane_at++][j] / options_.l2);
    }
    row.push_back(1 / options_.l2);
    program_.add(row, 0, false);
    bounds_.push_back(j);
    at_bound_.push_back(true);
  }

  void drop_idle() {
    std::vector<bool> stays;
    std::size_t k = 0, to = 0;
    for (std::size_t i = 0; i < at_bound_.size(); ++i) {
      if (at_bound_[i]) {
        stays.push_back(true);
        continue;
      }
      idle_[k] = program_.x()[i] > 0 ? 0 : idle_[k] + 1;
      const bool stay = idle_[k] < kIdle;
      stays.push_back(stay);
      if (stay) {
        if (to != k) planes_[to] = std::move(planes_[k]);
        level_[to] = level_[k];
        idle_[to++] = idle_[k];
      }
      ++k;
    }
    if (to == k) return;
    planes_.resize(to);
    level_.resize(to);
    idle_.resize(to);
    std::size_t at = 0;
    std::erase_if(at_bound_, [&](bool) { return !stays[at++]; });
    program_.keep(stays);
  }

  // The program, with the bounds that its solution would break; z is where it leads (D.26).
  void solve() {
    for (;;) {
      program_.solve();
      set_point();
      if (!add_broken_bounds()) break;
    }
    for (std::size_t i = 0, bound = 0; i < at_bound_.size(); ++i) {
      if (!at_bound_[i]) continue;
      const std::uint64_t j = bounds_[bound++];
      if (program_.x()[i] > 0) z_[j] = 0;
    }
    for (const Run& run : options_.nonnegative) {
      for (std::uint64_t j = run.begin; j < run.begin + run.length; ++j) {
        z_[j] = std::max(z_[j], 0.0);
      }
    }
    bound_ = std::max(bound_, -program_.value());
  }

  void set_point() {
    std::ranges::fill(z_, 0.0);
    std::size_t plane = 0, bound = 0;
    for (std::size_t i = 0; i < at_bound_.size(); ++i) {
      const double x = program_.x()[i] / options_.l2;
      if (at_bound_[i]) {
        z_[bounds_[bound++]] += x;
      } else {
        if (x > 0) axpy(-x, planes_[plane], z_);
        ++plane;
      }
    }
  }

  bool add_broken_bounds() {
    constexpr double kRounding = 1e-12;
    double largest = 0;
    for (const double each : z_) largest = std::max(largest, std::abs(each));
    const std::size_t before = bounds_.size();
    for (const Run& run : options_.nonnegative) {
      for (std::uint64_t j = run.begin; j < run.begin + run.length; ++j) {
        if (z_[j] >= -kRounding * largest) continue;
        if (std::ranges::find(bounds_, j) == bounds_.end()) add_bound(j);
      }
    }
    return bounds_.size() > before;
  }

  void report() {
    const double gap = std::max(0.0, upper_ - std::max(0.0, bound_));  // no hinge is below 0
    const double squared = dot(w_, w_);
    now_.objective = upper_;
    now_.gradient_norm = gap;
    now_.weight_norm = std::sqrt(squared);
    now_.active = count_nonzero(w_);
    now_.step = 1;
    now_.gap = gap / std::max(1.0, upper_);
    now_.w = w_;
  }

  BatchFunction& f_;
  const CuttingPlaneOptions& options_;
  std::span<double> w_;                      // the best point
  std::vector<double> z_, gradient_;         // [dimension] the next point
  std::vector<std::vector<double>> planes_;  // [planes][dimension]
  std::vector<double> level_;                // [planes] of a plane at 0
  std::vector<std::size_t> idle_;            // [planes] solutions without it
  std::vector<std::uint64_t> bounds_;        // coordinates
  std::vector<bool> at_bound_;               // [program's variables] or at a plane
  SimplexProgram program_;
  // Of the minimum.  What the planes say is far below 0 for long, and rises all the same.
  double upper_ = 0, bound_ = -std::numeric_limits<double>::infinity();
  std::size_t without_news_ = 0;
  Iteration now_;
};

}  // namespace

void CuttingPlaneOptions::validate() const {
  if (!(l2 > 0 && std::isfinite(l2))) throw UsageError("cutting planes need an l2 above 0");
  stop.validate();
}

OptimizeResult cutting_planes(BatchFunction& f, std::span<double> w,
                              const CuttingPlaneOptions& options, const IterationCallback& callback,
                              Checkpointer* checkpoints) {
  options.validate();
  CuttingPlanes run(f, options, w);
  return minimize(run, options.stop, callback, checkpoints);
}

}  // namespace croft
