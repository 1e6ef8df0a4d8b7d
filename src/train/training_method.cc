#include "croft/train/training_method.h"

#include <algorithm>

#include "croft/core/error.h"

namespace croft {
namespace {

using O = Objective;
using M = Method;

// Smooth, and convex but for `marginal`.
const std::vector<O> kSmooth = {O::likelihood, O::pseudolikelihood, O::per_edge, O::composite,
                                O::marginal,   O::piecewise,        O::local,    O::softmax_margin};
const std::vector<O> kCurved = {O::likelihood, O::softmax_margin};
const std::vector<O> kConvexSmooth = {O::likelihood,    O::pseudolikelihood, O::per_edge,
                                      O::composite,     O::piecewise,        O::local,
                                      O::softmax_margin};
// With a subgradient at least.
const std::vector<O> kSteps = {O::likelihood, O::pseudolikelihood, O::per_edge,
                               O::composite,  O::marginal,         O::piecewise,
                               O::local,      O::softmax_margin,   O::max_margin};

std::string list_of(const auto& items, const auto& name_of) {
  std::string list;
  for (const auto& item : items) {
    if (!list.empty()) list += ", ";
    list += name_of(item);
  }
  return list;
}

std::string methods_where(const auto& condition) {
  std::vector<const MethodInfo*> found;
  for (const MethodInfo& each : method_table()) {
    if (condition(each)) found.push_back(&each);
  }
  return list_of(found, [](const MethodInfo* each) { return each->name; });
}

bool goes_with(const MethodInfo& method, Objective objective) {
  return std::ranges::find(method.objectives, objective) != method.objectives.end();
}

std::string option(std::string_view name, std::string_view value) {
  return "--" + std::string(name) + " " + std::string(value);
}
std::string optimizer(const MethodInfo& method) { return option("optimizer", method.name); }
std::string objective(Objective which) { return option("objective", info(which).name); }

// Works on dual variables: by the gap, from nothing, with order 1 and labels that are known.
bool is_dual(const MethodInfo& method) { return !method.init && !method.independent; }
bool is_scaling(const MethodInfo& method) {
  return method.method == M::gis || method.method == M::iis;
}
bool is_by_weight(const MethodInfo& method) { return method.independent; }
bool has_order(const MethodInfo& method) {
  return !is_dual(method) && !is_scaling(method) && !is_by_weight(method) &&
         method.method != M::mira;
}
bool has_partial(const MethodInfo& method) {
  return !is_dual(method) && !is_scaling(method) && !is_by_weight(method);
}

// The method cannot do something: which others of the objective can.
[[noreturn]] void refuse(const MethodChoice& choice, const std::string& what, const auto& can) {
  const std::string others =
      methods_where([&](const MethodInfo& m) { return goes_with(m, choice.objective) && can(m); });
  throw UsageError(optimizer(info(choice.method)) + " " + what + "; with " +
                   objective(choice.objective) +
                   " these can: " + (others.empty() ? "none" : others));
}

void check_pair(const MethodChoice& choice, const MethodInfo& method) {
  if (goes_with(method, choice.objective)) return;
  throw UsageError(optimizer(method) + " does not minimise " + objective(choice.objective) +
                   "; these do: " + methods_where([&](const MethodInfo& m) {
                     return goes_with(m, choice.objective);
                   }) +
                   ".  It goes with --objective " +
                   list_of(method.objectives, [](Objective each) { return info(each).name; }));
}

void check_penalties(const MethodChoice& choice, const MethodInfo& method) {
  const Regulariser& r = choice.regulariser;
  if (r.l1 > 0 && !method.l1) {
    refuse(choice, "cannot minimise with --l1 above 0", [](const MethodInfo& m) { return m.l1; });
  }
  if (r.l2 == 0 && method.needs_l2) {
    refuse(choice, "needs --l2 above 0", [](const MethodInfo& m) { return !m.needs_l2; });
  }
  if (choice.free_intercept && !method.free) {
    refuse(choice, "cannot leave the intercept unpenalised", [&](const MethodInfo& m) {
      return m.free && (r.l1 == 0 || m.l1) && (choice.independent || !m.independent);
    });
  }
  if (!method.l2 && r.l2 > 0) {
    throw UsageError(objective(choice.objective) + " has no penalty: leave out --l2");
  }
}

// What is set must mean something: to the method, and beside the other settings.
void check_settings(const MethodChoice& choice, const MethodInfo& method) {
  const MethodSettings& s = choice.settings;
  for (const std::string_view name : settings_of(s)) {
    const auto takes = [&](const MethodInfo& m) {
      return std::ranges::find(m.settings, name) != m.settings.end();
    };
    if (takes(method)) continue;
    throw UsageError("--" + std::string(name) + " means nothing to " + optimizer(method) +
                     (choice.by_default ? ", which is the default here" : "") + "; it goes with " +
                     methods_where(takes));
  }
  if (s.decay && s.schedule != StepSchedule::constant) {
    throw UsageError(
        "--decay goes with --schedule constant: the other schedules shrink the steps "
        "in their own way");
  }
  if (s.passes == 0 && (s.step || s.batch)) {
    throw UsageError(std::string(s.step ? "--step" : "--batch") +
                     " is of the passes of SGD, and --sgd-passes 0 makes none: leave out one of "
                     "the two");
  }
  if (s.average_from && *s.average_from > choice.max_iterations) {
    throw UsageError("--average-from " + std::to_string(*s.average_from) +
                     " is after the last pass, --max-iterations " +
                     std::to_string(choice.max_iterations) + ": nothing would be averaged");
  }
  if (s.kernel && choice.order > 1) throw UsageError("--kernel goes with --order 1");
}

// The same of what every training has, and some have no use for.
void check_use(const MethodChoice& choice, const MethodInfo& method) {
  if (choice.block && choice.objective != O::composite) {
    throw UsageError("--block is the length of the runs of --objective composite; " +
                     std::string(info(choice.objective).name) + " has none: leave it out");
  }
  if ((choice.tolerance || choice.window) && is_dual(method)) {
    throw UsageError(std::string(choice.tolerance ? "--tolerance" : "--window") + " is of the " +
                     "objective's change, by which " + optimizer(method) +
                     " does not stop: give --gap, the distance from the minimum");
  }
  if (choice.single && !has_precision(choice.method)) {
    refuse(choice, "computes in double: --precision single means nothing to it",
           [](const MethodInfo& m) { return has_precision(m.method); });
  }
  if (choice.weighted && choice.method == M::pa) {
    refuse(choice, "gets a sequence right whatever it weighs, and cannot make use of weights",
           [](const MethodInfo& m) { return m.method != M::pa; });
  }
}

void check_data(const MethodChoice& choice, const MethodInfo& method) {
  const auto refuse_objective = [&](const char* what, bool (*can)(const ObjectiveInfo&)) {
    std::vector<const ObjectiveInfo*> others;
    for (const ObjectiveInfo& each : objective_table()) {
      if (can(each)) others.push_back(&each);
    }
    throw UsageError(objective(choice.objective) + " " + what + "; these do: " +
                     list_of(others, [](const ObjectiveInfo* each) { return each->name; }));
  };
  if (choice.partial && !info(choice.objective).partial) {
    refuse_objective("wants every label known", [](const ObjectiveInfo& o) { return o.partial; });
  }
  if (choice.order > 1 && !info(choice.objective).order) {
    refuse_objective("goes with --order 1 only", [](const ObjectiveInfo& o) { return o.order; });
  }
  if (!choice.independent && is_by_weight(method)) {
    refuse(choice, "goes with --model maxent only, whose positions do not depend on each other",
           [](const MethodInfo& m) { return !is_by_weight(m); });
  }
  if (choice.order > 1 && !has_order(method)) {
    refuse(choice, "goes with --order 1 only", has_order);
  }
  if (choice.partial && !has_partial(method)) {
    refuse(choice, "wants every label known", has_partial);
  }
}

void check_prior(const MethodChoice& choice, const MethodInfo& method) {
  const Regulariser& r = choice.regulariser;
  if ((choice.prior || choice.variances) && is_by_weight(method)) {
    refuse(choice, "has one penalty for all weights, without --prior and --variances",
           [](const MethodInfo& m) { return m.l2 && has_partial(m); });
  }
  if ((choice.prior || choice.variances) && (is_dual(method) || is_scaling(method) || !method.l2)) {
    throw UsageError(std::string(choice.prior ? "--prior" : "--variances") +
                     " goes with a penalty and an optimizer that sees the weights, and " +
                     optimizer(method) + " is none");
  }
  if (choice.init && method.method == M::span_lbfgs) {
    refuse(choice, "starts from 0, not from the weights of --init",
           [](const MethodInfo& m) { return m.init; });
  }
  if (choice.init && is_dual(method)) {
    throw UsageError(optimizer(method) +
                     " starts from its dual variables, not from the weights of --init");
  }
  if (choice.prior && r.l1 > 0) {
    throw UsageError("--prior is the mean of a Gaussian: it goes with --l1 0");
  }
  if (choice.prior && r.l2 == 0) {
    throw UsageError(
        "--prior is the mean of the penalty, and with --l2 0 there is none: give "
        "--l2, or --init to start from the same weights without a penalty");
  }
  if (choice.variances && r.l1 == 0 && r.l2 == 0) {
    throw UsageError(
        "--variances scales the penalty, and with --l1 0 and --l2 0 there is none: "
        "give one of them, or leave out --variances");
  }
}

}  // namespace

const std::vector<ObjectiveInfo>& objective_table() {
  static const std::vector<ObjectiveInfo> table = {
      {O::likelihood, "likelihood", "log p(y|x)", M::sgd_lbfgs, M::owlqn, true, true, false},
      {O::pseudolikelihood, "pseudolikelihood", "log p of each label given its neighbours",
       M::lbfgs, M::owlqn, false, false, false},
      {O::per_edge, "per-edge", "log p of each pair of labels given its neighbours", M::lbfgs,
       M::owlqn, false, false, false},
      {O::composite, "composite", "log p of each run of --block labels given its neighbours",
       M::lbfgs, M::owlqn, false, false, false},
      {O::marginal, "marginal", "log of the marginal of each label; not convex", M::lbfgs, M::owlqn,
       true, false, false},
      {O::piecewise, "piecewise", "positions and transitions each for themselves", M::lbfgs,
       M::owlqn, false, false, false},
      {O::local, "local", "log p of each label given the one before, of --model memm", M::lbfgs,
       M::owlqn, false, false, false},
      {O::softmax_margin, "softmax-margin", "the likelihood, where mistakes have costs",
       M::sgd_lbfgs, M::owlqn, true, true, true},
      {O::max_margin, "max-margin", "the hinge: the best labelling may not come within its cost",
       M::frank_wolfe, M::adagrad_rda, false, true, true},
      {O::perceptron, "perceptron", "corrects each labelling that is wrong", M::averaged_perceptron,
       M::averaged_perceptron, false, true, false},
      {O::passive_aggressive, "passive-aggressive", "the least change that gets a sequence right",
       M::pa_1, M::pa_1, false, true, true},
      {O::arow, "arow", "the same, with a variance of each weight", M::arow, M::arow, false, true,
       true}};
  return table;
}

const std::vector<MethodInfo>& method_table() {
  static const std::vector<O> likelihood = {O::likelihood};
  static const std::vector<O> dual = {O::likelihood, O::max_margin};
  static const std::vector<O> margin = {O::max_margin};
  static const std::vector<O> perceptron = {O::perceptron};
  static const std::vector<O> passive = {O::passive_aggressive};
  static const std::vector<MethodInfo> table = {
      {.method = M::sgd_lbfgs,
       .name = "sgd-lbfgs",
       .summary = "averaged SGD, then L-BFGS",
       .objectives = kConvexSmooth,
       .settings = {"history", "step", "sgd-passes", "batch"}},
      {.method = M::lbfgs,
       .name = "lbfgs",
       .summary = "limited-memory BFGS",
       .objectives = kSmooth,
       .settings = {"history"},
       .free = true},
      {.method = M::span_lbfgs,
       .name = "span-lbfgs",
       .summary = "L-BFGS in the span of the examples, of --model maxent",
       .objectives = likelihood,
       .settings = {"history"},
       .needs_l2 = true,
       .free = true,
       .init = false,
       .independent = true},
      {.method = M::owlqn,
       .name = "owlqn",
       .summary = "orthant-wise L-BFGS, for --l1",
       .objectives = kSmooth,
       .settings = {"history"},
       .l1 = true,
       .free = true},
      {.method = M::steepest_descent,
       .name = "steepest-descent",
       .summary = "along the gradient, with a line search",
       .objectives = kSmooth,
       .settings = {},
       .free = true},
      {.method = M::cg,
       .name = "cg",
       .summary = "nonlinear conjugate gradient",
       .objectives = kSmooth,
       .settings = {},
       .free = true},
      {.method = M::preconditioned_cg,
       .name = "preconditioned-cg",
       .summary = "the same, with a diagonal preconditioner",
       .objectives = kSmooth,
       .settings = {},
       .free = true},
      {.method = M::mixed_cg,
       .name = "mixed-cg",
       .summary = "preconditioned at first, then not",
       .objectives = kSmooth,
       .settings = {},
       .free = true},
      {.method = M::bfgs,
       .name = "bfgs",
       .summary = "full-matrix BFGS; up to 5,000 weights",
       .objectives = kSmooth,
       .settings = {},
       .free = true},
      {.method = M::newton,
       .name = "newton",
       .summary = "full Newton; up to 5,000 weights",
       .objectives = kCurved,
       .settings = {},
       .free = true},
      {.method = M::truncated_newton,
       .name = "truncated-newton",
       .summary = "Newton by conjugate gradients, in a trust region",
       .objectives = kCurved,
       .settings = {},
       .free = true},
      {.method = M::gis,
       .name = "gis",
       .summary = "generalised iterative scaling",
       .objectives = likelihood,
       .settings = {}},
      {.method = M::iis,
       .name = "iis",
       .summary = "improved iterative scaling",
       .objectives = likelihood,
       .settings = {}},
      {.method = M::sgd,
       .name = "sgd",
       .summary = "stochastic gradient descent",
       .objectives = kSteps,
       .settings = {"step", "schedule", "decay", "batch"},
       .l1 = true,
       .passes = true},
      {.method = M::averaged_sgd,
       .name = "averaged-sgd",
       .summary = "SGD, its weights averaged",
       .objectives = kSteps,
       .settings = {"step", "schedule", "decay", "batch", "average-from"},
       .passes = true},
      {.method = M::adagrad,
       .name = "adagrad",
       .summary = "SGD with a step for each weight",
       .objectives = kSteps,
       .settings = {"step", "batch"},
       .passes = true},
      {.method = M::adagrad_rda,
       .name = "adagrad-rda",
       .summary = "AdaGrad by regularised dual averaging, for --l1",
       .objectives = kSteps,
       .settings = {"step", "batch"},
       .l1 = true,
       .passes = true},
      {.method = M::smd,
       .name = "smd",
       .summary = "stochastic meta-descent",
       .objectives = kConvexSmooth,
       .settings = {"step", "batch"},
       .passes = true},
      {.method = M::sag,
       .name = "sag",
       .summary = "stochastic average gradient",
       .objectives = kConvexSmooth,
       .settings = {},
       .needs_l2 = true,
       .passes = true},
      {.method = M::async_sgd,
       .name = "async-sgd",
       .summary = "SGD without locks; with several threads not reproducible",
       .objectives = kSteps,
       .settings = {"step", "schedule", "decay"},
       .passes = true},
      {.method = M::coordinate_descent,
       .name = "coordinate-descent",
       .summary = "one weight after the other, of --model maxent",
       .objectives = likelihood,
       .settings = {},
       .l1 = true,
       .free = true,
       .passes = true,
       .independent = true},
      {.method = M::dual_ascent,
       .name = "dual-ascent",
       .summary = "exponentiated gradient on the dual, with the best steps",
       .objectives = likelihood,
       .settings = {"gap"},
       .needs_l2 = true,
       .passes = true,
       .init = false},
      {.method = M::sdca,
       .name = "sdca",
       .summary = "stochastic dual coordinate ascent",
       .objectives = likelihood,
       .settings = {"gap"},
       .needs_l2 = true,
       .passes = true,
       .init = false},
      {.method = M::eg,
       .name = "eg",
       .summary = "exponentiated gradient on the dual",
       .objectives = dual,
       .settings = {"step", "gap"},
       .needs_l2 = true,
       .passes = true,
       .init = false},
      {.method = M::batch_eg,
       .name = "batch-eg",
       .summary = "the same, all sequences in a step",
       .objectives = dual,
       .settings = {"step", "gap"},
       .needs_l2 = true,
       .init = false},
      {.method = M::frank_wolfe,
       .name = "frank-wolfe",
       .summary = "block-coordinate Frank-Wolfe on the dual",
       .objectives = margin,
       .settings = {"gap"},
       .needs_l2 = true,
       .passes = true,
       .init = false},
      {.method = M::smo,
       .name = "smo",
       .summary = "pairs of labellings on the dual; kernels",
       .objectives = margin,
       .settings = {"gap", "kernel"},
       .needs_l2 = true,
       .passes = true,
       .init = false},
      {.method = M::perceptron,
       .name = "perceptron",
       .summary = "the last weights",
       .objectives = perceptron,
       .settings = {},
       .l2 = false,
       .passes = true},
      {.method = M::averaged_perceptron,
       .name = "averaged-perceptron",
       .summary = "the average of all weights on the way",
       .objectives = perceptron,
       .settings = {},
       .l2 = false,
       .passes = true},
      {.method = M::pass_perceptron,
       .name = "pass-perceptron",
       .summary = "a pass's corrections, averaged to one step",
       .objectives = perceptron,
       .settings = {"step"},
       .l2 = false,
       .passes = true},
      {.method = M::voted_perceptron,
       .name = "voted-perceptron",
       .summary = "a vote of all weights on the way",
       .objectives = perceptron,
       .settings = {},
       .l2 = false,
       .passes = true},
      {.method = M::pa,
       .name = "pa",
       .summary = "whatever the change costs",
       .objectives = passive,
       .settings = {},
       .l2 = false,
       .passes = true},
      {.method = M::pa_1,
       .name = "pa-1",
       .summary = "a change of --aggressiveness at most",
       .objectives = passive,
       .settings = {"aggressiveness"},
       .l2 = false,
       .passes = true},
      {.method = M::pa_2,
       .name = "pa-2",
       .summary = "a change that costs its square",
       .objectives = passive,
       .settings = {"aggressiveness"},
       .l2 = false,
       .passes = true},
      {.method = M::mira,
       .name = "mira",
       .summary = "gets the --best labellings right at once",
       .objectives = passive,
       .settings = {"aggressiveness", "best"},
       .l2 = false,
       .passes = true},
      {.method = M::arow,
       .name = "arow",
       .summary = "adaptive regularisation of weights",
       .objectives = {O::arow},
       .settings = {"variance", "gamma"},
       .l2 = false,
       .passes = true}};
  return table;
}

const ObjectiveInfo& info(Objective objective) {
  return *std::ranges::find(objective_table(), objective, &ObjectiveInfo::objective);
}

const MethodInfo& info(Method method) {
  return *std::ranges::find(method_table(), method, &MethodInfo::method);
}

Objective objective_named(std::string_view name) {
  const auto at = std::ranges::find(objective_table(), name, &ObjectiveInfo::name);
  if (at != objective_table().end()) return at->objective;
  throw UsageError("there is no objective " + in_quotes(name) + "; there are " +
                   list_of(objective_table(), [](const ObjectiveInfo& each) { return each.name; }));
}

Method method_named(std::string_view name) {
  const auto at = std::ranges::find(method_table(), name, &MethodInfo::name);
  if (at != method_table().end()) return at->method;
  throw UsageError("there is no optimizer " + in_quotes(name) + "; there are " +
                   methods_where([](const MethodInfo&) { return true; }));
}

std::vector<std::string_view> settings_of(const MethodSettings& s) {
  std::vector<std::string_view> names;
  const auto add = [&](const auto& value, std::string_view name) {
    if (value) names.push_back(name);
  };
  add(s.history, "history");
  add(s.step, "step");
  add(s.schedule, "schedule");
  add(s.decay, "decay");
  add(s.batch, "batch");
  add(s.average_from, "average-from");
  add(s.passes, "sgd-passes");
  add(s.aggressiveness, "aggressiveness");
  add(s.best, "best");
  add(s.variance, "variance");
  add(s.gamma, "gamma");
  add(s.gap, "gap");
  add(s.kernel, "kernel");
  return names;
}

Method default_method(Objective objective, const Regulariser& regulariser, bool from_weights) {
  const ObjectiveInfo& own = info(objective);
  if (regulariser.l1 > 0) return own.with_l1;
  return from_weights && own.by_default == M::sgd_lbfgs ? M::lbfgs : own.by_default;
}

bool has_precision(Method method) {
  const MethodInfo& m = info(method);
  return !is_dual(m) && !is_scaling(m) && (!m.passes || method == M::pass_perceptron);
}

void check_choice(const MethodChoice& choice) {
  const MethodInfo& method = info(choice.method);
  check_pair(choice, method);
  check_penalties(choice, method);
  check_settings(choice, method);
  check_use(choice, method);
  check_data(choice, method);
  check_prior(choice, method);
}

}  // namespace croft
