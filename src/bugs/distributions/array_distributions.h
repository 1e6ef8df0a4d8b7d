// The distributions of arrays, and the scalar ones with a vector of parameters: what the functions
// of distributions.h do with them.  docs/math/bugs_distributions.md has the formulas.
#pragma once
#include <string>

#include "bugs/distributions.h"

namespace croft::bugs {

double array_log_density(DistributionId id, Numbers value, Parameters parameters, Part part);
void draw_array(DistributionId id, Parameters parameters, Random& random, std::span<double> value);
void typical_array(DistributionId id, Parameters parameters, std::span<double> value);
std::string array_fault(DistributionId id, Parameters parameters);

// ln of the hypergeometric probabilities of lower, lower + 1, ..., upper, not normalised:
//   C(n1, x) C(n2, m1 - x) psi^x
std::vector<double> hypergeometric_terms(Parameters parameters, Bounds bounds);

}  // namespace croft::bugs
