#include "sql/logic/learn/structure_learning.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/core/parallel.h"
#include "croft/optimize/lbfgs.h"
#include "sql/logic/grounder.h"
#include "sql/logic/learn/clause_counts.h"
#include "sql/logic/learn/clause_objectives.h"
#include "sql/logic/learn/counted_likelihood.h"

namespace croft {
namespace {

constexpr std::size_t kTogether = 64;  // candidates that are ground at once

struct Candidate : VariableClause {
  double gain = 0;
};

std::string name_of_variable(std::uint32_t number) {
  constexpr std::string_view kNames = "xyzuwst";
  if (number < kNames.size()) return std::string(1, kNames[number]);
  return "x" + std::to_string(number);
}

// The same for clauses that differ in the order of literals and the names of variables only.
std::vector<ClauseLiteral> canonical(std::vector<ClauseLiteral> literals) {
  std::sort(literals.begin(), literals.end());
  std::vector<ClauseLiteral> best;
  do {
    std::vector<ClauseLiteral> named = literals;
    std::vector<std::uint32_t> seen;
    for (ClauseLiteral& each : named) {
      for (std::uint32_t& v : each.variables) {
        const auto at = std::find(seen.begin(), seen.end(), v);
        const auto number = static_cast<std::uint32_t>(at - seen.begin());
        if (at == seen.end()) seen.push_back(v);
        v = number;
      }
    }
    if (best.empty() || named < best) best = std::move(named);
  } while (std::next_permutation(literals.begin(), literals.end()));
  return best;
}

class StructureLearner {
 public:
  StructureLearner(const LogicNetwork& network, const LogicEvidence& facts,
                   const std::vector<bool>& open, const StructureOptions& options,
                   const std::function<bool(std::span<const StructureStep>)>& go_on)
      : facts_(facts), asked_(facts), open_(open), options_(options), go_on_(go_on) {
    for (std::size_t p = 0; p < open.size(); ++p) {
      if (open[p]) asked_.predicates[p] = LogicFacts();
    }
    out_.network = network;
    for (std::uint32_t p = 0; p < open.size(); ++p) {
      if (open[p] && !has_rule_of(p)) out_.network.rules.push_back(rule_of(first_of(p, false)));
    }
  }

  LearnedStructure learn() {
    for (LogicRule& rule : out_.network.rules) rule.weighted = rule.weighted || !rule.hard;
    if (can_count()) begin_to_count();
    learn_all();
    out_.steps.push_back({"", 0, out_.log_pseudo_likelihood});
    while (out_.steps.size() <= options_.clauses && !out_.stopped) {
      const std::optional<Candidate> best = search();
      if (!best || out_.stopped || best->gain < options_.least_gain) break;
      const double before = penalised_;
      const LogicNetwork old = out_.network;
      out_.network.rules.push_back(rule_of(*best));
      if (counts_) add_counted(*best);
      learn_all();
      if (penalised_ - before < options_.least_gain) {
        out_.network = old;
        if (counts_) counted_->remove_last();
        learn_all();
        break;
      }
      known_.insert(canonical(best->literals));
      out_.steps.push_back({out_.network.rules.back().text, out_.network.rules.back().weight,
                            out_.log_pseudo_likelihood});
      goes_on();
    }
    return std::move(out_);
  }

 private:
  bool goes_on() {
    if (interruption.load() || (go_on_ && !go_on_(out_.steps))) out_.stopped = true;
    return !out_.stopped;
  }

  bool has_rule_of(std::uint32_t predicate) const {
    return std::ranges::any_of(out_.network.rules, [&](const LogicRule& rule) {
      const Formula& f = rule.formula;
      return f.kind == FormulaKind::atom && f.number == predicate &&
             std::ranges::all_of(f.terms,
                                 [](const Term& t) { return t.kind == TermKind::variable; });
    });
  }

  Candidate first_of(std::uint32_t predicate, bool negated) const {
    Candidate out;
    ClauseLiteral literal{.predicate = predicate, .negated = negated, .variables = {}};
    for (const std::uint32_t type : out_.network.predicates[predicate].types) {
      literal.variables.push_back(static_cast<std::uint32_t>(out.types.size()));
      out.types.push_back(type);
    }
    out.literals.push_back(std::move(literal));
    return out;
  }

