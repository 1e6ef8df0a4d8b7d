// The adapters of sampling beside Gibbs sampling.
#include <fmt/format.h>

#include <cmath>

#include "app/infer/infer_methods.h"
#include "croft/core/error.h"
#include "croft/inference/markov_chains.h"
#include "inference/graph/sampling/importance_sampling.h"

namespace croft {
namespace {

void read(const InferRequest& request, ChainOptions& options) {
  if (request.max_iterations) options.sweeps = *request.max_iterations;
  options.seed = request.seed;
  if (request.task == GraphTask::sample) options.samples = request.samples.value_or(1);
  const Settings settings(request);
  settings.read("burn-in", options.burn_in);
  settings.read("chains", options.chains);
}

void take(const InferProblem& p, GibbsResult found, InferResult& result) {
  take(found.convergence, result);
  result.kind = found.kind;
  result.effective_samples = found.effective_samples;
  if (found.possibly_reducible) {
    result.notes.push_back("zeros may keep the chains from some of the allowed assignments");
  }
  if (p.request.task == GraphTask::sample) {
    result.samples = std::move(found.samples);
  } else {
    result.marginals = std::move(found.marginals);
    result.standard_errors = std::move(found.standard_errors);
  }
}

void take(const InferProblem& p, WeightedResult found, InferResult& result) {
  result.converged = found.convergence.converged;
  result.iterations = found.convergence.iterations;
  result.kind = found.kind;
  result.log_partition = found.log_partition;
  result.effective_samples = found.effective_samples;
  if (found.convergence.iterations == 0) {
    result.notes.push_back("it was stopped before the first draw");
  } else if (found.effective_samples == 0) {
    result.notes.push_back("every draw had the weight 0, which does not prove that Z is 0");
  } else {
    result.notes.push_back(
        fmt::format("log Z has the standard error {:.2g}", found.log_standard_error));
  }
  if (p.request.task == GraphTask::partition) return;
  if (!std::isfinite(found.log_partition)) fail_without_finding();
  result.marginals = std::move(found.marginals);
  result.standard_errors = std::move(found.standard_errors);
}

}  // namespace

void run_swendsen_wang(const InferProblem& p, InferResult& result) {
  ChainOptions options;
  read(p.request, options);
  take(p, swendsen_wang(p.graph, options, p.progress), result);
}

namespace {

// The caller's own, which knows nothing of conditioning: an observed variable has one state there.
Proposal proposal_given(const InferProblem& p) {
  if (!p.request.proposal) return uniform_proposal(p.graph);
  return [&p, whole = std::vector<State>()](std::span<const State> x, Random& random,
                                            Move& move) mutable {
    whole.assign(x.begin(), x.end());
    for (Variable v = 0; v < p.evidence.size(); ++v) {
      if (p.evidence[v] != kUnobserved) whole[v] = p.evidence[v];
    }
    p.request.proposal(whole, random, move);
    for (auto& [v, state] : move.changes) {
      if (v >= p.evidence.size() || p.evidence[v] == kUnobserved) continue;
      if (state != p.evidence[v]) {
        throw UsageError(fmt::format("a proposal changes variable {}, which is observed", v));
      }
      state = 0;
    }
  };
}

}  // namespace

void run_metropolis_hastings(const InferProblem& p, InferResult& result) {
  ChainOptions options;
  read(p.request, options);
  take(p, metropolis_hastings(p.graph, proposal_given(p), options, p.progress), result);
}

void run_parallel_tempering(const InferProblem& p, InferResult& result) {
  TemperingOptions options;
  read(p.request, options);
  const Settings settings(p.request);
  settings.read("temperatures", options.temperatures);
  settings.read("hottest", options.hottest);
  take(p, parallel_tempering(p.graph, options, p.progress), result);
}

void run_likelihood_weighting(const InferProblem& p, InferResult& result) {
  LikelihoodWeightingOptions options;
  if (p.request.max_iterations) options.samples = *p.request.max_iterations;
  options.seed = p.request.seed;
  take(p, likelihood_weighting(p.graph, options, p.progress), result);
}

void run_annealed_importance_sampling(const InferProblem& p, InferResult& result) {
  AnnealedOptions options;
  if (p.request.max_iterations) options.runs = *p.request.max_iterations;
  options.seed = p.request.seed;
  Settings(p.request).read("steps", options.steps);
  take(p, annealed_importance_sampling(p.graph, options, p.progress), result);
}

}  // namespace croft
