#include "croft/train/graph_methods.h"

#include <algorithm>
#include <array>

#include "croft/core/error.h"
#include "croft/objective/graph_hinge.h"
#include "croft/objective/graph_likelihood.h"
#include "croft/objective/local_terms.h"
#include "croft/optimize/adagrad.h"
#include "croft/optimize/conjugate_gradient.h"
#include "croft/optimize/lbfgs.h"
#include "croft/optimize/perceptron.h"
#include "croft/optimize/sgd.h"
#include "croft/optimize/steepest_descent.h"

namespace croft {
namespace {

const std::vector<Method> kSmooth = {
    Method::lbfgs, Method::owlqn,        Method::cg,      Method::steepest_descent,
    Method::sgd,   Method::averaged_sgd, Method::adagrad, Method::adagrad_rda};
const std::vector<Method> kSubgradient = {Method::sgd, Method::averaged_sgd, Method::adagrad,
                                          Method::adagrad_rda};
const std::vector<Method> kOnline = {Method::averaged_perceptron, Method::perceptron,
                                     Method::pass_perceptron};

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
     [](const GraphInferenceSettings& s) {
       BeliefPropagationOptions options;
       if (s.max_iterations) options.max_iterations = *s.max_iterations;
       if (s.damping) options.damping = *s.damping;
       return max_product_best(options);
     }},
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

template <class Names>
std::string joined(const Names& names) {
  std::string all;
  for (const std::string_view each : names) all += (all.empty() ? "" : ", ") + std::string(each);
  return all;
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
       kSubgradient,
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
                   " is not one of a graph's: " + joined(names));
}

std::vector<std::string_view> graph_search_names() {
  std::vector<std::string_view> names;
  for (const Search& each : kSearches) names.push_back(each.name);
  return names;
}

void check_graph_choice(const GraphProblem& p) {
  const GraphObjectiveInfo& objective = info(p.objective);
  p.regulariser.validate();
  p.stop.validate();
  const MethodInfo& method = info(p.method);
  const std::string name(objective.name);
  if (std::ranges::find(objective.methods, p.method) == objective.methods.end()) {
    std::vector<std::string_view> names;
    for (const Method each : objective.methods) names.push_back(info(each).name);
    throw UsageError("--objective " + name + " of a graph cannot be minimised by --optimizer " +
                     std::string(method.name) + "; there are " + joined(names));
  }
  if (p.regulariser.l1 > 0 && !method.l1) {
    throw UsageError("--optimizer " + std::string(method.name) + " knows no --l1");
  }
  if (p.regulariser.l2 > 0 && !method.l2) {
    throw UsageError("--optimizer " + std::string(method.name) + " knows no --l2; give --l2 0");
  }
  const GraphInferenceSettings& s = p.inference;
  const std::array<std::pair<std::string_view, bool>, 5> given = {{
      {"memory", s.memory.has_value()},
      {"inference-iterations", s.max_iterations.has_value()},
      {"damping", s.damping.has_value()},
      {"cost", s.cost.has_value()},
      {"search", s.search.has_value()},
  }};
  for (const auto& [setting, is_given] : given) {
    if (is_given && std::ranges::find(objective.settings, setting) == objective.settings.end()) {
      throw UsageError("--" + std::string(setting) + " has no meaning for --objective " + name +
                       " of a graph; leave it out");
    }
  }
  if (objective.hidden) return;
  std::size_t hidden = 0;
  for (const GraphInstance& each : p.instances) {
    hidden += static_cast<std::size_t>(std::ranges::count(each.known, kUnobserved));
  }
  if (hidden > 0) {
    throw UsageError("--objective " + name + " needs the labels of all variables, and " +
                     std::to_string(hidden) + " have none; take likelihood or bethe");
  }
}

GraphObjectiveMaker make_graph_objective(GraphObjectiveKind objective,
                                         const GraphInferenceSettings& s) {
  switch (objective) {
    case GraphObjectiveKind::likelihood:
      return graph_likelihood(s.memory ? exact_sums(*s.memory) : exact_sums());
    case GraphObjectiveKind::bethe: {
      BeliefPropagationOptions options;
      if (s.max_iterations) options.max_iterations = *s.max_iterations;
      if (s.damping) options.damping = *s.damping;
      return graph_likelihood(bethe_sums(options));
    }
    case GraphObjectiveKind::mean_field: {
      MeanFieldOptions options;
      if (s.max_iterations) options.max_iterations = *s.max_iterations;
      return graph_likelihood(mean_field_sums(options));
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
    case GraphObjectiveKind::max_margin:
      break;
  }
  return graph_hinge(s.cost.value_or(1), search_for(s));
}

OptimizeResult train_graph(const GraphProblem& p, std::span<double> w,
                           const IterationCallback& callback, Checkpointer* checkpoints) {
  check_graph_choice(p);
  GraphFunction f(p.schema, p.rows, p.layout, p.instances, p.pool,
                  make_graph_objective(p.objective, p.inference));
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
      options.schedule = p.settings.schedule.value_or(p.regulariser.l2 > 0 ? StepSchedule::bottou
                                                                           : StepSchedule::inverse);
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
  const Regulariser& r = p.regulariser;
  switch (p.method) {
    case Method::owlqn:
      return owlqn(f, r, w, prepared(LbfgsOptions()), p.pool, callback, checkpoints);
    case Method::cg:
      return conjugate_gradient(f, r, w, prepared(ConjugateGradientOptions()), p.pool, callback,
                                checkpoints);
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
    default:
      return lbfgs(f, r, w, prepared(LbfgsOptions()), p.pool, callback, checkpoints);
  }
}

}  // namespace croft
