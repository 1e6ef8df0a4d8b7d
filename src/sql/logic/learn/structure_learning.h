// Rules of a Markov logic network, learnt from a database: a beam search over clauses by what each
// adds to the pseudo-likelihood (Kok & Domingos 2005).  docs/math/markov_logic.md section 10.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "logic/evidence.h"
#include "logic/network.h"

namespace croft {

struct StructureOptions {
  std::size_t beam = 20;        // clauses of a length that are made longer
  std::size_t literals = 4;     // of a clause, at most
  std::size_t variables = 4;    // likewise
  std::size_t clauses = 10;     // that are added, at most
  double least_gain = 3;        // nats of log-pseudo-likelihood that a clause must add
  double groundings = 300'000;  // of a clause that is looked at, at most
  double l2 = 0.1;              // > 0: of the penalty (l2/2)|w|^2
  double memory = 4e9;          // bytes of the ground clauses
  void validate() const;        // throws UsageError
};

struct StructureStep {
  std::string clause;
  double weight = 0;
  double log_pseudo_likelihood = 0;  // with it and all before it
};

struct LearnedStructure {
  LogicNetwork network;  // the given rules, one for each open predicate, and the clauses
  double log_pseudo_likelihood = 0;
  std::vector<StructureStep> steps;            // the first: before any clause was added
  std::size_t looked_at = 0, passed_over = 0;  // clauses; passed over: of too many groundings
  bool stopped = false;
};

// Adds clauses to the rules of the network, which stay, with weights of their own.  A step of the
// search makes the clauses of the beam longer by a literal that shares a variable with them, and
// ranks them by the gain of the clause's weight alone (ML.18); the best clause of all lengths is
// added, and all weights are learnt anew.  Clauses have no constants and no equalities.
//   facts, open : as learn_weights()
//   go_on       : asked now and then with the steps so far; false ends it
LearnedStructure learn_structure(
    const LogicNetwork& network, const LogicEvidence& facts, const std::vector<bool>& open,
    const StructureOptions& options = {},
    const std::function<bool(std::span<const StructureStep>)>& go_on = {});

}  // namespace croft
