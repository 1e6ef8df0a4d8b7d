// What a feature that the model does not have would gain, all other weights being what they are.
// docs/math/induction.md sections 1 and 2; Della Pietra, Della Pietra & Lafferty (1997), McCallum
// (2003).
//
// A candidate is an attribute (or a conjunction of some) with a label j.  With weight mu it
// multiplies the odds of j by exp(mu v) wherever the attribute has value v.  Each place t is looked
// at by itself, with the probability p_t of j there that the model has now:
//
//   G(mu) = sum_t omega_t (mu v_t [y_t = j] - log(1 + p_t (exp(mu v_t) - 1)))
//           - l1 |mu| - (l2/2) mu^2                                                       (IN.2)
//
// This is exact where labels are independent (kind maxent), and mean field's approximation in a
// chain, where a change at t also moves the neighbours.
#pragma once
#include <span>

#include "croft/optimize/regulariser.h"

namespace croft {

struct GainPlace {
  double probability = 0;  // p_t of the label, in [0, 1]
  double value = 1;        // v_t of the attribute
  double weight = 1;       // omega_t > 0
  bool gold = false;       // the label is the true one
};

struct FeatureGain {
  double weight = 0;  // the mu that gains most
  double gain = 0;    // G(mu) >= 0, in nats
};

// G(mu).  Time O(places).
double gain_at(std::span<const GainPlace> places, double mu, const Regulariser& regulariser);

// max G, by Newton's method inside of a bracket, from a first guess in closed form.  A gain of 0
// where |G'(0)| of the data is not above l1.  Requires l2 > 0, which bounds mu.  About five
// evaluations.
FeatureGain best_gain(std::span<const GainPlace> places, const Regulariser& regulariser);

// An upper bound of the gain, from G'(0) of the data term alone: G bends downwards by l2 or more.
//   excess : sum_t omega_t v_t ([y_t = j] - p_t)
double gain_bound(double excess, const Regulariser& regulariser);

}  // namespace croft
