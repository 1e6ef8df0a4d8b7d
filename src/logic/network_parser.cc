#include "logic/network_parser.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/parse_number.h"
#include "logic/token_cursor.h"

namespace croft {
namespace {

constexpr std::int64_t kMostConstants = 10'000'000;  // of a range: a GB
constexpr std::size_t kMostSigns = 10;               // *P in a formula: 2^10 rules
constexpr std::size_t kMostNesting = 500;

bool begins_lower(std::string_view word) { return word[0] >= 'a' && word[0] <= 'z'; }

bool is_quantifier(std::string_view word, std::string_view upper) {
  return std::equal(word.begin(), word.end(), upper.begin(), upper.end(),
                    [](char c, char u) { return c == u || c == u - 'A' + 'a'; });
}

struct InternalFunction {
  std::string_view name;
  Arithmetic operation;
};
constexpr InternalFunction kInternalFunctions[] = {
    {"plus", Arithmetic::plus},   {"minus", Arithmetic::minus},
    {"times", Arithmetic::times}, {"dividedBy", Arithmetic::divide},
    {"mod", Arithmetic::modulo},  {"concat", Arithmetic::concatenate},
};

struct InternalPredicate {
  std::string_view name;
  FormulaKind kind;
  bool turned;  // the second term comes first
};
constexpr InternalPredicate kInternalPredicates[] = {
    {"lessThan", FormulaKind::less, false},
    {"greaterThan", FormulaKind::less, true},
    {"lessThanEq", FormulaKind::less_equal, false},
    {"greaterThanEq", FormulaKind::less_equal, true},
    {"substr", FormulaKind::substring, false},
    {"<", FormulaKind::less, false},
    {">", FormulaKind::less, true},
    {"<=", FormulaKind::less_equal, false},
    {">=", FormulaKind::less_equal, true},
};

template <class Row, std::size_t N>
const Row* row_of(const Row (&rows)[N], std::string_view name) {
  const auto found = std::find_if(std::begin(rows), std::end(rows),
                                  [&](const Row& row) { return row.name == name; });
  return found == std::end(rows) ? nullptr : &*found;
}

class NetworkParser {
 public:
  NetworkParser(const LogicTokens& tokens, LogicDialect dialect) : at_(tokens), dialect_(dialect) {}

  LogicNetwork parse() {
    while (!at_.at_end()) statement();
    for (LogicRule& rule : out_.rules) settle_types(rule);
    for (LogicRule& rule : out_.rules) note_constants(rule, rule.formula);
    if (dialect_ != LogicDialect::any) out_.dialect = dialect_;
    return std::move(out_);
  }

 private:
  // Of a dialect's own sign.
  void meet(LogicDialect whose, const LogicToken& token) {
    if (dialect_ != LogicDialect::any && dialect_ != whose) {
      at_.fail(token, Message("a sign of the dialect ", name_of(whose)),
               Message("use --dialect ", name_of(whose), " or --dialect any"));
    }
    out_.dialect = whose;
  }

  void statement() {
    if (at_.is_word() && at_.peek(1).text == "=" && at_.peek(2).text == "{" && !at_.peek(1).first) {
      return type_declaration();
    }
    if (at_.is_word() && at_.peek(1).kind == LogicTokenKind::word && !at_.peek(1).first &&
        at_.peek(1).text != "v" && at_.peek(2).text == "(" && !is_quantifier(at_.text(), "EXIST") &&
        !is_quantifier(at_.text(), "FORALL")) {
      return function_declaration();
    }
    if (is_declaration()) return predicate_declaration();
    rule();
  }

  void end_statement(std::string_view what) {
    if (!at_.at_end() && !at_.current().first) {
      at_.fail(Message("this cannot follow ", what), "begin each statement on a line of its own");
    }
  }

  void type_declaration() {
    const LogicToken name = at_.current();
    if (!begins_lower(name.text)) {
      at_.fail("the name of a type begins with a small letter", "");
    }
    NameTable& constants = out_.types[out_.add_type(at_.take_word("the name of a type"))];
    at_.expect("=");
    at_.expect("{");
    do {
      const LogicToken first = at_.current();
      const std::string text = constant_text();
      if (at_.is(",") && at_.peek(1).text == "..." && at_.peek(2).text == ",") {
        at_.next();
        at_.next();
        at_.next();
        const LogicToken last = at_.current();
        add_range(constants, first, text, last, constant_text());
      } else {
        constants.insert(text);
      }
    } while (at_.take(","));
    at_.expect("}");
    end_statement("a type");
  }

