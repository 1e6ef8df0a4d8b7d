#include "sql/logic/logic_methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "app/infer/infer_methods.h"
#include "croft/core/interrupt.h"
#include "croft/inference/branch_and_bound.h"
#include "croft/inference/elimination_order.h"
#include "croft/inference/junction_tree.h"
#include "logic/max_walk_sat.h"
#include "logic/sampling/mc_sat.h"
#include "sql/logic/lazy_mc_sat.h"
#include "structure/counters.h"

namespace croft {
namespace {

using enum GraphTask;

constexpr double kMostLog2States = 27;       // of an exact method: a second or so
constexpr double kMostLogicTreeBytes = 2e9;  // likewise
constexpr double kDrawSeconds = 30;          // of mc-sat, where nobody says how long
constexpr std::size_t kMostMillions = 2000;  // of steps that the search for an order takes

void run_max_walk_sat(const LogicProblem& p, InferResult& result) {
  MaxWalkSatOptions options;
  options.seed = p.request.seed;
  options.flips = p.request.max_iterations.value_or(options.flips);
  Settings(p.request)
      .read("tries", options.tries)
      .read("noise", options.noise)
      .read("tabu", options.tabu);
  const MaxWalkSatResult found =
      max_walk_sat(p.store, options, [&](std::size_t flips, double cost) {
        GraphProgress now;
        now.iteration = flips;
        now.best = -cost;
        return p.progress(now);
      });
  if (found.broken_hard > 0) {
    throw Error("max-walk-sat found no world that keeps all hard rules: its best one breaks ",
                found.broken_hard,
                " of their groundings, which does not prove that there is none; give it more "
                "--max-iterations, or --soft-hard");
  }
  result.assignment.assign(found.values.begin(), found.values.end());
  result.kind = ResultKind::estimate;
  result.iterations = found.flips;
  result.converged = !found.stopped;
  result.notes.push_back(fmt::format(
      "the best world was found after {} of {} changes; nothing proves that there is no better one",
      found.flips_to_best, found.flips));
}

void run_mc_sat(const LogicProblem& p, InferResult& result) {
  McSatOptions options;
  options.seed = p.request.seed;
  options.threads = p.request.threads;
  options.samples = p.request.max_iterations.value_or(options.samples);
  Settings(p.request).read("chains", options.chains).read("burn-in", options.burn_in);
  // Without a limit it goes on until its chains agree, but not for ever.
  const bool limited = p.request.seconds || p.request.max_iterations;
  const auto begin = std::chrono::steady_clock::now();
  bool out_of_time = false;
  const auto go_on = [&](std::size_t samples) {
    GraphProgress now;
    now.iteration = samples;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    out_of_time = !limited && took.count() > kDrawSeconds;
    return !out_of_time && p.progress(now);
  };
  const McSatResult found = p.lazy == nullptr
                                ? mc_sat(p.store, options, go_on)
                                : lazy_mc_sat(*p.lazy, p.store, p.grounding, options, go_on);
  for (std::size_t a = 0; a < p.store.atoms(); ++a) {
    const double probability = found.probabilities[a];
    result.marginals.push_back({1 - probability, probability});
    result.standard_errors.push_back({found.standard_errors[a], found.standard_errors[a]});
  }
  result.kind = ResultKind::estimate;
  result.iterations = found.samples;
  result.converged = found.converged;
  result.residual = found.r_hat - 1;
  result.effective_samples = found.effective_samples;
  if (found.largest_held > 0) {
    result.notes.push_back(fmt::format(
        "up to {} atoms hang together in a slice, and are drawn with some of them held; where hard "
        "rules tie them to each other, the chains may not come from some worlds to others",
        found.largest_held));
  }
  if (found.agree && found.stopped) {
    result.notes.push_back("mc-sat was stopped; its chains agree");
  }
  if (!found.agree) {
    const std::string after = out_of_time ? fmt::format(" after {:g} seconds", kDrawSeconds) : "";
    result.warnings.push_back(
        {fmt::format("mc-sat has not converged{}: the largest R-hat is {:.3f}, and the fewest "
                     "effective samples of an atom are {:.0f}",
                     after, found.r_hat, found.effective_samples),
         "; give it more --time or --max-iterations"});
  }
  const auto unknown =
      std::ranges::count_if(found.standard_errors, [](double error) { return std::isnan(error); });
  if (unknown > 0) {
    result.warnings.push_back(
        fmt::format("{} of {} atoms were the same in all draws, as hard rules kept the chains from "
                    "changing them, and nothing proves that no world has them otherwise: their "
                    "standard errors are unknown",
                    unknown, p.store.atoms()));
  }
}

const std::vector<LogicMethod>& rows() {
  static const std::vector<LogicMethod> kRows = {
      {{"max-walk-sat",
        "a walk from world to world, with tabu and restarts; --max-iterations are its changes",
        {map},
        {.max_iterations = true, .seconds = true, .memory = true},
        {{"tries", "N"}, {"noise", "0..1"}, {"tabu", "CHANGES"}},
        nullptr},
       run_max_walk_sat},
      {{"mc-sat",
        "slice sampling, with standard errors, until the chains agree or --time (30 s) is over; "
        "--max-iterations are the samples of all chains",
        {marginals},
        {.max_iterations = true, .seconds = true, .memory = true},
        {{"chains", "N"}, {"burn-in", "SAMPLES"}},
        nullptr},
       run_mc_sat},
  };
  return kRows;
}

// What the walk or the sampler for the task is called.
const LogicMethod* method_for(GraphTask task) {
  const auto found = std::ranges::find_if(rows(), [&](const LogicMethod& each) {
    return std::ranges::find(each.row.tasks, task) != each.row.tasks.end();
  });
  return found == rows().end() ? nullptr : &*found;
}

// Why a junction tree does not fit; empty where it does.
std::string why_not_exact(const LogicProblem& p, const FactorGraph& graph) {
  EliminationOptions options{.rules = {EliminationRule::min_fill}, .restarts = 2};
  options.most_log2_states = kMostLog2States;
  options.progress = [&](const GraphProgress& now) {
    return now.iteration < kMostMillions && p.progress(now);
  };
  try {
    const EliminationOrder order = find_elimination_order(graph, options);
    const double bytes = JunctionTree(graph, order, options.progress).bytes();
    const double most = p.request.memory > 0 ? p.request.memory : kMostLogicTreeBytes;
    if (order.log2_total <= kMostLog2States && bytes <= most) return "";
    return fmt::format("the cliques of a junction tree have 2^{:.1f} joint states and take {}",
                       order.log2_total, memory_text(bytes));
  } catch (const TooWide& wide) {
    return fmt::format("a junction tree has at least 2^{:.0f} joint states",
                       std::floor(wide.log2_states()));
  } catch (const Interrupted&) {
    if (interruption.load()) throw;
    return "the cost of a junction tree was not found in time";
  }
}

constexpr std::size_t kMostProved = 50'000;  // factors of a graph that is searched
constexpr std::size_t kProofNodes = 5000;

}  // namespace

void prove_world(const LogicProblem& problem, const FactorGraph& graph, InferResult& result) {
  const ClauseStore& store = problem.store;
  const std::vector<std::uint8_t> world(result.assignment.begin(), result.assignment.end());
  if (store.clause_cost(world) == 0) {
    result.kind = ResultKind::exact;
    result.notes = {"no ground clause costs anything in this world: none is better"};
    return;
  }
  if (result.stopped || graph.factors() > kMostProved || needs_counters(graph)) return;
  BranchAndBoundOptions options;
  options.max_nodes = kProofNodes;
  options.seed = problem.request.seed;
  const MapResult found = branch_and_bound(graph, options, problem.progress);
  double score = graph.score(result.assignment);
  if (found.score > score + 1e-9 * std::max(1., std::abs(score))) {
    score = found.score;
    result.assignment = found.states;
  }
  const double bound = found.kind == ResultKind::exact ? found.score : found.bound;
  result.bound = std::max(bound, score);
  if (reaches(score, bound)) {
    result.kind = ResultKind::exact;
    result.notes = {"branch and bound proves that no world costs less"};
  } else if (std::isfinite(bound)) {
    result.notes = {fmt::format("no world costs less than {:.6g}, by branch and bound",
                                std::max(0., store.most() - store.base() - bound))};
  }
}

std::span<const LogicMethod> logic_methods() { return rows(); }

const LogicMethod* logic_method_named(std::string_view name) {
  const auto found =
      std::ranges::find(rows(), name, [](const LogicMethod& m) { return m.row.name; });
  return found == rows().end() ? nullptr : &*found;
}

std::string describe_logic_methods() {
  std::string out;
  for (const LogicMethod& each : rows()) {
    std::string settings;
    for (const InferSetting& setting : each.row.settings) {
      settings +=
          fmt::format("{}{}={}", settings.empty() ? "; " : ", ", setting.name, setting.values);
    }
    out += fmt::format("  {}: {}{}\n", each.row.name, each.row.summary, settings);
  }
  return out;
}

const LogicMethod* choose_logic_method(const LogicProblem& problem, const FactorGraph& graph,
                                       Message& reason) {
  const LogicMethod* method = method_for(problem.request.task);
  const InferRequest& r = problem.request;
  if (method == nullptr || r.tolerance || r.max_iterations || !r.settings.empty()) return nullptr;
  const std::string why = needs_counters(graph) ? why_not_exact(problem, with_counters(graph).graph)
                                                : why_not_exact(problem, graph);
  if (why.empty()) return nullptr;
  reason = why;
  return method;
}

}  // namespace croft
