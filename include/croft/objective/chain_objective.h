// What training sees of an objective: (scores, gold) -> value and dL/dtheta.
//
// The file of each objective has its formula; docs/objectives.md has the table of them all.
#pragma once
#include <cstddef>
#include <span>

#include "croft/structure/chain.h"
#include "croft/structure/gold.h"

namespace croft {

// One object a thread: it owns the scratch.
template <class Real>
class ChainObjective {
 public:
  virtual ~ChainObjective() = default;
  // Chains that share one table of transitions; all spans are parallel to scores.
  //   weight : > 0
  //   out    : dL/dtheta (state and overlay overwritten, transition added to)
  //   value  : L in nats; +inf, with `out` unspecified, where L is not finite
  // Values and derivatives of a chain may depend, in their last digits, on which others it is with.
  virtual void operator()(std::span<const ChainScores<Real>> scores, std::span<const Gold> gold,
                          std::span<const double> weight, std::span<const ChainGradient<Real>> out,
                          std::span<double> value) = 0;
  // One chain; returns L.
  double operator()(const ChainScores<Real>& scores, const Gold& gold, double weight,
                    const ChainGradient<Real>& out) {
    double value = 0;
    (*this)(std::span(&scores, 1), std::span(&gold, 1), std::span(&weight, 1), std::span(&out, 1),
            std::span(&value, 1));
    return value;
  }
  // Counts on: sums that took another path than the scaled one in Real (chain_sum.h).
  virtual std::size_t slow() const { return 0; }
  // Whether dL/dtheta of the last call was anything but 0; true where it would cost something to
  // know.
  virtual bool moved() const { return true; }
};

// An objective with second derivatives.
template <class Real>
class CurvedChainObjective : public ChainObjective<Real> {
 public:
  // out = weight (d^2 L / dtheta dtheta) tangent, laid out as dL/dtheta (transition is added to).
  //   tangent : a direction in the space of the scores: same shape, finite; what it holds where the
  //             scores are -inf does not matter
  virtual void curvature(const ChainScores<Real>& scores, const ChainScores<Real>& tangent,
                         const Gold& gold, double weight, const ChainGradient<Real>& out) = 0;
};

}  // namespace croft
