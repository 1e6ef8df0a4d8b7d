// The adapters of searches for the best assignment.
#include <algorithm>
#include <cmath>

#include "app/infer/infer_methods.h"
#include "croft/core/error.h"
#include "croft/inference/branch_and_bound.h"
#include "croft/inference/graph_cut.h"
#include "croft/inference/trw_s.h"
#include "inference/graph/bounds/dual_decomposition.h"
#include "inference/graph/bounds/mplp.h"
#include "inference/graph/cuts/move_making.h"
#include "inference/graph/cuts/qpbo.h"
#include "inference/graph/search/local_search.h"

namespace croft {

void take(const InferProblem& p, MapResult found, InferResult& result) {
  take(found.convergence, result);
  result.kind = found.kind;
  if (std::isfinite(found.bound)) result.bound = found.bound;
  const bool none = p.graph.variables() > 0
                        ? found.kind == ResultKind::exact && found.states.empty()
                        : std::isinf(p.graph.score({}));  // of the one assignment, the empty one
  if (none) fail_without_assignment();
  result.assignment = std::move(found.states);
  check_found(result, p.graph);
}

namespace {

template <class Options>  // that iterate until the bound is still
Options bound_options(const InferRequest& request) {
  Options options;
  if (request.tolerance) options.tolerance = *request.tolerance;
  if (request.max_iterations) options.max_iterations = *request.max_iterations;
  Settings(request).read("decode-every", options.decode_every);
  return options;
}

MoveMakingOptions move_options(const InferRequest& request) {
  MoveMakingOptions options;
  if (request.max_iterations) options.max_iterations = *request.max_iterations;
  return options;
}

}  // namespace

void run_graph_cut(const InferProblem& p, InferResult& result) {
  take(p, graph_cut(p.graph), result);
}

void run_qpbo(const InferProblem& p, InferResult& result) { take(p, qpbo_map(p.graph), result); }

void run_alpha_expansion(const InferProblem& p, InferResult& result) {
  take(p, alpha_expansion(p.graph, move_options(p.request), {}, p.progress), result);
}

void run_alpha_beta_swap(const InferProblem& p, InferResult& result) {
  take(p, alpha_beta_swap(p.graph, move_options(p.request), {}, p.progress), result);
}

void run_trw_s(const InferProblem& p, InferResult& result) {
  take(p, trw_s(p.graph, bound_options<TrwSOptions>(p.request), p.progress), result);
}

void run_mplp(const InferProblem& p, InferResult& result) {
  take(p, mplp(p.graph, bound_options<MplpOptions>(p.request), p.progress), result);
}

void run_dual_decomposition(const InferProblem& p, InferResult& result) {
  auto options = bound_options<DualDecompositionOptions>(p.request);
  Settings(p.request).read("step", options.step);
  take(p, dual_decomposition(p.graph, options, p.progress), result);
}

void run_icm(const InferProblem& p, InferResult& result) {
  LocalSearchOptions options;
  options.seed = p.request.seed;
  Settings(p.request).read("restarts", options.restarts);
  take(p, icm(p.graph, options, {}, p.progress), result);
}

void run_lazy_flipper(const InferProblem& p, InferResult& result) {
  LazyFlipperOptions options;
  options.seed = p.request.seed;
  Settings(p.request).read("restarts", options.restarts);
  Settings(p.request).read("subset", options.subset);
  take(p, lazy_flipper(p.graph, options, {}, p.progress), result);
}

void run_annealing(const InferProblem& p, InferResult& result) {
  AnnealingOptions options;
  options.seed = p.request.seed;
  if (p.request.max_iterations) options.sweeps = *p.request.max_iterations;
  Settings(p.request).read("first-temperature", options.first_temperature);
  Settings(p.request).read("last-temperature", options.last_temperature);
  take(p, simulated_annealing(p.graph, options, {}, p.progress), result);
}

namespace {

BranchAndBoundOptions search_options(const InferProblem& p) {
  BranchAndBoundOptions options;
  options.seed = p.request.seed;
  if (p.request.max_iterations) options.max_nodes = *p.request.max_iterations;
  const Settings settings(p.request);
  settings.read("gap", options.gap);
  settings.read("root-iterations", options.root_iterations);
  settings.read("annealing-sweeps", options.annealing_sweeps);
  settings.read("restarts", options.restarts);
  options.table_bytes = std::min(options.table_bytes, p.memory / 2);
  return options;
}

}  // namespace

void run_branch_and_bound(const InferProblem& p, InferResult& result) {
  take(p, branch_and_bound(p.graph, search_options(p), p.progress), result);
}

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

}  // namespace croft