  LogicRule rule_of(const Candidate& candidate) const {
    LogicRule rule;
    rule.weighted = true;
    for (std::uint32_t v = 0; v < candidate.types.size(); ++v) {
      rule.variables.push_back({.name = name_of_variable(v), .type = candidate.types[v]});
    }
    rule.formula.kind = FormulaKind::any;
    for (const ClauseLiteral& literal : candidate.literals) {
      Formula atom{.kind = FormulaKind::atom, .number = literal.predicate};
      rule.text += rule.text.empty() ? "" : " v ";
      rule.text += (literal.negated ? "!" : "") + out_.network.predicate_names[literal.predicate];
      for (std::size_t i = 0; i < literal.variables.size(); ++i) {
        atom.terms.push_back({.kind = TermKind::variable, .number = literal.variables[i]});
        rule.text += (i == 0 ? "(" : ", ") + name_of_variable(literal.variables[i]);
      }
      if (!literal.variables.empty()) rule.text += ')';
      if (literal.negated) {
        Formula negation{.kind = FormulaKind::negation};
        negation.parts.push_back(std::move(atom));
        atom = std::move(negation);
      }
      rule.formula.parts.push_back(std::move(atom));
    }
    if (rule.formula.parts.size() == 1) {
      Formula only = std::move(rule.formula.parts[0]);
      rule.formula = std::move(only);
    }
    return rule;
  }

  // The rules and more of them, ground with weights of 1, and the world.
  struct Ground {
    LogicUnits units;
    ClauseStore store;
    std::vector<std::uint8_t> world;
  };
  Ground ground_with(std::span<const Candidate> more) const {
    LogicNetwork network = out_.network;
    for (const Candidate& each : more) network.rules.push_back(rule_of(each));
    for (LogicRule& rule : network.rules) {
      if (!rule.hard) rule.weight = 1;
    }
    const AtomSpace space(network, asked_, open_);
    const AtomSpace known(network, facts_, std::vector<bool>(open_.size(), false));
    Ground out{logic_units(space), ground(space, {.memory = options_.memory}), {}};
    // All open atoms are there, by the rule of each predicate.
    out.world.resize(out.store.atoms());
    for (std::uint32_t a = 0; a < out.world.size(); ++a) {
      const std::uint64_t key = out.store.key(a);
      if (key == KeyMap::kFree) {
        throw Error(
            "the clausal form of a rule is too long to learn beside it: write it as several");
      }
      out.world[a] = known.truth(known.predicate_of(key), key) == Truth::yes ? 1 : 0;
    }
    return out;
  }

  // Whether atoms change one by one, without those of a mark.
  bool can_count() const {
    for (std::uint32_t p = 0; p < open_.size(); ++p) {
      const auto& marks = out_.network.predicates[p].marks;
      const bool has_mark =
          std::ranges::any_of(marks, [](ArgumentMark mark) { return mark != ArgumentMark::none; });
      if (open_[p] && has_mark) return false;
    }
    return true;
  }

  void begin_to_count() {
    const Ground g = ground_with({});
    const ChangeRows of_store = changes_of_atoms(g.store, g.world, g.units.size());
    world_.emplace(out_.network, facts_, std::vector<bool>(open_.size(), false));
    counts_.emplace(*world_, open_);
    ChangeRows rows;
    std::vector<std::size_t> place(counts_->atoms(), of_store.allowed.size());
    for (std::uint32_t a = 0; a < g.store.atoms(); ++a) {
      place[counts_->number_of(g.store.key(a))] = a;
    }
    for (const std::size_t a : place) {
      const bool is_there = a < of_store.allowed.size();
      rows.allowed.push_back(is_there ? of_store.allowed[a] : 1);
      for (std::size_t k = is_there ? of_store.begin[a] : 0; is_there && k < of_store.begin[a + 1];
           ++k) {
        rows.unit.push_back(of_store.unit[k]);
        rows.factor.push_back(of_store.factor[k]);
      }
      rows.begin.push_back(rows.unit.size());
    }
    counted_.emplace(std::move(rows), g.units.size());
    first_ = g.units.first;
  }

  void add_counted(const Candidate& clause) {
    counts_->differences(clause, differences_);
    counted_->add(differences_);
    first_.push_back(first_.back() + 1);
  }