  void add_range(NameTable& constants, const LogicToken& first, const std::string& from,
                 const LogicToken& last, const std::string& to) {
    const auto whole = [&](const LogicToken& token, const std::string& text) {
      std::int64_t value = 0;
      const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
      if (end.ec != std::errc() || end.ptr != text.data() + text.size()) {
        at_.fail(token, "a range goes from one whole number to another", "write {1, ..., 9}");
      }
      return value;
    };
    const std::int64_t begin = whole(first, from), end = whole(last, to);
    if (end < begin) at_.fail(last, "a range ends below its first number", "exchange them");
    if (static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin) >= kMostConstants) {
      at_.fail(last, Message("a range of more than ", kMostConstants, " constants"), "");
    }
    for (std::int64_t i = begin; i <= end; ++i) constants.insert(std::to_string(i));
  }

  // A constant's name: a word, a number with its sign, or a text in quotes.
  std::string constant_text() {
    if (at_.is("-") && at_.peek(1).kind == LogicTokenKind::number) {
      at_.next();
      return "-" + at_.take_text();
    }
    if (!at_.is_word() && !at_.is_number() && at_.current().kind != LogicTokenKind::quoted) {
      at_.fail("a constant is expected here", "");
    }
    return at_.take_text();
  }

  // [*] NAME [( type[!|!?] {, …} )] on a line of its own, NAME not yet declared.
  bool is_declaration() const {
    std::size_t i = at_.is("*") ? 1 : 0;
    if (at_.peek(i).kind != LogicTokenKind::word) return false;
    if (out_.predicate_names.find(at_.peek(i).text) != kNoNumber) return false;
    if (out_.function_names.find(at_.peek(i).text) != kNoNumber) return false;
    if (row_of(kInternalPredicates, at_.peek(i).text) != nullptr) return false;
    ++i;
    if (at_.peek(i).text == "(" && !at_.peek(i).first) {
      if (at_.peek(++i).text == ")") return at_.ends_line(i);
      while (true) {
        if (at_.peek(i).kind != LogicTokenKind::word || !begins_lower(at_.peek(i).text)) {
          return false;
        }
        ++i;
        if (at_.peek(i).text == "!" || at_.peek(i).text == "!?") ++i;
        if (at_.peek(i).text == ")") break;
        if (at_.peek(i).text != ",") return false;
        ++i;
      }
    } else {
      --i;
    }
    return at_.ends_line(i) && !continues_formula(at_.peek(i + 1), at_.peek(i + 2));
  }

  // What stands at the start of a line and goes on with the formula above.
  static bool continues_formula(const LogicToken& token, const LogicToken& following) {
    return token.text == "=>" || token.text == "<=>" || token.text == "^" || token.text == ":-" ||
           token.text == "|" || token.text == "&" ||
           (token.text == "v" && token.kind == LogicTokenKind::word && following.text != "=");
  }

  void predicate_declaration() {
    LogicPredicate predicate;
    if (at_.is("*")) {
      meet(LogicDialect::tuffy, at_.current());
      predicate.closed = true;
      at_.next();
    }
    const LogicToken name = at_.current();
    if (name.text == "v") at_.fail("v means \"or\"", "give the predicate another name");
    at_.next();
    if (at_.take("(") && !at_.take(")")) {
      do {
        predicate.types.push_back(out_.add_type(at_.take_word("the name of a type")));
        predicate.marks.push_back(at_.take("!")    ? ArgumentMark::exactly_one
                                  : at_.take("!?") ? ArgumentMark::at_most_one
                                                   : ArgumentMark::none);
      } while (at_.take(","));
      at_.expect(")");
    }
    const bool exactly =
        std::count(predicate.marks.begin(), predicate.marks.end(), ArgumentMark::exactly_one) != 0;
    const bool most =
        std::count(predicate.marks.begin(), predicate.marks.end(), ArgumentMark::at_most_one) != 0;
    if (exactly && most) {
      at_.fail(name, "a predicate has arguments with ! or with !?, not with both", "");
    }
    out_.predicate_names.insert(name.text);
    out_.predicates.push_back(std::move(predicate));
  }

