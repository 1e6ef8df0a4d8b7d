#include "train/graph/graph_methods.h"

#include <algorithm>
#include <array>

#include "croft/core/error.h"
#include "croft/optimize/lbfgs.h"
#include "croft/optimize/perceptron.h"
#include "croft/optimize/sgd.h"
#include "inference/graph/oracles/shared_sums.h"
#include "objective/graph/graph_belief_product.h"
#include "objective/graph/graph_contrast.h"
#include "objective/graph/graph_hinge.h"
#include "objective/graph/graph_likelihood.h"
#include "objective/graph/local_terms.h"
#include "optimize/batch/bfgs.h"
#include "optimize/batch/conjugate_gradient.h"
#include "optimize/batch/steepest_descent.h"
#include "optimize/dual/frank_wolfe.h"
#include "optimize/stochastic/adagrad.h"
#include "optimize/stochastic/passive_aggressive.h"
#include "optimize/stochastic/sag.h"
#include "optimize/stochastic/stochastic_approximation.h"
#include "optimize/stochastic/stochastic_meta_descent.h"
#include "train/functions/sgd_lbfgs.h"
#include "train/graph/graph_choice.h"
#include "train/graph/graph_directions.h"
#include "train/graph/graph_dual.h"

namespace croft {
namespace {

// Smooth, if not convex: mean field, hidden variables.
const std::vector<Method> kSmooth = {Method::sgd_lbfgs,
                                     Method::lbfgs,
                                     Method::owlqn,
                                     Method::cg,
                                     Method::preconditioned_cg,
                                     Method::mixed_cg,
                                     Method::bfgs,
                                     Method::sgd,
                                     Method::averaged_sgd,
                                     Method::adagrad,
                                     Method::adagrad_rda,
                                     Method::smd,
                                     Method::sag,
                                     Method::steepest_descent};
const std::vector<Method> kMargin = {Method::averaged_sgd, Method::sgd, Method::frank_wolfe,
                                     Method::adagrad, Method::adagrad_rda};
const std::vector<Method> kOnline = {Method::averaged_perceptron, Method::perceptron,
                                     Method::pass_perceptron};
const std::vector<Method> kAggressive = {Method::pa_1, Method::pa, Method::pa_2};
const std::vector<Method> kDirections = {Method::averaged_sgd, Method::sgd};

BeliefPropagationOptions propagation(const GraphInferenceSettings& s) {
  BeliefPropagationOptions options;
  if (s.max_iterations) options.max_iterations = *s.max_iterations;
  if (s.damping) options.damping = *s.damping;
  return options;
}

// Bottou's steps do not shrink without an l2.
StepSchedule schedule(const GraphProblem& p) {
  return p.settings.schedule.value_or(p.regulariser.l2 > 0 ? StepSchedule::bottou
                                                           : StepSchedule::inverse);
}

struct Search {
  std::string_view name;
  MaxOracleMaker (*make)(const GraphInferenceSettings& settings);
};
const std::array<Search, 6> kSearches = {{
    {"auto", [](const GraphInferenceSettings&) { return automatic_best(); }},
    {"junction-tree",
     [](const GraphInferenceSettings& s) {
       return s.memory ? exact_best(*s.memory) : exact_best();
     }},
    {"max-product",
     [](const GraphInferenceSettings& s) { return max_product_best(propagation(s)); }},
    {"trw-s",
     [](const GraphInferenceSettings& s) {
       TrwSOptions options;
       if (s.max_iterations) options.max_iterations = *s.max_iterations;
       return trw_s_best(options);
     }},
    {"graph-cut", [](const GraphInferenceSettings&) { return graph_cut_best(); }},
    {"alpha-expansion", [](const GraphInferenceSettings&) { return alpha_expansion_best(); }},
}};

MaxOracleMaker search_for(const GraphInferenceSettings& settings) {
  const std::string name = settings.search.value_or("auto");
  const auto found = std::ranges::find(kSearches, name, &Search::name);
  if (found != kSearches.end()) return found->make(settings);
  std::string names;
  for (const Search& each : kSearches)
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  throw UsageError("there is no search '" + name + "'; there are " + names);
}

std::vector<Run> associative_runs(const GraphProblem& p) {
  std::vector<Run> runs;
  for (std::size_t t = 0; t < p.schema.templates.size(); ++t) {
    const RowLayout& rows = p.layout.templates[t];
    if (!is_associative(p.schema.templates[t].interaction)) continue;
    runs.push_back(
        {rows.begin.front(), static_cast<std::uint32_t>(rows.begin.back() - rows.begin.front())});
  }
  return runs;
}

}  // namespace

const std::vector<GraphObjectiveInfo>& graph_objective_table() {
  using K = GraphObjectiveKind;
  static const std::vector<GraphObjectiveInfo> kTable = {
      {K::likelihood,
       "likelihood",
       "exact, by junction trees; hidden variables are summed over",
       Method::lbfgs,
       Method::owlqn,
       true,
       kSmooth,
       {"memory"}},
      {K::bethe,
       "bethe",
       "surrogate likelihood with Bethe's log Z, by loopy belief propagation",
       Method::lbfgs,
       Method::owlqn,
       true,
       kSmooth,
       {"inference-iterations", "damping"}},
      {K::mean_field,
       "mean-field",
       "surrogate likelihood with mean field's bound on log Z",
       Method::lbfgs,
       Method::owlqn,
       true,
       kSmooth,
       {"inference-iterations"}},
      {K::pseudolikelihood,
       "pseudolikelihood",
       "each variable given its neighbours",
       Method::lbfgs,
       Method::owlqn,
       false,
       kSmooth,
       {}},
      {K::per_edge,
       "per-edge",
       "the variables of each clique given their neighbours",
       Method::lbfgs,
       Method::owlqn,
       false,
       kSmooth,
       {}},
      {K::composite,
       "composite",
       "blocks of variables that are trees, given the others",
       Method::lbfgs,
       Method::owlqn,
       false,
       kSmooth,
       {}},
      {K::piecewise,
       "piecewise",
       "each clique by itself",
       Method::lbfgs,
       Method::owlqn,
       false,
       kSmooth,
       {}},
      {K::piecewise_pseudolikelihood,
       "piecewise-pseudolikelihood",
       "each variable of each clique, given the clique's others",
       Method::lbfgs,
       Method::owlqn,
       false,
       kSmooth,
       {}},
      {K::perceptron,
       "perceptron",
       "structured perceptron",
       Method::averaged_perceptron,
       Method::averaged_perceptron,
       true,
       kOnline,
       {"search", "memory", "inference-iterations", "damping"}},
      {K::max_margin,
       "max-margin",
       "hinge with a cost for each wrong label",
       Method::averaged_sgd,
       Method::adagrad_rda,
       true,
       kMargin,
       {"cost", "search", "memory", "inference-iterations", "damping"}},
      {K::tree_reweighted,
       "tree-reweighted",
       "convex surrogate likelihood with an upper bound on log Z by spanning trees",
       Method::lbfgs,
       Method::owlqn,
       false,
       kSmooth,
       {"inference-iterations", "damping"}},
      {K::product_of_beliefs,
       "product-of-beliefs",
       "surrogate likelihood as a product of belief propagation's beliefs",
       Method::lbfgs,
       Method::owlqn,
       false,
       kSmooth,
       {"inference-iterations", "damping"}},
      {K::gibbs,
       "gibbs",
       "likelihood's gradient by Gibbs sampling from anywhere",
       Method::averaged_sgd,
       Method::sgd,
       true,
       kDirections,
       {"inference-iterations"}},
      {K::contrastive_divergence,
       "contrastive-divergence",
       "Gibbs sampling from what is known, for a sweep or a few",
       Method::averaged_sgd,
       Method::sgd,
       true,
       kDirections,
       {"inference-iterations"}},
      {K::persistent_contrastive_divergence,
       "persistent-contrastive-divergence",
       "Gibbs sampling that goes on from step to step",
       Method::averaged_sgd,
       Method::sgd,
       true,
       kDirections,
       {"inference-iterations"}},
      {K::sample_rank,
       "sample-rank",
       "of neighbouring assignments the better one is to score higher",
       Method::averaged_sgd,
       Method::sgd,
       true,
       kDirections,
       {"cost", "pairs"}},
      {K::passive_aggressive,
       "passive-aggressive",
       "the least change that gets an instance right by its costs",
       Method::pa_1,
       Method::pa_1,
       true,
       kAggressive,
       {"cost", "search", "memory", "inference-iterations", "damping"}},
  };
  return kTable;
}

const GraphObjectiveInfo& info(GraphObjectiveKind objective) {
  return *std::ranges::find(graph_objective_table(), objective, &GraphObjectiveInfo::objective);
}

GraphObjectiveKind graph_objective_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const GraphObjectiveInfo& each : graph_objective_table()) {
    if (each.name == name) return each.objective;
    names.push_back(each.name);
  }
  throw UsageError("--objective " + std::string(name) +
                   " is not one of a graph's: " + joined_names(names));
}

