// Rules to ground clauses, one rule after the other: what ground() and lazy grounding are made of.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "logic/ground_formula.h"
#include "sql/logic/evidence_tables.h"
#include "sql/logic/ground_watch.h"
#include "sql/logic/grounder.h"
#include "sql/logic/rule_plan.h"

namespace croft {

class RuleGrounder {
 public:
  // Keeps all by reference.
  RuleGrounder(const AtomSpace& space, const GroundOptions& options);

  void ground_all();  // every rule and mark, as ground() has it
  void ground_marks();
  void add_weighted_facts();
  GroundPrediction predict();
  // Whether rules of many groundings have more rows, which are counted up to there.
  bool has_more_rows(double limit);
  // How many rows the rule's joins have, or groundings one by one: estimated, where they are many,
  // from what the evidence leaves of a few groundings.
  //   times : groundings that share a row
  double rows_of(const LogicRule& rule, const RulePlan& plan, double times);
  // Throws TooManyGroundings where they are more than can be gone through.
  void refuse_hopeless(const LogicRule& rule, double rows) const;

  ClauseStore& store() { return store_; }
  GroundWatch& watch() { return watch_; }
  sqlite3* tables() const { return tables_.get(); }

  // Number `rule` of the network comes next; false: it has the weight 0.
  bool begin(std::size_t rule);
  // All groundings of the rule, or of a special case of it.
  void ground_rule(const LogicRule& rule);
  // Of one of its clauses, those that a query has.
  //   share : of the rule's weight
  void ground_join(const LogicRule& rule, double share, const RuleJoin& join,
                   const std::string& query);
  // What the rule scores whatever its clauses say.
  void add_base(const LogicRule& rule, const RulePlan& plan);
  double count(const std::string& sql);
  // Which unknown atoms may be true in clauses to come; others are false.  Empty: all.
  void set_active(std::function<bool(std::uint64_t key)> active) { active_ = std::move(active); }

 private:
  double groundings(const LogicRule& rule, const RulePlan& plan);
  void ground_special(const LogicRule& rule);
  void add_base(double weight, const WeightedForm& form, double groundings);
  template <class ValueOf>
  std::uint32_t unit_of(const LogicRule& rule, const ValueOf& value_of) const;
  [[noreturn]] void contradiction(const LogicRule& rule, const std::string& where) const;
  bool store_clause(double weight, std::uint32_t unit, double factor);
  bool takes(std::uint32_t predicate, std::uint64_t key, bool negated);
  bool takes_atom(const RuleJoin::Atom& atom, const WatchedRows& rows);
  void ground_one_by_one(const LogicRule& rule);
  void ground_one(const LogicRule& rule, FormulaGrounder& grounder,
                  const std::vector<std::uint32_t>& values);
  WeightedForm by_helpers(const Junction& formula, const std::vector<std::uint64_t>& keys);
  std::uint32_t helper(const Junction& part, const std::vector<std::uint64_t>& keys);

  const AtomSpace& space_;
  const GroundOptions& options_;
  const LogicNetwork& network_;
  const LogicUnits units_;
  ClauseStore store_;
  GroundWatch watch_;
  SqliteHandle tables_;
  std::size_t rule_ = 0;
  std::optional<std::uint32_t> unit_;                     // of a rule whose + is fixed
  std::vector<std::pair<std::uint64_t, bool>> literals_;  // key, negated
  std::vector<std::uint32_t> codes_;
  std::vector<std::size_t> values_;
  std::function<bool(std::uint64_t key)> active_;
};

}  // namespace croft
