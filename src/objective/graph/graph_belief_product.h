// The surrogate likelihood that beliefs make of themselves.
//
//   L = -log ( prod_f b_f(y_f) / prod_s b_s(y_s)^(d_s - 1) )                                (GC.9)
//
// with d_s the number of factors that have variable s (Sutton & McCallum 2012, (5.28)).  Beliefs
// are a reparametrisation of the model, whatever the messages, so that this is log Z_B - theta(y)
// with log Z_B by the messages' normalisers.  At a fixed point of belief propagation that is
// Bethe's surrogate, and dL/dtheta = b - 1[y]; on trees both are the likelihood.  Stopped before,
// it is neither the free energy of its beliefs, nor is b - 1[y] more than a direction.
#pragma once
#include <memory>
#include <span>

#include "croft/inference/belief_propagation.h"
#include "objective/graph/graph_objective.h"

namespace croft {

class BeliefProduct final : public GraphObjective {
 public:
  // Throws UsageError for hidden variables.
  BeliefProduct(const FactorGraph& graph, std::span<const State> known,
                const BeliefPropagationOptions& options = {});
  // Where a belief in what is known is too small for a number, L is Bethe's.
  double evaluate(std::span<double> gradient) override;
  bool converged() const override { return converged_; }

 private:
  const FactorGraph& graph_;
  std::span<const State> known_;
  BeliefPropagationOptions options_;
  bool converged_ = true;
};

inline GraphObjectiveMaker belief_product(const BeliefPropagationOptions& options = {}) {
  return [=](const FactorGraph& graph, std::span<const State> known) {
    return std::make_unique<BeliefProduct>(graph, known, options);
  };
}

}  // namespace croft
