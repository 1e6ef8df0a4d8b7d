// How good labels of a database's variables are.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "croft/app/evaluation.h"
#include "croft/sql/label_graph.h"

namespace croft {

struct DomainEvaluation {
  std::string domain;
  EvaluationSummary summary;  // tokens: variables with a gold label; log-loss: sum of their own
};

struct GraphEvaluation {
  std::vector<DomainEvaluation> domains;
  std::size_t variables = 0, correct = 0;            // with a gold label, of all domains
  std::size_t unlabelled = 0;                        // variables without one: not counted
  std::size_t instances = 0, correct_instances = 0;  // with a gold label; all of theirs right
};

// Of GraphTables that were read with LabelUse::gold.  A gold label that the model does not have
// counts as wrong, and is left out of the log-loss.
GraphEvaluation evaluate_graph(const GraphTables& tables, const GraphLabels& labels);

std::string format_table(const GraphEvaluation& evaluation);
// {"variables": {"count", "correct", "accuracy"}, "instances": {…}, "unlabelled",
//  "domains": {NAME: to_json() of its summary}}
nlohmann::json to_json(const GraphEvaluation& evaluation);

}  // namespace croft
