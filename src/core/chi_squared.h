// The upper tail of the chi-squared distribution.
#pragma once

namespace croft {

// P(X >= x) of X with so many degrees of freedom, > 0:  Q(freedom / 2, x / 2), the regularised
// upper incomplete gamma function.  1 for x <= 0.  Relative error 1e-12 or so, down to 1e-300.
double chi_squared_tail(double x, double freedom);

// ln gamma(x), x > 0; as std::lgamma, and safe on several threads.
double log_gamma(double x);

}  // namespace croft
