// Training of a general CRF from a spec and a database to a model file.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/train/graph_trainer.h"
#include "app/train/requests.h"
#include "sql/graph_tables.h"

namespace croft {

struct GraphTrainRequest : GraphRequest {
  std::string spec;                       // file; GraphSpec
  std::vector<std::string> databases;     // Database::open()
  std::vector<std::string> held_out;      // likewise, where `holdout` is no share
  std::vector<std::string> unlabelled{};  // likewise; labels, if any, are not looked at
  // What else there is to say of the variables, once they are known: of a part of the data.
  std::function<void(CliqueData& data)> part{};
  QueryLimits limits;
  std::string output;  // the model file
};

// The model's bytes depend on what the queries return, in which order, and on the request alone.
// Throws UsageError for options that contradict each other or would be ignored.
std::unique_ptr<Trainer> make_trainer(const GraphTrainRequest& request);
// The same for a program, which takes the trainer's model() after the course.
std::unique_ptr<GraphTrainer> make_graph_trainer(const GraphTrainRequest& request);

GraphTrainRequest graph_train_request(const OptionValues& values);

}  // namespace croft
