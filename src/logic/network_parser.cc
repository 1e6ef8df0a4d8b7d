#include "logic/network_parser.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "core/parse_number.h"
#include "logic/constant_list.h"
#include "logic/formula_parser.h"
#include "logic/internal_names.h"
#include "logic/rule_types.h"
#include "logic/token_cursor.h"
#include "logic/weight_expression.h"

namespace croft {
namespace {

class NetworkParser {
 public:
  NetworkParser(const LogicTokens& tokens, LogicDialect dialect) : at_(tokens), dialect_(dialect) {
    out_.question_marks = dialect == LogicDialect::pracmln || has_marked_variable(at_);
  }

  LogicNetwork parse() {
    while (!at_.at_end()) statement();
    if (fixes_ || unique_) {
      at_.fail(directive_, "no rule follows this line", "write it before a rule");
    }
    settle_types(out_);
    check_ground_atoms();
    if (dialect_ != LogicDialect::any) out_.dialect = dialect_;
    return std::move(out_);
  }

 private:
  // ?x, which an argument's mark (type?) is not.
  static bool has_marked_variable(TokenCursor at) {
    for (bool adjoins = false; !at.at_end(); adjoins = at.adjoins() && at.is_word(), at.next()) {
      if (!adjoins && at.is_marked_variable()) return true;
    }
    return false;
  }

  // Of what is written here; databases may add constants.
  void check_ground_atoms() const {
    for (std::uint32_t p = 0; p < out_.predicates.size(); ++p) {
      count_tuples(out_.predicates[p].types, out_.types, out_.predicate_names[p],
                   out_.predicates[p].where);
    }
    for (std::uint32_t f = 0; f < out_.functions.size(); ++f) {
      count_tuples(out_.functions[f].types, out_.types, out_.function_names[f],
                   out_.functions[f].where);
    }
  }

  void statement() {
    check_weight_words();
    if (at_.is_word() && at_.peek(1).text == "=" && at_.peek(2).text == "{" && !at_.peek(1).first) {
      return type_declaration();
    }
    if (at_.is_word() && at_.peek(1).kind == LogicTokenKind::word && !at_.peek(1).first &&
        at_.peek(1).text != "v" && at_.peek(2).text == "(" && !is_quantifier(at_.text(), "EXIST") &&
        !is_quantifier(at_.text(), "FORALL")) {
      return function_declaration();
    }
    if (is_declaration()) return predicate_declaration();
    if (is_further_marks()) return further_marks();
    if (at_.is("#fixweight") || at_.is("#unique")) return directive();
    check_foreign();
    rule();
  }

  // A line for the next rule.
  void directive() {
    directive_ = at_.current();
    meet_dialect(at_, directive_, LogicDialect::pracmln, dialect_, out_);
    if (at_.take("#fixweight")) {
      fixes_ = true;
    } else {
      at_.next();
      unique_.emplace();
      warn_of_equal_constants();
      at_.expect("{");
      do {
        at_.expect("+");
        at_.take("?");
        unique_->push_back(at_.current());
        at_.take_word("a variable with +");
      } while (at_.take(","));
      at_.expect("}");
    }
    end_statement(directive_.text);
  }

  // Once for all of them.
  void warn_of_equal_constants() {
    constexpr std::string_view kText =
        ": #unique leaves out equal constants, as pracmln does; its manual counts them: write a "
        "rule P(+x) ^ Q(+x) for them where they are meant";
    const bool warned = std::ranges::any_of(
        out_.warnings, [&](const std::string& each) { return each.ends_with(kText); });
    if (!warned) out_.warnings.push_back(place_of(at_.where(directive_)) + std::string(kText));
  }

