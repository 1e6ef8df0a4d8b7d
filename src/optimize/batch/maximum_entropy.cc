#include "optimize/batch/maximum_entropy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/words/counted.h"
#include "croft/core/error.h"
#include "croft/core/parallel.h"
#include "optimize/batch/cholesky.h"
#include "optimize/checks.h"

namespace croft {
namespace {

constexpr double kArmijo = 1e-4;
constexpr int kMostHalvings = 60;
// Added to the curvature, relative to its largest entry: constraints may say the same thing twice.
constexpr double kRidge = 1e-13;
// Newton's steps shrink towards an optimum that exists.  Where they go on to move log p_i by this
// much although the constraints are met, p_i is on its way to 0.
constexpr double kMoving = 0.1;
constexpr double kVanishing = 1e-5;  // ... and is already so small
// Rounding of lambda.f_i, in units of |lambda| and the largest |f - b|.
constexpr double kRelativeRounding = 1e-13;

// The dual of the constraints among some of the outcomes: each column shifted by its bound and
// divided by the largest |f - b|, so that the constraints are on expectations of 0.
class EntropyDual {
 public:
  EntropyDual(const MaximumEntropyProblem& problem, std::span<const double> log_base,
              std::vector<std::size_t> outcomes)
      : problem_(problem),
        outcomes_(std::move(outcomes)),
        size_(problem.constraints.size()),
        scale_(size_, 1.0),
        shifted_(outcomes_.size() * size_),
        log_base_(outcomes_.size()),
        p_(outcomes_.size()),
        trial_(outcomes_.size()),
        lambda_(size_),
        gradient_(size_),
        step_(size_),
        hessian_(size_) {
    for (std::size_t i = 0; i < outcomes_.size(); ++i) log_base_[i] = log_base[outcomes_[i]];
    for (std::size_t j = 0; j < size_; ++j) shift_column(j);
    value_ = evaluate(lambda_, p_);
    set_gradient();
  }

  enum class Outcome { converged, vanishing, infeasible, stuck };
  Outcome solve(const MaximumEntropyOptions& options, std::size_t& iterations);

  const std::vector<std::size_t>& outcomes() const { return outcomes_; }
  std::span<const double> p() const { return p_; }
  double multiplier(std::size_t j) const { return lambda_[j] / scale_[j]; }
  double dual() const { return -value_; }
  double violation() const { return violation_; }
  std::vector<std::size_t> staying() const;  // the outcomes that do not vanish
  // sum_j d_j = 1 in size, in the units of the constraints; the margin of (E.5).
  double certificate(std::vector<double>& d) const;

 private:
  std::span<const double> row(std::size_t i) const {
    return std::span(shifted_).subspan(i * size_, size_);
  }
  Relation relation(std::size_t j) const { return problem_.constraints[j].relation; }
  double clipped(std::size_t j, double lambda) const {
    if (relation(j) == Relation::at_most) return std::min(lambda, 0.0);
    if (relation(j) == Relation::at_least) return std::max(lambda, 0.0);
    return lambda;
  }
  // Whether a multiplier stays at its bound: of a constraint that has slack there.
  bool held(std::size_t j) const {
    if (relation(j) == Relation::equal || lambda_[j] != 0) return false;
    return relation(j) == Relation::at_most ? gradient_[j] <= 0 : gradient_[j] >= 0;
  }
  double dot_row(std::size_t i, std::span<const double> v) const {
    return std::inner_product(v.begin(), v.end(), row(i).begin(), 0.0);
  }

  void shift_column(std::size_t j);
  double evaluate(std::span<const double> lambda, std::span<double> p) const;
  void set_gradient();
  bool set_step();
  bool search();
  double excess() const;

