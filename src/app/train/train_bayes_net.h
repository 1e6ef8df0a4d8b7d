// The tables of a Bayesian network from files to a file: a network (BIF, or UAI's BAYES), tables of
// cases, the fitted network.
#pragma once
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
  std::vector<std::string> of_em;  // options that were given and are of EM alone
};

}  // namespace croft
