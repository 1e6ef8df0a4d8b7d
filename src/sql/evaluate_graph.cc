#include "croft/sql/evaluate_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "croft/core/error.h"

namespace croft {
namespace {

double share(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

// What the marginals say of a gold label.
void add_marginals(std::span<const double> p, std::uint32_t gold, State predicted,
                   Evaluation& evaluation) {
  evaluation.add_probability(std::min(1.0, p[predicted]), gold == predicted);
  if (gold >= p.size()) return;  // a label that the model has not
  evaluation.add_log_loss(p[gold] > 0 ? -std::log(std::min(1.0, p[gold])) : HUGE_VAL, 1);
  double squares = 0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const double difference = p[k] - (k == gold ? 1 : 0);
    squares += difference * difference;
  }
  evaluation.add_brier(squares);
}

}  // namespace

GraphEvaluation evaluate_graph(const GraphTables& tables, const GraphLabels& labels) {
  const CliqueSchema& schema = tables.schema();
  const VariableTable& variables = tables.variables();
  GraphEvaluation all;
  std::vector<Evaluation> of_domain(schema.domains.size(), Evaluation(ChunkScheme::none));
  std::unordered_map<std::string_view, bool> right;  // of each group with a gold label
  for (std::uint32_t v = 0; v < variables.size(); ++v) {
    const std::uint32_t gold = variables.gold(v);
    if (gold == kUnobserved) {
      ++all.unlabelled;
      continue;
    }
    const std::uint32_t domain = tables.data().domain(v);
    const std::string_view name = variables.gold_label(schema, v);
    const std::string_view predicted = schema.domains[domain].labels[labels.label[v]];
    of_domain[domain].add({&name, 1}, {&predicted, 1});
    if (!labels.begin.empty()) {
      add_marginals(labels.marginals_of(v), gold, labels.label[v], of_domain[domain]);
    }
    const bool correct = gold == labels.label[v];
    ++all.variables;
    all.correct += correct ? 1 : 0;
    const auto [found, is_new] = right.try_emplace(tables.data().group_name(v), correct);
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
                       100 * share(correct, count), correct);
  };
  line("variables", e.variables, e.correct);
  line("instances", e.instances, e.correct_instances);
  if (e.unlabelled > 0) {
    out += fmt::format("           {:>9}   variables have no label and are not counted\n",
                       e.unlabelled);
  }
  for (const DomainEvaluation& each : e.domains) {
    if (each.summary.tokens == 0) continue;
    out += fmt::format("\n--- {}\n", each.domain) + format_table(each.summary, "variables");
  }
  return out;
}

nlohmann::json to_json(const GraphEvaluation& e) {
  nlohmann::json document;
  document["variables"] = {
      {"count", e.variables}, {"correct", e.correct}, {"accuracy", share(e.correct, e.variables)}};
  document["instances"] = {{"count", e.instances},
                           {"correct", e.correct_instances},
                           {"accuracy", share(e.correct_instances, e.instances)}};
  document["unlabelled"] = e.unlabelled;
  document["domains"] = nlohmann::json::object();
  for (const DomainEvaluation& each : e.domains)
    document["domains"][each.domain] = to_json(each.summary);
  return document;
}

}  // namespace croft
