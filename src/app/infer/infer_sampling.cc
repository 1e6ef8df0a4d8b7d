// Methods that draw samples.
#include <fmt/format.h>

#include <cmath>

#include "app/infer/infer_methods.h"
#include "app/infer/sum_bounds.h"
#include "core/infinity.h"
#include "core/words/counted.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/inference/gibbs.h"
#include "croft/inference/markov_chains.h"
#include "inference/graph/exact/sum_reduction.h"
#include "inference/graph/sampling/importance_sampling.h"
#include "inference/graph/sampling/mini_bucket_sampling.h"
#include "inference/graph/sampling/stuck_variables.h"

namespace croft {
namespace {

using enum GraphTask;

void take(
    const InferProblem& p, GibbsResult found, InferResult& result,
    const Message& reducible = "zeros may keep the chains from some of the allowed assignments") {
  take(found.convergence, result);
  result.kind = found.kind;
  result.effective_samples = found.effective_samples;
  if (found.possibly_reducible) result.notes.push_back(reducible);
  if (const std::size_t stuck = count_stuck(found); stuck > 0) {
    result.warnings.push_back(
        {"standard errors of ", counted(stuck, "variable"), " are not known: ",
         stuck == 1 ? Message("it never moved in any chain, and nothing proves that it must stay")
                    : Message("they never moved in any chain, and nothing proves that they must"),
         found.possibly_reducible
             ? Message("; zeros may part what is allowed, and --method gibbs with --set "
                       "blocks=trees or an exact method may cross them")
             : Message("; more --max-iterations may help")});
  }
  if (p.request.task == sample) {
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
  if (found.kind != ResultKind::exact) {
    if (found.convergence.iterations == 0) {
      throw Error(result.method, " was stopped before the first draw; give it more --time");
    }
    if (found.log_partition == -kInf) return;  // no draw hit: infer() looks into it
    result.log_partition_error = found.log_standard_error;
    hold_between_bounds(p.graph, found.marginals, result);
  }
  if (p.request.task == partition) return;
  if (found.log_partition == -kInf) fail_without_assignment();  // proved
  result.marginals = std::move(found.marginals);
  result.standard_errors = std::move(found.standard_errors);
}

void run_gibbs(const InferProblem& p, InferResult& result) {
  auto options = options_of<GibbsOptions>(p);
  Settings(p.request)
      .read("thin", options.thin)
      .read("scan", options.scan, gibbs_scan)
      .read("blocks", options.blocks, gibbs_blocks);
  if (!p.request.max_iterations) raise_sweeps(options.thin, options);
  take(p, gibbs(p.graph, options, p.progress), result,
       "zeros may keep the chain from some of the allowed assignments: --set blocks=pairs or "
       "trees, or an exact method");
}

void run_swendsen_wang(const InferProblem& p, InferResult& result) {
  take(p, swendsen_wang(p.graph, options_of<ChainOptions>(p), p.progress), result);
}

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

void run_metropolis_hastings(const InferProblem& p, InferResult& result) {
  take(p, metropolis_hastings(p.graph, proposal_given(p), options_of<ChainOptions>(p), p.progress),
       result);
}

void run_parallel_tempering(const InferProblem& p, InferResult& result) {
  auto options = options_of<TemperingOptions>(p);
  Settings(p.request).read("temperatures", options.temperatures).read("hottest", options.hottest);
  take(p, parallel_tempering(p.graph, options, p.progress), result);
}

void run_likelihood_weighting(const InferProblem& p, InferResult& result) {
  auto options = options_of<LikelihoodWeightingOptions>(p);
  options.samples = p.request.max_iterations.value_or(options.samples);
  take(p, likelihood_weighting(p.graph, options, p.progress), result);
}

void run_annealed_importance_sampling(const InferProblem& p, InferResult& result) {
  auto options = options_of<AnnealedOptions>(p);
  options.runs = p.request.max_iterations.value_or(options.runs);
  Settings(p.request).read("steps", options.steps);
  take(p, annealed_importance_sampling(p.graph, options, p.progress), result);
}

void run_mini_bucket_sampling(const InferProblem& p, InferResult& result) {
  auto options = options_of<MiniBucketSamplingOptions>(p);
  options.samples = p.request.max_iterations.value_or(p.request.seconds ? 0 : options.samples);
  options.marginals = p.request.task == marginals;
  options.table_bytes = p.memory / 2;
  Settings(p.request).read("particles", options.particles);
  const SumReduction reduction(p.for_tables, false, p.progress);
  BoundedSum found;
  try {
    found = mini_bucket_sampling(reduction.graph(), options, p.progress);
  } catch (const Interrupted& stop) {
    if (interruption) throw;
    throw Error(result.method, " was ", stop.message(), "; give it more --time");
  }
  result.log_partition_most = found.most;
  if (found.least > -kInf) result.log_partition_least = found.least;
  if (options.marginals && found.sum.log_partition > -kInf) {
    found.sum.marginals = reduction.marginals(found.sum.marginals, found.draws, found.weights);
    found.sum.standard_errors.clear();
  }
  take(p, std::move(found.sum), result);
}

constexpr InferOptions kProposes{.max_iterations = true, .seconds = true, .proposal = true};

}  // namespace

std::vector<InferMethod> sampling_methods() {
  return {
      {"gibbs",
       "sampling, with standard errors; --max-iterations are sweeps of each chain",
       {marginals, sample},
       kCounts,
       {{"burn-in", "SWEEPS"},
        {"thin", "SWEEPS"},
        {"chains", "N"},
        {"scan", "coloured|sequential|random"},
        {"blocks", "none|pairs|trees"}},
       run_gibbs},
      {"swendsen-wang",
       "sampling by clusters of equal neighbours, for pairs that like to be equal",
       {marginals, sample},
       kCounts,
       {{"burn-in", "SWEEPS"}, {"chains", "N"}},
       run_swendsen_wang},
      {"parallel-tempering",
       "Gibbs sampling at several temperatures, which change places",
       {marginals, sample},
       kCounts,
       {{"burn-in", "SWEEPS"}, {"chains", "N"}, {"temperatures", "N"}, {"hottest", "T"}},
       run_parallel_tempering},
      {"metropolis-hastings",
       "one variable to another state, accepted or not; Python and C++ take proposals of your own",
       {marginals, sample},
       kProposes,
       {{"burn-in", "SWEEPS"}, {"chains", "N"}},
       run_metropolis_hastings},
      {"likelihood-weighting",
       "weighted draws from a Bayesian network; --max-iterations are draws",
       {partition, marginals},
       kCounts,
       {},
       run_likelihood_weighting},
      {"annealed-importance-sampling",
       "weighted runs from independent variables to the graph; --max-iterations are runs",
       {partition, marginals},
       kCounts,
       {{"steps", "N"}},
       run_annealed_importance_sampling},
      {"mini-bucket-sampling",
       "bounds on log Z by mini-buckets, and weighted draws that they guide; --max-iterations are "
       "draws",
       {partition, marginals},
       kCountsInMemory,
       {{"particles", "N"}},
       run_mini_bucket_sampling},
  };
}

}  // namespace croft
