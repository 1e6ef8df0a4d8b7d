#include "app/explain/explain.h"

#include <algorithm>
#include <utility>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "model/kinds/model_file.h"

namespace croft {
namespace {

// Adds value times the weights of two cells of an attribute's row.
void add_weights(const FeatureTable& table, CompactOffsets::Row place, std::uint32_t cell,
                 std::uint32_t other_cell, Reason& reason) {
  table.visit<double>(place, [&](std::uint32_t at, double weight) {
    if (at == cell) reason.label += reason.value * weight;
    if (at == other_cell) reason.other += reason.value * weight;
  });
}

// The kind of a position's attribute, and its name without what marks START and STOP.
std::pair<Reason::Kind, std::string_view> read_name(std::string_view name) {
  Boundary boundary;
  std::string_view edge_attribute;
  if (!parse_boundary_name(name, boundary, edge_attribute)) return {Reason::Kind::attribute, name};
  return {boundary == Boundary::start ? Reason::Kind::start : Reason::Kind::stop, edge_attribute};
}

void add_reason(Reason reason, ExplainedPosition& out) {
  if (reason.label != 0 || reason.other != 0) out.reasons.push_back(std::move(reason));
}

std::optional<Label> runner_up(const Tagging& tagging, std::size_t t,
                               const ExplainOptions& options) {
  const Label label = tagging.y[t];
  if (options.against && *options.against != label) return options.against;
  std::optional<Label> best;
  for (Label j = 0; j < tagging.marginals.columns(); ++j) {
    if (j == label) continue;
    if (!best || tagging.marginals(t, j) > tagging.marginals(t, *best)) best = j;
  }
  return best;
}

}  // namespace

// One label of a labelling replaced by another.
struct Explainer::Change {
  const TextSequence& text;
  std::span<const Label> y;
  std::size_t t;
  Label label, other;

