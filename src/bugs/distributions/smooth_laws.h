// Continuous laws between two bounds, in coordinates in which their log density is concave.
//
// docs/math/bugs_distributions.md section "Truncation" has the table.
#pragma once
#include "bugs/distributions.h"

namespace croft::bugs {

// True if the law has such a coordinate.
bool has_smooth_law(DistributionId id);

// ln P(lower <= X <= upper) by quadrature, to about 12 digits wherever the bounds and parameters
// are.  REQUIRES: parameters_fit; lower <= upper, both within the support.
double log_smooth_interval(DistributionId id, Bounds bounds, Parameters parameters);
double draw_smooth_between(DistributionId id, Bounds bounds, Parameters parameters, Random& random);

}  // namespace croft::bugs
