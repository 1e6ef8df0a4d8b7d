// Weights of a Markov logic network, learnt from a database that says which atoms are true.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "croft/optimize/result.h"
#include "logic/clausal_form.h"
#include "logic/evidence.h"
#include "logic/network.h"

namespace croft {

enum class LogicObjective { pseudo_likelihood, likelihood };
std::string_view name_of(LogicObjective objective);

struct LogicLearnOptions {
  LogicObjective objective = LogicObjective::pseudo_likelihood;
  double l2 = 0;  // >= 0: of the penalty (l2/2) |w|^2, 1 / the variance of a Gaussian prior
  std::size_t max_iterations = 1000;
  WeightReading reading = WeightReading::formula;
  double memory = 4e9;  // bytes of the junction tree of the exact gradient
};

struct LearnedNetwork {
  LogicNetwork network;         // with the weights; a rule of its own for each choice of +
  std::vector<double> weights;  // [units] of the network that was given
  double log_likelihood = 0;    // of what the objective maximises, without the penalty
  OptimizeResult result;
  std::size_t ground_atoms = 0, clauses = 0;
};

// Soft rules get weights, whatever they had; hard ones are kept.  Convex: there is one optimum,
// where l2 > 0 or the rules tell worlds apart.
//   facts : all that is true; of open predicates, atoms that are not named are false
//   open  : [predicates] whose atoms the rules are to foretell from the others
// Throws Error where the facts break a hard rule, where a rule's clausal form needs atoms of its
// own, and what grounding throws.
LearnedNetwork learn_weights(const LogicNetwork& network, const LogicEvidence& facts,
                             const std::vector<bool>& open, const LogicLearnOptions& options = {},
                             const IterationCallback& callback = {});

}  // namespace croft
