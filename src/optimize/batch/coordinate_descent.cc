#include "optimize/batch/coordinate_descent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/vector_math.h"
#include "croft/core/compensated_sum.h"
#include "croft/core/error.h"
#include "croft/core/matrix.h"
#include "croft/optimize/regulariser.h"
#include "optimize/checks.h"
#include "optimize/stochastic/sample_layout.h"

namespace croft {
namespace {

// Weights of an attribute from which on the slopes of all labels at once, by SIMD, cost less than
// those of its own labels one after the other: a share of L.
constexpr double kDenseRow = 0.25;
// A row of exponentials is summed anew where its sum has fallen to this share of what it was, since
// the rounding of what is gone stays; and brought back to a sum of 1 outside of these bounds.
constexpr double kFallen = 1e-3, kSmall = 1e-100, kLarge = 1e100;
// Rounds end early once the largest slope has fallen to this share of the first round's.
constexpr double kRoundsDone = 0.1;
constexpr double kRoundingOfObjective =
    1e-12;  // an iteration lowers F, or leaves it up to so much of its size
// A step that is longer by less is not worth a look at its end.
constexpr double kWorthTrying = 1.1;
constexpr double kFarthest = 50;  // of a score in one step: its exponential must stay finite
constexpr double kFlat = 1e-30;   // curvature of labels whose probabilities have all vanished

// The d that minimises  g d + h psi(|d|) + l1 |w + d|,  psi(t) = (exp(V t) - 1 - V t) / V^2, which
// is never below what f + R does for one weight (CD.3).
//   g, h : slope and curvature of the smooth part at d = 0;  h > 0
double bounded_step(double w, double g, double h, double largest_value, double l1) {
  // How far the slope s carries before the bound's curvature has eaten it up.
  const auto reach = [&](double s) { return std::log1p(largest_value * s / h) / largest_value; };
  const double right = g + l1, left = g - l1;  // slopes of F where the weight is > 0, < 0
  if (w >= 0 && right < 0) return reach(-right);
  if (w <= 0 && left > 0) return -reach(left);
  if (w == 0) return 0;
  // Towards 0, and across where there is slope left.
  const double towards = w > 0 ? right : -left, across = w > 0 ? left : -right;
  const double sign = w > 0 ? -1 : 1, size = std::abs(w);
  if (towards <= 0) return 0;
  const double far = reach(towards);
  if (far <= size) return sign * far;
  const double beyond = across > 0 ? reach(across) : 0;
  return sign * std::max(size, beyond);
}

class CoordinateDescent final : public Optimizer {
 public:
  CoordinateDescent(const SoftmaxColumns& f, const Regulariser& regulariser, std::span<double> w,
                    const CoordinateDescentOptions& options, ThreadPool& pool)
      : f_(f),
        regulariser_(regulariser),
        options_(options),
        pool_(pool),
        w_(w),
        exp_(f.examples(), f.labels, 0.0),
        sum_(f.examples()),
        low_(f.examples()),
        scale_(f.examples()),
        gold_count_(f.dimension()),
        slope_(f.dimension()),
        largest_(f.attributes(), 1.0),
        label_slope_(exp_.stride()) {
    count_gold();
    evaluate(0);
    check_start(now_);
  }

  const Iteration& now() const override { return now_; }

  bool iterate() override {
    const double before = now_.objective;
    double first = 0;
    for (std::size_t round = 0; round < options_.rounds; ++round) {
      draw_order(options_.seed, now_.number * options_.rounds + round + 1, at_work_.size(), order_);
      double largest = 0;
      for (const std::uint32_t k : order_) largest = std::max(largest, visit(at_work_[k]));
      ++now_.evaluations;
      if (round == 0) first = largest;
      if (largest <= kRoundsDone * first) break;
    }
    centre();
    const bool moved = moved_;
    evaluate(now_.number + 1);
    check_finite(now_);
    return moved && now_.objective <= before + kRoundingOfObjective * std::abs(before);
  }

