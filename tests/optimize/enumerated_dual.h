// A dual problem by its definition: every labelling is a part of its own, and has its features and
// its cost written down.  For one label this is the problem itself, for a structure its full dual.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "core/vector_math.h"
#include "croft/core/random.h"
#include "croft/optimize/function.h"
#include "optimize/dual/dual_problem.h"

namespace croft::testing_functions {

struct EnumeratedExample {
  std::vector<std::vector<double>> features;  // [labellings][dimension]
  std::vector<double> cost;                   // [labellings]
  std::size_t gold = 0;
  double weight = 1;
};

class EnumeratedDual : public DualProblem {
 public:
  EnumeratedDual(std::vector<EnumeratedExample> examples, DualLoss loss, double l2)
      : examples_(std::move(examples)),
        loss_(loss),
        l2_(l2),
        w_(examples_[0].features[0].size()),
        v_(w_.size()) {}

  DualLoss loss() const override { return loss_; }
  double l2() const override { return l2_; }
  std::size_t samples() const override { return examples_.size(); }
  std::size_t parts(std::size_t n) const override { return examples_[n].cost.size(); }
  double weight(std::size_t n) const override { return examples_[n].weight; }
  bool exact_parts() const override { return exact; }
  void gold(std::size_t n, std::span<double> mu) override {
    std::ranges::fill(mu, 0.0);
    mu[examples_[n].gold] = 1;
  }
  void scores(std::size_t n, std::span<double> theta) override {
    for (std::size_t y = 0; y < theta.size(); ++y) {
      theta[y] = dot(w_, examples_[n].features[y]);
      if (loss_ == DualLoss::hinge) theta[y] += examples_[n].cost[y];
    }
  }
  void reset() override { std::ranges::fill(w_, 0.0); }
  double aim(std::size_t n, std::span<const double> delta) override {
    std::ranges::fill(v_, 0.0);
    for (std::size_t y = 0; y < delta.size(); ++y) axpy(delta[y], examples_[n].features[y], v_);
    return dot(v_, v_);
  }
  void move(double scale) override { axpy(scale, v_, w_); }
  double squared_norm() override { return dot(w_, w_); }
  std::span<const double> weights() const override { return w_; }
  double sum_oracle(std::size_t, std::span<const double> theta, std::span<double> mu) override {
    const double most = *std::ranges::max_element(theta);
    double sum = 0;
    for (std::size_t y = 0; y < mu.size(); ++y) sum += mu[y] = std::exp(theta[y] - most);
    for (double& p : mu) p /= sum;
    return most + std::log(sum);
  }
  double max_oracle(std::size_t, std::span<const double> theta, std::span<double> mu) override {
    const auto best = std::ranges::max_element(theta) - theta.begin();
    std::ranges::fill(mu, 0.0);
    mu[static_cast<std::size_t>(best)] = 1;
    return theta[static_cast<std::size_t>(best)];
  }
  EntropyPoint entropy(std::size_t, std::span<const double> mu, std::span<const double> delta,
                       double g) override {
    EntropyPoint h;
    for (std::size_t y = 0; y < mu.size(); ++y) {
      const double p = std::max(mu[y] + g * delta[y], 1e-60);
      h.value -= p * std::log(p);
      h.slope -= delta[y] * std::log(p);
      h.curvature -= delta[y] * delta[y] / p;
    }
    return h;
  }
  void archive(StateArchive& state) override { state(std::span(w_)); }

  bool exact = true;

 private:
  std::vector<EnumeratedExample> examples_;
  DualLoss loss_;
  double l2_;
  std::vector<double> w_, v_;
};

inline std::vector<EnumeratedExample> random_examples(std::size_t count, std::size_t labellings,
                                                      std::size_t dimension, Random& random) {
  std::vector<EnumeratedExample> examples(count);
  for (EnumeratedExample& example : examples) {
    example.weight = 0.5 + random.uniform();
    example.gold = static_cast<std::size_t>(random.below(labellings));
    for (std::size_t y = 0; y < labellings; ++y) {
      std::vector<double>& x = example.features.emplace_back(dimension);
      for (double& value : x) value = random.normal();
      example.cost.push_back(y == example.gold ? 0 : 0.5 + random.uniform());
    }
  }
  return examples;
}

// sum_n C_n L_n(w) of any dual problem, as a function of w where w can be written down: by the
// oracles, and moves from 0 to w.  For log-loss it is smooth.
class PrimalLoss : public BatchFunction {
 public:
  explicit PrimalLoss(const std::vector<EnumeratedExample>& examples) : examples_(examples) {}
  std::size_t dimension() const override { return examples_[0].features[0].size(); }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    std::ranges::fill(gradient, 0.0);
    double value = 0;
    for (const EnumeratedExample& x : examples_) {
      double sum = 0;
      for (const auto& features : x.features) sum += std::exp(dot(w, features));
      for (const auto& features : x.features) {
        axpy(x.weight * std::exp(dot(w, features)) / sum, features, gradient);
      }
      axpy(-x.weight, x.features[x.gold], gradient);
      value += x.weight * (std::log(sum) - dot(w, x.features[x.gold]));
    }
    return value;
  }

 private:
  const std::vector<EnumeratedExample>& examples_;
};

// The maximum of the hinge's dual over distributions of labellings, by projected gradient ascent:
// slow, and nothing like the methods that are tested with it.
inline double largest_dual(const std::vector<EnumeratedExample>& examples, double l2,
                           std::size_t steps) {
  const std::size_t dimension = examples[0].features[0].size();
  std::vector<std::vector<double>> alpha;
  double curvature = 0;  // of -D, bounded by the trace
  for (const EnumeratedExample& x : examples) {
    alpha.emplace_back(x.cost.size(), 1.0 / static_cast<double>(x.cost.size()));
    for (const auto& f : x.features) curvature += x.weight * x.weight * dot(f, f) / l2;
  }
  const auto weights = [&] {
    std::vector<double> w(dimension);
    for (std::size_t n = 0; n < examples.size(); ++n) {
      const EnumeratedExample& x = examples[n];
      axpy(x.weight / l2, x.features[x.gold], w);
      for (std::size_t y = 0; y < x.cost.size(); ++y) {
        axpy(-x.weight / l2 * alpha[n][y], x.features[y], w);
      }
    }
    return w;
  };
  for (std::size_t step = 0; step < steps; ++step) {
    const std::vector<double> w = weights();
    for (std::size_t n = 0; n < examples.size(); ++n) {
      const EnumeratedExample& x = examples[n];
      for (std::size_t y = 0; y < x.cost.size(); ++y) {
        alpha[n][y] += x.weight * (x.cost[y] + dot(w, x.features[y])) / curvature;
      }
      std::vector<double> sorted = alpha[n];  // the nearest point of the simplex
      std::ranges::sort(sorted, std::greater());
      double sum = 0, threshold = 0;
      for (std::size_t k = 0; k < sorted.size(); ++k) {
        sum += sorted[k];
        const double t = (sum - 1) / static_cast<double>(k + 1);
        if (sorted[k] > t) threshold = t;
      }
      for (double& a : alpha[n]) a = std::max(0.0, a - threshold);
    }
  }
  const std::vector<double> w = weights();
  double dual = -0.5 * l2 * dot(w, w);
  for (std::size_t n = 0; n < examples.size(); ++n) {
    dual += examples[n].weight * dot(alpha[n], examples[n].cost);
  }
  return dual;
}

}  // namespace croft::testing_functions