  // Refuses constructs of other programs that stand in place of a rule.
  void check_foreign() const {
    if (at_.is("[") && at_.peek(1).kind == LogicTokenKind::word &&
        (at_.is("priorProb", 1) || at_.is("Label", 1))) {
      at_.fail("a tag of a rule (Tuffy's [Label] and [priorProb]) is not read", "leave it out");
    }
    if (at_.is_word() && at_.is(":", 1)) {
      at_.fail("a weight that has a name (w : formula) is not read", "write its number");
    }
    if ((!at_.is("P") && !at_.is("R") && !at_.is("SE")) || !at_.is("(", 1)) return;
    if (out_.function_names.find(at_.text()) != kNoNumber) return;
    std::size_t i = 1;
    for (std::size_t depth = 0; at_.peek(i).kind != LogicTokenKind::end; ++i) {
      if (at_.is("(", i)) ++depth;
      if (at_.is(")", i) && --depth == 0) break;
    }
    const bool is_probability = at_.is("=", i + 1) && !at_.peek(i + 1).first &&
                                at_.peek(i + 2).kind == LogicTokenKind::number &&
                                at_.ends_line(i + 2);
    if (!is_probability) return;
    at_.fail("a formula with a probability that it is to have (pracmln's P(f) = p) is not read",
             "give it a weight; log(p/(1-p)) is that of an atom without other rules");
  }

  // nan, inf and the like before a formula, where no predicate or type has such a name.
  void check_weight_words() {
    const std::size_t sign = at_.is("-") || at_.is("+") ? 1 : 0;
    const LogicToken& word = at_.peek(sign);
    const LogicToken& after = at_.peek(sign + 1);
    if (word.kind != LogicTokenKind::word || after.first ||
        (after.kind == LogicTokenKind::sign && after.text != "!" && after.text != "(") ||
        (after.text == "(" && sign == 0)) {
      return;
    }
    double value = 0;
    const NumberKind kind = parse_number(word.text, value);
    if (kind == NumberKind::finite || kind == NumberKind::not_a_number) return;
    if (out_.predicate_names.find(word.text) != kNoNumber ||
        out_.type_names.find(word.text) != kNoNumber) {
      return;
    }
    fail_weight(word);
  }

  [[noreturn]] void fail_weight(const LogicToken& token) const {
    at_.fail(token, "a weight is a number from -1e9 to 1e9", "end a hard rule with a full stop");
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
    constant_lists_.read(at_, constants);
    end_statement("a type");
  }

  // [*] NAME [( type[!|!?] {, …} )] on a line of its own, NAME not yet declared.
  bool is_declaration() const {
    std::size_t i = at_.is("*") ? 1 : 0;
    if (at_.peek(i).kind != LogicTokenKind::word) return false;
    if (out_.predicate_names.find(at_.peek(i).text) != kNoNumber) return false;
    if (out_.function_names.find(at_.peek(i).text) != kNoNumber) return false;
    if (row_of(kInternalPredicates, at_.peek(i).text) != nullptr) return false;
    if (at_.is("(", i + 1) && !at_.peek(i + 1).first) {
      i = end_of_arguments(i + 1).end;
      if (i == 0) return false;
    }
    return at_.ends_line(i) && !continues_formula(at_.peek(i + 1), at_.peek(i + 2));
  }

  // NAME( argument[!|!?] {, …} ) with a mark, NAME declared: further marks of its arguments.
  bool is_further_marks() const {
    if (!at_.is_word() || !at_.is("(", 1) || at_.peek(1).first) return false;
    if (out_.predicate_names.find(at_.text()) == kNoNumber) return false;
    const ArgumentScan scan = end_of_arguments(1);
    return scan.end != 0 && scan.marked && at_.ends_line(scan.end);
  }

  // A look at  ( word [word] [!|!?|?] {, …} )  from the bracket on; `end` is 0 if it is something
  // else.
  struct ArgumentScan {
    std::size_t end = 0;
    bool marked = false;
  };
  ArgumentScan end_of_arguments(std::size_t i) const {
    ArgumentScan out;
    if (at_.is(")", ++i)) return {.end = i};
    while (true) {
      if (at_.peek(i).kind != LogicTokenKind::word || !begins_lower(at_.peek(i).text)) return {};
      ++i;
      if (at_.peek(i).kind == LogicTokenKind::word && !at_.peek(i).first) ++i;  // its name
      if (at_.is("!", i) || at_.is("!?", i) || at_.is("?", i)) {
        out.marked = true;
        ++i;
      }
      if (at_.is(")", i)) {
        out.end = i;
        return out;
      }
      if (!at_.is(",", i)) return {};
      ++i;
    }
  }

  // What stands at the start of a line and goes on with the formula above.
  static bool continues_formula(const LogicToken& token, const LogicToken& following) {
    return token.text == "=>" || token.text == "<=>" || token.text == "^" || token.text == ":-" ||
           token.text == "|" || token.text == "&" || token.text == "," ||
           (token.text == "v" && token.kind == LogicTokenKind::word && following.text != "=");
  }

