#include "croft/app/infer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "app/infer/free_variables.h"
#include "app/infer/infer_auto.h"
#include "app/infer/infer_methods.h"
#include "core/infinity.h"
#include "core/memory.h"
#include "core/words/closest_name.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/core/random.h"
#include "inference/graph/allowed_assignment.h"
#include "structure/counters.h"

namespace croft {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kAutoSearchNodes = 100000;  // of and-or-search
constexpr double kSmallAnswer = 1e9;              // bytes of marginals
// Joint states of a search for an allowed assignment: a second, or, after --time, some
// milliseconds.
constexpr double kLookedAt = 1 << 27, kLookedAtWhenStopped = 1 << 22;
constexpr std::size_t kManyNumbers = 1 << 22;  // of the scores of a graph
constexpr GraphTask kTasks[] = {GraphTask::partition, GraphTask::marginals, GraphTask::map,
                                GraphTask::marginal_map, GraphTask::sample};
double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

bool answers(const InferMethod& method, GraphTask task) {
  return std::ranges::find(method.tasks, task) != method.tasks.end();
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

}  // namespace

const InferMethod* infer_method_named(std::string_view name) {
  const auto methods = infer_methods();
  const auto at = std::ranges::find(methods, name, &InferMethod::name);
  return at == methods.end() ? nullptr : &*at;
}

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

namespace {

// Variables in no factor are left out where the answer does not list their states: each multiplies
// Z by their number, and any of them is the best.  Returns the logarithm of that factor; a sum over
// the variables that marginal_map does not ask for has it as a factor of the graph.
double leave_out_free(const InferRequest& request, FactorGraph& graph) {
  const bool sums_out = request.task == GraphTask::marginal_map;
  if (request.task != GraphTask::partition && !sums_out &&
      (request.task != GraphTask::map || request.k_best)) {
    return 0;
  }
  Evidence known(graph.variables(), 0);
  for (const Variable v : request.over) known[v] = kUnobserved;
  for (Factor f = 0; f < graph.factors(); ++f) {
    for (const Variable v : graph.scope(f)) known[v] = kUnobserved;
  }
  double log_factor = 0;
  for (Variable v = 0; v < known.size(); ++v) {
    if (known[v] != kUnobserved) log_factor += std::log(static_cast<double>(graph.states(v)));
  }
  if (log_factor > 0) graph = condition(graph, known);
  if (log_factor == 0 || !sums_out) return log_factor;
  graph.add_factor({}, graph.add_table(std::vector{log_factor}));
  return 0;
}

// The answer itself, which small limits on tables do not count.
void check_marginals_fit(const FactorGraph& graph, double memory) {
  memory = std::max(memory, kSmallAnswer);
  double bytes = 0;
  for (Variable v = 0; v < graph.variables(); ++v) {
    bytes += static_cast<double>(sizeof(double) * graph.states(v));
  }
  if (bytes <= memory) return;
  throw Error("the marginals of all variables take ", memory_text(bytes), " of memory, and ",
              memory_text(memory), " are allowed (--memory)");
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
    case GraphTask::marginal_map:
      return "marginal-map";
    case GraphTask::sample:
      break;
  }
  return "sample";
}

GraphTask graph_task(std::string_view name) {
  std::vector<std::string_view> names;
  for (const GraphTask task : kTasks) {
    if (name_of(task) == name) return task;
    names.push_back(name_of(task));
  }
  throw UsageError("no task: ", in_quotes(name), did_you_mean(name, names), "; there are ",
                   fmt::format("{}", fmt::join(names, ", ")));
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
    list += fmt::format("  {:<12} {}\n", name_of(task), names_for(task));
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

namespace {

void check_request(const FactorGraph& graph, const InferRequest& request) {
  const bool best = request.task == GraphTask::map || request.task == GraphTask::marginal_map;
  if (request.samples && request.task != GraphTask::sample) {
    throw UsageError("a number of samples is for the task sample");
  }
  if (request.k_best && (!best || *request.k_best == 0)) {
    throw UsageError(
        "a number of best assignments, 1 or more, is for the task map or marginal-map");
  }
  if (request.over.empty() != (request.task != GraphTask::marginal_map)) {
    throw UsageError("the task marginal-map, and no other, needs the variables that it is over");
  }
  std::vector<bool> seen(graph.variables());
  for (const Variable v : request.over) {
    if (v >= seen.size()) throw UsageError("there is no variable ", v);
    if (seen[v]) throw UsageError("variable ", v, " is asked for twice");
    seen[v] = true;
  }
}

// By search, where the others cannot be summed out first; own is p's request.
void run_marginal_search(InferProblem& p, InferRequest& own, const std::string& why,
                         InferResult& result) {
  result.reason = {why, "; a search has an assignment and a bound"};
  if (!own.seconds && !own.max_iterations) own.max_iterations = kAutoSearchNodes;
  const InferMethod& method = *infer_method_named("and-or-search");
  p.plan(fmt::format("{}: {}", method.name, result.reason.text()));
  result.method = method.name;
  method.run(p, result);
}

// Finds the best assignment of a graph in which all others are summed out.  False: only branch
// and bound is left for it, over tables that are so large that a search without them is better.
//   sums : what that took
bool run_best_of_rest(const InferMethod* method, const InferProblem& p, const FactorGraph& rest,
                      const std::string& sums, InferResult& result) {
  InferRequest own = p.request;
  own.task = GraphTask::map;
  InferProblem of_rest{.graph = rest,
                       .request = own,
                       .memory = p.memory,
                       .progress = p.progress,
                       .plan = p.plan,
                       .order = {},
                       .evidence = p.evidence};
  if (method == nullptr) {
    method = &choose(of_rest, own, result);
    const bool large = rest.numbers().size() > kManyNumbers && p.request.seconds;
    if (large && !own.k_best && method == infer_method_named("branch-and-bound")) return false;
    result.reason = {sums, "; then ", result.reason};
    p.plan(fmt::format("{}: {}", method->name, result.reason.text()));
  }
  result.method = method->name;
  method->run(of_rest, result);
  result.log_score = rest.score(result.assignment);
  for (RankedAssignment& each : result.k_best) each.log_score = rest.score(each.states);
  return true;
}

void sum_out_or_search(const InferMethod* method, InferProblem& p, InferRequest& own,
                       InferResult& result) {
  std::string sums;
  const std::optional<FactorGraph> rest = others_summed_out(p, sums);
  if (!rest && method != nullptr) {
    throw Error(sums, "; give --memory or --time, or --method and-or-search");
  }
  if (!rest) return run_marginal_search(p, own, sums, result);
  try {
    if (run_best_of_rest(method, p, *rest, sums, result)) return;
    sums +=
        fmt::format(", and leave tables of 2^{:.1f} numbers", std::log2(rest->numbers().size()));
  } catch (const Error&) {
    if (method != nullptr || !result.stopped || interruption) throw;
  }
  run_marginal_search(p, own, sums, result);
}

// The task marginal_map.
void run_marginal_map(const InferMethod* method, InferProblem& p, InferRequest& own,
                      InferResult& result) {
  if (method != nullptr && method->name == "and-or-search") {
    result.method = method->name;
    method->run(p, result);
  } else {
    sum_out_or_search(method, p, own, result);
  }
  result.over = own.over;
  if (!result.log_partition && !result.stopped) result.log_partition = quick_log_partition(p);
  if (result.log_partition && result.log_score) {
    result.probability = std::min(1.0, std::exp(*result.log_score - *result.log_partition));
  }
}

}  // namespace

namespace {

// Messages and bounds of sums do not see every contradiction of zeros: a search for an assignment
// that they allow does, or gives up.
void check_possible(const FactorGraph& graph, InferResult& r) {
  const bool sums = r.task == GraphTask::partition || r.task == GraphTask::marginals;
  if (!sums || r.kind == ResultKind::exact || !has_hard_factors(graph)) return;
  Random random(1);
  AllowedLimits limits;
  limits.looked_at = r.stopped ? kLookedAtWhenStopped : kLookedAt;
  const AllowedSearch outcome = find_allowed(graph, random, limits).outcome;
  const bool no_draw_hit = r.log_partition && *r.log_partition == -kInf;
  if (no_draw_hit && outcome != AllowedSearch::none) fail_without_finding();
  switch (outcome) {
    case AllowedSearch::found:
      return;
    case AllowedSearch::given_up:
      r.notes.push_back(
          "whether the factors' zeros allow any assignment is not known: a search for one gave up; "
          "where there is none, the numbers mean nothing");
      return;
    case AllowedSearch::none:
      break;
  }
  if (r.task == GraphTask::marginals) fail_without_assignment();
  r.log_partition = -kInf;
  r.kind = ResultKind::exact;
  r.converged = true;
}

// Sums that nobody should take for the truth.
void warn_of_estimate(InferResult& r) {
  const bool sums = r.task == GraphTask::partition || r.task == GraphTask::marginals;
  if (!sums || r.converged || r.kind != ResultKind::estimate) return;
  const Message what =
      r.stopped ? " was stopped before it converged" : Message(" has not converged");
  r.warnings.push_back({r.method, what,
                        ": its numbers are an estimate of unknown quality; more --time or --memory "
                        "may allow an exact answer, and another --method may converge"});
}

// The method that is asked for, or else the one that `auto` takes; own is p's request.
void run(const InferMethod* method, InferProblem& p, InferRequest& own, InferResult& result) {
  if (own.task == GraphTask::marginal_map) return run_marginal_map(method, p, own, result);
  if (method == nullptr) {
    method = &choose(p, own, result);
    if (!result.reason.empty()) p.plan(fmt::format("{}: {}", method->name, result.reason.text()));
  }
  result.method = method->name;
  method->run(p, result);
}

}  // namespace

InferResult infer(const FactorGraph& graph, std::span<const State> evidence,
                  const InferRequest& request, const InferCalls& calls) {
  const InferMethod* method = nullptr;
  if (request.method != "auto") {
    method = infer_method_named(request.method);
    if (method == nullptr) {
      std::vector<std::string_view> names;
      for (const InferMethod& each : infer_methods()) names.push_back(each.name);
      throw UsageError("no method ", in_quotes(request.method), did_you_mean(request.method, names),
                       "; methods for --task ", name_of(request.task), ": ",
                       names_for(request.task));
    }
    check(*method, request);
  } else if (!request.settings.empty()) {
    throw UsageError("--set is for a method of your choice; give --method, too");
  } else if (request.proposal) {
    throw UsageError("a proposal is for the method metropolis-hastings");
  }
  check_request(graph, request);
  InferRequest own = request;
  const Clock::time_point begin = Clock::now();
  FactorGraph conditioned = evidence.empty() ? graph : condition(graph, evidence);
  const FreeVariables free = set_free_apart(request, conditioned);
  const double log_free = leave_out_free(request, conditioned);
  std::optional<FactorGraph> counters;
  if (needs_counters(conditioned)) counters = with_counters(conditioned).graph;
  InferResult result;
  result.task = request.task;
  const std::function<void(const std::string&)> plan =
      calls.plan ? calls.plan : [](const std::string&) {};
  const FactorGraph& tables = counters ? *counters : conditioned;
  const bool sums_out = request.task == GraphTask::marginal_map;  // counters as well as others
  InferProblem problem{.graph = sums_out ? tables : conditioned,
                       .request = own,
                       .memory = request.memory > 0 ? request.memory : usable_memory(),
                       .progress = {},
                       .plan = plan,
                       .order = {},
                       .evidence = evidence,
                       .for_tables = tables};
  if (request.task == GraphTask::marginals) check_marginals_fit(graph, problem.memory);
  bool wanted = true;
  problem.progress = [&](const GraphProgress& progress) {
    const bool in_time = !request.seconds || seconds_since(begin) < *request.seconds;
    wanted = wanted && (!calls.progress || calls.progress(progress));
    result.stopped = result.stopped || !in_time || !wanted;
    return in_time && wanted;
  };
  try {
    run(method, problem, own, result);
  } catch (const Interrupted& stop) {
    if (interruption || !wanted) throw;  // else the time is over, which is no interruption
    throw Error(result.method.empty() ? request.method : result.method, " was ", stop.message(),
                "; give it more --time");
  }
  for (auto* each :
       {&result.log_partition, &result.log_partition_least, &result.log_partition_most}) {
    if (*each) **each += log_free;
  }
  check_possible(conditioned, result);
  if (counters) take_out_counters(graph.variables(), result);
  restore_observed(graph, evidence, result);
  put_free_back(free, graph, request, result);
  if (request.task == GraphTask::map) {
    result.log_score = graph.score(result.assignment);
    for (RankedAssignment& each : result.k_best) each.log_score = graph.score(each.states);
  }
  warn_of_estimate(result);
  result.seconds = seconds_since(begin);
  return result;
}

}  // namespace croft