  void function_declaration() {
    LogicFunction function;
    if (!begins_lower(at_.text())) {
      at_.fail("this is neither a statement nor the type of a function",
               "a function is declared as: type name(type, …)");
    }
    function.result = out_.add_type(at_.take_word("a type"));
    const LogicToken name = at_.current();
    if (out_.function_names.find(name.text) != kNoNumber ||
        out_.predicate_names.find(name.text) != kNoNumber ||
        row_of(kInternalFunctions, name.text) != nullptr || name.text == "succ" ||
        row_of(kInternalPredicates, name.text) != nullptr) {
      at_.fail("this name is declared before", "give the function another name");
    }
    at_.next();
    at_.expect("(");
    do {
      function.types.push_back(out_.add_type(at_.take_word("the name of a type")));
    } while (at_.take(","));
    at_.expect(")");
    end_statement("a function's declaration");
    out_.function_names.insert(name.text);
    out_.functions.push_back(std::move(function));
  }

  void rule() {
    LogicRule rule;
    const LogicToken first = at_.current();
    const std::size_t begin = at_.position();
    rule.where = at_.where(first);
    rule_ = &rule;
    scopes_.clear();
    signs_ = 0;
    if (at_.is("@")) {
      meet(LogicDialect::tuffy, at_.current());
      at_.next();
      if (!at_.is_number() && !at_.is("-") && !at_.is("+")) at_.fail("a weight is expected", "");
    }
    read_weight(rule);
    rule.formula = equivalence();
    if (at_.is(".") && !at_.current().first) {
      if (rule.weighted) {
        at_.fail("a rule with a weight and a full stop",
                 "leave the weight out of a hard rule, or the full stop out of a soft one");
      }
      rule.hard = true;
      at_.next();
    }
    if (at_.is("::") && !at_.current().first) {
      if (rule.hard || rule.weighted) at_.fail("a second weight", "leave it out");
      at_.next();
      read_weight(rule);
      if (!rule.weighted) at_.fail("a weight is expected", "");
    }
    end_statement("a formula");
    free_outer_variables(rule);
    rule.text = at_.text_from(begin);
    // *P: a rule for each choice of signs.
    for (std::size_t choice = 0; choice < (std::size_t{1} << signs_); ++choice) {
      LogicRule signed_rule = rule;
      if (signs_ > 0) {
        std::size_t place = 0;
        choose_signs(signed_rule.formula, choice, place);
        signed_rule.text += " [signs " + std::to_string(choice + 1) + "]";
      }
      out_.rules.push_back(std::move(signed_rule));
    }
    rule_ = nullptr;
  }

  // FORALL over the whole formula says what free variables mean.
  static void free_outer_variables(LogicRule& rule) {
    while (rule.formula.kind == FormulaKind::forall) {
      for (const std::uint32_t v : rule.formula.variables) rule.variables[v].quantified = false;
      Formula inner = std::move(rule.formula.parts[0]);
      rule.formula = std::move(inner);
    }
  }

  void read_weight(LogicRule& rule) {
    const std::size_t sign = at_.is("-") || at_.is("+") ? 1 : 0;
    if (at_.peek(sign).kind != LogicTokenKind::number) return;
    const LogicToken& after = at_.peek(sign + 1);
    if (!after.first && (after.text == "=" || after.text == "!=" || after.text == "<" ||
                         after.text == ">" || after.text == "<=" || after.text == ">=")) {
      return;  // a number that is compared
    }
    const std::string text = (at_.is("-") ? "-" : "") + at_.peek(sign).text;
    if (parse_number(text, rule.weight) != NumberKind::finite || !(std::abs(rule.weight) <= 1e9)) {
      at_.fail("a weight is a number from -1e9 to 1e9", "end a hard rule with a full stop");
    }
    rule.weighted = true;
    for (std::size_t i = 0; i <= sign; ++i) at_.next();
  }