  void check_arguments(std::size_t before) const {
    if (before < LogicLimits::arguments) return;
    at_.fail(Message("more than ", LogicLimits::arguments, " arguments"),
             "declare several predicates, which share an argument");
  }

  void predicate_declaration() {
    LogicPredicate predicate;
    if (at_.is("*")) {
      meet_dialect(at_, at_.current(), LogicDialect::tuffy, dialect_, out_);
      predicate.closed = true;
      at_.next();
    }
    const LogicToken name = at_.current();
    if (name.text == "v") at_.fail("v means \"or\"", "give the predicate another name");
    at_.next();
    const bool has_brackets = at_.is("(") && !at_.current().first;
    if (has_brackets) at_.next();
    if (has_brackets && !at_.take(")")) {
      do {
        check_arguments(predicate.types.size());
        predicate.types.push_back(out_.add_type(at_.take_word("the name of a type")));
        if (at_.is_word()) at_.next();  // Tuffy names arguments, too
        predicate.marks.push_back(take_mark());
      } while (at_.take(","));
      at_.expect(")");
    }
    check_marks(name, predicate.marks);
    predicate.where = at_.where(name);
    out_.predicate_names.insert(name.text);
    out_.predicates.push_back(std::move(predicate));
  }

  ArgumentMark take_mark() {
    if (at_.is("?")) meet_dialect(at_, at_.current(), LogicDialect::pracmln, dialect_, out_);
    if (at_.take("!")) return ArgumentMark::exactly_one;
    return at_.take("!?") || at_.take("?") ? ArgumentMark::at_most_one : ArgumentMark::none;
  }

  void check_marks(const LogicToken& name, const std::vector<ArgumentMark>& marks) const {
    const auto has = [&](ArgumentMark mark) {
      return std::ranges::find(marks, mark) != marks.end();
    };
    if (has(ArgumentMark::exactly_one) && has(ArgumentMark::at_most_one)) {
      at_.fail(name, "a predicate has arguments with ! or with !?, not with both", "");
    }
  }

  // Alchemy declares State(state, time), and then that State(s!, t) is one state at a time.
  void further_marks() {
    const LogicToken name = at_.current();
    at_.next();
    LogicPredicate& predicate = out_.predicates[out_.predicate_names.find(name.text)];
    std::vector<ArgumentMark> marks;
    at_.expect("(");
    do {
      at_.next();
      if (at_.is_word()) at_.next();
      marks.push_back(take_mark());
    } while (at_.take(","));
    at_.expect(")");
    check_marks(name, marks);
    if (marks.size() != predicate.marks.size()) {
      at_.fail(name,
               Message("the predicate's number of arguments is ", predicate.marks.size(),
                       ", and here are ", marks.size()),
               "");
    }
    const bool has_marks = std::ranges::any_of(
        predicate.marks, [](ArgumentMark mark) { return mark != ArgumentMark::none; });
    if (has_marks && predicate.marks != marks) {
      at_.fail(name, "an earlier declaration marks other arguments of this predicate",
               "write a rule: !P(x, y) v !P(x, z) v y = z.");
    }
    predicate.marks = std::move(marks);
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
      check_arguments(function.types.size());
      function.types.push_back(out_.add_type(at_.take_word("the name of a type")));
    } while (at_.take(","));
    at_.expect(")");
    end_statement("a function's declaration");
    function.where = at_.where(name);
    out_.function_names.insert(name.text);
    out_.functions.push_back(std::move(function));
  }

