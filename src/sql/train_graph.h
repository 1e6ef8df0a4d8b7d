// Training of a general CRF from a spec and a database to a model file.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/train/trainer_rows.h"
#include "sql/graph_tables.h"
#include "train/kinds/graph_training.h"

namespace croft {

struct GraphTrainRequest {
  std::string spec;                    // file; GraphSpec
  std::vector<std::string> databases;  // Database::open()
  std::string output;                  // the model file
  // Where not given, what suits the objective and the optimiser.
  std::optional<double> l2, tolerance, gradient_tolerance;
  std::optional<std::size_t> max_iterations, window;
  std::string checkpoint;  // folder to keep the state of the training in; empty: none
  bool resume = false;     // from there
  std::optional<double> checkpoint_interval;  // seconds
  // A model to start from; or one that is the penalty's mean, too.  A file of variances, by the
  // names TEMPLATE:FEATURE.
  std::string init, prior, variances;
  GraphTrainOptions options;  // the rest
};

// The model's bytes depend on what the queries return, in which order, and on the request alone.
// Throws UsageError for options that contradict each other or would be ignored.
std::unique_ptr<Trainer> make_trainer(const GraphTrainRequest& request);

GraphTrainRequest graph_train_request(const OptionValues& values);
// The row of kind graph, for make_trainer() of options.
std::span<const TrainerRow> graph_trainer_rows();

}  // namespace croft