std::vector<std::string_view> graph_search_names() {
  std::vector<std::string_view> names;
  for (const Search& each : kSearches) names.push_back(each.name);
  return names;
}

bool is_direction(GraphObjectiveKind objective) { return info(objective).methods == kDirections; }

GraphObjectiveMaker make_graph_objective(GraphObjectiveKind objective,
                                         const GraphInferenceSettings& s) {
  switch (objective) {
    case GraphObjectiveKind::likelihood:
      return graph_likelihood(shared_sums(s.memory ? exact_sums(*s.memory) : exact_sums()));
    case GraphObjectiveKind::bethe:
      return graph_likelihood(shared_sums(bethe_sums(propagation(s))));
    case GraphObjectiveKind::mean_field: {
      MeanFieldOptions options;
      if (s.max_iterations) options.max_iterations = *s.max_iterations;
      return graph_likelihood(shared_sums(mean_field_sums(options)));
    }
    case GraphObjectiveKind::pseudolikelihood:
      return local_terms(LocalKind::pseudo_likelihood);
    case GraphObjectiveKind::per_edge:
      return local_terms(LocalKind::per_edge);
    case GraphObjectiveKind::composite:
      return tree_block_likelihood();
    case GraphObjectiveKind::piecewise:
      return local_terms(LocalKind::piecewise);
    case GraphObjectiveKind::piecewise_pseudolikelihood:
      return local_terms(LocalKind::piecewise_pseudo_likelihood);
    case GraphObjectiveKind::perceptron:
      return graph_hinge(0, search_for(s));
    case GraphObjectiveKind::tree_reweighted: {
      TreeReweightedOptions options;
      if (s.max_iterations) options.max_iterations = *s.max_iterations;
      if (s.damping) options.damping = *s.damping;
      return graph_likelihood(tree_reweighted_sums(options));
    }
    case GraphObjectiveKind::product_of_beliefs:
      return belief_product(propagation(s));
    case GraphObjectiveKind::max_margin:
    case GraphObjectiveKind::passive_aggressive:
      return graph_hinge(s.cost.value_or(1), search_for(s));
    case GraphObjectiveKind::gibbs:
    case GraphObjectiveKind::contrastive_divergence:
    case GraphObjectiveKind::persistent_contrastive_divergence:
    case GraphObjectiveKind::sample_rank:
      break;
  }
  throw UsageError("--objective " + std::string(info(objective).name) + " has no value");
}