  void rule() {
    LogicRule rule;
    const LogicToken first = at_.current();
    const std::size_t begin = at_.position();
    rule.where = at_.where(first);
    rule.fixed = std::exchange(fixes_, false);
    if (at_.is("@")) {
      meet_dialect(at_, at_.current(), LogicDialect::tuffy, dialect_, out_);
      at_.next();
      rule.fixed = true;
    }
    const LogicToken weight = at_.current();
    read_weight(rule);
    const std::size_t formula = at_.position();
    ParsedFormula parsed = parse_formula(at_, out_, dialect_, rule);
    rule.formula = std::move(parsed.formula);
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
      read_weight(rule, true);
      if (!rule.weighted) at_.fail("a weight is expected", "");
    }
    if (rule.fixed && !rule.weighted) at_.fail(weight, "a weight is expected", "");
    end_formula();
    free_outer_variables(rule);
    take_unique(rule);
    rule.text = at_.text_from(begin);
    rule.formula_at = rule.text.size() - at_.text_from(formula).size();
    // *P: a rule for each choice of signs.
    const std::size_t choices = std::size_t{1} << parsed.signs;
    if (choices > 1) signed_literals_ += choices * parsed.literals;
    if (signed_literals_ > LogicLimits::signed_literals) {
      at_.fail(first,
               Message("rules of more than ", LogicLimits::signed_literals,
                       " atoms in all come of signs that are left open"),
               "write fewer *");
    }
    for (std::size_t choice = 0; choice < choices; ++choice) {
      LogicRule signed_rule = rule;
      if (choices > 1) {
        std::size_t place = 0;
        choose_signs(signed_rule.formula, choice, place);
        signed_rule.text += " [signs " + std::to_string(choice + 1) + "]";
      }
      out_.rules.push_back(std::move(signed_rule));
    }
  }

  void end_formula() {
    const bool goes_on = !at_.at_end() && !at_.current().first;
    if (goes_on && at_.is(":=")) {
      at_.fail("a rule that limits which atoms there are (Tuffy's :=) is not read",
               "say which atoms are false in the evidence");
    }
    if (goes_on && at_.is(":")) {
      at_.fail("a utility of a formula (: U) is not read", "leave it out");
    }
    if (goes_on && at_.is("*")) {
      at_.fail("a numeric factor of a formula (hybrid networks) is not read", "leave it out");
    }
    end_statement("a formula");
  }

  // The variables that #unique names.
  void take_unique(LogicRule& rule) {
    if (!unique_) return;
    for (const LogicToken& each : *unique_) {
      const auto found = std::ranges::find_if(rule.variables, [&](const RuleVariable& variable) {
        return variable.each && variable.name == each.text;
      });
      if (found == rule.variables.end()) {
        at_.fail(each, "the next rule has no such variable with +", "");
      }
      rule.unique.push_back(static_cast<std::uint32_t>(found - rule.variables.begin()));
    }
    unique_.reset();
  }

  // FORALL over the whole formula says what free variables mean.
  static void free_outer_variables(LogicRule& rule) {
    while (rule.formula.kind == FormulaKind::forall) {
      for (const std::uint32_t v : rule.formula.variables) rule.variables[v].quantified = false;
      Formula inner = std::move(rule.formula.parts[0]);
      rule.formula = std::move(inner);
    }
  }

  //   alone : it ends the statement
  void read_weight(LogicRule& rule, bool alone = false) {
    const std::optional<WeightExpression> weight = weight_expression(at_, out_, alone);
    if (!weight) return;
    if (weight->arithmetic) {
      meet_dialect(at_, at_.current(), LogicDialect::pracmln, dialect_, out_);
    }
    rule.weight = weight->value;
    rule.weighted = true;
    for (std::size_t i = 0; i < weight->tokens; ++i) at_.next();
  }

  TokenCursor at_;
  const LogicDialect dialect_;
  LogicNetwork out_;
  ConstantListReader constant_lists_;
  LogicToken directive_;                           // the last one
  bool fixes_ = false;                             // #fixweight: of the next rule
  std::optional<std::vector<LogicToken>> unique_;  // #unique: likewise
  std::size_t signed_literals_ = 0;                // of rules that *P makes
};

LineReader open_beside(const std::string& name, const std::string& from) {
  std::filesystem::path path(name);
  if (!path.is_absolute() && from != "<stdin>") {
    path = (std::filesystem::path(from).parent_path() / path).lexically_normal();
  }
  std::error_code ignored;
  if (std::filesystem::is_character_file(path, ignored) ||
      std::filesystem::is_block_file(path, ignored)) {
    throw Error(path.string(), ": this is a device, which may have no end; include a file");
  }
  return LineReader(path.string());
}

}  // namespace

LogicNetwork parse_network(const LogicTokens& tokens, LogicDialect dialect) {
  LogicNetwork out = NetworkParser(tokens, dialect).parse();
  out.files = tokens.files;
  return out;
}

LogicNetwork read_network(const std::string& path, LogicDialect dialect) {
  return parse_network(read_logic_tokens(LineReader(path), open_beside), dialect);
}

}  // namespace croft
