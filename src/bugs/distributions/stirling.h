// Logarithms of gamma functions whose leading parts cancel.
//
//   ln Gamma(a) = (a - 1/2) ln a - a + ln sqrt(2 pi) + rest(a),   rest(a) = 1/(12 a) - ... (S.1)
//
// With a and x of 1e10, x^a e^-x / Gamma(a) has logarithms of 1e11 that add up to some tens: these
// functions add up what is left of (S.1) instead, with ln(1 + r) - r of a small r.
#pragma once

namespace croft::bugs {

// ln Gamma(c + s) - ln Gamma(c), c > 0, c + s > 0; without s ln c: what is left where s is small.
double log_gamma_step(double c, double s);
double log_gamma_excess(double c, double s);

// ln Gamma(p + s) - ln Gamma(p) - (ln Gamma(q + s) - ln Gamma(q)); all four arguments > 0.
//   t : p - q, which p and q may have lost
double log_gamma_step_ratio(double p, double q, double t, double s);

// ln of x^a e^-x / Gamma(a): of the density of ln X, X ~ gamma with shape a and rate 1.
double log_gamma_kernel(double a, double x);

// ln of x^a y^b / B(a, b), y = 1 - x: of the density of ln(X / (1 - X)), X ~ beta(a, b).
double log_beta_kernel(double a, double b, double x, double y);

double log_beta(double a, double b);  // ln B(a, b)

}  // namespace croft::bugs
