#include "sql/logic/logic_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/json.h"
#include "croft/core/error.h"

namespace croft {
namespace {

bool literal_holds(std::uint32_t literal, std::span<const std::uint8_t> world) {
  return (world[literal / 2] != 0) != ((literal & 1) != 0);
}

std::uint64_t key_of_atom(const AtomSpace& space, const AtomPattern& atom) {
  const LogicNetwork& network = space.network();
  const std::vector<std::uint32_t>& types = network.predicates[atom.predicate].types;
  std::vector<std::uint32_t> constants(types.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string name = atom.constants.empty() ? "" : atom.constants[i];
    if (name.empty()) {
      throw UsageError("one atom is asked for, and ", network.predicate_names[atom.predicate],
                       " is several: name its constants");
    }
    constants[i] = space.evidence().types[types[i]].find(name);
    if (constants[i] == kNoNumber) {
      throw UsageError("the constant ", in_quotes(name), " is none of the type ",
                       network.type_names[types[i]]);
    }
  }
  return space.key(atom.predicate, constants);
}

// "1.5", "hard"
std::string amount_text(double amount) {
  if (std::isinf(amount)) return amount > 0 ? "demands" : "forbids";
  return fmt::format("{:+.4f}", amount);
}

}  // namespace

std::string name_of_atom(const GroundNetwork& ground, std::uint32_t atom) {
  const std::uint64_t key = ground.store().key(atom);
  return key == KeyMap::kFree ? "part " + std::to_string(atom) : ground.space().name(key);
}

std::string clause_text(const GroundNetwork& ground, std::span<const std::uint32_t> literals) {
  std::string out;
  for (const std::uint32_t literal : literals) {
    out += fmt::format("{}{}{}", out.empty() ? "" : " v ", (literal & 1) != 0 ? "!" : "",
                       name_of_atom(ground, literal / 2));
  }
  return out;
}

std::string rule_text(const LogicNetwork& network, std::size_t rule) {
  if (rule == network.rules.size()) return "(mark of arguments)";
  if (rule > network.rules.size()) return "(weighted evidence)";
  // Its weight, where it stands in front, is told beside it.
  return network.rules[rule].text.substr(network.rules[rule].formula_at);
}

// True if the evidence gives the atom of a clause of one literal a probability.
bool has_weighted_fact(const GroundNetwork& ground, std::size_t clause) {
  const auto literals = ground.store().literals(clause);
  if (literals.size() != 1) return false;
  const std::uint64_t key = ground.store().key(literals[0] / 2);
  const LogicEvidence& evidence = ground.space().evidence();
  return std::ranges::any_of(evidence.weighted, [&](const WeightedFact& fact) {
    const auto tuple = evidence.predicates[fact.predicate].tuples[fact.tuple];
    return ground.space().key(fact.predicate, tuple) == key;
  });
}

std::vector<AtomReason> clause_reasons(const GroundNetwork& ground, std::size_t clause) {
  std::vector<AtomReason> out;
  const ClauseStore& store = ground.store();
  const LogicNetwork& network = ground.space().network();
  const LogicUnits units = logic_units(ground.space());
  bool told = false;
  double rest = store.weight(clause);
  store.for_shares(clause, [&](std::uint32_t unit, double factor) {
    const auto after = std::upper_bound(units.first.begin(), units.first.end(), unit);
    const auto rule = static_cast<std::size_t>(after - units.first.begin() - 1);
    if (store.is_hard(clause) && !network.rules[rule].hard) return;
    const double weight =
        network.rules[rule].hard ? kHardWeight : factor * network.rules[rule].weight;
    if (weight == 0 || (std::isinf(weight) && told)) return;
    rest -= weight;
    told = true;
    out.push_back({clause_text(ground, store.literals(clause)), rule, weight});
  });
  if (!told && store.is_hard(clause)) {  // of a part of a formula
    out.push_back({clause_text(ground, store.literals(clause)), network.rules.size(), kHardWeight});
  }
  const bool has_rest = !store.is_hard(clause) && has_weighted_fact(ground, clause);
  if (has_rest && rest != 0) {
    out.push_back({clause_text(ground, store.literals(clause)), network.rules.size() + 1, rest});
  }
  return out;
}

std::vector<RuleView> inspect_rules(const LogicNetwork& network, const LogicEvidence& evidence,
                                    const GroundOptions& options) {
  const std::vector<bool> closed(network.predicates.size(), false);
  GroundOptions how = options;
  how.reading = WeightReading::formula;
  std::vector<RuleView> out;
  LogicNetwork one = network;
  for (std::size_t r = 0; r < network.rules.size(); ++r) {
    one.rules.assign(1, network.rules[r]);
    one.rules[0].hard = false;
    one.rules[0].weight = 1;
    const AtomSpace space(one, evidence, closed);
    const ClauseStore store = ground(space, how);
    const std::vector<std::uint8_t> none(store.atoms(), 0);
    double kept = store.base();
    for (std::size_t i = 0; i < store.clauses(); ++i) {
      const bool holds = std::ranges::any_of(
          store.literals(i), [&](std::uint32_t l) { return literal_holds(l, none); });
      if (!holds) kept -= store.weight(i);
    }
    out.push_back({r, store.most(), kept});
  }
  return out;
}

std::string rules_text(const LogicNetwork& network, std::span<const RuleView> rules) {
  std::string out = "weight\ttrue\tgroundings\trule\n";
  for (const RuleView& each : rules) {
    const LogicRule& rule = network.rules[each.rule];
    out += fmt::format("{}\t{:.0f}\t{:.0f}\t{}\n",
                       rule.hard ? "hard" : fmt::format("{:.6g}", rule.weight), each.kept,
                       each.groundings, rule_text(network, each.rule));
  }
  return out;
}

Json rules_json(const LogicNetwork& network, std::span<const RuleView> rules) {
  Json list = Json::array();
  for (const RuleView& each : rules) {
    const LogicRule& rule = network.rules[each.rule];
    Json one = {{"rule", rule_text(network, each.rule)},
                {"line", rule.where.line},
                {"hard", rule.hard},
                {"groundings", each.groundings},
                {"true", each.kept}};
    if (!rule.hard) one["weight"] = rule.weight;
    list.push_back(std::move(one));
  }
  return Json{{"rules", std::move(list)}};
}

AtomExplanation explain_atom(const GroundNetwork& ground, const AtomPattern& atom,
                             std::span<const std::uint8_t> world) {
  const AtomSpace& space = ground.space();
  const std::uint64_t key = key_of_atom(space, atom);
  const Truth truth = space.truth(space.predicate_of(key), key);
  const std::uint32_t number = ground.store().find_atom(key);
  if (truth == Truth::unknown && number != KeyMap::kNone) {
    return explain_atom(ground, number, world);
  }
  return {.atom = space.name(key), .known = truth != Truth::unknown, .holds = truth == Truth::yes};
}

AtomExplanation explain_atom(const GroundNetwork& ground, std::uint32_t number,
                             std::span<const std::uint8_t> world) {
  const AtomSpace& space = ground.space();
  const ClauseStore& store = ground.store();
  AtomExplanation out{.atom = name_of_atom(ground, number), .holds = world[number] != 0};
  for (std::size_t i = 0; i < store.clauses(); ++i) {
    std::uint32_t mine = 0;
    bool has = false, holds = false;
    for (const std::uint32_t literal : store.literals(i)) {
      if (literal / 2 == number) {
        mine = literal;
        has = true;
      } else {
        holds = holds || literal_holds(literal, world);
      }
    }
    if (!has || holds) continue;
    for (AtomReason& each : clause_reasons(ground, i)) {
      if ((mine & 1) != 0) each.amount = -each.amount;
      out.reasons.push_back(std::move(each));
    }
  }
  for (std::size_t b = 0; b < store.blocks(); ++b) {
    const AtomBlock block = store.block(b);
    if (std::ranges::find(block.atoms, number) == block.atoms.end()) continue;
    std::string held;
    for (const std::uint32_t other : block.atoms) {
      if (other != number && world[other] != 0) held = name_of_atom(ground, other);
    }
    const std::size_t mark = space.network().rules.size();
    if (!held.empty()) {
      out.reasons.push_back({held + " holds in its place", mark, -kHardWeight});
    } else if (block.exactly_one) {
      out.reasons.push_back({"no other atom holds in its place", mark, kHardWeight});
    }
  }
  std::stable_sort(out.reasons.begin(), out.reasons.end(),
                   [](const AtomReason& a, const AtomReason& b) {
                     return std::abs(a.amount) > std::abs(b.amount);
                   });
  for (const AtomReason& each : out.reasons) out.log_odds += each.amount;
  return out;
}

std::string explanation_text(const LogicNetwork& network, const AtomExplanation& explanation) {
  if (explanation.known) {
    return fmt::format("{} is {} by the evidence\n", explanation.atom,
                       explanation.holds ? "true" : "false");
  }
  std::string out = fmt::format(
      "{} is {} in the best world; given all others there, its log-odds are {:.4f} and its "
      "probability is {:.6f}\n",
      explanation.atom, explanation.holds ? "true" : "false", explanation.log_odds,
      1 / (1 + std::exp(-explanation.log_odds)));
  for (const AtomReason& each : explanation.reasons) {
    out += fmt::format("{}\t{}\t{}\n", amount_text(each.amount), each.clause,
                       rule_text(network, each.rule));
  }
  return out;
}

Json explanation_json(const LogicNetwork& network, const AtomExplanation& explanation) {
  Json reasons = Json::array();
  for (const AtomReason& each : explanation.reasons) {
    Json one = {{"clause", each.clause}, {"rule", rule_text(network, each.rule)}};
    if (std::isinf(each.amount)) {
      one["hard"] = each.amount > 0 ? "demands" : "forbids";
    } else {
      one["amount"] = each.amount;
    }
    reasons.push_back(std::move(one));
  }
  Json out = {{"atom", explanation.atom},
              {"known", explanation.known},
              {"true", explanation.holds},
              {"reasons", std::move(reasons)}};
  if (!explanation.known && std::isfinite(explanation.log_odds)) {
    out["log_odds"] = explanation.log_odds;
  }
  return out;
}

GraphFile neighbourhood(const GroundNetwork& ground, const AtomPattern& atom, std::size_t distance,
                        std::size_t most) {
  const ClauseStore& store = ground.store();
  const std::uint64_t key = key_of_atom(ground.space(), atom);
  const std::uint32_t centre = store.find_atom(key);
  if (centre == KeyMap::kNone) {
    throw Error("nothing is to be drawn around ", ground.space().name(key),
                ": the evidence decides it, or no rule has it");
  }
  const FactorGraph graph = graph_of(store, true);
  const std::vector<Variable> near = nearest_variables(graph, FactorLists(graph), centre, distance,
                                                       most, static_cast<Factor>(store.clauses()));
  std::vector<std::uint32_t> number(store.atoms(), kNoNumber);
  for (std::uint32_t k = 0; k < near.size(); ++k) number[near[k]] = k;
  GraphFile out;
  for (const std::uint32_t each : near) {
    out.graph.add_variable(2);
    out.names.variables.push_back(name_of_atom(ground, each));
    out.names.states.push_back({"false", "true"});
  }
  std::vector<Variable> scope;
  for (std::uint32_t i = 0; i < store.clauses(); ++i) {
    scope.clear();
    std::uint64_t state = 0;
    for (const std::uint32_t literal : store.literals(i)) {
      if (number[literal / 2] == kNoNumber) break;
      scope.push_back(number[literal / 2]);
      state = 2 * state + (literal & 1);
    }
    if (scope.size() != store.literals(i).size() || scope.size() > 20) continue;
    const double broken = store.is_hard(i) ? -kHardWeight : -store.weight(i);
    out.graph.add_factor(scope,
                         out.graph.add_sparse(std::span(&state, 1), std::span(&broken, 1), 0));
  }
  return out;
}

}  // namespace croft
