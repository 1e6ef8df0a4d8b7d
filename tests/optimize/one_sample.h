// One sample with a few wrong labellings, small enough to update by hand.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "croft/optimize/function.h"

namespace croft::testing_functions {

// f(w) = max(0, max_j loss_j + w.g_j) of three weights, in runs of two and one.
class OneSample : public RankedFunction {
 public:
  OneSample(std::vector<std::vector<double>> g, std::vector<double> loss)
      : g_(std::move(g)), loss_(std::move(loss)) {}
  std::size_t dimension() const override { return 3; }
  std::size_t samples() const override { return 1; }
  std::size_t workers() const override { return 1; }
  std::span<const Run> support(std::size_t, std::size_t) override { return runs_; }
  Sample evaluate_sample(std::size_t, std::span<const double> w, std::span<double> gradient,
                         std::size_t) override {
    std::size_t best = 0;
    for (std::size_t j = 1; j < g_.size(); ++j) {
      if (value(j, w) > value(best, w)) best = j;
    }
    if (value(best, w) <= 0) return {};
    std::ranges::copy(g_[best], gradient.begin());
    return {value(best, w), true};
  }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    std::ranges::fill(gradient, 0.0);
    return evaluate_sample(0, w, gradient, 0).value;
  }
  std::size_t evaluate_ranked(std::size_t, std::span<const double> w, std::size_t most,
                              std::span<double> values, std::span<double> losses,
                              std::span<double> gradient, std::size_t) override {
    std::vector<std::size_t> order;
    for (std::size_t j = 0; j < g_.size(); ++j) order.push_back(j);
    std::ranges::stable_sort(
        order, [&](std::size_t a, std::size_t b) { return value(a, w) > value(b, w); });
    const std::size_t count = std::min(most, order.size());
    for (std::size_t j = 0; j < count; ++j) {
      values[j] = value(order[j], w);
      losses[j] = loss_[order[j]];
      std::ranges::copy(g_[order[j]], gradient.begin() + static_cast<std::ptrdiff_t>(3 * j));
    }
    return count;
  }

 private:
  double value(std::size_t j, std::span<const double> w) const {
    return loss_[j] + g_[j][0] * w[0] + g_[j][1] * w[1] + g_[j][2] * w[2];
  }

  std::vector<std::vector<double>> g_;
  std::vector<double> loss_;
  std::vector<Run> runs_{{0, 2}, {2, 1}};
};

}  // namespace croft::testing_functions