  const MaximumEntropyProblem& problem_;
  std::vector<std::size_t> outcomes_;
  const std::size_t size_;         // constraints
  std::vector<double> scale_;      // [size] largest |f - b|
  std::vector<double> shifted_;    // [outcomes][size] (f - b) / scale
  std::vector<double> log_base_;   // [outcomes]
  std::vector<double> p_, trial_;  // [outcomes]
  std::vector<double> lambda_;     // [size] of the shifted columns
  double value_ = 0;               // log sum_i q_i exp(lambda.row(i)): what is minimised (E.3)
  std::vector<double> gradient_;   // [size] E_p[row]
  double violation_ = 0;           // of the constraints, in units of scale
  std::vector<double> step_;       // [size]
  SymmetricMatrix hessian_;
  ThreadPool pool_;
};

void EntropyDual::shift_column(std::size_t j) {
  const ExpectationConstraint& constraint = problem_.constraints[j];
  double largest = 0;
  for (std::size_t i = 0; i < outcomes_.size(); ++i) {
    const double f = problem_.features[outcomes_[i] * problem_.columns + constraint.feature];
    shifted_[i * size_ + j] = f - constraint.bound;
    largest = std::max(largest, std::abs(f - constraint.bound));
  }
  if (largest == 0) return;
  scale_[j] = largest;
  for (std::size_t i = 0; i < outcomes_.size(); ++i) shifted_[i * size_ + j] /= largest;
}

// Also p.
double EntropyDual::evaluate(std::span<const double> lambda, std::span<double> p) const {
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < p.size(); ++i) {
    p[i] = log_base_[i] + dot_row(i, lambda);
    most = std::max(most, p[i]);
  }
  double sum = 0;
  for (double& each : p) sum += each = std::exp(each - most);
  for (double& each : p) each /= sum;
  return most + std::log(sum);
}

void EntropyDual::set_gradient() {
  std::ranges::fill(gradient_, 0.0);
  for (std::size_t i = 0; i < p_.size(); ++i) {
    for (std::size_t j = 0; j < size_; ++j) gradient_[j] += p_[i] * row(i)[j];
  }
  violation_ = 0;
  for (std::size_t j = 0; j < size_; ++j) {
    // A multiplier away from its bound asks for equality.
    if (!held(j)) violation_ = std::max(violation_, std::abs(gradient_[j]));
  }
}

// Newton's among the multipliers that are not held, (E.4).
bool EntropyDual::set_step() {
  std::vector<std::size_t> free;
  for (std::size_t j = 0; j < size_; ++j) {
    if (!held(j)) free.push_back(j);
  }
  hessian_ = SymmetricMatrix(free.size());
  for (std::size_t i = 0; i < p_.size(); ++i) {
    if (p_[i] == 0) continue;
    for (std::size_t a = 0; a < free.size(); ++a) {
      const double factor = p_[i] * (row(i)[free[a]] - gradient_[free[a]]);
      for (std::size_t b = a; b < free.size(); ++b) {
        hessian_.row(a)[b] += factor * (row(i)[free[b]] - gradient_[free[b]]);
      }
    }
  }
  double largest = 0;
  for (std::size_t a = 0; a < free.size(); ++a) largest = std::max(largest, hessian_.row(a)[a]);
  hessian_.take_diagonal();
  // The smallest number keeps a curvature of 0 solvable: where all of p is on one outcome.
  double ridge = std::max(kRidge * largest, 1e-300);
  while (!hessian_.factorise(ridge, pool_)) {
    ridge *= 10;
    if (!std::isfinite(ridge)) return false;
  }
  std::vector<double> x(free.size());
  for (std::size_t a = 0; a < free.size(); ++a) x[a] = -gradient_[free[a]];
  hessian_.solve(x);
  std::ranges::fill(step_, 0.0);
  for (std::size_t a = 0; a < free.size(); ++a) step_[free[a]] = x[a];
  return std::ranges::all_of(step_, [](double s) { return std::isfinite(s); });
}

// Halves the step until what is minimised falls enough, along the bent path of the signs.
bool EntropyDual::search() {
  std::vector<double> next(size_);
  for (double length = 1; length > std::ldexp(1.0, -kMostHalvings); length /= 2) {
    double slope = 0;
    for (std::size_t j = 0; j < size_; ++j) {
      next[j] = clipped(j, lambda_[j] + length * step_[j]);
      slope += gradient_[j] * (next[j] - lambda_[j]);
    }
    const double value = evaluate(next, trial_);
    // Near the optimum the fall is lost in the value's rounding.
    const double rounding = 1e-15 * std::max(1.0, std::abs(value_));
    if (!(value <= value_ + kArmijo * slope + rounding)) continue;
    for (std::size_t j = 0; j < size_; ++j) step_[j] = next[j] - lambda_[j];
    lambda_ = next;
    std::swap(p_, trial_);
    value_ = value;
    set_gradient();
    return true;
  }
  return false;
}

// max_i lambda.row(i), less what rounding may have taken off: below 0 there is no such
// distribution.
double EntropyDual::excess() const {
  double most = -std::numeric_limits<double>::infinity(), size = 0;
  for (std::size_t i = 0; i < p_.size(); ++i) most = std::max(most, dot_row(i, lambda_));
  for (const double each : lambda_) size += std::abs(each);
  return most + kRelativeRounding * size;
}

double EntropyDual::certificate(std::vector<double>& d) const {
  double size = 0;
  d.resize(size_);
  for (std::size_t j = 0; j < size_; ++j) size += std::abs(d[j] = lambda_[j] / scale_[j]);
  for (double& each : d) each /= size;
  return -excess() / size;
}

std::vector<std::size_t> EntropyDual::staying() const {
  double mean = 0;
  for (std::size_t j = 0; j < size_; ++j) mean += gradient_[j] * step_[j];
  std::vector<std::size_t> stay;
  for (std::size_t i = 0; i < p_.size(); ++i) {
    const bool vanishes = p_[i] < kVanishing && dot_row(i, step_) - mean < -kMoving;
    if (!vanishes) stay.push_back(outcomes_[i]);
  }
  return stay;
}

EntropyDual::Outcome EntropyDual::solve(const MaximumEntropyOptions& options,
                                        std::size_t& iterations) {
  for (;;) {
    if (excess() < 0) return Outcome::infeasible;
    if (violation_ == 0) return Outcome::converged;
    if (iterations == options.max_iterations || !set_step()) return Outcome::stuck;
    ++iterations;
    const bool met = violation_ <= options.tolerance;
    if (!search()) return met ? Outcome::converged : Outcome::stuck;
    if (!met) continue;
    return staying().size() < outcomes_.size() ? Outcome::vanishing : Outcome::converged;
  }
}

void check_problem(const MaximumEntropyProblem& problem) {
  if (problem.outcomes == 0) throw UsageError("a distribution needs one outcome at least");
  if (problem.features.size() != problem.outcomes * problem.columns) {
    throw UsageError(fmt::format("{} are not {} outcomes with {}",
                                 counted(problem.features.size(), "number"), problem.outcomes,
                                 counted(problem.columns, "feature")));
  }
  if (!problem.base.empty() && problem.base.size() != problem.outcomes) {
    throw UsageError(fmt::format("the base has {}, and there are {} outcomes",
                                 counted(problem.base.size(), "number"), problem.outcomes));
  }
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!std::ranges::all_of(problem.features, finite)) {
    throw UsageError("a feature is not a finite number");
  }
  if (!std::ranges::all_of(problem.base, [&](double q) { return finite(q) && q > 0; })) {
    throw UsageError("the base is not a finite number > 0 for every outcome");
  }
  for (const ExpectationConstraint& each : problem.constraints) {
    if (each.feature >= problem.columns) {
      throw UsageError(fmt::format("a constraint on feature {}, and there are {} from 0 on",
                                   each.feature, problem.columns));
    }
    if (!finite(each.bound)) throw UsageError("the bound of a constraint is not a finite number");
  }
}

