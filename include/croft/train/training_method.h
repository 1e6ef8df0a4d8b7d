// The objectives and optimisers that a chain can be trained with, by name, and which go together.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/optimize/function.h"
#include "croft/optimize/step_schedule.h"
#include "croft/train/kernel_dual.h"

namespace croft {

enum class Objective {
  likelihood,
  pseudolikelihood,
  per_edge,
  composite,
  marginal,
  piecewise,
  local,
  softmax_margin,
  max_margin,
  perceptron,
  passive_aggressive,
  arow
};

enum class Method {
  sgd_lbfgs,  // passes of averaged SGD, then L-BFGS
  lbfgs,
  span_lbfgs,
  owlqn,
  steepest_descent,
  cg,
  preconditioned_cg,
  mixed_cg,
  bfgs,
  newton,
  truncated_newton,
  gis,
  iis,
  sgd,
  averaged_sgd,
  adagrad,
  adagrad_rda,
  smd,
  sag,
  async_sgd,
  coordinate_descent,
  dual_ascent,
  sdca,
  eg,
  batch_eg,
  frank_wolfe,
  smo,
  perceptron,
  averaged_perceptron,
  pass_perceptron,
  voted_perceptron,
  pa,
  pa_1,
  pa_2,
  mira,
  arow
};

// Settings of some methods only; what is not set is the method's own default.
struct MethodSettings {
  std::optional<std::size_t> history;  // pairs that L-BFGS keeps
  std::optional<double> step;          // the first step
  std::optional<StepSchedule> schedule;
  std::optional<double> decay;              // of the step in each pass
  std::optional<std::size_t> batch;         // samples a step
  std::optional<std::size_t> average_from;  // the first pass that the average takes in
  std::optional<std::size_t> passes;        // of SGD, before L-BFGS
  std::optional<double> aggressiveness;     // C of PA-1, PA-2 and MIRA
  std::optional<std::size_t> best;          // labellings that MIRA looks at
  std::optional<double> variance, gamma;    // of AROW
  std::optional<double> gap;                // relative duality gap at which a dual method stops
  std::optional<Kernel> kernel;             // of SMO
};
// Their names, as options without dashes, of those that are set.
std::vector<std::string_view> settings_of(const MethodSettings& settings);

struct ObjectiveInfo {
  Objective objective;
  std::string_view name, summary;
  Method by_default, with_l1;  // with_l1 == by_default: l1 is not possible
  bool partial;                // labels may be known in part
  bool order;                  // order 2 and more
  bool cost;                   // takes a cost of mistakes
};
struct MethodInfo {
  Method method;
  std::string_view name, summary;
  std::vector<Objective> objectives;
  std::vector<std::string_view> settings;  // of MethodSettings, by their option's name
  bool l1 = false;                         // can have l1 > 0
  bool l2 = true;                          // can have l2 > 0
  bool needs_l2 = false;                   // only l2 > 0
  bool free = false;                       // can leave weights without a penalty
  bool passes = false;                     // an iteration is a pass over the data
  bool init = true;                        // can start from weights
  bool independent = false;                // only where no position's label depends on another's
};

const std::vector<ObjectiveInfo>& objective_table();
const std::vector<MethodInfo>& method_table();
const ObjectiveInfo& info(Objective objective);
const MethodInfo& info(Method method);
// Whether single precision means something to a method: those that go from sequence to sequence, by
// the dual or by expected counts compute in double.
bool has_precision(Method method);
// Throw UsageError that lists all names.
Objective objective_named(std::string_view name);
Method method_named(std::string_view name);

// The method where none is asked for.
//   from_weights : training goes on from a model: passes of SGD would leave a good start
Method default_method(Objective objective, const Regulariser& regulariser,
                      bool from_weights = false);

// What is asked of a training, as far as it decides whether objective and method go together.
struct MethodChoice {
  Objective objective = Objective::likelihood;
  Method method = Method::lbfgs;
  Regulariser regulariser{};
  MethodSettings settings{};
  std::size_t max_iterations = 1000;
  bool partial = false;         // labels may be known in part
  bool weighted = false;        // sequences have weights
  bool init = false;            // weights to start from
  bool prior = false;           // a prior mean
  bool variances = false;       // variances of features
  bool free_intercept = false;  // the intercept is not penalised
  bool independent = false;     // no position's label depends on another's
  bool by_default = false;      // nobody named the method
  std::size_t order = 1;
  // What somebody asked for, which is then not to be ignored:
  bool block = false;      // the length of blocks
  bool tolerance = false;  // above 0
  bool window = false;
  bool single = false;  // single precision
};
// Throws UsageError for what contradicts itself or would be ignored, naming what would go: the
// methods of the objective, the objectives of the method, the methods that take a setting.
void check_choice(const MethodChoice& choice);

}  // namespace croft
