#include "train/methods/choice.h"

#include <algorithm>

#include "croft/core/error.h"

namespace croft {
namespace {

using O = Objective;
using M = Method;

std::string names_of(const std::vector<Objective>& objectives) {
  std::string names;
  for (const Objective each : objectives) {
    names += (names.empty() ? "" : ", ") + std::string(name_of(each));
  }
  return names;
}

// Of those that the structure has.
std::string methods_where(const MethodChoice& choice, const auto& condition) {
  std::vector<Method> found;
  for (const MethodInfo& each : method_table()) {
    const bool known =
        std::ranges::find(each.structures, choice.structure) != each.structures.end();
    if (known && condition(each)) found.push_back(each.method);
  }
  return names_of(found);
}

Message optimizer(const MethodInfo& method) { return {"--optimizer ", method.name}; }
Message objective(const MethodChoice& choice) {
  return {"--objective ", name_of(choice.objective)};
}

// Works on dual variables: by the gap, from nothing, with labels that are known.
bool is_dual(const MethodInfo& method) { return !method.init && !method.independent; }
// Stops by the gap between a lower bound and the objective, not by the objective's change.
bool is_by_gap(const MethodInfo& method) {
  return is_dual(method) || method.method == M::cutting_planes;
}
bool is_scaling(const MethodInfo& method) {
  return method.method == M::gis || method.method == M::iis;
}
bool is_by_weight(const MethodInfo& method) { return method.independent; }
bool has_order(const MethodInfo& method) {
  return method.method == M::dual_ascent || (!is_dual(method) && !is_scaling(method) &&
                                             !is_by_weight(method) && method.method != M::mira);
}
bool has_partial(const MethodInfo& method) {
  return !is_dual(method) && !is_scaling(method) && !is_by_weight(method);
}

// The method cannot do something: which others of the objective can.
[[noreturn]] void refuse(const MethodChoice& choice, const Message& what, const auto& can) {
  throw UsageError(optimizer(info(choice.method)), " ", what, "; with ", objective(choice),
                   " these can: ", methods_where(choice, [&](const MethodInfo& m) {
                     return goes_with(m.method, choice.objective, choice.structure) && can(m);
                   }));
}

void check_pair(const MethodChoice& choice, const MethodInfo& method) {
  if (goes_with(method.method, choice.objective, choice.structure)) return;
  const Message asked = optimizer(method);
  const std::string others = names_of(methods_of(choice.objective, choice.structure));
  switch (choice.structure) {
    case Structure::chain:
      throw UsageError(asked, " does not minimise ", objective(choice), "; these do: ", others,
                       ".  It goes with --objective ", names_of(objectives_of(method.method)));
    case Structure::segments:
      throw UsageError(asked, " is none of those of --model segment with ", objective(choice), ": ",
                       others);
    case Structure::joint:
      throw UsageError(asked, " knows no joint features; with --joint-template there are ", others);
    case Structure::graph:
      throw UsageError(objective(choice), " of a graph cannot be minimised by ", asked,
                       "; there are ", others);
  }
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
    throw UsageError(objective(choice), " has no penalty: leave out --l2");
  }
}

// What is set must mean something: to the method, and beside the other settings.
void check_settings(const MethodChoice& choice, const MethodInfo& method) {
  const MethodSettings& s = choice.settings;
  for (const std::string_view name : settings_of(s)) {
    if (method.takes_setting(name)) continue;
    const std::string others =
        methods_where(choice, [&](const MethodInfo& m) { return m.takes_setting(name); });
    const Message nothing(Message::option(name), " means nothing to ");
    if (others == "none") {
      throw UsageError(
          nothing, "the optimizers of ",
          choice.structure == Structure::joint ? Message("--joint-template") : "--model segment",
          "; leave it out");
    }
    throw UsageError(nothing, optimizer(method),
                     choice.by_default ? Message(", which is the default here") : "",
                     "; it goes with ", others);
  }
  if (s.decay && s.schedule != StepSchedule::constant) {
    throw UsageError(
        "--decay goes with --schedule constant: the other schedules shrink the steps "
        "in their own way");
  }
  if (s.passes == 0 && (s.step || s.batch)) {
    throw UsageError(
        s.step ? Message("--step") : "--batch",
        " is of the passes of SGD, and --sgd-passes 0 makes none: leave out one of the two");
  }
  if (s.average_from && *s.average_from > choice.max_iterations) {
    throw UsageError("--average-from ", *s.average_from,
                     " is after the last pass, --max-iterations ", choice.max_iterations,
                     ": nothing would be averaged");
  }
  if (s.kernel && choice.order > 1) throw UsageError("--kernel goes with --order 1");
}

void check_tolerance(const MethodChoice& choice, const MethodInfo& method) {
  if ((!choice.tolerance && !choice.window) || !is_by_gap(method)) return;
  throw UsageError(choice.tolerance ? Message("--tolerance") : "--window",
                   " is of the objective's change, by which ", optimizer(method),
                   " does not stop: give --gap, the distance from the minimum");
}

// Graphs say it in fewer words.
void check_graph_method(const MethodChoice& choice, const MethodInfo& method) {
  const MethodSettings& s = choice.settings;
  const auto require = [&](bool holds, const Message& what) {
    if (!holds) throw UsageError(optimizer(method), " ", what);
  };
  require(choice.regulariser.l1 == 0 || method.l1, "knows no --l1");
  require(choice.regulariser.l2 == 0 || method.l2, "knows no --l2; give --l2 0");
  require(choice.regulariser.l2 > 0 || !method.needs_l2, "needs --l2 above 0");
  for (const std::string_view name : settings_of(s)) {
    if (method.takes_setting(name)) continue;
    throw UsageError(Message::option(name), " means nothing to ", optimizer(method),
                     choice.by_default ? Message(", the default here") : "", "; leave it out");
  }
  if (s.decay && s.schedule != StepSchedule::constant) {
    throw UsageError("--decay goes with --schedule constant");
  }
  check_tolerance(choice, method);
}

// The same of what every training has, and some have no use for.
void check_use(const MethodChoice& choice, const MethodInfo& method) {
  if (choice.block && choice.objective != O::composite) {
    throw UsageError("--block is the length of the runs of --objective composite; ",
                     name_of(choice.objective), " has none: leave it out");
  }
  check_tolerance(choice, method);
  if (choice.single && !has_precision(choice.method)) {
    refuse(choice, "computes in double: --precision single means nothing to it",
           [](const MethodInfo& m) { return has_precision(m.method); });
  }
  if (choice.weighted && choice.method == M::pa) {
    refuse(choice, "gets a sequence right whatever it weighs, and cannot make use of weights",
           [](const MethodInfo& m) { return m.method != M::pa; });
  }
}

void check_unlabelled(const MethodChoice& choice, const MethodInfo& method) {
  const auto not_convex = [](const MethodInfo& m) {
    return std::ranges::find(m.takes, Form::not_convex) != m.takes.end() && !m.passes;
  };
  if (choice.unlabelled && !not_convex(method)) {
    refuse(choice, "has no use for data without labels (--unlabelled)", not_convex);
  }
}

void check_data(const MethodChoice& choice, const MethodInfo& method) {
  check_unlabelled(choice, method);
  const auto require = [&](const Message& what, bool ObjectiveInfo::*can) {
    if (info(choice.objective, choice.structure).*can) return;
    std::vector<Objective> others;
    for (const ObjectiveInfo& each : objective_table(choice.structure)) {
      if (each.*can) others.push_back(each.objective);
    }
    throw UsageError(objective(choice), " ", what, "; these do: ", names_of(others));
  };
  if (choice.partial) require("wants every label known", &ObjectiveInfo::partial);
  if (choice.order > 1) require("goes with --order 1 only", &ObjectiveInfo::order);
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
    refuse(choice,
           {"has one penalty for all weights, without ",
            choice.prior ? Message("--prior") : "--variances"},
           [](const MethodInfo& m) { return m.l2 && has_partial(m); });
  }
  if ((choice.prior || choice.variances) && (is_dual(method) || is_scaling(method) || !method.l2)) {
    throw UsageError(choice.prior ? Message("--prior") : "--variances",
                     " goes with a penalty and an optimizer that sees the weights, and ",
                     optimizer(method), " is none");
  }
  if (choice.init && method.method == M::span_lbfgs) {
    refuse(choice, "starts from 0, not from the weights of --init",
           [](const MethodInfo& m) { return m.init; });
  }
  if (choice.init && is_dual(method)) {
    throw UsageError(optimizer(method),
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

void check_choice(const MethodChoice& choice) {
  const MethodInfo& method = info(choice.method);
  check_pair(choice, method);
  if (choice.structure == Structure::graph) {
    check_unlabelled(choice, method);
    return check_graph_method(choice, method);
  }
  check_penalties(choice, method);
  check_settings(choice, method);
  check_use(choice, method);
  check_data(choice, method);
  check_prior(choice, method);
}

}  // namespace croft