std::vector<double> log_base_of(const MaximumEntropyProblem& problem) {
  std::vector<double> log_base(problem.outcomes, -std::log(problem.outcomes));
  if (problem.base.empty()) return log_base;
  const double most = *std::ranges::max_element(problem.base);
  double sum = 0;
  for (const double q : problem.base) sum += q / most;
  for (std::size_t i = 0; i < problem.outcomes; ++i) {
    log_base[i] = std::log(problem.base[i]) - std::log(most) - std::log(sum);
  }
  return log_base;
}

double sign_of_multiplier(Relation relation) { return relation == Relation::at_most ? -1 : 1; }

// Everything that is to be known of p and the multipliers, from these alone.
void describe(const MaximumEntropyProblem& problem, std::span<const double> log_base,
              MaximumEntropyResult& result) {
  const std::size_t size = problem.constraints.size();
  const auto feature = [&](std::size_t i, std::size_t j) {
    return problem.features[i * problem.columns + problem.constraints[j].feature];
  };
  result.expectation.assign(size, 0.0);
  double sum = 0, low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t i = 0; i < problem.outcomes; ++i) {
    const double p = result.p[i];
    if (p == 0) continue;
    sum += p;
    result.entropy -= p * std::log(p);
    const double ratio = std::log(p) - log_base[i];
    result.divergence += p * ratio;
    double score = 0;
    for (std::size_t j = 0; j < size; ++j) {
      result.expectation[j] += p * feature(i, j);
      // Of the shifted feature: a constant more or less is not told from the normalisation.
      score += sign_of_multiplier(problem.constraints[j].relation) * result.multiplier[j] *
               (feature(i, j) - problem.constraints[j].bound);
    }
    low = std::min(low, ratio - score);
    high = std::max(high, ratio - score);
  }
  result.entropy = std::max(result.entropy, 0.0);
  result.divergence = std::max(result.divergence, 0.0);
  KktCheck& kkt = result.kkt;
  kkt.stationarity = high - low;
  kkt.normalisation = std::abs(sum - 1);
  for (std::size_t j = 0; j < size; ++j) {
    const ExpectationConstraint& constraint = problem.constraints[j];
    const double over = result.expectation[j] - constraint.bound;
    const bool equal = constraint.relation == Relation::equal;
    kkt.primal = std::max(kkt.primal,
                          equal ? std::abs(over) : -sign_of_multiplier(constraint.relation) * over);
    if (equal) continue;
    kkt.dual = std::max(kkt.dual, -result.multiplier[j]);
    kkt.slackness = std::max(kkt.slackness, std::abs(result.multiplier[j] * over));
  }
}

