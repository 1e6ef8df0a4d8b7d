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
#include "train/graph/graph_starts.h"
#include "train/graph/graph_unlabelled.h"
#include "train/graph/split_terms.h"
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

MaxOracleMaker graph_search(const GraphInferenceSettings& settings) {
  const std::string name = settings.search.value_or("auto");
  const auto found = std::ranges::find(kSearches, name, &Search::name);
  if (found != kSearches.end()) return found->make(settings);
  std::string names;
  for (const Search& each : kSearches)
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  throw UsageError("there is no search '" + name + "'; there are " + names);
}

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
  if (objective == Objective::bethe) {
    return graph_likelihood(shared_sums(bethe_sums(propagation(s), true)));
  }
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
      return graph_hinge(0, graph_search(s));
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
      return graph_hinge(s.cost.value_or(1), graph_search(s));
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

// What --pieces names: blocks, or the variables of each clique of a template.
std::vector<std::vector<Variable>> named_blocks(const GraphProblem& p,
                                                const GraphInstance& instance) {
  const auto named = instance.blocks.find(*p.inference.pieces);
  if (named != instance.blocks.end()) return named->second;
  const auto& templates = p.schema.templates;
  const auto found = std::ranges::find(templates, *p.inference.pieces, &CliqueTemplate::name);
  const auto of_template = static_cast<std::size_t>(found - templates.begin());
  std::vector<std::vector<Variable>> blocks;
  for (Factor f = 0; f < instance.graph.factors(); ++f) {
    const std::uint32_t row = instance.row[instance.graph.potential_of(f)];
    if (p.rows.template_of(row) != of_template) continue;
    const auto scope = instance.graph.scope(f);
    blocks.emplace_back(scope.begin(), scope.end());
  }
  return blocks;
}

std::optional<LocalKind> local_kind(Objective objective) {
  switch (objective) {
    case Objective::pseudolikelihood:
      return LocalKind::pseudo_likelihood;
    case Objective::per_edge:
      return LocalKind::per_edge;
    case Objective::piecewise:
      return LocalKind::piecewise;
    case Objective::piecewise_pseudolikelihood:
      return LocalKind::piecewise_pseudo_likelihood;
    default:
      return std::nullopt;
  }
}

// The pieces that are named, but for "factors": of piecewise, or of composite.
std::vector<FactorSet> named_pieces(const GraphProblem& p, const GraphInstance& instance) {
  if (p.inference.pieces == "observations") return pieces_with_observations(instance.graph);
  return pieces_of_blocks(instance.graph, named_blocks(p, instance));
}

bool names_pieces(const GraphProblem& p) {
  return p.inference.pieces && p.inference.pieces != "factors";
}

// Of local objectives, instance by instance.
TermsOf local_terms_of(const GraphProblem& p) {
  return [&p](const GraphInstance& instance, const VisitTerm& visit) {
    if (names_pieces(p)) return visit_terms(instance.graph, named_pieces(p, instance), visit);
    visit_terms(instance.graph, *local_kind(p.objective), visit);
  };
}

// What fails for a clique says of which template it is.
InstanceObjectiveMaker naming_templates(const GraphProblem& p, InstanceObjectiveMaker make) {
  return [&p, make = std::move(make)](const GraphInstance& instance) {
    try {
      return make(instance);
    } catch (const LargeTerm& error) {
      const std::uint32_t row = instance.row[instance.graph.potential_of(error.factor())];
      throw Error("template '", p.schema.templates[p.rows.template_of(row)].name,
                  "': ", std::string(error.what()),
                  "; --objective pseudolikelihood has terms of one variable");
    }
  };
}

// By the variables of an instance; empty: all 1.
std::vector<double> term_weights(const GraphProblem& p, const GraphInstance& instance) {
  std::vector<double> weights;
  if (p.variable_weights == nullptr) return weights;
  for (const std::uint32_t v : instance.variable) weights.push_back((*p.variable_weights)(v));
  return weights;
}

