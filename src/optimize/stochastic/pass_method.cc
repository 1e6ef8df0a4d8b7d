#include "optimize/stochastic/pass_method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/vector_math.h"
#include "croft/core/error.h"
#include "croft/optimize/regulariser.h"

namespace croft {
namespace {

// As many numbers of `scratch`, which grows, as sample n's gradient has.
std::span<double> support_scratch(SampleFunction& f, std::size_t n, std::vector<double>& scratch) {
  std::size_t size = 0;
  for (const Run& run : f.support(n, 0)) size += run.length;
  if (scratch.size() < size) scratch.resize(size);
  return std::span(scratch).first(size);
}

void check_samples(const SampleFunction& f, std::span<const double> w, Ranks& ranks) {
  check_dimension(f, w);
  if (sum_of_all(ranks, f.samples()) == 0) throw UsageError("there is no sample to learn from");
}

}  // namespace

PassMethod::PassMethod(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
                       std::size_t exact_every)
    : f_(f),
      regulariser_(regulariser),
      w_(w),
      ranks_(no_other_ranks()),
      online_(false),
      exact_every_(exact_every),
      gradient_(w.size()) {
  check_samples(f, w, ranks_);
  check_none_free(regulariser, "a method that goes from sample to sample");
  if (!unless_interrupted([&] { measure_exactly(); })) now_ = unknown_iteration();
  if (exact_every_ == 0) gradient_ = {};
}

PassMethod::PassMethod(SampleFunction& f, std::span<double> w, Ranks& ranks)
    : f_(f), w_(w), ranks_(ranks), online_(true), exact_every_(0) {
  check_samples(f, w, ranks_);
  measure_samples();
}

bool PassMethod::iterate() {
  before_.assign(w_.begin(), w_.end());
  const Iteration last = now_;
  const PassFigures pass = run(last.number + 1);
  ++now_.number;
  ++now_.evaluations;
  now_.step = pass.step;
  if (online_) {
    measure_weights();
    now_.objective = pass.losses;
    now_.gradient_norm = std::sqrt(pass.squared_updates);
  } else if (exact_every_ == 0) {
    measure_weights();
    now_.objective =
        pass.losses + penalty(regulariser_, sum_abs(w_), now_.weight_norm * now_.weight_norm);
    double squared = 0;
    for (std::size_t i = 0; i < w_.size(); ++i) {
      squared += (w_[i] - before_[i]) * (w_[i] - before_[i]);
    }
    now_.gradient_norm = std::sqrt(squared);
  } else if (now_.number % exact_every_ == 0) {
    measure_exactly();
  } else {
    measure_weights();
  }
  if (finite()) return true;
  std::copy(before_.begin(), before_.end(), w_.begin());
  now_ = last;
  return false;
}

std::string_view PassMethod::stuck() const {
  return "the weights of the last pass ran to infinity, those before it are kept: a smaller step "
         "is "
         "needed, or attribute values of moderate size";
}

void PassMethod::archive(StateArchive& state) {
  state(w_, now_);
  archive_method(state);
  f_.archive(state);
  now_.w = w_;
}

void PassMethod::measure_exactly() {
  const double data_term = f_.evaluate(w_, gradient_);
  ++now_.evaluations;
  add_l2_gradient(regulariser_, w_, gradient_);
  measure_weights();
  now_.objective =
      data_term + penalty(regulariser_, sum_abs(w_), now_.weight_norm * now_.weight_norm);
  if (regulariser_.l1 > 0) pseudo_gradient(regulariser_, 0, w_, gradient_, gradient_);
  now_.gradient_norm = std::sqrt(dot(std::span<const double>(gradient_), gradient_));
}

// The figures of a pass that leaves w alone.
void PassMethod::measure_samples() {
  SparseVector gradient(w_.size());
  double losses = 0, squared = 0;
  for (std::size_t n = 0; n < f_.samples(); ++n) {
    const SampleFunction::Sample sample = f_.evaluate_sparse(n, w_, gradient, 0);
    losses += sample.value;
    if (sample.active) squared += gradient.squared_norm();
  }
  const PassFigures all = of_all({.losses = losses, .squared_updates = squared});
  ++now_.evaluations;
  measure_weights();
  now_.objective = all.losses;
  now_.gradient_norm = std::sqrt(all.squared_updates);
}

PassFigures PassMethod::of_all(PassFigures here) const {
  const double own[] = {here.losses, here.squared_updates};
  here.losses = here.squared_updates = 0;
  const std::vector<double> all = lists_of_all(ranks_, own);
  for (std::size_t k = 0; k < all.size(); k += 2) {
    here.losses += all[k];
    here.squared_updates += all[k + 1];
  }
  return here;
}

void PassMethod::measure_weights() {
  const std::span<const double> w = w_;
  now_.weight_norm = std::sqrt(dot(w, w));
  now_.active = count_nonzero(w);
  now_.w = w;
}

bool PassMethod::finite() const {
  return std::isfinite(now_.objective) && std::isfinite(now_.gradient_norm) &&
         std::isfinite(now_.weight_norm);
}

void check_no_l1(const Regulariser& regulariser, std::string_view method) {
  regulariser.validate();
  if (regulariser.l1 > 0) {
    throw UsageError(
        fmt::format("l1 is {}; {} cannot minimise |w|_1: l1 = 0, or SGD, AdaGrad-RDA "
                    "or OWL-QN",
                    regulariser.l1, method));
  }
}

void check_no_penalty(const Regulariser& regulariser, std::string_view method) {
  regulariser.validate();
  if (regulariser.l1 == 0 && regulariser.l2 == 0) return;
  const bool first = regulariser.l1 > 0;
  throw UsageError(fmt::format("{} is {}; {} minimises no penalty: it must be 0",
                               first ? "l1" : "l2", first ? regulariser.l1 : regulariser.l2,
                               method));
}

void check_workers(const SampleFunction& f, std::size_t workers) {
  if (f.workers() < workers) {
    throw UsageError(fmt::format("{} threads for a function made for {}", workers, f.workers()));
  }
}

double sample_objective(SampleFunction& f, const Regulariser& regulariser,
                        std::span<const std::uint32_t> samples, std::span<const double> w) {
  std::vector<double> gradient;
  double losses = 0;
  for (const std::uint32_t n : samples) {
    losses += f.evaluate_sample(n, w, support_scratch(f, n, gradient), 0).value;
  }
  const double share = static_cast<double>(samples.size()) / static_cast<double>(f.samples());
  return losses + share * penalty(regulariser, sum_abs(w), dot(w, w));
}

}  // namespace croft
