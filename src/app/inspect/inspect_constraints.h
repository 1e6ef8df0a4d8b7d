// A model against data, feature by feature: what the data shows, what the model expects, and how
// far both are from the condition of the optimum (ME.2).  docs/inspect.md.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "app/view.h"
#include "model/kinds/chain_model.h"

namespace croft {

class JointModel;

struct ConstraintRequest {
  std::vector<std::string> data;  // labelled, in the model's format
  std::size_t top = 20;           // rows
  std::size_t threads = 1;        // 0: one per processor
};

// Throws UsageError for a model with a vote or a kernel; InputError as the readers do, and for a
// label that the model does not have; Error where there is nothing to compare.
// Cost: two evaluations of the data.  Memory: that of the encoded data, and 4 doubles a feature.
View inspect_constraints(std::shared_ptr<const ChainModel> model, const ConstraintRequest& request);
View inspect_constraints(const JointModel& model, const ConstraintRequest& request);

}  // namespace croft
