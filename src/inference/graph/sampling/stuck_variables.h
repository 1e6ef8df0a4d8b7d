// Variables that no Markov chain has moved.  Internal to inference/.
#pragma once
#include "croft/inference/gibbs.h"

namespace croft {

// A variable whose share of one state is 1 has a standard error of 0 by batch means, and R-hat 1.
// That is true where the graph leaves it no other state, or one of probability under 1e-9; else its
// errors become NaN, and the run has not converged.
//   temperature : of the chains, which draw from p^(1 / temperature)
void mark_stuck(const FactorGraph& graph, double temperature, GibbsResult& result);
std::size_t count_stuck(const GibbsResult& result);

}  // namespace croft
