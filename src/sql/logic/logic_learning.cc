#include "sql/logic/logic_learning.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "croft/core/error.h"
#include "croft/core/parallel.h"
#include "croft/optimize/lbfgs.h"
#include "sql/logic/clause_objectives.h"
#include "sql/logic/grounder.h"
#include "sql/logic/rule_plan.h"

namespace croft {
namespace {

// The rules with weights that grounding takes for all of them.
LogicNetwork with_unit_weights(LogicNetwork network) {
  for (LogicRule& rule : network.rules) {
    if (!rule.hard) rule.weight = 1;
  }
  return network;
}

LogicEvidence without_facts(LogicEvidence facts, const std::vector<bool>& open) {
  for (std::size_t p = 0; p < open.size(); ++p) {
    if (open[p]) facts.predicates[p] = LogicFacts();
  }
  return facts;
}

std::vector<std::uint8_t> world_of(const ClauseStore& store, const AtomSpace& known) {
  std::vector<std::uint8_t> world(store.atoms());
  for (std::uint32_t a = 0; a < store.atoms(); ++a) {
    const std::uint64_t key = store.key(a);
    if (key == KeyMap::kFree) {
      throw Error(
          "the clausal form of a rule is too long to learn its weight: write it as several");
    }
    world[a] = known.truth(known.predicate_of(key), key) == Truth::yes ? 1 : 0;
  }
  return world;
}

// A rule of its own for each choice of constants of its variables with +.
LogicNetwork with_weights(const LogicNetwork& network, const AtomSpace& space,
                          const LogicUnits& units, const std::vector<double>& weights) {
  LogicNetwork out = network;
  out.rules.clear();
  for (std::size_t r = 0; r < network.rules.size(); ++r) {
    const LogicRule& rule = network.rules[r];
    for (std::uint32_t unit = units.first[r]; unit < units.first[r + 1]; ++unit) {
      std::vector<std::uint32_t> constants(rule.variables.size(), 0);
      std::uint32_t rest = unit - units.first[r];
      for (std::size_t v = rule.variables.size(); v-- > 0;) {
        if (!rule.variables[v].each) continue;
        const auto size = static_cast<std::uint32_t>(space.constants(rule.variables[v].type));
        constants[v] = rest % size;
        rest /= size;
      }
      LogicRule own = specialised(space, rule, constants);
      if (!rule.hard) {
        own.weight = weights[unit];
        own.weighted = true;
      }
      out.rules.push_back(std::move(own));
    }
  }
  out.constants = space.evidence().constants;
  return out;
}

}  // namespace

std::string_view name_of(LogicObjective objective) {
  return objective == LogicObjective::likelihood ? "likelihood" : "pseudo-likelihood";
}

LearnedNetwork learn_weights(const LogicNetwork& network, const LogicEvidence& facts,
                             const std::vector<bool>& open, const LogicLearnOptions& options,
                             const IterationCallback& callback) {
  const LogicNetwork all = with_unit_weights(network);
  const LogicEvidence evidence = without_facts(facts, open);
  const AtomSpace space(all, evidence, open);
  const AtomSpace known(all, facts, std::vector<bool>(open.size(), false));
  ClauseStore store = ground(space, {.reading = options.reading});
  const std::vector<std::uint8_t> world = world_of(store, known);
  const LogicUnits units = logic_units(space);
  const std::unique_ptr<BatchFunction> function =
      options.objective == LogicObjective::likelihood
          ? clause_likelihood(store, world, units.size(), options.memory)
          : clause_pseudo_likelihood(store, world, units.size());
  LearnedNetwork out;
  out.weights.assign(units.size(), 0);
  LbfgsOptions how;
  how.stop.max_iterations = options.max_iterations;
  how.stop.tolerance = 1e-12;
  how.stop.gradient_tolerance = 1e-6;
  const Regulariser regulariser{.l2 = options.l2};
  regulariser.validate();
  ThreadPool pool(1);
  out.result = lbfgs(*function, regulariser, out.weights, how, pool, callback);
  std::vector<double> gradient(units.size());
  out.log_likelihood = -function->evaluate(out.weights, gradient);
  out.ground_atoms = store.atoms();
  out.clauses = store.clauses();
  out.network = with_weights(network, space, units, out.weights);
  return out;
}

}  // namespace croft
