// Laws of counts between two bounds: by sums of their masses, however many and however small.
//
// docs/math/bugs_distributions.md section "Truncation".
#pragma once
#include "bugs/distributions.h"

namespace croft::bugs {

// True for dbin, dpois, dnegbin, dhyper and dbetabin.
bool has_count_law(DistributionId id);

// ln P(lower <= X <= upper) to about 10 digits.  REQUIRES: parameters_fit; whole bounds, lower <=
// upper, both within the support (upper may be infinite where that is).
double log_count_interval(DistributionId id, Bounds bounds, Parameters parameters);
double count_mode(DistributionId id, Parameters parameters);  // or next to it
double draw_count_between(DistributionId id, Bounds bounds, Parameters parameters, Random& random);

}  // namespace croft::bugs
