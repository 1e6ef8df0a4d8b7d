// Ground clauses that can matter, where most atoms are false: docs/math/markov_logic.md section 5.
//
// An atom that is not *active* is false.  A clause with the negation of such an atom is true, and
// is not ground.  The closure is the least set of active atoms that has every atom of its own
// clauses; it begins with the clauses that are false where all unknown atoms are.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sql/logic/rule_grounder.h"

namespace croft {

class LazyGrounder {
 public:
  enum class For {
    best,   // worlds: one of the best has no true atom outside the closure
    draws,  // probabilities: see held()
  };
  // Grounds the closure.  Keeps all by reference.  Throws what ground() does.
  LazyGrounder(const AtomSpace& space, const GroundOptions& options, For use);

  const ClauseStore& closure() const { return closure_; }

  // Of draws: by which weight all atoms of the predicate are held false, by rules w !P(x, y) alone;
  // 0: by none, and all of them are in the closure.
  double held(std::uint32_t predicate) const { return held_[predicate]; }
  // The closure, and the clauses of these atoms beside it, given that all others are false; without
  // the rules that hold these.  They have the numbers behind those of the closure, in their order.
  ClauseStore with(std::span<const std::uint64_t> atoms);

  LazyGrounder(const LazyGrounder&) = delete;
  LazyGrounder& operator=(const LazyGrounder&) = delete;

 private:
  struct Join {
    std::size_t rule;
    double share;  // of the rule's weight
    RuleJoin join;
    double rows;   // if all atoms were active
    bool holds;    // a whole predicate
    bool flipped;  // it stands for its negation of the opposite weight
  };

  void make_tables();
  void add_active(std::uint64_t key, std::int64_t time);
  void add_rule(std::size_t number);
  void add_clause(std::size_t number, const RulePlan& plan, std::size_t clause);
  void add_lazy(std::size_t number, const RulePlan& plan, const LiteralClause& clause, double share,
                bool flipped);
  bool holds_all(const RulePlan& plan, const RuleJoin& join) const;
  double active_share(const RuleJoin& join) const;
  void ground_new(std::int64_t time, bool with_holding);
  void close();

  const AtomSpace& space_;
  const LogicNetwork& network_;
  const For use_;
  const WeightReading reading_;
  RuleGrounder grounder_;
  std::vector<Join> joins_;
  std::vector<double> held_;                        // [predicates]
  std::vector<double> active_;                      // [predicates] how many atoms of the closure
  std::vector<std::unique_ptr<Statement>> insert_;  // [predicates] of open ones
  ClauseStore closure_;
  std::vector<bool> has_beside_;  // [predicates] atoms of the last with()
};

}  // namespace croft
