#include "sql/logic/lazy_grounder.h"

#include <algorithm>
#include <string>
#include <utility>

namespace croft {
namespace {

constexpr const char* kActiveTable = "the table of active atoms";
constexpr std::int64_t kBeside = std::int64_t{1} << 40;  // the time of atoms beside the closure

std::string table_of(std::uint32_t predicate) { return "a" + std::to_string(predicate); }

}  // namespace

LazyGrounder::LazyGrounder(const AtomSpace& space, const GroundOptions& options, For use)
    : space_(space),
      network_(space.network()),
      use_(use),
      reading_(options.reading),
      grounder_(space, options),
      held_(network_.predicates.size(), 0),
      active_(network_.predicates.size(), 0),
      has_beside_(network_.predicates.size(), false) {
  make_tables();
  for (std::size_t rule = 0; rule < network_.rules.size(); ++rule) {
    if (grounder_.begin(rule)) add_rule(rule);
    grounder_.watch().report();
  }
  grounder_.ground_marks();
  grounder_.add_weighted_facts();
  close();
  closure_ = grounder_.store();
}

// True facts are active from the start.
void LazyGrounder::make_tables() {
  for (std::uint32_t p = 0; p < network_.predicates.size(); ++p) {
    insert_.emplace_back();
    if (!space_.is_open(p)) continue;
    const std::size_t arity = network_.predicates[p].types.size();
    const std::string table = table_of(p);
    std::string columns, typed, values;
    for (std::size_t i = 0; i < arity; ++i) {
      columns += (i == 0 ? "a" : ", a") + std::to_string(i);
      typed += "a" + std::to_string(i) + " INTEGER, ";
      values += "?, ";
    }
    const std::string key = arity == 0 ? ")" : ", PRIMARY KEY (" + columns + ")) WITHOUT ROWID";
    execute(grounder_.tables(), "CREATE TABLE " + table + "(" + typed + "since INTEGER" + key,
            kActiveTable);
    for (std::size_t i = 1; i <= arity; ++i) {
      const std::string column = i < arity ? "a" + std::to_string(i) : "since";
      execute(grounder_.tables(),
              "CREATE INDEX " + table + column + " ON " + table + "(" + column + ")", kActiveTable);
    }
    insert_[p] = std::make_unique<Statement>(
        grounder_.tables(), "INSERT INTO " + table + " VALUES (" + values + "?)", kActiveTable);
    const LogicFacts& facts = space_.evidence().predicates[p];
    for (std::size_t i = 0; i < facts.truth.size(); ++i) {
      if (facts.truth[i] == Truth::yes) add_active(space_.key(p, facts.tuples[i]), 0);
    }
  }
}

void LazyGrounder::add_active(std::uint64_t key, std::int64_t time) {
  const std::uint32_t predicate = space_.predicate_of(key);
  if (!space_.is_open(predicate)) return;
  if (time != kBeside) ++active_[predicate];
  Statement& insert = *insert_[predicate];
  const std::vector<std::uint32_t> constants = space_.constants_of(key);
  for (std::size_t i = 0; i < constants.size(); ++i) insert.bind(i, std::int64_t{constants[i]});
  insert.bind(constants.size(), time);
  insert.run();
}

void LazyGrounder::add_rule(std::size_t number) {
  const LogicRule& rule = network_.rules[number];
  if (must_specialise(space_, rule, reading_)) return grounder_.ground_rule(rule);
  const RulePlan plan = plan_rule(space_, rule, reading_);
  if (!plan.form) return grounder_.ground_rule(rule);
  grounder_.add_base(rule, plan);
  for (std::size_t k = 0; k < plan.joins.size(); ++k) add_clause(number, plan, k);
}

void LazyGrounder::add_clause(std::size_t number, const RulePlan& plan, std::size_t clause) {
  const LogicRule& rule = network_.rules[number];
  const RuleJoin& join = plan.joins[clause];
  const LiteralClause& literals = plan.weighted.clauses[clause];
  const double share = plan.weighted.factor;
  const double weight = rule.hard ? kHardWeight : rule.weight * share * join.times;
  if (join.times == 0 || weight == 0) return;
  if (weight > 0) return add_lazy(number, plan, literals, share, false);
  const bool is_atom = literals.size() == 1 && join.atoms.size() == 1 && join.equalities.empty();
  if (is_atom && join.atoms[0].over.empty() && !join.atoms[0].negated &&
      space_.is_open(join.atoms[0].predicate)) {
    // -w [A is false]  =  -w + w [!A is false], which is ground where A is active.
    grounder_.store().add_base(-weight * grounder_.count(join.count), 0);
    return add_lazy(number, plan, {literals[0] ^ 1}, -share, true);
  }
  grounder_.refuse_hopeless(rule, grounder_.rows_of(rule, plan, join.times));
  grounder_.ground_join(rule, share, join, join.rows);  // it costs something while it is true
}

void LazyGrounder::add_lazy(std::size_t number, const RulePlan& plan, const LiteralClause& clause,
                            double share, bool flipped) {
  const LogicRule& rule = network_.rules[number];
  std::optional<RuleJoin> join = rule_join(space_, rule, *plan.form, &clause, JoinOver::active);
  if (!join || join->active.empty()) {
    std::optional<RuleJoin> all = rule_join(space_, rule, *plan.form, &clause);
    grounder_.refuse_hopeless(rule, grounder_.rows_of(rule, plan, all->times));
    return grounder_.ground_join(rule, share, *all, all->rows);
  }
  const bool holds = clause.size() == 1 && holds_all(plan, *join);
  if (holds) {
    held_[join->atoms[0].predicate] += rule.hard ? kHardWeight : rule.weight * share * join->times;
  }
  const double rows = grounder_.rows_of(rule, plan, join->times);
  joins_.push_back({number, share, std::move(*join), rows, holds, flipped});
}

// Whether its atoms are all of a predicate, each once.
bool LazyGrounder::holds_all(const RulePlan& plan, const RuleJoin& join) const {
  if (plan.form->literals.size() != 1 || join.atoms.size() != 1) return false;
  const RuleJoin::Atom& atom = join.atoms[0];
  if (atom.columns.size() != network_.predicates[atom.predicate].types.size()) return false;
  std::vector<bool> seen(join.variables.size(), false);
  for (const RuleJoin::Place& place : atom.columns) {
    if (join.variables[place.column] == kNoNumber || seen[place.column]) return false;
    seen[place.column] = true;
  }
  return true;
}

// How many of the join's groundings have active atoms alone, as if atoms were active by chance.
double LazyGrounder::active_share(const RuleJoin& join) const {
  double share = 1;
  for (const RuleJoin::Atom& atom : join.atoms) {
    if (!atom.negated || !atom.over.empty() || !space_.is_open(atom.predicate)) continue;
    const auto atoms = static_cast<double>(space_.atoms(atom.predicate));
    share *= atoms > 0 ? active_[atom.predicate] / atoms : 0;
  }
  return share;
}

void LazyGrounder::ground_new(std::int64_t time, bool with_holding) {
  for (const Join& each : joins_) {
    if (each.holds && !with_holding) continue;
    if (each.flipped && time == 0) continue;  // true facts are none of the rows that were counted
    grounder_.begin(each.rule);
    if (time != kBeside) {
      grounder_.refuse_hopeless(network_.rules[each.rule], each.rows * active_share(each.join));
    }
    for (std::size_t i = 0; i < each.join.active.size(); ++i) {
      grounder_.ground_join(network_.rules[each.rule], each.share, each.join,
                            rows_since(each.join, i, time));
    }
  }
}

void LazyGrounder::close() {
  ClauseStore& store = grounder_.store();
  for (std::uint32_t p = 0; use_ == For::draws && p < held_.size(); ++p) {
    for (std::uint64_t i = 0; space_.is_open(p) && held_[p] == 0 && i < space_.atoms(p); ++i) {
      grounder_.watch().step();
      const std::uint64_t key = space_.first(p) + i;
      if (space_.truth(p, key) == Truth::unknown) store.atom(key);
    }
  }
  ground_new(0, true);  // of true facts
  std::uint32_t done = 0;
  for (std::int64_t time = 1; done < store.atoms(); ++time) {
    for (; done < store.atoms(); ++done) {
      if (store.key(done) != KeyMap::kFree) add_active(store.key(done), time);
    }
    ground_new(time, true);
  }
}

ClauseStore LazyGrounder::with(std::span<const std::uint64_t> atoms) {
  for (std::uint32_t p = 0; p < has_beside_.size(); ++p) {
    if (!has_beside_[p]) continue;
    execute(grounder_.tables(),
            "DELETE FROM " + table_of(p) + " WHERE since = " + std::to_string(kBeside),
            kActiveTable);
    has_beside_[p] = false;
  }
  ClauseStore& store = grounder_.store();
  store = closure_;
  for (const std::uint64_t key : atoms) {
    add_active(key, kBeside);
    has_beside_[space_.predicate_of(key)] = true;
    store.atom(key);
  }
  grounder_.set_active(
      [&store](std::uint64_t key) { return store.find_atom(key) != KeyMap::kNone; });
  if (!atoms.empty()) ground_new(kBeside, false);
  return std::move(store);
}

}  // namespace croft
