// Sums over samples with sparse supports, for the tests of the methods that go from sample to
// sample.
#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "croft/core/random.h"
#include "croft/optimize/function.h"

namespace croft::testing_functions {

// Rows of attributes with values, one label each.  Attribute a has a run of weights for the first
// length[a] labels; attribute 0 is in every row.  Between runs stand coordinates that nothing uses.
struct SparseRows {
  struct Cell {
    std::uint32_t attribute;
    double value;
  };
  std::size_t labels, dimension = 0;
  std::vector<std::uint64_t> begin;
  std::vector<std::uint32_t> length;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::uint32_t> gold;

  // Labels drawn from a log-linear model, or with noise = false its best label.
  SparseRows(std::size_t samples, std::size_t attributes, std::size_t label_count, Random& random,
             bool noise = true)
      : labels(label_count), begin(attributes), length(attributes), rows(samples), gold(samples) {
    for (std::size_t a = 0; a < attributes; ++a) {
      begin[a] = dimension;
      length[a] = static_cast<std::uint32_t>(a == 0 ? labels : 2 + random.below(labels - 1));
      dimension += length[a] + (a % 5 == 3 ? 2 : 0);
    }
    std::vector<double> truth(dimension), score(labels);
    for (double& t : truth) t = 1.5 * random.normal();
    for (std::size_t n = 0; n < samples; ++n) {
      rows[n].push_back({0, 1.0});
      for (std::uint32_t a = 1; a < attributes; ++a) {
        // Few attributes are frequent, most are rare.
        if (random.uniform() < 3.0 / (2.0 + a)) rows[n].push_back({a, 0.3 + random.uniform()});
      }
      scores(n, truth, score);
      if (noise) {
        for (double& s : score) s += 0.5 * random.normal();
      }
      gold[n] = static_cast<std::uint32_t>(std::ranges::max_element(score) - score.begin());
    }
  }
  void scores(std::size_t n, std::span<const double> w, std::span<double> score) const {
    std::ranges::fill(score, 0.0);
    for (const Cell& cell : rows[n]) {
      for (std::size_t y = 0; y < length[cell.attribute]; ++y) {
        score[y] += cell.value * w[begin[cell.attribute] + y];
      }
    }
  }
  // The transpose: from d/dscore to the numbers of the support.
  void transpose(std::size_t n, std::span<const double> d, std::span<double> gradient) const {
    std::size_t at = 0;
    for (const Cell& cell : rows[n]) {
      for (std::size_t y = 0; y < length[cell.attribute]; ++y) gradient[at++] = cell.value * d[y];
    }
  }
  std::size_t support_size(std::size_t n) const {
    std::size_t size = 0;
    for (const Cell& cell : rows[n]) size += length[cell.attribute];
    return size;
  }
};

// The part of a SampleFunction that rows and a loss of scores decide.
template <class Base>
class OfRows : public Base {
 public:
  explicit OfRows(SparseRows rows, std::size_t workers = 8)
      : rows_(std::move(rows)), runs_(workers), gradient_(workers), d_(workers) {}

  std::size_t dimension() const override { return rows_.dimension; }
  std::size_t samples() const override { return rows_.rows.size(); }
  std::size_t workers() const override { return runs_.size(); }
  std::span<const Run> support(std::size_t n, std::size_t worker) override {
    runs_[worker].clear();
    for (const auto& cell : rows_.rows[n]) {
      runs_[worker].push_back({rows_.begin[cell.attribute], rows_.length[cell.attribute]});
    }
    return runs_[worker];
  }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    std::ranges::fill(gradient, 0.0);
    double value = 0;
    for (std::size_t n = 0; n < samples(); ++n) {
      std::vector<double> g(rows_.support_size(n));
      const SampleFunction::Sample sample = this->evaluate_sample(n, w, g, 0);
      value += sample.value;
      if (!sample.active) continue;
      std::size_t at = 0;
      for (const auto& cell : rows_.rows[n]) {
        for (std::size_t y = 0; y < rows_.length[cell.attribute]; ++y) {
          gradient[rows_.begin[cell.attribute] + y] += g[at++];
        }
      }
    }
    return value;
  }
  const SparseRows& rows() const { return rows_; }

 protected:
  std::vector<double>& scratch(std::size_t worker) {
    d_[worker].resize(rows_.labels);
    return d_[worker];
  }

  SparseRows rows_;

 private:
  std::vector<std::vector<Run>> runs_;
  std::vector<std::vector<double>> gradient_, d_;
};

// f_n = log sum_y exp(score_y) - score_gold.
class SparseMaxent : public OfRows<SampleFunction> {
 public:
  using OfRows::OfRows;
  Sample evaluate_sample(std::size_t n, std::span<const double> w, std::span<double> gradient,
                         std::size_t worker) override {
    std::vector<double>& d = scratch(worker);
    rows_.scores(n, w, d);
    const double gold_score = d[rows_.gold[n]], shift = *std::ranges::max_element(d);
    double z = 0;
    for (double& s : d) z += s = std::exp(s - shift);
    for (double& s : d) s /= z;
    const double value = shift + std::log(z) - gold_score;
    d[rows_.gold[n]] -= 1;
    rows_.transpose(n, d, gradient);
    return {value, true};
  }
};

// f_n = max_y cost [y != gold] + score_y - score_gold; cost = 0: the perceptron's loss.
class SparseHinge : public OfRows<RankedFunction> {
 public:
  SparseHinge(SparseRows rows, double cost) : OfRows(std::move(rows)), cost_(cost) {}
  Sample evaluate_sample(std::size_t n, std::span<const double> w, std::span<double> gradient,
                         std::size_t worker) override {
    std::vector<double>& d = margins(n, w, worker);
    const auto best = static_cast<std::size_t>(std::ranges::max_element(d) - d.begin());
    if (best == rows_.gold[n]) return {0, false};
    const double value = d[best];
    difference(n, best, d, gradient);
    return {value, true};
  }
  std::size_t evaluate_ranked(std::size_t n, std::span<const double> w, std::size_t most,
                              std::span<double> value, std::span<double> loss,
                              std::span<double> gradient, std::size_t worker) override {
    std::vector<double>& d = margins(n, w, worker);
    std::vector<std::size_t> order(d.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::erase(order, rows_.gold[n]);
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return d[a] > d[b]; });
    const std::size_t count = std::min(most, order.size()), size = rows_.support_size(n);
    for (std::size_t j = 0; j < count; ++j) {
      value[j] = d[order[j]];
      loss[j] = cost_;
    }
    for (std::size_t j = 0; j < count; ++j) {
      difference(n, order[j], d, gradient.subspan(j * size, size));
    }
    return count;
  }

 private:
  std::vector<double>& margins(std::size_t n, std::span<const double> w, std::size_t worker) {
    std::vector<double>& d = scratch(worker);
    rows_.scores(n, w, d);
    const double gold_score = d[rows_.gold[n]];
    for (std::size_t y = 0; y < d.size(); ++y) {
      d[y] += (y == rows_.gold[n] ? 0 : cost_) - gold_score;
    }
    return d;
  }
  // phi(y) - phi(gold); overwrites d.
  void difference(std::size_t n, std::size_t y, std::vector<double>& d,
                  std::span<double> gradient) const {
    std::ranges::fill(d, 0.0);
    d[y] += 1;
    d[rows_.gold[n]] -= 1;
    rows_.transpose(n, d, gradient);
  }

  double cost_;
};

}  // namespace croft::testing_functions
