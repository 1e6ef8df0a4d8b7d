// How good labels of graphs' variables are.
#pragma once
#include <string>
#include <vector>

#include "app/label/label_graph.h"
#include "app/label/predict.h"

namespace croft {
class Json;

struct DomainEvaluation {
  std::string domain;
  EvaluationSummary summary;  // tokens: variables with a gold label; log-loss: sum of their own
};

struct GraphEvaluation {
  std::vector<DomainEvaluation> domains;
  std::size_t variables = 0, correct = 0;            // with a gold label, of all domains
  std::size_t unlabelled = 0;                        // variables without one: not counted
  std::size_t evidence = 0;                          // variables whose label was known: likewise
  std::size_t instances = 0, correct_instances = 0;  // with a gold label; all of theirs right
};

// A gold label that the model does not have counts as wrong, and is left out of the log-loss.
//   request : what is reported; its scheme is of chunks, for all domains; automatic: found for each
//            domain by its labels in the model.  Where there are chunks, a sequence is the
//            variables of an instance (of a sequence of it) in their order; one
//            without a label ends it. Elsewhere each variable is a sequence of its own.
//   held_out_alone : of the instances that the data holds out, and no others
GraphEvaluation evaluate_graph(const CliqueData& data, const GoldLabels& gold,
                               const GraphLabels& labels, const EvaluateRequest& request = {},
                               bool held_out_alone = false);

std::string format_table(const GraphEvaluation& evaluation);
// {"variables": {"count", "correct", "accuracy"}, "instances": {…}, "unlabelled", "evidence",
//  "domains": {NAME: to_json() of its summary}}
Json to_json(const GraphEvaluation& evaluation);

}  // namespace croft