  // An atom that *P marks has a double negation, which nothing else writes; see sign_mark().
  static Formula negated(Formula formula) {
    Formula out{.kind = FormulaKind::negation};
    out.parts.push_back(std::move(formula));
    return out;
  }
  static Formula sign_mark(Formula atom) {
    Formula out{.kind = FormulaKind::negation, .number = 1};
    out.parts.push_back(std::move(atom));
    return out;
  }
  static void choose_signs(Formula& formula, std::size_t choice, std::size_t& place) {
    if (formula.kind == FormulaKind::negation && formula.number == 1) {
      formula.number = 0;
      if ((choice >> place++ & 1) == 0) {
        Formula atom = std::move(formula.parts[0]);
        formula = std::move(atom);
      }
      return;
    }
    for (Formula& part : formula.parts) choose_signs(part, choice, place);
  }

  static Formula joined(FormulaKind kind, Formula left, Formula right) {
    if (left.kind == kind && kind != FormulaKind::equivalence) {
      left.parts.push_back(std::move(right));
      return left;
    }
    Formula out{.kind = kind};
    out.parts.push_back(std::move(left));
    out.parts.push_back(std::move(right));
    return out;
  }

  bool takes(std::string_view sign, std::string_view other = "") {
    return at_.take(sign) || (!other.empty() && at_.take(other));
  }

  Formula equivalence() {
    Formula left = implication();
    while (at_.take("<=>")) {
      left = joined(FormulaKind::equivalence, std::move(left), implication());
    }
    return left;
  }

  Formula implication() {
    Formula left = disjunction();
    if (at_.take("=>")) {
      const Deeper deeper(*this);
      return joined(FormulaKind::any, negated(std::move(left)), implication());
    }
    if (at_.is(":-")) {
      meet(LogicDialect::lomrf, at_.current());
      at_.next();
      const Deeper deeper(*this);
      Formula body = implication();
      return joined(FormulaKind::any, negated(std::move(body)), std::move(left));
    }
    return left;
  }

  Formula disjunction() {
    Formula left = conjunction();
    while ((at_.is_word() && at_.is("v")) || at_.is("|")) {
      at_.next();
      left = joined(FormulaKind::any, std::move(left), conjunction());
    }
    return left;
  }

  Formula conjunction() {
    Formula left = unary();
    while (takes("^", "&")) left = joined(FormulaKind::all, std::move(left), unary());
    return left;
  }

  Formula unary() {
    const Deeper deeper(*this);
    if (at_.take("!")) return negated(unary());
    if (at_.is("(")) {
      at_.next();
      Formula inner = equivalence();
      at_.expect(")");
      return inner;
    }
    if (at_.is_word() && is_quantifier(at_.text(), "EXIST")) return quantified(FormulaKind::exists);
    if (at_.is_word() && is_quantifier(at_.text(), "FORALL")) {
      return quantified(FormulaKind::forall);
    }
    if (at_.is("*") && at_.peek(1).kind == LogicTokenKind::word) {
      if (++signs_ > kMostSigns) {
        at_.fail(Message("more than ", kMostSigns, " signs are left open"), "write fewer *");
      }
      at_.next();
      return sign_mark(literal());
    }
    return literal();
  }

  Formula quantified(FormulaKind kind) {
    Formula out{.kind = kind};
    at_.next();
    do {
      if (!at_.is_word() || !begins_lower(at_.text())) {
        at_.fail("a variable is expected, which begins with a small letter", "");
      }
      const auto variable = static_cast<std::uint32_t>(rule_->variables.size());
      rule_->variables.push_back({.name = at_.text(), .quantified = true});
      scopes_.emplace_back(at_.text(), variable);
      out.variables.push_back(variable);
      at_.next();
    } while (at_.take(","));
    out.parts.push_back(equivalence());  // as far to the right as it can
    scopes_.resize(scopes_.size() - out.variables.size());
    return out;
  }

