// Dual coordinate ascent over the positions of a MaxentSpan.  docs/math/batch_optimisation.md
// section 9.
#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "core/sparse_rows.h"
#include "croft/core/random.h"
#include "optimize/stochastic/sample_layout.h"
#include "train/dual/maxent_span.h"
#include "train/functions/softmax_step.h"

namespace croft {
namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();
constexpr double kLeastCurvature = 1e-12;  // of (B.35), so that it has a logarithm
constexpr double kTau = 0.1;               // of (B.37), of a typical |x|^2 / l2

// After a pass: the positions that lack most, so many that the others lack but this of the whole
// gap, one in ten at most.  They are visited until they lack little to what the others do, or have
// taken as much as two passes.  Where documents are long and short, the gap is that of a few long
// ones: on 20 newsgroups ten of 11,314 have 98 % of it.
constexpr double kLeftOut = 0.02;
constexpr std::size_t kOneIn = 10, kFewPositions = 64;
constexpr double kDone = 0.05;
constexpr std::size_t kWorth = 2, kMaxRounds = 1000;

}  // namespace

// A point, and what a visit needs.  table_ is X'a all along.
template <class Real>
struct MaxentSpan<Real>::Ascent {
  Ascent(double penalty, std::span<double> coefficients, std::span<double> weights,
         std::size_t labels, double weight_of_free)
      : l2(penalty),
        a(coefficients),
        b(weights),
        tau(weight_of_free),
        s(1, labels, kNothing),
        c(1, labels, 1),
        mu(1, labels, 0),
        score(1, labels, 0),
        change(1, labels, 0) {}

  double l2;
  std::span<double> a, b;
  double tau;
  Matrix<double> s, c, mu;     // of the position being looked at
  Matrix<Real> score, change;  // scratch
};

// mu_p = 1[y_p] - l2 a_p / q
template <class Real>
void MaxentSpan<Real>::set_distribution(std::size_t p, double scale, std::span<const double> a,
                                        double* mu) const {
  for (std::size_t y = 0; y < labels_; ++y) {
    mu[y] = std::max(0.0, (y == gold_[p] ? 1.0 : 0.0) - scale * a[p * stride_ + y]);
  }
}

// What scores of p, without the free weights, and a say.
template <class Real>
void MaxentSpan<Real>::see(Ascent& at, std::size_t p, const Real* score) const {
  set_distribution(p, at.l2 / (weight_.empty() ? 1.0 : weight_[p]), at.a, at.mu.row(0));
  double* s = at.s.row(0);
  for (std::size_t y = 0; y < labels_; ++y) s[y] = double{score[y]};
  const double v = free_value_of(p);
  for (std::size_t k = 0; k < at.b.size(); ++k) s[free_cells_[k]] += v * at.b[k];
}

// The best mu_p while those of the others stand still (B.35).  Returns what p lacked before, q KL.
template <class Real>
double MaxentSpan<Real>::visit(Ascent& at, std::size_t p) {
  const double q = weight_.empty() ? 1.0 : weight_[p];
  if (!(q > 0)) return 0;
  by_position_.sum(p, table_, at.score.row(0));
  see(at, p, at.score.row(0));
  double* c = at.c.row(0);
  for (std::size_t y = 0; y < labels_; ++y) {
    c[y] = std::max(kLeastCurvature, q / at.l2 * squares_(p, y));
  }
  const double v = free_value_of(p);
  if (v != 0) {
    for (const std::uint32_t y : free_cells_) c[y] += q * at.tau * v * v;
  }
  const double lacked = q * softmax_step(at.s.row(0), c, at.mu.row(0), stride_);

  double* a = at.a.data() + p * stride_;
  Real* change = at.change.row(0);
  for (std::size_t y = 0; y < labels_; ++y) {
    const double next = q / at.l2 * ((y == gold_[p] ? 1.0 : 0.0) - at.mu.row(0)[y]);
    change[y] = static_cast<Real>(next - a[y]);
    a[y] = next;
  }
  const std::size_t first = by_position_.begin[p], count = by_position_.begin[p + 1] - first;
  const auto rows = std::span<const std::uint32_t>(by_position_.index).subspan(first, count);
  const std::span<const Real> values(by_position_.value);
  add_weighted_row(rows, values.empty() ? values : values.subspan(first, count), change, table_);
  if (!all_full_) {
    for (const std::uint32_t row : rows) keep_features(row, table_.row(row));
  }
  if (v != 0) {
    for (std::size_t k = 0; k < at.b.size(); ++k) {
      at.b[k] += at.tau * at.l2 * v * double{change[free_cells_[k]]};
    }
  }
  return lacked;
}

