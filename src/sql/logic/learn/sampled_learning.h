// Weights by what draws and best worlds say of the gradient: voted perceptron, contrastive
// divergence, diagonal Newton, scaled conjugate gradients.  docs/math/markov_logic.md section 9.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "croft/optimize/result.h"
#include "logic/clause_store.h"
#include "sql/logic/learn/best_world.h"
#include "sql/logic/learn/unit_counts.h"

namespace croft {

// A world to learn from: its clauses, and what is known.
struct LearningWorld {
  ClauseStore store;                // learners change its weights
  std::vector<std::uint8_t> world;  // [atoms] 0 or 1; kUndecided: hidden
  bool has_hidden() const;
};

enum class SampledMethod { perceptron, contrastive_divergence, diagonal_newton, scaled_gradient };

struct SampledOptions {
  SampledMethod method = SampledMethod::diagonal_newton;
  double l2 = 0;
  std::span<const double> prior_mean = {};   // [units]; empty: 0
  std::span<const std::uint8_t> fixed = {};  // [units] that keep their weights; empty: none
  std::size_t max_iterations = 100;
  std::size_t chains = 4;          // of each world
  std::size_t samples = 25;        // of a chain, at first; twice as many whenever noise is reached
  std::size_t most_samples = 200;  // of a chain; noise at so many ends the run
  std::size_t steps = 5;           // of contrastive divergence, from the data
  double rate = 1;                 // of the perceptron and of contrastive divergence
  double memory = 4e9;             // bytes of a junction tree of the perceptron
  std::uint64_t seed = 1;
  std::size_t threads = 1;  // 0: one for each processor; does not change the result
  void validate() const;    // throws UsageError
};

// weights: [units] in: where to begin; out: learnt.  Only units that some world's soft clauses have
// change.  Throws Error where a world to learn from breaks a hard clause, or hidden atoms have none
// that keeps them all.
OptimizeResult learn_by_samples(std::span<LearningWorld> worlds, std::span<double> weights,
                                const SampledOptions& options,
                                const IterationCallback& callback = {});

}  // namespace croft
