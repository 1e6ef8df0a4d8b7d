// What dual methods share: a vector over the parts of each example, and the value of P and the gap
// there.  Internal.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "croft/core/state_archive.h"
#include "croft/optimize/optimizer.h"
#include "optimize/checks.h"
#include "optimize/dual/dual_problem.h"
#include "optimize/stochastic/sample_layout.h"

namespace croft {

// For every example a number for each of its parts; 0 at first.
template <class Real>
class PartVectors {
 public:
  explicit PartVectors(const DualProblem& problem) {
    for (std::size_t n = 0; n < problem.samples(); ++n) {
      begin_.push_back(begin_.back() + problem.parts(n));
    }
    values_.resize(begin_.back());
  }
  std::span<Real> operator[](std::size_t n) {
    return std::span(values_).subspan(begin_[n], begin_[n + 1] - begin_[n]);
  }
  void archive(StateArchive& state) { state(std::span(values_)); }

 private:
  std::vector<std::size_t> begin_{0};
  std::vector<Real> values_;
};

std::size_t all_parts(const DualProblem& problem);
std::size_t most_parts(const DualProblem& problem);  // of an example

// Work space: spans of `count` vectors, each long enough for any example.
class PartScratch {
 public:
  PartScratch(const DualProblem& problem, std::size_t count)
      : size_(most_parts(problem)), values_(size_ * count) {}
  std::span<double> operator()(std::size_t which, std::size_t size) {
    return std::span(values_).subspan(which * size_, size);
  }

 private:
  std::size_t size_;
  std::vector<double> values_;
};

// max theta.y for the hinge, log sum exp theta.y for log-loss; mu: its gradient by theta.
double loss_oracle(DualProblem& problem, std::size_t n, std::span<const double> theta,
                   std::span<double> mu);

// What example n adds to P, and to P - D (D.6), at the present point.
//   theta   : scores(n)
//   entropy : of mu, for log-loss
struct ExampleValue {
  double loss = 0, gap = 0;  // without C_n; gap >= 0
};
ExampleValue example_value(DualProblem& problem, std::size_t n, std::span<const double> theta,
                           std::span<const double> mu, double entropy, PartScratch& scratch);

// Sums over the examples, in order, into what an Iteration says.
class DualValue {
 public:
  void add(double weight, const ExampleValue& value, double violation) {
    loss_ += weight * value.loss;
    gap_ += weight * value.gap;
    if (violation > violation_) violation_ = violation;
  }
  double gap() const { return gap_; }
  Iteration at(DualProblem& problem, std::size_t number, std::size_t evaluations,
               double step) const;

 private:
  double loss_ = 0, gap_ = 0, violation_ = 0;
};

// A method that maximises the dual.  The problem stands at the iterate.
class DualMethod : public Optimizer {
 public:
  const Iteration& now() const final { return now_; }
  void archive(StateArchive& state) final {
    problem_.archive(state);
    archive_method(state);
    state(now_);
    now_.w = problem_.weights();
  }

 protected:
  explicit DualMethod(DualProblem& problem) : problem_(problem) { problem.reset(); }
  virtual void archive_method(StateArchive& state) = 0;

  DualProblem& problem_;
  Iteration now_;
  std::vector<std::uint32_t> order_;  // of the examples
};

// Throw UsageError.
void check_loss(const DualProblem& problem, DualLoss loss, const char* method);
void check_exact_parts(const DualProblem& problem, const char* method);

}  // namespace croft
