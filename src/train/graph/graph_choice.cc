#include "train/graph/graph_methods.h"

#include <algorithm>
#include <array>
#include <string>

#include "croft/core/error.h"
#include "train/graph/constraint_check.h"
#include "train/graph/graph_starts.h"

namespace croft {

bool is_associative(const Interaction& interaction) {
  return interaction.forbidden().empty() && (interaction.kind() == InteractionKind::same ||
                                             interaction.kind() == InteractionKind::same_label);
}

bool keeps_associative(const GraphProblem& p) {
  const std::string search = p.inference.search.value_or("auto");
  return p.objective == Objective::max_margin &&
         (p.method == Method::sgd || p.method == Method::averaged_sgd ||
          p.method == Method::cutting_planes) &&
         (search == "graph-cut" || search == "alpha-expansion");
}

namespace {

bool sets(const std::vector<std::string_view>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

void check_inference(const GraphProblem& p, const ObjectiveInfo& objective) {
  const GraphInferenceSettings& s = p.inference;
  const std::array<std::pair<std::string_view, bool>, 7> given = {{
      {"memory", s.memory.has_value()},
      {"inference-iterations", s.max_iterations.has_value()},
      {"damping", s.damping.has_value()},
      {"cost", s.cost.has_value()},
      {"search", s.search.has_value()},
      {"pairs", s.pairs.has_value()},
      {"pieces", s.pieces.has_value()},
  }};
  for (const auto& [setting, is_given] : given) {
    if (is_given && !sets(objective.settings, setting)) {
      throw UsageError(Message::option(setting), " has no meaning for --objective ", objective.name,
                       " of a graph; leave it out");
    }
  }
  if (p.rank_loss && p.objective != Objective::sample_rank) {
    throw UsageError("a loss of one's own has no meaning for --objective ", objective.name,
                     " of a graph; it goes with sample-rank");
  }
}

void check_pieces(const GraphProblem& p) {
  if (!p.inference.pieces) return;
  const std::string& pieces = *p.inference.pieces;
  if (p.objective == Objective::piecewise && (pieces == "factors" || pieces == "observations")) {
    return;
  }
  std::string names;
  for (const CliqueTemplate& each : p.schema.templates) {
    if (each.name == pieces) return;
    names += (names.empty() ? "" : ", ") + each.name;
  }
  if (!p.instances.empty()) {
    for (const auto& [name, blocks] : p.instances.front().blocks) {
      if (name == pieces) return;
      names += ", " + name;
    }
  }
  const bool of_pieces = p.objective == Objective::piecewise;
  const Message known =
      of_pieces ? Message(" is neither factors nor observations, and no template and no blocks")
                : Message(" is no template and no blocks");
  throw UsageError("--pieces ", in_quotes(pieces), known, " of this model: ", names);
}

// Graph cuts stay possible where weights that draw labels together cannot become negative.
void check_cut(const GraphProblem& p) {
  const bool cut = p.inference.search == "graph-cut";
  if (cut && !keeps_associative(p)) {
    throw UsageError(
        "--search graph-cut needs weights that are kept from becoming negative, which "
        "--objective max-margin with --optimizer cutting-plane, averaged-sgd or sgd does; "
        "otherwise "
        "leave it out, and cuts are made where they are exact");
  }
  for (const CliqueTemplate& each : p.schema.templates) {
    if (!cut || (each.interaction.arity() < 2 && !each.has_lists())) continue;
    if (!each.scores && is_associative(each.interaction) && each.interaction.arity() == 2) continue;
    throw UsageError(
        "--search graph-cut needs cliques of one variable, or of two with the interaction same or "
        "same-label, and the template '",
        each.name, "' is none; leave it out");
  }
  if (!keeps_associative(p)) return;
  if (p.regulariser.l1 > 0) {
    throw UsageError(
        "--search graph-cut and alpha-expansion keep weights from becoming "
        "negative, which does not go with --l1");
  }
  for (std::uint32_t row = 0; row < p.rows.size(); ++row) {
    const CliqueTemplate& t = p.schema.templates[p.rows.template_of(row)];
    if (t.scores || !is_associative(t.interaction)) continue;
    for (const CliqueFeature& each : p.rows.features(row)) {
      if (each.value >= 0) continue;
      throw UsageError("a feature of the template '", t.name, "' has the value ",
                       std::to_string(each.value),
                       "; --search graph-cut and alpha-expansion need values >= 0 where labels are "
                       "drawn together");
    }
  }
}

// A product of distributions of single variables keeps such a constraint only where it is almost
// certain of each: its bound says nothing of the likelihood.
void check_mean_field(const GraphProblem& p) {
  if (p.objective != Objective::mean_field) return;
  for (const CliqueTemplate& each : p.schema.templates) {
    if (!forbids(each) || (each.interaction.arity() < 2 && !each.has_lists())) continue;
    throw UsageError("--objective mean-field and the constraint '", each.name,
                     "' of several variables do not go together; take likelihood or bethe");
  }
}

void check_prior(const GraphProblem& p, const MethodInfo& method) {
  if (p.from_weights && !method.init) {
    throw UsageError("--optimizer ", method.name,
                     " starts from no weights: leave out --init and --prior");
  }
  if (p.prior == nullptr || p.prior->trivial()) return;
  const Message what = p.prior->mean.empty() ? Message("--variances") : "--prior";
  if (is_direction(p.objective) || !method.init) {
    throw UsageError(what, " has no meaning for ",
                     is_direction(p.objective) ? Message("--objective ", name_of(p.objective))
                                               : Message("--optimizer ", method.name),
                     " of a graph; leave it out");
  }
  const bool penalised = p.regulariser.l2 > 0 || (p.prior->mean.empty() && p.regulariser.l1 > 0);
  if (!penalised || !method.l2) {
    throw UsageError(what, " is of the penalty, and there is none: give --l2 above 0");
  }
  if (!p.prior->mean.empty() && p.regulariser.l1 > 0) {
    throw UsageError("--prior goes with --l2 alone: --l1 draws weights to 0");
  }
  if (!p.prior->mean.empty() && keeps_associative(p)) {
    throw UsageError("--prior does not go with --search ", p.inference.search.value_or("auto"),
                     ", which keeps weights from becoming negative");
  }
}

void check_pairs(const GraphProblem& p) {
  for (const CliqueTemplate& each : p.schema.templates) {
    if (each.interaction.arity() <= 2 && !each.has_lists()) continue;
    throw UsageError(
        "--objective tree-reweighted is of cliques of one or two variables, and the template '",
        each.name, "' has ",
        each.has_lists() ? Message("lists of them") : Message("", each.interaction.arity()),
        "; take bethe");
  }
}

}  // namespace

void check_graph_choice(const GraphProblem& p) {
  const ObjectiveInfo& objective = info(p.objective, Structure::graph);
  p.regulariser.validate();
  p.stop.validate();
  const MethodInfo& method = info(p.method);
  const std::string name(objective.name);
  check_choice({.structure = Structure::graph,
                .objective = p.objective,
                .method = p.method,
                .regulariser = p.regulariser,
                .settings = p.settings,
                .unlabelled = p.unlabelled != nullptr,
                .weighted = std::ranges::any_of(
                    p.instances, [](const auto& each) { return each.weight != 1; })});
  check_inference(p, objective);
  if (p.settings.batch && p.objective == Objective::sample_rank) {
    throw UsageError(
        "--batch means nothing to --objective sample-rank, which goes from one "
        "assignment to the next; leave it out");
  }
  check_prior(p, method);
  check_pieces(p);
  check_cut(p);
  check_mean_field(p);
  if (p.objective == Objective::tree_reweighted) check_pairs(p);
  if (objective.partial && method.init && p.method != Method::cutting_planes) return;
  const std::size_t hidden = count_hidden(p.instances);
  if (hidden > 0) {
    const bool dual = objective.partial;
    throw UsageError(dual ? Message("--optimizer ", method.name) : Message("--objective ", name),
                     " needs the labels of all variables, and ", hidden, " have none; take ",
                     dual ? Message("averaged-sgd") : "likelihood or bethe");
  }
}

}  // namespace croft
