// Training of a general CRF from a spec and a database to a model file.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

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

// The request with its options filled in: what it leaves open.
GraphTrainRequest with_defaults(GraphTrainRequest request);

// What is known once the data has been read.
struct GraphTrainData {
  std::size_t variables, hidden, instances, cliques, templates, features;
};

struct GraphTrainWatcher {
  std::function<void(const GraphTrainData&)> data_read;  // before the first iteration
  GraphTables::Progress reading;                         // now and then
  TrainingCallback iteration;                            // false: stop and keep the model
};

// Reads, trains, and writes the model (temporary, sync, rename); its bytes depend on what the
// queries return, in which order, and the request alone.  Throws UsageError for options that
// contradict each other or would be ignored, and Error where the output cannot be written: both
// before anything is read; InputError for a bad spec or data; Interrupted when `interruption` is
// set before there is a model to keep.
GraphTrainResult train_graph_model(const GraphTrainRequest& request,
                                   const GraphTrainWatcher& watcher);

}  // namespace croft
