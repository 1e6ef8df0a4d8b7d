#include "sql/logic/rule_grounder.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

#include "croft/core/random.h"
#include "sql/logic/argument_blocks.h"

namespace croft {
namespace {

constexpr double kMostRows = 3e10;           // of a rule that may be begun: hours
constexpr std::size_t kDrawn = 200;          // groundings that stand for all of so many
constexpr std::size_t kPartsOfDrawn = 1000;  // of one of them; a larger one is taken to be open
constexpr std::size_t kMostClausesShared = 4096;  // of one grounding, where its weight is shared

bool equality_holds(const RuleJoin::Equality& equality, const WatchedRows& rows) {
  // Over values of one side, or of both: x = y for some y is true unless the type is empty, and
  // so is x != y where there are two.
  const auto value = [&](std::size_t side, const std::vector<std::size_t>& values) {
    if (equality.over[side]) return static_cast<std::int64_t>(values[*equality.over[side]]);
    if (equality.column[side]) return rows[*equality.column[side]];
    return static_cast<std::int64_t>(equality.constant[side]);
  };
  std::vector<std::size_t> values(equality.sizes.size(), 0);
  while (true) {
    if ((value(0, values) == value(1, values)) != equality.negated) return true;
    std::size_t i = 0;
    for (; i < values.size(); ++i) {
      if (++values[i] < equality.sizes[i]) break;
      values[i] = 0;
    }
    if (i == values.size()) return false;
  }
}

}  // namespace

RuleGrounder::RuleGrounder(const AtomSpace& space, const GroundOptions& options)
    : space_(space),
      options_(options),
      network_(space.network()),
      units_(logic_units(space)),
      watch_(options, store_, network_.rules.size()),
      tables_(evidence_tables(space, &watch_)) {}

bool RuleGrounder::begin(std::size_t rule) {
  rule_ = rule;
  watch_.begin_rule(rule);
  return network_.rules[rule].hard || network_.rules[rule].weight != 0;
}

void RuleGrounder::ground_marks() { ground_blocks(space_, watch_, store_); }

void RuleGrounder::add_weighted_facts() {
  for (const WeightedFact& fact : space_.evidence().weighted) {
    watch_.step();
    const TupleTable& tuples = space_.evidence().predicates[fact.predicate].tuples;
    codes_.assign(1, 2 * store_.atom(space_.key(fact.predicate, tuples[fact.tuple])));
    store_.add(codes_, fact.weight);
    store_.add_base(fact.weight, std::max(fact.weight, 0.));
  }
}

void RuleGrounder::ground_all() {
  for (std::size_t rule = 0; rule < network_.rules.size(); ++rule) {
    if (begin(rule)) ground_rule(network_.rules[rule]);
    watch_.report();
  }
  ground_marks();
  add_weighted_facts();
}

GroundPrediction RuleGrounder::predict() {
  GroundPrediction out;
  double literals = 0;
  for (std::size_t rule = 0; rule < network_.rules.size(); ++rule) {
    if (!begin(rule)) continue;
    const RulePlan plan = plan_rule(space_, network_.rules[rule], options_.reading);
    refuse_hopeless(network_.rules[rule], rows_of(network_.rules[rule], plan, plan.times()));
    GroundPrediction::Rule each{.rule = static_cast<std::uint32_t>(rule),
                                .groundings = groundings(network_.rules[rule], plan),
                                .rows = 0,
                                .by_join = plan.form.has_value()};
    if (!plan.form) each.rows = each.groundings;
    for (const RuleJoin& join : plan.joins) {
      const double rows = count(join.count);
      each.rows += rows;
      literals += rows * static_cast<double>(join.atoms.size());
    }
    out.rows += each.rows;
    out.rules.push_back(each);
  }
  // A clause: where it begins, its weight, its share, a slot at half load; vectors that have just
  // doubled have twice that.  Atoms: a key and a slot.
  out.bytes = 2 * (out.rows * (8 + 8 + 4 + 16 + 8) + literals * 4);
  return out;
}

bool RuleGrounder::has_more_rows(double limit) {
  double rows = 0;
  for (std::size_t rule = 0; rule < network_.rules.size(); ++rule) {
    if (!begin(rule)) continue;
    double product = 1;
    for (const std::uint32_t v : free_variables(network_.rules[rule])) {
      product *= static_cast<double>(space_.constants(network_.rules[rule].variables[v].type));
    }
    if (product <= limit / 10) continue;  // too few to be counted
    const RulePlan plan = plan_rule(space_, network_.rules[rule], options_.reading);
    if (!plan.form) rows += product;
    if (rows_of(network_.rules[rule], plan, plan.times()) > kMostRows) return true;
    for (const RuleJoin& join : plan.joins) {
      if (rows <= limit) {
        rows += count("SELECT count(*) FROM (" + join.rows + " LIMIT " +
                      std::to_string(static_cast<std::int64_t>(limit - rows) + 1) + ")");
      }
    }
    if (rows > limit) return true;
  }
  return false;
}

double RuleGrounder::count(const std::string& sql) {
  WatchedRows rows(tables_.get(), sql, watch_);
  rows.next();
  return static_cast<double>(rows[0]);
}

double RuleGrounder::groundings(const LogicRule& rule, const RulePlan& plan) {
  if (plan.groundings) return count(plan.groundings->count) * plan.groundings->times;
  double product = 1;
  for (const std::uint32_t v : free_variables(rule)) {
    product *= static_cast<double>(space_.constants(rule.variables[v].type));
  }
  return product;
}

// The number of the weight for these constants of the variables with +.
template <class ValueOf>
std::uint32_t RuleGrounder::unit_of(const LogicRule& rule, const ValueOf& value_of) const {
  if (unit_) return *unit_;
  std::uint32_t unit = 0;
  for (std::uint32_t v = 0; v < rule.variables.size(); ++v) {
    if (!rule.variables[v].each) continue;
    unit = unit * static_cast<std::uint32_t>(space_.constants(rule.variables[v].type)) +
           static_cast<std::uint32_t>(value_of(v));
  }
  return units_.first[rule_] + unit;
}

void RuleGrounder::ground_special(const LogicRule& rule) {
  std::vector<std::uint32_t> constants(rule.variables.size(), 0);
  for (const RuleVariable& each : rule.variables) {
    if (each.each && space_.constants(each.type) == 0) return;
  }
  while (true) {
    watch_.step();
    const auto constant_of = [&](std::uint32_t v) { return constants[v]; };
    if (!leaves_out(rule, constant_of)) {
      unit_ = unit_of(rule, constant_of);
      ground_rule(specialised(space_, rule, constants));
      unit_.reset();
    }
    std::size_t v = 0;
    for (; v < constants.size(); ++v) {
      if (!rule.variables[v].each) continue;
      if (++constants[v] < space_.constants(rule.variables[v].type)) break;
      constants[v] = 0;
    }
    if (v == constants.size()) return;
  }
}

void RuleGrounder::ground_rule(const LogicRule& rule) {
  if (must_specialise(space_, rule, options_.reading)) return ground_special(rule);
  const RulePlan plan = plan_rule(space_, rule, options_.reading);
  refuse_hopeless(rule, rows_of(rule, plan, plan.times()));
  if (!plan.form) return ground_one_by_one(rule);
  for (const RuleJoin& join : plan.joins) ground_join(rule, plan.weighted.factor, join, join.rows);
  add_base(rule, plan);
}

double RuleGrounder::rows_of(const LogicRule& rule, const RulePlan& plan, double times) {
  const std::vector<std::uint32_t> free = free_variables(rule);
  double rows = 1 / times;
  for (const std::uint32_t v : free) {
    rows *= static_cast<double>(space_.constants(rule.variables[v].type));
  }
  // One by one, all are gone through; by joins those whose clauses the evidence does not make true.
  if (rows <= kMostRows || !plan.form) return rows;
  const bool where_true = plan.weighted.factor < 0;  // clauses of the negation
  FormulaGrounder grounder(space_, rule);
  Random random(1);
  std::vector<std::uint32_t> values(rule.variables.size(), 0);
  std::size_t open = 0;
  for (std::size_t k = 0; k < kDrawn; ++k) {
    watch_.step();
    for (const std::uint32_t v : free) {
      values[v] =
          static_cast<std::uint32_t>(random.below(space_.constants(rule.variables[v].type)));
    }
    if (leaves_out(rule, [&](std::uint32_t v) { return values[v]; })) continue;
    try {
      const auto formula = grounder.ground(values, GroundWith::evidence, kPartsOfDrawn);
      if (formula && (where_true ? !formula->is_false() : !formula->is_true())) ++open;
    } catch (const Error&) {
      ++open;
    }
  }
  return rows * static_cast<double>(open) / kDrawn;
}

void RuleGrounder::refuse_hopeless(const LogicRule& rule, double rows) const {
  if (rows <= kMostRows) return;
  throw TooManyGroundings(
      place_of(rule.where), ": this rule has ", free_variables(rule).size(),
      " free variables, and the evidence leaves about ", fmt::format("{:.1g}", rows),
      " groundings of it, too many to go through; write it with fewer variables, leave out "
      "constants, or close predicates: ",
      rule.text);
}

void RuleGrounder::add_base(const LogicRule& rule, const RulePlan& plan) {
  if (!rule.hard) add_base(rule.weight, plan.weighted, groundings(rule, plan));
}

void RuleGrounder::add_base(double weight, const WeightedForm& form, double groundings) {
  if (form.factor == 0) return;
  store_.add_base(weight * form.base * groundings, std::max(weight, 0.) * groundings);
}

void RuleGrounder::ground_join(const LogicRule& rule, double share, const RuleJoin& join,
                               const std::string& query) {
  WatchedRows rows(tables_.get(), query, watch_);
  const double factor = share * join.times;
  const double weight = rule.hard ? kHardWeight : rule.weight * factor;
  if (join.times == 0) return;
  while (rows.next()) {
    watch_.step();
    literals_.clear();
    bool holds = std::any_of(join.equalities.begin(), join.equalities.end(),
                             [&](const auto& each) { return equality_holds(each, rows); });
    for (std::size_t i = 0; i < join.atoms.size() && !holds; ++i) {
      holds = takes_atom(join.atoms[i], rows);
    }
    if (holds) continue;
    const std::uint32_t unit = unit_of(rule, [&](std::uint32_t v) {
      const auto column = std::find(join.variables.begin(), join.variables.end(), v);
      return rows[static_cast<std::size_t>(column - join.variables.begin())];
    });
    if (store_clause(weight, unit, factor) || !rule.hard) continue;
    std::string where;
    for (std::size_t i = 0; i < join.variables.size(); ++i) {
      if (join.variables[i] == kNoNumber) continue;
      const RuleVariable& variable = rule.variables[join.variables[i]];
      where += (where.empty() ? " where " : ", ") + variable.name + " = " +
               space_.evidence().types[variable.type][static_cast<std::uint32_t>(rows[i])];
    }
    contradiction(rule, where);
  }
}

void RuleGrounder::contradiction(const LogicRule& rule, const std::string& where) const {
  throw Error(place_of(rule.where), ": the evidence contradicts this hard rule", where, ": ",
              rule.text);
}

// Literals of keys become literals of the store's atoms only where the clause is kept.
bool RuleGrounder::store_clause(double weight, std::uint32_t unit, double factor) {
  codes_.clear();
  for (const auto& [key, negated] : literals_) {
    codes_.push_back(2 * store_.atom(key) + (negated ? 1 : 0));
  }
  return store_.add(codes_, weight, unit, factor);
}

// Whether the evidence makes the literal true; takes it where nothing is known.
bool RuleGrounder::takes(std::uint32_t predicate, std::uint64_t key, bool negated) {
  Truth truth = space_.truth(predicate, key);
  if (truth == Truth::unknown && active_ && !active_(key)) truth = Truth::no;
  if (truth == Truth::unknown) literals_.emplace_back(key, negated);
  return truth == (negated ? Truth::no : Truth::yes);
}

bool RuleGrounder::takes_atom(const RuleJoin::Atom& atom, const WatchedRows& rows) {
  std::uint64_t key = atom.first;
  for (const RuleJoin::Place& each : atom.columns) {
    key += each.stride * static_cast<std::uint64_t>(rows[each.column]);
  }
  if (atom.over.empty()) return takes(atom.predicate, key, atom.negated);
  // An odometer over the values of its own variables.
  values_.assign(atom.over.size(), 0);
  while (true) {
    watch_.step();
    if (takes(atom.predicate, key, atom.negated)) return true;
    std::size_t i = 0;
    for (; i < values_.size(); ++i) {
      key += atom.over[i];
      if (++values_[i] < atom.sizes[i]) break;
      key -= atom.over[i] * atom.sizes[i];
      values_[i] = 0;
    }
    if (i == values_.size()) return false;
  }
}

void RuleGrounder::ground_one_by_one(const LogicRule& rule) {
  const std::vector<std::uint32_t> free = free_variables(rule);
  std::vector<std::uint32_t> values(rule.variables.size(), 0);
  for (const std::uint32_t v : free) {
    if (space_.constants(rule.variables[v].type) == 0) return;
  }
  FormulaGrounder grounder(space_, rule);
  while (true) {
    watch_.step();
    if (!leaves_out(rule, [&](std::uint32_t v) { return values[v]; })) {
      ground_one(rule, grounder, values);
    }
    std::size_t i = 0;
    for (; i < free.size(); ++i) {
      if (++values[free[i]] < space_.constants(rule.variables[free[i]].type)) break;
      values[free[i]] = 0;
    }
    if (i == free.size()) return;
  }
}

void RuleGrounder::ground_one(const LogicRule& rule, FormulaGrounder& grounder,
                              const std::vector<std::uint32_t>& values) {
  const WeightReading reading = reading_of(rule, options_.reading);
  const bool shares = !rule.hard && reading == WeightReading::clausal;
  std::optional<Junction> formula =
      grounder.ground(values, shares ? GroundWith::nothing : GroundWith::evidence);
  if (!formula) return;
  const std::uint32_t unit = unit_of(rule, [&](std::uint32_t v) { return values[v]; });
  std::optional<WeightedForm> form;
  if (rule.hard) {
    if (auto clauses = clauses_of(*formula, kMostClauses)) {
      form = WeightedForm{.clauses = std::move(*clauses)};
    }
  } else {
    form = weighted_form(*formula, reading, shares ? kMostClausesShared : kMostClauses,
                         [](const LiteralClause&) { return true; });
  }
  if (!form && shares) {
    throw Error(place_of(rule.where), ": the clausal form of this rule has more than ",
                kMostClausesShared,
                " clauses, over which --weights clausal would share its "
                "weight; use --weights formula: ",
                rule.text);
  }
  if (!form) {
    form = by_helpers(*formula, grounder.keys());
    for (const LiteralClause& each : form->clauses) {
      codes_.assign(each.begin(), each.end());
      store_.add(codes_, rule.hard ? kHardWeight : rule.weight, unit, 1);
    }
    if (!rule.hard) add_base(rule.weight, *form, 1);
    return;
  }
  if (!rule.hard) add_base(rule.weight, *form, 1);
  for (const LiteralClause& each : form->clauses) {
    literals_.clear();
    bool holds = false;
    for (std::size_t i = 0; i < each.size() && !holds; ++i) {
      const std::uint64_t key = grounder.keys()[each[i] / 2];
      const bool negated = each[i] & 1;
      if (key == FormulaGrounder::kTrueKey || key == FormulaGrounder::kFalseKey) {
        holds = (key == FormulaGrounder::kTrueKey) != negated;
      } else {
        holds = takes(space_.predicate_of(key), key, negated);
      }
    }
    if (holds) continue;
    const double weight = rule.hard ? kHardWeight : rule.weight * form->factor;
    if (!store_clause(weight, unit, form->factor) && rule.hard) contradiction(rule, "");
  }
}

// A clause of the store's atoms, some of which stand for parts of the formula (ML.7).
WeightedForm RuleGrounder::by_helpers(const Junction& formula,
                                      const std::vector<std::uint64_t>& keys) {
  return {.base = 1, .factor = 1, .clauses = {{helper(formula, keys)}}};
}

std::uint32_t RuleGrounder::helper(const Junction& part, const std::vector<std::uint64_t>& keys) {
  watch_.step();
  if (part.kind == Junction::Kind::literal) {
    return 2 * store_.atom(keys[part.literal / 2]) + (part.literal & 1);
  }
  std::vector<std::uint32_t> parts;
  for (const Junction& each : part.parts) parts.push_back(helper(each, keys));
  const std::uint32_t whole = 2 * store_.helper_atom();
  if (part.kind == Junction::Kind::same) {
    // Where the first part is true, the whole is the second one, and else its negation.
    for (std::uint32_t signs = 0; signs < 4; ++signs) {
      const std::uint32_t first = signs & 1, second = signs >> 1;
      codes_ = {whole ^ first ^ second, parts[0] ^ first, parts[1] ^ second};
      store_.add(codes_, kHardWeight);
    }
    return whole;
  }
  // Of all: the whole implies each, and all of them imply it; of any the same with the signs
  // turned.
  const std::uint32_t turn = part.kind == Junction::Kind::any ? 1 : 0;
  std::vector<std::uint32_t> back{whole ^ turn};
  for (const std::uint32_t each : parts) {
    back.push_back(each ^ 1 ^ turn);
    codes_ = {whole ^ 1 ^ turn, each ^ turn};
    store_.add(codes_, kHardWeight);
  }
  store_.add(back, kHardWeight);
  return whole;
}

}  // namespace croft