  Formula literal() {
    if (at_.is_word()) {
      const std::string& name = at_.text();
      const bool has_arguments = at_.peek(1).text == "(" && !at_.peek(1).first;
      if (const InternalPredicate* row = row_of(kInternalPredicates, name);
          row != nullptr && has_arguments && out_.predicate_names.find(name) == kNoNumber) {
        at_.next();
        std::vector<Term> terms = arguments(2);
        return compared(*row, std::move(terms[0]), std::move(terms[1]));
      }
      const bool is_function = out_.function_names.find(name) != kNoNumber ||
                               row_of(kInternalFunctions, name) != nullptr || name == "succ";
      if (out_.predicate_names.find(name) != kNoNumber && (has_arguments || !compares(1))) {
        return atom();
      }
      if (has_arguments && !is_function) return atom();
    }
    return comparison();
  }

  bool compares(std::size_t ahead) const {
    const std::string& sign = at_.peek(ahead).text;
    return sign == "=" || sign == "!=" || sign == "+" || sign == "-" || sign == "/" ||
           sign == "%" || row_of(kInternalPredicates, sign) != nullptr;
  }

  Formula atom() {
    const LogicToken name = at_.current();
    Formula out{.kind = FormulaKind::atom};
    at_.next();
    if (at_.is("(") && !at_.current().first) out.terms = arguments();
    out.number = out_.predicate_names.find(name.text);
    if (out.number == kNoNumber) {
      out_.warnings.push_back(place_of(at_.where(name)) + ": the predicate " + name.text +
                              " is not declared; its types are those of its arguments elsewhere");
      out.number = out_.predicate_names.insert(name.text);
      out_.predicates.push_back(
          {.types = std::vector<std::uint32_t>(out.terms.size(), kNoNumber),
           .marks = std::vector<ArgumentMark>(out.terms.size(), ArgumentMark::none)});
    }
    const std::size_t expected = out_.predicates[out.number].types.size();
    if (out.terms.size() != expected) {
      at_.fail(name,
               Message("the predicate's number of arguments is ", expected, ", and here are ",
                       out.terms.size()),
               "");
    }
    return out;
  }

  static Formula compared(const InternalPredicate& row, Term first, Term second) {
    if (row.turned) std::swap(first, second);
    Formula out{.kind = row.kind};
    out.terms.push_back(std::move(first));
    out.terms.push_back(std::move(second));
    return out;
  }

  Formula comparison() {
    Term left = sum();
    const LogicToken sign = at_.current();
    if (sign.text == "=" || sign.text == "!=") {
      at_.next();
      Formula out{.kind = FormulaKind::equal};
      out.terms.push_back(std::move(left));
      out.terms.push_back(sum());
      return sign.text == "=" ? std::move(out) : negated(std::move(out));
    }
    const InternalPredicate* row =
        sign.kind == LogicTokenKind::sign ? row_of(kInternalPredicates, sign.text) : nullptr;
    if (row == nullptr) {
      at_.fail("a predicate, or a comparison of two terms, is expected before this",
               "a predicate is declared as: Name(type, …)");
    }
    at_.next();
    return compared(*row, std::move(left), sum());
  }

  std::vector<Term> arguments(std::optional<std::size_t> count = {}) {
    std::vector<Term> out;
    const LogicToken open = at_.current();
    at_.expect("(");
    if (at_.take(")")) return checked(std::move(out), open, count);
    do {
      out.push_back(sum());
    } while (at_.take(","));
    at_.expect(")");
    return checked(std::move(out), open, count);
  }

  std::vector<Term> checked(std::vector<Term> terms, const LogicToken& open,
                            std::optional<std::size_t> count) {
    if (count && terms.size() != *count) {
      at_.fail(open,
               Message("the number of arguments is ", *count, ", and here are ", terms.size()), "");
    }
    return terms;
  }

  static Term computed(Arithmetic operation, Term left, Term right) {
    Term out{.kind = TermKind::arithmetic, .operation = operation};
    out.arguments.push_back(std::move(left));
    out.arguments.push_back(std::move(right));
    return out;
  }

  Term one() { return {.kind = TermKind::constant, .number = out_.constants.insert("1")}; }

  Term sum() {
    Term left = product();
    while (at_.is("+") || at_.is("-")) {
      const Arithmetic operation = at_.is("+") ? Arithmetic::plus : Arithmetic::minus;
      at_.next();
      left = computed(operation, std::move(left), product());
    }
    return left;
  }

