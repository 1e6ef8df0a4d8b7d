// The kinds of model: what can be shown of each, and what each can be turned into.  The one table
// that the command line and Python go by; model/kinds/model_file.h has how they are read,
// app/train/trainer_rows.h how they are trained.
#pragma once
#include <memory>
#include <span>
#include <string_view>

#include "app/explain/reasons.h"
#include "app/inspect/inspect_constraints.h"
#include "app/view.h"
#include "model/file/container.h"
#include "model/kinds/sequence_model.h"

namespace croft {

// To a model of another kind with the same answers.
struct Conversion {
  std::string_view to;    // a kind; empty: there is none
  std::string_view what;  // is kept: the middle of a line of help; without `to` why there is none
  ContainerWriter (*make)(const SequenceModel& model);
};

// The model that each function gets is of this kind.
struct KindRow {
  std::string_view name;  // as files have it
  // What app/inspect/inspect.h says of the kind.
  View (*summary)(const StoredModel& model);
  View (*top)(const StoredModel& model, std::size_t n);
  void (*write_weights)(const StoredModel& model, const WriteText& write);  // null: it has none
  // Null for a kind that does not label sequences.  Throw UsageError, which says why, for one whose
  // weights are not those of a chain's features.
  View (*constraints)(std::shared_ptr<const SequenceModel> model, const ConstraintRequest& request);
  // Of a kind that does not label sequences null: app/explain/explain_graph.h explains graphs.
  SequenceExplainer (*explainer)(const TagPlan& plan);
  Conversion conversion;
};
std::span<const KindRow> kind_rows();
const KindRow& kind_of(const StoredModel& model);

}  // namespace croft
