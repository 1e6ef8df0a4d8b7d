// The optimisers that models are trained with: one list, with what each takes.
// docs/objectives.md
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/optimize/function.h"
#include "optimize/stochastic/step_sizes.h"
#include "train/dual/kernel_dual.h"

namespace croft {

// What a model is over, as far as its training differs.
enum class Structure {
  chain,     // with the models of single positions
  segments,  // segments of sequences
  joint,     // positions, by features of their labels' parts
  graph
};

// What a method is given of an objective.
enum class Form {
  log_loss,    // all that `curved` has; of chains the expected counts, a dual and columns as well
  curved,      // value, gradient, and products with the second derivative
  smooth,      // value and gradient
  not_convex,  // the same, with local minima
  hinge,       // value and a subgradient, and a dual
  mistakes,    // corrections of what is labelled wrongly
  margins,     // the same, as far as the cost goes
  variances,   // the same, with a variance of each weight
  directions   // no value
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
  arow,
  cutting_planes
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

// What several processes can share out: nothing; the sums of the function, so that their number
// does not matter; or the data, on whose parts each takes steps of its own.
enum class Distributed { no, function, parts };

struct MethodInfo {
  Method method;
  std::string_view name, summary;
  std::vector<Form> takes;
  std::vector<Structure> structures;         // that have what the method looks at
  std::vector<std::string_view> settings{};  // of MethodSettings, by their option's name
  bool l1 = false;                           // can have l1 > 0
  bool l2 = true;                            // can have l2 > 0
  bool needs_l2 = false;                     // only l2 > 0
  bool free = false;                         // can leave weights without a penalty
  bool passes = false;                       // an iteration is a pass over the data
  bool init = true;                          // can start from weights
  bool independent = false;                  // only where no position's label depends on another's
  Distributed distributed = Distributed::no;

  bool takes_setting(std::string_view name) const;
};

const std::vector<MethodInfo>& method_table();
const MethodInfo& info(Method method);
// Whether single precision means something to a method: those that go from sequence to sequence, by
// the dual or by expected counts compute in double.
bool has_precision(Method method);
// Throws UsageError that lists all names.
Method method_named(std::string_view name);
// "lbfgs, owlqn"; "none" where there are none.
std::string names_of(std::span<const Method> methods);

}  // namespace croft
