// Weights where some atoms are not known: EM (Dempster, Laird & Rubin 1977) by junction trees.
// docs/math/markov_logic.md section 9.
#pragma once
#include <span>

#include "croft/optimize/result.h"
#include "sql/logic/learn/sampled_learning.h"

namespace croft {

struct HiddenEmOptions {
  double l2 = 0;
  std::span<const double> prior_mean = {};   // [units]
  std::span<const std::uint8_t> fixed = {};  // [units] that keep their weights; empty: none
  std::size_t max_iterations = 200;          // each a mean of hidden atoms, and an optimum given it
  double memory = 4e9;                       // bytes of a junction tree
};

struct HiddenLearned {
  OptimizeResult result;
  double log_likelihood = 0;  // of what is known, without the penalty
};

// weights: in and out.  The log-likelihood less the penalty never falls; where it ends depends on
// where it began.
HiddenLearned learn_by_em(std::span<LearningWorld> worlds, std::span<double> weights,
                          const HiddenEmOptions& options, const IterationCallback& callback = {});

}  // namespace croft
