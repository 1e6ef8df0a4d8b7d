#include "model/history_layout.h"

#include <algorithm>
#include <string>
#include <utility>

#include "croft/core/error.h"

namespace croft {
namespace {

SeenRuns runs_of(const ChainData& data, std::size_t longest) {
  SeenRuns seen(longest);
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    std::span<const Label> rest = data.gold(n).known;
    while (!rest.empty()) {
      const auto end = std::ranges::find_if_not(rest, is_one_label);
      const auto length = static_cast<std::size_t>(end - rest.begin());
      seen.add(rest.first(length));
      rest = rest.subspan(length + (end != rest.end()));
    }
  }
  return seen;
}

SeenRuns runs_of_all(Ranks& ranks, SeenRuns here, std::size_t longest) {
  if (ranks.alone()) return here;
  SeenRuns seen(longest);
  StateArchive out;
  here.archive(out);
  for (const std::string& bytes : ranks.gather(out.bytes())) {
    StateArchive in(bytes);
    SeenRuns part(longest);
    part.archive(in);
    seen.add(part);
  }
  return seen;
}

LabelHistories all_allowed(std::size_t labels, const HistoryOptions& options) {
  const ChainConstraint* constraint = options.constraint;
  return allowed_histories(
      options.order, labels, [=](Label j) { return !constraint || constraint->start[j]; },
      [=](Label i, Label j) { return !constraint || constraint->allows(i, j); });
}

void add_runs(const LabelRuns& from, LabelRuns& to) {
  for (std::size_t r = 0; r < from.size(); ++r) to.add(from[r]);
}

}  // namespace

std::shared_ptr<const LabelHistories> choose_histories(const ChainData& data, std::size_t labels,
                                                       const HistoryOptions& options) {
  const std::size_t order = options.order;
  if (order < 1 || order > kMostOrder) {
    throw UsageError("a chain of order " + std::to_string(order) + "; the order must be 1 to " +
                     std::to_string(kMostOrder));
  }
  if (order == 1) return nullptr;
  const SeenRuns seen = runs_of_all(*options.ranks, runs_of(data, order + 1), order + 1);
  LabelRuns states, grams;
  if (options.histories == HistorySet::seen) {
    states = seen.runs(1, order);
  } else {
    states = all_allowed(labels, options).states;
  }
  if (options.kept != nullptr) add_runs(options.kept->states, states);
  states = sorted_runs(states);
  if (options.features == FeatureSet::observed) {
    grams = seen.runs(3, order + 1, options.min_count);
  } else {
    grams = possible_grams(make_histories(order, labels, states, {}));
  }
  if (options.kept != nullptr) add_runs(options.kept->grams, grams);
  return std::make_shared<const LabelHistories>(
      make_histories(order, labels, std::move(states), sorted_runs(grams)));
}

namespace {

// The states that stand for one of `labels`; both increase.
void append_states(const LabelHistories& h, std::span<const Label> labels, LabelSets& sets) {
  for (const Label j : labels) {
    for (Label s = h.label_begin[j]; s < h.label_begin[j + 1]; ++s) sets.label.push_back(s);
  }
  sets.begin.push_back(static_cast<std::uint32_t>(sets.label.size()));
}

}  // namespace

LiftedGold lift_gold(const LabelHistories& h, const ChainData& data) {
  LiftedGold lifted;
  lifted.known.resize(data.positions());
  // Sets: the states of each label, then those of each set of labels.
  for (Label j = 0; j < h.labels; ++j) append_states(h, std::span(&j, 1), lifted.sets);
  for (std::size_t k = 0; k < data.label_sets.size(); ++k) {
    append_states(h, data.label_sets[k], lifted.sets);
  }
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    const Gold gold = data.gold(n);
    const std::span<Label> known =
        std::span(lifted.known).subspan(data.sequence_begin[n], gold.length());
    if (gold.is_complete()) {
      if (history_path(h, gold.known, known) == gold.length()) continue;
      const std::size_t line = n < data.first_line.size() ? data.first_line[n] : 0;
      throw Error("line " + std::to_string(line) +
                  ": the labels of the sequence that begins here have a history that the chain " +
                  "does not have; let it have all that are seen in its data");
    }
    for (std::size_t t = 0; t < gold.length(); ++t) {
      const Label label = gold.known[t];
      known[t] = is_one_label(label)  ? kLabelSetBit + label
                 : label == kAnyLabel ? kAnyLabel
                                      : static_cast<Label>(label + h.labels);
    }
  }
  return lifted;
}

namespace {

bool has_path(const LabelHistories& h, const ChainConstraint& constraint, const Gold& gold) {
  std::vector<bool> now(h.size()), next(h.size());
  for (const Label s : h.starts) {
    now[s] = constraint.start[h.label_of[s]] && gold.allows(0, h.label_of[s]);
  }
  for (std::size_t t = 1; t < gold.length(); ++t) {
    std::fill(next.begin(), next.end(), false);
    for (const Edge& edge : h.edges) {
      const Label i = h.label_of[edge.from], j = h.label_of[edge.to];
      if (now[edge.from] && constraint.allows(i, j) && gold.allows(t, j)) next[edge.to] = true;
    }
    std::swap(now, next);
  }
  for (Label s = 0; s < h.size(); ++s) {
    if (now[s] && constraint.end[h.label_of[s]]) return true;
  }
  return false;
}

}  // namespace

std::size_t first_without_path(const LabelHistories& h, const ChainData& data,
                               const ChainConstraint* constraint) {
  const ChainConstraint free(h.labels);
  std::vector<Label> path;
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    const Gold gold = data.gold(n);
    path.resize(gold.length());
    if (gold.is_complete() ? history_path(h, gold.known, path) < gold.length()
                           : !has_path(h, constraint ? *constraint : free, gold)) {
      return n;
    }
  }
  return data.sequences();
}

}  // namespace croft
