#include "croft/app/infer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "app/infer_methods.h"
#include "croft/core/error.h"
#include "croft/inference/elimination_order.h"
#include "croft/inference/junction_tree.h"

namespace croft {
namespace {

using Clock = std::chrono::steady_clock;

constexpr GraphTask kTasks[] = {GraphTask::partition, GraphTask::marginals, GraphTask::map,
                                GraphTask::sample};
// Joint states a second that a junction tree goes through, less than was measured: what a time
// limit is compared with.
constexpr double kStatesPerSecond = 5e7;
constexpr double kMostLog2States = 33;  // minutes

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

std::string names_using(bool InferOptions::* option, GraphTask task) {
  std::string list;
  for (const InferMethod& each : infer_methods()) {
    if (each.uses.*option && answers(each, task)) {
      list += fmt::format("{}{}", list.empty() ? "" : ", ", each.name);
    }
  }
  return list.empty() ? "none for this task" : list;
}

// The method and its options against the task.
void check(const InferMethod& method, const InferRequest& r) {
  if (!answers(method, r.task)) {
    throw UsageError(fmt::format("method {} does not answer --task {}; methods that do: {}",
                                 method.name, name_of(r.task), names_for(r.task)));
  }
  const auto refuse = [&](std::string_view option, bool InferOptions::* uses) {
    if (method.uses.*uses) return;
    throw UsageError(fmt::format("method {} has no use for {}; methods that have: {}", method.name,
                                 option, names_using(uses, r.task)));
  };
  if (r.tolerance) refuse("--tolerance", &InferOptions::tolerance);
  if (r.max_iterations) refuse("--max-iterations", &InferOptions::max_iterations);
  if (r.seconds) refuse("--time", &InferOptions::seconds);
}

// What auto takes where no exact answer is to be had.
std::string_view fallback_for(GraphTask task) {
  for (const std::string_view name : auto_fallbacks(task)) {
    if (method_named(name) != nullptr && answers(*method_named(name), task)) return name;
  }
  return "";
}

// The junction tree where it fits; says why, or why not.
const InferMethod& choose(const InferProblem& p, InferResult& result) {
  const GraphTask task = p.request.task;
  const std::string_view fallback = fallback_for(task);
  const bool iterates = p.request.tolerance || p.request.max_iterations;
  std::string why;
  if (iterates && !fallback.empty()) {
    result.reason = "--tolerance and --max-iterations are for methods that iterate";
    return *method_named(fallback);
  }
  if (iterates) {
    throw UsageError("--tolerance and --max-iterations are for methods that iterate; there are " +
                     names_using(&InferOptions::tolerance, task));
  }
  const JunctionTree tree(p.graph, find_elimination_order(p.graph));
  const double log2_states = tree.log2_joint_states(), bytes = tree.bytes();
  const std::string cost =
      fmt::format("its cliques have 2^{:.1f} joint states and take {}", log2_states,
                  memory_text(bytes));
  const double seconds = std::exp2(log2_states) / kStatesPerSecond;
  if (bytes > p.memory) {
    why = fmt::format("{}, and {} are allowed", cost, memory_text(p.memory));
  } else if (p.request.seconds && seconds > *p.request.seconds) {
    why = fmt::format("{}, which may take more than {} s", cost, *p.request.seconds);
  } else if (log2_states > kMostLog2States && !fallback.empty()) {
    why = cost + ", which may take hours";
  } else {
    result.reason = "the junction tree is exact, and " + cost;
    return *method_named("junction-tree");
  }
  if (fallback.empty()) {
    throw Error(fmt::format("no exact answer: of the junction tree {}; methods for --task {}: {}",
                            why, name_of(task), names_for(task)));
  }
  result.reason = "of the junction tree " + why;
  return *method_named(fallback);
}

// States of the conditioned graph as those of the graph that was asked about.
void restore_observed(const FactorGraph& graph, std::span<const State> evidence, InferResult& r) {
  for (Variable v = 0; v < evidence.size(); ++v) {
    if (evidence[v] == kUnobserved) continue;
    if (!r.marginals.empty()) {
      r.marginals[v].assign(graph.states(v), 0);
      r.marginals[v][evidence[v]] = 1;
    }
    if (!r.assignment.empty()) r.assignment[v] = evidence[v];
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
  throw UsageError("no task: " + in_quotes(name) +
                   "; there are partition, marginals, map, sample");
}

std::string memory_text(double bytes) {
  if (bytes < 1024 * 1024) return fmt::format("{:.0f} KB", std::ceil(bytes / 1024));
  if (bytes < 1024. * 1024 * 1024) return fmt::format("{:.1f} MB", bytes / (1024 * 1024));
  return fmt::format("{:.1f} GB", bytes / (1024. * 1024 * 1024));
}

std::string list_infer_methods() {
  std::string list;
  for (const GraphTask task : kTasks) {
    list += fmt::format("  {:<10} {}\n", name_of(task), names_for(task));
  }
  return list;
}

InferResult infer(const FactorGraph& graph, std::span<const State> evidence,
                  const InferRequest& request, const InferCalls& calls) {
  const InferMethod* method = nullptr;
  if (request.method != "auto") {
    method = method_named(request.method);
    if (method == nullptr) {
      throw UsageError(fmt::format("no method {}; methods for --task {}: {}",
                                   in_quotes(request.method), name_of(request.task),
                                   names_for(request.task)));
    }
    check(*method, request);
  }
  const Clock::time_point begin = Clock::now();
  const FactorGraph conditioned = evidence.empty() ? graph : condition(graph, evidence);
  InferResult result;
  result.task = request.task;
  const std::function<void(const std::string&)> plan =
      calls.plan ? calls.plan : [](const std::string&) {};
  const InferProblem problem{
      .graph = conditioned,
      .request = request,
      .memory = request.memory > 0 ? request.memory : half_of_memory(),
      .progress =
          [&](const GraphProgress& progress) {
            const bool in_time = !request.seconds || seconds_since(begin) < *request.seconds;
            const bool wanted = !calls.progress || calls.progress(progress);
            result.stopped = result.stopped || !in_time || !wanted;
            return in_time && wanted;
          },
      .plan = plan};
  if (method == nullptr) {
    method = &choose(problem, result);
    plan(fmt::format("{}: {}", method->name, result.reason));
  }
  result.method = method->name;
  method->run(problem, result);
  restore_observed(graph, evidence, result);
  if (!result.assignment.empty()) result.log_score = graph.score(result.assignment);
  result.seconds = seconds_since(begin);
  return result;
}

}  // namespace croft
