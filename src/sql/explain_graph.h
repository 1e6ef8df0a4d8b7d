// Why the variables of a database have their labels.  app/explain/explain_labels.h says what is
// explained.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "app/label/label_graph.h"
#include "app/view.h"
#include "sql/graph_tables.h"

namespace croft {

struct GraphExplainRequest {
  std::vector<std::string> variables;  // ids, or DOMAIN:ID; empty: all that are not known
  std::string against;                 // a label; empty: the most probable other one
  std::size_t top = 5;                 // features with a line of their own
};

// Calls with each variable, in the order of the queries: {"domain", "instance", "id", "label", …}.
// Variables whose labels are known (LabelUse::known) are evidence, and are explained where they are
// asked for by name.  Takes the data's cliques.  Memory: all graphs.
// Throws UsageError for an id that no variable has or that several domains have, and a label that
// a variable cannot have; and as label_graph().
//   options : decode is best
GraphLabels explain_graph(const GraphModel& model, GraphTables& tables,
                          const GraphLabelOptions& options, const GraphExplainRequest& request,
                          const std::function<void(const View&)>& write);

}  // namespace croft
