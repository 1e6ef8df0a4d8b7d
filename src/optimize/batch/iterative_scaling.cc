#include "optimize/batch/iterative_scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/vector_math.h"
#include "croft/core/error.h"
#include "croft/optimize/regulariser.h"
#include "optimize/batch/descent.h"
#include "optimize/checks.h"

namespace croft {
namespace {

// An iteration lowers F, or leaves it up to so much of its size: rounding of f and of the counts.
constexpr double kScalingRounding = 1e-12;

// One weight's equation (B.16) for its move d:  sum_g expected_g exp(total_g d) + l2 d = b.
struct ScalingEquation {
  std::span<const double> expected, total;  // parallel; total > 0
  double b = 0;                             // empirical - l2 w
  double l2 = 0;

  // The left side less b, which rises with d and is convex, and its slope.
  struct Value {
    double excess, slope;
  };
  Value at(double d) const {
    Value value{l2 * d - b, l2};
    for (std::size_t g = 0; g < expected.size(); ++g) {
      const double count = expected[g] * std::exp(total[g] * d);
      value.excess += count;
      value.slope += total[g] * count;
    }
    return value;
  }

  // A point to the right of the root, and no further than it takes one term to reach b.
  double right_of_root() const {
    if (l2 > 0 && at(0).excess >= 0) return 0;
    double least = l2 > 0 ? b / l2 : std::numeric_limits<double>::infinity();
    for (std::size_t g = 0; g < expected.size(); ++g) {
      if (expected[g] > 0) least = std::min(least, std::log(b / expected[g]) / total[g]);
    }
    return least;
  }

  // Newton's method from there: on a rising convex function it comes down to the root and never
  // jumps across.
  double solve() const {
    constexpr int kMostSteps = 200;
    double d = right_of_root();
    // No count at all, and no l2: nothing is known of d.
    if (!std::isfinite(d)) return 0;
    for (int k = 0; k < kMostSteps; ++k) {
      const Value value = at(d);
      const double step = value.excess / value.slope;
      if (!(step > 0)) break;
      d -= step;
      if (step <= 1e-14 * std::abs(d)) break;
    }
    return d;
  }
};

class IterativeScaling final : public Descent {
 public:
  IterativeScaling(ExpectationFunction& f, const Regulariser& regulariser, std::span<double> w,
                   ThreadPool& pool, bool improved)
      : Descent(f, regulariser, w, pool), f_(f), l2_(regulariser.l2), improved_(improved) {
    check_counts();
  }

  bool iterate() override {
    set_moves();
    attempt(1);
    const double slack = kScalingRounding * std::abs(now().objective);
    if (attempted().objective <= now().objective + slack) {
      accept(1);
      return true;
    }
    reject();
    return false;
  }

  void archive(StateArchive& state) override {
    Descent::archive(state);
    if (state.reading()) revisit();
  }

 private:
  std::span<const double> counts(std::size_t k) const {
    const ExpectedCounts& all = f_.expected();
    return std::span(all.expected).subspan(all.begin[k], all.begin[k + 1] - all.begin[k]);
  }

  void check_counts() const {
    std::size_t unseen = 0;
    for (std::size_t k = 0; k < size(); ++k) {
      const double empirical = f_.empirical()[k];
      if (!(empirical >= 0)) {
        throw UsageError(fmt::format(
            "the feature of weight {} sums to {} in the data; iterative scaling needs values >= 0",
            k, empirical));
      }
      const auto expects = [](double count) { return count > 0; };
      unseen += empirical == 0 && std::ranges::any_of(counts(k), expects);
    }
    if (unseen == 0 || l2_ > 0) return;
    throw UsageError(fmt::format(
        "{} of {} features never occur with the labels of the data: without l2 iterative scaling "
        "would send their weights to minus infinity; choose l2 > 0, or observed features only",
        unseen, size()));
  }

  // direction = d of (B.16)
  void set_moves() {
    const ExpectedCounts& all = f_.expected();
    const double largest =
        all.total.empty() ? 1 : *std::max_element(all.total.begin(), all.total.end());
    const std::span<double> moves = direction_;
    for_blocks(pool_, moves.size(), [&](std::size_t begin, std::size_t end) {
      std::vector<double> total;
      for (std::size_t k = begin; k < end; ++k) {
        const std::span<const double> expected = counts(k);
        const double b = f_.empirical()[k] - l2_ * w_[k];
        if (improved_) {
          total.clear();
          for (std::uint64_t e = all.begin[k]; e < all.begin[k + 1]; ++e) {
            total.push_back(all.total[all.group[e]]);
          }
          moves[k] = ScalingEquation{expected, total, b, l2_}.solve();
        } else {
          const double sum = std::accumulate(expected.begin(), expected.end(), 0.0);
          moves[k] = ScalingEquation{{&sum, 1}, {&largest, 1}, b, l2_}.solve();
        }
      }
    });
  }

  ExpectationFunction& f_;
  const double l2_;
  const bool improved_;
};

OptimizeResult scale(ExpectationFunction& f, const Regulariser& regulariser, std::span<double> w,
                     const IterativeScalingOptions& options, ThreadPool& pool,
                     const IterationCallback& callback, Checkpointer* checkpoints, bool improved) {
  options.validate();
  check_smooth(regulariser, "iterative scaling");
  check_none_free(regulariser, "iterative scaling");
  check_dimension(f, w);
  IterativeScaling run(f, regulariser, w, pool, improved);
  return minimize(run, options.stop, callback, checkpoints);
}

}  // namespace

void IterativeScalingOptions::validate() const { stop.validate(); }

OptimizeResult generalised_iterative_scaling(ExpectationFunction& f, const Regulariser& regulariser,
                                             std::span<double> w,
                                             const IterativeScalingOptions& options,
                                             ThreadPool& pool, const IterationCallback& callback,
                                             Checkpointer* checkpoints) {
  return scale(f, regulariser, w, options, pool, callback, checkpoints, false);
}

OptimizeResult improved_iterative_scaling(ExpectationFunction& f, const Regulariser& regulariser,
                                          std::span<double> w,
                                          const IterativeScalingOptions& options, ThreadPool& pool,
                                          const IterationCallback& callback,
                                          Checkpointer* checkpoints) {
  return scale(f, regulariser, w, options, pool, callback, checkpoints, true);
}

}  // namespace croft