  // All else is found anew from w.
  void archive(StateArchive& state) override {
    state(w_, now_);
    if (!state.reading()) return;
    const Iteration was = now_;
    evaluate(was.number);
    now_ = was;
    now_.w = w_;
  }

 private:
  double l1_of(std::uint64_t k) const { return regulariser_.is_free(k) ? 0 : regulariser_.l1; }
  double value(std::uint64_t entry) const { return f_.value.empty() ? 1 : f_.value[entry]; }

  // sum_n q_n v_na 1[gold_n = y] of every weight, and the largest |v| of every attribute.
  void count_gold() {
    std::vector<double> count(f_.labels);
    for (std::size_t a = 0; a < f_.attributes(); ++a) {
      std::ranges::fill(count, 0.0);
      double largest = 0;
      for (std::uint64_t e = f_.begin[a]; e < f_.begin[a + 1]; ++e) {
        const std::uint32_t n = f_.place[e];
        count[f_.gold[n]] += f_.weight[n] * value(e);
        largest = std::max(largest, std::abs(value(e)));
      }
      if (largest > 0) largest_[a] = largest;
      for (std::uint64_t k = f_.first[a]; k < f_.first[a + 1]; ++k) {
        gold_count_[k] = count[f_.label[k]];
      }
    }
  }

  // The same number added to the weights of all labels changes the penalty alone, which is least
  // where they sum to 0; one weight after the other would take long to find that.
  void centre() {
    if (regulariser_.l1 > 0 || regulariser_.l2 == 0) return;
    for (std::size_t a = 0; a < f_.attributes(); ++a) {
      const std::uint64_t first = f_.first[a], count = f_.first[a + 1] - first;
      if (count != f_.labels || regulariser_.is_free(first)) continue;
      const std::span<double> row = w_.subspan(first, count);
      double mean = 0;
      for (const double each : row) mean += each / static_cast<double>(count);
      for (double& each : row) each -= mean;
    }
  }

  // F, its pseudo-gradient and the attributes at work, all from w alone.
  void evaluate(std::size_t number) {
    now_.number = number;
    ++now_.evaluations;
    score();
    const double loss = exponentiate();
    for_blocks(pool_, f_.attributes(), [&](std::size_t begin, std::size_t end) {
      AlignedVector<double> slope(exp_.stride());
      for (std::size_t a = begin; a < end; ++a) set_slopes(a, slope);
    });
    now_.objective = loss + penalty(regulariser_, penalised_absolute(regulariser_, 0, w_),
                                    penalised_square(regulariser_, 0, w_));
    now_.weight_norm = std::sqrt(dot(w_, w_));
    now_.active = count_nonzero(w_);
    now_.step = 1;
    now_.w = w_;
    double squared = 0;
    at_work_.clear();
    for (std::uint32_t a = 0; a < f_.attributes(); ++a) {
      bool works = false;
      for (std::uint64_t k = f_.first[a]; k < f_.first[a + 1]; ++k) {
        const double v = pseudo_gradient(w_[k], slope_[k], l1_of(k));
        squared += v * v;
        works = works || v != 0 || w_[k] != 0;
      }
      if (works) at_work_.push_back(a);
    }
    now_.gradient_norm = std::sqrt(squared);
    moved_ = false;
  }

  // exp_ = the scores of all examples.
  void score() {
    for (std::size_t n = 0; n < f_.examples(); ++n) {
      std::fill_n(exp_.row(n), exp_.stride(), 0.0);
    }
    for (std::size_t a = 0; a < f_.attributes(); ++a) {
      for (std::uint64_t k = f_.first[a]; k < f_.first[a + 1]; ++k) {
        if (w_[k] == 0) continue;
        double* const column = exp_.row(0) + f_.label[k];
        for (std::uint64_t e = f_.begin[a]; e < f_.begin[a + 1]; ++e) {
          column[f_.place[e] * exp_.stride()] += value(e) * w_[k];
        }
      }
    }
  }