// Positions that lack most, and what the others lack together.
template <class Real>
std::pair<std::vector<std::uint32_t>, double> MaxentSpan<Real>::behind(Ascent& at) {
  score_positions();
  std::vector<double> gap(gold_.size());
  double left = 0;
  for (std::size_t p = 0; p < gold_.size(); ++p) {
    see(at, p, examples_.row(p));
    const double q = weight_.empty() ? 1.0 : weight_[p];
    gap[p] = q * std::max(0.0, softmax_gap(at.s.row(0), at.mu.row(0), stride_));
    left += gap[p];
  }
  std::vector<std::uint32_t> order(gold_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, std::greater(), [&](std::uint32_t p) { return gap[p]; });
  const std::size_t most = std::max(gold_.size() / kOneIn, std::min(gold_.size(), kFewPositions));
  const double enough = kLeftOut * left;
  std::size_t taken = 0;
  while (taken < most && left > enough) left -= gap[order[taken++]];
  order.resize(taken);
  return {std::move(order), std::max(0.0, left)};
}

template <class Real>
void MaxentSpan<Real>::ascend(std::uint64_t seed, std::size_t pass, double l2, std::span<double> a,
                              std::span<double> b) {
  if (squares_.rows() == 0) set_squares();
  set_attribute_rows(a);
  Ascent at(l2, a, b, labels_, kTau * typical_square_ / l2);
  std::vector<std::uint32_t> order;
  draw_order(seed, pass, gold_.size(), order);
  for (const std::uint32_t p : order) visit(at, p);

  auto [worst, others] = behind(at);
  Random random = random_of_pass(seed, pass);
  const std::size_t enough = kWorth * by_position_.index.size();
  std::size_t read = 0;
  for (std::size_t round = 0; round < kMaxRounds && read < enough; ++round) {
    shuffle(worst, random);
    double lacked = 0;
    for (const std::uint32_t p : worst) {
      lacked += visit(at, p);
      read += by_position_.begin[p + 1] - by_position_.begin[p];
    }
    if (!(lacked > kDone * others)) break;
  }
  for (std::size_t p = 0; p < gold_.size() && !b.empty(); ++p) {  // (B.38)
    const double step = at.tau * l2 * free_value_of(p);
    for (std::size_t k = 0; k < b.size(); ++k) b[k] += step * a[p * stride_ + free_cells_[k]];
  }
}

// squared_(p, y): of the attributes of p that have a feature with y, the sum of squares of their
// values.
template <class Real>
void MaxentSpan<Real>::set_squares() {
  squares_.assign(gold_.size(), labels_, 0);
  std::vector<double> largest(gold_.size());
  const RowLayout& node = layout_.node;
  for (std::size_t p = 0; p < gold_.size(); ++p) {
    double* squares = squares_.row(p);
    for (std::uint64_t k = by_position_.begin[p]; k < by_position_.begin[p + 1];) {
      const std::uint32_t row = by_position_.index[k];
      double value = 0;
      for (; k < by_position_.begin[p + 1] && by_position_.index[k] == row; ++k) {
        value += by_position_.value.empty() ? 1.0 : double{by_position_.value[k]};
      }
      const std::uint32_t a = attribute_[row];
      for (std::size_t j = 0; j < node.length(a); ++j) squares[node.cell_of(a, j)] += value * value;
    }
    largest[p] = *std::max_element(squares, squares + labels_);
  }
  if (largest.empty()) return;
  const auto middle = largest.begin() + static_cast<std::ptrdiff_t>(largest.size() / 2);
  std::ranges::nth_element(largest, middle);
  typical_square_ = *middle;
}

// F - D = phi(s) + phi*(-l2 a) + l2 a's;  phi* is the negative entropy of the mu that a stands for.
template <class Real>
double MaxentSpan<Real>::conjugate(double l2, std::span<const double> a) {
  Matrix<double> mu(1, labels_, 0);
  double sum = 0;
  for (std::size_t p = 0; p < gold_.size(); ++p) {
    const double q = weight_.empty() ? 1.0 : weight_[p];
    if (!(q > 0)) continue;
    set_distribution(p, l2 / q, a, mu.row(0));
    sum -= q * entropy_of(mu.row(0), stride_);
  }
  return sum;
}

template void MaxentSpan<float>::ascend(std::uint64_t, std::size_t, double, std::span<double>,
                                        std::span<double>);
template void MaxentSpan<double>::ascend(std::uint64_t, std::size_t, double, std::span<double>,
                                         std::span<double>);
template double MaxentSpan<float>::conjugate(double, std::span<const double>);
template double MaxentSpan<double>::conjugate(double, std::span<const double>);

}  // namespace croft