  // All weights anew; those of rules with + are one each here, as the rules stay.
  void learn_all() {
    std::optional<Ground> g;
    std::unique_ptr<BatchFunction> on_store;
    if (!counts_) {
      g = ground_with({});
      on_store = clause_pseudo_likelihood(g->store, g->world, g->units.size());
      first_ = g->units.first;
    }
    BatchFunction* const function = counts_ ? &*counted_ : on_store.get();
    LbfgsOptions how;
    how.stop.tolerance = 1e-10;
    how.stop.gradient_tolerance = 1e-6;
    ThreadPool pool(1);
    const std::size_t units = function->dimension();
    std::vector<double> written(units, 0);
    std::vector<std::uint8_t> fixed(units, 0);
    for (std::size_t r = 0; r < out_.network.rules.size(); ++r) {
      if (!out_.network.rules[r].fixed) continue;
      fixed[first_[r]] = 1;
      written[first_[r]] = out_.network.rules[r].weight;
    }
    ShiftedFunction shifted(*function, written, fixed);
    weights_.resize(units, 0);
    std::vector<double> v(units, 0);
    for (std::size_t u = 0; u < units; ++u) v[u] = fixed[u] != 0 ? 0 : weights_[u];
    const OptimizeResult result = lbfgs(shifted, {.l2 = options_.l2}, v, how, pool);
    for (std::size_t u = 0; u < units; ++u) weights_[u] = written[u] + v[u];
    penalised_ = -result.objective;
    std::vector<double> gradient(weights_.size());
    out_.log_pseudo_likelihood = -function->evaluate(weights_, gradient);
    for (std::size_t r = 0; r < out_.network.rules.size(); ++r) {
      LogicRule& rule = out_.network.rules[r];
      if (!rule.hard) rule.weight = weights_[first_[r]];
    }
  }

  // The clause of the largest gain, of all lengths.
  std::optional<Candidate> search() {
    std::vector<Candidate> beam;
    for (std::uint32_t p = 0; p < open_.size(); ++p) {
      if (out_.network.predicates[p].types.size() > options_.variables) continue;
      if (!open_[p]) continue;
      beam.push_back(first_of(p, false));
      beam.push_back(first_of(p, true));
    }
    std::optional<Candidate> best;
    std::set<std::vector<ClauseLiteral>> seen = known_;
    for (std::size_t length = 2; length <= options_.literals && goes_on(); ++length) {
      std::vector<Candidate> longer;
      for (const Candidate& each : beam) make_longer(each, seen, longer);
      score(longer);
      std::stable_sort(longer.begin(), longer.end(),
                       [](const Candidate& a, const Candidate& b) { return a.gain > b.gain; });
      if (longer.size() > options_.beam) longer.resize(options_.beam);
      if (longer.empty()) break;
      // A longer clause must be worth its literal.
      if (!best || longer[0].gain > best->gain + 1) best = longer[0];
      beam = std::move(longer);
    }
    return best;
  }

  void make_longer(const Candidate& from, std::set<std::vector<ClauseLiteral>>& seen,
                   std::vector<Candidate>& out) const {
    for (std::uint32_t p = 0; p < open_.size(); ++p) {
      std::vector<std::uint32_t> chosen;
      choose(from, p, chosen, from.types, seen, out);
    }
  }

  // All ways to fill the arguments: variables of the clause, and new ones.
  void choose(const Candidate& from, std::uint32_t p, std::vector<std::uint32_t>& chosen,
              std::vector<std::uint32_t> types, std::set<std::vector<ClauseLiteral>>& seen,
              std::vector<Candidate>& out) const {
    const std::vector<std::uint32_t>& arguments = out_.network.predicates[p].types;
    if (chosen.size() == arguments.size()) {
      const bool shares =
          std::ranges::any_of(chosen, [&](std::uint32_t v) { return v < from.types.size(); });
      if (!shares) return;
      for (const bool negated : {false, true}) {
        ClauseLiteral literal{.predicate = p, .negated = negated, .variables = chosen};
        const bool there = std::ranges::any_of(from.literals, [&](const ClauseLiteral& l) {
          return l.predicate == p && l.variables == chosen;
        });
        if (there) continue;
        Candidate next = from;
        next.literals.push_back(std::move(literal));
        next.types = types;
        if (seen.insert(canonical(next.literals)).second) out.push_back(std::move(next));
      }
      return;
    }
    const std::uint32_t type = arguments[chosen.size()];
    for (std::uint32_t v = 0; v < types.size(); ++v) {
      if (types[v] != type) continue;
      chosen.push_back(v);
      choose(from, p, chosen, types, seen, out);
      chosen.pop_back();
    }
    if (types.size() >= options_.variables) return;
    chosen.push_back(static_cast<std::uint32_t>(types.size()));
    types.push_back(type);
    choose(from, p, chosen, types, seen, out);
    chosen.pop_back();
  }

