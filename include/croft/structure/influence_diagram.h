// What an influence diagram has beside the tables of a Bayesian network: decisions and utilities.
#pragma once
#include <string>
#include <vector>

#include "croft/structure/factor_graph.h"

namespace croft {

// A variable that somebody chooses: it has no factor.
struct GraphDecision {
  Variable variable = 0;
  std::vector<Variable> known;  // what is known when it is taken
};

// What an outcome is worth; the utilities of an influence diagram are added up.
struct GraphUtility {
  std::string name;
  std::vector<Variable> scope;
  std::vector<double> values;  // [joint states], the last variable changes fastest
};

}  // namespace croft