  // y', from `begin` on.
  std::vector<Label> changed(std::size_t begin, std::size_t end) const {
    std::vector<Label> run(y.begin() + static_cast<std::ptrdiff_t>(begin),
                           y.begin() + static_cast<std::ptrdiff_t>(end));
    run[t - begin] = other;
    return run;
  }
};

Explainer::Explainer(const TagPlan& plan)
    : plan_(plan), model_(require_chain(plan.model(), "an explanation")), tagger_(plan) {
  if (model_.vote() != nullptr) {
    throw UsageError(model_.container().name() +
                     " is a voted perceptron: its labels are chosen by a vote of many weight "
                     "vectors, and an explanation lists the weights of one");
  }
  if (model_.kernel() != nullptr) {
    throw UsageError(
        model_.container().name() +
        " has a kernel in the place of weights: its scores compare a position with "
        "whole positions of the training data, and no attribute has a share of its own");
  }
  if (plan.calibrator() != nullptr) {
    throw UsageError(model_.container().name() +
                     " is calibrated: its weights are not what its scores are made of alone; "
                     "explain the model that it was made from, whose weights are the same");
  }
  if (plan.has_rules() || plan.partial()) {
    throw UsageError(
        "rules and partial labels do not go with an explanation: they choose among whole "
        "labellings, and it weighs the scores around one position");
  }
  if (plan.decode() != Decode::viterbi) {
    throw UsageError("what is explained is the most probable labelling: use --decode viterbi");
  }
}

Explanation Explainer::explain(const TagInput& input, const ExplainOptions& options) {
  const std::size_t length = input.text.length();
  check_options(options, length, plan_.names().size(), "");
  const Tagging& tagging = tagger_.tag(input, {.probability = true, .marginals = true});
  Explanation out;
  out.outcome = tagging.outcome;
  if (!tagging.outcome.found) return out;
  out.y = tagging.y;
  out.log_probability = tagging.log_probability;
  plan_.score(input, scratch_, base_);
  const bool all = options.positions.empty();
  for (std::size_t k = 0; k < (all ? length : options.positions.size()); ++k) {
    const std::size_t t = all ? k : options.positions[k];
    out.positions.push_back(explain(input.text, tagging, t, options));
  }
  return out;
}

ExplainedPosition Explainer::explain(const TextSequence& text, const Tagging& tagging,
                                     std::size_t t, const ExplainOptions& options) {
  ExplainedPosition out;
  out.position = t;
  out.label = tagging.y[t];
  out.probability = tagging.marginals(t, out.label);
  out.other = runner_up(tagging, t, options);
  count_unknown(text, t, options.unknown, out);
  if (!out.other) return out;
  out.other_probability = tagging.marginals(t, *out.other);
  const Change change{text, tagging.y, t, out.label, *out.other};
  add_attributes(change, out);
  if (t > 0) add_edge(change, t, out);
  if (t + 1 < tagging.y.size()) add_edge(change, t + 1, out);
  if (model_.histories() != nullptr) {
    add_runs(change, out);
    add_history(change, out);
  }
  finish_reasons(options.top, out);
  return out;
}

// Those of the position, and what a constraint or penalties make of their sum.
void Explainer::add_attributes(const Change& change, ExplainedPosition& out) const {
  const StringLists& node = change.text.node;
  const std::size_t t = change.t;
  double label = 0, other = 0;
  const auto sum = [&](double a, double b) {
    if (!model_.has_single_sums()) return a + b;
    return double{static_cast<float>(a) + static_cast<float>(b)};
  };
  for (std::size_t k = node.list_begin(t); k < node.list_end(t); ++k) {
    const auto [kind, name] = read_name(node.item(k));
    Reason reason{
        .kind = kind, .name = std::string(name), .value = node.value(k), .begin = t, .end = t + 1};
    add_weights(model_.node(), scratch_.node.places[k], change.label, change.other, reason);
    label = sum(label, reason.label);
    other = sum(other, reason.other);
    add_reason(std::move(reason), out);
  }
  // Added up as the scorer does it: what is left is exactly 0 where nothing else was added.
  add_reason({.kind = Reason::Kind::limit,
              .name = model_.kind() == name_of(ChainKind::memm) ? "local normaliser" : "",
              .label = base_.state(t, change.label) - label,
              .other = base_.state(t, change.other) - other,
              .begin = t,
              .end = t + 1},
             out);
}

// The edge from position `to` - 1 to `to`, of which the change is one end.
void Explainer::add_edge(const Change& change, std::size_t to, ExplainedPosition& out) const {
  const auto labels = static_cast<std::uint32_t>(plan_.names().size());
  Label from_label = change.y[to - 1], to_label = change.y[to];
  const std::uint32_t cell = from_label * labels + to_label;
  const double score = base_.transitions->at(from_label, to_label);
  (to == change.t ? to_label : from_label) = change.other;
  const std::uint32_t other_cell = from_label * labels + to_label;
  add_reason({.kind = Reason::Kind::transition,
              .label = score,
              .other = base_.transitions->at(from_label, to_label),
              .begin = to - 1,
              .end = to + 1},
             out);
  const StringLists& edge = change.text.edge;
  if (edge.lists() == 0) return;
  for (std::size_t k = edge.list_begin(to); k < edge.list_end(to); ++k) {
    Reason reason{.kind = Reason::Kind::edge_attribute,
                  .name = std::string(edge.item(k)),
                  .value = edge.value(k),
                  .begin = to - 1,
                  .end = to + 1};
    add_weights(model_.edge(), scratch_.edge.places[k], cell, other_cell, reason);
    add_reason(std::move(reason), out);
  }
}

// Every run of 3 to n + 1 labels that the position is part of.
void Explainer::add_runs(const Change& change, ExplainedPosition& out) const {
  const LabelHistories& histories = *model_.histories();
  const auto weight_of = [&](std::span<const Label> run) {
    const std::uint32_t gram = find_run(histories.grams, run);
    return gram == kNoRun ? 0.0 : double{model_.gram_weights()[gram]};
  };
  for (std::size_t size = 3; size <= histories.order + 1; ++size) {
    const std::size_t first = change.t + 1 < size ? 0 : change.t + 1 - size;
    for (std::size_t b = first; b <= change.t && b + size <= change.y.size(); ++b) {
      add_reason({.kind = Reason::Kind::run,
                  .label = weight_of(change.y.subspan(b, size)),
                  .other = weight_of(change.changed(b, b + size)),
                  .begin = b,
                  .end = b + size},
                 out);
    }
  }
}

// The first history of y' that does not exist, if there is one.
void Explainer::add_history(const Change& change, ExplainedPosition& out) const {
  const LabelHistories& histories = *model_.histories();
  const std::size_t n = histories.order;
  for (std::size_t s = change.t; s < std::min(change.t + n, change.y.size()); ++s) {
    const std::size_t begin = s + 1 < n ? 0 : s + 1 - n;
    if (histories.find(change.changed(begin, s + 1)) != LabelHistories::kNone) continue;
    out.reasons.push_back(
        {.kind = Reason::Kind::history, .other = kMinusInfinity, .begin = begin, .end = s + 1});
    return;
  }
}

void Explainer::count_unknown(const TextSequence& text, std::size_t t, bool names,
                              ExplainedPosition& out) const {
  const auto count = [&](const StringLists& lists, const FeatureTable::Scratch& found) {
    for (std::size_t k = lists.list_begin(t); k < lists.list_end(t); ++k) {
      if (read_name(lists.item(k)).first != Reason::Kind::attribute) continue;
      ++out.attributes;
      if (found.places[k].length > 0) continue;
      ++out.unknown;
      if (names) out.unknown_names.emplace_back(lists.item(k));
    }
  };
  count(text.node, scratch_.node);
  if (text.edge.lists() > 0) count(text.edge, scratch_.edge);
}

Explanation explain(const ChainModel& model, const TextSequence& text,
                    const ExplainOptions& options) {
  const TagPlan plan(model);
  return Explainer(plan).explain(TagInput{text}, options);
}

}  // namespace croft
