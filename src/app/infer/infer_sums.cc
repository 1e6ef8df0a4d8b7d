// The adapters of methods that estimate or bound sums.
#include "app/infer/infer_methods.h"
#include "croft/inference/belief_propagation.h"
#include "croft/inference/gibbs.h"
#include "croft/inference/mean_field.h"
#include "croft/inference/tree_reweighted.h"
#include "inference/graph/messages/convergent_propagation.h"

namespace croft {
namespace {

BeliefPropagationOptions message_options(const InferRequest& request) {
  BeliefPropagationOptions options;
  if (request.tolerance) options.tolerance = *request.tolerance;
  if (request.max_iterations) options.max_iterations = *request.max_iterations;
  options.seed = request.seed;
  const Settings settings(request);
  settings.read("schedule", options.schedule, message_schedule);
  settings.read("damping", options.damping);
  return options;
}

MeanFieldOptions mean_field_options(const InferRequest& request) {
  MeanFieldOptions options;
  if (request.tolerance) options.tolerance = *request.tolerance;
  if (request.max_iterations) options.max_iterations = *request.max_iterations;
  options.seed = request.seed;
  Settings(request).read("starts", options.starts);
  return options;
}

void take(const InferProblem& p, MeanFieldResult found, InferResult& result) {
  take(found.convergence, result);
  result.kind = found.kind;
  result.log_partition = found.bound;
  if (p.request.task == GraphTask::partition) return;
  if (found.contradiction) fail_without_assignment();
  if (found.marginals.empty() && p.graph.variables() > 0) fail_without_finding();
  if (result.kind != ResultKind::exact) {
    result.kind = ResultKind::estimate;
    result.notes.push_back("log Z is a lower bound");
  }
  result.marginals = std::move(found.marginals);
}

}  // namespace

void run_mean_field(const InferProblem& p, InferResult& result) {
  take(p, mean_field(p.graph, mean_field_options(p.request), p.progress), result);
}

void run_structured_mean_field(const InferProblem& p, InferResult& result) {
  take(p,
       structured_mean_field(p.graph, forest_parts(p.graph), mean_field_options(p.request),
                             p.progress),
       result);
}

void run_belief_propagation(const InferProblem& p, InferResult& result) {
  SumProduct messages(p.graph, message_options(p.request));
  take(messages.run(p.progress), result);
  result.kind = messages.kind();
  if (p.request.task == GraphTask::marginals) {
    if (messages.contradiction()) fail_without_assignment();
    result.marginals = messages.beliefs();
  }
  result.log_partition = messages.log_partition();
}

void run_tree_reweighted(const InferProblem& p, InferResult& result) {
  TreeReweightedOptions options;
  if (p.request.tolerance) options.tolerance = *p.request.tolerance;
  if (p.request.max_iterations) options.max_iterations = *p.request.max_iterations;
  options.seed = p.request.seed;
  const Settings settings(p.request);
  settings.read("damping", options.damping);
  settings.read("trees", options.trees);
  settings.read("tree-steps", options.tree_steps);
  TreeReweighted messages(p.graph, options);
  take(messages.run(p.progress), result);
  result.kind = messages.kind();
  result.log_partition = messages.bound();
  if (p.request.task == GraphTask::partition) return;
  if (messages.contradiction()) fail_without_assignment();
  if (result.kind != ResultKind::exact) {
    result.kind = ResultKind::estimate;
    result.notes.push_back("log Z is an upper bound");
  }
  result.marginals = messages.beliefs();
}

void run_double_loop(const InferProblem& p, InferResult& result) {
  DoubleLoopOptions options;
  if (p.request.tolerance) options.tolerance = *p.request.tolerance;
  if (p.request.max_iterations) options.max_iterations = *p.request.max_iterations;
  Settings(p.request).read("inner-iterations", options.inner_iterations);
  DoubleLoopResult found = convergent_propagation(p.graph, options, p.progress);
  take(found.convergence, result);
  result.kind = found.kind;
  result.log_partition = found.log_partition;
  if (p.request.task == GraphTask::partition) return;
  if (found.contradiction) fail_without_assignment();
  result.marginals = std::move(found.beliefs);
}

void run_fractional(const InferProblem& p, InferResult& result) {
  FractionalOptions options;
  if (p.request.tolerance) options.tolerance = *p.request.tolerance;
  if (p.request.max_iterations) options.max_iterations = *p.request.max_iterations;
  const Settings settings(p.request);
  settings.read("damping", options.damping);
  settings.read("weight", options.weight);
  FractionalResult found = fractional_propagation(p.graph, options, p.progress);
  take(found.convergence, result);
  result.kind = found.contradiction ? ResultKind::exact : ResultKind::estimate;
  result.log_partition = found.log_partition;
  if (p.request.task == GraphTask::partition) return;
  if (found.contradiction) fail_without_assignment();
  result.marginals = std::move(found.beliefs);
}

void run_max_product(const InferProblem& p, InferResult& result) {
  MaxProduct messages(p.graph, message_options(p.request));
  take(messages.run(p.progress), result);
  if (messages.contradiction()) fail_without_assignment();
  result.kind = messages.kind();
  result.assignment = messages.best().states;
  check_found(result, p.graph);
}

void run_gibbs(const InferProblem& p, InferResult& result) {
  GibbsOptions options;
  if (p.request.max_iterations) options.sweeps = *p.request.max_iterations;
  options.seed = p.request.seed;
  options.threads = p.request.threads;
  if (p.request.task == GraphTask::sample) options.samples = p.request.samples.value_or(1);
  const Settings settings(p.request);
  settings.read("burn-in", options.burn_in);
  settings.read("thin", options.thin);
  settings.read("chains", options.chains);
  settings.read("scan", options.scan, gibbs_scan);
  settings.read("blocks", options.blocks, gibbs_blocks);
  GibbsResult found = gibbs(p.graph, options, p.progress);
  take(found.convergence, result);
  result.kind = found.kind;
  result.effective_samples = found.effective_samples;
  if (found.possibly_reducible) {
    result.notes.push_back(
        "zeros may keep the chain from some of the allowed assignments: --set blocks=pairs or "
        "trees, or an exact method");
  }
  if (p.request.task == GraphTask::sample) {
    result.samples = std::move(found.samples);
  } else {
    result.marginals = std::move(found.marginals);
    result.standard_errors = std::move(found.standard_errors);
  }
}

}  // namespace croft