InstanceObjectiveMaker instance_objective(const GraphProblem& p) {
  if (p.variable_weights != nullptr) {
    return [&p](const GraphInstance& instance) {
      return std::make_unique<LocalTerms>(instance.graph, instance.known, *local_kind(p.objective),
                                          term_weights(p, instance));
    };
  }
  if (!names_pieces(p)) {
    return [make = make_graph_objective(p.objective, p.inference)](const GraphInstance& instance) {
      return make(instance.graph, instance.known);
    };
  }
  return [&p](const GraphInstance& instance) -> std::unique_ptr<GraphObjective> {
    if (p.objective == Objective::composite) {
      return std::make_unique<BlockLikelihood>(
          instance.graph, instance.known, blocks_of_all(instance.graph, named_blocks(p, instance)),
          exact_sums());
    }
    return std::make_unique<LocalTerms>(instance.graph, instance.known, named_pieces(p, instance));
  };
}

// The data term, of parts where an instance is large and the objective local.
class DataTerm {
 public:
  explicit DataTerm(const GraphProblem& p) {
    const InstanceObjectiveMaker whole = instance_objective(p);
    if (local_kind(p.objective) && count_hidden(p.instances) == 0) {
      parts_ = split_terms(p.schema, p.rows, p.instances, local_terms_of(p), info(p.method).passes);
    }
    if (parts_.empty()) {
      f_.emplace(p.schema, p.rows, p.layout, p.instances, p.pool, naming_templates(p, whole));
      return;
    }
    for (TermPart& each : parts_) instances_.push_back(std::move(each.instance));
    const auto of_part = [&](const GraphInstance& instance) -> std::unique_ptr<GraphObjective> {
      const TermPart& part = parts_[static_cast<std::size_t>(&instance - instances_.data())];
      if (part.terms.empty()) return whole(instance);
      return std::make_unique<LocalTerms>(instance.graph, instance.known, part.terms,
                                          term_weights(p, instance));
    };
    f_.emplace(p.schema, p.rows, p.layout, instances_, p.pool, naming_templates(p, of_part));
    parts_ = {};
  }
  GraphFunction& function() { return *f_; }

 private:
  std::vector<TermPart> parts_;
  std::vector<GraphInstance> instances_;  // of the parts
  std::optional<GraphFunction> f_;
};

// The data term beside what data without labels adds to it.
class WholeTerm {
 public:
  WholeTerm(const GraphProblem& p, GraphFunction& labelled)
      : log_partition_(p.schema, p.rows, p.layout, p.unlabelled->instances, p.pool,
                       p.inference.memory.value_or(kMostTreeBytes)),
        all_(labelled, log_partition_, p.unlabelled->terms, p.prior) {}
  GraphWithUnlabelled& function() { return all_; }

 private:
  GraphLogPartition log_partition_;
  GraphWithUnlabelled all_;
};

}  // namespace

OptimizeResult train_graph(const GraphProblem& p, std::span<double> w,
                           const IterationCallback& callback, Checkpointer* checkpoints) {
  check_graph_choice(p);
  std::optional<DataTerm> term;
  GraphFunction* values = nullptr;
  std::optional<GraphDual> dual;
  if (!is_direction(p.objective) && p.method != Method::frank_wolfe) {
    values = &term.emplace(p).function();
    if (p.prior != nullptr && p.unlabelled == nullptr) values->set_prior(*p.prior);
  }
  std::optional<WholeTerm> whole;
  if (p.unlabelled != nullptr) whole.emplace(p, *values);
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
      .batch = [&]() -> BatchFunction& {
        if (whole) return whole->function();
        return *values;
      },
      .samples = [&](std::size_t) { return SampleSpace(static_cast<SampleFunction&>(*values)); },
      .dual = [&]() -> DualProblem& {
        const GraphDualOptions options{.l2 = p.regulariser.l2,
                                       .cost = p.inference.cost.value_or(1)};
        return dual.emplace(p.schema, p.rows, p.layout, p.instances, graph_search(p.inference),
                            options);
      }};
  if (is_direction(p.objective)) problem.directions = [&] { return make_directions(p); };
  const auto report = [&] {
    if (p.findings == nullptr || values == nullptr) return;
    *p.findings = {values->inferences(), values->inferences_not_converged(),
                   values->not_converged()};
  };
  const auto watch = [&](const Iteration& now) {
    report();
    return !callback || callback(now);
  };
  OptimizeResult result = optimise(problem, w, watch, checkpoints);
  if (whole) result.warning = whole->function().warning();
  report();
  return result;
}

}  // namespace croft
