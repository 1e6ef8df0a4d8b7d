#include "app/explain/explain.h"

#include <algorithm>
#include <utility>

#include "app/label/chunks.h"
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

void add_reason(Reason reason, ExplainedStretch& out) {
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

// Labels of a stretch of a labelling replaced by others.
struct Explainer::Change {
  const TextSequence& text;
  std::span<const Label> y;
  std::size_t begin;
  std::span<const Label> other;

  std::size_t end() const { return begin + other.size(); }
  // y'_t
  Label at(std::size_t t) const { return t >= begin && t < end() ? other[t - begin] : y[t]; }
  // y', from `first` on.
  std::vector<Label> changed(std::size_t first, std::size_t last) const {
    std::vector<Label> run;
    for (std::size_t t = first; t < last; ++t) run.push_back(at(t));
    return run;
  }
  bool changes(std::size_t first, std::size_t last) const {
    for (std::size_t t = first; t < last; ++t) {
      if (at(t) != y[t]) return true;
    }
    return false;
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
  out.gold = options.gold;
  if (options.gold) {
    check_gold(input);
    for (const Stretch& each : wrong(input.text, tagging, options)) {
      out.stretches.push_back(explain(input.text, tagging, each, options));
    }
    return out;
  }
  const bool all = options.positions.empty();
  for (std::size_t k = 0; k < (all ? length : options.positions.size()); ++k) {
    const std::size_t t = all ? k : options.positions[k];
    out.stretches.push_back(explain(input.text, tagging, {t, t + 1}, options));
  }
  return out;
}

// Those that are asked for.
std::vector<Stretch> Explainer::wrong(const TextSequence& text, const Tagging& tagging,
                                      const ExplainOptions& options) const {
  const ChunkScheme scheme = scheme_of(plan_, options.scheme);
  std::vector<std::string_view> gold, predicted;
  std::vector<bool> is_wrong;
  for (std::size_t t = 0; t < text.length(); ++t) {
    gold.push_back(text.labels.item(t));
    predicted.push_back(plan_.names()[tagging.y[t]]);
    is_wrong.push_back(gold[t] != predicted[t]);
  }
  std::vector<Stretch> found;
  if (scheme == ChunkScheme::none) {
    found = wrong_stretches(is_wrong, std::nullopt);
  } else {
    std::vector<Stretch> chunks;
    for (const auto& side : {gold, predicted}) {
      for (const Chunk& each : chunks_of(side, scheme)) chunks.push_back({each.begin, each.end});
    }
    found = wrong_stretches(is_wrong, chunks);
  }
  std::erase_if(found, [&](const Stretch& each) { return !is_asked(options, each); });
  return found;
}

void Explainer::set_gold(const TextSequence& text, ExplainedStretch& out) const {
  for (std::size_t t = out.begin; t < out.end(); ++t) {
    const std::string_view name = text.labels.item(t);
    const std::optional<Label> label = plan_.names().find(name);
    if (!label) {
      out.error = unknown_label(name);
      out.other.clear();
      return;
    }
    out.other.push_back(*label);
  }
}

ExplainedStretch Explainer::explain(const TextSequence& text, const Tagging& tagging,
                                    const Stretch& stretch, const ExplainOptions& options) {
  const auto& [begin, end] = stretch;
  ExplainedStretch out;
  out.begin = begin;
  for (std::size_t t = begin; t < end; ++t) {
    out.labels.push_back(tagging.y[t]);
    out.probability.push_back(tagging.marginals(t, tagging.y[t]));
    count_unknown(text, t, options.unknown, out);
  }
  if (options.gold) {
    set_gold(text, out);
  } else if (const auto other = runner_up(tagging, begin, options)) {
    out.other = {*other};
  }
  if (out.other.empty()) return out;
  const Change change{text, tagging.y, begin, out.other};
  for (std::size_t t = begin; t < end; ++t) {
    out.other_probability.push_back(tagging.marginals(t, change.at(t)));
    if (change.changes(t, t + 1)) add_attributes(change, t, out);
  }
  for (std::size_t to = std::max<std::size_t>(begin, 1); to <= end && to < tagging.y.size(); ++to) {
    if (change.changes(to - 1, to + 1)) add_edge(change, to, out);
  }
  if (model_.histories() != nullptr) {
    add_runs(change, out);
    add_history(change, out);
  }
  finish_reasons(options.top, out);
  return out;
}

// Those of the position, and what a constraint or penalties make of their sum.
void Explainer::add_attributes(const Change& change, std::size_t t, ExplainedStretch& out) {
  const StringLists& node = change.text.node;
  const Label y = change.y[t], y_other = change.at(t);
  double label = 0, other = 0;
  const auto sum = [&](double a, double b) {
    if (!model_.has_single_sums()) return a + b;
    return double{static_cast<float>(a) + static_cast<float>(b)};
  };
  const auto places = model_.node().places(node, t, scratch_.node);
  for (std::size_t k = node.list_begin(t); k < node.list_end(t); ++k) {
    const auto [kind, name] = read_name(node.item(k));
    Reason reason{
        .kind = kind, .name = std::string(name), .value = node.value(k), .begin = t, .end = t + 1};
    add_weights(model_.node(), places[k - node.list_begin(t)], y, y_other, reason);
    label = sum(label, reason.label);
    other = sum(other, reason.other);
    add_reason(std::move(reason), out);
  }
  // Added up as the scorer does it: what is left is exactly 0 where nothing else was added.
  add_reason({.kind = Reason::Kind::limit,
              .name = model_.kind() == name_of(ChainKind::memm) ? "local normaliser" : "",
              .label = base_.state(t, y) - label,
              .other = base_.state(t, y_other) - other,
              .begin = t,
              .end = t + 1},
             out);
}

// The edge from position `to` - 1 to `to`, of which one end or both are changed.
void Explainer::add_edge(const Change& change, std::size_t to, ExplainedStretch& out) {
  const auto labels = static_cast<std::uint32_t>(plan_.names().size());
  const Label i = change.y[to - 1], j = change.y[to];
  const Label i_other = change.at(to - 1), j_other = change.at(to);
  const std::uint32_t cell = i * labels + j, other_cell = i_other * labels + j_other;
  add_reason({.kind = Reason::Kind::transition,
              .label = base_.transitions->at(i, j),
              .other = base_.transitions->at(i_other, j_other),
              .begin = to - 1,
              .end = to + 1},
             out);
  const StringLists& edge = change.text.edge;
  if (edge.lists() == 0) return;
  const auto places = model_.edge().places(edge, to, scratch_.edge);
  for (std::size_t k = edge.list_begin(to); k < edge.list_end(to); ++k) {
    Reason reason{.kind = Reason::Kind::edge_attribute,
                  .name = std::string(edge.item(k)),
                  .value = edge.value(k),
                  .begin = to - 1,
                  .end = to + 1};
    add_weights(model_.edge(), places[k - edge.list_begin(to)], cell, other_cell, reason);
    add_reason(std::move(reason), out);
  }
}

// Every run of 3 to n + 1 labels that has a changed one.
void Explainer::add_runs(const Change& change, ExplainedStretch& out) const {
  const LabelHistories& histories = *model_.histories();
  const auto weight_of = [&](std::span<const Label> run) {
    const std::uint32_t gram = find_run(histories.grams, run);
    return gram == kNoRun ? 0.0 : double{model_.gram_weights()[gram]};
  };
  for (std::size_t size = 3; size <= histories.order + 1; ++size) {
    const std::size_t first = change.begin + 1 < size ? 0 : change.begin + 1 - size;
    for (std::size_t b = first; b < change.end() && b + size <= change.y.size(); ++b) {
      if (!change.changes(b, b + size)) continue;
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
void Explainer::add_history(const Change& change, ExplainedStretch& out) const {
  const LabelHistories& histories = *model_.histories();
  const std::size_t n = histories.order;
  for (std::size_t s = change.begin; s < std::min(change.end() + n - 1, change.y.size()); ++s) {
    const std::size_t begin = s + 1 < n ? 0 : s + 1 - n;
    if (histories.find(change.changed(begin, s + 1)) != LabelHistories::kNone) continue;
    out.reasons.push_back(
        {.kind = Reason::Kind::history, .other = kMinusInfinity, .begin = begin, .end = s + 1});
    return;
  }
}

void Explainer::count_unknown(const TextSequence& text, std::size_t t, bool names,
                              ExplainedStretch& out) {
  const auto count = [&](const FeatureTable& table, const StringLists& lists,
                         FeatureTable::Scratch& scratch) {
    const auto places = table.places(lists, t, scratch);
    for (std::size_t k = lists.list_begin(t); k < lists.list_end(t); ++k) {
      if (read_name(lists.item(k)).first != Reason::Kind::attribute) continue;
      ++out.attributes;
      if (places[k - lists.list_begin(t)].length > 0) continue;
      ++out.unknown;
      if (names) out.unknown_names.emplace_back(lists.item(k));
    }
  };
  count(model_.node(), text.node, scratch_.node);
  if (text.edge.lists() > 0) count(model_.edge(), text.edge, scratch_.edge);
}

Explanation explain(const ChainModel& model, const TextSequence& text,
                    const ExplainOptions& options) {
  const TagPlan plan(model);
  return Explainer(plan).explain(TagInput{text}, options);
}

}  // namespace croft
