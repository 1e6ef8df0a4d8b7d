// Weights of a Markov logic network as a kind of training: what `croft logic --learn` learns.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/train/requests.h"
#include "sql/logic/logic_learning.h"
#include "sql/logic/logic_source.h"

namespace croft {

struct LogicTrainRequest {
  LogicSource source;
  std::vector<std::string> worlds;  // .db, each a world with the source's evidence; or none
  std::string query;                // predicates that the rules are to foretell
  std::string hidden;               // "P,Q"
  LogicLearnOptions options;        // without `hidden`
  std::string output;               // .mln
};
// Throws UsageError where the network, a query or the objective is missing or wrong.
LogicTrainRequest logic_train_request(const OptionValues& values);

// The network that it writes depends on the files and the request alone.
std::unique_ptr<Trainer> make_trainer(const LogicTrainRequest& request);

}  // namespace croft
