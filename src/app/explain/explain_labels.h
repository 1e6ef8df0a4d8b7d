// Why the variables of graphs have their labels, one after the other.  explain_graph.h says what is
// explained of each.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "app/label/label_graph.h"
#include "app/view.h"
#include "core/json.h"

namespace croft {

struct ExplainLabels {
  std::vector<std::uint32_t> variables;  // of the data, in the order in which they are written
  bool all = false;                      // nobody named them
  std::string against;                   // a label; empty: the most probable other one
  std::size_t top = 5;                   // features with a line of their own
  std::function<std::string(std::uint32_t variable)> name;  // in text
  std::function<Json(std::uint32_t variable)> id;           // in JSON
};

// Calls with each variable: {"domain", "instance", "id", "label", …}.  What the data knows is
// evidence, and is explained where it is asked for.  Takes the data's cliques.  Memory: all graphs.
// Throws UsageError for a label that a variable cannot have, but with `all` leaves out variables of
// a domain that has it not; and as label_graph().
//   options : decode is best
GraphLabels explain_labels(const GraphModel& model, CliqueData& data,
                           const GraphLabelOptions& options, const ExplainLabels& request,
                           const std::function<void(const View&)>& write);

}  // namespace croft
