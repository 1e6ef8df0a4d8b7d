#include "croft/app/infer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "app/infer/infer_methods.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/inference/elimination_order.h"
#include "croft/inference/junction_tree.h"
#include "inference/graph/exact/conditioning.h"
#include "inference/graph/exact/recursive_conditioning.h"
#include "structure/counters.h"

namespace croft {
namespace {

using Clock = std::chrono::steady_clock;

constexpr GraphTask kTasks[] = {GraphTask::partition, GraphTask::marginals, GraphTask::map,
                                GraphTask::sample};
constexpr double kMostLog2States = 32;  // half a minute or so
// Of a first order, from which no other comes down to what can be done.
constexpr double kHopelessLog2States = 48;
constexpr std::size_t kMostMillions = 4000;  // of steps that the search for an order takes

// Joint states a second that a junction tree goes through, a bit less than was measured: what a
// time limit is compared with.
double states_per_second(GraphTask task) { return task == GraphTask::partition ? 2e8 : 8e7; }

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double half_of_memory() {
  return 0.5 * static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<double>(::sysconf(_SC_PAGE_SIZE));
}

bool answers(const InferMethod& method, GraphTask task) {
  return std::ranges::find(method.tasks, task) != method.tasks.end();
}

const InferMethod* method_named(std::string_view name) {
  const auto methods = infer_methods();
  const auto at = std::ranges::find(methods, name, &InferMethod::name);
  return at == methods.end() ? nullptr : &*at;
}

std::string names_for(GraphTask task) {
  std::string list = "auto";
  for (const InferMethod& each : infer_methods()) {
    if (answers(each, task)) list += fmt::format(", {}", each.name);
  }
  return list;
}

std::string names_using(bool InferOptions::*option, GraphTask task) {
  std::string list;
  for (const InferMethod& each : infer_methods()) {
    if (each.uses.*option && answers(each, task)) {
      list += fmt::format("{}{}", list.empty() ? "" : ", ", each.name);
    }
  }
  return list.empty() ? "none for this task" : list;
}

std::string settings_of(const InferMethod& method) {
  std::string list;
  for (const InferSetting& each : method.settings) {
    list += fmt::format("{}{}={}", list.empty() ? "" : ", ", each.name, each.values);
  }
  return list.empty() ? "none" : list;
}

std::string options_of(const InferMethod& method) {
  std::string list;
  const auto add = [&](std::string_view option, bool uses) {
    if (uses) list += fmt::format("{}--{}", list.empty() ? "" : ", ", option);
  };
  add("max-iterations", method.uses.max_iterations);
  add("tolerance", method.uses.tolerance);
  add("time", method.uses.seconds);
  add("memory", method.uses.memory);
  add("k-best", method.uses.k_best);
  return list;
}

// The method and its options against the task.
void check(const InferMethod& method, const InferRequest& r) {
  if (!answers(method, r.task)) {
    throw UsageError("method ", method.name, " does not answer --task ", name_of(r.task),
                     "; methods that do: ", names_for(r.task));
  }
  const auto refuse = [&](const Message& option, bool InferOptions::*uses) {
    if (method.uses.*uses) return;
    throw UsageError("method ", method.name, " has no use for ", option,
                     "; methods that have: ", names_using(uses, r.task));
  };
  if (r.tolerance) refuse("--tolerance", &InferOptions::tolerance);
  if (r.max_iterations) refuse("--max-iterations", &InferOptions::max_iterations);
  if (r.seconds) refuse("--time", &InferOptions::seconds);
  if (r.proposal) refuse("a proposal", &InferOptions::proposal);
  if (r.memory > 0) refuse("--memory", &InferOptions::memory);
  if (r.k_best) refuse("--k-best", &InferOptions::k_best);
  for (const auto& [name, value] : r.settings) {
    if (std::ranges::find(method.settings, name, &InferSetting::name) != method.settings.end()) {
      continue;
    }
    throw UsageError(fmt::format("method {} has no setting {}; it has {}", method.name,
                                 in_quotes(name), settings_of(method)));
  }
}

// The cheapest that is found; where the first try is hopeless, others are not tried.  Throws
// TooWide; Interrupted where the search takes too much of what it is to save.
EliminationOrder cheapest_order(const InferProblem& p) {
  const Clock::time_point begin = Clock::now();
  const GraphCallback in_time = [&](const GraphProgress& now) {
    return p.progress(now) && now.iteration < kMostMillions &&
           (!p.request.seconds || seconds_since(begin) < *p.request.seconds / 4);
  };
  EliminationOptions one{.rules = {EliminationRule::min_fill}, .restarts = 1};
  one.progress = in_time;
  EliminationOrder first = find_elimination_order(p.for_tables, one);
  if (first.log2_total > kHopelessLog2States) return first;
  try {
    return find_elimination_order(p.for_tables, {.progress = in_time});
  } catch (const Interrupted&) {
    return first;
  }
}

// Why not the junction tree; empty where it is to be taken.
std::string why_not(const InferProblem& p, const JunctionTree& tree) {
  const double states = std::exp2(tree.log2_joint_states());
  if (tree.bytes() > p.memory) return fmt::format(", and {} are allowed", memory_text(p.memory));
  if (p.request.seconds) {
    const bool slow = states > *p.request.seconds * states_per_second(p.request.task);
    return slow ? fmt::format(", which may take more than {} s", *p.request.seconds) : "";
  }
  return tree.log2_joint_states() > kMostLog2States ? ", which may take minutes or more" : "";
}

// The cheaper of the two kinds of conditioning, where memory alone is short and time would do.
std::optional<std::string_view> conditioning_for(const InferProblem& p, const JunctionTree& tree) {
  const double most = p.request.seconds
                          ? std::log2(*p.request.seconds * states_per_second(p.request.task))
                          : kMostLog2States;
  if (tree.bytes() <= p.memory || tree.log2_joint_states() > most) return {};
  ConditioningOptions options{.memory = p.memory};
  options.progress = p.progress;
  double cutset = HUGE_VAL, recursive = HUGE_VAL;
  try {
    recursive = plan_recursion(p.for_tables, options).log2_joint_states;
    if (p.request.task != GraphTask::sample) {
      cutset = plan_conditioning(p.for_tables, options).log2_joint_states;
    }
  } catch (const Interrupted&) {
    throw;
  } catch (const Error&) {  // not even the factors fit
  }
  if (std::min(cutset, recursive) > most) return {};
  return cutset < recursive ? "cutset-conditioning" : "recursive-conditioning";
}

// A search that may be over long before a large junction tree, whose time is known; as many nodes
// as take about half of that time.
const InferMethod kSearchThenTree{"branch-and-bound",  "", {GraphTask::map}, {}, {},
                                  run_search_then_tree};
constexpr double kFewestNodes = 100;  // that are worth a search's first steps

double nodes_before(const InferProblem& p, const JunctionTree& tree) {
  double joint = 1;
  for (Factor f = 0; f < p.for_tables.factors(); ++f) {
    joint += static_cast<double>(p.for_tables.joint_states(f));
  }
  return std::min(1e5, std::exp2(tree.log2_joint_states()) / (20 * joint));
}

// The junction tree where it fits, else another, whose limits go into the request; with the reason.
const InferMethod& choose(InferProblem& p, InferRequest& request, InferResult& result) {
  if (p.request.tolerance || p.request.max_iterations) {
    result.reason = "--tolerance and --max-iterations are for methods that iterate";
    const InferMethod& iterating = *method_named(auto_iterating(p.request));
    check(iterating, p.request);
    return iterating;
  }
  const auto without_tree = [&](const std::string& why) -> const InferMethod& {
    const AutoChoice other = auto_without_junction_tree(p);
    result.reason = {why, "; ", other.why};
    request.max_iterations = other.max_iterations;
    return *method_named(other.method);
  };
  try {
    p.order = cheapest_order(p);
  } catch (const TooWide& wide) {
    return without_tree(fmt::format("a junction tree has at least 2^{:.0f} joint states",
                                    std::floor(wide.log2_states())));
  } catch (const Interrupted&) {
    if (interruption || result.stopped) throw;
    return without_tree("the cost of a junction tree was not found in time");
  }
  const JunctionTree tree(p.for_tables, *p.order);
  const std::string cost = fmt::format("its cliques have 2^{:.1f} joint states and take {}",
                                       tree.log2_joint_states(), memory_text(tree.bytes()));
  const std::string why = why_not(p, tree);
  if (why.empty()) {
    const double nodes = nodes_before(p, tree);
    if (p.request.task == GraphTask::map && !p.request.k_best && nodes >= kFewestNodes) {
      request.max_iterations = static_cast<std::size_t>(nodes);
      result.reason = fmt::format(
          "of the junction tree {}; branch and bound may be sooner, and has "
          "{} nodes before the tree follows",
          cost, *request.max_iterations);
      return kSearchThenTree;
    }
    result.reason = "the junction tree is exact, and " + cost;
    return *method_named("junction-tree");
  }
  if (const auto conditioning = p.request.k_best ? std::nullopt : conditioning_for(p, tree)) {
    result.reason =
        "of the junction tree " + cost + why + "; conditioning on a few variables is exact";
    return *method_named(*conditioning);
  }
  return without_tree("of the junction tree " + cost + why);
}

// Of all variables those of the graph that was asked about, which come first.
void take_out_counters(std::size_t variables, InferResult& r) {
  const auto cut = [&](auto& all) {
    if (all.size() > variables) all.resize(variables);
  };
  cut(r.marginals);
  cut(r.assignment);
  for (RankedAssignment& each : r.k_best) cut(each.states);
  for (std::vector<State>& sample : r.samples) cut(sample);
}

// States of the conditioned graph as those of the graph that was asked about.
void restore_observed(const FactorGraph& graph, std::span<const State> evidence, InferResult& r) {
  for (Variable v = 0; v < evidence.size(); ++v) {
    if (evidence[v] == kUnobserved) continue;
    if (!r.marginals.empty()) {
      r.marginals[v].assign(graph.states(v), 0);
      r.marginals[v][evidence[v]] = 1;
    }
    if (!r.standard_errors.empty()) r.standard_errors[v].assign(graph.states(v), 0);
    if (!r.assignment.empty()) r.assignment[v] = evidence[v];
    for (RankedAssignment& each : r.k_best) each.states[v] = evidence[v];
    for (std::vector<State>& sample : r.samples) sample[v] = evidence[v];
  }
}

}  // namespace

std::string_view name_of(GraphTask task) {
  switch (task) {
    case GraphTask::partition:
      return "partition";
    case GraphTask::marginals:
      return "marginals";
    case GraphTask::map:
      return "map";
    case GraphTask::sample:
      break;
  }
  return "sample";
}

GraphTask graph_task(std::string_view name) {
  for (const GraphTask task : kTasks) {
    if (name_of(task) == name) return task;
  }
  throw UsageError("no task: " + in_quotes(name) + "; there are partition, marginals, map, sample");
}

std::string memory_text(double bytes) {
  if (bytes < 1024 * 1024) return fmt::format("{:.0f} KB", std::ceil(bytes / 1024));
  if (bytes < 1024. * 1024 * 1024) return fmt::format("{:.1f} MB", bytes / (1024 * 1024));
  const double gigabytes = bytes / (1024. * 1024 * 1024);
  return gigabytes < 10000 ? fmt::format("{:.1f} GB", gigabytes)
                           : fmt::format("{:.2g} TB", gigabytes / 1024);
}

std::string list_infer_methods() {
  std::string list;
  for (const GraphTask task : kTasks) {
    list += fmt::format("  {:<10} {}\n", name_of(task), names_for(task));
  }
  return list;
}

std::string describe_infer_methods() {
  std::string list;
  for (const InferMethod& each : infer_methods()) {
    list += fmt::format("  {}: {}\n", each.name, each.summary);
    if (const std::string taken = options_of(each); !taken.empty()) {
      list += fmt::format("      takes {}\n", taken);
    }
    if (!each.settings.empty()) list += Message("      --set ", settings_of(each), "\n").text();
  }
  return list;
}

InferResult infer(const FactorGraph& graph, std::span<const State> evidence,
                  const InferRequest& request, const InferCalls& calls) {
  const InferMethod* method = nullptr;
  if (request.method != "auto") {
    method = method_named(request.method);
    if (method == nullptr) {
      throw UsageError("no method ", in_quotes(request.method), "; methods for --task ",
                       name_of(request.task), ": ", names_for(request.task));
    }
    check(*method, request);
  } else if (!request.settings.empty()) {
    throw UsageError("--set is for a method of your choice; give --method, too");
  } else if (request.proposal) {
    throw UsageError("a proposal is for the method metropolis-hastings");
  }
  if (request.samples && request.task != GraphTask::sample) {
    throw UsageError("a number of samples is for the task sample");
  }
  if (request.k_best && (request.task != GraphTask::map || *request.k_best == 0)) {
    throw UsageError("a number of best assignments, 1 or more, is for the task map");
  }
  InferRequest own = request;
  const Clock::time_point begin = Clock::now();
  const FactorGraph conditioned = evidence.empty() ? graph : condition(graph, evidence);
  std::optional<FactorGraph> counters;
  if (needs_counters(conditioned)) counters = with_counters(conditioned).graph;
  InferResult result;
  result.task = request.task;
  const std::function<void(const std::string&)> plan =
      calls.plan ? calls.plan : [](const std::string&) {};
  InferProblem problem{.graph = conditioned,
                       .request = own,
                       .memory = request.memory > 0 ? request.memory : half_of_memory(),
                       .progress = {},
                       .plan = plan,
                       .order = {},
                       .evidence = evidence,
                       .for_tables = counters ? *counters : conditioned};
  problem.progress = [&](const GraphProgress& progress) {
    const bool in_time = !request.seconds || seconds_since(begin) < *request.seconds;
    const bool wanted = !calls.progress || calls.progress(progress);
    result.stopped = result.stopped || !in_time || !wanted;
    return in_time && wanted;
  };
  if (method == nullptr) {
    method = &choose(problem, own, result);
    plan(fmt::format("{}: {}", method->name, result.reason.text()));
  }
  result.method = method->name;
  method->run(problem, result);
  if (counters) take_out_counters(graph.variables(), result);
  restore_observed(graph, evidence, result);
  if (request.task == GraphTask::map) result.log_score = graph.score(result.assignment);
  for (RankedAssignment& each : result.k_best) each.log_score = graph.score(each.states);
  result.seconds = seconds_since(begin);
  return result;
}

}  // namespace croft
