#include "app/explain/explain_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "croft/core/error.h"

namespace croft {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// How many variables of a cardinality are in a state that counts.
std::uint64_t count_of(const FactorGraph& graph, Factor f, std::span<const State> states) {
  const PotentialId p = graph.potential_of(f);
  const std::span<const std::uint8_t> counts = graph.counted(p);
  const bool alike = graph.potential(p).alike;
  std::uint64_t count = 0;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < states.size(); ++k) {
    count += counts.empty() ? (states[k] == 1 ? 1 : 0) : counts[begin + states[k]];
    if (!alike) begin += graph.states(graph.scope(f)[k]);
  }
  return count;
}

}  // namespace

GraphExplainer::GraphExplainer(const GraphModel& model, const CliqueData& data,
                               const GraphInstance& instance, std::span<const State> labels)
    : model_(model), data_(data), instance_(instance), labels_(labels), factors_(instance.graph) {}

ExplainedVariable GraphExplainer::explain(Variable v, std::span<const double> marginals,
                                          const ExplainOptions& options) {
  ExplainedVariable out;
  out.variable = v;
  out.label = labels_[v];
  out.probability = marginals[out.label];
  if (options.against != out.label) out.other = options.against;
  const bool named = out.other.has_value();
  for (State s = 0; s < marginals.size() && !named; ++s) {
    if (s == out.label) continue;
    if (!out.other || marginals[s] > marginals[*out.other]) out.other = s;
  }
  if (!out.other) return out;
  out.other_probability = marginals[*out.other];
  for (const Factor f : factors_.of(v)) add_factor(f, out);
  finish_reasons(options.top, out);
  return out;
}

void GraphExplainer::add_factor(Factor f, ExplainedVariable& out) {
  const FactorGraph& graph = instance_.graph;
  here_.clear(), there_.clear();
  for (const Variable u : graph.scope(f)) {
    here_.push_back(labels_[u]);
    there_.push_back(u == out.variable ? *out.other : labels_[u]);
  }
  const std::uint32_t row = instance_.row[graph.potential_of(f)];
  const CliqueTemplate& t = template_of(f);
  Reason reason{.kind = Reason::Kind::clique, .begin = f, .end = f + 1};
  const double here = graph.score_of(f, here_), there = graph.score_of(f, there_);
  if (t.scores || here == kNever || there == kNever) {
    reason.kind = t.scores && !t.penalty ? Reason::Kind::clique_score : Reason::Kind::limit;
    reason.label = here;
    reason.other = there;
    if (here != there) out.reasons.push_back(reason);
    return;
  }
  const std::uint32_t cells[] = {cell_of(f, t.interaction, here_),
                                 cell_of(f, t.interaction, there_)};
  const FeatureTable& table = model_.table(data_.rows().template_of(row));
  for (const CliqueFeature& each : data_.rows().features(row)) {
    const WeightRow weights = table.row(each.id);
    reason.label = reason.other = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const double score = each.value * weights.weight(k) / model_.temperature();
      if (weights.cell(k) == cells[0]) reason.label = score;
      if (weights.cell(k) == cells[1]) reason.other = score;
    }
    ++out.attributes;
    if (reason.label == reason.other) continue;
    reason.name = table.name(each.id);
    reason.value = each.value;
    out.reasons.push_back(reason);
  }
}

Neighbourhood::Clique GraphExplainer::clique(Factor f) const {
  const FactorGraph& graph = instance_.graph;
  std::vector<State> states;
  for (const Variable u : graph.scope(f)) states.push_back(labels_[u]);
  const CliqueTemplate& t = template_of(f);
  Neighbourhood::Clique out;
  out.name = t.name;
  out.score = graph.score_of(f, states);
  if (t.scores || out.score == kNever) return out;
  const std::uint32_t row = instance_.row[graph.potential_of(f)];
  const std::uint32_t cell = cell_of(f, t.interaction, states);
  const FeatureTable& table = model_.table(data_.rows().template_of(row));
  for (const CliqueFeature& each : data_.rows().features(row)) {
    const WeightRow weights = table.row(each.id);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      if (weights.cell(k) != cell || weights.weight(k) == 0) continue;
      const double weight = each.value * weights.weight(k) / model_.temperature();
      out.parts.push_back({std::string(table.name(each.id)), weight});
    }
  }
  return out;
}

std::uint32_t GraphExplainer::cell_of(Factor f, const Interaction& interaction,
                                      std::span<const State> states) const {
  if (!interaction.counting()) return interaction.cell_of(states);
  return interaction.cell_of_count(count_of(instance_.graph, f, states));
}

const CliqueTemplate& GraphExplainer::template_of(Factor f) const {
  const std::uint32_t row = instance_.row[instance_.graph.potential_of(f)];
  return model_.schema().templates[data_.rows().template_of(row)];
}

const std::string& GraphExplainer::label_name(Variable v, State state) const {
  return model_.schema().domains[data_.domain(instance_.variable[v])].labels[state];
}

View GraphExplainer::shown(const ExplainedVariable& one,
                           const std::function<std::string(Variable)>& name) const {
  constexpr std::size_t kLongest = 40, kNamed = 4;  // of a label; variables of a clique
  const FactorGraph& graph = instance_.graph;
  View view;
  const auto describe = [&](const Reason& reason, Json& document) {
    const auto f = static_cast<Factor>(reason.begin);
    const CliqueTemplate& t = template_of(f);
    document["template"] = t.name;
    if (reason.kind == Reason::Kind::clique) {
      document["feature"] = reason.name;
      document["value"] = reason.value;
    }
    std::string text = t.name, with;
    const std::span<const Variable> scope = graph.scope(f);
    Json& variables = document["variables"] = Json::array();
    for (std::size_t k = 0; k < scope.size(); ++k) {
      const std::string& label = label_name(scope[k], labels_[scope[k]]);
      variables.push_back({{"id", name(scope[k])}, {"label", label}});
      if (k > 0 && k < kNamed) with += ", ";
      if (k == kNamed) with += fmt::format(" and {} more", scope.size() - kNamed);
      if (k >= kNamed) continue;
      with += scope[k] == one.variable ? "·" : name(scope[k]) + "=" + label;
    }
    if (scope.size() > 1) text += " (" + with + ")";
    if (!reason.name.empty()) text += ": " + reason.name;
    if (reason.value != 1) text += fmt::format("  (value {:g})", reason.value);
    if (reason.kind == Reason::Kind::limit) text += ": a constraint";
    return text;
  };
  const std::string& label = label_name(one.variable, one.label);
  view.json = {{"label", label}, {"probability", one.probability}, {"other", nullptr}};
  view.text = fmt::format("  {} {:.6f}", croft::shown(label, kLongest), one.probability);
  if (!one.other) {
    view.text += ", the only label\n";
    return view;
  }
  const std::string& other = label_name(one.variable, *one.other);
  view.json["other"] = other;
  view.json["other_probability"] = one.other_probability;
  view.text +=
      fmt::format(", not {} {:.6f}\n", croft::shown(other, kLongest), one.other_probability);
  add_reasons(one, label, other, describe, "other feature", view.text, view.json);
  view.json["rest"]["features"] = one.rest.count;
  return view;
}

}  // namespace croft
