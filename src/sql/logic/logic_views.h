// To look at a Markov logic network: its rules with their true groundings, what speaks for and
// against an atom, and the ground network around it.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "croft/data/graph_file.h"
#include "sql/logic/logic_question.h"

namespace croft {
class Json;

struct RuleView {
  std::size_t rule = 0;
  double groundings = 0;  // of the rule
  double kept = 0;        // of these, that the evidence makes true, where atoms that it does not
                          // name are false
};
// By a grounding of each rule.  Throws what ground() does.
std::vector<RuleView> inspect_rules(const LogicNetwork& network, const LogicEvidence& evidence,
                                    const GroundOptions& options = {});
std::string rules_text(const LogicNetwork& network, std::span<const RuleView> rules);
Json rules_json(const LogicNetwork& network, std::span<const RuleView> rules);

// What a ground clause says about an atom, all others given as in a world.
struct AtomReason {
  std::string clause;    // of atoms that the evidence does not decide
  std::size_t rule = 0;  // whose weight it is; the number of rules: a mark of arguments
  double amount = 0;     // > 0 speaks for the atom, < 0 against; infinite: demands or forbids it
};

struct AtomExplanation {
  std::string atom;
  bool known = false;                    // by the evidence: there are no reasons
  bool holds = false;                    // in the world
  std::vector<AtomReason> reasons = {};  // the largest first
  double log_odds = 0;                   // of the atom given all others: the sum of the amounts
};

// The pattern names one atom.  Clauses that other atoms make true in the world say nothing.
//   world : [atoms of the store], such as the best one
AtomExplanation explain_atom(const GroundNetwork& ground, const AtomPattern& atom,
                             std::span<const std::uint8_t> world);
//   atom : its number in the store
AtomExplanation explain_atom(const GroundNetwork& ground, std::uint32_t atom,
                             std::span<const std::uint8_t> world);
std::string explanation_text(const LogicNetwork& network, const AtomExplanation& explanation);
Json explanation_json(const LogicNetwork& network, const AtomExplanation& explanation);

// "Smokes(Anna)"; of an atom that stands for a part of a formula "part 7".
std::string name_of_atom(const GroundNetwork& ground, std::uint32_t atom);
std::string clause_text(const GroundNetwork& ground, std::span<const std::uint32_t> literals);
// As the network has it, without its weight; of the number of rules: a mark of arguments.
std::string rule_text(const LogicNetwork& network, std::size_t rule);
// What the weight of a clause is the sum of: amounts for an atom that stands in it as it is.
std::vector<AtomReason> clause_reasons(const GroundNetwork& ground, std::size_t clause);

// Atoms up to `distance` clauses away, the nearest `most` of them, and the clauses among these.
GraphFile neighbourhood(const GroundNetwork& ground, const AtomPattern& atom,
                        std::size_t distance = 2, std::size_t most = 40);

}  // namespace croft
