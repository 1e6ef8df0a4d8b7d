#include "sql/logic/learn/counted_likelihood.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace croft {
namespace {

constexpr int kDenseDifference = 32;       // |d| of atoms that are counted together
constexpr std::size_t kMostClasses = 500;  // of probabilities, likewise

// log(1 + exp(s)) and its derivative.
std::pair<double, double> softplus(double s) {
  const double p = 1 / (1 + std::exp(-s));
  return {s > 0 ? s + std::log1p(std::exp(-s)) : std::log1p(std::exp(s)), p};
}

}  // namespace

CountedPseudoLikelihood::CountedPseudoLikelihood(ChangeRows rows, std::size_t units)
    : rows_(std::move(rows)), units_(units), base_units_(units) {}

double CountedPseudoLikelihood::evaluate(std::span<const double> w, std::span<double> gradient) {
  std::ranges::fill(gradient, 0.);
  double value = 0;
  for (std::size_t a = 0; a < rows_.allowed.size(); ++a) {
    if (rows_.allowed[a] == 0) continue;
    double score = 0;
    for (std::size_t k = rows_.begin[a]; k < rows_.begin[a + 1]; ++k) {
      score -= rows_.factor[k] * w[rows_.unit[k]];
    }
    for (std::size_t u = 0; u < more_.size(); ++u) score -= more_[u][a] * w[base_units_ + u];
    const auto [cost, p] = softplus(score);
    value += cost;
    for (std::size_t k = rows_.begin[a]; k < rows_.begin[a + 1]; ++k) {
      gradient[rows_.unit[k]] -= rows_.factor[k] * p;
    }
    for (std::size_t u = 0; u < more_.size(); ++u) gradient[base_units_ + u] -= more_[u][a] * p;
  }
  return value;
}

void CountedPseudoLikelihood::add(std::span<const double> d) {
  more_.emplace_back(d.begin(), d.end());
  ++units_;
}

void CountedPseudoLikelihood::remove_last() {
  more_.pop_back();
  --units_;
}

void CountedPseudoLikelihood::stand_at(std::span<const double> w) {
  p_.assign(rows_.allowed.size(), 0);
  for (std::size_t a = 0; a < p_.size(); ++a) {
    if (rows_.allowed[a] == 0) continue;
    double score = 0;
    for (std::size_t k = rows_.begin[a]; k < rows_.begin[a + 1]; ++k) {
      score -= rows_.factor[k] * w[rows_.unit[k]];
    }
    for (std::size_t u = 0; u < more_.size(); ++u) score -= more_[u][a] * w[base_units_ + u];
    p_[a] = softplus(score).second;
  }
  p_of_ = p_;
  std::ranges::sort(p_of_);
  p_of_.erase(std::unique(p_of_.begin(), p_of_.end()), p_of_.end());
  class_.clear();
  if (p_of_.size() > kMostClasses) return;
  for (const double p : p_) {
    const auto at = std::ranges::lower_bound(p_of_, p);
    class_.push_back(static_cast<std::uint32_t>(at - p_of_.begin()));
  }
}

double CountedPseudoLikelihood::gain(std::span<const double> d, double l2) {
  constexpr std::size_t kWidth = 2 * kDenseDifference + 1;
  std::vector<Effect> effects;
  counts_.assign(class_.empty() ? 0 : kWidth * p_of_.size(), 0);
  for (std::size_t a = 0; a < d.size(); ++a) {
    if (d[a] == 0 || rows_.allowed[a] == 0) continue;
    if (class_.empty() || std::abs(d[a]) > kDenseDifference) {
      effects.push_back({p_[a], d[a], 1});
    } else {
      const auto place = static_cast<std::size_t>(d[a] + kDenseDifference);
      ++counts_[kWidth * class_[a] + place];
    }
  }
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    effects.push_back(
        {p_of_[i / kWidth], static_cast<double>(i % kWidth) - kDenseDifference, counts_[i]});
  }
  return gain_of(effects, l2);
}

// By Newton's steps of at most 1.
double CountedPseudoLikelihood::gain_of(const std::vector<Effect>& effects, double l2) {
  double weight = 0, gain = 0;
  for (int step = 0; step < 12; ++step) {
    double slope = -l2 * weight, bend = l2, value = 0;
    for (const Effect& each : effects) {
      const double changed = std::exp(-weight * each.factor);
      const double sum = 1 + each.p * (changed - 1);
      const double first = each.p * changed * each.factor / sum;
      const double second = each.p * changed * each.factor * each.factor / sum;
      value += each.count * std::log(sum);
      slope += each.count * first;
      bend += each.count * (second - first * first);
    }
    gain = std::max(gain, -value - l2 / 2 * weight * weight);
    const double by = std::clamp(slope / bend, -1., 1.);
    weight += by;
    if (std::abs(by) < 1e-4) break;
  }
  return gain;
}

}  // namespace croft