std::string message_of(const MaximumEntropyResult& result, double violation) {
  switch (result.status) {
    case MaximumEntropyStatus::optimal:
      return fmt::format("optimal after {}", counted(result.iterations, "iteration"));
    case MaximumEntropyStatus::boundary:
      return fmt::format("optimal after {}; the constraints leave {} of {} outcomes no probability",
                         counted(result.iterations, "iteration"), std::ranges::count(result.p, 0.0),
                         result.p.size());
    case MaximumEntropyStatus::infeasible:
      return fmt::format(
          "no distribution meets the constraints: every one misses some of them by {:.6g} or more",
          result.margin);
    case MaximumEntropyStatus::not_converged:
      break;
  }
  return fmt::format("stopped after {}, the constraints being met to {:.3g} of their columns' size",
                     counted(result.iterations, "iteration"), violation);
}

}  // namespace

std::string_view sign_of(Relation relation) {
  if (relation == Relation::at_most) return "<=";
  return relation == Relation::at_least ? ">=" : "=";
}

std::string_view name_of(MaximumEntropyStatus status) {
  switch (status) {
    case MaximumEntropyStatus::optimal:
      return "optimal";
    case MaximumEntropyStatus::boundary:
      return "boundary";
    case MaximumEntropyStatus::infeasible:
      return "infeasible";
    case MaximumEntropyStatus::not_converged:
      break;
  }
  return "not_converged";
}

void MaximumEntropyOptions::validate() const {
  check_positive("tolerance", tolerance);
  check_at_least_one("max_iterations", max_iterations);
}

MaximumEntropyResult maximum_entropy(const MaximumEntropyProblem& problem,
                                     const MaximumEntropyOptions& options) {
  options.validate();
  check_problem(problem);
  const std::vector<double> log_base = log_base_of(problem);
  MaximumEntropyResult result;
  double bound = -std::numeric_limits<double>::infinity();  // of the divergence, by all outcomes
  std::vector<std::size_t> outcomes(problem.outcomes);
  std::iota(outcomes.begin(), outcomes.end(), std::size_t{0});
  for (;;) {
    EntropyDual dual(problem, log_base, outcomes);
    const EntropyDual::Outcome outcome = dual.solve(options, result.iterations);
    const bool all = outcomes.size() == problem.outcomes;
    if (all) bound = dual.dual();
    if (outcome == EntropyDual::Outcome::vanishing) {
      outcomes = dual.staying();
      continue;
    }
    // Among the outcomes that are left there was a distribution that met the constraints, to the
    // tolerance: what is found to contradict that is rounding.
    if (outcome == EntropyDual::Outcome::infeasible && all) {
      result.status = MaximumEntropyStatus::infeasible;
      result.margin = dual.certificate(result.certificate);
    } else if (outcome == EntropyDual::Outcome::converged) {
      result.status = all ? MaximumEntropyStatus::optimal : MaximumEntropyStatus::boundary;
    }
    result.p.assign(problem.outcomes, 0.0);
    for (std::size_t k = 0; k < outcomes.size(); ++k) result.p[outcomes[k]] = dual.p()[k];
    for (std::size_t j = 0; j < problem.constraints.size(); ++j) {
      const double sign = sign_of_multiplier(problem.constraints[j].relation);
      result.multiplier.push_back(sign * dual.multiplier(j) + 0.0);  // 0 rather than -0
    }
    result.dual = bound;
    describe(problem, log_base, result);
    result.message = message_of(result, dual.violation());
    return result;
  }
}

}  // namespace croft
