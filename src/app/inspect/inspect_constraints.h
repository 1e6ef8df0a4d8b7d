// A model against data, feature by feature: what the data shows, what the model expects, and how
// far both are from the condition of the optimum (ME.2).  docs/inspect.md.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/inspect/inspect.h"
#include "croft/optimize/function.h"
#include "model/kinds/joint_model.h"

namespace croft {
class Json;

// One feature.
struct ConstraintRow {
  std::string kind = {};       // transition, node, edge, gram, joint: as of write_weights()
  std::string part = {};       // of y, of a joint feature
  std::string attribute = {};  // empty: a transition without a template, or a gram
  std::vector<LabelOrEnd> labels = {};  // one, or as many as the feature looks at
  std::string group = {};               // of labels, of a joint feature, which has no `labels`
  double weight = 0;
  double empirical = 0, expected = 0;  // sums over the data
  double pull = 0;                     // of the penalty: l2 w + l1 sign(w); 0 without a condition
  // |empirical - expected - pull|; where w = 0 and l1 > 0, what |empirical - expected| has above
  // l1. Without a condition |empirical - expected|.
  double violation = 0;
  double difference() const { return empirical - expected; }
};

struct ConstraintReport {
  std::vector<ConstraintRow> rows;  // the largest violations first
  std::size_t features = 0;         // that were compared
  std::size_t sequences = 0, positions = 0;
  double loss = 0;  // -sum log p(y|x)
  // Whether there are as many sequences, positions and features as in the training record, and the
  // objective is the one in it: then features of weight 0 are compared, too.
  bool training_data = false;
  // The penalty whose optimum the weights are said to be; none: `no_condition` says why.
  std::optional<Regulariser> condition;
  std::string no_condition;
  double largest_violation = 0;  // of all features; without a condition the largest difference
};

struct ConstraintRequest {
  std::vector<std::string> data;  // labelled, in the model's format
  std::size_t top = 20;           // rows
  std::size_t threads = 1;        // 0: one per processor
};

// Throws UsageError for a model with a vote or a kernel; InputError as the readers do, and for a
// label that the model does not have; Error where there is nothing to compare.
// Cost: two evaluations of the data.  Memory: that of the encoded data, and 4 doubles a feature.
ConstraintReport inspect_constraints(std::shared_ptr<const ChainModel> model,
                                     const ConstraintRequest& request);
ConstraintReport inspect_constraints(const JointModel& model, const ConstraintRequest& request);

std::string format_constraints(const ConstraintReport& report);
Json constraints_json(const ConstraintReport& report);  // UTF-8 as summary_json

}  // namespace croft
