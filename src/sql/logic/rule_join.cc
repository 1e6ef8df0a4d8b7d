#include "sql/logic/rule_join.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace croft {
namespace {

constexpr std::size_t kMostTables = 60;  // SQLite joins 64

const char* sign_of(Arithmetic operation) {
  switch (operation) {
    case Arithmetic::plus:
      return " + ";
    case Arithmetic::minus:
      return " - ";
    case Arithmetic::times:
      return " * ";
    case Arithmetic::divide:
      return " / ";
    case Arithmetic::modulo:
      return " % ";
    case Arithmetic::concatenate:
      break;
  }
  return " || ";
}

class JoinBuilder {
 public:
  JoinBuilder(const AtomSpace& space, const LogicRule& rule, const RuleForm& form,
              const LiteralClause* clause, JoinOver over)
      : space_(space),
        rule_(rule),
        form_(form),
        clause_(clause),
        over_(over),
        ref_(rule.variables.size()) {}

  std::optional<RuleJoin> build() {
    for (const RuleLiteral& literal : form_.literals) bind_functions(literal.terms);
    if (clause_ != nullptr) {
      for (const std::uint32_t code : *clause_) bind_facts(code);
    }
    for (std::uint32_t v = 0; v < ref_.size(); ++v) {
      if (rule_.variables[v].each && clause_ != nullptr) reference(v);
    }
    for (const auto& [column, term] : pending_) {
      where_.push_back(column + " = " + value(term.first, term.second));
    }
    for (const RuleLiteral& literal : form_.literals) define(literal);
    order_unique();
    if (clause_ != nullptr) {
      for (const std::uint32_t code : *clause_) condition(code);
    }
    if (from_.size() > kMostTables) return {};
    finish();
    return std::move(out_);
  }

 private:
  static std::string column_of(const std::string& alias, std::size_t argument) {
    return alias + ".a" + std::to_string(argument);
  }

  bool is_over(const RuleLiteral& literal, const Term& term) const {
    return term.kind == TermKind::variable &&
           std::find(literal.over.begin(), literal.over.end(), term.number) != literal.over.end();
  }

  // An argument of a table: its column is the variable where that is not bound, and is compared
  // with it later, where it is.
  void bind_argument(const std::string& column, const Term& term, std::uint32_t type) {
    if (term.kind == TermKind::variable && ref_[term.number].empty()) {
      ref_[term.number] = column;
    } else {
      pending_.push_back({column, {term, type}});
    }
  }

  // Tables of functions bind their arguments.
  void bind_functions(const std::vector<Term>& terms) {
    for (const Term& term : terms) {
      bind_functions(term.arguments);
      if (term.kind != TermKind::function || find(term) != nullptr) continue;
      const std::string alias = "g" + std::to_string(from_.size());
      from_.push_back("f" + std::to_string(term.number) + " AS " + alias);
      const LogicFunction& function = space_.network().functions[term.number];
      for (std::size_t i = 0; i < term.arguments.size(); ++i) {
        bind_argument(column_of(alias, i), term.arguments[i], function.types[i]);
      }
      computed_.emplace_back(term, alias + ".r");
    }
  }

  // !P(…) can only be false where P(…) is a fact, or unknown; of an open P where it is active.
  void bind_facts(std::uint32_t code) {
    const RuleLiteral& literal = form_.literals[code / 2];
    if ((code & 1) == 0 || literal.kind != FormulaKind::atom || !literal.over.empty()) return;
    const bool open = space_.is_open(literal.number);
    if (open && over_ == JoinOver::all) return;
    const std::string alias = "l" + std::to_string(from_.size());
    from_.push_back((open ? "a" : "p") + std::to_string(literal.number) + " AS " + alias);
    if (open) {
      out_.active.push_back(alias);
    } else {
      where_.push_back(alias + ".truth >= 0");
    }
    const LogicPredicate& predicate = space_.network().predicates[literal.number];
    for (std::size_t i = 0; i < literal.terms.size(); ++i) {
      bind_argument(column_of(alias, i), literal.terms[i], predicate.types[i]);
    }
  }

  const std::string* find(const Term& term) const {
    for (const auto& [known, column] : computed_) {
      if (known == term) return &column;
    }
    return nullptr;
  }

  // The column of a variable, from its type's table where nothing else binds it.
  std::string reference(std::uint32_t variable) {
    if (ref_[variable].empty()) {
      const std::string alias = "v" + std::to_string(variable);
      from_.push_back(domain(rule_.variables[variable].type) + " AS " + alias);
      ref_[variable] = alias + ".c";
    }
    return ref_[variable];
  }

  static std::string domain(std::uint32_t type) { return "d" + std::to_string(type); }

