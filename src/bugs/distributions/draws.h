// Random draws that are faster than by inversion of a cdf.
//
// Normal and exponential ones by the ziggurat of Marsaglia & Tsang (2000), with 256 layers and the
// 53 bits of the height apart from the 8 of the layer, as Doornik (2005) advises.
#pragma once
#include "croft/core/random.h"

namespace croft::bugs {

double draw_normal(Random& random);        // mean 0, variance 1
double draw_exponential(Random& random);   // mean 1
double draw_open_uniform(Random& random);  // in (0, 1)

// Shape > 0, rate 1 (Marsaglia & Tsang 2000).  Below shape 1: ln of it does not underflow.
double draw_gamma(double shape, Random& random);
double draw_log_gamma(double shape, Random& random);  // ln of such a draw
double draw_beta(double a, double b, Random& random);

// By inversion for small means, else by transformed rejection (Hormann 1993).
double draw_poisson(double mean, Random& random);
double draw_binomial(double n, double p, Random& random);

// A standard normal value between the bounds, by rejection (Robert 1995): exact in the tails.
double draw_truncated_normal(double lower, double upper, Random& random);

}  // namespace croft::bugs