  Term product() {
    Term left = primary();
    while (at_.is("*") || at_.is("/") || at_.is("%")) {
      const Arithmetic operation = at_.is("*")   ? Arithmetic::times
                                   : at_.is("/") ? Arithmetic::divide
                                                 : Arithmetic::modulo;
      at_.next();
      left = computed(operation, std::move(left), primary());
    }
    return left;
  }

  Term primary() {
    const Deeper deeper(*this);
    if (at_.is("+") && at_.peek(1).kind == LogicTokenKind::word && begins_lower(at_.peek(1).text)) {
      at_.next();
      Term term = variable();
      if (rule_->variables[term.number].quantified) {
        at_.fail("a variable of a quantifier has no +", "");
      }
      rule_->variables[term.number].each = true;
      return term;
    }
    if (at_.take("(")) {
      Term term = sum();
      at_.expect(")");
      return term;
    }
    if (at_.is_word() && at_.peek(1).text == "(") return call();
    if (at_.is_word() && begins_lower(at_.text())) {
      Term term = variable();
      if (at_.is("++")) {
        meet(LogicDialect::lomrf, at_.current());
        at_.next();
        return computed(Arithmetic::plus, std::move(term), one());
      }
      return term;
    }
    return {.kind = TermKind::constant, .number = out_.constants.insert(constant_text())};
  }

  Term variable() {
    const std::string name = at_.take_text();
    for (std::size_t i = scopes_.size(); i-- > 0;) {
      if (scopes_[i].first == name)
        return {.kind = TermKind::variable, .number = scopes_[i].second};
    }
    auto& variables = rule_->variables;
    for (std::uint32_t i = 0; i < variables.size(); ++i) {
      if (variables[i].name == name && !variables[i].quantified) {
        return {.kind = TermKind::variable, .number = i};
      }
    }
    variables.push_back({.name = name});
    return {.kind = TermKind::variable, .number = static_cast<std::uint32_t>(variables.size() - 1)};
  }

  Term call() {
    const LogicToken name = at_.current();
    const std::uint32_t function = out_.function_names.find(name.text);
    const InternalFunction* row = row_of(kInternalFunctions, name.text);
    if (function == kNoNumber && row == nullptr && name.text != "succ") {
      at_.fail("no function of this name is declared",
               "declare it as: type name(type, …), before it is used");
    }
    at_.next();
    if (function != kNoNumber) {
      Term out{.kind = TermKind::function, .number = function};
      out.arguments = arguments(out_.functions[function].types.size());
      return out;
    }
    std::vector<Term> terms = arguments(row == nullptr ? 1 : 2);
    if (row == nullptr) return computed(Arithmetic::plus, std::move(terms[0]), one());
    return computed(row->operation, std::move(terms[0]), std::move(terms[1]));
  }

  // The types of a rule's variables, of equalities and of predicates that are not declared.
  void settle_types(LogicRule& rule) {
    for (bool changed = true; changed;) changed = spread_types(rule, rule.formula);
    name_types(rule, rule.formula);
    for (bool changed = true; changed;) changed = spread_types(rule, rule.formula);
    for (const RuleVariable& each : rule.variables) {
      if (each.type != kNoNumber) continue;
      throw InputError(rule.where, "nothing says the type of this variable", each.name,
                       "use it as the argument of a predicate");
    }
  }

  std::uint32_t type_of(const LogicRule& rule, const Term& term) const {
    if (term.kind == TermKind::variable) return rule.variables[term.number].type;
    if (term.kind == TermKind::function) return out_.functions[term.number].result;
    return kNoNumber;
  }

  bool give_type(LogicRule& rule, const Term& term, std::uint32_t type) {
    bool changed = false;
    if (term.kind == TermKind::function) {
      const LogicFunction& function = out_.functions[term.number];
      for (std::size_t i = 0; i < term.arguments.size(); ++i) {
        changed |= give_type(rule, term.arguments[i], function.types[i]);
      }
    } else if (term.kind == TermKind::arithmetic) {
      for (const Term& each : term.arguments) changed |= give_type(rule, each, kNoNumber);
    }
    if (type == kNoNumber) return changed;
    const std::uint32_t known = type_of(rule, term);
    if (known == kNoNumber && term.kind == TermKind::variable) {
      rule.variables[term.number].type = type;
      return true;
    }
    if (known != kNoNumber && known != type) {
      const std::string& name = term.kind == TermKind::variable ? rule.variables[term.number].name
                                                                : out_.function_names[term.number];
      throw InputError(
          rule.where,
          Message("this is of the types ", out_.type_names[known], " and ", out_.type_names[type]),
          name, "each variable has one type");
    }
    return changed;
  }

