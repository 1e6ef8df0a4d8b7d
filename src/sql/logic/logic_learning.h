// Weights of a Markov logic network, learnt from databases that say which atoms are true.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/core/message.h"
#include "croft/optimize/result.h"
#include "logic/clausal_form.h"
#include "logic/evidence.h"
#include "logic/network.h"

namespace croft {

// docs/math/markov_logic.md sections 8 and 9.
enum class LogicObjective {
  pseudo_likelihood,
  likelihood,              // by the exact gradient
  contrastive_divergence,  // the last four by draws of MC-SAT, or by best worlds
  diagonal_newton,
  scaled_conjugate_gradient,
  perceptron,
  max_margin  // by cutting planes
};
std::string_view name_of(LogicObjective objective);
std::vector<std::string_view> logic_objective_names();
LogicObjective logic_objective(std::string_view name);  // throws UsageError that lists the names
std::string describe_logic_objectives();                // names, what they are, settings; in lines

struct LogicLearnOptions {
  LogicObjective objective = LogicObjective::pseudo_likelihood;
  double l2 = 0;  // >= 0: of the penalty (l2/2) |w - m|^2, 1 / the variance of a Gaussian prior
  bool prior_as_written = false;  // m: the weights that the network has; else 0
  // Without: 1000 of L-BFGS and cutting planes, 200 of EM, 100 of the others, 500 of contrastive
  // divergence.
  std::optional<std::size_t> max_iterations = {};
  WeightReading reading = WeightReading::formula;
  double memory = 4e9;            // bytes of a junction tree, and of the ground clauses
  std::vector<bool> hidden = {};  // [predicates] whose atoms that no fact names are not known
  std::uint64_t seed = 1;
  std::size_t threads = 1;  // 0: one for each processor; does not change the result
  // NAME=VALUE of the objective, as describe_logic_objectives() has them.
  std::vector<std::pair<std::string, std::string>> settings = {};
};

struct LearnedNetwork {
  LogicNetwork network;         // with the weights; a rule of its own for each choice of +
  std::vector<double> weights;  // of its soft rules, in order
  // Of what the objective maximises, without the penalty: not of those by draws and best worlds.
  std::optional<double> log_likelihood;
  std::optional<double> log_pseudo_likelihood;  // where nothing is hidden
  OptimizeResult result;
  std::vector<Message> warnings;
  std::size_t ground_atoms = 0, clauses = 0;  // of all worlds
};

// Soft rules get weights, whatever they had; hard ones, and those whose weight is fixed, are kept.
//   worlds : of each all that is true; of open predicates, atoms that are not named are false.
//            Their constants are theirs alone, but for types of variables with +, which must have
//            the same ones in the same order (share_constants)
//   open   : [predicates] whose atoms the rules are to foretell from the others; hidden ones are
//            open, too
// Throws Error where the facts break a hard rule, where a rule's clausal form needs atoms of its
// own, and what grounding throws; UsageError for options that do not fit the objective.
LearnedNetwork learn_weights(const LogicNetwork& network, std::span<const LogicEvidence> worlds,
                             const std::vector<bool>& open, const LogicLearnOptions& options = {},
                             const IterationCallback& callback = {});

// Gives the network the constants that the worlds have of types of variables with +.  Evidence that
// is read with it afterwards has them in the same order.
void share_constants(LogicNetwork& network, std::span<const LogicEvidence> worlds);

}  // namespace croft