  // From scores to exponentials and their sums.  Returns f(w).
  double exponentiate() {
    CompensatedSum loss;
    for (std::size_t n = 0; n < f_.examples(); ++n) {
      const std::span<double> row = exp_[n];
      const double most = *std::ranges::max_element(row), gold = row[f_.gold[n]];
      for (double& each : row) each = std::exp(each - most);
      sum_row(n);
      loss.add(f_.weight[n] * (most - gold + std::log(sum_[n])));
    }
    return loss.value();
  }

  void sum_row(std::size_t n) {
    double sum = 0;
    for (const double each : exp_[n]) sum += each;
    if (sum < kSmall || sum > kLarge) {
      for (double& each : exp_[n]) each /= sum;
      sum = 1;
    }
    sum_[n] = sum;
    low_[n] = kFallen * sum;
    scale_[n] = f_.weight[n] / sum;
  }

  bool dense(std::size_t a) const {
    return static_cast<double>(f_.first[a + 1] - f_.first[a]) >
           kDenseRow * static_cast<double>(f_.labels);
  }

  // slope[y] = sum_n q_n v_na p_ny for all labels; the padding may hold anything.
  void add_slopes(std::size_t a, std::span<double> slope) const {
    std::ranges::fill(slope, 0.0);
    for (std::uint64_t e = f_.begin[a]; e < f_.begin[a + 1]; ++e) {
      const std::uint32_t n = f_.place[e];
      const double scale = value(e) * scale_[n];
      const double* const row = exp_.row(n);
      for (std::size_t y = 0; y < slope.size(); ++y) slope[y] += scale * row[y];
    }
  }

  // Of the smooth part of F, by the weights of an attribute: slope_.
  void set_slopes(std::size_t a, std::span<double> scratch) {
    const bool all = dense(a);
    if (all) add_slopes(a, scratch);
    for (std::uint64_t k = f_.first[a]; k < f_.first[a + 1]; ++k) {
      const double expected = all ? scratch[f_.label[k]] : curve_of(a, f_.label[k]).slope;
      slope_[k] = expected - gold_count_[k] + regulariser_.l2_of(k) * w_[k];
    }
  }

  struct Curve {
    double slope, curvature;  // of sum_n q_n log Z_n by w_ay
    double fourth;            // sum_n q_n v^4 p (1 - p)
  };
  Curve curve_of(std::size_t a, std::uint32_t y) const {
    Curve curve{0, 0, 0};
    const double* const column = exp_.row(0) + y;
    for (std::uint64_t e = f_.begin[a]; e < f_.begin[a + 1]; ++e) {
      const std::uint32_t n = f_.place[e];
      const double v = value(e), each = column[n * exp_.stride()];
      const double expected = v * each * scale_[n];
      curve.slope += expected;
      const double bend = v * expected * (1 - each / sum_[n]);
      curve.curvature += bend;
      curve.fourth += v * v * bend;
    }
    return curve;
  }

  // Moves the attribute's weights, each in its turn.  Returns the largest slope of F that it met.
  double visit(std::uint32_t a) {
    const bool all = dense(a);
    if (all) add_slopes(a, label_slope_);
    bool fresh = all;  // whether label_slope_ is that of the weights as they are now
    double largest = 0;
    for (std::uint64_t k = f_.first[a]; k < f_.first[a + 1]; ++k) {
      const std::uint32_t y = f_.label[k];
      const double l1 = l1_of(k), l2 = regulariser_.l2_of(k);
      const double pull = l2 * w_[k] - gold_count_[k];
      const auto slope_of_f = [&](double expected) {
        return pseudo_gradient(w_[k], expected + pull, l1);
      };
      // What was right before the attribute's other weights moved is near enough to tell that
      // nothing is to be done at 0.
      if (all && slope_of_f(label_slope_[y]) == 0 && (fresh || w_[k] == 0)) continue;
      const Curve curve = curve_of(a, y);
      largest = std::max(largest, std::abs(slope_of_f(curve.slope)));
      if (step(a, k, curve, pull)) fresh = false;
    }
    return largest;
  }

