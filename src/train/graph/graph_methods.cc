#include "train/graph/graph_methods.h"

#include <algorithm>
#include <array>

#include "croft/core/error.h"
#include "inference/graph/oracles/shared_plans.h"
#include "objective/graph/graph_objective.h"
#include "objective/graph/local_terms.h"
#include "objective/graph/pieces.h"
#include "train/graph/graph_directions.h"
#include "train/graph/graph_dual.h"
#include "train/methods/optimise.h"

namespace croft {
namespace {

BeliefPropagationOptions propagation(const GraphInferenceSettings& s) {
  BeliefPropagationOptions options;
  if (s.max_iterations) options.max_iterations = *s.max_iterations;
  if (s.damping) options.damping = *s.damping;
  return options;
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

bool is_direction(Objective objective) {
  return info(objective, Structure::graph).form == Form::directions;
}

std::optional<SumOracleMaker> graph_sums(Objective objective, const GraphInferenceSettings& s) {
  switch (objective) {
    case Objective::likelihood:
      return s.memory ? exact_sums(*s.memory) : exact_sums();
    case Objective::bethe:
      return bethe_sums(propagation(s));
    case Objective::mean_field: {
      MeanFieldOptions options;
      if (s.max_iterations) options.max_iterations = *s.max_iterations;
      return mean_field_sums(options);
    }
    default:
      return std::nullopt;
  }
}

GraphObjectiveMaker make_graph_objective(Objective objective, const GraphInferenceSettings& s) {
  if (const auto sums = graph_sums(objective, s)) return graph_likelihood(shared_sums(*sums));
  switch (objective) {
    case Objective::pseudolikelihood:
      return local_terms(LocalKind::pseudo_likelihood);
    case Objective::per_edge:
      return local_terms(LocalKind::per_edge);
    case Objective::composite:
      return tree_block_likelihood();
    case Objective::piecewise:
      return local_terms(LocalKind::piecewise);
    case Objective::piecewise_pseudolikelihood:
      return local_terms(LocalKind::piecewise_pseudo_likelihood);
    case Objective::perceptron:
      return graph_hinge(0, search_for(s));
    case Objective::tree_reweighted: {
      TreeReweightedOptions options;
      if (s.max_iterations) options.max_iterations = *s.max_iterations;
      if (s.damping) options.damping = *s.damping;
      return graph_likelihood(tree_reweighted_sums(options));
    }
    case Objective::product_of_beliefs:
      return belief_product(propagation(s));
    case Objective::max_margin:
    case Objective::passive_aggressive:
      return graph_hinge(s.cost.value_or(1), search_for(s));
    default:
      break;
  }
  throw UsageError("--objective ", name_of(objective), " has no value");
}

namespace {

GraphDirectionMaker make_direction(Objective objective, const GraphInferenceSettings& s) {
  ContrastOptions options;
  if (objective == Objective::gibbs) options = {ContrastStart::random, 50};
  if (objective == Objective::persistent_contrastive_divergence) {
    options.start = ContrastStart::last;
  }
  if (s.max_iterations) options.sweeps = *s.max_iterations;
  return graph_contrast(options);
}

std::unique_ptr<DirectionFunction> make_directions(const GraphProblem& p) {
  if (p.objective != Objective::sample_rank) {
    return std::make_unique<GraphDirections>(p.schema, p.rows, p.layout, p.instances,
                                             p.pool.threads(),
                                             make_direction(p.objective, p.inference));
  }
  SampleRankOptions options;
  options.loss = p.rank_loss;
  options.margin = p.inference.cost.value_or(1);
  options.pairs = p.inference.pairs.value_or(false);
  return std::make_unique<SampleRank>(p.schema, p.rows, p.layout, p.instances, options, p.seed);
}

}  // namespace

namespace {

// The variables of each clique of a template.
std::vector<std::vector<Variable>> cliques_of(const CliqueRows& rows, const GraphInstance& instance,
                                              std::size_t of_template) {
  std::vector<std::vector<Variable>> blocks;
  for (Factor f = 0; f < instance.graph.factors(); ++f) {
    const std::uint32_t row = instance.row[instance.graph.potential_of(f)];
    if (rows.template_of(row) != of_template) continue;
    const auto scope = instance.graph.scope(f);
    blocks.emplace_back(scope.begin(), scope.end());
  }
  return blocks;
}

InstanceObjectiveMaker instance_objective(const GraphProblem& p) {
  const std::string pieces = p.inference.pieces.value_or("");
  if (pieces.empty() || pieces == "factors") {
    return [make = make_graph_objective(p.objective, p.inference)](const GraphInstance& instance) {
      return make(instance.graph, instance.known);
    };
  }
  if (pieces == "observations") {
    return [](const GraphInstance& instance) {
      return std::make_unique<LocalTerms>(instance.graph, instance.known,
                                          pieces_with_observations(instance.graph));
    };
  }
  const auto found = std::ranges::find(p.schema.templates, pieces, &CliqueTemplate::name);
  const auto at = static_cast<std::size_t>(found - p.schema.templates.begin());
  const bool composite = p.objective == Objective::composite;
  return [=, &rows = p.rows](const GraphInstance& instance) -> std::unique_ptr<GraphObjective> {
    const auto blocks = cliques_of(rows, instance, at);
    if (composite) {
      return std::make_unique<BlockLikelihood>(instance.graph, instance.known,
                                               blocks_of_all(instance.graph, blocks), exact_sums());
    }
    return std::make_unique<LocalTerms>(instance.graph, instance.known,
                                        pieces_of_blocks(instance.graph, blocks));
  };
}

}  // namespace

OptimizeResult train_graph(const GraphProblem& p, std::span<double> w,
                           const IterationCallback& callback, Checkpointer* checkpoints) {
  check_graph_choice(p);
  std::optional<GraphFunction> values;
  std::optional<GraphDual> dual;
  if (!is_direction(p.objective) && p.method != Method::frank_wolfe) {
    values.emplace(p.schema, p.rows, p.layout, p.instances, p.pool, instance_objective(p));
    if (p.prior != nullptr) values->set_prior(*p.prior);
  }
  const std::vector<Run> nonnegative =
      keeps_associative(p) ? associative_runs(p) : std::vector<Run>();
  OptimizeProblem problem{
      .method = p.method,
      .settings = p.settings,
      .regulariser = p.regulariser,
      .stop = p.stop,
      .seed = p.seed,
      .pool = p.pool,
      .prior = p.prior,
      .nonnegative = nonnegative,
      .batch = [&]() -> BatchFunction& { return *values; },
      .samples = [&](std::size_t) { return SampleSpace(static_cast<SampleFunction&>(*values)); },
      .dual = [&]() -> DualProblem& {
        const GraphDualOptions options{.l2 = p.regulariser.l2,
                                       .cost = p.inference.cost.value_or(1)};
        return dual.emplace(p.schema, p.rows, p.layout, p.instances, search_for(p.inference),
                            options);
      }};
  if (is_direction(p.objective)) problem.directions = [&] { return make_directions(p); };
  const auto report = [&] {
    if (p.findings == nullptr || !values) return;
    *p.findings = {values->inferences(), values->inferences_not_converged(),
                   values->not_converged()};
  };
  const auto watch = [&](const Iteration& now) {
    report();
    return !callback || callback(now);
  };
  const OptimizeResult result = optimise(problem, w, watch, checkpoints);
  report();
  return result;
}

}  // namespace croft