  // A term as the number of a constant of the type.
  std::string value(const Term& term, std::uint32_t type) {
    if (term.kind == TermKind::variable) return reference(term.number);
    if (term.kind == TermKind::constant) {
      const std::uint32_t constant =
          space_.evidence().types[type].find(space_.evidence().constants[term.number]);
      return constant == kNoNumber ? "NULL" : std::to_string(constant);
    }
    if (const std::string* column = find(term)) return *column;
    // The constant whose whole number or text the term computes, if there is one.
    const std::string computed = content(term);
    const std::string alias = "z" + std::to_string(from_.size());
    from_.push_back(domain(type) + " AS " + alias);
    where_.push_back(alias + ".v = " + computed);
    computed_.emplace_back(term, alias + ".c");
    return computed_.back().second;
  }

  // A term as the whole number or the text that a constant's name is.
  std::string content(const Term& term) {
    if (term.kind == TermKind::constant) {
      const std::string& name = space_.evidence().constants[term.number];
      std::int64_t number = 0;
      const auto end = std::from_chars(name.data(), name.data() + name.size(), number);
      if (end.ec == std::errc() && std::to_string(number) == name) return name;
      std::string text = "'";
      for (const char c : name) text += c == '\'' ? std::string("''") : std::string(1, c);
      return text + "'";
    }
    if (term.kind == TermKind::arithmetic) {
      const std::string a = content(term.arguments[0]), b = content(term.arguments[1]);
      const std::string both = "(" + a + sign_of(term.operation) + b + ")";
      if (term.operation == Arithmetic::concatenate) return both;
      return "CASE WHEN typeof(" + a + ") = 'integer' AND typeof(" + b +
             ") = 'integer' AND typeof" + both + " = 'integer' THEN " + both + " END";
    }
    const std::uint32_t type = term.kind == TermKind::variable
                                   ? rule_.variables[term.number].type
                                   : space_.network().functions[term.number].result;
    return "(SELECT v FROM " + domain(type) + " WHERE c = " + value(term, type) + ")";
  }

  static bool computes(const Term& term) {
    return term.kind == TermKind::arithmetic ||
           std::any_of(term.arguments.begin(), term.arguments.end(), computes);
  }

  // Only groundings where every term of the rule has a value count.
  void define(const RuleLiteral& literal) {
    const bool atom = literal.kind == FormulaKind::atom;
    for (std::size_t i = 0; i < literal.terms.size(); ++i) {
      const Term& term = literal.terms[i];
      if (atom && computes(term)) {
        value(term, space_.network().predicates[literal.number].types[i]);
      } else if (!atom && literal.kind != FormulaKind::equal) {
        const std::string text = content(term);
        where_.push_back(literal.kind == FormulaKind::substring
                             ? text + " IS NOT NULL"
                             : "typeof(" + text + ") = 'integer'");
      } else if (!atom && computes(term)) {
        where_.push_back(content(term) + " IS NOT NULL");
      }
    }
  }

  // #unique: constants of variables of one type rise (leaves_out()).
  void order_unique() {
    for (std::size_t i = 0; i < rule_.unique.size(); ++i) {
      for (std::size_t k = i + 1; k < rule_.unique.size(); ++k) {
        const std::uint32_t first = rule_.unique[i], second = rule_.unique[k];
        if (rule_.variables[first].type != rule_.variables[second].type) continue;
        where_.push_back(reference(first) + " < " + reference(second));
      }
    }
  }

  void condition(std::uint32_t code) {
    const RuleLiteral& literal = form_.literals[code / 2];
    const bool negated = code & 1;
    if (literal.kind == FormulaKind::atom) return atom(literal, negated);
    if (!literal.over.empty()) return equality_over(literal);
    std::string truth;
    if (literal.kind == FormulaKind::substring) {
      truth = "instr(CAST(" + content(literal.terms[1]) + " AS TEXT), CAST(" +
              content(literal.terms[0]) + " AS TEXT)) > 0";
    } else if (literal.kind == FormulaKind::equal) {
      truth = equality(literal);
    } else {
      truth = content(literal.terms[0]) + (literal.kind == FormulaKind::less ? " < " : " <= ") +
              content(literal.terms[1]);
    }
    where_.push_back(negated ? truth : "NOT (" + truth + ")");
  }

  std::uint32_t type_of(const Term& term) const {
    if (term.kind == TermKind::variable) return rule_.variables[term.number].type;
    if (term.kind == TermKind::function) return space_.network().functions[term.number].result;
    return kNoNumber;
  }

  std::string equality(const RuleLiteral& literal) {
    std::uint32_t type = type_of(literal.terms[0]);
    if (type == kNoNumber) type = type_of(literal.terms[1]);
    const bool by_content = type == kNoNumber || literal.terms[0].kind == TermKind::arithmetic ||
                            literal.terms[1].kind == TermKind::arithmetic;
    if (by_content) return content(literal.terms[0]) + " IS " + content(literal.terms[1]);
    return value(literal.terms[0], type) + " IS " + value(literal.terms[1], type);
  }