  void score(std::vector<Candidate>& candidates) {
    if (!counts_) return score_on_ground(candidates);
    counted_->stand_at(weights_);
    for (Candidate& each : candidates) {
      if (out_.looked_at++ % kTogether == 0 && !goes_on()) return;
      counts_->differences(each, differences_);
      each.gain = counted_->gain(differences_, options_.l2);
    }
  }

  void score_on_ground(std::vector<Candidate>& candidates) {
    const double most = options_.groundings;
    std::erase_if(candidates, [&](const Candidate& each) {
      const bool too_many = rows_of(each) > most;
      if (too_many) ++out_.passed_over;
      return too_many;
    });
    for (std::size_t at = 0; at < candidates.size() && goes_on(); at += kTogether) {
      const std::span<Candidate> some =
          std::span(candidates).subspan(at, std::min(kTogether, candidates.size() - at));
      const Ground g = ground_with(some);
      const std::vector<double> gains =
          pseudo_likelihood_gains(g.store, g.world, weights_, some.size(), options_.l2);
      for (std::size_t i = 0; i < some.size(); ++i) some[i].gain = gains[i];
      out_.looked_at += some.size();
    }
  }

  double rows_of(const Candidate& candidate) const {
    LogicNetwork network = out_.network;
    network.rules = {rule_of(candidate)};
    network.rules[0].weight = 1;
    double all = 1;
    for (const std::uint32_t type : candidate.types) {
      all *= static_cast<double>(asked_.types[type].size());
    }
    if (all <= options_.groundings) return all;
    const AtomSpace space(network, asked_, open_);
    try {
      return predict_grounding(space, {}).rows;
    } catch (const TooManyGroundings&) {
      return HUGE_VAL;
    }
  }

  const LogicEvidence& facts_;
  LogicEvidence asked_;  // without the facts of open predicates
  const std::vector<bool>& open_;
  const StructureOptions& options_;
  const std::function<bool(std::span<const StructureStep>)>& go_on_;
  std::set<std::vector<ClauseLiteral>> known_;  // clauses that were added
  std::vector<double> weights_;                 // [units] of the rules
  std::vector<std::uint32_t> first_;            // [rules + 1] units
  // Without marks: counts of the world, and what they make of the weights.
  std::optional<AtomSpace> world_;
  std::optional<ClauseCounts> counts_;
  std::optional<CountedPseudoLikelihood> counted_;
  std::vector<double> differences_;
  double penalised_ = 0;  // log-pseudo-likelihood less the penalty
  LearnedStructure out_;
};

}  // namespace

void StructureOptions::validate() const {
  if (beam == 0 || clauses == 0) throw UsageError("beam and clauses are at least 1");
  if (literals < 2 || literals > 6) throw UsageError("literals is a number from 2 to 6");
  if (variables == 0) throw UsageError("variables: 0 is less than 1");
  if (!(l2 > 0 && std::isfinite(l2))) throw UsageError("l2 is a number above 0");
  if (!(least_gain >= 0)) throw UsageError("least-gain is a number from 0 on");
}

LearnedStructure learn_structure(const LogicNetwork& network, const LogicEvidence& facts,
                                 const std::vector<bool>& open, const StructureOptions& options,
                                 const std::function<bool(std::span<const StructureStep>)>& go_on) {
  options.validate();
  check_known_facts(facts);
  for (const LogicRule& rule : network.rules) {
    for (const RuleVariable& each : rule.variables) {
      if (!each.each) continue;
      throw InputError(rule.where,
                       "structure learning has one weight for each rule, and this has +", rule.text,
                       "leave the + out, and put it in again for --learn");
    }
  }
  return StructureLearner(network, facts, open, options, go_on).learn();
}

}  // namespace croft
