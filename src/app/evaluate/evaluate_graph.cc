#include "app/evaluate/evaluate_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "app/evaluate/evaluation.h"
#include "core/json.h"
#include "croft/core/error.h"

namespace croft {
namespace {

// The variables of a domain, sequence by sequence, as an Evaluation takes them.
class DomainScore {
 public:
  DomainScore(const Domain& domain, const EvaluateRequest& request)
      : scheme_(request.report.scheme == ChunkScheme::automatic ? detect(domain)
                                                                : request.report.scheme),
        evaluation_(options(domain, request)) {}

  struct Variable {
    std::string_view gold_label, predicted_label;
    std::uint32_t gold;
    State predicted;
    std::span<const double> marginals;  // empty: not known
  };

  // One after the other, those of a sequence in their order.
  void add(std::string_view instance, std::uint32_t sequence, const Variable& v) {
    if (scheme_ == ChunkScheme::none) {
      Sequence alone;
      add(v, alone);
      close(alone);
    } else {
      add(v, open_[{instance, sequence}]);
    }
  }

  // No chunk goes beyond this.
  void end(std::string_view instance, std::uint32_t sequence) {
    const auto found = open_.find({instance, sequence});
    if (found == open_.end()) return;
    close(found->second);
    open_.erase(found);
  }

  EvaluationSummary summary() {
    for (const auto& [key, each] : open_) close(each);
    open_.clear();
    return evaluation_.summary();
  }

 private:
  struct Sequence {
    std::vector<std::string_view> gold, predicted;
    double log_loss = 0;
    std::size_t scored = 0;
  };

  void add(const Variable& v, Sequence& to) {
    to.gold.push_back(v.gold_label);
    to.predicted.push_back(v.predicted_label);
    const std::span<const double> p = v.marginals;
    if (p.empty()) return;
    evaluation_.add_probability(std::min(1.0, p[v.predicted]), v.gold == v.predicted);
    evaluation_.add_ranked(p, v.gold);
    if (v.gold >= p.size()) return;  // a label that the model has not
    to.log_loss += p[v.gold] > 0 ? -std::log(std::min(1.0, p[v.gold])) : HUGE_VAL;
    ++to.scored;
    double squares = 0;
    for (std::size_t k = 0; k < p.size(); ++k) {
      const double difference = p[k] - (k == v.gold ? 1 : 0);
      squares += difference * difference;
    }
    evaluation_.add_brier(squares);
  }

  void close(const Sequence& each) {
    evaluation_.add(each.gold, each.predicted);
    if (each.scored > 0) evaluation_.add_log_loss(each.log_loss, each.scored);
  }

  EvaluationOptions options(const Domain& domain, const EvaluateRequest& request) const {
    EvaluationOptions out = request.report;
    out.scheme = scheme_;
    if (request.ranking) out.ranked = domain.labels;
    return out;
  }

  static ChunkScheme detect(const Domain& domain) {
    const std::vector<std::string_view> labels(domain.labels.begin(), domain.labels.end());
    return detect_scheme(labels);
  }

  ChunkScheme scheme_;
  Evaluation evaluation_;
  std::map<std::pair<std::string_view, std::uint32_t>, Sequence> open_;
};

}  // namespace

GraphEvaluation evaluate_graph(const CliqueData& data, const GoldLabels& gold,
                               const GraphLabels& labels, const EvaluateRequest& request,
                               bool held_out_alone) {
  const CliqueSchema& schema = data.schema();
  GraphEvaluation all;
  std::vector<DomainScore> of_domain;
  for (const Domain& each : schema.domains) of_domain.emplace_back(each, request);
  std::unordered_map<std::string_view, bool> right;  // of each group with a gold label
  for (std::uint32_t v = 0; v < data.variables(); ++v) {
    if (held_out_alone && !data.held_out(v)) continue;
    const std::uint32_t domain = data.domain(v), state = gold.state[v];
    DomainScore& score = of_domain[domain];
    const std::string_view group = data.group_name(v);
    if (state == kUnobserved) {
      ++(data.known(v) == kUnobserved ? all.unlabelled : all.evidence);
      score.end(group, gold.sequence_of(v));
      continue;
    }
    const State predicted = labels.label[v];
    score.add(
        group, gold.sequence_of(v),
        {gold.name(schema, domain, state), schema.domains[domain].labels[predicted], state,
         predicted, labels.begin.empty() ? std::span<const double>() : labels.marginals_of(v)});
    const bool correct = state == predicted;
    ++all.variables;
    all.correct += correct ? 1 : 0;
    const auto [found, is_new] = right.try_emplace(group, correct);
    if (!is_new) found->second = found->second && correct;
  }
  if (all.variables == 0) throw Error("no variable has a label to compare with");
  all.instances = right.size();
  for (const auto& [group, correct] : right) all.correct_instances += correct ? 1 : 0;
  for (std::size_t d = 0; d < schema.domains.size(); ++d) {
    all.domains.push_back({schema.domains[d].name, of_domain[d].summary()});
  }
  return all;
}

std::string format_table(const GraphEvaluation& e) {
  std::string out;
  const auto line = [&](std::string_view name, std::size_t count, std::size_t correct) {
    out += fmt::format("{:<10} {:>9}   accuracy {:>6.2f} %   {} correct\n", name, count,
                       100 * ratio(correct, count), correct);
  };
  line("variables", e.variables, e.correct);
  // With one instance the line would say no more than that some label is wrong.
  if (e.instances > 1) line("instances", e.instances, e.correct_instances);
  if (e.unlabelled > 0) {
    out += fmt::format("           {:>9}   variables have no label and are not counted\n",
                       e.unlabelled);
  }
  if (e.evidence > 0) {
    out +=
        fmt::format("           {:>9}   variables were known, and are not counted\n", e.evidence);
  }
  for (const DomainEvaluation& each : e.domains) {
    if (each.summary.tokens == 0) continue;
    out += fmt::format("\n--- {}\n", each.domain) + format_table(each.summary, "variables");
  }
  return out;
}

Json to_json(const GraphEvaluation& e) {
  Json document;
  document["variables"] = {
      {"count", e.variables}, {"correct", e.correct}, {"accuracy", ratio(e.correct, e.variables)}};
  document["instances"] = {{"count", e.instances},
                           {"correct", e.correct_instances},
                           {"accuracy", ratio(e.correct_instances, e.instances)}};
  document["unlabelled"] = e.unlabelled;
  if (e.evidence > 0) document["evidence"] = e.evidence;
  document["domains"] = Json::object();
  for (const DomainEvaluation& each : e.domains)
    document["domains"][each.domain] = to_json(each.summary);
  return document;
}

}  // namespace croft
