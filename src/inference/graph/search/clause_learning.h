// States that clauses and tables leave to each variable, with clauses that are learned where
// nothing is left.  Internal to inference/; docs/math/graph_exact.md section 11.
//
//   ClauseLearning domains(model);
//   if (!domains.start()) …               // Z = 0
//   domains.decide(v, bit_of(s));
//   if (!domains.propagate()) …           // a contradiction, and a clause was learned from it
//   domains.back();                       // as before the decision
//   if (!domains.recall()) …              // what was learned leaves nothing, either
//
// A learned clause follows from the others: it changes no sum, but finds contradictions earlier.
// Marques-Silva & Sakallah (1999), for variables of more than two states.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "croft/inference/graph_result.h"
#include "inference/graph/search/counting_model.h"

namespace croft {

class ClauseLearning {
 public:
  explicit ClauseLearning(const CountingModel& model);

  std::span<const StateSet> left() const { return left_; }  // [variables]
  // How often a variable was in a contradiction lately.
  double activity(Variable v) const { return activity_[v]; }

  // Propagates before any decision; false: nothing is left.
  bool start();
  // Tries each state of each variable, and removes those that lead to a contradiction.
  //   goes_on : false ends that early.  Returns false where nothing is left.
  bool probe(const GraphCallback& goes_on);

  void decide(Variable v, StateSet states);
  bool propagate();
  void back();
  bool recall();
  std::size_t mark() const { return trail_.size(); }
  void undo(std::size_t mark);

 private:
  // Why states were removed: a clause, a table, or neither.
  struct Reason {
    enum Kind : std::uint8_t { none, clause, table } kind = none;
    std::uint32_t id = 0;
  };
  struct Step {
    Variable v;
    StateSet before, after;
    Reason reason;
  };
  struct Clause {
    std::size_t begin, end;  // into literals_
    std::uint32_t uses = 0;  // in contradictions
  };
  // A clause is looked at when a variable of two of its literals makes that literal false.
  struct Watch {
    StateSet states;
    std::uint32_t clause;
  };

  std::span<StateLiteral> literals(std::uint32_t c) {
    return std::span(literals_).subspan(clauses_[c].begin, clauses_[c].end - clauses_[c].begin);
  }
  bool is_false(const StateLiteral& each) const { return (left_[each.v] & each.states) == 0; }
  bool is_true(const StateLiteral& each) const { return (left_[each.v] & ~each.states) == 0; }
  void add_clause(std::span<const StateLiteral> literals);
  void watch(std::uint32_t c);
  void keep(Variable v, StateSet states, Reason reason);
  bool look_at(std::uint32_t c);
  bool look_at_clauses_of(Variable v);
  bool look_at_table(std::uint32_t t);
  bool go_through();

  void learn();
  void explain(const Reason& reason, Variable but, StateSet removed);
  void add_false(Variable v, StateSet states);
  void count_open(Variable v, StateSet states);
  std::size_t find_implied();
  void write_clause(Variable implied, std::size_t until);
  void forget();

  const CountingModel& model_;
  std::vector<StateSet> left_, root_;  // [variables]; before any decision
  std::vector<Step> trail_;
  std::size_t done_ = 0;              // of the trail
  std::vector<std::size_t> levels_;   // where in the trail each decision begins
  std::vector<std::uint32_t> queue_;  // tables
  std::vector<std::uint8_t> in_queue_;
  Reason contradiction_;
  std::vector<State> at_;
  std::vector<StateSet> support_;

  std::vector<StateLiteral> literals_;
  std::vector<Clause> clauses_;              // those of the model, then those that were learned
  std::size_t given_ = 0;                    // of the model
  std::vector<std::vector<Watch>> watches_;  // [variables]
  std::vector<std::uint32_t> units_;         // learned clauses of one literal
  std::size_t most_learned_;
  std::vector<double> activity_;  // [variables]
  std::size_t learned_ = 0;

  // While a clause is learned: literals (v, false_[v]) where that is not empty.
  std::vector<StateSet> false_, level_start_;  // [variables]
  std::vector<Variable> in_clause_;
  std::vector<std::uint8_t> is_listed_;  // [variables] in in_clause_
  std::size_t open_ = 0;                 // literals that became false at the last level
};

}  // namespace croft
