// A model trained as another one was, on other data.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "model/kinds/sequence_model.h"

namespace croft {

struct RetrainRequest {
  std::string data, output;          // files
  std::vector<std::string> options;  // of train, in the place of what the record says: arguments
  std::size_t threads = 1;
};

// Features are made as the model makes them (its template, its kit with the numbers that it has
// learnt); objective, penalty, and what else the training record says are as they were.  What it
// does not say, and files, `options` give, or the defaults.  Throws UsageError
// for a model without a training record or of data whose labels were not all known, and where the
// trainings turn out to differ in what their records say: a file of costs, templates of segments.
// Interrupted where there is nothing to keep, or the user wants to stop.
std::shared_ptr<const SequenceModel> retrain(const SequenceModel& model,
                                             const RetrainRequest& request);

}  // namespace croft