  bool spread_types(LogicRule& rule, const Formula& formula) {
    bool changed = false;
    for (const Formula& part : formula.parts) changed |= spread_types(rule, part);
    if (formula.kind == FormulaKind::atom) {
      LogicPredicate& predicate = out_.predicates[formula.number];
      for (std::size_t i = 0; i < formula.terms.size(); ++i) {
        changed |= give_type(rule, formula.terms[i], predicate.types[i]);
        if (predicate.types[i] != kNoNumber) continue;
        predicate.types[i] = type_of(rule, formula.terms[i]);
        changed |= predicate.types[i] != kNoNumber;
      }
    } else if (formula.kind == FormulaKind::equal) {
      changed |= give_type(rule, formula.terms[0], type_of(rule, formula.terms[1]));
      changed |= give_type(rule, formula.terms[1], type_of(rule, formula.terms[0]));
    } else {
      for (const Term& each : formula.terms) changed |= give_type(rule, each, kNoNumber);
    }
    return changed;
  }

  // A type of its own for each argument of which nothing is said.
  void name_types(const LogicRule& rule, const Formula& formula) {
    for (const Formula& part : formula.parts) name_types(rule, part);
    if (formula.kind != FormulaKind::atom) return;
    LogicPredicate& predicate = out_.predicates[formula.number];
    for (std::size_t i = 0; i < predicate.types.size(); ++i) {
      if (predicate.types[i] != kNoNumber) continue;
      predicate.types[i] = out_.add_type(out_.predicate_names[formula.number] + " argument " +
                                         std::to_string(i + 1));
    }
  }

  void note_term(const Term& term, std::uint32_t type) {
    if (term.kind == TermKind::constant && type != kNoNumber) {
      out_.types[type].insert(out_.constants[term.number]);
    } else if (term.kind == TermKind::function) {
      for (std::size_t i = 0; i < term.arguments.size(); ++i) {
        note_term(term.arguments[i], out_.functions[term.number].types[i]);
      }
    }
  }

  // What a rule names is there.
  void note_constants(const LogicRule& rule, const Formula& formula) {
    for (const Formula& part : formula.parts) note_constants(rule, part);
    for (std::size_t i = 0; i < formula.terms.size(); ++i) {
      std::uint32_t type = kNoNumber;
      if (formula.kind == FormulaKind::atom) type = out_.predicates[formula.number].types[i];
      if (formula.kind == FormulaKind::equal) type = type_of(rule, formula.terms[1 - i]);
      note_term(formula.terms[i], type);
    }
  }

  struct Deeper {
    explicit Deeper(NetworkParser& p) : parser(p) {
      if (++parser.depth_ > kMostNesting) {
        parser.at_.fail(Message("more than ", kMostNesting, " levels of a formula"), "");
      }
    }
    ~Deeper() { --parser.depth_; }
    NetworkParser& parser;
  };

  TokenCursor at_;
  const LogicDialect dialect_;
  LogicNetwork out_;
  LogicRule* rule_ = nullptr;
  std::vector<std::pair<std::string, std::uint32_t>> scopes_;  // names that quantifiers bind
  std::size_t signs_ = 0;
  std::size_t depth_ = 0;
};

LineReader open_beside(const std::string& name, const std::string& from) {
  const std::filesystem::path path(name);
  if (path.is_absolute() || from == "<stdin>") return LineReader(name);
  return LineReader((std::filesystem::path(from).parent_path() / path).lexically_normal().string());
}

}  // namespace

LogicNetwork parse_network(const LogicTokens& tokens, LogicDialect dialect) {
  return NetworkParser(tokens, dialect).parse();
}

LogicNetwork read_network(const std::string& path, LogicDialect dialect) {
  return parse_network(read_logic_tokens(LineReader(path), open_beside), dialect);
}

}  // namespace croft
