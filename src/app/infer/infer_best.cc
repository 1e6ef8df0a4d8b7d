// Searches for the best assignment.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "app/infer/infer_auto.h"
#include "app/infer/infer_methods.h"
#include "croft/core/error.h"
#include "croft/inference/branch_and_bound.h"
#include "croft/inference/graph_cut.h"
#include "croft/inference/trw_s.h"
#include "inference/graph/bounds/bound_descent.h"
#include "inference/graph/cuts/move_making.h"
#include "inference/graph/cuts/qpbo.h"
#include "inference/graph/search/block_search.h"
#include "inference/graph/search/local_search.h"
#include "inference/graph/search/marginal_search.h"

namespace croft {

void take(const InferProblem& p, MapResult found, InferResult& result) {
  take(found.convergence, result);
  result.kind = found.kind;
  if (std::isfinite(found.bound)) result.bound = found.bound;
  if (std::isfinite(found.bound_of_others)) result.bound_of_others = found.bound_of_others;
  for (BestAssignment& each : found.k_best) {
    result.k_best.push_back({std::move(each.states), each.score, {}});
  }
  const bool none = p.graph.variables() > 0
                        ? found.kind == ResultKind::exact && found.states.empty()
                        : std::isinf(p.graph.score({}));  // of the one assignment, the empty one
  if (none) fail_without_assignment();
  result.assignment = std::move(found.states);
  check_found(result, p.graph);
}

namespace {

using enum GraphTask;

void run_graph_cut(const InferProblem& p, InferResult& result) {
  take(p, graph_cut(p.graph), result);
}

void run_qpbo(const InferProblem& p, InferResult& result) { take(p, qpbo_map(p.graph), result); }

void run_alpha_expansion(const InferProblem& p, InferResult& result) {
  take(p, alpha_expansion(p.graph, options_of<MoveMakingOptions>(p), {}, p.progress), result);
}

void run_alpha_beta_swap(const InferProblem& p, InferResult& result) {
  take(p, alpha_beta_swap(p.graph, options_of<MoveMakingOptions>(p), {}, p.progress), result);
}

void run_trw_s(const InferProblem& p, InferResult& result) {
  take(p, trw_s(p.graph, options_of<TrwSOptions>(p), p.progress), result);
}

void run_mplp(const InferProblem& p, InferResult& result) {
  take(p, mplp(p.graph, options_of<MplpOptions>(p), p.progress), result);
}

void run_dual_decomposition(const InferProblem& p, InferResult& result) {
  auto options = options_of<DualDecompositionOptions>(p);
  Settings(p.request).read("step", options.step);
  take(p, dual_decomposition(p.graph, options, p.progress), result);
}

void run_icm(const InferProblem& p, InferResult& result) {
  take(p, icm(p.graph, options_of<LocalSearchOptions>(p), {}, p.progress), result);
}

void run_lazy_flipper(const InferProblem& p, InferResult& result) {
  auto options = options_of<LazyFlipperOptions>(p);
  Settings(p.request).read("subset", options.subset);
  take(p, lazy_flipper(p.graph, options, {}, p.progress), result);
}

void run_annealing(const InferProblem& p, InferResult& result) {
  auto options = options_of<AnnealingOptions>(p);
  Settings(p.request)
      .read("first-temperature", options.first_temperature)
      .read("last-temperature", options.last_temperature);
  take(p, simulated_annealing(p.graph, options, {}, p.progress), result);
}

void run_block_search(const InferProblem& p, InferResult& result) {
  auto options = options_of<BlockSearchOptions>(p);
  const bool until_then = p.request.seconds && Settings(p.request).find("restarts") == nullptr;
  if (until_then) options.restarts = std::numeric_limits<std::size_t>::max() - 1;
  Settings(p.request)
      .read("first-width", options.first_width)
      .read("most-width", options.most_width)
      .read("patience", options.patience)
      .read("annealing-sweeps", options.annealing_sweeps);
  take(p, block_search(p.graph, options, {}, p.progress), result);
}

BranchAndBoundOptions search_options(const InferProblem& p) {
  auto options = options_of<BranchAndBoundOptions>(p);
  options.max_nodes = p.request.max_iterations.value_or(options.max_nodes);
  options.k = p.request.k_best.value_or(options.k);
  Settings(p.request)
      .read("gap", options.gap)
      .read("root-iterations", options.root_iterations)
      .read("annealing-sweeps", options.annealing_sweeps);
  options.table_bytes = std::min(options.table_bytes, p.memory / 2);
  return options;
}

void run_branch_and_bound(const InferProblem& p, InferResult& result) {
  take(p, branch_and_bound(p.graph, search_options(p), p.progress), result);
}

constexpr double kShareOfStart = 0.25;  // of the time

// The best assignment of all variables, as auto finds it in so much time; empty where it has none.
std::vector<State> best_of_all(const InferProblem& p, double seconds) {
  InferRequest own;
  own.task = map;
  own.seconds = seconds;
  own.seed = p.request.seed;
  own.threads = p.request.threads;
  const auto begin = std::chrono::steady_clock::now();
  InferResult result;
  InferProblem all{.graph = p.graph,
                   .request = own,
                   .memory = p.memory,
                   .progress =
                       [&](const GraphProgress& now) {
                         const std::chrono::duration<double> so_far =
                             std::chrono::steady_clock::now() - begin;
                         result.stopped = so_far.count() >= seconds || !p.progress(now);
                         return !result.stopped;
                       },
                   .plan = p.plan,
                   .order = {},
                   .evidence = p.evidence,
                   .for_tables = p.for_tables};
  try {
    choose(all, own, result).run(all, result);
  } catch (const Error&) {
    return {};
  }
  return result.assignment;
}

void run_and_or_search(const InferProblem& p, InferResult& result) {
  auto options = options_of<MarginalSearchOptions>(p);
  options.max_nodes = p.request.max_iterations.value_or(options.max_nodes);
  options.table_bytes = std::min(options.table_bytes, p.memory / 2);
  Settings(p.request).read("moves", options.moves);
  if (p.request.seconds) options.start = best_of_all(p, *p.request.seconds * kShareOfStart);
  MarginalMapResult found = marginal_search(p.graph, p.request.over, options, p.progress);
  if (found.bound == -std::numeric_limits<double>::infinity()) fail_without_assignment();
  const bool known = std::isfinite(found.score);
  if (known) {
    result.log_score = found.score;
  } else {
    found.kind = ResultKind::estimate;
    result.notes.push_back(
        "the sum of the assignment is not known: no states of the other variables were found that "
        "are allowed with it");
  }
  if (known && found.held > 0 && found.kind != ResultKind::exact) {
    result.notes.push_back(fmt::format(
        "the log score is a lower bound of the sum of its assignment: {} of the variables that are "
        "summed out have one state in it, since the whole sum takes too much",
        found.held));
  }
  take(p, std::move(found), result);
}

constexpr InferOptions kStops{.seconds = true};
constexpr InferOptions kSearches{
    .max_iterations = true, .seconds = true, .memory = true, .k_best = true};

}  // namespace

void run_search_then_tree(const InferProblem& p, InferResult& result) {
  MapResult found = branch_and_bound(p.graph, search_options(p), p.progress);
  if (found.kind == ResultKind::exact || result.stopped) {
    return take(p, std::move(found), result);
  }
  p.plan("junction-tree: branch and bound has not proved its assignment");
  result.method = "junction-tree";
  try {
    run_junction_tree(p, result);
  } catch (const Error&) {
    if (!result.stopped || found.states.empty()) throw;
    result.method = "branch-and-bound";  // what it has is better than nothing
    take(p, std::move(found), result);
  }
}

std::vector<InferMethod> search_methods() {
  return {
      {"graph-cut",
       "exact, by a minimum cut, for binary variables whose pairs like to be equal",
       {map},
       {},
       {},
       run_graph_cut},
      {"qpbo",
       "roof duality: a bound and what is certain, for pairs of binary variables",
       {map},
       {},
       {},
       run_qpbo},
      {"alpha-expansion",
       "moves by minimum cuts, for pairs",
       {map},
       kCounts,
       {},
       run_alpha_expansion},
      {"alpha-beta-swap",
       "moves by minimum cuts, for pairs",
       {map},
       kCounts,
       {},
       run_alpha_beta_swap},
      {"trw-s",
       "sequential tree-reweighted messages: an assignment and a bound",
       {map},
       kIterates,
       {{"decode-every", "ITERATIONS"}},
       run_trw_s},
      {"mplp",
       "max-product linear programming: an assignment and a bound",
       {map},
       kIterates,
       {{"decode-every", "ITERATIONS"}},
       run_mplp},
      {"dual-decomposition",
       "subgradient descent: an assignment and a bound",
       {map},
       kIterates,
       {{"step", "0..2"}, {"decode-every", "ITERATIONS"}},
       run_dual_decomposition},
      {"icm",
       "the best state of one variable at a time",
       {map},
       kStops,
       {{"restarts", "N"}},
       run_icm},
      {"lazy-flipper",
       "the best states of few connected variables at a time",
       {map},
       kStops,
       {{"subset", "VARIABLES"}, {"restarts", "N"}},
       run_lazy_flipper},
      {"annealing",
       "simulated annealing; --max-iterations are sweeps",
       {map},
       kCounts,
       {{"first-temperature", "T"}, {"last-temperature", "T"}},
       run_annealing},
      {"block-search",
       "exact changes of many variables at a time, by junction trees; --max-iterations are rounds",
       {map},
       {.max_iterations = true, .seconds = true, .memory = true},
       {{"first-width", "LOG2"},
        {"most-width", "LOG2"},
        {"patience", "ROUNDS"},
        {"restarts", "N"},
        {"annealing-sweeps", "SWEEPS"}},
       run_block_search},
      {"branch-and-bound",
       "exact where it ends: a search with a proof; --max-iterations are nodes",
       {map},
       kSearches,
       {{"gap", "SCORE"},
        {"root-iterations", "N"},
        {"annealing-sweeps", "SWEEPS"},
        {"restarts", "N"}},
       run_branch_and_bound},
      {"and-or-search",
       "branch and bound with sums as its leaves, where the others cannot be summed out first; "
       "--max-iterations are nodes",
       {marginal_map},
       {.max_iterations = true, .seconds = true, .memory = true},
       {{"moves", "N"}},
       run_and_or_search},
  };
}

}  // namespace croft
