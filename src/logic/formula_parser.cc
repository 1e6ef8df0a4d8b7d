#include "logic/formula_parser.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "logic/internal_names.h"

namespace croft {
namespace {

class FormulaParser {
 public:
  FormulaParser(TokenCursor& at, LogicNetwork& out, LogicDialect dialect, LogicRule& rule)
      : at_(at), out_(out), dialect_(dialect), rule_(rule) {}

  ParsedFormula parse() {
    Formula formula = equivalence();
    return {std::move(formula), literals_, signs_};
  }

 private:
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
    for (std::size_t levels = 1; at_.take("<=>"); ++levels) {
      check_nesting(levels);
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
      const LogicToken sign = at_.current();
      meet_dialect(at_, sign, LogicDialect::lomrf, dialect_, out_);
      at_.next();
      const Deeper deeper(*this);
      const std::size_t commas = commas_;
      Formula body = implication();
      if (commas_ > commas) {
        at_.fail(sign, "a rule that defines its head (Tuffy's :- with commas) is not read",
                 "write what it means as implications, with =>");
      }
      warn_of_completion(sign);
      return joined(FormulaKind::any, negated(std::move(body)), std::move(left));
    }
    return left;
  }

  // Once for all of them.
  void warn_of_completion(const LogicToken& sign) {
    constexpr std::string_view kText = ": H :- B is read as B => H; ";
    const bool warned = std::ranges::any_of(
        out_.warnings, [&](const std::string& each) { return each.find(kText) != each.npos; });
    if (warned) return;
    out_.warnings.push_back(
        place_of(at_.where(sign)) + std::string(kText) +
        "LoMRF adds that H holds only where the body of one of its rules does, which is to be "
        "written as a hard rule where it is meant");
  }

  Formula disjunction() {
    const std::optional<LogicToken> outer = std::exchange(comma_, std::nullopt);
    Formula left = conjunction();
    bool has_or = false;
    while (takes_or()) {
      has_or = true;
      left = joined(FormulaKind::any, std::move(left), conjunction());
    }
    if (has_or && comma_) {
      at_.fail(*comma_, "a comma beside \"or\"", "write ^, or brackets around what it joins");
    }
    comma_ = outer;
    return left;
  }
  bool takes_or() {
    if (at_.is_word() && (at_.is("v") || (square_ > 0 && at_.is("OR")))) {
      at_.next();
      return true;
    }
    return takes("|", "||");
  }

  Formula conjunction() {
    Formula left = unary();
    while (takes_and()) left = joined(FormulaKind::all, std::move(left), unary());
    return left;
  }
  bool takes_and() {
    if (at_.is(",")) {
      meet_dialect(at_, at_.current(), LogicDialect::tuffy, dialect_, out_);
      comma_ = at_.current();
      ++commas_;
      at_.next();
      return true;
    }
    if (square_ > 0 && at_.is_word() && at_.take("AND")) return true;
    return takes("^", "&") || at_.take("&&");
  }

  Formula unary() {
    const Deeper deeper(*this);
    if (at_.take("!")) return negated(unary());
    if (square_ > 0 && at_.is_word() && at_.take("NOT")) return negated(unary());
    if (at_.take("(")) {
      Formula inner = equivalence();
      at_.expect(")");
      return inner;
    }
    if (at_.take("[")) return in_square_brackets();
    if (at_.is_word() && is_quantifier(at_.text(), "EXIST")) return quantified(FormulaKind::exists);
    if (at_.is_word() && is_quantifier(at_.text(), "FORALL")) {
      return quantified(FormulaKind::forall);
    }
    if (at_.is("*") && at_.peek(1).kind == LogicTokenKind::word) {
      if (++signs_ > LogicLimits::signs) {
        at_.fail(Message("more than ", LogicLimits::signs, " signs are left open"),
                 "write fewer *");
      }
      at_.next();
      return sign_mark(literal());
    }
    return literal();
  }

