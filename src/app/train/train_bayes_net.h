// The tables of a Bayesian network from files to a file: a network (BIF, or UAI's BAYES), tables of
// cases, the fitted network.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/settings/state_rows.h"
#include "train/generative/bayes_net.h"

namespace croft {

struct BayesNetRequest {
  std::vector<std::string> data;  // at least one; "-" is standard input
  std::string structure;          // the network whose variables and parents are taken
  std::string output;             // .bif or .uai
  std::string init;               // EM starts from this network's tables; empty: from the data
  std::string holdout;            // cases to measure the result on; may be empty
  StateRowsOptions rows;
  BayesNetOptions options;
};

struct BayesNetWatcher {
  struct Data {
    std::size_t rows, variables, missing;
  };
  std::function<void(const Data&)> data_read;
  std::function<bool(const BayesNetProgress&)> iteration;  // false: stop and keep the tables
};

struct BayesNetReport {
  BayesNetResult fit;
  std::size_t rows = 0, missing = 0;
  struct Holdout {
    std::size_t rows = 0, impossible = 0;  // rows of probability 0
    double log_likelihood = 0;             // of the others
  };
  std::optional<Holdout> holdout;
};

// Reads, fits, writes (temporary, sync, rename).  Throws UsageError for what contradicts itself and
// for a structure that is no Bayesian network, InputError for bad data, Error where the output
// cannot be written, before anything is read.
BayesNetReport train_bayes_net(const BayesNetRequest& request, const BayesNetWatcher& watcher);

}  // namespace croft
