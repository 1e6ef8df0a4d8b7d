// The distribution of largest entropy, or nearest to a given one, whose expectations are as asked
// for.
//
//   min_p  KL(p || q) = sum_i p_i log(p_i / q_i),   sum_i p_i = 1,   E_p[f_k] = b, <= b or >= b
//
// Its dual has a variable for each constraint and no other:
//   p_i = q_i exp(sum_j lambda_j f_ij) / Z,    max_lambda  lambda.b - log Z                 (E.2)
// with lambda_j <= 0 for <= and lambda_j >= 0 for >=.  Solved by a projected Newton method.
// Jaynes (1957); Csiszar (1975); Bertsekas (1982).  docs/math/maximum_entropy.md.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace croft {

enum class Relation { equal, at_most, at_least };
std::string_view sign_of(Relation relation);  // "=", "<=" or ">="

struct ExpectationConstraint {
  std::size_t feature = 0;  // a column
  Relation relation = Relation::equal;
  double bound = 0;
};

struct MaximumEntropyProblem {
  std::size_t outcomes = 0, columns = 0;
  std::span<const double> features;  // [outcomes][columns] row-major, finite
  std::span<const double> base;      // [outcomes] q > 0 up to a factor; empty: uniform
  std::vector<ExpectationConstraint> constraints;  // a column may have several
};

struct MaximumEntropyOptions {
  // Largest violation of a constraint, relative to the largest |f - b| of its column.  > 0
  double tolerance = 1e-9;
  std::size_t max_iterations = 1000;
  void validate() const;  // throws UsageError naming the field and its range
};

enum class MaximumEntropyStatus {
  optimal,
  // The constraints leave some outcomes no probability: multipliers that say so are infinite.
  // Those that are reported are right among the other outcomes.
  boundary,
  infeasible,     // no distribution meets the constraints
  not_converged,  // max_iterations, or no further step
};
std::string_view name_of(MaximumEntropyStatus status);  // the enumerator's own name

// How well the Karush-Kuhn-Tucker conditions hold: each 0 for an exact solution.
struct KktCheck {
  // Largest difference among the log(p_i / q_i) - lambda.f_i of the outcomes with p_i > 0.
  double stationarity = 0;
  double primal = 0;         // largest violation of a constraint, in its units
  double normalisation = 0;  // |sum_i p_i - 1|
  double dual = 0;           // -multiplier of an inequality, at most
  double slackness = 0;      // largest |multiplier (E_p[f] - b)| of an inequality
};

struct MaximumEntropyResult {
  MaximumEntropyStatus status = MaximumEntropyStatus::not_converged;
  std::string message;  // the status in words, with the figures that decided
  // Where infeasible, of the last iterate: nothing to be used.
  std::vector<double> p;            // [outcomes]
  std::vector<double> expectation;  // [constraints] E_p[f]
  // [constraints] of inequalities >= 0, and 0 where there is slack: lambda_j, of <= its negative.
  std::vector<double> multiplier;
  double entropy = 0;     // of p, nats
  double divergence = 0;  // KL(p || q), q normalised: the primal value
  double dual = 0;        // lambda.b - log Z, q normalised: <= the least divergence
  KktCheck kkt;
  // Where infeasible: [constraints] d, sum |d_j| = 1, with the signs of lambda.  For every
  // distribution sum_j d_j (E_p[f_j] - b_j) <= -margin < 0, and it would have to be >= 0: so one
  // constraint at least is missed by `margin` or more.
  std::vector<double> certificate;
  double margin = 0;
  std::size_t iterations = 0;
};

// Throws UsageError for shapes that do not fit, numbers that are not finite, a base that is not > 0
// and a constraint on a column that is not there.
// Cost of an iteration: O(outcomes C^2 + C^3) for C constraints; some 5 to 30 iterations.  Memory:
// O(outcomes C).
MaximumEntropyResult maximum_entropy(const MaximumEntropyProblem& problem,
                                     const MaximumEntropyOptions& options = {});

}  // namespace croft
