#include "train/methods/methods.h"

#include <algorithm>

#include "core/words/closest_name.h"
#include "croft/core/error.h"

namespace croft {
namespace {

using F = Form;
using M = Method;
using S = Structure;

const std::vector<F> kSmooth = {F::log_loss, F::curved, F::smooth, F::not_convex};
const std::vector<F> kCurved = {F::log_loss, F::curved};
const std::vector<F> kConvex = {F::log_loss, F::curved, F::smooth};
// With a subgradient at least; and without a value.
const std::vector<F> kSteps = {F::log_loss, F::curved, F::smooth, F::not_convex, F::hinge};
const std::vector<F> kDrawn = {F::log_loss,   F::curved, F::smooth,
                               F::not_convex, F::hinge,  F::directions};

const std::vector<S> kAll = {S::chain, S::segments, S::joint, S::graph};
const std::vector<S> kChain = {S::chain}, kCurvedOnes = {S::chain, S::joint},
                     kNotSegments = {S::chain, S::joint, S::graph},
                     kNotGraph = {S::chain, S::segments, S::joint},
                     kSequences = {S::chain, S::segments}, kDualOnes = {S::chain, S::graph},
                     kWithHinge = {S::chain, S::segments, S::graph};

// What a method can and cannot do.
enum Traits : unsigned {
  kL1 = 1,
  kNoL2 = 2,
  kNeedsL2 = 4,
  kFree = 8,
  kPasses = 16,
  kNoInit = 32,
  kIndependent = 64,
  kShared = 128,   // the function is summed over parts of the data
  kInParts = 256,  // each process goes its own way on its part
  kOnline = kNoL2 | kPasses,
  kDual = kNeedsL2 | kNoInit
};

MethodInfo row(M method, std::string_view name, std::string_view summary,
               const std::vector<F>& takes, const std::vector<S>& structures,
               std::vector<std::string_view> settings, unsigned traits) {
  const auto is = [&](Traits trait) { return (traits & trait) != 0; };
  return {.method = method,
          .name = name,
          .summary = summary,
          .takes = takes,
          .structures = structures,
          .settings = std::move(settings),
          .l1 = is(kL1),
          .l2 = !is(kNoL2),
          .needs_l2 = is(kNeedsL2),
          .free = is(kFree),
          .passes = is(kPasses),
          .init = !is(kNoInit),
          .independent = is(kIndependent),
          .distributed = is(kShared)    ? Distributed::function
                         : is(kInParts) ? Distributed::parts
                                        : Distributed::no};
}

}  // namespace

const std::vector<MethodInfo>& method_table() {
  static const std::vector<MethodInfo> table = {
      row(M::sgd_lbfgs, "sgd-lbfgs", "averaged SGD, then L-BFGS", kConvex, kAll,
          {"history", "step", "sgd-passes", "batch"}, 0),
      row(M::lbfgs, "lbfgs", "limited-memory BFGS", kSmooth, kAll, {"history"}, kFree | kShared),
      row(M::span_lbfgs, "span-lbfgs", "L-BFGS in the span of the examples, of --model maxent",
          {F::log_loss}, kChain, {"history"}, kNeedsL2 | kFree | kNoInit | kIndependent),
      row(M::owlqn, "owlqn", "orthant-wise L-BFGS, for --l1", kSmooth, kAll, {"history"},
          kL1 | kFree | kShared),
      row(M::steepest_descent, "steepest-descent", "along the gradient, with a line search",
          kSmooth, kAll, {}, kFree | kShared),
      row(M::cg, "cg", "nonlinear conjugate gradient", kSmooth, kAll, {}, kFree | kShared),
      row(M::preconditioned_cg, "preconditioned-cg", "the same, with a diagonal preconditioner",
          kSmooth, kNotSegments, {}, kFree | kShared),
      row(M::mixed_cg, "mixed-cg", "preconditioned at first, then not", kSmooth, kNotSegments, {},
          kFree | kShared),
      row(M::bfgs, "bfgs", "full-matrix BFGS; up to 5,000 weights", kSmooth, kAll, {},
          kFree | kShared),
      row(M::newton, "newton", "full Newton; up to 5,000 weights", kCurved, kCurvedOnes, {},
          kFree | kShared),
      row(M::truncated_newton, "truncated-newton",
          "Newton by conjugate gradients, in a trust region", kCurved, kCurvedOnes, {},
          kFree | kShared),
      row(M::gis, "gis", "generalised iterative scaling", {F::log_loss}, kCurvedOnes, {}, 0),
      row(M::iis, "iis", "improved iterative scaling", {F::log_loss}, kCurvedOnes, {}, 0),
      row(M::sgd, "sgd", "stochastic gradient descent", kDrawn, kAll,
          {"step", "schedule", "decay", "batch"}, kL1 | kPasses),
      row(M::averaged_sgd, "averaged-sgd", "SGD, its weights averaged", kDrawn, kAll,
          {"step", "schedule", "decay", "batch", "average-from"}, kPasses),
      row(M::adagrad, "adagrad", "SGD with a step for each weight", kSteps, kAll, {"step", "batch"},
          kPasses),
      row(M::adagrad_rda, "adagrad-rda", "AdaGrad by regularised dual averaging, for --l1", kSteps,
          kAll, {"step", "batch"}, kL1 | kPasses),
      row(M::smd, "smd", "stochastic meta-descent", kConvex, kAll, {"step", "batch"}, kPasses),
      row(M::sag, "sag", "stochastic average gradient", kConvex, kAll, {}, kNeedsL2 | kPasses),
      row(M::async_sgd, "async-sgd", "SGD without locks; with several threads not reproducible",
          kSteps, kNotGraph, {"step", "schedule", "decay"}, kPasses),
      row(M::coordinate_descent, "coordinate-descent",
          "one weight after the other, of --model maxent", {F::log_loss}, kChain, {},
          kL1 | kFree | kPasses | kIndependent),
      row(M::dual_ascent, "dual-ascent", "exponentiated gradient on the dual, with the best steps",
          {F::log_loss}, kSequences, {"gap"}, kDual | kPasses | kInParts),
      row(M::sdca, "sdca", "stochastic dual coordinate ascent", {F::log_loss}, kChain, {"gap"},
          kDual | kPasses),
      row(M::eg, "eg", "exponentiated gradient on the dual", {F::log_loss, F::hinge}, kChain,
          {"step", "gap"}, kDual | kPasses),
      row(M::batch_eg, "batch-eg", "the same, all sequences in a step", {F::log_loss, F::hinge},
          kChain, {"step", "gap"}, kDual),
      row(M::frank_wolfe, "frank-wolfe", "block-coordinate Frank-Wolfe on the dual", {F::hinge},
          kDualOnes, {"gap"}, kDual | kPasses),
      row(M::cutting_planes, "cutting-plane", "one-slack cutting planes: the fewest evaluations",
          {F::hinge}, kWithHinge, {"gap"}, kNeedsL2 | kShared),
      row(M::smo, "smo", "pairs of labellings on the dual; kernels", {F::hinge}, kChain,
          {"gap", "kernel"}, kDual | kPasses),
      row(M::perceptron, "perceptron", "the last weights", {F::mistakes}, kAll, {},
          kOnline | kInParts),
      row(M::averaged_perceptron, "averaged-perceptron", "the average of all weights on the way",
          {F::mistakes}, kAll, {}, kOnline | kInParts),
      row(M::pass_perceptron, "pass-perceptron", "a pass's corrections, averaged to one step",
          {F::mistakes}, kAll, {"step"}, kOnline | kShared),
      row(M::voted_perceptron, "voted-perceptron", "a vote of all weights on the way",
          {F::mistakes}, kChain, {}, kOnline),
      row(M::pa, "pa", "whatever the change costs", {F::margins}, kAll, {}, kOnline),
      row(M::pa_1, "pa-1", "a change of --aggressiveness at most", {F::margins}, kAll,
          {"aggressiveness"}, kOnline),
      row(M::pa_2, "pa-2", "a change that costs its square", {F::margins}, kAll, {"aggressiveness"},
          kOnline),
      row(M::mira, "mira", "gets the --best labellings right at once", {F::margins}, kChain,
          {"aggressiveness", "best"}, kOnline),
      row(M::arow, "arow", "adaptive regularisation of weights", {F::variances}, kSequences,
          {"variance", "gamma"}, kOnline)};
  return table;
}

const MethodInfo& info(Method method) {
  return *std::ranges::find(method_table(), method, &MethodInfo::method);
}

bool MethodInfo::takes_setting(std::string_view setting) const {
  return std::ranges::find(settings, setting) != settings.end();
}

Method method_named(std::string_view name) {
  std::vector<Method> all;
  std::vector<std::string_view> names;
  for (const MethodInfo& each : method_table()) {
    if (each.name == name) return each.method;
    all.push_back(each.method);
    names.push_back(each.name);
  }
  throw UsageError("there is no optimizer ", in_quotes(name), did_you_mean(name, names),
                   "; there are ", names_of(all));
}

std::string names_of(std::span<const Method> methods) {
  std::string names;
  for (const Method each : methods) {
    names += (names.empty() ? "" : ", ") + std::string(info(each).name);
  }
  return names.empty() ? "none" : names;
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

bool has_precision(Method method) {
  const MethodInfo& m = info(method);
  const bool dual = !m.init && !m.independent, scaling = method == M::gis || method == M::iis;
  return !dual && !scaling && (!m.passes || method == M::pass_perceptron);
}

}  // namespace croft
