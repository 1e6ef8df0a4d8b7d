// Exact methods.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "app/infer/infer_auto.h"
#include "app/infer/infer_methods.h"
#include "core/infinity.h"
#include "core/words/counted.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/core/random.h"
#include "croft/inference/elimination_order.h"
#include "croft/inference/graph_brute_force.h"
#include "croft/inference/junction_tree.h"
#include "inference/graph/exact/conditioning.h"
#include "inference/graph/exact/recursive_conditioning.h"
#include "inference/graph/exact/sum_reduction.h"
#include "inference/graph/search/counting_search.h"

namespace croft {
namespace {

using enum GraphTask;

constexpr double kMostAssignments = 1 << 26;  // of brute force

// By the settings `order` and `restarts`, unless one is there already.
EliminationOrder order_of(const InferProblem& p) {
  if (p.order) return *p.order;
  auto options = options_of<EliminationOptions>(p);
  const Settings settings(p.request);
  if (options.restarts < 1) throw UsageError("--set restarts must be at least 1");
  EliminationRule rule{};
  settings.read("order", rule, elimination_rule);
  if (settings.find("order") != nullptr) options.rules = {rule};
  return find_elimination_order(p.for_tables, options);
}

// With their probabilities.
void take_ranked(std::vector<BestAssignment> found, JunctionTree& tree, InferResult& result) {
  if (found.empty()) fail_without_assignment();
  const double log_z = tree.log_partition();
  result.log_partition = log_z;
  result.bound = found.front().score;
  result.assignment = found.front().states;
  for (BestAssignment& each : found) {
    const double p = std::min(1.0, std::exp(each.score - log_z));
    result.k_best.push_back({std::move(each.states), each.score, p});
  }
}

// Of a JunctionTree, or of what has its answers.
template <class Tree>
void ask(Tree& tree, const InferProblem& p, InferResult& result) {
  switch (p.request.task) {
    case partition:
      result.log_partition = tree.log_partition();
      return;
    case marginals: {
      GraphMarginals found = tree.marginals();
      result.log_partition = found.log_partition;
      result.marginals = std::move(found.variable);
      return;
    }
    case map:
    case marginal_map: {
      if constexpr (requires { tree.k_best(1); }) {
        if (p.request.k_best) return take_ranked(tree.k_best(*p.request.k_best), tree, result);
      }
      BestAssignment found = tree.best();
      if (!std::isfinite(found.score)) fail_without_assignment();
      result.assignment = std::move(found.states);
      result.bound = found.score;
      return;
    }
    case sample: {
      Random random(p.request.seed);
      const std::size_t wanted = p.request.samples.value_or(1);
      result.samples = tree.samples(wanted, random);
      result.converged = result.samples.size() == wanted;
      if (!result.converged) {
        result.notes.push_back(fmt::format("stopped after {} of {}", result.samples.size(),
                                           counted(wanted, "sample")));
      }
      return;
    }
  }
}

// What has no number before its end: a stop is an error that says how far it came.
template <class Work>
auto to_the_end(const InferResult& result, const Work& work) {
  try {
    return work();
  } catch (const Interrupted& stop) {
    const Message text(result.method, " was ", stop.message(),
                       "; give it more --time, or take another --method");
    if (interruption) throw Interrupted(text);  // a Ctrl-C has an exit status of its own
    throw Error(text);
  }
}

}  // namespace

void run_junction_tree(const InferProblem& p, InferResult& result) {
  std::optional<JunctionTree> planned;
  to_the_end(result, [&] {
    planned.emplace(p.for_tables, order_of(p), p.progress);
    result.memory_bytes = planned->bytes();
  });
  JunctionTree& tree = *planned;
  if (tree.bytes() > p.memory) {
    throw Error("the junction tree needs ", memory_text(tree.bytes()), " of memory, and ",
                memory_text(p.memory), " are allowed; give --memory ",
                fmt::format("{}", std::ceil(tree.bytes() / (1 << 20))),
                "M, or --method recursive-conditioning, which takes more time instead, or another");
  }
  to_the_end(result, [&] { ask(tree, p, result); });
}

namespace {

void ask_tree_or_recursion(const InferProblem& p, InferResult& result) {
  JunctionTree tree(p.for_tables, *p.order, p.share);
  if (tree.bytes() <= p.memory) {
    result.memory_bytes = tree.bytes();
    return ask(tree, p, result);
  }
  auto options = options_of<ConditioningOptions>(p);
  options.order = p.order;
  options.progress = p.share;
  const RecursionPlan plan = plan_recursion(p.for_tables, options);
  result.method = "recursive-conditioning";
  result.memory_bytes = plan.bytes;
  p.plan(fmt::format("recursive-conditioning: {} are gone through state by state",
                     counted(plan.fixed.size(), "variable")));
  RecursiveConditioning conditioned(p.for_tables, plan, p.share);
  ask(conditioned, p, result);
}

}  // namespace

Message try_exact(const InferProblem& p, InferResult& result) {
  return to_the_end(result, [&]() -> Message {
    try {
      ask_tree_or_recursion(p, result);
      return {};
    } catch (const Interrupted& stop) {
      if (interruption || result.stopped) throw;
      return stop.message();
    }
  });
}

void run_exact_then_estimate(const InferProblem& p, InferResult& result) {
  const Message why = try_exact(p, result);
  if (why.empty()) return;
  result.reason = {result.reason, "; ", result.method, " was ", why};
  if (p.request.task != map) return estimate_sums(p, result);
  const AutoChoice other = auto_without_junction_tree(p);
  result.reason = {result.reason, "; ", other.why};
  result.method = other.method;
  result.memory_bytes = {};
  p.plan(fmt::format("{}: {}", result.method, result.reason.text()));
  infer_method_named(result.method)->run(p, result);
}

namespace {

void run_recursive_conditioning(const InferProblem& p, InferResult& result) {
  auto options = options_of<ConditioningOptions>(p);
  options.order = p.order;
  const RecursionPlan plan =
      to_the_end(result, [&] { return plan_recursion(p.for_tables, options); });
  result.memory_bytes = plan.bytes;
  p.plan(fmt::format("{} are gone through state by state: 2^{:.1f} joint states in all",
                     counted(plan.fixed.size(), "variable"), plan.log2_joint_states));
  RecursiveConditioning tree(p.for_tables, plan, p.progress);
  to_the_end(result, [&] { ask(tree, p, result); });
}

void run_conditioning(const InferProblem& p, InferResult& result) {
  const auto options = options_of<ConditioningOptions>(p);
  const ConditioningPlan plan =
      to_the_end(result, [&] { return plan_conditioning(p.for_tables, options); });
  result.memory_bytes = plan.bytes;
  p.plan(fmt::format("cutset of {}: 2^{:.1f} junction trees, 2^{:.1f} joint states in all",
                     counted(plan.cutset.size(), "variable"), plan.log2_cutset,
                     plan.log2_joint_states));
  if (p.request.task == partition) {
    const ConditionedSum sum = conditioned_log_partition(p.for_tables, plan, p.progress);
    take(sum.convergence, result);
    result.kind = sum.kind;
    result.log_partition = sum.log_partition;
  } else if (p.request.task == marginals) {
    ConditionedMarginals found = conditioned_marginals(p.for_tables, plan, p.progress);
    take(found.sum.convergence, result);
    // After a stop log Z has a lower bound, and marginals an estimate: the lesser promise.
    result.kind = found.sum.kind == ResultKind::exact ? ResultKind::exact : ResultKind::estimate;
    result.log_partition = found.sum.log_partition;
    result.marginals = std::move(found.variable);
  } else {
    take(p, conditioned_best(p.for_tables, plan, p.progress), result);
  }
}

void run_counting_search(const InferProblem& p, InferResult& result) {
  const bool wants_marginals = p.request.task == marginals;
  const SumReduction reduction(p.for_tables, wants_marginals, p.progress);
  CountingOptions options{.max_nodes = p.request.max_iterations.value_or(0), .memory = p.memory};
  options.marginals = wants_marginals;
  const CountingResult found = counting_search(reduction.graph(), options, p.progress);
  result.iterations = found.nodes;
  if (!found.finished) {
    const Message text(result.method,
                       " was stopped, and has no number before its end; give it more --time, "
                       "--memory or --max-iterations, or take another --method");
    if (interruption) throw Interrupted(text);
    throw Error(text);
  }
  result.log_partition = found.log_partition;
  if (!wants_marginals) return;
  if (found.log_partition == -kInf) fail_without_assignment();
  result.marginals = reduction.marginals(found.marginals, {}, {});
}

void run_brute_force(const InferProblem& p, InferResult& result) {
  double assignments = 1;
  for (Variable v = 0; v < p.graph.variables(); ++v) {
    assignments *= static_cast<double>(p.graph.states(v));
  }
  if (assignments > kMostAssignments) {
    throw Error("brute-force goes through all assignments, and there are 2^",
                fmt::format("{:.1f}", std::log2(assignments)), "; at most 2^",
                fmt::format("{:.0f}", std::log2(kMostAssignments)),
                " are tried: give another --method");
  }
  GraphBruteForce all = brute_force(p.graph);
  const bool possible = std::isfinite(all.log_partition);
  if (!possible && p.request.task != partition) fail_without_assignment();
  if (p.request.task == map) {
    result.assignment = std::move(all.best);
    result.bound = all.best_score;
    return;
  }
  result.log_partition = all.log_partition;
  if (p.request.task == marginals) result.marginals = std::move(all.variable);
}

constexpr InferOptions kPlans{.seconds = true, .memory = true};
constexpr InferOptions kRanks{.seconds = true, .memory = true, .k_best = true};

}  // namespace

std::vector<InferMethod> exact_methods() {
  return {
      {"junction-tree",
       "exact; time and memory grow with the cliques of an elimination order",
       {partition, marginals, map, sample},
       kRanks,
       {{"order", "min-fill|weighted-min-fill|min-weight|min-degree"}, {"restarts", "N"}},
       run_junction_tree},
      {"variable-elimination",
       "exact: the messages of a junction tree towards its root alone",
       {partition, map},
       kRanks,
       {{"order", "min-fill|weighted-min-fill|min-weight|min-degree"}, {"restarts", "N"}},
       run_junction_tree},
      {"brute-force",
       "exact, by all assignments of small graphs: to check others against",
       {partition, marginals, map},
       {},
       {},
       run_brute_force},
      {"cutset-conditioning",
       "exact, by a junction tree for each state of a few variables: time instead of memory",
       {partition, marginals, map},
       kPlans,
       {{"restarts", "N"}},
       run_conditioning},
      {"recursive-conditioning",
       "exact, in as little memory as is allowed: some variables of a junction tree state by state",
       {partition, marginals, map, sample},
       kPlans,
       {{"restarts", "N"}},
       run_recursive_conditioning},
      {"counting-search",
       "exact, by search with a cache of components: formulas and other graphs of many zeros",
       {partition, marginals},
       kCountsInMemory,
       {},
       run_counting_search},
  };
}

}  // namespace croft