  // Brackets around atoms are Alchemy's undivided formula, around comparisons Tuffy's condition.
  Formula in_square_brackets() {
    const std::size_t atoms = atoms_;
    ++square_;
    Formula inner = equivalence();
    at_.expect("]");
    --square_;
    if (atoms_ > atoms) rule_.whole = true;
    return inner;
  }

  Formula quantified(FormulaKind kind) {
    Formula out{.kind = kind};
    at_.next();
    do {
      if (at_.is_marked_variable()) {
        meet_dialect(at_, at_.current(), LogicDialect::pracmln, dialect_, out_);
        at_.next();
      } else if (!at_.is_word() || !begins_lower(at_.text()) || out_.question_marks) {
        at_.fail(Message("a variable is expected, which begins with ",
                         std::string_view(out_.question_marks ? "?" : "a small letter")),
                 "");
      }
      const auto variable = static_cast<std::uint32_t>(rule_.variables.size());
      rule_.variables.push_back({.name = at_.text(), .quantified = true});
      scopes_.emplace_back(at_.text(), variable);
      out.variables.push_back(variable);
      at_.next();
    } while (at_.take(","));
    // As far to the right as it can; in pracmln's files over what stands next.
    out.parts.push_back(out_.question_marks ? unary() : equivalence());
    scopes_.resize(scopes_.size() - out.variables.size());
    return out;
  }

