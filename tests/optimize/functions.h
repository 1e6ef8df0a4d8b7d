// Functions with known minima, for the tests of the optimisers.
#pragma once
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "croft/core/random.h"
#include "croft/optimize/function.h"

namespace croft::testing_functions {

// Another function as single precision knows it, until it is refined.
class Rounded : public CurvedFunction {
 public:
  explicit Rounded(CurvedFunction& f, bool can_refine = true) : f_(f), can_refine_(can_refine) {}
  std::size_t dimension() const override { return f_.dimension(); }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    const double value = f_.evaluate(w, gradient);
    if (refined_) return value;
    for (double& g : gradient) g = static_cast<float>(g + 100) - 100.f;  // to 8e-6
    return static_cast<float>(value + 1e4) - 1e4f;                       // to 1e-3
  }
  void hessian_product(std::span<const double> v, std::span<double> out) override {
    f_.hessian_product(v, out);
  }
  bool refine() override { return can_refine_ && !std::exchange(refined_, true); }
  bool is_refined() const { return refined_; }

 private:
  CurvedFunction& f_;
  bool can_refine_, refined_ = false;
};

// f(w) = w'A w / 2 - b'w with A = M M' / n + ridge * I.
class Quadratic : public CurvedFunction {
 public:
  Quadratic(std::size_t n, double ridge, Random& random) : n_(n), a_(n * n), b_(n) {
    std::vector<double> m(n * n);
    for (double& x : m) x = random.normal();
    for (double& x : b_) x = random.normal();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < n; ++k) a_[i * n + j] += m[i * n + k] * m[j * n + k] / n;
      }
      a_[i * n + i] += ridge;
    }
  }
  std::size_t dimension() const override { return n_; }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    double value = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      double product = 0;
      for (std::size_t j = 0; j < n_; ++j) product += a_[i * n_ + j] * w[j];
      gradient[i] = product - b_[i];
      value += w[i] * (0.5 * product - b_[i]);
    }
    return value;
  }
  void hessian_product(std::span<const double> v, std::span<double> out) override {
    for (std::size_t i = 0; i < n_; ++i) {
      out[i] = 0;
      for (std::size_t j = 0; j < n_; ++j) out[i] += a_[i * n_ + j] * v[j];
    }
  }
  // (A + l2 I)^-1 b by elimination; A is positive definite, so no pivoting.
  std::vector<double> minimiser(double l2 = 0) const {
    std::vector<double> a = a_, x = b_;
    for (std::size_t i = 0; i < n_; ++i) a[i * n_ + i] += l2;
    for (std::size_t k = 0; k < n_; ++k) {
      for (std::size_t i = k + 1; i < n_; ++i) {
        const double factor = a[i * n_ + k] / a[k * n_ + k];
        for (std::size_t j = k; j < n_; ++j) a[i * n_ + j] -= factor * a[k * n_ + j];
        x[i] -= factor * x[k];
      }
    }
    for (std::size_t k = n_; k-- > 0;) {
      for (std::size_t j = k + 1; j < n_; ++j) x[k] -= a[k * n_ + j] * x[j];
      x[k] /= a[k * n_ + k];
    }
    return x;
  }

 private:
  std::size_t n_;
  std::vector<double> a_, b_;
};

// f(w) = sum_i h_i w_i^2 / 2 - b_i w_i.
struct Separable : BatchFunction {
  std::vector<double> h, b;
  Separable(std::size_t n, Random& random) : h(n), b(n) {
    for (double& x : h) x = 0.1 + 10 * random.uniform();
    for (double& x : b) x = 3 * random.normal();
  }
  std::size_t dimension() const override { return h.size(); }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    double value = 0;
    for (std::size_t i = 0; i < h.size(); ++i) {
      gradient[i] = h[i] * w[i] - b[i];
      value += w[i] * (0.5 * h[i] * w[i] - b[i]);
    }
    return value;
  }
};

// f(w) = sum_r log(1 + exp(-y_r x_r.w)), with correlated columns so that it is not too easy.
class Logistic : public CurvedFunction {
 public:
  Logistic(std::size_t rows, std::size_t n, Random& random) : n_(n), x_(rows * n), y_(rows) {
    std::vector<double> truth(n);
    for (double& t : truth) t = random.normal();
    for (std::size_t r = 0; r < rows; ++r) {
      const double common = random.normal();
      double score = random.normal();
      for (std::size_t j = 0; j < n; ++j) {
        x_[r * n + j] = 0.5 * common + random.normal();
        score += truth[j] * x_[r * n + j];
      }
      y_[r] = score > 0 ? 1 : -1;
    }
  }
  std::size_t dimension() const override { return n_; }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    double value = 0;
    last_.assign(w.begin(), w.end());
    std::fill(gradient.begin(), gradient.end(), 0.0);
    for (std::size_t r = 0; r < y_.size(); ++r) {
      double margin = 0;
      for (std::size_t j = 0; j < n_; ++j) margin += y_[r] * x_[r * n_ + j] * w[j];
      value += margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
      const double p = 1 / (1 + std::exp(margin));
      for (std::size_t j = 0; j < n_; ++j) gradient[j] -= p * y_[r] * x_[r * n_ + j];
    }
    return value;
  }
  void hessian_product(std::span<const double> v, std::span<double> out) override {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t r = 0; r < y_.size(); ++r) {
      const double* x = x_.data() + r * n_;
      double score = 0, along = 0;
      for (std::size_t j = 0; j < n_; ++j) score += x[j] * last_[j], along += x[j] * v[j];
      const double p = 1 / (1 + std::exp(-score));
      for (std::size_t j = 0; j < n_; ++j) out[j] += p * (1 - p) * along * x[j];
    }
  }

 private:
  std::size_t n_;
  std::vector<double> x_, y_, last_;
};

// A long chain: f(w) = sum_i h_i w_i^2 / 2 - b_i w_i + w_i^4 / 4 + (w_i - w_{i-1})^2 / 2.
struct LongChain : Separable {
  using Separable::Separable;
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    double value = Separable::evaluate(w, gradient);
    for (std::size_t i = 0; i < w.size(); ++i) {
      value += 0.25 * w[i] * w[i] * w[i] * w[i];
      gradient[i] += w[i] * w[i] * w[i];
      if (i == 0) continue;
      const double difference = w[i] - w[i - 1];
      value += 0.5 * difference * difference;
      gradient[i] += difference;
      gradient[i - 1] -= difference;
    }
    return value;
  }
};

// Any function from a lambda, for the odd cases.
template <class Body>
class FromLambda : public BatchFunction {
 public:
  FromLambda(std::size_t n, Body body) : n_(n), body_(std::move(body)) {}
  std::size_t dimension() const override { return n_; }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    return body_(w, gradient);
  }

 private:
  std::size_t n_;
  Body body_;
};

}  // namespace croft::testing_functions
