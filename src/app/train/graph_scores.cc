#include "app/train/graph_scores.h"

#include <map>
#include <tuple>

#include "app/evaluate/evaluation.h"
#include "croft/core/error.h"

namespace croft {

TrueLabels held_out_labels(const CliqueData& data) {
  return [&data](std::uint32_t v) -> std::optional<TrueLabel> {
    const State known = data.known(v);
    if (!data.held_out(v) || known == kUnobserved) return std::nullopt;
    return TrueLabel{data.schema().domains[data.domain(v)].labels[known]};
  };
}

GraphScores::GraphScores(const CliqueData& data, const TrueLabels& truth) : data_(data) {
  // No chunk goes beyond a variable without a label.
  std::map<std::tuple<std::uint32_t, std::string_view>, std::pair<std::uint32_t, std::size_t>> open;
  for (std::uint32_t v = 0; v < data.variables(); ++v) {
    const std::tuple key{data.domain(v), data.group_name(v)};
    const std::optional<TrueLabel> label = truth(v);
    if (!label) {
      open.erase(key);
      continue;
    }
    const auto at = open.find(key);
    const bool goes_on = at != open.end() && at->second.first == label->sequence;
    const std::size_t which = goes_on ? at->second.second : sequences_.size();
    if (!goes_on) {
      sequences_.emplace_back();
      open.insert_or_assign(key, std::pair{label->sequence, which});
    }
    sequences_[which].variable.push_back(v);
    sequences_[which].label.push_back(label->label);
  }
  if (sequences_.empty()) {
    throw Error(
        "no variable of the hold-out has a label to compare with; hold out instances whose "
        "labels are known");
  }
}

HoldoutScore GraphScores::operator()(std::span<const State> labels) const {
  Evaluation evaluation;
  std::vector<std::string_view> predicted;
  for (const Sequence& each : sequences_) {
    predicted.clear();
    for (const std::uint32_t v : each.variable) {
      const Domain& domain = data_.schema().domains[data_.domain(v)];
      predicted.emplace_back(labels[v] == kUnobserved ? std::string_view()
                                                      : domain.labels[labels[v]]);
    }
    evaluation.add(each.label, predicted);
  }
  const EvaluationSummary summary = evaluation.summary();
  HoldoutScore score;
  score.token_accuracy = summary.token_accuracy();
  if (summary.chunk) score.chunk_f1 = summary.chunk->all.f1();
  return score;
}

}  // namespace croft
