#include "train/methods/objectives.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/words/closest_name.h"
#include "croft/core/error.h"

namespace croft {
namespace {

using F = Form;
using M = Method;
using O = Objective;
using Names = std::vector<std::string_view>;

constexpr std::size_t kStructures = 4;

// What an objective is to one structure.
struct Use {
  std::string_view summary;
  Method by_default = M::lbfgs, with_l1 = M::owlqn;
  bool partial = false, order = false, cost = false;
  Names settings{};
};

struct Row {
  Objective objective;
  std::string_view name;
  Form form;
  std::optional<Use> chain{}, graph{};
  bool neighbours = false;
  bool segments = true;  // have it, too, where chains do
};

const std::vector<Row>& rows() {
  static const Names messages = {"inference-iterations", "damping"};
  static const Names search = {"search", "memory", "inference-iterations", "damping"};
  static const Names costly = {"cost", "search", "memory", "inference-iterations", "damping"};
  static const auto direction = [](std::string_view summary, Names settings) {
    return Use{summary, M::averaged_sgd, M::sgd, true, false, false, std::move(settings)};
  };
  static const std::vector<Row> table = {
      {.objective = O::likelihood,
       .name = "likelihood",
       .form = F::log_loss,
       .chain = Use{"log p(y|x)", M::sgd_lbfgs, M::owlqn, true, true},
       .graph = Use{.summary = "exact, by junction trees; hidden variables are summed over",
                    .partial = true,
                    .settings = {"memory"}}},
      {.objective = O::bethe,
       .name = "bethe",
       .form = F::smooth,
       .graph =
           Use{.summary = "surrogate likelihood with Bethe's log Z, by loopy belief propagation",
               .partial = true,
               .settings = messages}},
      {.objective = O::mean_field,
       .name = "mean-field",
       .form = F::smooth,
       .graph = Use{.summary = "surrogate likelihood with mean field's bound on log Z",
                    .partial = true,
                    .settings = {"inference-iterations"}}},
      {.objective = O::pseudolikelihood,
       .name = "pseudolikelihood",
       .form = F::smooth,
       .chain = Use{"log p of each label given its neighbours"},
       .graph = Use{"each variable given its neighbours"},
       .neighbours = true},
      {.objective = O::per_edge,
       .name = "per-edge",
       .form = F::smooth,
       .chain = Use{"log p of each pair of labels given its neighbours"},
       .graph = Use{"the variables of each clique given their neighbours"},
       .neighbours = true},
      {.objective = O::composite,
       .name = "composite",
       .form = F::smooth,
       .chain = Use{"log p of each run of --block labels given its neighbours"},
       .graph =
           Use{.summary = "blocks of variables, given the others: trees, or a template's cliques",
               .settings = {"pieces"}},
       .neighbours = true},
      {.objective = O::marginal,
       .name = "marginal",
       .form = F::not_convex,
       .chain = Use{.summary = "log of the marginal of each label; not convex", .partial = true},
       .neighbours = true},
      {.objective = O::piecewise,
       .name = "piecewise",
       .form = F::smooth,
       .chain = Use{"positions and transitions each for themselves, or together (--pieces)"},
       .graph = Use{.summary = "each clique by itself, or with others (--pieces)",
                    .settings = {"pieces"}},
       .neighbours = true},
      {.objective = O::piecewise_pseudolikelihood,
       .name = "piecewise-pseudolikelihood",
       .form = F::smooth,
       .graph = Use{"each variable of each clique, given the clique's others"}},
      {.objective = O::local,
       .name = "local",
       .form = F::smooth,
       .chain = Use{"log p of each label given the one before, of --model memm"},
       .segments = false},
      {.objective = O::softmax_margin,
       .name = "softmax-margin",
       .form = F::curved,
       .chain = Use{"the likelihood, where mistakes have costs", M::sgd_lbfgs, M::owlqn, true, true,
                    true}},
      {.objective = O::max_margin,
       .name = "max-margin",
       .form = F::hinge,
       .chain = Use{"the hinge: the best labelling may not come within its cost", M::frank_wolfe,
                    M::adagrad_rda, false, true, true},
       .graph = Use{"hinge with a cost for each wrong label", M::cutting_planes, M::adagrad_rda,
                    true, false, true, costly}},
      {.objective = O::perceptron,
       .name = "perceptron",
       .form = F::mistakes,
       .chain = Use{"corrects each labelling that is wrong", M::averaged_perceptron,
                    M::averaged_perceptron, false, true},
       .graph = Use{"structured perceptron", M::averaged_perceptron, M::averaged_perceptron, true,
                    false, false, search}},
      {.objective = O::tree_reweighted,
       .name = "tree-reweighted",
       .form = F::smooth,
       .graph = Use{.summary = "convex surrogate likelihood with an upper bound on log Z by "
                               "spanning trees",
                    .settings = messages}},
      {.objective = O::product_of_beliefs,
       .name = "product-of-beliefs",
       .form = F::smooth,
       .graph = Use{.summary = "surrogate likelihood as a product of belief propagation's beliefs",
                    .settings = messages}},
      {.objective = O::gibbs,
       .name = "gibbs",
       .form = F::directions,
       .graph = direction("likelihood's gradient by Gibbs sampling from anywhere",
                          {"inference-iterations"})},
      {.objective = O::contrastive_divergence,
       .name = "contrastive-divergence",
       .form = F::directions,
       .graph = direction("Gibbs sampling from what is known, for a sweep or a few",
                          {"inference-iterations"})},
      {.objective = O::persistent_contrastive_divergence,
       .name = "persistent-contrastive-divergence",
       .form = F::directions,
       .graph =
           direction("Gibbs sampling that goes on from step to step", {"inference-iterations"})},
      {.objective = O::sample_rank,
       .name = "sample-rank",
       .form = F::directions,
       .graph = direction("of neighbouring assignments the better one is to score higher",
                          {"cost", "pairs"})},
      {.objective = O::passive_aggressive,
       .name = "passive-aggressive",
       .form = F::margins,
       .chain =
           Use{"the least change that gets a sequence right", M::pa_1, M::pa_1, false, true, true},
       .graph = Use{"the least change that gets an instance right by its costs", M::pa_1, M::pa_1,
                    true, false, true, costly}},
      {.objective = O::arow,
       .name = "arow",
       .form = F::variances,
       .chain =
           Use{"the same, with a variance of each weight", M::arow, M::arow, false, true, true}}};
  return table;
}

const std::optional<Use>& use(const Row& row, Structure structure) {
  static const std::optional<Use> none;
  switch (structure) {
    case Structure::graph:
      return row.graph;
    case Structure::segments:
      return row.segments ? row.chain : none;
    case Structure::joint:
      return row.objective == O::likelihood ? row.chain : none;
    case Structure::chain:
      break;
  }
  return row.chain;
}

const ObjectiveInfo* find(Objective objective, Structure structure) {
  const auto& table = objective_table(structure);
  const auto at = std::ranges::find(table, objective, &ObjectiveInfo::objective);
  return at == table.end() ? nullptr : &*at;
}

}  // namespace

const std::vector<ObjectiveInfo>& objective_table(Structure structure) {
  static const auto tables = [] {
    std::array<std::vector<ObjectiveInfo>, kStructures> of;
    for (std::size_t s = 0; s < kStructures; ++s) {
      for (const Row& r : rows()) {
        const std::optional<Use>& u = use(r, static_cast<Structure>(s));
        if (!u) continue;
        of[s].push_back({r.objective, r.name, r.form, r.neighbours, u->summary, u->by_default,
                         u->with_l1, u->partial, u->order, u->cost, u->settings});
      }
    }
    return of;
  }();
  return tables[static_cast<std::size_t>(structure)];
}

std::string_view name_of(Objective objective) {
  return std::ranges::find(rows(), objective, &Row::objective)->name;
}

const ObjectiveInfo& info(Objective objective, Structure structure) {
  const ObjectiveInfo* found = find(objective, structure);
  if (found != nullptr) return *found;
  throw UsageError("--objective ", name_of(objective), " is not one of this model's");
}

Objective objective_named(std::string_view name, Structure structure) {
  std::string names;
  std::vector<std::string_view> all;
  for (const ObjectiveInfo& each : objective_table(structure)) {
    if (each.name == name) return each.objective;
    names += (names.empty() ? "" : ", ") + std::string(each.name);
    all.push_back(each.name);
  }
  if (structure == Structure::graph) {
    throw UsageError("--objective ", name, " is not one of a graph's: ", names,
                     did_you_mean(name, all));
  }
  throw UsageError("there is no objective ", in_quotes(name), did_you_mean(name, all),
                   "; there are ", names);
}

bool goes_with(Method method, Objective objective, Structure structure) {
  const MethodInfo& m = info(method);
  const ObjectiveInfo* o = find(objective, structure);
  return o != nullptr && std::ranges::find(m.takes, o->form) != m.takes.end() &&
         std::ranges::find(m.structures, structure) != m.structures.end();
}

std::vector<Objective> objectives_of(Method method, Structure structure) {
  std::vector<Objective> objectives;
  for (const ObjectiveInfo& each : objective_table(structure)) {
    if (goes_with(method, each.objective, structure)) objectives.push_back(each.objective);
  }
  return objectives;
}

std::vector<Method> methods_of(Objective objective, Structure structure) {
  std::vector<Method> methods;
  for (const MethodInfo& each : method_table()) {
    if (goes_with(each.method, objective, structure)) methods.push_back(each.method);
  }
  return methods;
}

Method default_method(Objective objective, const Regulariser& regulariser, bool from_weights,
                      Structure structure) {
  const ObjectiveInfo& own = info(objective, structure);
  if (regulariser.l1 > 0) return own.with_l1;
  return from_weights && own.by_default == M::sgd_lbfgs ? M::lbfgs : own.by_default;
}

}  // namespace croft
