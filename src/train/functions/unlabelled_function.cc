#include "train/functions/unlabelled_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "croft/core/compensated_sum.h"
#include "optimize/batch/box_descent.h"

namespace croft {
namespace {

// Expected counts that have underflowed still have a logarithm and a derivative.
constexpr double kLeast = 1e-300;
// Of a multiplier, in the units of Dual.  Bounds that cannot be met cost no more than this times
// what they are missed by.
constexpr double kMostMultiplier = 1e4;
// A bound is missed from such a share on: the multipliers of those that can be kept end far nearer.
constexpr double kMissed = 1e-3;

}  // namespace

void UnlabelledPart::add(std::span<const double> w, double& value, std::span<double> gradient) {
  expected_.resize(w.size());
  const double log_z = a_.evaluate(w, expected_);
  if (!std::isfinite(log_z)) {
    value = std::numeric_limits<double>::infinity();
    return;
  }
  direction_.assign(w.size(), 0.0);
  product_.resize(w.size());
  value += add_entropy(w, log_z) + add_targets();
  if (terms_.entropy > 0 || !terms_.target.empty()) {
    a_.hessian_product(direction_, product_);
    for (std::size_t k = 0; k < w.size(); ++k) gradient[k] += product_[k];
  }
  if (!terms_.bound.empty()) value += add_bounds(w, log_z, gradient);
}

double UnlabelledPart::add_entropy(std::span<const double> w, double log_z) {
  if (terms_.entropy == 0) return 0;
  CompensatedSum sum;
  sum.add(log_z);
  for (std::size_t k = 0; k < w.size(); ++k) {
    sum.add(-w[k] * expected_[k]);
    direction_[k] -= terms_.entropy * w[k];
  }
  return terms_.entropy * sum.value();
}

double UnlabelledPart::occurrences(std::uint64_t weights, std::size_t labels) const {
  CompensatedSum sum;
  for (std::size_t y = 0; y < labels; ++y) sum.add(expected_[weights + y]);
  return sum.value();
}

double UnlabelledPart::add_targets() {
  CompensatedSum all;
  std::vector<double> count;
  for (const LabelTarget& each : terms_.target) {
    count.push_back(occurrences(each.weights, each.share.size()));
    all.add(count.back());
  }
  double value = 0;
  for (std::size_t k = 0; k < count.size(); ++k) {
    if (!(count[k] > 0)) continue;
    const LabelTarget& each = terms_.target[k];
    const double weight = terms_.targets * count[k] / all.value();
    for (std::size_t y = 0; y < each.share.size(); ++y) {
      const double t = each.share[y];
      if (t == 0) continue;
      const double expected = std::max(kLeast, expected_[each.weights + y]);
      value += weight * t * std::log(t * count[k] / expected);
      direction_[each.weights + y] -= weight * t / expected;
    }
  }
  return value;
}

// What the multipliers are to minimise: A(w - C' lambda) + lambda.b, in units in which each count
// varies about as much as the others.
class UnlabelledPart::Dual final : public BatchFunction {
 public:
  Dual(UnlabelledPart& of, std::span<const double> w) : of_(of), w_(w) {
    for (const LabelBound& each : of.terms_.bound) {
      occurs_.push_back(std::max(kLeast, of.occurrences(each.weights, each.labels)));
    }
  }
  std::size_t dimension() const override { return occurs_.size(); }
  double evaluate(std::span<const double> x, std::span<double> gradient) override {
    const std::vector<LabelBound>& bound = of_.terms_.bound;
    of_.moved_.assign(w_.begin(), w_.end());
    of_.moved_counts_.resize(w_.size());
    CompensatedSum sum;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double lambda = signed_unit(k) * x[k];
      of_.moved_[bound[k].weights + bound[k].label] -= lambda;
      sum.add(lambda * bound[k].share * occurs_[k]);
    }
    sum.add(of_.a_.evaluate(of_.moved_, of_.moved_counts_));
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double count = of_.moved_counts_[bound[k].weights + bound[k].label];
      gradient[k] = signed_unit(k) * (bound[k].share * occurs_[k] - count);
    }
    return sum.value();
  }
  // lambda of a variable, with the sign of its bound.
  double signed_unit(std::size_t k) const {
    return (of_.terms_.bound[k].at_least ? -1 : 1) / std::sqrt(occurs_[k]);
  }
  // By what share bound k is missed, at the last evaluation; 0 and below: it is kept.
  double missed(std::size_t k) const {
    const LabelBound& bound = of_.terms_.bound[k];
    if (occurs_[k] == kLeast) return 0;  // all of its values are 0
    const double share = of_.moved_counts_[bound.weights + bound.label] / occurs_[k];
    return bound.at_least ? bound.share - share : share - bound.share;
  }

 private:
  UnlabelledPart& of_;
  std::span<const double> w_;
  std::vector<double> occurs_;  // [bounds]
};

double UnlabelledPart::add_bounds(std::span<const double> w, double log_z,
                                  std::span<double> gradient) {
  Dual dual(*this, w);
  lambda_.resize(terms_.bound.size());
  const BoxDescentResult found =
      descend_in_box(dual, lambda_, {.lower = 0, .upper = kMostMultiplier, .tolerance = 1e-7});
  missed_ = 0;
  most_missed_ = 0;
  for (std::size_t k = 0; k < lambda_.size(); ++k) {
    const double missed = dual.missed(k);
    if (missed > kMissed) ++missed_;
    most_missed_ = std::max(most_missed_, missed);
  }
  for (std::size_t k = 0; k < w.size(); ++k) {
    gradient[k] += terms_.bounds * (expected_[k] - moved_counts_[k]);
  }
  return terms_.bounds * std::max(0.0, log_z - found.value);
}

std::string UnlabelledPart::warning() const {
  if (missed_ == 0) return {};
  return fmt::format(
      "bounds of labels contradict each other: {} of {} are missed, by shares of up to {:.2g}, by "
      "the labels that come nearest to keeping them",
      missed_, lambda_.size(), most_missed_);
}

}  // namespace croft
