// The deviance, and what of it is the model's complexity.
//
//   D = -2 sum over observed nodes of ln p(node | parameters)                           (BG.10)
//   pD = E [ sum over observed nodes of KL(p_a || p_b) ],  a and b from two chains       (BG.11)
//   DIC = E D + pD
//
// pD is Plummer's (2002), as in JAGS: it needs neither means of parameters nor that they are
// continuous.  The divergence is estimated by a replicate of each node, drawn from chain a.  It is
// infinite where the possible values of a node depend on unobserved ones: pD is NaN then.
#pragma once
#include <span>
#include <vector>

#include "bugs/graph.h"
#include "bugs/run/chain.h"
#include "bugs/sampling.h"
#include "croft/core/random.h"

namespace croft::bugs {

double deviance_of(const ModelGraph& graph, const double* values);

class DevianceEstimate {
 public:
  // Snapshots of all chains at the same iteration.
  void add(const ModelGraph& graph, std::span<Snapshot> of_chains, Random random);
  // Nothing before the first snapshot; pD is NaN for one chain.
  std::optional<DevianceSummary> summary() const;
  void archive(StateArchive& state) { state(weight_, deviance_, pd_); }

 private:
  double weight_ = 0, deviance_ = 0;  // sums by weight
  double pd_ = 0;                     // infinite from the first time that it is
};

}  // namespace croft::bugs