  Formula literal() {
    if (++literals_ > LogicLimits::literals) {
      at_.fail(Message("more than ", LogicLimits::literals, " atoms in a formula"),
               "write it as several rules");
    }
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

  // A sign at the start of a line belongs to the next statement: -1.5 P(x), *P(x).
  bool is_operator(std::string_view sign) const { return at_.is(sign) && !at_.current().first; }

  bool compares(std::size_t ahead) const {
    if (at_.peek(ahead).first) return false;
    const std::string& sign = at_.peek(ahead).text;
    return sign == "=" || is_unequal(sign) || sign == "+" || sign == "-" || sign == "/" ||
           sign == "%" || row_of(kInternalPredicates, sign) != nullptr;
  }
  static bool is_unequal(std::string_view sign) {
    return sign == "!=" || sign == "=/=" || sign == "<>";
  }

  Formula atom() {
    const LogicToken name = at_.current();
    Formula out{.kind = FormulaKind::atom};
    ++atoms_;
    at_.next();
    check_group(name);
    if (at_.is("(") && !at_.current().first) out.terms = arguments();
    out.number = out_.predicate_names.find(name.text);
    if (out.number == kNoNumber) {
      out_.warnings.push_back(place_of(at_.where(name)) + ": the predicate " + name.text +
                              " is not declared; its types are those of its arguments elsewhere");
      out.number = out_.predicate_names.insert(name.text);
      out_.predicates.push_back(
          {.types = std::vector<std::uint32_t>(out.terms.size(), kNoNumber),
           .marks = std::vector<ArgumentMark>(out.terms.size(), ArgumentMark::none),
           .where = at_.where(name)});
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

  // A|B(x) names two predicates in pracmln's files; here it would be A with no arguments.
  void check_group(const LogicToken& name) const {
    const std::uint32_t number = out_.predicate_names.find(name.text);
    if (!at_.is("|") || number == kNoNumber || out_.predicates[number].types.empty()) return;
    at_.fail(name, "a group of predicates (A|B(x)) is not read", "write a rule for each of them");
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
    if (sign.kind == LogicTokenKind::sign && (sign.text == "=" || is_unequal(sign.text))) {
      if (sign.text == "=/=") {
        meet_dialect(at_, sign, LogicDialect::pracmln, dialect_, out_);
      }
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
      if (out.size() == LogicLimits::arguments) {
        at_.fail(Message("more than ", LogicLimits::arguments, " arguments"),
                 "write the predicate as several, which share an argument");
      }
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
    for (std::size_t levels = 1; is_operator("+") || is_operator("-"); ++levels) {
      check_nesting(levels);
      const Arithmetic operation = at_.is("+") ? Arithmetic::plus : Arithmetic::minus;
      at_.next();
      left = computed(operation, std::move(left), product());
    }
    return left;
  }

  Term product() {
    Term left = primary();
    for (std::size_t levels = 1; is_operator("*") || is_operator("/") || is_operator("%");
         ++levels) {
      check_nesting(levels);
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
    if (at_.is("+") && starts_variable(1)) {
      at_.next();
      Term term = variable();
      if (rule_.variables[term.number].quantified) {
        at_.fail("a variable of a quantifier has no +", "");
      }
      rule_.variables[term.number].each = true;
      return term;
    }
    if (at_.take("(")) {
      Term term = sum();
      at_.expect(")");
      return term;
    }
    if (at_.is_word() && at_.peek(1).text == "(" && !at_.peek(1).first) return call();
    if (starts_variable(0)) {
      Term term = variable();
      const bool down =
          at_.is("-") && at_.is("-", 1) && at_.adjoins() && (at_.is(")", 2) || at_.is(",", 2));
      if (at_.is("++") || down) {
        meet_dialect(at_, at_.current(), LogicDialect::lomrf, dialect_, out_);
        at_.next();
        if (down) at_.next();
        return computed(down ? Arithmetic::minus : Arithmetic::plus, std::move(term), one());
      }
      return term;
    }
    return {.kind = TermKind::constant, .number = out_.constants.insert(parse_constant(at_))};
  }

  bool starts_variable(std::size_t ahead) const {
    if (at_.is_marked_variable(ahead)) return true;
    const LogicToken& token = at_.peek(ahead);
    return !out_.question_marks && token.kind == LogicTokenKind::word && begins_lower(token.text);
  }

  Term variable() {
    if (at_.is("?")) {
      meet_dialect(at_, at_.current(), LogicDialect::pracmln, dialect_, out_);
      at_.next();
    }
    const std::string name = at_.take_text();
    for (std::size_t i = scopes_.size(); i-- > 0;) {
      if (scopes_[i].first == name)
        return {.kind = TermKind::variable, .number = scopes_[i].second};
    }
    auto& variables = rule_.variables;
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

  // One level more, while it is there.
  struct Deeper {
    explicit Deeper(FormulaParser& p) : parser(p) { parser.check_nesting(++parser.depth_); }
    ~Deeper() { --parser.depth_; }
    FormulaParser& parser;
  };
  void check_nesting(std::size_t levels) const {
    if (levels <= LogicLimits::nesting) return;
    at_.fail(Message("more than ", LogicLimits::nesting, " levels of a formula"),
             "write it as several rules");
  }

  TokenCursor& at_;
  LogicNetwork& out_;
  const LogicDialect dialect_;
  LogicRule& rule_;
  std::vector<std::pair<std::string, std::uint32_t>> scopes_;  // names that quantifiers bind
  std::size_t literals_ = 0, atoms_ = 0;
  std::size_t square_ = 0;  // [ that are open
  std::size_t commas_ = 0;
  std::optional<LogicToken> comma_;  // of the conjunctions that are being joined
  std::size_t signs_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

ParsedFormula parse_formula(TokenCursor& at, LogicNetwork& network, LogicDialect dialect,
                            LogicRule& rule) {
  return FormulaParser(at, network, dialect, rule).parse();
}

void choose_signs(Formula& formula, std::size_t choice, std::size_t& place) {
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

std::string parse_constant(TokenCursor& at) {
  if (at.is("-") && at.peek(1).kind == LogicTokenKind::number) {
    at.next();
    return "-" + at.take_text();
  }
  if (!at.is_word() && !at.is_number() && at.current().kind != LogicTokenKind::quoted) {
    at.fail("a constant is expected here", "");
  }
  return at.take_text();
}

void meet_dialect(const TokenCursor& at, const LogicToken& token, LogicDialect whose,
                  LogicDialect asked, LogicNetwork& network) {
  if (asked != LogicDialect::any && asked != whose) {
    at.fail(token, Message("a sign of the dialect ", name_of(whose)),
            Message("use --dialect ", name_of(whose), " or --dialect any"));
  }
  network.dialect = whose;
}

}  // namespace croft