namespace {

GraphDirectionMaker make_direction(GraphObjectiveKind objective, const GraphInferenceSettings& s) {
  ContrastOptions options;
  if (objective == GraphObjectiveKind::gibbs) options = {ContrastStart::random, 50};
  if (objective == GraphObjectiveKind::persistent_contrastive_divergence) {
    options.start = ContrastStart::last;
  }
  if (s.max_iterations) options.sweeps = *s.max_iterations;
  return graph_contrast(options);
}

OptimizeResult train_by_directions(const GraphProblem& p, std::span<double> w,
                                   const IterationCallback& callback, Checkpointer* checkpoints) {
  std::unique_ptr<DirectionFunction> f;
  if (p.objective == GraphObjectiveKind::sample_rank) {
    SampleRankOptions options;
    options.loss = p.rank_loss;
    options.margin = p.inference.cost.value_or(1);
    options.pairs = p.inference.pairs.value_or(false);
    f = std::make_unique<SampleRank>(p.schema, p.rows, p.layout, p.instances, options, p.seed);
  } else {
    f = std::make_unique<GraphDirections>(p.schema, p.rows, p.layout, p.instances, p.pool.threads(),
                                          make_direction(p.objective, p.inference));
  }
  StochasticApproximationOptions options;
  options.schedule = schedule(p);
  options.step = p.settings.step;
  if (p.settings.decay) options.decay = *p.settings.decay;
  if (p.settings.batch) options.batch = std::min(*p.settings.batch, f->samples());
  if (p.method == Method::averaged_sgd) options.average_from = p.settings.average_from.value_or(2);
  options.seed = p.seed;
  options.stop = p.stop;
  return stochastic_approximation(*f, p.regulariser, w, options, p.pool, callback, checkpoints);
}

OptimizeResult train_by_dual(const GraphProblem& p, std::span<double> w,
                             const IterationCallback& callback, Checkpointer* checkpoints) {
  GraphDual dual(p.schema, p.rows, p.layout, p.instances, search_for(p.inference),
                 {.l2 = p.regulariser.l2, .cost = p.inference.cost.value_or(1)});
  FrankWolfeOptions options;
  options.seed = p.seed;
  options.stop = p.stop;
  if (p.settings.gap) options.stop.gap_tolerance = *p.settings.gap;
  const OptimizeResult result = frank_wolfe(dual, options, callback, checkpoints);
  std::ranges::copy(dual.weights(), w.begin());
  return result;
}

}  // namespace