  // Where few examples have values as large as the largest one, the bound of all is far too
  // careful: a step by the values that make up the curvature is tried first, and kept if F is still
  // falling at its end, and so lower than before.  Returns whether the weight moved.
  //   pull : what the slope has beside that of the curve
  bool step(std::uint32_t a, std::uint64_t k, const Curve& curve, double pull) {
    const double l1 = l1_of(k), l2 = regulariser_.l2_of(k);
    const double g = curve.slope + pull, h = std::max(curve.curvature, kFlat) + l2;
    const double safe = bounded_step(w_[k], g, h, largest_[a], l1);
    if (safe == 0) return false;
    const double typical = std::sqrt(curve.fourth / std::max(curve.curvature, kFlat));
    double bold = typical > 0 ? bounded_step(w_[k], g, h, typical, l1) : safe;
    bold = std::clamp(bold, -kFarthest / largest_[a], kFarthest / largest_[a]);
    if (std::abs(bold) <= kWorthTrying * std::abs(safe)) {
      move(a, k, safe);
      return true;
    }
    const double before = w_[k];
    move(a, k, bold);
    const double side = w_[k] != 0 ? w_[k] : -bold;  // at 0 the subgradient that favours the move
    const double slope =
        curve_of(a, f_.label[k]).slope + pull + l2 * bold + std::copysign(l1, side);
    if (slope * bold > 0) {
      move(a, k, safe - bold);
      w_[k] = before + safe;  // 0 where it is to be 0
    }
    return true;
  }

  void move(std::uint32_t a, std::uint64_t k, double d) {
    moved_ = true;
    w_[k] += d;
    double* const column = exp_.row(0) + f_.label[k];
    const double once = std::exp(d);
    for (std::uint64_t e = f_.begin[a]; e < f_.begin[a + 1]; ++e) {
      const std::uint32_t n = f_.place[e];
      const double v = value(e);
      double& each = column[n * exp_.stride()];
      const double next = each * (v == 1 ? once : std::exp(v * d));
      const double sum = sum_[n] + (next - each);
      each = next;
      if (sum > low_[n] && sum < kLarge) {
        sum_[n] = sum;
        scale_[n] = f_.weight[n] / sum;
      } else {
        sum_row(n);
      }
    }
  }

  const SoftmaxColumns& f_;
  const Regulariser regulariser_;
  const CoordinateDescentOptions& options_;
  ThreadPool& pool_;
  std::span<double> w_;
  Matrix<double> exp_;                  // [N][L] exp(s_ny - some number of n); padding 0
  std::vector<double> sum_, low_;       // [N] of a row of exp_; below which it is taken anew
  std::vector<double> scale_;           // [N] q_n / sum_n
  std::vector<double> gold_count_;      // [dimension]
  std::vector<double> slope_;           // [dimension] at the last evaluation
  std::vector<double> largest_;         // [A] |v|
  std::vector<std::uint32_t> at_work_;  // attributes with a weight that is not 0, or wants to move
  std::vector<std::uint32_t> order_;    // of a round, into at_work_
  AlignedVector<double> label_slope_;   // [stride] of one attribute
  bool moved_ = false;                  // since the last evaluation
  Iteration now_;
};

}  // namespace

void CoordinateDescentOptions::validate() const {
  check_at_least_one("rounds", rounds);
  stop.validate();
}

OptimizeResult coordinate_descent(const SoftmaxColumns& f, const Regulariser& regulariser,
                                  std::span<double> w, const CoordinateDescentOptions& options,
                                  ThreadPool& pool, const IterationCallback& callback,
                                  Checkpointer* checkpoints) {
  options.validate();
  regulariser.validate();
  if (w.size() != f.dimension()) {
    throw UsageError(
        fmt::format("{} starting weights for a function of {}", w.size(), f.dimension()));
  }
  CoordinateDescent run(f, regulariser, w, options, pool);
  return minimize(run, options.stop, callback, checkpoints);
}

}  // namespace croft
