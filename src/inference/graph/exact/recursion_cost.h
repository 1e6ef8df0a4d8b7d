// What fixing variables of a clique tree costs and saves.  Internal to inference/.
#pragma once
#include <vector>

#include "inference/graph/exact/clique_tree.h"

namespace croft {

// What a visit to a clique costs beside its joint states, in joint states: preparation, slices.
inline constexpr double kVisitStates = 1000;

class RecursionCost {
 public:
  RecursionCost(const FactorGraph& graph, const std::vector<Variable>& order);

  // Fixes one more variable; false where none is left whose messages would shrink.
  bool fix_one();

  double bytes() const { return bytes_of(fixed_); }
  double log2_joint_states() const;
  const std::vector<Variable>& fixed() const { return list_; }

 private:
  using Flags = std::vector<bool>;
  double bytes_of(const Flags& fixed) const;
  double states_of(const Flags& fixed) const;  // that log_partition() goes through
  // Numbers in messages that a variable has a share in: what fixing it frees, about.  [variables]
  std::vector<double> shares() const;

  const FactorGraph& graph_;
  CliqueTree tree_;
  Flags fixed_;
  std::vector<Variable> list_;
  double factor_numbers_ = 0;
};

}  // namespace croft