  std::size_t select(const std::string& column, std::uint32_t variable) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i] == column) return i;
    }
    columns_.push_back(column);
    out_.variables.push_back(variable);
    return columns_.size() - 1;
  }

  std::size_t place_in(const std::vector<std::uint32_t>& over, std::uint32_t variable) const {
    return static_cast<std::size_t>(std::find(over.begin(), over.end(), variable) - over.begin());
  }

  std::vector<std::size_t> sizes_of(const std::vector<std::uint32_t>& over) const {
    std::vector<std::size_t> sizes;
    for (const std::uint32_t v : over) {
      sizes.push_back(space_.constants(rule_.variables[v].type));
    }
    return sizes;
  }

  void atom(const RuleLiteral& literal, bool negated) {
    const LogicPredicate& predicate = space_.network().predicates[literal.number];
    RuleJoin::Atom out{.predicate = literal.number,
                       .negated = negated || literal.negated_within,
                       .first = space_.first(literal.number),
                       .columns = {},
                       .over = std::vector<std::uint64_t>(literal.over.size(), 0),
                       .sizes = sizes_of(literal.over)};
    std::string where = "truth = " + std::string(negated ? "-1" : "1");
    for (std::size_t i = 0; i < literal.terms.size(); ++i) {
      const Term& term = literal.terms[i];
      const std::uint64_t stride = space_.stride(literal.number, i);
      if (is_over(literal, term)) {
        out.over[place_in(literal.over, term.number)] += stride;
        continue;
      }
      const std::string column = value(term, predicate.types[i]);
      where += " AND a" + std::to_string(i) + " = " + column;
      if (term.kind == TermKind::constant) {
        out.first += stride * static_cast<std::uint64_t>(std::stoul(column));
      } else {
        out.columns.push_back(
            {stride, select(column, term.kind == TermKind::variable ? term.number : kNoNumber)});
      }
    }
    out_.atoms.push_back(std::move(out));
    // What the evidence makes true is left out as early as can be.
    const Truth needed = negated ? Truth::no : Truth::yes;
    const std::vector<Truth>& truth = space_.evidence().predicates[literal.number].truth;
    if (literal.over.empty() && std::find(truth.begin(), truth.end(), needed) != truth.end()) {
      where_.push_back("NOT EXISTS (SELECT 1 FROM p" + std::to_string(literal.number) + " WHERE " +
                       where + ")");
    }
  }

  void equality_over(const RuleLiteral& literal) {
    RuleJoin::Equality out;
    out.negated = literal.negated_within;
    out.sizes = sizes_of(literal.over);
    std::uint32_t type = type_of(literal.terms[0]);
    if (type == kNoNumber) type = type_of(literal.terms[1]);
    for (std::size_t i = 0; i < 2; ++i) {
      const Term& term = literal.terms[i];
      if (is_over(literal, term)) {
        out.over[i] = place_in(literal.over, term.number);
      } else if (term.kind == TermKind::variable) {
        out.column[i] = select(reference(term.number), term.number);
      } else {
        out.constant[i] =
            space_.evidence().types[type].find(space_.evidence().constants[term.number]);
      }
    }
    out_.equalities.push_back(std::move(out));
  }

  void finish() {
    if (clause_ != nullptr) {
      for (std::uint32_t v = 0; v < ref_.size(); ++v) {
        if (rule_.variables[v].each) select(ref_[v], v);
      }
    }
    for (std::uint32_t v = 0; v < ref_.size(); ++v) {
      if (rule_.variables[v].quantified || !ref_[v].empty()) continue;
      out_.times *= static_cast<double>(space_.constants(rule_.variables[v].type));
    }
    std::string tail;
    for (std::size_t i = 0; i < from_.size(); ++i) tail += (i == 0 ? " FROM " : ", ") + from_[i];
    if (where_.empty() && !out_.active.empty()) where_.push_back("1");
    for (std::size_t i = 0; i < where_.size(); ++i)
      tail += (i == 0 ? " WHERE " : " AND ") + where_[i];
    std::string head;
    for (const std::string& column : columns_) head += (head.empty() ? "" : ", ") + column;
    out_.rows = "SELECT " + (head.empty() ? "1" : head) + tail;
    out_.count = "SELECT count(*)" + tail;
  }

  const AtomSpace& space_;
  const LogicRule& rule_;
  const RuleForm& form_;
  const LiteralClause* clause_;
  const JoinOver over_;
  std::vector<std::string> from_, where_, columns_;
  std::vector<std::string> ref_;  // [variables of the rule] columns, or empty
  std::vector<std::pair<std::string, std::pair<Term, std::uint32_t>>> pending_;
  std::vector<std::pair<Term, std::string>> computed_;
  RuleJoin out_;
};

}  // namespace

std::string rows_since(const RuleJoin& join, std::size_t i, std::int64_t time) {
  std::string query = join.rows;
  for (std::size_t k = 0; k < join.active.size(); ++k) {
    const char* const sign = k < i ? " < " : k == i ? " = " : " <= ";
    query += " AND " + join.active[k] + ".since" + sign + std::to_string(time);
  }
  return query;
}

std::optional<RuleJoin> rule_join(const AtomSpace& space, const LogicRule& rule,
                                  const RuleForm& form, const LiteralClause* clause,
                                  JoinOver over) {
  return JoinBuilder(space, rule, form, clause, over).build();
}

}  // namespace croft