namespace {

OptimizeResult train_by_values(const GraphProblem& p, GraphFunction& f, std::span<double> w,
                               const IterationCallback& callback, Checkpointer* checkpoints) {
  const std::vector<Run> nonnegative =
      keeps_associative(p) ? associative_runs(p) : std::vector<Run>();
  const auto prepared = [&](auto options) {
    options.stop = p.stop;
    if constexpr (requires { options.seed = p.seed; }) options.seed = p.seed;
    if constexpr (requires { options.step = p.settings.step; }) options.step = p.settings.step;
    if constexpr (requires { options.batch = std::size_t{1}; }) {
      if (p.settings.batch) options.batch = std::min(*p.settings.batch, f.samples());
    }
    if constexpr (requires { options.history = p.settings.history; }) {
      options.history = p.settings.history;
    }
    if constexpr (requires { options.schedule = StepSchedule::bottou; }) {
      options.schedule = schedule(p);
      if (p.settings.decay) options.decay = *p.settings.decay;
      options.nonnegative = nonnegative;
    }
    return options;
  };
  const auto online = [&](PerceptronKind kind) {
    PerceptronOptions options;
    options.kind = kind;
    options.seed = p.seed;
    options.stop = p.stop;
    if (p.settings.step) options.step = *p.settings.step;
    return perceptron(f, p.regulariser, w, options, callback, checkpoints);
  };
  const auto aggressive = [&](PassiveAggressiveKind kind) {
    PassiveAggressiveOptions options;
    options.kind = kind;
    options.seed = p.seed;
    options.stop = p.stop;
    if (p.settings.aggressiveness) options.aggressiveness = *p.settings.aggressiveness;
    return passive_aggressive(f, p.regulariser, w, options, callback, checkpoints);
  };
  const Regulariser& r = p.regulariser;
  const auto conjugate = [&](Preconditioning preconditioning) {
    ConjugateGradientOptions options = prepared(ConjugateGradientOptions());
    options.preconditioning = preconditioning;
    return conjugate_gradient(f, r, w, options, p.pool, callback, checkpoints);
  };
  switch (p.method) {
    case Method::sgd_lbfgs: {
      SgdLbfgsOptions options;
      if (p.settings.passes) options.passes = *p.settings.passes;
      if (p.settings.batch) options.batch = std::min(*p.settings.batch, f.samples());
      options.step = p.settings.step;
      options.seed = p.seed;
      options.lbfgs = prepared(LbfgsOptions());
      const auto samples = [&] { return SampleSpace(static_cast<SampleFunction&>(f)); };
      return sgd_lbfgs(f, samples, {}, r, w, options, p.pool, callback, checkpoints);
    }
    case Method::owlqn:
      return owlqn(f, r, w, prepared(LbfgsOptions()), p.pool, callback, checkpoints);
    case Method::cg:
      return conjugate(Preconditioning::none);
    case Method::preconditioned_cg:
      return conjugate(Preconditioning::diagonal);
    case Method::mixed_cg:
      return conjugate(Preconditioning::mixed);
    case Method::bfgs:
      return bfgs(f, r, w, prepared(BfgsOptions()), p.pool, callback, checkpoints);
    case Method::sag:
      return sag(f, r, w, prepared(SagOptions()), callback, checkpoints);
    case Method::smd: {
      SmdOptions options = prepared(SmdOptions());
      options.gain = p.settings.step;
      return stochastic_meta_descent(f, r, w, options, p.pool, callback, checkpoints);
    }
    case Method::steepest_descent:
      return steepest_descent(f, r, w, prepared(SteepestDescentOptions()), p.pool, callback,
                              checkpoints);
    case Method::sgd:
      return sgd(f, r, w, prepared(SgdOptions()), p.pool, callback, checkpoints);
    case Method::averaged_sgd: {
      SgdOptions options = prepared(SgdOptions());
      options.average_from = p.settings.average_from.value_or(1);
      return sgd(f, r, w, options, p.pool, callback, checkpoints);
    }
    case Method::adagrad:
      return adagrad(f, r, w, prepared(AdagradOptions()), p.pool, callback, checkpoints);
    case Method::adagrad_rda:
      return adagrad_rda(f, r, w, prepared(AdagradOptions()), p.pool, callback, checkpoints);
    case Method::perceptron:
      return online(PerceptronKind::plain);
    case Method::averaged_perceptron:
      return online(PerceptronKind::averaged);
    case Method::pass_perceptron:
      return online(PerceptronKind::pass_average);
    case Method::pa:
      return aggressive(PassiveAggressiveKind::pa);
    case Method::pa_1:
      return aggressive(PassiveAggressiveKind::pa_1);
    case Method::pa_2:
      return aggressive(PassiveAggressiveKind::pa_2);
    default:
      return lbfgs(f, r, w, prepared(LbfgsOptions()), p.pool, callback, checkpoints);
  }
}

// Over the variables of the prior.
OptimizeResult train_with_prior(const GraphProblem& p, GraphFunction& f, std::span<double> w,
                                const IterationCallback& callback, Checkpointer* checkpoints) {
  if (p.prior == nullptr || p.prior->trivial()) {
    return train_by_values(p, f, w, callback, checkpoints);
  }
  f.set_prior(*p.prior);
  std::vector<double> u(w.size());
  const auto set_weights = [&](std::span<const double> from) {
    for (std::size_t k = 0; k < u.size(); ++k) w[k] = p.prior->weight(k, from[k]);
  };
  for (std::size_t k = 0; k < u.size(); ++k) u[k] = p.prior->variable(k, w[k]);
  const IterationCallback see = [&](const Iteration& local) {
    set_weights(local.w);
    Iteration now = local;
    now.w = w;
    return !callback || callback(now);
  };
  const OptimizeResult result = train_by_values(p, f, u, see, checkpoints);
  set_weights(u);
  return result;
}

}  // namespace

OptimizeResult train_graph(const GraphProblem& p, std::span<double> w,
                           const IterationCallback& callback, Checkpointer* checkpoints) {
  check_graph_choice(p);
  if (is_direction(p.objective)) return train_by_directions(p, w, callback, checkpoints);
  if (p.method == Method::frank_wolfe) return train_by_dual(p, w, callback, checkpoints);
  GraphFunction f(p.schema, p.rows, p.layout, p.instances, p.pool,
                  make_graph_objective(p.objective, p.inference));
  const auto watch = [&](const Iteration& now) {
    if (p.findings != nullptr) {
      *p.findings = {f.inferences(), f.inferences_not_converged(), f.not_converged()};
    }
    return !callback || callback(now);
  };
  const OptimizeResult result = train_with_prior(p, f, w, watch, checkpoints);
  if (p.findings != nullptr) {
    *p.findings = {f.inferences(), f.inferences_not_converged(), f.not_converged()};
  }
  return result;
}

}  // namespace croft
